// SPDX-License-Identifier: Apache-2.0
// Settings that tacho doctor --tune changes and --reset gives back, on machines that are folders.
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/probe/preflight.h"
#include "collector/probe/tune.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"
#include "tests/support/edge_buf.h"
#include "tests/support/proc_tree.h"

#define GOVERNOR "devices/system/cpu/cpu%d/cpufreq/scaling_governor"
#define BOOT     "sys/kernel/random/boot_id"

/* What a machine of the market is set to, and what the rules of the preflight want. */
static const struct {
    const char *path, *former, *tuned;
} files[] = {
    {"devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n", "performance"},
    {"devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n", "performance"},
    {"devices/system/cpu/cpufreq/boost", "1\n", "0"},
    {"devices/system/cpu/intel_pstate/no_turbo", "0\n", "1"},
    {"kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "madvise"},
    {"kernel/mm/ksm/run", "1\n", "0"},
    {"sys/kernel/randomize_va_space", "0\n", "2"},
    {"sys/kernel/sched_autogroup_enabled", "1\n", "0"},
    {"sys/net/core/somaxconn", "128\n", "4096"},
    {"sys/net/ipv4/tcp_max_syn_backlog", "512\n", "4096"},
    {"sys/net/ipv4/tcp_tw_reuse", "0\n", "2"},
};
#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

static struct proc_tree tree;
static char state_path[96];
static struct tune_machine machine;

static void set_up(void)
{
    proc_tree_init(&tree);
    snprintf(state_path, sizeof(state_path), "%s/state", tree.root);
    machine = (struct tune_machine){tree.root, tree.root, state_path};
    proc_tree_write(&tree, BOOT, "aaaa-1\n");
    for (size_t i = 0; i < FILE_COUNT; i++) {
        proc_tree_write(&tree, files[i].path, "%s", files[i].former);
    }
}

static void tear_down(void)
{
    proc_tree_release(&tree);
}

TestSuite(tune, .init = set_up, .fini = tear_down);

static const char *text_of(const char *path)
{
    static char text[256];

    return proc_read(tree.root, text, sizeof(text), "%s", path) < 0 ? "" : text;
}

static void former_expect(void)
{
    const char *wrong = NULL;

    for (size_t i = 0; i < FILE_COUNT; i++) {
        const char *now = text_of(files[i].path);
        const char *word = *files[i].former == '[' ? "always" : files[i].former;

        size_t bytes = strcspn(word, "\n");

        now += *now == '[';
        if (strncmp(now, word, bytes) != 0 || !strchr("\n]", now[bytes])) {
            wrong = files[i].path;
        }
    }
    cr_expect(!wrong, "%s", wrong);
}

Test(tune, changes_what_the_rules_want_and_gives_back_exactly_that)
{
    struct tune *tune = tune_plan(&machine), *back = NULL;
    struct err e = {0};

    cr_assert_not_null(tune);
    cr_expect_eq(tune->count, FILE_COUNT, "%zu", tune->count);
    former_expect();
    cr_assert_eq(tune_apply(&machine, tune, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(tune_count(tune, TUNE_DONE), FILE_COUNT);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        cr_expect_eq(strncmp(text_of(files[i].path), files[i].tuned, strlen(files[i].tuned)), 0,
                     "%s: %s", files[i].path, text_of(files[i].path));
    }
    free(tune);
    tune = tune_plan(&machine);
    cr_expect_eq(tune->count, 0, "nothing is left to be changed");
    cr_expect_eq(tune_apply(&machine, tune, &e), ERR_USAGE);
    cr_expect(strstr(e.text, "tuned already"), "%s", e.text);
    cr_assert_eq(tune_reset(&machine, &back, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(tune_count(back, TUNE_DONE), FILE_COUNT);
    former_expect();
    cr_expect_not(fs_exists(state_path));
    free(back);
    cr_expect_eq(tune_reset(&machine, &back, &e), ERR_USAGE, "there is nothing to give back");
    free(tune);
}

/* The rules and the settings are two tables: none may want what the other warns of. */
Test(tune, leaves_nothing_that_the_preflight_warns_of)
{
    static const char *const rules[] = {"governor", "boost",     "turbo",   "hugepages",  "ksm",
                                        "aslr",     "autogroup", "backlog", "syn_backlog"};
    static struct preflight_row rows[PREFLIGHT_FINDING_COUNT_MAX];
    size_t found_count[2] = {0, 0};
    struct err e = {0};

    for (int is_tuned = 0; is_tuned <= 1; is_tuned++) {
        struct preflight_input input = {.connection_count_max = 1000,
                                        .engine_program = "",
                                        .program_version = "1",
                                        .results_folder = "/"};

        preflight_read(tree.root, tree.root, &input);
        size_t row_count = preflight_list(&input, false, rows);
        for (size_t i = 0; i < row_count; i++) {
            for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
                found_count[is_tuned] +=
                    rows[i].is_known && rows[i].is_violated && strcmp(rows[i].name, rules[j]) == 0;
            }
        }
        struct tune *tune = tune_plan(&machine);
        if (!is_tuned) {
            cr_assert_eq(tune_apply(&machine, tune, &e), ERR_OK, "%s", e.text);
        }
        free(tune);
    }
    cr_expect_eq(found_count[0], sizeof(rules) / sizeof(rules[0]), "%zu", found_count[0]);
    cr_expect_eq(found_count[1], 0, "%zu", found_count[1]);
}

Test(tune, changes_nothing_that_is_fine_or_not_there)
{
    static const struct {
        const char *path, *value;
    } rows[] = {{"kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"},
                {"kernel/mm/ksm/run", "2\n"},
                {"sys/net/core/somaxconn", "65535\n"},
                {"sys/net/ipv4/tcp_max_syn_backlog", "4096\n"},
                {"sys/net/ipv4/tcp_tw_reuse", "1\n"}};

    for (size_t i = 0; i < FILE_COUNT; i++) {
        proc_tree_remove(&tree, files[i].path);
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        proc_tree_write(&tree, rows[i].path, "%s", rows[i].value);
    }
    struct tune *tune = tune_plan(&machine);
    struct err e = {0};
    cr_expect_eq(tune->count, 0, "%zu", tune->count);
    cr_expect_eq(tune_apply(&machine, tune, &e), ERR_OK);
    cr_expect_not(fs_exists(state_path), "nothing to remember");
    free(tune);
}

/* One that cannot be changed keeps no other; what somebody changed since is theirs. */
Test(tune, tells_what_could_not_be_changed_and_what_is_somebody_elses)
{
    struct tune *tune = tune_plan(&machine), *back = NULL;
    struct err e = {0};

    proc_tree_remove(&tree, "kernel/mm/ksm/run");
    cr_assert_eq(tune_apply(&machine, tune, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(tune_count(tune, TUNE_DONE), FILE_COUNT - 1);
    cr_expect_eq(tune_count(tune, TUNE_FAILED), 1);
    proc_tree_write(&tree, "kernel/mm/ksm/run", "1\n");
    proc_tree_write(&tree, "sys/net/core/somaxconn", "9999\n");
    cr_assert_eq(tune_reset(&machine, &back, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(tune_count(back, TUNE_DONE), FILE_COUNT - 2);
    cr_expect_eq(tune_count(back, TUNE_LEFT), 1);
    cr_expect_eq(strncmp(text_of("sys/net/core/somaxconn"), "9999", 4), 0);
    cr_expect_not(fs_exists(state_path));
    free(tune);
    free(back);
}

Test(tune, keeps_the_state_while_something_could_not_be_given_back)
{
    struct tune *tune = tune_plan(&machine), *back = NULL;
    struct err e = {0};

    cr_assert_eq(tune_apply(&machine, tune, &e), ERR_OK, "%s", e.text);
    proc_tree_remove(&tree, "kernel/mm/ksm/run");
    cr_assert_eq(tune_reset(&machine, &back, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(tune_count(back, TUNE_FAILED), 1);
    cr_expect(fs_exists(state_path));
    free(back);
    proc_tree_write(&tree, "kernel/mm/ksm/run", "0\n");
    cr_assert_eq(tune_reset(&machine, &back, &e), ERR_OK, "%s", e.text);
    cr_expect_not(fs_exists(state_path));
    former_expect();
    free(back);
    free(tune);
}

/* A restart gives every setting back by itself. */
Test(tune, of_an_earlier_boot_gives_back_nothing)
{
    struct tune *tune = tune_plan(&machine), *back = NULL;
    struct err e = {0};

    cr_assert_eq(tune_apply(&machine, tune, &e), ERR_OK, "%s", e.text);
    proc_tree_write(&tree, BOOT, "bbbb-2\n");
    cr_assert_eq(tune_reset(&machine, &back, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(back->count, 0);
    cr_expect_eq(strncmp(text_of("kernel/mm/ksm/run"), "0", 1), 0, "left as it is");
    cr_expect_not(fs_exists(state_path));
    free(back);
    free(tune);
}

Test(tune, the_state_takes_no_other_text)
{
    static const char good[] = "tacho tuned 1\nboot aaaa-1\nsys\tkernel/mm/ksm/run\t1\t0\n";
    static const char *const wrong[] = {
        "",
        "tacho tuned 1",
        "tacho tuned 2\nboot a\n",
        "tacho tuned 1\nboot a",
        "tacho tuned 1\nboot a b\n",
        "tacho tuned 1\nboot 0123456789012345678901234567890123456789\n",
        "tacho tuned 1\nboot a\nsys\tkernel/mm/ksm/run\t1\t0",
        "tacho tuned 1\nboot a\nsys\tkernel/mm/ksm/run\t1\n",
        "tacho tuned 1\nboot a\nsys\tkernel/mm/ksm/run\t\t0\n",
        "tacho tuned 1\nboot a\nproc\tkernel/mm/ksm/run\t1\t0\n",
        "tacho tuned 1\nboot a\nsys\t../proc/sys/kernel/core_pattern\t1\t0\n",
        "tacho tuned 1\nboot a\nproc\tsys/kernel/core_pattern\tcore\tcore\n",
        "tacho tuned 1\nboot a\nsys\tkernel/mm/ksm/run/\t1\t0\n",
        "tacho tuned 1\nboot a\nsys\tdevices/system/cpu/cpu/cpufreq/scaling_governor\ta\tb\n",
        "tacho tuned 1\nboot a\nsys\tkernel/mm/ksm/run\t1;x\t0\n",
        "tacho tuned 1\nboot a\n\n",
    };
    static struct tune tune;
    struct err e = {0};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct edge_buf edge;

        edge_buf_init(&edge, wrong[i], strlen(wrong[i]));
        cr_expect_eq(tune_state_parse(edge.bytes, edge.length, &tune, &e), ERR_FORMAT, "row %zu",
                     i);
        edge_buf_release(&edge);
    }
    for (size_t length = 0; length <= strlen(good); length++) { /* every beginning of it */
        struct edge_buf edge;
        bool is_whole = length == strlen(good) || good[length - 1 + !length] == '\n';

        edge_buf_init(&edge, good, length);
        enum err_code code = tune_state_parse(edge.bytes, edge.length, &tune, &e);
        cr_expect_eq(code == ERR_OK, is_whole && length > strlen("tacho tuned 1\n"), "%zu", length);
        edge_buf_release(&edge);
    }
    cr_expect_eq(tune.count, 1);
    cr_expect_str_eq(tune.changes[0].former, "1");
}
