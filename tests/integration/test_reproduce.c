// SPDX-License-Identifier: Apache-2.0
// tacho reproduce on bundles of real, short sessions: unchanged, changed, hostile, interrupted.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "tests/support/namespaces.h"
#include "tests/support/shell_case.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED                                                                               \
    1 /* its build record has flags whose run-time library the sources are without */
#else
#define IS_SANITIZED 0
#endif

static const char plan[] =
    "title: tiny\nbaseline: blocking\ntrials: %d\naa: false\nsettle: 0s\nwarmup: 100ms\n"
    "window: 200ms\ncooldown: 0s\nsample: 100ms\nseed: 5\n"
    "engines:\n"
    "  - { name: epoll, builtin: epoll, threads: 1 }\n"
    "  - { name: blocking, builtin: blocking }\n"
    "workloads:\n"
    "  - { name: ping, get: /ping, expect: { status: 200, body: pong }, connections: 2 }\n"
    "  - { name: echo, post: /echo, body: sent.bin, expect: { status: 200 }, connections: 2 }\n"
    "claims:\n"
    "  - { id: C1, no_errors: true }\n";

/* What is edited next lies in the folder of tacho-engine; then reseal() of reseal.sh. */
#define UNPACK "rm -rf x && mkdir x && tar -xf o/*.tar -C x && cd x/*/data/servers/tacho-engine && "

static void file_write(const char *name, const char *bytes, size_t length)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", shell_case_folder, name);
    cr_assert_eq(fs_write_file(path, bytes, length, NULL), ERR_OK);
}

static void session_make(int trials)
{
    static const char sent[3000] = "body";
    char text[sizeof(plan) + 16];
    struct buf reseal;

    if (IS_SANITIZED) {
        cr_skip_test("an instrumented engine is not built from the bundle's sources alone");
    }
    shell_case_make();
    int length = snprintf(text, sizeof(text), plan, trials);
    file_write("plan.yaml", text, (size_t)length);
    buf_init(&reseal, 1 << 16);
    cr_assert_eq(fs_read_file("tests/integration/reseal.sh", &reseal, NULL), ERR_OK);
    file_write("reseal.sh", reseal.bytes, reseal.length);
    buf_release(&reseal);
    file_write("sent.bin", sent, sizeof(sent));
    shell_case_expect(
        "{ $TACHO run --force --wait 0s plan.yaml -o s.db || test $? = 4; } 2>run.err && "
        "$TACHO bundle s.db -o o && chmod 777 .");
}

static void session_of_six(void)
{
    session_make(6);
}

static void session_of_two(void)
{
    session_make(2);
}

static void check_says(const struct buf *out, const char *text)
{
    cr_expect_not_null(strstr(out->bytes, text), "no \"%s\" in: %s", text, out->bytes);
}

/* The new bundle with other verdicts, sealed again: as by another version, and as by this one. */
static void verdicts_are_held(void)
{
    static const struct {
        const char *edit, *agent, *says;
    } rows[] = {
        {"0,/\"verdict\": \"[A-Z_]*\"/s//\"verdict\": \"PARTIAL\"/' verdict.json", "tacho 9.9",
         "V10 reproduction-verdict: data/reproduction/verdict.json: its \"verdict\" is PARTIAL"},
        {"s/\"same_machine_class\": true/\"same_machine_class\": false/' verdict.json", "tacho 9.9",
         "V10 reproduction-verdict"},
        {"s/\"passed\": true/\"passed\": false/' verdict.json", "tacho 9.9",
         "V10 reproduction-verdict"},
        {"s/Published beside reproduced/Published before/' reproduction.md",
         "tacho $($TACHO --version | sed -n 's/^tacho //p')",
         "V10 content: data/reproduction/reproduction.md"},
    };
    char command[1000];
    struct buf out;

    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        snprintf(command, sizeof(command),
                 ". ./reseal.sh; rm -rf z && mkdir z && tar -xf out/*.tar -C z && "
                 "(cd z/*/data/reproduction && sed -i '%s) && reseal z evil.tar \"%s\" && "
                 "$TACHO verify evil.tar",
                 rows[i].edit, rows[i].agent);
        int status = shell_case_run(command, &out);

        cr_expect_eq(status, 5, "%s: %d: %s", command, status, out.bytes);
        check_says(&out, rows[i].says);
    }
    buf_release(&out);
}

