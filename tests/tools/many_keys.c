/* SPDX-License-Identifier: Apache-2.0 */
/* README's program with more keys: so many that kernels insert and pop them, which the host does
 * with few. What it compiles is what `clade warm heap` left, or nothing is (test_warm.sh,
 * ../check/check-install). */
#include <clade/clade.h>
#include <stdio.h>

enum { KEYS = 20000, CALLS = 4, LEAST = 3 };

int main(void)
{
    static int32_t keys[KEYS];
    for (int i = 0; i < KEYS; i++)
        keys[i] = 100 + i;
    keys[3000] = 12;
    keys[9000] = -7;
    keys[KEYS - 1] = 0;
    int32_t least[LEAST] = { 0 };
    uint64_t got = 0;
    clade_context *context = NULL;
    clade_heap *heap = NULL;
    clade_status status = clade_context_create(&context, NULL);
    if (status == CLADE_OK)
        status = clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 1000000 });
    for (int i = 0; i < CALLS && status == CLADE_OK; i++)
        status = clade_heap_insert(heap, clade_host(keys + i * (KEYS / CALLS)), clade_no_array(),
                                   KEYS / CALLS, NULL);
    if (status == CLADE_OK)
        status = clade_heap_pop(heap, clade_host(least), clade_no_array(), LEAST, clade_host(&got),
                                NULL);
    if (status == CLADE_OK)
        printf("%d got: %d %d %d\n", (int)got, least[0], least[1], least[2]);
    else
        printf("%s\n", clade_error_last()->message);
    clade_heap_destroy(&heap);
    clade_context_destroy(&context);
    return status != CLADE_OK;
}
