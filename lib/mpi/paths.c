/* SPDX-License-Identifier: Apache-2.0 */
/* Path finders over ranks: their life, their sources, and what is read of a search's result. */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/paths.h"

static const char *const names[PATHS_KERNELS] = {
    [PATHS_LOWER] = "clade_mpi_paths_lower",
    [PATHS_BOUND] = "clade_mpi_paths_bound",
    [PATHS_UNSENT] = "clade_mpi_paths_unsent",
    [PATHS_LOOK] = "clade_mpi_paths_look",
    [PATHS_TREE_BEGIN] = "clade_mpi_paths_tree_begin",
    [PATHS_TREE_ROOTS] = "clade_mpi_paths_tree_roots",
    [PATHS_TREE_OFFER] = "clade_mpi_paths_tree_offer",
    [PATHS_TREE_LOOK] = "clade_mpi_paths_tree_look",
    [PATHS_TREE_TAKE] = "clade_mpi_paths_tree_take",
    [PATHS_TREE_CLOSE] = "clade_mpi_paths_tree_close",
    [PATHS_LACK] = "clade_mpi_paths_lack",
    [PATHS_LACK_TAKE] = "clade_mpi_paths_lack_take",
};

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make_buffers(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    clade_context *context = graph->context;
    const uint64_t own = graph->own, ghosts = graph->ghosts;
    const uint32_t bound = graph->own + graph->ghosts;
    CLADEM_TRY(cladei_mpi_array_make(&paths->sent, context, paths->length_bytes * ghosts));
    CLADEM_TRY(cladei_mpi_array_make(&paths->predecessors, context, 4 * (own + ghosts)));
    CLADEM_TRY(cladei_mpi_array_make(&paths->levels, context, 4 * own));
    CLADEM_TRY(cladei_mpi_array_make(&paths->counts, context, 4 * (uint64_t)graph->mpi->ranks));
    CLADEM_TRY(cladei_mpi_array_make(&paths->least, context, 8));
    CLADEM_TRY(cladei_mpi_array_make(&paths->bound, context, 4));
    CLADEM_TRY(
        cladei_mpi_array_write(context, clade_device(paths->bound, 0), &bound, sizeof bound));
    CLADEM_TRY(cladei_mpi_news_reserve(&paths->out, context, ghosts, paths->length_bytes));
    CLADEM_TRY(cladei_mpi_news_reserve(&paths->in, context, 0, paths->length_bytes));
fail:
    return status;
}

static clade_status make(clade_mpi_paths **made, clade_mpi_paths **out, clade_mpi_graph *graph,
                         const clade_paths_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out, CLADE_E_ARG, "the place for the path finder is NULL");
    CLADEM_REQUIRE(params->slots == 0, CLADE_E_ARG, "slots is 0 over ranks: one search at a time");
    clade_mpi_paths *paths = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(paths);
    paths->graph = graph;
    graph->borrowers++;
    paths->type = params->wide ? CLADE_PATHS_U64 : graph->type;
    paths->length_bytes = params->wide ? 8 : 4;
    paths->own_counts = calloc((size_t)graph->mpi->ranks, sizeof *paths->own_counts);
    CLADEM_NO_MEMORY(paths->own_counts);
    CLADEM_TRY(cladei_mpi_exchange_make(&paths->exchange, graph->mpi));
    CLADEM_TRY(clade_paths_create(&paths->part, graph->part, params));
    CLADEM_TRY(cladei_mpi_kernels_build(paths->kernels, names, PATHS_KERNELS, graph->context,
                                        "kernels/mpi_paths.cl", clade_paths_options(paths->part)));
    CLADEM_TRY(make_buffers(paths));
fail:
    return status;
}

clade_status clade_mpi_paths_create(clade_mpi_paths **out, clade_mpi_graph *graph,
                                    const clade_paths_params *params)
{
    clade_status status = CLADE_OK;
    const clade_paths_params defaults = { 0 };
    clade_mpi_paths *paths = NULL;
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(graph, CLADE_E_ARG, "the graph is NULL");
    if (!params)
        params = &defaults;
    const struct cladei_mpi_alike alike = { .words = { params->wide }, .names = { "wide" } };
    CLADEM_TRY(cladei_mpi_agree(graph->mpi, make(&paths, out, graph, params), &alike));
    *out = paths;
    return CLADE_OK;

fail:
    clade_mpi_paths_destroy(&paths);
    return status;
}

