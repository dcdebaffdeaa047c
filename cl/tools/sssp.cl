/* SPDX-License-Identifier: Apache-2.0 */
/* Single-source shortest paths by label correction with a heap, launched by `clade sssp --heap`.
 *
 * dist[v] only ever falls, by atomic minimum; whoever lowers it queues v. The nearest queued nodes
 * are taken first, `batch` at a time by each group, all groups at once. The search ends when
 * nothing is queued, and then dist is exact: every arc (u, v) was relaxed after the last fall of
 * dist[u].
 *
 * SSSP_BATCH nodes a group of SSSP_GROUP items; SSSP_WIDE: distances of 64 bits, which needs 64-bit
 * atomics. Words that groups share: dist (atomic minimum, relaxed: a heap entry or a queue mark
 * carries the news), mark (exchange, acq_rel: what the heap had no room for), counters (relaxed
 * sums).
 *
 * What `clade sssp` can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: SSSP_BATCH=64,256 SSSP_GROUP=1,256 SSSP_WIDE=0 CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_VALUE_TYPE=2
 * Check spirv64: SSSP_BATCH=256 SSSP_GROUP=256 SSSP_WIDE=1 CLADE_HEAP_KEY_TYPE=5 CLADE_HEAP_VALUE_TYPE=2
 */

/* The host always says; these are for compiling without one. */
#ifndef SSSP_BATCH
#define SSSP_BATCH            256
#define SSSP_GROUP            256
#define SSSP_WIDE             0
#define CLADE_HEAP_KEY_TYPE   2 /* CLADE_U32 */
#define CLADE_HEAP_VALUE_TYPE 2
#endif

#include "clade/atomic.clh"
#include "clade/group.clh"
#include "clade/heap.clh"

#if SSSP_WIDE
typedef clade_u64 sssp_distance;
#define SSSP_FAR         0xfffffffffffffffful
#define sssp_lower(p, d) clade_min64_relaxed((p), (d))
#define sssp_load(p)     clade_load64_relaxed((p))
typedef __global clade_atomic_u64 *sssp_table;
#else
typedef clade_u32 sssp_distance;
#define SSSP_FAR         0xffffffffu
#define sssp_lower(p, d) clade_min_relaxed((p), (d))
#define sssp_load(p)     clade_load_relaxed((p))
typedef __global clade_atomic_u32 *sssp_table;
#endif

/* counters[] */
#define SSSP_VISITED  0 /* nodes expanded */
#define SSSP_OVERFLOW 1 /* distances that do not fit */
#define SSSP_QUEUED   2 /* length of a gathered list */
#define SSSP_SPILLED  3 /* nodes marked because the heap was full */

/* What a group works on: nodes to expand, then the neighbours that it brought nearer. */
typedef struct sssp_batch {
    sssp_distance distance[SSSP_BATCH];
    uint first[SSSP_BATCH];    /* the node's first arc */
    uint scan[SSSP_BATCH + 1]; /* arcs before the node's: ranks of all arcs of the batch */
    sssp_distance out_distance[SSSP_BATCH];
    uint out_node[SSSP_BATCH];
    clade_atomic_u32 produced;
    clade_atomic_u32 expanded;
} sssp_batch;

