// SPDX-License-Identifier: Apache-2.0
// Opening and closing a results file.
#include "collector/store/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/store/store.h"

#define OPEN_BUSY_MS  5000
#define WRITE_BUSY_MS 60000
#define CLOSE_BUSY_MS 1000
#define HEADER_BYTES  108 /* of the database, and of the page that lists its tables */
#define MIGRATIONS    "collector/store/sql/"

/* A row of table sample, of about 2 kB with its histogram, fits into a page with others; of 4096
 * bytes it took one more page for itself, and reading took four times as many calls. */
#define STORE_PAGE_BYTES "16384"

/* Why the database or its journal could not be written; 0: SQLite does not know. Of a journal that
 * it has removed again it keeps no number; a limit of a file's size is then the likely cause. */
static int write_errno(struct sqlite3 *db)
{
    sqlite3_file *journal = NULL;
    struct rlimit limit;
    int number = 0;

    sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    if (number == 0 && journal && journal->pMethods) {
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &number);
    }
    if (number == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        number = EFBIG;
    }
    return number;
}

enum err_code store_file_fail_named(struct sqlite3 *db, const char *path, struct err *e)
{
    int status = sqlite3_errcode(db) & 0xff;
    bool is_damaged = status == SQLITE_CORRUPT || status == SQLITE_NOTADB;
    int number = status == SQLITE_FULL ? ENOSPC : status == SQLITE_IOERR ? write_errno(db) : 0;
    enum err_code code = err_set(e, is_damaged ? ERR_FORMAT : ERR_DB, "%.200s: %s", path,
                                 number ? strerror(number) : sqlite3_errmsg(db));

    if (e) {
        e->sys_errno = number;
    }
    return code;
}

enum err_code store_file_fail(struct sqlite3 *db, struct err *e)
{
    const char *path = sqlite3_db_filename(db, "main");

    return store_file_fail_named(db, path ? path : "results file", e);
}

enum err_code store_file_execute(struct sqlite3 *db, const char *sql, struct err *e)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        return store_file_fail(db, e);
    }
    return ERR_OK;
}

static enum err_code path_join(const char *path, const char *suffix, char out[PATH_MAX],
                               struct err *e)
{
    if (snprintf(out, PATH_MAX, "%s%s", path, suffix) >= PATH_MAX) {
        return err_set(e, ERR_USAGE, "%.80s…: the path is too long", path);
    }
    return ERR_OK;
}

/* SQLite follows a symbolic link; so do the lock and what lies beside the file. */
static enum err_code path_resolve(const char *path, char real_out[PATH_MAX], struct err *e)
{
    if (realpath(path, real_out)) {
        return ERR_OK;
    }
    return errno == ENOENT ? path_join(path, "", real_out, e) : err_set_sys(e, "%s", path);
}

static enum err_code in_use_fail(const char *path, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "%s: in use by another writer; wait for it to end or choose another file", path);
}

/*
 * One writer a file: flock on PATH-lock. The kernel gives the lock back when the process ends,
 * however it ends, so that no stale lock can be left. A file of its own, because closing any
 * descriptor of the database itself would drop SQLite's own locks. The lock file is removed at the
 * end; therefore one that was locked must still be the one at that path.
 */
static enum err_code lock_take(const char *path, const char *real_path, int *fd_out, struct err *e)
{
    char lock_path[PATH_MAX];
    enum err_code code = path_join(real_path, "-lock", lock_path, e);

    while (code == ERR_OK) {
        struct stat locked;
        struct stat present;
        int fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

        if (fd < 0) {
            return err_set_sys(e, "%s", path);
        }
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            code = errno == EWOULDBLOCK ? in_use_fail(path, e) : err_set_sys(e, "%s", lock_path);
        } else if (fstat(fd, &locked) < 0) {
            code = err_set_sys(e, "%s", lock_path);
        } else if (stat(lock_path, &present) == 0 && locked.st_ino == present.st_ino &&
                   locked.st_dev == present.st_dev) {
            *fd_out = fd;
            return ERR_OK;
        }
        close(fd);
    }
    return code;
}

/* Leaves no lock behind, and makes no file. */
static enum err_code lock_look(const char *path, const char *real_path, struct err *e)
{
    char lock_path[PATH_MAX];
    enum err_code code = path_join(real_path, "-lock", lock_path, e);
    int fd = code == ERR_OK ? open(lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;

    if (fd >= 0) {
        if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
            code = in_use_fail(path, e);
        }
        close(fd);
    }
    return code;
}

