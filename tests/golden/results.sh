# The sessions of a results file: one, two, a damaged one, none, and a file of another kind.
sqlite3 a.db <"$REPOSITORY/datasets/runs/example.sql" || exit
sqlite3 a.db "INSERT INTO fact VALUES (1, 'start', 'session.trials', '22')" || exit
tacho results a.db --check
echo "status $?"
tacho results a.db --check --json
echo "status $?"
sqlite3 a.db "INSERT INTO session SELECT 2, 'f0112233445566778899aabbccddeeff', 'interrupted', 'interrupted by signal 2',
    'a title' || char(27) || '[2J' || char(155, 8206, 8238, 8232, 233), plan_text, plan_digest, program_version, started_utc_ns + 3600000000000, NULL, NULL FROM session"
tacho results a.db
echo "status $?"
tacho report a.db --session 001122 --format md && grep -o 'session | [0-9a-f]*' a-report/report.md
tacho report a.db --session 77 --format md
echo "status $?"
sqlite3 a.db "UPDATE trial SET started_count = started_count + 1 WHERE trial_id = 3;
    UPDATE session SET plan_text = plan_text || '#' WHERE session_id = 1; DELETE FROM outcome WHERE trial_id = 9 AND sample_index = 4;
    DELETE FROM sample WHERE trial_id = 9 AND sample_index = 4"
tacho results a.db --check >out.txt
echo "status $?"
tail -n 1 out.txt
tacho results missing.db
echo "status $?"
echo "my diary" >diary.db
tacho results diary.db --check
echo "status $?"