/* Which node of the batch arc number `rank` belongs to: the last i with scan[i] <= rank. */
static inline uint sssp_owner(__local const sssp_batch *batch, uint count, uint rank)
{
    uint low = 0, high = count;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (batch->scan[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Take in node `node` as the batch's i-th; `stale`: it has been expanded at a smaller distance. */
static inline void sssp_enter(__local sssp_batch *batch, uint i, uint node, sssp_distance distance,
                              bool stale, __global const uint *first)
{
    uint start = stale ? 0 : first[node];
    batch->distance[i] = distance;
    batch->first[i] = start;
    batch->scan[i] = stale ? 0 : first[node + 1] - start;
    if (!stale)
        clade_add_local(&batch->expanded, 1u);
}

/* Relax the arcs with ranks base .. base + SSSP_BATCH - 1. Returns how many neighbours came
 * nearer; they are in out_node and out_distance. All items, after a barrier; ends with one. */
static inline uint sssp_relax_wg(__local sssp_batch *batch, uint count, uint base, uint arcs,
                                 sssp_table dist, __global const uint *target,
                                 __global const uint *weight, __global clade_atomic_u32 *counters)
{
    if (get_local_id(0) == 0)
        clade_store_local(&batch->produced, 0u);
    clade_barrier();
    uint stop = min(base + SSSP_BATCH, arcs);
    for (uint rank = base + (uint)get_local_id(0); rank < stop; rank += (uint)get_local_size(0)) {
        uint i = sssp_owner(batch, count, rank);
        uint arc = batch->first[i] + (rank - batch->scan[i]);
        uint node = target[arc];
        sssp_distance distance = batch->distance[i] + weight[arc];
        if (distance < batch->distance[i] || distance == SSSP_FAR) {
            clade_add_relaxed(&counters[SSSP_OVERFLOW], 1u);
        } else if (distance < sssp_lower(&dist[node], distance)) {
            uint place = clade_add_local(&batch->produced, 1u);
            batch->out_node[place] = node;
            batch->out_distance[place] = distance;
        }
    }
    clade_barrier();
    return clade_load_local(&batch->produced);
}

__kernel void clade_sssp_init(sssp_table dist, __global clade_atomic_u32 *mark, uint nodes,
                              uint source, __global clade_atomic_u32 *counters)
{
    for (uint v = (uint)get_global_id(0); v < nodes; v += (uint)get_global_size(0)) {
        ((__global sssp_distance *)dist)[v] = v == source ? 0 : SSSP_FAR;
        ((__global uint *)mark)[v] = 0;
    }
    if (get_global_id(0) < 4)
        ((__global uint *)counters)[get_global_id(0)] = 0;
}

/* Make scan[] of the batch's counts: exclusive, scan[count] = all arcs. Returns that sum. */
static inline uint sssp_scan_wg(__local sssp_batch *batch, uint count, __local uint *words)
{
    uint items = (uint)get_local_size(0), share = (count + items - 1) / items;
    uint from = min((uint)get_local_id(0) * share, count), to = min(from + share, count);
    uint sum = 0, total;
    clade_barrier_local();
    for (uint i = from; i < to; i++)
        sum += batch->scan[i];
    sum = clade_scan_wg(sum, words, &total);
    for (uint i = from; i < to; i++) {
        uint arcs = batch->scan[i];
        batch->scan[i] = sum;
        sum += arcs;
    }
    if (get_local_id(0) == 0)
        batch->scan[count] = total;
    clade_barrier_local();
    return total;
}

/* The heap has no room for what is in the scratch: mark the nodes, so that the host gathers and
 * inserts them later. */
static inline void sssp_spill_wg(__local const clade_heap_scratch *scratch, uint count,
                                 __global clade_atomic_u32 *mark,
                                 __global clade_atomic_u32 *counters)
{
    for (uint i = (uint)get_local_id(0); i < count; i += (uint)get_local_size(0))
        if (clade_exchange_acq_rel(&mark[clade_heap_value_wi(scratch, i)], 1u) == 0)
            clade_add_relaxed(&counters[SSSP_SPILLED], 1u);
}

/* Relax all arcs of the batch; what came nearer goes into the heap, or is marked when the
 * heap refuses it. All items. */
static inline void sssp_expand_wg(__local sssp_batch *batch, uint count, uint arcs,
                                  __global void *heap, __local clade_heap_scratch *scratch,
                                  sssp_table dist, __global clade_atomic_u32 *mark,
                                  __global const uint *target, __global const uint *weight,
                                  __global clade_atomic_u32 *counters)
{
    for (uint base = 0; base < arcs; base += SSSP_BATCH) {
        uint produced = sssp_relax_wg(batch, count, base, arcs, dist, target, weight, counters);
        for (uint i = (uint)get_local_id(0); i < produced; i += (uint)get_local_size(0))
            clade_heap_set_wi(scratch, i, batch->out_distance[i], batch->out_node[i]);
        clade_barrier();
        if (produced > 0 && clade_heap_insert_wg(heap, scratch, produced) != CLADE_OK)
            sssp_spill_wg(scratch, produced - clade_heap_taken_wi(scratch), mark, counters);
        clade_barrier();
    }
}

/* Up to `rounds` batches of the nearest queued nodes. A group ends early when it finds the heap
 * empty or busy: the host launches again until the heap is empty with no group at work. */
__kernel void clade_sssp_expand(__global void *heap, sssp_table dist,
                                __global clade_atomic_u32 *mark, __global const uint *first,
                                __global const uint *target, __global const uint *weight,
                                __global clade_atomic_u32 *counters, uint rounds)
{
    __local clade_heap_scratch scratch;
    __local sssp_batch batch;
    __local uint words[2 * SSSP_GROUP];
    uint got = 1;
    for (uint round = 0; round < rounds && got > 0; round++) {
        clade_heap_pop_wg(heap, &scratch, SSSP_BATCH, &got);
        if (get_local_id(0) == 0)
            clade_store_local(&batch.expanded, 0u);
        clade_barrier();
        for (uint i = (uint)get_local_id(0); i < got; i += (uint)get_local_size(0)) {
            uint node = clade_heap_value_wi(&scratch, i);
            sssp_distance distance = clade_heap_key_wi(&scratch, i);
            sssp_enter(&batch, i, node, distance, sssp_load(&dist[node]) != distance, first);
        }
        uint arcs = sssp_scan_wg(&batch, got, words);
        sssp_expand_wg(&batch, got, arcs, heap, &scratch, dist, mark, target, weight, counters);
        if (get_local_id(0) == 0)
            clade_add_relaxed(&counters[SSSP_VISITED], clade_load_local(&batch.expanded));
        clade_barrier();
    }
}

/* List the marked nodes with their distances and clear the marks: what the heap had no room for. */
__kernel void clade_sssp_gather(sssp_table dist, __global clade_atomic_u32 *mark, uint nodes,
                                __global uint *list, __global sssp_distance *distances,
                                __global clade_atomic_u32 *counters)
{
    for (uint v = (uint)get_global_id(0); v < nodes; v += (uint)get_global_size(0)) {
        if (clade_exchange_acq_rel(&mark[v], 0u) == 0)
            continue;
        uint place = clade_add_relaxed(&counters[SSSP_QUEUED], 1u);
        list[place] = v;
        distances[place] = sssp_load(&dist[v]);
    }
}
