# Ratios to the baseline on one logarithmic scale, the margin as a band: a panel for each load point.
set tics nomirror out scale 0.5
set border 1 lc rgb '#555555'
set grid xtics lc rgb '#dddddd' lt 1 lw 0.5
unset ytics
set logscale x 2
set xrange [x_min:x_max]
set format x '%g'
if (x_max / x_min < 1.25) {
    set xtics (0.9, 0.95, 1, 1.05, 1.1)
} else {
    if (x_max / x_min < 4) {
        set xtics (0.3, 0.4, 0.5, 0.7, 1, 1.4, 2, 3)
    } else {
        set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
    }
}
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
    set yrange [0.4:last - first + 1.6]
    set xlabel (p + panel_columns > panel_count ? {{ratio to the baseline}} : '') offset 0, 0.4
    set object 1 rectangle from first 1 / (1 + margin), graph 0 to first 1 + margin, graph 1 behind \
        fillcolor rgb '#ecece6' fillstyle solid 1 noborder
    set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb '#555555' lw 1 dt 2 back
    in_panel(row) = row >= first && row <= last
    plot data using (NaN):(NaN) with points lc rgb '#0072B2' pt 7 ps 0.7 title {{DIFFERENT}}, \
        data using (NaN):(NaN) with points lc rgb '#0072B2' pt 6 ps 0.7 title {{not told apart, or by little}}, \
        data using (NaN):(NaN) with points lc rgb '#0072B2' pt 12 ps 0.7 title {{no verdict}}, \
        data using (in_panel($1) ? $2 : NaN):(last + 1 - $1):3:4 with xerrorbars lc rgb '#0072B2' lw 1.5 dt 1 pt 0 ps 0 notitle, \
        data using (in_panel($1) && $5 > 0 ? $2 : NaN):(last + 1 - $1) with points lc rgb '#0072B2' pt 7 ps 0.6 notitle, \
        data using (in_panel($1) && $5 < 1 ? $2 : NaN):(last + 1 - $1) with points lc rgb '#ffffff' pt 7 ps 0.6 notitle, \
        data using (in_panel($1) && $5 == 0 ? $2 : NaN):(last + 1 - $1) with points lc rgb '#0072B2' pt 6 ps 0.6 notitle, \
        data using (in_panel($1) && $5 < 0 ? $2 : NaN):(last + 1 - $1) with points lc rgb '#0072B2' pt 12 ps 0.6 notitle
    unset key
}
unset multiplot
