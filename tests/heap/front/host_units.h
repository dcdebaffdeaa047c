/* SPDX-License-Identifier: Apache-2.0 */
/* Units of a front engine's pools, taken by a test so that few are left. After clade/heap.clh. */
#pragma once

typedef struct host_units {
    uint *list, count;
} host_units;

/* All units of a pool but `keep`. One item, at rest. */
static inline host_units host_units_hide(void *heap, uint pool, uint keep)
{
    clade_front_words head = heap, tokens = head + CLADE_FRONT_W_FREE + pool * CLADE_FRONT_LINE;
    host_units hidden = {
        calloc(clade_front_constant(head, CLADE_FRONT_C_COUNT + pool), sizeof(uint)), 0
    };
    while (clade_load_relaxed(tokens) > keep && clade_front_claim_wi(head, pool, 1u)) {
        hidden.list[hidden.count] = clade_front_take_wi(head, pool, hidden.count * 7919u);
        hidden.count++;
    }
    return hidden;
}

/* They are there again. */
static inline void host_units_show(void *heap, uint pool, host_units hidden)
{
    for (uint i = 0; i < hidden.count; i++)
        clade_front_free_wi(heap, pool, hidden.list[i]);
    free(hidden.list);
}
