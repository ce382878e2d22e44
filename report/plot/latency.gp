# Service time against the share of requests, both axes logarithmic: equal steps are equal factors.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.5
set logscale xy
set format y '%g'
set ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, \
    2000, 5000, 10000, 20000, 50000, 100000)
panel_px = width_px / panel_columns
if (panel_px < 400) { set xtics rotate by -35 }
set xtics ('0' 1, '50 %%' 2, '90 %%' 10, '99 %%' 100, '99.9 %%' 1000, '99.99 %%' 10000, '99.999 %%' 100000)
set key bottom right Left reverse samplen 3
set style fill transparent solid 0.18 noborder
set multiplot
do for [p = 1:panel_count] {
    column = (p - 1) % int(panel_columns) * 1.0
    line = (p - 1) / int(panel_columns) * 1.0
    set lmargin at screen column / panel_columns + 70 / width_px
    set rmargin at screen (column + 1) / panel_columns - 28 / width_px
    set tmargin at screen 1 - line / panel_rows - 34 / height_px
    set bmargin at screen 1 - (line + 1) / panel_rows + (panel_px < 400 ? 74 : 50) / height_px
    set label 1 panel_title[p] at graph 0, graph 1 left offset 0, 0.9 noenhanced
    set ylabel y_unit[p] offset 0.4, 0
    set xlabel (panel_px < 400 ? {{share of requests}} : {{share of requests that took at most this long}}) \
        offset 0, (panel_px < 400 ? -1 : 0.5)
    set xrange [1:x_max[p]]
    set yrange [y_min[p]:y_max[p]]
    plot for [s = first_series[p]:last_series[p]] data index s - 1 using 3:5:6 with filledcurves \
            lt (s - first_series[p] + 1) notitle, \
        for [s = first_series[p]:last_series[p]] data index s - 1 using 3:4 with lines \
            lt (s - first_series[p] + 1) lw 2 title series_name[s]
}
unset multiplot
