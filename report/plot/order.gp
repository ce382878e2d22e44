# Trials in the order they ran: relative rate above, foreign CPU below, on one x axis.
set tics nomirror out scale 0.5
set border 3 lc rgb '#555555'
set grid ytics lc rgb '#dddddd' lt 1 lw 0.5
set format y '%g'
set lmargin at screen 70 / width_px
set rmargin at screen 1 - 24 / width_px
set xrange [0.4:x_max]
set multiplot
narrow = width_px < 500 # its key has a line for each mark
set tmargin at screen 1 - (engine_count > 6 ? 16 : narrow ? 16 + 15 * (engine_count + 1) : width_px < 900 ? 56 : 40) / height_px
set bmargin at screen 0.42
set yrange [y_min:y_max]
set ylabel {{rate to its mean}} offset 0.4, 0
set format x ''
if (engine_count > 6) {
    unset key
    plot 1 with lines lc rgb '#555555' dt 2 notitle, \
        data using ($4 > 0 ? $1 : NaN):2 with points lc rgb '#0072B2' pt 7 ps 0.5, \
        data using ($4 > 0 ? NaN : $1):2 with points lc rgb '#D55E00' pt 2 ps 0.7
} else {
    set key at screen (narrow ? 10 : 70) / width_px, screen 1 - (narrow ? 6 : 14) / height_px \
        left Left reverse samplen 1 width 1 maxrows (narrow ? 8 : width_px < 900 ? 2 : 1)
    plot 1 with lines lc rgb '#555555' dt 2 notitle, \
        for [i = 1:engine_count] data using ($4 > 0 && $5 == i ? $1 : NaN):2 with points lt i ps 0.8 title engine_name[i], \
        data using ($4 > 0 ? NaN : $1):2 with points lc rgb '#D55E00' pt 2 ps 0.8 title {{not counted}}
}
unset key
set tmargin at screen 0.36
set bmargin at screen 52 / height_px
set yrange [0:foreign_max]
set ytics foreign_max / 2
set ylabel {{foreign CPU (%)}} offset 0.4, 0
set format x '%g'
set xlabel {{trial, in the order they ran}} offset 0, 0.5
plot data using 1:3 with impulses lc rgb '#D55E00' lw 2, 5 with lines lc rgb '#555555' dt 2
unset multiplot
