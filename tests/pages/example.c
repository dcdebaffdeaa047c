/* SPDX-License-Identifier: Apache-2.0 */
#include <clade/clade.h>
#include <stdio.h>

int main(void)
{
    clade_context *context;
    clade_heap *heap = NULL;
    const int keys[6] = { 40, -7, 12, 40, 0, 99 };
    int first[3];
    uint64_t got = 0;

    clade_status status = clade_context_create(&context, NULL); /* a GPU, else the CPU */
    if (status == CLADE_OK)
        status = clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 10000 });
    if (status == CLADE_OK)
        status = clade_heap_insert(heap, clade_host(keys), clade_no_array(), 6, NULL);
    if (status == CLADE_OK)
        status =
            clade_heap_pop(heap, clade_host(first), clade_no_array(), 3, clade_host(&got), NULL);
    if (status == CLADE_OK)
        printf("%d got: %d %d %d\n", (int)got, first[0], first[1], first[2]);
    else
        printf("%s\n", clade_error_last()->message);
    clade_heap_destroy(&heap);
    clade_context_destroy(&context);
    return status != CLADE_OK;
}
