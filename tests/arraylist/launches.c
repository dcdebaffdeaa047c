/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the array list (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/arraylist.h>

KIND_CREATE(arraylist, clade_arraylist, .capacity = 1000, .element_bytes = 4, .first = 16)
KIND_DESTROY(arraylist, clade_arraylist)
KIND_CLEAR(arraylist, clade_arraylist_clear(O, NULL))

static void arraylist_mems(struct world *w, cl_mem *out)
{
    out[0] = clade_arraylist_mem(O);
    out[1] = clade_kma_mem(clade_arraylist_kma(O));
}

static void arraylist_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
    assert_ok(clade_arraylist_append(O, clade_host(keys), FILLED, NULL));
}

static void arraylist_drain(struct world *w)
{
    uint32_t elements[SLOT_WORDS];
    uint64_t size = 0;
    assert_ok(clade_arraylist_check(O));
    assert_ok(clade_arraylist_size(O, &size));
    assert_in_range(size, 0, SLOT_WORDS);
    assert_ok(clade_arraylist_read(O, 0, clade_host(elements), size, NULL));
    world_mix(w, elements, size);
}
KIND(arraylist);

#define ROWS(ROW)                                                                          \
    ROW(arraylist, append, clade_arraylist_append, HOST_ARRAYS, 0, (O, A(NEW), N, launch)) \
    ROW(arraylist, read, clade_arraylist_read, ALWAYS, 0, (O, 16, A(OUT), N, launch))      \
    ROW(arraylist, clear, clade_arraylist_clear, NEVER, 0, (O, launch))
LAUNCH_ROWS(arraylist, ROWS)
