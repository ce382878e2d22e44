# Latency against offered load: three panels (p50, p99, p99.9) a workload, latency logarithmic.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
set logscale y
set format '%g'
set xtics rotate by -30
array quantile[3] = ['p50', 'p99', 'p99.9']
set multiplot
do for [p = 1:panel_count] {
    do for [q = 1:3] {
        set lmargin at screen (q - 1) / 3.0 + 64 / width_px
        set rmargin at screen q / 3.0 - 18 / width_px
        set tmargin at screen 1 - (p - 1) / panel_count - 52 / height_px
        set bmargin at screen 1 - p / panel_count + 64 / height_px
        set label 1 (q == 1 ? panel_title[p] : '') at graph 0, graph 1 left offset 0, 2.2 noenhanced
        set label 2 quantile[q] at graph 0, graph 1 left offset 0, 0.9
        set xlabel {{offered requests/s}} offset 0, -0.4
        set ylabel (q == 1 ? {{response time (ms)}} : '') offset 1, 0
        set xrange [0:x_max[p] * 1.06]
        set yrange [y_min[p] / 1.4:y_max[p] * 1.6]
        if (q == 1) { set key top left Left reverse samplen 2 } else { unset key }
        c = 3 + 3 * q
        plot for [s = first_series[p]:last_series[p]] data index s - 1 using 1:(column(c)) with lines \
                lt (s - first_series[p] + 1) lw 1.6 notitle, \
            for [s = first_series[p]:last_series[p]] data index s - 1 using 1:(column(c)):(column(c + 1)):(column(c + 2)) with yerrorbars \
                lt (s - first_series[p] + 1) dt 1 lw 1.4 ps 0.7 title series_name[s], \
            for [s = first_series[p]:last_series[p]] data index s - 1 using ($2 > 0 ? $1 : NaN):(column(c)) with points \
                lc rgb '#000000' pt 2 ps 1.6 lw 1.5 notitle
    }
}
unset multiplot
