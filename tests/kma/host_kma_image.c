/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators as a crafted file would bring them, whose checksum is right: words of a used heap's
 * bookkeeping are changed, and the image is given to what clade_kma_load() asks. It is refused; or
 * its invariants hold, and still do after the device functions have taken and given back blocks in
 * it. AddressSanitizer sees every step outside the buffer, host's or kernel's.
 *
 *   host_kma_image [IMAGES]     CLADE_TEST_SEED as in the other tests */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kma/host_kma.h"

#undef __kernel
#define __kernel static
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

#include "kma/host_kma_start.h"

enum { HELD = 64, PLACES = 4, UNITS = 2, SHAPES = 5 };

/* The last one has own hints. */
static const uint shapes[SHAPES] = { 12, 40, 128, CLADE_KMA_SMALL_WORDS * 32u, 256 };
static uint randoms;

static uint some(uint below)
{
    randoms = randoms * 1664525u + 1013904223u;
    return (uint)((uint64_t)cladei_kma_mix(randoms) * below >> 32);
}

/* --- heaps ------------------------------------------------------------------------------------ */

struct heap {
    uint pages, held[HELD];
    char *memory;
    size_t bytes; /* of the bookkeeping */
};

/* Take and give back, from several places; what is taken lies inside and is written to. */
static const char *use(struct heap *heap, uint steps)
{
    __global clade_kma_head *kma = (void *)heap->memory;
    const char *why = NULL;
    for (uint step = 0; step < steps && !why; step++) {
        const uint at = some(HELD);
        const clade_u64 bytes = 1 + some(some(4) == 0 ? 70000 : 2000);
        shim_self.group_id = some(PLACES);
        if (heap->held[at] != 0) {
            clade_kma_free_wi(kma, heap->held[at]);
            heap->held[at] = 0;
            continue;
        }
        heap->held[at] = clade_kma_malloc_wi(kma, bytes);
        if (heap->held[at] == 0)
            continue;
        const clade_u64 from = (clade_u64)(heap->held[at] - 1u) * CLADE_KMA_UNIT_BYTES;
        if (from < heap->bytes || from + bytes > (clade_u64)heap->pages * CLADE_KMA_PAGE_BYTES)
            why = "a block lies outside";
        else
            heap->memory[from] = heap->memory[from + bytes - 1] = 1;
    }
    shim_self.group_id = 0;
    return why;
}

static void make(struct heap *heap, uint pages)
{
    const bool has_own = pages == shapes[SHAPES - 1];
    *heap = (struct heap) { .pages = pages,
                            .memory = has_own ? host_kma_new_with_own_hints(pages)
                                              : host_kma_new(pages, UNITS, 0) };
    heap->bytes = host_kma_bookkeeping_words(heap->memory) * 4u;
    host_kma_start((void *)heap->memory);
    use(heap, 40 + some(400));
}

/* --- what is changed ----------------------------------------------------------------------------
 */

/* A word: of the whole bookkeeping, of the head, or of one of its arrays' first or last words. */
static uint some_word(const struct heap *heap)
{
    const clade_kma_head *head = (const void *)heap->memory;
    const uint arrays[] = {
        head->info_at,    head->whole_at,
        head->partial_at, head->home_at,
        head->hinted_at,  head->cells_at,
        head->tree_at,    head->slot_at,
        head->part_at,    head->tree_at + CLADEI_KMA_PAGE_TREE * head->tree_words,
        head->own_at
    };
    const uint words = (uint)heap->bytes / 4u, kind = some(8),
               array = some(head->own_at != 0 ? 11 : 10);
    uint at = some(words);
    if (kind == 0)
        at = some((uint)offsetof(clade_kma_head, counters) / 4u);
    else if (kind < 6)
        at = arrays[array] + (some(2) ? some(64) : some(heap->pages < 64 ? heap->pages : 64) + 1);
    else if (kind == 6)
        at = arrays[array] - 1 - some(8);
    return at < words ? at : words - 1;
}

static void change(struct heap *heap, uint from_word)
{
    uint *word = (uint *)(void *)heap->memory + from_word;
    const uint *other = (const uint *)(const void *)heap->memory + some_word(heap);
    switch (some(7)) {
    case 0:
        *word = some(0xffffffffu);
        break;
    case 1:
        *word ^= 1u << some(32);
        break;
    case 2:
        *word += some(2) ? 1u : 0u - 1u;
        break;
    case 3:
        *word = *other;
        break;
    case 4:
        *word = some(2) ? 0u : 0xffffffffu;
        break;
    case 5: /* a superblock of some kind */
        *word = CLADE_KMA_INFO(some(40) - 1u, some(1200), 1u + some(32));
        break;
    default:
        *word |= 0x80000000u >> some(12);
    }
}

/* --- images -------------------------------------------------------------------------------------
 */

