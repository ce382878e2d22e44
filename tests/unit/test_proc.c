// SPDX-License-Identifier: Apache-2.0
// Tests of the parsers of /proc files. Every input ends at an unreadable page.
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/proc.h"
#include "tests/support/edge_buf.h"

/* A line of Linux 6 for a program called "a) b": the name holds what also ends it. */
static const char stat_line[] =
    "4711 (a) b) S 4700 4711 4710 4888 -1 4194304 101 7 3 2 55 44 33 22 20 0 9 0 116661 3133440 "
    "410 "
    "18446744073709551615 94366192504832 94366192524713 140728233002208 0 0 0 0 0 0 0 0 0 17 0 0 0 "
    "0 0 0 94366192540720\n";

Test(proc, parses_a_stat_line_whose_command_holds_a_parenthesis)
{
    struct edge_buf edge;
    struct proc_stat stat;

    edge_buf_init(&edge, stat_line, sizeof(stat_line) - 1);
    cr_assert(proc_parse_stat(edge.bytes, edge.length, &stat));
    cr_expect_eq(stat.pid, 4711);
    cr_expect_eq(stat.state, 'S');
    cr_expect_eq(stat.parent_pid, 4700);
    cr_expect_eq(stat.group_id, 4711);
    cr_expect_eq(stat.session_id, 4710);
    cr_expect_eq(stat.minor_fault_count, 101);
    cr_expect_eq(stat.child_minor_fault_count, 7);
    cr_expect_eq(stat.major_fault_count, 3);
    cr_expect_eq(stat.child_major_fault_count, 2);
    cr_expect_eq(stat.user_ticks, 55);
    cr_expect_eq(stat.system_ticks, 44);
    cr_expect_eq(stat.child_user_ticks, 33);
    cr_expect_eq(stat.child_system_ticks, 22);
    cr_expect_eq(stat.thread_count, 9);
    cr_expect_eq(stat.start_ticks, 116661);
    cr_expect_eq(stat.rss_pages, 410);
    edge_buf_release(&edge);
}

Test(proc, refuses_a_stat_line_cut_anywhere_before_its_last_field)
{
    struct proc_stat stat;
    const char *last = strstr(stat_line, " 410 ");
    size_t needed = (size_t)(last - stat_line) + 2; /* " 4": the field has at least one digit */

    for (size_t length = 0; length < needed; length++) {
        struct edge_buf edge;
        edge_buf_init(&edge, stat_line, length);
        cr_expect_not(proc_parse_stat(edge.bytes, edge.length, &stat), "length %zu", length);
        edge_buf_release(&edge);
    }
}

static const struct {
    const char *text;
    bool found;
    unsigned long long number;
} number_rows[] = {
    {"MemAvailable:   12345 kB\n", true, 12345},
    {"MemTotal: 1 kB\nMemAvailable:\t7", true, 7},
    {"MemAvailableX: 9\n", false, 0},
    {"MemAvailable: 18446744073709551615", true, 18446744073709551615ULL},
    {"MemAvailable: 18446744073709551616", false, 0},
    {"MemAvailable: kB\n", false, 0},
    {"MemAvailable:", false, 0},
    {"MemAvailable", false, 0},
    {" MemAvailable: 3\n", false, 0},
    {"MemAvailable: 12x\n", false, 0},
    {"", false, 0},
};

Test(proc, finds_numbers_by_their_key)
{
    for (size_t i = 0; i < ARRAY_COUNT(number_rows); i++) {
        struct edge_buf edge;
        uint64_t number = 77;

        edge_buf_init(&edge, number_rows[i].text, strlen(number_rows[i].text));
        bool found = proc_find_number(edge.bytes, edge.length, "MemAvailable", &number);
        cr_expect_eq(found, number_rows[i].found, "row %zu", i);
        cr_expect_eq(number, found ? number_rows[i].number : 77, "row %zu: %llu", i,
                     (unsigned long long)number);
        edge_buf_release(&edge);
    }
}

