#!/bin/bash
# The command line from end to end: exit codes, what is printed where, tables, JSON.
#   test_cli.sh BUILD
cd "$(dirname "$0")/.." || exit 1
trammel=$(realpath "${1:-build/release}/trammel")
work=$(mktemp -d) root=$PWD
trap 'rm -rf "$work"' EXIT
out=$work/out err=$work/err csv=$work/a.csv model=models/pendulum.yaml
failures=0

fail() {
  echo "FAILED: $*"
  sed 's/^/  stderr: /' "$err" | head -5
  failures=$((failures + 1))
}
# expect CODE ARGUMENTS...: runs trammel, checks the exit code
expect() {
  local code=$1
  shift
  what="trammel $*"
  "$trammel" "$@" > "$out" 2> "$err"
  local got=$?
  [ $got = "$code" ] || fail "$what: exit code $got instead of $code"
}
says() { grep -q -e "$1" "$out" || fail "$what: no \"$1\" on standard output"; }
complains() { grep -q -e "$1" "$err" || fail "$what: no \"$1\" on standard error"; }
silent() { [ ! -s "$1" ] || fail "$what: ${1##*/} should be empty"; }
json() { jq -e "$1" "$out" > /dev/null || fail "$what: not so: $1"; }

# ---- asking for help, and mistakes
expect 0 --version; says '^trammel [0-9.]*$'
expect 0 --help; says '^usage:'
for command in run study check list outputs schema verify; do expect 0 $command --help; says "^usage: trammel $command"; silent "$err"; done
expect 2; complains '^usage:'
expect 2 rnu; complains 'did you mean run'
expect 2 four_bar.yaml; complains 'no command "four_bar.yaml"; did you mean trammel run four_bar.yaml?'
expect 2 run; complains 'which model'
expect 2 run $model --stpe 1; complains 'did you mean --step'
expect 2 run $model --step; complains 'needs a value'
expect 2 run $model --step=0; complains 'greater than zero'
expect 2 run $model --step '1 kg'; complains '--step 1 kg: '
expect 2 run $model --end nonsense; complains '--end nonsense: '
expect 2 run $model --newton-iterations 1.5; complains 'whole number'
expect 2 run $model --quiet=1; complains 'takes no value'
expect 2 run $model extra; complains 'extra'
expect 2 run $model --set nothing=1; complains 'nothing'
expect 2 run $model --set nothing; complains 'name=value'
expect 2 run $model --method hht-i4; complains 'hht-i4'
expect 2 run $model --method hht-i3:alfa=-0.1; complains 'no parameter "alfa" (it has: alpha, mass, start)'
expect 2 run $model --method hht-i3:alhpa=-0.1; complains 'no parameter "alhpa" (did you mean "alpha"?)'
expect 2 run $model --method 'hht-i3 alpha=-0.1'; complains 'a ":" must stand between a method and its parameters'
expect 2 run $model --method 'hht-i3 '; complains 'did you mean "hht-i3"'
expect 2 run $model --output 'zz*'; complains 'zz\*'
expect 2 run $model --json --out -; complains 'standard output'
expect 2 run $model --tol 1e-5 --step 1e-3; complains 'give one of the two'
expect 2 run $model --tol 1e-5 --newton-tol 1e-8; complains '--newton-tol goes with --step'
expect 2 run $model --newton-tol 1e-8 --newton-iterations 2; complains 'says nothing'
expect 2 run $model --first-step 1e-3; complains 'go with --tol'
expect 0 run $model --tol 1e-5 --first-step 1e-4 --json; json '.smallest_step == 1e-4 and .step == null'
expect 2 list joint; complains 'did you mean joints'
expect 4 run "$work/none.yaml"; complains 'none.yaml'
expect 4 run $model --out "$work/no/a.csv"; complains 'no/a.csv'
expect 4 run $model --quiet --out /dev/full; complains '/dev/full'
printf 'trammel: 1\nbodies:\n  a: {type: planar, mas: 1}\n' > "$work/bad.yaml"
expect 3 run "$work/bad.yaml" --json; complains 'bad.yaml:3:[0-9]*: '; json '.status == "failed" and (.error | length > 0)'
printf 'simulation: {end: 1, step: 1, method: "hht-i4"}\n' >> "$work/bad.yaml" # all in one go
for command in run check; do
  expect 3 $command "$work/bad.yaml"; complains 'bad.yaml:3:[0-9]*: '
  complains 'bad.yaml:4:39: unknown method "hht-i4" (did you mean "hht-i3"?)'
done
"$trammel" list > /dev/full 2> "$err"; [ $? = 4 ] || fail "list > /dev/full"