Test(reproduce, of_an_unchanged_bundle_gives_the_same_program_and_a_verdict, .init = session_of_six,
     .fini = shell_case_remove, .timeout = 240)
{
    struct buf out;

    buf_init(&out, 1 << 22);
    int status = shell_case_run("$TACHO reproduce o/*.tar --yes --allow-root -o out --sha256 "
                                "$(cat o/*.tar | sha256sum | cut -d' ' -f1)",
                                &out);
    check_says(&out, "tacho-engine: IDENTICAL");
    /* Nothing fails here: at most the machine is too busy for a verdict. */
    if (status == 0) {
        cr_expect(shell_case_ends_with(&out, "VERDICT=REPRODUCED\n"), "%s", out.bytes);
    } else {
        cr_expect_eq(status, 3, "%d: %s", status, out.bytes);
        cr_expect(shell_case_ends_with(&out, "VERDICT=INCONCLUSIVE\n"), "%s", out.bytes);
        check_says(&out, "was not fit to measure");
    }
    shell_case_expect("test -s out/reproduction.html -a -s out/reproduction.md -a -s "
                      "out/report/report.html -a ! -e out/build -a ! -e out/session");
    /* The new bundle names the old one, and verifies by itself. */
    shell_case_expect(
        "id=$(mkdir x y && tar -xf o/*.tar -C x && tar -xf "
        "out/*.tar -C y && cat x/*/tagmanifest-sha256.txt | sha256sum | cut -d' ' -f1) && "
        "grep -qx \"Tacho-Based-On: $id\" y/*/bag-info.txt && grep -q "
        "\"\\\"bundle_id\\\": \\\"$id\\\"\" y/*/data/reproduction/verdict.json && "
        "grep -q \"sha256:$id\" y/*/data/ro-crate-metadata.json && "
        "cmp out/verdict.json y/*/data/reproduction/verdict.json && "
        "$TACHO verify out/*.tar > said && grep -qx VERDICT=VERIFIED said && "
        "grep -q 'data/reproduction were made again' said && "
        "$TACHO verify y/* | grep -qx VERDICT=VERIFIED && "
        "test -d y/*/data/servers/tacho-engine/src");
    verdicts_are_held();
    /* A folder with something in it is not written to. */
    status = shell_case_run("$TACHO reproduce o/*.tar --yes --allow-root -o out", &out);
    cr_expect_eq(status, 2);
    check_says(&out, "not an empty folder");
    buf_release(&out);
}

Test(reproduce, with_two_trials_decides_nothing, .init = session_of_two, .fini = shell_case_remove,
     .timeout = 120)
{
    struct buf out;

    buf_init(&out, 1 << 22);
    int status = shell_case_run(
        "tar -xf o/*.tar && $TACHO reproduce tiny-*/ --yes --allow-root -o out --lang pt-BR", &out);
    cr_expect_eq(status, 3, "%d: %s", status, out.bytes);
    check_says(&out, "Estes comandos do pacote");
    check_says(&out, "tacho-engine: IDENTICAL");
    cr_expect(shell_case_ends_with(&out, "VERDICT=INCONCLUSIVE\n"), "%s", out.bytes);
    buf_release(&out);
}

Test(reproduce, refuses_what_it_should_not_run, .init = session_of_two, .fini = shell_case_remove,
     .timeout = 60)
{
    static const struct {
        const char *command;
        int status;
        const char *says;
    } rows[] = {
        {"$TACHO reproduce o/*.tar --allow-root </dev/null", 2, "nobody to ask"},
        {"test $(id -u) != 0 && echo 'code of a bundle' && exit 2; $TACHO reproduce o/*.tar --yes",
         2, "code of a bundle"},
        {"$TACHO reproduce o/*.tar --yes --allow-root --sha256 12", 2, "64 hex digits"},
        {"$TACHO reproduce none.tar --yes --allow-root", 2, "none.tar"},
        /* Changed, sealed again, and the published SHA-256 given. */
        {UNPACK
         "sed -i s/pong/pang/ src/engines/app/ping.c && cd ../../../../.. && reseal x evil.tar && "
         "$TACHO verify evil.tar && "
         "$TACHO reproduce evil.tar --yes --allow-root -o new --sha256 "
         "$(cat o/*.tar | sha256sum | cut -d' ' -f1)",
         5, "V1 sha256"},
        /* From the web, and not what was asked for. */
        {"python3 -c 'import http.server' 2>/dev/null || { echo VERDICT=REFUSED; exit 5; }; "
         "mkdir w && cp o/*.tar w/b.tar; { python3 -u -m http.server 0 --bind 127.0.0.1 -d w >port "
         "2>/dev/null & }; server=$!; until grep -q port port; do sleep 0.05; done; "
         "$TACHO reproduce http://127.0.0.1:$(sed -n 's/.* port \\([0-9]*\\) .*/\\1/p' port)/b.tar "
         "--yes --allow-root -o new --sha256 $(sha256sum <plan.yaml | cut -d' ' -f1); status=$?; "
         "kill $server; exit $status",
         5, "REFUSED"},
        /* A record of how another program is built than the one that was measured. */
        {UNPACK "sed -i \"/product/s/\\\"sha256\\\": \\\".*/\\\"sha256\\\": \\\"$(printf %064d 7)"
                "\\\"}/\" build.json && cd ../../../../.. && reseal x evil.tar && "
                "$TACHO reproduce evil.tar --yes --allow-root -o new",
         5, "V10 build-record: data/servers/tacho-engine/build.json makes another program"},
        /* As by this version: it knows its own sources. */
        {UNPACK "sed -i s/pong/pang/ src/engines/app/ping.c && cd ../../../../.. && "
                "reseal x evil.tar \"tacho $($TACHO --version | sed -n 's/^tacho //p')\" && "
                "$TACHO reproduce evil.tar --yes --allow-root -o new --lang pt-BR",
         5, "V10 content"},
        {"$TACHO reproduce evil.tar --yes --allow-root -o new --lang pt-BR", 5,
         "nada dele foi executado"}, /* what the row before made */
    };
    char command[4096];
    struct buf out;

    buf_init(&out, 1 << 22);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        snprintf(command, sizeof(command), ". ./reseal.sh; %s", rows[i].command);
        int status = shell_case_run(command, &out);

        cr_expect_eq(status, rows[i].status, "%s: %d: %s", rows[i].command, status, out.bytes);
        check_says(&out, rows[i].says);
        cr_expect(status != 5 || shell_case_ends_with(&out, "VERDICT=REFUSED\n"), "%s", out.bytes);
    }
    shell_case_expect("test ! -e new && ! ls -d o/*-reproduced"); /* nothing was built */
    buf_release(&out);
}

