# Resident memory and threads of the server over time: the median over the counted trials.
set tics nomirror out
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
set format y '%g'
set xlabel 'seconds since the first request'
set key outside below horizontal
set multiplot layout panel_count, 2
do for [p = 1:panel_count] {
    set xrange [0:x_max[p]]
    do for [side = 1:2] {
        set label 1 panel_title[p] at graph 0, graph 1.06 left noenhanced
        set ylabel (side == 1 ? 'resident memory (MiB)' : 'threads')
        set yrange [0:(side == 1 ? memory_max[p] : thread_max[p])]
        set object 1 rectangle from graph 0, graph 0 to first warmup_s[p], graph 1 behind \
            fillcolor rgb '#e9e9e4' fillstyle solid 1 noborder
        plot for [s = first_series[p]:last_series[p]] data index s - 1 \
            using 2:(side == 1 ? $3 : $4) with linespoints \
            lt (s - first_series[p] + 1) lw 1.6 ps 0.5 title series_name[s]
    }
}
unset multiplot
