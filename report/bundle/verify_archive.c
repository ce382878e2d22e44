// SPDX-License-Identifier: Apache-2.0
// Stages V0 … V3 and V7: the archive, read once from one open descriptor, and the private copy.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/side_digest.h"
#include "engines/base/fs.h"
#include "report/bundle/content.h"
#include "report/bundle/folder.h"
#include "report/bundle/tar.h"
#include "report/bundle/verify_work.h"

#define LOOK_BYTES_MIN    (16 << 20) /* smaller files are read, whatever they are */
#define MAGIC_OFFSET      257
#define BLOCK_BYTES       ((size_t)256 << 10)
#define SIDECAR_BYTES_MAX 4096

enum err_code verify_open_archive(struct verify_work *work, struct err *e)
{
    const char *path = work->config->path;
    struct stat status;
    int fd = -1;
    enum err_code code = fs_open_regular(path, &fd, e);

    if (code != ERR_OK) {
        return code;
    }
    work->archive_fd = fd;
    work->tree.store_fd = fd;
    if (fstat(fd, &status) < 0) {
        return err_set_sys(e, "%s", path);
    }
    work->archive_bytes = (uint64_t)status.st_size;
    ssize_t count = pread(fd, work->head, sizeof(work->head), 0);
    if (count < 0) {
        return err_set_sys(e, "%s", path);
    }
    work->head_bytes = (size_t)count;
    return ERR_OK;
}

enum err_code verify_size(struct verify_work *work, struct err *e)
{
    static const struct {
        const char *magic, *name;
        size_t length;
    } kinds[] = {{"\x1f\x8b", "gzip", 2},
                 {"BZh", "bzip2", 3},
                 {"\xfd"
                  "7zXZ",
                  "xz", 5},
                 {"\x28\xb5\x2f\xfd", "zstd", 4},
                 {"PK\x03\x04", "zip", 4}};
    size_t limit = verify_total_max(work->config);

    (void)e;
    if (work->archive_bytes > limit) {
        verify_add_finding(work, "too-large", "larger than %zu bytes (--max-size)", limit);
    }
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (work->head_bytes >= kinds[i].length &&
            memcmp(work->head, kinds[i].magic, kinds[i].length) == 0) {
            verify_add_finding(work, "compressed", "a %s file; the bundle is the plain .tar inside",
                               kinds[i].name);
        }
    }
    /* A large file that cannot be a bundle by its first block is not read. */
    if (work->archive_bytes >= LOOK_BYTES_MIN && !work->result->finding_count &&
        memcmp(work->head + MAGIC_OFFSET, "ustar", 5) != 0) {
        verify_add_finding(work, "bad-magic", "at byte 0: no ustar header");
    }
    return ERR_OK;
}

static void sha256_compare(struct verify_work *work)
{
    const char *want = work->config->sha256;

    if (want && strcmp(want, work->result->archive_sha256) != 0) {
        verify_add_finding(work, "sha256", "the archive's SHA-256 is %s, not %s",
                           work->result->archive_sha256, want);
    }
}

/* What cannot be an archive any more is read on for its digest alone, and a large one only where
 * somebody said which digest it must have. */
static bool is_worth_reading(const struct verify_work *work, uint64_t done)
{
    return done < work->archive_bytes && (work->form_code == ERR_OK || work->config->sha256 ||
                                          work->archive_bytes - done <= LOOK_BYTES_MIN);
}

/* The archive's digest, and the tree that the reader makes of it as far as it is one: what is wrong
 * with it is told by V2. */
static enum err_code archive_scan(struct verify_work *work, struct tar_reader *reader,
                                  struct side_digest *digest, char *block, struct err *e)
{
    uint64_t done = 0;

    while (is_worth_reading(work, done)) {
        ssize_t count = pread(work->archive_fd, block, BLOCK_BYTES, (off_t)done);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return err_set_sys(e, "%s", work->config->path);
        }
        uint64_t left = work->archive_bytes - done;
        size_t length = (uint64_t)count < left ? (size_t)count : (size_t)left;
        if (length == 0) {
            break; /* cut while it was read */
        }
        side_digest_add(digest, block, length);
        if (work->form_code == ERR_OK) {
            work->form_code = tar_reader_add(reader, block, length, &work->form_cause);
        }
        done += length;
    }
    if (work->form_code == ERR_OK) {
        work->form_code = tar_reader_end(reader, &work->time_s, &work->form_cause);
    }
    work->form_fault = tar_reader_fault(reader);
    if (done == work->archive_bytes) {
        side_digest_finish(digest, work->result->archive_sha256);
    }
    return ERR_OK;
}

