# Two results files side by side: the same plan and machine, another hour; another machine; the same session twice.
sqlite3 a.db <"$REPOSITORY/datasets/runs/example.sql" || exit
cp a.db b.db
sqlite3 b.db "UPDATE session SET session_uid = 'f0112233445566778899aabbccddeeff';
    UPDATE fact SET value = '9.99' WHERE name = 'pressure.cpu_avg10'" || exit
tacho compare a.db b.db
echo "status $?"
tacho compare --json a.db b.db >out.json
echo "status $?"
grep -c ratio_b_over_a out.json
sqlite3 b.db "UPDATE fact SET value = 'Other CPU' WHERE name = 'cpu.model'; DELETE FROM fact WHERE name = 'os.libc'"
tacho compare a.db b.db
echo "status $?"
tacho compare a.db a.db
echo "status $?"
tacho compare a.db missing.db
echo "status $?"
