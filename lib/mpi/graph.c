/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs over ranks: each rank's part, with a ghost for each foreign node that it reaches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/arrays.h"
#include "mpi/graph.h"
#include "mpi/number.h"

/* --- shares ----------------------------------------------------------------------------------- */

/* Where rank r begins: nodes and arcs before it are r / ranks of all. */
static uint64_t begin_of(uint64_t rank, uint64_t ranks, uint64_t nodes, const uint64_t *offsets)
{
    const uint64_t all = nodes + (offsets ? offsets[nodes] : 0);
    const uint64_t wanted = all / ranks * rank + all % ranks * rank / ranks;
    uint64_t low = 0, high = nodes;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle + (offsets ? offsets[middle] : 0) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

clade_status clade_mpi_graph_share(const clade_mpi *mpi, uint64_t nodes, const uint64_t *offsets,
                                   uint64_t *first, uint64_t *count)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(mpi && first && count, CLADE_E_ARG, "an argument is NULL");
    const uint64_t rank = (uint64_t)mpi->rank, ranks = (uint64_t)mpi->ranks;
    const uint64_t begin = begin_of(rank, ranks, nodes, offsets);
    *first = begin;
    *count = (rank + 1 == ranks ? nodes : begin_of(rank + 1, ranks, nodes, offsets)) - begin;
fail:
    return status;
}

/* --- the part --------------------------------------------------------------------------------- */

/* What the part is made of: two arrays of its own on the device, and its ghosts. */
struct parts {
    cl_mem offsets; /* of own nodes, ghosts and the bound */
    cl_mem targets;
    struct cladei_mpi_ghosts ghosts;
};

static void parts_free(struct parts *parts)
{
    if (parts->offsets)
        clReleaseMemObject(parts->offsets);
    if (parts->targets)
        clReleaseMemObject(parts->targets);
    cladei_mpi_ghosts_free(&parts->ghosts);
}

static clade_status check(clade_context *context, const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(CLADEM_RESERVED_CHECK(params, "clade_graph_params"));
    CLADEM_REQUIRE(params->reserved0 == 0, CLADE_E_ARG,
                   "reserved0 of clade_graph_params is not zero");
    CLADEM_REQUIRE(params->nodes < CLADE_GRAPH_NODES_MAX, CLADE_E_ARG,
                   "nodes is %" PRIu64 "; a rank has less than %u", params->nodes,
                   CLADE_GRAPH_NODES_MAX);
    CLADEM_REQUIRE(params->arcs <= CLADE_GRAPH_ARCS_MAX, CLADE_E_ARG,
                   "arcs is %" PRIu64 "; the most is %u", params->arcs, CLADE_GRAPH_ARCS_MAX);
    CLADEM_REQUIRE(params->nodes > 0 || params->arcs == 0, CLADE_E_ARG,
                   "there are arcs, but no nodes that they leave");
    CLADEM_REQUIRE(params->weight_type <= CLADE_PATHS_F32, CLADE_E_ARG,
                   "weight_type is %u; it is CLADE_PATHS_U32 or CLADE_PATHS_F32",
                   params->weight_type);
    if (params->nodes > 0)
        CLADEM_TRY(
            cladei_mpi_array_check(context, params->offsets, params->nodes + 1, 4, "offsets"));
    CLADEM_TRY(cladei_mpi_array_check(context, params->targets, params->arcs, 4, "targets"));
    if (cladei_mpi_is_given(params->weights))
        CLADEM_TRY(cladei_mpi_array_check(context, params->weights, params->arcs, 4, "weights"));
fail:
    return status;
}

/* Where each ghost is at its owner. */
static clade_status place_ghosts(const struct parts *parts, clade_mpi_graph *graph)
{
    clade_status status = CLADE_OK;
    uint64_t ghost = 0;
    int rank = 0;
    uint32_t *there = malloc((size_t)graph->ghosts * sizeof *there + 4);
    CLADEM_NO_MEMORY(there);
    for (uint64_t word = 0; word < parts->ghosts.words; word++)
        for (uint32_t bits = parts->ghosts.bits[word]; bits; bits &= bits - 1) {
            const uint64_t node = word * 32 + (uint64_t)__builtin_ctz(bits);
            while (graph->first[rank + 1] <= node)
                rank++;
            there[ghost++] = (uint32_t)(node - graph->first[rank]);
        }
    CLADEM_TRY(cladei_mpi_array_upload(&graph->there, graph->context, there, 4 * ghost));
fail:
    free(there);
    return status;
}

