# gnuplot -e "table='...'; figure='...'; kind='svg'; name='trammel'" figures.gnuplot
if (kind eq 'svg') {
  set terminal svg size 760,330 font 'Helvetica,13' background '#ffffff'
} else {
  set terminal pngcairo size 760,330 font 'Helvetica,10' background '#ffffff'
}
set output figure
set datafile separator comma
blue = '#1f5f9f'; red = '#c03028'; pale = '#a9c4de'; grey = '#555555'; light = '#e4e4e4'
set border 3 linecolor rgb grey
set tics nomirror scale 0.5 textcolor rgb grey
set grid linecolor rgb light linewidth 1
set key noenhanced samplen 1.5 textcolor rgb grey
set style arrow 1 nohead linewidth 1.2 linecolor rgb pale
set style arrow 2 nohead linewidth 3 linecolor rgb blue

if (name eq 'trammel') {
  set multiplot layout 1,2 margins 0.03,0.98,0.14,0.91 spacing 0.09,0
  set title 'one turn, a rod every 30 ms' textcolor rgb grey
  set size ratio -1
  unset border; unset tics; unset grid
  set xrange [-2.1:2.1]; set yrange [-1.3:1.3]
  set arrow 1 from -1.3,0 to 1.3,0 nohead linewidth 8 linecolor rgb light back
  set arrow 2 from 0,-1.3 to 0,1.3 nohead linewidth 8 linecolor rgb light back
  plot table using (column("t") < 1.02 && int($0) % 3 == 0 ? column("A.x") : NaN):"A.y":(column("pen.x") - column("A.x")):(column("pen.y") - column("A.y")) \
         with vectors arrowstyle 1 notitle, \
       table using "rod.x":"rod.y" with lines linewidth 1.5 linecolor rgb grey notitle, \
       table using "pen.x":"pen.y" with lines linewidth 2.5 linecolor rgb red notitle, \
       table every ::0::0 using "A.x":"A.y":(column("pen.x") - column("A.x")):(column("pen.y") - column("A.y")) \
         with vectors arrowstyle 2 notitle, \
       table every ::0::0 using "pen.x":"pen.y" with points pointtype 7 pointsize 0.8 linecolor rgb red notitle
  unset arrow 1; unset arrow 2
  set border 3; set tics nomirror scale 0.5 textcolor rgb grey; set grid
  set size noratio
  set title 'what the rails carry' textcolor rgb grey
  set xrange [0:1.2]; set yrange [-75:125]
  set xlabel 'time in s'; set ylabel 'force in N' offset 1,0
  set key top right
  plot table using "t":"level.fy" with lines linewidth 2 linecolor rgb blue title 'level.fy', \
       table using "t":"upright.fx" with lines linewidth 2 linecolor rgb red title 'upright.fx'
  unset multiplot
}
if (name eq 'four_bar') {
  # the crank is short: its ends are the origin and the pin A
  a = 0.1
  set multiplot layout 1,2 margins 0.03,0.98,0.14,0.91 spacing 0.09,0
  set title 'P draws a straight line' textcolor rgb grey
  set size ratio -1
  unset border; unset tics; unset grid
  set xrange [-0.14:0.5]; set yrange [-0.14:0.54]
  array px[4] = [0, 2*a, -a, 0.5*a]; array py[4] = [0, 0, 0, 2*a]
  set for [i=1:4] label i '' at px[i],py[i] point pointtype 7 pointsize 0.7 linecolor rgb blue front
  set arrow 1 from 0,0 to -a,0 arrowstyle 2 front
  pinx(k) = a * cos(column("crank.angle")); piny(k) = a * sin(column("crank.angle"))
  shown(x) = column("t") > 1.9 && column("t") < 2.55 && int($0) % 3 == 0 ? x : NaN
  plot table using (shown(pinx(0))):(piny(0)):(column("P.x") - pinx(0)):(column("P.y") - piny(0)) with vectors arrowstyle 1 notitle, \
       table using "P.x":"P.y" with lines linewidth 2.5 linecolor rgb red notitle, \
       table using (pinx(0)):(piny(0)) with lines linewidth 1.2 linecolor rgb grey notitle, \
       table every ::0::0 using (pinx(0)):(piny(0)):(column("P.x") - pinx(0)):(column("P.y") - piny(0)) with vectors arrowstyle 2 notitle, \
       table every ::0::0 using (2*a):(0):(2.5*a*cos(column("rocker.angle"))):(2.5*a*sin(column("rocker.angle"))) with vectors arrowstyle 2 notitle
  unset for [i=1:4] label i
  unset arrow 1
  set border 3; set tics nomirror scale 0.5 textcolor rgb grey; set grid
  set size noratio
  set title 'the crank runs up to speed' textcolor rgb grey
  set xrange [0:3]; set yrange [0:*]
  set xlabel 'time in s'; set ylabel 'crank.omega in rad/s' offset 1,0
  plot table using "t":"crank.omega" with lines linewidth 2 linecolor rgb blue notitle
  unset multiplot
}
