/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a heap whose engine is CLADE_HEAP_FRONT: a sorted front over unsorted leaves.
 * docs/inside/heap-front.md says what the words mean, who changes them and in which order.
 *
 * All of it is 32-bit words in one buffer. An "at" is a place in the buffer, counted in lines of
 * 128 bytes. A word that many groups change has a line of its own. Directories are the inner nodes
 * of a trie whose leaves have the keys: each splits a range of keys into 16 parts. */
#pragma once

#include "clade/shared/heap.h"

#define CLADE_FRONT_LINE 32u /* words of a line */

/* A directory splits its range by this many bits. It has one entry for each value of them. */
#define CLADE_FRONT_BITS 4u
#define CLADE_FRONT_FAN  16u

/* A leaf holds at most `leaf` keys. They lie in at most so many blocks, which are taken as they are
 * needed.
 */
#define CLADE_FRONT_BLOCKS   16u
#define CLADE_FRONT_LEAF_MIN 256u /* it is a power of two */
#define CLADE_FRONT_LEAF_MAX 4096u

#define CLADE_FRONT_EPOCHS 64u  /* descriptors of the front, one for each value of its tag */
#ifndef CLADE_FRONT_PIECES /* tests have fewer of these, and of the next */
#define CLADE_FRONT_PIECES 160u /* pieces of one front */
#endif
#define CLADE_FRONT_RING   1024u /* leaves looked up ahead */

/* The most leaves that a refill takes to the front at once. With 128 in place of 64 a pop of 64M
 * keys takes 23.3 ms in place of 26.9 (docs/figures/performance-front.md). */
#ifndef CLADE_FRONT_WIDTH_MAX
#define CLADE_FRONT_WIDTH_MAX 128u
#endif

/* The buffer begins with a clade_heap_head. Of that, this engine uses the shape, the capacity, the
 * statistics, the words of a host call, `popped` as of the last call, and `buffer`, which here
 * counts the keys inside. The engine's own words follow. */
#define CLADE_FRONT_BASE (CLADE_HEAP_NODES_AT / 4u)

/* Constants: written at creation only. */
#define CLADE_FRONT_C_LEAF       (CLADE_FRONT_BASE + 8u)  /* keys a leaf can hold */
#define CLADE_FRONT_C_KEY_BITS   (CLADE_FRONT_BASE + 9u)
#define CLADE_FRONT_C_VALUE_BITS (CLADE_FRONT_BASE + 10u)
#define CLADE_FRONT_C_CAPACITY   (CLADE_FRONT_BASE + 11u) /* keys the heap may hold */
#define CLADE_FRONT_C_ENTRIES    (CLADE_FRONT_BASE + 12u) /* at: entries of directory d are words 16 d .. 16 d + 15 */
#define CLADE_FRONT_C_DIRS       (CLADE_FRONT_BASE + 13u) /* at: 4 words a directory */
#define CLADE_FRONT_C_LEAVES     (CLADE_FRONT_BASE + 14u) /* at: one line a leaf */
#define CLADE_FRONT_C_EPOCHS     (CLADE_FRONT_BASE + 15u) /* at: the front's descriptors */
#define CLADE_FRONT_C_RING       (CLADE_FRONT_BASE + 16u) /* at: leaf and generation of each leaf looked up ahead */
#define CLADE_FRONT_C_BITS       (CLADE_FRONT_BASE + 17u) /* 17 18 19, at: free bits of blocks, leaves, directories */
#define CLADE_FRONT_C_SUMS       (CLADE_FRONT_BASE + 20u) /* 20 21 22, at: one bit for each word of those */
#define CLADE_FRONT_C_SUM_COUNT  (CLADE_FRONT_BASE + 23u) /* 23 24 25: words of the sums */
#define CLADE_FRONT_C_KEYS       (CLADE_FRONT_BASE + 26u) /* at: `leaf` / 16 keys a block */
#define CLADE_FRONT_C_VALUES     (CLADE_FRONT_BASE + 27u) /* at: as many values a block */
#define CLADE_FRONT_C_COUNT      (CLADE_FRONT_BASE + 28u) /* 28 29 30: blocks, leaves, directories, the nil ones too */
#define CLADE_FRONT_C_WIDTH      (CLADE_FRONT_BASE + 31u) /* most leaves a refill takes */

