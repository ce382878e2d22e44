// SPDX-License-Identifier: Apache-2.0
// Metrics that many machines do not tell.
#ifndef TESTS_SUPPORT_METRICS_UNUSUAL_H
#define TESTS_SUPPORT_METRICS_UNUSUAL_H

#include "collector/sample.h"

/* Sets to METRIC_UNKNOWN what a virtual machine without cpufreq and without a control group does
 * not tell in a closed loop. */
void metrics_forget_unusual(int64_t metrics[METRIC_COUNT]);

#endif
