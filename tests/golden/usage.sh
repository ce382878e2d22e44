# A wrong command line: one line on standard error, status 2, nothing on standard output.
try() {
    echo "== $*" >&2
    "$@"
    echo "status $?" >&2
}
try tacho nonsense
try tacho --nonsense
try tacho help nonsense
try tacho help run plan
try tacho doctor one.yaml two.yaml
try tacho doctor --tune --reset
try tacho run --nonsense
try tacho run one.yaml two.yaml
try tacho run --output
try tacho plan --print=yes
try tacho report
try tacho report results.db --format nonsense
try tacho report results.db --session ''
cp "$REPOSITORY/datasets/published/dext.json" .
try tacho report dext.json --session zzz
try tacho report dext.json --baseline results.db
try tacho report none.db --baseline a.db --baseline b.db
try tacho bundle
try tacho schema results.db
try tacho verify
try tacho verify bundle.tar --sha256 nonsense
try tacho drive
try tacho drive 127.0.0.1:8080
try tacho drive https://127.0.0.1/ --io uring
try tacho drive http://127.0.0.1/ -H nonsense
try tacho drive http://127.0.0.1/ -d 1.5
try tacho-engine
try tacho-engine nonsense
try tacho-engine epoll --port 70000
try tacho-engine epoll --nonsense
try tacho-engine epoll --seed 99999999999999999999
try tacho-engine epoll --address unix:socket --port 80
