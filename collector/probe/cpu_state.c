// SPDX-License-Identifier: Apache-2.0
// Frequency, throttling by heat and temperature of the CPUs.
#include "collector/probe/cpu_state.h"

#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_cpus.h"
#include "collector/sample.h"
#include "engines/base/cursor.h"
#include "engines/base/proc.h"

/* The number in the file "FOLDER INDEX/NAME" below /sys; METRIC_UNKNOWN: there is none. */
static int64_t number_read(const struct cpu_state *state, const char *folder, size_t index,
                           const char *name)
{
    char text[32], *end;

    if (proc_read(state->sys_root, text, sizeof(text), "%s%zu/%s", folder, index, name) <= 0) {
        return METRIC_UNKNOWN;
    }
    long long number = strtoll(text, &end, 10);
    return end == text ? METRIC_UNKNOWN : number;
}

static const char cpu_folder[] = "devices/system/cpu/cpu";

static int64_t khz_read(const struct cpu_state *state, size_t cpu)
{
    return number_read(state, cpu_folder, cpu, "cpufreq/scaling_cur_freq");
}

/* How often the core and its package were slowed down. */
static int64_t throttles_read(const struct cpu_state *state, size_t cpu)
{
    int64_t of_core = number_read(state, cpu_folder, cpu, "thermal_throttle/core_throttle_count");
    int64_t of_package =
        number_read(state, cpu_folder, cpu, "thermal_throttle/package_throttle_count");

    if (of_core == METRIC_UNKNOWN) {
        return of_package;
    }
    return of_package == METRIC_UNKNOWN ? of_core : of_core + of_package;
}

static int64_t zones_read(const struct cpu_state *state)
{
    int64_t hottest = METRIC_UNKNOWN;

    for (size_t zone = 0; zone < CPU_STATE_ZONE_MAX; zone++) {
        int64_t here = number_read(state, "class/thermal/thermal_zone", zone, "temp");

        hottest = here > hottest ? here : hottest; /* METRIC_UNKNOWN is the smallest */
    }
    return hottest;
}

/* One more than the last CPU that is online; 1 where that is not known. */
static size_t cpus_count(const char *sys_root)
{
    char text[1024];
    cpu_set_t cpus;
    size_t count = 1;

    if (proc_read(sys_root, text, sizeof(text), "devices/system/cpu/online") <= 0) {
        return 1;
    }
    text[strcspn(text, "\n")] = '\0';
    if (plan_cpus_parse(text, &cpus, NULL) != ERR_OK) {
        return 1;
    }
    for (size_t cpu = 0; cpu < CPU_STATE_COUNT_MAX; cpu++) {
        if (CPU_ISSET(cpu, &cpus)) {
            count = cpu + 1;
        }
    }
    return count;
}

void cpu_state_open(struct cpu_state *state, const char *proc_root, const char *sys_root)
{
    *state = (struct cpu_state){
        .proc_root = proc_root, .sys_root = sys_root, .cpu_count = cpus_count(sys_root)};
    for (size_t i = 0; i < CPU_STATE_COUNT_MAX; i++) {
        state->khz[i] = state->throttles[i] = METRIC_UNKNOWN;
    }
    state->has_cpufreq = khz_read(state, 0) != METRIC_UNKNOWN;
    state->has_throttle = throttles_read(state, 0) != METRIC_UNKNOWN;
    state->has_zone = zones_read(state) != METRIC_UNKNOWN;
}

/* An offline CPU has no frequency, and keeps its count. */
static void cpus_read(struct cpu_state *state)
{
    size_t count = state->cpu_count < CPU_STATE_STRIDE || state->read_count == 0 ? state->cpu_count
                                                                                 : CPU_STATE_STRIDE;

    for (size_t i = 0; i < count; i++) {
        size_t cpu = state->next_cpu;

        state->next_cpu = (cpu + 1) % state->cpu_count;
        if (state->has_cpufreq) {
            state->khz[cpu] = khz_read(state, cpu);
        }
        if (state->has_throttle) {
            int64_t throttles = throttles_read(state, cpu);
            state->throttles[cpu] = throttles == METRIC_UNKNOWN ? state->throttles[cpu] : throttles;
        }
    }
}

/* "2596.146" in kHz. */
static bool mhz_take(struct cursor *word, int64_t *khz_out)
{
    uint64_t whole, part;
    struct cursor digits;

    if (!cursor_take_digits(word, 10, &whole) || whole > 1000000 || word->at >= word->end ||
        *word->at != '.') {
        return false;
    }
    word->at++;
    digits = *word;
    if (word->end - word->at != 3 || !cursor_take_digits(&digits, 10, &part)) {
        return false;
    }
    *khz_out = (int64_t)(whole * 1000 + part);
    return digits.at == digits.end;
}

bool cpu_state_find_mhz(const char *bytes, size_t length, int64_t *min_khz_out,
                        int64_t *max_khz_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, words[4];
    int64_t min_khz = INT64_MAX, max_khz = METRIC_UNKNOWN, khz;

    while (cursor_take_line(&all, &line)) {
        /* "cpu MHz\t\t: 2596.146" */
        for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
            if (!cursor_take_word(&line, &words[i])) {
                words[i] = (struct cursor){line.end, line.end};
            }
        }
        if (cursor_is(&words[0], "cpu") && cursor_is(&words[1], "MHz") &&
            cursor_is(&words[2], ":") && mhz_take(&words[3], &khz)) {
            min_khz = khz < min_khz ? khz : min_khz;
            max_khz = khz > max_khz ? khz : max_khz;
        }
    }
    if (max_khz == METRIC_UNKNOWN) {
        return false;
    }
    *min_khz_out = min_khz;
    *max_khz_out = max_khz;
    return true;
}

static void frequencies_sum(const struct cpu_state *state, struct cpu_state_reading *reading)
{
    int64_t min_khz = INT64_MAX;

    for (size_t cpu = 0; cpu < state->cpu_count; cpu++) {
        int64_t khz = state->khz[cpu];

        if (khz != METRIC_UNKNOWN) {
            min_khz = khz < min_khz ? khz : min_khz;
            reading->max_khz = khz > reading->max_khz ? khz : reading->max_khz;
            reading->min_khz = min_khz;
        }
    }
}

static void throttles_sum(const struct cpu_state *state, struct cpu_state_reading *reading)
{
    reading->throttle_count = 0;
    for (size_t cpu = 0; cpu < state->cpu_count; cpu++) {
        if (state->throttles[cpu] != METRIC_UNKNOWN) {
            reading->throttle_count += state->throttles[cpu];
        }
    }
}

void cpu_state_read(struct cpu_state *state, char *text, size_t capacity,
                    struct cpu_state_reading *reading_out)
{
    struct cpu_state_reading reading = {METRIC_UNKNOWN, METRIC_UNKNOWN, METRIC_UNKNOWN,
                                        METRIC_UNKNOWN};
    bool is_full = state->read_count % CPU_STATE_CADENCE == 0;

    if (state->has_cpufreq || state->has_throttle) {
        cpus_read(state);
    }
    if (state->has_cpufreq) {
        frequencies_sum(state, &reading);
    } else if (is_full) {
        ssize_t length = proc_read(state->proc_root, text, capacity, "cpuinfo");
        if (length > 0) {
            (void)cpu_state_find_mhz(text, (size_t)length, &reading.min_khz, &reading.max_khz);
        }
    }
    if (state->has_throttle) {
        throttles_sum(state, &reading);
    }
    if (state->has_zone && is_full) {
        reading.millicelsius = zones_read(state);
    }
    state->read_count++;
    *reading_out = reading;
}
