# Mistakes in a plan are told with file, line and column before anything runs.
try() {
    cat >plan.yaml
    tacho plan plan.yaml
    echo "status $?" >&2
}
base='title: t
engines: [{ name: epoll, builtin: epoll }]
workloads: [{ name: ping, get: /ping, connections: 1 }]'
try <<<"$base
tirals: 3"
try <<<"$base
window: 20"
try <<<"$base
baseline: nginx"
try <<<"title: t"
try <<<"title: [t"
