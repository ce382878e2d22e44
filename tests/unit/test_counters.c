// SPDX-License-Identifier: Apache-2.0
// The shared page of counters.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engines/counters.h"

Test(counters, are_seen_through_every_mapping_of_the_page)
{
    struct counters_page *writer, *reader;
    struct counters_total total;
    int fd;

    cr_assert_eq(counters_create(&fd, &reader, NULL), ERR_OK);
    cr_assert_eq(counters_map(fd, &writer, NULL), ERR_OK);
    counters_add_owned(&writer->slots[0].request_count, 3);
    counters_add(&writer->slots[COUNTERS_SLOT_COUNT - 1].request_count, 4);
    counters_add(&writer->slots[1].sent_bytes, 5);
    counters_read(reader, &total);
    cr_expect_eq(total.request_count, 7);
    cr_expect_eq(total.sent_bytes, 5);
    cr_expect_eq(total.accepted_count, 0);
    cr_expect_neq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    counters_unmap(writer);
    counters_unmap(reader);
    counters_unmap(NULL);
    close(fd);
}

Test(counters, refuse_descriptors_that_are_no_page)
{
    struct counters_page *page = NULL;
    struct err e = {0};
    int fd = memfd_create("other", MFD_CLOEXEC);

    cr_expect_eq(counters_map(fd, &page, &e), ERR_FORMAT, "empty");
    cr_assert_eq(ftruncate(fd, sizeof(struct counters_page)), 0);
    cr_expect_eq(counters_map(fd, &page, &e), ERR_FORMAT, "no magic");
    close(fd);
    cr_expect_eq(counters_map(fd, &page, &e), ERR_SYS, "closed");
    cr_expect_null(page);
}
