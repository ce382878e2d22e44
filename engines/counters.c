// SPDX-License-Identifier: Apache-2.0
// The shared page of counters.
#include "engines/counters.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mapping of a descriptor; NULL with *e set when it cannot be had. */
static struct counters_page *page_map(int fd, struct err *e)
{
    void *page = mmap(NULL, sizeof(struct counters_page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_POPULATE, fd, 0);

    if (page == MAP_FAILED) {
        err_set_sys(e, "mapping the counters page");
        return NULL;
    }
    return page;
}

enum err_code counters_create(int *fd_out, struct counters_page **page_out, struct err *e)
{
    int fd = memfd_create("tacho-counters", MFD_CLOEXEC);

    if (fd < 0) {
        return err_set_sys(e, "making the counters page");
    }
    if (ftruncate(fd, sizeof(struct counters_page)) < 0) {
        err_set_sys(e, "sizing the counters page");
        close(fd);
        return ERR_SYS;
    }
    struct counters_page *page = page_map(fd, e);
    if (!page) {
        close(fd);
        return ERR_SYS;
    }
    page->magic = COUNTERS_MAGIC;
    page->size_bytes = sizeof(*page);
    *fd_out = fd;
    *page_out = page;
    return ERR_OK;
}

enum err_code counters_map(int fd, struct counters_page **page_out, struct err *e)
{
    struct stat status;

    if (fstat(fd, &status) < 0) {
        return err_set_sys(e, "counters descriptor %d", fd);
    }
    if (status.st_size != (off_t)sizeof(struct counters_page)) {
        return err_set(e, ERR_FORMAT, "descriptor %d is not a counters page", fd);
    }
    struct counters_page *page = page_map(fd, e);
    if (!page) {
        return ERR_SYS;
    }
    if (page->magic != COUNTERS_MAGIC || page->size_bytes != sizeof(*page)) {
        counters_unmap(page);
        return err_set(e, ERR_FORMAT, "descriptor %d is not a counters page of this version", fd);
    }
    *page_out = page;
    return ERR_OK;
}

void counters_unmap(struct counters_page *page)
{
    if (page) {
        munmap(page, sizeof(*page));
    }
}

void counters_read(const struct counters_page *page, struct counters_total *total_out)
{
    struct counters_total total = {0};

    for (int i = 0; i < COUNTERS_SLOT_COUNT; i++) {
        const struct counters_slot *slot = &page->slots[i];

        total.accepted_count += atomic_load_explicit(&slot->accepted_count, memory_order_relaxed);
        total.closed_count += atomic_load_explicit(&slot->closed_count, memory_order_relaxed);
        total.request_count += atomic_load_explicit(&slot->request_count, memory_order_relaxed);
        total.error_count += atomic_load_explicit(&slot->error_count, memory_order_relaxed);
        total.received_bytes += atomic_load_explicit(&slot->received_bytes, memory_order_relaxed);
        total.sent_bytes += atomic_load_explicit(&slot->sent_bytes, memory_order_relaxed);
    }
    *total_out = total;
}
