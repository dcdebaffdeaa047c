/* SPDX-License-Identifier: Apache-2.0 */
/* Hash maps in files: the parameters, then all keys, then all values. Where each lies is the next
 * device's matter. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "hashmap/hashmap.h"
#include "object/saved.h"

/* What a file says of its map. The group's size is the device's matter. `form` has a bit more for
 * maps without erase. */
struct saved_params {
    uint64_t capacity;
    uint64_t size;
    uint32_t key, value, form, seed;
};
#define FORM_NO_ERASE 0x100u

clade_status clade_hashmap_save(clade_hashmap *map, const char *path)
{
    clade_status status = CLADE_OK;
    uint64_t size = 0;
    clade_hashmap_stats stats;
    char *bytes = NULL;
    CLADE_REQUIRE(map && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_hashmap_stats_read(map, &stats)); /* a damaged map is told, not saved */
    size = stats.size;
    const uint64_t payload = size * (map->key_bytes + map->value_bytes);
    bytes = malloc((size_t)payload + 8);
    CLADE_NO_MEMORY(bytes);
    CLADE_TRY(clade_hashmap_read(map, clade_host(bytes),
                                 map->value_bytes > 0 ? clade_host(bytes + size * map->key_bytes)
                                                      : clade_no_array(),
                                 size, &size, NULL));
    const uint32_t form =
        map->params.form == CLADE_HASHMAP_TAGGED ? CLADE_HASHMAP_TAGGED : CLADE_HASHMAP_AUTO;
    const struct saved_params params = { .capacity = map->params.capacity,
                                         .size = size,
                                         .key = map->params.key,
                                         .value = map->params.value,
                                         .form = form | (map->params.no_erase ? FORM_NO_ERASE : 0),
                                         .seed = map->params.seed };
    CLADE_TRY(cladei_object_save_bytes(&map->object, path, &params, sizeof params, bytes, payload));
fail:
    free(bytes);
    return status;
}

/* Keys of one insert, which takes so much more memory on the device: a file may have more than a
 * call takes. */
enum { PART = 1 << 20 };

/* Insert `count` keys of a file, from number `first` on. Each must be new. */
static clade_status restore_part(clade_hashmap *map, const char *bytes, uint64_t size,
                                 uint64_t first, uint64_t count, int32_t *statuses,
                                 const char *path)
{
    clade_status status = CLADE_OK;
    const char *keys = bytes + first * map->key_bytes;
    const char *values = bytes + size * map->key_bytes + first * map->value_bytes;
    CLADE_TRY(clade_hashmap_insert(map, clade_host(keys),
                                   map->value_bytes > 0 ? clade_host(values) : clade_no_array(),
                                   count, clade_host(statuses), NULL));
    for (uint64_t i = 0; i < count; i++) {
        CLADE_REQUIRE(statuses[i] != CLADE_HASHMAP_PRESENT, CLADE_E_CORRUPT,
                      "%s: key %" PRIu64 " is there twice", path, first + i);
        CLADE_REQUIRE(statuses[i] == CLADE_OK, statuses[i], "%s: key %" PRIu64 " was refused: %s",
                      path, first + i, clade_status_name(statuses[i]));
    }
fail:
    return status;
}

static clade_status restore(clade_hashmap *map, const struct cladei_saved *saved, uint64_t size,
                            const char *path)
{
    clade_status status = CLADE_OK;
    int32_t *statuses = calloc(size < PART ? (size_t)size + 1 : PART, sizeof *statuses);
    CLADE_NO_MEMORY(statuses);
    for (uint64_t first = 0; first < size; first += PART) {
        const uint64_t left = size - first;
        CLADE_TRY(restore_part(map, saved->payload, size, first, left < PART ? left : PART,
                               statuses, path));
    }
fail:
    free(statuses);
    return status;
}

clade_status cladei_hashmap_plan_saved(clade_hashmap *planned, const struct cladei_saved *saved,
                                       const clade_context *context, uint64_t *size,
                                       const char *path)
{
    clade_status status = CLADE_OK;
    struct saved_params from;
    memcpy(&from, saved->params, sizeof from);
    const clade_hashmap_params params = { .capacity = from.capacity,
                                          .key = from.key,
                                          .value = from.value,
                                          .form = from.form & ~FORM_NO_ERASE,
                                          .seed = from.seed,
                                          .no_erase = from.form & FORM_NO_ERASE ? 1 : 0 };
    CLADE_TRY(cladei_saved_answer(cladei_hashmap_plan(planned, context, &params), path));
    CLADE_REQUIRE(from.size <= saved->payload_bytes, CLADE_E_CORRUPT, "%s: the map's size is wrong",
                  path);
    CLADE_TRY(
        cladei_saved_fits(saved, from.size * (planned->key_bytes + planned->value_bytes), path));
    *size = from.size;
fail:
    return status;
}

clade_status clade_hashmap_load(clade_hashmap **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    clade_hashmap_params params;
    clade_hashmap planned = { 0 }, *map = NULL;
    uint64_t size;
    CLADEI_PLACE(out, "the map");
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "the context or the path is NULL");
    CLADE_TRY(
        cladei_saved_open(&saved, context, path, CLADE_HASHMAP_KIND, sizeof(struct saved_params)));
    CLADE_TRY(cladei_hashmap_plan_saved(&planned, &saved, context, &size, path));
    params = planned.params;
    /* It may have had more keys than its capacity. */
    if (params.capacity < size)
        params.capacity = size;
    CLADE_TRY(clade_hashmap_create(&map, context, &params));
    CLADE_TRY(restore(map, &saved, size, path));
    *out = map;
    map = NULL;
fail:
    clade_hashmap_destroy(&map);
    cladei_saved_close(&saved);
    return status;
}
