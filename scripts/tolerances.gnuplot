# Achieved error against tolerance, a panel per method; called by scripts/tolerances with work, figure,
# kind, methods.
if (kind eq "svg") set terminal svg size 900,330 font "Helvetica,11" background rgb "white"
if (kind eq "png") set terminal pngcairo size 900,330 font "Helvetica,10"
set output figure
set logscale xy
set format "10^{%T}"
set xrange [5e-9:2e-3]
set yrange [1e-8:3]
set samples 2
unset mxtics
unset mytics
set linetype 1 lc rgb "#1b6ca8"
set linetype 2 lc rgb "#c1440e"
set linetype 3 lc rgb "#2a7f3f"
set linetype 4 lc rgb "#7b3fa0"
set linetype 5 lc rgb "#8a6d00"
set linetype 6 lc rgb "#d1699a"
set linetype 7 lc rgb "#1b6ca8"
set xtics 10
set ytics 100
set grid lw 0.5 lc rgb "#dddddd"
set key right bottom samplen 1 font ",9"
set xlabel "tolerance"
set multiplot layout 1,3
models = "slider_crank seven_body four_bar_chain(N=10) heavy_top flyball_governor double_pendulum"
do for [m=1:words(methods)] {
  method = word(methods, m)
  set title method
  if (m == 1) { set ylabel "largest relative error of q" } else { unset ylabel }
  plot 3*x**(2./3) with lines lc rgb "#999999" dt 2 title "tol^{2/3}", \
    for [i=1:words(models)] work.'/'.word(models, i).','.method using 1:2 with linespoints pt 7 ps 0.4 \
      title word(models, i) noenhanced
}
unset multiplot
