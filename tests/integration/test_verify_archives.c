// SPDX-License-Identifier: Apache-2.0
// A corpus of hostile archives, made from a real bundle with a header writer that is not ours: each
// is refused with its code, bombs soon and in little memory.
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "engines/base/attr.h"
#include "tests/support/sealed_bundle.h"

#define BLOCK_BYTES     512
#define LONG_NAME_BYTES 300

/* An entry as POSIX ustar has it, put in before manifest-sha256.txt: "T" in its name is the top
 * folder. */
struct entry {
    const char *name, *prefix; /* NULL: none */
    size_t name_bytes;         /* 0: up to the NUL */
    char type;                 /* 0: '0' */
    const char *content, *link;
    struct {
        size_t offset;
        const char *bytes;
        size_t length;
    } field; /* set last, then the checksum is right */
};

struct archive_case {
    const char *what, *verdict;
    struct entry entry; /* without a name: none */
    void (*apply)(struct buf *archive);
};

static char top[LONG_NAME_BYTES], long_prefix[LONG_NAME_BYTES], long_name[LONG_NAME_BYTES],
    deep_name[LONG_NAME_BYTES];

static void checksum_set(char *header)
{
    unsigned sum = 0;

    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        sum += (unsigned char)header[i];
    }
    snprintf(header + 148, 8, "%06o", sum);
    header[155] = ' ';
}

/* A name with the top folder in place of its first 'T'. */
static size_t name_make(const char *name, size_t name_bytes, char out[LONG_NAME_BYTES])
{
    size_t length = name_bytes ? name_bytes : strlen(name), top_length = strlen(top);

    if (*name != 'T') {
        memcpy(out, name, length);
        return length;
    }
    memcpy(out, top, top_length);
    memcpy(out + top_length, name + 1, length - 1);
    return top_length + length - 1;
}

static void field_set(char *header, size_t offset, size_t length, const char *text)
{
    snprintf(header + offset, length, "%s", text);
}

/* Appends header and content; the time is that of the first entry. */
static void entry_add(const struct entry *entry, struct buf *out)
{
    char header[BLOCK_BYTES] = {0}, name[LONG_NAME_BYTES], prefix[LONG_NAME_BYTES], size[12];
    size_t length = entry->content ? strlen(entry->content) : 0;
    size_t name_length = name_make(entry->name, entry->name_bytes, name);

    memcpy(header, name, name_length < 100 ? name_length : 100);
    if (entry->prefix) {
        size_t prefix_length = name_make(entry->prefix, 0, prefix);
        memcpy(header + 345, prefix, prefix_length < 155 ? prefix_length : 155);
    }
    field_set(header, 100, 8, entry->type == '5' ? "0000755" : "0000644");
    field_set(header, 108, 8, "0000000");
    field_set(header, 116, 8, "0000000");
    snprintf(size, sizeof(size), "%011o", (unsigned)length);
    field_set(header, 124, 12, size);
    memcpy(header + 136, sealed_bundle.archive.bytes + 136, 12);
    header[156] = entry->type ? entry->type : '0';
    if (entry->link) {
        field_set(header, 157, 100, entry->link);
    }
    memcpy(header + 257, "ustar\00000", 8);
    memcpy(header + 329, "0000000", 8);
    memcpy(header + 337, "0000000", 8);
    if (entry->field.length) {
        memcpy(header + entry->field.offset, entry->field.bytes, entry->field.length);
    }
    checksum_set(header);
    buf_add(out, header, sizeof(header));
    if (length) {
        char zeros[BLOCK_BYTES] = {0};
        buf_add(out, entry->content, length);
        buf_add(out, zeros, (BLOCK_BYTES - length % BLOCK_BYTES) % BLOCK_BYTES);
    }
}

/* Where the header of a file of the bundle is. */
static size_t header_find(const struct buf *archive, const char *name)
{
    char whole[2 * LONG_NAME_BYTES];

    snprintf(whole, sizeof(whole), "%s/%s", top, name);
    for (size_t at = 0; at + BLOCK_BYTES <= archive->length; at += BLOCK_BYTES) {
        if (strncmp(archive->bytes + at, whole, 100) == 0 &&
            memcmp(archive->bytes + at + 257, "ustar", 5) == 0) {
            return at;
        }
    }
    cr_assert_fail("no %s", name);
    return 0;
}

