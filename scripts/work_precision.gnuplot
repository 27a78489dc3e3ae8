# Error against CPU time, six problems: gnuplot -e "results='..'; to='..'" scripts/work_precision.gnuplot
set terminal svg size 1150,1320 font 'sans,12' background '#ffffff'
set output to.'/work-precision.svg'
set datafile separator ','
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set grid back lc rgb '#e4e4e4'
set style data linespoints
set xlabel 'CPU time, ms'
set ylabel 'error at the end'
set yrange [1e-12:10]
last = system("test -e models/flyball_governor.yaml && echo flyball_governor || echo three_link_pendulum")
problems = 'slider_crank seven_body four_bar_chain heavy_top double_pendulum '.last
runs(problem, method) = sprintf("< awk -F, '$1 == \"%s\" { print $4 \",\" $5 }' %s/work-precision-%s.csv", method, results, problem)
set multiplot layout 3,2 margins 0.07,0.80,0.05,0.97 spacing 0.08,0.07
do for [i = 1:6] {
  problem = word(problems, i)
  set title (problem eq 'four_bar_chain' ? 'four_bar_chain, N = 10' : problem) noenhanced
  if (i == 2) { set key at screen 0.99, screen 0.97 right top Left reverse samplen 2 } else { unset key }
  plot runs(problem, 'newmark') using 1:2 title 'newmark' pt 1 ps 0.5 lc rgb '#b0b0b0', \
       runs(problem, 'hht-i3') using 1:2 title 'hht-i3' pt 7 ps 0.5 lc rgb '#0060ad', \
       runs(problem, 'nstiff') using 1:2 title 'nstiff' pt 2 ps 0.5 lc rgb '#7fa8d0', \
       runs(problem, 'gen-alpha') using 1:2 title 'gen-alpha' pt 3 ps 0.5 lc rgb '#50c0e0', \
       runs(problem, 'hht-si2') using 1:2 title 'hht-si2' pt 5 ps 0.5 lc rgb '#008080', \
       runs(problem, 'nstiff-si2') using 1:2 title 'nstiff-si2' pt 4 ps 0.5 lc rgb '#80c0a0', \
       runs(problem, 'hht-add') using 1:2 title 'hht-add' pt 6 ps 0.5 lc rgb '#c0b000', \
       runs(problem, 'pfpc1') using 1:2 title 'pfpc1' pt 8 ps 0.5 lc rgb '#d8c0a0', \
       runs(problem, 'pfpc2') using 1:2 title 'pfpc2' pt 9 ps 0.5 lc rgb '#c08040', \
       runs(problem, 'baumgarte') using 1:2 title 'baumgarte' pt 10 ps 0.5 lc rgb '#e0a0a0', \
       runs(problem, 'cs') using 1:2 title 'cs' pt 12 ps 0.5 lc rgb '#c0a0e0', \
       runs(problem, 'cm') using 1:2 title 'cm' pt 13 ps 0.5 lc rgb '#a080d0', \
       runs(problem, 'ggl-bdf') using 1:2 title 'ggl-bdf, order 2' pt 14 ps 0.5 lc rgb '#a040c0', \
       runs(problem, 'ggl-bdf:order=5') using 1:2 title 'ggl-bdf, order 5' pt 15 ps 0.6 lw 2.5 lc rgb '#8000a0', \
       runs(problem, 'radau5') using 1:2 title 'radau5' pt 11 ps 0.6 lw 2.5 lc rgb '#e00040', \
       runs(problem, 'ida') using 1:2 title 'IDA, our equations' dt 2 pt 7 ps 0.6 lw 2.5 lc rgb '#000000'
}
unset multiplot
