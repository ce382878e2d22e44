// SPDX-License-Identifier: Apache-2.0
// How the driver's threads talk to the kernel. It changes the server's figures as well as the
// driver's: servers are compared under one of them only.
#ifndef COLLECTOR_DRIVER_DRIVER_IO_H
#define COLLECTOR_DRIVER_DRIVER_IO_H

#include <stdbool.h>

enum driver_io {
    DRIVER_IO_EPOLL, /* two calls a request */
    DRIVER_IO_URING, /* calls for many requests; where there is none, epoll (driver_totals) */
};
#define DRIVER_REASON_BYTES 160             /* why it is not the one asked for */
extern const char *const driver_io_names[]; /* "epoll", "uring" */

/* False: none of them; "io_uring" is one as well. */
bool driver_io_parse(const char *text, enum driver_io *io_out);

#endif
