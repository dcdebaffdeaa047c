/* SPDX-License-Identifier: Apache-2.0 */
/* The list in fuzz_use.c: how large, an empty one, what loading does (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "list/fuzz.h"
#include "list/list.h"

enum { CAPACITY = 32 };

static clade_list plan_list(const clade_list_params *params)
{
    clade_list list = { .params = *params };
    if (cladei_list_plan(&list, fuzz_context()) != CLADE_OK)
        abort();
    return list;
}

/* Map, wide keys, sequence; then without shortcuts or index. */
static clade_list list_of(unsigned variant)
{
    clade_list_params params = { .capacity = CAPACITY, .find = variant / 3 };
    params.key = variant % 3 == 1 ? CLADE_U64 : CLADE_U32;
    params.value = variant % 3 == 0 ? CLADE_U32 : CLADE_NONE;
    params.mode = variant % 3 == 2 ? CLADE_LIST_UNORDERED : CLADE_LIST_ORDERED;
    return plan_list(&params);
}

static size_t list_bytes(unsigned variant)
{
    return (size_t)list_of(variant).object.bytes;
}

static void list_empty(unsigned variant, uint32_t *words)
{
    const clade_list list = list_of(variant);
    const clade_list_head *layout = &list.layout;
    memcpy(words, layout, sizeof *layout);
    fuzz_put_head(words, &list.object);
    for (size_t i = layout->nodes_at; i < layout->free_at; i++)
        words[i] = CLADE_LIST_CELL_FREE;
}

static clade_status list_load(unsigned variant, uint32_t *words)
{
    const clade_list list = list_of(variant);
    uint64_t live;
    return cladei_list_rebuild(&list, words, &live);
}

static void list_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    static void (*const uses[])(void *, uint32_t, uint32_t) = { use_map, use_map_wide,
                                                                use_sequence };
    uses[variant % 3](object, seed, steps);
    if (variant % 3 == 0)
        use_map_reclaim(object);
}

const struct fuzz_kind list_fuzz[] = {
    { 6, list_bytes, list_empty, list_load, list_use, NULL },
    { 0 },
};
