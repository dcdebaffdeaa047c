/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a hash map's buffer. docs/inside/hashmap.md says who may change each word, and
 * when.
 *
 *     head | buckets 0 .. buckets - 1 | two buckets for keys that look like a mark | a home word
 * each
 */
#pragma once

#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_HASHMAP_KIND CLADE_KIND('h', 'm', 'a', 'p')

/* Results that are no failure: the key was there before (an insert then changed nothing, a put or
 * an update changed its value); the value was another than the one that was expected. */
#define CLADE_HASHMAP_PRESENT 1
#define CLADE_HASHMAP_DIFFERS 2

/* What an update makes of the value that is there and the operand. */
#define CLADE_HASHMAP_PLUS 0u
#define CLADE_HASHMAP_MIN  1u
#define CLADE_HASHMAP_MAX  2u
#define CLADE_HASHMAP_USER 3u /* in kernels: CLADE_HASHMAP_FUNCTION(value, operand) */

/* The form: how a slot holds its key and value. */
#define CLADE_HASHMAP_AUTO   0u /* packed where that is possible */
#define CLADE_HASHMAP_PACKED 1u /* one word, of 32 or 64 bits, which changes as a whole */
#define CLADE_HASHMAP_TAGGED 2u /* a word that tells the slot's state, with the rest beside it */

/* --- packed slots ---------------------------------------------------------------------------- */

/* A pair has its key in the low half. A slot of zeros was never used. A slot that was erased is
 * DEAD. A key that looks like one of the two (0; in a set ~0, too) lies in the bucket that follows
 * the others, under another number. */
#define CLADE_HASHMAP_PACKED_BYTES 32u

/* --- tagged slots ---------------------------------------------------------------------------- */

/* A state word: 2 bits of what the slot is, 1 bit of which copy of the value counts, 6 bits of the
 * key's hash, 23 bits of version. The version grows with each use of the slot. */
#define CLADE_HASHMAP_EMPTY       0u /* was never used: the whole word is 0 */
#define CLADE_HASHMAP_FULL        1u
#define CLADE_HASHMAP_DEAD        2u /* was erased */
#define CLADE_HASHMAP_CLAIMED     3u /* somebody writes a new key there */
#define CLADE_HASHMAP_IS(state)   ((state)&3u)
#define CLADE_HASHMAP_COPY        4u
#define CLADE_HASHMAP_TAG_SHIFT   3u
#define CLADE_HASHMAP_TAG_MASK    0x1f8u
#define CLADE_HASHMAP_VERSION     512u /* one step */
#define CLADE_HASHMAP_TAGGED_SIZE 4u   /* slots of a bucket */

/* Where keys and values begin in a bucket, and its bytes. They follow from the bytes of a key and a
 * value, and from the copies of a value. There are 2 copies where a value has 64 bits and the
 * device cannot change them at once. */
#define CLADE_HASHMAP_KEYS_AT        16u
#define CLADE_HASHMAP_VALUES_AT(key) (16u + 4u * (key))
#define CLADE_HASHMAP_TAGGED_BYTES(key, value, copies) \
    ((16u + 4u * (key) + 4u * (value) * (copies) + 31u) / 32u * 32u)

/* --- home words ------------------------------------------------------------------------------ */

/* Each bucket has a home word. It is about the keys whose home is this bucket, but which lie in
 * others. It has marks of their hashes (a bit of MARKS for each), how many they are (SPILLED), and
 * how many steps the farthest is away (REACH). It also has a lock. An insert holds the lock while
 * it brings in a key whose home was full once. The greatest SPILLED and the greatest REACH mean
 * "any number"; SPILLED then does not fall any more. */
#define CLADE_HASHMAP_LOCK          0x80000000u
#define CLADE_HASHMAP_MARKS(w)      ((w)&0xffffu)
#define CLADE_HASHMAP_MARK_OF(hash) (1u << ((hash)&15u))
#define CLADE_HASHMAP_SPILLED_MAX   0xffu
#define CLADE_HASHMAP_SPILLED_ONE   0x10000u
#define CLADE_HASHMAP_SPILLED(w)    ((w) >> 16 & 0xffu)
#define CLADE_HASHMAP_REACH_MAX     0x7fu
#define CLADE_HASHMAP_REACH(w)      ((w) >> 24 & 0x7fu)
#define CLADE_HASHMAP_HOME(reach, spilled, marks) \
    ((clade_u32)(reach) << 24 | (clade_u32)(spilled) << 16 | (clade_u32)(marks))

/* --- sizes ----------------------------------------------------------------------------------- */

#define CLADE_HASHMAP_BUCKETS_MAX (1u << 28)
#define CLADE_HASHMAP_EXTRA       2u /* buckets after the others */
#define CLADE_HASHMAP_STRIPES     64u

/* An insert that found no room in so many buckets asks how many keys there are. */
#define CLADE_HASHMAP_STEPS_MANY 1024u

/* Keys of one item of the host's calls, on a CPU. Their homes fit into a core's first cache. */
#define CLADE_HASHMAP_RUN 64u

/* Bits of a kernel's argument `has`: which arrays the call was given. */
#define CLADE_HASHMAP_GIVEN_VALUES   1u
#define CLADE_HASHMAP_GIVEN_STATUSES 2u
#define CLADE_HASHMAP_GIVEN_KEYS     4u

/* The shape: all that a program and a map must agree on, from the key's type, the bytes of a value,
 * the form and the copies of a value; and _NO_ERASE, if no key is ever erased. */
