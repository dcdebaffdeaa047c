/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_hashmap_*: one work-item a key; launched by lib/hashmap/. Types come as
 * options (CLADE_HASHMAP_KEY_TYPE, ...). Arrays come as a buffer and the first element's index.
 *
 * What the library can ask for (`cladec --check`): every key, values by their width, both forms.
 * Check: CLADE_HASHMAP_KEY_TYPE=1,2,4,5 CLADE_HASHMAP_VALUE_TYPE=1,0,2,3,4,5,6
 * Check: CLADE_HASHMAP_KEY_TYPE=2 CLADE_HASHMAP_VALUE_TYPE=0,2 CLADE_HASHMAP_FORM=2
 */

#include "clade/hashmap/types.clh"
#include "clade/base/busy.clh"
#include "clade/hashmap.clh"

/* Which kernels: 1 insert, 2 put, 3 update, 4 erase, 5 find and read, 6 move; 0 all. */
#ifndef CLADE_PART
#define CLADE_PART 0
#endif

/* All items of a group come here, before they change what belongs to their keys. */
#if CLADE_HM_AHEAD
#define ASK_AHEAD(is_one, key)                   \
    do {                                         \
        if (is_one)                              \
            clade_hashmap_prefetch_wi(map, key); \
        clade_barrier_local();                   \
    } while (0)
#else
#define ASK_AHEAD(is_one, key) (void)0
#endif

/* The end of an item, and of all turns. */
static inline void finish(__global clade_hashmap_head *map, __global int *statuses, ulong first,
                          uint i, int status, uint has, uint again, __global clade_atomic_u32 *busy)
{
    cladei_busy_finish_wi(&map->object, has & CLADE_HASHMAP_GIVEN_STATUSES, statuses, first, i,
                          status, again, busy);
}

static inline void finish_all(__global clade_hashmap_head *map, uint n, uint items, uint has,
                              uint again, __global clade_atomic_u32 *busy)
{
    cladei_busy_rest_wi(&map->object, has & CLADE_HASHMAP_GIVEN_STATUSES, n, items, again, busy);
}

#if CLADE_PART == 0 || CLADE_PART == 1

