// SPDX-License-Identifier: Apache-2.0
// From bytes to nodes: what YAML allows and a plan does not is refused here.
#include "collector/plan/plan_yaml.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_utf8.h"

static enum err_code mark_fail(struct plan_reader *reader, size_t line, size_t column,
                               const char *text)
{
    return reader->is_setting ? err_set(reader->e, ERR_USAGE, "%s: %s", reader->name, text)
                              : err_set(reader->e, ERR_USAGE, "%s:%zu:%zu: %s", reader->name,
                                        line + 1, column + 1, text);
}

enum err_code plan_fail(struct plan_reader *reader, const yaml_node_t *node, const char *format,
                        ...)
{
    char text[ERR_TEXT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return mark_fail(reader, node->start_mark.line, node->start_mark.column, text);
}

const char *plan_quote(const char *text, size_t length, char out[PLAN_QUOTE_BYTES])
{
    size_t used = 0;

    out[used++] = '"';
    for (size_t i = 0; i < length;) {
        uint32_t character = 0;
        size_t bytes = plan_utf8_decode(text + i, length - i, &character);

        if (used + 4 + sizeof("…\"") > PLAN_QUOTE_BYTES) {
            used += (size_t)sprintf(out + used, "…");
            break;
        }
        if (bytes == 0 || plan_utf8_is_control(character)) {
            out[used++] = '?';
        } else {
            memcpy(out + used, text + i, bytes);
            used += bytes;
        }
        i += bytes ? bytes : 1;
    }
    out[used++] = '"';
    out[used] = '\0';
    return out;
}

struct plan_block {
    struct plan_block *next;
    char bytes[];
};

char *plan_keep(struct plan *plan, const char *bytes, size_t length)
{
    struct plan_block *block = malloc(sizeof(*block) + length + 1);

    if (!block) {
        return NULL;
    }
    if (length) {
        memcpy(block->bytes, bytes, length);
    }
    block->bytes[length] = '\0';
    block->next = plan->memory;
    plan->memory = block;
    return block->bytes;
}

void plan_free(struct plan *plan)
{
    if (!plan) {
        return;
    }
    for (struct plan_block *block = plan->memory; block;) {
        struct plan_block *next = block->next;
        free(block);
        block = next;
    }
    free(plan);
}

/* YAML's printable characters; libyaml would find the others too, but without line and column. */
static bool is_printable(uint32_t character)
{
    if (character < 0xa0) {
        return character == '\t' || character == '\n' || character == '\r' ||
               (character >= 0x20 && character <= 0x7e) || character == 0x85;
    }
    return character != 0xfeff && character != 0xfffe && character != 0xffff;
}

static enum err_code characters_check(struct plan_reader *reader, const char *text, size_t length)
{
    size_t line = 0;
    size_t column = 0;

    for (size_t i = 0; i < length;) {
        uint32_t character = 0;
        size_t bytes = plan_utf8_decode(text + i, length - i, &character);

        if (bytes == 0) {
            return mark_fail(reader, line, column,
                             "a byte that is not UTF-8; save the plan as UTF-8");
        }
        if (!is_printable(character)) {
            return mark_fail(reader, line, column,
                             "a control character; write it as an escape in double quotes");
        }
        i += bytes;
        column++;
        if (character == '\n') {
            line++;
            column = 0;
        }
    }
    return ERR_OK;
}

static void parser_begin(yaml_parser_t *parser, const char *text, size_t length)
{
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
}

static enum err_code parser_fail(struct plan_reader *reader, const yaml_parser_t *parser)
{
    char text[200];

    if (parser->error == YAML_MEMORY_ERROR) {
        return err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->name);
    }
    snprintf(text, sizeof(text), "not YAML: %s%s%s; look at the indentation, quotes and brackets",
             parser->problem ? parser->problem : "unreadable", parser->context ? " " : "",
             parser->context ? parser->context : "");
    return mark_fail(reader, parser->problem_mark.line, parser->problem_mark.column, text);
}

