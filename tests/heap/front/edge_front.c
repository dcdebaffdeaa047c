/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's device functions by one group (-DGROUP=), on lanes: worlds of inserts, pops,
 * help and looks, one call after the other, each compared with a sorted list, and after each the
 * library's own check looks at the heap and all counts are the list's. So what one call leaves
 * wrong is told before the next one hides it. Between calls pools are nearly empty, leaves are
 * locked, the front is owned by nobody who goes on, or somebody still reads what the next front is
 * described in: then calls may be refused, and what they say they took is what is inside. Calls
 * that must be refused leave each byte as it was.
 *
 * A front, entries of the trie and leaves of a chain are looked at when they are shown to others:
 * all of their keys and values are stored by then, whichever item stores them. Who says that a leaf
 * is sorted has sorted all of it. A leaf or directory that is retired is unlinked by then, in all
 * of its entries; what was in the trie is free only after it was retired, and a run of the front's
 * own after its blocks.
 *
 * A front of few pieces, short chains and a narrow window (-DCLADE_FRONT_PIECES= and others) meet
 * their ends all the time. */
#ifndef KEY
#define KEY CLADE_U32
#endif
#ifndef VALUE
#define VALUE CLADE_U32
#endif
#ifndef BATCH_KEYS
#define BATCH_KEYS 40
#endif
#define CLADE_HEAP_BATCH        BATCH_KEYS
#define CLADE_HEAP_LEAF         256
#define CLADE_FRONT_PUSH_LEAST  2u /* batches of one key are pushed, however short */
#define CLADE_FRONT_DENSE_TOTAL 300u
#define CLADE_FRONT_KEEP        50u
#define CLADE_HEAP_KEY_TYPE     KEY
#define CLADE_HEAP_VALUE_TYPE   VALUE
#define CLADE_LOCAL_BYTES       65536
#define CLADE_SPIN_LIMIT        100u /* some turns for each level of the trie */
#include "host/device.h"

#include "heap/front/steps/watched.h"

#include "harness/end_after.h"
#include "heap/front/steps/trouble.h"

/* As if so many keys had been popped before. */
static void set_rank(unsigned long long rank)
{
    clade_front_words e =
        clade_heap_front_epoch_of(clade_heap_front_open_wi(heap), word(CLADE_FRONT_W_WORD));
    clade_store_relaxed(e + CLADE_FRONT_E_RANK, (uint)rank);
    clade_store_relaxed(e + CLADE_FRONT_E_RANK + 1, (uint)(rank >> 32));
}

/* The leaves of a fresh heap are in the trie. */
static void begin_units(void)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaves = word(CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES);
    memset(is_retired, 0, sizeof is_retired);
    memset(is_used_up, 0, sizeof is_used_up);
    expect(leaves <= UNITS, "leaves of a heap", leaves, UNITS);
    for (uint leaf = 1; leaf < leaves && leaf < UNITS; leaf++)
        is_linked[leaf] = !is_free(h, CLADE_FRONT_POOL_LEAVES, leaf);
}

static uint splits, spills, forced, refills, merges;

static void world(uint seed)
{
    world_at = seed;
    random_state = seed;
    size = next_id = inserts = pops = refused = fronts = moved = own_fronts = 0;
    memset(is_in, 0, sizeof is_in);
    const bool is_small = seed % 5u == 2u;
    capacity = is_small ? 400 + draw(500) : CAPACITY;
    heap = host_front_new(capacity, BATCH, LEAF);
    kept = malloc(host_front_bytes(capacity, LEAF));
    begin_units();
    memcpy(block_0, clade_heap_front_open_wi(heap).keys, sizeof block_0);
    popped = 0x4ffffff00u; /* ranks of more than 32 bits, whose lower half wraps */
    set_rank(popped);
    const uint wanted = draw(is_small ? 2 : 4); /* how full: pops in four calls */
    only = draw(4) == 0 ? (draw(2) ? ONE : (enum law)draw(LAWS)) : LAWS;
    step_at = 0;
    scatter();
    for (; step_at < STEPS && wrong == 0; step_at++) {
        const uint turn = draw(16);
        if (turn == 0)
            look();
        else if (turn == 1)
            help(draw(60));
        else if (turn == 2)
            in_trouble(step_at);
        else if (turn == 3)
            spill(keep_some(), false);
        else if (turn == 4 && draw(4) == 0)
            tidy();
        else if (turn == 5 && size > 0)
            insert_few();
        else if (turn == 6 && size > LEAF)
            crowd();
        else if (draw(4) < (step_at % 60 < 40 ? wanted : 3))
            pop(some(), false);
        else if (next_id + BATCH <= MOST) {
            const uint n = some();
            fill_call(n, step_at);
            insert(n, false);
        }
        check();
    }
    refusals();
    while (size > 0 && wrong == 0) {
        pop(BATCH, false);
        check();
    }
    pop(BATCH, false);
    pop_late();
    look();
    splits += word(CLADE_FRONT_S_SPLITS);
    spills += word(CLADE_FRONT_S_SPILLS);
    forced += word(CLADE_FRONT_S_FORCED);
    refills += word(CLADE_FRONT_S_REFILLS);
    merges += word(CLADE_FRONT_S_MERGES);
    free(heap);
    free(kept);
}

int main(void)
{
    end_after(100);
    lanes_order_nothing(1);
    host_front_key_type = KEY;
    host_front_value_type = VALUE;
    for (uint seed = 1; seed <= WORLDS && wrong == 0; seed++)
        world(seed);
    expect(splits > 0 && spills > 0 && forced > 0 && refills > 0 && merges > 0,
           "a part of the engine was not met", splits, spills);
    expect(fulls > 0, "no heap was full", WORLDS, 0);
    expect(shown[0] > 0 && shown[1] > 0 && shown[2] > 0, "nothing was looked at as it was shown",
           shown[1], shown[2]);
#if !CLADE_GROUP_SCALAR
    expect(given_up > 0, "no run's keys were given up", 0, 0);
#endif
    printf("%u splits, %u spills, %u leaves by force, %u refills, %u merges; %u wrong\n", splits,
           spills, forced, refills, merges, wrong);
    return wrong != 0;
}
