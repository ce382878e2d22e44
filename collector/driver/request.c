// SPDX-License-Identifier: Apache-2.0
// Requests from their parts.
#include "collector/driver/request.h"

#include <string.h>
#include <strings.h>

#define OURS_LIMIT 4

struct field {
    const char *name, *value;
    size_t name_length, value_length;
};

bool request_is_token(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char lower = (char)(text[i] | 0x20);
        bool is_letter = lower >= 'a' && lower <= 'z';
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (!is_letter && !is_digit && (!text[i] || !strchr("!#$%&'*+-.^_`|~", text[i]))) {
            return false;
        }
    }
    return length > 0;
}

static bool name_is(const struct field *field, const char *name)
{
    return field->name_length == strlen(name) &&
           strncasecmp(field->name, name, field->name_length) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static enum err_code field_split(const char *text, struct field *field_out, struct err *e)
{
    const char *colon = strchr(text, ':');

    if (!colon || !request_is_token(text, (size_t)(colon - text))) {
        return err_set(e, ERR_USAGE, "header \"%.60s\": write it as \"Name: value\"", text);
    }
    for (const char *p = colon + 1; *p; p++) {
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f) {
            return err_set(e, ERR_USAGE, "header \"%.*s\": a control character in its value",
                           (int)(colon - text < 60 ? colon - text : 60), text);
        }
    }
    const char *value = colon + 1;
    size_t length = strlen(value);
    while (length > 0 && is_blank(*value)) {
        value++;
        length--;
    }
    while (length > 0 && is_blank(value[length - 1])) {
        length--;
    }
    *field_out = (struct field){text, value, (size_t)(colon - text), length};
    return ERR_OK;
}

static enum err_code fields_check(const struct request_parts *parts, struct err *e)
{
    struct field field;
    int host_count = 0;

    for (size_t i = 0; i < parts->header_count; i++) {
        enum err_code code = field_split(parts->headers[i], &field, e);
        if (code != ERR_OK) {
            return code;
        }
        if (name_is(&field, "Content-Length") || name_is(&field, "Transfer-Encoding")) {
            return err_set(e, ERR_USAGE, "header \"%.60s\": the body decides it; leave it out",
                           parts->headers[i]);
        }
        host_count += name_is(&field, "Host");
        if (host_count > 1) {
            return err_set(e, ERR_USAGE, "header \"%.60s\": a second Host", parts->headers[i]);
        }
    }
    return ERR_OK;
}

static bool is_given(const struct request_parts *parts, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < parts->header_count; i++) {
        if (strncasecmp(parts->headers[i], name, length) == 0 && parts->headers[i][length] == ':') {
            return true;
        }
    }
    return false;
}

static void field_add(struct buf *out, const char *name, size_t name_length, const char *value,
                      size_t value_length)
{
    buf_add(out, name, name_length);
    buf_add_text(out, value_length ? ": " : ":");
    buf_add(out, value, value_length);
    buf_add_text(out, "\r\n");
}

enum err_code request_format(const struct request_parts *parts, struct buf *out, struct err *e)
{
    const char *const ours[OURS_LIMIT][2] = {
        {"Host", parts->host},
        {"User-Agent", "tacho"},
        {"Accept", "*/*"},
        {"Content-Type", parts->body ? "application/octet-stream" : NULL},
    };
    struct field field;

    if (!request_is_token(parts->method, strlen(parts->method))) {
        return err_set(e, ERR_USAGE, "\"%.60s\" is no method", parts->method);
    }
    enum err_code code = fields_check(parts, e);
    if (code != ERR_OK) {
        return code;
    }
    buf_addf(out, "%s %s HTTP/1.1\r\n", parts->method, parts->path);
    for (size_t i = 0; i < OURS_LIMIT; i++) {
        if (ours[i][1] && !is_given(parts, ours[i][0])) {
            field_add(out, ours[i][0], strlen(ours[i][0]), ours[i][1], strlen(ours[i][1]));
        }
    }
    for (size_t i = 0; i < parts->header_count; i++) {
        if (field_split(parts->headers[i], &field, e) == ERR_OK) {
            field_add(out, field.name, field.name_length, field.value, field.value_length);
        }
    }
    if (parts->body) {
        buf_addf(out, "Content-Length: %zu\r\n", parts->body_bytes);
    }
    buf_add_text(out, "\r\n");
    if (parts->body) {
        buf_add(out, parts->body, parts->body_bytes);
    }
    return buf_check(out, "the request", e);
}