static void lock_drop(const char *real_path, int fd)
{
    char lock_path[PATH_MAX];

    if (path_join(real_path, "-lock", lock_path, NULL) == ERR_OK) {
        unlink(lock_path);
    }
    close(fd);
}

static uint32_t big_endian_read(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static enum err_code version_fail(const char *path, int64_t version, struct err *e)
{
    if (version <= 0) {
        return err_set(e, ERR_FORMAT, "%s: version %lld of the file is none that ever was", path,
                       (long long)version);
    }
    return err_set(e, ERR_FORMAT,
                   "%s: results file of version %lld; this program knows versions up to %d: take a "
                   "newer tacho",
                   path, (long long)version, STORE_VERSION);
}

/* A file that SQLite left in journal mode DELETE has no write-ahead log. One that lies there
 * belongs to another file, and SQLite would play it in (D05). */
static enum err_code foreign_log_check(const char *path, struct err *e)
{
    char log_path[PATH_MAX], real_path[PATH_MAX];
    struct stat status;
    enum err_code code = path_resolve(path, real_path, e);

    if (code == ERR_OK) {
        code = path_join(real_path, "-wal", log_path, e);
    }

    if (code == ERR_OK && stat(log_path, &status) == 0 && status.st_size > 0) {
        return err_set(e, ERR_FORMAT,
                       "%s: a write-ahead log of another file lies beside it; remove %.200s", path,
                       log_path);
    }
    return code;
}

/* Nobody has put a table into it yet: the list of tables, on page 1, is an empty leaf. */
static bool has_no_table(const unsigned char header[HEADER_BYTES])
{
    return header[100] == 0x0d && header[103] == 0 && header[104] == 0;
}

/* source: sqlite.org/fileformat2.html */
static enum err_code bytes_check(const char *path, const unsigned char header[HEADER_BYTES],
                                 struct err *e)
{
    if (memcmp(header, "SQLite format 3", 16) != 0) {
        return err_set(e, ERR_FORMAT, "%s: not an SQLite file; choose another name", path);
    }
    if (big_endian_read(header + 68) != STORE_APPLICATION_ID) {
        return err_set(e, ERR_FORMAT,
                       "%s: an SQLite file of another application (application_id 0x%08x); choose "
                       "another name",
                       path, big_endian_read(header + 68));
    }
    int64_t version = (int32_t)big_endian_read(header + 60);
    if (version < 0 || version > STORE_VERSION || (version == 0 && !has_no_table(header))) {
        return version_fail(path, version, e);
    }
    return header[18] == 1 ? foreign_log_check(path, e) : ERR_OK;
}

/* By the header's bytes, before SQLite may touch the file. */
static enum err_code header_check(const char *path, struct err *e)
{
    unsigned char header[HEADER_BYTES] = {0};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = -1;

    if (fd >= 0 && fstat(fd, &status) == 0) {
        length = S_ISREG(status.st_mode) ? pread(fd, header, sizeof(header), 0) : 0;
    }
    if (length < 0) {
        err_set_sys(e, "%s", path);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (length < 0) {
        return ERR_SYS;
    }
    if (length > 0 && length < HEADER_BYTES) {
        header[0] = '\0';
    }
    if (length == 0) {
        return err_set(e, ERR_FORMAT, "%s: %s, not a results file; choose another name", path,
                       S_ISREG(status.st_mode) ? "an empty file" : "not a regular file");
    }
    /* Its log and its lock belong to one of the names only. */
    if (status.st_nlink > 1) {
        return err_set(e, ERR_FORMAT,
                       "%s: a file with several names (hard links); remove the others, or choose "
                       "another name",
                       path);
    }
    return bytes_check(path, header, e);
}

/* First column of the first row: an integer, or text into `text_out` when that is given. */
static enum err_code value_query(sqlite3 *db, const char *sql, int64_t *integer_out,
                                 char text_out[200], struct err *e)
{
    sqlite3_stmt *statement = NULL;
    enum err_code code = ERR_OK;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        code = store_file_fail(db, e);
    } else if (text_out) {
        const unsigned char *text = sqlite3_column_text(statement, 0);
        snprintf(text_out, 200, "%s", text ? (const char *)text : "");
    } else {
        *integer_out = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return code;
}

/* The number of a migration, "collector/store/sql/0001_init.sql"; 0 of any other asset. */
static int migration_number(const char *name)
{
    size_t prefix_length = strlen(MIGRATIONS);
    int number = 0;

    if (strncmp(name, MIGRATIONS, prefix_length) != 0) {
        return 0;
    }
    const char *digits = name + prefix_length;
    if (strspn(digits, "0123456789") != 4 || digits[4] != '_') {
        return 0;
    }
    for (size_t i = 0; i < 4; i++) {
        number = number * 10 + (digits[i] - '0');
    }
    return number;
}

/* Migrations are numbered from 1; assets are sorted by name, so they come in their order. */
static enum err_code migrations_run(sqlite3 *db, int64_t version, struct err *e)
{
    for (const struct asset *asset = assets; asset->name; asset++) {
        char set_version[64];
        int number = migration_number(asset->name);

        if (number <= version) {
            continue;
        }
        snprintf(set_version, sizeof(set_version), "PRAGMA user_version=%d", number);
        enum err_code code = store_file_execute(db, asset->bytes, e);
        if (code == ERR_OK) {
            code = store_file_execute(db, set_version, e);
        }
        if (code != ERR_OK) {
            return code;
        }
    }
    return ERR_OK;
}

static enum err_code schema_migrate(sqlite3 *db, struct err *e)
{
    char set_application[64];
    int64_t version = 0;
    enum err_code code = store_file_execute(db, "BEGIN IMMEDIATE", e);

    if (code != ERR_OK) {
        return code;
    }
    code = value_query(db, "PRAGMA user_version", &version, NULL, e);
    if (code == ERR_OK && version > STORE_VERSION) {
        code = version_fail(sqlite3_db_filename(db, "main"), version, e);
    }
    if (code == ERR_OK && version < STORE_VERSION) {
        snprintf(set_application, sizeof(set_application), "PRAGMA application_id=%d",
                 STORE_APPLICATION_ID);
        code = store_file_execute(db, set_application, e);
        if (code == ERR_OK) {
            code = migrations_run(db, version, e);
        }
    }
    if (code == ERR_OK) {
        code = store_file_execute(db, "COMMIT", e);
    }
    if (code != ERR_OK && !sqlite3_get_autocommit(db)) {
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    }
    return code;
}

static enum err_code database_open(const char *path, int flags, sqlite3 **db_out, struct err *e)
{
    sqlite3 *db = NULL;
    enum err_code code = ERR_OK;

    if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_EXRESCODE, NULL) != SQLITE_OK) {
        errno = db && sqlite3_system_errno(db) ? sqlite3_system_errno(db) : EIO;
        code = err_set_sys(e, "%s", path);
    } else if (sqlite3_db_readonly(db, "main") == 1) {
        errno = EACCES;
        code = err_set_sys(e, "%s", path);
    }
    if (code != ERR_OK) {
        sqlite3_close(db);
        return code;
    }
    sqlite3_busy_timeout(db, OPEN_BUSY_MS);
    *db_out = db;
    return ERR_OK;
}

