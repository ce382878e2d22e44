# The plan's claims decide the last line and the exit status of tacho report.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
try() { # CLAIMS OPTIONS...
    sqlite3 demo.db "UPDATE session SET plan_text = 'claims:' || char(10) || '$1'" || exit
    shift
    tacho report demo.db --format md "$@"
    echo "status $?"
    grep -E 'Claim|claims' demo-report/report.md
}
ratio='  - { id: C1, ratio: throughput, of: epoll, over: blocking'
try "$ratio, at_least: 1.5 }" --require-verdict
try "$ratio, at_least: 2 }"
try "$ratio, at_most: 1.7 }"
try "$ratio, at_most: 1.7 }" --require-verdict
try '  - { id: C2, order: throughput, engines: [blocking, epoll] }'
try '  - { id: C3, bound: throughput, of: nobody, at_least: 1/s }' --require-verdict
try '  - { id: C4, guess: 7 }' --require-verdict
