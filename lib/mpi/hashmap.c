/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map over all ranks: a key belongs to a rank by a hash that is not the map's own. */
#include <stdlib.h>

#include "clade/mpi/hashmap.h"
#include "mpi/image.h"
#include "mpi/map.h"

struct clade_mpi_hashmap {
    struct cladei_mpi_map map;
    clade_hashmap *own;
};

static clade_status operate(void *self, const struct cladei_mpi_call *call);
static clade_status own_size(void *self, uint64_t *size);

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make(clade_mpi_hashmap **made, clade_mpi_hashmap **out, clade_mpi *mpi,
                         clade_context *context, const clade_hashmap_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out && context && params, CLADE_E_ARG, "an argument is NULL");
    clade_mpi_hashmap *map = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(map);
    cladei_mpi_hold(mpi);
    map->map = (struct cladei_mpi_map) {
        .mpi = mpi, .owners = { NULL, (uint32_t)mpi->ranks }, .operate = operate, .size = own_size
    };
    CLADEM_TRY(clade_hashmap_create(&map->own, context, params));
    CLADEM_TRY(cladei_mpi_batch_make(&map->map.batch, mpi, context,
                                     params->key == CLADE_NONE ? CLADE_U32 : params->key,
                                     params->value));
fail:
    return status;
}

clade_status clade_mpi_hashmap_create(clade_mpi_hashmap **out, clade_mpi *mpi,
                                      clade_context *context, const clade_hashmap_params *params)
{
    clade_status status = CLADE_OK;
    clade_mpi_hashmap *map = NULL;
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    const clade_status own = make(&map, out, mpi, context, params);
    const struct cladei_mpi_alike alike = {
        .words = { map ? map->map.batch.key : 0, map ? map->map.batch.value : 0,
                   params ? params->no_erase : 0 },
        /* A rank that cannot erase would refuse what the others have done. */
        .names = { "the type of the keys", "the type of the values", "no_erase" },
    };
    CLADEM_TRY(cladei_mpi_agree(mpi, own, &alike));
    *out = map;
    return CLADE_OK;

fail:
    clade_mpi_hashmap_destroy(&map);
    return status;
}

void clade_mpi_hashmap_destroy(clade_mpi_hashmap **map)
{
    if (!map || !*map)
        return;
    clade_mpi_hashmap *it = *map;
    cladei_mpi_batch_free(&it->map.batch);
    clade_hashmap_destroy(&it->own);
    cladei_mpi_let_go(it->map.mpi);
    free(it);
    *map = NULL;
}

clade_hashmap *clade_mpi_hashmap_own(const clade_mpi_hashmap *map)
{
    return map ? map->own : NULL;
}

/* --- owners ----------------------------------------------------------------------------------- */

int clade_mpi_hashmap_owner(const clade_mpi_hashmap *map, const void *key)
{
    if (!map || !key)
        return -1;
    return cladei_mpi_owner(&map->map.owners,
                            cladei_mpi_image(key, 0, map->map.batch.key, CLADE_MIN));
}

/* --- calls ------------------------------------------------------------------------------------ */

enum operation { INSERT, PUT, UPDATE, ERASE, FIND };

static clade_status operate(void *self, const struct cladei_mpi_call *c)
{
    clade_hashmap *own = ((clade_mpi_hashmap *)self)->own;
    switch ((enum operation)c->operation) {
    case INSERT:
        return clade_hashmap_insert(own, c->keys, c->values, c->count, c->statuses, NULL);
    case PUT:
        return clade_hashmap_put(own, c->keys, c->values, c->count, c->statuses, NULL);
    case UPDATE:
        return clade_hashmap_update(own, c->keys, c->values, c->what, c->count, c->statuses, NULL);
    case ERASE:
        return clade_hashmap_erase(own, c->keys, c->values, c->count, c->statuses, NULL);
    case FIND:
        break;
    }
    return clade_hashmap_find(own, c->keys, c->values, c->count, c->statuses, NULL);
}

static clade_status own_size(void *self, uint64_t *size)
{
    return clade_hashmap_size(((clade_mpi_hashmap *)self)->own, size);
}

static clade_status run(clade_mpi_hashmap *map, const struct cladei_mpi_call *call)
{
    clade_status status = CLADE_OK, own = CLADE_OK;
    CLADEM_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    if (call->what > CLADE_HASHMAP_MAX)
        own = cladei_mpi_fail(CLADE_E_ARG, "what is %u; it is CLADE_HASHMAP_PLUS, _MIN or _MAX",
                              call->what);
    CLADEM_TRY(cladei_mpi_map_run(&map->map, map, own, call));
fail:
    return status;
}

clade_status clade_mpi_hashmap_insert(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                      uint64_t count, clade_array statuses)
{
    return run(map, &(struct cladei_mpi_call) { .operation = INSERT,
                                                .keys = keys,
                                                .values = values,
                                                .statuses = statuses,
                                                .count = count });
}

clade_status clade_mpi_hashmap_put(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                   uint64_t count, clade_array statuses)
{
    return run(map, &(struct cladei_mpi_call) { .operation = PUT,
                                                .keys = keys,
                                                .values = values,
                                                .statuses = statuses,
                                                .count = count });
}

clade_status clade_mpi_hashmap_update(clade_mpi_hashmap *map, clade_array keys,
                                      clade_array operands, uint32_t what, uint64_t count,
                                      clade_array statuses)
{
    return run(map, &(struct cladei_mpi_call) { .operation = UPDATE,
                                                .what = what,
                                                .needs_values = true,
                                                .keys = keys,
                                                .values = operands,
                                                .statuses = statuses,
                                                .count = count });
}

clade_status clade_mpi_hashmap_erase(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                     uint64_t count, clade_array statuses)
{
    return run(map, &(struct cladei_mpi_call) { .operation = ERASE,
                                                .gives_values = true,
                                                .keys = keys,
                                                .values = values,
                                                .statuses = statuses,
                                                .count = count });
}

clade_status clade_mpi_hashmap_find(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                    uint64_t count, clade_array statuses)
{
    return run(map, &(struct cladei_mpi_call) { .operation = FIND,
                                                .gives_values = true,
                                                .keys = keys,
                                                .values = values,
                                                .statuses = statuses,
                                                .count = count });
}

clade_status clade_mpi_hashmap_size(clade_mpi_hashmap *map, uint64_t *size)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    CLADEM_TRY(cladei_mpi_map_size(&map->map, map, size));
fail:
    return status;
}
