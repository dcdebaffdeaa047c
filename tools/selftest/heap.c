/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's part of `clade selftest`: keys put in twice over come out sorted, in both engines. */
#include <stdio.h>
#include <stdlib.h>

#include "selftest/selftest.h"

enum { KEYS = 20000, HALF = KEYS / 2 };

/* Insert half, pop a quarter, insert the rest, pop all: what comes out is sorted and all. */
static bool run_heap(clade_heap *heap, const uint32_t *keys, uint32_t *out)
{
    uint64_t got[2] = { 0, 0 }, sum = 0;
    if (!selftest_fine("heap",
                       clade_heap_insert(heap, clade_host(keys), clade_no_array(), HALF, NULL)) ||
        !selftest_fine("heap", clade_heap_pop(heap, clade_host(out), clade_no_array(), HALF / 2,
                                              clade_host(&got[0]), NULL)) ||
        !selftest_fine("heap", clade_heap_insert(heap, clade_host(keys + HALF), clade_no_array(),
                                                 KEYS - HALF, NULL)) ||
        !selftest_fine("heap", clade_heap_check(heap)) ||
        !selftest_fine("heap", clade_heap_pop(heap, clade_host(out + HALF / 2), clade_no_array(),
                                              KEYS, clade_host(&got[1]), NULL)))
        return false;
    bool right = got[0] == HALF / 2 && got[1] == KEYS - HALF / 2;
    for (int i = 0; right && i < KEYS; i++) {
        right = i == 0 || i == HALF / 2 || out[i - 1] <= out[i];
        sum += out[i] - (uint64_t)keys[i];
    }
    return right && sum == 0;
}

bool selftest_heap(clade_context *context)
{
    uint32_t *keys = malloc(KEYS * sizeof *keys), *out = malloc((KEYS + HALF) * sizeof *out);
    bool right = keys && out;
    for (uint32_t i = 0; right && i < KEYS; i++)
        keys[i] = i * 2654435761u;
    for (uint32_t engine = CLADE_HEAP_TOP_DOWN; right && engine <= CLADE_HEAP_BOTTOM_UP; engine++) {
        clade_heap *heap = NULL;
        right =
            selftest_fine("heap", clade_heap_create(&heap, context,
                                                    &(clade_heap_params) { .capacity = KEYS,
                                                                           .key = CLADE_U32,
                                                                           .engine = engine })) &&
            run_heap(heap, keys, out);
        clade_heap_destroy(&heap);
    }
    free(keys);
    free(out);
    return right;
}
