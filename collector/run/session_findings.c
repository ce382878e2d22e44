// SPDX-License-Identifier: Apache-2.0
// What becomes of the preflight's findings.
#include "collector/run/session_findings.h"

#include <stdio.h>
#include <string.h>

#include "collector/sample.h"

#define FORCED_TEXT_BYTES (sizeof(((struct session_findings *)NULL)->forced_rules) + 64)

static void notice(const struct progress *progress, const char *text)
{
    if (progress->notice) {
        progress->notice(progress->self, text);
    }
}

void session_findings_judge(struct session_findings *findings, const struct preflight_input *input)
{
    findings->count = preflight_judge(input, findings->items);
}

bool session_findings_refuse(const struct session_findings *findings)
{
    return findings->count > 0 && findings->items[0].consequence == PREFLIGHT_REFUSE;
}

void session_findings_tell(const struct session_findings *findings, const struct progress *progress)
{
    char text[PREFLIGHT_TEXT_BYTES + 128];

    for (size_t i = 0; i < findings->count; i++) {
        const struct preflight_finding *finding = &findings->items[i];

        snprintf(text, sizeof(text), "%s%s%s%s%s",
                 finding->consequence == PREFLIGHT_REFUSE ? "refused: " : "", finding->text,
                 finding->fix ? " (" : "", finding->fix ? finding->fix : "",
                 finding->fix ? ")" : "");
        notice(progress, text);
    }
}

/* Without a server, a trial to replay, or a folder to write to, nothing comes of going on. */
static bool can_be_forced(const struct preflight_finding *finding)
{
    return strcmp(finding->name, "engine_missing") != 0 &&
           strcmp(finding->name, "engine_refused") != 0 &&
           strcmp(finding->name, "replay_missing") != 0 &&
           strcmp(finding->name, "folder_closed") != 0;
}

static bool all_can_be_forced(const struct session_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].consequence == PREFLIGHT_REFUSE &&
            !can_be_forced(&findings->items[i])) {
            return false;
        }
    }
    return true;
}

static void forced_format(const struct session_findings *findings, char out[FORCED_TEXT_BYTES])
{
    snprintf(out, FORCED_TEXT_BYTES, "went on where the preflight refuses: %s",
             findings->forced_rules);
}

enum err_code session_findings_overrule(struct session_findings *findings, bool is_forced,
                                        const struct progress *progress, struct err *e)
{
    char text[FORCED_TEXT_BYTES];

    for (size_t i = 0; i < findings->count; i++) {
        const struct preflight_finding *finding = &findings->items[i];
        size_t used = strlen(findings->forced_rules);

        if (finding->consequence != PREFLIGHT_REFUSE) {
            break;
        }
        if (!is_forced || !can_be_forced(finding)) {
            return err_set(
                e, ERR_LIMIT, "machine unfit: %s%s", finding->text,
                all_can_be_forced(findings) ? " (tacho run --force measures all the same)" : "");
        }
        snprintf(findings->forced_rules + used, sizeof(findings->forced_rules) - used, "%s%s",
                 used ? " " : "", finding->name);
    }
    if (*findings->forced_rules) {
        forced_format(findings, text);
        notice(progress, text);
    }
    return ERR_OK;
}

enum err_code session_findings_store(const struct session_findings *findings, struct store *store,
                                     int64_t session_id, int64_t wall_ns, struct err *e)
{
    enum err_code code = ERR_OK;
    char text[FORCED_TEXT_BYTES];

    if (*findings->forced_rules) {
        forced_format(findings, text);
        code = store_queue_event(store, session_id, METRIC_UNKNOWN, wall_ns, "warning", "forced",
                                 text, e);
    }
    for (size_t i = 0; code == ERR_OK && i < findings->count; i++) {
        code = store_queue_event(store, session_id, METRIC_UNKNOWN, wall_ns, "warning", "preflight",
                                 findings->items[i].text, e);
    }
    return code;
}
