// SPDX-License-Identifier: Apache-2.0
// tacho doctor --tune and --reset: settings of the machine, changed and given back, each told.
#ifndef REPORT_CMD_DOCTOR_TUNE_H
#define REPORT_CMD_DOCTOR_TUNE_H

#include "collector/probe/tune.h"

/* Prints what is done and the verdict; without root only what would be. Returns the exit status. */
int cmd_doctor_tune(const struct tune_machine *machine, bool is_root);
int cmd_doctor_reset(const struct tune_machine *machine);

#endif
