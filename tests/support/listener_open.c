// SPDX-License-Identifier: Apache-2.0
// A listener of the test's own.
#include "tests/support/listener_open.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <sys/socket.h>

int listener_open(uint16_t *port_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_bytes = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(listen(fd, 8), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &address_bytes), 0);
    *port_out = ntohs(address.sin_port);
    return fd;
}
