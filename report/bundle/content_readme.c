// SPDX-License-Identifier: Apache-2.0
// Writes the README of a bundle.
#include "report/bundle/content_readme.h"

#include <inttypes.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/bundle/content_claims.h"

/* --- what it is worth --- */

static size_t trials_uncounted(const struct analysis *analysis)
{
    size_t count = 0;

    for (size_t i = 0; i < analysis->trial_count; i++) {
        count += !analysis->trials[i].valid;
    }
    return count;
}

static void unfit_add(const struct analysis *analysis, struct buf *out)
{
    buf_add_text(out, "The session was not fit to measure: it gives no verdict, and its numbers "
                      "are for finding the cause,\nnot for quoting.\n\n");
    if (analysis->unfit_causes & UNFIT_FOREIGN_CPU) {
        buf_addf(out, "- Other programs disturbed %zu of its %zu trials, more than a third.\n",
                 analysis->disturbed_count, analysis->results->trial_count);
    }
    if (analysis->unfit_causes & UNFIT_AA_DIFFERS) {
        buf_add_text(out, "- The baseline was measured twice, as two arms of one and the same "
                          "program, and the two differ.\n");
    }
    if (analysis->unfit_causes & UNFIT_AA_WIDE) {
        buf_add_text(out, "- The baseline was measured twice, and the ratio of the two is not "
                          "known to 20 %.\n");
    }
    if (analysis->unfit_causes & UNFIT_NONE_COUNTED) {
        buf_add_text(out, trials_uncounted(analysis) < analysis->results->trial_count
                              ? "- No trial of an engine under test counts: those that do are of "
                                "`limit`, which does no work.\n"
                              : "- No trial counts.\n");
    }
}

/* "2 of its claims are SUPPORTED, 1 REFUTED." */
static void claim_counts_add(const struct analysis *analysis, struct buf *out)
{
    static const enum claim_word words[] = {CLAIM_SUPPORTED, CLAIM_REFUTED, CLAIM_INCONCLUSIVE};

    buf_addf(out, "Of its %zu claim%s, ", analysis->claim_count,
             units_word((int64_t)analysis->claim_count, "", "s"));
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        size_t count = 0;

        for (size_t j = 0; j < analysis->claim_count; j++) {
            count += analysis->claims[j].word == words[i];
        }
        buf_addf(out, "%s%zu %s%s", i ? ", " : "", count,
                 i ? "" : units_word((int64_t)count, "is ", "are "), claim_word_names[words[i]]);
    }
    buf_add_text(out, ": see the table below.\n");
}

/* The word that the report ends with, before anything else is read. */
static void verdict_add(const struct analysis *analysis, struct buf *out)
{
    const struct results *results = analysis->results;
    size_t left_out = trials_uncounted(analysis);

    buf_addf(out, "\n**Verdict: %s.** ", analysis_word(analysis));
    if (analysis->trust == TRUST_UNFIT) {
        unfit_add(analysis, out);
    } else if (analysis->trust == TRUST_NOTHING) {
        buf_add_text(out, "No request was answered as expected inside a measured window: there is "
                          "no number in here to quote.\n");
    } else if (analysis->claim_count) {
        claim_counts_add(analysis, out);
        buf_addf(out, "The measurement itself is %s.\n", trust_names[analysis->trust]);
    } else {
        buf_add_text(out, "Its plan claims nothing; what was found stands in the report.\n");
    }
    if (analysis->trust == TRUST_WARNINGS) {
        buf_add_text(out, "The warnings are in the report, under “Can it be trusted?”.\n");
    }
    if (analysis->is_quick) {
        buf_add_text(out, "\n**Quick:** so few and short trials describe, and decide nothing.\n");
    }
    if (left_out && left_out == results->trial_count) {
        buf_addf(out, "\n**Invalid:** none of its %zu trials counts; the report says why.\n",
                 left_out);
    } else if (left_out) {
        buf_addf(out,
                 "\n**Invalid in part:** %zu of %zu trials do%s not count; the report says which, "
                 "and why.\n",
                 left_out, results->trial_count, units_word((int64_t)left_out, "es", ""));
    }
    if (analysis->left_out_count) {
        buf_addf(out,
                 "\n**A part of its plan:** run with `--only`; %zu of the plan's engines, counted "
                 "in each cell, %s no trial.\n",
                 analysis->left_out_count,
                 units_word((int64_t)analysis->left_out_count, "has", "have"));
    }
    if (results->state && strcmp(results->state, "finished") != 0) {
        buf_addf(out,
                 "\n**Not whole:** the session did not finish (%s); the report says what is "
                 "missing.\n",
                 results->state);
    }
}

