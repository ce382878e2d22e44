# Throughput against connections: a panel a workload, connections logarithmic, requests from 0.
# A narrow picture has its legend between title and panel, as no corner of a panel is sure to be free.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
set logscale x 2
set format '%g'
set lmargin at screen 80 / width_px
legend_lines = 0
if (width_px < 500) {
    set rmargin at screen 1 - 18 / width_px
    do for [p = 1:panel_count] {
        count = last_series[p] - first_series[p] + 1
        legend_lines = ceil(count / 2) > legend_lines ? ceil(count / 2) : legend_lines
    }
} else {
    set rmargin at screen 1 - 200 / width_px
    set key at screen 1 - 8 / width_px, graph 1 right Left reverse samplen 2
}
set multiplot
do for [p = 1:panel_count] {
    scale = y_max[p] >= 10000 ? 1000 : 1
    top = 1 - (p - 1) / panel_count - (36 + 18 * legend_lines) / height_px
    set tmargin at screen top
    set bmargin at screen 1 - p / panel_count + 54 / height_px
    if (legend_lines > 0) {
        set label 1 panel_title[p] at screen 80 / width_px, \
            screen top + (18 * legend_lines + 16) / height_px left noenhanced
        set key at screen 80 / width_px, screen top + (18 * legend_lines + 4) / height_px \
            top left Left reverse samplen 2 width 1 maxrows int(legend_lines)
    } else {
        set label 1 panel_title[p] at graph 0, graph 1 left offset 0, 0.9 noenhanced
    }
    set xlabel {{connections}} offset 0, 0.5
    set ylabel (scale > 1 ? {{thousand requests/s}} : {{requests/s}}) offset 0.4, 0
    set xrange [x_min[p] / 1.2:x_max[p] * 1.2]
    set yrange [0:y_max[p] / scale * 1.1]
    plot for [s = first_series[p]:last_series[p]] data index s - 1 using 1:($3/scale) with lines \
            lt (s - first_series[p] + 1) lw 1.6 notitle, \
        for [s = first_series[p]:last_series[p]] data index s - 1 using 1:($3/scale):($4/scale):($5/scale) \
            with yerrorbars lt (s - first_series[p] + 1) dt 1 lw 1.4 ps 0.7 title series_name[s]
}
unset multiplot
