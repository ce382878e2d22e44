# SPDX-License-Identifier: Apache-2.0
# Reads the words of a figure (pdftotext -bbox) and complains of those that lie over each other and, where `axis` is given,
# of legends inside panels: words like `names` between the highest mark of a y axis and its 0; marks end left of `axis` points.
/<word / {
    split($0, part, "\"")
    count++
    left[count] = part[2]; top[count] = part[4]; right[count] = part[6]; bottom[count] = part[8]
    text[count] = $0
    sub(/^[^>]*>/, "", text[count]); sub(/<.*/, "", text[count])
}
function least(a, b) { return a + 0 < b + 0 ? a + 0 : b + 0 }
function most(a, b) { return a + 0 > b + 0 ? a + 0 : b + 0 }
function middle(i) { return (top[i] + bottom[i]) / 2 }
function complain(words) { print words; failed = 1 }
END {
    if (count == 0) complain("no words")
    for (i = 1; i <= count; i++) {
        for (k = i + 1; k <= count; k++) {
            if (least(right[i], right[k]) - most(left[i], left[k]) > 1 && least(bottom[i], bottom[k]) - most(top[i], top[k]) > 2) {
                complain("\"" text[i] "\" lies over \"" text[k] "\"")
            }
        }
    }
    for (i = 1; axis && i <= count; i++) { # every 0 of an axis ends a panel
        if (text[i] != "0" || right[i] + 0 >= axis + 0) continue
        panels++
        high[panels] = low[panels] = middle(i)
    }
    if (axis && !panels) complain("no axis")
    for (p = 1; p <= panels; p++) {
        before = 0 # where the panel over this one ends
        for (k = 1; k <= panels; k++) if (low[k] < low[p]) before = most(before, low[k])
        for (i = 1; i <= count; i++) {
            if (text[i] ~ /^[0-9.]+$/ && right[i] + 0 < axis + 0 && middle(i) > before && middle(i) < high[p]) high[p] = middle(i)
        }
        for (i = 1; i <= count; i++) {
            if (text[i] ~ names && middle(i) > high[p] && middle(i) < low[p]) complain("\"" text[i] "\" lies in a panel")
        }
    }
    exit failed
}
