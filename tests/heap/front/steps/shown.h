/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts, leaves and units as they are shown to others: whole, sorted, unlinked, not yet free. */
#pragma once

#include "heap/front/steps/model.h"

/* A key that was put into one of the heap's slots, with its value. */
LANES_UNSEEN static void expect_stored(clade_heap_front_heap h, size_t at, image least, image most)
{
    const image key_ = h.keys[at];
    expect(key_ >= least && key_ <= most, "a key that is shown, and is not stored, in step",
           step_at, (uint)key_);
#if VALUE
    const uint id = (uint)h.values[at];
    expect(id < next_id && key_of_id[id] == key_, "a value that is shown, and is not stored",
           step_at, id);
#endif
}

LANES_UNSEEN static uint word_of(clade_front_words word)
{
    return *(const uint *)(const void *)word;
}

/* Where a leaf's slot is among all. */
LANES_UNSEEN static size_t place_of(clade_heap_front_heap h, uint leaf, uint slot)
{
    enum { BLOCK = LEAF / CLADE_FRONT_BLOCKS };
    clade_front_words blocks = clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_BLOCK;
    return (size_t)word_of(blocks + slot / BLOCK) * BLOCK + slot % BLOCK;
}

/* A leaf, all of whose slots were given and stored, or of whose chain it is, with its own count. */
LANES_UNSEEN static void expect_whole(clade_heap_front_heap h, uint leaf)
{
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint slots = word_of(l + CLADE_FRONT_L_COUNT) & CLADE_FRONT_COUNT_MASK;
    const uint limit = word_of(l + CLADE_FRONT_L_LIMIT), n = slots < limit ? slots : limit;
    const uint shift = word_of(l + CLADE_FRONT_L_SHIFT);
    const image low = *(const image *)(const void *)(l + CLADE_FRONT_L_LOW);
    for (uint i = 0; i < n && word_of(l + CLADE_FRONT_L_DONE) == n && wrong == 0; i++)
        expect_stored(h, place_of(h, leaf, i), low, low + (image)(((image)1 << shift) - 1u));
}

/* The keys that are left of a front ascend from piece to piece. */
LANES_UNSEEN static void expect_front(clade_heap_front_heap h, uint front)
{
    clade_front_words e = h.epochs + (front >> CLADE_FRONT_TAG_SHIFT) * CLADE_FRONT_E_WORDS;
    const uint pieces = word_of(e + CLADE_FRONT_E_PIECES), count = word_of(e + CLADE_FRONT_E_COUNT);
    const uint from = count - clade_heap_front_left_of(front);
    image least = 0;
    uint x = 0;
    for (uint p = 0; p < pieces; p++) {
        clade_front_words piece = e + CLADE_FRONT_E_PIECE + 3u * p;
        const uint begin = x, end = word_of(piece + 2), first = word_of(piece + 1);
        for (x = end > from && begin < from ? from : begin; x < end && x >= from && wrong == 0;
             x++) {
            const size_t at = place_of(h, word_of(piece), first + (x - begin));
            expect_stored(h, at, least, LAST);
            least = h.keys[at];
        }
        x = end;
    }
    expect(x == count, "keys of the front's pieces", x, step_at);
}

static uint shown[3]; /* fronts, entries, chains */

/* Leaves: in the trie, or on a chain there; runs of which all keys were given up. Leaves and
 * directories: retired. */
static bool hides; /* units that were hidden come back */
static unsigned char is_linked[UNITS], is_used_up[UNITS], is_retired[2][UNITS];

/* Which word of a leaf it is, and of which leaf; else leaf 0. */
LANES_UNSEEN static uint leaf_of(clade_heap_front_heap h, clade_global_word word, uint which)
{
    const size_t leaves = word_of(h.head + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES);
    const size_t at = (size_t)(word - clade_heap_front_leaf(h, 0));
    return word >= clade_heap_front_leaf(h, 0) && at < leaves * CLADE_FRONT_LINE &&
                   at % CLADE_FRONT_LINE == which
               ? (uint)(at / CLADE_FRONT_LINE)
               : 0;
}

/* No entry refers to it any more; a leaf that was split has its lock given back. */
LANES_UNSEEN static void expect_unlinked(clade_heap_front_heap h, uint tagged)
{
    const uint unit = tagged >> 1;
    clade_front_words l = clade_heap_front_leaf(h, tagged & 1u ? 0 : unit);
    const uint up = word_of(tagged & 1u ? h.dirs + unit * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_UP
                                        : l + CLADE_FRONT_L_UP);
    const uint span = tagged & 1u ? 1u : 1u << word_of(l + CLADE_FRONT_L_SHIFT) % CLADE_FRONT_BITS;
    for (uint e = 0; e < span; e++)
        expect(word_of(h.entries + up + e) != tagged, "what is retired is in the trie", unit,
               step_at);
    expect(word_of(l + CLADE_FRONT_L_LOCK) == 0 ||
               !(word_of(l + CLADE_FRONT_L_COUNT) & CLADE_FRONT_SPLIT),
           "what was split is locked", unit, step_at);
    is_retired[tagged & 1u][unit % UNITS] = 1;
}