/* --- what it is --- */

static void provenance_add(const struct content_config *config, struct buf *out)
{
    const struct results *results = config->results;

    buf_addf(out, "\nMeasured with tacho %s, bundled with tacho %s.\n",
             results->program_version ? results->program_version : "unknown",
             config->program_version);
    if (config->based_on) {
        buf_addf(out,
                 "It reproduces the bundle whose id (SHA-256 of tagmanifest-sha256.txt) is\n\n"
                 "    %s\n\nwith what came of it in `reproduction/`.\n",
                 config->based_on);
    }
    if (!content_has_sources(config)) {
        buf_add_text(out, config->based_on
                              ? "The sources of the measured engines are in that bundle.\n"
                              : "The two differ, so the sources of the measured engines are not in "
                                "it; their SHA-256 are in `servers/`.\n");
    }
}

/* Those that a trial was of: a recorded load names the limit engine and never starts it. */
static size_t engines_tried(const struct results *results)
{
    size_t count = 0;

    for (size_t i = 0; i < results->engine_count; i++) {
        size_t trial = 0;

        while (trial < results->trial_count && results->trials[trial].engine_index != i) {
            trial++;
        }
        count += trial < results->trial_count;
    }
    return count;
}

static void top_add(const struct content_config *config, const struct analysis *analysis,
                    struct buf *out)
{
    const struct results *results = config->results;
    size_t engine_count = engines_tried(results);
    char began[CLOCK_TEXT_BYTES], ended[CLOCK_TEXT_BYTES];

    clock_format_utc(results->started_utc_ns, began);
    clock_format_utc(content_time_s(results) * CLOCK_NS_PER_S, ended);
    buf_add_text(out, "# Evidence of a benchmark of HTTP servers\n\n    ");
    content_review_add_literal(out, results->title);
    buf_add_char(out, '\n');
    verdict_add(analysis, out);
    buf_addf(out,
             "\nThis bundle holds the plan, the machine's facts, every sample and the report of "
             "one session,\nwhich began %s and whose last trial ended %s.\n%zu trial%s of %zu "
             "engine%s; %" PRIu64 " sample%s. Paths below are in the folder `data/`.\n",
             began, ended, results->trial_count, units_word((int64_t)results->trial_count, "", "s"),
             engine_count, units_word((int64_t)engine_count, "", "s"),
             content_count_samples(results),
             units_word((int64_t)content_count_samples(results), "", "s"));
    if (results->session_id > 1) {
        buf_add_text(out, "It is the newest in `results/results.db`, which holds earlier ones as "
                          "well: `tacho results` lists them.\n");
    }
    provenance_add(config, out);
}

/* --- engines and machine --- */

/* What an engine is there for, where that is not to be compared. */
static const char *role_words(const char *role)
{
    static const char *const rows[][2] = {
        {"baseline", "the baseline, "},
        {"aa", "the baseline once more, whose difference is the noise, "},
        {"limit", "does no work and shows what the machine can do, "},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strcmp(rows[i][0], role) == 0) {
            return rows[i][1];
        }
    }
    return "";
}

static const char *kind_words(const char *kind)
{
    static const char *const rows[][2] = {
        {"builtin", "built into tacho as"},
        {"command", "started by a command,"},
        {"external", "external engine"},
        {"url", "not started by tacho, at"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strcmp(rows[i][0], kind) == 0) {
            return rows[i][1];
        }
    }
    return kind;
}

static void engines_add(const struct results *results, struct buf *out)
{
    buf_add_text(out, "\n## The engines\n\n");
    for (size_t i = 0; i < results->engine_count; i++) {
        const struct results_engine *engine = &results->engines[i];

        buf_add_text(out, "    ");
        content_review_add_literal(out, engine->name);
        buf_addf(out, ": %s%s ", role_words(engine->role), kind_words(engine->kind));
        content_review_add_literal(out, engine->source);
        if (engine->binary_sha256) {
            buf_addf(out, ", SHA-256 %.16s…", engine->binary_sha256);
        }
        buf_add_char(out, '\n');
    }
}

static void machine_add(const struct results *results, struct buf *out)
{
    static const char *const rows[][2] = {
        {"cpu.model", "processor"},
        {"cpu.count", "CPUs"},
        {"cpu.architecture", "architecture"},
        {"cpu.governor", "frequency governor"},
        {"memory.size_gib", "memory, GiB"},
        {"kernel.release", "Linux"},
        {"os.libc", "C library"},
        {"machine.virtual", "virtual machine"},
        {"machine.container", "container"},
    };

    buf_add_text(out, "\n## The machine\n\nAll that is known of it is in `env/host-1.json`.\n\n");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *value = results_find_fact(results, "start", rows[i][0]);

        buf_addf(out, "    %s: ", rows[i][1]);
        content_review_add_literal(out, value && *value ? value : "not known");
        buf_add_char(out, '\n');
    }
}