# a tolerance that the order of the method is too low for
expect 0 run bench/slider.yaml --tol 1e-8 --end 2; says '^hint .*ggl-bdf:order=5'
expect 0 run bench/slider.yaml --tol 1e-8 --end 2 --method ggl-bdf:order=5; ! grep -q '^hint' "$out" || fail "$what: a hint"
expect 0 run bench/slider.yaml --tol 1e-4; ! grep -q '^hint' "$out" || fail "$what: a hint"
# dry friction by sign(): no method of high order gets past it
cat > "$work/dry.yaml" << 'EOF'
trammel: 1
gravity: [0, -9.81]
bodies:
  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], keep: [angle]}
  rod: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  a: {type: revolute, markers: [ground, {body: crank, at: [-0.5, 0]}]}
  b: {type: revolute, markers: [{body: crank, at: [0.5, 0]}, {body: rod, at: [-0.5, 0]}]}
forces:
  dry: {type: torsion-spring, joint: a, torque: "-4*sign(rate)"}
simulation: {end: 3 s}
EOF
for tol in 1e-6 1e-8; do "$trammel" run "$work/dry.yaml" --tol $tol > "$out" 2>&1; ! grep -q '^hint' "$out" || fail "dry friction: a hint"; done
{ cat bench/slider.yaml; printf 'events: {half: {when: time - 0.5, message: half}}\n'; } > "$work/told.yaml"
{ sed 's/L2: 0.6 m/&, n: 0/' bench/slider.yaml; printf 'events: {half: {when: time - 0.5, set: {n: 1}}}\n'; } > "$work/acts.yaml"
expect 0 run "$work/told.yaml" --tol 1e-8 --end 2; says '^hint .*ggl-bdf:order=5'
expect 0 run "$work/acts.yaml" --tol 1e-8 --end 2; ! grep -q '^hint' "$out" || fail "$what: a hint"

# ---- a stiff damper far from its equilibrium: the extrapolation is useless, coasting is not
expect 0 run models/double_pendulum.yaml --method nstiff --step 2^-6 --json; json '.final."rod1.angle" | . > 4.6 and . < 4.7'
expect 0 run models/double_pendulum.yaml --method newmark:beta=25/64,gamma=3/4 --newton-iterations 3 --json
json '.newton_iterations == 3 * .steps and (.final."rod1.angle" - 4.64369940551914 | fabs < 1e-11)' # long double, by hand

# ---- published results
expect 0 verify --list; says '^gnp05-table1 '; silent "$err"
expect 0 verify gnp05-table1 whtc07-table2; says '7.72e-2'; says '1.0856e-4'; says '^22 numbers: .* 0 are off$'; silent "$err"
expect 0 verify whtc07-table2 --json; json '.status == "ok" and .count == 6 and .off == 0 and (.groups[0].entries | length == 6)'
expect 0 verify whtc07-table2 --markdown; says '^| Baumgarte.* | 1.0856e-4 | 1.08560e-04 |'
expect 0 verify whtc07-table2 -q; says '^6 numbers'
expect 0 verify yen-petzold whtc07-table2 -q --plots "$work/figures/yp"; says '^13 numbers: .* 0 are off$'; says '^158 bounds and trends: 158 hold, 0 do not$'
for name in failures energy steps; do grep -q '>GGL\*</text>' "$work/figures/yp/yen-petzold-$name.svg" || fail "no figure yen-petzold-$name"; done
expect 4 verify yen-petzold -q --plots "$work/figures/yp/yen-petzold-steps.svg/deeper"; complains 'cannot be made'
mkdir -p "$work/figures/taken/yen-petzold-energy.svg"
expect 4 verify yen-petzold -q --plots "$work/figures/taken"; complains 'yen-petzold-energy.svg'
expect 2 verify --plots; complains 'plots'
expect 2 verify gnp05-tabel1; complains 'did you mean gnp05-table1'
expect 2 verify --json --markdown; complains 'exclude'
(cd / && "$trammel" verify -q > "$out" 2> "$err") || fail "verify from another directory: $(cat "$out")"

