# Every trial as a dot, the geometric mean with its 95 % interval above it.
set tics nomirror out scale 0.5
set border 1 lc rgb '#555555'
set grid xtics lc rgb '#dddddd' lt 1 lw 0.5
narrow = width_px < 500 # its key has a line for each mark
set lmargin at screen label_share
set rmargin at screen (width_px < 500 ? 0.94 : 0.97)
set tmargin at screen 1 - (narrow ? 64 : 40) / height_px
set bmargin at screen 58 / height_px
unset ytics
set xrange [0:x_max]
set yrange [0.4:row_count + 0.6]
set format x '%g'
set xlabel x_unit
set key at screen (width_px < 900 ? 0.03 : label_share), screen 1 - (narrow ? 8 : 14) / height_px left Left reverse samplen 2 width 1 maxrows (narrow ? 3 : 1)
do for [i = 1:row_count] {
    set label i row_name[i] at graph 0, first row_count + 1 - i right offset -1, 0 noenhanced
}
set style line 1 lc rgb '#0072B2' lw 2 pt 7 ps 0.7 dt 1
set style line 2 lc rgb '#5b8fb5' lw 1 pt 6 ps 0.55 dt 1
set style line 3 lc rgb '#D55E00' lw 1 pt 2 ps 0.7 dt 1
dot_y(row, shift) = row_count + 1 - row - 0.16 + shift
mean_y(row) = row_count + 1 - row + 0.2
if (counted_count < 1) {
    plot data index 2 using ($2/x_scale):(dot_y($1, $3)) with points ls 3 title {{trial, not counted}}
}
if (counted_count > 0 && excluded_count > 0) {
    plot data index 1 using ($2/x_scale):(mean_y($1)):($3/x_scale):($4/x_scale) with xerrorbars ls 1 \
            title {{mean, 95 % interval}}, \
        data index 0 using ($2/x_scale):(dot_y($1, $3)) with points ls 2 title {{trial}}, \
        data index 2 using ($2/x_scale):(dot_y($1, $3)) with points ls 3 title {{trial, not counted}}
}
if (counted_count > 0 && excluded_count < 1) {
    plot data index 1 using ($2/x_scale):(mean_y($1)):($3/x_scale):($4/x_scale) with xerrorbars ls 1 \
            title {{mean, 95 % interval}}, \
        data index 0 using ($2/x_scale):(dot_y($1, $3)) with points ls 2 title {{trial}}
}
