/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the ad-heap (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/adheap.h>

SAVES(save, adheap, .heaps = 3, .capacity = 1000, .arity = 16)
LOADS(adheap)

static const struct saved_word impossible[] = {
    { "heaps", 0, 0 },
    { "capacity", 1, UINT32_MAX },
    { "arity", 2, 12 },
    { "key", 3, 77 },
    { "order", 4, 2 },
    { "keep", 5, 2 },
    { "values", 6, 2 },
    { "bridge", 7, 6 },
    { "count", 8, 2 },
    { "feed", 9, 77 },
    { 0 },
};
const struct saved adheap_saved[] = {
    { "adheap",
      44,
      CLADE_ADHEAP_SHAPE(16, CLADE_I32, CLADE_MIN, 0, 0, 0),
      save,
      load,
      impossible,
      { " bytes", 1, 1u << 22 } },
    { 0 },
};
