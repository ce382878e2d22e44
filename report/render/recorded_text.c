// SPDX-License-Identifier: Apache-2.0
// Recorded texts are recognised by their wording.
#include "report/render/recorded_text.h"

#include <string.h>

#include "report/render/document_language.h"

#define PART_COUNT_MAX 4
#define DEPTH_MAX      2 /* a part may be a recorded text as well: a value, a threshold */

/* The first that fits is taken. */
const struct recorded_pattern recorded_patterns[] = {
    {"{1}: {2}; should be: {3}"},
    {"{1} was not started by tacho: it ran already at {2}, and its trials share one process; its "
     "processes were found by its listening socket"},
    {"{1} was not started by tacho: it ran already at {2}, and its trials share one process; its "
     "CPU time and memory are not known"},
    {"went on where the preflight refuses: {1}"},
    {"taken up again, sitting {1}: 1 trial was missing; a comparison pairs trials of one sitting "
     "only"},
    {"taken up again, sitting {1}: {2} trials were missing; a comparison pairs trials of one "
     "sitting only"},
    {"{1} samples are partly counted in later ones: this program stood still"},
    {"{1} of {2} connections were established by the ramp's end"},
    {"the server ended during the trial: {1}"},
    {"the server ended while the connections were opened: {1}"},
    {"the server ended before it listened: {1}"},
    {"the server ended {1} s after the load began: {2}"},
    {"the server stopped answering {1} s before the window's end"},
    {"interrupted by signal {1} before it listened"},
    {"interrupted by signal {1} while the connections were opened"},
    {"interrupted by signal {1}"},
    {"nothing measured: no right answer in the window"},
    {"not ready: it printed no listening port in time"},
    {"not ready within {1}: {2}"},
    {"no answer before the load: {1}"},
    {"wrong answer: {1}"},
    {"the driver had no local port for {1} connections: widen net.ipv4.ip_local_port_range, or "
     "keep "
     "connections"},
    /* values and thresholds of the preflight */
    {"{1} % of the last 10 s"},
    {"at most {1} (0.3 for each CPU)"},
    {"at least {1}, one for each connection"},
    {"at least {1} for {2} connections"},
    {"less than the window of {1}"},
    {"{1} ports for a minute of {2} connections/s, or tcp_tw_reuse"},
    {"{1} ports, tcp_tw_reuse {2}"},
    {"{1} of {2} ports"},
    {"{1} ports"},
    {"at most half of them"},
    {"not loaded, or room in its table"},
    {"{1} of {2} entries"},
    {"with the plan's connections at most {1}"},
    {"at least {1}"},
    {"at most {1}"},
    {NULL},
};

static size_t part_number(const char *pattern)
{
    return pattern[0] == '{' && pattern[1] >= '1' && pattern[1] <= '0' + PART_COUNT_MAX &&
                   pattern[2] == '}'
               ? (size_t)(pattern[1] - '0')
               : 0;
}

struct part {
    const char *begin;
    size_t length;
};

/* The text is the pattern with something in the places of its parts, each as short as it can be. */
static bool pattern_fits(const char *pattern, const char *text, struct part *parts)
{
    while (*pattern) {
        size_t number = part_number(pattern);

        if (number == 0) {
            if (*pattern++ != *text++) {
                return false;
            }
            continue;
        }
        pattern += 3;
        size_t literal = strcspn(pattern, "{");
        const char *end =
            literal > 0 ? memmem(text, strlen(text), pattern, literal) : text + strlen(text);

        if (end && !pattern[literal]) { /* the last part goes on to the pattern's end */
            size_t length = strlen(text);

            end = length >= literal && strcmp(text + length - literal, pattern) == 0
                      ? text + length - literal
                      : NULL;
        }
        if (!end || end == text) {
            return false;
        }
        parts[number - 1] = (struct part){text, (size_t)(end - text)};
        text = end;
    }
    return *text == '\0';
}

static const char *translate(struct document *document, const char *text, int depth);

static const char *fill(struct document *document, const char *pattern, const struct part *parts,
                        int depth)
{
    const char *all = "";

    for (const char *at = document_tr(document, pattern); *at;) {
        size_t number = part_number(at), literal = strcspn(at + 1, "{") + 1;

        if (number > 0) {
            const char *part =
                document_keep(document, parts[number - 1].begin, parts[number - 1].length);

            all = document_format(document, "%s%s", all, translate(document, part, depth + 1));
            at += 3;
        } else {
            all = document_format(document, "%s%.*s", all, (int)literal, at);
            at += literal;
        }
    }
    return all;
}

static const char *translate(struct document *document, const char *text, int depth)
{
    struct part parts[PART_COUNT_MAX] = {{NULL, 0}};
    const char *own = document_label(document, text);

    if (own != text) {
        return document_keep(document, own, strlen(own));
    }
    for (size_t i = 0; depth < DEPTH_MAX && recorded_patterns[i].english; i++) {
        if (pattern_fits(recorded_patterns[i].english, text, parts)) {
            return fill(document, recorded_patterns[i].english, parts, depth);
        }
    }
    return document_long_name(document, text);
}

const char *recorded_text(struct document *document, const char *text)
{
    return document->catalogue && text ? translate(document, text, 0)
                                       : document_long_name(document, text);
}
