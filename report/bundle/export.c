// SPDX-License-Identifier: Apache-2.0
// The canonical copy of a results file, and the checks of a foreign one.
#include "report/bundle/export.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/store/store.h"
#include "collector/store/store_file.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "engines/base/units.h"
#include "report/bundle/compare_vfs.h"

#define SCHEMA_PREFIX       "collector/store/sql/"
#define STATEMENT_BYTES_MAX 4096
#define HEADER_BYTES        100
#define HEADER_VERSION      96         /* of the SQLite that wrote the file, big-endian */
#define CELL_BYTES_MAX      (32 << 20) /* longest text or blob */
#define PROGRESS_STEPS      1000000
#define PROGRESS_ROUNDS_MAX 5000 /* some minutes: more than any file of the size allowed needs */

static enum err_code db_fail(sqlite3 *db, const char *path, struct err *e)
{
    if (!db) {
        return err_set(e, ERR_LIMIT, "%s: no memory", path);
    }
    if (sqlite3_errcode(db) == SQLITE_NOTADB) { /* as tacho report says it */
        return err_set(e, ERR_FORMAT, "%s: not a results file: no SQLite database", path);
    }
    return store_file_fail_named(db, path, e);
}

static enum err_code db_run(sqlite3 *db, const char *path, const char *sql, struct err *e)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : db_fail(db, path, e);
}

/* One integer; ERR_DB when the statement gives none. */
static enum err_code db_get_integer(sqlite3 *db, const char *path, const char *sql,
                                    int64_t *value_out, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    enum err_code code = ERR_OK;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        *value_out = sqlite3_column_int64(statement, 0);
    } else {
        code = db_fail(db, path, e);
    }
    sqlite3_finalize(statement);
    return code;
}

/* "file:PATH?mode=ro": every byte of the path that a URI could take amiss is escaped. */
static enum err_code uri_format(const char *path, bool immutable, struct buf *out, struct err *e)
{
    buf_add_text(out, "file:");
    for (const char *byte = path; *byte; byte++) {
        bool plain = (*byte >= 'a' && *byte <= 'z') || (*byte >= 'A' && *byte <= 'Z') ||
                     (*byte >= '0' && *byte <= '9') || strchr("/._-", *byte);
        if (plain) {
            buf_add_char(out, *byte);
        } else {
            buf_addf(out, "%%%02x", (unsigned)(unsigned char)*byte);
        }
    }
    buf_add_text(out, immutable ? "?mode=ro&immutable=1" : "?mode=ro");
    return buf_check(out, "a database's URI", e);
}

static enum err_code source_attach(sqlite3 *db, const char *path, bool immutable, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    struct buf uri;

    buf_init(&uri, (size_t)4 * PATH_MAX);
    enum err_code code = uri_format(path, immutable, &uri, e);
    /* Not that of the copy, which may be one that only compares. */
    buf_addf(&uri, "&vfs=%s", sqlite3_vfs_find(NULL)->zName);
    if (code == ERR_OK) {
        code = buf_check(&uri, "a database's URI", e);
    }
    if (code == ERR_OK &&
        (sqlite3_prepare_v2(db, "ATTACH ?1 AS source", -1, &statement, NULL) != SQLITE_OK ||
         sqlite3_bind_text(statement, 1, uri.bytes, -1, SQLITE_STATIC) != SQLITE_OK ||
         sqlite3_step(statement) != SQLITE_DONE)) {
        code = db_fail(db, path, e);
    }
    sqlite3_finalize(statement);
    buf_release(&uri);
    return code;
}

static enum err_code source_check(sqlite3 *db, const char *path, struct err *e)
{
    int64_t application_id = 0, version = 0;
    enum err_code code =
        db_get_integer(db, path, "PRAGMA source.application_id", &application_id, e);

    if (code == ERR_OK) {
        code = db_get_integer(db, path, "PRAGMA source.user_version", &version, e);
    }
    if (code != ERR_OK) {
        return err_set(e, ERR_FORMAT, "%s: not a results file", path);
    }
    if (application_id != STORE_APPLICATION_ID) {
        return err_set(e, ERR_FORMAT, "%s: not a results file", path);
    }
    if (version != STORE_VERSION) {
        return err_set(e, ERR_FORMAT, "%s: a results file of version %lld; this program has %d",
                       path, (long long)version, STORE_VERSION);
    }
    return ERR_OK;
}

