/* SPDX-License-Identifier: Apache-2.0 */
/* What histories on host threads do between two steps of a protocol: mostly nothing, sometimes the
 * core goes to the others, seldom for long. Include device.h first, then this, then `clade/W.clh`.
 */
#pragma once

static _Thread_local uint pause_state; /* each item's, from its seed on */

static inline void pause_here(void)
{
    pause_state = pause_state * 1664525u + 1013904223u + (uint)shim_self.global_id;
    for (uint i = pause_state >> 27 == 0 ? 30 : pause_state >> 29; i > 4; i--)
        sched_yield();
}
#define CLADE_SCHEDULE_HOOK(where, word, salt) pause_here()