/* A folder has no archive yet: see verify_canonical. */
enum err_code verify_sha256(struct verify_work *work, struct err *e)
{
    struct tar_reader *reader = NULL;
    struct side_digest *digest = NULL;
    char *block = NULL;

    if (work->is_folder) {
        return ERR_OK;
    }
    enum err_code code = tar_reader_new(&work->tree, work->archive_bytes, &reader, e);
    if (code == ERR_OK) {
        code = side_digest_new(&digest, e);
    }
    if (code == ERR_OK) {
        block = malloc(BLOCK_BYTES);
        code = block ? archive_scan(work, reader, digest, block, e)
                     : err_set(e, ERR_LIMIT, "no memory to read an archive");
    }
    free(block);
    side_digest_free(digest);
    tar_reader_free(reader);
    if (code == ERR_OK) {
        sha256_compare(work);
    }
    return code;
}

/* The last component of a folder's real path. */
static enum err_code folder_get_top(struct verify_work *work, struct err *e)
{
    char *real = realpath(work->config->path, NULL);

    if (!real) {
        return err_set_sys(e, "%s", work->config->path);
    }
    const char *slash = strrchr(real, '/');
    snprintf(work->tree.top, sizeof(work->tree.top), "%s", slash ? slash + 1 : real);
    free(real);
    return ERR_OK;
}

enum err_code verify_form(struct verify_work *work, struct err *e)
{
    struct err cause = {0};

    if (work->is_folder) {
        work->form_fault = "too-large";
        work->form_code =
            folder_read(work->config->path, "", &work->tree, &work->form_fault, &work->form_cause);
    }
    if (work->form_code == ERR_FORMAT || work->form_code == ERR_LIMIT) {
        verify_add_finding(work, work->form_fault ? work->form_fault : "too-large", "%s",
                           work->form_cause.text);
        return ERR_OK;
    }
    if (work->form_code != ERR_OK) {
        return err_set(e, work->form_code, "%s", work->form_cause.text);
    }
    if (work->is_folder && folder_get_top(work, e) != ERR_OK) {
        return e ? e->code : ERR_SYS;
    }
    for (size_t i = 0; i < work->tree.count; i++) {
        if (work->tree.entries[i].is_executable) {
            verify_add_finding(work, "mode", "%s: executable", work->tree.entries[i].path);
        }
    }
    if (file_tree_find_collision(&work->tree, &cause)) {
        verify_add_finding(work, "name-collision", "%s", cause.text);
    }
    return ERR_OK;
}

/* --- V3 -----------------------------------------------------------------------------------------
 */

static enum err_code piece_write(void *self, const char *bytes, size_t length, struct err *e)
{
    const int *fd = self;

    while (length) {
        ssize_t count = write(*fd, bytes, length);

        if (count < 0 && errno != EINTR) {
            return err_set_sys(e, "the private copy");
        }
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    return ERR_OK;
}

enum err_code verify_write_private(struct verify_work *work, const char *name,
                                   const struct file_tree_entry *entry, char path_out[PATH_MAX],
                                   struct err *e)
{
    char path[PATH_MAX];
    enum err_code code = work_folder_join(&work->folder, name, path, e);

    if (code != ERR_OK) {
        return code;
    }
    /* Nobody else writes here: an existing name would be an attack. */
    int fd = openat(work->folder.lock_fd, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    const struct file_tree_sink sink = {piece_write, &fd};
    code = file_tree_read(&work->tree, entry, &sink, e);
    if (close(fd) < 0 && code == ERR_OK) {
        code = err_set_sys(e, "%s", path);
    }
    if (code == ERR_OK) {
        memcpy(path_out, path, sizeof(path));
    }
    return code;
}

/* SQLite reads files: the one file that is needed as such gets out, under a name of ours. */
enum err_code verify_extract(struct verify_work *work, struct err *e)
{
    const struct file_tree_entry *results = file_tree_find(&work->tree, CONTENT_RESULTS);
    struct err cause = {0};

