/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list in fuzz_use.c: how large, an empty one, what loading does
 * (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "dlist/dlist.h"
#include "dlist/fuzz.h"

enum { CAPACITY = 32 };

static clade_dlist dlist_of(void)
{
    clade_dlist list = { .params = { .capacity = CAPACITY, .value = CLADE_U64 } };
    if (cladei_dlist_plan(&list, fuzz_context()) != CLADE_OK)
        abort();
    return list;
}

static size_t dlist_bytes(unsigned variant)
{
    (void)variant;
    return (size_t)dlist_of().object.bytes;
}

static void dlist_empty(unsigned variant, uint32_t *words)
{
    const clade_dlist list = dlist_of();
    (void)variant;
    memcpy(words, &list.layout, sizeof list.layout);
    fuzz_put_head(words, &list.object);
    for (size_t i = list.layout.nodes_at; i < list.layout.free_at; i++)
        words[i] = CLADE_DLIST_CELL_FREE;
}

static clade_status dlist_load(unsigned variant, uint32_t *words)
{
    const clade_dlist list = dlist_of();
    uint64_t live;
    (void)variant;
    return cladei_dlist_rebuild(&list, words, &live);
}

static void dlist_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_dlist(object, seed, steps);
    use_dlist_reclaim(object);
}

const struct fuzz_kind dlist_fuzz[] = {
    { 1, dlist_bytes, dlist_empty, dlist_load, dlist_use, NULL },
    { 0 },
};
