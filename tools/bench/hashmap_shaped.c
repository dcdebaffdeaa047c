/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench hashmap`: keys of many distributions and counts, at a load of 0.8. */
#include "bench/hashmap_shaped.h"

#include "bench/shaped_map.h"
#include "command/clade.h"

static bool create(struct bench_map *map, clade_context *context, uint32_t capacity)
{
    clade_hashmap *made = NULL;
    const bool fine = succeeded(clade_hashmap_create(
        &made, context,
        &(clade_hashmap_params) { .capacity = capacity * 9ull / 8, .value = CLADE_U32 }));
    map->object = made;
    return fine;
}

static void destroy(struct bench_map *map)
{
    clade_hashmap *made = map->object;
    clade_hashmap_destroy(&made);
    map->object = NULL;
}

static bool clear(struct bench_map *map)
{
    return succeeded(clade_hashmap_clear(map->object, NULL));
}

static bool size(struct bench_map *map, uint64_t *count)
{
    return succeeded(clade_hashmap_size(map->object, count));
}

static bool insert(struct bench_map *map, cl_mem keys, cl_mem values, uint32_t count)
{
    return succeeded(clade_hashmap_insert(map->object, clade_device(keys, 0),
                                          clade_device(values, 0), count, clade_no_array(), NULL));
}

static bool find(struct bench_map *map, cl_mem keys, cl_mem values, uint32_t count)
{
    return succeeded(clade_hashmap_find(map->object, clade_device(keys, 0), clade_device(values, 0),
                                        count, clade_no_array(), NULL));
}

static bool erase(struct bench_map *map, cl_mem keys, uint32_t count)
{
    return succeeded(clade_hashmap_erase(map->object, clade_device(keys, 0), clade_no_array(),
                                         count, clade_no_array(), NULL));
}

static bool cells(const struct bench_shaped *row, void *data)
{
    struct bench_map map = {
        "clade:", create, destroy, clear, size, insert, find, erase, NULL,
    };
    (void)data;
    return bench_shaped_maps(row, &map, 1, &baseline_map32_unordered);
}

bool bench_hashmap_shaped(struct bench *bench)
{
    return bench_distributions(bench, 0, cells, NULL) && bench_sizes(bench, 0, cells, NULL);
}
