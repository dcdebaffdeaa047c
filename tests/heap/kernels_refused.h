/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on a heap that are refused: they say so, and leave the heap as it was. */
#pragma once

#include "heap/kernels_model.h"

/* The call says `status` and the number of the first that could not be done; nothing else is other
 * than before. */
static void refuse(const char *what, uint is_pop, uint count, clade_i32 status, uint item,
                   uint spoil)
{
    const size_t bytes = bytes_of_content();
    char *as_was = room(bytes);
    give_room(count);
    job.is_pop = is_pop;
    for (uint i = 0; i < count; i++)
        job.keys[FIRST + i] = i == spoil || i == spoil + 2 ? 0xffc00000u : key_of(0, i);
    if (spoil < count)
        job.keys[FIRST + spoil] = 0x7f800001u;
    head()->object.first_error = head()->object.first_error_item = 0;
    memcpy(as_was, heap, bytes);
    launch_call();
    refused += !is_pop;
    expect((clade_i32)head()->object.first_error == status &&
               head()->object.first_error_item == item,
           what, head()->object.first_error, head()->object.first_error_item);
    expect(head()->refused[0] == refused, "refusals that are counted", head()->refused[0], refused);
    expect((spoil < count || (clade_i32)head()->verdict == status) &&
               head()->nan == (spoil < count ? spoil : CLADE_HEAP_NO_NAN),
           "the verdict", head()->verdict, head()->nan);
    expect(job.got[1] == (is_pop ? 0 : 77), "a refused call got", (uint)job.got[1], is_pop);
#if ENGINE != 3
    expect(memcmp(as_was + CLADE_HEAP_NODES_AT, (char *)heap + CLADE_HEAP_NODES_AT,
                  bytes - CLADE_HEAP_NODES_AT) == 0,
           "a refused call changed the heap", is_pop, count);
#endif
    for (uint i = 0; i < count && is_pop; i++)
        expect(job.keys[FIRST + i] == (i == spoil || i == spoil + 2 ? 0xffc00000u : key_of(0, i)),
               "a refused call wrote a key", i, 0);
    head()->object.first_error = 0;
    free(as_was);
    take_room();
}

static void refusals(void)
{
    insert(0, CAPACITY - 5);
    refuse("more than fits", 0, 6, CLADE_E_FULL, 0, 999);
    refuse("far more than fits", 0, 5 * BATCH, CLADE_E_FULL, 0, 999);
    insert(0, 5);
    refuse("one key into a full heap", 0, 1, CLADE_E_FULL, 0, 999);
    pop(3 * BATCH + 1); /* some of the batches would fit */
    refuse("of several batches the last does not fit", 0, 3 * BATCH + 2, CLADE_E_FULL, 0, 999);
    head()->repair = CLADE_HEAP_REPAIR_WALK;
    refuse("an insert while a repair is due", 0, 1, CLADE_E_BUSY, 0, 999);
    refuse("a pop while a repair is due", 1, BATCH + 1, CLADE_E_BUSY, 0, 999);
    head()->repair = 0;
    pop(2);
#if !defined(STEP)
    if (KEY == CLADE_F32) {
        pop(40);
        refuse("a NaN", 0, 5, CLADE_E_ARG, 3, 3);
        refuse("the first is a NaN", 0, 3 * BATCH + 1, CLADE_E_ARG, 0, 0);
        refuse("the last is a NaN", 0, 4 * GROUP + 1, CLADE_E_ARG, 4 * GROUP, 4 * GROUP);
    }
#endif
    check_heap("after refusals");
    pop(CAPACITY);
}

/* A heap of another shape: the call says so, and changes nothing. Its items do not meet inside of
 * an operation then. */
static void foreign(void)
{
    give_room(3 * BATCH);
    job.is_pop = 0;
    memset(job.keys + FIRST, 0, 3ul * BATCH * KEY_BYTES);
    head()->object.shape++;
    head()->object.first_error = head()->object.first_error_item = 0;
    launch_begin();
    launch_work(2);
    expect((clade_i32)head()->verdict == CLADE_E_ARG && head()->ticket == 1 &&
               (clade_i32)head()->object.first_error == CLADE_E_ARG &&
               head()->object.first_error_item == 0,
           "a heap of another shape", head()->verdict, head()->ticket);
    head()->object.shape--;
    head()->object.first_error = 0;
    take_room();
    insert(0, 3);
    pop(3);
}

#if ENGINE != 3
/* A lock that does not come back: so many tries, and the call ends without a change. */
static void held(uint is_pop)
{
    insert(0, 9);
    const uint tries = head()->retries[0];
    head()->lock = CLADE_HEAP_HELD;
    give_room(2 * BATCH);
    job.is_pop = is_pop;
    memset(job.keys + FIRST, 0, 2 * BATCH * sizeof(uint));
    launch_call();
    expect((clade_i32)head()->verdict == CLADE_E_BUSY &&
               (clade_i32)head()->object.first_error == CLADE_E_BUSY &&
               head()->object.first_error_item == 0,
           "a lock is held", head()->verdict, head()->object.first_error_item);
    expect(head()->retries[0] - tries == CLADE_HEAP_TRIES * CLADE_SPIN_LIMIT, "tries",
           head()->retries[0] - tries, CLADE_HEAP_TRIES * CLADE_SPIN_LIMIT);
    expect(head()->ticket == 1, "batches of a call that gives up", head()->ticket, 1);
    head()->lock = CLADE_HEAP_FREE;
    head()->retries[0] = tries;
    head()->refused[0] = refused; /* each try counts as one */
    head()->object.first_error = 0;
    take_room();
    check_heap("after a lock");
    pop(9);
}
#endif
