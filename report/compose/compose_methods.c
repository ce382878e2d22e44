// SPDX-License-Identifier: Apache-2.0
// How the numbers were made, in prose with this session's numbers; how to check them; how to read
// them.
#include <math.h>
#include <string.h>

#include "engines/base/rng.h"
#include "report/compose/compose_parts.h"
#include "report/judge/groups.h"
#include "report/render/number.h"

static const char open_loop[] =
    " Workloads with a rate are open loops instead: requests are due on a fixed schedule, any idle "
    "connection sends the next one, and a request that finds none idle waits while its time runs.";

static const char think_time[] =
    " Where a workload has think time each connection pauses between an answer and its next "
    "request, and begins somewhere in a pause; latency counts from the sending.";

static const char mixed[] =
    " A mix sends several requests: of so many as their weights add up to, each thread sends each "
    "as often as its weight says, in an order from the plan's seed, which is the same for every "
    "engine.";

static const char histograms[] = " and a histogram of latencies with three significant digits";

static void add(struct compose *compose, struct document_section *section, const char *text)
{
    document_add(compose->document, section, DOCUMENT_PARAGRAPH, text);
}

static const char *fact(struct compose *compose, const char *name)
{
    return document_name(compose->document, results_find_fact(compose->results, "start", name));
}

static bool has_think(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->workload_count; i++) {
        if (compose->results->workloads[i].think_ns > 0) {
            return true;
        }
    }
    return false;
}

/* That give a trial its quantiles. */
static bool has_histograms(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        if (isfinite(compose->analysis->trials[i].latency_ns[0])) {
            return true;
        }
    }
    return false;
}

static size_t measured_engine_count(const struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->results->engine_count; i++) {
        count += !compose_engine_is(compose, i, "limit");
    }
    return count;
}

static void add_design(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    const char *generator = results_find_fact(compose->results, "start", "order.generator");

    add(compose, section,
        document_format(
            document,
            "Each of %zu blocks ran all %zu engines (the A/A arm among them) once per load point, "
            "in "
            "an order drawn with seed %s by %s and balanced for position. Every trial had a fresh "
            "server process and fresh connections, %s s of warm-up that is stored but not counted, "
            "and a window of %s s. The session began and ended with the limit engine. %zu of %zu "
            "trials are counted.",
            compose_block_count(compose), measured_engine_count(compose),
            fact(compose, "order.seed"), document_name(document, generator ? generator : RNG_NAME),
            compose_seconds(compose, compose_warmup_s(compose)),
            compose_seconds(compose, compose_window_s(compose)), compose_counted(compose),
            compose->results->trial_count));
    add(compose, section,
        document_format(
            document,
            "Load came over loopback from one driver process on the same machine (CPUs %s; the "
            "server on CPUs %s) in a closed loop: each connection sends its next request when the "
            "answer to the last one is complete.%s%s%s Every answer was checked for status, length "
            "and "
            "bytes. Counters%s were stored every %s s on a fixed grid: %s samples, of which %s "
            "are missing.",
            fact(compose, "driver.cpus"), fact(compose, "server.cpus"),
            compose_has_open(compose) ? document_tr(document, open_loop) : "",
            has_think(compose) ? document_tr(document, think_time) : "",
            compose->results->request_count > 0 ? document_tr(document, mixed) : "",
            has_histograms(compose) ? document_tr(document, histograms) : "",
            compose_seconds(compose, compose_interval_s(compose)),
            compose_count(compose, compose->analysis->sample_count),
            compose_count(compose, compose->analysis->sample_missing_count)));
    if (!has_histograms(compose)) {
        add(compose, section,
            "This file holds no histogram of latencies for all requests of any trial, so that no "
            "quantile of latency is known.");
    }
}