/* Bytes put in; what follows moves, and the last record is filled up again. */
static void bytes_insert(struct buf *archive, size_t at, const struct buf *more)
{
    static const char zeros[20 * BLOCK_BYTES];
    struct buf out;

    buf_init(&out, (size_t)256 << 20);
    buf_add(&out, archive->bytes, at);
    buf_add(&out, more->bytes, more->length);
    buf_add(&out, archive->bytes + at, archive->length - at);
    while (out.length > 2 * BLOCK_BYTES &&
           memcmp(out.bytes + out.length - 3 * BLOCK_BYTES, zeros, 3 * BLOCK_BYTES) == 0) {
        out.length -= BLOCK_BYTES;
    }
    buf_add(&out, zeros, (sizeof(zeros) - out.length % sizeof(zeros)) % sizeof(zeros));
    cr_assert_not(out.failed);
    buf_release(archive);
    *archive = out;
}

static void entries_insert(struct buf *archive, const struct entry *entries, size_t count)
{
    struct buf more;

    buf_init(&more, (size_t)256 << 20);
    for (size_t i = 0; i < count; i++) {
        entry_add(&entries[i], &more);
    }
    bytes_insert(archive, header_find(archive, "manifest-sha256.txt"), &more);
    buf_release(&more);
}

static void bytes_repeat(struct buf *archive, const char *name, size_t blocks)
{
    size_t at = header_find(archive, name);
    struct buf more;

    buf_init(&more, 1 << 20);
    buf_add(&more, archive->bytes + at, blocks * BLOCK_BYTES);
    bytes_insert(archive, at, &more);
    buf_release(&more);
}

