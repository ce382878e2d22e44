# Inputs that are not there or are not what they should be: one line that names the file, nothing written.
try() {
    echo "== $*" >&2
    "$@"
    echo "status $?" >&2
}
echo 'not a results file, and long enough to be looked at' >text.db
: >empty.db
try tacho plan missing.yaml
try tacho report missing.db
try tacho report text.db
try tacho report empty.db
try tacho bundle missing.db
try tacho bundle text.db
try tacho verify missing.tar
ls
