/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator where a driver leaves loops (left/left.h): no block is given out twice, and nothing
 * that is held stays so. Requests may be refused although there is room, and pages may be lost (its
 * page says so): then all the rest is sound, and that world ends. */
#include "left/left.h"

#define main edge_main
#include "kma/edge_kma.c"
#undef main

enum { LIVE = 2000, STEPS = 1500, WORLDS = 150 };

static struct {
    uint ref, bytes;
} live[LIVE];
static uint count, refused, left_calls, broken;

static void expect_apart(uint ref, uint bytes)
{
    for (uint i = 0; i < count; i++)
        expect(ref + (bytes + 15u) / 16u <= live[i].ref ||
                   live[i].ref + (live[i].bytes + 15u) / 16u <= ref,
               "two blocks in one place", ref, live[i].ref);
}

static void take_one(clade_kma_head *kma, uint bytes)
{
    const uint ref = clade_kma_malloc_wi(kma, bytes);
    left_calls += end_of_turns();
    refused += ref == CLADE_NIL;
    if (ref == CLADE_NIL)
        return;
    expect_apart(ref, bytes);
    live[count].ref = ref;
    live[count++].bytes = bytes;
}

static void give_one(clade_kma_head *kma)
{
    const uint at = draw(count);
    clade_kma_free_wi(kma, live[at].ref);
    left_calls += end_of_turns();
    live[at] = live[--count];
}

/* Whether no page is lost. */
static bool is_whole(clade_kma_head *kma)
{
    static uint live_refs[LIVE];
    for (uint i = 0; i < count; i++)
        live_refs[i] = live[i].ref;
    const char *why = host_kma_verify((void *)kma, live_refs, count);
    const bool is_lost = why && strstr(why, "is neither free nor used");
    expect(!why || is_lost, why ? why : "", count, 0);
    broken += is_lost;
    return !why;
}

/* More comes than goes for a while, then the other way. */
static void world(uint pages, uint units, uint most)
{
    clade_kma_head *kma = make(pages, units);
    bool goes_on = true;
    count = 0;
    for (uint step = 0; goes_on && step < STEPS; step++) {
        const bool is_more =
            count == 0 || (count < LIVE && draw(100) < (step / 200 % 2 ? 30u : 70u));
        const uint bytes = 1 + (draw(3) ? draw(1u << draw(12)) : draw(most));
        leave_after(draw(4) ? draw(12) : draw(300));
        if (is_more)
            take_one(kma, bytes);
        else
            give_one(kma);
        goes_on = step % 16 != 0 || is_whole(kma);
    }
    free(kma);
}

/* The items of a group take blocks, whatever is in their local memory, and give them back. */
static void malloc_left(void *argument, void *local)
{
    struct group_call *call = argument;
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint i = item; i < CLADE_KMA_WG_WORDS(items); i += items)
        ((uint *)local)[i] = i < 32u ? 40u * i : ~0u;
    call->refs[item] = clade_kma_malloc_wg(call->kma, WG_BYTES, local);
}

static void world_of_groups(uint pages, uint units)
{
    struct group_call call = { .kma = make(pages, units) };
    const size_t bytes = 4u * CLADE_KMA_WG_WORDS(ITEMS);
    bool goes_on = true;
    count = 0;
    for (uint step = 0; goes_on && step < 8; step++) {
        leave_after(draw(4) ? draw(60) : draw(2000));
        shim_launch(malloc_left, &call, 1, ITEMS, bytes);
        left_calls += end_of_turns();
        const uint before = count;
        for (uint i = 0; i < ITEMS; i++)
            if (call.refs[i] != CLADE_NIL) {
                expect_apart(call.refs[i], WG_BYTES);
                live[count].ref = call.refs[i];
                live[count++].bytes = WG_BYTES;
            }
        goes_on = is_whole(call.kma);
        leave_after(draw(4) ? draw(60) : draw(2000));
        if (goes_on && draw(2) == 0) {
            shim_launch(free_by_group, &call, 1, ITEMS, bytes);
            left_calls += end_of_turns();
            count = before;
            goes_on = is_whole(call.kma);
        }
        (void)end_of_turns();
    }
    free(call.kma);
}

int main(void)
{
    random_state = shim_seed();
    for (uint i = 0; i < WORLDS; i++) {
        world(3 + i % 5, 2, 9000); /* its sweeps end in few turns */
        world(40, 2, 9000);
        world(300, 4, 60000);
        world_of_groups(300, 4);
    }
    expect(left_calls > 2000 && refused > 100, "loops that were left", left_calls, refused);
    printf("the allocator, loops left: %u calls, %u refused; pages were lost in %u of %u heaps; %u "
           "wrong\n",
           left_calls, refused, broken, 4u * WORLDS, wrong);
    return wrong != 0;
}
