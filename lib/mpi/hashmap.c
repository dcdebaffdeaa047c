/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map over all ranks: a key belongs to a rank by a hash that is not the map's own. */
#include <stdlib.h>
#include <string.h>

#include "clade/mpi/hashmap.h"
#include "mpi/batch.h"
#include "mpi/image.h"

struct clade_mpi_hashmap {
    clade_mpi *mpi;
    clade_hashmap *map;
    struct cladei_mpi_batch batch;
};

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make(clade_mpi_hashmap **made, clade_mpi_hashmap **out, clade_mpi *mpi,
                         clade_context *context, const clade_hashmap_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out && context && params, CLADE_E_ARG, "an argument is NULL");
    clade_mpi_hashmap *map = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(map);
    cladei_mpi_hold(mpi);
    map->mpi = mpi;
    CLADEM_TRY(clade_hashmap_create(&map->map, context, params));
    CLADEM_TRY(cladei_mpi_batch_make(&map->batch, mpi, context,
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
        .words = { map ? map->batch.key : 0, map ? map->batch.value : 0 },
        .names = { "the type of the keys", "the type of the values" },
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
    cladei_mpi_batch_free(&it->batch);
    clade_hashmap_destroy(&it->map);
    cladei_mpi_let_go(it->mpi);
    free(it);
    *map = NULL;
}

clade_hashmap *clade_mpi_hashmap_own(const clade_mpi_hashmap *map)
{
    return map ? map->map : NULL;
}

/* --- owners ----------------------------------------------------------------------------------- */

/* A permutation of 64-bit words in which every bit of the key moves the upper ones, which decide
 * (splitmix64's last steps). The map's own hash is another: keys of one rank fill its map evenly.
 */
static int rank_of(const void *data, uint64_t image)
{
    const clade_mpi *mpi = data;
    uint64_t z = image + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (int)((z >> 32) * (uint64_t)mpi->ranks >> 32);
}

int clade_mpi_hashmap_owner(const clade_mpi_hashmap *map, const void *key)
{
    if (!map || !key)
        return -1;
    return rank_of(map->mpi, cladei_mpi_image(key, 0, map->batch.key, CLADE_MIN));
}

/* --- calls ------------------------------------------------------------------------------------ */

enum operation { INSERT, PUT, UPDATE, ERASE, FIND };

/* What a call is given. */
struct call {
    enum operation operation;
    uint32_t what; /* of an update */
    clade_array keys, values, statuses;
    uint64_t count;
};

static bool gives_values(enum operation operation)
{
    return operation == ERASE || operation == FIND;
}

static clade_status check(const clade_mpi_hashmap *map, const struct call *call)
{
    clade_status status = CLADE_OK;
    const uint32_t key = map->batch.key, value = map->batch.value;
    const bool has_values = cladei_mpi_is_given(call->values);
    CLADEM_REQUIRE(value != CLADE_NONE || (!has_values && call->operation != UPDATE), CLADE_E_ARG,
                   "the map has no values");
    CLADEM_REQUIRE(call->operation != UPDATE || call->what <= CLADE_HASHMAP_MAX, CLADE_E_ARG,
                   "what is %u; it is CLADE_HASHMAP_PLUS, _MIN or _MAX", call->what);
    CLADEM_REQUIRE(call->operation != UPDATE || has_values || call->count == 0, CLADE_E_ARG,
                   "there is no array operands");
    CLADEM_TRY(cladei_mpi_array_check(call->keys, call->count, CLADE_TYPE_BYTES(key), "keys"));
    if (has_values)
        CLADEM_TRY(
            cladei_mpi_array_check(call->values, call->count, CLADE_TYPE_BYTES(value), "values"));
    if (cladei_mpi_is_given(call->statuses))
        CLADEM_TRY(cladei_mpi_array_check(call->statuses, call->count, 4, "statuses"));
fail:
    return status;
}

/* In the rank's own map. */
static clade_status operate(clade_mpi_hashmap *map, const struct call *c)
{
    switch (c->operation) {
    case INSERT:
        return clade_hashmap_insert(map->map, c->keys, c->values, c->count, c->statuses, NULL);
    case PUT:
        return clade_hashmap_put(map->map, c->keys, c->values, c->count, c->statuses, NULL);
    case UPDATE:
        return clade_hashmap_update(map->map, c->keys, c->values, c->what, c->count, c->statuses,
                                    NULL);
    case ERASE:
        return clade_hashmap_erase(map->map, c->keys, c->values, c->count, c->statuses, NULL);
    case FIND:
        break;
    }
    return clade_hashmap_find(map->map, c->keys, c->values, c->count, c->statuses, NULL);
}

/* What came to this rank. */
static clade_status operate_on_batch(clade_mpi_hashmap *map, const struct call *call)
{
    const struct cladei_mpi_batch *batch = &map->batch;
    struct call here = *call;
    here.count = batch->exchange.receives;
    here.keys = clade_host(batch->keys_in.host);
    here.values = batch->value == CLADE_NONE ? clade_no_array() : clade_host(batch->values_in.host);
    here.statuses = clade_host(batch->statuses_in.host);
    return here.count > 0 ? operate(map, &here) : CLADE_OK;
}

/* One rank: nothing is to be sent. What a call with device arrays would leave to the next one is
 * told here. */
static clade_status run_plain(clade_mpi_hashmap *map, const struct call *call)
{
    clade_status status = CLADE_OK;
    uint64_t size;
    CLADEM_TRY(check(map, call));
    CLADEM_TRY(operate(map, call));
    if (cladei_mpi_is_given(call->statuses))
        CLADEM_TRY(clade_finish(map->batch.context));
    else
        CLADEM_TRY(clade_hashmap_size(map->map, &size));
fail:
    return status;
}

static clade_status run(clade_mpi_hashmap *map, const struct call *call)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    const struct cladei_mpi_alike alike = {
        .words = { call->operation, call->what },
        .names = { "the call", "what" },
    };
    if (map->mpi->ranks == 1)
        return run_plain(map, call);
    const struct cladei_mpi_owners owners = { rank_of, map->mpi };
    const bool has_values = map->batch.value != CLADE_NONE, back = gives_values(call->operation);
    CLADEM_TRY(cladei_mpi_batch_send(&map->batch, check(map, call), &owners, call->keys,
                                     call->values, has_values && !back, call->count, &alike));
    CLADEM_TRY(cladei_mpi_batch_answer(&map->batch, operate_on_batch(map, call), call->values,
                                       has_values && back, call->statuses));
fail:
    return status;
}

