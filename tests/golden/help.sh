# The front door and each subcommand tell how they are used; help goes to standard output with status 0.
tacho --help || exit
for command in doctor run plan report compare bundle verify drive schema; do
    echo "== tacho $command --help"
    tacho "$command" --help || exit
done
cmp <(tacho help) <(tacho --help) && cmp <(tacho help run) <(tacho run --help) || exit