static enum err_code schema_make(sqlite3 *db, const char *path, struct err *e)
{
    enum err_code code = ERR_OK;
    char marks[128];

    for (const struct asset *asset = assets; asset->name && code == ERR_OK; asset++) {
        /* Migrations are numbered, "0001_init.sql"; statements beside them are not. */
        if (strncmp(asset->name, SCHEMA_PREFIX, strlen(SCHEMA_PREFIX)) == 0 &&
            isdigit((unsigned char)asset->name[strlen(SCHEMA_PREFIX)])) {
            code = db_run(db, path, asset->bytes, e);
        }
    }
    snprintf(marks, sizeof(marks), "PRAGMA main.application_id=%d; PRAGMA main.user_version=%d",
             STORE_APPLICATION_ID, STORE_VERSION);
    return code == ERR_OK ? db_run(db, path, marks, e) : code;
}

/* What the copy needs of the source is there under the same definition. */
static enum err_code schema_compare(sqlite3 *db, const char *path, struct err *e)
{
    int64_t missing = 0;
    enum err_code code = db_get_integer(
        db, path,
        "SELECT count(*) FROM (SELECT type, name, tbl_name, sql FROM main.sqlite_schema"
        " EXCEPT SELECT type, name, tbl_name, sql FROM source.sqlite_schema)",
        &missing, e);

    if (code == ERR_OK && missing) {
        code = err_set(e, ERR_FORMAT, "%s: its tables are not those of version %d", path,
                       STORE_VERSION);
    }
    return code;
}

/* The statements of the copy, made from the schema: "INSERT INTO main.t SELECT * FROM source.t
 * ORDER BY key;" a table, in order of creation. */
static enum err_code rows_copy(sqlite3 *db, const char *path, struct err *e)
{
    static const char sql[] =
        "SELECT 'INSERT INTO main.\"' || name || '\" SELECT * FROM source.\"' || name ||"
        " '\" ORDER BY ' || (SELECT group_concat('\"' || name || '\"', ', ') FROM"
        " (SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk))"
        " FROM main.sqlite_schema AS t WHERE type = 'table' ORDER BY rowid";
    sqlite3_stmt *tables = NULL;
    enum err_code code = ERR_OK;
    char statement[STATEMENT_BYTES_MAX];

    if (sqlite3_prepare_v2(db, sql, -1, &tables, NULL) != SQLITE_OK) {
        return db_fail(db, path, e);
    }
    while (code == ERR_OK && sqlite3_step(tables) == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text(tables, 0);
        snprintf(statement, sizeof(statement), "%s", text ? (const char *)text : "no key");
        code = db_run(db, path, statement, e);
    }
    if (sqlite3_finalize(tables) != SQLITE_OK && code == ERR_OK) {
        code = db_fail(db, path, e);
    }
    return code;
}

static enum err_code db_fill(sqlite3 *db, const char *source_path, const char *target_path,
                             struct err *e)
{
    enum err_code code = source_check(db, source_path, e);

    if (code == ERR_OK) {
        code = db_run(db, target_path, "BEGIN", e);
    }
    if (code == ERR_OK) {
        code = schema_make(db, target_path, e);
    }
    if (code == ERR_OK) {
        code = schema_compare(db, source_path, e);
    }
    if (code == ERR_OK) {
        code = rows_copy(db, target_path, e);
    }
    return code == ERR_OK ? db_run(db, target_path, "COMMIT", e) : code;
}

static int progress_stop(void *rounds_left)
{
    return --*(int *)rounds_left < 0;
}

/* Takes over the connection. */
static enum err_code db_export(sqlite3 *db, const char *source_path, bool immutable,
                               const char *target_path, struct err *e)
{
    int rounds_left = PROGRESS_ROUNDS_MAX;

    /* The copy is read again and sealed before anyone sees it: it needs no fsync of its own. */
    enum err_code code =
        db_run(db, target_path,
               "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=NONE;"
               "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF;"
               "PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON",
               e);

    if (code == ERR_OK) {
        code = source_attach(db, source_path, immutable, e);
    }
    if (immutable) {
        sqlite3_progress_handler(db, PROGRESS_STEPS, progress_stop, &rounds_left);
    }
    if (code == ERR_OK) {
        code = db_fill(db, source_path, target_path, e);
    }
    if (sqlite3_close(db) != SQLITE_OK && code == ERR_OK) {
        code = err_set(e, ERR_DB, "%s: cannot be closed", target_path);
    }
    return code;
}

