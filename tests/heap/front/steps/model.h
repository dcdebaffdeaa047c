/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a heap on which calls are made one after the other: what is inside, ascending, and
 * how often what was done. Include watched.h first. */
#pragma once

#include "heap/front/edge_front.h"
#include "heap/front/host_units.h"

enum {
    BATCH = BATCH_KEYS,
    LEAF = 256,
    CAPACITY = 12000,
    MOST = 40000, /* inserted in one world */
    STEPS = 260,
    UNITS = 1u << 14, /* of a pool at most */
    HAS_VALUES = VALUE != CLADE_NONE
};
enum what { INSERT, POP, LOOK, HELP, SPILL };
typedef clade_heap_image image;
#define LAST ((image)0 - 1u)

static void *heap;
static uint step_at, world_at;
static uint capacity; /* of a world: CAPACITY, or so little that the heap is often full */

static image inside[CAPACITY];
static uint size, next_id;
static unsigned long long popped;
static image key_of_id[MOST];
static unsigned char is_in[MOST];
static uint inserts, pops, refused, fulls; /* fulls: inserts of more than fits, in all worlds */
static uint fronts,
    moved; /* of a world: fronts that were shown; leaves that others took the place of */

static uint rank_of(image key_, int equal)
{
    uint from = 0, n = size;
    while (n > 0) {
        const uint mid = n / 2;
        if (inside[from + mid] < key_ || (equal && inside[from + mid] == key_)) {
            from += mid + 1;
            n -= mid + 1;
        } else {
            n = mid;
        }
    }
    return from;
}

static void put(image key_)
{
    const uint at = rank_of(key_, 1);
    memmove(inside + at + 1, inside + at, (size - at) * sizeof *inside);
    inside[at] = key_;
    size++;
}

static void drop(image key_)
{
    const uint at = rank_of(key_, 0);
    expect(at < size && inside[at] == key_, "a key that stays out is none of the batch", at, size);
    if (at < size) {
        memmove(inside + at, inside + at + 1, (size - at - 1) * sizeof *inside);
        size--;
    }
}
