/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_queue_*; launched by lib/queue/queue.c, alone on the queue's buffer. */

#include "clade/base/object.clh"
#include "clade/queue.clh"

#define SLOTS(queue) (1u << (queue)->shift)

/* All slots empty, for round 0. */
__kernel void clade_queue_clear(__global clade_queue_head *queue)
{
    uint i = (uint)get_global_id(0);
    if (i < SLOTS(queue))
        clade_store_relaxed(cladei_queue_slot(queue, i), cladei_queue_empty(queue, i));
    if (i == 0u) {
        clade_store_relaxed(&queue->head, 0u);
        clade_store_relaxed(&queue->tail, 0u);
    }
}

/* A host's call is two launches. The first one changes no word that means anything to others, and
 * the second one all of them: when it cannot be launched nothing was done. */

/* Values too large are looked for first: then none is put. One item notes where the others' values
 * go and how many have room. `turn` numbers the host's appends: what an earlier one left in the
 * head says nothing about this one. */
__kernel void clade_queue_append_look(__global clade_queue_head *queue, uint turn,
                                      __global const uint *values, ulong first, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count && values[first + i] > CLADE_QUEUE_VALUE_MAX) {
        clade_store_relaxed(&queue->too_large, turn);
        cladei_object_note_wi(&queue->object, CLADE_E_ARG, i);
    }
    if (i == 0u) {
        uint tail = clade_load_relaxed(&queue->tail);
        uint room = SLOTS(queue) - (tail - clade_load_relaxed(&queue->head));
        clade_store_relaxed(&queue->from, tail);
        clade_store_relaxed(&queue->count, count < room ? (uint)count : room);
    }
}

/* Values that were not put are an error of the object, unless statuses tell. */
__kernel void clade_queue_append_fill(__global clade_queue_head *queue, uint turn,
                                      uint has_statuses, __global const uint *values, ulong first,
                                      __global clade_i32 *statuses, ulong statuses_first,
                                      ulong count)
{
    ulong i = get_global_id(0);
    uint room = clade_load_relaxed(&queue->count), from = clade_load_relaxed(&queue->from);
    uint p = from + (uint)i;
    clade_i32 status = CLADE_OK;
    if (i >= count)
        return;
    if (clade_load_relaxed(&queue->too_large) == turn)
        status = CLADE_E_ARG;
    else if (i >= room)
        status = CLADE_E_FULL;
    else
        clade_store_relaxed(cladei_queue_slot(queue, p),
                            cladei_queue_full(queue, p, values[first + i]));
    if (has_statuses != 0u)
        statuses[statuses_first + i] = status;
    if (i == 0u && status != CLADE_E_ARG) {
        clade_store_relaxed(&queue->tail, from + room);
        if (room < count && has_statuses == 0u)
            cladei_object_note_wi(&queue->object, CLADE_E_FULL, room);
    }
}

/* Reads alone. */
__kernel void clade_queue_pop_look(__global clade_queue_head *queue, __global uint *values,
                                   ulong first, ulong count)
{
    ulong i = get_global_id(0);
    uint head = clade_load_relaxed(&queue->head), size = clade_load_relaxed(&queue->tail) - head;
    uint taken = count < size ? (uint)count : size;
    if (i < taken)
        values[first + i] =
            clade_load_relaxed(cladei_queue_slot(queue, head + (uint)i)) & CLADE_QUEUE_VALUE_MAX;
    if (i == 0u) {
        clade_store_relaxed(&queue->from, head);
        clade_store_relaxed(&queue->count, taken);
    }
}

__kernel void clade_queue_pop_take(__global clade_queue_head *queue, uint has_got,
                                   __global ulong *got, ulong first)
{
    ulong i = get_global_id(0);
    uint taken = clade_load_relaxed(&queue->count), from = clade_load_relaxed(&queue->from);
    if (i < taken)
        clade_store_relaxed(cladei_queue_slot(queue, from + (uint)i),
                            cladei_queue_empty(queue, from + (uint)i + SLOTS(queue)));
    if (i == 0u) {
        clade_store_relaxed(&queue->head, from + taken);
        if (has_got != 0u)
            got[first] = taken;
    }
}
