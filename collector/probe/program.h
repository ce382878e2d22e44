// SPDX-License-Identifier: Apache-2.0
// What is known of this program as it runs: the libraries that are loaded, and what was built.
#ifndef COLLECTOR_PROBE_PROGRAM_H
#define COLLECTOR_PROBE_PROGRAM_H

#include "collector/probe/machine.h"

/* program.build_id, program.libraries, program.libraries_sha256. Paths stay out. */
void program_describe(const struct machine_sink *sink);

/* The name of the file system that holds a path: "ext4"; NULL: it cannot be asked. One without a
 * name here is told as its number: "0x2fc12fc1". */
const char *program_filesystem(const char *path);

#endif
