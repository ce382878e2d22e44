// SPDX-License-Identifier: Apache-2.0
// The probe on real processes and sockets: what the kernel tells of many threads and of a listener.
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
#include "collector/probe/taskstats.h"
#include "collector/probe/tree.h"
#include "engines/base/clock.h"

#define THREAD_COUNT    300
#define ENDED_COUNT     100
#define NAPS_PER_THREAD 5

static pthread_barrier_t napped;

static void *thread_run(void *ends)
{
    const struct clock *clock = clock_system();

    for (int i = 0; i < NAPS_PER_THREAD; i++) {
        clock->sleep_until_ns(clock->self, clock_now_ns(clock) + CLOCK_NS_PER_MS);
    }
    if (!ends) {
        pthread_barrier_wait(&napped);
    }
    return NULL;
}

static void threads_start(pthread_t *threads, size_t count, void *ends)
{
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(pthread_create(&threads[i], &small, thread_run, ends), 0);
    }
    pthread_attr_destroy(&small);
}

static struct rusage usage_read(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage;
}

/* getrusage counts for this process the same, threads that ended included. Of those, taskstats may
 * lack what they did while they exited: measured, 8 of 2,501. */
Test(probe_live, counts_the_switches_of_hundreds_of_threads_as_getrusage_does, .timeout = 60)
{
    static pthread_t threads[THREAD_COUNT], ended[ENDED_COUNT];
    static struct taskstats_link link;
    struct taskstats_total total;

    if (!taskstats_open(&link)) {
        cr_skip_test("taskstats needs CAP_NET_ADMIN");
    }
    pthread_barrier_init(&napped, NULL, THREAD_COUNT + 1);
    threads_start(threads, THREAD_COUNT, NULL);
    threads_start(ended, ENDED_COUNT, &napped);
    for (size_t i = 0; i < ENDED_COUNT; i++) {
        pthread_join(ended[i], NULL);
    }
    struct rusage before = usage_read();
    cr_assert(taskstats_read(&link, getpid(), &total));
    struct rusage after = usage_read();
    cr_expect_geq(total.voluntary_switch_count + ENDED_COUNT, (uint64_t)before.ru_nvcsw);
    cr_expect_leq(total.voluntary_switch_count, (uint64_t)after.ru_nvcsw);
    cr_expect_geq(total.voluntary_switch_count, ENDED_COUNT * NAPS_PER_THREAD);
    cr_expect_geq(total.involuntary_switch_count + ENDED_COUNT, (uint64_t)before.ru_nivcsw);
    cr_expect_leq(total.involuntary_switch_count, (uint64_t)after.ru_nivcsw);
    cr_expect(total.has_run_delay);
    cr_expect_gt(total.run_delay_ns, 0);
    cr_expect_not(taskstats_read(&link, INT32_MAX, &total), "no such process");
    cr_expect(taskstats_read(&link, getpid(), &total), "the next answer is its own");

    struct probe *probe;
    int64_t metrics[METRIC_COUNT];
    const struct probe_config config = {.proc_root = MACHINE_PROC_ROOT,
                                        .sys_root = MACHINE_SYS_ROOT,
                                        .root_pid = getpid(),
                                        .asks_kernel = true};
    cr_assert_eq(probe_open(&config, &probe, NULL), ERR_OK);
    probe_read(probe, false, metrics);
    cr_expect_geq(metrics[METRIC_server_thread_count], TREE_TASK_COUNT_MAX + 1);
    cr_expect_geq(metrics[METRIC_server_voluntary_switch_count], 0, "known with many threads");
    cr_expect_geq(metrics[METRIC_server_run_delay_ns], 0);
    probe_close(probe);
    pthread_barrier_wait(&napped);
    for (size_t i = 0; i < THREAD_COUNT; i++) {
        pthread_join(threads[i], NULL);
    }
    taskstats_close(&link);
}

Test(probe_live, sees_connections_that_wait_to_be_accepted, .timeout = 30)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int clients[3];
    struct probe *probe;
    int64_t metrics[METRIC_COUNT];

    cr_assert_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(listen(listener, 16), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    const struct probe_config config = {.proc_root = MACHINE_PROC_ROOT,
                                        .sys_root = MACHINE_SYS_ROOT,
                                        .root_pid = getpid(),
                                        .port = ntohs(address.sin_port),
                                        .asks_kernel = true};
    cr_assert_eq(probe_open(&config, &probe, NULL), ERR_OK);
    for (size_t i = 0; i < 3; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        cr_assert_eq(connect(clients[i], (struct sockaddr *)&address, sizeof(address)), 0);
    }
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_accept_queue_count], 3);
    cr_expect_eq(metrics[METRIC_server_established_count], METRIC_UNKNOWN, "not asked for");
    close(accept(listener, NULL, NULL));
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_accept_queue_count], 2);
    close(listener);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_accept_queue_count], METRIC_UNKNOWN, "nobody listens");
    for (size_t i = 0; i < 3; i++) {
        close(clients[i]);
    }
    probe_close(probe);
}

/* The server's ends alone, of a listener that takes IPv4 as well: both clients talk to one port. */
Test(probe_live, counts_the_states_of_the_servers_connections, .timeout = 30)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    socklen_t length = sizeof(address);
    const int off = 0;
    int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int clients[3];
    struct probe *probe;
    int64_t metrics[METRIC_COUNT];

    if (listener < 0 || setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0) {
        cr_skip_test("no IPv6");
    }
    cr_assert_eq(listen(listener, 16), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    const struct sockaddr_in by_ipv4 = {.sin_family = AF_INET,
                                        .sin_port = address.sin6_port,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct probe_config config = {.proc_root = MACHINE_PROC_ROOT,
                                        .sys_root = MACHINE_SYS_ROOT,
                                        .root_pid = getpid(),
                                        .port = ntohs(address.sin6_port),
                                        .asks_kernel = true};
    cr_assert_eq(probe_open(&config, &probe, NULL), ERR_OK);
    for (size_t i = 0; i < 3; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        cr_assert_eq(connect(clients[i], (const struct sockaddr *)&by_ipv4, sizeof(by_ipv4)), 0);
    }
    probe_read(probe, true, metrics);
    cr_expect_eq(metrics[METRIC_server_accept_queue_count], 3);
    cr_expect_eq(metrics[METRIC_server_established_count], 3);
    close(clients[0]);
    probe_read(probe, true, metrics);
    cr_expect_eq(metrics[METRIC_server_established_count], 2);
    cr_expect_eq(metrics[METRIC_server_close_wait_count], 1, "the client closed, the server not");
    int accepted = accept(listener, NULL, NULL);
    close(accepted);
    probe_read(probe, true, metrics);
    cr_expect_eq(metrics[METRIC_server_close_wait_count], 0);
    cr_expect_eq(metrics[METRIC_server_syn_received_count], 0);
    close(listener);
    for (size_t i = 1; i < 3; i++) {
        close(clients[i]);
    }
    probe_close(probe);
}
