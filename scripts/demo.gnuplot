# The demo's figure: gnuplot -e "table='...'; figure='...'; kind='svg'" demo.gnuplot
if (kind eq 'svg') {
  set terminal svg size 1200,860 font 'Helvetica,14' background '#ffffff'
} else {
  set terminal pngcairo size 1200,860 font 'Helvetica,11' background '#ffffff'
}
set output figure
set datafile separator comma
blue = '#1f5f9f'; red = '#c03028'; green = '#2e8b57'; grey = '#444444'
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb grey
set grid linecolor rgb '#dddddd' linewidth 1
set key opaque noenhanced box linecolor rgb '#dddddd' samplen 2
set style data lines

set multiplot title 'Slider crank, HHT-I3' font ',18'

stats table using "t" nooutput
rows = STATS_records
span = STATS_max
set lmargin at screen 0.08
set rmargin at screen 0.95
set bmargin at screen 0.52
set tmargin at screen 0.89
set title 'The mechanism, from dark (start) to bright (end)'
set xlabel 'x in m'
set ylabel 'y in m'
set size ratio -1
set xrange [-0.1:1]
set yrange [-0.33:0.06]
unset key
unset colorbox
set palette defined (0 '#123a63', 0.5 '#2f8f9d', 1 '#f2b134')
set cbrange [0:span]
frames = rows / 48 + 1
plot table using (0):(0):"crank_A.x":"crank_A.y":"t" every frames \
       with vectors nohead linewidth 2 linecolor palette, \
     table using "crank_A.x":"crank_A.y":(column("B.x") - column("crank_A.x")):(column("B.y") - column("crank_A.y")):"t" every frames \
       with vectors nohead linewidth 1.5 linecolor palette, \
     table using "B.x":"B.y":"t" every frames with points pointtype 5 linecolor palette
set size noratio
set autoscale
set key opaque noenhanced box linecolor rgb '#dddddd' samplen 2

# three panels below
set bmargin at screen 0.08
set tmargin at screen 0.40
set lmargin at screen 0.07
set rmargin at screen 0.30
set title 'Motion'
set xlabel 'time in s'
set ylabel 'crank angle in degrees'
set y2label 'slider position in m'
set y2tics
set border 11
plot table using "t":(column("crank.angle") * 180 / pi) linewidth 2 linecolor rgb blue title 'crank angle', \
     table using "t":"B.x" axes x1y2 linewidth 2 linecolor rgb red title 'slider'
unset y2label
unset y2tics
set border 3

set lmargin at screen 0.43
set rmargin at screen 0.65
set title 'Energy'
set ylabel 'energy in J'
plot table using "t":"energy.kinetic" linewidth 2 linecolor rgb red title 'kinetic', \
     table using "t":"energy.potential" linewidth 2 linecolor rgb blue title 'potential', \
     table using "t":"energy.total" linewidth 2 linecolor rgb green title 'total'

set lmargin at screen 0.76
set rmargin at screen 0.98
set title 'Constraint violation'
set ylabel '2-norm'
set logscale y
set format y '10^{%T}'
set key center right
shown(x) = x < 1e-17 ? 1e-17 : x
plot table using "t":(shown(column("constraint.velocity"))) linecolor rgb red title 'velocity', \
     table using "t":(shown(column("constraint.position"))) linecolor rgb blue title 'position'
unset multiplot
