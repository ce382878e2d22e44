// SPDX-License-Identifier: Apache-2.0
// tacho bundle and tacho verify as programs, with GNU tar and sha256sum as witnesses.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/digest.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "tests/support/results_builder.h"
#include "tests/support/sealed_bundle.h"
#include "tests/support/shell_case.h"

/* C07, C10 */
Test(bundle, is_the_same_wherever_and_whenever_it_is_made, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 120)
{
    static const char *const commands[] = {
        "TZ=Asia/Tokyo LC_ALL=C umask 022; $TACHO bundle r.db -o two",
        "umask 077; TZ=America/New_York LC_ALL=de_DE.UTF-8 $TACHO bundle r.db -o three",
        "mkdir sub && cd sub && SOURCE_DATE_EPOCH=1 HOME=/nonexistent $TACHO bundle ../r.db -o "
        "../four",
        "cp r.db other.db && touch -d 2001-01-01 other.db && chmod 600 other.db && $TACHO bundle "
        "other.db -o five/deep",
    };
    struct buf first, again;

    buf_init(&first, 1 << 20);
    buf_init(&again, 1 << 20);
    cr_assert_eq(shell_case_run("$TACHO bundle r.db -o one 2>/dev/null", &first), 0, "%s",
                 first.bytes);
    cr_expect(shell_case_ends_with(&first, "VERDICT=SEALED\n"));
    cr_expect_not_null(strstr(first.bytes, "SHA-256: "));
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        char command[300];
        snprintf(command, sizeof(command), "(%s) 2>/dev/null", commands[i]);
        cr_expect_eq(shell_case_run(command, &again), 0, "%s: %s", commands[i], again.bytes);
        cr_expect_str_eq(again.bytes, first.bytes, "%s", commands[i]);
    }
    shell_case_expect(
        "for f in one two three four five/deep; do cmp one/*.tar $f/*.tar || exit 1; "
        "for k in md html json; do cmp one/*.publish.$k $f/*.publish.$k || exit 1; done; done; "
        "test $(ls -A one | wc -l) = 5");
    buf_release(&first);
    buf_release(&again);
}

Test(bundle, is_what_gnu_tar_makes_of_its_files, .init = shell_case_make, .fini = shell_case_remove,
     .timeout = 60)
{
    shell_case_expect("$TACHO bundle r.db -o o");
    shell_case_expect("mkdir x && tar -xf o/*.tar -C x");
    shell_case_expect("cd x && find . -type f -exec chmod 640 {} + && touch -d 2001-01-01 */data");
    shell_case_expect("cd x && LC_ALL=C tar --sort=name --format=ustar "
                      "--mtime=@$(sed -n 's/^Tacho-Time: //p' */bag-info.txt) --owner=0 --group=0 "
                      "--numeric-owner --mode=u+rwX,go+rX,go-w,a-s -cf ../again.tar * && "
                      "cmp ../again.tar ../o/*.tar");
}

