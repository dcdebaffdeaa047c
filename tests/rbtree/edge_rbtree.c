/* SPDX-License-Identifier: Apache-2.0 */
/* The tree by one item, then ranges and inserts by whole groups: every status, entry, limit and
 * neighbour against a model, with keys at both ends of the key type, and nothing tried twice when
 * nobody else is there. A range's outputs end where the range does. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rbtree/words.h"

#ifndef LEAF_CAPACITY
#define LEAF_CAPACITY 3
#endif
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#ifndef KEY
#define KEY CLADE_U32
#endif
#define CLADE_RBTREE_KEY_TYPE KEY
#include "clade/rbtree.clh"
#undef min
#undef max

#include "rbtree/rbtree_memory.h"

#if KEY == CLADE_I64
typedef long key_type;
#define STEP  0x0a00000000000000ul
#define LEAST INT64_MIN
#define LAST  INT64_MAX
#else
typedef uint key_type;
#define STEP  0x0a000000u
#define LEAST 0u
#define LAST  0xffffffffu
#endif

enum { KEYS = 24, LEAVES = 64, MOST = 33, GUARD = 0x5a5a5a5a };

struct job {
    void *tree;
    uint there[KEYS], value[KEYS]; /* the model */
    key_type low[MOST], high[MOST], *out_keys;
    uint active[MOST], limit, count[MOST];
    int status[MOST];
    uint key[MOST], *out_values;
    uint alone; /* one item at a time did all since the tree was empty */
    uint wrong;
};

static uint random_state;

