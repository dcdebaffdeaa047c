/* SPDX-License-Identifier: Apache-2.0 */
/* What is given back twice, in parts or by the host's calls. */
#pragma once

#include "kma/groups_model.h"

/* Blocks of all kinds that are given back twice: each of them is counted, and nothing changes. */
static void give_back_twice(void)
{
    uint refs[64];
    open_heap(SMALL);
    (void)serve(3, 2, 0);
    memcpy(refs, call.refs, sizeof refs);
    free_by_groups(1, 64);
    lives = 0;
    note();
    memcpy(call.refs, refs, sizeof refs);
    free_by_groups(1, 64); /* whole groups that are nobody's */
    ((clade_kma_head *)expected)->bad_frees += 64;
    expect_words("groups that were given back twice");
    memset(call.refs, 0, sizeof refs);
    call.refs[3] = refs[7], call.refs[40] = refs[8], call.refs[41] = refs[50];
    free_by_groups(1, 64); /* some of them */
    ((clade_kma_head *)expected)->bad_frees += 3;
    expect_words("cells of groups that are nobody's");
    const uint block = clade_kma_malloc_wi(kma, 3ul * CLADE_KMA_PAGE_BYTES);
    clade_kma_free_wi(kma, block);
    note();
    clade_kma_free_wi(kma, block);
    ((clade_kma_head *)expected)->bad_frees++;
    expect_words("a block of pages that was given back twice");
    expect_sound("after blocks were given back twice");
    close_heap();
}

static struct {
    ulong *sizes;
    uint *refs, fixed, count;
} host_call;

static void kernel_of_mallocs(void *argument, void *local)
{
    (void)argument, (void)local;
    kernel_malloc(kma, host_call.sizes, 2, 100, host_call.fixed, host_call.refs, 3,
                  host_call.count);
}

static void kernel_of_frees(void *argument, void *local)
{
    (void)argument, (void)local;
    kernel_free(kma, host_call.refs, 3, host_call.count);
}

/* What the host's calls launch: more items than blocks, and arrays of just the size that is used.
 */
static void calls_of_hosts(void)
{
    enum { COUNT = 53 };
    open_heap(SMALL);
    for (host_call.fixed = 0; host_call.fixed < 2; host_call.fixed++) {
        host_call.count = COUNT;
        host_call.sizes = malloc(8ul * (COUNT + 2));
        host_call.refs = malloc(4ul * (COUNT + 3));
        for (uint i = 0; i < COUNT + 2; i++)
            host_call.sizes[i] = i * i * 20u;
        shim_launch(kernel_of_mallocs, NULL, 2, 32, 0);
        now_live(host_call.refs + 3, COUNT);
        for (uint i = 0; i < COUNT; i++) {
            const ulong bytes = host_call.fixed ? 100 : host_call.sizes[i + 2];
            const ulong got = clade_kma_size_wi(kma, host_call.refs[i + 3]);
            expect(got >= bytes &&
                       (got <= bytes + bytes / 3u + 16u || got <= bytes + CLADE_KMA_PAGE_BYTES),
                   "the bytes of a block", (uint)bytes, (uint)got);
        }
        expect_sound("blocks for a host");
        shim_launch(kernel_of_frees, NULL, 2, 32, 0);
        lives = 0;
        expect_sound("a host's blocks were given back");
        expect(kma->bad_frees == 0, "bad frees", kma->bad_frees, 0);
        free(host_call.sizes);
        free(host_call.refs);
    }
    close_heap();
}

/* Blocks of one group's items, given back in another order, some of them twice, and not all at
 * once: each cell's bit, and how many were no blocks. */
static void give_back_in_parts(void)
{
    const uint units = 4, class_ = 3;
    open_heap(SMALL);
    for (uint round = 0; round < 12; round++) {
        uint order[ITEMS], refs[ITEMS], twice = 0;
        const uint bad = kma->bad_frees;
        malloc_by_groups(1, ITEMS, 16ul * units);
        memcpy(refs, call.refs, sizeof refs);
        uint groups[GROUPS];
        for (uint k = 0; k < GROUPS; k++)
            groups[k] = whole_group(class_, k);
        shuffle(order, ITEMS);
        for (uint part = 0; part < 2; part++) {
            memset(call.refs, 0, sizeof call.refs);
            for (uint i = 0; i < ITEMS; i++)
                if ((i % 3u == 0) == part)
                    call.refs[round % 2u ? i : ITEMS - 1u - i] = refs[round % 4u ? order[i] : i];
            for (uint i = 1; i < ITEMS && part == 0; i += 29u) /* in the place of none */
                if (call.refs[i] == CLADE_NIL && call.refs[i - 1u] != CLADE_NIL && i % 32u) {
                    call.refs[i] = call.refs[i - 1u];
                    twice++;
                }
            free_by_groups(1, ITEMS);
            expect(kma->bad_frees == bad + twice, "blocks that were freed twice", kma->bad_frees,
                   bad + twice);
            lives = 0;
            for (uint i = 0; i < ITEMS && part == 0; i++)
                if (i % 3u == 0)
                    live[lives++] = refs[round % 4u ? order[i] : i];
            for (uint k = 0; k < GROUPS && part == 0; k++) {
                uint taken = 0;
                for (uint i = 0; i < lives; i++)
                    for (uint c = 0; c < 32u; c++)
                        if (refs[32u * k + c] == live[i])
                            taken |= 1u << c;
                const bool is_whole =
                    word_of(kma->whole_at + groups[k] / 32u) >> groups[k] % 32u & 1u;
                expect(taken == 0 ? is_whole
                                  : !is_whole && word_of(kma->cells_at + groups[k]) == taken,
                       "a group's cells", k, taken);
            }
            expect_sound("given back in parts");
        }
    }
    close_heap();
}
