# Requests per second of every trial over time: a panel for each engine and load point.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
unset key
set format y '%g'
set multiplot
do for [p = 1:panel_count] {
    column = (p - 1) % int(panel_columns) * 1.0
    line = (p - 1) / int(panel_columns) * 1.0
    set lmargin at screen column / panel_columns + 62 / width_px
    set rmargin at screen (column + 1) / panel_columns - 18 / width_px
    set tmargin at screen 1 - line / panel_rows - 34 / height_px
    set bmargin at screen 1 - (line + 1) / panel_rows + 46 / height_px
    set label 1 panel_title[p] at graph 0, graph 1 left offset 0, 0.9 noenhanced
    set xrange [0:x_max[p]]
    set yrange [0:y_max[p]]
    set ytics 1.0 * y_max[p] / (panel_columns > 2 ? 2 : 4)
    set ylabel y_unit[p] offset 0.4, 0
    set xlabel (line + 1 == panel_rows || p + panel_columns > panel_count ? {{seconds since the first request}} : '') offset 0, 0.5
    set object 1 rectangle from graph 0, graph 0 to first warmup_s[p], graph 1 behind \
        fillcolor rgb '#ecece6' fillstyle solid 1 noborder
    if (is_band[p] > 0) {
        plot data index 2*(p - 1) using 2:($3/y_scale[p]):($4/y_scale[p]) with filledcurves \
                lc rgb '#b9d0e2' fillstyle solid 1 noborder, \
            data index 2*p - 1 using 3:($4/y_scale[p]) with lines lc rgb '#0072B2' lw 2 dt 1
    } else {
        plot data index 2*(p - 1) using 3:($4/y_scale[p]) with lines lc rgb '#5b8fb5' lw 1 dt 1, \
            data index 2*p - 1 using 3:($4/y_scale[p]) with lines lc rgb '#0072B2' lw 2 dt 1, \
            data index 2*p - 1 using 3:(is_dotted[p] > 0 ? $4/y_scale[p] : NaN) with points \
                lc rgb '#0072B2' pt 7 ps 0.4
    }
}
unset multiplot
