// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parsers of /proc files: every byte string ends at an unreadable page of the sanitizer.
#include <stddef.h>
#include <stdint.h>

#include "engines/base/allocator.h"
#include "engines/base/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct proc_stat stat;
    struct proc_cpu cpu;
    uint64_t number;
    char text[32];

    (void)proc_parse_stat(bytes, size, &stat);
    (void)proc_parse_cpu(bytes, size, &cpu);
    (void)proc_find_number(bytes, size, "MemAvailable", &number);
    (void)proc_find_text(bytes, size, "model name", text, sizeof(text));
    (void)proc_find_counter(bytes, size, "TcpExt", "ListenOverflows", &number);
    (void)proc_find_listener(bytes, size, 8080, &number);
    (void)proc_find_named(bytes, size, "pswpout", &number);
    (void)proc_find_word(bytes, size, 1, &number);
    (void)proc_find_pair(bytes, size, "TCP", "tw", &number);
    (void)proc_sum_column(bytes, size, 1, &number);
    (void)allocator_of_maps(bytes, size);
    (void)proc_find_pressure_total(bytes, size, "some", &number);
    if (proc_find_pressure(bytes, size, "some", &number) && number > 10099) {
        __builtin_trap();
    }
    return 0;
}
