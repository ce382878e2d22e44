// SPDX-License-Identifier: Apache-2.0
// Small files of /proc and /sys.
#include "engines/base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engines/base/cursor.h"

/* --- files --- */

static bool path_make(char out[PROC_PATH_BYTES], const char *root, const char *format,
                      va_list arguments) ATTR_PRINTF(3, 0);
static bool path_make(char out[PROC_PATH_BYTES], const char *root, const char *format,
                      va_list arguments)
{
    int root_length = snprintf(out, PROC_PATH_BYTES, "%s/", root);

    if (root_length < 0 || root_length >= PROC_PATH_BYTES) {
        errno = ENAMETOOLONG;
        return false;
    }
    int length =
        vsnprintf(out + root_length, PROC_PATH_BYTES - (size_t)root_length, format, arguments);
    if (length < 0 || length >= PROC_PATH_BYTES - root_length) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

static ssize_t descriptor_read(int fd, char *out, size_t capacity)
{
    size_t length = 0;

    while (length + 1 < capacity) {
        ssize_t count = read(fd, out + length, capacity - 1 - length);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return -1;
        }
        if (count == 0) {
            break;
        }
        length += (size_t)count;
    }
    out[length] = '\0';
    return (ssize_t)length;
}

/* A descriptor for reading; -1 when the path is too long or cannot be opened. */
static int path_open(const char *root, int flags, const char *path_format, va_list arguments)
    ATTR_PRINTF(3, 0);
static int path_open(const char *root, int flags, const char *path_format, va_list arguments)
{
    char path[PROC_PATH_BYTES];

    return path_make(path, root, path_format, arguments) ? open(path, O_RDONLY | O_CLOEXEC | flags)
                                                         : -1;
}

/* Keeps the errno of what was done before. */
static void descriptor_close(int fd)
{
    int saved_errno = errno;

    close(fd);
    errno = saved_errno;
}

ssize_t proc_read(const char *root, char *out, size_t capacity, const char *path_format, ...)
{
    va_list arguments;

    va_start(arguments, path_format);
    int fd = path_open(root, O_NONBLOCK, path_format, arguments);
    va_end(arguments);
    if (fd < 0) {
        return -1;
    }
    ssize_t length = descriptor_read(fd, out, capacity);
    descriptor_close(fd);
    return length;
}

bool proc_write(const char *root, const char *text, const char *path_format, ...)
{
    size_t length = strlen(text);
    char path[PROC_PATH_BYTES];
    va_list arguments;

    va_start(arguments, path_format);
    bool fits = path_make(path, root, path_format, arguments);
    va_end(arguments);
    int fd = fits ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;
    if (fd < 0) {
        return false;
    }
    bool is_written = write(fd, text, length) == (ssize_t)length;
    descriptor_close(fd);
    return is_written;
}

ssize_t proc_read_link(const char *root, char *out, size_t capacity, const char *path_format, ...)
{
    char path[PROC_PATH_BYTES];
    va_list arguments;

    va_start(arguments, path_format);
    bool fits = path_make(path, root, path_format, arguments);
    va_end(arguments);
    if (!fits) {
        return -1;
    }
    ssize_t length = readlink(path, out, capacity - 1);
    if (length >= 0) {
        out[length] = '\0';
    }
    return length;
}

/* A name of digits alone as a number; -1 for every other name. */
static int64_t name_number(const char *name)
{
    int64_t number = 0;

    for (const char *digit = name; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || digit - name > 17) {
            return -1;
        }
        number = number * 10 + (*digit - '0');
    }
    return *name ? number : -1;
}

/* Shows the names in a folder to `visit`. getdents64 rather than opendir: that one allocates. */
static bool descriptor_walk(int fd, void (*visit)(void *self, const char *name), void *self)
{
    _Alignas(struct dirent64) char block[8192];
    long length;

    while ((length = syscall(SYS_getdents64, fd, block, sizeof(block))) > 0) {
        for (long offset = 0; offset < length;) {
            const struct dirent64 *entry = (const void *)(block + offset);

            visit(self, entry->d_name);
            offset += entry->d_reclen;
        }
    }
    return length == 0;
}

/* The same of a folder by its path; false when it cannot be read whole. */
static bool folder_walk(const char *root, void (*visit)(void *self, const char *name), void *self,
                        const char *path_format, va_list arguments) ATTR_PRINTF(4, 0);
static bool folder_walk(const char *root, void (*visit)(void *self, const char *name), void *self,
                        const char *path_format, va_list arguments)
{
    int fd = path_open(root, O_DIRECTORY, path_format, arguments);

    if (fd < 0) {
        return false;
    }
    bool is_whole = descriptor_walk(fd, visit, self);
    descriptor_close(fd);
    return is_whole;
}

struct number_list {
    int64_t *out;
    size_t capacity, count;
};

static void number_visit(void *self, const char *name)
{
    struct number_list *list = self;
    int64_t number = name_number(name);

    if (number >= 0 && list->count < list->capacity) {
        list->out[list->count] = number;
    }
    list->count += number >= 0;
}

