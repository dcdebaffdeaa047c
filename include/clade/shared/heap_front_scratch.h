/* SPDX-License-Identifier: Apache-2.0 */
/* The working memory of a group that works on a heap of the front engine, without the arrays that
 * are as long as its batch or its leaf. Only its group touches it. cl/clade/heap/front/scratch.clh
 * adds those arrays; lib/heap/front/front.c needs the size of both to choose a batch and a leaf.
 * docs/inside/heap-front.md says when each phase begins and ends.
 *
 * A template in its second half: before it, define CLADE_FRONT(name), the names of what depends on
 * the key's width, CLADE_FRONT_KEY_BITS, and the type CLADE_FRONT(key). */
#ifndef CLADE_FRONT_SCRATCH_PLAIN
#define CLADE_FRONT_SCRATCH_PLAIN

#include "clade/shared/heap_front.h"

/* A list of the front's pieces. Piece i has the slots of `run` from `start` on; `end` is how many
 * keys the list has up to its end. */
typedef struct clade_front_list {
    clade_u32 run[CLADE_FRONT_PIECES], start[CLADE_FRONT_PIECES], end[CLADE_FRONT_PIECES];
    clade_u32 pieces, total;
} clade_front_list;

/* A run that a group made before it owned the front. */
typedef struct clade_front_ready {
    clade_u32 run;    /* 0: none, or it is the front's now */
    clade_u32 left;   /* keys of it in the front */
    clade_u32 used;   /* of its blocks: those that somebody else frees */
    clade_u32 blocks; /* that were taken for it */
    clade_u32 block[CLADE_FRONT_BLOCKS];
} clade_front_ready;

/* Bytes of the arrays, from those of a key and of a value (0: there are no values). An item that
 * sorts alone, as on a CPU, needs twice the room (`apart` 1). */
#define CLADE_FRONT_ARRAY_BYTES(key, value, batch, leaf, apart)                                    \
    ((leaf) * (key) * ((apart) || (value) > (key) ? 2 : 1) + (batch) * (key) * (1 + (apart)) +     \
     ((value) ? (batch) * (value) + 2 * ((batch) + (leaf)) * (1 + (apart)) : 0) +                  \
     8 * (batch) + ((batch) + 31) / 32 * 4)

/* --- phases: at most one at a time ----------------------------------------------------------- */

/* A batch of one key is pushed onto a chain. */
typedef struct clade_front_push {
    clade_u32 onto;   /* the leaf whose chain it is; 0: none is wanted, or memory is out */
    clade_u32 leaf;   /* the fresh one, with the batch */
    clade_u32 blocks; /* how many it has */
} clade_front_push;

/* A leaf that a group has locked: its keys; leaf 0: none. */
typedef struct clade_front_locked {
    clade_u32 leaf, keys;
} clade_front_locked;

/* A full leaf is split. */
typedef struct clade_front_split {
    clade_front_locked full;
    clade_u32 bits;                   /* by which it is split: 1 << bits children */
    clade_u32 blocks;                 /* of all children */
    clade_u32 dir;                    /* the fresh directory, where there is one */
    clade_u32 child[CLADE_FRONT_FAN]; /* the fresh leaves */
    clade_u32 begin[CLADE_FRONT_FAN]; /* of their blocks, among all */
    clade_atomic_u32 keys[CLADE_FRONT_FAN], placed[CLADE_FRONT_FAN];
} clade_front_split;

/* An unsorted leaf of the ring is chosen. */
typedef struct clade_front_choice {
    clade_u32 head, tail; /* of the ring */
    clade_front_locked locked;
    clade_atomic_u32 count, unsorted[CLADE_FRONT_FAN * CLADE_FRONT_FAN / 32u]; /* bits */
} clade_front_choice;

/* A leaf that is taken by force: its keys; whether they must be sorted. */
typedef struct clade_front_forced {
    clade_i32 status;
    clade_u32 keys, unsorted;
} clade_front_forced;