enum err_code export_write(const char *source_path, bool immutable, const char *target_path,
                           struct err *e)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;

    if (access(target_path, F_OK) == 0) {
        return err_set(e, ERR_SYS, "%s: exists already", target_path);
    }
    enum err_code code = fs_check_regular(source_path, 0, e);
    if (code != ERR_OK) {
        return code;
    }
    if (sqlite3_open_v2(target_path, &db, flags, NULL) != SQLITE_OK) {
        code = db_fail(db, target_path, e);
        sqlite3_close(db);
        return code;
    }
    code = db_export(db, source_path, immutable, target_path, e);
    if (code != ERR_OK) {
        unlink(target_path);
    }
    return code;
}

enum err_code export_compare(const char *path, bool *differs_out, struct err *e)
{
    struct compare_vfs *vfs = NULL;
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    enum err_code code = compare_vfs_open(path, &vfs, e);

    if (code != ERR_OK) {
        return code;
    }
    if (sqlite3_open_v2("second", &db, flags, compare_vfs_name(vfs)) == SQLITE_OK) {
        code = db_export(db, path, true, path, e);
    } else {
        code = db_fail(db, path, e);
        sqlite3_close(db);
    }
    if (compare_vfs_gave_up(vfs)) {
        code = ERR_OK; /* what SQLite said is that it could not write */
    }
    if (code == ERR_OK) {
        *differs_out = compare_vfs_differs(vfs);
    }
    compare_vfs_close(vfs);
    return code;
}

static uint32_t big_endian_get(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool export_is_by_this_sqlite(const char *path)
{
    unsigned char header[HEADER_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0) {
        return false;
    }
    bool is_read = pread(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header);
    close(fd);
    return is_read &&
           big_endian_get(header + HEADER_VERSION) == (uint32_t)sqlite3_libversion_number();
}

/* --- checks of a foreign file -------------------------------------------------------------------
 */

/* By hand, before SQLite sees it. source: "Database File Format", section 1.3 */
static const char *header_find_fault(const unsigned char header[HEADER_BYTES], int64_t file_bytes)
{
    static const unsigned char zeros[20];

    if (memcmp(header, "SQLite format 3", 16) != 0) {
        return "no SQLite file";
    }
    if (header[16] != 0x10 || header[17] != 0 || header[20] != 0) {
        return "the pages are not of 4096 bytes";
    }
    if (header[18] != 1 || header[19] != 1) {
        return "not in rollback-journal format";
    }
    if (file_bytes % 4096 || big_endian_get(header + 28) != (uint64_t)file_bytes / 4096) {
        return "the size is not that of its pages";
    }
    if (big_endian_get(header + 36) || big_endian_get(header + 52) ||
        big_endian_get(header + 56) != 1 || memcmp(header + 72, zeros, sizeof(zeros)) != 0) {
        return "free pages, vacuum, encoding or reserved bytes are not those of an export";
    }
    if (big_endian_get(header + 68) != STORE_APPLICATION_ID) {
        return "not a results file";
    }
    if (big_endian_get(header + 60) != STORE_VERSION) {
        return "a results file of another version";
    }
    return NULL;
}

static enum err_code header_check(const char *path, struct err *e)
{
    unsigned char header[HEADER_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    ssize_t count = pread(fd, header, sizeof(header), 0);
    int64_t file_bytes = lseek(fd, 0, SEEK_END);
    close(fd);
    const char *fault = count == (ssize_t)sizeof(header) ? header_find_fault(header, file_bytes)
                                                         : "shorter than a header";
    return fault ? err_set(e, ERR_FORMAT, "%s", fault) : ERR_OK;
}

static void db_harden(sqlite3 *db, int *rounds_left)
{
    static const int options[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},  {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},         {SQLITE_DBCONFIG_DQS_DDL, 0}};
    static const int limits[][2] = {{SQLITE_LIMIT_LENGTH, CELL_BYTES_MAX},
                                    {SQLITE_LIMIT_SQL_LENGTH, 100000},
                                    {SQLITE_LIMIT_COLUMN, 100},
                                    {SQLITE_LIMIT_EXPR_DEPTH, 20},
                                    {SQLITE_LIMIT_ATTACHED, 0},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};

    for (size_t i = 0; i < ARRAY_COUNT(options); i++) {
        sqlite3_db_config(db, options[i][0], options[i][1], NULL);
    }
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        sqlite3_limit(db, limits[i][0], limits[i][1]);
    }
    sqlite3_progress_handler(db, PROGRESS_STEPS, progress_stop, rounds_left);
}

