/* SPDX-License-Identifier: Apache-2.0 */
/* After a search: the tree of predecessors, and whether lengths lack that do not fit. Both ask the
 * owners of ghosts. */
#include <inttypes.h>
#include <stddef.h>

#include "mpi/paths.h"

static clade_status begin(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    const cl_uint own = paths->graph->own, ghosts = paths->graph->ghosts;
    CLADEM_RUN(paths->graph->context, paths->kernels[PATHS_TREE_BEGIN], (uint64_t)own + ghosts,
               CLADEM_ARG(paths->predecessors), CLADEM_ARG(paths->levels), CLADEM_ARG(own),
               CLADEM_ARG(ghosts));
fail:
    return status;
}

/* Items of a kernel that goes through arcs of own nodes: one for each node, or, where the driver
 * leaves long loops, for each arc (cladei_paths_walk_of() in cl/clade/paths/piece.clh). */
static uint64_t walks(const clade_mpi_graph *graph)
{
    return clade_context_caps(graph->context)->loop_limit > 0 ? graph->arcs : graph->own;
}

/* Sources are of level 0. */
static clade_status begin_tree(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const cl_uint count = (cl_uint)paths->source_count;
    CLADEM_TRY(begin(paths));
    CLADEM_TRY(cladei_mpi_news_reserve(&paths->in, context, count, paths->length_bytes));
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(paths->in.nodes_mem, 0), paths->sources,
                                      4 * (uint64_t)count));
    CLADEM_RUN(context, paths->kernels[PATHS_TREE_ROOTS], count, CLADEM_ARG(paths->levels),
               CLADEM_ARG(paths->in.nodes_mem), CLADEM_ARG(count));
fail:
    return status;
}

/* What was left for ghosts, for their owners. */
static clade_status look(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    const cl_mem part = clade_paths_mem(paths->part), its = clade_graph_mem(graph->part);
    const cl_uint own = graph->own, ghosts = graph->ghosts, ranks = (cl_uint)graph->mpi->ranks;
    CLADEM_RUN(graph->context, paths->kernels[PATHS_TREE_LOOK], ghosts, CLADEM_ARG(part),
               CLADEM_ARG(its), CLADEM_ARG(own), CLADEM_ARG(ghosts),
               CLADEM_ARG(graph->ghost_first_mem), CLADEM_ARG(ranks), CLADEM_ARG(graph->there),
               CLADEM_ARG(paths->predecessors), CLADEM_ARG(paths->counts),
               CLADEM_ARG(paths->out.nodes_mem), CLADEM_ARG(paths->out.offers_mem),
               CLADEM_ARG(paths->out.lengths_mem));
fail:
    return status;
}

static clade_status offer(clade_mpi_paths *paths, cl_uint level)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    const cl_mem part = clade_paths_mem(paths->part), its = clade_graph_mem(graph->part);
    const cl_uint own = graph->own, base = (cl_uint)graph->first[graph->mpi->rank];
    CLADEM_TRY(cladei_mpi_paths_count_anew(paths));
    CLADEM_RUN(graph->context, paths->kernels[PATHS_TREE_OFFER], walks(graph), CLADEM_ARG(part),
               CLADEM_ARG(its), CLADEM_ARG(own), CLADEM_ARG(base), CLADEM_ARG(level),
               CLADEM_ARG(paths->predecessors), CLADEM_ARG(paths->levels));
    CLADEM_TRY(look(paths));
fail:
    return status;
}

static clade_status take(clade_mpi_paths *paths, cl_uint level, uint32_t *left)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    const cl_mem part = clade_paths_mem(paths->part), its = clade_graph_mem(graph->part);
    const cl_uint own = graph->own, count = (cl_uint)paths->exchange.receives;
    CLADEM_RUN(graph->context, paths->kernels[PATHS_TREE_TAKE], count, CLADEM_ARG(part),
               CLADEM_ARG(its), CLADEM_ARG(paths->in.nodes_mem), CLADEM_ARG(paths->in.offers_mem),
               CLADEM_ARG(paths->in.lengths_mem), CLADEM_ARG(count),
               CLADEM_ARG(paths->predecessors), CLADEM_ARG(paths->levels));
    CLADEM_RUN(graph->context, paths->kernels[PATHS_TREE_CLOSE], own, CLADEM_ARG(part),
               CLADEM_ARG(its), CLADEM_ARG(own), CLADEM_ARG(level), CLADEM_ARG(paths->predecessors),
               CLADEM_ARG(paths->levels), CLADEM_ARG(paths->least));
    CLADEM_TRY(cladei_mpi_paths_counted(paths, left));
