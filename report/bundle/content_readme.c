// SPDX-License-Identifier: Apache-2.0
// Writes the README of a bundle.
#include "report/bundle/content_readme.h"

#include <inttypes.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/bundle/content_claims.h"

/* Foreign text on one line of an indented block: control characters would leave it. */
static void literal_add(struct buf *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        buf_add_char(out, byte < 0x20 || byte == 0x7f ? '?' : *text);
    }
}

static void machine_add(const struct results *results, struct buf *out)
{
    static const char *const prefixes[] = {"cpu.", "memory.", "kernel.", "os.", "machine."};

    buf_add_text(out, "\n## The machine\n\nAll that is known of it is in `env/host-1.json`.\n\n");
    for (size_t i = 0; i < results->fact_count; i++) {
        const struct results_fact *fact = &results->facts[i];
        for (size_t j = 0; j < ARRAY_COUNT(prefixes); j++) {
            if (strcmp(fact->moment, "start") == 0 && fact->value &&
                strncmp(fact->name, prefixes[j], strlen(prefixes[j])) == 0) {
                buf_add_text(out, "    ");
                literal_add(out, fact->name);
                buf_add_text(out, ": ");
                literal_add(out, fact->value);
                buf_add_char(out, '\n');
            }
        }
    }
}

static void readme_add_top(const struct content_config *config, struct buf *out)
{
    const struct results *results = config->results;
    char began[CLOCK_TEXT_BYTES], ended[CLOCK_TEXT_BYTES];

    clock_format_utc(results->started_utc_ns, began);
    clock_format_utc(content_time_s(results) * CLOCK_NS_PER_S, ended);
    buf_add_text(out, "# Evidence of a benchmark of HTTP servers\n\n    ");
    literal_add(out, results->title);
    buf_addf(out,
             "\n\nThis bundle holds the plan, the machine's facts, every sample and the report of "
             "one session,\nwhich began %s and whose last trial ended %s.\n%zu trial%s of %zu "
             "engine%s; %" PRIu64 " sample%s.\n",
             began, ended, results->trial_count, units_word((int64_t)results->trial_count, "", "s"),
             results->engine_count, units_word((int64_t)results->engine_count, "", "s"),
             content_count_samples(results),
             units_word((int64_t)content_count_samples(results), "", "s"));
    if (results->state && strcmp(results->state, "finished") != 0) {
        buf_addf(out, "\nThe session did not finish (%s): the report says what is missing.\n",
                 results->state);
    }
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

/* Lines that can be pasted as they stand, once the two names are set. */
static const char commands_head[] = "\n## A reviewer's commands\n\n"
                                    "In the folder of the downloaded bundle, with `tacho` "
                                    "installed; only the first two lines are to "
                                    "be filled in.\n\n"
                                    "    FILE=the-bundle.tar\n"
                                    "    HEX=the-SHA-256-that-the-article-prints\n\n"
                                    "    tacho verify --sha256 \"$HEX\" \"$FILE\"\n"
                                    "    tacho results --check \"$FILE\"\n"
                                    "    tacho report \"$FILE\" -o report\n";
static const char command_reproduce[] =
    "    tacho reproduce --sha256 \"$HEX\" \"$FILE\" -o reproduced\n";
static const char commands_told[] =
    "\n1. Every byte is what was sealed, and the report is what the results give: VERIFIED. "
    "Without "
    "tacho, after\n   `tar -xf \"$FILE\"`, in its top folder: `sha256sum --strict -c "
    "tagmanifest-sha256.txt manifest-sha256.txt`.\n"
    "2. What was measured when and where, and whether every row agrees with the others: SOUND. "
    "Unpacked, the samples are\n   `data/results/samples.csv`, and `data/results/results.db` for "
    "`sqlite3 -readonly` and lines like\n   `SELECT trial_id, sum(ok_count) FROM sample WHERE "
    "phase = "
    "'window' GROUP BY trial_id`.\n"
    "3. The report again, in `report/report.html`: the same as `data/report` of the bundle, byte "
    "for "
    "byte, with the same\n   tacho and gnuplot.\n";

/* How long, and with what. */
static void reproduce_add(const struct content_config *config, struct buf *out)
{
    const struct results *results = config->results;
    char time[UNITS_TEXT_BYTES];
    int64_t took_s = content_time_s(results) - results->started_utc_ns / CLOCK_NS_PER_S;

    units_format_duration((took_s > 0 ? took_s : 1) * CLOCK_NS_PER_S, time);
    buf_addf(
        out,
        "4. The engines are built from `servers/tacho-engine/src` and measured by the same plan, "
        "in a sandbox, and each claim\n   comes back REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE or "
        "NOT_COMPARABLE, with the reason, in\n   `reproduced/reproduction.html`. It shows "
        "what it will run and asks (`--yes` does not); root must add `--allow-root`.\n"
        "\n### What that needs\n\n"
        "- time: %s, as this session took, and a minute to build; `--quick` takes a part of it, "
        "to see that it works, and\n  decides nothing;\n"
        "- a Linux machine with nothing else running, if possible like the one below; on "
        "another one ratios and orders are\n  judged, levels are NOT_COMPARABLE;\n"
        "- the compiler that `servers/tacho-engine/build.json` names, or another one: what "
        "differs is shown;\n"
        "- namespaces for users, which the sandbox is made of: without them it says so and runs "
        "nothing.\n",
        time);
}

static void commands_add(const struct content_config *config, struct buf *out)
{
    bool has_sources = content_has_sources(config);

    buf_add_text(out, commands_head);
    if (has_sources) {
        buf_add_text(out, command_reproduce);
    }
    buf_add_text(out, commands_told);
    if (has_sources) {
        reproduce_add(config, out);
    } else {
        buf_add_text(out,
                     "\nThere is no fourth one, `tacho reproduce`: the engines' sources are not "
                     "in this bundle.\n");
    }
}

static const char files_told[] =
    "\n## What lies where\n\n"
    "| file | what it is |\n| --- | --- |\n"
    "| `plan/plan.yaml` | the plan as it was written, with what it includes and what the command "
    "line set |\n"
    "| `plan/plan.resolved.yaml` | the plan that was run, every default written out; its SHA-256 "
    "is "
    "Tacho-Plan-Digest |\n"
    "| `plan/claims.json` | the plan's claims, their experiments, the numbers to expect |\n"
    "| `load/src/` | source of the load driver |\n"
    "| `env/host-1.json` | facts of the machine at the start and the end |\n"
    "| `servers/NAME-HASH/build.json` | one engine: its command, SHA-256 of the program measured "
    "|\n"
    "| `servers/tacho-engine/build.json` | how that program was built: compiler, each command, "
    "SHA-256 of what comes out |\n"
    "| `servers/tacho-engine/src/` | source of the built-in engines, shared by all of them |\n"
    "| `results/results.db` | the results, SQLite; rows in order of their keys in a fresh file |\n"
    "| `results/samples.csv` | every sample: all metrics, then the outcomes; an empty cell is "
    "unknown |\n"
    "| `results/logs/trial-N/server.txt` | what the server of a trial wrote, 256 KiB of each end "
    "|\n"
    "| `ro-crate-metadata.json` | the same list for programs: RO-Crate 1.2, Process Run Crate 0.5 "
    "|\n"
    "| `report/` | the report made from `results/results.db` |\n"
    "| `reproduction/` | only where another bundle was reproduced: the outcome, and each claim "
    "beside the published one |\n"
    "\n## The samples digest\n\n"
    "SHA-256 over the rows, the same whatever version of SQLite wrote the file. The tables are "
    "session, fact,\nengine, workload, request, cell, trial, sample, outcome, request_total, log, "
    "event. Each gives its name and "
    "a line feed, then its rows\nin order of the primary key, then of each row its fields in order "
    "of the columns, each ending in a line feed:\n`i DECIMAL` for an integer, `t LENGTH BYTES` for "
    "a text, `b LENGTH BYTES` for a blob, `n` for NULL.\n\n";

void content_readme_format(const struct content_config *config, const struct analysis *analysis,
                           struct buf *out)
{
    readme_add_top(config, out);
    content_claims_format(analysis, out);
    commands_add(config, out);
    machine_add(config->results, out);
    buf_add_text(out, files_told);
    buf_addf(out, "    %s\n", config->samples_digest);
}
