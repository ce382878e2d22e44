// SPDX-License-Identifier: Apache-2.0
// The part of a bundle's README that a reviewer works through.
#include "report/bundle/content_review.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/bundle/reproducible.h"
#include "report/judge/replication.h"

/* What lies in the folder of a reproduction: see reproduce_work.h. The results are there three
 * times (published, measured, taken out), and once more in its own bundle beside samples.csv. */
#define DISK_FIXED_BYTES   ((uint64_t)24 << 20)
#define DISK_RESULTS_TIMES 8

/* --- found out --- */

static void refusal_take(void *self, const char *code, const char *text)
{
    struct content_review *review = self;

    if (review->refusal_count++ == 0) {
        snprintf(review->refusal, sizeof(review->refusal), "%s", text);
    }
    review->is_excusable = review->is_excusable && strcmp(code, "policy-gate") == 0;
    if (review->config->refusal) {
        review->config->refusal(review->config->self, code, text);
    }
}

void content_review_begin(struct content_review *review, const struct content_config *config)
{
    static const struct verify_policy usual = VERIFY_POLICY_USUAL;
    struct err cause = {0};

    *review = (struct content_review){.config = config, .is_excusable = true};
    if (reproducible_load_plan(config->results, &review->plan, &cause) != ERR_OK) {
        snprintf(review->plan_problem, sizeof(review->plan_problem), "%s", cause.text);
    }
    review->look = (struct policy_look){
        .policy = &usual, .plan = review->plan, .tell = refusal_take, .self = review};
}

enum err_code content_review_finish(struct content_review *review, struct err *e)
{
    const struct content_config *config = review->config;
    struct err cause = {0};
    struct stat status;

    if (stat(config->results_path, &status) != 0) {
        return err_set_sys(e, "%s", config->results_path);
    }
    review->results_bytes = (uint64_t)status.st_size;
    enum err_code code = policy_check_session(&review->look, config->results, e);
    const char *obstacle = NULL; /* the last that applies says most */
    if (review->refusal_count) {
        obstacle = "it takes only bundles that verify without the option that line 1 has here";
    }
    if (!review->plan) {
        obstacle = "this version cannot run its plan";
    }
    if (!content_has_sources(config)) {
        obstacle = "the sources of the measured engines are not in this bundle";
    }
    if (review->plan && reproducible_check_plan(review->plan, &cause) != ERR_OK) {
        obstacle = cause.text;
    }
    snprintf(review->obstacle, sizeof(review->obstacle), "%s", obstacle ? obstacle : "");
    return code;
}

void content_review_release(struct content_review *review)
{
    plan_free(review->plan);
    review->plan = NULL;
}

/* --- written --- */

void content_review_add_literal(struct buf *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        buf_add_char(out, byte < 0x20 || byte == 0x7f ? '?' : *text);
    }
}

static const char *verify_option(const struct content_review *review)
{
    if (review->refusal_count == 0) {
        return "";
    }
    return review->is_excusable ? " --allow-failed" : " --no-policy";
}

