// SPDX-License-Identifier: Apache-2.0
// Opening a results file with every door of SQLite closed that a hostile file could use.
#include "collector/store/results_db.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/store/store.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"

#define SCHEMA_FOLDER    "collector/store/sql/"
#define PATH_BYTES_MAX   4096
#define BUSY_TIMEOUT_MS  5000
#define STEPS_PER_CALL   1000000
#define STEP_BUDGET      2000 /* calls of the progress handler: 2·10⁹ virtual-machine steps */
#define SCHEMA_STATEMENT "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"

static const struct {
    int id, value;
} limits[] = {
    /* The table of sqlite.org/security.html, wide enough for our own statements. */
    {SQLITE_LIMIT_LENGTH, 1000000},
    {SQLITE_LIMIT_SQL_LENGTH, 100000},
    {SQLITE_LIMIT_COLUMN, 100},
    {SQLITE_LIMIT_EXPR_DEPTH, 10},
    {SQLITE_LIMIT_COMPOUND_SELECT, 3},
    {SQLITE_LIMIT_VDBE_OP, 25000},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 10},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
};

static const struct {
    int id, value;
} switches[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},  {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_DQS_DML, 0},         {SQLITE_DBCONFIG_DQS_DDL, 0},
};

enum err_code results_db_fail(const struct results_db *db, const char *what, struct err *e)
{
    int code = db->handle ? sqlite3_errcode(db->handle) & 0xff : SQLITE_NOMEM;
    const char *message = db->handle ? sqlite3_errmsg(db->handle) : "out of memory";
    enum err_code result;

    switch (code) {
    case SQLITE_NOMEM:
        result = err_set(e, ERR_LIMIT, "%s: %s: out of memory", db->path, what);
        break;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
        result = err_set(e, ERR_SYS, "%s: %s: %s", db->path, what, message);
        break;
    case SQLITE_BUSY:
        result = err_set(e, ERR_USAGE,
                         "%s: locked by another program (%s); close that one, or read a copy",
                         db->path, what);
        break;
    case SQLITE_NOTADB:
        result = err_set(e, ERR_FORMAT, "%s: not a results file: no SQLite database", db->path);
        break;
    case SQLITE_INTERRUPT:
        result = err_set(e, ERR_LIMIT, "%s: %s: takes more steps than a results file may", db->path,
                         what);
        break;
    default:
        result = err_set(e, ERR_FORMAT, "%s: damaged (%s: %s); restore it from a copy or a bundle",
                         db->path, what, message);
        break;
    }
    return result;
}

static int spend_steps(void *left)
{
    int *calls = left;

    return --*calls <= 0;
}

/* Only reading; the schema is checked before this, so it is a second fence. */
static int authorize(void *self, int action, const char *first, const char *second,
                     const char *database, const char *inside)
{
    (void)self, (void)first, (void)second, (void)database, (void)inside;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
        return SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

static bool has_companion(const char *path, const char *suffix)
{
    char companion[PATH_BYTES_MAX + 16];

    snprintf(companion, sizeof(companion), "%s%s", path, suffix);
    return access(companion, F_OK) == 0;
}

/* True for a file in WAL mode that nobody has open for writing: such a writer keeps a -wal beside
 * it. SQLite would leave a -wal and a -shm there only for having read it. Byte 19 of the header is
 * the format's read version. */
static bool is_resting_wal(const char *path)
{
    unsigned char header[20] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        return false;
    }
    ssize_t count = pread(fd, header, sizeof(header), 0);

    close(fd);
    return count == (ssize_t)sizeof(header) && header[19] == 2 && !has_companion(path, "-wal") &&
           !has_companion(path, "-journal");
}

