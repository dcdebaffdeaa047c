/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of operations: to the ranks that own the keys, and the answers back. */
#include <stdlib.h>
#include <string.h>

#include "mpi/batch.h"
#include "mpi/image.h"

clade_status cladei_mpi_batch_make(struct cladei_mpi_batch *batch, clade_mpi *mpi,
                                   clade_context *context, uint32_t key, uint32_t value)
{
    batch->context = context;
    batch->key = key;
    batch->value = value;
    return cladei_mpi_exchange_make(&batch->exchange, mpi);
}

void cladei_mpi_batch_free(struct cladei_mpi_batch *batch)
{
    struct cladei_mpi_stage *stages[] = { &batch->given,       &batch->keys_out,
                                          &batch->values_out,  &batch->statuses_out,
                                          &batch->keys_in,     &batch->values_in,
                                          &batch->statuses_in, &batch->found_in,
                                          &batch->found_out };
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        cladei_mpi_stage_free(stages[i], batch->context);
    free(batch->place);
    cladei_mpi_exchange_free(&batch->exchange);
}

/* --- there ------------------------------------------------------------------------------------ */

static clade_status reserve_out(struct cladei_mpi_batch *batch)
{
    clade_status status = CLADE_OK;
    const uint64_t count = batch->count, key = CLADE_TYPE_BYTES(batch->key),
                   value = CLADE_TYPE_BYTES(batch->value);
    if (count > batch->place_room) {
        uint64_t *grown = realloc(batch->place, (size_t)count * sizeof *grown);
        CLADEM_NO_MEMORY(grown);
        batch->place = grown;
        batch->place_room = count;
    }
    CLADEM_TRY(cladei_mpi_stage_reserve(&batch->given, batch->context, count * 8));
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

/* An array where it lies, or in the stage. */
static clade_status bring(struct cladei_mpi_batch *batch, clade_array array, uint64_t bytes,
                          const char **data)
{
    clade_status status = CLADE_OK;
    *data = array.host;
    if (!array.host) {
        *data = batch->given.host;
        CLADEM_TRY(
            cladei_mpi_array_read(batch->context, array, batch->given.host, batch->count * bytes));
    }
fail:
    return status;
}

static inline void copy_element(char *to, const char *from, uint64_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, 8);
}

/* Sort by owner; operations of one owner keep their order. */
static clade_status sort_keys(struct cladei_mpi_batch *batch,
                              const struct cladei_mpi_owners *owners, clade_array keys)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = CLADE_TYPE_BYTES(batch->key);
    struct cladei_mpi_exchange *exchange = &batch->exchange;
    const char *from = NULL;
    CLADEM_TRY(bring(batch, keys, bytes, &from));
    for (uint64_t i = 0; i < batch->count; i++) {
        const uint64_t image = cladei_mpi_image(from, i, batch->key, CLADE_MIN);
        batch->place[i] = (uint64_t)owners->rank_of(owners->data, image);
        exchange->send[batch->place[i]]++;
    }
    uint64_t at = 0;
    for (int r = 0; r < exchange->mpi->ranks; r++) {
        exchange->send_at[r] = at;
        at += exchange->send[r];
    }
    for (uint64_t i = 0; i < batch->count; i++) {
        batch->place[i] = exchange->send_at[batch->place[i]]++;
        copy_element((char *)batch->keys_out.host + batch->place[i] * bytes, from + i * bytes,
                     bytes);
    }
fail:
    return status;
}

static clade_status sort_values(struct cladei_mpi_batch *batch, clade_array values)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = CLADE_TYPE_BYTES(batch->value);
    const char *from = NULL;
    if (!cladei_mpi_is_given(values)) {
        memset(batch->values_out.host, 0, (size_t)(batch->count * bytes));
        return CLADE_OK;
    }
    CLADEM_TRY(bring(batch, values, bytes, &from));
    for (uint64_t i = 0; i < batch->count; i++)
        copy_element((char *)batch->values_out.host + batch->place[i] * bytes, from + i * bytes,
                     bytes);
fail:
    return status;
}

static clade_status sort_all(struct cladei_mpi_batch *batch, clade_status own,
                             const struct cladei_mpi_owners *owners, clade_array keys,
                             clade_array values, bool has_values)
{
    clade_status status = own;
    CLADEM_TRY(status);
    if (batch->count == 0)
        return CLADE_OK;
    CLADEM_TRY(reserve_out(batch));
    CLADEM_TRY(sort_keys(batch, owners, keys));
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

/* From the order in which they were sent to the caller's. With `found`, only where that is
 * CLADE_OK: the rest of the array stays as it was. */
static clade_status hand_out(struct cladei_mpi_batch *batch, const char *from, clade_array array,
                             uint64_t bytes, const int32_t *found)
{
    clade_status status = CLADE_OK;
    char *to = array.host ? array.host : batch->given.host;
    if (array.mem && found)
        CLADEM_TRY(cladei_mpi_array_read(batch->context, array, to, batch->count * bytes));
    for (uint64_t i = 0; i < batch->count; i++)
        if (!found || found[batch->place[i]] == CLADE_OK)
            copy_element(to + i * bytes, from + batch->place[i] * bytes, bytes);
    if (array.mem)
        CLADEM_TRY(cladei_mpi_array_write(batch->context, array, to, batch->count * bytes));
fail:
    return status;
}

static clade_status first_refusal(const struct cladei_mpi_batch *batch)
{
    clade_status status = CLADE_OK;
    const int32_t *statuses = batch->statuses_out.host;
    for (uint64_t i = 0; i < batch->count; i++) {
        const int32_t one = statuses[batch->place[i]];
        CLADEM_REQUIRE(one != CLADE_E_FULL, CLADE_E_FULL,
                       "there is no room for key %llu where it belongs", (unsigned long long)i);
        CLADEM_REQUIRE(one != CLADE_E_BUSY, CLADE_E_BUSY, "tries gave up at key %llu",
                       (unsigned long long)i);
    }
fail:
    return status;
}

static clade_status hand_out_all(struct cladei_mpi_batch *batch, clade_array found,
                                 clade_array values, bool has_values, clade_array statuses)
{
    clade_status status = CLADE_OK;
    if (batch->count == 0)
        return CLADE_OK;
    if (batch->has_found)
        CLADEM_TRY(hand_out(batch, batch->found_out.host, found, CLADE_TYPE_BYTES(batch->key),
                            batch->statuses_out.host));
    if (has_values && cladei_mpi_is_given(values))
        CLADEM_TRY(hand_out(batch, batch->values_out.host, values, CLADE_TYPE_BYTES(batch->value),
                            batch->statuses_out.host));
    if (cladei_mpi_is_given(statuses))
        CLADEM_TRY(hand_out(batch, batch->statuses_out.host, statuses, 4, NULL));
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
