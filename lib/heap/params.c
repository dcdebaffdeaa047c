/* SPDX-License-Identifier: Apache-2.0 */
/* What a heap is like where its parameters leave that open, and which parameters are refused. */
#include <inttypes.h>

#include "base/error.h"
#include "device/context.h"
#include "heap/heap.h"

/* Three regions are the least that the device code works with; 1 KiB is left to the kernel. */
static uint64_t batch_max(const clade_context *context, uint32_t element_bytes)
{
    uint64_t local = context->caps.local_bytes > 1024 ? context->caps.local_bytes - 1024 : 0;
    uint64_t most = local / 3 / element_bytes;
    return most < CLADE_HEAP_BATCH_MAX ? most : CLADE_HEAP_BATCH_MAX;
}

/* As kernels choose that are compiled without it. */
static uint32_t batch_default(const clade_context *context, uint32_t element_bytes)
{
    return CLADE_HEAP_BATCH_DEFAULT(context->caps.is_cpu, context->caps.local_bytes, element_bytes);
}

/* On a CPU one item works for its group. On a GPU as many as there are
 * keys, to a power of two and 1,024. */
static uint32_t group_size_default(const clade_context *context, uint32_t batch)
{
    uint32_t most = context->caps.group_size_max < 1024 ? context->caps.group_size_max : 1024;
    if (context->caps.is_cpu)
        return 1;
    while (most > 32 && most / 2 >= batch)
        most /= 2;
    return most;
}

/* How often a number can be halved, rounding up, before it is 1. */
static uint32_t halvings(uint64_t x)
{
    uint32_t bits = 0;
    while (x > (uint64_t)1 << bits)
        bits++;
    return bits;
}

/* The iterations of all loops of an item in one batch of the tree engines, at most. An item has its
 * share of the batch's keys in each step of the sort and at each level of the heap, where keys are
 * loaded, merged and stored; and where its share of a merge begins it finds by halving. */
static uint64_t loops_of_batch(const clade_heap_params *params)
{
    const uint64_t share = (params->batch + params->group_size - 1) / params->group_size;
    const uint64_t bits = halvings(params->batch);
    const uint64_t levels = halvings((params->capacity - 1) / params->batch + 2);
    return share * (bits * (bits + 1) / 2 + 8 * levels + 8) + levels * (2 * bits + 8);
}

/* Half: other loops count as well. */
uint32_t cladei_heap_short_rounds(const clade_heap_params *params, uint32_t loop_limit)
{
    enum { FRONT = 4, MOST = 16 };
    const uint64_t rounds = loop_limit / 2 / loops_of_batch(params);
    if (params->engine == CLADE_HEAP_FRONT)
        return FRONT;
    return rounds < MOST ? (uint32_t)rounds : MOST;
}

/* From 2^15 keys on the front engine is the faster one, in kernels and by calls. But a driver
 * compiles it for ten seconds and more, where the others take one or two. Heaps for so many keys
 * earn that back. */
enum { FRONT_CAPACITY_MIN = 1 << 22, FRONT_CAPACITY_MAX = 1 << 30 };

/* What CLADE_HEAP_AUTO stands for. On a CPU few programs earn back what the front engine costs to
 * compile: who does asks for it. A driver that leaves long loops leaves the front engine's, too:
 * there are more of them. */
static uint32_t engine_for(const clade_heap_params *params, const clade_context *context)
{
    const bool front = params->heaps <= 1 && !params->atomic_inserts && !context->caps.is_cpu &&
                       !context->caps.loop_limit && params->capacity >= FRONT_CAPACITY_MIN &&
                       params->capacity < FRONT_CAPACITY_MAX &&
                       params->batch <= cladei_front_batch(context, params->key, params->value);
    return front ? CLADE_HEAP_FRONT : CLADE_HEAP_TOP_DOWN;
}

