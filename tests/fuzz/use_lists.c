/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, as kernels use them. */
#define CLADE_SPIN_LIMIT 5000u
#include "host/device.h"

#include "clade/atomic.clh"

#define CLADE_LIST       map
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"
#define CLADE_LIST     wide
#define CLADE_LIST_KEY 64
#include "clade/list.clh"
#define CLADE_LIST sequence
#include "clade/dlist.clh"
#include "clade/list.clh"
#include "clade/queue.clh"
#undef min
#undef max

#include "fuzz/use.h"

enum { KEYS = 40 };

static uint begin(uint *state)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 64 };
    shim_self.global_id = shim_self.group_id = use_draw(state) % 64u;
    return use_draw(state);
}

void use_map(void *list, uint32_t state, uint32_t steps)
{
    while (steps-- > 0) {
        const uint what = begin(&state) % 5u, key = use_draw(&state) % KEYS;
        uint value = state;
        if (what < 2u)
            map_insert_wi(list, key, value);
        else if (what == 2u)
            map_put_wi(list, key, value);
        else if (what == 3u)
            map_erase_wi(list, key, &value);
        else
            map_find_wi(list, key, &value);
    }
}

void use_map_wide(void *list, uint32_t state, uint32_t steps)
{
    while (steps-- > 0) {
        const uint what = begin(&state) % 4u;
        const ulong key = (ulong)(use_draw(&state) % KEYS) << 30;
        uint value = 0;
        if (what < 2u)
            wide_insert_wi(list, key, 0u);
        else if (what == 2u)
            wide_erase_wi(list, key, &value);
        else
            wide_contains_wi(list, key);
    }
}

void use_sequence(void *list, uint32_t state, uint32_t steps)
{
    while (steps-- > 0) {
        const uint what = begin(&state) % 5u, key = use_draw(&state) % KEYS;
        if (what == 0u)
            sequence_insert_front_wi(list, key);
        else if (what == 1u)
            sequence_insert_after_wi(list, use_draw(&state) % KEYS, key);
        else if (what == 2u)
            sequence_erase_value_wi(list, key);
        else
            sequence_contains_value_wi(list, key);
    }
}

/* Refs that a user may have: of nodes, erased or not, of free cells, of none. */
void use_dlist(void *list, uint32_t state, uint32_t steps)
{
    const clade_dlist_head *head = list;
    while (steps-- > 0) {
        const uint what = begin(&state) % 7u;
        clade_ref target = use_draw(&state) % (head->capacity + 2u), node = CLADE_NIL;
        ulong value = state;
        if (use_draw(&state) % 2u)
            clade_dlist_next_wi(list, CLADE_NIL, &target);
        if (what == 0u)
            clade_dlist_insert_after_wi(list, target, value, &node);
        else if (what <= 2u)
            clade_dlist_insert_before_wi(list, target, value, &node);
        else if (what == 3u && target != CLADE_NIL)
            clade_dlist_erase_wi(list, target, &value);
        else if (what == 4u)
            clade_dlist_next_wi(list, target, &node);
        else if (what == 5u)
            clade_dlist_prev_wi(list, target, &node);
        else
            clade_dlist_get_wi(list, target, &value);
    }
}

void use_queue(void *queue, uint32_t state, uint32_t steps)
{
    uint value;
    while (steps-- > 0) {
        const uint what = begin(&state) % 5u;
        if (what < 2u)
            clade_queue_append_wi(queue, state & CLADE_QUEUE_VALUE_MAX);
        else if (what < 4u)
            clade_queue_pop_wi(queue, &value);
        else
            clade_queue_size_wi(queue);
    }
}