/* "file:" URI with every byte escaped that has a meaning there. */
static void format_uri(struct buf *out, const char *path, bool immutable)
{
    buf_add_text(out, path[0] == '/' ? "file://" : "file:");
    for (const char *at = path; *at; at++) {
        if (*at == '?' || *at == '#' || *at == '%') {
            buf_addf(out, "%%%02X", (unsigned)(unsigned char)*at);
        } else {
            buf_add_char(out, *at);
        }
    }
    buf_add_text(out, immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

static void harden(sqlite3 *handle)
{
    for (size_t i = 0; i < ARRAY_COUNT(switches); i++) {
        sqlite3_db_config(handle, switches[i].id, switches[i].value, NULL);
    }
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        sqlite3_limit(handle, limits[i].id, limits[i].value);
    }
    sqlite3_busy_timeout(handle, BUSY_TIMEOUT_MS);
}

/* Opens and reads the first page, which is when SQLite really looks at the file. */
static int open_handle(struct results_db *db, bool immutable)
{
    struct buf uri;

    buf_init(&uri, (size_t)3 * PATH_BYTES_MAX + 64);
    format_uri(&uri, db->path, immutable);
    int code = uri.failed ? SQLITE_CANTOPEN
                          : sqlite3_open_v2(uri.bytes, &db->handle,
                                            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
                                                SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
                                            NULL);

    buf_release(&uri);
    if (code != SQLITE_OK) {
        return code;
    }
    harden(db->handle);
    return sqlite3_exec(db->handle,
                        "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON;"
                        "BEGIN; SELECT count(*) FROM sqlite_schema",
                        NULL, NULL, NULL);
}

/* What SQLite answers where it may not make the memory that a -wal needs. */
static bool is_unreadable(int code)
{
    return (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
}

static enum err_code open_any(struct results_db *db, bool immutable, struct err *e)
{
    int code = open_handle(db, immutable || is_resting_wal(db->path));

    if (code == SQLITE_OK) {
        return ERR_OK;
    }
    if (!immutable && has_companion(db->path, "-journal")) {
        return err_set(e, ERR_FORMAT,
                       "%s: a program was killed while writing it and left %s-journal: "
                       "`sqlite3 FILE .schema` recovers it, and so does the next `tacho run -o`",
                       db->path, db->path);
    }
    if (!immutable && is_unreadable(code) && has_companion(db->path, "-wal")) {
        return err_set(e, ERR_FORMAT,
                       "%s: a program was killed while writing it and left %s-wal, which cannot be "
                       "read in this folder: copy both files to one that you may write to",
                       db->path, db->path);
    }
    return results_db_fail(db, "opening", e);
}

/* The single integer of a pragma. */
static enum err_code read_pragma(const struct results_db *db, const char *sql, int64_t *value_out,
                                 struct err *e)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        return results_db_fail(db, sql, e);
    }
    *value_out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return ERR_OK;
}

static enum err_code check_identity(const struct results_db *db, int64_t *version_out,
                                    struct err *e)
{
    int64_t application_id = 0, version = 0;
    enum err_code code = read_pragma(db, "PRAGMA application_id", &application_id, e);

