// SPDX-License-Identifier: Apache-2.0
// What is made of bundles: reports, and outcomes of a verification for programs.
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "tests/support/shell_case.h"

static void bundle_make(void)
{
    shell_case_make();
    shell_case_expect("$TACHO bundle r.db -o o && mkdir x && tar -xf o/*.tar -C x");
}

Test(report_of_bundle, is_the_one_inside, .init = bundle_make, .fini = shell_case_remove,
     .timeout = 60)
{
    shell_case_expect("$TACHO report o/*.tar -o a >told && diff -r a x/*/data/report && "
                      "tail -n1 told | grep -q '^VERDICT='");
    shell_case_expect("$TACHO report x/*/ -o b && diff -r b x/*/data/report");
    shell_case_expect("$TACHO report o/*.tar && diff -r o/*-report a");
    shell_case_expect("$TACHO report x/*/ && diff -r x/*-report a");
    shell_case_expect("mkdir tmp && TMPDIR=$PWD/tmp $TACHO report o/*.tar -o c && "
                      "test -z \"$(ls -A tmp)\"");
}

Test(report_of_bundle, is_refused_unless_the_results_verify, .init = bundle_make,
     .fini = shell_case_remove, .timeout = 60)
{
    static const struct {
        const char *command;
        int status;
        const char *says;
    } rows[] = {
        {"printf x >>$y/data/README.md; $TACHO report $y -o n", 5, "V6 digest: data/README.md"},
        {"printf x >>$y/data/results/results.db; $TACHO report $y -o n", 5, "V6 digest"},
        {"cp $y/data/results/results.db $y/data/results/results.db-wal; $TACHO report $y -o n", 5,
         "V2 bad-path"},
        {"head -c 5120 o/*.tar >cut.tar; $TACHO report cut.tar -o n", 5, "V2 truncated"},
        {"$TACHO report o -o n", 2, "o: no bundle here"},
        {"cd $y && $TACHO report .", 2, "--output"},
        {"gzip -c o/*.tar >z.gz; $TACHO report z.gz -o n", 2, "z.gz"},
    };
    struct buf out;
    char command[400];

    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(command, sizeof(command), "rm -rf y; cp -a x y; y=$(echo y/*); %s",
                 rows[i].command);
        int status = shell_case_run(command, &out);
        cr_expect_eq(status, rows[i].status, "%s: %d: %s", rows[i].command, status, out.bytes);
        cr_expect_not_null(strstr(out.bytes, rows[i].says), "%s: %s", rows[i].command, out.bytes);
        cr_expect_null(strstr(out.bytes, "VERDICT="), "%s: %s", rows[i].command, out.bytes);
    }
    shell_case_expect("test ! -e n");
    buf_release(&out);
}

/* Bytes of a histogram in results.db, sealed again; verify itself tells what the digest of the rows
 * is then. Of what does not agree nothing is made. */
Test(report_of_bundle, with_rows_that_do_not_agree_is_refused_and_leaves_nothing,
     .init = bundle_make, .fini = shell_case_remove, .timeout = 60)
{
    static const char *const commands[] = {
        "$TACHO report evil.tar -o n", "$TACHO report evil.tar --print",
        "$TACHO report evil.tar --format csv -o n", "$TACHO results evil.tar --check"};
    char path[128], line[400];
    struct buf out, reseal;

    buf_init(&out, 1 << 20);
    buf_init(&reseal, 1 << 16);
    cr_assert_eq(fs_read_file("tests/integration/reseal.sh", &reseal, NULL), ERR_OK);
    snprintf(path, sizeof(path), "%s/reseal.sh", shell_case_folder);
    cr_assert_eq(fs_write_file(path, reseal.bytes, reseal.length, NULL), ERR_OK);
    buf_release(&reseal);
    shell_case_expect(
        ". ./reseal.sh; db=$(echo x/*/data/results/results.db); "
        "at=$(LC_ALL=C grep -abo \"$(printf '\\034\\204\\223\\024')\" $db | LC_ALL=C sed -n "
        "'5s/:.*//p') && "
        "printf XXXX | dd of=$db bs=1 seek=$((at + 20)) conv=notrunc 2>dd.err && "
        "reseal x once.tar && { $TACHO verify once.tar 2>said; test $? = 5; } && "
        "hex=$(sed -n \"s/.*rows' digest is \\([0-9a-f]*\\),.*/\\1/p\" said) && test -n \"$hex\" "
        "&& "
        "sed -i \"s/^Tacho-Samples-Digest: .*/Tacho-Samples-Digest: $hex/\" x/*/bag-info.txt && "
        "reseal x evil.tar");
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        snprintf(line, sizeof(line), "rm -rf n; %s; s=$?; test ! -e n && exit $s", commands[i]);
        int status = shell_case_run(line, &out);

        cr_expect_eq(status, 5, "%s: %d: %s", line, status, out.bytes);
        cr_expect_not_null(strstr(out.bytes, "tacho: V10 latency: trial "), "%s", out.bytes);
        bool is_check = strstr(line, "--check");
        cr_expect_eq(is_check, strstr(out.bytes, "VERDICT=UNSOUND\n") != NULL, "%s", out.bytes);
        cr_expect(is_check || !strstr(out.bytes, "VERDICT="), "%s", out.bytes);
    }
    shell_case_expect("test -z \"$(find . -name '.tacho*' -o -name tables ! -path './x/*')\"");
    buf_release(&out);
}

