/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/bench/heap_front.c. */

#if TEST_KEY_BITS == 64
#define CLADE_HEAP_KEY_TYPE CLADE_U64
#else
#define CLADE_HEAP_KEY_TYPE CLADE_U32
#endif
#if TEST_VALUE_BITS == 64
#define CLADE_HEAP_VALUE_TYPE CLADE_U64
#elif TEST_VALUE_BITS == 32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#endif
#define CLADE_HEAP_BATCH TEST_BATCH
#define CLADE_HEAP_LEAF  TEST_LEAF
#define CLADE_HEAP       bench

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

typedef bench_image bench_key;

static inline uint bench_mix(uint h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

/* As bench_shape_fill() has it: each power of two of keys is as likely as the next. */
static inline uint bench_zipf(uint h)
{
    const uint power = (h >> 16) % 24u;
    return (1u << power) + (bench_mix(h) & ((1u << power) - 1u));
}

/* Key i of a pattern: 0 random (31 bits, as C's rand() has), 1 ascending, 2 descending, 3 equal, 4 22
 * random bits, 5 32; 6 Zipf-like, 7 the same with the frequent keys anywhere, 8 ten values, 9 rows of
 * 256 neighbours; 10 half of them 1, a sixth 2, a twelfth 3, ... */
static inline bench_key bench_make(uint pattern, uint i, uint seed)
{
    const uint h = bench_mix(i * 0x9e3779b9u + seed * 0x85ebca6bu);
    if (pattern == 6)
        return (bench_key)bench_zipf(h);
    if (pattern == 7)
        return (bench_key)bench_mix(bench_zipf(h));
    if (pattern == 10)
        return (bench_key)(0xffffffffu / (h | 1u));
    if (pattern == 8)
        return (bench_key)(h % 10u * 0x10000001u);
    if (pattern == 9)
        return (bench_key)(bench_mix((i >> 8) + seed * 0x85ebca6bu) + (i & 255u));
    if (pattern == 1)
        return (bench_key)i;
    if (pattern == 2)
        return (bench_key)(0xfffffff0u - i);
    if (pattern == 3)
        return (bench_key)77u;
    if (pattern == 4)
        return (bench_key)(h & 0x3fffffu);
#if TEST_KEY_BITS == 64
    return (ulong)h << 32 | (h * 0x2545f491u);
#else
    return pattern == 5 ? h : h >> 1;
#endif
}

__kernel void bench_fill(__global bench_key *keys, uint count, uint pattern, uint seed)
{
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
        keys[i] = bench_make(pattern, i, seed);
}

static inline void bench_load(__local bench_scratch *s, __global const bench_key *keys,
                              uint at, uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
        s->keys[i] = keys[at + i];
#if TEST_VALUE_BITS
        s->values[i] = (bench_stored)(keys[at + i] * 3u);
#endif
    }
}

/* errors[0] statuses other than OK, [1] short pops, [2] slices out of order, [3] wrong values */
static inline void bench_store(__local bench_scratch *s, __global bench_key *keys, size_t at,
                               uint n, __global volatile uint *errors)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
        keys[at + i] = s->keys[i];
        if (i > 0 && s->keys[i] < s->keys[i - 1])
            atomic_inc(errors + 2);
#if TEST_VALUE_BITS
        if (s->values[i] != (bench_stored)(s->keys[i] * 3u))
            atomic_inc(errors + 3);
#endif
    }
}

__attribute__((reqd_work_group_size(TEST_ITEMS, 1, 1)))
__kernel void bench_insert(__global void *heap, __global const bench_key *in, uint count,
                           uint step, __global volatile uint *errors)
{
    __local bench_scratch s;
    uint batches = (count + step - 1) / step;
    for (uint b = (uint)get_group_id(0); b < batches; b += (uint)get_num_groups(0)) {
        uint n = min(step, count - b * step);
        clade_barrier();
        bench_load(&s, in, b * step, n);
        int status = CLADE_E_BUSY;
        for (uint tries = 0; tries < 16 && status == CLADE_E_BUSY; tries++) {
            status = bench_insert_wg(heap, &s, n);
            n -= bench_taken_wi(&s);
        }
        if (get_local_id(0) == 0 && status != 0)
            atomic_inc(errors);
    }
}

/* With `place` each slice goes to its rank's place, else to its batch's. */
__attribute__((reqd_work_group_size(TEST_ITEMS, 1, 1)))
__kernel void bench_pop(__global void *heap, __global bench_key *out, uint count, uint step,
                           uint place, __global volatile uint *errors)
{
    __local bench_scratch s;
    uint batches = (count + step - 1) / step;
    for (uint b = (uint)get_group_id(0); b < batches; b += (uint)get_num_groups(0)) {
        uint n = min(step, count - b * step);
        uint taken;
        int status = bench_pop_wg(heap, &s, n, &taken);
        clade_barrier();
        bench_store(&s, out, place ? min((size_t)((uint)s.rank - place + 1), (size_t)(count - s.taken)) : (size_t)b * step,
                    s.taken, errors);
        if (get_local_id(0) == 0 && status != 0)
            atomic_inc(errors);
        if (get_local_id(0) == 0 && s.taken != n)
            atomic_inc(errors + 1);
        clade_barrier();
    }
}

#ifdef BENCH_MIXED
/* Mode 0: insert and pop by turns; mode 1: even groups insert, odd ones pop. */
__attribute__((reqd_work_group_size(TEST_ITEMS, 1, 1)))
__kernel void bench_mixed(__global void *heap, __global const bench_key *in,
                          __global bench_key *out, uint count, uint step, uint mode,
                          __global volatile uint *errors)
{
    __local bench_scratch s;
    uint batches = count / step;
    uint groups = (uint)get_num_groups(0);
    uint me = (uint)get_group_id(0);
    uint stride = mode ? (groups + 1) / 2 : groups;
    for (uint b = mode ? me / 2 : me; b < batches; b += stride) {
        if (!mode || !(me & 1u)) {
            clade_barrier();
            bench_load(&s, in, b * step, step);
            int status = bench_insert_wg(heap, &s, step);
            if (get_local_id(0) == 0 && status != 0)
                atomic_inc(errors);
        }
        if (!mode || (me & 1u)) {
            clade_barrier();
            uint taken;
        int status = bench_pop_wg(heap, &s, step, &taken);
            clade_barrier();
            bench_store(&s, out, (size_t)b * step, s.taken, errors);
            if (get_local_id(0) == 0 && status != 0)
                atomic_inc(errors);
            if (get_local_id(0) == 0 && s.taken != step)
                atomic_inc(errors + 1);
            clade_barrier();
        }
    }
}
#endif
