/* SPDX-License-Identifier: Apache-2.0 */
/* The list, as kernels use it (tests/fuzz/use.h). */
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
#include "clade/list.clh"
#undef min
#undef max

#include "fuzz/use.h"
#include "list/fuzz.h"

enum { KEYS = 40 };

void use_map(void *list, uint32_t state, uint32_t steps)
{
    while (steps-- > 0) {
        const uint what = use_begin(&state) % 5u, key = use_draw(&state) % KEYS;
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
        const uint what = use_begin(&state) % 4u;
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
        const uint what = use_begin(&state) % 5u, key = use_draw(&state) % KEYS;
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
