# The SQL of README.md, on the recorded session.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
awk '/^```sql$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$REPOSITORY/README.md" >queries.sql
grep -c '^-- ' queries.sql
sqlite3 -readonly -header demo.db <queries.sql
