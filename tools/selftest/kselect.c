/* SPDX-License-Identifier: Apache-2.0 */
/* The selection's part of `clade selftest`. */
#include "selftest/selftest.h"

enum { KEYS = 4096 };

/* The least of each row, sorted, and where they stood. */
bool selftest_kselect(clade_context *context)
{
    enum { ROWS = 4, LENGTH = KEYS / ROWS, K = 100 };
    static uint32_t keys[KEYS], out[ROWS * K], indices[ROWS * K];
    const clade_kselect_params params = {
        .length = LENGTH, .k = K, .key = CLADE_U32, .output = CLADE_KSELECT_SORTED, .indices = 1
    };
    clade_kselect *selector = NULL;
    selftest_shuffle(keys, KEYS);
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
