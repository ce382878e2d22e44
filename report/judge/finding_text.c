// SPDX-License-Identifier: Apache-2.0
// Words, sentences and advice for findings.
#include "report/judge/finding.h"

#include <stdio.h>

enum unit { PLAIN, SHARE, COUNT, SIGNED, TIMES, SECONDS, MILLISECONDS };

/* A sentence: before, value, between, limit, after. PLAIN has neither number; without `after` the
 * limit is left out. */
static const struct finding_text {
    const char *name, *before, *between, *after;
    enum unit unit;
    int digits, limit_digits;
    const char *advice;
} texts[FINDING_KIND_COUNT] = {
    [FINDING_CRASHED] = {"crashed", "the server ended during the trial",
                         .advice = "read what the server wrote, and mend it before measuring"},
    [FINDING_INTERRUPTED] = {"interrupted", "the trial was interrupted",
                             .advice = "run the plan again to its end"},
    [FINDING_FAILED] = {"failed", "the trial could not be carried out",
                        .advice = "the trial's reason says what stood in the way"},
    [FINDING_NOTHING_MEASURED] = {"nothing_measured", "no right answer in the window",
                                  .advice = "compare what the server answers with what the plan "
                                            "expects"},
    [FINDING_ERRORS] = {"errors", "", " of the requests failed (limit ", ")", SHARE, 2, 2,
                        "look at how the requests ended; take less load or mend the server"},
    [FINDING_WRONG_BODIES] = {"wrong_bodies", "", " answers had the right status and a wrong body",
                              NULL, COUNT, 0, 0,
                              "the server does not do what is measured; mend it, or what the plan "
                              "expects"},
    [FINDING_CLIENT_LIMIT] = {"client_limit", "the driver had no port or descriptor for ",
                              " connections: a fault of the client, not of the server", NULL, COUNT,
                              0, 0,
                              "raise ip_local_port_range or nofile, or keep connections alive"},
    [FINDING_CONNECTIONS] = {"connections", "", " of ", " connections were established", COUNT, 0,
                             0, "raise the server's backlog and limits, or take fewer connections"},
    [FINDING_UNSERVED] =
        {"unserved", "only ", " of the connections were ever served", NULL, SHARE, 1, 0,
         "the server leaves connections unanswered; its latencies are those of the "
         "others: take no more connections than it serves"},
    [FINDING_COUNT_MISMATCH] = {"count_mismatch", "the server counted ",
                                " requests against the driver (0 to ", " can be)", SIGNED, 0, 0,
                                "one of the two counts wrongly, or somebody else asked as well"},
    [FINDING_FOREIGN_CPU] = {"foreign_cpu", "other programs took ", " of the machine's CPU (limit ",
                             ")", SHARE, 1, 0, "stop them, or wait until the machine is idle"},
    [FINDING_LITTLE] = {"little", "rate times service time is ", " off the connections (limit ",
                        ")", SHARE, 1, 1,
                        "rate, latency and connections contradict each other: quote none of them"},
    [FINDING_DRIVER_BOUND] = {"driver_bound", "the driver was ", " busy (limit ",
                              ") and the server was not: the rate may be the driver's", SHARE, 0, 0,
                              "give the driver more CPUs or the server fewer"},
    [FINDING_LISTEN_OVERFLOW] = {"listen_overflow", "",
                                 " connections were dropped or answered with a cookie because a "
                                 "queue was full",
                                 NULL, COUNT, 0, 0,
                                 "raise somaxconn, tcp_max_syn_backlog and the server's backlog"},
    [FINDING_SAMPLES_MISSING] = {"samples_missing", "", " samples are missing", NULL, COUNT, 0, 0,
                                 "the sampling stood still: wait until the machine is idle"},
    [FINDING_SAMPLE_LATE] = {"sample_late", "samples were read up to ", " late (limit ",
                             " for 99 % of them)", MILLISECONDS, 1, 0,
                             "wait until the machine is idle, or give tacho a CPU of its own"},
    [FINDING_PEAK] = {"peak", "the highest sample is ", " times the mean (limit ",
                      "): do not quote it as throughput", TIMES, 2, 1,
                      "quote the rate over the whole window"},
    [FINDING_MEAN_ABOVE_P99] = {"mean_above_p99", "the mean latency of ", " is above the p99 of ",
                                "", MILLISECONDS, 3, 3,
                                "few requests weigh more than all others: quote quantiles and the "
                                "maximum, not the mean"},
    [FINDING_LATENCY_OVERFLOW] = {"latency_overflow", "",
                                  " answers were slower than the histogram's range; the maximum is "
                                  "exact",
                                  NULL, COUNT, 0, 0, "quantiles that reach them are not shown"},
    [FINDING_DRIVER_LATE] = {"driver_late", "the driver sent 1 % of the requests more than ",
                             " late (limit ", "): response times contain that", MILLISECONDS, 2, 2,
                             "give the driver a CPU of its own, or take a lower rate"},
    [FINDING_RATE] = {"rate_not_reached", "", " of the requests that were due were sent (limit ",
                      "): the server was asked less than the plan says", SHARE, 1, 0,
                      "where the server was saturated take a lower rate, else more connections or "
                      "driver threads"},
    [FINDING_DURATION] = {"duration", "the window was ", " long instead of ", "", SECONDS, 3, 3,
                          "a clock or the driver failed: measure again"},
    [FINDING_THROTTLED] = {"throttled", "a CPU quota stopped the server in ", " periods", NULL,
                           COUNT, 0, 0, "raise or remove the quota of the control group (cpu.max)"},
    [FINDING_THERMAL] = {"thermal", "a CPU was slowed down for its heat ", " times", NULL, COUNT, 0,
                         0, "cool the machine, or lengthen the cool-down"},
    [FINDING_STEAL] = {"steal", "the hypervisor took ", " of the CPU time (limit ", ")", SHARE, 1,
                       1, "measure on a machine of your own, or at another hour"},
    [FINDING_SWAPPING] = {"swapping", "", " KiB went to or came from swap", NULL, COUNT, 0, 0,
                          "free memory, or turn swap off"},
    [FINDING_MAJOR_FAULTS] = {"major_faults", "", " page faults had to wait for a disk", NULL,
                              COUNT, 0, 0, "free memory, or lengthen the warm-up"},
    [FINDING_OWN_FAULTS] = {"own_faults", "", " page faults of tacho had to wait for a disk", NULL,
                            COUNT, 0, 0, "free memory, or lengthen the warm-up"},
    [FINDING_PACKETS_DROPPED] = {"packets_dropped", "",
                                 " packets were dropped because a CPU's queue was full", NULL,
                                 COUNT, 0, 0, "raise net.core.netdev_max_backlog"},
    [FINDING_RETRANSMITS] = {"retransmits", "", " TCP segments were sent again", NULL, COUNT, 0, 0,
                             "look for full queues; over loopback there should be none"},
    [FINDING_TIME_WAIT] = {"time_wait", "", " sockets were closed without TIME_WAIT", NULL, COUNT,
                           0, 0, "raise net.ipv4.tcp_max_tw_buckets, or keep connections alive"},
    [FINDING_FREQUENCY] = {"frequency", "the CPUs' frequency varied by ", " (limit ", ")", SHARE, 1,
                           0, "set the governor to performance, and turn boost off"},
    [FINDING_RUN_QUEUE] = {"run_queue", "the server's threads waited for a CPU for ",
                           " of the time that they ran (limit ", ")", SHARE, 1, 0,
                           "give the server CPUs of its own"},
};