/* The reason why an event has no place in a plan, NULL when it has one. A document knows neither
 * anchors nor explicit tags any more; that is why the events are looked at first. */
static const char *event_refusal(const yaml_event_t *event, int depth, int document_count)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (document_count > 1) {
            return "a second document; a plan is one document, without \"---\" in between";
        }
        if (event->data.document_start.version_directive ||
            event->data.document_start.tag_directives.start !=
                event->data.document_start.tag_directives.end) {
            return "a directive (%); leave it out";
        }
        return NULL;
    case YAML_ALIAS_EVENT:
        return "an alias (*); write the value out";
    case YAML_SCALAR_EVENT:
        if (event->data.scalar.anchor) {
            return "an anchor (&); leave it out and write values out";
        }
        return event->data.scalar.tag ? "a tag (!); leave it out" : NULL;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: /* the two have the same members in front */
        if (event->data.mapping_start.anchor) {
            return "an anchor (&); leave it out and write values out";
        }
        if (event->data.mapping_start.tag) {
            return "a tag (!); leave it out";
        }
        return depth > PLAN_DEPTH_MAX ? "nested deeper than 8 levels; a plan needs 6" : NULL;
    default:
        return NULL;
    }
}

static int event_depth_change(yaml_event_type_t type)
{
    switch (type) {
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return 1;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return -1;
    default:
        return 0;
    }
}

static enum err_code events_check(struct plan_reader *reader, const char *text, size_t length)
{
    yaml_parser_t parser;
    int depth = 0;
    int document_count = 0;
    bool done = false;
    enum err_code code = ERR_OK;

    if (!yaml_parser_initialize(&parser)) {
        return err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->name);
    }
    parser_begin(&parser, text, length);
    while (!done && code == ERR_OK) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event)) {
            code = parser_fail(reader, &parser);
            break;
        }
        depth += event_depth_change(event.type);
        document_count += event.type == YAML_DOCUMENT_START_EVENT;
        done = event.type == YAML_STREAM_END_EVENT;
        const char *refusal = event_refusal(&event, depth, document_count);
        if (refusal) {
            code = mark_fail(reader, event.start_mark.line, event.start_mark.column, refusal);
        }
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (code == ERR_OK && document_count == 0) {
        return mark_fail(reader, 0, 0, "an empty plan; it needs title, engines and workloads");
    }
    return code;
}

enum err_code plan_yaml_load(struct plan_reader *reader, const char *text, size_t length)
{
    static const char byte_order_mark[3] = {'\xef', '\xbb', '\xbf'};
    yaml_parser_t parser;
    enum err_code code;

    if (length > PLAN_TEXT_BYTES_MAX) {
        return err_set(reader->e, ERR_LIMIT, "%s: larger than 1 MiB; a plan is a few hundred bytes",
                       reader->name);
    }
    if (length >= sizeof(byte_order_mark) &&
        memcmp(text, byte_order_mark, sizeof(byte_order_mark)) == 0) {
        text += sizeof(byte_order_mark);
        length -= sizeof(byte_order_mark);
    }
    code = characters_check(reader, text, length);
    if (code == ERR_OK) {
        code = events_check(reader, text, length);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (!yaml_parser_initialize(&parser)) {
        return err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->name);
    }
    parser_begin(&parser, text, length);
    if (!yaml_parser_load(&parser, &reader->document)) {
        code = parser_fail(reader, &parser);
    }
    yaml_parser_delete(&parser);
    return code;
}

void plan_yaml_release(struct plan_reader *reader)
{
    yaml_document_delete(&reader->document);
}

const yaml_node_t *plan_yaml_node(struct plan_reader *reader, int index)
{
    return yaml_document_get_node(&reader->document, index);
}

const yaml_node_t *plan_yaml_root(struct plan_reader *reader)
{
    return yaml_document_get_root_node(&reader->document);
}
