// SPDX-License-Identifier: Apache-2.0
// Body framing and the fields that steer a connection.
#include "engines/http/http_framing.h"

#include <string.h>

#include "engines/http/http_line.h"

/* What the fields said, before it is judged as a whole. */
struct field_facts {
    int host_count, length_count, coding_count;
    bool asks_close, asks_keep_alive, expects_continue;
    uint64_t length;
    bool is_chunked;
};

/* 1*DIGIT that fits in 63 bits, without leading zeros. */
static bool length_parse(struct http_span text, uint64_t *length_out)
{
    uint64_t length = 0;

    if (text.length == 0 || text.length > 18 || (text.length > 1 && text.bytes[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (c < '0' || c > '9') {
            return false;
        }
        length = length * 10 + (uint64_t)(c - '0');
    }
    *length_out = length;
    return true;
}

/* The next element of a comma-separated list, trimmed; false at its end. */
static bool list_next(struct http_span *rest, struct http_span *element_out)
{
    size_t start = 0;
    size_t end;

    if (!rest->bytes) {
        return false;
    }
    for (end = 0; end < rest->length && rest->bytes[end] != ','; end++) {
    }
    size_t next = end + 1;
    while (start < end && (rest->bytes[start] == ' ' || rest->bytes[start] == '\t')) {
        start++;
    }
    while (end > start && (rest->bytes[end - 1] == ' ' || rest->bytes[end - 1] == '\t')) {
        end--;
    }
    *element_out = (struct http_span){rest->bytes + start, end - start};
    *rest = next <= rest->length ? (struct http_span){rest->bytes + next, rest->length - next}
                                 : (struct http_span){NULL, 0};
    return true;
}

/*
 * Transfer-Encoding. "chunked" alone is understood. A list that ends in "chunked" after other
 * tokens is 501 (RFC 9112 6.1); everything else is 400 (6.3: chunked is not the final coding).
 * Empty elements, "chunked" twice and white space behind the value are refused although a lenient
 * reader may take them: readers differ there, and that is what smuggling lives on.
 */
static int coding_judge(struct http_span value, struct field_facts *facts)
{
    struct http_span coding;
    bool has_other = false;
    char after = value.bytes[value.length];

    if (facts->coding_count++ || after == ' ' || after == '\t') {
        return 400;
    }
    facts->is_chunked = false;
    for (struct http_span rest = value; list_next(&rest, &coding);) {
        if (coding.length == 0 || facts->is_chunked) {
            return 400;
        }
        for (size_t i = 0; i < coding.length; i++) {
            if (!http_is_char(coding.bytes[i], HTTP_CHAR_TOKEN)) {
                return 400;
            }
        }
        facts->is_chunked = http_span_is(coding, "chunked");
        has_other |= !facts->is_chunked;
    }
    if (!facts->is_chunked) {
        return 400;
    }
    return has_other ? 501 : 0;
}

static void connection_read(struct http_span value, struct field_facts *facts)
{
    struct http_span option;

    while (list_next(&value, &option)) {
        facts->asks_close |= http_span_is(option, "close");
        facts->asks_keep_alive |= http_span_is(option, "keep-alive");
    }
}

/* A name of four letters. The bit that is set is the one in which their cases differ. */
static bool is_host(const char *name)
{
    uint32_t letters, host;

    memcpy(&letters, name, sizeof(letters));
    memcpy(&host, "host", sizeof(host));
    return (letters | UINT32_C(0x20202020)) == host;
}

/* One field; returns 0 or a status. */
static int field_judge(const struct http_field *field, struct field_facts *facts)
{
    switch (field->name.length) {
    case 4:
        if (is_host(field->name.bytes)) {
            return facts->host_count++ || !http_is_authority(field->value) ? 400 : 0;
        }
        return 0;
    case 6:
        if (http_span_is(field->name, "expect")) {
            facts->expects_continue = http_span_is(field->value, "100-continue");
            return facts->expects_continue ? 0 : 417;
        }
        return 0;
    case 10:
        /* Others are as long, User-Agent above all. */
        if ((field->name.bytes[0] | 0x20) == 'c' && http_span_is(field->name, "connection")) {
            connection_read(field->value, facts);
        }
        return 0;
    case 14:
        if (http_span_is(field->name, "content-length")) {
            return facts->length_count++ || !length_parse(field->value, &facts->length) ? 400 : 0;
        }
        return 0;
    case 17:
        if (http_span_is(field->name, "transfer-encoding")) {
            return coding_judge(field->value, facts);
        }
        return 0;
    default:
        return 0;
    }
}

/* All fields; 400 goes before any other status. */
static int fields_judge(const struct http_request *request, struct field_facts *facts)
{
    int first_status = 0;

    for (size_t i = 0; i < request->field_count; i++) {
        int status = field_judge(&request->fields[i], facts);
        if (status == 400) {
            return 400;
        }
        if (status && !first_status) {
            first_status = status;
        }
    }
    bool is_1_1 = request->minor_version >= 1;
    if ((is_1_1 && facts->host_count == 0) || (facts->coding_count && !is_1_1) ||
        (facts->coding_count && facts->length_count)) {
        return 400;
    }
    return first_status;
}

int http_frame(const struct http_request *request, uint64_t body_limit_bytes,
               struct http_framing *framing_out)
{
    struct field_facts facts = {0};
    bool is_1_1 = request->minor_version >= 1;
    int status = fields_judge(request, &facts);

    if (status) {
        return status;
    }
    if (facts.length > body_limit_bytes) {
        return 413;
    }
    *framing_out = (struct http_framing){
        .body = facts.coding_count  ? HTTP_BODY_CHUNKED
                : facts.length != 0 ? HTTP_BODY_LENGTH
                                    : HTTP_BODY_NONE,
        .length = facts.length,
        .keep_alive = !facts.asks_close && (is_1_1 || facts.asks_keep_alive),
        /* An expectation of a 1.0 client is ignored (RFC 9110 10.1.1). */
        .expects_continue = facts.expects_continue && is_1_1,
    };
    return 0;
}
