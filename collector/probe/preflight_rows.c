// SPDX-License-Identifier: Apache-2.0
// Every preflight rule as a row.
#include "collector/probe/preflight_rows.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan_cpus.h"
#include "engines/base/attr.h"

/* --- values: each fills in what was found and what would be right; false: not known --- */

static void put(char out[PREFLIGHT_CELL_BYTES], const char *format, ...) ATTR_PRINTF(2, 3);
static void put(char out[PREFLIGHT_CELL_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(out, PREFLIGHT_CELL_BYTES, format, arguments);
    va_end(arguments);
}

static void put_cpus(char out[PREFLIGHT_CELL_BYTES], const char *name, const cpu_set_t *cpus)
{
    char text[PLAN_CPUS_TEXT_BYTES] = "not pinned";
    size_t used = strlen(out);

    if (cpus) {
        plan_cpus_format(cpus, text);
    }
    snprintf(out + used, PREFLIGHT_CELL_BYTES - used, "%s%s %.60s", used ? "; " : "", name, text);
}

static bool show_nofile(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%llu", (unsigned long long)input->nofile_hard);
    put(row->threshold, "at least %llu for %u connections",
        (unsigned long long)preflight_nofile_need(input->connection_count_max),
        input->connection_count_max);
    return true;
}

static bool show_nofile_wanted(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%llu", (unsigned long long)input->nofile_hard);
    put(row->threshold, "at least %llu", (unsigned long long)input->nofile_wanted);
    return true;
}

static bool show_ports(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%lld ports", (long long)input->local_port_count);
    put(row->threshold, "at least %u, one for each connection", input->connection_count_max);
    return input->local_port_count >= 0;
}

static bool show_engine(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%.140s", input->engine_program);
    put(row->threshold, "a program that can be executed");
    return true;
}

static bool show_cpus(const struct preflight_input *input, struct preflight_row *row)
{
    put_cpus(row->value, "server", input->server_cpus);
    put_cpus(row->value, "driver", input->driver_cpus);
    put_cpus(row->threshold, "CPUs that may be used:", &input->allowed_cpus);
    return true;
}

static bool show_cpus_apart(const struct preflight_input *input, struct preflight_row *row)
{
    put_cpus(row->value, "server", input->server_cpus);
    put_cpus(row->value, "driver", input->driver_cpus);
    put(row->threshold, "pinned, without a common CPU");
    return true;
}

static bool show_cpu_count(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%d", CPU_COUNT(&input->allowed_cpus));
    put(row->threshold, "at least 2");
    return true;
}

static bool show_folder(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%.140s", input->results_folder);
    put(row->threshold, "a folder that can be written");
    return true;
}

static bool show_free(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%llu MiB", (unsigned long long)(input->folder_free_bytes >> 20));
    put(row->threshold, "at least %llu MiB", (unsigned long long)(PREFLIGHT_FREE_BYTES_MIN >> 20));
    return input->folder_is_writable;
}

static bool show_pressure(int64_t centi, int limit_percent, struct preflight_row *row)
{
    put(row->value, "%.2f %%", (double)centi / 100);
    put(row->threshold, "at most %d %% of the last 10 s", limit_percent);
    return centi >= 0;
}

static bool show_pressure_cpu(const struct preflight_input *input, struct preflight_row *row)
{
    return show_pressure(input->pressure_cpu_centi, 5, row);
}

static bool show_pressure_io(const struct preflight_input *input, struct preflight_row *row)
{
    return show_pressure(input->pressure_io_centi, 1, row);
}

static bool show_pressure_memory(const struct preflight_input *input, struct preflight_row *row)
{
    return show_pressure(input->pressure_memory_centi, 1, row);
}

static bool show_load(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%.2f", (double)input->load_centi / 100);
    put(row->threshold, "at most %.2f (0.3 for each CPU)", 0.3 * CPU_COUNT(&input->allowed_cpus));
    return input->load_centi >= 0;
}

static bool show_swap(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%lld MiB", (long long)(input->swap_total_kib / 1024));
    put(row->threshold, "none");
    return input->swap_total_kib >= 0;
}

static bool show_governor(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%s", input->governor);
    put(row->threshold, "performance");
    return input->governor[0] != '\0';
}

static bool show_backlog(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, "%lld", (long long)input->somaxconn);
    put(row->threshold, "at least %u, one for each connection", input->connection_count_max);
    return input->somaxconn >= 0;
}

