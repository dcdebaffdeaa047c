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

/* The keys of an item: a run of them on a CPU, else one; in the second launch all. */
#if CLADE_CPU
#define FIRST_KEY              ((uint)get_global_id(0) * CLADE_HASHMAP_RUN)
#define LAST_KEY(items, again) ((again) ? (items) : min(items, FIRST_KEY + CLADE_HASHMAP_RUN))
#define NEXT_KEY               1u
#else
#define FIRST_KEY              ((uint)get_global_id(0))
#define LAST_KEY(items, again) (items)
#define NEXT_KEY               ((uint)get_global_size(0))
#endif

/* What an item has to do. On a CPU a run has two rounds: in the first one come all keys, and those
 * that their homes do not settle are put off to the second one. By then their memory is there. */
typedef struct {
    uint came; /* keys that came or went, for count_run() */
#if CLADE_CPU
    uint has_rounds, first, end, later_count;
    clade_hashmap_run run;
    uchar later[CLADE_HASHMAP_RUN];
#endif
} run_work;

/* Begins the work, and asks for the memory of a run. */
static inline void begin_work(__global clade_hashmap_head *map,
                              __global const cladei_hashmap_key *keys, uint first, uint end,
                              uint again, run_work *work)
{
    work->came = 0;
#if CLADE_CPU
    work->first = first;
    work->end = end;
    work->later_count = 0;
    work->has_rounds = again == 0 && first < end &&
                       clade_hashmap_begin_run(map, keys + first, end - first, &work->run);
    if (work->has_rounds)
        clade_hashmap_ask_run(map, &work->run, end - first);
#else
    (void)map, (void)keys, (void)first, (void)end, (void)again;
#endif
}

/* The end of the turns, and the key of one. */
#if CLADE_CPU
#define END_TURN(end, work)    ((end) + (work).later_count)
#define TURN_KEY(n, end, work) ((n) < (end) ? (n) : (work).first + (work).later[(n) - (end)])
#else
#define END_TURN(end, work)    (end)
#define TURN_KEY(n, end, work) (n)
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

/* Whether the key of turn `n` was put off. */
static inline bool is_later(uint n, int status, const run_work *work)
{
#if CLADE_CPU
    return work->has_rounds && n < work->end && clade_hashmap_is_later(status);
#else
    (void)n, (void)status, (void)work;
    return false;
#endif
}

/* One key's change. On a CPU, where each addition to a shared counter costs as much as a look at a
 * bucket, `came` counts the keys that came or went, for count_run(). */
static inline int change_wi(__global clade_hashmap_head *map, cladei_hashmap_key key,
                            clade_hashmap_change *change, uint n, run_work *work)
{
#if CLADE_CPU
    const uint i = TURN_KEY(n, work->end, *work) - work->first;
    int status;
    if (!work->has_rounds)
        status = clade_hashmap_change_in_run(map, key, change);
    else if (n < work->end)
        status = clade_hashmap_change_near(map, clade_hashmap_place_in(&work->run, i, key), change);
    else
        status = clade_hashmap_change_at(map, clade_hashmap_place_in(&work->run, i, key), change);
    work->came += status == CLADE_OK ? 1u : 0u;
    if (is_later(n, status, work))
        work->later[work->later_count++] = (uchar)i;
    return status;
#else
    (void)n, (void)work;
    return clade_hashmap_do_change(map, key, change);
#endif
}

static inline void count_run(__global clade_hashmap_head *map, uint came)
{
#if CLADE_CPU
    if (came != 0u)
        cladei_hashmap_count(map, came);
#else
    (void)map, (void)came;
#endif
}

#if CLADE_PART == 0 || CLADE_PART == 1

