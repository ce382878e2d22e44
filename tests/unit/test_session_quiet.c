// SPDX-License-Identifier: Apache-2.0
// Waiting for other programs to end: a machine as files, a clock that moves when somebody sleeps.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "collector/run/session_quiet.h"
#include "tests/support/clock_fake.h"
#include "tests/support/proc_tree.h"

/* What the kernel says from the second `at_s` on. */
struct step {
    int at_s;
    double cpu, io, memory, load; /* a negative pressure: the kernel tells of none */
};

struct machine {
    struct proc_tree tree;
    struct clock_fake fake;
    struct clock clock; /* the fake one, which also lets the machine go on */
    const struct step *steps;
    size_t step_count;
    int told_count;
    char why[PREFLIGHT_TEXT_BYTES];
    int64_t left_ns;
    int stop_at_s;
    volatile sig_atomic_t stop;
};

static void pressure_write(const struct machine *machine, const char *name, double some)
{
    char path[32];

    snprintf(path, sizeof(path), "pressure/%s", name);
    if (some >= 0) {
        proc_tree_write(&machine->tree, path, "some avg10=%.2f avg60=0.00 avg300=0.00 total=1\n",
                        some);
    }
}

static void machine_update(struct machine *machine)
{
    const struct step *now = &machine->steps[0];

    for (size_t i = 0; i < machine->step_count; i++) {
        if (machine->fake.now_ns >= machine->steps[i].at_s * CLOCK_NS_PER_S) {
            now = &machine->steps[i];
        }
    }
    pressure_write(machine, "cpu", now->cpu);
    pressure_write(machine, "io", now->io);
    pressure_write(machine, "memory", now->memory);
    proc_tree_write(&machine->tree, "loadavg", "%.2f 0.00 0.00 1/100 1\n", now->load);
    if (machine->stop_at_s && machine->fake.now_ns >= machine->stop_at_s * CLOCK_NS_PER_S) {
        machine->stop = SIGINT;
    }
}

static int64_t machine_now(void *self)
{
    return ((struct machine *)self)->fake.now_ns;
}

static void machine_sleep(void *self, int64_t deadline_ns)
{
    struct machine *machine = self;

    machine->fake.clock.sleep_until_ns(machine->fake.clock.self, deadline_ns);
    machine_update(machine);
}

static void on_waits(void *self, const char *why, int64_t left_ns)
{
    struct machine *machine = self;

    machine->told_count++;
    machine->left_ns = left_ns;
    snprintf(machine->why, sizeof(machine->why), "%s", why);
}

static int64_t machine_wait(struct machine *machine, int limit_s, struct preflight_input *input_out)
{
    const struct progress progress = {.self = machine, .waits = on_waits};

    clock_fake_init(&machine->fake, 0);
    machine->clock =
        (struct clock){machine_now, machine->fake.clock.wall_ns, machine_sleep, machine};
    proc_tree_init(&machine->tree);
    machine_update(machine);
    *input_out = (struct preflight_input){.somaxconn = 1};
    CPU_ZERO(&input_out->allowed_cpus);
    CPU_SET(0, &input_out->allowed_cpus);
    CPU_SET(1, &input_out->allowed_cpus);
    preflight_read_activity(machine->tree.root, input_out);
    const struct session_quiet quiet = {.proc_root = machine->tree.root,
                                        .clock = &machine->clock,
                                        .limit_ns = limit_s * CLOCK_NS_PER_S,
                                        .progress = &progress,
                                        .stop = &machine->stop};
    int64_t waited_ns = session_wait_quiet(&quiet, input_out);
    proc_tree_release(&machine->tree);
    return waited_ns;
}

/* Thresholds of environment.md: 5 % for the CPU, 1 % for the others, a load of 0.3 for each CPU. */
Test(session_quiet, waits_until_nothing_is_above_its_threshold)
{
    static const struct {
        struct step steps[3];
        int limit_s, waited_s, told_count;
        int64_t cpu_centi; /* of the last look */
        const char *why;   /* of the last telling */
        bool has_waited;
    } rows[] = {
        {{{0, 5, 1, 1, 9}, {99, 0, 0, 0, 0}, {99, 0, 0, 0, 0}}, 60, 0, 0, 500, "", true},
        {{{0, 40, 0, 0, 2}, {3, 5.01, 0, 0, 2}, {7, 4, 0, 0, 2}},
         60,
         7,
         7,
         400,
         "somebody waits for a CPU: 5.01 % of the last 10 s; should be: at most 5 %",
         true},
        {{{0, 0, 1.5, 0, 0}, {2, 0, 0, 2, 0}, {4, 0, 0, 0, 0}},
         60,
         4,
         4,
         0,
         "somebody waits for memory: 2.00 %",
         true},
        {{{0, 40, 0, 0, 2}, {99, 0, 0, 0, 0}, {99, 0, 0, 0, 0}},
         60,
         60,
         60,
         4000,
         "somebody waits for a CPU: 40.00 %",
         true},
        {{{0, 40, 0, 0, 2}, {99, 0, 0, 0, 0}, {99, 0, 0, 0, 0}}, 0, 0, 0, 4000, "", false},
        {{{0, -1, -1, -1, 0.61}, {5, -1, -1, -1, 0.6}, {99, 0, 0, 0, 0}},
         60,
         5,
         5,
         -1,
         "load average of the last minute: 0.61",
         true},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct machine machine = {.steps = rows[i].steps, .step_count = 3};
        struct preflight_input input;
        int64_t waited_ns = machine_wait(&machine, rows[i].limit_s, &input);

        cr_expect_eq(waited_ns, rows[i].waited_s * CLOCK_NS_PER_S, "row %zu: %lld", i,
                     (long long)waited_ns);
        cr_expect_eq(machine.told_count, rows[i].told_count, "row %zu: %d", i, machine.told_count);
        cr_expect_eq(strncmp(machine.why, rows[i].why, strlen(rows[i].why)), 0, "row %zu: %s", i,
                     machine.why);
        cr_expect_eq(input.pressure_cpu_centi, rows[i].cpu_centi, "row %zu", i);
        cr_expect_eq(input.has_waited, rows[i].has_waited, "row %zu", i);
        if (rows[i].told_count) {
            cr_expect_eq(machine.left_ns,
                         (rows[i].limit_s - rows[i].told_count + 1) * CLOCK_NS_PER_S, "row %zu", i);
        }
    }
}

Test(session_quiet, a_signal_ends_it_and_refuses_nothing)
{
    static const struct step busy = {0, 40, 0, 0, 2};
    struct machine machine = {.steps = &busy, .step_count = 1, .stop_at_s = 3};
    struct preflight_input input;

    cr_expect_eq(machine_wait(&machine, 60, &input), 3 * CLOCK_NS_PER_S);
    cr_expect_not(input.has_waited);
}