static const struct {
    const char *text;
    bool found;
    unsigned number;
} counter_rows[] = {
    {"TcpExt: A ListenOverflows B\nTcpExt: 1 22 3\n", true, 22},
    {"IpExt: A\nIpExt: 9\nTcpExt: ListenOverflows\nTcpExt: 5", true, 5},
    {"TcpExt: A ListenOverflows\nTcpExt: 1\n", false, 0}, /* fewer numbers than names */
    {"TcpExt: A ListenOverflows\nIpExt: 1 2\n", false, 0},
    {"TcpExt: A ListenOverflows\n", false, 0},
    {"TcpExt: A B\nTcpExt: 1 2\n", false, 0},
    {"TcpExt: ListenOverflows\nTcpExt: x\n", false, 0},
    {"", false, 0},
};

Test(proc, finds_counters_under_their_names)
{
    for (size_t i = 0; i < ARRAY_COUNT(counter_rows); i++) {
        struct edge_buf edge;
        uint64_t number = 77;

        edge_buf_init(&edge, counter_rows[i].text, strlen(counter_rows[i].text));
        bool found =
            proc_find_counter(edge.bytes, edge.length, "TcpExt", "ListenOverflows", &number);
        cr_expect_eq(found, counter_rows[i].found, "row %zu", i);
        cr_expect_eq(number, found ? counter_rows[i].number : 77, "row %zu", i);
        edge_buf_release(&edge);
    }
}

#define TCP_HEAD                                                                                   \
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "  \
    "inode\n"
#define TCP_REST " 00000000:00000000 00:00000000 00000000     0        0 "

static const struct {
    const char *text;
    bool found;
    unsigned inode;
} listener_rows[] = {
    /* 0x1F90 is 8080 */
    {TCP_HEAD "   0: 0100007F:1F90 00000000:0000 0A" TCP_REST "4492 1 0 100 0 0 10 0\n", true,
     4492},
    {TCP_HEAD "   0: 0100007F:1F91 00000000:0000 0A" TCP_REST "1 1\n"
              "   1: 0100007F:1F90 00000000:0000 0A" TCP_REST "2 1\n",
     true, 2},
    /* established, not listening */
    {TCP_HEAD "   0: 0100007F:1F90 0100007F:C001 01" TCP_REST "4492 1\n", false, 0},
    /* net/tcp6 */
    {TCP_HEAD "   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 "
              "0A" TCP_REST "31 1\n",
     true, 31},
    {TCP_HEAD "   0: 0100007F1F90 00000000:0000 0A" TCP_REST "4492 1\n", false, 0},
    {TCP_HEAD "   0: 0100007F:1F90 00000000:0000 0A", false, 0},
    {TCP_HEAD "   0: 0100007F:1F90 00000000:0000 0A" TCP_REST "x 1\n", false, 0},
    {TCP_HEAD, false, 0},
    {"", false, 0},
};

Test(proc, finds_the_inode_of_a_listening_socket)
{
    for (size_t i = 0; i < ARRAY_COUNT(listener_rows); i++) {
        struct edge_buf edge;
        uint64_t inode = 77;

        edge_buf_init(&edge, listener_rows[i].text, strlen(listener_rows[i].text));
        bool found = proc_find_listener(edge.bytes, edge.length, 8080, &inode);
        cr_expect_eq(found, listener_rows[i].found, "row %zu", i);
        cr_expect_eq(inode, found ? listener_rows[i].inode : 77, "row %zu", i);
        edge_buf_release(&edge);
    }
}