static uint draw(uint bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/* Keys that go on at the least one after the last. */
static key_type plus(key_type key, ulong more)
{
    return (key_type)((ulong)key + more);
}

/* Ascending; neighbours among them, and both ends. */
static key_type key_of(uint i)
{
    return plus(LEAST, i < 6 ? i : i >= KEYS - 4 ? 0ul - (KEYS - i) : i * STEP + i % 3);
}

static void expect(struct job *job, int holds, const char *what, key_type key, uint more)
{
    if (!holds && job->wrong++ < 8)
        printf("%s: key %#lx, %u\n", what, (ulong)key, more);
}

static void put(struct job *job, uint i, uint value, int may_replace)
{
    const int was = (int)job->there[i];
    const int status = may_replace ? clade_rbtree_put_wi(job->tree, key_of(i), value)
                                   : clade_rbtree_insert_wi(job->tree, key_of(i), value);
    expect(job, status == (was ? CLADE_RBTREE_PRESENT : CLADE_OK), "put", key_of(i), (uint)status);
    if (!was || may_replace)
        job->value[i] = value;
    job->there[i] = 1;
}

static void take(struct job *job, uint i)
{
    uint value = 0;
    const int status = clade_rbtree_erase_wi(job->tree, key_of(i), &value);
    expect(job, status == (job->there[i] ? CLADE_OK : CLADE_E_NOT_FOUND), "erase", key_of(i),
           (uint)status);
    expect(job, !job->there[i] || value == job->value[i], "erased value", key_of(i), value);
    job->there[i] = 0;
}

/* The nearest key of the model from `from` on, or KEYS. */
static uint nearest(const struct job *job, key_type from, int up, int strict)
{
    uint found = KEYS;
    for (uint i = 0; i < KEYS; i++) {
        const key_type key = key_of(i);
        const int fits =
            up ? key > from || (key == from && !strict) : key < from || (key == from && !strict);
        if (job->there[i] && fits && (found == KEYS || !up))
            found = i;
    }
    return found;
}

static void check_seek(struct job *job, key_type from)
{
    for (int way = 0; way < 6; way++) {
        const int up = way < 3, strict = way % 3 == 1, extreme = way % 3 == 2;
        const uint at =
            extreme ? nearest(job, up ? LEAST : LAST, up, 0) : nearest(job, from, up, strict);
        key_type key = from;
        uint value = 0;
        const int status = way == 0   ? clade_rbtree_lower_bound_wi(job->tree, &key, &value)
                           : way == 1 ? clade_rbtree_successor_wi(job->tree, &key, &value)
                           : way == 2 ? clade_rbtree_min_wi(job->tree, &key, &value)
                           : way == 3 ? clade_rbtree_floor_wi(job->tree, &key, &value)
                           : way == 4 ? clade_rbtree_predecessor_wi(job->tree, &key, &value)
                                      : clade_rbtree_max_wi(job->tree, &key, &value);
        expect(job, status == (at == KEYS ? CLADE_E_NOT_FOUND : CLADE_OK), "seek", from, (uint)way);
        expect(job, status != CLADE_OK || (key == key_of(at) && value == job->value[at]), "found",
               from, (uint)way);
    }
}

/* What a range of at most `limit` has to give; GUARD stands behind it. */
static void check_entries(struct job *job, key_type low, key_type high, uint count,
                          const key_type *keys, const uint *values)
{
    uint n = 0;
    for (uint i = 0; i < KEYS && n < job->limit; i++)
        if (job->there[i] && low <= key_of(i) && key_of(i) <= high) {
            expect(job, keys[n] == key_of(i) && (!values || values[n] == job->value[i]),
                   "range entry", low, n);
            n++;
        }
    expect(job, count == n, "range count", low, count);
    for (uint i = n; i < job->limit; i++)
        expect(job, keys[i] == GUARD && (!values || values[i] == GUARD), "behind a range", low, i);
}

/* Exactly as large as the limit says: more is a fault. */
static void new_outputs(struct job *job, uint items)
{
    const size_t words = (size_t)items * job->limit;
    job->out_keys = malloc(words * sizeof(key_type) + !words);
    job->out_values = malloc(words * sizeof(uint) + !words);
    for (size_t i = 0; i < words; i++)
        job->out_keys[i] = job->out_values[i] = GUARD;
}

static void free_outputs(struct job *job)
{
    free(job->out_keys);
    free(job->out_values);
}

static void check_range(struct job *job, key_type low, key_type high)
{
    for (int still = 0; still < 3; still++) {
        uint count = GUARD;
        new_outputs(job, 1);
        uint *values = still == 2 ? NULL : job->out_values;
        const int status = still ? clade_rbtree_range_still_wi(job->tree, low, high, job->limit,
                                                               job->out_keys, values, &count)
                                 : clade_rbtree_range_wi(job->tree, low, high, job->limit,
                                                         job->out_keys, values, &count);
        expect(job, status == CLADE_OK, "range", low, (uint)status);
        check_entries(job, low, high, count, job->out_keys, values);
        free_outputs(job);
    }
}

/* The same from above: what the limit cuts off are the smallest keys. */
static void check_range_down(struct job *job, key_type low, key_type high)
{
    for (int still = 0; still < 3; still++) {
        uint count = GUARD, n = 0;
        new_outputs(job, 1);
        uint *values = still == 2 ? NULL : job->out_values;
        const int status = still
                               ? clade_rbtree_range_down_still_wi(job->tree, low, high, job->limit,
                                                                  job->out_keys, values, &count)
                               : clade_rbtree_range_down_wi(job->tree, low, high, job->limit,
                                                            job->out_keys, values, &count);
        expect(job, status == CLADE_OK, "range down", high, (uint)status);
        for (uint i = KEYS; i-- > 0 && n < job->limit;)
            if (job->there[i] && low <= key_of(i) && key_of(i) <= high) {
                expect(job,
                       job->out_keys[n] == key_of(i) && (!values || values[n] == job->value[i]),
                       "range down entry", high, n);
                n++;
            }
        expect(job, count == n, "range down count", high, count);
        for (uint i = n; i < job->limit; i++)
            expect(job, job->out_keys[i] == GUARD && (!values || values[i] == GUARD),
                   "behind a range down", high, i);
        free_outputs(job);
    }
}

static key_type any_bound(void)
{
    return plus(key_of(draw(KEYS)), draw(3) - 1ul);
}

static void range_item(void *argument, void *local)
{
    struct job *job = argument;
    const size_t i = get_local_id(0);
    job->status[i] =
        clade_rbtree_range_still_wg(job->tree, job->low[i], job->high[i], job->limit, job->out_keys,
                                    job->out_values, &job->count[i], job->active[i] != 0, local);
}

static void put_item(void *argument, void *local)
{
    struct job *job = argument;
    const size_t i = get_local_id(0);
    job->status[i] = clade_rbtree_insert_wg(job->tree, key_of(job->key[i]), (uint)i + 1000u,
                                            job->active[i] != 0, local);
}

static void check_group_range(struct job *job, uint items)
{
    job->limit = draw(5) == 0 ? 0 : 1 + draw(9);
    for (uint i = 0; i < items; i++) {
        job->low[i] = any_bound();
        job->high[i] = draw(3) ? plus(job->low[i], draw(64) * (STEP / 16)) : any_bound();
        job->active[i] = draw(4) != 0;
        job->count[i] = GUARD;
    }
    new_outputs(job, items);
    shim_launch(range_item, job, 1, items, sizeof(clade_rbtree_range_scratch));
    for (uint i = 0; i < items; i++) {
        const key_type low = job->active[i] ? job->low[i] : 1u,
                       high = job->active[i] ? job->high[i] : 0u;
        expect(job, job->status[i] == CLADE_OK, "group range", low, i);
        check_entries(job, low, high, job->count[i], job->out_keys + (size_t)i * job->limit,
                      job->out_values + (size_t)i * job->limit);
    }
    free_outputs(job);
}

/* Of several items with one key exactly one puts it in. */
static void check_group_put(struct job *job, uint items)
{
    uint winners[KEYS] = { 0 };
    job->alone = 0;
    for (uint i = 0; i < items; i++) {
        job->key[i] = draw(KEYS);
        job->active[i] = draw(5) != 0;
    }
    shim_launch(put_item, job, 1, items, sizeof(clade_rbtree_scratch));
    for (uint i = 0; i < items; i++) {
        const uint key = job->key[i];
        const int may_be_new = job->active[i] && !job->there[key];
        if (may_be_new && job->status[i] == CLADE_OK) {
            winners[key]++;
            job->value[key] = i + 1000u;
        } else {
            expect(job, job->status[i] == (job->active[i] ? CLADE_RBTREE_PRESENT : CLADE_OK),
                   "group put", key_of(key), i);
        }
    }
    for (uint i = 0; i < items; i++)
        if (job->active[i] && !job->there[job->key[i]])
            expect(job, winners[job->key[i]] == 1, "who put it in", key_of(job->key[i]),
                   winners[job->key[i]]);
    for (uint i = 0; i < KEYS; i++)
        job->there[i] |= winners[i];
}

/* Whom nobody is in the way of joins an empty leaf to its neighbour at once, however full that is.
 */
static void check_leaves(struct job *job)
{
    const uint used = ((const clade_rbtree_head *)job->tree)->leaves_used;
    uint live = 0, empty_ones = 0;
    for (uint i = 0; i < used; i++) {
        const clade_rbtree_leaf *leaf = clade_rbtree_leaf_at(clade_rbtree_open(job->tree), i);
        const bool is_live = !(leaf->meta & CLADE_RBTREE_DEAD);
        live += is_live;
        empty_ones += is_live && CLADE_RBTREE_COUNT(leaf->link) == 0;
    }
    expect(job, !job->alone || live == 1 || empty_ones == 0, "empty leaves", live, empty_ones);
}

static void check_all(struct job *job)
{
    check_leaves(job);
    uint64_t size = 0;
    uint model = 0;
    const clade_rbtree_head *head = job->tree;
    const char *why = rbtree_memory_check(job->tree, LEAVES, LEAF_CAPACITY, &size);
    for (uint i = 0; i < KEYS; i++) {
        uint value = 0, still = 0;
        const int wanted = job->there[i] ? CLADE_OK : CLADE_E_NOT_FOUND;
        model += job->there[i];
        expect(job, clade_rbtree_find_wi(job->tree, key_of(i), &value) == wanted, "find", key_of(i),
               value);
        expect(job, clade_rbtree_find_still_wi(job->tree, key_of(i), &still) == wanted,
               "find still", key_of(i), still);
        expect(job, !job->there[i] || (value == job->value[i] && still == value), "its value",
               key_of(i), value);
        for (uint by = 0; by < 3; by++)
            check_seek(job, plus(key_of(i), by - 1ul));
    }
    for (uint i = 0; i < 12; i++) {
        const key_type low = any_bound();
        job->limit = draw(4) == 0 ? 0 : 1 + draw(KEYS + 2);
        check_range(job, low, draw(3) ? any_bound() : draw(2) ? low : LAST);
        check_range_down(job, low, draw(3) ? any_bound() : draw(2) ? low : LAST);
    }
    expect(job, !why && size == model, why ? why : "another size", 0, (uint)size);
    for (uint i = 0; i < CLADE_RBTREE_COUNTER_SHARDS; i++)
        expect(job,
               !job->alone ||
                   (head->counters[i * CLADE_RBTREE_COUNTERS + CLADE_RBTREE_RETRIES] == 0 &&
                    head->counters[i * CLADE_RBTREE_COUNTERS + CLADE_RBTREE_BUSY] == 0),
               "tried again though nobody is there", 0, i);
}

static void empty(struct job *job)
{
    const size_t bytes = (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 15u) / 16u * 16u;
    free(job->tree);
    job->tree = aligned_alloc(16, bytes);
    memset(job->tree, 0, bytes);
    rbtree_memory_make(job->tree, LEAVES, LEAF_CAPACITY);
    memset(job->there, 0, sizeof job->there);
    job->alone = 1;
}

/* Keys that come in order fill their leaves, upwards and downwards. */
static void check_order(struct job *job, int up)
{
    empty(job);
    for (uint i = 0; i < KEYS; i++)
        put(job, up ? i : KEYS - 1 - i, i, 0);
    const uint used = ((const clade_rbtree_head *)job->tree)->leaves_used;
    expect(job, used == (KEYS + LEAF_CAPACITY - 1) / LEAF_CAPACITY, "leaves of keys in order",
           (uint)up, used);
    check_all(job);
}

/* A key in the middle of the only leaf splits it in halves, which then have room. */
static void check_halves(struct job *job)
{
    empty(job);
    for (uint i = 1; i <= LEAF_CAPACITY; i++)
        clade_rbtree_insert_wi(job->tree, i * 10, i);
    clade_rbtree_insert_wi(job->tree, LEAF_CAPACITY * 10 - 5, 1);
    clade_rbtree_insert_wi(job->tree, LEAF_CAPACITY * 10 - 7, 1);
    const uint used = ((const clade_rbtree_head *)job->tree)->leaves_used;
    expect(job, LEAF_CAPACITY < 3 || used == 2, "leaves after a split in the middle", LEAF_CAPACITY,
           used);
}

int main(void)
{
    struct job job = { .wrong = 0 };
    random_state = shim_seed();
    check_order(&job, 1);
    check_order(&job, 0);
    check_halves(&job);
    for (uint round = 0; round < 12; round++) {
        empty(&job);
        check_all(&job);
        for (uint op = 0; op < 160; op++) {
            const uint grow = op < 60 || op >= 120;
            if (draw(10) < (grow ? 7u : 2u))
                put(&job, draw(KEYS), 1 + draw(1000), (int)draw(2));
            else
                take(&job, draw(KEYS));
            if (op % 8 == 0)
                check_all(&job);
            if (op % 16 == 0)
                check_group_range(&job, 1 + draw(MOST));
        }
        for (uint i = 0; i < 4; i++) {
            check_all(&job);
            empty(&job);
            check_group_put(&job, 1 + draw(MOST));
            check_group_put(&job, 1 + draw(MOST));
        }
    }
    free(job.tree);
    printf("the tree, leaves of %d: %u wrong\n", LEAF_CAPACITY, job.wrong);
    return job.wrong != 0;
}
