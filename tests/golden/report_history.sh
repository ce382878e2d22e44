# A plan that was run ten times into one file: the last session's report tells how its ratios went; the machine changed once.
sqlite3 history.db <"$REPOSITORY/datasets/runs/example.sql" || exit
copies() { # a copy of session 1 with ids shifted by N * 1000, a day later, epoll a little faster or slower
    local table columns where
    for table in session fact engine workload cell trial sample outcome event; do
        columns=$(sqlite3 history.db "SELECT group_concat(
            CASE WHEN name IN ('session_id', 'engine_id', 'workload_id', 'cell_id', 'trial_id', 'event_id') THEN name || ' + $1 * 1000'
                 WHEN name = 'session_uid' THEN 'printf(''%032x'', $1)'
                 WHEN name LIKE '%utc_ns' THEN name || ' + $1 * 86400000000000'
                 WHEN name = 'ok_count' OR (name = 'count' AND '$table' = 'outcome') THEN 'CASE WHEN trial_id IN (SELECT trial_id FROM trial
                     JOIN engine USING (engine_id) WHERE engine.name = ''epoll'') THEN ' || name || ' * (1000 + $2) / 1000 ELSE ' || name || ' END'
                 WHEN name IN ('started_count', 'server_request_count') THEN 'NULL'
                 ELSE name END, ', ') FROM pragma_table_info('$table')")
        case $table in
        session | fact | engine | workload | trial | event) where="session_id = 1" ;;
        cell) where="workload_id < 1000" ;;
        *) where="trial_id < 1000" ;;
        esac
        echo "INSERT INTO $table SELECT $columns FROM $table WHERE $where;"
    done >copies.sql
    sqlite3 history.db <copies.sql
}
number=0
for change in 3 -2 0 4 -3 1 2 -1 15; do
    copies $((++number)) "$change"
done
sqlite3 history.db "UPDATE fact SET value = 'another' WHERE name = 'cpu.model' AND session_id = 1"
sqlite3 history.db "UPDATE engine SET binary_sha256 = replace(binary_sha256, '0', 'f') WHERE name = 'epoll' AND session_id > 6000"
tacho report history.db --format md,csv -o history
sed -n '/^#### History/,/^#### Every trial/p' history/report.md
tacho report history.db --article article >/dev/null
sed -nE 's/^(## .*|Figure [0-9]+): .*(n = .*)? Evidence.*/\1/p; /^## History/p' article/article.md
head -n 2 article/figures/history.csv | cut -c1-60
tacho report history.db --session 00112233 --format md -o first
grep -c '^#### History' first/report.md
# From the 16th session on epoll is 6 % faster: the newest is within the band of that level, its axis has a mark every five.
rm history.db && sqlite3 history.db <"$REPOSITORY/datasets/runs/example.sql"
for number in {1..24}; do
    copies "$number" $((number * 7 % 5 - 2 + (number > 14 ? 60 : 0)))
done
tacho report history.db --format md,comment,plots -o level | tail -n 1
sed -n '/^#### History/,/^Figure/s/^- //p' level/report.md
grep -c 'new level' level/comment.md
tr '\n' ' ' <level/plots/history.svg | grep -o '<text>[^<]*' | sed 's/.*>//' | tr '\n' ' '
# 25 % slower than ever: the first screen and a pull request's comment say so.
copies 25 -250
tacho report history.db --format md,comment -o slower | tail -n 1
grep 'control band' slower/report.md slower/comment.md
