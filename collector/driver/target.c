// SPDX-License-Identifier: Apache-2.0
// URLs of the driver.
#include "collector/driver/target.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#define PORT_DEFAULT     80
#define PORT_DEFAULT_TLS 443
#define ZONE_MARK        "%25" /* RFC 6874: the percent sign before a zone is itself encoded */
#define HOST_OF_UNIX     "localhost"
#define SHOWN_CHARS      60

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The request target goes on the wire as it is; white space would end it early. */
static enum err_code path_take(const char *text, struct target *target, struct err *e)
{
    size_t length = strcspn(text, "#");
    size_t slash = *text == '/' ? 0 : 1; /* "?query" alone, or nothing */

    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] > '~') {
            return err_set(e, ERR_USAGE,
                           "the URL's path holds a space, a control character or a byte beyond "
                           "ASCII: write it as %%XX");
        }
    }
    if (length + slash >= sizeof(target->path)) {
        return err_set(e, ERR_USAGE, "the URL's path is longer than %d bytes",
                       TARGET_PATH_BYTES - 1);
    }
    target->path[0] = '/';
    memcpy(target->path + slash, text, length);
    target->path[slash + length] = '\0';
    return ERR_OK;
}

static uint16_t port_default(const struct target *target)
{
    return target->is_tls ? PORT_DEFAULT_TLS : PORT_DEFAULT;
}

/* ":8080" or nothing. */
static enum err_code port_take(const char *text, size_t length, struct target *target,
                               struct err *e)
{
    uint32_t port = 0;

    target->port = port_default(target);
    if (length == 0 || (length == 1 && *text == ':')) {
        return ERR_OK;
    }
    for (size_t i = 1; i < length && port <= UINT16_MAX; i++) {
        port = is_digit(text[i]) ? port * 10 + (uint32_t)(text[i] - '0') : UINT32_MAX;
    }
    if (*text != ':' || port == 0 || port > UINT16_MAX) {
        return err_set(e, ERR_USAGE, "the URL's port \"%.*s\" is not one of 1 … 65535",
                       (int)(length < SHOWN_CHARS ? length : SHOWN_CHARS), text + (*text == ':'));
    }
    target->port = (uint16_t)port;
    return ERR_OK;
}

static bool name_is_plain(const char *name, size_t length, const char *extra)
{
    for (size_t i = 0; i < length; i++) {
        char lower = (char)(name[i] | 0x20);
        if (!(lower >= 'a' && lower <= 'z') && !is_digit(name[i]) && !strchr(extra, name[i])) {
            return false;
        }
    }
    return length > 0;
}

/* "::1" or "fe80::1%25lo": the zone is for this machine's kernel, not for the server. */
static enum err_code literal_take(const char *text, size_t length, struct target *target,
                                  struct err *e)
{
    const char *mark = memmem(text, length, ZONE_MARK, strlen(ZONE_MARK));
    size_t address_length = mark ? (size_t)(mark - text) : length;
    size_t zone_length = mark ? length - address_length - strlen(ZONE_MARK) : 0;

    if (!name_is_plain(text, address_length, ":.") || length >= sizeof(target->node) ||
        (mark && !name_is_plain(mark + strlen(ZONE_MARK), zone_length, "._-"))) {
        return err_set(e, ERR_USAGE, "the URL's address in brackets is no IPv6 address");
    }
    snprintf(target->node, sizeof(target->node), "%.*s%s%.*s", (int)address_length, text,
             mark ? "%" : "", (int)zone_length, mark ? mark + strlen(ZONE_MARK) : "");
    snprintf(target->host, sizeof(target->host), "[%.*s]", (int)address_length, text);
    return ERR_OK;
}

/* HOST[:PORT] of `length` bytes. */
static enum err_code authority_take(const char *text, size_t length, struct target *target,
                                    struct err *e)
{
    const char *close = *text == '[' ? memchr(text, ']', length) : NULL;
    size_t host_length = close ? (size_t)(close - text) + 1 : 0;
    enum err_code code = ERR_OK;

