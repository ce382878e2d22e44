# Every trial as a dot and the geometric mean with its interval: a panel for each load point, with a scale of its own.
set tics nomirror out scale 0.5
set border 1 lc rgb '#555555'
set grid xtics lc rgb '#dddddd' lt 1 lw 0.5
unset ytics
step(part) = part <= 1 ? 1 : part <= 2 ? 2 : part <= 3 ? 3 : part <= 4 ? 4 : part <= 5 ? 5 : part <= 6 ? 6 : part <= 8 ? 8 : 10
round_up(value) = value > 0 ? step(value / 10 ** floor(log10(value))) * 10 ** floor(log10(value)) : 1
set format x '%g'
set style line 1 lc rgb '#0072B2' lw 1.5 pt 7 ps 0.45 dt 1
set style line 2 lc rgb '#5b8fb5' lw 1 pt 6 ps 0.35 dt 1
set style line 3 lc rgb '#D55E00' lw 1 pt 2 ps 0.6 dt 1
narrow = width_px < 500 # its key has a line for each mark
top_px = narrow ? 76 : 52
set key at screen 10 / width_px, screen 1 - (narrow ? 4 : 10) / height_px left Left reverse samplen 2 width 1 maxrows (narrow ? 3 : 1)
set multiplot
do for [p = 1:panel_count] {
    column = (p - 1) % int(panel_columns) * 1.0
    line = (p - 1) / int(panel_columns) * 1.0
    first = int(first_row[p])
    last = int(last_row[p])
    set lmargin at screen (column + label_share) / panel_columns
    set rmargin at screen (column + 1) / panel_columns - 14 / width_px
    set tmargin at screen 1 - (top_px + line * panel_px) / height_px
    set bmargin at screen 1 - (top_px + line * panel_px + 13.0 * (last - first + 1)) / height_px
    do for [i = 1:31] { unset label i }
    do for [i = first:last] {
        set label (i - first + 2) row_name[i] at graph 0, first last + 1 - i right offset -0.6, 0 font row_font noenhanced
    }
    set label 1 panel_title[p] at graph 0, graph 1 left offset 0, 0.7 noenhanced
    largest = 0
    do for [i = first:last] { largest = row_end[i] > largest ? row_end[i] : largest }
    set xrange [0:round_up(largest / x_scale)]
    set xtics round_up(largest / x_scale) / 2
    set yrange [0.4:last - first + 1.6]
    set xlabel (p + panel_columns > panel_count ? x_unit : '') offset 0, 0.4
    in_panel(row) = row >= first && row <= last
    plot data index 1 using (in_panel($1) ? $2/x_scale : NaN):(last + 1.2 - $1):($3/x_scale):($4/x_scale) with xerrorbars ls 1 \
            title {{mean, 95 % interval}}, \
        data index 0 using (in_panel($1) ? $2/x_scale : NaN):(last + 0.85 - $1 + $3) with points ls 2 title {{trial}}, \
        for [k = 2:(excluded_count > 0 ? 2 : 1)] data index k using (in_panel($1) ? $2/x_scale : NaN):(last + 0.85 - $1 + $3) \
            with points ls 3 title {{trial, not counted}}
    unset key
}
unset multiplot
