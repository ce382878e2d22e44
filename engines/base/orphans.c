// SPDX-License-Identifier: Apache-2.0
// The children of this process, whoever started them.
#include "engines/base/orphans.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/proc.h"

static size_t task_signal(const char *proc_root, int64_t task, int number)
{
    char text[4096];
    size_t count = 0;
    char *at = text;
    ssize_t length = proc_read(proc_root, text, sizeof(text), "%d/task/%lld/children",
                               (int)getpid(), (long long)task);

    for (char *end = NULL; length > 0; at = end) {
        long child = strtol(at, &end, 10);

        /* A list that was cut may end within a number: that one is for the next call. */
        if (end == at || child <= 1 || *end != ' ') {
            break;
        }
        kill((pid_t)child, number);
        count++;
    }
    return count;
}

size_t orphans_signal(const char *proc_root, int number)
{
    int64_t tasks[256];
    size_t count = 0;
    ssize_t task_count =
        proc_list_numbers(proc_root, tasks, ARRAY_COUNT(tasks), "%d/task", (int)getpid());

    for (ssize_t i = 0; i < task_count && i < (ssize_t)ARRAY_COUNT(tasks); i++) {
        count += task_signal(proc_root, tasks[i], number);
    }
    return count;
}
