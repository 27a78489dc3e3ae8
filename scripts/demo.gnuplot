# The demo's figure: gnuplot -e "table='...'; figure='...'; kind='svg'" demo.gnuplot
if (kind eq 'svg') {
  set terminal svg size 1100,820 font 'Helvetica,14' background '#ffffff'
} else {
  set terminal pngcairo size 1100,820 font 'Helvetica,11' background '#ffffff'
}
set output figure
set datafile separator comma
blue = '#1f5f9f'; red = '#c03028'; green = '#2e8b57'; grey = '#555555'
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb grey
set grid linecolor rgb '#dddddd' linewidth 1
set key opaque noenhanced box linecolor rgb '#dddddd' samplen 2
set xlabel 'time in s'
deg = 180 / pi

set multiplot layout 2,2 title 'Slider crank, HHT-I3' font ',18' margins 0.08,0.97,0.08,0.9 spacing 0.11,0.14

set title 'Crank'
set ylabel 'angle in degrees'
plot table using "t":(column("crank.angle") * deg) with lines linewidth 2 linecolor rgb blue notitle

set title 'Path of the bodies'
set xlabel 'x in m'
set ylabel 'y in m'
set size ratio -1
plot table using "crank.x":"crank.y" with lines linewidth 2 linecolor rgb blue title 'crank', \
     table using "rod.x":"rod.y" with lines linewidth 2 linecolor rgb red title 'rod'
set size noratio

set title 'Energy'
set xlabel 'time in s'
set ylabel 'energy in J'
plot table using "t":"energy.kinetic" with lines linewidth 2 linecolor rgb red title 'kinetic', \
     table using "t":"energy.potential" with lines linewidth 2 linecolor rgb blue title 'potential', \
     table using "t":"energy.total" with lines linewidth 2 linecolor rgb green title 'total'

set title 'Constraint violation'
set ylabel '2-norm'
set logscale y
set format y '10^{%T}'
set key bottom
floor(x) = x < 1e-17 ? 1e-17 : x
plot table using "t":(floor(column("constraint.position"))) with lines linecolor rgb blue title 'position', \
     table using "t":(floor(column("constraint.velocity"))) with lines linecolor rgb red title 'velocity'
unset multiplot
