# Service time against the share of requests, both axes logarithmic: equal steps are equal factors.
set tics nomirror out
set border 3 lc rgb '#555555'
set grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.5
set logscale xy
set format y '%g'
set ylabel 'service time (ms)'
set xlabel 'share of the requests that took at most this long'
set xtics ('0' 1, '50 %%' 2, '90 %%' 10, '99 %%' 100, '99.9 %%' 1000, '99.99 %%' 10000, '99.999 %%' 100000)
set key top left Left reverse samplen 3
set style fill transparent solid 0.15 noborder
set multiplot layout panel_rows, panel_columns
do for [p = 1:panel_count] {
    set label 1 panel_title[p] at graph 0, graph 1.06 left noenhanced
    set xrange [1:x_max[p]]
    set yrange [y_min[p]:y_max[p]]
    plot for [s = first_series[p]:last_series[p]] data index s - 1 using 3:5:6 with filledcurves \
            lt (s - first_series[p] + 1) notitle, \
        for [s = first_series[p]:last_series[p]] data index s - 1 using 3:4 with lines \
            lt (s - first_series[p] + 1) lw 2 title series_name[s]
}
unset multiplot