/* A bundle, or the folder that was in it, stands for the results file that it holds. */
Test(report_of_bundle, stands_for_its_results_file, .init = bundle_make, .fini = shell_case_remove,
     .timeout = 60)
{
    shell_case_expect("$TACHO compare r.db r.db >want; s=$?; for f in o/*.tar x/*/; do "
                      "$TACHO compare $f r.db >got; test $? = $s && cmp want got || exit 1; "
                      "$TACHO compare r.db $f >got; test $? = $s && cmp want got || exit 1; done");
    shell_case_expect("$TACHO report r.db --baseline r.db -o want.d && "
                      "$TACHO report r.db --baseline o/*.tar -o got.d && diff -r want.d got.d");
    shell_case_expect("printf x >>$(echo x/*)/data/README.md; for c in 'compare r.db' "
                      "'report r.db -o n --baseline'; do $TACHO $c x/*/; test $? = 5 || exit 1; "
                      "done; test ! -e n");
}

/* The object that a command writes, alone on standard output. */
static json_t *outcome_get(const char *command, int status, struct buf *out)
{
    json_error_t error;

    int got = shell_case_run(command, out);
    cr_assert_eq(got, status, "%s: %d: %s", command, got, out->bytes);
    json_t *outcome = json_loadb(out->bytes, out->length, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(outcome, "%s: %s: %s", command, error.text, out->bytes);
    cr_expect_str_eq(json_string_value(json_object_get(outcome, "format")), "tacho-verify-1");
    return outcome;
}

static const char *state_get(const json_t *outcome, const char *code)
{
    const json_t *stages = json_object_get(outcome, "stages");

    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        if (strcmp(json_string_value(json_object_get(stage, "code")), code) == 0) {
            return json_string_value(json_object_get(stage, "state"));
        }
    }
    return "absent";
}

Test(verify_json, tells_all_that_is_known, .init = bundle_make, .fini = shell_case_remove,
     .timeout = 60)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    json_t *outcome = outcome_get("$TACHO verify --json o/*.tar", 0, &out);
    cr_expect_str_eq(json_string_value(json_object_get(outcome, "verdict")), "VERIFIED");
    cr_expect_str_eq(state_get(outcome, "V1"), "not-asked");
    cr_expect_str_eq(state_get(outcome, "V8"), "not-asked");
    cr_expect_str_eq(state_get(outcome, "V12"), "ok");
    cr_expect_eq(json_array_size(json_object_get(outcome, "findings")), 0);
    cr_expect_eq(strlen(json_string_value(json_object_get(outcome, "bundle_id"))), 64);
    cr_expect(json_is_null(json_object_get(outcome, "signer")));
    json_decref(outcome);

    /* All findings of a stage, not the first alone. */
    outcome = outcome_get("y=$(echo x/*); printf x >>$y/data/README.md; printf x "
                          ">>$y/data/CITATION.cff; $TACHO verify --json $y 2>err",
                          5, &out);
    cr_expect_str_eq(json_string_value(json_object_get(outcome, "verdict")), "REFUSED");
    cr_expect_str_eq(state_get(outcome, "V5"), "ok");
    cr_expect_str_eq(state_get(outcome, "V6"), "failed");
    cr_expect_str_eq(state_get(outcome, "V7"), "not-reached");
    size_t digest_count = 0;
    const json_t *findings = json_object_get(outcome, "findings");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *finding = json_array_get(findings, i);
        cr_expect_str_eq(json_string_value(json_object_get(finding, "stage")), "V6");
        digest_count += strcmp(json_string_value(json_object_get(finding, "code")), "digest") == 0;
    }
    cr_expect_eq(digest_count, 2);
    cr_expect(json_is_null(json_object_get(outcome, "samples_digest")));
    json_decref(outcome);
    shell_case_expect("test ! -s err");
    buf_release(&out);
}
