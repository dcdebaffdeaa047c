/* SPDX-License-Identifier: Apache-2.0 */
/* What the library makes of a front engine's bytes for a file, and from one that somebody has changed:
 * either it is refused, or kernels may use it. Under AddressSanitizer, which sees the buffer's ends, and
 * those of a group's working memory. */
#define CLADE_HEAP_BATCH       16
#define CLADE_HEAP_LEAF        256
#define CLADE_FRONT_PUSH_LEAST 2u
#define CLADE_HEAP_KEY_TYPE    CLADE_U32
#define CLADE_HEAP_VALUE_TYPE  CLADE_U32
#define CLADE_LOCAL_BYTES      65536
#define CLADE_SPIN_LIMIT       200u /* a heap that is not sound may have waits that give up */
#define SHIM_ALONE             1
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF };

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

#include "lin/gen.h"

enum { CAPACITY = 8192, SHAPES = 6 };

static void *heap;
static uint64_t seed;
static uint wrong, keys_inside, mended, refused;

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: seed %llu\n", what, (unsigned long long)seed);
    wrong++;
}

static uint insert(__local clade_heap_scratch *s, uint n, uint span)
{
    for (uint i = 0; i < n; i++)
        clade_heap_set_wi(s, i, gen_below(&seed, span), i);
    clade_heap_insert_wg(heap, s, n);
    return clade_heap_taken_wi(s);
}

static uint pop(__local clade_heap_scratch *s, uint n)
{
    uint got = 0;
    clade_heap_pop_wg(heap, s, n, &got);
    return got;
}

/* A heap with a history: chains of equal keys, spills, a front of many pieces. */
static void grow(void *argument, void *local)
{
    static const uint spans[] = { 0xffffffff, 1000, 5, 100000, 0xffffffff, 40 };
    const uint shape = *(const uint *)argument;
    keys_inside = 0;
    for (uint t = 0; t < 400; t++)
        if (gen_below(&seed, 100) < (t < 250 ? 75u : 45u))
            keys_inside += insert(local, 1 + gen_below(&seed, BATCH), spans[shape]);
        else
            keys_inside -= pop(local, 1 + gen_below(&seed, BATCH));
    if (shape >= 4) /* below the bound: a front insert's runs */
        keys_inside += insert(local, BATCH, 10);
}

/* As a kernel uses a heap that was loaded. */
static void use(void *argument, void *local)
{
    (void)argument;
    clade_heap_first_wg(heap, local);
    for (uint t = 0; t < 60; t++)
        if (gen_below(&seed, 2))
            insert(local, BATCH, t % 2 ? 0xffffffff : 50);
        else
            pop(local, BATCH);
    for (uint t = 0; t < 2 * CAPACITY / BATCH && pop(local, BATCH) > 0; t++)
        continue;
}

static void drain(void *argument, void *local)
{
    uint got = 1, all = 0, last = 0;
    (void)argument;
    while (got > 0) {
        got = pop(local, BATCH);
        for (uint i = 0; i < got; i++) {
            expect(clade_heap_key_wi(local, i) >= last, "keys are out of order");
            last = clade_heap_key_wi(local, i);
        }
        all += got;
    }
    expect(all == keys_inside, "a heap that was made anew has other keys");
}

/* At rest exactly as many keys fit as were promised, whatever was in the heap before. */
static void fill(void *argument, void *local)
{
    const uint span = *(const uint *)argument % 2 ? 0xffffffff : 3000;
    uint all = 0;
    for (uint taken = BATCH; taken > 0; all += taken) {
        taken = insert(local, BATCH, span);
        expect(taken <= BATCH && (taken == BATCH || all + taken == CAPACITY),
               "an insert was refused although there was room");
    }
    expect(all == CAPACITY, "not as many keys fit as were promised");
    keys_inside = all;
}

/* Exactly as large as it is, so that what lies beyond is seen. */
static void *same(const void *bytes, size_t n)
{
    void *copy = malloc(n);
    if (!copy)
        abort();
    return memcpy(copy, bytes, n);
}

