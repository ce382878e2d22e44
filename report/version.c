// SPDX-License-Identifier: Apache-2.0
// The version: an object of its own, because it changes with every commit.
#include "report/cmd.h"

const char cmd_version[] = TACHO_VERSION;
