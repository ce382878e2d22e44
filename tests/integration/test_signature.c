// SPDX-License-Identifier: Apache-2.0
// Signed bundles, with ssh-keygen itself as the other party.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/buf.h"
#include "tests/support/shell_case.h"

/* jane signed o/NAME.tar; allowed names her, and john with another key. */
static void signed_make(void)
{
    shell_case_make();
    shell_case_expect("command -v ssh-keygen");
    shell_case_expect("for who in jane john; do ssh-keygen -q -t ed25519 -N '' -C x -f $who; done");
    shell_case_expect("for who in jane john; do echo \"$who@example.org "
                      "namespaces=\\\"tacho-bundle\\\" $(cat $who.pub)\"; done >allowed");
    shell_case_expect("$TACHO bundle r.db -o o --sign jane >told 2>&1");
    shell_case_expect("mkdir x && tar -xf o/*.tar -C x && cp x/*/tagmanifest-sha256.txt tags");
}

Test(signature, is_what_ssh_keygen_makes_and_takes, .init = signed_make, .fini = shell_case_remove,
     .timeout = 60)
{
    /* Ed25519 is deterministic: the same key gives the same bytes. */
    shell_case_expect("ssh-keygen -Y sign -f jane -n tacho-bundle <tags >own.sig && "
                      "cmp own.sig o/*.tar.sig");
    shell_case_expect("ssh-keygen -Y verify -f allowed -I jane@example.org -n tacho-bundle -s "
                      "o/*.tar.sig <tags");
    shell_case_expect("grep -qF \"Signed by: ED25519 key $(ssh-keygen -lf jane.pub | cut -d' ' "
                      "-f2)\" told && grep -qF 'Signed by: ED25519 key SHA256:' o/*.publish.md");
    shell_case_expect("$TACHO verify --signers allowed o/*.tar");
    /* A signature changes no byte of the bundle. */
    shell_case_expect("$TACHO bundle r.db -o plain && cmp plain/*.tar o/*.tar && "
                      "test -z \"$(ls plain | grep sig)\"");
}

Test(signature, has_three_answers, .init = signed_make, .fini = shell_case_remove, .timeout = 120)
{
    static const struct {
        const char *prepare, *options;
        int status;
        const char *says;
    } rows[] = {
        {":", "--signers allowed", 0, "Signed by: jane@example.org, ED25519 key SHA256:"},
        {":", "--signers allowed --identity jane@example.org", 0, "signed by one whom --signers"},
        {":", "", 0, "not asked (--signers)"},
        /* Valid, but of nobody that the reader knows. */
        {":", "--signers allowed --identity john@example.org", 5, "V8 signer-unknown"},
        {":", "--signers allowed --identity nobody", 5, "V8 signer-unknown"},
        {"grep john allowed >a", "--signers a", 5, "V8 signer-unknown"},
        {": >a", "--signers a", 5, "V8 signer-unknown"},
        {"sed 's/ / valid-before=\"20200101\",/' allowed >a", "--signers a", 5,
         "V8 signer-unknown"},
        {"sed 's/tacho-bundle/file/' allowed >a", "--signers a", 5, "V8 signer-unknown"},
        /* Of a key that is there twice, ssh-keygen names the first owner; --identity the other. */
        {"(sed 's/tacho-bundle/file/;s/jane@/other@/' allowed; cat allowed) >a",
         "--signers a --identity jane@example.org", 0, "Signed by: jane@example.org"},
        {"ssh-keygen -Y sign -f john -n tacho-bundle <tags >$sig && grep jane allowed >a",
         "--signers a", 5, "V8 signer-unknown"},
        {"ssh-keygen -Y sign -f john -n tacho-bundle <tags >$sig", "--signers allowed", 0,
         "Signed by: john@example.org"},
        /* Not a signature of this bundle. */
        {"ssh-keygen -Y sign -f jane -n file <tags >$sig", "--signers allowed", 5,
         "V8 signature-bad"},
        {"(cat tags; echo) | ssh-keygen -Y sign -f jane -n tacho-bundle >$sig", "--signers allowed",
         5, "V8 signature-bad"},
        {"sed -i '2s/./A/20;2s/./B/21' $sig", "--signers allowed", 5, "V8 signature-bad"},
        {": >$sig", "--signers allowed", 5, "V8 signature-bad"},
        {"head -c 100000 /dev/zero >$sig", "--signers allowed", 5, "V8 signature-bad"},
        {"rm $sig && mkfifo $sig", "--signers allowed", 5, "V8 signature-bad"},
        {"rm $sig", "--signers allowed", 5, "V8 signature-missing"},
        {":", "--signers none", 2, "none"},
        /* A file of no signers is the caller's mistake. */
        {"echo garbage >a", "--signers a", 2, "--signers a: no line names a signer"},
        {"cp jane.pub a", "--signers a", 2, "--signers a: no line names a signer"},
        {"head -c 1000 /dev/zero >a", "--signers a", 2, "--signers a: no line names a signer"},
        {"echo '# nobody yet' >a", "--signers a", 5, "V8 signer-unknown"},
        {":", "--identity jane@example.org", 2, "--signers"},
    };
    struct buf out;
    char command[700];

    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(command, sizeof(command),
                 "rm -rf p; cp -a o p; sig=$(echo p/*.sig); (%s) || exit 99; timeout 40 $TACHO "
                 "verify %s p/*.tar",
                 rows[i].prepare, rows[i].options);
        int status = shell_case_run(command, &out);
        cr_expect_eq(status, rows[i].status, "row %zu: %d: %s", i, status, out.bytes);
        cr_expect_not_null(strstr(out.bytes, rows[i].says), "row %zu: %s", i, out.bytes);
    }
    buf_release(&out);
}

/* What an attacker does who makes all manifests anew: the signature is of the old ones. */
Test(signature, refuses_a_forged_bundle, .init = signed_make, .fini = shell_case_remove,
     .timeout = 60)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    shell_case_expect("sqlite3 r.db 'UPDATE sample SET server_rss_kib = server_rss_kib / 2' && "
                      "$TACHO bundle r.db -o f && cp o/*.sig $(echo f/*.tar).sig && "
                      "$TACHO verify f/*.tar");
    cr_expect_eq(shell_case_run("$TACHO verify --signers allowed f/*.tar", &out), 5, "%s",
                 out.bytes);
    cr_expect_not_null(strstr(out.bytes, "V8 signature-bad"), "%s", out.bytes);
    buf_release(&out);
}

Test(signature, holds_for_the_unpacked_folder, .init = signed_make, .fini = shell_case_remove,
     .timeout = 60)
{
    shell_case_expect("cp o/*.sig x/ && $TACHO verify --signers allowed x/*/");
    shell_case_expect("cd x/*/ && $TACHO verify --signers ../../allowed .");
}

/* A key that cannot sign leaves nothing behind. */
Test(signature, is_wanted_or_nothing_is_written, .init = shell_case_make, .fini = shell_case_remove,
     .timeout = 60)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    cr_expect_eq(shell_case_run("$TACHO bundle r.db -o n --sign nokey", &out), 2, "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "nokey"), "%s", out.bytes);
    cr_expect_eq(shell_case_run("$TACHO bundle r.db -o n --sign r.db", &out), 2, "%s", out.bytes);
    shell_case_expect("test -z \"$(ls -A n)\"");
    buf_release(&out);
}
