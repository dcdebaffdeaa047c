/* SPDX-License-Identifier: Apache-2.0 */
/* Ad-heap: invariants, counts, files. All read the whole object, so the queue must be the
 * context's own or idle. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adheap/adheap.h"
#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "object/object.h"
#include "object/saved.h"

/* A file's words are aligned to 4 bytes, whatever a key has. */
static clade_u64 key_at(const clade_adheap *a, const clade_u32 *words, clade_u32 node)
{
    clade_u64 wide;
    const size_t at = (size_t)CLADE_ADHEAP_ROOT + node;
    if (!cladei_adheap_is_wide(a))
        return words[at];
    memcpy(&wide, words + 2 * at, sizeof wide);
    return wide;
}

/* I2. */
static clade_status check_order(const clade_adheap *a, uint32_t heap, const clade_u32 *words,
                                clade_u32 size)
{
    clade_status status = CLADE_OK;
    for (clade_u32 i = 1; i < size; i++) {
        const clade_u32 parent = (i - 1) / a->head.arity;
        const clade_u64 above = key_at(a, words, parent), word = key_at(a, words, i);
        CLADE_REQUIRE(above <= word, CLADE_E_CORRUPT,
                      "heap %u: node %u (word %#" PRIx64
                      ") comes before its parent %u (word %#" PRIx64 ")",
                      heap, i, word, parent, above);
    }
fail:
    return status;
}

/* I1 to I3 of one heap, `words` being its first word. */
static clade_status check_heap(const clade_adheap *a, uint32_t heap, const clade_u32 *words)
{
    clade_status status = CLADE_OK;
    const clade_u32 size = words[CLADE_ADHEAP_SIZE];
    CLADE_REQUIRE(size <= a->head.capacity, CLADE_E_CORRUPT,
                  "heap %u has %u keys, more than its capacity of %u", heap, size,
                  a->head.capacity);
    CLADE_REQUIRE(words[CLADE_ADHEAP_BRIDGE] == 0, CLADE_E_CORRUPT,
                  "heap %u has a log of %u entries that was not written back%s", heap,
                  words[CLADE_ADHEAP_BRIDGE],
                  a->shared ? ": clade_adheap_repair() replays it" : "");
    CLADE_REQUIRE(words[CLADE_ADHEAP_CUT] == 0, CLADE_E_CORRUPT,
                  "heap %u is refused since a call was cut off: clade_adheap_repair()", heap);
    CLADE_TRY(check_order(a, heap, words, size));
fail:
    return status;
}

/* The object's words; to be freed. */
static clade_status read_all(clade_adheap *a, clade_u32 **out)
{
    clade_status status = CLADE_OK;
    clade_u32 *words = NULL;
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_TRY(cladei_adheap_is_ours(a));
    words = malloc((size_t)a->object.bytes);
    CLADE_NO_MEMORY(words);
    CLADE_TRY(cladei_object_read(&a->object, 0, words, (size_t)a->object.bytes));
    *out = words;
    words = NULL;
fail:
    free(words);
    return status;
}

clade_status cladei_adheap_verify(const clade_adheap *a, clade_u32 *words)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(memcmp(words + sizeof(clade_object_head) / 4, &a->head.heaps,
                         sizeof a->head - sizeof(clade_object_head)) == 0,
                  CLADE_E_CORRUPT, "the head of the ad-heap was written over");
    for (uint32_t h = 0; h < a->head.heaps; h++)
        CLADE_TRY(check_heap(a, h, cladei_adheap_heap(a, words, h)));
fail:
    return status;
}

clade_status clade_adheap_check(clade_adheap *a)
{
    clade_status status = CLADE_OK;
    clade_u32 *words = NULL;
    CLADE_TRY(read_all(a, &words));
    CLADE_TRY(cladei_adheap_verify(a, words));
fail:
    free(words);
    return status;
}

