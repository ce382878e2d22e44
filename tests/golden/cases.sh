# Every test that a list of cases names exists: prints those that do not.
for list in "$REPOSITORY"/tests/cases/*.md; do
    grep -oE "\`[a-z_0-9]+/[a-z_0-9]+\`" "$list" | tr -d "\`" | sort -u | while IFS=/ read -r suite name; do
        grep -rqE "^Test\(${suite}, ${name}[,)]" "$REPOSITORY/tests" || echo "$(basename "$list"): no test $suite/$name"
    done
done
echo "checked"
