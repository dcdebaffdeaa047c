/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted keys of all ranks, in one order at one rank. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/gather.h"
#include "mpi/image.h"
#include "mpi/merge.h"

/* What a rank sends, and what the root receives and puts in order: keys, values. */
struct work {
    char *out[2], *in[2], *sorted[2];
    struct cladei_mpi_entry *entries, *spare;
    uint64_t *counts;
};

static void free_work(struct work *work)
{
    for (int i = 0; i < 2; i++) {
        free(work->out[i]);
        free(work->in[i]);
        free(work->sorted[i]);
    }
    free(work->entries);
    free(work->spare);
    free(work->counts);
}

static clade_status allocate(struct work *work, const struct cladei_mpi_gathering *g)
{
    clade_status status = CLADE_OK;
    const uint64_t in = g->exchange->receives, out = g->exchange->sends;
    const size_t ranks = (size_t)g->exchange->mpi->ranks;
    CLADEM_REQUIRE(in <= g->room, CLADE_E_FULL,
                   "%" PRIu64 " keys come, and there is room for %" PRIu64, in, g->room);
    for (int i = 0; i < 2; i++) {
        const uint64_t bytes = CLADE_TYPE_BYTES(g->types[i]);
        work->out[i] = malloc((size_t)(out * bytes + 1));
        work->in[i] = malloc((size_t)(in * bytes + 1));
        work->sorted[i] = malloc((size_t)(in * bytes + 1));
        CLADEM_REQUIRE(work->out[i] && work->in[i] && work->sorted[i], CLADE_E_NOMEM,
                       "host memory is out");
    }
    work->entries = malloc((size_t)(in + 1) * sizeof *work->entries);
    work->spare = malloc((size_t)(in + 1) * sizeof *work->spare);
    work->counts = malloc(ranks * sizeof *work->counts);
    CLADEM_REQUIRE(work->entries && work->spare && work->counts, CLADE_E_NOMEM,
                   "host memory is out");
    memcpy(work->counts, g->exchange->receive, ranks * sizeof *work->counts);
fail:
    return status;
}

static clade_status prepare(struct work *work, const struct cladei_mpi_gathering *g,
                            const clade_array *from)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(allocate(work, g));
    for (int i = 0; i < 2; i++)
        CLADEM_TRY(cladei_mpi_array_read(g->context, from[i], work->out[i],
                                         g->exchange->sends * CLADE_TYPE_BYTES(g->types[i])));
fail:
    return status;
}

static clade_status put_in_order(struct work *work, const struct cladei_mpi_gathering *g,
                                 const clade_array *to)
{
    clade_status status = CLADE_OK;
    const uint64_t count = g->exchange->receives;
    for (uint64_t i = 0; i < count; i++)
        work->entries[i] =
            (struct cladei_mpi_entry) { cladei_mpi_image(work->in[0], i, g->types[0], g->order),
                                        i };
    const struct cladei_mpi_entry *entries =
        cladei_mpi_merge(work->entries, work->spare, work->counts, g->exchange->mpi->ranks);
    for (int part = 0; part < 2; part++) {
        const size_t bytes = CLADE_TYPE_BYTES(g->types[part]);
        for (uint64_t i = 0; i < count && bytes; i++)
            memcpy(work->sorted[part] + i * bytes, work->in[part] + entries[i].index * bytes,
                   bytes);
        CLADEM_TRY(cladei_mpi_array_write(g->context, to[part], work->sorted[part], count * bytes));
    }
fail:
    return status;
}

clade_status cladei_mpi_gather(const struct cladei_mpi_gathering *g, clade_array from_keys,
                               clade_array from_values, uint64_t count, clade_array keys,
                               clade_array values)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_exchange *exchange = g->exchange;
    struct work work = { 0 };
    const clade_array from[2] = { from_keys, from_values }, to[2] = { keys, values };
    memset(exchange->send, 0, (size_t)exchange->mpi->ranks * sizeof *exchange->send);
    exchange->send[g->root] = count;
    CLADEM_TRY(cladei_mpi_exchange_plan(exchange, CLADE_OK));
    CLADEM_TRY(cladei_mpi_exchange_agree(exchange, prepare(&work, g, from), NULL));
    for (int i = 0; i < 2; i++)
        if (g->types[i] != CLADE_NONE)
            CLADEM_TRY(cladei_mpi_exchange_move(exchange, work.out[i], work.in[i],
                                                CLADE_TYPE_BYTES(g->types[i])));
    CLADEM_TRY(cladei_mpi_agree(exchange->mpi, put_in_order(&work, g, to), NULL));
fail:
    free_work(&work);
    return status;
}
