/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two steps of an append or a pop of the queue another item does up to six of its own,
 * so that slots may have come round, twice in the smallest queue. The results are those of the one
 * before them all, after them all or between two of them. What is left are the values of that
 * order, in their slots and rounds, also where positions wrap. */
#include "host/device.h"

#include "edges/steps.h"

#include "clade/queue.clh"
#undef min
#undef max

enum { SLOTS_MOST = 4, OTHERS = 6 };
struct content {
    uint count, of[SLOTS_MOST];
};
#include "edges/beside.h"

enum { POP, APPEND };

static struct {
    clade_queue_head head;
    clade_atomic_u32 slots[SLOTS_MOST];
} q;
static uint slots;
static bool may_be_busy; /* others are few */

static struct result do_op(struct op op)
{
    struct result got = { 0,
                          op.kind == POP ? 0x77777777u : 0u }; /* a pop sets it, whatever it says */
    got.status = op.kind == POP ? clade_queue_pop_wi(&q.head, &got.value)
                                : clade_queue_append_wi(&q.head, op.value);
    return got;
}

/* Of a pop that has not ended the slot is taken, so an append may find the queue full, and does
 * nothing. */
static bool on_model(struct content *it, struct op op, uint which, struct result *want)
{
    *want = (struct result) { CLADE_OK, 0 };
    if (op.kind == POP && it->count == 0) {
        want->status = CLADE_E_NOT_FOUND;
    } else if (op.kind == POP) {
        want->value = it->of[0];
        memmove(it->of, it->of + 1, --it->count * sizeof *it->of);
    } else if (it->count == slots || which == 1) {
        want->status = CLADE_E_FULL;
    } else {
        it->of[it->count++] = op.value;
    }
    return which == 0 || (which == 1 && op.kind == APPEND && stands(POP, 0));
}

/* A queue that begins at a position. */
static void fill(uint shift, uint from, uint count)
{
    struct content content = { .count = count };
    memset(&q, 0, sizeof q);
    q.head.object.shape = CLADE_QUEUE_SHAPE;
    q.head.shift = shift;
    q.head.head = q.head.tail = from;
    slots = 1u << shift;
    for (uint i = 0; i < slots; i++)
        *cladei_queue_slot(&q.head, from + i) = cladei_queue_empty(&q.head, from + i);
    for (uint i = 0; i < count; i++) {
        content.of[i] = CLADE_QUEUE_VALUE_MAX - i;
        const struct result got = do_op((struct op) { APPEND, 0, content.of[i], 0 });
        expect(got.status == CLADE_OK, "an append of somebody alone", (uint)got.status, i);
    }
    begin_with(&q, sizeof q, &content);
}

static bool holds(const struct content *it)
{
    const uint head = q.head.head;
    for (uint c = 0; c < call_count; c++)
        expect(calls[c].got.status != CLADE_E_BUSY || may_be_busy, "busy, though others were few",
               calls[c].op.kind, call_count);
    if (q.head.tail - head != it->count || clade_queue_size_wi(&q.head) != it->count)
        return false;
    for (uint i = 0; i < slots; i++) {
        const uint word = *cladei_queue_slot(&q.head, head + i);
        if (word != (i < it->count ? cladei_queue_full(&q.head, head + i, it->of[i])
                                   : cladei_queue_empty(&q.head, head + i)))
            return false;
    }
    return true;
}

/* Head is read first, so more may be appended until tail is read than there are slots. */
static void sizes(void)
{
    fill(2, 0xfffffffe, 3);
    q.head.tail += 2;
    expect(clade_queue_size_wi(&q.head) == 4, "a size beyond the slots",
           clade_queue_size_wi(&q.head), 4);
}

int main(void)
{
    static const uint begins[] = { 0, 7, 0xfffffffc, 0xffffffff };
    struct visit *const others = &plan[0][0];
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    for (uint shift = 1; shift <= 2; shift++)
        for (uint b = 0; b < 4; b++)
            for (uint count = 0; count <= 1u << shift; count++) {
                fill(shift, begins[b], count);
                for (others->count = 1; others->count <= OTHERS; others->count++)
                    for (uint which = 0; which < 1u << others->count; which++) {
                        for (uint i = 0; i < others->count; i++)
                            others->ops[i] = (struct op) { which >> i & 1u, 0, 200 + i, 0 };
                        meet((struct op) { POP, 0, 0, 0 }, count << 8);
                        meet((struct op) { APPEND, 0, 300, 0 }, count << 8);
                    }
            }
    sizes();
    printf("queue beside another item: %u runs, %u wrong\n", runs, wrong);
    return wrong != 0;
}
