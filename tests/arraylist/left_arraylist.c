/* SPDX-License-Identifier: Apache-2.0 */
/* The array list where a driver leaves loops (left/left.h), in allocators with room for all and
 * with little: who is refused got no index; whoever is not, got those that the model says, in
 * segments that are there. All elements stay. Its allocator may lose pages then (its page says so):
 * then all the rest is sound, and that world ends. */
#include "left/left.h"

#include "host/device.h"

#include "clade/arraylist.clh"

#include "kma/edge_kma.h"

enum { ITEMS = 3, STEPS = 40, WORLDS = 3000 };
#define REFUSED 0xffffffffu

static clade_arraylist_head list;
static clade_kma_head *kma;
static bool is_roomy;
static uint size, refused, left_calls, broken;

static uint *element(uint index)
{
    return clade_arraylist_at_wi(&list, kma, index);
}

static bool is_there(uint index)
{
    const uint ref = list.segments[cladei_arraylist_segment(list.shift, index)];
    return ref != CLADE_NIL && ref != CLADE_ARRAYLIST_MAKING;
}

/* Elements that are there: each has its index in its first word and its last. */
static void expect_elements(void)
{
    expect(clade_arraylist_size_wi(&list) == size, "the size", list.size, size);
    for (uint i = 0; i < size; i++)
        expect(is_there(i) && element(i)[list.words - 1u] == ~i &&
                   (list.words == 1 || element(i)[0] == i),
               "an element", i, size);
}

/* Whether no page is lost. Its blocks are the segments. */
static bool is_whole(void)
{
    uint refs[CLADE_ARRAYLIST_SEGMENTS], count = 0;
    for (uint i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++) {
        expect(list.segments[i] != CLADE_ARRAYLIST_MAKING, "left in the making", i, size);
        if (list.segments[i] != CLADE_NIL)
            refs[count++] = list.segments[i];
    }
    const char *why = host_kma_verify(kma, refs, count);
    const bool is_lost = why && strstr(why, "is neither free nor used");
    expect(!why || is_lost, why ? why : "", count, 0);
    broken += is_lost;
    return !why;
}

/* `count` elements came, or did not. */
static void judge(uint count, int status, uint index)
{
    const bool is_left = end_of_turns(), fits = count <= list.capacity - size;
    left_calls += is_left;
    if (status == CLADE_OK) {
        expect(fits && (count == 0 || index == size), "an index", index, size);
        for (uint i = 0; fits && i < count && is_there(size); i++, size++) {
            element(size)[0] = size;
            element(size)[list.words - 1u] = ~size;
        }
        return;
    }
    refused++;
    expect(index == REFUSED, "an index of who is refused", index, (uint)status);
    if (status == CLADE_E_FULL)
        expect(!fits || (!is_there(size + count - 1u) && (is_left || !is_roomy)),
               "full, but there is room", count, size);
    else
        expect(status == CLADE_E_BUSY && is_left, "a status", count, (uint)status);
}

struct group_call {
    uint counts[ITEMS], indices[ITEMS];
    int statuses[ITEMS];
};

static void append_by_group(void *argument, void *local)
{
    struct group_call *call = argument;
    const uint item = (uint)get_local_id(0);
    call->statuses[item] = clade_arraylist_append_wg(&list, kma, call->counts[item],
                                                     &call->indices[item], local);
}

static void append_wg_left(uint items)
{
    struct group_call call;
    uint before = 0;
    for (uint i = 0; i < items; i++)
        before += call.counts[i] = draw(3) ? draw(8) : draw(80);
    shim_launch(append_by_group, &call, 1, items, 4u * CLADE_ARRAYLIST_SCRATCH(items));
    judge(before, call.statuses[0], call.indices[0]);
    for (uint i = items; i-- > 0;) {
        before -= call.counts[i];
        expect(call.statuses[i] == call.statuses[0] &&
                   call.indices[i] ==
                       (call.statuses[0] == CLADE_OK ? call.indices[0] + before : REFUSED),
               "an item's index", i, call.indices[i]);
    }
}

static void append_wi_left(void)
{
    uint index = 77;
    const int status = clade_arraylist_append_wi(&list, kma, &index);
    judge(1, status, index);
}

static void world(uint pages)
{
    static const uint words[] = { 1, 3, 64 };
    bool goes_on = true;
    kma = host_kma_new_as_on_gpus(pages, 2);
    if (!kma)
        exit(1);
    host_kma_start(kma);
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    memset(&list, 0, sizeof list);
    list.object.shape = CLADE_ARRAYLIST_SHAPE;
    list.words = words[draw(3)];
    list.shift = draw(3);
    list.capacity = 1 + draw(300);
    size = 0;
    for (uint step = 1; goes_on && step <= STEPS; step++) {
        const uint items = draw(2) ? 0 : draw(4) ? 1 : ITEMS;
        leave_after(draw(3) ? draw(5) : draw(80));
        if (items == 0)
            append_wi_left();
        else
            append_wg_left(items);
        expect_elements();
        goes_on = step % 8 != 0 || is_whole();
    }
    free(kma);
}

int main(void)
{
    random_state = shim_seed();
    for (uint i = 0; i < WORLDS; i++) {
        is_roomy = i % 2 == 0;
        world(is_roomy ? 60 : 3 + draw(4));
    }
    expect(left_calls > 2000 && refused > 2000, "loops that were left", left_calls, refused);
    printf("array list, loops left: %u calls, %u refused; pages were lost in %u of %u heaps; %u "
           "wrong\n",
           left_calls, refused, broken, WORLDS, wrong);
    return wrong != 0;
}
