/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the queue (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/queue.h>

SAVES(save, queue, .capacity = 3000)
LOADS(queue)

static const struct saved_word impossible[] = {
    { "shift", 0, 0 },
    { "shift", 0, 29 },
    { 0 },
};
const struct saved queue_saved[] = {
    { "queue", 8, CLADE_QUEUE_SHAPE, save, load, impossible, { " bytes", 0, 24 } },
    { 0 },
};
