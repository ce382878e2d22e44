// SPDX-License-Identifier: Apache-2.0
// The preflight: rules become rows, and rows that are violated findings.
#include "collector/probe/preflight.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/probe/preflight_rules.h"

void preflight_put(char cell[PREFLIGHT_CELL_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(cell, PREFLIGHT_CELL_BYTES, format, arguments);
    va_end(arguments);
}

uint64_t preflight_nofile_need(uint32_t connection_count)
{
    return 2 * (uint64_t)connection_count + 64;
}

uint64_t preflight_bytes_need(const struct preflight_input *input)
{
    uint64_t need = 2 * input->results_bytes;

    return need > PREFLIGHT_FREE_BYTES_MIN ? need : PREFLIGHT_FREE_BYTES_MIN;
}

void preflight_set_fact(struct preflight_input *input, const char *name, const char *value)
{
    for (size_t i = 0; i < preflight_fact_rule_count; i++) {
        struct preflight_fact *fact = &input->facts[i];

        if (strcmp(preflight_fact_rules[i].fact, name) == 0) {
            fact->is_known = value != NULL;
            snprintf(fact->value, sizeof(fact->value), "%s", value ? value : "");
        }
    }
}

/* --- rows --- */

static void row_finish(struct preflight_row *row, enum preflight_state state)
{
    row->is_violated = state == PREFLIGHT_VIOLATED;
    row->is_known = state != PREFLIGHT_UNKNOWN;
    if (!row->is_known) {
        preflight_put(row->value, "not known");
    }
}

static size_t rules_list(const struct preflight_input *input, bool is_strict,
                         const struct preflight_rule *rules, size_t rule_count,
                         struct preflight_row *rows_out)
{
    size_t count = 0;

    for (size_t i = 0; i < rule_count; i++) {
        const struct preflight_rule *rule = &rules[i];
        struct preflight_row row = {.name = rule->name,
                                    .title = rule->title,
                                    .consequence = is_strict ? rule->strict : rule->consequence,
                                    .why = rule->why,
                                    .fix = rule->fix};
        enum preflight_state state = rule->show(input, &row);

        if (state != PREFLIGHT_NO_CONCERN) {
            row_finish(&row, state);
            rows_out[count++] = row;
        }
    }
    return count;
}

/* Whether `words`, with '|' between them, has the word. */
static bool words_have(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; *at;) {
        size_t here = strcspn(at, "|");

        if (here == length && memcmp(at, word, length) == 0) {
            return true;
        }
        at += here + (at[here] == '|');
    }
    return false;
}

static enum preflight_state fact_judge(const struct preflight_fact_rule *rule,
                                       const struct preflight_fact *fact)
{
    if (!fact->is_known) {
        return PREFLIGHT_UNKNOWN;
    }
    switch (rule->test) {
    case PREFLIGHT_TEST_IS:
        return preflight_violated_if(!words_have(rule->wanted, fact->value));
    case PREFLIGHT_TEST_LACKS:
        return preflight_violated_if(strstr(fact->value, rule->wanted) != NULL);
    case PREFLIGHT_TEST_NONE:
        break;
    }
    return PREFLIGHT_FINE;
}

static size_t facts_list(const struct preflight_input *input, bool is_strict,
                         struct preflight_row *rows_out)
{
    for (size_t i = 0; i < preflight_fact_rule_count; i++) {
        const struct preflight_fact_rule *rule = &preflight_fact_rules[i];
        struct preflight_row *row = &rows_out[i];
        bool is_told = rule->test != PREFLIGHT_TEST_NONE;

        *row = (struct preflight_row){.name = rule->name,
                                      .title = rule->title,
                                      .consequence = is_strict ? rule->strict : rule->consequence,
                                      .why = rule->why,
                                      .fix = rule->fix};
        preflight_put(row->value, "%s", *input->facts[i].value ? input->facts[i].value : "none");
        preflight_put(row->threshold, "%s",
                      rule->threshold ? rule->threshold
                      : is_told       ? rule->wanted
                                      : "recorded");
        row_finish(row, fact_judge(rule, &input->facts[i]));
    }
    return preflight_fact_rule_count;
}

size_t preflight_list(const struct preflight_input *input, bool is_strict,
                      struct preflight_row rows_out[PREFLIGHT_FINDING_COUNT_MAX])
{
    size_t count =
        rules_list(input, is_strict, preflight_plan_rules, preflight_plan_rule_count, rows_out);

    count += rules_list(input, is_strict, preflight_machine_rules, preflight_machine_rule_count,
                        rows_out + count);
    return count + facts_list(input, is_strict, rows_out + count);
}

/* --- findings --- */

static void sentence_put(const struct preflight_row *row, char out[PREFLIGHT_TEXT_BYTES])
{
    snprintf(out, PREFLIGHT_TEXT_BYTES, "%s: %s; should be: %s", row->title, row->value,
             row->threshold);
}

bool preflight_is_busy(const struct preflight_input *input, char why_out[PREFLIGHT_TEXT_BYTES])
{
    static const char *const names[] = {"pressure_cpu", "pressure_io", "pressure_memory", "load"};
    struct preflight_row rows[PREFLIGHT_FINDING_COUNT_MAX];
    size_t row_count =
        rules_list(input, false, preflight_machine_rules, preflight_machine_rule_count, rows);
    size_t name_count = ARRAY_COUNT(names) - (input->pressure_cpu_centi >= 0);

    for (size_t i = 0; i < row_count; i++) {
        for (size_t j = 0; rows[i].is_violated && j < name_count; j++) {
            if (strcmp(rows[i].name, names[j]) == 0) {
                sentence_put(&rows[i], why_out);
                return true;
            }
        }
    }
    return false;
}

size_t preflight_judge(const struct preflight_input *input,
                       struct preflight_finding findings_out[PREFLIGHT_FINDING_COUNT_MAX])
{
    struct preflight_row rows[PREFLIGHT_FINDING_COUNT_MAX];
    size_t row_count = preflight_list(input, false, rows), count = 0;

    for (int refuses = 1; refuses >= 0; refuses--) {
        for (size_t i = 0; i < row_count; i++) {
            struct preflight_row *row = &rows[i];

            if (row->is_violated && (row->consequence == PREFLIGHT_REFUSE) == refuses) {
                struct preflight_finding *finding = &findings_out[count++];

                *finding = (struct preflight_finding){
                    .consequence = row->consequence, .name = row->name, .fix = row->fix};
                sentence_put(row, finding->text);
            }
        }
    }
    return count;
}
