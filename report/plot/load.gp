# Latency against offered load: three panels (p50, p99, p99.9) a workload, latency logarithmic.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
set logscale y
set format '%g'
array quantile[3] = ['p50', 'p99', 'p99.9']
set multiplot
do for [p = 1:panel_count] {
    do for [q = 1:3] {
        column = across > 1 ? q - 1 : 0
        line = across > 1 ? p - 1 : 3 * (p - 1) + q - 1
        lines = panel_count * 3 / across
        set lmargin at screen column / across + 64 / width_px
        set rmargin at screen (column + 1) / across - 18 / width_px
        set tmargin at screen 1 - line / lines - 52 / height_px
        set bmargin at screen 1 - (line + 1) / lines + 54 / height_px
        set label 1 (q == 1 ? panel_title[p] : '') at graph 0, graph 1 left offset 0, 2.2 noenhanced
        set label 2 quantile[q] at graph 0, graph 1 left offset 0, 0.9
        x_scale = x_max[p] >= 10000 ? 1000.0 : 1.0
        set xlabel (x_scale > 1 ? {{offered, thousand requests/s}} : {{offered requests/s}}) offset 0, 0.5
        set label 3 (point_count[3 * (p - 1) + q] > 0 ? '' : {{no data}}) at graph 0.5, graph 0.5 center
        set ylabel (q == 1 || across == 1 ? {{response time (ms)}} : '') offset 0.4, 0
        set xrange [0:x_max[p] * 1.06 / x_scale]
        set yrange [y_min[p] / 1.4:y_max[p] * 1.6]
        if (q == 1) { set key top left Left reverse samplen 2 } else { unset key }
        c = 3 + 3 * q
        plot for [s = first_series[p]:last_series[p]] data index s - 1 using ($1/x_scale):(column(c)) with lines \
                lt (s - first_series[p] + 1) lw 1.6 notitle, \
            for [s = first_series[p]:last_series[p]] data index s - 1 using ($1/x_scale):(column(c)):(column(c + 1)):(column(c + 2)) with yerrorbars \
                lt (s - first_series[p] + 1) dt 1 lw 1.4 ps 0.7 title series_name[s], \
            for [s = first_series[p]:last_series[p]] data index s - 1 using ($2 > 0 ? $1/x_scale : NaN):(column(c)) with points \
                lc rgb '#000000' pt 2 ps 1.6 lw 1.5 notitle
    }
}
unset multiplot
