/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the queue (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/queue.h>

SIZE(clade_queue_params, 40);
AT(clade_queue_params, capacity, 0);

static void structs(struct fixture *f)
{
    assert_null(clade_queue_mem(NULL));
    assert_fails(clade_queue_check(NULL), CLADE_E_ARG);
    CREATE_REFUSES(queue, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    meet(CLADE_QUEUE_SHAPE);
}

static const uint32_t places[] = { CLADE_QUEUE_LAYOUT(PLACE) };
const struct abi queue_abi = { "queue", structs, shapes, LAYOUT(QUEUE) };
