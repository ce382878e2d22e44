# Every trial as a dot, the geometric mean with its 95 % interval above it.
set tics nomirror out
set border 1 lc rgb '#555555'
set grid xtics lc rgb '#dddddd' lt 1 lw 0.5
set lmargin at screen 0.30
set rmargin at screen 0.97
unset ytics
set xrange [0:x_max]
set yrange [0.4:row_count + 0.6]
set format x '%g'
set xlabel x_unit
set key outside above center horizontal
do for [i = 1:row_count] {
    set label i row_name[i] at graph 0, first row_count + 1 - i right offset -1, 0 noenhanced
}
set style line 1 lc rgb '#0072B2' lw 2 pt 7 ps 0.8 dt 1
set style line 2 lc rgb '#7fa8c9' lw 1 pt 6 ps 0.6
set style line 3 lc rgb '#D55E00' lw 1 pt 2 ps 0.7
mean_y(row) = row_count + 1 - row + 0.22
plot data index 0 using ($2/x_scale):(row_count + 1 - $1 - 0.12 + $3) with points ls 2 title 'a counted trial', \
    data index 1 using ($2/x_scale):(mean_y($1)):($3/x_scale):($4/x_scale) with xerrorbars ls 1 title 'geometric mean, 95 % interval', \
    for [k = 1:excluded_count > 0 ? 1 : 0] data index 2 using ($2/x_scale):(row_count + 1 - $1 - 0.12 + $3) \
        with points ls 3 title 'a trial that is not counted'