/* A heap is as good after as before, and nothing of what memory held before is in it. */
static void test_renew(uint shape, size_t n)
{
    const uint64_t start = seed;
    void *kept[2];
    for (uint g = 0; g < 2; g++) {
        seed = start;
        heap = host_front_new(CAPACITY, BATCH, LEAF);
        const size_t head = host_front_head_bytes(CAPACITY, LEAF);
        memset((char *)heap + head, g ? 0xa5 : 0x3c, n - head);
        shim_launch(grow, &shape, 1, 1, sizeof(clade_heap_scratch));
        const char *said = host_front_check(heap, CAPACITY, LEAF, keys_inside);
        expect(!said, said);
        said = host_front_renew(heap, CAPACITY, LEAF);
        expect(!said, said);
        said = host_front_check(heap, CAPACITY, LEAF, keys_inside);
        expect(!said, said);
        kept[g] = same(heap, n);
        shim_launch(drain, NULL, 1, 1, sizeof(clade_heap_scratch));
        said = host_front_check(heap, CAPACITY, LEAF, 0);
        expect(!said, said);
        shim_launch(fill, &shape, 1, 1, sizeof(clade_heap_scratch));
        said = host_front_check(heap, CAPACITY, LEAF, CAPACITY);
        expect(!said, said);
        shim_launch(drain, NULL, 1, 1, sizeof(clade_heap_scratch));
        free(heap);
    }
    expect(memcmp(kept[0], kept[1], n) == 0, "what was in memory before gets into files");
    free(kept[0]);
    free(kept[1]);
}

/* Change some words, mostly to what might be a number of something. */
static void change(uint32_t *words, size_t count)
{
    const uint n = 1 + gen_below(&seed, 3);
    for (uint i = 0; i < n; i++) {
        const uint region = gen_below(&seed, 8);
        uint32_t *at = words + (region == 0 ? gen_below(&seed, CLADE_FRONT_HEAD_WORDS)
                                            : gen_below(&seed, (uint)count));
        for (uint t = 0; t < 20 && region > 2 && *at == 0; t++) /* rather one that says something */
            at = words + gen_below(&seed, (uint)count);
        switch (gen_below(&seed, 5)) {
        case 0: *at = gen_below(&seed, 0xffffffff); break;
        case 1: *at ^= 1u << gen_below(&seed, 32); break;
        case 2: *at = gen_below(&seed, 600); break;
        case 3: *at += gen_below(&seed, 5) - 2u; break;
        default: *at = 0xffffffff; break;
        }
    }
}

static void test_changed(uint shape, size_t n, uint rounds)
{
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    shim_launch(grow, &shape, 1, 1, sizeof(clade_heap_scratch));
    void *original = same(heap, n);
    free(heap);
    for (uint r = 0; r < rounds; r++) {
        clade_heap_head head;
        heap = same(original, n);
        memcpy(&head, heap, sizeof head);
        change(heap, host_front_head_bytes(CAPACITY, LEAF) / 4);
        memcpy(heap, &head, offsetof(clade_heap_head, count)); /* of the heap that a file is loaded into */
        if (host_front_renew(heap, CAPACITY, LEAF)) {
            refused++;
        } else {
            const char *said = host_front_check(heap, CAPACITY, LEAF, *((uint *)heap + CLADE_FRONT_W_SIZE));
            expect(!said, said);
            mended++;
            shim_launch(use, NULL, 1, 1, sizeof(clade_heap_scratch));
        }
        free(heap);
    }
    free(original);
}

/* The front may have keys beyond the bound when a leaf of that one key follows it, whose chain they came
 * off. Where a leaf of many keys follows, a spill would chain leaves to it, which nobody looks for there. */
