/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs over ranks: each rank's part, with a ghost for each foreign node that it reaches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/arrays.h"
#include "mpi/ghosts.h"
#include "mpi/graph.h"

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

/* The caller's arrays on the host, as the part wants them. */
struct parts {
    uint32_t *offsets; /* of own nodes, ghosts and the bound */
    uint32_t *targets;
    uint32_t *weights; /* NULL: all are 1 */
    uint32_t *there;   /* of ghosts */
    struct cladei_mpi_ghosts ghosts;
};

static void parts_free(struct parts *parts)
{
    free(parts->offsets);
    free(parts->targets);
    free(parts->weights);
    free(parts->there);
    cladei_mpi_ghosts_free(&parts->ghosts);
}

static clade_status check(clade_context *context, const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
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

static clade_status copy(uint32_t **to, clade_context *context, clade_array from, uint64_t count)
{
    clade_status status = CLADE_OK;
    *to = malloc((size_t)count * sizeof **to + 4);
    CLADEM_NO_MEMORY(*to);
    CLADEM_TRY(cladei_mpi_array_read(context, from, *to, count * 4));
fail:
    return status;
}

static clade_status bring(struct parts *parts, const clade_mpi_graph *graph,
                          const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(copy(&parts->targets, graph->context, params->targets, params->arcs));
    if (cladei_mpi_is_given(params->weights) && params->arcs > 0)
        CLADEM_TRY(copy(&parts->weights, graph->context, params->weights, params->arcs));
fail:
    return status;
}

/* Foreign targets become ghosts, and all targets numbers of the part. */
static clade_status number_targets(struct parts *parts, clade_mpi_graph *graph, uint64_t arcs)
{
    clade_status status = CLADE_OK;
    const int rank = graph->mpi->rank, ranks = graph->mpi->ranks;
    const uint64_t begin = graph->first[rank], all = graph->first[ranks];
    CLADEM_TRY(cladei_mpi_ghosts_make(&parts->ghosts, all));
    for (uint64_t i = 0; i < arcs; i++) {
        const uint64_t target = parts->targets[i];
        CLADEM_REQUIRE(target < all, CLADE_E_ARG,
                       "the target of arc %" PRIu64 " is no node; all ranks have %" PRIu64, i, all);
        if (target - begin >= graph->own)
            cladei_mpi_ghosts_set(&parts->ghosts, target);
    }
    const uint64_t count = cladei_mpi_ghosts_count(&parts->ghosts);
    CLADEM_REQUIRE(graph->own + count < CLADE_GRAPH_NODES_MAX, CLADE_E_ARG,
                   "the rank has %u nodes, and arcs to %" PRIu64 " nodes of others: the most is %u",
                   graph->own, count, CLADE_GRAPH_NODES_MAX - 1);
    graph->ghosts = (uint32_t)count;
    for (int r = 0; r <= ranks; r++)
        graph->ghost_first[r] = (uint32_t)cladei_mpi_ghosts_before(&parts->ghosts, graph->first[r]);
    for (uint64_t i = 0; i < arcs; i++) {
        const uint64_t target = parts->targets[i];
        parts->targets[i] =
            target - begin < graph->own
                ? (uint32_t)(target - begin)
                : graph->own + (uint32_t)cladei_mpi_ghosts_before(&parts->ghosts, target);
    }
fail:
    return status;
}

/* Where each ghost is at its owner. */
static clade_status place_ghosts(struct parts *parts, const clade_mpi_graph *graph)
{
    clade_status status = CLADE_OK;
    uint64_t ghost = 0;
    int rank = 0;
    parts->there = malloc((size_t)graph->ghosts * sizeof *parts->there + 4);
    CLADEM_NO_MEMORY(parts->there);
    for (uint64_t word = 0; word < parts->ghosts.words; word++)
        for (uint64_t bits = parts->ghosts.bits[word]; bits; bits &= bits - 1) {
            const uint64_t node = word * 64 + (uint64_t)__builtin_ctzll(bits);
            while (graph->first[rank + 1] <= node)
                rank++;
            parts->there[ghost++] = (uint32_t)(node - graph->first[rank]);
        }
fail:
    return status;
}

/* Ghosts and the bound have no arcs. */
static clade_status extend_offsets(struct parts *parts, const clade_mpi_graph *graph,
                                   const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    const uint64_t nodes = (uint64_t)graph->own + graph->ghosts + 1;
    parts->offsets = calloc((size_t)nodes + 1, sizeof *parts->offsets);
    CLADEM_NO_MEMORY(parts->offsets);
    if (graph->own > 0) {
        CLADEM_TRY(cladei_mpi_array_read(graph->context, params->offsets, parts->offsets,
                                         4 * ((uint64_t)graph->own + 1)));
        CLADEM_REQUIRE(parts->offsets[graph->own] == params->arcs, CLADE_E_ARG,
                       "offsets end with %u, and there are %" PRIu64 " arcs",
                       parts->offsets[graph->own], params->arcs);
    }
    for (uint64_t node = graph->own; node < nodes; node++)
        parts->offsets[node + 1] = (uint32_t)params->arcs;
fail:
    return status;
}

static clade_status upload(cl_mem *mem, clade_context *context, const void *from, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    *mem = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE, (size_t)bytes + 4,
                          NULL, &code);
    CLADEM_CL(code);
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(*mem, 0), from, bytes));
fail:
    return status;
}

static clade_status make_part(clade_mpi_graph *graph, const clade_graph_params *params,
                              struct parts *parts)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(bring(parts, graph, params));
    CLADEM_TRY(number_targets(parts, graph, params->arcs));
    CLADEM_TRY(place_ghosts(parts, graph));
    CLADEM_TRY(extend_offsets(parts, graph, params));
    const clade_graph_params of_part = {
        .nodes = (uint64_t)graph->own + graph->ghosts + 1,
        .arcs = params->arcs,
        .offsets = clade_host(parts->offsets),
        .targets = clade_host(parts->targets),
        .weights = parts->weights ? clade_host(parts->weights) : clade_no_array(),
        .weight_type = params->weight_type,
    };
    CLADEM_TRY(clade_graph_create(&graph->part, graph->context, &of_part));
    CLADEM_TRY(upload(&graph->there, graph->context, parts->there, 4 * (uint64_t)graph->ghosts));
    CLADEM_TRY(upload(&graph->ghost_first_mem, graph->context, graph->ghost_first,
                      4 * (uint64_t)graph->mpi->ranks));
fail:
    return status;
}

/* The sum of the part's weights. */
static double weigh(const struct parts *parts, uint64_t arcs, uint32_t type)
{
    double sum = parts->weights ? 0 : (double)arcs;
    for (uint64_t i = 0; parts->weights && i < arcs; i++) {
        float real;
        memcpy(&real, &parts->weights[i], sizeof real);
        sum += type == CLADE_PATHS_F32 ? (double)real : (double)parts->weights[i];
    }
    return sum;
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
        sums[0] = weigh(&parts, params->arcs, graph->type);
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
