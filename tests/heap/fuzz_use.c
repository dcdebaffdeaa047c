/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps of every engine, as a kernel uses them: groups of one item (tests/fuzz/use.h). */
#define CLADE_LOCAL_BYTES      65536
#define CLADE_SPIN_LIMIT       200u
#define CLADE_GROUP_SCALAR     1
#define CLADE_FRONT_PUSH_LEAST 2u
#include "host/device.h"

#include "clade/atomic.clh"

#define CLADE_HEAP            top_down
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_REGIONS    5
#include "clade/heap.clh"
#define CLADE_HEAP            bottom_up
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_ENGINE     CLADE_HEAP_BOTTOM_UP
#define CLADE_HEAP_REGIONS    3
#include "clade/heap.clh"
#define CLADE_HEAP          top_down_keys
#define CLADE_HEAP_KEY_TYPE CLADE_U32
#define CLADE_HEAP_BATCH    4
#define CLADE_HEAP_REGIONS  5
#include "clade/heap.clh"
#define CLADE_HEAP          bottom_up_keys
#define CLADE_HEAP_KEY_TYPE CLADE_U32
#define CLADE_HEAP_BATCH    4
#define CLADE_HEAP_ENGINE   CLADE_HEAP_BOTTOM_UP
#define CLADE_HEAP_REGIONS  3
#include "clade/heap.clh"
#define CLADE_HEAP            front
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_ENGINE     CLADE_HEAP_FRONT
#include "clade/heap.clh"
#undef min
#undef max

#include "fuzz/use.h"
#include "heap/fuzz.h"

/* Keys of few values and of many; what is popped is read. */
#define USE_HEAP(name, set)                                                      \
    void use_heap_##name(void *heap, uint32_t state, uint32_t steps)             \
    {                                                                            \
        static name##_scratch scratch;                                           \
        shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };         \
        while (steps-- > 0) {                                                    \
            const uint what = use_draw(&state);                                  \
            uint n = 1u + use_draw(&state) % name##_batch;                       \
            if (what % 8u < 5u) {                                                \
                for (uint i = 0; i < n; i++) {                                   \
                    const uint key = what & 8u ? use_draw(&state) % 40u : state; \
                    set;                                                         \
                }                                                                \
                name##_insert_wg(heap, &scratch, n);                             \
            } else {                                                             \
                uint got = 0;                                                    \
                name##_pop_wg(heap, &scratch, n, &got);                          \
                if (got > n)                                                     \
                    __builtin_trap();                                            \
                for (uint i = 0; i < got; i++)                                   \
                    state += name##_key_wi(&scratch, i) & 1u;                    \
            }                                                                    \
        }                                                                        \
    }

USE_HEAP(top_down, top_down_set_wi(&scratch, i, key, state))
USE_HEAP(bottom_up, bottom_up_set_wi(&scratch, i, key, state))
USE_HEAP(top_down_keys, top_down_keys_set_wi(&scratch, i, key))
USE_HEAP(bottom_up_keys, bottom_up_keys_set_wi(&scratch, i, key))
USE_HEAP(front, front_set_wi(&scratch, i, key, state))
