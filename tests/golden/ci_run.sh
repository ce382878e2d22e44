# The one entry of the house: its list, and status 2 for a name that it does not know.
"$REPOSITORY/ci/run" help
"$REPOSITORY/ci/run" nonsense
echo "status $?"
"$REPOSITORY/ci/run" 'demo;x'