# ---- a run
expect 0 run $model --end 0.5 --step 2^-7 --out "$csv"; says '^steps *64,'; silent "$err"
head -1 "$csv" | grep -q '^t,[^,]*\.[^,]*' || fail "header: $(head -1 "$csv")"
[ "$(wc -l < "$csv")" = 66 ] || fail "rows: $(wc -l < "$csv")"
expect 0 run $model --end=0.5 --step=1/128 --quiet --out "$work/b.csv"; silent "$out"; silent "$err"
cmp -s "$csv" "$work/b.csv" || fail "two runs differ"
expect 0 run $model --end 0.5 --step 2^-7 --quiet --out - --output 'energy.*'; says '^t,energy.kinetic,energy.potential,energy.total$'
expect 0 run $model --end 0.5 --step 2^-7 --out-every 10 --out "$csv"; [ "$(wc -l < "$csv")" = 9 ] || fail "$what: rows"
expect 0 run $model --end 0.5 --step 2^-7 --out-every '125 ms' --out "$csv"; [ "$(cut -d, -f1 "$csv" | tr '\n' ' ')" = "t 0 0.125 0.25 0.375 0.5 " ] || fail "$what: $(cut -d, -f1 "$csv")"
expect 0 run $model --end 0.1 --step 2^-7 --final; says '^energy.total '
# the end: all quantities, or those that --output names; multipliers of a joint's rows by name only
expect 0 run models/slider_crank.yaml --end 0.1 --quiet --final --output crank.x --output energy.total
[ "$(awk 'NF { print $1 }' "$out" | tr '\n' ' ')" = "t crank.x energy.total " ] || fail "$what: $(cat "$out")"
expect 0 run models/slider_crank.yaml --end 0.1 --json --output pin_A --output '*.lam?'
json '.final | length == 10 and .["pin_A.lam1"] == -.["pin_A.fx"] and .["pin_A.lam2"] == -.["pin_A.fy"] and .["pin_A.lam1"] > 1'
expect 0 run models/gyroscope.yaml --end 0.1 --json; json '.final | keys | all(test("[.]lam[0-9]") | not)'
expect 0 outputs models/slider_crank.yaml --names; [ "$(grep -c '[.]lam' "$out")" = 0 ] || fail "$what: multipliers"
expect 0 outputs models/slider_crank.yaml --names --all; [ "$(grep -c '[.]lam' "$out")" = 5 ] || fail "$what: multipliers"
expect 0 study convergence models/slider_crank.yaml --steps 2^-7..2^-9 --end 0.5 --methods hht-i3 --output pin_A.lam1 --json --out "$work/s"
json '(.tables.orders.rows[0].order_lam * 10 | round) == 20'
expect 0 run $model --end 0.5 --step 2^-7 --newton-iterations 2 --json; json '.newton_iterations == 128'
expect 0 run $model --end 0.5 --step 2^-7 --method hht-i3:alpha=-0.1 --json; silent "$err"
json '.status == "ok" and .steps == 64 and .rejected == 0 and .final.t == 0.5 and (.method | startswith("hht-i3:"))'
json '[.model, .method, .steps, .newton_iterations, .jacobians, .factorisations, .rejected, .cpu_s, .us_per_step, .max_position_violation, .max_velocity_violation, .energy.initial, .energy.max_change, .final["energy.total"]] | all(. != null)'
[ "$(jq '.final | length' "$out")" = $(($("$trammel" outputs $model --names | wc -l) + 1)) ] || fail "final lacks channels"

# ---- studies
for kind in convergence energy drift cost work-precision stability; do
  to=$work/study-$kind
  once=()
  case $kind in cost | work-precision) once=(--repeats 1) ;; esac
  expect 0 study $kind models/slider_crank.yaml --steps 2^-7,2^-8 --end 0.25 --methods 'hht-i3;nstiff-si2' "${once[@]}" --threads 2 --json --out "$to"
  json ".study == \"$kind\" and .status == \"ok\" and (.tables | length > 0) and (.notes | length > 0)"; silent "$err"
  [ -s "$to/$kind.md" ] && [ -s "$to/$kind.svg" ] && grep -q '</svg>' "$to/$kind.svg" || fail "$what: files"
  for f in "$to"/*.csv; do awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' "$f" || fail "$what: ${f##*/}"; done
