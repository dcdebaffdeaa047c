/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the heap. */
#include "warm/warm.h"

/* The host inserts and pops by itself while a heap is small (lib/heap/few.c), and on CPUs long
 * inserts are sorted by kernels of their own: so there are many keys, in calls of both lengths. */
enum { MANY = 5000, CALLS = 4 };

clade_status warm_heap(clade_context *context)
{
    int32_t keys[2 * MANY];
    for (int i = 0; i < 2 * MANY; i++)
        keys[i] = i ^ 1;
    int32_t first[WARM_KEYS];
    uint64_t got;
    clade_heap *heap = NULL;
    clade_status status =
        clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 1000000 });
    for (int i = 0; i < CALLS && status == CLADE_OK; i++)
        status = clade_heap_insert(heap, clade_host(keys), clade_no_array(), MANY, NULL);
    if (status == CLADE_OK)
        status = clade_heap_insert(heap, clade_host(keys), clade_no_array(), 2 * MANY, NULL);
    if (status == CLADE_OK)
        status = clade_heap_pop(heap, clade_host(first), clade_no_array(), WARM_KEYS,
                                clade_host(&got), NULL);
    clade_heap_destroy(&heap);
    return status;
}