/* Keys are cut by the pieces of the front: those from `from` up to `to` fall between two keys of a
 * piece, those before `from` into the gap before it. */
typedef struct clade_front_cut {
    clade_u32 from[CLADE_FRONT_PIECES + 1], to[CLADE_FRONT_PIECES];
    clade_atomic_u32 pieces;                             /* that the new list can have */
    clade_atomic_u32 dense;                              /* pieces that must be merged */
    clade_atomic_u32 gaps[CLADE_FRONT_PIECES / 32u + 1]; /* bits: gaps with keys */
} clade_front_cut;

/* Units go back to their pools: runs that have no keys left, or retired units. */
typedef struct clade_front_dead {
    clade_u32 unit[CLADE_FRONT_PIECES];
    clade_u32 retired;           /* how many of those */
    clade_atomic_u32 runs;       /* how many, else */
    clade_atomic_u32 more;       /* blocks of the runs, or directories among the retired */
} clade_front_dead;

/* The list's keys from `from` on go back to the chain of `leaf`, which is locked when OK. */
typedef struct clade_front_rechain {
    clade_i32 status;
    clade_u32 leaf, from;
} clade_front_rechain;

/* What a pop saw when it looked at the front. */
typedef struct clade_front_seen {
    clade_u32 word, none; /* 1: the heap is empty */
} clade_front_seen;

/* A group waits for the front. */
typedef struct clade_front_wait {
    clade_i32 status;    /* OK: it owns the front; NOTHING: its slot is joined; BUSY */
    clade_u32 word;      /* that the front had */
    clade_u32 overtaken; /* BUSY: the first key is the front's no more */
    clade_u32 claimed;   /* BUSY: its runs are its round's */
} clade_front_wait;

/* The first key of a heap at rest: it is among the `keys` slots of `leaf` from `slot` on. */
typedef struct clade_front_among {
    clade_u32 leaf, slot, keys; /* 0 keys: there is none */
} clade_front_among;

typedef struct clade_front_member {
    clade_u32 keys, run, spare, slot;
} clade_front_member;

#endif

#ifdef CLADE_FRONT

/* What the front's owner, or a group that wants to own it, knows of it. */
typedef struct CLADE_FRONT(view) {
    CLADE_FRONT(key) bound;
    clade_u32 bounded, ahead; /* as the words of those names */
    clade_u32 keys, pieces;   /* of the epoch, also those that were handed out */
    clade_u32 grows;          /* no pop has reached it for long */
    clade_u32 round;          /* number of the last round */
    clade_u32 alone;          /* that round is not over: no other can be begun */
} CLADE_FRONT(view);

/* The next leaves are looked up for the ring, from key `from` on. */
typedef struct CLADE_FRONT(look) {
    CLADE_FRONT(key) from;
    clade_u32 dir, shift;  /* the directory two levels above its leaf; of its whole range */
    clade_u32 any;         /* 0: there is nothing to do */
    clade_atomic_u32 deep; /* the first entry that must be looked up more closely */
    clade_atomic_u32 leaves[CLADE_FRONT_FAN * CLADE_FRONT_FAN / 32u]; /* bits: entries that count */
} CLADE_FRONT(look);

/* The leaf after the bound, and its range's last key; whether it has a chain. */
typedef struct CLADE_FRONT(next) {
    CLADE_FRONT(key) last;
    clade_i32 status;
    clade_u32 leaf, chained;
} CLADE_FRONT(next);

