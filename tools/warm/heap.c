/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the heap. */
#include "warm/warm.h"

clade_status warm_heap(clade_context *context)
{
    const int keys[WARM_KEYS] = { 3, 1, 2 };
    int first[WARM_KEYS];
    uint64_t got;
    clade_heap *heap = NULL;
    clade_status status =
        clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 1000000 });
    for (int i = 0; i < 2 && status == CLADE_OK; i++) /* the host does the first by itself */
        status = clade_heap_insert(heap, clade_host(keys), clade_no_array(), WARM_KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_heap_pop(heap, clade_host(first), clade_no_array(), WARM_KEYS,
                                clade_host(&got), NULL);
    clade_heap_destroy(&heap);
    return status;
}