/* Words that change, each on a line of its own where groups meet. */
#define CLADE_FRONT_LINE_OF(line) (CLADE_FRONT_BASE + (line) * CLADE_FRONT_LINE)
#define CLADE_FRONT_W_WORD  CLADE_FRONT_LINE_OF(1u)  /* the front word */
#define CLADE_FRONT_W_STAMP CLADE_FRONT_LINE_OF(2u)  /* operations begun, times 4, + their epoch */
#define CLADE_FRONT_W_DONE  CLADE_FRONT_LINE_OF(3u)  /* lines 3 .. 6: operations ended, by epoch */
#define CLADE_FRONT_W_SIZE  36u /* `buffer`: keys inside or on their way in */
#define CLADE_FRONT_W_FREE  CLADE_FRONT_LINE_OF(8u)  /* lines 8 9 10: free blocks, leaves, dirs */
#define CLADE_FRONT_W_HINT  CLADE_FRONT_LINE_OF(11u) /* 3 words: where something was freed last */
#define CLADE_FRONT_W_RING_LOCK  CLADE_FRONT_LINE_OF(12u)
#define CLADE_FRONT_W_RING_HEAD  CLADE_FRONT_LINE_OF(13u) /* owner only */
#define CLADE_FRONT_W_RING_TAIL  CLADE_FRONT_LINE_OF(14u) /* under the ring's lock */
#define CLADE_FRONT_W_RING_NEXT  (CLADE_FRONT_W_RING_TAIL + 1u) /* 2 words: key looked up next */
#define CLADE_FRONT_W_RING_ENDED (CLADE_FRONT_W_RING_TAIL + 3u) /* 1: no key lies beyond */
#define CLADE_FRONT_W_RING_STALE CLADE_FRONT_LINE_OF(15u)       /* 1: begin anew at the bound */
#define CLADE_FRONT_W_BOUND CLADE_FRONT_LINE_OF(16u) /* 2 words: last key that is the front's */
#define CLADE_FRONT_W_BOUNDED (CLADE_FRONT_W_BOUND + 2u) /* 0: no key is the front's */
#define CLADE_FRONT_W_AHEAD   (CLADE_FRONT_W_BOUND + 3u) /* 2 words: last key frozen ahead of it */
#define CLADE_FRONT_W_IS_AHEAD (CLADE_FRONT_W_BOUND + 5u) /* 0: none is */
#define CLADE_FRONT_W_RECENT  (CLADE_FRONT_W_BOUND + 6u) /* how many refills stay narrow */
#define CLADE_FRONT_W_DENSE   (CLADE_FRONT_W_BOUND + 7u) /* the last front insert had to merge */
#define CLADE_FRONT_W_ROUND      CLADE_FRONT_LINE_OF(7u)  /* number of the last round x 4 + phase */
#define CLADE_FRONT_W_ROUND_LEFT CLADE_FRONT_LINE_OF(20u) /* 1 + members still at it; 0: no round */
#define CLADE_FRONT_W_USUAL (CLADE_FRONT_W_ROUND_LEFT + 1u) /* members of the last front insert */
#define CLADE_FRONT_W_UNTOUCHED \
    (CLADE_FRONT_W_ROUND_LEFT + 2u) /* front inserts since the last pop from it */
#define CLADE_FRONT_W_OFFERED    CLADE_FRONT_LINE_OF(48u) /* slots that are ready, about */
#define CLADE_FRONT_W_PLAN       CLADE_FRONT_LINE_OF(21u) /* lines 21 .. 23: CLADE_FRONT_P_... */
#define CLADE_FRONT_W_SLOT       CLADE_FRONT_LINE_OF(24u) /* lines 24 .. 47: CLADE_FRONT_SLOT_... */
#define CLADE_FRONT_W_TICKET     CLADE_FRONT_LINE_OF(49u) /* of the ring: the next leaf to be sorted */
#define CLADE_FRONT_W_TIDY    CLADE_FRONT_LINE_OF(17u)   /* lock of the next three */
#define CLADE_FRONT_W_TARGET  (CLADE_FRONT_W_TIDY + 1u)  /* 4: ends to wait for, by epoch */
#define CLADE_FRONT_W_CLOSED  (CLADE_FRONT_W_TIDY + 5u)  /* begun when the last epoch closed */
#define CLADE_FRONT_W_READY   (CLADE_FRONT_W_TIDY + 6u)  /* retired units that nobody can reach */
#define CLADE_FRONT_W_RETIRED CLADE_FRONT_LINE_OF(18u)   /* 4: stacks of retired units, by epoch */
#define CLADE_FRONT_W_STATS   CLADE_FRONT_LINE_OF(19u)
/* Statistics: pairs of words; the first three are the common head's. */
#define CLADE_FRONT_S_INSERTS  64u
#define CLADE_FRONT_S_POPS     66u
#define CLADE_FRONT_S_REFUSED  68u
#define CLADE_FRONT_S_REFILLS  (CLADE_FRONT_W_STATS + 0u)
#define CLADE_FRONT_S_MERGES   (CLADE_FRONT_W_STATS + 2u) /* front inserts */
#define CLADE_FRONT_S_SPILLS   (CLADE_FRONT_W_STATS + 4u)
#define CLADE_FRONT_S_SPLITS   (CLADE_FRONT_W_STATS + 6u)
#define CLADE_FRONT_S_FORCED   (CLADE_FRONT_W_STATS + 8u) /* leaves an owner had to sort itself */
#define CLADE_FRONT_S_JOINED   (CLADE_FRONT_W_STATS + 10u) /* batches that another owner merged */
#define CLADE_FRONT_HEAD_WORDS CLADE_FRONT_LINE_OF(50u)

