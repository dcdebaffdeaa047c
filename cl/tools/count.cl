/* SPDX-License-Identifier: Apache-2.0 */
/* `clade count`: how often each word, or k-mer, of a text comes. The map leads from a token to the
 * place where somebody met it first; counters of their own are there for places. So what is met
 * often is only looked up, and nobody waits.
 *
 * COUNT_K: 0 counts words, from 1 to 32 k-mers. COUNT_CANONICAL: a k-mer and its reverse complement
 * are one. The text is prepared by the host: the bytes of words, with 0 between them; or bases 0 to
 * 3, with 4 between sequences.
 *
 * Check: COUNT_K=0,16,32 COUNT_CANONICAL=0,1
 */
#ifndef COUNT_K
#define COUNT_K 0
#endif
#ifndef COUNT_CANONICAL
#define COUNT_CANONICAL 0
#endif

#define CLADE_HASHMAP            tokens
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32
#if COUNT_K == 0 || COUNT_K > 16
typedef ulong token;
#define CLADE_HASHMAP_KEY_TYPE CLADE_U64
#else
typedef uint token;
#define CLADE_HASHMAP_KEY_TYPE CLADE_U32
#endif
#include "clade/hashmap.clh"

#define SEGMENT 32u /* bytes whose tokens one item counts */

/* Two words do not begin at neighbours. */
#if COUNT_K == 0
#define COUNTER(place) ((place) >> 1)
#else
#define COUNTER(place) (place)
#endif

#if COUNT_K == 0

/* The word that begins at a place, as 64 bits. Others may have the same. */
static inline token token_at(__global const uchar *text, uint bytes, uint place, ulong seed)
{
    ulong hash = seed ^ 0xcbf29ce484222325ul;
    for (uint i = place; i < bytes && text[i] != 0; i++)
        hash = (hash ^ text[i]) * 0x100000001b3ul;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ul;
    return hash ^ hash >> 32;
}

static inline bool are_same(__global const uchar *text, uint bytes, uint a, uint b)
{
    while (a < bytes && b < bytes && text[a] != 0 && text[a] == text[b]) {
        a++;
        b++;
    }
    return (a < bytes ? text[a] : 0) == (b < bytes ? text[b] : 0);
}

#else

/* A k-mer, both ways, base by base. */
typedef struct {
    ulong forward, backward;
    uint run; /* bases since the last gap */
} kmer;

static inline void add_base(kmer *m, uint base)
{
    m->run = base < 4u ? m->run + 1u : 0u;
    m->forward = (m->forward << 2 | (base & 3u)) & (~0ul >> (64 - 2 * COUNT_K));
    m->backward = m->backward >> 2 | (ulong)(3u - (base & 3u)) << (2 * COUNT_K - 2);
}

static inline token token_of(kmer m)
{
    return (token)(COUNT_CANONICAL ? min(m.forward, m.backward) : m.forward);
}

static inline token token_at(__global const uchar *text, uint bytes, uint place, ulong seed)
{
    kmer m = { 0, 0, 0 };
    (void)seed;
    for (uint i = 0; i < COUNT_K && place + i < bytes; i++)
        add_base(&m, text[place + i]);
    return token_of(m);
}

#endif

/* What the kernels tell: places that are to be tried again, as the map was full or busy, and how
 * many those are; and whether two words have the same 64 bits. */
typedef struct {
    __global clade_atomic_u32 *words; /* [0] how many, [1] two words */
    __global uint *places;
} report;

/* Count one token. */
static inline void count_one(__global clade_hashmap_head *map, __global const uchar *text,
                             uint bytes, token key, uint place, __global clade_atomic_u32 *counts,
                             report to)
{
    uint first = place;
    (void)text, (void)bytes;
    int status = tokens_find_wi(map, key, &first);
    if (status == CLADE_E_NOT_FOUND) {
        first = place;
        status = tokens_insert_wi(map, key, place);
        if (status == CLADE_HASHMAP_PRESENT)
            status = tokens_find_wi(map, key, &first);
    }
    if (status != CLADE_OK) {
        to.places[clade_add_relaxed(&to.words[0], 1u)] = place;
        return;
    }
#if COUNT_K == 0
    if (first != place && !are_same(text, bytes, first, place)) {
        clade_store_relaxed(&to.words[1], 1u);
        return;
    }
#endif
    clade_add_relaxed(&counts[COUNTER(first)], 1u);
}

/* Count what begins in the bytes from `from` to `to`, SEGMENT bytes an item. */
__kernel void clade_count(__global clade_hashmap_head *map, __global const uchar *text, uint bytes,
                          uint from, uint to, ulong seed, __global clade_atomic_u32 *counts,
                          __global clade_atomic_u32 *told, __global uint *places)
{
    const ulong begin = from + (ulong)get_global_id(0) * SEGMENT;
    const report r = { told, places };
    (void)seed;
    if (begin >= to)
        return;
    const uint end = min((uint)begin + SEGMENT, to);
#if COUNT_K == 0
    uint before = begin > 0 ? text[begin - 1] : 0;
    for (uint i = (uint)begin; i < end; i++) {
        const uint byte = text[i];
        if (byte != 0 && before == 0)
            count_one(map, text, bytes, token_at(text, bytes, i, seed), i, counts, r);
        before = byte;
    }
#else
    kmer m = { 0, 0, 0 };
#if CLADE_CPU
    for (uint i = (uint)begin; i < bytes && i < end + COUNT_K - 1; i++) {
        add_base(&m, text[i]);
        if (m.run >= COUNT_K)
            tokens_prefetch_wi(map, token_of(m));
    }
    m.run = 0;
#endif
    for (uint i = (uint)begin; i < bytes && i < end + COUNT_K - 1; i++) {
        add_base(&m, text[i]);
        if (m.run >= COUNT_K)
            count_one(map, text, bytes, token_of(m), i + 1 - COUNT_K, counts, r);
    }
#endif
}

/* The tokens at places that were told; others may be told again. */
__kernel void clade_count_again(__global clade_hashmap_head *map, __global const uchar *text,
                                uint bytes, __global const uint *left, uint count, ulong seed,
                                __global clade_atomic_u32 *counts, __global clade_atomic_u32 *told,
                                __global uint *places)
{
    const uint i = (uint)get_global_id(0);
    const report r = { told, places };
    if (i < count)
        count_one(map, text, bytes, token_at(text, bytes, left[i], seed), left[i], counts, r);
}

/* The counters of places. */
__kernel void clade_count_gather(__global const uint *places, uint count,
                                 __global clade_atomic_u32 *counts, __global uint *out)
{
    const uint i = (uint)get_global_id(0);
    if (i < count)
        out[i] = clade_load_relaxed(&counts[COUNTER(places[i])]);
}