static void file_double(struct buf *archive)
{
    bytes_repeat(archive, "bagit.txt", 2);
}
static void order_change(struct buf *archive)
{
    size_t at = header_find(archive, "manifest-sha256.txt"),
           from = header_find(archive, "bagit.txt");
    struct buf more;

    buf_init(&more, 1 << 20);
    buf_add(&more, archive->bytes + from, 2 * (size_t)BLOCK_BYTES);
    bytes_insert(archive, at, &more);
    memmove(archive->bytes + from, archive->bytes + from + 2 * BLOCK_BYTES,
            archive->length - from - 2 * BLOCK_BYTES);
    archive->length -= 2 * BLOCK_BYTES;
    buf_release(&more);
}
static void case_pair_add(struct buf *archive)
{
    static const struct entry pair[] = {{.name = "T/data/zZ"}, {.name = "T/data/zz"}};

    entries_insert(archive, pair, ARRAY_COUNT(pair));
}
static void checksum_break(struct buf *archive)
{
    archive->bytes[header_find(archive, "bagit.txt") + 148]++;
}
static void padding_fill(struct buf *archive)
{
    archive->bytes[header_find(archive, "bagit.txt") + 2 * BLOCK_BYTES - 1] = 'x';
}
static void byte_append(struct buf *archive)
{
    buf_add_char(archive, 'x');
}
static void archive_append(struct buf *archive)
{
    buf_add(archive, sealed_bundle.archive.bytes, sealed_bundle.archive.length);
}
static void zeros_append(struct buf *archive)
{
    static const char zeros[20 * BLOCK_BYTES];

    buf_add(archive, zeros, sizeof(zeros));
}
static void end_cut(struct buf *archive)
{
    while (archive->bytes[archive->length - 1] == '\0') {
        archive->length--;
    }
    archive->length = (archive->length + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}
static void end_early(struct buf *archive)
{
    memset(archive->bytes + header_find(archive, "manifest-sha256.txt"), 0,
           2 * (size_t)BLOCK_BYTES);
}
static void magic_old(struct buf *archive)
{
    for (size_t at = 0; at < archive->length; at += BLOCK_BYTES) {
        if (memcmp(archive->bytes + at + 257, "ustar\00000", 8) == 0) {
            memcpy(archive->bytes + at + 257, "ustar  ", 8);
            checksum_set(archive->bytes + at);
        }
    }
}
static void size_set(struct buf *archive, const char *size)
{
    char *header = archive->bytes + header_find(archive, "bagit.txt");

    memcpy(header + 124, size, 12);
    checksum_set(header);
}
static void size_enlarge(struct buf *archive)
{
    size_set(archive, "77777777777");
}
static void size_to_base_256(struct buf *archive)
{
    size_set(archive, "\x80\0\0\0\0\0\0\0\0\0\0\x37");
}
static void size_negative(struct buf *archive)
{
    size_set(archive, "-0000000067");
}

/* The archive compressed; and, as an attacker would, 256 MiB of zeros that are a few hundred KiB.
 */
static void deflate_into(struct buf *archive, const char *bytes, size_t length, size_t repeat)
{
    z_stream stream = {0};
    struct buf out;
    int status = Z_OK;

    buf_init(&out, (size_t)8 << 20);
    cr_assert_eq(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (size_t i = 0; i <= repeat && status != Z_STREAM_END; i++) {
        stream.next_in = (Bytef *)(uintptr_t)bytes;
        stream.avail_in = i < repeat ? (uInt)length : 0;
        do {
            char *room = buf_reserve(&out, 1 << 16);
            cr_assert_not_null(room);
            stream.next_out = (Bytef *)room;
            stream.avail_out = 1 << 16;
            status = deflate(&stream, i < repeat ? Z_NO_FLUSH : Z_FINISH);
            out.length += (1u << 16) - stream.avail_out;
        } while (stream.avail_out == 0);
    }
    deflateEnd(&stream);
    buf_release(archive);
    *archive = out;
}
static void gzip_make(struct buf *archive)
{
    deflate_into(archive, sealed_bundle.archive.bytes, sealed_bundle.archive.length, 1);
}
static void gzip_bomb_make(struct buf *archive)
{
    static const char zeros[1 << 20];

    deflate_into(archive, zeros, sizeof(zeros), 256);
}
static void begin_with(struct buf *archive, const char *bytes, size_t length)
{
    memcpy(archive->bytes, bytes, length);
}
static void xz_make(struct buf *archive)
{
    begin_with(archive,
               "\xfd"
               "7zXZ\0",
               6);
}
static void zstd_make(struct buf *archive)
{
    begin_with(archive, "\x28\xb5\x2f\xfd", 4);
}
static void bzip2_make(struct buf *archive)
{
    begin_with(archive, "BZh91AY", 7);
}
static void zip_make(struct buf *archive)
{
    begin_with(archive, "PK\x03\x04", 4);
}

/* 200,000 empty files, whose names are in order. */
static void tiny_entries_add(struct buf *archive)
{
    struct buf more;
    char name[40];

    buf_init(&more, (size_t)128 << 20);
    for (int i = 0; i < 200000; i++) {
        snprintf(name, sizeof(name), "T/data/zz%06d", i);
        entry_add(&(struct entry){.name = name}, &more);
    }
    bytes_insert(archive, header_find(archive, "manifest-sha256.txt"), &more);
    buf_release(&more);
}
/* As many folders as a bundle may have entries. */
static void folders_add(struct buf *archive)
{
    struct buf more;
    char name[40];

    buf_init(&more, (size_t)128 << 20);
    for (int i = 0; i < 19000; i++) {
        snprintf(name, sizeof(name), "T/data/zz%06d/", i);
        entry_add(&(struct entry){.name = name, .type = '5'}, &more);
    }
    bytes_insert(archive, header_find(archive, "manifest-sha256.txt"), &more);
    buf_release(&more);
}

/* Archives in memory; in each verdict the first finding. */
static const struct archive_case cases[] = {
    {"nothing changed", "verified", {0}, NULL},
    /* Where an entry would go. */
    {"..", "V2 bad-path", {.name = "T/data/../../../tmp/evil"}, NULL},
    {"an absolute name", "V2 bad-path", {.name = "/etc/cron.d/evil"}, NULL},
    {"another top folder", "V2 bad-top", {.name = "evil/x"}, NULL},
    {"an empty name", "V2 bad-path", {.name = ""}, NULL},
    {"an empty component", "V2 bad-path", {.name = "T/data//x"}, NULL},
    {"a component of a dot", "V2 bad-path", {.name = "T/data/./x"}, NULL},
    {"a NUL in a name", "V2 bad-path", {.name = "T/data/x\0/../../evil", .name_bytes = 20}, NULL},
    {"a line feed in a name", "V2 bad-path", {.name = "T/data/x\nevil"}, NULL},
    {"a terminal's escape in a name", "V2 bad-path", {.name = "T/data/\033[2J"}, NULL},
    {"a backslash", "V2 bad-path", {.name = "T/data\\..\\x"}, NULL},
    {"a right-to-left mark",
     "V2 bad-path",
     {.name = "T/data/\xe2\x80\xae"
              "db"},
     NULL},
    {"a hidden file", "V2 bad-path", {.name = "T/data/.bashrc"}, NULL},
    {"an option's name", "V2 bad-path", {.name = "T/data/-rf"}, NULL},
    {"a journal of the results", "V2 bad-path", {.name = "T/data/results/results.db-wal"}, NULL},
    {"a path of 256 bytes",
     "V2 bad-path",
     {.name = long_name, .name_bytes = 100, .prefix = long_prefix},
     NULL},
    {"13 folders deep", "V2 bad-path", {.name = deep_name}, NULL},
    {"the same file twice", "V2 duplicate", {0}, file_double},
    {"names that differ in case alone", "V2 name-collision", {0}, case_pair_add},
    {"another order", "V2 bad-order", {0}, order_change},
    /* What an entry would be. */
    {"a hard link", "V2 bad-type", {.name = "T/data/zz", .type = '1', .link = "/etc/passwd"}, NULL},
    {"a symbolic link", "V2 bad-type", {.name = "T/data/zz", .type = '2', .link = "/etc"}, NULL},
    {"a character device", "V2 bad-type", {.name = "T/data/zz", .type = '3'}, NULL},
    {"a block device", "V2 bad-type", {.name = "T/data/zz", .type = '4'}, NULL},
    {"a FIFO", "V2 bad-type", {.name = "T/data/zz", .type = '6'}, NULL},
    {"a contiguous file", "V2 bad-type", {.name = "T/data/zz", .type = '7'}, NULL},
    {"a pax header",
     "V2 bad-type",
     {.name = "T/data/zz", .type = 'x', .content = "21 path=../../../evil\n"},
     NULL},
    {"a global pax header",
     "V2 bad-type",
     {.name = "T/data/zz", .type = 'g', .content = "19 comment=evil x\n"},
     NULL},
    {"a long name of GNU",
     "V2 bad-type",
     {.name = "././@LongLink", .type = 'L', .content = "/etc/x"},
     NULL},
    {"a sparse file of GNU", "V2 bad-type", {.name = "T/data/zz", .type = 'S'}, NULL},
    {"set-uid", "V2 bad-mode", {.name = "T/data/zz", .field = {100, "0004755", 8}}, NULL},
    {"an executable file", "V2 mode", {.name = "T/data/zz", .field = {100, "0000755", 8}}, NULL},
    {"an owner", "V2 bad-owner", {.name = "T/data/zz", .field = {108, "0001750", 8}}, NULL},
    {"an owner's name", "V2 bad-owner", {.name = "T/data/zz", .field = {265, "root", 4}}, NULL},
    {"another time", "V2 bad-time", {.name = "T/data/zz", .field = {136, "00000000001", 12}}, NULL},
    {"a folder with content",
     "V2 bad-size",
     {.name = "T/data/zz/", .type = '5', .content = "x"},
     NULL},
    /* What the bytes are. */
    {"a wrong checksum", "V2 bad-checksum", {0}, checksum_break},
    {"bytes after a file's end", "V2 bad-padding", {0}, padding_fill},
    {"a size beyond the archive", "V2 truncated", {0}, size_enlarge},
    {"a size in base 256", "V2 bad-size", {0}, size_to_base_256},
    {"a negative size", "V2 bad-size", {0}, size_negative},
    {"an archive of GNU's format", "V2 bad-magic", {0}, magic_old},
    {"no end", "V2 truncated", {0}, end_cut},
    {"the end in the middle", "V2 trailing-data", {0}, end_early},
    {"a byte after the end", "V2 trailing-data", {0}, byte_append},
    {"a second archive after the end", "V2 trailing-data", {0}, archive_append},
    {"a record of zeros after the end", "V2 trailing-data", {0}, zeros_append},
    {"gzip", "V0 compressed", {0}, gzip_make},
    {"xz", "V0 compressed", {0}, xz_make},
    {"zstd", "V0 compressed", {0}, zstd_make},
    {"bzip2", "V0 compressed", {0}, bzip2_make},
    {"zip", "V0 compressed", {0}, zip_make},
    /* Bombs. */
    {"256 MiB of zeros in a gzip of 1 MiB", "V0 compressed", {0}, gzip_bomb_make},
    {"200,000 tiny files", "V2 too-large", {0}, tiny_entries_add},
    {"19,000 folders", "V5 extra-folder", {0}, folders_add},
};

/* The changed archive as it lies on disk. */
static void verdict_expect(const char *what, const char *want)
{
    struct verify_result *result = sealed_bundle_verify_bounded(what);
    const char *verdict = sealed_bundle_verdict(result);
    cr_expect_str_eq(verdict, want, "%s: %s: %s", what, verdict, result->findings[0].text);
    for (const char *at = result->findings[0].text; *at; at++) {
        cr_expect((unsigned char)*at >= 0x20, "%s: a control character is shown", what);
    }
    free(result);
}

static void names_make(void)
{
    snprintf(top, sizeof(top), "%s", sealed_bundle.result.name);
    snprintf(long_prefix, sizeof(long_prefix), "T/data/%0*d",
             (int)(155 - strlen(top) - strlen("/data/")), 0);
    snprintf(long_name, sizeof(long_name), "%0100d", 0);
    snprintf(deep_name, sizeof(deep_name), "T/data/a/b/c/d/e/f/g/h/i/j/k/l/m");
}

Test(verify_archives, of_a_hostile_corpus_are_refused_each_for_its_reason,
     .init = sealed_bundle_make, .fini = sealed_bundle_remove, .timeout = 120)
{
    names_make();
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct buf archive;

        buf_init(&archive, (size_t)256 << 20);
        buf_add(&archive, sealed_bundle.archive.bytes, sealed_bundle.archive.length);
        if (cases[i].entry.name) {
            entries_insert(&archive, &cases[i].entry, 1);
        }
        if (cases[i].apply) {
            cases[i].apply(&archive);
        }
        sealed_bundle_write(archive.bytes, archive.length);
        buf_release(&archive);
        verdict_expect(cases[i].what, cases[i].verdict);
    }
}

/* Files that are mostly holes: what they say of their size is not allocated, and not believed. */
Test(verify_archives, that_are_mostly_holes_are_refused_soon, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 120)
{
    static const struct {
        const char *what, *verdict, *size;
        off_t bytes;
    } rows[] = {
        {"8 GiB in a file of 8 GiB", "V0 too-large", "77777777000", (off_t)8 << 30},
        {"8 GiB in a file of 1 GiB", "V2 truncated", "77777777000", (off_t)1 << 30},
        {"a file of 600 MiB", "V2 too-large", "04540000000", (off_t)700 << 20},
    };

    names_make();
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct entry entry = {.name = "T/bagit.txt", .field = {124, rows[i].size, 12}};
        struct buf head;

        buf_init(&head, 1 << 16);
        buf_add(&head, sealed_bundle.archive.bytes, BLOCK_BYTES);
        entry_add(&entry, &head);
        sealed_bundle_write(head.bytes, head.length);
        cr_assert_eq(truncate(sealed_bundle.changed_path, rows[i].bytes), 0);
        buf_release(&head);
        verdict_expect(rows[i].what, rows[i].verdict);
    }
}
