// SPDX-License-Identifier: Apache-2.0
// Each engine of engines/external in a short real trial, where its packages are installed.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan.h"
#include "collector/run/foreign.h"
#include "engines/base/fs.h"
#include "tests/support/tacho_run.h"

TestSuite(external, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

/* A line each, so that whoever reads the output knows which of them were measured. */
static void external_tell(const char *name, const char *what)
{
    printf("external engine %s: %s\n", name, what);
    fflush(stdout);
}

static void external_skip(const char *name, const char *why)
{
    char text[300];

    snprintf(text, sizeof(text), "skipped, %s", why);
    external_tell(name, text);
    cr_skip_test("%s", why);
}

static void external_expect(const char *name)
{
#ifdef __SANITIZE_ADDRESS__
    if (strcmp(name, "node") != 0) {
        external_skip(name, "one is enough for the sanitizer: only tacho is instrumented");
    }
#endif
    char text[1024], missing[200];
    struct plan *plan = NULL;
    struct err e;
    int length = snprintf(text, sizeof(text),
                          "title: external\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\n"
                          "window: 500ms\ncooldown: 0s\nengines: [{ name: x, external: %s }]\n"
                          "workloads:\n  - { name: ping, get: /ping, expect: { status: 200, body: "
                          "pong }, connections: 8 }\n",
                          name);

    cr_assert_eq(fs_write_file(run_plan_path, text, (size_t)length, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(plan_load(run_plan_path, &plan, &e), ERR_OK, "%s", e.text);
    bool is_missing = foreign_find_missing(plan, NULL, missing, sizeof(missing));
    plan_free(plan);
    if (is_missing) {
        external_skip(name, missing);
    }
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_expect(run_no_process_left());
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) WHERE "
                                  "kind = 'external' AND source = '%s' AND state = 'finished' AND "
                                  "length(binary_sha256) = 64 AND ready_ns > 0",
                                  name),
                 1, "%s", run_file_text(run_err_path));
    cr_expect_gt(run_query_number("SELECT sum(ok_count) FROM sample JOIN trial USING (trial_id) "
                                  "JOIN engine USING (engine_id) WHERE kind = 'external' AND "
                                  "server_rss_kib > 0"),
                 0);
    cr_expect_geq(run_query_number("SELECT count(*) FROM fact WHERE name LIKE 'engine.x.file.%%' "
                                   "AND length(value) = 64"),
                  2, "recipe and source");
    cr_expect(!fs_exists("/usr/bin/dpkg-query") ||
              run_query_number("SELECT count(*) FROM fact WHERE name LIKE 'engine.x.package.%%' "
                               "AND value GLOB '*[0-9]*'") >= 1);
    external_tell(name, "measured");
}

#define EXTERNAL(test, name)                                                                       \
    Test(external, test)                                                                           \
    {                                                                                              \
        external_expect(name);                                                                     \
    }

EXTERNAL(node_runs, "node")
EXTERNAL(flask_waitress_runs, "flask-waitress")
EXTERNAL(fphttpserver_runs, "fphttpserver")
EXTERNAL(nginx_runs, "nginx")
EXTERNAL(h2o_runs, "h2o")
EXTERNAL(libmicrohttpd_runs, "libmicrohttpd")
EXTERNAL(go_runs, "go")