Test(bundle, is_checked_by_sha256sum_alone, .init = shell_case_make, .fini = shell_case_remove,
     .timeout = 60)
{
    char path[128];

    shell_case_expect("$TACHO bundle r.db -o o && cd o && sha256sum --strict -c *.sha256");
    shell_case_expect("cd o && tar -xf *.tar && cd */ && sha256sum --strict -c manifest-sha256.txt "
                      "tagmanifest-sha256.txt");
    /* The id in the name is that of the tag manifest; the payload is all that there is. */
    shell_case_expect("cd o/*/ && case $(basename $PWD) in *-$(sha256sum <tagmanifest-sha256.txt | "
                      "cut -c1-16)) ;; *) exit 1;; esac");
    shell_case_expect(
        "cd o/*/ && test $(find data -type f | wc -l) = $(wc -l <manifest-sha256.txt)");
    shell_case_expect(
        "cd o/*/ && grep -qx \"Payload-Oxum: $(find data -type f -printf '%s\\n' | awk "
        "'{s+=$1} END {print s \".\" NR}')\" bag-info.txt");
    shell_case_expect("cd o/*/ && test $(sha256sum <data/plan/plan.resolved.yaml | cut -c1-64) = "
                      "$(sed -n 's/^Tacho-Plan-Digest: //p' bag-info.txt)");
    /* Beside it the plan as it was written, from which that one was made. */
    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_WHOLE_PLAN}, path);
    shell_case_expect(
        "printf 'title: w\\nbaseline: blocking\\ntrials: 6\\nseed: 42\\nengines: [{ name: epoll, "
        "builtin: epoll }, "
        "{ name: blocking, builtin: blocking }]\\nworkloads: [{ name: ping, get: /ping, "
        "expect: { body: pong }, connections: 125 }]\\n' >w.yaml && $TACHO plan w.yaml --print >p "
        "&& "
        "sqlite3 r.db \"UPDATE session SET title = 'w', plan_text = CAST(readfile('p') AS TEXT), "
        "plan_source = CAST(readfile('w.yaml') AS TEXT), plan_digest = '$(sha256sum <p | "
        "cut -c1-64)'\" && $TACHO bundle r.db -o w && tar -xf w/*.tar -C w && "
        "cmp w.yaml w/*/data/plan/plan.yaml && cmp p w/*/data/plan/plan.resolved.yaml && "
        "$TACHO plan w/*/data/plan/plan.yaml --print | cmp - p && $TACHO verify --no-policy "
        "w/*.tar");
}

/* Hashes and digests are made of what is there: only the plan tells that names were exchanged. */
Test(bundle, with_exchanged_names_of_engines_is_refused, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    struct buf out;
    char path[128];

    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_WHOLE_PLAN}, path);
    shell_case_expect("$TACHO results r.db --check && $TACHO bundle r.db -o o && "
                      "$TACHO verify --no-policy o/*.tar");
    results_builder_alter(path, "UPDATE engine SET name = 'x' WHERE name = 'epoll'; "
                                "UPDATE engine SET name = 'epoll' WHERE name = 'blocking'; "
                                "UPDATE engine SET name = 'blocking' WHERE name = 'x'");
    buf_init(&out, 1 << 20);
    cr_expect_eq(shell_case_run("$TACHO results r.db --check 2>&1", &out), 5, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "plan_rows: engine 1: its name is \"blocking\""));
    buf_clear(&out);
    cr_expect_eq(
        shell_case_run("$TACHO bundle r.db -o p && $TACHO verify --no-policy p/*.tar 2>&1", &out),
        5, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "plan-rows"), "%s", out.bytes);
    buf_release(&out);
}

/* Sources that are not in it cannot be reproduced; otherwise see test_reproduce.c and
 * ci/reviewer.sh. */
