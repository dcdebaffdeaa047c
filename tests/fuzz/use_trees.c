/* SPDX-License-Identifier: Apache-2.0 */
/* Trees and heaps, as kernels use them. */
#define CLADE_RBTREE_TRIES 200u
#include "host/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_LEAF_CAPACITY 3
#include "clade/rbtree.clh"

#define CLADE_ADHEAP_ARITY 8
#define CLADE_ADHEAP_KEY   CLADE_U32
#include "clade/adheap.clh"
#undef min
#undef max

#include "fuzz/use.h"

enum { KEYS = 60 };

static uint begin(uint *state)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 64 };
    shim_self.global_id = shim_self.group_id = use_draw(state) % 64u;
    return use_draw(state);
}

void use_rbtree(void *tree, uint32_t state, uint32_t steps)
{
    uint keys[8], values[8], count;
    while (steps-- > 0) {
        const uint what = begin(&state) % 10u;
        uint key = use_draw(&state) % KEYS, value = state;
        if (what < 3u)
            clade_rbtree_insert_wi(tree, key, value);
        else if (what == 3u)
            clade_rbtree_put_wi(tree, key, value);
        else if (what < 6u)
            clade_rbtree_erase_wi(tree, key, &value);
        else if (what == 6u)
            clade_rbtree_find_wi(tree, key, &value);
        else if (what == 7u)
            clade_rbtree_successor_wi(tree, &key, &value);
        else if (what == 8u)
            clade_rbtree_predecessor_wi(tree, &key, &value);
        else
            clade_rbtree_range_wi(tree, key, key + 9u, 8u, keys, values, &count);
    }
}

void use_adheap(void *heaps, uint32_t state, uint32_t steps)
{
    static uint path[CLADE_ADHEAP_PATH_WORDS];
    const clade_adheap_head *head = heaps;
    while (steps-- > 0) {
        const uint what = begin(&state) % 5u;
        const clade_adheap_one h =
            clade_adheap_open_wi(heaps, use_draw(&state) % head->heaps, path);
        uint key = use_draw(&state) % KEYS, value = state;
        if (what < 2u)
            clade_adheap_insert_sg(&h, key, value);
        else if (what == 2u)
            clade_adheap_pop_sg(&h, &key, &value);
        else if (what == 3u)
            clade_adheap_peek_sg(&h, &key, &value);
        else
            clade_adheap_update_sg(&h, use_draw(&state) % head->capacity, key, value);
    }
}
