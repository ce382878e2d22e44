# The report of 20 servers under 8 loads, as recorded: the beginning of its page, verdicts, and how large files are.
sqlite3 wide.db <"$REPOSITORY/datasets/runs/wide.sql" || exit
tacho results --check wide.db | tail -n 1
tacho report wide.db || exit
sed '/^#### Results/,$d' wide-report/report.md
cut -d, -f1-3,6-9 wide-report/tables/comparisons.csv | tr -d '\r' | head -n 40
(($(stat -c %s wide-report/report.html) < 2000000)) && echo "the page is smaller than 2 MB"
grep -o '[^ "]* lines, too many for a page' wide-report/report.html
echo "the panels of trials.svg end at"
sed 's/<text>/\n&/g' wide-report/plots/trials.svg | sed -nE 's/^<text>([0-9.]+)<.*/\1/p' | paste -sd' '
grep '^legend_' wide-report/plots/resources.gp