done
[ -s "$work/study-drift/phase.svg" ] || fail "no phase plot"
grep -v '^name:' models/pendulum.yaml > "$work/nameless.yaml" # titles have the file's name then
expect 0 study energy "$work/nameless.yaml" --steps 2^-5,2^-6 --end 0.5 --methods nstiff --out "$work/s"
grep -q "^# Energy: .*nameless.yaml" "$work/s/energy.md" || fail "$what: $(head -1 "$work/s/energy.md")"
expect 2 study energy models/slider_crank.yaml --repeats 3; grep -q 'takes no --repeats' "$err" || fail "$what: $(cat "$err")"
expect 0 study convergence models/slider_crank.yaml --steps 2^-7..2^-10 --end 0.5 --methods 'hht-i3; newmark' --json --out "$work/s"
json '[.tables.orders.rows[].order_v | . * 10 | round] == [20, 10]'
expect 0 run models/slider_crank.yaml --step 2^-12 --end 0.5 --out-every 256 --output 'crank.*' --quiet --out "$csv"
expect 0 study convergence models/slider_crank.yaml --steps 2^-6,2^-7 --end 0.5 --methods hht-i3 --reference "$csv" --json --out "$work/s"
json '(.tables.errors.rows[1].order_v * 10 | round) == 20 and (.notes[0] | test("given table"))'
(mkdir "$work/here" && cd "$work/here" && "$trammel" study stability "$root/$model" --methods nstiff --steps 0.1 --quiet) > "$out" 2> "$err" || fail "study in its own directory"
silent "$out"; [ -s "$work/here/out/study/stability-pendulum/stability.svg" ] || fail "no out/study"
expect 2 study; complains 'which study'
expect 2 study convergnce $model; complains 'did you mean convergence'
expect 2 study energy; complains 'which model'
expect 2 study energy $model --steps 0; complains 'greater than zero'
expect 2 study energy $model --steps 1,x; complains '--steps x: '
expect 2 study energy $model --methods ' ; '; complains 'which ones'
expect 2 study energy $model --methods hht-i4 --out "$work/s"; complains 'hht-i4'
for several in hht-i3,nstiff 'hht-i3, nstiff' hht-i3:alpha=-0.1,nstiff; do
  expect 2 study energy $model --methods "$several" --out "$work/s"; complains 'methods of a list are separated by ";"'
done
expect 2 study energy $model --error never; complains 'must be max or end'
expect 2 study energy $model --threads 0; complains 'greater than zero'
expect 2 study drift $model --joint rud --out "$work/s"; complains 'did you mean "rod"'
expect 4 study convergence $model --reference "$work/none.csv" --out "$work/s"; complains 'none.csv'
expect 4 study energy $model --out /dev/null/x; complains '/dev/null/x'
expect 4 study energy "$work/none.yaml"; complains 'none.yaml'

# ---- Ctrl-C keeps what was computed
for signal in INT TERM HUP; do
  "$trammel" run models/slider_crank.yaml --end 1e5 --step 1e-4 --out-every 1000 --out "$csv" > "$out" 2> "$err" &
  pid=$!
  sleep 0.5
  kill -$signal $pid
  wait $pid
  code=$? what="a run interrupted by $signal"
  [ $code = 130 ] || fail "$what: exit code $code"
  says '^status *interrupted'; complains 'interrupted at t ='
  [ "$(wc -l < "$csv")" -gt 2 ] && [ "$(tail -c 1 "$csv" | od -An -c | tr -d ' ')" = '\n' ] || fail "$what: table"
done

# ---- events: listed, a row before and after, a stop is a success
expect 0 run models/clutch.yaml --out "$csv"; says 'stuck: set slip, lock stick'
[ "$(cut -d, -f1 "$csv" | uniq -d | wc -l)" = 2 ] || fail "events: rows before and after"
expect 0 run models/latch.yaml --json; json '.events | map(.name) == ["shut", "release"]'; json '.event_count == 2'
sed 's/message: the door is shut/stop: yes/' models/latch.yaml > "$work/stop.yaml"
expect 0 run "$work/stop.yaml" --json; json '.stopped_by == "shut" and .status == "ok" and .final.t < 0.5'

# ---- the other commands
expect 0 check $model; says '^degrees of freedom *1$'; says '^body '
printf 'trammel: 1\nbodies: {p: {type: planar-point, mass: 1}}\noutput: [p.xx]\n' > "$work/output.yaml"
expect 3 check "$work/output.yaml"; complains 'output "p.xx" matches no channel'; says '^consistent start *moves'
cat > "$work/blade.yaml" << 'END'
trammel: 1
bodies:
  a: {type: planar, mass: 1, inertia: 0.05, velocity: [0, 2]}
joints:
  blade: {type: knife-edge, markers: [ground, a]}
simulation: {end: 0.1, step: 0.01}
END
expect 0 check "$work/blade.yaml" --json; json '[.elements[].phi] | max < 1e-12'
sed 's/velocity: .0, 2.}/omega: 900}/' "$work/blade.yaml" > "$work/fast.yaml"
expect 0 run "$work/fast.yaml" --json; json '.warnings | length > 0'
expect 0 check $model --json; json '.degrees_of_freedom == 1 and (.elements | length) > 0'
expect 0 list; says revolute; says hht-i3
for kind in bodies joints forces events methods units; do
  expect 0 list $kind --json; json ".$kind | length > 0"
  expect 0 list $kind --markdown; says '^# '
  expect 0 list $kind --names
done
expect 0 outputs $model --json; json 'map(.name) | index("energy.total") != null'
expect 0 schema; json '."$schema"'
for f in models/*.yaml; do expect 0 check "$f"; done

[ $failures = 0 ]
