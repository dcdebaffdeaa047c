/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the queue (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/queue.h>

KIND_CREATE(queue, clade_queue, .capacity = 256)
KIND_DESTROY(queue, clade_queue)
KIND_CLEAR(queue, clade_queue_clear(O, NULL))
KIND_MEM(queue, clade_queue)

static void queue_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
    assert_ok(clade_queue_append(O, clade_host(keys), FILLED, NONE, NULL));
}

static void queue_drain(struct world *w)
{
    uint32_t values[SLOT_WORDS];
    uint64_t got = 0;
    assert_ok(clade_queue_check(O));
    assert_ok(clade_queue_pop(O, clade_host(values), SLOT_WORDS, clade_host(&got), NULL));
    world_mix(w, values, got);
}
KIND(queue);

#define ROWS(ROW)                                                                                  \
    ROW(queue, append, clade_queue_append, HOST_ARRAYS, 0, (O, A(VALUES), N, A(STATUSES), launch)) \
    ROW(queue, pop, clade_queue_pop, HOST_ARRAYS, 0, (O, A(OUT), N, A(GOT), launch))               \
    ROW(queue, clear, clade_queue_clear, NEVER, 0, (O, launch))
LAUNCH_ROWS(queue, ROWS)