static int add_number(char *out, size_t room, enum unit unit, int digits, double value)
{
    switch (unit) {
    case SHARE:
        return snprintf(out, room, "%.*f %%", digits, 100 * value);
    case SIGNED:
        return snprintf(out, room, "%+.*f", digits, value);
    case SECONDS:
        return snprintf(out, room, "%.*f s", digits, value);
    case MILLISECONDS:
        return snprintf(out, room, "%.*f ms", digits, value / 1e6);
    case PLAIN:
    case COUNT:
    case TIMES:
        break;
    }
    return snprintf(out, room, "%.*f", digits, value);
}

void finding_pattern(enum finding_kind kind, char out[FINDING_TEXT_BYTES])
{
    const struct finding_text *text = &texts[kind];

    snprintf(out, FINDING_TEXT_BYTES, "%s%s%s%s%s", text->before, text->unit == PLAIN ? "" : "{1}",
             text->between ? text->between : "", text->after ? "{2}" : "",
             text->after ? text->after : "");
}

static void numbers_format(const struct finding *finding, char value_out[FINDING_NUMBER_BYTES],
                           char limit_out[FINDING_NUMBER_BYTES])
{
    const struct finding_text *text = &texts[finding->kind];
    enum unit limit_unit = text->unit == SIGNED ? COUNT : text->unit;

    value_out[0] = limit_out[0] = '\0';
    if (text->unit != PLAIN) {
        add_number(value_out, FINDING_NUMBER_BYTES, text->unit, text->digits, finding->value);
    }
    if (text->after) {
        add_number(limit_out, FINDING_NUMBER_BYTES, limit_unit, text->limit_digits, finding->limit);
    }
}

void finding_format_parts(const struct finding *finding, char pattern_out[FINDING_TEXT_BYTES],
                          char value_out[FINDING_NUMBER_BYTES],
                          char limit_out[FINDING_NUMBER_BYTES])
{
    finding_pattern(finding->kind, pattern_out);
    numbers_format(finding, value_out, limit_out);
}

const char *finding_format(const struct finding *finding, char out[FINDING_TEXT_BYTES])
{
    const struct finding_text *text = &texts[finding->kind];
    char value[FINDING_NUMBER_BYTES], limit[FINDING_NUMBER_BYTES];

    numbers_format(finding, value, limit);
    snprintf(out, FINDING_TEXT_BYTES, "%s%s%s%s%s", text->before, value,
             text->between ? text->between : "", limit, text->after ? text->after : "");
    return out;
}

const char *finding_name(enum finding_kind kind)
{
    return texts[kind].name;
}

const char *finding_advice(enum finding_kind kind)
{
    return texts[kind].advice;
}