/* Lines that can be pasted as they stand, once the two names are set. */
static void commands_add(const struct content_review *review, struct buf *out)
{
    buf_addf(out,
             "\n## A reviewer's commands\n\n"
             "In the folder of the downloaded bundle, with `tacho` installed (`tacho --version` "
             "should say %s;\nanother version still checks form, digests and numbers, but not "
             "every byte "
             "of this file and the report). Only the first two\nlines are to be filled in.\n\n"
             "    FILE=the-bundle.tar\n"
             "    HEX=the-SHA-256-that-the-article-prints\n\n"
             "    tacho verify%s --sha256 \"$HEX\" \"$FILE\"\n"
             "    tacho results --check \"$FILE\"\n"
             "    tacho report \"$FILE\" -o report\n",
             review->config->program_version, verify_option(review));
    if (!*review->obstacle) {
        buf_add_text(out, "    tacho reproduce --sha256 \"$HEX\" \"$FILE\" -o reproduced\n");
    }
    buf_add_text(
        out,
        "\n1. Whether every byte is what was sealed, and the report is what the results give: "
        "`VERDICT=VERIFIED`, exit\n   status 0; else `REFUSED`, 5, with what differs. It takes a "
        "minute or less and executes nothing. Without tacho, after\n   `tar -xf \"$FILE\"`, in its "
        "top folder: `sha256sum --strict -c tagmanifest-sha256.txt manifest-sha256.txt`.\n");
    if (review->refusal_count) {
        buf_addf(out,
                 "   Without `%s` it is refused here: what was measured is not all that the plan "
                 "asks for (stage V11),\n   %zu finding%s, first:\n\n        ",
                 verify_option(review) + 1, review->refusal_count,
                 units_word((int64_t)review->refusal_count, "", "s"));
        content_review_add_literal(out, review->refusal);
        buf_add_text(out, "\n\n");
    }
    buf_add_text(
        out,
        "2. What was measured when and where, and whether every row agrees with the others: "
        "`VERDICT=SOUND`. Unpacked, the\n   samples are `data/results/samples.csv`, and "
        "`data/results/results.db` for `sqlite3 -readonly` and lines like\n   `SELECT trial_id, "
        "sum(ok_count) FROM sample WHERE phase = 'window' GROUP BY trial_id`.\n"
        "3. The report again, in `report/report.html`: the same as `data/report` of the bundle, "
        "byte for byte, with the same\n   tacho and the gnuplot that `bag-info.txt` names. Its "
        "last line is the session's verdict, `VERDICT=`; exit status 1: a\n   claim is "
        "refuted.\n");
}

/* What counts as reproduced, of the kinds that are claimed. */
static void criteria_add(const struct analysis *analysis, struct buf *out)
{
    bool has[PLAN_CLAIM_KIND_COUNT] = {false};

    for (size_t i = 0; i < analysis->claim_count; i++) {
        has[analysis->claims[i].claim->kind] = true;
    }
    if (has[PLAN_CLAIM_RATIO]) {
        buf_addf(out,
                 "   - a ratio: the claim holds, and the 95 %% interval of the ratio there over "
                 "the one here lies within\n     1/%.2f and %.2f;\n",
                 1 + REPLICATION_MARGIN, 1 + REPLICATION_MARGIN);
    }
    if (has[PLAN_CLAIM_ORDER] || has[PLAN_CLAIM_NO_ERRORS] || has[PLAN_CLAIM_RECOVERS]) {
        buf_add_text(out, "   - an order, answers without errors, a recovery: the claim holds "
                          "there as well;\n");
    }
    if (has[PLAN_CLAIM_BOUND] || has[PLAN_CLAIM_LEVEL]) {
        buf_add_text(out, "   - a value with a unit: the claim holds there as well; with another "
                          "model or number of CPUs it is\n     NOT_COMPARABLE;\n");
    }
    buf_add_text(out, "   - what is not SUPPORTED above cannot become REPRODUCED.\n");
}

/* What may come back. */
static void outcome_add(const struct analysis *analysis, struct buf *out)
{
    if (analysis->claim_count == 0) {
        buf_add_text(out, "   The plan claims nothing that could be reproduced, so that it ends "
                          "with `VERDICT=INCONCLUSIVE`;\n   `reproduced/reproduction.html` shows "
                          "both sessions side by side.\n");
        return;
    }
    if (analysis->is_quick || analysis->trust == TRUST_UNFIT || analysis->trust == TRUST_NOTHING) {
        buf_add_text(out, "   This session decides nothing itself, so that every claim comes back "
                          "INCONCLUSIVE or NOT_COMPARABLE;\n   `reproduced/reproduction.html` "
                          "shows both sessions side by side.\n");
        return;
    }
    buf_add_text(out, "   Each claim comes back REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE or "
                      "NOT_COMPARABLE, with the reason, in\n   `reproduced/reproduction.html`; on "
                      "a machine that is busy INCONCLUSIVE is the right answer. REPRODUCED is\n");
    criteria_add(analysis, out);
}

