// SPDX-License-Identifier: Apache-2.0
// What sampling costs: CPU time of a reading, the rate with and without it, how late the readings
// are.
//
// sampling cost
// sampling rounds PID PORT CONNECTIONS SECONDS ROUNDS: a server on CPU 0, this program on CPU 1
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
#include "collector/run/sampler.h"
#include "collector/run/sampler_priority.h"

#define INTERVAL_NS        (500 * CLOCK_NS_PER_MS)
#define READING_COUNT      400
#define LATE_NS            (2 * CLOCK_NS_PER_MS)
#define LATENESS_COUNT_MAX 4096
#define ROUND_COUNT_MAX    64

static int fail(const struct err *e)
{
    fprintf(stderr, "sampling: %s\n", e->text);
    return 1;
}

static struct probe *probe_of(pid_t pid, uint16_t port, bool asks_kernel)
{
    const struct probe_config config = {.proc_root = MACHINE_PROC_ROOT,
                                        .sys_root = MACHINE_SYS_ROOT,
                                        .root_pid = pid,
                                        .port = port,
                                        .asks_kernel = asks_kernel};
    struct probe *probe = NULL;
    struct err e;

    if (probe_open(&config, &probe, &e) != ERR_OK) {
        exit(fail(&e));
    }
    return probe;
}

/* --- cost --- */

static void *thread_wait(void *unused)
{
    (void)unused;
    pause();
    return NULL;
}

/* A process with so many threads that do nothing. */
static pid_t idle_start(int thread_count)
{
    int pipes[2];
    char ready;

    if (pipe(pipes) < 0) {
        exit(1);
    }
    pid_t pid = fork();
    if (pid == 0) {
        pthread_attr_t small;
        pthread_t thread;

        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 64 << 10);
        for (int i = 1; i < thread_count; i++) {
            if (pthread_create(&thread, &small, thread_wait, NULL) != 0) {
                _exit(1);
            }
        }
        (void)!write(pipes[1], "r", 1);
        pause();
        _exit(0);
    }
    if (pid < 0 || read(pipes[0], &ready, 1) != 1) {
        exit(1);
    }
    close(pipes[0]);
    close(pipes[1]);
    return pid;
}

static void cost_print(int thread_count, bool asks_kernel)
{
    pid_t pid = idle_start(thread_count);
    struct probe *probe = probe_of(pid, 1, asks_kernel);
    int64_t metrics[METRIC_COUNT];
    int64_t began_ns = clock_thread_cpu_ns();

    for (int i = 0; i < READING_COUNT; i++) {
        probe_read(probe, false, metrics);
    }
    double each_ns = (double)(clock_thread_cpu_ns() - began_ns) / READING_COUNT;
    printf("sampling: %3d threads, switches %-12s %6.0f us a reading, %.3f %% of a CPU\n",
           thread_count,
           metrics[METRIC_server_run_delay_ns] == METRIC_UNKNOWN ? "unknown"
           : asks_kernel                                         ? "by taskstats"
                                                                 : "by a walk",
           each_ns / 1e3, each_ns * 100 / (double)INTERVAL_NS);
    probe_close(probe);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static int cost_run(void)
{
    static const int thread_counts[] = {1, 8, 16, 17, 61, 600};

    for (size_t i = 0; i < ARRAY_COUNT(thread_counts); i++) {
        cost_print(thread_counts[i], true);
        cost_print(thread_counts[i], false);
    }
    return 0;
}

/* --- rounds --- */

struct round {
    struct driver *driver;
    struct probe *probe; /* NULL: nothing is sampled */
    int64_t lateness_ns[LATENESS_COUNT_MAX];
    size_t lateness_count;
    size_t missing_count;
    const char *priority;
};

static void round_start(void *self, int64_t grid_zero_ns)
{
    driver_start(((struct round *)self)->driver, grid_zero_ns);
}

static bool round_take(void *self, struct driver_interval *interval_out,
                       struct histogram *histogram_out)
{
    return driver_take(((struct round *)self)->driver, interval_out, histogram_out);
}

static bool round_finished(void *self)
{
    return driver_finished(((struct round *)self)->driver);
}

static void round_stop(void *self)
{
    driver_stop(((struct round *)self)->driver);
}

static void round_probe(void *self, bool ends_phase, int64_t metrics[METRIC_COUNT])
{
    struct round *round = self;

    if (round->probe) {
        probe_read(round->probe, ends_phase, metrics);
    }
}

static bool round_never(void *self)
{
    (void)self;
    return false;
}

static enum err_code round_put(void *self, const struct sample *sample,
                               const struct histogram *histogram, struct err *e)
{
    struct round *round = self;
    int64_t lateness_ns = sample->metrics[METRIC_lateness_ns];

    (void)histogram;
    (void)e;
    if (sample->phase != SAMPLE_PHASE_DRAIN && round->probe) {
        round->missing_count += lateness_ns == METRIC_UNKNOWN ||
                                sample->metrics[METRIC_machine_busy_ns] == METRIC_UNKNOWN;
        if (round->lateness_count < LATENESS_COUNT_MAX) {
            round->lateness_ns[round->lateness_count++] = lateness_ns;
        }
    }
    return ERR_OK;
}

static struct driver_config driver_make(uint16_t port, uint32_t connection_count, int64_t window_ns,
                                        const cpu_set_t *cpus)
{
    static const char bytes[] = "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    static const struct driver_request request = {
        .bytes = bytes,
        .byte_count = sizeof(bytes) - 1,
        .expect = {.status = 200, .body_bytes = -1},
    };
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct driver_config config = {
        .address_bytes = sizeof(address),
        .requests = &request,
        .request_count = 1,
        .connection_count = connection_count,
        .thread_count = 1,
        .cpus = cpus,
        .timeout_ns = 2 * CLOCK_NS_PER_S,
        .connect_rate_per_s = 2000,
        .grid = {INTERVAL_NS, INTERVAL_NS, window_ns},
        .spin_ns = 50 * CLOCK_NS_PER_US,
    };

    memcpy(&config.address, &address, sizeof(address));
    return config;
}