/* --- files --- */

enum presence { ALWAYS, WITH_WRITTEN_PLAN, WITH_SOURCES, WITH_LOGS, OF_REPRODUCTION };

static const struct {
    const char *path, *told;
    enum presence presence;
} files[] = {
    {"README.md", "this file", ALWAYS},
    {"CITATION.cff", "how to cite the measurements", ALWAYS},
    {"LICENSES/", "the text of the licence", ALWAYS},
    {"plan/plan.yaml",
     "the plan as it was written, with what it includes and what the command line set",
     WITH_WRITTEN_PLAN},
    {"plan/plan.resolved.yaml",
     "the plan that was run, every default written out; its SHA-256 is Tacho-Plan-Digest of "
     "`bag-info.txt`",
     ALWAYS},
    {"plan/claims.json", "the plan's claims, their experiments, the numbers to expect", ALWAYS},
    {"load/src/", "source of the load driver", WITH_SOURCES},
    {"env/host-1.json", "facts of the machine at the start and the end", ALWAYS},
    {"servers/NAME-HASH/build.json", "one engine: its command, SHA-256 of the program measured",
     ALWAYS},
    {"servers/tacho-engine/build.json",
     "how that program was built: compiler, each command, SHA-256 of what comes out", WITH_SOURCES},
    {"servers/tacho-engine/src/",
     "source of the built-in engines, shared by all of them, and what tacho carries for external "
     "ones",
     WITH_SOURCES},
    {"results/results.db", "the results, SQLite; rows in order of their keys in a fresh file",
     ALWAYS},
    {"results/samples.csv",
     "every sample of this session: all metrics, then the outcomes; an empty cell is unknown",
     ALWAYS},
    {"results/logs/trial-N/server.txt",
     "what the server of a trial wrote, at most 256 KiB of each end", WITH_LOGS},
    {"ro-crate-metadata.json", "the same list for programs: RO-Crate 1.2, Process Run Crate 0.5",
     ALWAYS},
    {"report/", "the report made from `results/results.db`", ALWAYS},
    {"reproduction/", "the outcome, and each claim beside the published one", OF_REPRODUCTION},
};

static bool file_is_there(enum presence presence, const struct content_config *config,
                          size_t log_count)
{
    switch (presence) {
    case WITH_WRITTEN_PLAN:
        return config->results->plan_source != NULL;
    case WITH_SOURCES:
        return content_has_sources(config);
    case WITH_LOGS:
        return log_count > 0;
    case OF_REPRODUCTION:
        return config->based_on != NULL;
    case ALWAYS:
        break;
    }
    return true;
}

static void files_add(const struct content_config *config, size_t log_count, struct buf *out)
{
    buf_add_text(out, "\n## What lies where\n\n| file | what it is |\n| --- | --- |\n");
    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        if (file_is_there(files[i].presence, config, log_count)) {
            buf_addf(out, "| `%s` | %s |\n", files[i].path, files[i].told);
        }
    }
}

static const char licences_told[] =
    "\n## Licence\n\n"
    "All of it: Apache-2.0, `LICENSES/Apache-2.0.txt`. Servers that are not built into tacho are "
    "not in here and have\nlicences of their own.\n";

static const char digest_told[] =
    "\n## The samples digest\n\n"
    "SHA-256 over the rows, the same whatever version of SQLite wrote the file. The tables are "
    "session, fact,\nengine, workload, request, cell, trial, sample, outcome, request_total, "
    "foreign_load, log, "
    "event. Each gives its name and "
    "a line feed, then its rows\nin order of the primary key, then of each row its fields in order "
    "of the columns, each ending in a line feed:\n`i DECIMAL` for an integer, `t LENGTH BYTES` for "
    "a text, `b LENGTH BYTES` for a blob, `n` for NULL.\n\n";

void content_readme_format(const struct content_review *review, const struct analysis *analysis,
                           size_t log_count, struct buf *out)
{
    const struct content_config *config = review->config;

    top_add(config, analysis, out);
    content_claims_format(analysis, out);
    content_review_format(review, analysis, out);
    engines_add(config->results, out);
    machine_add(config->results, out);
    files_add(config, log_count, out);
    buf_add_text(out, licences_told);
    buf_add_text(out, digest_told);
    buf_addf(out, "    %s\n", config->samples_digest);
}
