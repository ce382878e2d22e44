// SPDX-License-Identifier: Apache-2.0
// The archive: written bytes, and every kind of archive that must not be read.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "tests/support/edge_buf.h"
#include "tests/support/prop.h"
#include "tests/support/tree_bytes.h"

#define TIME_S 1793491200

static void small_tree_make(struct file_tree *tree)
{
    struct err e;
    char long_path[200];

    file_tree_init(tree);
    snprintf(long_path, sizeof(long_path), "data/%060d/%060d.txt", 0, 0);
    cr_assert_eq(file_tree_add_file(tree, "data/a.txt", "hello\n", 6, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(tree, "data/a/empty", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(tree, long_path, "long", 4, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(tree, "bagit.txt", "B", 1, &e), ERR_OK);
    cr_assert_eq(file_tree_complete(tree, &e), ERR_OK);
    strcpy(tree->top, "top-0123456789abcdef");
}

static void small_archive_make(struct buf *out)
{
    struct file_tree tree;
    struct err e;

    small_tree_make(&tree);
    buf_init(out, 1 << 20);
    cr_assert_eq(tree_bytes_pack(&tree, TIME_S, out, &e), ERR_OK, "%s", e.text);
    file_tree_release(&tree);
}

/* Returns the fault; "" when the archive is read. */
static const char *archive_read_by(size_t piece_bytes, const char *bytes, size_t length)
{
    const char *fault = "none named";
    struct file_tree tree;
    int64_t time_s = -7;
    struct err e;

    file_tree_init(&tree);
    enum err_code code = tree_bytes_unpack(bytes, length, piece_bytes, &tree, &time_s, &fault, &e);
    file_tree_release(&tree);
    if (code == ERR_OK) {
        cr_expect_eq(time_s, TIME_S);
        return "";
    }
    cr_expect_eq(time_s, -7, "an out-parameter changed on failure");
    return fault;
}

static const char *archive_read(const char *bytes, size_t length)
{
    return archive_read_by(0, bytes, length);
}

/* Sets the checksum of the header at `offset` right again: source POSIX ustar. */
static void checksum_mend(char *archive, size_t offset)
{
    unsigned sum = 0;

    memset(archive + offset + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++) {
        sum += (unsigned char)archive[offset + i];
    }
    snprintf(archive + offset + 148, 8, "%06o", sum);
    archive[offset + 155] = ' ';
}

Test(tar, is_read_back_as_it_was_written)
{
    struct file_tree tree, again;
    const char *fault = NULL;
    struct buf first, second;
    int64_t time_s = 0;
    struct err e;

    small_tree_make(&tree);
    small_archive_make(&first);
    cr_expect_eq(first.length % 10240, 0);
    file_tree_init(&again);
    cr_assert_eq(tree_bytes_unpack(first.bytes, first.length, 0, &again, &time_s, &fault, &e),
                 ERR_OK, "%s", e.text);
    cr_expect_eq(time_s, TIME_S);
    cr_expect_str_eq(again.top, tree.top);
    cr_assert_eq(again.count, tree.count);
    for (size_t i = 0; i < tree.count; i++) {
        cr_expect_str_eq(again.entries[i].path, tree.entries[i].path);
        cr_expect_eq(again.entries[i].length, tree.entries[i].length);
    }
    buf_init(&second, 1 << 20);
    cr_assert_eq(tree_bytes_pack(&again, time_s, &second, &e), ERR_OK);
    cr_expect_eq(second.length, first.length);
    cr_expect_arr_eq(second.bytes, first.bytes, first.length);
    buf_release(&first);
    buf_release(&second);
    file_tree_release(&tree);
    file_tree_release(&again);
}

/* SHA-256 of what GNU tar 1.34 makes of the same files: LC_ALL=C tar --sort=name --format=ustar
 * --mtime=@1793491200 --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w,a-s -cf - top-…
 * One path is longer than 100 bytes, one file is empty, "a" and "a.txt" lie side by side. */
Test(tar, is_the_archive_of_gnu_tar)
{
    char hex[DIGEST_HEX_BYTES];
    struct buf archive;

    small_archive_make(&archive);
    cr_assert_eq(digest_bytes(archive.bytes, archive.length, hex, NULL), ERR_OK);
    cr_expect_str_eq(hex, "be74aa78fceebba255b33b230d595d0bfa1707202ba7b8c1ae90d27c2f592ce1");
    buf_release(&archive);
}

Test(tar, reads_nothing_beyond_the_end_and_takes_no_part_of_an_archive)
{
    struct buf archive;

    small_archive_make(&archive);
    for (size_t length = 0; length < archive.length; length += length % 512 == 0 ? 1 : 511) {
        struct edge_buf edge;

        edge_buf_init(&edge, archive.bytes, length);
        cr_expect_str_neq(archive_read(edge.bytes, length), "", "length %zu", length);
        edge_buf_release(&edge);
    }
    struct edge_buf whole;
    edge_buf_init(&whole, archive.bytes, archive.length);
    cr_expect_str_eq(archive_read(whole.bytes, whole.length), "");
    for (size_t piece = 1; piece < 1100; piece += 97) { /* wherever it is cut */
        cr_expect_str_eq(archive_read_by(piece, whole.bytes, whole.length), "", "%zu", piece);
        cr_expect_str_eq(archive_read_by(piece, whole.bytes, whole.length - 1), "truncated");
    }
    edge_buf_release(&whole);
    buf_release(&archive);
}

/* Every byte of a header and of the padding and trailer is decided; those of a file's content are
 * the manifest's affair. */
Test(tar, has_no_byte_that_could_be_another)
{
    struct buf archive;
    size_t content_start = 0, content_end = 0, next_header = 0;

    small_archive_make(&archive);
    for (size_t i = 0; i < archive.length; i++) {
        if (i == next_header && archive.bytes[i]) {
            content_start = i + 512;
            content_end = content_start + strtoul(archive.bytes + i + 124, NULL, 8);
            next_header = (content_end + 511) / 512 * 512;
        }
        if (i >= content_start && i < content_end) {
            continue;
        }
        for (int bit = 0; bit < 8; bit += 7) {
            archive.bytes[i] = (char)(archive.bytes[i] ^ (1 << bit));
            cr_expect_str_neq(archive_read(archive.bytes, archive.length), "", "byte %zu bit %d", i,
                              bit);
            archive.bytes[i] = (char)(archive.bytes[i] ^ (1 << bit));
        }
    }
    buf_release(&archive);
}

/* One header field of the second entry (bagit.txt at 512) changed, its checksum right again. */
Test(tar, refuses_headers_that_it_does_not_write)
{
    static const struct {
        const char *what;
        size_t offset, length;
        const char *bytes;
        const char *fault;
    } rows[] = {
        {"absolute name", 0, 12, "/etc/passwd\0", "bad-path"},
        {"parent", 0, 30, "top-0123456789abcdef/../../x\0", "bad-path"},
        {"another top", 0, 8, "other/x\0", "bad-path"},
        {"newline in a name", 21, 2, "\nb", "bad-path"},
        {"escape in a name", 21, 2, "\033b", "bad-path"},
        {"hidden file", 21, 2, ".b", "bad-path"},
        {"folder's name for a file", 29, 1, "/", "bad-path"},
        {"set-uid", 100, 8, "0004755\0", "bad-mode"},
        {"mode 0600", 100, 8, "0000600\0", "bad-mode"},
        {"mode in another form", 100, 8, "000644 \0", "bad-mode"},
        {"owner 1", 108, 8, "0000001\0", "bad-owner"},
        {"group 1", 116, 8, "0000001\0", "bad-owner"},
        {"huge size", 124, 12, "77777777777\0", "truncated"},
        {"negative size (base 256)", 124, 12, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
         "bad-size"},
        {"other time", 136, 12, "00000000001\0", "bad-time"},
        {"hard link", 156, 1, "1", "bad-type"},
        {"symbolic link", 156, 1, "2", "bad-type"},
        {"character device", 156, 1, "3", "bad-type"},
        {"block device", 156, 1, "4", "bad-type"},
        {"folder named as a file", 156, 1, "5", "bad-path"},
        {"FIFO", 156, 1, "6", "bad-type"},
        {"old regular file", 156, 1, "\0", "bad-type"},
        {"GNU long name", 156, 1, "L", "bad-type"},
        {"GNU sparse", 156, 1, "S", "bad-type"},
        {"pax", 156, 1, "x", "bad-type"},
        {"pax global", 156, 1, "g", "bad-type"},
        {"link name", 157, 1, "x", "bad-header"},
        {"GNU magic", 257, 8, "ustar  \0", "bad-magic"},
        {"user name", 265, 4, "root", "bad-owner"},
        {"group name", 297, 4, "root", "bad-owner"},
        {"device number", 329, 8, "0000001\0", "bad-header"},
        {"text after the name", 60, 1, "x", "bad-path"},
        {"prefix", 345, 1, "x", "bad-top"},
        {"padding of the header", 511, 1, "x", "bad-header"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct buf archive;

        small_archive_make(&archive);
        memcpy(archive.bytes + 512 + rows[i].offset, rows[i].bytes, rows[i].length);
        checksum_mend(archive.bytes, 512);
        const char *fault = archive_read(archive.bytes, archive.length);
        cr_expect_str_eq(fault, rows[i].fault, "%s: %s", rows[i].what, fault);
        buf_release(&archive);
    }
}

/* Archives put together of whole entries (blocks of the small one): 0 top, 1-2 bagit.txt, 3 data/,
 * … */
Test(tar, refuses_other_orders_and_what_comes_after)
{
    static const struct {
        const char *what;
        int blocks[12]; /* of the small archive, -1: the end */
        size_t zero_blocks;
        const char *fault;
    } rows[] = {
        {"no entry", {-1}, 20, "empty"},
        {"only the top folder", {0, -1}, 19, ""},
        {"an entry before the top folder", {1, 2, 0, -1}, 17, "bad-top"},
        {"one twice", {0, 1, 2, 1, 2, -1}, 15, "duplicate"},
        {"the top folder twice", {0, 0, -1}, 18, "bad-top"},
        {"out of order", {0, 3, 1, 2, -1}, 16, "bad-order"},
        {"one zero block", {0, 1, 2, -1}, 1, "truncated"},
        {"two zero blocks, not a record", {0, 1, 2, -1}, 2, "truncated"},
        {"a record more", {0, 1, 2, -1}, 37, "trailing-data"},
        {"as it should be", {0, 1, 2, 3, -1}, 16, ""},
    };
    struct buf archive;

    small_archive_make(&archive);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        static const char zeros[512];
        struct buf other;

        buf_init(&other, 1 << 20);
        for (size_t j = 0; rows[i].blocks[j] >= 0; j++) {
            buf_add(&other, archive.bytes + (size_t)rows[i].blocks[j] * 512, 512);
        }
        for (size_t j = 0; j < rows[i].zero_blocks; j++) {
            buf_add(&other, zeros, 512);
        }
        const char *fault = archive_read(other.bytes, other.length);
        cr_expect_str_eq(fault, rows[i].fault, "%s: %s", rows[i].what, fault);
        buf_release(&other);
    }
    buf_release(&archive);
}

static void random_path(struct rng *rng, char *out)
{
    static const char letters[] = "ab-.Z09_+";
    size_t depth = 1 + rng_below(rng, 5), length = 0;

    for (size_t i = 0; i < depth; i++) {
        size_t letter_count = rng_below(rng, 30);
        out[length++] = "xyz"[rng_below(rng, 3)];
        for (size_t j = 0; j < letter_count; j++) {
            out[length++] = letters[rng_below(rng, sizeof(letters) - 1)];
        }
        out[length++] = i + 1 == depth ? '\0' : '/';
    }
}

Test(tar, packs_again_what_it_unpacked)
{
    for_each_case(rng, 200, 11)
    {
        struct file_tree tree, again;
        struct buf first, second;
        const char *fault = NULL;
        int64_t time_s = 0;
        char path[200], bytes[2000] = {0};
        struct err e;

        file_tree_init(&tree);
        file_tree_init(&again);
        strcpy(tree.top, "t");
        buf_init(&first, 1 << 22);
        buf_init(&second, 1 << 22);
        for (size_t i = rng_below(&rng, 20); i > 0; i--) {
            /* In a folder of its own, so that no file is another's folder. */
            size_t prefix = (size_t)snprintf(path, sizeof(path), "f%zu/", i);
            random_path(&rng, path + prefix);
            if (file_tree_add_file(&tree, path, bytes, rng_below(&rng, sizeof(bytes)), &e)) {
                continue;
            }
        }
        cr_assert_eq(file_tree_complete(&tree, &e), ERR_OK);
        cr_assert_eq(tree_bytes_pack(&tree, 1, &first, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(tree_bytes_unpack(first.bytes, first.length, 0, &again, &time_s, &fault, &e),
                     ERR_OK, "seed %llu: %s", (unsigned long long)prop_case_seed, e.text);
        cr_assert_eq(tree_bytes_pack(&again, time_s, &second, &e), ERR_OK);
        cr_expect(first.length == second.length &&
                      memcmp(first.bytes, second.bytes, first.length) == 0,
                  "seed %llu", (unsigned long long)prop_case_seed);
        buf_release(&first);
        buf_release(&second);
        file_tree_release(&tree);
        file_tree_release(&again);
    }
}

Test(tar, refuses_times_that_it_cannot_hold)
{
    struct file_tree tree;
    struct buf out;
    struct err e;

    small_tree_make(&tree);
    buf_init(&out, 1 << 20);
    cr_expect_eq(tree_bytes_pack(&tree, -1, &out, &e), ERR_LIMIT);
    cr_expect_eq(tree_bytes_pack(&tree, INT64_C(0100000000000), &out, &e), ERR_LIMIT);
    cr_expect_eq(tree_bytes_pack(&tree, INT64_C(077777777777), &out, &e), ERR_OK);
    buf_release(&out);
    file_tree_release(&tree);
}
