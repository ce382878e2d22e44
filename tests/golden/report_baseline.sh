# What differs between the machine of an earlier session and this one's: facts that matter come first.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
cp demo.db earlier.db
sqlite3 earlier.db "UPDATE session SET session_uid = replace(session_uid, '0', 'f'); UPDATE fact SET value = 'Another CPU | <b>' WHERE name = 'cpu.model';
    UPDATE fact SET value = NULL WHERE name IN ('kernel.release', 'pressure.cpu_avg10');
    INSERT INTO fact (session_id, moment, name, value) VALUES (1, 'start', 'machine.product', 'Box'), (1, 'start', 'state.load', '9');"
for language in en pt-BR; do
    tacho report demo.db --baseline earlier.db --format md --lang $language || exit
    sed -n '/baseline session\|sessão de referência/,/^####/p' demo-report/report.md
done
tacho report demo.db --baseline demo.db --format md >/dev/null && grep -A 2 'baseline session' demo-report/report.md
echo "--- an unfit session of another plan"
sqlite3 unfit.db <"$REPOSITORY/datasets/runs/unfit.sql" || exit
sqlite3 unfit.db "UPDATE session SET plan_digest = replace(plan_digest, 'a', 'b')"
tacho report demo.db --baseline unfit.db --format md >/dev/null
grep '^> .*[Bb]aseline session' demo-report/report.md
tacho report demo.db --baseline missing.db
