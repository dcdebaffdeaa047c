/* SPDX-License-Identifier: Apache-2.0 */
/* The queue, as kernels use it (tests/fuzz/use.h). */
#define CLADE_SPIN_LIMIT 5000u
#include "host/device.h"

#include "clade/atomic.clh"

#include "clade/queue.clh"
#undef min
#undef max

#include "fuzz/use.h"
#include "queue/fuzz.h"

void use_queue(void *queue, uint32_t state, uint32_t steps)
{
    uint value;
    while (steps-- > 0) {
        const uint what = use_begin(&state) % 5u;
        if (what < 2u)
            clade_queue_append_wi(queue, state & CLADE_QUEUE_VALUE_MAX);
        else if (what < 4u)
            clade_queue_pop_wi(queue, &value);
        else
            clade_queue_size_wi(queue);
    }
}
