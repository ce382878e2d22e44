# Of recorded trials: what was spoken over TLS, what was due along a rate that changes, and what a report says when all of it was played again.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
sqlite3 demo.db "UPDATE trial SET tls_version = 'TLSv1.3', tls_cipher = 'TLS_AES_256_GCM_SHA384', tls_full_count = 1,
    tls_resumed_count = 124, tls_handshake_ns = 125 * 400000 WHERE engine_id = (SELECT engine_id FROM engine WHERE name = 'epoll');
    UPDATE trial SET tls_cipher = 'TLS_CHACHA20_POLY1305_SHA256' WHERE trial_id = (SELECT max(trial_id) FROM trial
    WHERE tls_version IS NOT NULL AND block_index IS NOT NULL);
    UPDATE cell SET rate_per_s = 50000, arrivals = 'poisson', rate_course = '40000..60000'
    WHERE workload_id = (SELECT workload_id FROM workload WHERE is_calibration = 0);
    UPDATE sample SET scheduled_count = started_count, driver_lag_max_ns = 1000 * sample_index" || exit
tacho report demo.db --format md
echo "status $?"
sed -n '/^Over TLS/,/^Handshakes of all/p' demo-report/report.md
grep 'in an open loop of' demo-report/report.md
sed -n '/^Along the rate/,/^All counted trials together/p' demo-report/report.md | sed 8,42d
sqlite3 demo.db "
    UPDATE cell SET rate_per_s = NULL, arrivals = NULL, rate_course = NULL;
    DELETE FROM outcome WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index IS NULL);
    DELETE FROM sample WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index IS NULL);
    DELETE FROM trial WHERE block_index IS NULL;
    UPDATE workload SET driver = 'replay' WHERE is_calibration = 0;
    INSERT INTO foreign_load SELECT trial_id, NULL, '[\"replay\",\"a.db\"]', printf('trial %d of session 07, SHA-256 of the file %064d',
        trial_id, 7) FROM trial" || exit
tacho report demo.db --format md
echo "status $?"
sed -n '1,/^#* Results/p' demo-report/report.md
sed -n '/^Replayed, not measured/,/^The samples/p' demo-report/report.md | sed 5,20d
