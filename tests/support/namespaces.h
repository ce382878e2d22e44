// SPDX-License-Identifier: Apache-2.0
// What this machine lets an ordinary user do: a chroot or a strict kernel gives no namespaces.
#ifndef TESTS_SUPPORT_NAMESPACES_H
#define TESTS_SUPPORT_NAMESPACES_H

#include <stdbool.h>

#define NAMESPACES_MISSING                                                                         \
    "an ordinary user gets no namespaces here (a chroot, or a kernel setting)"

/* Whether nobody, or this user where that is not root, can make a user namespace: asked of the
 * kernel by a process of its own. source user_namespaces(7) */
bool namespaces_are_for_users(void);

/* Moves this process into a network of its own whose one interface, lo, has 101 local ports;
 * tcp_tw_reuse becomes `reuse`. False: not allowed. */
bool namespaces_limit_ports(const char *reuse);

#endif
