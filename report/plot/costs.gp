# Two panels beside each other: CPU time for each request with its interval, peak memory.
set tics nomirror out scale 0.5
set border 1 lc rgb '#555555'
set grid xtics lc rgb '#dddddd' lt 1 lw 0.5
unset ytics
unset key
set format x '%g'
set tmargin at screen 1 - 16 / height_px
set bmargin at screen 58 / height_px
set yrange [0.4:row_count + 0.6]
set multiplot
narrow = width_px < 500 # the panels under each other
half = (0.93 - label_share) / 2
set lmargin at screen label_share
set rmargin at screen (narrow ? 0.95 : label_share + half)
if (narrow) { set bmargin at screen 0.5 + 58 / height_px }
set xrange [0:cpu_max]
shift = narrow ? 0.5 - (label_share + 0.95) / 2 : 0 # a long title has the whole width
set xlabel {{server CPU (µs a request)}} offset screen shift, 0
do for [i = 1:row_count] {
    set label i row_name[i] at graph 0, first row_count + 1 - i right offset -1, 0 noenhanced
}
plot data using 2:(row_count + 1 - $1):3:4 with xerrorbars lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.7
if (narrow) {
    set tmargin at screen 0.5 - 16 / height_px
    set bmargin at screen 58 / height_px
} else {
    do for [i = 1:row_count] { unset label i }
    set lmargin at screen 0.97 - half
}
set rmargin at screen (narrow ? 0.95 : 0.97)
set xrange [0:memory_max]
set xlabel {{peak memory (MiB)}} offset screen shift, 0
plot data using 5:(row_count + 1 - $1) with points lc rgb '#D55E00' pt 5 ps 0.8
unset multiplot
