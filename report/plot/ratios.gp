# Ratios to the baseline on a logarithmic axis, the margin as a band, 1 as a line.
set tics nomirror out scale 0.5
set border 1 lc rgb '#555555'
set grid xtics lc rgb '#dddddd' lt 1 lw 0.5
narrow = width_px < 500 # its key has a line for each mark
set lmargin at screen label_share
set rmargin at screen (width_px < 500 ? 0.94 : 0.97)
set tmargin at screen 1 - (narrow ? 64 : 40) / height_px
set bmargin at screen 58 / height_px
unset ytics
set logscale x 2
set xrange [x_min:x_max]
set yrange [0.4:row_count + 0.6]
set format x '%g'
if (x_max / x_min < 1.25) {
    set xtics (0.9, 0.92, 0.94, 0.96, 0.98, 1, 1.02, 1.04, 1.06, 1.08, 1.1)
} else {
    if (x_max / x_min < 4) {
        set xtics (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3)
    } else {
        set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
    }
}
set xlabel {{ratio of requests per second to the baseline}} offset (narrow ? -9 : 0), 0
set key at screen (width_px < 900 ? 0.03 : label_share), screen 1 - (narrow ? 8 : 14) / height_px left Left reverse samplen 2 width 1 maxrows (narrow ? 3 : 1)
do for [i = 1:row_count] {
    set label i row_name[i] at graph 0, first row_count + 1 - i right offset -1, 0 noenhanced
}
set object 1 rectangle from first 1 / (1 + margin), graph 0 to first 1 + margin, graph 1 behind \
    fillcolor rgb '#ecece6' fillstyle solid 1 noborder
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb '#555555' lw 1 dt 2 back
plot data using (NaN):(NaN) with points lc rgb '#0072B2' pt 7 ps 0.9 title {{DIFFERENT}}, \
    data using (NaN):(NaN) with points lc rgb '#0072B2' pt 6 ps 0.9 title {{not told apart, or by little}}, \
    data using (NaN):(NaN) with points lc rgb '#0072B2' pt 12 ps 0.9 title {{no verdict}}, \
    data using 2:(row_count + 1 - $1):3:4 with xerrorbars lc rgb '#0072B2' lw 2 dt 1 pt 0 ps 0 notitle, \
    data using ($5 > 0 ? $2 : NaN):(row_count + 1 - $1) with points lc rgb '#0072B2' pt 7 ps 0.9 notitle, \
    data using ($5 > 0 ? NaN : $2):(row_count + 1 - $1) with points lc rgb '#ffffff' pt 7 ps 0.9 notitle, \
    data using ($5 == 0 ? $2 : NaN):(row_count + 1 - $1) with points lc rgb '#0072B2' pt 6 ps 0.9 lw 1.5 notitle, \
    data using ($5 < 0 ? $2 : NaN):(row_count + 1 - $1) with points lc rgb '#0072B2' pt 12 ps 0.9 lw 1.5 notitle