Test(bundle, tells_a_reviewer_only_what_can_be_done_with_it, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    char path[128];

    shell_case_expect("$TACHO bundle r.db -o o && tar -xf o/*.tar -C o && "
                      "test $(grep -c '^    tacho ' o/*/data/README.md) = 3 && "
                      "grep -q 'There is no fourth line' o/*/data/README.md && "
                      "! grep -q '^| .servers/tacho-engine' o/*/data/README.md");
    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_WHOLE_PLAN}, path);
    sealed_bundle_take_program(path);
    shell_case_expect(
        "sqlite3 r.db \"UPDATE session SET program_version = '$($TACHO --version | "
        "sed -n 's/^tacho //p')'\" && $TACHO bundle r.db -o s && tar -xf s/*.tar -C s "
        "&& test $(grep -c '^    tacho ' s/*/data/README.md) = 4 && "
        "grep -qx '    tacho reproduce .* -o reproduced' s/*/data/README.md && "
        "grep -qx -- '- time: [0-9]*s for the plan.s trials, and .*' s/*/data/README.md");
    /* Every file that it lists is there, and every file that is there is listed. */
    shell_case_expect(
        "cd s/*/data && sed -n 's/^| `\\([^`]*\\)` |.*/\\1/p' README.md | "
        "sed 's/NAME-HASH/*-*/; s/trial-N/trial-*/' >../listed && while read -r f; do "
        "ls -d $f || exit 1; done <../listed && find . -type f | sed 's,^./,,' | "
        "while read -r f; do is=; set -f; for p in $(cat ../listed); do "
        "case $f in $p*) is=1 ;; esac; done; test $is || exit 1; done");
    /* A trial that failed: line 1 takes the option that it needs, and what refuses is not offered.
     */
    shell_case_expect(
        "sqlite3 r.db \"UPDATE trial SET state = 'failed', reason = 'wrong body' WHERE trial_id = "
        "2\" && $TACHO bundle r.db -o f && tar -xf f/*.tar -C f && cd f && "
        "FILE=$(echo *.tar) HEX=$(cut -c1-64 *.sha256) && "
        "grep -q 'trial 2: failed: wrong body' */data/README.md && "
        "! grep '^    tacho reproduce' */data/README.md && ! $TACHO verify $FILE && "
        "export FILE HEX && PATH=$(dirname $TACHO):$PATH && "
        "sh -c \"$(sed -n 's/^    \\(tacho verify .*\\)/\\1/p' */data/README.md)\" && "
        "$TACHO reproduce $FILE --yes --allow-root -o n; test $? = 5");
    /* What servers, drivers and replays of a plan want; wrk and TLS exclude each other. */
    shell_case_expect(
        "needs() { $TACHO plan w.yaml --print >p && sqlite3 r.db \"UPDATE session SET plan_text = "
        "CAST(readfile('p') AS TEXT), plan_digest = '$(sha256sum <p | cut -c1-64)'\" && rm -rf n "
        "&& "
        "$TACHO bundle r.db -o n && tar -xf n/*.tar -C n && for word; do "
        "grep \"^- .*$word\" n/*/data/README.md || exit 1; done; }; "
        "printf 'title: w\\nengines:\\n  - { name: e, external: nginx }\\n  - { name: c, command: "
        "[./c, "
        "\"{port}\"]%s }\\nworkloads:\\n  - { name: v, get: /, %sconnections: 4, window: 1s }\\n"
        "  - { name: w, get: /, connections: 4, driver: replay, replay: r.db }\\n' '' 'driver: "
        "wrk, ' "
        ">w.yaml; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=a "
        "-keyout x.key -out x.pem && needs 'external engine' 'command' 'wrk.*from' 'replay wants' "
        "&& "
        "sed -i 's/driver: wrk, //; s/port}\"\\]/&, tls: { ca: x.pem }/' w.yaml && "
        "needs 'certificates that .tls. names'");
}

/* The digest as the bundle's README defines it, by another program in another language. */
Test(bundle, tells_a_samples_digest_that_others_can_work_out, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    static const char script[] =
        "import hashlib, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1])\n"
        "h = hashlib.sha256()\n"
        "keys = dict(session='session_id', fact='session_id, moment, name', engine='engine_id',\n"
        "    workload='workload_id', request='workload_id, request_index', cell='cell_id', "
        "trial='trial_id',\n"
        "    sample='trial_id, sample_index', outcome='trial_id, sample_index, kind',\n"
        "    request_total='trial_id, request_index',\n"
        "    foreign_load='trial_id', log='trial_id', event='event_id')\n"
        "def field(v):\n"
        "    if v is None: return b'n\\n'\n"
        "    if isinstance(v, int): return b'i %d\\n' % v\n"
        "    raw = v.encode() if isinstance(v, str) else v\n"
        "    return b'%s %d ' % (b't' if isinstance(v, str) else b'b', len(raw)) + raw + b'\\n'\n"
        "for table, key in keys.items():\n"
        "    h.update(table.encode() + b'\\n')\n"
        "    for row in db.execute(f'SELECT * FROM {table} ORDER BY {key}'):\n"
        "        for v in row: h.update(field(v))\n"
        "print('Samples digest: ' + h.hexdigest())\n";
    char path[100];

    if (system("python3 -c 'import sqlite3' 2>/dev/null") != 0) {
        cr_skip_test("python3 is not here");
    }
    snprintf(path, sizeof(path), "%s/digest.py", shell_case_folder);
    cr_assert_eq(fs_write_file(path, script, strlen(script), NULL), ERR_OK);
    shell_case_expect("$TACHO bundle r.db -o o >told && python3 digest.py r.db >own && grep -qxF "
                      "\"$(cat own)\" told");
}

