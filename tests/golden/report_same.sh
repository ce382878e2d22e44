# The same file gives the same bytes of every form, whatever the zone, the locale (one with a decimal comma), the home with
# a hostile .gnuplot, the fonts, the folder.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
mkdir home locale elsewhere "elsewhere/a b"
printf '%s\n' 'set decimalsign ","' 'set terminal dumb' 'set output "stolen"' 'set timestamp' >home/.gnuplot
printf '%s\n' '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>/nonexistent</dir></fontconfig>' >fonts.conf
localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 || exit
tacho report demo.db -o here >/dev/null || exit
cp demo.db "elsewhere/a b/demo.db"
cd "elsewhere/a b" || exit
for zone in UTC Asia/Kathmandu America/Sao_Paulo; do
    for locale in C C.UTF-8 de_DE.UTF-8; do
        env LOCPATH="$OLDPWD/locale" LC_ALL="$locale" LANGUAGE=de TZ="$zone" HOME="$OLDPWD/home" GNUTERM=png COLUMNS=40 \
            FONTCONFIG_FILE="$OLDPWD/fonts.conf" tacho report demo.db -o "report $zone $locale" >/dev/null || exit
        diff -r "$OLDPWD/here" "report $zone $locale" && echo "same: $zone $locale"
    done
done
cd "$OLDPWD" && ls here here/plots