clade_status cladei_heap_fill_in(clade_heap_params *params, const clade_context *context)
{
    clade_status status = CLADE_OK;
    const clade_caps *caps = &context->caps;
    if (params->key == CLADE_NONE)
        params->key = CLADE_I32;
    CLADE_REQUIRE(params->key <= CLADE_F64, CLADE_E_ARG, "key type %u does not exist", params->key);
    CLADE_REQUIRE(params->value <= CLADE_F64, CLADE_E_ARG, "value type %u does not exist",
                  params->value);
    CLADE_REQUIRE(params->order <= CLADE_MAX, CLADE_E_ARG, "order %u does not exist",
                  params->order);
    CLADE_REQUIRE(params->engine <= CLADE_HEAP_FRONT, CLADE_E_ARG, "engine %u does not exist",
                  params->engine);
    CLADE_REQUIRE(params->engine != CLADE_HEAP_FRONT || !params->atomic_inserts, CLADE_E_ARG,
                  "atomic_inserts is set; with CLADE_HEAP_FRONT inserts are atomic key by key");
    if (params->engine == CLADE_HEAP_AUTO)
        params->engine = engine_for(params, context);
    uint32_t element = CLADE_TYPE_BYTES(params->key) + CLADE_TYPE_BYTES(params->value);
    const bool front = params->engine == CLADE_HEAP_FRONT;
    uint64_t most = front ? cladei_front_batch(context, params->key, params->value)
                          : batch_max(context, element);
    if (params->batch == 0)
        params->batch = front ? (uint32_t)most : batch_default(context, element);
    CLADE_REQUIRE(params->batch >= CLADE_HEAP_BATCH_MIN && params->batch <= most, CLADE_E_ARG,
                  "batch is %u; with keys and values of %u bytes it goes from %u to %" PRIu64
                  " on %s, which has %" PRIu64 " bytes of local memory",
                  params->batch, element, CLADE_HEAP_BATCH_MIN, most, context->info.name,
                  (uint64_t)caps->local_bytes);
    CLADE_REQUIRE(params->capacity >= 1, CLADE_E_ARG, "capacity is 0; it must be 1 or more");
    CLADE_REQUIRE((params->capacity - 1) / params->batch < CLADE_HEAP_NODES_MAX, CLADE_E_ARG,
                  "capacity is %" PRIu64 "; with batches of %u the most is %" PRIu64,
                  params->capacity, params->batch, (uint64_t)CLADE_HEAP_NODES_MAX * params->batch);
    CLADE_REQUIRE(params->group_size <= caps->group_size_max, CLADE_E_ARG,
                  "group_size is %u; the most on %s is %u", params->group_size, context->info.name,
                  caps->group_size_max);
    if (params->heaps == 0)
        params->heaps = 1;
    CLADE_REQUIRE(params->heaps == 1 || (!front && params->heaps <= CLADE_HEAP_HEAPS_MAX),
                  CLADE_E_ARG, "heaps is %u; it goes from 1 to %u, with CLADE_HEAP_FRONT to 1",
                  params->heaps, CLADE_HEAP_HEAPS_MAX);
    if (params->group_size == 0 && front && !caps->is_cpu && caps->group_size_max >= 256)
        params->group_size = 256; /* what registers allow on NVIDIA */
    if (params->group_size == 0)
        params->group_size = group_size_default(context, params->batch);
    CLADE_REQUIRE(caps->loop_limit == 0 || cladei_heap_short_rounds(params, caps->loop_limit) > 0,
                  CLADE_E_UNSUPPORTED,
                  "batches of %u keys by groups of %u items need longer loops than %s runs",
                  params->batch, params->group_size, context->info.name);
    /* A driver that leaves long loops leaves waits for locks as well: one group has no waits. */
    if (params->groups == 0)
        params->groups = caps->compute_units && !caps->loop_limit
                             ? caps->compute_units * (front && !caps->is_cpu ? 2 : 1)
                             : 1;
fail:
    return status;
}
