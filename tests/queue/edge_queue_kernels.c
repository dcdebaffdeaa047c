/* SPDX-License-Identifier: Apache-2.0 */
/* The queue's kernels by groups of one item and of several (-DGROUP=), on lanes, launched as the
 * host does: calls of all counts around a group's size and the room that is left, with and without
 * statuses, values that are too large, positions that wrap. A model knows each word after each
 * launch. */
#include "host/device.h"

#undef __kernel
#define __kernel static
#include "kernels/queue.cl"

#include "edges/kernels.h"

enum { SHIFT = 4, CAPACITY = 1 << SHIFT, FIRST = 3, MOST = CAPACITY + 7, GUARD = 0x5a5a5a5a };

static clade_queue_head *queue;
static uint held[CAPACITY], head,
    size; /* the model: the oldest value's position, how many follow */
static uint turn;
static struct call {
    uint has, *values;
    int *statuses;
    ulong count, *got;
} call;

AS_KERNEL(clear, clade_queue_clear(queue))
AS_KERNEL(append_look, clade_queue_append_look(queue, turn, call.values, FIRST, call.count))
AS_KERNEL(append_fill, clade_queue_append_fill(queue, turn, call.has, call.values, FIRST,
                                               call.statuses, FIRST - 1, call.count))
AS_KERNEL(pop_look, clade_queue_pop_look(queue, call.values, FIRST, call.count))
AS_KERNEL(pop_take, clade_queue_pop_take(queue, call.has, call.got, FIRST - 2))

static void make(void)
{
    queue = room(sizeof *queue + CAPACITY * 4ul);
    queue->object.first_error = queue->object.first_error_item = 0;
    queue->object.shape = CLADE_QUEUE_SHAPE;
    queue->shift = SHIFT;
    queue->too_large = 0;
    launch(clear, CAPACITY + 1); /* a group reaches beyond the slots */
    head = size = 0;
}

/* From another position on: that many were appended and popped before. */
static void begin_at(uint position)
{
    head = queue->head = queue->tail = position;
    for (uint i = 0; i < CAPACITY; i++)
        *cladei_queue_slot(queue, position + i) = CLADE_QUEUE_EMPTY | (position + i) >> SHIFT;
}

static void check(const char *when)
{
    const uint *slots = (const uint *)(queue + 1);
    expect(queue->head == head && queue->tail == head + size, when, queue->head, queue->tail);
    for (uint i = 0; i < CAPACITY; i++) {
        const uint p = head + i, odd = p >> SHIFT & 1u ? CLADE_QUEUE_ODD : 0;
        const uint wanted = i < size ? held[p % CAPACITY] | odd : CLADE_QUEUE_EMPTY | p >> SHIFT;
        expect(slots[p % CAPACITY] == wanted, when, i, slots[p % CAPACITY]);
    }
    for (uint i = 0; i < 23; i++)
        expect(queue->reserved0[i] == GUARD, "written between words", i, queue->reserved0[i]);
}

static void note(int error, uint item)
{
    expect((int)queue->object.first_error == error &&
               (error != CLADE_E_FULL || queue->object.first_error_item == item),
           "the first error", queue->object.first_error, queue->object.first_error_item);
    queue->object.first_error = queue->object.first_error_item = 0;
}

static void open_call(uint has, uint count, bool statuses)
{
    call.has = has;
    call.count = count;
    call.values = room((FIRST + (size_t)count) * 4);
    call.statuses = room((FIRST - 1 + (statuses && has ? (size_t)count : 0)) * 4);
    call.got = room((FIRST - 2 + (has ? 1ul : 0)) * 8);
}

static void close_call(void)
{
    expect(call.values[FIRST - 1] == GUARD && call.statuses[FIRST - 2] == GUARD &&
               (uint)call.got[FIRST - 3] == GUARD,
           "before an array", (uint)call.count, call.has);
    free(call.values);
    free(call.statuses);
    free(call.got);
}

/* `bad`: the element that is too large, if there is such. */
static void append(uint count, uint has, uint bad)
{
    const uint room_left = CAPACITY - size, put = bad < count         ? 0
                                                  : count < room_left ? count
                                                                      : room_left;
    open_call(has, count, true);
    turn++;
    for (uint i = 0; i < count; i++)
        call.values[FIRST + i] = i == bad      ? CLADE_QUEUE_VALUE_MAX + 1u + draw(2) * GUARD
                                 : i % 3u == 0 ? CLADE_QUEUE_VALUE_MAX
                                               : draw(1000);
    launch(append_look, count);
    check("between an append's launches");
    for (uint i = 0; i < put; i++)
        held[(head + size + i) % CAPACITY] = call.values[FIRST + i];
    size += put;
    launch(append_fill, count);
    check("after an append");
    for (uint i = 0; i < count && has; i++)
        expect(call.statuses[FIRST - 1 + i] == (bad < count ? CLADE_E_ARG
                                                : i < put   ? CLADE_OK
                                                            : CLADE_E_FULL),
               "a status", i, (uint)call.statuses[FIRST - 1 + i]);
    if (bad < count)
        expect(queue->object.first_error_item == bad, "who was too large", bad, 0);
    note(bad < count ? CLADE_E_ARG : put < count && !has ? CLADE_E_FULL : 0, put);
    close_call();
}

static void pop(uint count, uint has)
{
    const uint taken = count < size ? count : size;
    open_call(has, count, false);
    launch(pop_look, count ? count : 1);
    check("between a pop's launches");
    for (uint i = 0; i < count; i++)
        expect(call.values[FIRST + i] == (i < taken ? held[(head + i) % CAPACITY] : GUARD),
               "a value popped", i, call.values[FIRST + i]);
    head += taken;
    size -= taken;
    launch(pop_take, count ? count : 1);
    check("after a pop");
    if (has)
        expect(call.got[FIRST - 2] == taken, "how many were popped", (uint)call.got[FIRST - 2],
               taken);
    note(0, 0);
    close_call();
}

/* An append of every count at every size, so each end is met. */
static void all_counts(uint position)
{
    begin_at(position);
    for (uint left = 0; left <= CAPACITY; left++)
        for (uint count = 1; count <= MOST; count += 1 + draw(3)) {
            while (size != left)
                size < left ? append(left - size, draw(2), MOST) : pop(size - left, draw(2));
            append(count, draw(2), draw(4) ? MOST : draw(count + 1));
            pop(draw(MOST), draw(2));
        }
    pop(0, 1);
    pop(CAPACITY, 0);
    pop(1, 1);
}

int main(void)
{
    setbuf(stdout, NULL);
    random_state = shim_seed();
    make();
    all_counts(0);
    all_counts(0u - CAPACITY - 5u);
    append(5, 0, MOST);
    launch(clear, CAPACITY + 1); /* a group reaches beyond the slots */
    head = size = 0;
    check("after clearing");
    free(queue);
    printf("the queue's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