    if (memchr(text, '@', length)) {
        return err_set(e, ERR_USAGE,
                       "the URL holds a user name: send it with -H \"Authorization: …\"");
    }
    if (close) {
        code = literal_take(text + 1, host_length - 2, target, e);
    } else {
        const char *colon = memchr(text, ':', length);
        host_length = colon ? (size_t)(colon - text) : length;
        if (!name_is_plain(text, host_length, ".-_") || host_length >= sizeof(target->node)) {
            return err_set(e, ERR_USAGE,
                           "the URL's host is no name and no address; an IPv6 address stands in "
                           "brackets: http://[::1]:8080/");
        }
        snprintf(target->node, sizeof(target->node), "%.*s", (int)host_length, text);
        snprintf(target->host, sizeof(target->host), "%s", target->node);
    }
    if (code == ERR_OK) {
        code = port_take(text + host_length, length - host_length, target, e);
    }
    if (code == ERR_OK && target->port != port_default(target)) {
        size_t used = strlen(target->host);
        snprintf(target->host + used, sizeof(target->host) - used, ":%u", (unsigned)target->port);
    }
    return code;
}

/* "/SOCKET[:/PATH]" */
static enum err_code unix_take(const char *text, struct target *target, struct err *e)
{
    struct sockaddr_un address;
    const char *mark = strstr(text, ":/");
    size_t length = mark ? (size_t)(mark - text) : strlen(text);

    if (*text != '/' || length >= sizeof(address.sun_path)) {
        return err_set(e, ERR_USAGE,
                       "unix: takes the path of a socket of at most %zu bytes, as in "
                       "unix:/run/server.sock:/ping",
                       sizeof(address.sun_path) - 1);
    }
    target->family = TARGET_UNIX;
    snprintf(target->node, sizeof(target->node), "%.*s", (int)length, text);
    snprintf(target->host, sizeof(target->host), HOST_OF_UNIX);
    return path_take(mark ? mark + 1 : "/", target, e);
}

enum err_code target_parse(const char *url, struct target *target_out, struct err *e)
{
    static const char http[] = "http://", https[] = "https://", unix_scheme[] = "unix:";
    struct target target = {.family = TARGET_INET};
    enum err_code code = ERR_OK;

    target.is_tls = strncasecmp(url, https, strlen(https)) == 0;
    if (strncasecmp(url, unix_scheme, strlen(unix_scheme)) == 0) {
        code = unix_take(url + strlen(unix_scheme), &target, e);
    } else if (target.is_tls || strncasecmp(url, http, strlen(http)) == 0) {
        const char *authority = url + strlen(target.is_tls ? https : http);
        size_t length = strcspn(authority, "/?#");

        code = authority_take(authority, length, &target, e);
        if (code == ERR_OK) {
            code = path_take(authority + length, &target, e);
        }
    } else {
        return err_set(e, ERR_USAGE,
                       "\"%.60s\" is no URL that can be driven: http://…, https://… or unix:/…",
                       url);
    }
    if (code == ERR_OK) {
        *target_out = target;
    }
    return code;
}

void target_format_tls_host(const struct target *target, char out[TARGET_HOST_BYTES])
{
    size_t length = strcspn(target->node, "%");

    length -= length > 1 && target->node[length - 1] == '.';
    snprintf(out, TARGET_HOST_BYTES, "%.*s", (int)length, target->node);
}

static enum err_code unix_resolve(const struct target *target, struct net_address *address_out,
                                  struct err *e)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(target->node);

    if (length >= sizeof(address.sun_path)) {
        return err_set(e, ERR_LIMIT, "the path of the socket is too long");
    }
    memcpy(address.sun_path, target->node, length + 1);
    *address_out = (struct net_address){.bytes = sizeof(address)};
    memcpy(&address_out->storage, &address, sizeof(address));
    return ERR_OK;
}

enum err_code target_resolve(const struct target *target, struct net_address *address_out,
                             struct err *e)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char service[8];

    if (target->family == TARGET_UNIX) {
        return unix_resolve(target, address_out, e);
    }
    snprintf(service, sizeof(service), "%u", (unsigned)target->port);
    int status = getaddrinfo(target->node, service, &hints, &found);
    if (status != 0) {
        return err_set(e, ERR_USAGE, "%.100s: %s", target->node, gai_strerror(status));
    }
    *address_out = (struct net_address){.bytes = found->ai_addrlen};
    memcpy(&address_out->storage, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return ERR_OK;
}