static void add_estimation(struct compose *compose, struct document_section *section)
{
    add(compose, section,
        "A trial's throughput is its ok requests in the window over the window's real length. "
        "Means over trials are geometric, with Student's t interval on logarithms at 95 %. A "
        "comparison takes the ratio within each block, so that slow drift cancels; its interval is "
        "Student's t on the logarithms of those ratios, its p value that of the exact sign-flip "
        "test, adjusted by Holm over all comparisons of the session. The unit of inference is the "
        "trial, never the request and never the sample.");
    add(compose, section,
        document_format(
            compose->document,
            "DIFFERENT: the adjusted p is below 0.05 and the interval lies beyond the margin of "
            "%s "
            "(the larger of 2 %% and the half-width of the A/A interval). SMALL: different from 1, "
            "but not by more than the margin for certain. EQUIVALENT: the interval lies within the "
            "margin. INCONCLUSIVE: none of these. With fewer than 6 blocks there is no verdict.",
            compose_percent(compose, compose->analysis->margin)));
    add(compose, section,
        document_format(
            compose->document,
            "Groups of ties take the place of ranks: the pairs of engines at one load point (%zu "
            "in all) were tested in the same way, adjusted by Holm over these pairs, and engines "
            "that are "
            "not told apart share a letter (Piepho 2004). Latency, CPU time and memory were "
            "compared in %zu exploratory tests, adjusted by Benjamini and Hochberg at 0.05.",
            groups_count_pairs(compose->analysis), compose->analysis->secondary_count));
    add(compose, section,
        "Latency quantiles come from the merged histograms of a trial's window (nearest rank, no "
        "average of percentiles); one with fewer than 100 requests beyond it is n/a. A trial is "
        "not counted when its server ended, when it was interrupted or samples are missing, when "
        "no "
        "request or not every connection was served, when more than 0.1 % of its requests failed "
        "or a single answer had a wrong body, when the driver ran out of ports or descriptors, "
        "when the server's own count disagrees with the driver's, when Little's law is off by more "
        "than 3 %, when its window is 20 % off the plan's, and in an open loop when fewer than "
        "99 % of the requests that were due were sent although the server was not saturated, or "
        "when the driver's lag (p99) is above 1 ms and above a tenth of the p99.");
    add(compose, section,
        "Nor is it counted when other programs used more than 5 % of the CPUs or the hypervisor "
        "took more than 2 %, or when in its window a CPU quota stopped the server, a CPU was "
        "slowed down for heat, the machine swapped, a page fault waited for a disk, an accept "
        "queue was full or packets were dropped. What could not be read is unknown and speaks "
        "neither for nor against a trial.");
    add(compose, section,
        "Claims stand in the plan, before the measurement. Each is judged by itself: SUPPORTED or "
        "REFUTED when the whole 95 % interval lies on one side of its limit, with 6 blocks or "
        "trials at least, else INCONCLUSIVE; a ratio also when Student's and the "
        "Hodges\xe2\x80\x93Lehmann interval decide differently. A share of failed requests "
        "and one of trials that recovered have Clopper and Pearson's interval; a single failed "
        "request or trial refutes.");
    add(compose, section,
        "A window is looked at for changes of level (Gaussian cost of mean and variance, penalty "
        "15 ln n, segments of 5 samples at least) and for drift (halves, batches of 5, 3 standard "
        "errors and 1 %); when more than a fifth of an engine's trials at a load point are not "
        "steady, that is said. Nothing is cut from a window for it. With fewer than 10 samples in "
        "the window nothing can be said.");
}

void compose_methods(struct compose *compose)
{
    struct document_section *section =
        document_add_section(compose->document, "methods", "Methods");

    add_design(compose, section);
    add_estimation(compose, section);
    add(compose, section,
        document_format(compose->document,
                        "Measured with tacho %s. Rounding: a number with an interval is rounded to "
                        "the second digit of the interval's width, but keeps two of its own; all "
                        "digits are in %s.",
                        document_name(compose->document, compose->results->program_version),
                        document_tr(compose->document,
                                    compose->is_article
                                        ? "report.json and tables/ of the report in the archive"
                                        : "the files in tables/ and report.json")));
    compose_checklist(compose, section);
}

void compose_reading(struct compose *compose)
{
    struct document *document = compose->document;
    struct document_section *section =
        document_add_section(document, "verify", "Check it, and read it rightly");

    add(compose, section,
        document_format(document,
                        "The same results file gives the same report, byte for byte (pictures: "
                        "with the same gnuplot). A bundle carries that file, the sources of the "
                        "built-in servers, and a README with every step. With tacho %s, or with a "
                        "later one for all but the bytes:",
                        document_name(document, compose->results->program_version)));
    document_add(document, section, DOCUMENT_CODE,
                 document_format(document,
                                 "tacho report RESULTS.db -o again   # then compare the folders\n"
                                 "tacho verify BUNDLE                # hashes, samples, report\n"
                                 "tacho reproduce BUNDLE             # measures it anew\n"
                                 "sqlite3 -readonly RESULTS.db 'SELECT * FROM sample LIMIT 5'\n"
                                 "plan     %s\nsamples  %s\n",
                                 compose->results->plan_digest, compose->samples_digest));
    document_add(document, section, DOCUMENT_ITEM,
                 "An interval says where the true value plausibly lies on this machine and day, "
                 "not on another one. Two intervals that overlap can still belong to a clear "
                 "ratio: read the ratio.");
    document_add(document, section, DOCUMENT_ITEM,
                 "Server and driver share one host and talk over loopback: no network card, no "
                 "distance, and caches and memory in common. What is shown is the cost of the "
                 "server's own work, not of a service on a network.");
    document_add(document, section, DOCUMENT_ITEM,
                 "In a closed loop a slow server is asked less often. Service time therefore "
                 "flatters slow moments; it is not the response time of users who arrive at their "
                 "own rate.");
    document_add(document, section, DOCUMENT_ITEM,
                 "The workload is small on purpose. It measures the server's handling of "
                 "connections and requests, not of a real application.");
}
