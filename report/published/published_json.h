// SPDX-License-Identifier: Apache-2.0
// Objects of a published file by table: one row a key makes the parser, the limits and the
// messages.
#ifndef REPORT_PUBLISHED_PUBLISHED_JSON_H
#define REPORT_PUBLISHED_PUBLISHED_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "report/published/published.h"

struct published_reader {
    const char *name;            /* of the file, for messages */
    const char *list;            /* where the reader is: "figures", "" at the root */
    size_t index;                /* in that list; SIZE_MAX: no list */
    struct published *published; /* being made */
    struct err *e;
};

enum published_field_type {
    PUBLISHED_FIELD_NAME,   /* const char *: 1 to PUBLISHED_NAME_BYTES_MAX bytes */
    PUBLISHED_FIELD_NOTE,   /* const char *: 1 to PUBLISHED_NOTE_BYTES_MAX bytes */
    PUBLISHED_FIELD_COUNT,  /* int64_t: 1 … 1e15 */
    PUBLISHED_FIELD_NUMBER, /* double: 0 … 1e15 */
    PUBLISHED_FIELD_OTHER,  /* by `read` */
};

struct published_field {
    const char *key;
    enum published_field_type type;
    size_t offset; /* of the member in the target */
    bool required;
    enum err_code (*read)(struct published_reader *reader, const char *key, json_t *value,
                          void *target);
};

struct published_table {
    const struct published_field *fields;
    size_t field_count;
    /* Keys that are in no row; NULL: there are none. */
    enum err_code (*read_other)(struct published_reader *reader, const char *key, json_t *value,
                                void *target);
};

/* ERR_FORMAT with "NAME: LIST[INDEX].KEY: " before the text; `key` NULL: of the object itself. */
enum err_code published_fail(struct published_reader *reader, const char *key, const char *format,
                             ...) ATTR_PRINTF(3, 4);
enum err_code published_fail_key(struct published_reader *reader, const char *key);

/* Reads an object into `target`, which holds the defaults. errors ERR_FORMAT */
enum err_code published_read_object(struct published_reader *reader,
                                    const struct published_table *table, json_t *object,
                                    void *target) ATTR_MUST_USE;

/* A line of text of at most `bytes_max` bytes. errors ERR_FORMAT */
enum err_code published_read_text(struct published_reader *reader, const char *key, json_t *value,
                                  size_t bytes_max, const char **text_out) ATTR_MUST_USE;

/* A number, or { "over": NUMBER } and the like, times `factor`. errors ERR_FORMAT */
enum err_code published_read_value(struct published_reader *reader, const char *key, json_t *value,
                                   double factor, struct published_value *value_out) ATTR_MUST_USE;

/* A list of at most `count_max` items, at least one; counts them. errors ERR_FORMAT */
enum err_code published_read_list(struct published_reader *reader, const char *key, json_t *value,
                                  size_t count_max, size_t *count_out) ATTR_MUST_USE;

/* A list of a file as an array of struct published, whose members stand at the two offsets. */
struct published_list {
    size_t item_bytes, count_max;
    size_t items_offset, count_offset;
    /* An object into a zeroed item. */
    enum err_code (*read)(struct published_reader *reader, json_t *object, void *item);
    /* The item against those before it, which alone are counted yet; NULL: nothing to look at. */
    enum err_code (*check)(struct published_reader *reader, json_t *object, void *item);
};

/* The list `key`, at least one item long; what was read is the file's also after a failure. errors
 * ERR_FORMAT, ERR_LIMIT */
enum err_code published_read_items(struct published_reader *reader, const char *key, json_t *value,
                                   const struct published_list *list) ATTR_MUST_USE;

/* A name of the file's own engines or workloads. errors ERR_FORMAT */
enum err_code published_find_name(struct published_reader *reader, const char *key, json_t *value,
                                  bool is_engine, size_t *index_out) ATTR_MUST_USE;

/* "latency_mean_ms" is PUBLISHED_LATENCY_MEAN and 1e6; PUBLISHED_METRIC_COUNT: none. */
enum published_metric published_find_metric(const char *key, double *factor_out);

/* As `read` of the key "claims". */
enum err_code published_read_claims(struct published_reader *reader, const char *key, json_t *value,
                                    void *target) ATTR_MUST_USE;

enum err_code published_fail_memory(struct published_reader *reader);

#endif
