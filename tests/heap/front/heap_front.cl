/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/heap/front/test_heap_front.c: the front engine without the heap's host API. */

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
#define CLADE_HEAP       test

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#ifndef TEST_TRIES
#define TEST_TRIES 1 /* of an insert that answers BUSY */
#endif

typedef test_image test_key;
typedef test_stored test_value;

/* What happened to one batch. */
typedef struct test_record {
    uint kind; /* 1 insert, 2 pop */
    int status;
    uint taken;
    uint at; /* its first key in the array */
} test_record;

static inline void test_load(__local test_scratch *s, __global const test_key *keys,
                             __global const test_value *values, uint at, uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
        s->keys[i] = keys[at + i];
#if TEST_VALUE_BITS
        s->values[i] = values[at + i];
#endif
    }
    (void)values;
}

static inline void test_store(__local test_scratch *s, __global test_key *keys,
                              __global test_value *values, uint at, uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
        keys[at + i] = s->keys[i];
#if TEST_VALUE_BITS
        values[at + i] = s->values[i];
#endif
    }
    (void)values;
}

static inline void test_note(__global test_record *record, uint kind, int status, uint taken,
                             uint at)
{
    if (get_local_id(0) == 0) {
        record->kind = kind;
        record->status = status;
        record->taken = taken;
        record->at = at;
    }
}

/* Batches of `step` keys, dealt to the groups in turn. `mode` 0: each group by turns inserts a batch
 * of `in` and pops a batch into `out`; 1: even groups insert only, odd ones pop only; 2: all
 * insert; 3: all pop. Batch b's records are 2 b and 2 b + 1. (One kernel for all of it: each call
 * of the heap's functions is a copy of them, for the compiler.) */
__kernel void test_work(__global void *heap, __global const test_key *in,
                        __global const test_value *in_values, __global test_key *out,
                        __global test_value *out_values, uint count, uint step, uint mode,
                        __global test_record *records)
{
    __local test_scratch s;
    uint batches = (count + step - 1) / step;
    uint groups = (uint)get_num_groups(0);
    uint me = (uint)get_group_id(0);
    bool apart = mode == 1;
    bool inserts = mode == 0 || mode == 2 || (apart && !(me & 1u));
    bool pops = mode == 0 || mode == 3 || (apart && (me & 1u));
    uint stride = apart ? (groups + 1) / 2 : groups;
    for (uint b = apart ? me / 2 : me; b < batches; b += stride) {
        uint n = min(step, count - b * step);
        if (inserts) {
            clade_barrier();
            test_load(&s, in, in_values, b * step, n);
            int status = CLADE_E_BUSY;
            uint taken = 0;
            for (uint t = 0; t < TEST_TRIES && taken < n && status == CLADE_E_BUSY; t++) {
                status = test_insert_wg(heap, &s, n - taken);
                taken += s.taken;
            }
            if (TEST_TRIES > 1 && taken == n) /* a wait gave up after all were handed over */
                status = CLADE_OK;
            test_note(records + 2 * b, 1, status, taken, b * step);
        }
        if (pops) {
            clade_barrier();
            uint taken;
            int status = test_pop_wg(heap, &s, n, &taken);
            clade_barrier();
            test_store(&s, out, out_values, b * step, taken);
            test_note(records + 2 * b + 1, 2, status, taken, b * step);
        }
    }
}
