/* SPDX-License-Identifier: Apache-2.0 */
/* The host's half of a HOST bridge: taking a kernel's call and writing its log back. No OpenCL
 * here: the tests run it on threads against the device's half. The states, and who may change them
 * when, are in cl/clade/adheap/bridge.clh. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "clade/shared/adheap.h"

/* One heap, in memory that host and device share. */
struct cladei_adheap_log {
    clade_u32 *head;
    clade_u32 *values; /* NULL: none */
    clade_u32 capacity;
    bool wide; /* 64-bit keys */
};

/* Write `most` entries of the log back, or all, and then say so. Replaying is writing the same
 * words again, so it may be done twice, by anybody, in part or in whole. False when the log makes
 * no sense. */
static inline bool cladei_adheap_replay(const struct cladei_adheap_log *h, clade_u32 most)
{
    const clade_u32 count = h->head[CLADE_ADHEAP_BRIDGE], entry_words = h->wide ? 4u : 3u;
    const clade_u32 *log = h->head + (h->wide ? CLADE_ADHEAP_LOG_WIDE : CLADE_ADHEAP_LOG);
    clade_u32 *words = h->head + CLADE_ADHEAP_ROOT * (h->wide ? 2u : 1u);
    if (count > CLADE_ADHEAP_LEVELS + 1u)
        return false;
    for (clade_u32 i = 0; i < count && i < most; i++) {
        const clade_u32 *entry = log + (size_t)i * entry_words;
        const size_t node = entry[0];
        if (node >= h->capacity)
            return false;
        words[h->wide ? 2 * node : node] = entry[1];
        if (h->wide)
            words[2 * node + 1] = entry[2];
        if (h->values)
            h->values[node] = entry[entry_words - 1u];
    }
    if (most >= count)
        h->head[CLADE_ADHEAP_BRIDGE] = 0;
    return true;
}

/* Take the call of one slot, if there is one. */
static inline bool cladei_adheap_take(clade_u32 *slot)
{
    clade_u32 asked = CLADE_ADHEAP_ASKED;
    return __atomic_load_n(&slot[CLADE_ADHEAP_SLOT_STATE], __ATOMIC_RELAXED) == asked &&
           __atomic_compare_exchange_n(&slot[CLADE_ADHEAP_SLOT_STATE], &asked, CLADE_ADHEAP_TAKEN,
                                       false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); /* [C2] */
}

static inline void cladei_adheap_give(clade_u32 *slot)
{
    __atomic_store_n(&slot[CLADE_ADHEAP_SLOT_STATE], CLADE_ADHEAP_IDLE,
                     __ATOMIC_RELEASE); /* [C3] */
}
