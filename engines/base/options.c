// SPDX-License-Identifier: Apache-2.0
// Command lines from tables.
#include "engines/base/options.h"

#include <stdio.h>
#include <string.h>

#include "engines/base/units.h"

static const struct option_row *row_find_long(const struct option_table *table, const char *name,
                                              size_t length)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const char *long_name = table->rows[i].long_name;

        if (strlen(long_name) == length && memcmp(long_name, name, length) == 0) {
            return &table->rows[i];
        }
    }
    return NULL;
}

static const struct option_row *row_find_short(const struct option_table *table, char name)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].short_name == name) {
            return &table->rows[i];
        }
    }
    return NULL;
}

static enum err_code text_add(const struct option_row *row, const char *value,
                              struct option_texts *texts, struct err *e)
{
    if (texts->count == OPTION_TEXT_LIMIT) {
        return err_set(e, ERR_USAGE, "--%s: more than %d of them", row->long_name,
                       OPTION_TEXT_LIMIT);
    }
    texts->values[texts->count++] = value;
    return ERR_OK;
}

static enum err_code seconds_parse(const char *text, int64_t *ns_out, struct err *e)
{
    char seconds[UNITS_TEXT_BYTES];
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || text[digits] || digits + 2 > sizeof(seconds)) {
        return units_parse_duration(text, ns_out, e);
    }
    snprintf(seconds, sizeof(seconds), "%ss", text);
    return units_parse_duration(seconds, ns_out, e);
}

static enum err_code value_store(const struct option_row *row, const char *value, void *values,
                                 struct err *e)
{
    char *field = (char *)values + row->offset;
    int64_t number = 0;
    enum err_code code = ERR_OK;

    switch (row->type) {
    case OPTION_FLAG:
        memcpy(field, &(bool){true}, sizeof(bool));
        return ERR_OK;
    case OPTION_TEXT:
        memcpy(field, &value, sizeof(value));
        return ERR_OK;
    case OPTION_TEXTS:
        return text_add(row, value, (struct option_texts *)(void *)field, e);
    case OPTION_COUNT:
        code = units_parse_count(value, row->minimum, row->maximum, &number, e);
        break;
    case OPTION_DURATION:
        code = units_parse_duration(value, &number, e);
        break;
    case OPTION_SECONDS:
        code = seconds_parse(value, &number, e);
        break;
    case OPTION_SIZE:
        code = units_parse_bytes(value, &number, e);
        if (code == ERR_OK && number < 1) {
            code = err_set(e, ERR_USAGE, "at least 1 byte is wanted");
        }
        break;
    }
    if (code != ERR_OK) {
        return err_wrap(e, "--%s", row->long_name);
    }
    memcpy(field, &number, sizeof(number));
    return ERR_OK;
}

/* One option word; takes the value from the word itself or from the next one, and says how many
 * words it used. */
static enum err_code option_parse(const struct option_table *table, const char *word,
                                  const char *next, void *values, int *used_out, struct err *e)
{
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    size_t length = equals ? (size_t)(equals - name) : is_long ? strlen(name) : 1;
    const struct option_row *row =
        is_long ? row_find_long(table, name, length) : row_find_short(table, *name);

    if (!row) {
        return err_set(e, ERR_USAGE, "unknown option %s; see %s --help", word, table->program);
    }
    const char *value = equals ? equals + 1 : !is_long && name[1] ? name + 1 : NULL;
    *used_out = 1;
    if (row->type == OPTION_FLAG) {
        if (value) {
            return err_set(e, ERR_USAGE, "%s takes no value", word);
        }
        return value_store(row, NULL, values, e);
    }
    if (!value) {
        value = next;
        *used_out = 2;
    }
    if (!value) {
        return err_set(e, ERR_USAGE, "%s needs a value (%s)", word, row->argument);
    }
    return value_store(row, value, values, e);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* A shell gives an empty argument for a variable that is not set. */
static enum err_code positional_check(const struct option_table *table, const char *word, int count,
                                      struct err *e)
{
    if (count == table->positional_maximum) {
        return err_set(e, ERR_USAGE, "unexpected argument \"%.80s\"; usage: %s %s", word,
                       table->program, table->arguments);
    }
    return *word ? ERR_OK
                 : err_set(e, ERR_USAGE, "an argument is empty; usage: %s %s", table->program,
                           table->arguments);
}

// One call is one command line: eight parameters, and each caller names them in one place.
// NOLINTNEXTLINE(readability-function-size)
enum err_code options_parse(const struct option_table *table, int argc, char **argv, void *values,
                            const char **positional_out, int *positional_count_out, bool *help_out,
                            struct err *e)
{
    bool options_ended = false;
    int count = 0;

    *help_out = false;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        int used = 1;

        if (!options_ended && is_help(word)) {
            *help_out = true;
            return ERR_OK;
        }
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            enum err_code code =
                option_parse(table, word, i + 1 < argc ? argv[i + 1] : NULL, values, &used, e);
            if (code != ERR_OK) {
                return code;
            }
        } else if (positional_check(table, word, count, e) != ERR_OK) {
            return ERR_USAGE;
        } else {
            positional_out[count++] = word;
        }
        i += used;
    }
    if (count < table->positional_minimum) {
        return err_set(e, ERR_USAGE, "an argument is missing; usage: %s %s", table->program,
                       table->arguments);
    }
    *positional_count_out = count;
    return ERR_OK;
}

void options_print_help(const struct option_table *table, FILE *out)
{
    fprintf(out, "usage: %s %s%s\n\n%s\n", table->program, table->row_count ? "[options] " : "",
            table->arguments, table->summary);
    if (table->row_count) {
        fprintf(out, "\noptions:\n");
    }
    for (size_t i = 0; i < table->row_count; i++) {
        const struct option_row *row = &table->rows[i];
        char left[64];
        int length =
            snprintf(left, sizeof(left), "%c%c%s--%s%s%s", row->short_name ? '-' : ' ',
                     row->short_name ? row->short_name : ' ', row->short_name ? ", " : "  ",
                     row->long_name, row->argument ? " " : "", row->argument ? row->argument : "");
        fprintf(out, "  %-28s%s%s\n", left, length >= 28 ? "  " : "", row->help);
    }
    if (table->details) {
        fprintf(out, "\n%s\n", table->details);
    }
}

void options_dump(const struct option_table *table, FILE *out)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const struct option_row *row = &table->rows[i];

        fprintf(out, "%s\t--%s\t%s%c\t%s\t%s\n", table->program, row->long_name,
                row->short_name ? "-" : "", row->short_name ? row->short_name : ' ',
                row->argument ? row->argument : "", row->help);
    }
}
