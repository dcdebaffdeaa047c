/* SPDX-License-Identifier: Apache-2.0 */
/* PATIENCE  with an operation that is BUSY: on a machine with other work whoever holds a lock may
 * be without a core for longer than the bound of tries takes. Nothing was done then, so the
 * operation is tried again. Include host/device.h first. */
#pragma once

#include <time.h>

enum { PATIENCE_MOST = 200 };

/* Waits a moment; false when all items together have waited so often that more than load must be
 * the reason. */
static inline bool patience(volatile _Atomic uint *busy)
{
    if (SHIM_FETCH(add, busy, 1u, memory_order_relaxed) >= PATIENCE_MOST)
        return false;
    nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
    return true;
}
