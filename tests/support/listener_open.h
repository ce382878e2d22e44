// SPDX-License-Identifier: Apache-2.0
// A listener of the test's own: what has a port before the server under test.
#ifndef TESTS_SUPPORT_LISTENER_OPEN_H
#define TESTS_SUPPORT_LISTENER_OPEN_H

#include <stdint.h>

/* Listens on 127.0.0.1 at a free port, and answers nothing. Returns the socket, for close. */
int listener_open(uint16_t *port_out);

#endif
