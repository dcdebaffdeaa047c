/* SPDX-License-Identifier: Apache-2.0 */
/* Calls while the heap lacks units, or somebody who does not go on is in the way; and a pop whose
 * last key goes meanwhile. */
#pragma once

#include "heap/front/steps/fenced.h"
#include "heap/front/steps/turns.h"

/* For some calls the heap lacks units, or somebody who does not go on is in the way. */
static void in_trouble(uint at)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint kind = draw(6), owned = word(CLADE_FRONT_W_WORD), calls = 1 + draw(6);
    const uint pool = kind < 3 ? kind : CLADE_FRONT_POOL_LEAVES,
               keep_units = draw(4) ? draw(30) : 0;
    host_units hidden = { NULL, 0 };
    uint leaf = 0;
    if (kind < 3)
        hidden = host_units_hide(heap, pool, keep_units);
    if (kind == 3)
        set(CLADE_FRONT_W_WORD, owned & ~CLADE_FRONT_GUARD_HIGH);
    if (kind == 4) { /* the leaf after the bound */
        const image bound = word(CLADE_FRONT_W_BOUNDED)
                                ? clade_heap_front_load_key(h.head + CLADE_FRONT_W_BOUND) + 1
                                : 0;
        const uint ref = clade_heap_front_walk_wi(h, bound).ref;
        leaf = ref == CLADE_FRONT_DRAINED ? 0 : ref >> 1;
        if (leaf != 0)
            clade_store_relaxed(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_LOCK, 1u);
    }
    const uint stamp_at = (uint)(clade_heap_front_leaf(h, leaf) - h.head) + CLADE_FRONT_L_STAMP;
    const uint stamp = word(stamp_at);
    clade_front_words next = h.epochs + clade_heap_front_next_tag(owned) * CLADE_FRONT_E_WORDS;
    static uint described[CLADE_FRONT_E_WORDS];
    if (kind == 5) {
        clade_sub_relaxed(next + CLADE_FRONT_E_COPIED, 1u);
        memcpy(described, (const void *)next, sizeof described);
    }
    for (uint i = 0; i < calls; i++) {
        if (kind < 3 && draw(6) == 0) {
            spill(keep_some(), true);
        } else if (draw(2)) {
            const uint n = some();
            fill_call(n, at);
            if (size + n <= capacity && next_id + n <= MOST)
                insert(n, true);
        } else {
            pop(some(), true);
        }
    }
    if (kind == 5) {
        expect(memcmp(described, (const void *)next, sizeof described) == 0,
               "a front is described anew while somebody reads it", step_at, world_at);
        clade_add_relaxed(next + CLADE_FRONT_E_COPIED, 1u);
    }
    if (leaf != 0 && word(stamp_at) == stamp) {
        expect(clade_load_relaxed(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_LOCK) != 0,
               "somebody else's lock was given back", leaf, step_at);
        clade_store_relaxed(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_LOCK, 0u);
    }
    if (kind == 3)
        set(CLADE_FRONT_W_WORD, word(CLADE_FRONT_W_WORD) | CLADE_FRONT_GUARD_HIGH);
    if (kind < 3) {
        hides = true;
        host_units_show(heap, pool, hidden);
        hides = false;
    }
}

/* Of an empty heap, while somebody owns its front and has one more key, which is gone when this pop
 * looks again. A unit is ready to be free then: the pop's end takes it while other items may be at
 * what the look saw. */
static void pop_late(void)
{
#if !CLADE_GROUP_SCALAR
    clade_front_words head = heap;
    const uint front = word(CLADE_FRONT_W_WORD);
    expect(clade_front_claim_wi(head, CLADE_FRONT_POOL_LEAVES, 1u), "a unit to be free", 0, 0);
    const uint unit = clade_front_take_wi(head, CLADE_FRONT_POOL_LEAVES, 1u) << 1;
    clade_store_relaxed(clade_front_next_of(head, unit), word(CLADE_FRONT_W_READY));
    set(CLADE_FRONT_W_READY, unit);
    set(CLADE_FRONT_W_WORD, front & ~CLADE_FRONT_GUARD_HIGH);
    set(CLADE_FRONT_W_SIZE, 1u);
    empty_at = 20; /* in one of its rounds of help */
    pop(BATCH, false);
    expect(empty_at == 0, "the last key has not gone", empty_at, world_at);
    expect(word(CLADE_FRONT_W_READY) != unit, "a unit is still ready", unit, world_at);
    set(CLADE_FRONT_W_WORD, front);
    check();
#endif
}
