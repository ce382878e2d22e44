// SPDX-License-Identifier: Apache-2.0
// Which programs take CPU time beside this one.
#include "collector/probe/tenants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/proc.h"

static void tenant_add(struct tenants *tenants, const char *proc_root, pid_t pid)
{
    char text[2048];
    struct proc_stat stat;
    ssize_t length = proc_read(proc_root, text, sizeof(text), "%d/stat", (int)pid);

    if (length > 0 && tenants->count < TENANTS_COUNT_MAX &&
        proc_parse_stat(text, (size_t)length, &stat)) {
        tenants->rows[tenants->count++] =
            (struct tenant){pid, stat.start_ticks, stat.user_ticks + stat.system_ticks};
    }
}

void tenants_read(struct tenants *tenants, const char *proc_root, pid_t own)
{
    int64_t *pids = calloc(TENANTS_COUNT_MAX, sizeof(*pids));
    ssize_t count = pids ? proc_list_numbers(proc_root, pids, TENANTS_COUNT_MAX, ".") : -1;

    tenants->count = 0;
    for (ssize_t i = 0; i < count && i < TENANTS_COUNT_MAX; i++) {
        if (pids[i] != own) {
            tenant_add(tenants, proc_root, (pid_t)pids[i]);
        }
    }
    free(pids);
}

/* What it had used before; a pid that another process took over has used nothing. */
static uint64_t ticks_before(const struct tenants *before, const struct tenant *now)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct tenant *row = &before->rows[i];

        if (row->pid == now->pid && row->start_ticks == now->start_ticks) {
            return row->ticks < now->ticks ? row->ticks : now->ticks;
        }
    }
    return 0;
}

static void share_insert(struct tenant_share top[TENANTS_TOP_COUNT], pid_t pids[TENANTS_TOP_COUNT],
                         size_t *count, pid_t pid, uint64_t ticks)
{
    size_t place = *count;

    while (place > 0 && top[place - 1].ticks < ticks) {
        place--;
    }
    if (place == TENANTS_TOP_COUNT) {
        return;
    }
    *count += *count < TENANTS_TOP_COUNT;
    for (size_t i = *count - 1; i > place; i--) {
        top[i] = top[i - 1];
        pids[i] = pids[i - 1];
    }
    top[place].ticks = ticks;
    pids[place] = pid;
}

size_t tenants_compare(const struct tenants *before, const struct tenants *after,
                       const char *proc_root, struct tenant_share top_out[TENANTS_TOP_COUNT])
{
    pid_t pids[TENANTS_TOP_COUNT];
    size_t count = 0;

    for (size_t i = 0; i < after->count; i++) {
        uint64_t ticks = after->rows[i].ticks - ticks_before(before, &after->rows[i]);

        if (ticks > 0) {
            share_insert(top_out, pids, &count, after->rows[i].pid, ticks);
        }
    }
    for (size_t i = 0; i < count; i++) {
        char *name = top_out[i].name;

        if (proc_read(proc_root, name, TENANTS_NAME_BYTES, "%d/comm", (int)pids[i]) <= 0) {
            snprintf(name, TENANTS_NAME_BYTES, "(ended)");
        }
        name[strcspn(name, "\n")] = '\0';
    }
    return count;
}
