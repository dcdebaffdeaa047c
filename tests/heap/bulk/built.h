/* SPDX-License-Identifier: Apache-2.0 */
/* What a bulk insert of certain keys builds: every word of directories and leaves is known. */
#pragma once

#include "heap/bulk/calls.h"

/* What an insert finds when it begins: words of the root's leaves, and of the head, that say
 * nothing of an empty heap. */
static void spoil_root(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    for (uint leaf = 1; leaf <= CLADE_FRONT_FAN + 1; leaf++)
        for (uint w = 0; w < CLADE_FRONT_LINE; w++)
            if (w != CLADE_FRONT_L_STAMP)
                ((uint *)cladei_bulk_leaf(h, leaf))[w] = GUARD;
    for (uint e = 0; e < 4; e++)
        job.heap[CLADE_FRONT_W_RETIRED + e] = GUARD;
    job.heap[CLADE_FRONT_W_READY] = job.heap[CLADE_FRONT_W_BOUNDED] = GUARD;
}

/* Every word of the root's leaves, which have no keys; and of the one behind them nothing. */
static void check_root(const uint *kept_, const uint *stamps)
{
    const uint *line = kept_ + CLADE_FRONT_HEAD_WORDS + CLADE_FRONT_FAN + CLADE_FRONT_LINE;
    for (uint c = 0; c < CLADE_FRONT_FAN; c++, line += CLADE_FRONT_LINE) {
        const image low = (image)c << (CLADEI_BULK_KEY_BITS - CLADE_FRONT_BITS);
        uint words[CLADE_FRONT_LINE] = { 0 };
        words[CLADE_FRONT_L_LIMIT] = CLADE_HEAP_LEAF;
        words[CLADE_FRONT_L_STAMP] = stamps[c + 1] + 1;
        words[CLADE_FRONT_L_UP] = c;
        words[CLADE_FRONT_L_SHIFT] = CLADEI_BULK_KEY_BITS - CLADE_FRONT_BITS;
        memcpy(words + CLADE_FRONT_L_LOW, &low, sizeof low);
        for (uint w = 0; w < CLADE_FRONT_LINE; w++)
            expect(line[w] == words[w], "a word of the root's leaves", w, line[w]);
        expect(kept_[CLADE_FRONT_HEAD_WORDS + c] == (c + 1) << 1, "an entry of the root", c, 0);
    }
    for (uint e = 0; e < 4; e++)
        expect(kept_[CLADE_FRONT_W_RETIRED + e] == 0, "units that are retired", e, 0);
    expect(kept_[CLADE_FRONT_W_READY] == 0 && kept_[CLADE_FRONT_W_BOUNDED] == 0,
           "the bound of an empty heap", 0, 0);
    for (uint w = 0; w < CLADE_FRONT_LINE; w++)
        expect(w == CLADE_FRONT_L_STAMP || line[w] == GUARD, "behind the root's leaves", w,
               line[w]);
}

/* Units that a build has made, by what refers to them; each once, and from the first one on. */
static struct {
    const image *sorted; /* the keys */
    const uint *stamps;  /* of each leaf before the build */
    unsigned char *blocks, *leaves, *dirs;
    uint count, block_count, leaf_count, dir_count;
} built;

/* How many keys lie below one, or at it. */
static uint keys_to(image key, bool with_it)
{
    uint from = 0, n = built.count;
    while (n > 0) {
        const uint half = n / 2;
        const image other = built.sorted[from + half];
        const bool below = other < key || (with_it && other == key);
        from += below ? half + 1 : 0;
        n = below ? n - half - 1 : half;
    }
    return from;
}

static uint keys_in(image low, uint shift)
{
    return keys_to((image)(low + ((1ul << shift) - 1u)), true) - keys_to(low, false);
}

