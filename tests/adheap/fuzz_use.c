/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap, as kernels use it (tests/fuzz/use.h). */
#include "host/device.h"

#include "clade/atomic.clh"

#define CLADE_ADHEAP_ARITY 8
#define CLADE_ADHEAP_KEY   CLADE_U32
#include "clade/adheap.clh"
#undef min
#undef max

#include "adheap/fuzz.h"
#include "fuzz/use.h"

enum { KEYS = 60 };

void use_adheap(void *heaps, uint32_t state, uint32_t steps)
{
    static uint path[CLADE_ADHEAP_PATH_WORDS];
    const clade_adheap_head *head = heaps;
    while (steps-- > 0) {
        const uint what = use_begin(&state) % 5u;
        const clade_adheap_one h =
            clade_adheap_open_wi(heaps, use_draw(&state) % head->heaps, path);
        uint key = use_draw(&state) % KEYS, value = state;
        if (what < 2u)
            clade_adheap_insert_sg(&h, key, value);
        else if (what == 2u)
            clade_adheap_pop_sg(&h, &key, &value);
        else if (what == 3u)
            clade_adheap_peek_sg(&h, &key, &value);
        else
            clade_adheap_update_sg(&h, use_draw(&state) % head->capacity, key, value);
    }
}
