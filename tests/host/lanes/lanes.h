/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a launch as coroutines of one thread, so that sub-groups can be: what GPUs alone compile
 * is run here. Include path first: lanes/clade/base/sub.clh and peers.clh take the place of clade's,
 * with the same functions made of lanes_tell(). Everything else is device.h's; link lanes.c for
 * device.c, compile with -Dsched_yield=lanes_yield, and each place where others may go on is a
 * place where one of the other items does, by chance: CLADE_TEST_SEED repeats it exactly. */
#pragma once

#include <stdint.h>

#ifndef LANES
#define LANES 32u /* of a sub-group: a power of two */
#endif

/* All items of `set` tell a value: what each told, by lane. Valid until the caller's next call.
 * With `peers` groups of one item are lanes of one sub-group, too. */
const uint64_t *lanes_tell(int peers, uint32_t set, uint64_t value);
uint64_t lanes_told(const uint64_t *told, uint32_t lane);
/* The caller's sub-group meets. That orders memory among its items, and lanes_tell() does not. */
void lanes_barrier(void);
/* Those of `set` meet, which orders memory among them. */
void lanes_meet(uint32_t set);
/* Who has come to this place in the code when nobody can go on elsewhere: all of them, or by chance only
 * some. */
uint32_t lanes_active(uint32_t site);
#define LANES_SITE ((uint32_t)(__LINE__ * 64u + sizeof(__FILE__)))
/* The caller's lane, and all lanes of its sub-group. */
uint32_t lanes_lane(int peers);
uint32_t lanes_all(int peers);

/* With 1, to ThreadSanitizer a launch from now on is another group's than the last few, and neither
 * its begin nor its end orders a thing: what one call wrote another one may read only if the code
 * under test orders it, though calls follow each other and a model knows what each must do. With 0
 * launches come after all before them, and before all that follow. The caller of launches is not
 * seen from the first time on. What items write for it they write in functions that are
 * LANES_UNSEEN. */
void lanes_order_nothing(int nothing);
#if defined(__SANITIZE_THREAD__)
#define LANES_UNSEEN __attribute__((no_sanitize("thread"), noinline))
#else
#define LANES_UNSEEN
#endif