    if (!results || results->is_folder) {
        verify_add_finding(work, "missing-file", "%s is not there", CONTENT_RESULTS);
        return ERR_OK;
    }
    enum err_code code =
        work_folder_open(&work->folder, work->config->temporary_folder, "tacho-verify", e);
    if (code != ERR_OK) {
        return code;
    }
    code = verify_write_private(work, "results.db", results, work->results_path, &cause);
    if (code == ERR_MISMATCH) {
        verify_add_finding(work, "changed", "%s", cause.text);
        return ERR_OK;
    }
    return code == ERR_OK ? ERR_OK : err_set(e, code, "%s", cause.text);
}

/* --- V7 -----------------------------------------------------------------------------------------
 */

/* The archive that the tree gives: of a folder its digest; of an archive its headers, padding and
 * trailer are compared with those that were given (the files are the same bytes). */
struct again {
    struct verify_work *work;
    struct digest *digest;
    uint64_t offset;
    bool differs;
};

static enum err_code again_digest(void *self, const char *bytes, size_t length, struct err *e)
{
    struct again *again = self;

    (void)e;
    digest_add(again->digest, bytes, length);
    return ERR_OK;
}

static enum err_code again_frame(void *self, const void *bytes, size_t length, struct err *e)
{
    struct again *again = self;
    char given[TAR_RECORD_BYTES + 2 * TAR_BLOCK_BYTES];

    (void)e;
    if (again->work->is_folder) {
        digest_add(again->digest, bytes, length);
        return ERR_OK;
    }
    again->differs =
        again->differs || length > sizeof(given) ||
        pread(again->work->archive_fd, given, length, (off_t)again->offset) != (ssize_t)length ||
        memcmp(given, bytes, length) != 0;
    again->offset += length;
    return ERR_OK;
}

static enum err_code again_content(void *self, const struct file_tree *tree,
                                   const struct file_tree_entry *entry, struct err *e)
{
    struct again *again = self;
    const struct file_tree_sink sink = {again_digest, again};

    if (again->work->is_folder) {
        return file_tree_read(tree, entry, &sink, e);
    }
    again->differs = again->differs || entry->offset != again->offset;
    again->offset += entry->length;
    return ERR_OK;
}

/* The digest in a file of sha256sum beside the bundle: what a download page offers with it. That it
 * is another one says that the two do not belong together, whoever was careless. */
static enum err_code sidecar_compare(struct verify_work *work, struct err *e)
{
    char path[PATH_MAX], hex[DIGEST_HEX_BYTES];
    struct buf text;
    enum err_code code = verify_find_beside(work, ".sha256", path, e);

    if (code != ERR_OK || !fs_exists(path)) {
        return code;
    }
    buf_init(&text, SIDECAR_BYTES_MAX);
    code = fs_read_file(path, &text, NULL);
    size_t length = strcspn(text.bytes, " \t\r\n");
    if (code != ERR_OK || !bag_parse_hex(text.bytes, length, hex)) {
        verify_add_note(work, "%s is no line of sha256sum: it was not compared", path);
    } else if (strcmp(hex, work->result->archive_sha256) == 0) {
        /* as it should be */
    } else if (work->config->sha256) {
        verify_add_note(work, "%s is of another file (%s), though --sha256 is right", path, hex);
    } else {
        verify_add_finding(work, "sidecar",
                           "%s is of another file: it says %s, the archive's SHA-256 is %s", path,
                           hex, work->result->archive_sha256);
    }
    buf_release(&text);
    return ERR_OK;
}

/* The tree's archive is the one that was given; of a folder, the one that it came out of. */
enum err_code verify_canonical(struct verify_work *work, struct err *e)
{
    struct again again = {.work = work};
    const struct tar_target target = {again_frame, again_content, &again};
    struct err cause = {0};

    if (!work->is_folder && work->time_s != work->info.time_s) {
        verify_add_finding(work, "bad-time", "the entries' time is not Tacho-Time");
    }
    enum err_code code = digest_new(&again.digest, e);
    if (code != ERR_OK) {
        return code;
    }
    code = tar_write(&work->tree, work->info.time_s, &target, &cause);
    if (code == ERR_MISMATCH) {
        verify_add_finding(work, "changed", "%s", cause.text);
    } else if (code != ERR_OK) {
        verify_add_finding(work, "non-canonical", "%s", cause.text);
    } else if (work->is_folder) {
        digest_finish(again.digest, work->result->archive_sha256);
        sha256_compare(work);
    } else if (again.differs || again.offset != work->archive_bytes) {
        verify_add_finding(work, "non-canonical", "packed again, the files give another archive");
    }
    digest_free(again.digest);
    return work->result->finding_count ? ERR_OK : sidecar_compare(work, e);
}
