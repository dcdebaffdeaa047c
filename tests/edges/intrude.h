/* SPDX-License-Identifier: Apache-2.0 */
/* Between two steps of a list's operation somebody else does one, when the test wants it. Include
 * device.h first, then this, then `clade/W.clh`. */
#pragma once

#include <string.h>

static void (*intruder)(void);

static inline void intrude(const char *where)
{
    void (*once)(void) = intruder;
    if (!strcmp(where, "clade_cells_take_wi")) /* none of the list's own steps */
        return;
    intruder = NULL;
    if (once)
        once();
}
#define CLADE_SCHEDULE_HOOK(where, word, salt) intrude(where)
