/* SPDX-License-Identifier: Apache-2.0 */
/* Things that others borrow. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A thing that others borrow lives until its caller and all borrowers have let go of it. The word
 * counts the borrowers; it is one below 0 when nobody is left. Several host threads may hold and
 * let go at once. Each one that lets go releases what it did with the thing; the last one acquires
 * what all did. */
static inline void cladei_hold(uint32_t *borrowers)
{
    __atomic_fetch_add(borrowers, 1, __ATOMIC_RELAXED);
}

/* Whether that was the last one; the last one frees the thing. */
static inline bool cladei_let_go(uint32_t *borrowers)
{
    return __atomic_fetch_sub(borrowers, 1, __ATOMIC_ACQ_REL) == 0;
}
