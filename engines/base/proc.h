// SPDX-License-Identifier: Apache-2.0
// Small files of /proc and /sys: this module alone opens them, below a root that is an argument, so
// that tests read recorded trees. The parsers are pure and read no byte past `length`.
#ifndef ENGINES_BASE_PROC_H
#define ENGINES_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engines/base/attr.h"

#define PROC_PATH_BYTES 512

/*
 * Reads a file of at most `capacity` - 1 bytes; a longer one is cut. The bytes are followed by a
 * NUL. Allocates nothing.
 *
 * path_format   relative to the root: "%d/stat"
 * returns       bytes read; -1 with errno when it cannot be opened or read
 */
ssize_t proc_read(const char *root, char *out, size_t capacity, const char *path_format, ...)
    ATTR_PRINTF(4, 5);

/* Writes a whole text at once, as files of the kernel want it. False with errno. */
bool proc_write(const char *root, const char *text, const char *path_format, ...) ATTR_PRINTF(3, 4);

/* Numbers that are names in a folder ("1234" of /proc, of task, of fd), in the folder's order.
 * Returns how many there are, of which the first `capacity` are in `out`; -1 with errno. */
ssize_t proc_list_numbers(const char *root, int64_t *out, size_t capacity, const char *path_format,
                          ...) ATTR_PRINTF(4, 5);

/* The names in a folder that do not begin with '.', in the folder's order. Returns how many there
 * are, of which the first `capacity` are in `out`; -1 with errno. */
#define PROC_NAME_BYTES 64
ssize_t proc_list_names(const char *root, char (*out)[PROC_NAME_BYTES], size_t capacity,
                        const char *path_format, ...) ATTR_PRINTF(4, 5);

/* Where a symbolic link points, cut at `capacity` - 1. Returns its bytes, or -1 with errno. */
ssize_t proc_read_link(const char *root, char *out, size_t capacity, const char *path_format, ...)
    ATTR_PRINTF(4, 5);

/* /proc/PID/stat. Times are in clock ticks. */
struct proc_stat {
    pid_t pid, parent_pid, group_id, session_id;
    char state;
    uint64_t minor_fault_count, child_minor_fault_count; /* child: of reaped children */
    uint64_t major_fault_count, child_major_fault_count;
    uint64_t user_ticks, system_ticks, child_user_ticks, child_system_ticks;
    uint64_t thread_count;
    uint64_t start_ticks; /* since boot: with the pid it names the process */
    uint64_t rss_pages;
};

/* source   proc(5). The command may hold blanks and parentheses: fields count from the last ')'.
 * returns  false: not such a line; *stat_out untouched */
bool proc_parse_stat(const char *bytes, size_t length, struct proc_stat *stat_out);

/* First line of /proc/stat, in clock ticks. `user` has guest in it already. */
struct proc_cpu {
    uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};
bool proc_parse_cpu(const char *bytes, size_t length, struct proc_cpu *cpu_out);

/* The number after "KEY:" at the start of a line ("VmRSS:   123 kB", "MemAvailable: …"). False when
 * there is none. */
bool proc_find_number(const char *bytes, size_t length, const char *key, uint64_t *number_out);

/* The number after "NAME " at the start of a line ("pswpin 12" of vmstat). False when there is
 * none. */
bool proc_find_named(const char *bytes, size_t length, const char *name, uint64_t *number_out);

/* The number that is word `index` (0 …) of the first line ("RUN WAIT SLICES" of schedstat). False
 * when there is none. */
bool proc_find_word(const char *bytes, size_t length, size_t index, uint64_t *number_out);

/* The text after "KEY:" at the start of a line ("model name\t: …"), blanks around it removed, cut
 * at `capacity` - 1. False when there is none. */
bool proc_find_text(const char *bytes, size_t length, const char *key, char *out, size_t capacity);

/* A counter of net/snmp or net/netstat: a line "PREFIX: NAME NAME …" is followed by "PREFIX: NUMBER
 * NUMBER …". */
bool proc_find_counter(const char *bytes, size_t length, const char *prefix, const char *name,
                       uint64_t *number_out);

/* The number after NAME in a line "KEY: NAME NUMBER NAME NUMBER …" ("TCP: inuse 5 tw 3" of
 * net/sockstat). False when there is none. */
bool proc_find_pair(const char *bytes, size_t length, const char *key, const char *name,
                    uint64_t *number_out);

/* The sum over all lines of the hexadecimal number that is word `index` (0 …): net/softnet_stat has
 * a line for each CPU. False when there is no line, or one without such a number. */
bool proc_sum_column(const char *bytes, size_t length, size_t index, uint64_t *sum_out);

/* The inode of the socket that listens on `port` in the text of net/tcp or net/tcp6. False when
 * there is none. */
bool proc_find_listener(const char *bytes, size_t length, uint16_t port, uint64_t *inode_out);

/* "some avg10=1.23 …" of pressure files, in hundredths of a percent. False when there is none. */
bool proc_find_pressure(const char *bytes, size_t length, const char *line, uint64_t *avg10_out);

/* "some … total=123": microseconds since boot. False when there is none. */
bool proc_find_pressure_total(const char *bytes, size_t length, const char *line,
                              uint64_t *total_us_out);

#endif
