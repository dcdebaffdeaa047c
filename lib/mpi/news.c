/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks tell each other about nodes: from buffers of the device through the host to the
 * buffers of the other device. */
#include <inttypes.h>

#include "mpi/paths.h"

void cladei_mpi_news_free(struct cladei_mpi_news *news, clade_context *context)
{
    cladei_mpi_stage_free(&news->nodes, context);
    cladei_mpi_stage_free(&news->offers, context);
    cladei_mpi_stage_free(&news->lengths, context);
    cl_mem mems[] = { news->nodes_mem, news->offers_mem, news->lengths_mem };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    *news = (struct cladei_mpi_news) { 0 };
}

clade_status cladei_mpi_news_reserve(struct cladei_mpi_news *news, clade_context *context,
                                     uint64_t count, size_t length_bytes)
{
    clade_status status = CLADE_OK;
    const uint64_t room = count + count / 4 + 16;
    const uint64_t bytes[] = { 4, 4, length_bytes };
    cl_mem *mems[] = { &news->nodes_mem, &news->offers_mem, &news->lengths_mem };
    struct cladei_mpi_stage *stages[] = { &news->nodes, &news->offers, &news->lengths };
    /* A node may be a ghost of every other rank, and kernels count what comes in 32 bits. There may
     * be room for more, for it is made larger than asked for. */
    CLADEM_REQUIRE(count <= UINT32_MAX, CLADE_E_NOMEM,
                   "%" PRIu64 " nodes are told of at once; the most is %u", count, UINT32_MAX);
    if (count <= news->room && news->room > 0)
        return CLADE_OK;
    cladei_mpi_news_free(news, context);
    for (int i = 0; i < 3; i++) {
        cl_int code;
        CLADEM_TRY(cladei_mpi_stage_reserve(stages[i], context, room * bytes[i]));
        *mems[i] = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE,
                                  (size_t)(room * bytes[i]), NULL, &code);
        CLADEM_CL(code);
    }
    news->room = room;
    return CLADE_OK;

fail:
    cladei_mpi_news_free(news, context);
    return status;
}

/* --- counts ----------------------------------------------------------------------------------- */

clade_status cladei_mpi_paths_count_anew(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const uint32_t none = 0;
    for (int r = 0; r < paths->graph->mpi->ranks; r++)
        paths->own_counts[r] = 0;
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(paths->counts, 0), paths->own_counts,
                                      4 * (uint64_t)paths->graph->mpi->ranks));
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(paths->least, 0), &none, sizeof none));
fail:
    return status;
}

clade_status cladei_mpi_paths_counted(clade_mpi_paths *paths, uint32_t *count)
{
    return cladei_mpi_array_read(paths->graph->context, clade_device(paths->least, 0), count,
                                 sizeof *count);
}

/* --- sending ---------------------------------------------------------------------------------- */

/* From the device: each rank's part of the news, one after the other. */
static clade_status fetch(clade_mpi_paths *paths, cl_mem from, void *to, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_command_queue queue = clade_context_cl_queue(paths->graph->context);
    uint64_t at = 0;
    for (int r = 0; r < paths->graph->mpi->ranks; r++) {
        const uint64_t count = paths->own_counts[r];
        if (count > 0)
            CLADEM_CL(clEnqueueReadBuffer(
                queue, from, CL_FALSE, (size_t)(paths->graph->ghost_first[r] * bytes),
                (size_t)(count * bytes), (char *)to + at * bytes, 0, NULL, NULL));
        at += count;
    }
fail:
    return status;
}

static clade_status fetch_all(clade_mpi_paths *paths, bool has_offers)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    struct cladei_mpi_news *out = &paths->out;
    CLADEM_TRY(cladei_mpi_array_read(context, clade_device(paths->counts, 0), paths->own_counts,
                                     4 * (uint64_t)paths->graph->mpi->ranks));
    CLADEM_TRY(fetch(paths, out->nodes_mem, out->nodes.host, 4));
    CLADEM_TRY(fetch(paths, out->lengths_mem, out->lengths.host, paths->length_bytes));
    if (has_offers)
        CLADEM_TRY(fetch(paths, out->offers_mem, out->offers.host, 4));
    CLADEM_TRY(clade_finish(context));
fail:
    return status;
}

static clade_status put_all(clade_mpi_paths *paths, bool has_offers)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const struct cladei_mpi_news *in = &paths->in;
    const uint64_t count = paths->exchange.receives;
    CLADEM_TRY(
        cladei_mpi_array_write(context, clade_device(in->nodes_mem, 0), in->nodes.host, 4 * count));
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(in->lengths_mem, 0), in->lengths.host,
                                      paths->length_bytes * count));
    if (has_offers)
        CLADEM_TRY(cladei_mpi_array_write(context, clade_device(in->offers_mem, 0), in->offers.host,
                                          4 * count));
fail:
    return status;
}

clade_status cladei_mpi_paths_send(clade_mpi_paths *paths, clade_status *own, bool has_offers,
                                   const struct cladei_mpi_alike *alike)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_exchange *exchange = &paths->exchange;
    struct cladei_mpi_news *out = &paths->out, *in = &paths->in;
    if (*own == CLADE_OK)
        *own = fetch_all(paths, has_offers);
    for (int r = 0; r < paths->graph->mpi->ranks; r++)
        exchange->send[r] = paths->own_counts[r];
    CLADEM_TRY(cladei_mpi_exchange_plan(exchange, *own));
    if (*own == CLADE_OK)
        *own = cladei_mpi_news_reserve(in, paths->graph->context, exchange->receives,
                                       paths->length_bytes);
    CLADEM_TRY(cladei_mpi_exchange_agree(exchange, *own, alike));
    CLADEM_TRY(cladei_mpi_exchange_move(exchange, out->nodes.host, in->nodes.host, 4));
    CLADEM_TRY(cladei_mpi_exchange_move(exchange, out->lengths.host, in->lengths.host,
                                        paths->length_bytes));
    if (has_offers)
        CLADEM_TRY(cladei_mpi_exchange_move(exchange, out->offers.host, in->offers.host, 4));
    paths->stats.sent += exchange->sends;
    *own = put_all(paths, has_offers);
fail:
    return status;
}