static const struct {
    const char *text;
    bool found;
    unsigned centi;
} pressure_rows[] = {
    {"some avg10=6.64 avg60=2.45 avg300=0.64 total=8225281\nfull avg10=0.00 avg60=0\n", true, 664},
    {"full avg10=1.00\nsome avg10=100.00", true, 10000},
    {"some avg10=0.05", true, 5},
    {"some avg10=0.5", false, 0},
    {"some avg10=", false, 0},
    {"some avg10=1", false, 0},
    {"some avg60=1.00", false, 0},
    {"some", false, 0},
    {"", false, 0},
};

Test(proc, finds_pressure_in_hundredths_of_a_percent)
{
    for (size_t i = 0; i < ARRAY_COUNT(pressure_rows); i++) {
        struct edge_buf edge;
        uint64_t centi = 77;

        edge_buf_init(&edge, pressure_rows[i].text, strlen(pressure_rows[i].text));
        bool found = proc_find_pressure(edge.bytes, edge.length, "some", &centi);
        cr_expect_eq(found, pressure_rows[i].found, "row %zu", i);
        cr_expect_eq(centi, found ? pressure_rows[i].centi : 77, "row %zu", i);
        edge_buf_release(&edge);
    }
}

enum finder { FINDER_NAMED, FINDER_WORD, FINDER_TOTAL };
static const struct {
    enum finder finder;
    const char *text;
    bool found;
    uint64_t number;
} find_rows[] = {
    {FINDER_NAMED, "pswpin 12\npswpout 13\n", true, 13},
    {FINDER_NAMED, "pswpout 13", true, 13},
    {FINDER_NAMED, "pswpout", false, 0},
    {FINDER_NAMED, "pswpout x\n", false, 0},
    {FINDER_NAMED, "xpswpout 1\n", false, 0},
    {FINDER_NAMED, "", false, 0},
    {FINDER_WORD, "7 1234 9\n", true, 1234},
    {FINDER_WORD, "7 1234", true, 1234},
    {FINDER_WORD, "7\n8 9\n", false, 0},
    {FINDER_WORD, "", false, 0},
    {FINDER_TOTAL, "full avg10=1.00 total=5\nsome avg10=0.00 avg60=0.00 total=77\n", true, 77},
    {FINDER_TOTAL, "some avg10=0.00 total=77", true, 77},
    {FINDER_TOTAL, "some avg10=0.00 total=", false, 0},
    {FINDER_TOTAL, "some total=7x\n", false, 0},
    {FINDER_TOTAL, "full total=7\n", false, 0},
    {FINDER_TOTAL, "some", false, 0},
};

Test(proc, finds_named_numbers_words_and_totals)
{
    for (size_t i = 0; i < ARRAY_COUNT(find_rows); i++) {
        struct edge_buf edge;
        uint64_t number = 99;
        bool found = false;

        edge_buf_init(&edge, find_rows[i].text, strlen(find_rows[i].text));
        switch (find_rows[i].finder) {
        case FINDER_NAMED:
            found = proc_find_named(edge.bytes, edge.length, "pswpout", &number);
            break;
        case FINDER_WORD:
            found = proc_find_word(edge.bytes, edge.length, 1, &number);
            break;
        case FINDER_TOTAL:
            found = proc_find_pressure_total(edge.bytes, edge.length, "some", &number);
            break;
        }
        cr_expect_eq(found, find_rows[i].found, "row %zu", i);
        cr_expect_eq(number, found ? find_rows[i].number : 99, "row %zu", i);
        edge_buf_release(&edge);
    }
}

Test(proc, parses_the_machines_cpu_line)
{
    struct proc_cpu cpu;
    static const char text[] = "cpu  10 20 30 40 50 60 70 80 90 100\ncpu0 1 2 3\n";
    static const char *const wrong[] = {"cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3 4 5 6 7\n", "cpu", "",
                                        "cpu 1 2 3 4 5 6 7 z\n"};

    cr_assert(proc_parse_cpu(text, sizeof(text) - 1, &cpu));
    cr_expect(cpu.user == 10 && cpu.nice == 20 && cpu.system == 30 && cpu.idle == 40 &&
              cpu.iowait == 50 && cpu.irq == 60 && cpu.softirq == 70 && cpu.steal == 80);
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        struct edge_buf edge;
        edge_buf_init(&edge, wrong[i], strlen(wrong[i]));
        cr_expect_not(proc_parse_cpu(edge.bytes, edge.length, &cpu), "row %zu", i);
        edge_buf_release(&edge);
    }
}