/* The folder that the file lies in; -1 with errno. */
static int folder_open(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;

    snprintf(folder, sizeof(folder), "%.*s", length ? (int)length : 1, length ? path : ".");
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void folder_sync(const char *path)
{
    int fd = folder_open(path);

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Made whole under another name: whoever is killed here leaves no half results file (D06). */
static enum err_code file_make(const char *path, struct err *e)
{
    char new_path[PATH_MAX];
    char journal_path[PATH_MAX];
    sqlite3 *db = NULL;
    enum err_code code = path_join(path, ".new", new_path, e);

    if (code == ERR_OK) {
        code = path_join(path, ".new-journal", journal_path, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    unlink(new_path);
    unlink(journal_path);
    code = database_open(new_path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db, e);
    if (code != ERR_OK) {
        return code;
    }
    code = store_file_execute(db, "PRAGMA page_size=" STORE_PAGE_BYTES, e);
    if (code == ERR_OK) {
        code = schema_migrate(db, e);
    }
    sqlite3_close(db);
    if (code == ERR_OK && rename(new_path, path) < 0) {
        code = err_set_sys(e, "%s", path);
    }
    if (code != ERR_OK) {
        unlink(new_path);
        unlink(journal_path);
        return code;
    }
    folder_sync(path);
    return ERR_OK;
}

/* Damage is told before anything is added to the file (D07). */
static enum err_code soundness_check(sqlite3 *db, const char *path, struct err *e)
{
    char answer[200];
    enum err_code code = value_query(db, "PRAGMA quick_check(1)", NULL, answer, e);

    if (code == ERR_OK && strcmp(answer, "ok") != 0) {
        return err_set(e, ERR_FORMAT, "%.200s: damaged: quick_check says: %s", path, answer);
    }
    return code;
}

/* WAL lets readers read while we write; where shared memory is missing SQLite answers with another
 * mode (D10), and then only FULL keeps a commit. */
static enum err_code journal_choose(struct store_file *file, struct err *e)
{
    char mode[200];

    if (value_query(file->db, "PRAGMA journal_mode=WAL", NULL, mode, NULL) == ERR_OK &&
        strcmp(mode, "wal") == 0) {
        file->journal_mode = "wal";
        return store_file_execute(file->db, "PRAGMA synchronous=NORMAL", e);
    }
    file->journal_mode = "delete";
    return store_file_execute(file->db, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL", e);
}

static enum err_code database_prepare(struct store_file *file, struct err *e)
{
    const struct asset *recovery = asset_find(MIGRATIONS "store_recover.sql");
    enum err_code code = soundness_check(file->db, file->path, e);

    if (code == ERR_OK) {
        code = journal_choose(file, e);
    }
    if (code == ERR_OK) {
        code = store_file_execute(file->db,
                                  "PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; "
                                  "PRAGMA trusted_schema=OFF",
                                  e);
    }
    if (code == ERR_OK) {
        code = schema_migrate(file->db, e);
    }
    if (code == ERR_OK) {
        code = recovery ? store_file_execute(file->db, recovery->bytes, e)
                        : err_set(e, ERR_FORMAT, "built without store_recover.sql");
    }
    return code;
}

/* Whether a file lies there. */
static enum err_code file_look(const char *path, bool *is_there_out, struct err *e)
{
    struct stat status;

    if (lstat(path, &status) < 0 && errno == ENOENT) {
        *is_there_out = false;
        return ERR_OK;
    }
    if (stat(path, &status) < 0 && errno == ENOENT) {
        return err_set(e, ERR_USAGE, "%s: a symbolic link to a file that is not there", path);
    }
    *is_there_out = true;
    return ERR_OK;
}

enum err_code store_check(const char *path, struct err *e)
{
    char real_path[PATH_MAX];
    bool is_there = false;
    enum err_code code = path_resolve(path, real_path, e);

    if (code == ERR_OK) {
        code = lock_look(path, real_path, e);
    }
    if (code == ERR_OK) {
        code = file_look(path, &is_there, e);
    }
    if (code != ERR_OK || is_there) {
        return code == ERR_OK ? header_check(path, e) : code;
    }
    int folder_fd = folder_open(path);
    if (folder_fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    close(folder_fd);
    return ERR_OK;
}

enum err_code store_file_open(const char *path, struct store_file *file_out, struct err *e)
{
    struct store_file file = {.lock_fd = -1};
    char real_path[PATH_MAX];
    bool is_there = false;
    enum err_code code = path_resolve(path, real_path, e);

    if (code == ERR_OK) {
        file.path = strdup(real_path);
        code = file.path ? lock_take(path, real_path, &file.lock_fd, e)
                         : err_set(e, ERR_LIMIT, "out of memory");
    }
    if (code != ERR_OK) {
        free(file.path);
        return code;
    }
    code = file_look(path, &is_there, e);
    if (code == ERR_OK && !is_there) {
        code = file_make(path, e);
    }
    if (code == ERR_OK) {
        code = header_check(path, e);
    }
    if (code == ERR_OK) {
        code = database_open(path, SQLITE_OPEN_READWRITE, &file.db, e);
    }
    if (code == ERR_OK) {
        code = database_prepare(&file, e);
    }
    if (code != ERR_OK) {
        sqlite3_close(file.db);
        lock_drop(file.path, file.lock_fd);
        free(file.path);
        return code;
    }
    sqlite3_busy_timeout(file.db, WRITE_BUSY_MS);
    *file_out = file;
    return ERR_OK;
}

void store_file_close(struct store_file *file)
{
    /* With another program reading, the log stays until that one closes the file; every row is
     * committed all the same. */
    sqlite3_busy_timeout(file->db, CLOSE_BUSY_MS);
    sqlite3_exec(file->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE", NULL,
                 NULL, NULL);
    sqlite3_close(file->db);
    lock_drop(file->path, file->lock_fd);
    free(file->path);
}

const char *store_sqlite_version(void)
{
    return sqlite3_libversion();
}
