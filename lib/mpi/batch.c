/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of operations: to the ranks that own the keys, and the answers back. */
#include <inttypes.h>
#include <string.h>

#include "clade/shared/types.h"
#include "mpi/batch.h"

clade_status cladei_mpi_batch_make(struct cladei_mpi_batch *batch, clade_mpi *mpi,
                                   clade_context *context, uint32_t key, uint32_t value)
{
    batch->context = context;
    batch->key = key;
    batch->value = value;
    const clade_status status =
        cladei_mpi_sorter_make(&batch->sorter, context, (uint32_t)mpi->ranks);
    return status == CLADE_OK ? cladei_mpi_exchange_make(&batch->exchange, mpi) : status;
}

void cladei_mpi_batch_free(struct cladei_mpi_batch *batch)
{
    struct cladei_mpi_stage *stages[] = { &batch->keys_out,     &batch->values_out,
                                          &batch->statuses_out, &batch->keys_in,
                                          &batch->values_in,    &batch->statuses_in,
                                          &batch->found_in,     &batch->found_out };
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        cladei_mpi_stage_free(stages[i], batch->context);
    cladei_mpi_sorter_free(&batch->sorter);
    cladei_mpi_exchange_free(&batch->exchange);
}

/* --- there ------------------------------------------------------------------------------------ */

clade_status cladei_mpi_batch_check(uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(count <= UINT32_MAX, CLADE_E_ARG,
                   "count is %" PRIu64 "; over ranks the most is %u", count, UINT32_MAX);
fail:
    return status;
}

static clade_status reserve_out(struct cladei_mpi_batch *batch)
{
    clade_status status = CLADE_OK;
    const uint64_t count = batch->count, key = CLADE_TYPE_BYTES(batch->key),
                   value = CLADE_TYPE_BYTES(batch->value);
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->keys_out, batch->context, count * key));
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->values_out, batch->context, count * value));
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->statuses_out, batch->context, count * 4));
    if (batch->has_found)
        CLADEM_TRY(cladei_mpi_stage_reserve(&batch->found_out, batch->context, count * key));
fail:
    return status;
}

static clade_status reserve_in(struct cladei_mpi_batch *batch)
{
    clade_status status = CLADE_OK;
    const uint64_t count = batch->exchange.receives;
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->keys_in, batch->context,
                                        count * CLADE_TYPE_BYTES(batch->key)));
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->values_in, batch->context,
                                        count * CLADE_TYPE_BYTES(batch->value)));
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->statuses_in, batch->context, count * 4));
    if (batch->has_found)
        CLADEM_TRY(cladei_mpi_stage_reserve(&batch->found_in, batch->context,
                                            count * CLADE_TYPE_BYTES(batch->key)));
fail:
    return status;
}

static clade_status sort_values(struct cladei_mpi_batch *batch, clade_array values)
{
    const uint64_t bytes = CLADE_TYPE_BYTES(batch->value);
    if (cladei_mpi_is_given(values))
        return cladei_mpi_sort_values(&batch->sorter, values, bytes, batch->count,
                                      batch->values_out.host);
    memset(batch->values_out.host, 0, (size_t)(batch->count * bytes));
    return CLADE_OK;
}

static clade_status sort_all(struct cladei_mpi_batch *batch, clade_status own,
                             const struct cladei_mpi_owners *owners, clade_array keys,
                             clade_array values, bool has_values)
{
    clade_status status = own;
    CLADEM_TRY(status);
    if (batch->count == 0)
        return CLADE_OK;
    CLADEM_TRY(cladei_mpi_batch_check(batch->count));
    CLADEM_TRY(reserve_out(batch));
    CLADEM_TRY(cladei_mpi_sort_keys(&batch->sorter, owners, keys, batch->key, batch->count,
                                    batch->keys_out.host, batch->exchange.send));
    if (has_values)
        CLADEM_TRY(sort_values(batch, values));
fail:
    return status;
}

