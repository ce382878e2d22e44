// SPDX-License-Identifier: Apache-2.0
// A VFS of SQLite that compares instead of writing. A page may be written several times before it
// is what it stays: those that differ now are held until they do not, and there are few of them.
#include "report/bundle/compare_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD_COUNT_MAX 1024 /* 4 MiB: more differing pages at once, and it is another file */

struct held_page {
    int64_t number; /* from 0 */
    char bytes[COMPARE_VFS_PAGE_BYTES];
};

struct compare_vfs {
    sqlite3_vfs vfs;
    char name[40];
    int fd;
    int64_t given_bytes, written_bytes;
    struct held_page *held;
    size_t held_count;
    bool failed; /* too many pages differ, or the file could not be read */
};

struct compare_file {
    sqlite3_file base;
    struct compare_vfs *compare;
};

static struct compare_vfs *compare_of(sqlite3_file *file)
{
    return ((struct compare_file *)file)->compare;
}

static struct held_page *held_find(const struct compare_vfs *compare, int64_t number)
{
    for (size_t i = 0; i < compare->held_count; i++) {
        if (compare->held[i].number == number) {
            return &compare->held[i];
        }
    }
    return NULL;
}

static bool given_read(const struct compare_vfs *compare, void *out, size_t length, int64_t offset)
{
    ssize_t count;

    do {
        count = pread(compare->fd, out, length, offset);
    } while (count < 0 && errno == EINTR);
    return count == (ssize_t)length;
}

static int file_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

/* Within one page, or whole pages. */
static int file_read(sqlite3_file *file, void *out, int amount, sqlite3_int64 offset)
{
    const struct compare_vfs *compare = compare_of(file);
    char page[COMPARE_VFS_PAGE_BYTES];
    int64_t begin = offset % COMPARE_VFS_PAGE_BYTES;

    if (offset + amount > compare->written_bytes || begin + amount > COMPARE_VFS_PAGE_BYTES) {
        memset(out, 0, (size_t)amount);
        return SQLITE_IOERR_SHORT_READ;
    }
    const struct held_page *held = held_find(compare, offset / COMPARE_VFS_PAGE_BYTES);
    if (!held && !given_read(compare, page, sizeof(page), offset - begin)) {
        return SQLITE_IOERR_READ;
    }
    memcpy(out, (held ? held->bytes : page) + begin, (size_t)amount);
    return SQLITE_OK;
}

static int page_hold(struct compare_vfs *compare, struct held_page *held, int64_t number,
                     const void *bytes)
{
    if (!held && compare->held_count == HELD_COUNT_MAX) {
        compare->failed = true;
        return SQLITE_FULL;
    }
    if (!held) {
        held = &compare->held[compare->held_count++];
        held->number = number;
    }
    memcpy(held->bytes, bytes, COMPARE_VFS_PAGE_BYTES);
    return SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset)
{
    struct compare_vfs *compare = compare_of(file);
    char page[COMPARE_VFS_PAGE_BYTES];
    int64_t number = offset / COMPARE_VFS_PAGE_BYTES;

    if (amount != COMPARE_VFS_PAGE_BYTES || offset % COMPARE_VFS_PAGE_BYTES) {
        compare->failed = true;
        return SQLITE_IOERR_WRITE;
    }
    if (offset + amount > compare->written_bytes) {
        compare->written_bytes = offset + amount;
    }
    struct held_page *held = held_find(compare, number);
    bool is_equal =
        given_read(compare, page, sizeof(page), offset) && memcmp(page, bytes, sizeof(page)) == 0;
    if (!is_equal) {
        return page_hold(compare, held, number, bytes);
    }
    if (held) {
        *held = compare->held[--compare->held_count];
    }
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    compare_of(file)->written_bytes = size;
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size_out)
{
    *size_out = compare_of(file)->written_bytes;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int file_check_lock(sqlite3_file *file, int *locked_out)
{
    (void)file;
    *locked_out = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    (void)file, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *file)
{
    (void)file;
    return COMPARE_VFS_PAGE_BYTES;
}

static int file_characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                    int *flags_out)
{
    static const sqlite3_io_methods methods = {.iVersion = 1,
                                               .xClose = file_close,
                                               .xRead = file_read,
                                               .xWrite = file_write,
                                               .xTruncate = file_truncate,
                                               .xSync = file_sync,
                                               .xFileSize = file_size,
                                               .xLock = file_lock,
                                               .xUnlock = file_lock,
                                               .xCheckReservedLock = file_check_lock,
                                               .xFileControl = file_control,
                                               .xSectorSize = file_sector_size,
                                               .xDeviceCharacteristics = file_characteristics};
    struct compare_file *own = (struct compare_file *)file;

    (void)name;
    own->base.pMethods = NULL;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) {
        return SQLITE_CANTOPEN; /* no journal, no file for sorting */
    }
    own->base.pMethods = &methods;
    own->compare = vfs->pAppData;
    if (flags_out) {
        *flags_out = flags;
    }
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer_out)
{
    (void)vfs, (void)name, (void)flags;
    *answer_out = 0;
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int length, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)length, "%s", name);
    return SQLITE_OK;
}

static void vfs_register(struct compare_vfs *compare)
{
    compare->vfs = *sqlite3_vfs_find(NULL);
    snprintf(compare->name, sizeof(compare->name), "tacho-compare-%p", (void *)compare);
    compare->vfs.zName = compare->name;
    compare->vfs.pAppData = compare;
    compare->vfs.szOsFile = (int)sizeof(struct compare_file);
    compare->vfs.xOpen = vfs_open;
    compare->vfs.xDelete = vfs_delete;
    compare->vfs.xAccess = vfs_access;
    compare->vfs.xFullPathname = vfs_full_name;
    sqlite3_vfs_register(&compare->vfs, 0);
}

enum err_code compare_vfs_open(const char *given_path, struct compare_vfs **vfs_out, struct err *e)
{
    struct compare_vfs *compare = calloc(1, sizeof(*compare));
    struct stat status;

    if (compare) {
        compare->held = malloc(HELD_COUNT_MAX * sizeof(*compare->held));
    }
    if (!compare || !compare->held || sqlite3_initialize() != SQLITE_OK) {
        free(compare ? compare->held : NULL);
        free(compare);
        return err_set(e, ERR_LIMIT, "no memory to compare a database");
    }
    compare->fd = open(given_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (compare->fd < 0 || fstat(compare->fd, &status) < 0) {
        err_set_sys(e, "%s", given_path);
        if (compare->fd >= 0) {
            close(compare->fd);
        }
        free(compare->held);
        free(compare);
        return ERR_SYS;
    }
    compare->given_bytes = status.st_size;
    vfs_register(compare);
    *vfs_out = compare;
    return ERR_OK;
}

const char *compare_vfs_name(const struct compare_vfs *vfs)
{
    return vfs->name;
}

bool compare_vfs_gave_up(const struct compare_vfs *vfs)
{
    return vfs->failed;
}

bool compare_vfs_differs(const struct compare_vfs *vfs)
{
    return vfs->failed || vfs->held_count || vfs->written_bytes != vfs->given_bytes;
}

void compare_vfs_close(struct compare_vfs *vfs)
{
    if (vfs) {
        sqlite3_vfs_unregister(&vfs->vfs);
        close(vfs->fd);
        free(vfs->held);
        free(vfs);
    }
}