/* Sources and build records that are not what was measured, sealed again as by another version. */
Test(reproduce, contains_what_a_changed_bundle_does, .init = session_of_two,
     .fini = shell_case_remove, .timeout = 240)
{
    static const struct {
        const char *change; /* in servers/tacho-engine */
        int status;
        const char *says, *too, *verdict;
    } rows[] = {
        {"sed -i s/pong/pang/ src/engines/app/ping.c", 4, "does not give the recorded answer",
         "DIFFERS-SAME-TOOLCHAIN", "INVALID"},
        {"sed -i '0,/engines.main[.]c\"]/s//no-such-file-c\"]/' build.json", 4, "step 1 of",
         "FAILED", "INVALID"},
        {"sed -i 's/\\[\"gcc\", \"-std=c17\"/[\"bad\", \"-std=c17\"/' build.json", 3,
         "not on this machine", "NO-COMPILER", "INCONCLUSIVE"},
        {"sed -i 's/\"format\": \"tacho-build-1\"/\"format\": \"tacho-build-9\"/' build.json", 3,
         "no build record of format", "", "NOT_COMPARABLE"},
    };
    char command[4096], ending[64];
    struct buf out;

    buf_init(&out, 1 << 22);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        snprintf(command, sizeof(command),
                 ". ./reseal.sh; " UNPACK
                 "%s && cd ../../../../.. && reseal x evil.tar && rm -rf new && "
                 "$TACHO reproduce evil.tar --yes --allow-root -o new",
                 rows[i].change);
        int status = shell_case_run(command, &out);

        snprintf(ending, sizeof(ending), "VERDICT=%s\n", rows[i].verdict);
        cr_expect_eq(status, rows[i].status, "%s: %d: %s", rows[i].change, status, out.bytes);
        check_says(&out, rows[i].says);
        check_says(&out, rows[i].too);
        cr_expect(shell_case_ends_with(&out, ending), "%s: %s", rows[i].change, out.bytes);
    }
    buf_release(&out);
}

Test(reproduce, works_for_an_ordinary_user_too, .init = session_of_two, .fini = shell_case_remove,
     .timeout = 120)
{
    struct buf out;

    if (geteuid() != 0) {
        cr_skip_test("the other tests are run by an ordinary user");
    }
    if (!namespaces_are_for_users()) {
        cr_skip_test(NAMESPACES_MISSING);
    }
    buf_init(&out, 1 << 22);
    if (shell_case_run("setpriv --reuid=65534 --regid=65534 --clear-groups $TACHO --version",
                       &out) != 0) {
        cr_skip_test("nobody cannot reach the program");
    }
    int status = shell_case_run("chmod -R a+rX o && setpriv --reuid=65534 --regid=65534 "
                                "--clear-groups $TACHO reproduce o/*.tar --yes --quick -o out",
                                &out);
    cr_expect_eq(status, 3, "%d: %s", status, out.bytes);
    check_says(&out, "tacho-engine: IDENTICAL");
    check_says(&out, "a quick run decides nothing");
    cr_expect(shell_case_ends_with(&out, "VERDICT=INCONCLUSIVE\n"), "%s", out.bytes);
    buf_release(&out);
}

/* The pipe ends when the last process that has it is gone. */
#define BEGUN                                                                                      \
    "mkfifo pipe; $TACHO reproduce o/*.tar --yes --allow-root -o out >told 2>pipe & pid=$!; "      \
    "exec 3<pipe; while read -r line <&3; do echo \"$line\"; case $line in 'trial 1/'*) break;; "  \
    "esac; done; "

Test(reproduce, that_is_killed_leaves_no_process, .init = session_of_two, .fini = shell_case_remove,
     .timeout = 120)
{
    shell_case_expect(BEGUN "kill -9 $pid && timeout 20 cat <&3 >rest");
}

Test(reproduce, that_is_interrupted_says_so, .init = session_of_two, .fini = shell_case_remove,
     .timeout = 120)
{
    shell_case_expect(BEGUN "kill -TERM $pid && timeout 60 cat <&3 >rest && { wait $pid; test $? = "
                            "143; } && tail -n1 told | grep -qx VERDICT=INTERRUPTED && "
                            "test ! -e out/build -a ! -e out/session -a ! -e out/verdict.json");
}
