// SPDX-License-Identifier: Apache-2.0
// tacho doctor --tune and --reset.
#include "report/cmd_doctor_tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/units.h"
#include "report/cmd.h"

static void change_print(const struct tune_machine *machine, const struct tune_change *change,
                         const char *word, bool is_back)
{
    const char *from = is_back ? change->tuned : change->former;
    const char *to = is_back ? change->former : change->tuned;
    const char *root = change->is_sys ? machine->sys_root : machine->proc_root;

    if (change->outcome == TUNE_FAILED) {
        printf("not changed  %s/%s: %s\n", root, change->path, strerror(change->sys_errno));
    } else if (change->outcome == TUNE_LEFT) {
        printf("left         %s/%s: somebody has changed it since\n", root, change->path);
    } else {
        printf("%-12s %s/%s: %s -> %s\n", word, root, change->path, from, to);
    }
}

static int verdict_print(const struct tune *tune, const char *done, const char *partly)
{
    bool is_whole = tune_count(tune, TUNE_FAILED) == 0;

    printf("VERDICT=%s\n", is_whole ? done : partly);
    return is_whole ? EXIT_STATUS_OK : EXIT_STATUS_UNFIT;
}

static int plan_print(const struct tune_machine *machine, const struct tune *tune)
{
    struct err e;

    for (size_t i = 0; i < tune->count; i++) {
        change_print(machine, &tune->changes[i], "would change", false);
    }
    err_set(&e, ERR_USAGE, "--tune needs root to change %s; nothing was changed",
            units_word((int64_t)tune->count, "this setting", "these settings"));
    return cmd_fail(&e);
}

int cmd_doctor_tune(const struct tune_machine *machine, bool is_root)
{
    struct tune *tune = tune_plan(machine);
    struct err e;

    if (!tune) {
        err_set(&e, ERR_LIMIT, "no memory for the settings of the machine");
        return cmd_fail(&e);
    }
    int status = EXIT_STATUS_OK;
    if (tune->count == 0) {
        printf("Every setting that --tune knows is as it should be.\nVERDICT=TUNED\n");
    } else if (!is_root) {
        status = plan_print(machine, tune);
    } else if (tune_apply(machine, tune, &e) != ERR_OK) {
        status = cmd_fail_path(&e);
    } else {
        for (size_t i = 0; i < tune->count; i++) {
            change_print(machine, &tune->changes[i], "changed", false);
        }
        if (tune_count(tune, TUNE_DONE)) {
            fprintf(stderr,
                    "tacho: the former values are in %s; tacho doctor --reset gives them back\n",
                    machine->state_path);
        }
        status = verdict_print(tune, "TUNED", "PARTLY TUNED");
    }
    free(tune);
    return status;
}

int cmd_doctor_reset(const struct tune_machine *machine)
{
    struct tune *tune = NULL;
    struct err e;

    if (tune_reset(machine, &tune, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    for (size_t i = tune->count; i > 0; i--) {
        change_print(machine, &tune->changes[i - 1], "given back", true);
    }
    if (tune->count == 0) {
        printf("The machine was started anew since: nothing is tuned.\n");
    }
    int status = verdict_print(tune, "RESET", "PARTLY RESET");
    free(tune);
    return status;
}