/* Requests per second of one run. */
static double round_run(struct round *round, const struct driver_config *driver)
{
    const struct sampler_ports ports = {round,          round_start, round_take,
                                        round_finished, round_stop,  round_probe,
                                        round_never,    round_never, round_put};
    const struct sampler_config sampler = {.clock = clock_system(),
                                           .grid = driver->grid,
                                           .lead_ns = 50 * CLOCK_NS_PER_MS,
                                           .drain_ns = 5 * CLOCK_NS_PER_S};
    struct sampler_result result;
    struct err e;

    if (driver_open(driver, &round->driver, &e) != ERR_OK) {
        exit(fail(&e));
    }
    struct sampler_priority before;
    round->priority = sampler_priority_raise(&before);
    if (sampler_run(&sampler, &ports, &result, &e) != ERR_OK) {
        exit(fail(&e));
    }
    sampler_priority_restore(&before);
    driver_close(round->driver);
    return (double)result.ok_count * 1e9 / (double)result.window_ns;
}

static void lateness_print(const struct round *round)
{
    size_t late_count = 0;
    int64_t latest_ns = 0;

    for (size_t i = 0; i < round->lateness_count; i++) {
        late_count += round->lateness_ns[i] > LATE_NS;
        latest_ns = round->lateness_ns[i] > latest_ns ? round->lateness_ns[i] : latest_ns;
    }
    printf("sampling: %zu of %zu samples within 2 ms of the grid (%.2f %%), the latest %.2f ms; "
           "%zu missing; %s\n",
           round->lateness_count - late_count, round->lateness_count,
           100.0 * (double)(round->lateness_count - late_count) / (double)round->lateness_count,
           (double)latest_ns / 1e6, round->missing_count, round->priority);
}

/* The mean of the logarithms and its 95 % interval; scipy: t.ppf(.975, 9) = 2.262. */
static void ratio_print(const double *logs, int count)
{
    double mean = 0, squares = 0;

    for (int i = 0; i < count; i++) {
        mean += logs[i] / count;
    }
    for (int i = 0; i < count; i++) {
        squares += (logs[i] - mean) * (logs[i] - mean);
    }
    double error = count > 1 ? sqrt(squares / (count - 1) / count) : (double)NAN;
    double factor = count == 10 ? 2.262 : 2.8; /* of at least 5 rounds */
    printf(
        "sampling: rate with sampling / without: %.4f (95 %% interval %.4f to %.4f, %d rounds)\n",
        exp(mean), exp(mean - factor * error), exp(mean + factor * error), count);
}

static int rounds_run(char **words)
{
    static struct round with, without;
    double logs[ROUND_COUNT_MAX];
    cpu_set_t cpu_1;
    pid_t pid = atoi(words[0]);
    uint16_t port = (uint16_t)atoi(words[1]);
    int round_count = atoi(words[4]) < ROUND_COUNT_MAX ? atoi(words[4]) : ROUND_COUNT_MAX;
    struct driver_config driver =
        driver_make(port, (uint32_t)atoi(words[2]), atoi(words[3]) * CLOCK_NS_PER_S, &cpu_1);

    CPU_ZERO(&cpu_1);
    CPU_SET(1, &cpu_1);
    sched_setaffinity(0, sizeof(cpu_1), &cpu_1); /* as tacho run does */
    with.probe = probe_of(pid, port, true);
    for (int i = 0; i < round_count; i++) {
        bool with_is_first = i % 2;
        double first = round_run(with_is_first ? &with : &without, &driver);
        double second = round_run(with_is_first ? &without : &with, &driver);
        double ratio = with_is_first ? first / second : second / first;

        logs[i] = log(ratio);
        printf("%8.0f/s without, %8.0f/s with  %.4f\n", with_is_first ? second : first,
               with_is_first ? first : second, ratio);
        fflush(stdout);
    }
    ratio_print(logs, round_count);
    lateness_print(&with);
    probe_close(with.probe);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "cost") == 0) {
        return cost_run();
    }
    if (argc == 7 && strcmp(argv[1], "rounds") == 0) {
        return rounds_run(argv + 2);
    }
    fputs("sampling cost | sampling rounds PID PORT CONNECTIONS SECONDS ROUNDS\n", stderr);
    return 2;
}