static bool show_preload(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, input->is_preloaded ? "set" : "not set");
    put(row->threshold, "not set");
    return true;
}

static bool show_sanitizer(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, input->is_sanitized ? "yes" : "no");
    put(row->threshold, "no");
    return true;
}

static bool show_tracer(const struct preflight_input *input, struct preflight_row *row)
{
    put(row->value, input->is_traced ? "yes" : "no");
    put(row->threshold, "no");
    return true;
}

static bool pins_at_will(const struct preflight_input *input)
{
    return input->pinning_optional;
}

static bool pins_strictly(const struct preflight_input *input)
{
    return !input->pinning_optional;
}

static bool wants_nofile(const struct preflight_input *input)
{
    return input->nofile_wanted > 0;
}

static const struct row_source {
    const char *name, *title;
    bool (*show)(const struct preflight_input *input, struct preflight_row *row);
    bool (*applies)(const struct preflight_input *input); /* NULL: always */
} sources[] = {
    {"nofile_low", "open files allowed (hard limit)", show_nofile, NULL},
    {"ports_few", "local ports for connections", show_ports, NULL},
    {"engine_missing", "the program that is measured", show_engine, NULL},
    {"cpus_absent", "CPUs of the plan", show_cpus, pins_strictly},
    {"folder_closed", "folder of the results file", show_folder, NULL},
    {"folder_full", "free space for the results file", show_free, NULL},
    {"cpus_dropped", "CPUs of the built-in plan", show_cpus, pins_at_will},
    {"nofile_lower", "open files that the plan wants", show_nofile_wanted, wants_nofile},
    {"cpus_few", "CPUs that may be used", show_cpu_count, NULL},
    {"cpus_shared", "server and driver kept apart", show_cpus_apart, NULL},
    {"pressure_cpu", "tasks waiting for a CPU", show_pressure_cpu, NULL},
    {"pressure_io", "tasks waiting for input or output", show_pressure_io, NULL},
    {"pressure_memory", "tasks waiting for memory", show_pressure_memory, NULL},
    {"load", "load average of the last minute", show_load, NULL},
    {"swap", "swap space", show_swap, NULL},
    {"governor", "CPU frequency governor", show_governor, NULL},
    {"backlog", "longest accept queue (somaxconn)", show_backlog, NULL},
    {"preload", "LD_PRELOAD", show_preload, NULL},
    {"sanitizer", "built with a sanitizer", show_sanitizer, NULL},
    {"tracer", "this program is being traced", show_tracer, NULL},
};

static const struct row_source *source_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
        if (strcmp(sources[i].name, name) == 0) {
            return &sources[i];
        }
    }
    return NULL;
}

size_t preflight_list(const struct preflight_input *input,
                      struct preflight_row rows_out[PREFLIGHT_FINDING_COUNT_MAX])
{
    struct preflight_finding rules[PREFLIGHT_FINDING_COUNT_MAX];
    bool violated[PREFLIGHT_FINDING_COUNT_MAX];
    size_t rule_count = preflight_judge_all(input, rules, violated), count = 0;

    for (size_t i = 0; i < rule_count; i++) {
        const struct row_source *source = source_find(rules[i].name);

        assert(source);
        if (source->applies && !source->applies(input)) {
            continue;
        }
        struct preflight_row *row = &rows_out[count++];
        *row = (struct preflight_row){.name = rules[i].name,
                                      .title = source->title,
                                      .is_violated = violated[i],
                                      .consequence = rules[i].consequence,
                                      .fix = rules[i].fix};
        row->is_known = source->show(input, row);
        if (!row->is_known) {
            put(row->value, "not known");
        }
    }
    return count;
}