Test(verify_program, ends_with_a_verdict_and_its_status, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    static const struct {
        const char *command;
        int status;
        const char *ending; /* of standard output */
        const char *says;
    } rows[] = {
        {"$TACHO verify o/*.tar", 0, "VERDICT=VERIFIED\n", "origin not checked"},
        {"$TACHO verify --sha256 $(cut -c1-64 o/*.sha256) o/*.tar", 0, "VERDICT=VERIFIED\n",
         "the archive that --sha256 names"},
        {"$TACHO verify --sha256 $(cut -c1-64 o/*.sha256 | tr a-f A-F) o/*.tar", 0,
         "VERDICT=VERIFIED\n", ""},
        {"$TACHO verify --sha256 $(echo x | sha256sum | cut -c1-64) o/*.tar", 5,
         "VERDICT=REFUSED\n", "V1 sha256"},
        {"$TACHO verify o/*/", 0, "VERDICT=VERIFIED\n", "origin not checked"},
        {"cd o/*/ && $TACHO verify .", 0, "VERDICT=VERIFIED\n", ""},
        {"$TACHO verify --sha256 $(cut -c1-64 o/*.sha256) o/*/", 0, "VERDICT=VERIFIED\n", ""},
        {"$TACHO verify --sha256 $(echo x | sha256sum | cut -c1-64) o/*/", 5, "VERDICT=REFUSED\n",
         "V7 sha256"},
        {"gzip -k o/*.tar; $TACHO verify o/*.gz", 5, "VERDICT=REFUSED\n", "V0 compressed"},
        /* What lies beside it must be of it; who gives the digest knows better. */
        {"cp o/*.tar s.tar && echo \"$(echo x | sha256sum | cut -c1-64)  s.tar\" >s.tar.sha256 && "
         "$TACHO verify s.tar",
         5, "VERDICT=REFUSED\n", "V7 sidecar: s.tar.sha256 is of another file"},
        {"$TACHO verify --sha256 $(cut -c1-64 o/*.sha256) s.tar", 0, "VERDICT=VERIFIED\n",
         "note: s.tar.sha256 is of another file"},
        {"echo no digest >s.tar.sha256; $TACHO verify s.tar", 0, "VERDICT=VERIFIED\n",
         "note: s.tar.sha256 is no line of sha256sum"},
        {"echo \"$(echo x | sha256sum | cut -c1-64)  x\" >$(echo o/*/ | sed 's,/$,,').tar.sha256; "
         "$TACHO verify o/*/; s=$?; (cd o && sha256sum *.tar >$(echo *.sha256)); exit $s",
         5, "VERDICT=REFUSED\n", "V7 sidecar"},
        {"$TACHO verify --max-size 1gib o/*.tar", 0, "VERDICT=VERIFIED\n", ""},
        {"$TACHO verify --max-size 1kB o/*.tar", 5, "VERDICT=REFUSED\n", "V0 too-large"},
        {"$TACHO verify --max-size 1G o/*.tar", 2, "",
         "write the size like 4096, 64KiB, 2MiB or 1GiB"},
        {"$TACHO verify --max-size 0 o/*.tar", 2, "", "--max-size: at least 1 byte"},
        {"$TACHO verify r.db", 5, "VERDICT=REFUSED\n", "V2 bad-magic"},
        {"$TACHO verify nothing.tar", 2, "", "nothing.tar"},
        {"mkfifo pipe; $TACHO verify pipe", 2, "", "not a regular file"},
        {"$TACHO verify", 2, "", ""},
        {"$TACHO verify --sha256 1234 o/*.tar", 2, "", "64 hex digits"},
        {"$TACHO bundle nothing.db", 2, "", "nothing.db"},
        {"echo text >t; $TACHO bundle t -o none; s=$?; test -z \"$(ls none)\" && exit $s", 2, "",
         "not a"},
    };
    struct buf out;

    buf_init(&out, 1 << 20);
    shell_case_expect("$TACHO bundle r.db -o o && tar -xf o/*.tar -C o");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        int status = shell_case_run(rows[i].command, &out);
        cr_expect_eq(status, rows[i].status, "%s: %d: %s", rows[i].command, status, out.bytes);
        cr_expect(shell_case_ends_with(&out, rows[i].ending), "%s: %s", rows[i].command, out.bytes);
        cr_expect_not_null(strstr(out.bytes, rows[i].says), "%s: %s", rows[i].command, out.bytes);
    }
    shell_case_expect(
        "mkdir tmp && TMPDIR=$PWD/tmp $TACHO verify o/*.tar && test -z \"$(ls -A tmp)\"");
    buf_release(&out);
}