fail:
    return status;
}

/* One level more; *left nodes of all ranks have no predecessor after it. */
static clade_status add_level(clade_mpi_paths *paths, clade_status *own, cl_uint level,
                              uint64_t *left)
{
    clade_status status = CLADE_OK;
    clade_mpi *mpi = paths->graph->mpi;
    uint32_t here = 0;
    if (*own == CLADE_OK)
        *own = offer(paths, level);
    CLADEM_TRY(cladei_mpi_paths_send(paths, own, true, NULL));
    if (*own == CLADE_OK)
        *own = take(paths, level, &here);
    CLADEM_TRY(cladei_mpi_agree(mpi, *own, NULL));
    *left = here;
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, left, 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
fail:
    return status;
}

clade_status cladei_mpi_paths_tree(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK, own = begin_tree(paths);
    uint64_t left = UINT64_MAX, before;
    cl_uint level = 0;
    do {
        before = left;
        CLADEM_TRY(add_level(paths, &own, level++, &left));
        CLADEM_REQUIRE(left < before, CLADE_E_CORRUPT,
                       "%" PRIu64 " nodes have a length and no predecessor", left);
    } while (left > 0);
    paths->has_tree = true;
fail:
    return status;
}

/* --- lengths that do not fit ------------------------------------------------------------------ */

static clade_status ask(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    const cl_mem part = clade_paths_mem(paths->part), its = clade_graph_mem(graph->part);
    const cl_uint own = graph->own;
    CLADEM_TRY(begin(paths));
    CLADEM_TRY(cladei_mpi_paths_count_anew(paths));
    CLADEM_RUN(graph->context, paths->kernels[PATHS_LACK], walks(graph), CLADEM_ARG(part),
               CLADEM_ARG(its), CLADEM_ARG(own), CLADEM_ARG(paths->predecessors),
               CLADEM_ARG(paths->least));
    CLADEM_TRY(look(paths));
fail:
    return status;
}

static clade_status answer(clade_mpi_paths *paths, uint64_t *lacks)
{
    clade_status status = CLADE_OK;
    const clade_mpi_graph *graph = paths->graph;
    const cl_mem part = clade_paths_mem(paths->part), its = clade_graph_mem(graph->part);
    const cl_uint count = (cl_uint)paths->exchange.receives;
    uint32_t here = 0;
    CLADEM_RUN(graph->context, paths->kernels[PATHS_LACK_TAKE], count, CLADEM_ARG(part),
               CLADEM_ARG(its), CLADEM_ARG(paths->in.nodes_mem), CLADEM_ARG(count),
               CLADEM_ARG(paths->least));
    CLADEM_TRY(cladei_mpi_paths_counted(paths, &here));
    *lacks = here;
fail:
    return status;
}

/* Whether some sum did not fit on this rank. */
static clade_status overflowed(clade_mpi_paths *paths, uint64_t *some)
{
    clade_status status = CLADE_OK;
    const size_t at = sizeof(clade_paths_head) + offsetof(clade_paths_slot, overflow);
    uint32_t word = 0;
    CLADEM_TRY(cladei_mpi_array_read(
        paths->graph->context, clade_device(clade_paths_mem(paths->part), at), &word, sizeof word));
    *some = word;
fail:
    return status;
}

clade_status cladei_mpi_paths_lack(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK, own;
    clade_mpi *mpi = paths->graph->mpi;
    uint64_t some = 0;
    const struct cladei_mpi_alike alike = { .numbers = { &some } };
    CLADEM_TRY(cladei_mpi_agree(mpi, overflowed(paths, &some), &alike));
    if (!some)
        return CLADE_OK;
    own = ask(paths);
    CLADEM_TRY(cladei_mpi_paths_send(paths, &own, false, NULL));
    some = 0;
    if (own == CLADE_OK)
        own = answer(paths, &some);
    CLADEM_TRY(cladei_mpi_agree(mpi, own, &alike));
    CLADEM_REQUIRE(!some, CLADE_E_FULL, "the length of some path does not fit a %s",
                   paths->type == CLADE_PATHS_F32 ? "float" : "uint32_t; params.wide holds it");
fail:
    if (status != CLADE_OK && status != CLADE_E_FULL)
        paths->has_result = false;
    return status;
}
