/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two steps of an append or a pop of the queue another item does up to six of its own,
 * so that slots may have come round, twice in the smallest queue. The results are those of the one
 * before them all, after them all or between two of them. What is left are the values of that
 * order, in their slots and rounds, also where positions wrap. */
#include "host/device.h"

static void come_by(void);
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_by()

#include "clade/queue.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { SLOTS_MOST = 4, OTHERS = 6, POP = 0 }; /* an operation: a value to append, or a pop */

static struct {
    clade_queue_head head;
    clade_atomic_u32 slots[SLOTS_MOST];
} q;

struct content {
    uint count, of[SLOTS_MOST];
};
struct result {
    int status;
    uint value;
};

static uint slots, other[OTHERS], others;
static struct result got_by_other[OTHERS];
static int points_left = -1; /* until the other one comes; -1: it does not */

static struct result on_queue(uint op)
{
    struct result got = { 0, 0 };
    got.status =
        op == POP ? clade_queue_pop_wi(&q.head, &got.value) : clade_queue_append_wi(&q.head, op);
    return got;
}

/* `is_held`: of a pop that has not ended the slot is taken, so an append may find the queue full,
 * and does nothing. */
static bool on_model(struct content *it, uint op, struct result got, bool is_held)
{
    if (op == POP && it->count == 0)
        return got.status == CLADE_E_NOT_FOUND && got.value == 0;
    if (op == POP) {
        const bool is_right = got.status == CLADE_OK && got.value == it->of[0];
        memmove(it->of, it->of + 1, --it->count * sizeof *it->of);
        return is_right;
    }
    if (it->count == slots || (is_held && got.status == CLADE_E_FULL))
        return got.status == CLADE_E_FULL;
    it->of[it->count++] = op;
    return got.status == CLADE_OK;
}

static void come_by(void)
{
    if (points_left < 0 || points_left-- > 0)
        return;
    for (uint i = 0; i < others; i++)
        got_by_other[i] = on_queue(other[i]);
}

/* A queue that begins at a position. */
static void fill(uint shift, uint from, uint count, struct content *content)
{
    memset(&q, 0, sizeof q);
    q.head.object.shape = CLADE_QUEUE_SHAPE;
    q.head.shift = shift;
    q.head.head = q.head.tail = from;
    slots = 1u << shift;
    for (uint i = 0; i < slots; i++)
        *cladei_queue_slot(&q.head, from + i) = cladei_queue_empty(&q.head, from + i);
    content->count = count;
    points_left = -1;
    for (uint i = 0; i < count; i++) {
        content->of[i] = 100 + i;
        (void)on_queue(100 + i);
    }
}

static bool holds(const struct content *it)
{
    const uint head = q.head.head;
    if (q.head.tail - head != it->count)
        return false;
    for (uint i = 0; i < slots; i++) {
        const uint word = *cladei_queue_slot(&q.head, head + i);
        if (word != (i < it->count ? cladei_queue_full(&q.head, head + i, it->of[i])
                                   : cladei_queue_empty(&q.head, head + i)))
            return false;
    }
    return true;
}

/* The operation after `turn` of the others. */
static bool is_in_order(struct content content, uint op, struct result got, uint turn)
{
    bool is_right = true;
    for (uint i = 0; i <= others; i++) {
        if (i == turn)
            is_right &= on_model(&content, op, got, false);
        if (i < others)
            is_right &= on_model(&content, other[i], got_by_other[i], op == POP && turn <= i);
    }
    return is_right && holds(&content);
}

static uint runs;

static void meet(uint shift, uint from, uint count, uint op)
{
    struct content before;
    for (int at = 0; at < 1000; at++) {
        fill(shift, from, count, &before);
        points_left = at;
        const struct result got = on_queue(op);
        if (points_left >= 0)
            return; /* there are no more steps */
        points_left = -1;
        runs++;
        bool is_right = false;
        for (uint turn = 0; turn <= others && !is_right; turn++)
            is_right = is_in_order(before, op, got, turn);
        expect(is_right, "operations in no order", op << 16 | count << 8 | (uint)at,
               others << 8 | (uint)got.status);
    }
}

int main(void)
{
    static const uint begins[] = { 0, 7, 0xfffffffc, 0xffffffff };
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint shift = 1; shift <= 2; shift++)
        for (uint b = 0; b < 4; b++)
            for (others = 1; others <= OTHERS; others++)
                for (uint which = 0; which < 1u << others; which++) {
                    for (uint i = 0; i < others; i++)
                        other[i] = which >> i & 1u ? 200 + i : POP;
                    for (uint count = 0; count <= 1u << shift; count++) {
                        meet(shift, begins[b], count, POP);
                        meet(shift, begins[b], count, 300);
                    }
                }
    printf("queue beside another item: %u runs, %u wrong\n", runs, wrong);
    return wrong != 0;
}
