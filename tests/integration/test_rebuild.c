// SPDX-License-Identifier: Apache-2.0
// A recorded build is run again in a sandbox; one that misbehaves is contained and said in a line.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/reproduce/rebuild.h"

#define NO_SHA256 "0000000000000000000000000000000000000000000000000000000000000000"

static char folder[] = "/tmp/tacho-rebuild-XXXXXX";
static char work[64], said[8192];
static int64_t step_timeout_ns = 20 * CLOCK_NS_PER_S;

static void work_make(void)
{
    char path[96];

    cr_assert(mkdtemp(folder));
    snprintf(work, sizeof(work), "%s/work", folder);
    snprintf(path, sizeof(path), "%s/src", work);
    cr_assert_eq(fs_make_directories(path, NULL), ERR_OK);
}

static void work_remove(void)
{
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* A record of one shell command, which makes obj/product. */
static void shell_rebuild(const char *command, const char *tool_says, const char *sha256,
                          struct rebuild_result *result_out)
{
    const char *const shell[] = {"/bin/bash", "-c", command, NULL};
    const char *const tool[] = {"echo", "cc 1", NULL};
    struct build_step step = {shell, 3};
    const struct build_record record = {.tools = {{"compiler", {tool, 2}, tool_says}},
                                        .tool_count = 1,
                                        .environment = {"SOURCE_DATE_EPOCH=0"},
                                        .steps = &step,
                                        .step_count = 1,
                                        .product_path = "obj/product"};
    struct rebuild_config config = {.record = &record,
                                    .work_folder = work,
                                    .measured_sha256 = sha256,
                                    .step_timeout_ns = step_timeout_ns,
                                    .clock = clock_system()};
    struct err e = {0};

    config.log_fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    cr_assert_geq(config.log_fd, 0);
    cr_assert_eq(rebuild_run(&config, result_out, &e), ERR_OK, "%s: %s", command, e.text);
    ssize_t count = pread(config.log_fd, said, sizeof(said) - 1, 0);
    said[count > 0 ? count : 0] = '\0';
    close(config.log_fd);
}

Test(rebuild, tells_what_came_out, .init = work_make, .fini = work_remove, .timeout = 30)
{
    /* printf pong | sha256sum */
    static const char pong[] = "9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2";
    static const struct {
        const char *command, *tool_says;
        enum rebuild_outcome outcome;
        const char *reason;
    } rows[] = {
        {"printf pong >../obj/product", "cc 1", REBUILD_IDENTICAL, ""},
        {"printf pong >../obj/product", "cc 2", REBUILD_IDENTICAL, ""},
        {"printf pang >../obj/product", "cc 1", REBUILD_DIFFERS_SAME_TOOLCHAIN, ""},
        {"printf pang >../obj/product", "cc 2", REBUILD_DIFFERS_OTHER_TOOLCHAIN, ""},
        {"test $PWD = " SANDBOX_WORK "/src -a $SOURCE_DATE_EPOCH = 0 -a -z \"$HOME\" && "
         "printf pong >{folder}/../obj/product",
         "cc 1", REBUILD_IDENTICAL, ""},
        {"exit 3", "cc 1", REBUILD_FAILED, "step 1 of 1 (/bin/bash): exit 3"},
        {"rm -f ../obj/product", "cc 1", REBUILD_FAILED, "made no program"},
        {"rm -f ../obj/product; ln -s /etc/passwd ../obj/product", "cc 1", REBUILD_FAILED,
         "made no program"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct rebuild_result result;

        shell_rebuild(rows[i].command, rows[i].tool_says, pong, &result);
        cr_expect_eq(result.outcome, rows[i].outcome, "row %zu: %s: %s %s", i,
                     rebuild_outcome_names[result.outcome], result.reason, said);
        cr_expect_not_null(strstr(result.reason, rows[i].reason), "%s", result.reason);
        cr_expect_str_eq(result.tools[0], "cc 1");
        cr_expect_eq(result.same_toolchain, strcmp(rows[i].tool_says, "cc 1") == 0);
    }
}

/* Each is held, and one line says what became of it. */
Test(rebuild, contains_a_build_that_misbehaves, .init = work_make, .fini = work_remove,
     .timeout = 60)
{
    char outside[128], command[256];
    const struct {
        const char *command, *reason, *log;
    } rows[] = {
        {"exec 3<>/dev/tcp/192.0.2.1/80", "exit 1", "unreachable"},
        {command, "exit 1", ""},
        {"touch /usr/bin/made", "exit 1", "Read-only"},
        {"b() { b | b & }; b; exec sleep 1000", "", ""},
        {"exec sleep 1000", "not ended in time", ""},
    };

    step_timeout_ns = 2 * CLOCK_NS_PER_S;
    snprintf(outside, sizeof(outside), "%s/made", folder);
    snprintf(command, sizeof(command), "touch %s", outside);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct rebuild_result result;

        shell_rebuild(rows[i].command, "cc 1", NO_SHA256, &result);
        cr_expect_eq(result.outcome, REBUILD_FAILED, "%s: %s", rows[i].command, result.reason);
        cr_expect(strncmp(result.reason, "step 1 of 1 (/bin/bash): ", 25) == 0 &&
                      strstr(result.reason, rows[i].reason),
                  "%s: %s", rows[i].command, result.reason);
        cr_expect_not_null(strstr(said, rows[i].log), "%s: %s", rows[i].command, said);
    }
    cr_expect_not(fs_exists(outside));
}

Test(rebuild, says_that_a_compiler_is_not_here, .init = work_make, .fini = work_remove,
     .timeout = 30)
{
    const char *const words[] = {"no-such-compiler", NULL};
    struct build_step step = {words, 1};
    const struct build_record record = {.tools = {{"compiler", {words, 1}, "x"}},
                                        .tool_count = 1,
                                        .steps = &step,
                                        .step_count = 1,
                                        .product_path = "obj/product"};
    const struct rebuild_config config = {.record = &record,
                                          .work_folder = work,
                                          .measured_sha256 = NO_SHA256,
                                          .log_fd = -1,
                                          .step_timeout_ns = CLOCK_NS_PER_S,
                                          .clock = clock_system()};
    struct rebuild_result result;
    struct err e = {0};

    cr_assert_eq(rebuild_run(&config, &result, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(result.outcome, REBUILD_NO_TOOL);
    cr_expect_str_eq(result.reason, "step 1 of 1 (no-such-compiler): not on this machine");
    cr_expect_str_eq(result.tools[0], "");
}
