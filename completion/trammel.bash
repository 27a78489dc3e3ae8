# Bash completion for trammel. Names of methods and outputs come from the program itself.
_trammel() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]-}
  local words= model i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "run study check list outputs schema verify --help --version" -- "$cur"))
    return
  fi
  case $prev in
    --method | --methods | -m) words=$("$1" list methods --names 2> /dev/null) ;;
    --output)
      for i in "${COMP_WORDS[@]:2}"; do [[ $i == *.y?(a)ml ]] && model=$i; done
      words=$([[ -n $model ]] && "$1" outputs "$model" --names 2> /dev/null)
      ;;
    --error) words="max end" ;;
    --lam) words="native recomputed" ;;
    --at) words="equilibrium start" ;;
    --out | -o | --reference)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --redundant) words="least-norm remove fail" ;;
    --control) words="pi gnp05" ;;
    --step | --tol | --first-step | --min-step | --max-step | --end | --set | -s | --out-every | --newton-iterations | --newton-tol | --steps | --joint | --repeats | --threads | -j) return ;;
  esac
  if [[ -z $words ]]; then
    case $command in
      run) words="--method --step --end --tol --tol-velocities --tol-multipliers --control --first-step --min-step --max-step --set --out --out-every --output --newton-iterations
                  --newton-tol --no-consistent-start --zero-start --redundant --recompute --no-audit --threads --json --final --quiet --help" ;;
      study) words="convergence energy drift cost work-precision stability --methods --steps --end --set
                    --error --lam --reference --output --joint --at --repeats --threads --newton-iterations
                    --newton-tol --no-consistent-start --zero-start --out --json --quiet --help" ;;
      check) words="--set --motions --json --help" ;;
      list) words="bodies joints forces methods units --json --markdown --names --help" ;;
      outputs) words="--set --json --names --all --help" ;;
      schema) words="--help" ;;
      verify)
        words="--list --json --markdown --plots --quiet --help $("$1" verify --list 2> /dev/null | cut -d ' ' -f 1)"
        ;;
    esac
    if [[ $cur != -* && $command != list && $command != verify && ($command != study || $COMP_CWORD != 2) ]]; then
      compopt -o filenames 2> /dev/null
      COMPREPLY=($(compgen -f -X '!*.y*ml' -- "$cur") $(compgen -d -- "$cur"))
      return
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _trammel trammel
