// SPDX-License-Identifier: Apache-2.0
// URLs of the driver.
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "collector/driver/target.h"

/* Expected values by hand from RFC 3986, RFC 6874 (zones) and RFC 9112 (Host, request target). */
Test(target, takes_urls_apart)
{
    static const struct {
        const char *url, *node, *host, *path;
        uint16_t port;
    } rows[] = {
        {"http://127.0.0.1:8080/ping", "127.0.0.1", "127.0.0.1:8080", "/ping", 8080},
        {"http://localhost", "localhost", "localhost", "/", 80},
        {"HTTP://Example.org:80/a?b=c#d", "Example.org", "Example.org", "/a?b=c", 80},
        {"http://h:/x", "h", "h", "/x", 80},
        {"http://h?q=1", "h", "h", "/?q=1", 80},
        {"http://h#part", "h", "h", "/", 80},
        {"http://[::1]:8080/", "::1", "[::1]:8080", "/", 8080},
        {"http://[::1]", "::1", "[::1]", "/", 80},
        {"http://[fe80::1%25lo]:8080/", "fe80::1%lo", "[fe80::1]:8080", "/", 8080},
        {"unix:/run/a.sock:/ping?x", "/run/a.sock", "localhost", "/ping?x", 0},
        {"unix:/run/a.sock", "/run/a.sock", "localhost", "/", 0},
        {"http://h:65535/%20", "h", "h:65535", "/%20", 65535},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct target target;
        struct err e = {0};

        cr_assert_eq(target_parse(rows[i].url, &target, &e), ERR_OK, "%s: %s", rows[i].url, e.text);
        cr_expect_str_eq(target.node, rows[i].node);
        cr_expect_str_eq(target.host, rows[i].host);
        cr_expect_str_eq(target.path, rows[i].path);
        cr_expect_eq(target.port, rows[i].port, "%s", rows[i].url);
    }
}

/* RFC 9110 4.2.2: the port of https is 443. Names in certificates are without the root's dot. */
Test(target, of_https_has_the_host_of_a_certificate)
{
    static const struct {
        const char *url, *host, *tls_host;
        uint16_t port;
    } rows[] = {
        {"https://h/", "h", "h", 443},
        {"HTTPS://h.example.:443/a", "h.example.", "h.example", 443},
        {"https://127.0.0.1:80", "127.0.0.1:80", "127.0.0.1", 80},
        {"https://[fe80::1%25lo]/", "[fe80::1]", "fe80::1", 443},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char tls_host[TARGET_HOST_BYTES];
        struct target target;
        struct err e = {0};

        cr_assert_eq(target_parse(rows[i].url, &target, &e), ERR_OK, "%s: %s", rows[i].url, e.text);
        target_format_tls_host(&target, tls_host);
        cr_expect(target.is_tls, "%s", rows[i].url);
        cr_expect_str_eq(target.host, rows[i].host);
        cr_expect_str_eq(tls_host, rows[i].tls_host);
        cr_expect_eq(target.port, rows[i].port, "%s", rows[i].url);
    }
}

Test(target, refuses_what_it_cannot_drive)
{
    static const struct {
        const char *url, *word;
    } rows[] = {
        {"https:/h/", "no URL"},
        {"https://h:0/", "port"},
        {"h:8080/", "no URL"},
        {"", "no URL"},
        {"ftp://h/", "no URL"},
        {"http://", "host"},
        {"http:///x", "host"},
        {"http://user@h/", "user name"},
        {"http://h:0/", "port"},
        {"http://h:65536/", "port"},
        {"http://h:99999999999999999999/", "port"},
        {"http://h:8o/", "port"},
        {"http://::1/", "brackets"},
        {"http://[::1/", "host"},
        {"http://[]/", "IPv6"},
        {"http://[::1]8080/", "port"},
        {"http://[::1%25]/", "IPv6"},
        {"http://h/a b", "%XX"},
        {"http://h/a\r\nX: y", "%XX"},
        {"http://h/\xc3\xa9", "%XX"},
        {"http://a b/", "host"},
        {"unix:relative.sock", "unix:"},
        {"unix:", "unix:"},
    };
    char long_url[TARGET_PATH_BYTES + 32];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct target target = {.port = 4711};
        struct err e = {0};

        cr_expect_eq(target_parse(rows[i].url, &target, &e), ERR_USAGE, "%s", rows[i].url);
        cr_expect_not_null(strstr(e.text, rows[i].word), "%s: %s", rows[i].url, e.text);
        cr_expect_eq(target.port, 4711);
    }
    memset(long_url, 'a', sizeof(long_url) - 1);
    memcpy(long_url, "http://h/", 9);
    long_url[sizeof(long_url) - 1] = '\0';
    struct target target;
    cr_expect_eq(target_parse(long_url, &target, NULL), ERR_USAGE);
    memcpy(long_url, "unix:/aaa", 9);
    cr_expect_eq(target_parse(long_url, &target, NULL), ERR_USAGE);
}

/* Numeric addresses and sockets: nothing is asked of a resolver. */
Test(target, finds_numeric_addresses_and_sockets)
{
    static const struct {
        const char *url;
        int family;
    } rows[] = {
        {"http://127.0.0.1:81/", AF_INET},
        {"http://[::1]:81/", AF_INET6},
        {"http://[fe80::1%25lo]:81/", AF_INET6},
        {"unix:/run/a.sock", AF_UNIX},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct target target;
        struct net_address address;
        struct err e = {0};

        cr_assert_eq(target_parse(rows[i].url, &target, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(target_resolve(&target, &address, &e), ERR_OK, "%s", e.text);
        cr_expect_eq(address.storage.ss_family, rows[i].family, "%s", rows[i].url);
        if (rows[i].family == AF_INET6) {
            struct sockaddr_in6 ipv6;
            memcpy(&ipv6, &address.storage, sizeof(ipv6));
            cr_expect_eq(ntohs(ipv6.sin6_port), 81);
            /* "lo" is interface 1 of every network namespace */
            cr_expect_eq(ipv6.sin6_scope_id, strstr(rows[i].url, "lo") ? 1 : 0);
        }
    }
}