/* Pools: the second index of the constants and words above. */
#define CLADE_FRONT_POOL_BLOCKS 0u
#define CLADE_FRONT_POOL_LEAVES 1u
#define CLADE_FRONT_POOL_DIRS   2u

/* The front word has a tag, two guard bits, and the count of keys that are left to hand out. A
 * group owns the front when the guard is not 3. */
#define CLADE_FRONT_TAG_SHIFT  26u
#define CLADE_FRONT_GUARD      (3u << 24)
#define CLADE_FRONT_GUARD_HIGH (1u << 25)
#define CLADE_FRONT_LEFT_MASK  0xffffffu
#define CLADE_FRONT_LEFT_MAX   (1u << 22) /* most keys of a front */

/* So many groups at once may have runs prepared for the front. Each of them takes up to 24 blocks
 * and has one of these slots. */
#define CLADE_FRONT_SLOTS 24u
#define CLADE_FRONT_SLOT_RUN   1u /* the batch as a run; word 0 is the slot's state */
#define CLADE_FRONT_SLOT_SPARE 2u /* a run to merge into, or 0 */
#define CLADE_FRONT_SLOT_COUNT 3u /* keys of the batch */
#define CLADE_FRONT_SLOT_LEAST 4u /* 2 words: its first key */
#define CLADE_FRONT_SLOT_MOST  6u /* 2 words: its last key */
/* States of a slot. */
#define CLADE_FRONT_SLOT_FREE    0u
#define CLADE_FRONT_SLOT_TAKEN   1u /* its group prepares, or owns the front */
#define CLADE_FRONT_SLOT_READY   2u /* an owner may claim it */
#define CLADE_FRONT_SLOT_CLAIMED 3u /* an owner plans a round with it */
#define CLADE_FRONT_SLOT_JOINED  4u /* its group works in a round */
#define CLADE_FRONT_SLOT_IN      5u /* its keys are in the front */
#define CLADE_FRONT_SLOT_OUT     6u /* its keys are not, its runs are the round's */
#define CLADE_FRONT_SLOT_GONE    7u /* its group waits no more, its runs are the round's */

/* A round is several groups that merge their batches into the front together. */
#define CLADE_FRONT_MEMBERS 16u
#define CLADE_FRONT_OUTS    16u /* runs that it may fill */
#define CLADE_FRONT_RUN_BLOCKS 8u /* of a member's batch, which is half a leaf at most */
#define CLADE_FRONT_ROUND_OPEN      1u /* phases */
#define CLADE_FRONT_ROUND_COMMITTED 2u
#define CLADE_FRONT_ROUND_BROKEN    3u
#define CLADE_FRONT_P_NUMBER  0u
#define CLADE_FRONT_P_MEMBERS 1u
#define CLADE_FRONT_P_WORD    2u /* the front word */
#define CLADE_FRONT_P_PIECES  3u /* of its epoch */
#define CLADE_FRONT_P_AT      4u /* keys of its epoch that were handed out */
#define CLADE_FRONT_P_LEFT    5u /* those that were not */
#define CLADE_FRONT_P_FROM    6u /* the first of them that is merged */
#define CLADE_FRONT_P_OLD     7u /* how many are */
#define CLADE_FRONT_P_TOTAL   8u /* keys of the fresh runs */
#define CLADE_FRONT_P_OUTS    9u /* the fresh runs: how many, then which */
#define CLADE_FRONT_P_EXTRA   (CLADE_FRONT_P_OUTS + 1u + CLADE_FRONT_OUTS) /* how many of them are no member's spare: the last */
#define CLADE_FRONT_P_MEMBER  (CLADE_FRONT_P_EXTRA + 1u) /* 4 words each: keys, run, spare, slot */
#define CLADE_FRONT_P_WORDS   (CLADE_FRONT_P_MEMBER + 4u * CLADE_FRONT_MEMBERS)
/* At most so many groups may work on a heap at once. Then their batches cannot wrap the front
 * word. */
