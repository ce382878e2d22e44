#!/bin/bash
# Runs commands on a new, minimal Debian 12 that holds the committed files and nothing else: ci/fresh.sh COMMAND...
# Needs root and debootstrap. The base system is made once (FRESH_BASE) and copied for each run; the machine's own
# package sources are used.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ $(id -u) == 0 ]] || { echo "fresh: needs root" >&2; exit 3; }
base=${FRESH_BASE:-${TMPDIR:-/tmp}/tacho-fresh-base}
root=$(mktemp -d "${TMPDIR:-/tmp}/tacho-fresh.XXXXXX")
clean() {
    local mount
    for mount in proc dev sys; do umount -l "$root/$mount" 2>/dev/null || true; done
    # Never delete through a mount that is still there.
    grep -q " $root/" /proc/mounts || rm -rf "$root"
}
trap clean EXIT

if [[ ! -e $base/.ready ]]; then
    # shellcheck disable=SC2016 # $(SITE) is for apt-get
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sed -n 1p)
    debootstrap --variant=minbase bookworm "$base" "$mirror" >/dev/null
    rm -f "$base/etc/apt/sources.list"
    cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$base/etc/apt/"
    [[ ! -f /etc/apt/sources.list ]] || cp /etc/apt/sources.list "$base/etc/apt/"
    touch "$base/.ready"
fi
cp -a "$base/." "$root/"
mkdir "$root/src"
git archive HEAD | tar -x -C "$root/src"
for mount in proc dev sys; do mount --bind "/$mount" "$root/$mount"; done
for file in resolv.conf hosts; do [[ ! -e /etc/$file ]] || cp "/etc/$file" "$root/etc/$file"; done
for command; do
    echo "+ $command"
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
        /bin/bash -c "cd /src && $command" </dev/null
done
