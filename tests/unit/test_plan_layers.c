// SPDX-License-Identifier: Apache-2.0
// A plan made of several texts: includes, settings of the command line, what a workload has of its
// own, variables and arguments of engines.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/plan/plan_stored.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"

static char folder[] = "/tmp/tacho-layers-XXXXXX";

static void set_up(void)
{
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(fs_make_directories("common/deep", NULL), ERR_OK);
    setenv("LAYERS_HERE", "from here", 1);
}

static void tear_down(void)
{
    cr_expect_eq(chdir("/"), 0);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

TestSuite(plan_layers, .init = set_up, .fini = tear_down);

static void file_write(const char *path, const char *text)
{
    struct err e = {0};

    cr_assert_eq(fs_write_file(path, text, strlen(text), &e), ERR_OK, "%s", e.text);
}

static struct plan *plan_of(const char *path, const char *const *settings, size_t count)
{
    struct plan *plan = NULL;
    struct err e = {0};
    const struct plan_settings all = {settings, count};

    cr_assert_eq(plan_load_changed(path, &all, &plan, &e), ERR_OK, "%s", e.text);
    return plan;
}

/* Lists follow each other, a single value is the last one's; paths are relative to their file. */
Test(plan_layers, what_is_included_comes_before_the_plan_itself)
{
    struct plan *plan = NULL, *again = NULL;
    struct buf text;
    struct err e = {0};
    char digest[65], again_digest[65];

    file_write("common/deep/body.bin", "12345");
    file_write("common/deep/load.yaml",
               "window: 9s\nseed: 7\nmachine: { nofile: 100, driver_threads: 2 }\n"
               "workloads: [{ name: up, post: /upload, body: body.bin, connections: 4 }]\n"
               "claims: [{ id: C0, no_errors: true }]\n");
    file_write("common/engines.yaml", "include: deep/load.yaml\nwarmup: 1s\n"
                                      "engines: [{ name: a, builtin: epoll }]\n");
    file_write("p.yaml", "include: [common/engines.yaml]\ntitle: t\nwindow: 5s\n"
                         "machine: { nofile: 200 }\n"
                         "engines: [{ name: b, builtin: blocking }]\n"
                         "claims: [{ id: C1, ratio: throughput, of: a, over: b, at_least: 1 }]\n");
    plan = plan_of("p.yaml", NULL, 0);
    cr_expect_eq(plan->window_ns, 5 * CLOCK_NS_PER_S);
    cr_expect_eq(plan->warmup_ns, 1 * CLOCK_NS_PER_S);
    cr_expect_eq(plan->seed, 7);
    cr_expect_eq(plan->machine.nofile, 200);
    cr_expect_eq(plan->machine.driver_threads, 2);
    cr_assert_eq(plan->engine_count, 2);
    cr_expect_str_eq(plan->engines[0].name, "a");
    cr_expect_str_eq(plan->baseline, "a");
    cr_expect_eq(plan->claim_count, 2);
    cr_expect_str_eq(plan->claims[0].id, "C0");
    cr_expect_str_eq(plan->workloads[0].requests[0].body_path, "common/deep/body.bin");
    cr_expect_eq(plan->workloads[0].requests[0].body_bytes, 5);

    /* The canonical text includes nothing, and is the same plan. */
    buf_init(&text, 1 << 20);
    plan_format(plan, &text);
    cr_expect_null(strstr(text.bytes, "include"));
    cr_assert_eq(plan_parse("c", NULL, text.bytes, text.length, &again, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(plan_digest(plan, digest, &e), ERR_OK);
    cr_expect_eq(plan_digest(again, again_digest, &e), ERR_OK);
    cr_expect_str_eq(digest, again_digest);
    plan_free(again);
    plan_free(plan);
    buf_release(&text);
}

/* What was written gives the plan once more without its files and its environment; a file may begin
 * with a mark like those that part it from the others, and end in what looks like a setting. */
Test(plan_layers, what_was_written_is_read_once_more)
{
    char title[250] = "title=";
    const char *const settings[] = {"window=7s", "engines.b.environment=[LAYERS_HERE]", title};
    struct plan *plan = NULL, *again = NULL;
    struct err e = {0};
    char digest[65], again_digest[65];

    memset(title + strlen(title), 'x', sizeof(title) - strlen(title) - 1);
    title[6] = '\t'; /* kept as it is, and whole */
    file_write("common/deep/body.bin", "12345");
    file_write("common/deep/load.yaml",
               "--- # a mark of its own\n"
               "workloads: [{ name: up, post: /upload, body: body.bin, connections: 4 }]\n");
    file_write("p.yaml", "include: common/deep/load.yaml\ntitle: t\nwindow: 5s\n"
                         "engines: [{ name: a, builtin: epoll }, { name: b, builtin: epoll }]\n"
                         "# --set window=6s is shorter\n");
    for (size_t count = 0; count <= ARRAY_COUNT(settings); count++) {
        plan = plan_of("p.yaml", settings, count);
        cr_assert_eq(chdir("/"), 0);
        unsetenv("LAYERS_HERE");
        cr_expect_eq(plan_source_setting_count(plan->source), count + 1);
        cr_assert_eq(plan_parse_source("w", plan->source, count, plan, &again, &e), ERR_OK, "%s",
                     e.text);
        cr_expect_eq(plan_digest(plan, digest, &e), ERR_OK);
        cr_expect_eq(plan_digest(again, again_digest, &e), ERR_OK);
        cr_expect_str_eq(digest, again_digest);
        plan_free(again);
        cr_expect_eq(plan_parse_source("w", plan->source, count + 1, plan, &again, &e), ERR_USAGE,
                     "a comment was read as a setting");
        plan_free(plan);
        cr_assert_eq(chdir(folder), 0);
        setenv("LAYERS_HERE", "from here", 1);
    }
}

#define REST                                                                                       \
    "title: t\nengines: [{ name: a, builtin: epoll }]\n"                                           \
    "workloads: [{ name: w, get: /, connections: 1 }]\n"

Test(plan_layers, a_mistake_is_told_in_the_file_where_it_stands)
{
    static const struct {
        const char *plan, *other, *want;
    } rows[] = {
        {"include: none.yaml\n" REST, NULL, "p.yaml:1:10: include: there is no file ./none.yaml"},
        {"include: /etc/passwd\n" REST, NULL, "p.yaml:1:10: include: an absolute path"},
        {"include: {}\n" REST, NULL, "p.yaml:1:10: include: a mapping; write a path"},
        {"include:\n" REST, NULL, "p.yaml:1:9: include: no value"},
        {REST "include: p.yaml\n", NULL, "p.yaml:4:10: include: ./p.yaml includes itself this way"},
        {"include: o.yaml\n" REST, "seed: 3\ninclude: p.yaml\n",
         "./o.yaml:2:10: include: ./p.yaml includes itself this way"},
        {"include: o.yaml\n" REST, "windw: 5s\n",
         "./o.yaml:1:1: unknown key \"windw\" in the plan; did you mean \"window\"?"},
        {"include: o.yaml\n" REST, "engines: [{ name: a, builtin: pool }]\n",
         "p.yaml:3:19: name: a second engine \"a\""},
        {"include: o.yaml\n" REST, "baseline: z\n",
         "./o.yaml:1:11: baseline: no engine has the name \"z\""},
        {"include: o.yaml\n" REST, "claims: [{ id: C, no_errors: true, of: z }]\n",
         "./o.yaml:1:40: no engine has the name \"z\""},
        {"include: o.yaml\n" REST, "engines: [{ name: a (A/A), builtin: epoll }]\nbaseline: a\n",
         "./o.yaml:1:19: name: this is the A/A arm's"},
        {"include: o.yaml\ntitle: t\n", "seed: 2\n", "p.yaml:1:1: the plan has no \"engines\""},
        {"include: o.yaml\n" REST, "", "./o.yaml:1:1: an empty plan"},
        {"include: common\n" REST, NULL,
         "p.yaml:1:10: include: ./common: not a regular file but a folder; name a file"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct plan *plan = NULL;
        struct err e = {0};

        file_write("p.yaml", rows[i].plan);
        file_write("o.yaml", rows[i].other ? rows[i].other : "");
        cr_expect_eq(plan_load("p.yaml", &plan, &e), ERR_USAGE, "row %zu", i);
        cr_expect_eq(strncmp(e.text, rows[i].want, strlen(rows[i].want)), 0, "row %zu: %s", i,
                     e.text);
    }
}

/* One file above four that are included is as deep as it goes. */
Test(plan_layers, includes_are_bounded_in_depth)
{
    struct plan *plan = NULL;
    struct err e = {0};

    for (int i = 0; i < 6; i++) {
        char path[32], text[64];

        snprintf(path, sizeof(path), "d%d.yaml", i);
        snprintf(text, sizeof(text), i < 5 ? "include: d%d.yaml\nseed: 2\n" : "seed: 2\n", i + 1);
        file_write(path, text);
    }
    file_write("p.yaml", "include: d2.yaml\n" REST);
    plan_free(plan_of("p.yaml", NULL, 0));
    file_write("p.yaml", "include: d1.yaml\n" REST);
    cr_expect_eq(plan_load("p.yaml", &plan, &e), ERR_USAGE);
    cr_expect_str_eq(e.text, "./d4.yaml:1:10: include: nested deeper than 4 files");
}

Test(plan_layers, a_setting_changes_one_key)
{
    static const char *const settings[] = {"window=3s",
                                           "machine.nofile=77",
                                           "engines.a.b.threads=2",
                                           "workloads.w.connections=[2, 3]",
                                           "workloads.w.window=1s",
                                           "workloads.w.post=/upload",
                                           "workloads.w.expect={ status: 201 }",
                                           "workloads.w.rate=100/s",
                                           "workloads.w.arrivals=poisson",
                                           "baseline=a.b",
                                           "title=with = and: no colon"};

    file_write("p.yaml", "title: t\nengines: [{ name: x, builtin: pool }, { name: a.b, builtin: "
                         "epoll }]\nworkloads: [{ name: w, get: /, connections: [1, 9] }]\n");
    struct plan *plan = plan_of("p.yaml", settings, ARRAY_COUNT(settings) - 1);
    cr_expect_eq(plan->window_ns, 3 * CLOCK_NS_PER_S);
    cr_expect_eq(plan->machine.nofile, 77);
    cr_expect_eq(plan->engines[1].thread_count, 2);
    cr_expect_eq(plan->workloads[0].load_point_count, 2);
    cr_expect_eq(plan->workloads[0].connection_counts[1], 3);
    cr_expect_eq(plan_times(plan, &plan->workloads[0]).window_ns, CLOCK_NS_PER_S);
    cr_expect_str_eq(plan->workloads[0].requests[0].method, "POST");
    cr_expect_eq(plan->workloads[0].requests[0].expect.status, 201);
    cr_expect_eq(plan->workloads[0].rates_per_s[0], 100);
    cr_expect(plan->workloads[0].is_poisson);
    cr_expect_str_eq(plan->baseline, "a.b");
    plan_free(plan);
}

/* One file is kept byte for byte; of several, each under its name from the plan's folder. */
Test(plan_layers, keeps_what_was_written)
{
#define ITEMS                                                                                      \
    "engines: [{ name: a, builtin: epoll }]\nworkloads: [{ name: w, get: /, connections: 1 }]"
    static const char *const settings[] = {"window=1s", "title='two words'"};
    static const char alone[] = "# why\ntitle:   'x'\n" ITEMS;
    char large[PLAN_SOURCE_BYTES_MAX + sizeof(alone)];

    file_write("alone.yaml", alone);
    file_write("common/times.yaml", "window: 2s # no line feed");
    cr_assert_eq(fs_make_directories("sub", NULL), ERR_OK);
    file_write("sub/many.yaml", "include: ../common/times.yaml\ntitle: t\n" ITEMS "\n");
    struct plan *plan = plan_of("alone.yaml", NULL, 0);
    cr_expect_str_eq(plan->source, alone);
    plan_free(plan);
    plan = plan_of("sub/many.yaml", settings, 1);
    cr_expect_str_eq(plan->source,
                     "--- # ../common/times.yaml\nwindow: 2s # no line feed\n"
                     "--- # many.yaml\ninclude: ../common/times.yaml\ntitle: t\n" ITEMS
                     "\n# --set window=1s\n");
    plan_free(plan);
    plan = plan_of("alone.yaml", settings, 2);
    cr_expect_str_eq(strstr(plan->source, "# --set"),
                     "# --set window=1s\n# --set title='two words'\n");
    plan_free(plan);

    memset(large, '#', sizeof(large) - 1);
    memcpy(large, alone, sizeof(alone) - 1);
    large[sizeof(alone) - 1] = '\n';
    large[PLAN_SOURCE_BYTES_MAX] = '\0';
    file_write("large.yaml", large);
    plan = plan_of("large.yaml", NULL, 0);
    cr_expect_str_eq(plan->source, large);
    plan_free(plan);
    large[PLAN_SOURCE_BYTES_MAX] = '#';
    large[PLAN_SOURCE_BYTES_MAX + 1] = '\0';
    file_write("large.yaml", large);
    plan = plan_of("large.yaml", NULL, 0);
    cr_expect_null(plan->source);
    plan_free(plan);
#undef ITEMS
}

Test(plan_layers, a_wrong_setting_is_told_as_it_was_typed)
{
    static const char *const rows[][2] = {
        {"window", "--set window: write KEY=VALUE, like window=5s"},
        {"=5s", "--set =5s: write KEY=VALUE"},
        {"windw=5s", "--set windw=5s: unknown key \"windw\" in the plan; did you mean \"window\"?"},
        {"window=5", "--set window=5: window: \"5\" has no unit"},
        {"window=", "--set window=: window: no value"},
        {"machine.cpu=1", "--set machine.cpu=1: unknown key \"cpu\" in machine; known: "},
        {"engines.c.threads=1",
         "--set engines.c.threads=1: no engine of the plan has that name; did you mean \"a\"?"},
        {"engines.a.name=c", "--set engines.a.name=c: a name is what claims and baseline"},
        {"workloads.w.expect.status=404",
         "--set workloads.w.expect.status=404: unknown key \"expect.status\" in a workload; "
         "\"expect\" is given whole, like expect={ status: … }"},
        {"engines.a.environment.A=1",
         "--set engines.a.environment.A=1: unknown key \"environment.A\" in an engine; "
         "\"environment\" is given whole, like environment={ A: … }"},
        {"engines.a.thread.x=1",
         "--set engines.a.thread.x=1: unknown key \"thread.x\" in an engine;"
         " did you mean \"threads\"?"},
        {"machine.nofile.x=1", "--set machine.nofile.x=1: unknown key \"nofile.x\" in machine; "
                               "did you mean \"nofile\"?"},
        {"engines.a=1", "--set engines.a=1: no key; write engines.NAME.KEY=VALUE"},
        {"workloads.w.=1", "--set workloads.w.=1: no key; write"},
        {"machine.=1", "--set machine.=1: no key; write"},
        {"engines.c=1", "--set engines.c=1: no key; write"},
        {"claims.C1.at_least=2", "--set claims.C1.at_least=2: a list is not set from here"},
        {"title=a\nwarmup: 2s", "--set title=a\\x0awarmup: 2s: more than one line"},
        {"engines.a.threads=65", "--set engines.a.threads=65: threads: epoll has at most 64"},
        {"workloads.w.connections=0", "--set workloads.w.connections=0: connections: 0 is outside"},
        {"workloads.w.flood={ connections: 2, for: 1s }",
         "--set workloads.w.flood={ connections: 2, "
         "for: 1s }: the workload is no flood"},
        {"workloads.w.arrivals=poisson",
         "--set workloads.w.arrivals=poisson: arrivals without rate"},
        {"workloads.w.body=x", "--set workloads.w.body=x: body with GET; only post sends a body"},
        {"workloads.w.think_kind=exponential",
         "--set workloads.w.think_kind=exponential: think_kind without think_time"},
        {"workloads.w.requests=[{ get: /a }]",
         "--set workloads.w.requests=[{ get: /a }]: requests: write a list of at least two"},
        {"machine.source_addresses=[10.0.0.1]", "--set machine.source_addresses=[10.0.0.1]: "
                                                "source_addresses: \"10.0.0.1\" is no address of"},
        {"engines=[]", "--set engines=[]: a list is not set from here"},
        {"include=x", "--set include=x: a list is not set from here"},
        {"baseline=z", "--set baseline=z: baseline: no engine has the name \"z\""},
        {"title=[", "--set title=[: not YAML: "},
    };

    file_write("p.yaml", REST);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct plan_settings settings = {&rows[i][0], 1};
        struct plan *plan = NULL;
        struct err e = {0};

        cr_expect_eq(plan_load_changed("p.yaml", &settings, &plan, &e), ERR_USAGE, "row %zu", i);
        cr_expect_eq(strncmp(e.text, rows[i][1], strlen(rows[i][1])), 0, "row %zu: %s", i, e.text);
    }
}

/* An override that says what the plan says is none: one plan, one text. */
Test(plan_layers, a_workload_has_times_of_its_own)
{
    struct buf text;

    file_write("p.yaml",
               "window: 5s\nwarmup: 1s\nsettle: 2s\ncooldown: 4s\ntrials: 1\naa: false\n"
               "title: t\nengines: [{ name: a, builtin: epoll }]\nworkloads:\n"
               "  - { name: v, get: /, connections: 1, window: 5s, settle: 0s }\n"
               "  - { name: w, get: /, connections: 1, window: 7s, warmup: 0s, timeout: 9s, "
               "cooldown: 1s }\n");
    struct plan *plan = plan_of("p.yaml", NULL, 0);
    struct plan_times v = plan_times(plan, &plan->workloads[0]);
    struct plan_times w = plan_times(plan, &plan->workloads[1]);
    cr_expect_eq(v.window_ns, 5 * CLOCK_NS_PER_S);
    cr_expect_eq(v.settle_ns, 0);
    cr_expect_eq(w.window_ns, 7 * CLOCK_NS_PER_S);
    cr_expect_eq(w.warmup_ns, 0);
    cr_expect_eq(w.timeout_ns, 9 * CLOCK_NS_PER_S);
    cr_expect_eq(w.cooldown_ns, CLOCK_NS_PER_S);
    cr_expect_eq(w.settle_ns, 2 * CLOCK_NS_PER_S);
    /* 2 × (2 + 1 + 5 + 4) of the limit, 0 + 1 + 5 + 4, 2 + 0 + 7 + 1 */
    cr_expect_eq(plan_duration_ns(plan), 44 * CLOCK_NS_PER_S);
    buf_init(&text, 1 << 20);
    plan_format(plan, &text);
    cr_expect(strstr(text.bytes, "      status: 200\n    settle: 0s\n    connections: [1]\n"), "%s",
              text.bytes);
    cr_expect(
        strstr(text.bytes, "    warmup: 0s\n    window: 7s\n    cooldown: 1s\n    timeout: 9s\n"));
    buf_release(&text);
    plan_make_quick(plan);
    cr_expect_eq(plan_times(plan, &plan->workloads[1]).window_ns, 2 * CLOCK_NS_PER_S);
    plan_free(plan);
}

Test(plan_layers, an_engine_has_the_variables_and_arguments_that_the_plan_names)
{
    struct buf text;

    file_write(
        "p.yaml",
        "title: t\nengines:\n  - { name: a, builtin: epoll, environment: { A_1: \"x y\", LANG: "
        "'' }, arguments: [--backlog, \"7\"] }\n  - { name: b, builtin: epoll, environment: "
        "[LAYERS_HERE] }\nworkloads: [{ name: w, get: /, connections: 1 }]\n");
    struct plan *plan = plan_of("p.yaml", NULL, 0);
    cr_assert_eq(plan->engines[0].variable_count, 2);
    cr_expect_str_eq(plan->engines[0].variables[0].name, "A_1");
    cr_expect_str_eq(plan->engines[0].variables[0].value, "x y");
    cr_expect_str_eq(plan->engines[0].variables[1].value, "");
    cr_assert_eq(plan->engines[0].argument_count, 2);
    cr_expect_str_eq(plan->engines[0].arguments[1], "7");
    cr_expect_str_eq(plan->engines[1].variables[0].value, "from here");
    buf_init(&text, 1 << 20);
    plan_format(plan, &text);
    cr_expect(strstr(text.bytes, "    environment:\n      A_1: \"x y\"\n      LANG: \"\"\n    "
                                 "arguments:\n      - \"--backlog\"\n      - \"7\"\n"),
              "%s", text.bytes);
    cr_expect(strstr(text.bytes, "      LAYERS_HERE: \"from here\"\n"), "the value is in the text");
    buf_release(&text);
    plan_free(plan);
}

#define ENGINE(more)                                                                               \
    "title: t\nengines:\n  - { name: a, builtin: epoll, " more                                     \
    " }\nworkloads: [{ name: w, get: /, connections: 1 }]\n"

Test(plan_layers, wrong_variables_and_arguments_are_told)
{
    static const char *const rows[][2] = {
        {ENGINE("environment: A"),
         "p.yaml:3:45: environment: a single value; write { NAME: value }"},
        {ENGINE("environment: { 1A: x }"), "p.yaml:3:47: environment: \"1A\" is not the name"},
        {ENGINE("environment: { A-B: x }"), "p.yaml:3:47: environment: \"A-B\" is not the name"},
        {ENGINE("environment: { TACHO_PADDING: x }"), "p.yaml:3:47: environment: TACHO_PADDING is"},
        {ENGINE("environment: { A: x, A: y }"), "p.yaml:3:53: environment: A a second time"},
        {ENGINE("environment: { A: }"), "p.yaml:3:50: A: no value; write its value in quotes"},
        {ENGINE("environment: { A: [x] }"), "p.yaml:3:50: A: a list; write its value"},
        {ENGINE("environment: [LAYERS_NOWHERE]"),
         "p.yaml:3:46: environment: LAYERS_NOWHERE is not set here"},
        {ENGINE("arguments: --backlog"), "p.yaml:3:43: arguments: write a list like"},
        {ENGINE("arguments: [--port, \"80\"]"),
         "p.yaml:3:44: arguments: --port is not the plan's to give: a free one is taken"},
        {ENGINE("arguments: [--threads=4]"), "p.yaml:3:44: arguments: --threads is not the plan's"},
        {ENGINE("arguments: [-p80]"), "p.yaml:3:44: arguments: -p is not the plan's to give"},
        {ENGINE("arguments: [--bogus]"),
         "p.yaml:3:43: arguments: unknown option --bogus; see tacho-engine --help"},
        {ENGINE("arguments: [--backlog]"), "p.yaml:3:43: arguments: --backlog needs a value (N)"},
        {ENGINE("arguments: [--backlog, \"0\"]"), "p.yaml:3:43: arguments: --backlog: "},
        {ENGINE("arguments: [pool]"), "p.yaml:3:43: arguments: unexpected argument \"pool\""},
        {ENGINE("arguments: [--list]"), "p.yaml:3:43: arguments: --help, --list, --version and "},
        {ENGINE("arguments: [1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7]"),
         "p.yaml:3:76: arguments: more than 16"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct plan *plan = NULL;
        struct err e = {0};

        file_write("p.yaml", rows[i][0]);
        cr_expect_eq(plan_load("p.yaml", &plan, &e), ERR_USAGE, "row %zu", i);
        cr_expect_eq(strncmp(e.text, rows[i][1], strlen(rows[i][1])), 0, "row %zu: %s", i, e.text);
    }
}
