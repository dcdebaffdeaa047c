/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of maps over ranks. */
#include "mpi/map.h"
#include "clade/shared/types.h"

static clade_status check(const struct cladei_mpi_map *map, const struct cladei_mpi_call *call)
{
    clade_status status = CLADE_OK;
    const uint32_t key = map->batch.key, value = map->batch.value;
    clade_context *context = map->batch.context;
    const bool has_values = cladei_mpi_is_given(call->values);
    CLADEM_REQUIRE(value != CLADE_NONE || (!has_values && !call->needs_values), CLADE_E_ARG,
                   "the map has no values");
    CLADEM_REQUIRE(!call->needs_values || has_values || call->count == 0, CLADE_E_ARG,
                   "there is no array operands");
    CLADEM_TRY(
        cladei_mpi_array_check(context, call->keys, call->count, CLADE_TYPE_BYTES(key), "keys"));
    if (call->gives_keys)
        CLADEM_TRY(cladei_mpi_array_check(context, call->found, call->count, CLADE_TYPE_BYTES(key),
                                          "found"));
    if (has_values)
        CLADEM_TRY(cladei_mpi_array_check(context, call->values, call->count,
                                          CLADE_TYPE_BYTES(value), "values"));
    if (cladei_mpi_is_given(call->statuses))
        CLADEM_TRY(cladei_mpi_array_check(context, call->statuses, call->count, 4, "statuses"));
fail:
    return status;
}

static clade_array arrived(cl_mem mem)
{
    return mem ? clade_device(mem, 0) : clade_no_array();
}

/* What came to this rank. */
static clade_status operate(struct cladei_mpi_map *map, void *self,
                            const struct cladei_mpi_call *call)
{
    clade_status status = CLADE_OK;
    const struct cladei_mpi_batch *batch = &map->batch;
    struct cladei_mpi_call here = *call;
    here.count = batch->receives;
    here.keys = arrived(batch->keys_in);
    here.found = call->gives_keys ? arrived(batch->found_in) : clade_no_array();
    here.values = batch->value == CLADE_NONE ? clade_no_array() : arrived(batch->values_in);
    here.statuses = arrived(batch->statuses_in);
    if (here.count == 0)
        return CLADE_OK;
    CLADEM_TRY(map->operate(self, &here));
    CLADEM_TRY(clade_finish(batch->context));
fail:
    return status;
}

/* One rank: nothing is to be sent. What a call with device arrays would leave to the next one is
 * told here. */
static clade_status run_plain(struct cladei_mpi_map *map, void *self, clade_status own,
                              const struct cladei_mpi_call *call)
{
    clade_status status = CLADE_OK;
    uint64_t size;
    CLADEM_TRY(own);
    CLADEM_TRY(check(map, call));
    CLADEM_TRY(map->operate(self, call));
    if (cladei_mpi_is_given(call->statuses))
        CLADEM_TRY(clade_finish(map->batch.context));
    else
        CLADEM_TRY(map->size(self, &size));
fail:
    return status;
}

clade_status cladei_mpi_map_run(struct cladei_mpi_map *map, void *self, clade_status own,
                                const struct cladei_mpi_call *call)
{
    clade_status status = CLADE_OK;
    const struct cladei_mpi_alike alike = {
        .words = { call->operation, call->what },
        .names = { "the call", "what" },
    };
    const bool has_values = map->batch.value != CLADE_NONE;
    const struct cladei_mpi_job job = {
        .keys = call->keys,
        .values = call->values,
        .found = call->found,
        .statuses = call->statuses,
        .count = call->count,
        .sends_values = has_values && !call->gives_values,
        .shows_values = has_values && call->gives_values,
        .shows_found = call->gives_keys,
    };
    if (map->mpi->ranks == 1)
        return run_plain(map, self, own, call);
    if (own == CLADE_OK)
        own = check(map, call);
    CLADEM_TRY(cladei_mpi_batch_send(&map->batch, own, &map->owners, &job, &alike));
    CLADEM_TRY(cladei_mpi_batch_answer(&map->batch, operate(map, self, call), &job));
fail:
    return status;
}

clade_status cladei_mpi_map_size(struct cladei_mpi_map *map, void *self, uint64_t *size)
{
    clade_status status = CLADE_OK, own;
    uint64_t all = 0;
    own = map->size(self, &all);
    if (own == CLADE_OK && !size)
        own = cladei_mpi_fail(CLADE_E_ARG, "the place for the size is NULL");
    CLADEM_TRY(cladei_mpi_agree(map->mpi, own, NULL));
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, map->mpi->comm));
    *size = all;
fail:
    return status;
}
