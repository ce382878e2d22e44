// SPDX-License-Identifier: Apache-2.0
// What wrk says of its own answers: it counts them all, whatever they are.
#include <string.h>

#include "collector/run/wrk_text.h"
#include "report/judge/findings_check.h"
#include "report/judge/plausible.h"

static double number_get(const struct wrk_run *run, const char *key)
{
    const json_t *value = json_object_get(run->figure, key);

    return json_is_number(value) ? json_number_value(value) : 0;
}

/* Errors of sockets are no answers. Statuses that are neither 2xx nor 3xx are among wrk's errors,
 * also where the plan expects one. */
static double error_share(const struct check *check, const struct wrk_run *run)
{
    const struct results_cell *cell = &check->results->cells[check->trial->cell_index];
    const struct results_workload *workload = &check->results->workloads[cell->workload_index];
    double socket_errors = number_get(run, "error_count") - (double)run->wrong_count;
    double wrong = workload->request.expect_status < 400 ? (double)run->wrong_count : 0;
    double ended = number_get(run, "request_count") + socket_errors;

    return ended > 0 ? (socket_errors + wrong) / ended : 0;
}

void findings_check_wrk(const struct check *check)
{
    const char *output = check->trial->said->output;
    struct buf warnings;
    struct wrk_run run;

    buf_init(&warnings, WRK_TEXT_BYTES_MAX);
    /* That it cannot be read is told by soundness.h. */
    if (wrk_text_parse("wrk", output, strlen(output), &run, &warnings, NULL) == ERR_OK) {
        double share = error_share(check, &run);

        if (share > PLAUSIBLE_ERRORS_MAX) {
            finding_add(check, FINDING_ERRORS, true, share, PLAUSIBLE_ERRORS_MAX);
        }
        wrk_run_release(&run);
    }
    buf_release(&warnings);
}