/* Ghosts and the bound have no arcs. From the host: the largest part has 2^31 offsets, and NVIDIA's
 * driver (580) does not end a fill of so many. */
static clade_status end_offsets(struct parts *parts, const clade_mpi_graph *graph, uint32_t arcs)
{
    clade_status status = CLADE_OK;
    const size_t count = (size_t)graph->ghosts + 2;
    uint32_t *all = malloc(count * sizeof *all);
    CLADEM_NO_MEMORY(all);
    for (size_t i = 0; i < count; i++)
        all[i] = arcs;
    CLADEM_TRY(cladei_mpi_array_write(graph->context,
                                      clade_device(parts->offsets, 4 * (size_t)graph->own), all,
                                      count * sizeof *all));
fail:
    free(all);
    return status;
}

static clade_status extend_offsets(struct parts *parts, const clade_mpi_graph *graph,
                                   const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    const uint64_t own = graph->own;
    const uint32_t arcs = (uint32_t)params->arcs;
    uint32_t last = arcs;
    CLADEM_TRY(
        cladei_mpi_array_make(&parts->offsets, graph->context, 4 * (own + graph->ghosts + 2)));
    CLADEM_TRY(end_offsets(parts, graph, arcs));
    if (own == 0)
        return CLADE_OK;
    CLADEM_TRY(
        cladei_mpi_array_bring(graph->context, params->offsets, parts->offsets, 4 * (own + 1)));
    CLADEM_TRY(cladei_mpi_array_read(graph->context, clade_device(parts->offsets, 4 * (size_t)own),
                                     &last, sizeof last));
    CLADEM_REQUIRE(last == arcs, CLADE_E_ARG, "offsets end with %u, and there are %u arcs", last,
                   arcs);
fail:
    return status;
}

static clade_status number_targets(struct parts *parts, clade_mpi_graph *graph,
                                   const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    const uint64_t arcs = params->arcs;
    CLADEM_TRY(cladei_mpi_array_make(&parts->targets, graph->context, 4 * arcs));
    CLADEM_TRY(cladei_mpi_array_bring(graph->context, params->targets, parts->targets, 4 * arcs));
    CLADEM_TRY(cladei_mpi_number_targets(graph, parts->targets, arcs, &parts->ghosts));
    CLADEM_TRY(place_ghosts(parts, graph));
fail:
    return status;
}

static clade_status make_part(clade_mpi_graph *graph, const clade_graph_params *params,
                              struct parts *parts)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(number_targets(parts, graph, params));
    CLADEM_TRY(extend_offsets(parts, graph, params));
    const clade_graph_params of_part = {
        .nodes = (uint64_t)graph->own + graph->ghosts + 1,
        .arcs = params->arcs,
        .offsets = clade_device(parts->offsets, 0),
        .targets = clade_device(parts->targets, 0),
        .weights = params->arcs > 0 ? params->weights : clade_no_array(),
        .weight_type = params->weight_type,
    };
    CLADEM_TRY(clade_graph_create(&graph->part, graph->context, &of_part));
    CLADEM_TRY(cladei_mpi_array_upload(&graph->ghost_first_mem, graph->context, graph->ghost_first,
                                       4 * (uint64_t)graph->mpi->ranks));
fail:
    return status;
}

/* --- the mean weight -------------------------------------------------------------------------- */

/* About a weight of the bin: all in it have the same number of bits, or the same exponent. */
static double weight_of_bin(uint32_t bin, uint32_t type)
{
    if (type == CLADE_PATHS_F32) {
        const uint32_t bits = bin << 23 | 1u << 22;
        float weight;
        memcpy(&weight, &bits, sizeof weight);
        return bin > 0 ? (double)weight : 0;
    }
    return bin < 2 ? bin : 1.5 * (double)((uint64_t)1 << (bin - 1));
}

