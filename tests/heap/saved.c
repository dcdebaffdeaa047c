/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the heap (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/heap.h>

SAVES(save_small, heap, .capacity = 5000, .batch = 4, .engine = CLADE_HEAP_TOP_DOWN,
      .value = CLADE_U32)
SAVES(save_large, heap, .capacity = 50000, .value = CLADE_U32)
SAVES(save_front, heap, .capacity = 1000, .engine = CLADE_HEAP_FRONT)
SAVES(save_heaps, heap, .capacity = 100, .batch = 32, .heaps = 3)
LOADS(heap)

static const struct saved_word impossible[] = {
    { "capacity", 0, 0 },
    { "capacity", 1, UINT32_MAX },
    { "key", 2, 77 },
    { "value", 3, 77 },
    { "order", 4, 2 },
    { "batch", 5, 0 },
    { "batch", 5, CLADE_HEAP_BATCH_MAX + 1 },
    { "engine", 6, 77 },
    { "heaps", 7, 0 },
    { "heaps", 7, CLADE_HEAP_HEAPS_MAX + 1 },
    { 0 },
};
/* Of the engines with nodes only what is used is saved. */
const struct saved heap_saved[] = {
    { "heap",
      32,
      CLADE_HEAP_SHAPE(CLADE_I32, CLADE_U32, CLADE_MIN, CLADE_HEAP_TOP_DOWN, 4, 0),
      save_small,
      load,
      impossible,
      { 0 } },
    { "large heap", 32, 0, save_large, load, NULL, { 0 } },
    { "heap with a front", 32, 0, save_front, load, NULL, { " bytes", 0, 1u << 24 } },
    { "heaps", 32, 0, save_heaps, load, NULL, { " bytes", 7, 60000 } },
    { 0 },
};
