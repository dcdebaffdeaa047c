/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the semi-linked list (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/semilist.h>

SAVES(save, semilist, .capacity = 3000)
LOADS(semilist)

static const struct saved_word impossible[] = {
    { "capacity", 0, 0 },
    { "capacity", 1, 1 },
    { "count", 2, 1 },
    { 0 },
};
/* Its elements are saved, and no head. */
const struct saved semilist_saved[] = {
    { "semilist", 16, 0, save, load, impossible, { 0 } },
    { 0 },
};
