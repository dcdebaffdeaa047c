/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench rbtree`: keys of many distributions and counts, one key a work-item and in bulk. */
#include "bench/rbtree.h"
#include "bench/shaped_map.h"
#include "command/clade.h"

static bool create(struct bench_map *map, clade_context *context, uint32_t capacity, uint32_t path)
{
    clade_rbtree *tree = NULL;
    const bool fine = succeeded(clade_rbtree_create(
        &tree, context,
        &(clade_rbtree_params) {
            .capacity = capacity + capacity / 2 + 1000ull, .value = CLADE_U32, .path = path }));
    map->object = tree;
    return fine;
}

static bool create_items(struct bench_map *map, clade_context *context, uint32_t capacity)
{
    return create(map, context, capacity, CLADE_RBTREE_CONCURRENT);
}

static bool create_bulk(struct bench_map *map, clade_context *context, uint32_t capacity)
{
    return create(map, context, capacity, CLADE_RBTREE_BULK);
}

static void destroy(struct bench_map *map)
{
    clade_rbtree *tree = map->object;
    clade_rbtree_destroy(&tree);
    map->object = NULL;
}

static bool clear(struct bench_map *map)
{
    return succeeded(clade_rbtree_clear(map->object, NULL));
}

static bool size(struct bench_map *map, uint64_t *count)
{
    return succeeded(clade_rbtree_size(map->object, count));
}

static bool insert(struct bench_map *map, cl_mem keys, cl_mem values, uint32_t count)
{
    return succeeded(clade_rbtree_insert(map->object, clade_device(keys, 0),
                                         clade_device(values, 0), count, clade_no_array(), NULL));
}

static bool find(struct bench_map *map, cl_mem keys, cl_mem values, uint32_t count)
{
    return succeeded(clade_rbtree_find(map->object, clade_device(keys, 0), clade_device(values, 0),
                                       count, clade_no_array(), NULL));
}

static bool erase(struct bench_map *map, cl_mem keys, uint32_t count)
{
    return succeeded(clade_rbtree_erase(map->object, clade_device(keys, 0), clade_no_array(), count,
                                        clade_no_array(), NULL));
}

static bool cells(const struct bench_shaped *row, void *data)
{
    struct bench_map maps[] = {
        { "items:", create_items, destroy, clear, size, insert, find, erase, NULL },
        { "bulk:", create_bulk, destroy, clear, size, insert, find, erase, NULL },
    };
    (void)data;
    return bench_shaped_maps(row, maps, 2, &baseline_map32_std);
}

bool bench_rbtree_shaped(struct bench *bench)
{
    return bench_distributions(bench, 0, cells, NULL) && bench_sizes(bench, 0, cells, NULL);
}
