// SPDX-License-Identifier: Apache-2.0
// Builds tacho-engine again from a bundle's sources, in a sandbox, and compares what comes out.
#ifndef REPORT_REPRODUCE_REBUILD_H
#define REPORT_REPRODUCE_REBUILD_H

#include <stdbool.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/reproduce/build_record.h"
#include "report/reproduce/sandbox.h"

#define REBUILD_TEXT_BYTES 240

/* Folders of a work folder. */
#define REBUILD_SOURCES  "src"
#define REBUILD_OBJECTS  "obj"
#define REBUILD_BINARIES "bin"

enum rebuild_outcome {
    REBUILD_IDENTICAL,
    REBUILD_DIFFERS_SAME_TOOLCHAIN, /* suspicious: these are not the sources of what was measured */
    REBUILD_DIFFERS_OTHER_TOOLCHAIN, /* to be expected */
    REBUILD_FAILED,
    REBUILD_NO_TOOL, /* this machine has no such compiler */
    REBUILD_STOPPED,
};
extern const char *const rebuild_outcome_names[]; /* "IDENTICAL" … */

struct rebuild_config {
    const struct build_record *record;
    const char *work_folder;     /* absolute, with the sources in REBUILD_SOURCES */
    const char *measured_sha256; /* of the program that was measured */
    int log_fd;                  /* what the commands say; -1: nowhere */
    int64_t step_timeout_ns;
    const struct clock *clock;
    const volatile sig_atomic_t *stop; /* NULL: never */
};

struct rebuild_result {
    enum rebuild_outcome outcome;
    char sha256[DIGEST_HEX_BYTES];   /* of what came out; "" when nothing did */
    char reason[REBUILD_TEXT_BYTES]; /* why it FAILED: "step 3 of 40 (gcc): exit 1" */
    char tools[BUILD_TOOL_COUNT_MAX][REBUILD_TEXT_BYTES]; /* what each says here; "" when absent */
    bool same_toolchain;
};

/* errors   ERR_SYS: no sandbox, or the disk. A build that fails is a result. */
enum err_code rebuild_run(const struct rebuild_config *config, struct rebuild_result *result_out,
                          struct err *e) ATTR_MUST_USE;

#endif
