/* SPDX-License-Identifier: Apache-2.0 */
/* Targets by the part's numbers, on the device (cl/kernels/mpi_graph.cl). The host only counts the
 * ghosts, of which there is a bit for each node. */
#include <inttypes.h>

#include "mpi/arrays.h"
#include "mpi/kernels.h"
#include "mpi/number.h"

enum { MARK, NUMBER, KERNELS };
static const char *const names[KERNELS] = { "clade_mpi_graph_mark", "clade_mpi_graph_number" };

/* What the kernels need. */
struct numbering {
    clade_mpi_graph *graph;
    cl_mem targets;
    cl_uint arcs, first, own, all;
    struct cladei_mpi_ghosts *ghosts;
    cl_kernel kernels[KERNELS];
    cl_mem bits, before, bad;
};

static clade_status open(struct numbering *n)
{
    clade_status status = CLADE_OK;
    clade_context *context = n->graph->context;
    const uint64_t bytes = 4 * n->ghosts->words;
    const uint32_t none = UINT32_MAX;
    CLADEM_TRY(cladei_mpi_kernels_build(n->kernels, names, KERNELS, context, "kernels/mpi_graph.cl",
                                        NULL));
    CLADEM_TRY(cladei_mpi_array_upload(&n->bits, context, n->ghosts->bits, bytes));
    CLADEM_TRY(cladei_mpi_array_upload(&n->bad, context, &none, sizeof none));
fail:
    return status;
}

static void close(struct numbering *n)
{
    cl_mem mems[] = { n->bits, n->before, n->bad };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    cladei_mpi_kernels_free(n->kernels, KERNELS);
}

static clade_status mark(struct numbering *n)
{
    clade_status status = CLADE_OK;
    clade_context *context = n->graph->context;
    uint32_t bad = 0;
    CLADEM_RUN(context, n->kernels[MARK], n->arcs, CLADEM_ARG(n->targets), CLADEM_ARG(n->arcs),
               CLADEM_ARG(n->first), CLADEM_ARG(n->own), CLADEM_ARG(n->all), CLADEM_ARG(n->bits),
               CLADEM_ARG(n->bad));
    CLADEM_TRY(cladei_mpi_array_read(context, clade_device(n->bad, 0), &bad, sizeof bad));
    CLADEM_REQUIRE(bad == UINT32_MAX, CLADE_E_ARG,
                   "the target of arc %u is no node; all ranks have %u", bad, n->all);
    CLADEM_TRY(cladei_mpi_array_read(context, clade_device(n->bits, 0), n->ghosts->bits,
                                     4 * n->ghosts->words));
fail:
    return status;
}

static clade_status count(struct numbering *n)
{
    clade_status status = CLADE_OK;
    clade_mpi_graph *graph = n->graph;
    const uint64_t ghosts = cladei_mpi_ghosts_count(n->ghosts);
    CLADEM_REQUIRE(n->own + ghosts < CLADE_GRAPH_NODES_MAX, CLADE_E_ARG,
                   "the rank has %u nodes, and arcs to %" PRIu64 " nodes of others: the most is %u",
                   n->own, ghosts, CLADE_GRAPH_NODES_MAX - 1);
    graph->ghosts = (uint32_t)ghosts;
    for (int r = 0; r <= graph->mpi->ranks; r++)
        graph->ghost_first[r] = (uint32_t)cladei_mpi_ghosts_before(n->ghosts, graph->first[r]);
fail:
    return status;
}

static clade_status number(struct numbering *n)
{
    clade_status status = CLADE_OK;
    clade_context *context = n->graph->context;
    CLADEM_TRY(
        cladei_mpi_array_upload(&n->before, context, n->ghosts->before, 4 * n->ghosts->words));
    CLADEM_RUN(context, n->kernels[NUMBER], n->arcs, CLADEM_ARG(n->targets), CLADEM_ARG(n->arcs),
               CLADEM_ARG(n->first), CLADEM_ARG(n->own), CLADEM_ARG(n->bits),
               CLADEM_ARG(n->before));
fail:
    return status;
}

clade_status cladei_mpi_number_targets(clade_mpi_graph *graph, cl_mem targets, uint64_t arcs,
                                       struct cladei_mpi_ghosts *ghosts)
{
    clade_status status = CLADE_OK;
    const uint64_t *first = graph->first;
    struct numbering n = {
        .graph = graph,
        .targets = targets,
        .arcs = (cl_uint)arcs,
        .first = (cl_uint)first[graph->mpi->rank],
        .own = graph->own,
        .all = (cl_uint)first[graph->mpi->ranks],
        .ghosts = ghosts,
    };
    CLADEM_TRY(cladei_mpi_ghosts_make(ghosts, n.all));
    CLADEM_TRY(open(&n));
    CLADEM_TRY(mark(&n));
    CLADEM_TRY(count(&n));
    CLADEM_TRY(number(&n));
fail:
    close(&n);
    return status;
}
