/* SPDX-License-Identifier: Apache-2.0 */
/* hashmap.clh: a map of two buckets. The keys that the threads bring have their home in the first
 * one, which other keys fill, or nearly fill. So they lie in the second one, and go through its
 * home word. -DFORM: 1, a packed set; 2, tagged slots. Packed, a payload can be published only by
 * what lies away from home: the map orders nothing else.
 *
 * A try that fails changes nothing but locks that it gives back. So an item that tried TRIES times
 * in vain is not followed further.
 *
 * @world all_insert_one@packed FORM=1 VALUE=CLADE_NONE FILLED=NEARLY_FULL: packed, one
 *     key, one free place at home
 * @world all_insert_one@far FORM=1 VALUE=CLADE_NONE FILLED=FULL: packed, one key whose
 *     home is full
 * @world insert_two FORM=1 VALUE=CLADE_NONE FILLED=FULL: packed, two keys of one mark
 *     whose home is full
 * @world insert_beside_find FORM=1 VALUE=CLADE_NONE FILLED=FULL: packed, an insert away
 *     from home beside two finds
 * @world erase_beside_find FORM=1 VALUE=CLADE_NONE FILLED=FULL BEGIN=begin_one: packed, an
 *     erasure away from home beside two finds
 * @world erase_beside_insert FORM=1 VALUE=CLADE_NONE FILLED=FULL BEGIN=begin_one: packed, an
 *     erasure beside an insert of the same mark
 * @world all_insert_one@tagged FORM=2 VALUE=CLADE_U64 BEGIN=begin_nearly_full: tagged, one key,
 *     one free place at home
 * @world insert_beside_find@tagged FORM=2 VALUE=CLADE_U64 BEGIN=begin: tagged, an insert beside
 *     two finds
 * @world change_slot FORM=2 VALUE=CLADE_U64 BEGIN=begin_one: tagged, a slot changes its key
 *     beside a find
 * @world put_beside_find FORM=2 VALUE=CLADE_U64 BEGIN=begin_one: tagged, two puts beside a find
 * @world erase_beside_insert@tagged FORM=2 VALUE=CLADE_U64 BEGIN=begin_one: tagged, an erasure
 *     beside an insert
 * @needs cladei_hashmap_lock or_acquire all_insert_one@tagged
 * @needs map_look_at load_acquire insert_beside_find@tagged
 * @needs map_fill fence_release change_slot
 * @needs map_set_value store_release put_beside_find
 * @needs map_is_still fence_acquire change_slot
 * @needs map_fill store_release insert_beside_find@tagged
 * @needs map_fill cas_release insert_beside_find
 * @needs map_seek_far fence_acquire insert_beside_find
 * @needs cladei_hashmap_unlock and_release all_insert_one@far */
#include "genmc/device.h"

#ifndef TRIES
#define TRIES 1u
#endif
#define CLADE_HASHMAP_TRIES TRIES

#define IS_PACKED (FORM == CLADE_HASHMAP_PACKED)

#define CLADE_HASHMAP            map
#define CLADE_HASHMAP_VALUE_TYPE VALUE
#define CLADE_HASHMAP_FORM       FORM
#include "clade/hashmap.clh"

#include <assert.h>

#define VALUE_BYTES  CLADE_TYPE_BYTES(VALUE)
#define COPIES       (IS_PACKED ? 1u : 2u)
#define BUCKET_BYTES (IS_PACKED ? 32u : CLADE_HASHMAP_TAGGED_BYTES(4u, VALUE_BYTES, COPIES))
#if VALUE == CLADE_NONE
typedef uint map_value;
#else
typedef ulong map_value;
#endif

enum { BUCKETS = 2, ALL = BUCKETS + 2, KEYS = 64 };

/* Packed: other keys, two in each word, that have their home in the first bucket and lie there. */
#ifndef FILLED
#define FILLED 0
#endif
#define TWO(a, b)   ((ulong)(b) << 32 | (a))
#define NEARLY_FULL TWO(1, 4), TWO(6, 7), TWO(12, 16), TWO(25, 0)
#define FULL        TWO(1, 4), TWO(6, 7), TWO(12, 16), TWO(25, 34)

