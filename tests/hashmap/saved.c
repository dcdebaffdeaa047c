/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the hash map (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/hashmap.h>

static void save(clade_context *context, const char *path)
{
    const uint32_t keys[3] = { 5, 1, 9 };
    clade_hashmap *map = NULL;
    MARKED(clade_hashmap_params, params);
    params.capacity = 3000;
    params.key = params.form = params.seed = params.group_size = params.no_erase = 0;
    params.value = CLADE_U64;
    assert_ok(clade_hashmap_create(&map, context, &params));
    const uint64_t values[3] = { 50, 10, 90 };
    assert_ok(
        clade_hashmap_insert(map, clade_host(keys), clade_host(values), 3, clade_no_array(), NULL));
    assert_ok(clade_hashmap_save(map, path));
    clade_hashmap_destroy(&map);
}
LOADS(hashmap)

static const struct saved_word impossible[] = {
    { "capacity", 0, 0 }, { "capacity", 1, UINT32_MAX },
    { "size", 2, 4 },     { "size", 3, 1 },
    { "key", 4, 77 },     { "value", 5, 77 },
    { "form", 6, 77 },    { 0 },
};
/* Keys and values are saved, in no order of the map's, and no head. */
const struct saved hashmap_saved[] = {
    { "hashmap", 32, 0, save, load, impossible, { 0 } },
    { 0 },
};
