// SPDX-License-Identifier: Apache-2.0
// The facts of a session: the machine, the programs, and how it was run.
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_cpus.h"
#include "collector/probe/burn_in.h"
#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
#include "collector/probe/program.h"
#include "collector/run/sampler_priority.h"
#include "collector/run/session_rows.h"
#include "engines/base/proc.h"
#include "engines/base/rng.h"

/* The first failure of a row of facts is kept; the rest is then skipped. */
struct fact_writer {
    struct store *store;
    int64_t session_id;
    const char *moment;
    enum err_code code;
    struct err *e;
    const struct store_past *past; /* not NULL: nothing is stored, each fact must be as it was */
};

/* What may change between two sittings: memory that is given to and taken from a virtual machine,
 * the name of the control group of a login. */
static bool is_compared(const char *name)
{
    return strcmp(name, "memory.total") != 0 && strcmp(name, "memory.swap_total") != 0 &&
           strcmp(name, "cgroup.path_sha256") != 0;
}

static void fact_compare(struct fact_writer *writer, const char *name, const char *value)
{
    for (size_t i = 0; i < writer->past->facts.count; i++) {
        const char *const *texts = (const char *const *)writer->past->facts.rows[i].texts;
        const char *before = texts[1] ? texts[1] : "not known";
        const char *now = value ? value : "not known";

        if (strcmp(texts[0], name) == 0 && strcmp(before, now) != 0 && is_compared(name)) {
            writer->code = err_set(writer->e, ERR_MISMATCH,
                                   "not what it was measured on: %s was %.100s and is %.100s; run "
                                   "without --resume",
                                   name, before, now);
        }
    }
}

static void fact_put(void *self, const char *name, const char *value)
{
    struct fact_writer *writer = self;

    if (writer->code == ERR_OK && writer->past) {
        fact_compare(writer, name, value);
    } else if (writer->code == ERR_OK) {
        writer->code = store_add_fact(writer->store, writer->session_id, writer->moment, name,
                                      value, writer->e);
    }
}

static void fact_put_number(struct fact_writer *writer, const char *name, int64_t number)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)number);
    fact_put(writer, name, text);
}

static void fact_put_cpus(struct fact_writer *writer, const char *name, const cpu_set_t *cpus)
{
    char text[PLAN_CPUS_TEXT_BYTES] = "not pinned";

    if (cpus) {
        plan_cpus_format(cpus, text);
    }
    fact_put(writer, name, text);
}

/* What a reading of the clock costs just now. */
static void clock_put(struct fact_writer *writer, const struct clock *clock)
{
    struct burn_in_clock measured = burn_in_clock_measure(clock);

    fact_put_number(writer, "state.clock_cost_ns", (int64_t)(measured.cost_ns + 0.5));
    fact_put_number(writer, "state.clock_resolution_ns", measured.resolution_ns);
}

static void programs_put(struct fact_writer *writer, const struct session_config *config)
{
    const struct machine_sink sink = {writer, fact_put};
    char hex[DIGEST_HEX_BYTES], path[PROC_PATH_BYTES];
    bool hashed = session_program_digest(config->engine_program, hex, NULL) == ERR_OK;

    fact_put(writer, "program.version", config->program_version);
    fact_put(writer, "program.tacho_engine_sha256", hashed ? hex : NULL);
    hashed = proc_read_link(MACHINE_PROC_ROOT, path, sizeof(path), "self/exe") > 0 &&
             session_program_digest(path, hex, NULL) == ERR_OK;
    fact_put(writer, "program.tacho_sha256", hashed ? hex : NULL);
    program_describe(&sink);
    fact_put(writer, "program.compiler", __VERSION__);
    fact_put(writer, "program.sqlite", store_sqlite_version());
#ifdef __OPTIMIZE__
    fact_put(writer, "program.optimised", "yes");
#else
    fact_put(writer, "program.optimised", "no");
#endif
}

/* At the end as well: a later sitting may be the one that was forced. */
static void forced_put(struct fact_writer *writer, const struct session_setup *setup)
{
    if (setup->forced_rules && *setup->forced_rules) {
        fact_put(writer, "session.forced", setup->forced_rules);
    }
}

/* What must stay as it is through every sitting of a session. */
static void stable_put(struct fact_writer *writer, const struct session_config *config,
                       const struct session_setup *setup)
{
    const struct machine_sink sink = {writer, fact_put};
    char seed[32];

    machine_describe(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    programs_put(writer, config);
    fact_put_cpus(writer, "cpu.allowed", setup->allowed_cpus);
    fact_put(writer, "driver.engine", driver_io_names[config->plan->machine.io]);
    fact_put_number(writer, "driver.threads", setup->driver_threads);
    fact_put_number(writer, "driver.spin_ns", setup->spin_ns);
    fact_put_cpus(writer, "driver.cpus", setup->driver_cpus);
    fact_put_cpus(writer, "server.cpus", setup->server_cpus);
    fact_put_number(writer, "server.nofile", (int64_t)setup->nofile);
    fact_put(writer, "server.environment", "PATH LANG TZ LC_ALL=C TACHO_PADDING");
    fact_put(writer, "server.scheduling_source", probe_scheduling_source());
    fact_put_number(writer, "session.trials", (int64_t)setup->trial_count);
    fact_put(writer, "order.generator", RNG_NAME);
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)config->plan->seed);
    fact_put(writer, "order.seed", seed);
    for (size_t i = 0; setup->foreign && i < setup->foreign->fact_count; i++) {
        fact_put(writer, setup->foreign->facts[i].name, setup->foreign->facts[i].value);
    }
}

enum err_code session_facts_start(const struct session_rows *rows,
                                  const struct session_config *config,
                                  const struct session_setup *setup, struct store *store,
                                  struct err *e)
{
    struct fact_writer writer = {store, rows->session_id, "start", ERR_OK, e, NULL};
    const struct machine_sink sink = {&writer, fact_put};
    struct sampler_priority before;

    stable_put(&writer, config, setup);
    machine_describe_state(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    fact_put(&writer, "sampler.priority", sampler_priority_raise(&before));
    sampler_priority_restore(&before);
    clock_put(&writer, config->clock);
    fact_put(&writer, "store.journal_mode", store_journal_mode(store));
    fact_put(&writer, "store.filesystem", program_filesystem(config->results_path));
    fact_put(&writer, "session.mode", config->is_quick ? "quick" : "full");
    forced_put(&writer, setup);
    if (setup->selection && *setup->selection) {
        fact_put(&writer, "session.only", setup->selection);
    }
    return writer.code;
}

enum err_code session_facts_compare(const struct session_config *config,
                                    const struct session_setup *setup,
                                    const struct store_past *past, struct err *e)
{
    struct fact_writer writer = {NULL, 0, "start", ERR_OK, e, past};

    stable_put(&writer, config, setup);
    return writer.code;
}

enum err_code session_facts_end(const struct session_rows *rows, const struct session_setup *setup,
                                const char *paddings, struct store *store, struct err *e)
{
    struct fact_writer writer = {store, rows->session_id, "end", ERR_OK, e, NULL};
    const struct machine_sink sink = {&writer, fact_put};

    /* What should have stayed as well: the report shows what did not. */
    machine_describe(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    machine_describe_state(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    fact_put(&writer, "server.padding_bytes", paddings);
    forced_put(&writer, setup);
    return writer.code;
}
