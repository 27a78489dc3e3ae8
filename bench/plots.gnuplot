# Figures of scripts/bench: gnuplot -e "results='bench/results'" bench/plots.gnuplot
set datafile separator ','
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set grid back lc rgb '#dddddd'
set key outside right
set style data linespoints
exists_file(f) = system("test -s '".f."' && echo 1 || echo 0") + 0

if (exists_file(results.'/steps.csv')) {
  set terminal svg size 1000,420 font 'sans,12' background '#ffffff'
  set output results.'/cost.svg'
  set multiplot layout 1,2
  pick(problem, engine, method) = sprintf("< awk -F, '$2 == \"%s\" && $1 == \"%s\" && index($4, \"%s\") == 1 && $14 == \"\" && !($1 == \"simbody\" && $5 < 0.0005) { print $3 \",\" 1e6*$7/$6 }' %s/steps.csv", problem, engine, method, results)
  do for [problem in 'a02 chain'] {
    set title problem eq 'a02' ? 'A02(N): CPU time of a step' : 'CHAIN(N): CPU time of a step'
    set xlabel 'N'
    set ylabel 'us'
    set key top left inside Left reverse
    plot pick(problem, 'trammel', 'hht-i3') using 1:2 title 'hht-i3' lw 2 pt 7 lc rgb '#0060ad', \
         pick(problem, 'trammel', 'hht-si2') using 1:2 title 'hht-si2' pt 5 lc rgb '#00a0d0', \
         pick(problem, 'mujoco', 'rk4') using 1:2 title 'MuJoCo RK4' pt 9 lc rgb '#c04000', \
         pick(problem, 'mujoco', 'euler') using 1:2 title 'MuJoCo Euler' pt 8 lc rgb '#e08000', \
         pick(problem, 'simbody', 'merson') using 1:2 title 'Simbody Merson' pt 11 lc rgb '#609030', \
         pick(problem, 'ida', 'ggl') using 1:2 title 'IDA' pt 13 lc rgb '#303030'
  }
  unset multiplot
}

if (exists_file(results.'/precision.csv')) {
  problems = system(sprintf("awk -F, 'NR > 1 && $14 == \"\" && !seen[$2]++ { print $2 }' %s/precision.csv", results))
  set terminal svg size 440 * words(problems),420 font 'sans,12' background '#ffffff'
  set output results.'/precision.svg'
  set multiplot layout 1,words(problems)
  set format x '10^{%L}'
  set xlabel 'CPU time, ms'
  set ylabel 'error'
  set key bottom left inside Left reverse
  runs(problem, engine, method) = sprintf("< awk -F, '$2 == \"%s\" && $1 == \"%s\" && $4 == \"%s\" && $14 == \"\" { print 1e3*$7 \",\" ($10 > $11 ? $10 : $11) }' %s/precision.csv", problem, engine, method, results)
  do for [problem in problems] {
    set title problem eq 'a02' ? 'A02(40)' : problem eq 'slider' ? 'SLIDER' : problem eq 'andrews' ? 'ANDREWS' : problem eq 'flexible' ? 'flexible slider crank' : problem eq 'bricard' ? 'Bricard' : problem eq 'stewart' ? 'Stewart platform' : 'tree of 127 rods'
    plot runs(problem, 'trammel', 'hht-i3') using 1:2 title 'hht-i3' pt 7 lc rgb '#0060ad', \
         runs(problem, 'trammel', 'hht-si2') using 1:2 title 'hht-si2' pt 5 lc rgb '#00a0d0', \
         runs(problem, 'trammel', 'ggl-bdf:order=5') using 1:2 title 'ggl-bdf, order 5' lw 2 pt 9 lc rgb '#8020a0', \
         runs(problem, 'trammel', 'radau5') using 1:2 title 'radau5' lw 2 pt 11 lc rgb '#d02060', \
         runs(problem, 'ida', 'ggl:test=motion:newton=0.033') using 1:2 title 'IDA, q and v tested' lw 2 dt 2 pt 13 lc rgb '#000000', \
         runs(problem, 'ida', 'ida') using 1:2 title 'IDA, our equations' lw 2 dt 2 pt 13 lc rgb '#000000', \
         runs(problem, 'ida', 'ggl:test=all:first=1e-5') using 1:2 title 'IDA, all tested' dt 2 pt 12 lc rgb '#606060', \
         runs(problem, 'simbody', 'merson') using 1:2 title 'Simbody Merson' dt 2 pt 15 lc rgb '#609030'
  }
  unset multiplot
}
