# The tables as documentation, and as SQL that makes the same tables.
tacho schema --docs || exit
tacho schema | sqlite3 made.db || exit
cmp <(tacho schema) "$REPOSITORY/collector/store/sql/0001_init.sql" && echo "schema: the SQL of the repository"
# Each column of each table is documented, and nothing else is.
# shellcheck disable=SC2016 # the backticks are Markdown's
tacho schema --docs | sed -n '/^## kinds/q; s/^## //p; s/^| `\([a-z0-9_]*\)`.*/\1/p' >documented
tacho schema | sed -n 's/^CREATE TABLE \([a-z]*\).*/\1/p' | while read -r table; do
    echo "$table"
    sqlite3 made.db "SELECT name FROM pragma_table_info('$table')"
done >made
diff made documented && echo "schema: every column"