struct name_list {
    char (*out)[PROC_NAME_BYTES];
    size_t capacity, count;
};

static void name_visit(void *self, const char *name)
{
    struct name_list *list = self;
    size_t length = strlen(name);

    if (*name == '.' || length >= PROC_NAME_BYTES) {
        return;
    }
    if (list->count < list->capacity) {
        memcpy(list->out[list->count], name, length + 1);
    }
    list->count++;
}

ssize_t proc_list_numbers(const char *root, int64_t *out, size_t capacity, const char *path_format,
                          ...)
{
    struct number_list list = {out, capacity, 0};
    va_list arguments;

    va_start(arguments, path_format);
    bool is_whole = folder_walk(root, number_visit, &list, path_format, arguments);
    va_end(arguments);
    return is_whole ? (ssize_t)list.count : -1;
}

ssize_t proc_list_names(const char *root, char (*out)[PROC_NAME_BYTES], size_t capacity,
                        const char *path_format, ...)
{
    struct name_list list = {out, capacity, 0};
    va_list arguments;

    va_start(arguments, path_format);
    bool is_whole = folder_walk(root, name_visit, &list, path_format, arguments);
    va_end(arguments);
    return is_whole ? (ssize_t)list.count : -1;
}

/* --- text --- */

static const char *byte_find_last(const char *bytes, size_t length, char byte)
{
    return length ? memrchr(bytes, byte, length) : NULL;
}

bool proc_parse_stat(const char *bytes, size_t length, struct proc_stat *stat_out)
{
    enum { FIELD_FIRST = 4, FIELD_LAST = 24 }; /* ppid … rss, numbered as in proc(5) */
    uint64_t fields[FIELD_LAST + 1] = {0};
    uint64_t pid;
    struct cursor head = {bytes, bytes + length};
    const char *close = byte_find_last(bytes, length, ')');
    struct cursor state;

    if (!close || !cursor_take_number(&head, &pid)) {
        return false;
    }
    struct cursor rest = {close + 1, bytes + length};
    if (!cursor_take_word(&rest, &state) || state.end - state.at != 1) {
        return false;
    }
    for (int i = FIELD_FIRST; i <= FIELD_LAST; i++) {
        if (!cursor_take_number(&rest, &fields[i])) {
            return false;
        }
    }
    *stat_out = (struct proc_stat){
        .pid = (pid_t)pid,
        .parent_pid = (pid_t)fields[4],
        .group_id = (pid_t)fields[5],
        .session_id = (pid_t)fields[6],
        .state = *state.at,
        .minor_fault_count = fields[10],
        .child_minor_fault_count = fields[11],
        .major_fault_count = fields[12],
        .child_major_fault_count = fields[13],
        .user_ticks = fields[14],
        .system_ticks = fields[15],
        .child_user_ticks = fields[16],
        .child_system_ticks = fields[17],
        .thread_count = fields[20],
        .start_ticks = fields[22],
        .rss_pages = fields[24],
    };
    return true;
}

bool proc_parse_cpu(const char *bytes, size_t length, struct proc_cpu *cpu_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;
    uint64_t fields[8] = {0};

    if (!cursor_take_line(&all, &line) || !cursor_take_word(&line, &word) ||
        !cursor_is(&word, "cpu")) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (!cursor_take_number(&line, &fields[i])) {
            return false;
        }
    }
    *cpu_out = (struct proc_cpu){fields[0], fields[1], fields[2], fields[3],
                                 fields[4], fields[5], fields[6], fields[7]};
    return true;
}

/* Puts the cursor behind "KEY:" or "KEY<blanks>:" when the line begins so. */
static bool key_skip(struct cursor *line, const char *key)
{
    size_t length = strlen(key);

    if ((size_t)(line->end - line->at) <= length || memcmp(line->at, key, length) != 0) {
        return false;
    }
    line->at += length;
    cursor_skip_blanks(line);
    if (line->at >= line->end || *line->at != ':') {
        return false;
    }
    line->at++;
    return true;
}

bool proc_find_number(const char *bytes, size_t length, const char *key, uint64_t *number_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line;

    while (cursor_take_line(&all, &line)) {
        if (key_skip(&line, key)) {
            return cursor_take_number(&line, number_out);
        }
    }
    return false;
}

bool proc_find_named(const char *bytes, size_t length, const char *name, uint64_t *number_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;

    while (cursor_take_line(&all, &line)) {
        if (cursor_take_word(&line, &word) && cursor_is(&word, name)) {
            return cursor_take_number(&line, number_out);
        }
    }
    return false;
}

bool proc_find_word(const char *bytes, size_t length, size_t index, uint64_t *number_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;

    if (!cursor_take_line(&all, &line)) {
        return false;
    }
    for (; index > 0; index--) {
        if (!cursor_take_word(&line, &word)) {
            return false;
        }
    }
    return cursor_take_number(&line, number_out);
}

