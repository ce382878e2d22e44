# Ratios to the baseline from session to session: a panel for each engine and load point.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
unset key
set format x '%g'
set format y '%g'
set xrange [0.4:session_count + 0.6]
session_step = session_count > 12 ? 5 : 1 # a list in parentheses would be marks, not a step
set xtics 0, session_step
set multiplot
do for [p = 1:panel_count] {
    column = (p - 1) % int(panel_columns) * 1.0
    line = (p - 1) / int(panel_columns) * 1.0
    set lmargin at screen column / panel_columns + 62 / width_px
    set rmargin at screen (column + 1) / panel_columns - 18 / width_px
    set tmargin at screen 1 - line / panel_rows - 34 / height_px
    set bmargin at screen 1 - (line + 1) / panel_rows + 50 / height_px
    set label 1 panel_title[p] at graph 0, graph 1 left offset 0, 0.9 noenhanced
    set yrange [y_min[p]:y_max[p]]
    if (y_max[p] / y_min[p] < 1.6) {
        unset logscale y
        set ytics autofreq
    } else {
        set logscale y 2
        if (y_max[p] / y_min[p] < 4) {
            set ytics (0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 6, 8, 10)
        } else {
            set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
        }
    }
    set ylabel {{ratio to the baseline}} offset 0.4, 0
    set xlabel sprintf('%s (%s)', {{session}}, span) noenhanced offset 0, 0.5
    unset object 1
    if (band_low[p] > 0) {
        set object 1 rectangle from first band_first[p] - 0.5, first band_low[p] to graph 1, first band_high[p] behind \
            fillcolor rgb '#ecece6' fillstyle solid 1 noborder
    }
    plot 1 with lines lc rgb '#555555' lw 1 dt 2, \
        data index p - 1 using ($5 > 0 ? $1 - 0.5 : NaN):(y_min[p]):(0):(y_max[p] - y_min[p]) with vectors nohead \
            lc rgb '#D55E00' lw 1.5 dt 2, \
        data index p - 1 using ($6 > 0 ? $1 - 0.5 : NaN):(y_min[p]):(0):(y_max[p] - y_min[p]) with vectors nohead \
            lc rgb '#AA4499' lw 1.5 dt 3, \
        data index p - 1 using ($7 > 0 ? $1 - 0.5 : NaN):(y_min[p]):(0):(y_max[p] - y_min[p]) with vectors nohead \
            lc rgb '#009E73' lw 1.5 dt 4, \
        data index p - 1 using ($1 - 1):8:(1):($2 - $8) with vectors nohead lc rgb '#5b8fb5' lw 1 dt 1, \
        data index p - 1 using 1:2:3:4 with yerrorbars lc rgb '#0072B2' lw 1.5 dt 1 pt 7 ps 0.6
}
unset multiplot