static void machine_needs_add(const struct plan *plan, struct buf *out)
{
    const struct plan_machine *machine = &plan->machine;
    uint32_t most = 0;

    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        for (size_t j = 0; j < plan_cell_count(workload); j++) {
            uint32_t count = plan_cell(workload, j).connection_count;
            most = count > most ? count : most;
        }
        most = workload->flood.connection_count > most ? workload->flood.connection_count : most;
    }
    buf_add_text(out, "- a Linux machine with nothing else running, if possible like the one "
                      "below");
    if (machine->server_cpus || machine->driver_cpus) {
        buf_addf(out, "; the plan runs servers on CPU %s and the load on CPU %s",
                 machine->server_cpus ? machine->server_cpus : "of any number",
                 machine->driver_cpus ? machine->driver_cpus : "of any number");
    }
    buf_addf(out, ";\n- up to %" PRIu32 " connections at once: `ulimit -n` %" PRIu32 " or more;\n",
             most, machine->nofile ? machine->nofile : most + 64);
}

static bool has_driver(const struct plan *plan, enum plan_driver driver)
{
    for (size_t i = 0; i < plan->workload_count; i++) {
        if (plan->workloads[i].driver == driver) {
            return true;
        }
    }
    return false;
}

/* What loads the servers in place of tacho. */
static void wrk_add(const struct plan *plan, const char *ending, struct buf *out)
{
    if (has_driver(plan, PLAN_DRIVER_WRK)) {
        buf_addf(out,
                 "- `wrk`, which loads some of it, from the package of that name (the version that "
                 "was measured with: table\n  `foreign_load` of `results.db`)%s\n",
                 ending);
    }
}

/* How long, and with what. */
static void needs_add(const struct content_review *review, struct buf *out)
{
    char time[UNITS_TEXT_BYTES];
    int64_t second_count = plan_duration_ns(review->plan) / CLOCK_NS_PER_S + 1;

    units_format_duration(second_count * CLOCK_NS_PER_S, time);
    buf_addf(out,
             "\n### What that needs\n\n"
             "- time: %s for the plan's trials, and a minute to build; `--quick` takes a part of "
             "it, to see that it works, and\n  decides nothing;\n",
             time);
    machine_needs_add(review->plan, out);
    wrk_add(review->plan, ";", out);
    buf_addf(out,
             "- disk: %" PRIu64 " MiB;\n"
             "- the compiler that `servers/tacho-engine/build.json` names, or another one: what "
             "differs is shown;\n"
             "- namespaces for users, which the sandbox is made of: without them it says so and "
             "runs nothing.\n",
             ((DISK_FIXED_BYTES + DISK_RESULTS_TIMES * review->results_bytes) >> 20) + 1);
}

static void reproduce_add(const struct content_review *review, const struct analysis *analysis,
                          struct buf *out)
{
    buf_add_text(out, "4. The engines are built from `servers/tacho-engine/src` and measured by "
                      "the same plan, in a sandbox without network.\n   It shows what it will run "
                      "and asks (`--yes` does not); root must add `--allow-root`.\n");
    outcome_add(analysis, out);
    needs_add(review, out);
}

static bool has_body(const struct plan *plan)
{
    for (size_t i = 0; i < plan->workload_count; i++) {
        for (size_t j = 0; j < plan->workloads[i].request_count; j++) {
            if (plan->workloads[i].requests[j].body_path) {
                return true;
            }
        }
    }
    return false;
}

