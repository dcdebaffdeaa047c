/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of bits: a bit above says that the word below is not 0. It is so after each call, whoever
 * sets a bit while another one clears the way above it. */
#pragma once

static struct {
    clade_kma_head *kma;
    uint tree, bit; /* what another one sets */
} climb;

static uint node_of(uint level, uint index)
{
    return clade_load_relaxed(cladei_kma_node(climb.kma, climb.tree, level, index));
}

static bool any_of(void)
{
    return climb.kma->any[climb.tree / 32u] >> climb.tree % 32u & 1u;
}

static void another_sets(void)
{
    cladei_kma_raise(climb.kma, climb.tree, 0u, climb.bit);
}

static void clear_tree(void)
{
    uint *words = (uint *)(void *)climb.kma;
    memset(words + climb.kma->tree_at + climb.tree * climb.kma->tree_words, 0,
           4ul * climb.kma->tree_words);
    climb.kma->any[climb.tree / 32u] &= ~(1u << climb.tree % 32u);
}

/* Each bit above says what is below, and of the other trees nothing has changed. */
static void expect_tree(const char *what, uint salt)
{
    const uint levels = climb.kma->levels;
    uint below = climb.kma->page_words, others = 0;
    for (uint level = 1; level < levels; level++) {
        for (uint i = 0; i < below; i++)
            expect((node_of(level, i / 32u) >> i % 32u & 1u) == (node_of(level - 1u, i) != 0u),
                   what, level, salt);
        below = (below + 31u) / 32u;
    }
    expect(any_of() == (node_of(levels - 1u, 0u) != 0u), what, levels, salt);
    for (uint i = 0; i < 64; i++)
        others += i != climb.tree && i != CLADE_KMA_PAGE_TREE(0) &&
                  climb.kma->any[i / 32u] >> i % 32u & 1u;
    expect(others == 0, "another tree", others, salt);
}

/* A bit is cleared, and the way above it. Beside it another bit is set, whose way joins at a level.
 * Before or after the clearing at some level a third one comes. */
static void lower_beside(uint bit, uint joins, uint level, bool after)
{
    const uint levels = climb.kma->levels, salt = joins << 16 | level << 8 | after;
    clear_tree();
    cladei_kma_raise(climb.kma, climb.tree, 0u, bit);
    if (joins < levels)
        cladei_kma_raise(climb.kma, climb.tree, 0u, bit ^ 1u << 5u * joins);
    expect_tree("bits were set", salt);
    clade_and_relaxed(cladei_kma_node(climb.kma, climb.tree, 0u, bit / 32u), ~(1u << bit % 32u));
    if (joins > 0u) {
        acts.after = after;
        acts.acts = another_sets;
        acts.at = level < levels
                      ? cladei_kma_node(climb.kma, climb.tree, level, bit >> 5u * (level + 1u))
                      : (clade_global_word)&climb.kma->any[climb.tree / 32u];
        const bool comes_there = level <= joins;
        cladei_kma_lower(climb.kma, climb.tree, 1u, bit / 32u);
        expect(comes_there == !acts.at, "how far the way is cleared", level, salt);
        acts.at = NULL;
    }
    expect_tree("a bit was cleared beside another one", salt);
}

/* What looks for a bit goes around hints that are set for nothing, and clears them: they stay for
 * nobody. */
static void find_beside_stale(uint bit, uint level)
{
    const uint stale = bit ^ 1u << 5u * level;
    for (uint floor = 0; floor < 2; floor++) {
        clear_tree();
        cladei_kma_raise(climb.kma, climb.tree, 0u, bit);
        cladei_kma_raise(climb.kma, climb.tree, level, stale >> 5u * level);
        for (uint seed = 0; seed < 512; seed++) {
            const uint found = cladei_kma_find(climb.kma, climb.tree, floor, cladei_kma_mix(seed));
            expect(found == (floor ? bit / 32u : bit), "found beside stale hints", found, bit);
        }
        expect_tree("stale hints", level);
    }
    clear_tree();
    cladei_kma_raise(climb.kma, climb.tree, level, stale >> 5u * level);
    for (uint i = 0; i < 2; i++)
        expect(cladei_kma_find(climb.kma, climb.tree, 0u, 0u) == CLADEI_KMA_NONE,
               "nothing is there", level, i);
    expect_tree("stale hints of an empty tree", level);
    climb.kma->any[climb.tree / 32u] |= 1u << climb.tree % 32u;
    expect(cladei_kma_find(climb.kma, climb.tree, 0u, 0u) == CLADEI_KMA_NONE, "nothing is there", 9,
           0);
    expect_tree("a stale mark of an empty tree", level);
}

static void trees_of_bits(clade_kma_head *kma)
{
    static const uint trees[] = { 3, 33 }, bits[] = { 0, 1023, 31 + 32 * 17, 32 * 1024 + 40 };
    climb.kma = kma;
    expect(kma->levels == 4, "levels", kma->levels, 4);
    for (uint t = 0; t < 2; t++)
        for (uint b = 0; b < 4; b++) {
            climb.tree = trees[t];
            for (uint joins = 0; joins <= kma->levels; joins++) {
                if (joins < kma->levels && (bits[b] ^ 1u << 5u * joins) / 32u >= kma->page_words)
                    continue;
                for (uint level = 1; level <= kma->levels; level++)
                    for (uint other = 0; other < 2; other++) {
                        climb.bit = other ? bits[b] ^ 3u : bits[b];
                        lower_beside(bits[b], joins, level, false);
                        lower_beside(bits[b], joins, level, true);
                    }
            }
            for (uint level = 1; level < kma->levels; level++)
                if ((bits[b] ^ 1u << 5u * level) / 32u < kma->page_words)
                    find_beside_stale(bits[b], level);
            clear_tree();
        }
    free((void *)kma);
}