clade_status clade_mpi_hashmap_insert(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                      uint64_t count, clade_array statuses)
{
    return run(map, &(struct call) { INSERT, 0, keys, values, statuses, count });
}

clade_status clade_mpi_hashmap_put(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                   uint64_t count, clade_array statuses)
{
    return run(map, &(struct call) { PUT, 0, keys, values, statuses, count });
}

clade_status clade_mpi_hashmap_update(clade_mpi_hashmap *map, clade_array keys,
                                      clade_array operands, uint32_t what, uint64_t count,
                                      clade_array statuses)
{
    return run(map, &(struct call) { UPDATE, what, keys, operands, statuses, count });
}

clade_status clade_mpi_hashmap_erase(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                     uint64_t count, clade_array statuses)
{
    return run(map, &(struct call) { ERASE, 0, keys, values, statuses, count });
}

clade_status clade_mpi_hashmap_find(clade_mpi_hashmap *map, clade_array keys, clade_array values,
                                    uint64_t count, clade_array statuses)
{
    return run(map, &(struct call) { FIND, 0, keys, values, statuses, count });
}

clade_status clade_mpi_hashmap_size(clade_mpi_hashmap *map, uint64_t *size)
{
    clade_status status = CLADE_OK, own;
    uint64_t all = 0;
    CLADEM_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    own = clade_hashmap_size(map->map, &all);
    if (own == CLADE_OK && !size)
        own = cladei_mpi_fail(CLADE_E_ARG, "the place for the size is NULL");
    CLADEM_TRY(cladei_mpi_agree(map->mpi, own, NULL));
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, map->mpi->comm));
    *size = all;
fail:
    return status;
}
