// SPDX-License-Identifier: Apache-2.0
// The facts of a session: the machine, the programs, and how it was run.
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_cpus.h"
#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
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
};

static void fact_put(void *self, const char *name, const char *value)
{
    struct fact_writer *writer = self;

    if (writer->code == ERR_OK) {
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

static void programs_put(struct fact_writer *writer, const struct session_config *config)
{
    char hex[DIGEST_HEX_BYTES], path[PROC_PATH_BYTES];
    bool hashed = session_program_digest(config->engine_program, hex, NULL) == ERR_OK;

    fact_put(writer, "program.version", config->program_version);
    fact_put(writer, "program.tacho_engine_sha256", hashed ? hex : NULL);
    hashed = proc_read_link(MACHINE_PROC_ROOT, path, sizeof(path), "self/exe") > 0 &&
             session_program_digest(path, hex, NULL) == ERR_OK;
    fact_put(writer, "program.tacho_sha256", hashed ? hex : NULL);
    fact_put(writer, "program.compiler", __VERSION__);
    fact_put(writer, "program.sqlite", store_sqlite_version());
#ifdef __OPTIMIZE__
    fact_put(writer, "program.optimised", "yes");
#else
    fact_put(writer, "program.optimised", "no");
#endif
}

enum err_code session_facts_start(const struct session_rows *rows,
                                  const struct session_config *config,
                                  const struct session_setup *setup, struct store *store,
                                  struct err *e)
{
    struct fact_writer writer = {store, rows->session_id, "start", ERR_OK, e};
    const struct machine_sink sink = {&writer, fact_put};
    struct sampler_priority before;

    machine_describe(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    machine_describe_state(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    programs_put(&writer, config);
    fact_put_cpus(&writer, "cpu.allowed", setup->allowed_cpus);
    fact_put(&writer, "driver.engine", "epoll");
    fact_put_number(&writer, "driver.threads", setup->driver_threads);
    fact_put_number(&writer, "driver.spin_ns", setup->spin_ns);
    fact_put_cpus(&writer, "driver.cpus", setup->driver_cpus);
    fact_put_cpus(&writer, "server.cpus", setup->server_cpus);
    fact_put_number(&writer, "server.nofile", (int64_t)setup->nofile);
    fact_put(&writer, "server.environment", "PATH LANG TZ LC_ALL=C TACHO_PADDING");
    fact_put(&writer, "server.scheduling_source", probe_scheduling_source());
    fact_put(&writer, "sampler.priority", sampler_priority_raise(&before));
    sampler_priority_restore(&before);
    fact_put(&writer, "store.journal_mode", store_journal_mode(store));
    fact_put(&writer, "order.generator", RNG_NAME);
    char seed[32];
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)config->plan->seed);
    fact_put(&writer, "order.seed", seed);
    return writer.code;
}

enum err_code session_facts_end(const struct session_rows *rows, const char *paddings,
                                struct store *store, struct err *e)
{
    struct fact_writer writer = {store, rows->session_id, "end", ERR_OK, e};
    const struct machine_sink sink = {&writer, fact_put};

    /* What should have stayed as well: the report shows what did not. */
    machine_describe(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    machine_describe_state(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    fact_put(&writer, "server.padding_bytes", paddings);
    return writer.code;
}