    if (code == ERR_OK) {
        code = read_pragma(db, "PRAGMA user_version", &version, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (application_id != STORE_APPLICATION_ID) {
        return err_set(e, ERR_FORMAT,
                       "%s: not a results file (application id %lld): give a file that `tacho run` "
                       "made",
                       db->path, (long long)application_id);
    }
    if (version > STORE_VERSION) {
        return err_set(
            e, ERR_FORMAT,
            "%s: written by a newer tacho (version %lld of the file, this one reads %d): "
            "use that tacho",
            db->path, (long long)version, STORE_VERSION);
    }
    if (version < 1) {
        return err_set(e, ERR_FORMAT, "%s: version %lld of the file is none that ever was",
                       db->path, (long long)version);
    }
    *version_out = version;
    return ERR_OK;
}

/* The migrations up to `version` in a database in memory. */
static enum err_code make_fresh(const struct results_db *db, int64_t version, sqlite3 **fresh_out,
                                struct err *e)
{
    struct results_db fresh = {.path = db->path};
    size_t prefix = strlen(SCHEMA_FOLDER);
    int code = sqlite3_open(":memory:", &fresh.handle);

    for (const struct asset *asset = assets; asset->name && code == SQLITE_OK; asset++) {
        if (strncmp(asset->name, SCHEMA_FOLDER, prefix) == 0 &&
            strtoll(asset->name + prefix, NULL, 10) > 0 && /* statements have no number */
            strtoll(asset->name + prefix, NULL, 10) <= version) {
            code = sqlite3_exec(fresh.handle, asset->bytes, NULL, NULL, NULL);
        }
    }
    if (code != SQLITE_OK) {
        enum err_code result = results_db_fail(&fresh, "making the schema to compare with", e);

        sqlite3_close(fresh.handle);
        return result;
    }
    *fresh_out = fresh.handle;
    return ERR_OK;
}

static bool rows_equal(sqlite3_stmt *left, sqlite3_stmt *right)
{
    for (int i = 0; i < 4; i++) {
        int bytes = sqlite3_column_bytes(left, i);

        if (sqlite3_column_type(left, i) != sqlite3_column_type(right, i) ||
            bytes != sqlite3_column_bytes(right, i)) {
            return false;
        }
        if (bytes && memcmp(sqlite3_column_blob(left, i), sqlite3_column_blob(right, i),
                            (size_t)bytes) != 0) {
            return false;
        }
    }
    return true;
}

/* Both statements are at their first row's door. */
static enum err_code compare_schemas(const struct results_db *db, sqlite3_stmt *have,
                                     sqlite3_stmt *want, struct err *e)
{
    for (;;) {
        int have_code = sqlite3_step(have);
        int want_code = sqlite3_step(want);

        if (have_code != SQLITE_ROW && have_code != SQLITE_DONE) {
            return results_db_fail(db, "reading the schema", e);
        }
        if (have_code == SQLITE_DONE && want_code == SQLITE_DONE) {
            return ERR_OK;
        }
        if (have_code != want_code || !rows_equal(have, want)) {
            const unsigned char *name =
                sqlite3_column_text(have_code == SQLITE_ROW ? have : want, 1);

            err_set(e, ERR_FORMAT,
                    "%s: its schema is not that of a results file (at %.60s): it was changed or "
                    "made by another program; use the file as `tacho run` left it",
                    db->path, name ? (const char *)name : "an object without a name");
            return ERR_FORMAT;
        }
    }
}

static enum err_code check_schema(const struct results_db *db, int64_t version, struct err *e)
{
    sqlite3 *fresh = NULL;
    sqlite3_stmt *have = NULL;
    sqlite3_stmt *want = NULL;
    enum err_code code = make_fresh(db, version, &fresh, e);

    if (code != ERR_OK) {
        return code;
    }
    if (sqlite3_prepare_v2(db->handle, SCHEMA_STATEMENT, -1, &have, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(fresh, SCHEMA_STATEMENT, -1, &want, NULL) != SQLITE_OK) {
        code = results_db_fail(db, "reading the schema", e);
    } else {
        code = compare_schemas(db, have, want, e);
    }
    sqlite3_finalize(have);
    sqlite3_finalize(want);
    sqlite3_close(fresh);
    return code;
}

/* A statement that answers `healthy` in one row, or (NULL) no row, when all is well. */
static enum err_code check_answer(const struct results_db *db, const char *name,
                                  sqlite3_stmt *statement, const char *healthy, struct err *e)
{
    enum err_code code = ERR_OK;
    int step = sqlite3_step(statement);

    if (step == SQLITE_ROW) {
        const char *answer = (const char *)sqlite3_column_text(statement, 0);

        if (!healthy || !answer || strcmp(answer, healthy) != 0) {
            code = err_set(e, ERR_FORMAT,
                           "%s: damaged (%s: %.200s); restore it from a copy or a "
                           "bundle",
                           db->path, name, answer ? answer : "no answer");
        }
    } else if (step != SQLITE_DONE || healthy) {
        code = results_db_fail(db, name, e);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum err_code check_pages(const struct results_db *db, struct err *e)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db->handle, "PRAGMA integrity_check(1)", -1, &statement, NULL) !=
        SQLITE_OK) {
        return results_db_fail(db, "integrity_check", e);
    }
    return check_answer(db, "integrity_check", statement, "ok", e);
}

/* When the pages are right: it goes along the keys. */
static enum err_code check_keys(const struct results_db *db, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    enum err_code code = results_db_prepare(db, "results_db_orphans", &statement, e);

    return code == ERR_OK ? check_answer(db, "foreign_key_check", statement, NULL, e) : code;
}

static enum err_code check_all(struct results_db *db, enum results_db_check check, struct err *e)
{
    int calls_left = STEP_BUDGET;
    int64_t version;
    enum err_code code = check_identity(db, &version, e);

    sqlite3_progress_handler(db->handle, STEPS_PER_CALL, spend_steps, &calls_left);
    if (code == ERR_OK) {
        code = check_schema(db, version, e);
    }
    if (code == ERR_OK && check == RESULTS_DB_WHOLE) {
        code = check_pages(db, e);
    }
    if (code == ERR_OK && check == RESULTS_DB_WHOLE) {
        code = check_keys(db, e);
    }
    sqlite3_progress_handler(db->handle, 0, NULL, NULL);
    sqlite3_set_authorizer(db->handle, authorize, NULL);
    return code;
}

enum err_code results_db_open(struct results_db *db_out, const char *path, bool immutable,
                              enum results_db_check check, struct err *e)
{
    struct results_db db = {.path = path};

    enum err_code code = strlen(path) > PATH_BYTES_MAX
                             ? err_set(e, ERR_USAGE, "%.80s…: the path is too long", path)
                             : fs_check_regular(path, 0, e);

    if (code != ERR_OK) {
        return code;
    }
    code = open_any(&db, immutable, e);
    if (code == ERR_OK) {
        code = check_all(&db, check, e);
    }
    if (code != ERR_OK) {
        results_db_close(&db);
        return code;
    }
    *db_out = db;
    return ERR_OK;
}

void results_db_close(struct results_db *db)
{
    sqlite3_close(db->handle);
    db->handle = NULL;
}

enum err_code results_db_prepare(const struct results_db *db, const char *name,
                                 struct sqlite3_stmt **statement_out, struct err *e)
{
    static const char *const folders[] = {"report/query/", SCHEMA_FOLDER};
    const struct asset *asset = NULL;
    char asset_name[128];

    for (size_t i = 0; !asset && i < ARRAY_COUNT(folders); i++) {
        snprintf(asset_name, sizeof(asset_name), "%s%s.sql", folders[i], name);
        asset = asset_find(asset_name);
    }
    if (!asset) {
        return err_set(e, ERR_FORMAT, "%s: this program was built without it", asset_name);
    }
    if (sqlite3_prepare_v2(db->handle, asset->bytes, (int)asset->length, statement_out, NULL) !=
        SQLITE_OK) {
        return results_db_fail(db, name, e);
    }
    return ERR_OK;
}