__kernel void clade_hashmap_insert(__global clade_hashmap_head *map,
                                   __global const cladei_hashmap_key *keys, ulong first_key,
                                   __global const cladei_hashmap_value *values, ulong first_value,
                                   __global int *statuses, ulong first_status, uint count, uint has,
                                   uint again, __global clade_atomic_u32 *busy)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    const uint end = LAST_KEY(items, again);
    run_work work;
    uint n = FIRST_KEY;
    begin_work(map, keys + first_key, n, end, again, &work);
    for (; n < END_TURN(end, work); n += NEXT_KEY) {
        const uint i = cladei_busy_item_wi(TURN_KEY(n, end, work), again, busy);
        clade_hashmap_change change;
        change.what = CLADE_HM_INSERT;
        change.operand = (has & CLADE_HASHMAP_GIVEN_VALUES) ? values[first_value + i] : 0;
        change.expected = 0;
        const int status = change_wi(map, keys[first_key + i], &change, n, &work);
        if (!is_later(n, status, &work))
            finish(map, statuses, first_status, i, status, has, again, busy);
    }
    count_run(map, work.came);
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
    const uint end = LAST_KEY(items, again);
    run_work work;
    uint n = FIRST_KEY;
    begin_work(map, keys + first_key, n, end, again, &work);
    for (; n < END_TURN(end, work); n += NEXT_KEY) {
        const uint i = cladei_busy_item_wi(TURN_KEY(n, end, work), again, busy);
        clade_hashmap_change change;
        change.what = CLADE_HM_PUT;
        change.operand = (has & CLADE_HASHMAP_GIVEN_VALUES) ? values[first_value + i] : 0;
        change.expected = 0;
        const int status = change_wi(map, keys[first_key + i], &change, n, &work);
        if (!is_later(n, status, &work))
            finish(map, statuses, first_status, i, status, has, again, busy);
    }
    count_run(map, work.came);
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
    const uint end = LAST_KEY(items, again);
    run_work work;
    uint n = FIRST_KEY;
    begin_work(map, keys + first_key, n, end, again, &work);
    for (; n < END_TURN(end, work); n += NEXT_KEY) {
        const uint i = cladei_busy_item_wi(TURN_KEY(n, end, work), again, busy);
        clade_hashmap_change change;
        change.what = what;
        change.operand = values[first_value + i];
        change.expected = 0;
        const int status = change_wi(map, keys[first_key + i], &change, n, &work);
        if (!is_later(n, status, &work))
            finish(map, statuses, first_status, i, status, has, again, busy);
    }
    count_run(map, work.came);
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
    const uint end = LAST_KEY(items, again);
    run_work work;
    uint n = FIRST_KEY;
#if CLADE_CPU
    cladei_hashmap_key last = 0;
    int last_status = CLADE_E_BUSY; /* none yet */
    /* A map that was empty stays so while only erasures run: the others need not ask again. */
    const bool was_empty = again == 0 && clade_load_relaxed(&busy[CLADE_BUSY_EMPTY]) != 0u;
    if (was_empty ||
        (again == 0 && n < end && clade_hashmap_is_in_vain(map, keys + first_key + n, end - n))) {
        if (!was_empty)
            clade_store_relaxed(&busy[CLADE_BUSY_EMPTY], 1u);
        for (; n < end; n++)
            finish(map, statuses, first_status, n, CLADE_E_NOT_FOUND, has, again, busy);
        return;
    }
