# Empirical distributions of the trials' values: a panel for each load point.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.5
set format x '%g'
set key bottom right Left reverse samplen 3
set yrange [0:1.02]
set ytics (0, 0.25, 0.5, 0.75, 1)
set multiplot
do for [p = 1:panel_count] {
    column = (p - 1) % int(panel_columns) * 1.0
    line = (p - 1) / int(panel_columns) * 1.0
    set lmargin at screen column / panel_columns + 70 / width_px
    set rmargin at screen (column + 1) / panel_columns - 28 / width_px
    set tmargin at screen 1 - line / panel_rows - 34 / height_px
    set bmargin at screen 1 - (line + 1) / panel_rows + 50 / height_px
    set label 1 panel_title[p] at graph 0, graph 1 left offset 0, 0.9 noenhanced
    set xlabel (x_scale[p] > 1 ? {{thousand requests/s}} : {{requests/s}}) offset 0, 0.5
    set ylabel {{share of trials}} offset 0.8, 0
    set xrange [x_min[p]:x_max[p]]
    plot for [s = first_series[p]:last_series[p]] data index s - 1 using ($1/x_scale[p]):2 with steps \
        lt (s - first_series[p] + 1) lw 2 title series_name[s]
}
unset multiplot