void clade_mpi_paths_destroy(clade_mpi_paths **paths)
{
    if (!paths || !*paths)
        return;
    clade_mpi_paths *it = *paths;
    cl_mem mems[] = { it->sent, it->predecessors, it->levels, it->counts, it->least, it->bound };
    cladei_mpi_news_free(&it->out, it->graph->context);
    cladei_mpi_news_free(&it->in, it->graph->context);
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    cladei_mpi_kernels_free(it->kernels, PATHS_KERNELS);
    clade_paths_destroy(&it->part);
    cladei_mpi_exchange_free(&it->exchange);
    free(it->own_counts);
    free(it->sources);
    cladei_mpi_graph_let_go(it->graph);
    free(it);
    *paths = NULL;
}

/* --- sources ---------------------------------------------------------------------------------- */

static clade_status check(clade_context *context, const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(query, CLADE_E_ARG, "the query is NULL");
    CLADEM_TRY(CLADEM_RESERVED_CHECK(query, "clade_paths_query"));
    CLADEM_REQUIRE(query->source_count <= CLADE_MPI_NODES_MAX, CLADE_E_ARG,
                   "source_count is %" PRIu64 "; the most is %u", query->source_count,
                   CLADE_MPI_NODES_MAX);
    CLADEM_TRY(cladei_mpi_array_check(context, query->sources, query->source_count, 4, "sources"));
    CLADEM_REQUIRE(!cladei_mpi_is_given(query->targets) && query->target_count == 0 &&
                       !cladei_mpi_is_given(query->bounds) && query->part == 0,
                   CLADE_E_ARG, "targets, bounds and parts are not for searches over ranks");
fail:
    return status;
}

/* The sources that this rank names, in the order of their ranks. */
static clade_status sort_sources(clade_mpi_paths *paths, const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    const uint64_t all = graph->first[graph->mpi->ranks];
    uint64_t *at = paths->exchange.send_at, count;
    uint32_t *named = NULL, *sorted;
    CLADEM_TRY(check(graph->context, query));
    count = query->source_count;
    CLADEM_TRY(cladei_mpi_news_reserve(&paths->out, graph->context,
                                       count > graph->ghosts ? count : graph->ghosts,
                                       paths->length_bytes));
    named = malloc((size_t)count * sizeof *named + 4);
    CLADEM_NO_MEMORY(named);
    CLADEM_TRY(cladei_mpi_array_read(graph->context, query->sources, named, 4 * count));
    for (uint64_t i = 0; i < count; i++) {
        CLADEM_REQUIRE(named[i] < all, CLADE_E_ARG, "source %u is no node; all ranks have %" PRIu64,
                       named[i], all);
        paths->exchange.send[cladei_mpi_graph_owner(graph, named[i])]++;
    }
    for (int r = 0; r < graph->mpi->ranks; r++)
        at[r] = r ? at[r - 1] + paths->exchange.send[r - 1] : 0;
    sorted = paths->out.nodes.host;
    for (uint64_t i = 0; i < count; i++) {
        const int rank = cladei_mpi_graph_owner(graph, named[i]);
        sorted[at[rank]++] = named[i] - (uint32_t)graph->first[rank];
    }
fail:
    free(named);
    return status;
}

static clade_status reserve_sources(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    const uint64_t count = paths->exchange.receives;
    free(paths->sources);
    paths->source_count = 0;
    paths->sources = malloc((size_t)count * sizeof *paths->sources + 4);
    CLADEM_NO_MEMORY(paths->sources);
    paths->source_count = count;
fail:
    return status;
}