/* About the sum of the part's weights. The graph has counted them by their size. */
static clade_status weigh(const clade_mpi_graph *graph, double *sum)
{
    clade_status status = CLADE_OK;
    clade_graph_head head;
    CLADEM_TRY(cladei_mpi_array_read(graph->context, clade_device(clade_graph_mem(graph->part), 0),
                                     &head, sizeof head));
    for (uint32_t bin = 0; bin < CLADE_GRAPH_BINS; bin++)
        *sum += (double)head.bins[bin] * weight_of_bin(bin, graph->type);
fail:
    return status;
}

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make(clade_mpi_graph **made, clade_mpi_graph **out, clade_mpi *mpi,
                         clade_context *context, const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out && context && params, CLADE_E_ARG, "an argument is NULL");
    CLADEM_TRY(check(context, params));
    clade_mpi_graph *graph = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(graph);
    cladei_mpi_hold(mpi);
    graph->mpi = mpi;
    graph->context = context;
    graph->borrowers = 1;
    graph->type = params->weight_type;
    graph->own = (uint32_t)params->nodes;
    graph->arcs = (uint32_t)params->arcs;
    graph->first = calloc((size_t)mpi->ranks + 1, sizeof *graph->first);
    graph->ghost_first = calloc((size_t)mpi->ranks + 1, sizeof *graph->ghost_first);
    CLADEM_REQUIRE(graph->first && graph->ghost_first, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

/* All ranks' first nodes. */
static clade_status number_nodes(clade_mpi_graph *graph)
{
    clade_status status = CLADE_OK;
    const uint64_t own = graph->own;
    uint64_t before = 0;
    CLADEM_MPI(
        MPI_Allgather(&own, 1, MPI_UINT64_T, graph->first, 1, MPI_UINT64_T, graph->mpi->comm));
    for (int r = 0; r <= graph->mpi->ranks; r++) {
        const uint64_t its = r < graph->mpi->ranks ? graph->first[r] : 0;
        graph->first[r] = before;
        before += its;
    }
    CLADEM_REQUIRE(before >= 1 && before <= CLADE_MPI_NODES_MAX, CLADE_E_ARG,
                   "all ranks have %" PRIu64 " nodes; they have 1 to %u", before,
                   CLADE_MPI_NODES_MAX);
fail:
    return status;
}

static clade_status fill(clade_mpi_graph *graph, const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    struct parts parts = { 0 };
    double sums[2] = { 0, (double)params->arcs };
    CLADEM_TRY(number_nodes(graph));
    status = make_part(graph, params, &parts);
    if (status == CLADE_OK)
        status = weigh(graph, &sums[0]);
    CLADEM_TRY(cladei_mpi_agree(graph->mpi, status, NULL));
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, graph->mpi->comm));
    graph->mean = sums[1] > 0 ? sums[0] / sums[1] : 1;
fail:
    parts_free(&parts);
    return status;
}

clade_status clade_mpi_graph_create(clade_mpi_graph **out, clade_mpi *mpi, clade_context *context,
                                    const clade_graph_params *params)
{
    clade_status status = CLADE_OK, own;
    clade_mpi_graph *graph = NULL;
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    own = make(&graph, out, mpi, context, params);
    const struct cladei_mpi_alike alike = { .words = { graph ? graph->type : 0 },
                                            .names = { "the type of the weights" } };
    CLADEM_TRY(cladei_mpi_agree(mpi, own, &alike));
    CLADEM_TRY(fill(graph, params));
    *out = graph;
    return CLADE_OK;

fail:
    clade_mpi_graph_destroy(&graph);
    return status;
}

void cladei_mpi_graph_let_go(clade_mpi_graph *graph)
{
    if (--graph->borrowers > 0)
        return;
    if (graph->there)
        clReleaseMemObject(graph->there);
    if (graph->ghost_first_mem)
        clReleaseMemObject(graph->ghost_first_mem);
    clade_graph_destroy(&graph->part);
    free(graph->first);
    free(graph->ghost_first);
    cladei_mpi_let_go(graph->mpi);
    free(graph);
}

void clade_mpi_graph_destroy(clade_mpi_graph **graph)
{
    if (!graph || !*graph)
        return;
    cladei_mpi_graph_let_go(*graph);
    *graph = NULL;
}

uint64_t clade_mpi_graph_first(const clade_mpi_graph *graph, int rank)
{
    return graph && rank >= 0 && rank <= graph->mpi->ranks ? graph->first[rank] : 0;
}

int cladei_mpi_graph_owner(const clade_mpi_graph *graph, uint64_t node)
{
    int low = 0, high = graph->mpi->ranks;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (graph->first[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}
