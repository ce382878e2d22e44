# Resident memory and threads of the server over time: the median over the counted trials.
# A character of PNG and PDF is not as high as one of SVG: there the titles stand in pixels over the legend.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
set format y '%g'
set multiplot
do for [p = 1:panel_count] {
    do for [side = 0:1] {
        column = across > 1 ? side : 0
        line = across > 1 ? p - 1 : 2 * (p - 1) + side
        lines = panel_count * 2 / across
        set lmargin at screen column / across + 70 / width_px
        set rmargin at screen (column + 1) / across - 18 / width_px
        top = 1 - line / lines - (34 + legend_px * legend_lines) / height_px
        set tmargin at screen top
        set bmargin at screen 1 - (line + 1) / lines + 52 / height_px
        if (exists("format") && format ne 'svg') {
            set label 1 panel_title[p] at screen column / across + 70 / width_px, \
                screen top + (legend_px * legend_lines + 16) / height_px left noenhanced
        } else {
            set label 1 panel_title[p] at graph 0, graph 1 left offset 0, legend_lines + 0.9 noenhanced
        }
        set key at screen column / across + 70 / width_px, screen top + (legend_px * legend_lines + 4) / height_px \
            top left Left reverse samplen 2.5 width 1 maxrows int(legend_lines)
        set xlabel {{seconds since the first request}} offset 0, 0.5
        set ylabel (side == 0 ? {{resident memory (MiB)}} : {{threads}}) offset 0.4, 0
        set xrange [0:x_max[p]]
        set yrange [0:(side == 0 ? memory_max[p] : thread_max[p])]
        if (side == 1 && thread_max[p] <= 6) { set ytics 1 } else { set ytics auto }
        set object 1 rectangle from graph 0, graph 0 to first warmup_s[p], graph 1 behind \
            fillcolor rgb '#ecece6' fillstyle solid 1 noborder
        plot for [s = first_series[p]:last_series[p]] data index s - 1 \
            using 2:(side == 0 ? $3 : $4) with lines \
            lt (s - first_series[p] + 1) lw 1.8 title series_name[s], \
            for [s = first_series[p]:last_series[p]] data index s - 1 \
            using 2:(is_dotted > 0 ? (side == 0 ? $3 : $4) : NaN) with points \
            lt (s - first_series[p] + 1) ps 0.5 notitle
    }
}
unset multiplot
