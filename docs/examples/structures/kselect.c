/* SPDX-License-Identifier: Apache-2.0 */
#include <clade/clade.h>
#include <stdio.h>

int main(void)
{
    enum { ROWS = 2, LENGTH = 6, K = 2 };
    const float rows[ROWS][LENGTH] = { { 3, 1, 4, 1.5f, 9, 2.6f }, { 7, -1, 8, 2, 8.5f, 0 } };
    float keys[ROWS][K];
    uint32_t indices[ROWS][K];
    clade_context *context;
    clade_kselect *selector = NULL;
    const clade_kselect_params params = {
        .length = LENGTH, .k = K, .key = CLADE_F32, .indices = 1, .output = CLADE_KSELECT_SORTED
    };
    clade_status status = clade_context_create(&context, NULL);
    if (status == CLADE_OK)
        status = clade_kselect_create(&selector, context, &params);
    if (status == CLADE_OK)
        status = clade_kselect_run(selector, clade_host(rows), clade_host(keys),
                                   clade_host(indices), ROWS, NULL);
    for (int row = 0; status == CLADE_OK && row < ROWS; row++)
        printf("%g at %u, %g at %u\n", keys[row][0], indices[row][0], keys[row][1],
               indices[row][1]);
    if (status != CLADE_OK)
        printf("%s\n", clade_error_last()->message);
    clade_kselect_destroy(&selector);
    clade_context_destroy(&context);
    return status != CLADE_OK;
}