/* C05, C06: the folder form of the tamper matrix. Nothing may block, nothing outside be opened. */
Test(verify_program, refuses_changed_folders, .init = shell_case_make, .fini = shell_case_remove,
     .timeout = 120)
{
    static const struct {
        const char *change, *says;
    } rows[] = {
        {"printf x >>data/README.md", "V6 digest: data/README.md"},
        {"rm data/README.md", "V5 missing-file"},
        {"mv data/README.md data/README.txt", "V5 missing-file"},
        {"echo x >data/extra", "V5 extra-file: data/extra"},
        {"echo x >data/.hidden", "V2 bad-path"},
        {"echo x >evil.sh", "V4 extra-tag-file: evil.sh"},
        {"mkdir data/empty", "V5 extra-folder: data/empty/"},
        {"mv data/README.md ../kept && ln -s ../../kept data/README.md", "V2 not-regular"},
        {"ln data/README.md ../kept", "V2 not-regular"},
        {"ln -s .. data/loop", "V2 not-regular"},
        {"ln -s /etc/shadow data/shadow", "V2 not-regular"},
        {"mkfifo data/fifo", "V2 not-regular"},
        {"rm data/README.md && mkfifo data/README.md", "V2 not-regular"},
        {"chmod +x data/README.md", "V2 mode"},
        {"chmod u+s data/README.md", "V2 mode"},
        {"echo x >fetch.txt", "V4 fetch-file"},
        {"rm tagmanifest-sha256.txt", "V4 missing-file"},
        {"rm manifest-sha256.txt", "V4 missing-file"},
        {"cp data/results/results.db data/results/results.db-wal", "V2 bad-path"},
        {"cp data/results/results.db data/results/results.db-journal", "V2 bad-path"},
        {"sed -i s/$/\\\\r/ manifest-sha256.txt", "V5 non-canonical-manifest"},
        {"rm -rf data", "V3 missing-file"},
        {"touch \"data/$(printf 'a\\033[2Jb')\"", "\\x1b[2Jb"},
        {"touch \"data/$(printf 'a\\nb')\"", "a\\x0ab"},
        {"touch data/readme.md", "V2 name-collision"},
    };
    struct buf out;
    char command[600];

    buf_init(&out, 1 << 20);
    shell_case_expect("$TACHO bundle r.db -o o && mkdir x && tar -xf o/*.tar -C x");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(command, sizeof(command),
                 "rm -rf y kept && cp -a x y && (cd y/*/ && %s) && timeout 20 $TACHO verify y/*/",
                 rows[i].change);
        int status = shell_case_run(command, &out);
        cr_expect_eq(status, 5, "%s: %d: %s", rows[i].change, status, out.bytes);
        cr_expect_not_null(strstr(out.bytes, rows[i].says), "%s: %s", rows[i].change, out.bytes);
        cr_expect(shell_case_ends_with(&out, "VERDICT=REFUSED\n"), "%s: %s", rows[i].change,
                  out.bytes);
        cr_expect_null(strchr(out.bytes, '\033'), "%s", rows[i].change);
    }
    buf_release(&out);
}

