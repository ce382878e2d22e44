// SPDX-License-Identifier: Apache-2.0
// Inside the driver: the memory of its threads, which is all there before the load begins.
#ifndef COLLECTOR_DRIVER_DRIVER_MEMORY_H
#define COLLECTOR_DRIVER_DRIVER_MEMORY_H

#include <stddef.h>

#include "collector/driver/driver_thread.h"

/* How much driver_memory_lay needs. */
size_t driver_memory_bytes(const struct driver_config *config);

/* Lays the threads, their connections and the requests of control->config into zeroed memory and
 * fills control->kinds. */
struct driver_thread *driver_memory_lay(struct driver_control *control, char *memory);

#endif