/* Whether leaf `was` is split, or chained by `now`, which takes its place at this entry. */
LANES_UNSEEN static bool is_moved(clade_heap_front_heap h, uint entry, uint was, uint now)
{
    if (was == CLADE_FRONT_DRAINED || was & 1u || now == CLADE_FRONT_DRAINED)
        return false;
    clade_front_words l = clade_heap_front_leaf(h, was >> 1);
    const uint chain =
        now & 1u ? 0 : word_of(clade_heap_front_leaf(h, now >> 1) + CLADE_FRONT_L_CHAIN);
    return chain == was >> 1 ||
           (word_of(l + CLADE_FRONT_L_COUNT) & CLADE_FRONT_SPLIT &&
            word_of(l + CLADE_FRONT_L_LIMIT) > 0 && word_of(l + CLADE_FRONT_L_UP) == entry);
}

LANES_UNSEEN static void look_at_shown(clade_global_word word, clade_u32 value)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const size_t dirs = word_of(h.head + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_DIRS);
    if (word == h.head + CLADE_FRONT_W_WORD) {
        expect_front(h, value);
        fronts += (value >> CLADE_FRONT_TAG_SHIFT) !=
                  (word_of((clade_front_words)word) >> CLADE_FRONT_TAG_SHIFT);
        shown[0]++;
    } else if (word >= h.head + CLADE_FRONT_W_RETIRED &&
               word < h.head + CLADE_FRONT_W_RETIRED + 4) {
        expect_unlinked(h, value);
    } else if (word >= h.entries && word < h.entries + dirs * CLADE_FRONT_FAN) {
        for (uint e = 0; e < CLADE_FRONT_FAN && value != CLADE_FRONT_DRAINED; e++) {
            const uint ref =
                value & 1u ? word_of(h.entries + (value >> 1) * CLADE_FRONT_FAN + e) : value;
            if (ref != CLADE_FRONT_DRAINED && !(ref & 1u) && (e == 0 || ref != value)) {
                expect_whole(h, ref >> 1);
                is_linked[(ref >> 1) % UNITS] = 1;
            }
        }
        moved += is_moved(h, (uint)(word - h.entries), word_of((clade_front_words)word), value);
        shown[1]++;
    } else if (leaf_of(h, word, CLADE_FRONT_L_CHAIN) != 0 && (value & ~CLADE_FRONT_CLOSED) != 0) {
        expect_whole(h, value & ~CLADE_FRONT_CLOSED);
        is_linked[(value & ~CLADE_FRONT_CLOSED) % UNITS] = 1;
        shown[2]++;
    }
}

/* Who says that a leaf's first slots are sorted has put all of them in order, with their values. */
LANES_UNSEEN static void look_at_sorted(clade_global_word word, clade_u32 value)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = leaf_of(h, word, CLADE_FRONT_L_SORTED);
    image least = 0;
    for (uint i = 0; leaf != 0 && i < value && wrong == 0; i++) {
        const size_t at = place_of(h, leaf, i);
        expect_stored(h, at, least, LAST);
        least = h.keys[at];
    }
}

LANES_UNSEEN static void look_at_lock(clade_global_word word, clade_u32 was)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const bool is_lock = leaf_of(h, word, CLADE_FRONT_L_LOCK) != 0 ||
                         word == h.head + CLADE_FRONT_W_RING_LOCK ||
                         word == h.head + CLADE_FRONT_W_TIDY;
    expect(!is_lock || was != 0 || word_of((clade_front_words)word) != 0,
           "a lock that was free is not taken", (uint)(word - h.head), step_at);
}

LANES_UNSEEN static bool is_free(clade_heap_front_heap h, uint pool, uint unit)
{
    clade_front_words bits =
        h.head + (size_t)word_of(h.head + CLADE_FRONT_C_BITS + pool) * CLADE_FRONT_LINE;
    return word_of(bits + unit / 32u) >> unit % 32u & 1u;
}

/* A unit's bit is about to be set, with which others may take it. */
LANES_UNSEEN static void look_at_freed(clade_global_word word, clade_u32 value)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    for (uint pool = CLADE_FRONT_POOL_LEAVES; pool <= CLADE_FRONT_POOL_DIRS; pool++) {
        clade_front_words bits =
            h.head + (size_t)word_of(h.head + CLADE_FRONT_C_BITS + pool) * CLADE_FRONT_LINE;
        const uint units = word_of(h.head + CLADE_FRONT_C_COUNT + pool);
        if (word < bits || word > bits + units / 32u)
            continue;
        const uint unit = (uint)(word - bits) * 32u + 31u - (uint)__builtin_clz(value);
        unsigned char *retired = &is_retired[pool == CLADE_FRONT_POOL_DIRS][unit % UNITS];
        const bool dir = pool == CLADE_FRONT_POOL_DIRS;
        expect(*retired || hides || !(dir || is_linked[unit % UNITS]),
               "free at once, and was in the trie", unit, step_at);
        clade_front_words blocks = clade_heap_front_leaf(h, dir ? 0 : unit) + CLADE_FRONT_L_BLOCK;
        for (uint b = 0; b < CLADE_FRONT_BLOCKS && is_used_up[unit % UNITS] && !*retired; b++) {
            const uint block = word_of(blocks + b);
            expect(block == 0 || block == CLADE_FRONT_VOID ||
                       is_free(h, CLADE_FRONT_POOL_BLOCKS, block),
                   "a run is free before its blocks", unit, step_at);
        }
        *retired = 0;
        if (!dir)
            is_linked[unit % UNITS] = is_used_up[unit % UNITS] = 0;
    }
}
