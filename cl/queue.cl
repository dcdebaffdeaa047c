/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_queue_*; launched by lib/queue.c, alone on the queue's buffer. */

#include "clade/queue.clh"

#define SLOTS(queue) (1u << (queue)->shift)

static inline void note_error(__global clade_queue_head *queue, clade_i32 status, ulong item)
{
    if (clade_cas_relaxed(&queue->object.first_error, 0u, (uint)status) == 0u)
        clade_store_relaxed(&queue->object.first_error_item, (uint)item);
}

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

/* How many of `count` values fit. */
static inline uint room_for(__global clade_queue_head *queue, ulong count)
{
    uint room = SLOTS(queue) - (clade_load_relaxed(&queue->tail) - clade_load_relaxed(&queue->head));
    return count < room ? (uint)count : room;
}

/* Values too large are looked for first: then none is put. */
__kernel void clade_queue_push_look(__global clade_queue_head *queue, __global const uint *values,
                                    ulong first, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count && values[first + i] > CLADE_QUEUE_VALUE_MAX)
        note_error(queue, CLADE_E_ARG, i);
}

__kernel void clade_queue_push_fill(__global clade_queue_head *queue, uint has_statuses,
                                    __global const uint *values, ulong first,
                                    __global clade_i32 *statuses, ulong statuses_first, ulong count)
{
    ulong i = get_global_id(0);
    uint room = room_for(queue, count), p = clade_load_relaxed(&queue->tail) + (uint)i;
    clade_i32 status = CLADE_OK;
    if (i >= count)
        return;
    if (clade_load_relaxed(&queue->object.first_error) == (uint)CLADE_E_ARG)
        status = CLADE_E_ARG;
    else if (i >= room)
        status = CLADE_E_FULL;
    else
        clade_store_relaxed(cladei_queue_slot(queue, p),
                            cladei_queue_full(queue, p, values[first + i]));
    if (has_statuses != 0u)
        statuses[statuses_first + i] = status;
}

/* One work-item. Values that were not put are an error of the object, unless statuses tell. */
__kernel void clade_queue_push_done(__global clade_queue_head *queue, uint has_statuses, ulong count)
{
    uint room = room_for(queue, count);
    if (get_global_id(0) != 0)
        return;
    if (clade_load_relaxed(&queue->object.first_error) == (uint)CLADE_E_ARG)
        return;
    clade_store_relaxed(&queue->tail, clade_load_relaxed(&queue->tail) + room);
    if (room < count && has_statuses == 0u)
        note_error(queue, CLADE_E_FULL, room);
}

__kernel void clade_queue_pop_take(__global clade_queue_head *queue, __global uint *values,
                                   ulong first, ulong count)
{
    ulong i = get_global_id(0);
    uint p = clade_load_relaxed(&queue->head) + (uint)i;
    uint size = clade_load_relaxed(&queue->tail) - clade_load_relaxed(&queue->head);
    if (i >= count || i >= size)
        return;
    clade_global_word slot = cladei_queue_slot(queue, p);
    values[first + i] = clade_load_relaxed(slot) & CLADE_QUEUE_VALUE_MAX;
    clade_store_relaxed(slot, cladei_queue_empty(queue, p + SLOTS(queue)));
}

/* One work-item. */
__kernel void clade_queue_pop_done(__global clade_queue_head *queue, uint has_got,
                                   __global ulong *got, ulong first, ulong count)
{
    uint head = clade_load_relaxed(&queue->head);
    uint size = clade_load_relaxed(&queue->tail) - head;
    if (get_global_id(0) != 0)
        return;
    if (count < size)
        size = (uint)count;
    clade_store_relaxed(&queue->head, head + size);
    if (has_got != 0u)
        got[first] = size;
}