bool proc_find_text(const char *bytes, size_t length, const char *key, char *out, size_t capacity)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line;

    while (cursor_take_line(&all, &line)) {
        if (!key_skip(&line, key)) {
            continue;
        }
        cursor_skip_blanks(&line);
        while (line.end > line.at && cursor_is_blank(line.end[-1])) {
            line.end--;
        }
        size_t kept = (size_t)(line.end - line.at);
        kept = kept < capacity - 1 ? kept : capacity - 1;
        memcpy(out, line.at, kept);
        out[kept] = '\0';
        return true;
    }
    return false;
}

bool proc_find_counter(const char *bytes, size_t length, const char *prefix, const char *name,
                       uint64_t *number_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor names, numbers, name_word;

    while (cursor_take_line(&all, &names)) {
        if (!key_skip(&names, prefix)) {
            continue;
        }
        if (!cursor_take_line(&all, &numbers) || !key_skip(&numbers, prefix)) {
            return false;
        }
        uint64_t number;
        while (cursor_take_word(&names, &name_word) && cursor_take_number(&numbers, &number)) {
            if (cursor_is(&name_word, name)) {
                *number_out = number;
                return true;
            }
        }
        return false;
    }
    return false;
}

/* One line of net/tcp: "sl: LOCAL:PORT REMOTE:PORT STATE tx:rx tr:when retrnsmt uid timeout inode".
 */
static bool listener_parse(struct cursor line, uint16_t port, uint64_t *inode_out)
{
    struct cursor words[10];
    uint64_t line_port, inode;

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (!cursor_take_word(&line, &words[i])) {
            return false;
        }
    }
    const char *colon = byte_find_last(words[1].at, (size_t)(words[1].end - words[1].at), ':');
    if (!colon || !cursor_is(&words[3], "0A")) {
        return false;
    }
    struct cursor port_text = {colon + 1, words[1].end};
    if (!cursor_take_digits(&port_text, 16, &line_port) || line_port != port ||
        !cursor_take_number(&words[9], &inode)) {
        return false;
    }
    *inode_out = inode;
    return true;
}

bool proc_find_listener(const char *bytes, size_t length, uint16_t port, uint64_t *inode_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line;

    while (cursor_take_line(&all, &line)) {
        if (listener_parse(line, port, inode_out)) {
            return true;
        }
    }
    return false;
}

bool proc_find_pressure(const char *bytes, size_t length, const char *line_name,
                        uint64_t *avg10_out)
{
    static const char key[] = "avg10=";
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;
    uint64_t whole, part;

    while (cursor_take_line(&all, &line)) {
        if (!cursor_take_word(&line, &word) || !cursor_is(&word, line_name)) {
            continue;
        }
        if (!cursor_take_word(&line, &word) || (size_t)(word.end - word.at) < sizeof(key) ||
            memcmp(word.at, key, sizeof(key) - 1) != 0) {
            return false;
        }
        word.at += sizeof(key) - 1;
        if (!cursor_take_digits(&word, 10, &whole) || whole > 100 || word.end - word.at != 3 ||
            *word.at++ != '.' || !cursor_take_digits(&word, 10, &part) || word.at != word.end) {
            return false;
        }
        *avg10_out = whole * 100 + part;
        return true;
    }
    return false;
}

bool proc_find_pressure_total(const char *bytes, size_t length, const char *line_name,
                              uint64_t *total_us_out)
{
    static const char key[] = "total=";
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;

    while (cursor_take_line(&all, &line)) {
        if (!cursor_take_word(&line, &word) || !cursor_is(&word, line_name)) {
            continue;
        }
        while (cursor_take_word(&line, &word)) {
            if ((size_t)(word.end - word.at) >= sizeof(key) &&
                memcmp(word.at, key, sizeof(key) - 1) == 0) {
                word.at += sizeof(key) - 1;
                return cursor_take_number(&word, total_us_out);
            }
        }
        return false;
    }
    return false;
}

bool proc_find_pair(const char *bytes, size_t length, const char *key, const char *name,
                    uint64_t *number_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;
    uint64_t number;

    while (cursor_take_line(&all, &line)) {
        if (!key_skip(&line, key)) {
            continue;
        }
        while (cursor_take_word(&line, &word) && cursor_take_number(&line, &number)) {
            if (cursor_is(&word, name)) {
                *number_out = number;
                return true;
            }
        }
        return false;
    }
    return false;
}

bool proc_sum_column(const char *bytes, size_t length, size_t index, uint64_t *sum_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, word;
    uint64_t sum = 0, number;
    bool has_line = false;

    while (cursor_take_line(&all, &line)) {
        for (size_t i = 0; i <= index; i++) {
            if (!cursor_take_word(&line, &word)) {
                return false;
            }
        }
        if (!cursor_take_digits(&word, 16, &number) || word.at != word.end ||
            __builtin_add_overflow(sum, number, &sum)) {
            return false;
        }
        has_line = true;
    }
    if (has_line) {
        *sum_out = sum;
    }
    return has_line;
}
