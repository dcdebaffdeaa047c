/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's pool: units of the smallest heap, all but a few of them taken. What a holder
 * writes into its unit is plain, so that two holders at once, or one after the other without order, are
 * a race. */
#define CLADE_HEAP_BATCH       4
#define CLADE_HEAP_LEAF        256
#define CLADE_HEAP_KEY_TYPE    CLADE_U32
#define CLADE_HEAP_VALUE_TYPE  CLADE_U32
#define CLADE_GROUP_SCALAR     1
#define CLADE_LOCAL_BYTES      65536
#include "relacy/device.h"

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 4096, LEAF = 256, POOL = CLADE_FRONT_POOL_LEAVES, UNITS = 4096, NONE = 0 };

static clade_front_words heap;
static uint content[UNITS];    /* one word a unit */
static clade_atomic_u32 link; /* the unit that can be reached, or 0 */
static uint units, taken[UNITS];

/* How many more the pool gives; they are in `taken`. */
static uint drain(void)
{
    uint n = 0;
    while (clade_front_claim_wi(heap, POOL, 1)) {
        const uint unit = clade_front_take_wi(heap, POOL, n * 977u);
        if (unit == NONE)
            break;
        taken[n++] = unit;
    }
    return n;
}

static uint first, second, other; /* two of one word of bits, one of another; taken all three */

void weak_setup(void)
{
    heap = host_front_new(CAPACITY, 4, LEAF);
    units = drain();
    for (uint i = 0; i < units; i++) {
        if (taken[i] / 32u == 0) {
            second = first;
            first = taken[i];
        } else {
            other = taken[i];
        }
    }
    weak_share(heap, host_front_bytes(CAPACITY, LEAF), "heap");
    weak_share(content, sizeof content, "content");
    weak_share(&link, sizeof link, "link");
}

static uint inside, found; /* units that must be in the pool at the end */

static void begin_with_one(void)
{
    inside = 1;
    clade_front_free_wi(heap, POOL, first);
}

static void begin_with_none(void)
{
    inside = 0;
}

static void put(uint unit)
{
    content[unit]++;
    clade_front_free_wi(heap, POOL, unit);
    inside++;
}

static uint take(uint seed)
{
    if (!clade_front_claim_wi(heap, POOL, 1))
        return NONE;
    const uint unit = clade_front_take_wi(heap, POOL, seed);
    WEAK_CHECK(unit != NONE); /* who holds a token finds a bit */
    WEAK_CHECK(unit == first || unit == second || unit == other);
    content[unit]++;
    inside--;
    return unit;
}

/* All that is in the pool comes out, once. */
static const char *end(void)
{
    found = drain();
    for (uint i = 1; i < found; i++)
        for (uint k = 0; k < i; k++)
            if (taken[i] == taken[k])
                return "a unit was handed out twice";
    return found == inside ? NULL : found < inside ? "a unit is lost" : "a unit came from nowhere";
}

static void put_beside_take(uint me)
{
    if (me == 0)
        put(second);
    else
        take(7);
}

static void put_other_beside_take(uint me)
{
    if (me == 0)
        put(other);
    else
        take(7);
}

static void two_take(uint me)
{
    if (me == 0)
        put(second);
    else
        take(me * 7u);
}

static void round_trip(uint me)
{
    const uint unit = take(me);
    if (unit != NONE)
        put(unit);
}

static void through(uint me)
{
    if (me == 0) {
        put(second);
    } else if (me == 1) {
        const uint unit = take(3);
        if (unit != NONE)
            put(unit);
    } else {
        take(5);
    }
}

/* --- epochs: who is inside may read what was reachable when it came in ------------------------- */

/* The unit is written by who makes it, and by who frees it: after all who could reach it have gone. */
static void reader(void)
{
    const uint epoch = clade_front_enter_wi(heap);
    const uint unit = clade_load_acquire((clade_global_word)&link);
    if (unit != 0)
        WEAK_CHECK(content[unit] == 1u);
    clade_front_leave_wi(heap, epoch);
}

static void tidy(uint times)
{
    uint list[4];
    for (uint i = 0; i < times; i++) {
        const uint n = clade_front_tidy_wi(heap, list, 4);
        for (uint k = 0; k < n; k++) {
            const uint unit = list[k] >> 1;
            content[unit] = 2;
            clade_front_free_wi(heap, POOL, unit);
            inside++;
        }
    }
}

static void begin_linked(void)
{
    inside = 0;
    content[first] = 1;
    clade_store_relaxed((clade_global_word)&link, first);
}

static void unlink_and_tidy(uint me)
{
    if (me == 0) {
        if (clade_exchange_acq_rel((clade_global_word)&link, 0u) != 0)
            clade_front_retire_wi(heap, first * 2u);
        tidy(4);
    } else {
        reader();
    }
}

static void unlink_beside_tidy(uint me)
{
    if (me == 0) {
        if (clade_exchange_acq_rel((clade_global_word)&link, 0u) != 0)
            clade_front_retire_wi(heap, first * 2u);
    } else if (me == 1) {
        tidy(5);
    } else {
        reader();
    }
}

static const char *end_linked(void)
{
    for (uint i = 0; i < 8 && inside == 0; i++)
        tidy(1);
    return inside == 0 ? "a retired unit never comes back" : end();
}

/* --- two retire ------------------------------------------------------------------------------- */

static void two_retire(uint me)
{
    if (me < 2)
        clade_front_retire_wi(heap, (me ? second : first) * 2u);
    else
        tidy(5);
}

static const char *end_retired(void)
{
    for (uint i = 0; i < 12 && inside < 2; i++)
        tidy(1);
    return inside < 2 ? "a retired unit never comes back" : end();
}

const weak_world weak_worlds[] = {
    { "pool: a put beside a take, one word", 2, begin_with_one, put_beside_take, end, 4000, 2 },
    { "pool: a put beside a take, two words", 2, begin_with_one, put_other_beside_take, end, 4000, 2 },
    { "pool: a put, two take", 3, begin_with_one, two_take, end, 10000, 0 },
    { "pool: take and put, two", 2, begin_with_one, round_trip, end, 4000, 2 },
    { "pool: put, take and put, take", 3, begin_with_none, through, end, 10000, 0 },
    { "epochs: unlinked and tidied, one reads", 2, begin_linked, unlink_and_tidy, end_linked, 10000, 0 },
    { "epochs: unlinked, tidied, one reads", 3, begin_linked, unlink_beside_tidy, end_linked, 20000, 0 },
    { "epochs: two retire, one tidies", 3, begin_with_none, two_retire, end_retired, 10000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "clade_front_put_wi", "or_release" },
    { "clade_front_enter_wi", "add_acq_rel" },
    { "clade_front_leave_wi", "add_acq_rel" },
    { "clade_front_retire_wi", "add_acq_rel" },
    { "clade_front_retire_wi", "exchange_acq_rel" },
    { "clade_front_tidy_wi", "load_acquire" },
    { "clade_front_tidy_wi", "exchange_acquire" },
    { "clade_front_take_in", "and_acquire" },
    { 0 },
};
