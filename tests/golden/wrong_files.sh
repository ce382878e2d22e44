# Every file that a user names, in every shape that it may not have: status 2 and one line. What is no regular file is
# never replaced by an output.
sqlite3 a.db <"$REPOSITORY/datasets/runs/example.sql"
head -c 1500000 /dev/zero | tr '\0' '#' >big
truncate -s 65M huge
mkdir folder
mkfifo pipe
ln -s loop loop
ln -s a.db link
long=$(printf 'n%.0s' {1..300})
deep=$(printf 'd/%.0s' {1..2500})
tacho bundle a.db -o seal >seal.out 2>&1 || cat seal.out
mv seal/*.tar sealed.tar
cat >body.yaml <<'END'
title: t
engines: [{ name: e, builtin: epoll }]
workloads: [{ name: w, post: /upload, body: FILE, connections: 1 }]
END
cat >include.yaml <<'END'
include: FILE
title: t
engines: [{ name: e, builtin: epoll }]
workloads: [{ name: w, get: /ping, connections: 1 }]
END

cat >plan_with <<'END'
sed "s|FILE|'$2'|" "$1" >plan.yaml
exec tacho plan plan.yaml
END
try() { # SHAPE COMMAND...
    local shape=$1 status=0
    shift
    timeout 20 "$@" >out 2>told </dev/null || status=$?
    printf '%-8s %d %s\n' "$shape" "$status" "$(sed -E 's/n{40,}/NAME/g; s|(d/){9,}|DEEP|g; s/DEEPd?/DEEP/' told)"
}
shapes() { # SHAPE... -- COMMAND... with FILE for the file
    local list=() words shape name
    while [[ $1 != -- ]]; do list+=("$1"); shift; done
    shift
    echo "== $*"
    for shape in "${list[@]}"; do
        name=$shape
        case $shape in
        empty) name= ;;
        long) name=$long ;;
        deep) name=$deep ;;
        esac
        words=("${@/#FILE/$name}")
        try "$shape" "${words[@]}"
    done
}
inputs=(empty big folder pipe loop /dev/zero missing long deep)
shapes "${inputs[@]}" -- tacho plan FILE
shapes "${inputs[@]}" -- tacho doctor FILE
shapes "${inputs[@]}" -- tacho run --only nobody FILE
shapes big folder pipe loop /dev/zero missing -- bash plan_with include.yaml FILE
shapes huge folder pipe loop missing -- bash plan_with body.yaml FILE
shapes "${inputs[@]}" -- tacho report a.db --format md -o out.d --published FILE
shapes "${inputs[@]}" -- tacho import wrk FILE
shapes empty pipe loop /dev/zero long deep -- tacho results FILE
shapes folder -- tacho report FILE
shapes empty pipe folder /dev/zero long deep -- tacho compare a.db FILE
shapes "${inputs[@]}" -- tacho bundle FILE
shapes empty pipe loop /dev/zero long deep -- tacho verify FILE
shapes empty big folder pipe /dev/zero missing -- tacho verify sealed.tar --signers FILE
shapes empty big folder pipe /dev/zero -- tacho bundle a.db -o o --sign FILE
shapes empty huge folder pipe loop /dev/zero missing -- tacho drive http://127.0.0.1:1/ -n 1 --body FILE
outputs=(empty folder pipe link no/such long deep)
shapes "${outputs[@]}" -- tacho drive http://127.0.0.1:1/ -n 1 --hdr FILE
shapes empty big pipe long deep -- tacho bundle a.db -o FILE
shapes empty big pipe long deep -- tacho report a.db --format md -o FILE
printf '%s\n' 'Running 1s test @ http://127.0.0.1/' '  1 threads and 1 connections' \
    '  Thread Stats   Avg      Stdev     Max   +/- Stdev' '    Latency     1.00ms    1.00ms   2.00ms   90.00%' \
    '    Req/Sec   1.00k     0.00   1.00k    90.00%' '  1000 requests in 1.00s, 1.00MB read' 'Requests/sec:   1000.00' \
    'Transfer/sec:      1.00MB' >w.txt
shapes "${outputs[@]}" -- tacho import wrk w.txt -o FILE
stat -c '%n %F' big folder pipe loop link