static void test_beyond(void)
{
    uint shape = 0;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    shim_launch(grow, &shape, 1, 1, sizeof(clade_heap_scratch));
    const char *said = host_front_renew(heap, CAPACITY, LEAF); /* the front's list is that of epoch 0 */
    expect(!said, said);
    uint32_t *words = heap, *e = words + (size_t)words[CLADE_FRONT_C_EPOCHS] * CLADE_FRONT_LINE;
    const uint32_t pieces = e[CLADE_FRONT_E_PIECES];
    expect(pieces > 0 && words[CLADE_FRONT_W_BOUNDED] == 1, "the front has no keys");
    const uint32_t *piece = e + CLADE_FRONT_E_PIECE + 3 * (pieces - 1);
    const uint32_t slot = piece[1] + piece[2] - (pieces > 1 ? *(piece - 1) : 0) - 1;
    const uint32_t *run = words + (size_t)words[CLADE_FRONT_C_LEAVES] * CLADE_FRONT_LINE +
                          (size_t)piece[0] * CLADE_FRONT_LINE;
    words[(size_t)words[CLADE_FRONT_C_KEYS] * CLADE_FRONT_LINE +
          run[CLADE_FRONT_L_BLOCK + slot / (LEAF / 16)] * (LEAF / 16) + slot % (LEAF / 16)] =
        words[CLADE_FRONT_W_BOUND] + 1;
    expect(host_front_check(heap, CAPACITY, LEAF, keys_inside) != NULL,
           "a key lies beyond the bound");
    expect(host_front_renew(heap, CAPACITY, LEAF) != NULL,
           "a file with a key beyond the bound is taken");
    free(heap);
}

/* Leaves of a chain have the range of the leaf that chains them: pops of many keys sort by it. */
static void test_chained(void)
{
    const uint32_t words_of_range[] = { CLADE_FRONT_L_SHIFT, CLADE_FRONT_L_LOW };
    uint shape = 2, chained = 0;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    shim_launch(grow, &shape, 1, 1, sizeof(clade_heap_scratch));
    uint32_t *words = heap,
             *leaves = words + (size_t)words[CLADE_FRONT_C_LEAVES] * CLADE_FRONT_LINE;
    for (uint i = 1; i < words[CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES]; i++) {
        const uint32_t *leaf = leaves + (size_t)i * CLADE_FRONT_LINE;
        const uint32_t next = leaf[CLADE_FRONT_L_CHAIN] & ~CLADE_FRONT_CLOSED;
        const uint32_t flags = leaf[CLADE_FRONT_L_COUNT] & ~CLADE_FRONT_COUNT_MASK;
        if (next == 0 || flags != 0 ||
            words[leaf[CLADE_FRONT_L_UP] + words[CLADE_FRONT_C_ENTRIES] * CLADE_FRONT_LINE] !=
                i << 1)
            continue;
        for (uint w = 0; w < 2; w++) {
            uint32_t *word = leaves + (size_t)next * CLADE_FRONT_LINE + words_of_range[w];
            ++*word;
            expect(host_front_check(heap, CAPACITY, LEAF, keys_inside) != NULL,
                   "a leaf of a chain has another range");
            expect(host_front_renew(heap, CAPACITY, LEAF) != NULL,
                   "a file with such a leaf is taken");
            --*word;
        }
        chained++;
    }
    expect(chained > 0, "no leaf has a chain");
    free(heap);
}

int main(int count, char **arguments)
{
    const uint rounds = shim_rounds(count, arguments, 150);
    const size_t n = host_front_bytes(CAPACITY, LEAF);
    seed = shim_seed();
    printf("seed %llu\n", (unsigned long long)seed);
    alarm(110);
    for (uint shape = 0; shape < SHAPES; shape++)
        test_renew(shape, n);
    test_beyond();
    test_chained();
    for (uint shape = 0; shape < SHAPES; shape++)
        test_changed(shape, n, rounds);
    printf("changed heaps: %u refused, %u used; %u wrong\n", refused, mended, wrong);
    return wrong != 0 || refused == 0 || mended == 0;
}
