// SPDX-License-Identifier: Apache-2.0
// tacho drive --find-rate: one load after the other, each at the rate that the search wants next.
#include "engines/base/clock.h"
#include "report/cmd.h"
#include "report/cmd_drive.h"
#include "report/cmd_terminal.h"
#include "report/drive/rate_text.h"

#define FIRST_PER_S 1000
#define WARMUP_NS   CLOCK_NS_PER_S /* when none is asked for: a step begins with new connections */

/* Text is shown as it comes; JSON is one object at the end. */
static enum err_code lines_tell(struct drive *drive, struct err *e)
{
    enum err_code code = buf_check(&drive->output, "the result", e);

    return code == ERR_OK ? drive_tell(drive, e) : code;
}

static enum err_code step_make(struct drive *drive, uint32_t rate_per_s, struct rate_step *step_out,
                               struct err *e)
{
    drive->config.arrivals.rate_per_s = rate_per_s;
    drive_result_free(drive->result);
    drive->result = NULL;
    enum err_code code = drive_result_new(&drive->setup, &drive->result, e);
    if (code == ERR_OK) {
        code = drive_load(drive, e);
    }
    if (code == ERR_OK) {
        rate_step_judge(drive->result, &drive->goal, step_out);
    }
    return code;
}

static int search_status(const struct rate_search *search)
{
    int64_t ok_count = 0;

    for (size_t i = 0; i < search->step_count; i++) {
        ok_count += search->steps[i].ok_count;
    }
    if (search->passed_per_s > 0) {
        return EXIT_STATUS_OK;
    }
    return ok_count > 0 ? EXIT_STATUS_NO : EXIT_STATUS_INVALID;
}

enum err_code drive_find_rate(struct drive *drive, int *status_out, struct err *e)
{
    static struct rate_search search;
    bool is_text = !drive->values->json;
    enum err_code code = ERR_OK;

    if (drive->values->warmup_ns == 0) {
        drive->config.grid.warmup_ns = WARMUP_NS;
    }
    rate_search_begin(&search, drive->course.count ? drive->course.rates_per_s[0] : FIRST_PER_S);
    if (is_text) {
        rate_text_begin(&drive->setup, &drive->goal, &drive->output);
        code = lines_tell(drive, e);
    }
    while (code == ERR_OK && search.end == RATE_SEARCHING) {
        struct rate_step step;
        code = step_make(drive, search.next_per_s, &step, e);
        if (code == ERR_OK && cmd_stop_signal != 0) {
            search.end = RATE_INTERRUPTED; /* half a step says nothing */
        } else if (code == ERR_OK) {
            rate_search_tell(&search, &step);
            if (is_text) {
                rate_text_step(&step, &drive->output);
                code = lines_tell(drive, e);
            }
        }
    }
    if (code == ERR_OK && is_text) {
        rate_text_end(&search, &drive->goal, &drive->output);
    } else if (code == ERR_OK) {
        code = rate_json_render(&drive->setup, &drive->goal, &search, &drive->output, e);
    }
    *status_out = search_status(&search);
    return code == ERR_OK ? lines_tell(drive, e) : code;
}
