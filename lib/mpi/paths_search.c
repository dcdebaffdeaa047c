/* SPDX-License-Identifier: Apache-2.0 */
/* A search over ranks, in steps. In a step each rank's part goes on up to a bound, and the ranks
 * tell each other the lengths that they found for nodes of others. The next bound is a width beyond
 * the least length that waits anywhere. */
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "mpi/paths.h"

/* A step that expands less than 1 / FEW of all nodes is followed by one twice as wide, or eight
 * times, if it was less than 1 / HARDLY_ANY; more than 1 / MANY, by one of half the width. */
enum { HARDLY_ANY = 256, FEW = 4, MANY = 1 };
#define WIDTH_MOST 1e18

static uint64_t none_of(const clade_mpi_paths *paths)
{
    return paths->type == CLADE_PATHS_U64 ? UINT64_MAX : UINT32_MAX;
}

static float as_float(uint64_t length)
{
    const uint32_t bits = (uint32_t)length;
    float real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* A length, and a width more, as a word; at most the greatest length. */
static uint64_t bound_of(const clade_mpi_paths *paths, uint64_t least, double width)
{
    const uint64_t most = none_of(paths) - 1;
    if (paths->type == CLADE_PATHS_F32) {
        const double sum = (double)as_float(least) + width;
        const float real = sum < (double)FLT_MAX ? (float)sum : FLT_MAX;
        uint32_t bits;
        memcpy(&bits, &real, sizeof bits);
        return bits;
    }
    return width < (double)(most - least) ? least + (uint64_t)width : most;
}

static clade_status lower(clade_mpi_paths *paths, uint64_t received, cl_uint has_lengths)
{
    clade_status status = CLADE_OK;
    const cl_mem part = clade_paths_mem(paths->part);
    const cl_uint count = (cl_uint)received;
    CLADEM_RUN(paths->graph->context, paths->kernels[PATHS_LOWER], count, CLADEM_ARG(part),
               CLADEM_ARG(paths->in.nodes_mem), CLADEM_ARG(paths->in.lengths_mem),
               CLADEM_ARG(count), CLADEM_ARG(has_lengths));
fail:
    return status;
}

/* Nothing is reached but the sources. */
static clade_status begin(clade_mpi_paths *paths)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const clade_paths_query first = { .part = CLADE_PATHS_FIRST };
    const cl_uint ghosts = paths->graph->ghosts;
    CLADEM_TRY(clade_paths_run(paths->part, &first, NULL));
    CLADEM_RUN(context, paths->kernels[PATHS_UNSENT], ghosts, CLADEM_ARG(paths->sent),
               CLADEM_ARG(ghosts));
    CLADEM_TRY(
        cladei_mpi_news_reserve(&paths->in, context, paths->source_count, paths->length_bytes));
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(paths->in.nodes_mem, 0), paths->sources,
                                      4 * paths->source_count));
    CLADEM_TRY(lower(paths, paths->source_count, 0));
    paths->expanded = 0;
fail:
    return status;
}

/* The part's search goes on, up to the bound. One rank alone has none. */
static clade_status go_on(clade_mpi_paths *paths, const clade_paths_query *query, uint64_t *work)
{
    clade_status status = CLADE_OK;
    const bool is_alone = paths->graph->mpi->ranks == 1;
    clade_paths_stats stats;
    const clade_paths_query next = {
        .part = CLADE_PATHS_NEXT,
        .targets = is_alone ? clade_no_array() : clade_device(paths->bound, 0),
        .target_count = !is_alone,
        .cutoff = query->cutoff,
        .cutoff_float = query->cutoff_float,
    };
    status = clade_paths_run(paths->part, &next, NULL);
    if (status == CLADE_E_FULL) /* lack.clh: the end of the search tells whether it is so */
        status = CLADE_OK;
    CLADEM_TRY(status);
    CLADEM_TRY(clade_paths_stats_read(paths->part, &stats));
    *work = stats.expanded - paths->expanded;
    paths->expanded = stats.expanded;
    paths->stats.expanded = stats.expanded;
fail:
    return status;
}

/* A step of this rank alone. *least is what waits, or is sent. */
static clade_status step(clade_mpi_paths *paths, const clade_paths_query *query, uint64_t bound,
                         uint64_t *least, uint64_t *work)
{
    clade_status status = CLADE_OK;
    clade_context *context = paths->graph->context;
    const clade_mpi_graph *graph = paths->graph;
    const cl_mem part = clade_paths_mem(paths->part), its = clade_graph_mem(graph->part);
    const cl_uint own = graph->own, ranks = (cl_uint)graph->mpi->ranks;
    const cl_ulong upto = bound;
    CLADEM_RUN(context, paths->kernels[PATHS_BOUND], 1, CLADEM_ARG(part), CLADEM_ARG(its),
               CLADEM_ARG(upto), CLADEM_ARG(paths->counts), CLADEM_ARG(ranks),
               CLADEM_ARG(paths->least));
    CLADEM_TRY(go_on(paths, query, work));
    CLADEM_RUN(context, paths->kernels[PATHS_LOOK], (uint64_t)graph->own + graph->ghosts,
               CLADEM_ARG(part), CLADEM_ARG(its), CLADEM_ARG(own),
               CLADEM_ARG(graph->ghost_first_mem), CLADEM_ARG(ranks), CLADEM_ARG(graph->there),
               CLADEM_ARG(upto), CLADEM_ARG(paths->sent), CLADEM_ARG(paths->counts),
               CLADEM_ARG(paths->out.nodes_mem), CLADEM_ARG(paths->out.lengths_mem),
               CLADEM_ARG(paths->least));
    *least = 0;
    CLADEM_TRY(
        cladei_mpi_array_read(context, clade_device(paths->least, 0), least, paths->length_bytes));
fail:
    return status;
}

/* Steps that do little are latency, and steps that do much repeat work of each other. */
static double next_width(const clade_mpi_paths *paths, double width, uint64_t work)
{
    const double all = (double)paths->graph->first[paths->graph->mpi->ranks];
    const double share = (double)work * paths->graph->mpi->ranks / all;
    if (share < 1.0 / FEW && width < WIDTH_MOST)
        return (share < 1.0 / HARDLY_ANY ? 8 : 2) * width;
    return share > 1.0 / MANY ? width / 2 : width;
}

clade_status cladei_mpi_paths_search(clade_mpi_paths *paths, const clade_paths_query *query)
{
    clade_status status = CLADE_OK, own = begin(paths);
    const uint64_t none = none_of(paths);
    double width = paths->graph->mean;
    uint64_t least = 0;
    while (least != none) {
        uint64_t here = none, rest, work = 0;
        if (own == CLADE_OK && paths->stats.steps > 0)
            own = lower(paths, paths->exchange.receives, 1);
        if (own == CLADE_OK)
            own = step(paths, query, bound_of(paths, least, width), &here, &work);
        rest = none - here; /* the greatest is of the least */
        const struct cladei_mpi_alike alike = { .numbers = { NULL, &rest, &work } };
        CLADEM_TRY(cladei_mpi_paths_send(paths, &own, false, &alike));
        least = none - rest;
        width = next_width(paths, width, work);
        paths->stats.steps++;
    }
fail:
    return status;
}