/* What the plan's own servers want before they can be started by hand. */
static void servers_add(const struct plan *plan, struct buf *out)
{
    bool has[PLAN_ENGINE_URL + 1] = {false}, has_allocator = false, has_ca = false;

    for (size_t i = 0; i < plan->engine_count; i++) {
        has[plan_engine_kind(&plan->engines[i])] = true;
        has_allocator = has_allocator || plan->engines[i].allocator;
        has_ca = has_ca || plan->engines[i].tls.ca;
    }
    if (has[PLAN_ENGINE_EXTERNAL]) {
        buf_add_text(
            out,
            "- An external engine is carried by tacho itself, with its start "
            "script; its packages of Debian must be\n  installed (the versions that were measured: "
            "`engine.*.package.*` in `env/host-1.json`).\n");
    }
    if (has[PLAN_ENGINE_COMMAND]) {
        buf_add_text(out, "- A command is run as the plan has it, in the plan's folder: read it "
                          "first, and have its programs and\n  files there. They are not in this "
                          "bundle; their SHA-256 are in `env/host-1.json`.\n");
    }
    if (has[PLAN_ENGINE_URL]) {
        buf_add_text(out, "- A server with a URL must be running there already: tacho does not "
                          "start it. What is known of it is the program\n  that listened there, "
                          "where that could be found out.\n");
    }
    if (has_ca) {
        buf_add_text(out, "- The certificates that `tls` names in the plan (`ca`) are files in the "
                          "plan's folder and not in this bundle: put\n  those of your servers "
                          "there under the same names.\n");
    }
    if (has_allocator) {
        buf_add_text(out, "- An engine with an allocator of its own wants that library from its "
                          "package of Debian.\n");
    }
}

/* Without tacho reproduce. */
static void by_hand_add(const struct content_review *review, const struct analysis *analysis,
                        struct buf *out)
{
    buf_add_text(out, "\n### Measured again\n\nThere is no fourth line: `tacho reproduce` will not "
                      "run with this bundle, since\n\n        ");
    content_review_add_literal(out, review->obstacle);
    buf_add_text(out, "\n\n");
    if (!review->plan) {
        buf_add_text(out, "What was measured can be checked and read. It cannot be measured again "
                          "by this version of tacho, for which its plan\nis not one that it can "
                          "run:\n\n        ");
        content_review_add_literal(out, review->plan_problem);
        buf_add_char(out, '\n');
        return;
    }
    buf_add_text(
        out, "By hand, after reading the plan, with the engines of the tacho that is installed and "
             "outside of any sandbox:\n\n"
             "    tar -xOf \"$FILE\" --wildcards '*/data/plan/plan.resolved.yaml' >plan.yaml\n"
             "    tacho run plan.yaml -o again.db\n"
             "    tacho report again.db -o again\n\n");
    buf_addf(
        out,
        "The last line %s; `tacho compare \"$FILE\" again.db` puts both sessions side\nby side "
        "if it is the same machine.\n\n",
        analysis->claim_count ? "judges the same claims on your machine"
                              : "reports what your machine gives");
    servers_add(review->plan, out);
    wrk_add(review->plan, ".", out);
    if (has_driver(review->plan, PLAN_DRIVER_REPLAY)) {
        buf_add_text(out, "- A replay wants the results file that the plan names, in the plan's "
                          "folder. It is not in this bundle; its SHA-256 is in\n  the plan, the "
                          "trials that were played in table `foreign_load` of `results.db`.\n");
    }
    if (has_body(review->plan)) {
        buf_add_text(
            out,
            "- The bodies of requests are in `results.db`; the plan gives the name and the "
            "SHA-256 of each:\n\n"
            "        tar -xOf \"$FILE\" --wildcards '*/data/results/results.db' >results.db\n"
            "        sqlite3 -readonly results.db \"SELECT writefile('NAME', body) FROM (SELECT "
            "body, body_sha256 FROM workload\n"
            "          UNION SELECT body, body_sha256 FROM request) WHERE body_sha256 = '…' "
            "AND body IS NOT NULL\"\n");
    }
}

void content_review_format(const struct content_review *review, const struct analysis *analysis,
                           struct buf *out)
{
    commands_add(review, out);
    if (*review->obstacle) {
        by_hand_add(review, analysis, out);
    } else {
        reproduce_add(review, analysis, out);
    }
}