#endif
    begin_work(map, keys + first_key, n, end, again, &work);
    for (; n < END_TURN(end, work); n += NEXT_KEY) {
        const uint i = cladei_busy_item_wi(TURN_KEY(n, end, work), again, busy);
        clade_hashmap_change change;
        change.what = CLADE_HM_ERASE;
        change.operand = 0;
        change.expected = 0;
#if CLADE_CPU
        /* The key that this item has just erased, or found to be absent: this erasure comes right
         * after that one, before any other item's change of the key. */
        const cladei_hashmap_key key = keys[first_key + i];
        if (key != last || (last_status != CLADE_OK && last_status != CLADE_E_NOT_FOUND))
            last_status = change_wi(map, key, &change, n, &work);
        else
            last_status = CLADE_E_NOT_FOUND;
        const int status = last_status;
        last = key;
#else
        const int status = change_wi(map, keys[first_key + i], &change, n, &work);
#endif
        if ((has & CLADE_HASHMAP_GIVEN_VALUES) && status == CLADE_OK)
            values[first_value + i] = change.before;
        if (!is_later(n, status, &work))
            finish(map, statuses, first_status, i, status, has, again, busy);
    }
    count_run(map, 0u - work.came);
    finish_all(map, n, items, has, again, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 5

static inline void give(__global cladei_hashmap_value *values, ulong value_at,
                        __global int *statuses, ulong status_at, uint has, int status,
                        cladei_hashmap_value value)
{
    if ((has & CLADE_HASHMAP_GIVEN_VALUES) && status == CLADE_OK)
        values[value_at] = value;
    if (has & CLADE_HASHMAP_GIVEN_STATUSES)
        statuses[status_at] = status;
}

#if CLADE_HASHMAP_FOUR
/* The same of four keys. A value of a key that is not there is written as it was: no branch. */
static inline void give_four(__global cladei_hashmap_value *values, __global int *statuses,
                             uint has, long4 is_there, ulong4 given)
{
    if (has & CLADE_HASHMAP_GIVEN_VALUES)
        vstore4(select(vload4(0, values), convert_uint4(given), convert_int4(is_there)), 0, values);
    if (has & CLADE_HASHMAP_GIVEN_STATUSES)
        vstore4(select((int4)(CLADE_E_NOT_FOUND), (int4)(CLADE_OK), convert_int4(is_there)), 0,
                statuses);
}
#endif

__kernel void clade_hashmap_find(__global clade_hashmap_head *map,
                                 __global const cladei_hashmap_key *keys, ulong first_key,
                                 __global cladei_hashmap_value *values, ulong first_value,
                                 __global int *statuses, ulong first_status, uint count, uint has)
{
    const uint first = FIRST_KEY;
    cladei_hashmap_value value;
    if (first >= count)
        return;
    keys += first_key + first;
#if CLADE_CPU
    const uint n = min(count - first, CLADE_HASHMAP_RUN);
    uchar far[CLADE_HASHMAP_RUN];
    uint not_near = 0, far_count = 0;
    clade_hashmap_run run;
    if (!clade_hashmap_begin_run(map, keys, n, &run)) {
        for (uint i = 0; i < n && (has & CLADE_HASHMAP_GIVEN_STATUSES); i++)
            statuses[first_status + first + i] = CLADE_E_ARG;
        return;
    }
    clade_hashmap_ask_run(map, &run, n);
    uint next = 0;
#if CLADE_HASHMAP_FOUR
    ulong4 rest = (ulong4)(0ul), bits = (ulong4)(1ul, 2ul, 4ul, 8ul);
    for (; next + 4u <= n; next += 4u) {
        ulong4 last;
        const ulong4 words = clade_hashmap_peek_four(
            map, vload4(0, run.homes + next), convert_ulong4(vload4(0, run.images + next)), &last);
        const long4 is_there = words != 0ul;
        rest |= as_ulong4(last != 0ul) & ~as_ulong4(is_there) & bits;
        bits <<= 4ul;
        give_four(values + first_value + first + next, statuses + first_status + first + next, has,
                  is_there, words >> 32ul);
    }
    for (ulong left = rest.x | rest.y | rest.z | rest.w; left != 0ul; left &= left - 1ul) {
        const uint at = 63u - (uint)clz(left & (0ul - left));
        clade_hashmap_ask_word(run.words + run.homes[at]);
        far[not_near++] = (uchar)at;
    }
#endif
    for (uint i = next; i < n; i++) {
        const int status =
            clade_hashmap_find_near(map, clade_hashmap_place_in(&run, i, keys[i]), &value);
        const bool is_near = status != CLADE_HM_ELSEWHERE;
        clade_hashmap_ask_word(run.words + run.homes[is_near ? 0u : i]);
        far[not_near] = (uchar)i;
        not_near += is_near ? 0u : 1u;
        give(values, first_value + first + i, statuses, first_status + first + i, has,
             is_near ? status : CLADE_E_NOT_FOUND, value);
    }
    for (uint i = 0; i < not_near; i++) {
        const uchar at = far[i];
        far[far_count] = at;
        far_count += clade_hashmap_is_far(clade_hashmap_place_in(&run, at, keys[at])) ? 1u : 0u;
    }
    for (uint i = 0; i < far_count; i++)
        clade_hashmap_ask_far(map, clade_hashmap_place_in(&run, far[i], keys[far[i]]));
    for (uint i = 0; i < far_count; i++) {
        const int status =
            clade_hashmap_find_far(map, clade_hashmap_place_in(&run, far[i], keys[far[i]]), &value);
        give(values, first_value + first + far[i], statuses, first_status + first + far[i], has,
             status, value);
    }
#else
    const int status = clade_hashmap_find_wi(map, keys[0], &value);
    give(values, first_value + first, statuses, first_status + first, has, status, value);
#endif
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