/* Archives that GNU tar makes and that ours must not read. */
Test(verify_program, refuses_archives_of_other_kinds, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 120)
{
#define CANONICAL                                                                                  \
    "LC_ALL=C tar --sort=name --mtime=@$(sed -n 's/^Tacho-Time: //p' */bag-info.txt) --owner=0 "   \
    "--group=0 --numeric-owner --mode=u+rwX,go+rX,go-w,a-s -cf ../t.tar "
    static const char *const rows[] = {
        "tar -cf ../t.tar *",
        CANONICAL "--format=gnu *",
        CANONICAL "--format=pax *",
        CANONICAL "--format=v7 *",
        CANONICAL "--format=ustar * && truncate -s -512 ../t.tar", /* no whole record at the end */
        CANONICAL "--format=ustar --owner=1 *",
        CANONICAL "--format=ustar ./*",
        CANONICAL "--format=ustar */*",
        CANONICAL "--format=ustar -P $PWD/*",
        CANONICAL "--format=ustar --transform='s#README#../../README#' *",
        CANONICAL "--format=ustar --sort=none --no-recursion */data * */bag*",
        CANONICAL "--format=ustar * */data/README.md",
        "mkfifo $(echo *)/data/f && " CANONICAL "--format=ustar *",
        "ln -s x $(echo *)/data/f && " CANONICAL "--format=ustar *",
        "ln */data/README.md $(echo *)/data/f && " CANONICAL "--format=ustar *",
        CANONICAL "--format=ustar * && printf x >>../t.tar",
        CANONICAL "--format=ustar * && cat ../t.tar ../t.tar >../u.tar && mv ../u.tar ../t.tar",
    };
    struct buf out;
    char command[900];

    buf_init(&out, 1 << 20);
    shell_case_expect("$TACHO bundle r.db -o o && mkdir x && tar -xf o/*.tar -C x");
    shell_case_expect("cd x && " CANONICAL "--format=ustar * && $TACHO verify ../t.tar");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(command, sizeof(command),
                 "rm -rf y t.tar; cp -a x y; cd y; %s; cd ..; test -s t.tar || exit 99; timeout 20 "
                 "$TACHO verify t.tar",
                 rows[i]);
        int status = shell_case_run(command, &out);
        cr_expect_eq(status, 5, "%s: %d: %s", rows[i], status, out.bytes);
    }
    buf_release(&out);
#undef CANONICAL
}

/* C13 */
Test(bundle, leaves_nothing_under_its_name_when_it_is_killed, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 120)
{
    /* What a killed one left goes with the next; what somebody else made, or works in, does not. */
    shell_case_expect(
        "mkdir -p whole/.tacho-bundle-left01/report kept && cd whole && "
        "mkdir .tacho-bundle-public .tacho-bundle-locked .tacho-bundle-longer1 && "
        "ln -s ../kept .tacho-bundle-linked && chmod 700 .tacho-bundle-l* ../kept && "
        "chmod 755 .tacho-bundle-public && flock .tacho-bundle-locked $TACHO bundle ../r.db && "
        "test ! -e .tacho-bundle-left01 -a -d .tacho-bundle-public -a -d .tacho-bundle-locked -a "
        "-d .tacho-bundle-longer1 -a -L .tacho-bundle-linked -a -d ../kept");
    for (long delay_us = 0; delay_us < 60000; delay_us += 3000) {
        const struct timespec delay = {.tv_nsec = delay_us * 1000};
        pid_t pid = fork();

        cr_assert_geq(pid, 0);
        if (pid == 0) {
            int null = open("/dev/null", O_WRONLY);
            if (chdir(shell_case_folder) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2) {
                execl(shell_case_program, shell_case_program, "bundle", "r.db", "-o", "killed",
                      (char *)NULL);
            }
            _exit(99);
        }
        nanosleep(&delay, NULL);
        kill(pid, SIGKILL);
        cr_assert_eq(waitpid(pid, NULL, 0), pid);
        shell_case_expect(
            "mkdir -p killed; for f in killed/*.tar killed/*.sha256 killed/*.md; do "
            "test ! -e $f || cmp $f whole/$(basename $f) || exit 1; done; "
            "until rm -rf killed 2>rm.err; do sleep 0.05; done"); /* a drawing program goes on */
    }
}

/* C13: a disk that takes no more is played by a limit on the size of files. */
Test(bundle, leaves_nothing_behind_on_a_full_disk, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    for (int kib = 1; kib <= 256; kib *= 4) {
        char command[200];

        snprintf(command, sizeof(command),
                 "trap '' XFSZ; ulimit -f %d; $TACHO bundle r.db -o full >/dev/null 2>&1", kib);
        int status = shell_case_run(command, &out);
        cr_expect_neq(status, 0, "%d KiB", kib);
        cr_expect_neq(status, -1, "%d KiB", kib);
        shell_case_expect("test -z \"$(ls -A full)\"");
    }
    buf_release(&out);
}