/* Every word of a leaf of n keys. */
static void check_leaf(uint leaf, uint up, uint shift, image low, uint flags, uint n, uint chain)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint *line = (const uint *)cladei_bulk_leaf(h, leaf);
    uint words[CLADE_FRONT_LINE] = { 0 };
    words[CLADE_FRONT_L_COUNT] = n | flags;
    words[CLADE_FRONT_L_DONE] = words[CLADE_FRONT_L_FIRST] = n;
    words[CLADE_FRONT_L_LIMIT] = CLADE_HEAP_LEAF;
    words[CLADE_FRONT_L_STAMP] = built.stamps[leaf] + 1;
    words[CLADE_FRONT_L_UP] = up;
    words[CLADE_FRONT_L_SHIFT] = shift;
    memcpy(words + CLADE_FRONT_L_LOW, &low, sizeof low);
    words[CLADE_FRONT_L_CHAIN] = chain;
    words[CLADE_FRONT_L_BORN] = built.count;
    for (uint b = 0; b * (CLADE_HEAP_LEAF / CLADE_FRONT_BLOCKS) < n; b++) {
        const uint block = words[CLADE_FRONT_L_BLOCK + b] = line[CLADE_FRONT_L_BLOCK] + b;
        expect(block > 0 && block < h.block_count && !built.blocks[block]++, "a leaf's block", leaf,
               b);
        built.block_count++;
    }
    for (uint w = 0; w < CLADE_FRONT_LINE; w++)
        expect(line[w] == words[w], "a word of a leaf", w, line[w]);
    expect(leaf < h.leaf_count && !built.leaves[leaf]++, "a leaf twice", leaf, up);
    built.leaf_count++;
}

/* How many entries from e on share a leaf: 1 to 8, as long as it is not full. */
static uint span_of(uint e, image low, uint shift)
{
    uint bits = 0;
    while (bits < 3 && e % (2u << bits) == 0 && keys_in(low, shift + bits + 1) <= CLADEI_BULK_FULL)
        bits++;
    return bits;
}

static void check_dir(uint dir, image low, uint shift)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    for (uint e = 0, bits = 0; e < CLADE_FRONT_FAN; e += 1u << bits) {
        const uint entry = dir * CLADE_FRONT_FAN + e, ref = ((const uint *)h.entries)[entry];
        const image from = low + ((image)e << shift);
        bits = span_of(e, from, shift);
        const uint n = keys_in(from, shift + bits);
        const bool deeper = n > CLADE_HEAP_LEAF && shift > 0;
        expect((ref & 1u) == deeper, "what an entry refers to", entry, ref);
        if (deeper) {
            const uint *words = (const uint *)h.dirs + ref / 2u * CLADE_FRONT_D_WORDS;
            expect(words[CLADE_FRONT_D_UP] == entry && words[CLADE_FRONT_D_DRAINED] == 0,
                   "words of a directory", ref / 2u, entry);
            expect(ref / 2u < h.dir_count && !built.dirs[ref / 2u]++, "a directory twice", ref, 0);
            built.dir_count++;
            check_dir(ref / 2u, from, shift - CLADE_FRONT_BITS);
            continue;
        }
        for (uint i = 1; i < 1u << bits; i++)
            expect(((const uint *)h.entries)[entry + i] == ref, "entries of one leaf", entry, i);
        const uint full = n > 0 ? (n - 1) / CLADE_HEAP_LEAF : 0u, leaf = ref / 2u;
        check_leaf(leaf, entry, shift + bits, from, 0, n - full * CLADE_HEAP_LEAF,
                   full > 0 ? leaf - full : 0u);
        for (uint i = full; i > 0; i--)
            check_leaf(leaf - i, 0, 0, from, CLADE_FRONT_SPLIT, CLADE_HEAP_LEAF,
                       i > 1 ? leaf - i + 1 : 0u);
    }
}

/* The stamps of all leaves. */
static uint *read_stamps(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    uint *stamps = room(h.leaf_count * sizeof *stamps);
    for (uint leaf = 0; leaf < h.leaf_count; leaf++)
        stamps[leaf] = ((const uint *)cladei_bulk_leaf(h, leaf))[CLADE_FRONT_L_STAMP];
    return stamps;
}

/* The trie that so many keys become: its shape, and every word of its directories and leaves. */
static void check_built(const image *sorted, uint count, const uint *stamps)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    built.sorted = sorted;
    built.stamps = stamps;
    built.count = count;
    built.block_count = built.leaf_count = built.dir_count = 0;
    built.blocks = calloc(h.block_count + h.leaf_count + h.dir_count, 1);
    if (!built.blocks)
        exit(1);
    built.leaves = built.blocks + h.block_count;
    built.dirs = built.leaves + h.leaf_count;
    check_dir(0, 0, CLADEI_BULK_KEY_BITS - CLADE_FRONT_BITS);
    for (uint i = 1; i <= built.block_count; i++)
        expect(built.blocks[i], "a block that is left out", i, built.block_count);
    for (uint i = 1; i <= built.leaf_count; i++)
        expect(built.leaves[CLADE_FRONT_FAN + i], "a leaf that is left out", i, built.leaf_count);
    for (uint i = 1; i <= built.dir_count; i++)
        expect(built.dirs[i], "a directory that is left out", i, built.dir_count);
    free(built.blocks);
}