__kernel void clade_hashmap_insert(__global clade_hashmap_head *map,
                                   __global const cladei_hashmap_key *keys, ulong first_key,
                                   __global const cladei_hashmap_value *values, ulong first_value,
                                   __global int *statuses, ulong first_status, uint count, uint has,
                                   uint again, __global clade_atomic_u32 *busy)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    uint n = (uint)get_global_id(0);
    ASK_AHEAD(again == 0 && n < items, keys[first_key + n]);
    for (; n < items; n += (uint)get_global_size(0)) {
        const uint i = cladei_busy_item_wi(n, again, busy);
        const cladei_hashmap_value value =
            (has & CLADE_HASHMAP_GIVEN_VALUES) ? values[first_value + i] : 0;
        const int status = clade_hashmap_insert_wi(map, keys[first_key + i], value);
        finish(map, statuses, first_status, i, status, has, again, busy);
    }
    finish_all(map, n, items, has, again, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 2

__kernel void clade_hashmap_put(__global clade_hashmap_head *map,
                                __global const cladei_hashmap_key *keys, ulong first_key,
                                __global const cladei_hashmap_value *values, ulong first_value,
                                __global int *statuses, ulong first_status, uint count, uint has,
                                uint again, __global clade_atomic_u32 *busy)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    uint n = (uint)get_global_id(0);
    ASK_AHEAD(again == 0 && n < items, keys[first_key + n]);
    for (; n < items; n += (uint)get_global_size(0)) {
        const uint i = cladei_busy_item_wi(n, again, busy);
        const cladei_hashmap_value value =
            (has & CLADE_HASHMAP_GIVEN_VALUES) ? values[first_value + i] : 0;
        const int status = clade_hashmap_put_wi(map, keys[first_key + i], value);
        finish(map, statuses, first_status, i, status, has, again, busy);
    }
    finish_all(map, n, items, has, again, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 3

__kernel void clade_hashmap_update(__global clade_hashmap_head *map,
                                   __global const cladei_hashmap_key *keys, ulong first_key,
                                   __global const cladei_hashmap_value *values, ulong first_value,
                                   __global int *statuses, ulong first_status, uint count, uint has,
                                   uint again, __global clade_atomic_u32 *busy, uint what)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    uint n = (uint)get_global_id(0);
    ASK_AHEAD(again == 0 && n < items, keys[first_key + n]);
    for (; n < items; n += (uint)get_global_size(0)) {
        const uint i = cladei_busy_item_wi(n, again, busy);
        cladei_hashmap_value before;
        const int status = clade_hashmap_update_wi(map, keys[first_key + i],
                                                   values[first_value + i], what, &before);
        finish(map, statuses, first_status, i, status, has, again, busy);
    }
    finish_all(map, n, items, has, again, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 4

__kernel void clade_hashmap_erase(__global clade_hashmap_head *map,
                                  __global const cladei_hashmap_key *keys, ulong first_key,
                                  __global cladei_hashmap_value *values, ulong first_value,
                                  __global int *statuses, ulong first_status, uint count, uint has,
                                  uint again, __global clade_atomic_u32 *busy)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    uint n = (uint)get_global_id(0);
    ASK_AHEAD(again == 0 && n < items, keys[first_key + n]);
    for (; n < items; n += (uint)get_global_size(0)) {
        const uint i = cladei_busy_item_wi(n, again, busy);
        cladei_hashmap_value value;
        const int status = clade_hashmap_erase_wi(map, keys[first_key + i], &value);
        if ((has & CLADE_HASHMAP_GIVEN_VALUES) && status == CLADE_OK)
            values[first_value + i] = value;
        finish(map, statuses, first_status, i, status, has, again, busy);
    }
    finish_all(map, n, items, has, again, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 5

/* Find in three steps, and between them the items of a group meet: they ask for their keys' homes,
 * look there, and the few that have to look elsewhere do so. */
#if CLADE_HM_AHEAD
#define FIND(status, is_one, key, value)                          \
    do {                                                          \
        clade_hashmap_place at;                                   \
        status = CLADE_E_ARG;                                     \
        if ((is_one) && clade_hashmap_ask_home(map, key, &at))    \
            status = CLADE_OK;                                    \
        clade_barrier_local();                                    \
        if (status == CLADE_OK)                                   \
            status = clade_hashmap_find_at_home(map, at, &value); \
        clade_barrier_local();                                    \
        if (status == CLADE_E_BUSY)                               \
            status = clade_hashmap_find_at(map, at, &value);      \
    } while (0)
#else
#define FIND(status, is_one, key, value) \
    if (is_one)                          \
    status = clade_hashmap_find_wi(map, key, &value)
#endif

__kernel void clade_hashmap_find(__global clade_hashmap_head *map,
                                 __global const cladei_hashmap_key *keys, ulong first_key,
                                 __global cladei_hashmap_value *values, ulong first_value,
                                 __global int *statuses, ulong first_status, uint count, uint has)
{
    const uint i = (uint)get_global_id(0);
    cladei_hashmap_value value;
    int status;
    FIND(status, i < count, keys[first_key + i], value);
    if (i >= count)
        return;
    if ((has & CLADE_HASHMAP_GIVEN_VALUES) && status == CLADE_OK)
        values[first_value + i] = value;
    if (has & CLADE_HASHMAP_GIVEN_STATUSES)
        statuses[first_status + i] = status;
}

/* All entries, in no order: items that run together take room by one step. `got` counts them. */
__kernel void clade_hashmap_read(__global clade_hashmap_head *map,
                                 __global cladei_hashmap_key *keys, ulong first_key,
                                 __global cladei_hashmap_value *values, ulong first_value, uint has,
                                 uint room, __global clade_atomic_u32 *got)
{
    const uint place = (uint)get_global_id(0);
    cladei_hashmap_key key;
    cladei_hashmap_value value;
    if (clade_hashmap_entry_wi(map, place, &key, &value) != CLADE_OK)
        return;
    const uint set = clade_peers_active(), lane = clade_peers_lane();
    const uint leader = clade_peers_first(set);
    uint first = 0;
    if (lane == leader)
        first = clade_add_relaxed(&got[0], (uint)popcount(set));
    const uint i = clade_peers_shuffle(set, first, leader) + clade_peers_rank(set, lane);
    if (i >= room)
        return;
    if (has & CLADE_HASHMAP_GIVEN_KEYS)
        keys[first_key + i] = key;
    if (has & CLADE_HASHMAP_GIVEN_VALUES)
        values[first_value + i] = value;
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 6

/* Bring all entries of a map into another one. What others were in the way of is PRESENT, or not,
 * when the launch is done again. */
__kernel void clade_hashmap_move(__global clade_hashmap_head *from, __global clade_hashmap_head *to)
{
    const uint place = (uint)get_global_id(0);
    cladei_hashmap_key key;
    cladei_hashmap_value value;
    if (clade_hashmap_entry_wi(from, place, &key, &value) != CLADE_OK)
        return;
    const int status = clade_hashmap_insert_wi(to, key, value);
    if (status < 0)
        cladei_object_note_wi(&to->object, status, place);
}

#endif