/* Each source goes to its rank. */
static clade_status deal_sources(clade_mpi_paths *paths, const clade_paths_query *query)
{
    clade_status status = CLADE_OK, own;
    struct cladei_mpi_exchange *exchange = &paths->exchange;
    uint32_t bits = 0;
    if (query)
        memcpy(&bits, &query->cutoff_float, sizeof bits);
    const struct cladei_mpi_alike alike = { .words = { query ? query->cutoff : 0, bits },
                                            .names = { "cutoff", "cutoff_float" } };
    memset(exchange->send, 0, (size_t)paths->graph->mpi->ranks * sizeof *exchange->send);
    own = sort_sources(paths, query);
    CLADEM_TRY(cladei_mpi_exchange_plan(exchange, own));
    if (own == CLADE_OK)
        own = reserve_sources(paths);
    CLADEM_TRY(cladei_mpi_exchange_agree(exchange, own, &alike));
    CLADEM_TRY(cladei_mpi_exchange_move(exchange, paths->out.nodes.host, paths->sources, 4));
fail:
    return status;
}

/* Whether longer paths are left out. What is more than a length can be is no cutoff. */
static bool has_cutoff(const clade_mpi_paths *paths, const clade_paths_query *query)
{
    const uint64_t none = paths->type == CLADE_PATHS_U64 ? UINT64_MAX : UINT32_MAX;
    return (query->cutoff > 0 && query->cutoff < none) ||
           (query->cutoff_float > 0 && query->cutoff_float <= FLT_MAX);
}

clade_status clade_mpi_paths_run(clade_mpi_paths *paths, const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(paths, CLADE_E_ARG, "the path finder is NULL");
    paths->has_result = paths->has_tree = false;
    paths->stats = (clade_mpi_paths_stats) { 0 };
    CLADEM_TRY(deal_sources(paths, query));
    CLADEM_TRY(cladei_mpi_paths_search(paths, query));
    paths->has_result = true;
    if (!has_cutoff(paths, query))
        CLADEM_TRY(cladei_mpi_paths_lack(paths));
fail:
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static clade_status check_arrays(const clade_mpi_paths *paths, clade_array lengths,
                                 clade_array predecessors)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const uint64_t own = paths->graph->own;
    CLADEM_REQUIRE(paths->has_result, CLADE_E_ARG, "there is no result of a search to read");
    if (cladei_mpi_is_given(lengths))
        CLADEM_TRY(cladei_mpi_array_check(context, lengths, own, paths->length_bytes, "lengths"));
    if (cladei_mpi_is_given(predecessors))
        CLADEM_TRY(cladei_mpi_array_check(context, predecessors, own, 4, "predecessors"));
fail:
    return status;
}

/* The part's lengths begin with those of the rank's own nodes. */
static clade_status show(const clade_mpi_paths *paths, clade_array lengths,
                         clade_array predecessors)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const uint64_t own = paths->graph->own;
    const uint64_t at = sizeof(clade_paths_head) + sizeof(clade_paths_slot);
    if (cladei_mpi_is_given(lengths))
        CLADEM_TRY(cladei_mpi_array_fill(context, lengths, clade_paths_mem(paths->part), at,
                                         own * paths->length_bytes));
    if (cladei_mpi_is_given(predecessors))
        CLADEM_TRY(cladei_mpi_array_fill(context, predecessors, paths->predecessors, 0, own * 4));
fail:
    return status;
}

clade_status clade_mpi_paths_read(clade_mpi_paths *paths, clade_array lengths,
                                  clade_array predecessors)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(paths, CLADE_E_ARG, "the path finder is NULL");
    uint64_t wants_tree = cladei_mpi_is_given(predecessors);
    const struct cladei_mpi_alike alike = { .numbers = { &wants_tree } };
    clade_mpi *mpi = paths->graph->mpi;
    CLADEM_TRY(cladei_mpi_agree(mpi, check_arrays(paths, lengths, predecessors), &alike));
    if (wants_tree && !paths->has_tree)
        CLADEM_TRY(cladei_mpi_paths_tree(paths));
    CLADEM_TRY(cladei_mpi_agree(mpi, show(paths, lengths, predecessors), NULL));
fail:
    return status;
}

clade_status clade_mpi_paths_stats_read(const clade_mpi_paths *paths, clade_mpi_paths_stats *stats)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(paths && stats, CLADE_E_ARG, "an argument is NULL");
    *stats = paths->stats;
fail:
    return status;
}