#define CLADE_FRONT_GROUPS_MAX 16384u

/* An entry of a directory is 2 x leaf, or 2 x directory + 1, or this: its keys are the front's. */
#define CLADE_FRONT_DRAINED 0xffffffffu

/* Words of a leaf. */
#define CLADE_FRONT_L_COUNT  0u  /* slots reserved; flags */
#define CLADE_FRONT_L_DONE   1u  /* slots stored */
#define CLADE_FRONT_L_LIMIT  2u  /* slots it has or may get blocks for */
#define CLADE_FRONT_L_SORTED 3u  /* slots 0 .. sorted - 1 ascend */
#define CLADE_FRONT_L_LOCK   4u  /* of sorting, splitting, freezing */
#define CLADE_FRONT_L_STAMP  5u  /* times it was allocated */
#define CLADE_FRONT_L_UP     6u  /* the entry that refers to it */
#define CLADE_FRONT_L_SHIFT  7u  /* its range: 1 << shift keys */
#define CLADE_FRONT_L_LOW    8u  /* 2 words: its range's first key */
#define CLADE_FRONT_L_CHAIN  10u /* leaves of the same single key; CLOSED */
#define CLADE_FRONT_L_LEFT   11u /* in the front: keys not yet copied out */
#define CLADE_FRONT_L_BLOCK  12u /* 16 words: blocks, or VOID from some on */
#define CLADE_FRONT_L_NEXT   28u /* in a stack of retired units: the one below, 0, or UNLINKED */
#define CLADE_FRONT_L_OWN    29u /* 1: a run of the front, never in the trie */
#define CLADE_FRONT_L_BORN   30u /* keys in the heap when the leaf was made */
#define CLADE_FRONT_L_FIRST  31u /* keys in it then */

#define CLADE_FRONT_FROZEN     0x80000000u /* of the count: its keys are the front's */
#define CLADE_FRONT_SPLIT      0x40000000u /* of the count: its keys move elsewhere */
#define CLADE_FRONT_BEHIND     0x20000000u /* of the count: it is on the chain of the leaf that took its place, and gives slots on */
#define CLADE_FRONT_COUNT_MASK 0x1fffffffu
#define CLADE_FRONT_NO_SLOTS   (CLADE_FRONT_FROZEN | CLADE_FRONT_SPLIT)
#define CLADE_FRONT_ELSEWHERE  (CLADE_FRONT_SPLIT | CLADE_FRONT_BEHIND) /* not what the trie has, or not for long */
#define CLADE_FRONT_OPENING    2u          /* of the lock: not all entries refer to the leaf yet */
#define CLADE_FRONT_CLOSED     0x80000000u /* of the chain: nobody adds to it any more */
#define CLADE_FRONT_UNLINKED   0xffffffffu /* a retired unit whose link is not stored yet */
#define CLADE_FRONT_VOID       0xffffffffu /* no block could be had: the leaf ends before it */

/* Words of a directory beside its entries. */
#define CLADE_FRONT_D_UP      0u /* the entry that refers to it */
#define CLADE_FRONT_D_DRAINED 1u /* how many of its entries are drained */
#define CLADE_FRONT_D_NEXT    2u
#define CLADE_FRONT_D_WORDS   4u

/* Words of a descriptor of the front. */
#define CLADE_FRONT_E_COUNT  0u /* keys */
#define CLADE_FRONT_E_PIECES 1u
#define CLADE_FRONT_E_COPIED 2u /* keys that nobody will read through it any more */
#define CLADE_FRONT_E_RANK   3u /* 2 words: keys popped before its first */
#define CLADE_FRONT_E_PIECE  6u /* 3 words each: run, first slot, keys up to its end */
#define CLADE_FRONT_E_WORDS  512u

/* CLADE_FRONT_W_SIZE and the statistics are words of the common head. */
CLADE_STATIC_ASSERT(front_head_words, CLADE_FRONT_BASE == 128);
CLADE_STATIC_ASSERT(front_epoch_words,
                    CLADE_FRONT_E_PIECE + 3 * CLADE_FRONT_PIECES <= CLADE_FRONT_E_WORDS);
/* Each member may bring a run to fill. */
CLADE_STATIC_ASSERT(front_outs, CLADE_FRONT_MEMBERS <= CLADE_FRONT_OUTS);
CLADE_STATIC_ASSERT(front_plan_words, CLADE_FRONT_P_WORDS <= 3 * CLADE_FRONT_LINE);