clade_status cladei_mpi_batch_send(struct cladei_mpi_batch *batch, clade_status own,
                                   const struct cladei_mpi_owners *owners, clade_array keys,
                                   clade_array values, bool has_values, uint64_t count,
                                   const struct cladei_mpi_alike *alike)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_exchange *exchange = &batch->exchange;
    batch->count = count;
    memset(exchange->send, 0, (size_t)exchange->mpi->ranks * sizeof *exchange->send);
    own = sort_all(batch, own, owners, keys, values, has_values);
    CLADEM_TRY(cladei_mpi_exchange_plan(exchange, own));
    if (own == CLADE_OK)
        own = reserve_in(batch);
    CLADEM_TRY(cladei_mpi_exchange_agree(exchange, own, alike));
    CLADEM_TRY(cladei_mpi_exchange_move(exchange, batch->keys_out.host, batch->keys_in.host,
                                        CLADE_TYPE_BYTES(batch->key)));
    if (has_values)
        CLADEM_TRY(cladei_mpi_exchange_move(exchange, batch->values_out.host, batch->values_in.host,
                                            CLADE_TYPE_BYTES(batch->value)));
fail:
    return status;
}

/* --- and back --------------------------------------------------------------------------------- */

/* The first one in the caller's order, of those that are in the order of owners. Memory that is out
 * would hide what the operations have done: the keys that were sent give theirs. */
static clade_status find_refusal(struct cladei_mpi_batch *batch)
{
    clade_status status = CLADE_OK;
    const int32_t *statuses = batch->statuses_out.host;
    uint32_t *places = batch->keys_out.host;
    CLADEM_TRY(cladei_mpi_sort_places(&batch->sorter, batch->count, places));
    for (uint64_t i = 0; i < batch->count; i++) {
        const int32_t one = statuses[places[i]];
        CLADEM_REQUIRE(one != CLADE_E_FULL, CLADE_E_FULL,
                       "there is no room for key %llu where it belongs", (unsigned long long)i);
        CLADEM_REQUIRE(one != CLADE_E_BUSY, CLADE_E_BUSY, "tries gave up at key %llu",
                       (unsigned long long)i);
    }
fail:
    return status;
}

static clade_status first_refusal(struct cladei_mpi_batch *batch)
{
    const int32_t *statuses = batch->statuses_out.host;
    bool some = false;
    for (uint64_t i = 0; i < batch->count; i++)
        some |= statuses[i] == CLADE_E_FULL || statuses[i] == CLADE_E_BUSY;
    return some ? find_refusal(batch) : CLADE_OK;
}

static clade_status hand_out_all(struct cladei_mpi_batch *batch, clade_array found,
                                 clade_array values, bool has_values, clade_array statuses)
{
    clade_status status = CLADE_OK;
    if (batch->count == 0)
        return CLADE_OK;
    const bool shows_values = has_values && cladei_mpi_is_given(values);
    if (batch->has_found || shows_values)
        CLADEM_TRY(
            cladei_mpi_sort_statuses(&batch->sorter, batch->statuses_out.host, batch->count));
    if (batch->has_found)
        CLADEM_TRY(cladei_mpi_unsort(&batch->sorter, batch->found_out.host, found,
                                     CLADE_TYPE_BYTES(batch->key), batch->count, true));
    if (shows_values)
        CLADEM_TRY(cladei_mpi_unsort(&batch->sorter, batch->values_out.host, values,
                                     CLADE_TYPE_BYTES(batch->value), batch->count, true));
    if (cladei_mpi_is_given(statuses))
        CLADEM_TRY(cladei_mpi_unsort(&batch->sorter, batch->statuses_out.host, statuses, 4,
                                     batch->count, false));
    else
        CLADEM_TRY(first_refusal(batch));
fail:
    return status;
}

clade_status cladei_mpi_batch_answer(struct cladei_mpi_batch *batch, clade_status own,
                                     clade_array found, clade_array values, bool has_values,
                                     clade_array statuses)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_exchange *exchange = &batch->exchange;
    CLADEM_TRY(cladei_mpi_agree(exchange->mpi, own, NULL));
    CLADEM_TRY(
        cladei_mpi_exchange_answer(exchange, batch->statuses_in.host, batch->statuses_out.host, 4));
    if (has_values)
        CLADEM_TRY(cladei_mpi_exchange_answer(exchange, batch->values_in.host,
                                              batch->values_out.host,
                                              CLADE_TYPE_BYTES(batch->value)));
    if (batch->has_found)
        CLADEM_TRY(cladei_mpi_exchange_answer(exchange, batch->found_in.host, batch->found_out.host,
                                              CLADE_TYPE_BYTES(batch->key)));
    CLADEM_TRY(cladei_mpi_agree(exchange->mpi,
                                hand_out_all(batch, found, values, has_values, statuses), NULL));
fail:
    return status;
}
