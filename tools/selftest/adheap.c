/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap's part of `clade selftest`. */
#include <string.h>

#include "selftest/selftest.h"

enum { KEYS = 4096, HEAPS = 16, EACH = KEYS / HEAPS };

/* Many heaps are filled and emptied: each gives its own keys in order. */
bool selftest_adheap(clade_context *context)
{
    static uint32_t keys[KEYS], got[KEYS];
    const clade_adheap_params params = {
        .heaps = HEAPS, .capacity = EACH, .arity = 8, .key = CLADE_U32
    };
    clade_adheap *heaps = NULL;
    selftest_shuffle(keys, KEYS);
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
