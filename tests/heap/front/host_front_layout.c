/* SPDX-License-Identifier: Apache-2.0 */
/* The library's own layout and check: a file of its own, since the shared headers mean something
 * else where device functions run. */
#include <stdlib.h>
#include <string.h>

#include "heap/front/front.h"

#include "heap/front/host_front.h"

uint32_t host_front_key_type = CLADE_U32, host_front_value_type = CLADE_U32;

static struct cladei_front plan_of(uint32_t capacity, uint32_t leaf)
{
    struct cladei_front front;
    if (cladei_front_plan(&front, capacity, leaf, CLADE_TYPE_BYTES(host_front_key_type),
                          CLADE_TYPE_BYTES(host_front_value_type)) !=
        CLADE_OK)
        abort();
    return front;
}

void *host_front_new(uint32_t capacity, uint32_t batch, uint32_t leaf)
{
    struct cladei_front front = plan_of(capacity, leaf);
    char *memory = aligned_alloc(128, (size_t)front.bytes);
    if (!memory)
        abort();
    front.shape = CLADE_HEAP_SHAPE(host_front_key_type, host_front_value_type, CLADE_MIN, CLADE_HEAP_FRONT,
                                   batch, leaf);
    memset(memory, 0xa5, (size_t)front.bytes);
    cladei_front_image(&front, memory);
    return memory;
}

size_t host_front_bytes(uint32_t capacity, uint32_t leaf)
{
    return (size_t)plan_of(capacity, leaf).bytes;
}

size_t host_front_head_bytes(uint32_t capacity, uint32_t leaf)
{
    return (size_t)plan_of(capacity, leaf).keys_at;
}

const char *host_front_renew(void *heap, uint32_t capacity, uint32_t leaf)
{
    const struct cladei_front front = plan_of(capacity, leaf);
    clade_heap_head common;
    memcpy(&common, heap, sizeof common);
    return cladei_front_renew(&front, heap, &common) == CLADE_OK ? NULL
                                                                 : clade_error_last()->message;
}

const char *host_front_check(void *heap, uint32_t capacity, uint32_t leaf, uint64_t keys)
{
    const struct cladei_front front = plan_of(capacity, leaf);
    struct cladei_front_sum sum;
    if (cladei_front_verify(&front, heap, &sum) != CLADE_OK)
        return clade_error_last()->message;
    return sum.keys == keys ? NULL : "keys inside that nobody put in, or none where some are";
}

int host_front_is_left(const void *heap)
{
    const uint32_t *head = heap;
    const uint32_t now = head[CLADE_FRONT_W_STAMP] & 3u;
    int left = 1;
    for (uint32_t epoch = 0; epoch < 4; epoch++) {
        const uint32_t begun = (head[CLADE_FRONT_W_STAMP] >> 2) - head[CLADE_FRONT_W_CLOSED];
        left &= head[CLADE_FRONT_W_DONE + epoch * CLADE_FRONT_LINE] ==
                head[CLADE_FRONT_W_TARGET + epoch] + (epoch == now ? begun & 0x3fffffffu : 0u);
    }
    return left;
}
