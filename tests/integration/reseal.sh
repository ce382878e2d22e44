# What an attacker does who knows the format, with GNU tools: seals a changed bundle again, coherent, as if another
# version had made it. For a POSIX shell.
reseal() { # FOLDER ARCHIVE [AGENT]: FOLDER holds the unpacked top folder, which gets its new name
    for top in "$1"/*/; do :; done
    (
        cd "$top" || exit
        list=$(mktemp) crate=$(mktemp)
        sed -i "s/^Bag-Software-Agent: .*/Bag-Software-Agent: ${3:-tacho 9.9}/" bag-info.txt
        find data -type f ! -name ro-crate-metadata.json | while read -r path; do
            echo "${path#data/} $(wc -c <"$path") $(sha256sum <"$path" | cut -d' ' -f1)"
        done >"$list"
        awk 'NR == FNR { size[$1] = $2; sha[$1] = $3; next }
            /"@id": "/ { split($0, part, "\""); id = part[4] }
            id in size && /"contentSize": / { sub(/: "[0-9]*"/, ": \"" size[id] "\"") }
            id in sha && /"sha256": / { sub(/: "[0-9a-f]*"/, ": \"" sha[id] "\"") }
            { print }' "$list" data/ro-crate-metadata.json >"$crate"
        cat "$crate" >data/ro-crate-metadata.json
        rm "$list" "$crate"
        bytes=$(find data -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
        files=$(find data -type f | wc -l)
        sed -i "s/^Payload-Oxum: .*/Payload-Oxum: $bytes.$files/" bag-info.txt
        find data -type f | LC_ALL=C sort | xargs sha256sum >manifest-sha256.txt
        sha256sum bag-info.txt bagit.txt manifest-sha256.txt >tagmanifest-sha256.txt
    )
    name=evil-$(sha256sum <"$top/tagmanifest-sha256.txt" | cut -c1-16)
    mv "$top" "$1/$name"
    time=$(sed -n 's/^Tacho-Time: //p' "$1/$name/bag-info.txt")
    LC_ALL=C tar -C "$1" --sort=name --format=ustar --mtime="@$time" --owner=0 --group=0 --numeric-owner \
        --mode=u+rwX,go+rX,go-w,a-s -cf "$2" "$name"
}