/* The owner takes over leaves: the ring's first ones, or the one after the bound. */
typedef struct CLADE_FRONT(refill) {
    CLADE_FRONT(key) low[CLADE_FRONT_WIDTH_MAX], high[CLADE_FRONT_WIDTH_MAX];
    clade_u32 leaf[CLADE_FRONT_WIDTH_MAX], keys[CLADE_FRONT_WIDTH_MAX];
    clade_u32 good[CLADE_FRONT_WIDTH_MAX];
    clade_u32 sum[CLADE_FRONT_WIDTH_MAX / 16u]; /* of the keys and pieces of 16 leaves each */
    clade_u32 n;                                /* how many of the ring are looked at */
    clade_atomic_u32 whole;                     /* the first that cannot be taken as it is */
    clade_atomic_u32 last;                      /* after the last one that is frozen */
    CLADE_FRONT(next) next;
    clade_front_forced forced;
} CLADE_FRONT(refill);

/* A front that is too long gives keys back. The drained entries below the bound: on level v those
 * of directory dir[v] below digits[v], whose range begins at low[v]. */
typedef struct CLADE_FRONT(spill) {
    CLADE_FRONT(key) low[CLADE_FRONT_KEY_BITS / CLADE_FRONT_BITS];
    clade_u32 dir[CLADE_FRONT_KEY_BITS / CLADE_FRONT_BITS];
    clade_u32 digits[CLADE_FRONT_KEY_BITS / CLADE_FRONT_BITS];
    clade_u32 begin[CLADE_FRONT_FAN]; /* where each entry's keys begin in the list */
    clade_u32 fresh[CLADE_FRONT_FAN]; /* leaves for those of one level */
    clade_front_rechain rechain;
} CLADE_FRONT(spill);

/* A round: several groups merge their batches into a stretch of the front. */
typedef struct CLADE_FRONT(round) {
    clade_front_member member[CLADE_FRONT_MEMBERS];
    CLADE_FRONT(key) least[CLADE_FRONT_MEMBERS], most[CLADE_FRONT_MEMBERS]; /* the owner's */
    clade_atomic_u32 tried, claimed, keys;                                  /* the owner's */
    clade_atomic_u32 before, after; /* the owner's: pieces that are not of the stretch */
    clade_u32 first, last;          /* the owner's: the pieces from first up to before last are */
    clade_u32 number, members, me;
    clade_u32 word, pieces, at, left; /* the front word, its epoch, its keys: a member's */
    clade_u32 from, old;              /* the stretch's first key, and how many it has */
    clade_u32 sum;                    /* keys of the fresh runs */
    clade_u32 runs, extra;            /* how many; those that are no member's spare: the last */
    clade_u32 run[CLADE_FRONT_OUTS];
    clade_u32 block[CLADE_FRONT_OUTS * CLADE_FRONT_BLOCKS];     /* of the fresh runs */
    clade_u32 batch[CLADE_FRONT_MEMBERS * CLADE_FRONT_RUN_BLOCKS]; /* blocks of the members' runs */
    clade_u32 sooner[CLADE_FRONT_MEMBERS + 1];                  /* keys of the members before */
    clade_u64 slots;                                            /* of all blocks */
} CLADE_FRONT(round);

typedef union CLADE_FRONT(phase) {
    clade_front_push push;
    clade_front_split split;
    clade_front_choice choice;
    clade_front_cut cut;
    clade_front_dead dead;
    clade_front_seen seen;
    clade_front_wait wait;
    clade_front_among among;
    CLADE_FRONT(look) look;
    CLADE_FRONT(refill) refill;
    CLADE_FRONT(spill) spill;
    CLADE_FRONT(round) round;
} CLADE_FRONT(phase);

/* Bytes of what does not grow with the batch or the leaf: some words, the blocks of a run, two
 * runs, two lists, and the counts of keys that are gone from one list. At most 16 more are not
 * used. */
enum {
    CLADE_FRONT(fixed_bytes) =
        sizeof(CLADE_FRONT(phase)) + sizeof(CLADE_FRONT(view)) + 2 * sizeof(clade_front_ready) +
        2 * sizeof(clade_front_list) + 4 * (2 * CLADE_FRONT_BLOCKS + 1 + CLADE_FRONT_PIECES + 15)
};

#endif
