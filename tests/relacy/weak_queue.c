/* SPDX-License-Identifier: Apache-2.0 */
/* queue.clh: a ring of two slots, positions near their end so that they wrap. What is appended is
 * the number of a payload, written plainly before and read plainly after. */
#include "relacy/device.h"

#include "clade/queue.clh"

enum { SHIFT = 1, SLOTS = 1 << SHIFT, VALUES = 6 };

static struct {
    clade_queue_head head;
    clade_atomic_u32 slots[SLOTS];
    uint payload[VALUES];
} object;

/* By value: whether it went in, and how often it came out. */
static uint appended[VALUES], popped[VALUES];

void weak_setup(void)
{
    const uint start = 0u - 1u;
    object.head.object.shape = CLADE_QUEUE_SHAPE;
    object.head.shift = SHIFT;
    object.head.head = object.head.tail = start;
    for (uint i = 0; i < SLOTS; i++)
        object.slots[(start + i) % SLOTS] = CLADE_QUEUE_EMPTY | (start + i) >> SHIFT;
    weak_share(&object, sizeof object, "queue");
}

static void begin(void)
{
    for (uint i = 0; i < VALUES; i++)
        appended[i] = popped[i] = 0;
}

static void append(uint value)
{
    object.payload[value] = value + 100u;
    const int status = clade_queue_append_wi(&object.head, value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_FULL);
    appended[value] = status == CLADE_OK;
}

static bool pop(void)
{
    uint value;
    const int status = clade_queue_pop_wi(&object.head, &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status != CLADE_OK)
        return false;
    WEAK_CHECK(value < VALUES);
    WEAK_CHECK(object.payload[value] == value + 100u);
    object.payload[value] = 0; /* who popped it has it alone */
    popped[value]++;
    return true;
}

static const char *end(void)
{
    for (uint value; clade_queue_pop_wi(&object.head, &value) == CLADE_OK;)
        popped[value]++;
    for (uint i = 0; i < VALUES; i++)
        if (popped[i] != appended[i])
            return popped[i] < appended[i] ? "a value is lost" : "a value came twice";
    return NULL;
}

static void two_append_one_pops(uint me)
{
    for (uint k = 0; k < 2; k++)
        if (me < 2)
            append(me * 2 + k);
    for (uint k = 0; k < 3 && me == 2; k++) {
        pop();
        for (uint value = 1; value < 4; value += 2) /* first in, first out */
            WEAK_CHECK(!popped[value] || !appended[value - 1] || popped[value - 1]);
    }
}

static void one_appends_two_pop(uint me)
{
    if (me == 0) {
        append(0);
        append(1);
        append(2);
    } else {
        pop();
        pop();
    }
}

/* Who takes another's value has seen its append end; so whoever put one in finds one. */
static void append_and_pop(uint me)
{
    append(me * 2);
    WEAK_CHECK(appended[me * 2]); /* there is room for both */
    WEAK_CHECK(pop());
}

const weak_world weak_worlds[] = {
    { "queue: an append and a pop each", 2, begin, append_and_pop, end, 4000, 2 },
    { "queue: two append, one pops", 3, begin, two_append_one_pops, end, 20000, 0 },
    { "queue: one appends, two pop", 3, begin, one_appends_two_pop, end, 20000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "clade_queue_append_wi", "cas_release" }, { "clade_queue_append_wi", "cas_acq_rel" },
    { "clade_queue_pop_wi", "load_acquire" },   { "clade_queue_pop_wi", "cas_acq_rel" },
    { "clade_queue_pop_wi", "store_release" },  { 0 },
};
