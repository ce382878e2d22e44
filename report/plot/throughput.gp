# Requests per second of every trial over time: a panel for each engine and load point.
set tics nomirror out
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
unset key
set multiplot layout panel_rows, panel_columns spacing screen 0.075, screen 0.36/(panel_rows + 1) \
    margins screen 0.075, screen 0.985, screen 0.5/(panel_rows*1.6 + 1)*0.55, screen 1 - 0.32/(panel_rows + 0.4)*0.6
set xlabel 'seconds since the first request' offset 0, 0.4
do for [p = 1:panel_count] {
    set label 1 panel_title[p] at graph 0, graph 1.09 left noenhanced
    set xrange [0:x_max[p]]
    set yrange [0:y_max[p]]
    set format y y_format[p]
    set ylabel y_unit[p] offset 1, 0
    set object 1 rectangle from graph 0, graph 0 to first warmup_s[p], graph 1 behind \
        fillcolor rgb '#e9e9e4' fillstyle solid 1 noborder
    plot data index 2*(p - 1) using 3:($4/y_scale[p]) with lines lc rgb '#7fa8c9' lw 0.8 dt 1, \
        data index 2*p - 1 using 3:($4/y_scale[p]) with linespoints lc rgb '#0072B2' lw 1.8 dt 1 pt 7 ps 0.35
}
unset multiplot
