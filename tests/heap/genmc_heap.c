/* SPDX-License-Identifier: Apache-2.0 */
/* clade/heap.clh, tree engines: -DENGINE, 1 top-down, 2 bottom-up. Batches of one key, up to seven
 * nodes. A key's value is the key; who puts it in writes its payload plainly before, who gets it
 * reads the payload plainly and changes it.
 *
 * A wait for a lock that is held is not followed further, since it changes nothing. Nor is a wait
 * for a promised node that found nothing TRIES times. So waits that give up are not explored.
 *
 * @world insert_beside_pop@td ENGINE=1 BEGIN=begin_one: top-down, one node, an insert beside a pop
 * @world handover@td ENGINE=1 BEGIN=begin_three: top-down, three nodes, an insert beside a pop
 * @world two_insert@td ENGINE=1 BEGIN=begin_one: top-down, one node, an insert each
 * @world two_insert@empty ENGINE=1 BEGIN=begin: top-down, an empty heap, an insert each
 * @world two_pop@td ENGINE=1 BEGIN=begin_three: top-down, three nodes, a pop each
 * @world handover@bu ENGINE=2 BEGIN=begin_one: bottom-up, one node, an insert beside a pop
 * @world two_insert@bu ENGINE=2 BEGIN=begin_one: bottom-up, one node, an insert each
 * @needs cladei_heap_acquire_wi fence insert_beside_pop@td
 * @needs clade_heap_leave store_release two_insert@empty
 * @needs clade_heap_unlock_family fence_release two_pop@td
 * @needs clade_heap_arrive fence_release handover@bu
 * @needs clade_heap_take_last_wi fence_acquire handover@bu */
#define CLADE_CPU             0
#define CLADE_GROUP_SCALAR    1
#define CLADE_LOCAL_BYTES     65536
#define CLADE_HEAP_ENGINE     ENGINE
#define CLADE_HEAP_BATCH      1
#define CLADE_HEAP_REGIONS    5
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32

#ifndef TRIES
#define TRIES 2u
#endif
#define CLADE_SPIN_LIMIT    TRIES
#define CLADE_HEAP_PATIENCE 1u
#define noinline            /* one function, whose variables are registers */
#include "genmc/device.h"

#include "clade/shared/heap.h"

enum { NODES = 7, KEYS = 64 };

static struct {
    clade_heap_head head;
    clade_heap_node nodes[NODES + 1]; /* 256 bytes */
    uint keys[32], values[32];
} heap = {
    .head = { .object = { .shape =
                              CLADE_HEAP_SHAPE(CLADE_U32, CLADE_U32, CLADE_MIN, ENGINE, 1, 0) },
              .nodes = NODES,
              .capacity = { NODES } },
};

/* What is known after a wait for a lock: how many tries there were. */
#define IS_IN(name) (__builtin_strcmp(__func__, name) == 0)
#define CLADE_SCHEDULE_HOOK(where, word, salt)                                           \
    (IS_IN("cladei_heap_acquire_wi") ? __VERIFIER_assume((salt) == 1)                    \
     : IS_IN("cladei_heap_lock_child_wi")                                                \
         ? __VERIFIER_assume((salt) == 1 + (uint)((clade_heap_node *)(word)-heap.nodes)) \
         : (void)0)

#include "clade/heap.clh"

#include <assert.h>

/* Local memory: a variable of the thread's, which GenMC knows of no type but a vector's. */
typedef uint words __attribute__((vector_size(256)));
static _Thread_local words local;
#define scratch (*(clade_heap_scratch *)&local)
typedef char assert_local_size[sizeof(clade_heap_scratch) <= sizeof(words) ? 1 : -1];
static uint payload[KEYS];
static int in[4][KEYS], out[4][KEYS];

/* GenMC knows only what was written in such memory. */
static inline void clear_scratch(void)
{
    for (uint i = 0; i < 5; i++)
        scratch.keys[i] = scratch.values[i] = 0;
    for (uint i = 0; i < CLADE_HEAP_SCRATCH_WORDS; i++)
        scratch.words[i] = 0;
}

static inline void insert(uint me, uint key)
{
    clear_scratch();
    payload[key] = key + 1;
    clade_heap_set_wi(&scratch, 0, key, key);
    const int status = clade_heap_insert_wg(&heap, &scratch, 1);
    __VERIFIER_assume(status != CLADE_E_BUSY);
    assert(status == CLADE_OK);
    in[me][key]++;
}

/* The key; 0: there was none. */
static inline uint pop(uint me)
{
    uint got = 0;
    clear_scratch();
    const int status = clade_heap_pop_wg(&heap, &scratch, 1, &got);
    __VERIFIER_assume(status != CLADE_E_BUSY);
    assert(status == CLADE_OK && got <= 1);
    if (got == 0)
        return 0;
    const uint key = clade_heap_key_wi(&scratch, 0);
    assert(key < KEYS && key == clade_heap_value_wi(&scratch, 0));
    assert(payload[key] == key + 1);
    payload[key] = 0; /* who got it has it alone */
    out[me][key]++;
    return key;
}

static inline void begin(void)
{
}

static inline void begin_one(void)
{
    insert(3, 20);
}

static inline void begin_three(void)
{
    begin_one();
    insert(3, 30);
    insert(3, 40);
}

static inline void end(void)
{
    uint before = 0;
    for (uint i = 0; i < NODES; i++) {
        const uint key = pop(3);
        if (key == 0)
            break;
        assert(before < key);
        before = key;
    }
    assert(pop(3) == 0);
    for (uint key = 0; key < KEYS; key++) {
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][key] - out[t][key];
        assert(left == 0);
    }
}

/* --- worlds ----------------------------------------------------------------------------------- */

static inline void insert_beside_pop(uint me)
{
    if (me == 0) {
        insert(me, 10);
    } else {
        const uint key = pop(me);
        assert(key == 10 || key == 20);
    }
}

/* The pop takes the last node, which is promised to the insert, and may not be filled yet. */
static inline void handover(uint me)
{
    insert_beside_pop(me);
}

static inline void two_insert(uint me)
{
    insert(me, me == 0 ? 10 : 50);
}

static inline void two_pop(uint me)
{
    const uint key = pop(me);
    assert(key == 20 || key == 30);
}

#include "genmc/world.h"