clade_status clade_adheap_stats_read(clade_adheap *a, clade_adheap_stats *stats)
{
    clade_status status = CLADE_OK;
    clade_u32 *words = NULL;
    CLADE_REQUIRE(a && stats, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(read_all(a, &words));
    clade_adheap_stats s = { .heaps = a->head.heaps,
                             .capacity = a->head.capacity,
                             .bytes = a->object.bytes };
    for (uint32_t h = 0; h < a->head.heaps; h++) {
        const clade_u32 *heap = cladei_adheap_heap(a, words, h);
        s.size += heap[CLADE_ADHEAP_SIZE];
        s.walks += heap[CLADE_ADHEAP_WALKS];
        s.loads += heap[CLADE_ADHEAP_LOADS];
        s.moves += heap[CLADE_ADHEAP_MOVES];
        s.plain += heap[CLADE_ADHEAP_PLAIN];
        s.bridged += heap[CLADE_ADHEAP_BRIDGED];
        s.scattered += heap[CLADE_ADHEAP_SCATTERED];
    }
    *stats = s;
fail:
    free(words);
    return status;
}

/* What a file holds: all but the slots, whose number is the device's. */
uint64_t cladei_adheap_saved_bytes(const clade_adheap *a)
{
    return a->head.calls ? (uint64_t)a->head.calls * CLADE_ADHEAP_WIDTH * 4 : a->object.bytes;
}

/* What a file says of its heaps: that of clade_adheap_params which another device needs, too. */
struct saved_params {
    uint32_t heaps, capacity, arity, key, order, keep, values, bridge, count, feed, patience;
};

/* No heap of a HOST bridge has a log that waits: a file with one would be refused when it is
 * loaded. */
static clade_status check_logs(clade_adheap *a)
{
    clade_status status = CLADE_OK;
    if (!a->shared)
        return CLADE_OK;
    CLADE_TRY(cladei_queue_finish(a->object.context, a->object.context->queue));
    for (uint32_t h = 0; h < a->head.heaps; h++) {
        const clade_u32 *heap = cladei_adheap_heap(a, a->shared, h);
        CLADE_REQUIRE(heap[CLADE_ADHEAP_BRIDGE] == 0 && heap[CLADE_ADHEAP_CUT] == 0, CLADE_E_BUSY,
                      "heap %u has a log that waits for clade_adheap_repair()", h);
    }
fail:
    return status;
}

clade_status clade_adheap_save(clade_adheap *a, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(a && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_adheap_is_ours(a));
    CLADE_TRY(check_logs(a));
    const clade_adheap_params *p = &a->params;
    const struct saved_params params = { .heaps = p->heaps,
                                         .capacity = p->capacity,
                                         .arity = p->arity,
                                         .key = p->key,
                                         .order = p->order,
                                         .keep = p->keep,
                                         .values = p->values,
                                         .bridge = p->bridge,
                                         .count = p->count,
                                         .feed = p->feed,
                                         .patience = p->patience };
    CLADE_TRY(
        cladei_object_save(&a->object, path, &params, sizeof params, cladei_adheap_saved_bytes(a)));
fail:
    return status;
}

static clade_adheap_params load_params(const struct cladei_saved *saved)
{
    struct saved_params from;
    memcpy(&from, saved->params, sizeof from);
    return (clade_adheap_params) { .heaps = from.heaps,
                                   .capacity = from.capacity,
                                   .arity = from.arity,
                                   .key = from.key,
                                   .order = from.order,
                                   .keep = from.keep,
                                   .values = from.values,
                                   .bridge = from.bridge,
                                   .count = from.count,
                                   .feed = from.feed,
                                   .patience = from.patience };
}

clade_status clade_adheap_load(clade_adheap **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    clade_adheap planned = { 0 }, *a = NULL;
    clade_adheap_params params;
    const size_t own = sizeof(clade_object_head);
    CLADEI_PLACE(out, "the ad-heap");
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(
        cladei_saved_open(&saved, context, path, CLADE_ADHEAP_KIND, sizeof(struct saved_params)));
    params = load_params(&saved);
    CLADE_TRY(cladei_saved_answer(cladei_adheap_plan(&planned, context, &params), path));
    CLADE_REQUIRE(saved.payload_bytes == cladei_adheap_saved_bytes(&planned), CLADE_E_CORRUPT,
                  "%s has %" PRIu64 " bytes of heaps where %" PRIu64 " are needed", path,
                  saved.payload_bytes, cladei_adheap_saved_bytes(&planned));
    CLADE_TRY(cladei_saved_is_of(&saved, &planned.object, path));
    ((clade_adheap_head *)saved.payload)->slots = planned.head.slots; /* this device's */
    CLADE_TRY(cladei_adheap_verify(&planned, saved.payload));
    CLADE_TRY(clade_adheap_create(&a, context, &params));
    /* The object's own head is there. */
    CLADE_TRY(cladei_object_write(&a->object, own, (const char *)saved.payload + own,
                                  (size_t)saved.payload_bytes - own));
    *out = a;
    a = NULL;
fail:
    clade_adheap_destroy(&a);
    cladei_saved_close(&saved);
    return status;
}
