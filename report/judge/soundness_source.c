// SPDX-License-Identifier: Apache-2.0
// Reads the plan as it was written once more, and compares what it gives.
#include "report/judge/soundness_source.h"

#include <stdio.h>
#include <string.h>

#include "collector/plan/plan_stored.h"

#define PLAN_SPELLED_BYTES_MAX ((size_t)8 << 20)

enum fit {
    FIT_OPEN,   /* not looked at yet */
    FIT_NONE,   /* another plan */
    FIT_UNREAD, /* no plan */
    FIT_UNKEPT, /* not all of it was kept */
    FIT_QUICK,  /* when it is shortened as by --quick */
    FIT_WHOLE
};

/* The best that was found so far, and of what does not fit the first. */
struct source_look {
    const struct results *results;
    const struct plan *plan;
    enum fit fit;
    char problem[SOUNDNESS_TEXT_BYTES];
};

static void fit_take(struct source_look *look, enum fit fit, const char *problem)
{
    if (look->fit == FIT_OPEN || (fit >= FIT_UNKEPT && fit > look->fit)) {
        look->fit = fit;
        snprintf(look->problem, sizeof(look->problem), "%s", problem);
    }
}

/* The first line in which what it gives is not what was run; 0: none. */
static enum err_code difference_find(const struct source_look *look, const struct plan *again,
                                     size_t *line_out, struct err *e)
{
    const char *want = look->results->plan_text;
    size_t line = 1, i = 0;
    struct buf text;

    buf_init(&text, PLAN_SPELLED_BYTES_MAX);
    plan_format(again, &text);
    enum err_code code = buf_check(&text, "the plan as it was written", e);
    if (code == ERR_OK) {
        for (; want[i] && want[i] == text.bytes[i]; i++) {
            line += want[i] == '\n';
        }
        *line_out = want[i] == text.bytes[i] ? 0 : line;
    }
    buf_release(&text);
    return code;
}

/* again: what the text gives; it is changed. */
static enum err_code fit_find(struct source_look *look, struct plan *again, struct err *e)
{
    size_t line = 0, quick_line = 0;
    char problem[SOUNDNESS_TEXT_BYTES];
    enum err_code code = difference_find(look, again, &line, e);

    if (code == ERR_OK) {
        plan_make_quick(again);
        code = difference_find(look, again, &quick_line, e);
    }
    if (code == ERR_OK) {
        snprintf(problem, sizeof(problem),
                 "the plan as it was written gives another one than was run: line %zu of that "
                 "differs",
                 line);
        fit_take(look, line == 0 ? FIT_WHOLE : quick_line == 0 ? FIT_QUICK : FIT_NONE, problem);
    }
    return code;
}

/* With so many of its last lines as settings of the command line. */
static enum err_code source_look(struct source_look *look, size_t setting_count, struct err *e)
{
    struct plan *again = NULL;
    struct err unread = {0};
    char problem[SOUNDNESS_TEXT_BYTES];
    enum err_code code = plan_parse_source("plan.yaml", look->results->plan_source, setting_count,
                                           look->plan, &again, &unread);

    if (code == ERR_LIMIT) {
        return err_set(e, code, "%s", unread.text);
    }
    if (code == ERR_OK) {
        code = fit_find(look, again, e);
        plan_free(again);
        return code;
    }
    snprintf(problem, sizeof(problem), "the plan as it was written: %.160s", unread.text);
    fit_take(look, code == ERR_MISMATCH ? FIT_UNKEPT : FIT_UNREAD, problem);
    return ERR_OK;
}

static void source_tell(const struct source_look *look, struct soundness *soundness)
{
    const char *mode = results_find_fact(look->results, "start", "session.mode");
    bool is_quick = mode && strcmp(mode, "quick") == 0;
    char text[SOUNDNESS_TEXT_BYTES];

    if (look->fit == FIT_QUICK && !is_quick) {
        snprintf(text, sizeof(text),
                 "its plan was shortened as by --quick, but session.mode is \"%.40s\"",
                 mode ? mode : "not known");
        soundness_add(soundness, "plan_source", METRIC_UNKNOWN, text);
    } else if (look->fit == FIT_NONE ||
               (look->fit == FIT_UNREAD && soundness_is_own(soundness, look->results))) {
        soundness_add(soundness, "plan_source", METRIC_UNKNOWN, look->problem);
    } else if (look->fit == FIT_UNREAD || look->fit == FIT_UNKEPT) {
        snprintf(soundness->not_held, sizeof(soundness->not_held), "%s", look->problem);
    }
}

enum err_code soundness_check_source(const struct results *results, const struct plan *plan,
                                     struct soundness *soundness, struct err *e)
{
    struct source_look look = {.results = results, .plan = plan};
    enum err_code code = ERR_OK;
    size_t line = 0;

    if (!results->plan_source) {
        return ERR_OK;
    }
    code = difference_find(&look, plan, &line, e);
    if (code != ERR_OK || line) {
        return code; /* by whom it is told elsewhere */
    }
    size_t count = plan_source_setting_count(results->plan_source);
    for (size_t i = 0; code == ERR_OK && i <= count && look.fit != FIT_WHOLE; i++) {
        code = source_look(&look, count - i, e);
    }
    if (code == ERR_OK) {
        source_tell(&look, soundness);
    }
    return code;
}