static struct memory {
    clade_hashmap_head head;
    ulong buckets[ALL * BUCKET_BYTES / 8];
    uint homes[ALL];
} m = {
    .head = { .object = { .shape =
                              CLADE_HASHMAP_SHAPE(CLADE_U32, VALUE_BYTES, (uint)FORM, COPIES) },
              .buckets = BUCKETS,
              .homes_at = offsetof(struct memory, homes) / 32u,
              .most = 0xffffffffu },
    .buckets = { FILLED },
};

/* All these keys have their home in the first bucket. A and B have one mark in its home word, C has
 * another one. */
enum { A = 28, B = 36, C = 38 };

static uint payload[KEYS];
static int in[4][KEYS], out[4][KEYS];

static map_value value_of(uint key, uint times)
{
    return VALUE == CLADE_NONE ? 0 : (map_value)(key * 16u + times) * 0x100000001u;
}

static void check_value(uint key, map_value value)
{
    if (VALUE != CLADE_NONE)
        assert(value == value_of(key, (uint)value % 16u) && (uint)value / 16u == key);
}

/* Whether it was not there. */
static inline bool insert(uint me, uint key)
{
    const int status = map_insert_wi(&m.head, key, value_of(key, me));
    __VERIFIER_assume(status != CLADE_E_BUSY);
    assert(status == CLADE_OK || status == CLADE_HASHMAP_PRESENT);
    in[me][key] += status == CLADE_OK;
    return status == CLADE_OK;
}

static inline void put(uint me, uint key, uint times)
{
    const int status = map_put_wi(&m.head, key, value_of(key, times));
    __VERIFIER_assume(status != CLADE_E_BUSY);
    assert(status == CLADE_OK || status == CLADE_HASHMAP_PRESENT);
    in[me][key] += status == CLADE_OK;
}

static inline bool erase(uint me, uint key)
{
    map_value value;
    const int status = map_erase_wi(&m.head, key, &value);
    __VERIFIER_assume(status != CLADE_E_BUSY);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status == CLADE_OK)
        check_value(key, value);
    out[me][key] += status == CLADE_OK;
    return status == CLADE_OK;
}

static inline bool find(uint key)
{
    map_value value;
    const int status = map_find_wi(&m.head, key, &value);
    __VERIFIER_assume(status != CLADE_E_BUSY);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status == CLADE_OK)
        check_value(key, value);
    return status == CLADE_OK;
}

/* --- before and after ------------------------------------------------------------------------- */

static inline void begin(void)
{
}

static inline void begin_one(void)
{
    insert(3, A);
}

/* Tagged: three of the home's four slots are taken. */
static inline void begin_nearly_full(void)
{
    insert(3, 1);
    insert(3, 4);
    insert(3, 6);
}

/* A key is there as often as it was brought and not erased; the home word counts those that lie
 * elsewhere. */
static inline void check_key(uint key)
{
    int left = 0;
    for (uint t = 0; t < 4; t++)
        left += in[t][key] - out[t][key];
    assert(left == 0 || left == 1);
    assert(find(key) == (left == 1));
}

static inline void end(void)
{
    check_key(A);
    check_key(B);
    check_key(C);
    assert((m.homes[0] & CLADE_HASHMAP_LOCK) == 0);
}

/* --- worlds ----------------------------------------------------------------------------------- */

static inline void all_insert_one(uint me)
{
    insert(me, A);
}

/* Two keys of one mark. */
static inline void insert_two(uint me)
{
    insert(me, me == 0 ? A : B);
}

/* What lies away from home is published. */
static inline void insert_beside_find(uint me)
{
    if (me == 0) {
        payload[A] = A + 1;
        assert(insert(me, A));
    } else if (find(A)) {
        assert(payload[A] == A + 1);
        assert(find(A)); /* nobody erases it: what was found is found again */
    }
}

/* Nobody brings it back: what was not found stays away. */
static inline void erase_beside_find(uint me)
{
    if (me == 0)
        assert(erase(me, A));
    else if (!find(A))
        assert(!find(A));
}

/* The slot of a key gets another one. */
static inline void change_slot(uint me)
{
    if (me == 0) {
        erase(me, A);
        insert(me, C);
    } else {
        find(A);
    }
}

/* The home word forgets its marks meanwhile. */
static inline void erase_beside_insert(uint me)
{
    if (me == 0)
        assert(erase(me, A));
    else
        assert(insert(me, B));
}

static inline void put_beside_find(uint me)
{
    if (me == 0) {
        put(me, A, 1);
        put(me, A, 2);
    } else {
        assert(find(A));
    }
}

#include "genmc/world.h"