#define CLADE_HASHMAP_SHAPE(key, value, form, copies)                                \
    CLADE_SHAPE(CLADE_SHAPE_OF_HASHMAP, (clade_u32)(key) | (clade_u32)(value) << 3 | \
                                            (clade_u32)(form) << 7 | (clade_u32)(copies) << 9)
#define CLADE_HASHMAP_SHAPE_NO_ERASE 0x800u

/* A stripe of counters, in a line of its own. The sum of all `size` is the number of keys; each for
 * itself may be below zero. */
typedef struct clade_hashmap_stripe {
    clade_atomic_u32 size;
    clade_atomic_u32 busy; /* operations that gave up with CLADE_E_BUSY */
    clade_atomic_u32 full; /* that found no room */
    clade_u32 reserved[29];
} clade_hashmap_stripe;

typedef struct clade_hashmap_head {
    clade_object_head object;
    clade_u32 buckets;  /* constant, even */
    clade_u32 seed;     /* constant: of the hash */
    clade_u32 homes_at; /* constant: where the home words begin, in units of 32 bytes */
    clade_u32 most;     /* constant: a map of more keys may refuse others */
    clade_u32 reserved0[20];
    clade_hashmap_stripe stripes[CLADE_HASHMAP_STRIPES];
} clade_hashmap_head;

#define CLADE_HASHMAP_LAYOUT(X)     \
    X(clade_hashmap_head, object)   \
    X(clade_hashmap_head, buckets)  \
    X(clade_hashmap_head, seed)     \
    X(clade_hashmap_head, homes_at) \
    X(clade_hashmap_head, most)     \
    X(clade_hashmap_head, stripes)  \
    X(clade_hashmap_stripe, size)   \
    X(clade_hashmap_stripe, busy)   \
    X(clade_hashmap_stripe, full)

CLADE_STATIC_ASSERT(hashmap_head_size,
                    sizeof(clade_hashmap_head) == 128 + 128 * CLADE_HASHMAP_STRIPES);

/* --- where a key goes ------------------------------------------------------------------------ */

/* Every bit of the argument changes half of the result's. Different arguments have different
 * results. */
static inline clade_u32 clade_hashmap_mix(clade_u32 x)
{
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

static inline clade_u32 clade_hashmap_hash(clade_u32 seed, clade_u32 low, clade_u32 high)
{
    return clade_hashmap_mix(low ^ seed ^ (high == 0u ? 0u : clade_hashmap_mix(high + seed)));
}

/* One of `buckets`, by the hash's high bits. */
static inline clade_u32 clade_hashmap_bucket(clade_u32 hash, clade_u32 buckets)
{
    return (clade_u32)((clade_u64)hash * buckets >> 32);
}

/* The home of a key on a CPU. Keys that differ in their low bits alone are a row: 2^bits of them,
 * at most as many as the map has buckets. A hash says where a row begins, and its keys lie once
 * around the map from there on, in their order. So keys that come in their order meet one line of
 * memory after the other. A bucket is home to one key of a row at most, and rows begin anywhere: so
 * keys of any kind lie about as evenly as by a hash of each. A map of few buckets lies in few
 * lines, and has rows of one key. */
#if !defined(CLADE_CPU) || CLADE_CPU
#define CLADE_HASHMAP_HAS_ROWS 64u /* buckets */

static inline clade_u32 clade_hashmap_row_bits(clade_u32 buckets)
{
#if CLADE_ON_DEVICE
    return 31u - (clade_u32)clz(buckets | 2u);
#else
    clade_u32 bits = 1;
    while (buckets >> bits > 1)
        bits++;
    return bits;
#endif
}

static inline clade_u32 clade_hashmap_home_in_row(clade_u32 seed, clade_u32 low, clade_u32 high,
                                                  clade_u32 buckets)
{
    const clade_u32 bits = clade_hashmap_row_bits(buckets);
    const clade_u32 place = low & (buckets < CLADE_HASHMAP_HAS_ROWS ? 0u : (1u << bits) - 1u);
    const clade_u32 begin = clade_hashmap_hash(seed, low ^ place, high);
    return clade_hashmap_bucket(begin + (place << (32u - bits)), buckets);
}
#endif

/* The steps of a key's way: home; the home's neighbour, which shares 64 bytes with it; some pairs
 * of neighbours that the hash names, each by itself; then all pairs in a row, from one that the
 * hash names. So there are steps to every bucket. */
#define CLADE_HASHMAP_PAIRS         16u
#define CLADE_HASHMAP_LAST(buckets) ((buckets) + 2u * CLADE_HASHMAP_PAIRS + 1u)

/* The bucket that a key comes to after `step` steps. */
static inline clade_u32 clade_hashmap_at(clade_u32 hash, clade_u32 home, clade_u32 step,
                                         clade_u32 buckets)
{
    clade_u32 nth, first, pair;
    if (step < 2u)
        return home ^ step;
    nth = (step - 2u) >> 1;
    if (nth < CLADE_HASHMAP_PAIRS)
        return clade_hashmap_bucket(clade_hashmap_mix(hash + (nth + 1u) * 0x9e3779b9u), buckets) ^
               (step & 1u);
    first = clade_hashmap_bucket(clade_hashmap_mix(hash ^ 0x9e3779b9u), buckets);
    pair = (first >> 1) + (nth - CLADE_HASHMAP_PAIRS);
    pair = pair < buckets >> 1 ? pair : pair - (buckets >> 1);
    return pair << 1 | ((first ^ step) & 1u);
}