/* The whole schema as text, in order of creation: "type|name|table|sql" a row. */
static enum err_code schema_format(sqlite3 *db, const char *path, struct buf *out, struct err *e)
{
    sqlite3_stmt *rows = NULL;
    int status = sqlite3_prepare_v2(
        db, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid", -1, &rows, NULL);

    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(rows);
        for (int i = 0; status == SQLITE_ROW && i < 4; i++) {
            const unsigned char *text = sqlite3_column_text(rows, i);
            buf_addf(out, "%d:%s|", sqlite3_column_type(rows, i), text ? (const char *)text : "");
        }
    }
    enum err_code code = status == SQLITE_DONE ? ERR_OK : db_fail(db, path, e);
    sqlite3_finalize(rows);
    return code == ERR_OK ? buf_check(out, "the schema", e) : code;
}

static enum err_code schema_format_own(struct buf *out, struct err *e)
{
    sqlite3 *db = NULL;
    enum err_code code = sqlite3_open(":memory:", &db) == SQLITE_OK ? schema_make(db, "schema", e)
                                                                    : db_fail(db, "schema", e);

    if (code == ERR_OK) {
        code = schema_format(db, "schema", out, e);
    }
    sqlite3_close(db);
    return code;
}

static enum err_code schema_check(sqlite3 *db, const char *path, struct err *e)
{
    struct buf own, foreign;

    buf_init(&own, 1 << 20);
    buf_init(&foreign, 1 << 20);
    enum err_code code = schema_format_own(&own, e);
    if (code == ERR_OK) {
        code = schema_format(db, path, &foreign, e);
    }
    if (code == ERR_OK &&
        (own.length != foreign.length || memcmp(own.bytes, foreign.bytes, own.length) != 0)) {
        code = err_set(e, ERR_FORMAT, "its schema is not that of version %d", STORE_VERSION);
    }
    buf_release(&own);
    buf_release(&foreign);
    return code;
}

static enum err_code pages_check(sqlite3 *db, const char *path, struct err *e)
{
    sqlite3_stmt *rows = NULL;
    enum err_code code = ERR_OK;

    if (sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &rows, NULL) != SQLITE_OK ||
        sqlite3_step(rows) != SQLITE_ROW) {
        code = db_fail(db, path, e);
    } else if (strcmp((const char *)sqlite3_column_text(rows, 0), "ok") != 0) {
        code = err_set(e, ERR_FORMAT, "%s", (const char *)sqlite3_column_text(rows, 0));
    }
    sqlite3_finalize(rows);
    return code;
}

static enum err_code links_check(sqlite3 *db, const char *path, struct err *e)
{
    int64_t orphan_count = 0;
    enum err_code code =
        db_get_integer(db, path, "SELECT count(*) FROM pragma_foreign_key_check", &orphan_count, e);
    if (code == ERR_OK && orphan_count) {
        code = err_set(e, ERR_FORMAT, "%lld %s to rows that are not there", (long long)orphan_count,
                       units_word(orphan_count, "row refers", "rows refer"));
    }
    return code;
}

enum err_code export_check(const char *path, enum export_depth depth, const char **fault_out,
                           struct err *e)
{
    int rounds_left = PROGRESS_ROUNDS_MAX;
    const char *fault = "db-header";
    sqlite3 *db = NULL;
    struct buf uri;

    buf_init(&uri, (size_t)4 * PATH_MAX);
    enum err_code code = header_check(path, e);
    if (code == ERR_OK) {
        code = uri_format(path, true, &uri, e);
    }
    if (code == ERR_OK && sqlite3_open_v2(uri.bytes, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                          NULL) != SQLITE_OK) {
        code = db_fail(db, path, e);
    }
    if (code == ERR_OK) {
        db_harden(db, &rounds_left);
        code = db_run(db, path,
                      "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON", e);
    }
    if (code == ERR_OK) {
        fault = "db-schema";
        code = schema_check(db, path, e);
    }
    if (code == ERR_OK) {
        fault = "db-integrity";
        code = depth == EXPORT_PAGES ? pages_check(db, path, e) : ERR_OK;
    }
    if (code == ERR_OK && depth != EXPORT_SCHEMA) {
        code = links_check(db, path, e);
    }
    sqlite3_close(db);
    buf_release(&uri);
    if (code != ERR_OK) {
        *fault_out = fault;
    }
    return code;
}
