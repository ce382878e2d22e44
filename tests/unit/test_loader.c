// SPDX-License-Identifier: Apache-2.0
// What the dynamic loader would pass over: files that are no libraries, tunables that it does not
// know, libraries that are not in a map of memory.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "collector/run/loader.h"
#include "engines/base/attr.h"
#include "tests/support/edge_buf.h"

/* libc.so.6 is one wherever this program was linked with it; a script and a folder are none. */
Test(loader, a_library_begins_like_a_shared_object)
{
    cr_expect(loader_path(), "this program has a loader");
    cr_expect(loader_is_library(loader_path()));
    cr_expect_not(loader_is_library("ci/run"));
    cr_expect_not(loader_is_library("ci"));
    cr_expect_not(loader_is_library("/dev/null"), "too short");
    cr_expect_not(loader_is_library("/nonexistent/lib.so"));
}

/* ld.so(8): "a list of additional, user-specified, ELF shared objects … separated by spaces or
 * colons". */
Test(loader, names_of_libraries_stand_between_colons_or_blanks)
{
    const char *list = " :a.so:/b/c.so  d.so:", *word = NULL;
    const char *const want[] = {"a.so", "/b/c.so", "d.so"};

    for (size_t i = 0; i < ARRAY_COUNT(want); i++) {
        cr_expect_eq(loader_next(&list, &word), strlen(want[i]), "word %zu", i);
        cr_expect_eq(strncmp(word, want[i], strlen(want[i])), 0, "word %zu", i);
    }
    cr_expect_eq(loader_next(&list, &word), 0);
}

Test(loader, a_library_is_found_in_a_map_by_its_path_or_its_name)
{
    static const char maps[] = "7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/libx.so.6\n"
                               "7f02-7f03 rw-p 00000000 00:00 0\n"
                               "7f04-7f05 r--p 00000000 fe:00 13 /proc/version";
    static const struct {
        const char *word, *folder;
        bool is_there;
    } rows[] = {
        {"libx.so.6", "/", true},     {"libx.so", "/", false},      {"x.so.6", "/", false},
        {"/proc/version", "/", true}, {"./version", "/proc", true}, {"./version", "/", false},
        {"/proc/cpuinfo", "/", false} /* a path that is there, and not in the map */
    };
    struct edge_buf edge;

    edge_buf_init(&edge, maps, sizeof(maps));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_expect_eq(loader_is_mapped(edge.bytes, rows[i].word, rows[i].folder), rows[i].is_there,
                     "row %zu", i);
    }
    edge_buf_release(&edge);
}

/* Lines as ld.so --list-tunables of glibc 2.36 prints them. */
Test(loader, tunables_are_known_by_their_whole_names_and_limits)
{
    static const char known[] =
        "glibc.rtld.nns: 0x4 (min: 0x1, max: 0x10)\n"
        "glibc.malloc.trim_threshold: 0x0 (min: 0x0, max: 0xffffffffffffffff)\n"
        "glibc.cpu.hwcaps:";
    static const struct {
        const char *tunables, *refused, *limits;
    } rows[] = {
        {"", NULL, NULL},
        {"glibc.rtld.nns=4", NULL, NULL},
        {"glibc.rtld.nns=1:glibc.rtld.nns=0x10:glibc.rtld.nns=020", NULL, NULL}, /* 16 in octal */
        {"glibc.malloc.trim_threshold=1:glibc.cpu.hwcaps=-AVX2:", NULL, NULL},
        {"glibc.malloc.trim_threshold=-1", NULL, NULL}, /* goes round to the maximum */
        {"glibc.rtld.nns=4:glibc.malloc.trim_treshold=1", "glibc.malloc.trim_treshold", ""},
        {"glibc.rtld.nn=4", "glibc.rtld.nn", ""},
        {"glibc.rtld.nns", "glibc.rtld.nns", ""}, /* no value */
        {"=4", "", ""},
        {":glibc.rtld.nns=4", "", ""},
        {"glibc.rtld.nns=0", "glibc.rtld.nns", "min: 0x1, max: 0x10"},
        {"glibc.cpu.hwcaps=x:glibc.rtld.nns=17", "glibc.rtld.nns", "min: 0x1, max: 0x10"},
        {"glibc.rtld.nns=4x", "glibc.rtld.nns", "min: 0x1, max: 0x10"},
        {"glibc.rtld.nns=", "glibc.rtld.nns", "min: 0x1, max: 0x10"},
        {"glibc.rtld.nns=-1", "glibc.rtld.nns", "min: 0x1, max: 0x10"},
        {"glibc.rtld.nns=18446744073709551616", "glibc.rtld.nns", "min: 0x1, max: 0x10"},
    };
    struct edge_buf edge;

    edge_buf_init(&edge, known, sizeof(known));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct loader_refusal refusal = {"untouched", "untouched"};
        bool is_taken = loader_takes_tunables(edge.bytes, rows[i].tunables, &refusal);

        cr_expect_eq(is_taken, rows[i].refused == NULL, "row %zu", i);
        cr_expect_str_eq(refusal.name, rows[i].refused ? rows[i].refused : "untouched", "row %zu",
                         i);
        cr_expect_str_eq(refusal.limits, rows[i].limits ? rows[i].limits : "untouched", "row %zu",
                         i);
    }
    edge_buf_release(&edge);
}