static const char *judge(struct heap *heap, uint *taken)
{
    const char *why = host_kma_adopt(heap->memory, heap->pages, 0);
    if (why)
        return NULL; /* refused */
    ++*taken;
    why = host_kma_verify(heap->memory, NULL, 0);
    if (!why)
        why = use(heap, 120);
    return why ? why : host_kma_verify(heap->memory, NULL, 0);
}

static int run_images(struct heap *heap, uint images, uint *taken)
{
    char *kept = malloc(heap->bytes);
    uint held[HELD];
    int failed = 0;
    memcpy(kept, heap->memory, heap->bytes);
    memcpy(held, heap->held, sizeof held);
    for (uint i = 0; i < images && failed == 0; i++) {
        const uint seed = randoms;
        for (uint n = some(3) + 1; n > 0; n--)
            change(heap, some_word(heap));
        const char *why = judge(heap, taken);
        if (why)
            printf("%u pages, state %u: %s\n", heap->pages, seed, why);
        failed += why != NULL;
        memcpy(heap->memory, kept, heap->bytes);
        memcpy(heap->held, held, sizeof held);
    }
    free(kept);
    return failed;
}

/* What was found by attack, one by one: each is refused. */
static int crafted_words_are_refused(void)
{
    struct heap heap;
    make(&heap, 44);
    clade_kma_head *head = (void *)heap.memory;
    uint *words = (void *)heap.memory, *info = words + head->info_at, sb = head->first_page;
    uint *pages = words + head->tree_at + CLADEI_KMA_PAGE_TREE * head->tree_words;
    while (info[sb] == 0 || info[sb] == CLADE_KMA_BIG || CLADE_KMA_INFO_CELLS(info[sb]) == 1024)
        sb++;
    const struct {
        uint *word, value;
        const char *what;
    } crafted[] = {
        { pages + 1, pages[1] | 1u << 31, "a free page after the last" },
        { words + head->tree_at + 1, 1u << 30, "a superblock after the last page" },
        { info + sb, info[sb] + (1u << 11), "more cells than the pages hold" },
        { info + sb, info[sb] & ~63u, "an info word of kind 0" },
        { info + sb, (info[sb] & ~63u) | 37u, "a kind that is not there" },
        { info, CLADE_KMA_INFO(0u, 1024u, 1u), "a superblock in the bookkeeping" },
        { words + head->cells_at, 0u, "cells in the bookkeeping" },
        { words + head->home_at + sb, 0x7fffffffu, "a home outside the slots" },
        { words + head->slot_at, head->pages + 1u, "a slot that shows what is outside" },
        { &head->shape[0], head->shape[0] ^ 1u, "more slots than there are" },
        { &head->run_shift, 31u, "another constant" },
        { &head->info_at, head->info_at + 1u, "an array elsewhere" },
    };
    int failed = 0;
    for (uint i = 0; i < sizeof crafted / sizeof crafted[0]; i++) {
        char *kept = malloc(heap.bytes);
        memcpy(kept, heap.memory, heap.bytes);
        *crafted[i].word = crafted[i].value;
        if (host_kma_adopt(heap.memory, heap.pages, 0) == NULL) {
            printf("taken: %s\n", crafted[i].what);
            failed++;
        }
        memcpy(heap.memory, kept, heap.bytes);
        free(kept);
    }
    free(heap.memory);
    return failed;
}

/* And what an item may see for a moment, when something begins in a page, is made anew. */
static int homes_of_free_pages_are_forgotten(void)
{
    struct heap heap;
    make(&heap, 44);
    const clade_kma_head *head = (void *)heap.memory;
    uint *words = (void *)heap.memory;
    int failed = 0;
    for (uint page = 0; page < head->pages; page++)
        if (words[head->info_at + page] == 0)
            words[head->home_at + page] = 0x7fffffffu;
    failed += host_kma_adopt(heap.memory, heap.pages, 0) != NULL;
    for (uint page = 0; page < head->pages; page++)
        failed += words[head->home_at + page] == 0x7fffffffu;
    if (failed)
        printf("a home of a page where nothing is was taken over\n");
    free(heap.memory);
    return failed;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed(), images = shim_rounds(argc, argv, 6000);
    uint taken = 0;
    randoms = base;
    int failed = crafted_words_are_refused() + homes_of_free_pages_are_forgotten();
    for (uint i = 0; i < SHAPES && failed == 0; i++) {
        struct heap heap;
        make(&heap, shapes[i]);
        failed += run_images(&heap, heap.pages > 1000 ? images / 100 : images, &taken);
        free(heap.memory);
    }
    if (failed == 0 && taken == 0) { /* a change of what only hints must not be refused always */
        printf("no image was taken\n");
        failed = 1;
    }
    printf("kma images: %u of each shape from seed %u, %u taken, %d failed\n", images, base, taken,
           failed);
    return failed != 0;
}
