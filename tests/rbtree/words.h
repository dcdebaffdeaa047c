/* SPDX-License-Identifier: Apache-2.0 */
/* What rbtree.clh reads in one access of a device: here four words of different times; then time
 * passes before what they lead to is read. Include device.h first, and what says what happens at
 * schedule points; then this, then `clade/rbtree.clh`. */
#pragma once

typedef struct uint4 {
    uint x, y, z, w;
} uint4;

#include "clade/atomic.clh"
#include "clade/base/hooks.clh"

static inline uint4 clade_load_shared4(const volatile uint4 *p)
{
    const volatile uint *words = (const volatile uint *)p;
    uint4 all;
    all.x = clade_load_shared(words);
    all.y = clade_load_shared(words + 1);
    all.z = clade_load_shared(words + 2);
    all.w = clade_load_shared(words + 3);
    CLADE_SCHEDULE_POINT((clade_global_word)words, all.x);
    return all;
}
