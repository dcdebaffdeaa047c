/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade selftest` for the red-black tree, the ad-heap and the selection. */
#include <stdio.h>
#include <string.h>

#include "selftest/selftest.h"

enum { KEYS = 4096, HEAPS = 16, EACH = KEYS / HEAPS };

/* Each of 0 .. KEYS - 1 once, in another order: the factor is odd and KEYS a power of two. */
static void shuffle(uint32_t keys[static KEYS])
{
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i * 2654435761u % KEYS;
}

/* All in by the concurrent way, every third out, and every key asked for. */
bool selftest_rbtree(clade_context *context)
{
    static uint32_t keys[KEYS], values[KEYS], gone[KEYS];
    static int32_t statuses[KEYS];
    /* Room for leaves that many items split at once: of a small pool that may be all. */
    const clade_rbtree_params params = { .capacity = 2 * KEYS,
                                         .value = CLADE_U32,
                                         .path = CLADE_RBTREE_CONCURRENT };
    clade_rbtree *tree = NULL;
    uint32_t erased = 0;
    shuffle(keys);
    for (uint32_t i = 0; i < KEYS; i++) {
        values[i] = ~keys[i];
        if (keys[i] % 3 == 0)
            gone[erased++] = keys[i];
    }
    bool right =
        selftest_fine("rbtree", clade_rbtree_create(&tree, context, &params)) &&
        selftest_fine("rbtree", clade_rbtree_insert(tree, clade_host(keys), clade_host(values),
                                                    KEYS, clade_no_array(), NULL)) &&
        selftest_fine("rbtree", clade_rbtree_erase(tree, clade_host(gone), clade_no_array(), erased,
                                                   clade_no_array(), NULL)) &&
        selftest_fine("rbtree", clade_rbtree_find(tree, clade_host(keys), clade_host(values), KEYS,
                                                  clade_host(statuses), NULL)) &&
        selftest_fine("rbtree", clade_rbtree_check(tree));
    for (uint32_t i = 0; right && i < KEYS; i++)
        right = keys[i] % 3 == 0 ? statuses[i] == CLADE_E_NOT_FOUND
                                 : statuses[i] == CLADE_OK && values[i] == ~keys[i];
    clade_rbtree_destroy(&tree);
    return right;
}

/* Many heaps are filled and emptied: each gives its own keys in order. */
bool selftest_adheap(clade_context *context)
{
    static uint32_t keys[KEYS], got[KEYS];
    const clade_adheap_params params = {
        .heaps = HEAPS, .capacity = EACH, .arity = 8, .key = CLADE_U32
    };
    clade_adheap *heaps = NULL;
    shuffle(keys);
    bool seen[KEYS] = { false };
    bool right =
        selftest_fine("adheap", clade_adheap_create(&heaps, context, &params)) &&
        selftest_fine("adheap", clade_adheap_insert(heaps, clade_host(keys), clade_no_array(), EACH,
                                                    clade_no_array(), NULL)) &&
        selftest_fine("adheap", clade_adheap_check(heaps)) &&
        selftest_fine("adheap", clade_adheap_pop(heaps, clade_host(got), clade_no_array(), EACH,
                                                 clade_no_array(), NULL));
    for (uint32_t heap = 0; right && heap < HEAPS; heap++) {
        memset(seen, 0, sizeof seen);
        for (uint32_t i = heap * EACH; i < (heap + 1) * EACH; i++)
            seen[keys[i]] = true;
        for (uint32_t i = heap * EACH; right && i < (heap + 1) * EACH; i++)
            right = got[i] < KEYS && seen[got[i]] && (i == heap * EACH || got[i - 1] < got[i]);
    }
    clade_adheap_destroy(&heaps);
    return right;
}

/* The least of each row, sorted, and where they stood. */
bool selftest_kselect(clade_context *context)
{
    enum { ROWS = 4, LENGTH = KEYS / ROWS, K = 100 };
    static uint32_t keys[KEYS], out[ROWS * K], indices[ROWS * K];
    const clade_kselect_params params = {
        .length = LENGTH, .k = K, .key = CLADE_U32, .output = CLADE_KSELECT_SORTED, .indices = 1
    };
    clade_kselect *selector = NULL;
    shuffle(keys);
    bool right =
        selftest_fine("kselect", clade_kselect_create(&selector, context, &params)) &&
        selftest_fine("kselect", clade_kselect_run(selector, clade_host(keys), clade_host(out),
                                                   clade_host(indices), ROWS, NULL));
    for (uint32_t row = 0; right && row < ROWS; row++) {
        const uint32_t *k = keys + row * LENGTH, *o = out + row * K, *at = indices + row * K;
        uint32_t below = 0; /* of the row's keys, those that are less than the greatest result */
        for (uint32_t i = 0; i < LENGTH; i++)
            below += k[i] < o[K - 1];
        right = below == K - 1;
        for (uint32_t i = 0; right && i < K; i++)
            right = at[i] < LENGTH && k[at[i]] == o[i] && (i == 0 || o[i - 1] < o[i]);
    }
    clade_kselect_destroy(&selector);
    return right;
}