/* Names of engines with markup, quotes and line feeds: portable in the bundle. C01, C04 */
Test(bundle, holds_hostile_and_incomplete_sessions, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 120)
{
    static const unsigned faults[] = {RESULTS_BUILDER_HOSTILE,      RESULTS_BUILDER_CRASHED,
                                      RESULTS_BUILDER_INTERRUPTED,  RESULTS_BUILDER_NOTHING,
                                      RESULTS_BUILDER_NO_HISTOGRAM, RESULTS_BUILDER_EMPTY};

    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        const struct results_builder builder = {.faults = faults[i], .block_count = 2};
        char path[128];

        snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
        results_builder_make(&builder, path);
        shell_case_expect("rm -rf o; $TACHO bundle r.db -o o && $TACHO verify --no-policy o/*.tar");
        shell_case_expect(
            "cd o && tar -xf *.tar && find . | LC_ALL=C grep -v '^[A-Za-z0-9._/+-]*$' | "
            "wc -l | grep -qx 0");
    }
}

/* What verify would refuse is not sealed. */
Test(bundle, refuses_a_file_whose_plan_was_changed, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    struct buf out;
    char path[128];

    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    results_builder_alter(path, "UPDATE session SET plan_text = plan_text || '# more'");
    buf_init(&out, 1 << 20);
    cr_expect_eq(shell_case_run("$TACHO bundle r.db -o changed", &out), 2, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "plan"));
    shell_case_expect("test -z \"$(ls -A changed)\"");
    buf_release(&out);
}

/* Each place that text gets into a bundle from: plan, facts, events. */
Test(bundle, seals_nothing_that_nobody_means_to_publish, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    static const struct {
        const char *sql, *says;
    } rows[] = {
        {"UPDATE fact SET value = '/home/"
         "jane/x' WHERE name = 'cpu.model'",
         "data/README.md: line "},
        {"UPDATE session SET title = 'ghp_"
         "abcdefghij0123456789abcdefghij012345'",
         "data/CITATION.cff: line "},
        {"UPDATE engine SET command = '[\"x\",\"-----BEGIN RSA "
         "PRIVATE KEY-----\"]'",
         "a private key"},
    };
    struct buf out;
    char path[128];

    buf_init(&out, 1 << 20);
    snprintf(path, sizeof(path), "%s/s.db", shell_case_folder);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        shell_case_expect("rm -rf s && cp r.db s.db");
        results_builder_alter(path, rows[i].sql);
        cr_expect_eq(shell_case_run("$TACHO bundle s.db -o s", &out), 2, "%s", out.bytes);
        cr_expect_not_null(strstr(out.bytes, "s.db: nothing was sealed: data/"), "%s", out.bytes);
        cr_expect_not_null(strstr(out.bytes, rows[i].says), "%s: %s", rows[i].says, out.bytes);
        shell_case_expect("test -z \"$(ls -A s)\"");
        shell_case_expect("$TACHO bundle s.db -o s --no-scan && $TACHO verify s/*.tar");
    }
    buf_release(&out);
}

/* A file that is no archive is not read whole. */
Test(verify_program, refuses_a_large_file_by_its_first_block, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    shell_case_expect("truncate -s 1G zeros.tar && truncate -s 2G more.tar && "
                      "printf '\\037\\213' > gz.tar && truncate -s 1G gz.tar");
    cr_expect_eq(shell_case_run("$TACHO verify zeros.tar", &out), 5, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "V0 bad-magic"), "%s", out.bytes);
    cr_expect_eq(shell_case_run("$TACHO verify more.tar", &out), 5, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "V0 too-large"), "%s", out.bytes);
    cr_expect_eq(shell_case_run("$TACHO verify gz.tar", &out), 5, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "V0 compressed"), "%s", out.bytes);
    buf_release(&out);
}
