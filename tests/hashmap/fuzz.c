/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map in fuzz_use.c (tests/fuzz/kinds.h): one in memory that `check` finds sound is sound.
 * (A file has keys and values alone, which loading inserts.) */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "hashmap/fuzz.h"
#include "hashmap/hashmap.h"

enum { CAPACITY = 28 };

/* A set, packed; keys and values of 32 bits, tagged; of 64 bits, with two copies of a value. */
static clade_hashmap map_of(unsigned variant)
{
    static const uint32_t types[3][2] = { { CLADE_U32, CLADE_NONE },
                                          { CLADE_U32, CLADE_U32 },
                                          { CLADE_U64, CLADE_U64 } };
    clade_hashmap map = { 0 };
    const clade_hashmap_params params = { .capacity = CAPACITY,
                                          .key = types[variant][0],
                                          .value = types[variant][1] };
    if (cladei_hashmap_plan(&map, fuzz_context(), &params) != CLADE_OK)
        abort();
    return map;
}

static size_t map_bytes(unsigned variant)
{
    return (size_t)map_of(variant).object.bytes;
}

static void map_empty(unsigned variant, uint32_t *words)
{
    const clade_hashmap map = map_of(variant);
    memcpy(words, &map.layout, sizeof map.layout);
    fuzz_put_head(words, &map.object);
}

static clade_status map_load(unsigned variant, uint32_t *words)
{
    const clade_hashmap map = map_of(variant);
    clade_hashmap_stats stats;
    return cladei_hashmap_verify(&map, words, &stats);
}

static void map_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    static void (*const uses[])(void *, uint32_t, uint32_t) = { use_hashmap_set, use_hashmap_32,
                                                                use_hashmap_64 };
    uses[variant](object, seed, steps);
}

const struct fuzz_kind hashmap_fuzz[] = {
    { 3, map_bytes, map_empty, map_load, map_use, NULL },
    { 0 },
};