Test(proc, finds_text_and_cuts_it_at_the_capacity)
{
    static const char text[] = "model\t\t: 85\nmodel name\t:  A  CPU \t\nflags\t\t:\n";
    char out[16], small[4];

    cr_assert(proc_find_text(text, sizeof(text) - 1, "model name", out, sizeof(out)));
    cr_expect_str_eq(out, "A  CPU");
    cr_assert(proc_find_text(text, sizeof(text) - 1, "model name", small, sizeof(small)));
    cr_expect_str_eq(small, "A  ");
    cr_assert(proc_find_text(text, sizeof(text) - 1, "flags", out, sizeof(out)));
    cr_expect_str_eq(out, "");
    cr_expect_not(proc_find_text(text, sizeof(text) - 1, "flag", out, sizeof(out)));
}

Test(proc, reads_below_its_root_and_cuts_long_files)
{
    char root[] = "/tmp/tacho-proc-XXXXXX";
    char path[64], out[4];

    cr_assert(mkdtemp(root));
    snprintf(path, sizeof(path), "%s/7", root);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs("123456", file) >= 0 && fclose(file) == 0);
    cr_expect_eq(proc_read(root, out, sizeof(out), "%d", 7), 3);
    cr_expect_str_eq(out, "123");
    cr_expect_eq(proc_read(root, out, sizeof(out), "%d", 8), -1);
    cr_expect_eq(errno, ENOENT);
    int64_t numbers[2] = {0};
    cr_expect_eq(proc_list_numbers(root, numbers, 2, "."), 1);
    cr_expect_eq(numbers[0], 7);
    unlink(path);
    rmdir(root);
}

Test(proc, finds_the_number_behind_its_name_in_a_line)
{
    static const struct {
        const char *text;
        bool found;
        unsigned number;
    } rows[] = {
        {"sockets: used 1\nTCP: inuse 5 orphan 0 tw 321 alloc 7\nUDP: tw 9\n", true, 321},
        {"TCP: tw 3", true, 3},
        {"TCP6: inuse 1\nTCP: inuse 5\n", false, 77},
        {"TCP: tw", false, 77},
        {"TCP: inuse x tw 3\n", false, 77},
        {"TCP:\n", false, 77},
        {"", false, 77},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct edge_buf edge;
        uint64_t number = 77;

        edge_buf_init(&edge, rows[i].text, strlen(rows[i].text));
        cr_expect_eq(proc_find_pair(edge.bytes, edge.length, "TCP", "tw", &number), rows[i].found,
                     "row %zu", i);
        cr_expect_eq(number, rows[i].number, "row %zu", i);
        edge_buf_release(&edge);
    }
}

Test(proc, sums_a_hexadecimal_column)
{
    static const struct {
        const char *text;
        bool found;
        unsigned long long sum;
    } rows[] = {
        {"00000001 0000000a 3\n00000002 000000F0 4\n", true, 250},
        {"1 2", true, 2},
        {"1 2\n3\n", false, 77},
        {"1 2x\n", false, 77},
        {"1 ffffffffffffffff\n1 1\n", false, 77},
        {"", false, 77},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct edge_buf edge;
        uint64_t sum = 77;

        edge_buf_init(&edge, rows[i].text, strlen(rows[i].text));
        cr_expect_eq(proc_sum_column(edge.bytes, edge.length, 1, &sum), rows[i].found, "row %zu",
                     i);
        cr_expect_eq(sum, rows[i].sum, "row %zu", i);
        edge_buf_release(&edge);
    }
}
