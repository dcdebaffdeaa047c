/* SPDX-License-Identifier: Apache-2.0 */
/* A batch is counted in while others change the number of keys. */
#pragma once

#include "heap/front/wait/later.h"

/* A batch of n keys, one of so many groups', is counted in at `size`. Before the first step that
 * changes the number another one's keys come, or go: then it is `now`. Where not every group has
 * room for some batches nothing is added that may be too much, for others would be refused. */
static void count_in(uint groups, uint n, uint size, uint now)
{
    const bool far = size + 4 * groups * BATCH < CAPACITY;
    const bool tries = far || size + n <= CAPACITY, in = tries && now + n <= CAPACITY;
    shim_self.groups = groups;
    set(CLADE_FRONT_W_SIZE, size);
    later(CLADE_FRONT_W_SIZE, 1, CLADE_FRONT_W_SIZE, now);
    counted.word = h.head + CLADE_FRONT_W_SIZE;
    counted.added = 0;
    note();
    expect(clade_heap_front_enter_size_wi(h, n) == in, "counted in", now);
    expect(far || counted.added == 0, "added where that may be too much", size);
    counted.word = comes.at = comes.word = NULL;
    shim_self.groups = 1;
    expected[CLADE_FRONT_W_SIZE] = (tries ? now : size) + (in ? n : 0);
    expect_heap("words of a count", now);
}

static void count_all(void)
{
    static const uint many[] = { 1, 5, 70 }; /* of the last there is never room enough */
    for (uint g = 0; g < 3; g++)
        for (uint n = 0; n <= BATCH; n += 4) {
            const uint near = 4 * many[g] * BATCH;
            const uint sizes[] = { 0,
                                   CAPACITY - near - 1,
                                   CAPACITY - near + 1,
                                   CAPACITY - n - 1,
                                   CAPACITY - n,
                                   CAPACITY - n + 1 };
            for (uint i = 0; i < 6; i++)
                for (uint k = 0; k < 4 && sizes[i] <= CAPACITY; k++)
                    count_in(many[g], n, sizes[i], k < 3 ? CAPACITY - n + k - 1 : sizes[i]);
        }
    set(CLADE_FRONT_W_SIZE, 0);
}
