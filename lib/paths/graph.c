/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: made of three arrays, looked at once, kept on the device. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "paths/paths.h"

enum graph_kernel { OFFSETS, ARCS, KERNELS };
enum { GROUP = 64, ITEMS_MAX = 64 * 4096 };

static const char *const kernel_names[KERNELS] = { "clade_graph_offsets", "clade_graph_arcs" };
static const struct cladei_kind kind = {
    CLADE_GRAPH_KIND, "the graph", { "kernels/paths_graph.cl", kernel_names, KERNELS }, NULL
};

/* --- the width of buckets ----------------------------------------------------------------------
 */

/* A weight of the bin, which has the same number of bits, or the same exponent. */
static float weight_of_bin(uint32_t bin, uint32_t type)
{
    if (type == CLADE_PATHS_F32) {
        const uint32_t bits = bin << 23 | 1u << 22;
        float weight;
        memcpy(&weight, &bits, sizeof weight);
        return weight;
    }
    return bin < 2 ? (float)bin : 1.5f * (float)(UINT64_C(1) << (bin - 1));
}

/* The median of the weights above 0, by bins: one that is far larger than all others changes
 * nothing. Buckets of about this width hold few nodes that follow each other. */
static float common_weight(const clade_graph_head *head, uint32_t type)
{
    const uint32_t first = 1; /* bin 0 has the zeros, and floats whose inverse is no float */
    uint64_t all = 0, below = 0;
    for (uint32_t bin = first; bin < CLADE_GRAPH_BINS; bin++)
        all += head->bins[bin];
    for (uint32_t bin = first; bin < CLADE_GRAPH_BINS; bin++) {
        below += head->bins[bin];
        if (below * 2 >= all && all > 0)
            return weight_of_bin(bin, type);
    }
    return 1; /* no weight is above 0 */
}

/* The more arcs a node has, the narrower: of many paths to a node that fall into one bucket all but
 * the least are in vain. Up to 3 arcs, as on roads, a bucket is as wide as it may be. */
static float narrowing(const clade_graph *graph)
{
    const float degree = (float)graph->arcs / (float)graph->nodes;
    return degree > 3 ? 3 / degree : 1;
}

/* --- create and destroy ------------------------------------------------------------------------
 */

static clade_status check_params(const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(params->nodes >= 1 && params->nodes <= CLADE_GRAPH_NODES_MAX, CLADE_E_ARG,
                  "nodes is %" PRIu64 "; it goes from 1 to %u", params->nodes,
                  CLADE_GRAPH_NODES_MAX);
    CLADE_REQUIRE(params->arcs <= CLADE_GRAPH_ARCS_MAX, CLADE_E_ARG,
                  "arcs is %" PRIu64 "; the most is %u", params->arcs, CLADE_GRAPH_ARCS_MAX);
    CLADE_REQUIRE(params->weight_type <= CLADE_PATHS_F32, CLADE_E_ARG,
                  "weight_type is %u; it is CLADE_PATHS_U32 or CLADE_PATHS_F32",
                  params->weight_type);
    CLADE_REQUIRE(params->reserved0 == 0, CLADE_E_ARG,
                  "reserved0 of clade_graph_params is not zero");
    CLADE_REQUIRE(cladei_is_given(params->offsets), CLADE_E_ARG, "there is no array of offsets");
    CLADE_REQUIRE(params->arcs == 0 || cladei_is_given(params->targets), CLADE_E_ARG,
                  "there is no array of targets");
fail:
    return status;
}

static uint64_t bytes_of(uint64_t nodes, uint64_t arcs)
{
    return sizeof(clade_graph_head) + 4 * (uint64_t)CLADE_GRAPH_ARCS_AT(nodes) + 8 * arcs;
}

static clade_status enqueue(clade_graph *graph, struct cladei_run *run, cl_kernel *kernels,
                            const struct cladei_view *offsets, const struct cladei_view *targets,
                            const struct cladei_view *weights)
{
    clade_status status = CLADE_OK;
    const cl_uint is_given = weights->mem != NULL, is_float = graph->type == CLADE_PATHS_F32;
    const cl_uint one = is_float ? 0x3f800000u : 1u;
    const uint64_t items = graph->arcs < ITEMS_MAX ? graph->arcs + 1 : ITEMS_MAX;
    const cl_mem to_mem = targets->mem ? targets->mem : graph->object.mem;
    const cl_mem weight_mem = is_given ? weights->mem : graph->object.mem;
    CLADE_TRY(CLADEI_SET_ARGS(kernels[OFFSETS], CLADEI_ARG(graph->object.mem),
                              CLADEI_ARG(offsets->mem), CLADEI_ARG(offsets->first)));
    CLADE_TRY(cladei_run_items(run, kernels[OFFSETS], graph->nodes + 1, GROUP));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[ARCS], CLADEI_ARG(graph->object.mem), CLADEI_ARG(to_mem),
                              CLADEI_ARG(targets->first), CLADEI_ARG(weight_mem),
                              CLADEI_ARG(weights->first), CLADEI_ARG(is_given),
                              CLADEI_ARG(is_float), CLADEI_ARG(one)));
    CLADE_TRY(cladei_run_items(run, kernels[ARCS], items, GROUP));
fail:
    return status;
}

/* What the kernels found wrong, in the graph's own words. */
static clade_status judge(const clade_graph_head *head)
{
    clade_status status = CLADE_OK;
    const uint32_t none = UINT32_MAX;
    CLADE_REQUIRE(head->bad_offset == none, CLADE_E_ARG,
                  "offsets[%u] does not fit: they begin with 0, never fall, and end with arcs, %u",
                  head->bad_offset, head->arcs);
    CLADE_REQUIRE(head->bad_target == none, CLADE_E_ARG,
                  "the target of arc %u is no node; there are %u", head->bad_target, head->nodes);
    CLADE_REQUIRE(head->bad_weight == none, CLADE_E_ARG,
                  "the weight of arc %u is negative, infinite or no number", head->bad_weight);
fail:
    return status;
}

/* By kernels, which read the arrays where they are. */
static clade_status fill_many(clade_graph *graph, const clade_graph_params *params,
                              clade_graph_head *head)
{
    clade_status status = CLADE_OK;
    cl_kernel kernels[KERNELS] = { NULL };
    struct cladei_run run;
    struct cladei_view offsets = { 0 }, targets = { 0 }, weights = { 0 };
    CLADE_TRY(cladei_kernels_build(kernels, &kind.kernels, graph->object.context, ""));
    CLADE_TRY(cladei_run_begin(&run, graph->object.context, NULL));
    CLADE_TRY(cladei_view_open(&offsets, &run, params->offsets, graph->nodes + 1, 4, CLADEI_IN,
                               "offsets"));
    CLADE_TRY(
        cladei_view_open(&targets, &run, params->targets, graph->arcs, 4, CLADEI_IN, "targets"));
    CLADE_TRY(
        cladei_view_open(&weights, &run, params->weights, graph->arcs, 4, CLADEI_IN, "weights"));
    CLADE_TRY(cladei_object_write_own(&graph->object, head, sizeof *head));
    CLADE_TRY(enqueue(graph, &run, kernels, &offsets, &targets, &weights));
    CLADE_TRY(cladei_run_read(&run, &graph->object, 0, head, sizeof *head));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&weights);
    cladei_view_close(&targets);
    cladei_view_close(&offsets);
    cladei_kernels_release(kernels, KERNELS);
    return status;
}

static clade_status fill(clade_graph *graph, const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    clade_graph_head head = { .nodes = (uint32_t)graph->nodes, .arcs = (uint32_t)graph->arcs };
    head.bad_offset = head.bad_target = head.bad_weight = UINT32_MAX;
    CLADE_TRY(cladei_graph_is_few(params) ? cladei_graph_fill_few(graph, params, &head)
                                          : fill_many(graph, params, &head));
    CLADE_TRY(judge(&head));
    graph->width = common_weight(&head, graph->type) * narrowing(graph);
fail:
    return status;
}

clade_status clade_graph_create(clade_graph **out, clade_context *context,
                                const clade_graph_params *params)
{
    clade_status status = CLADE_OK;
    clade_graph *graph = NULL;
    CLADEI_CREATION(out, context, params, clade_graph_params, kind.name);
    CLADE_TRY(check_params(params));
    graph = calloc(1, sizeof *graph);
    CLADE_NO_MEMORY(graph);
    graph->nodes = params->nodes;
    graph->arcs = params->arcs;
    graph->type = params->weight_type;
    CLADE_TRY(cladei_object_create(&graph->object, context, kind.number,
                                   CLADE_GRAPH_SHAPE(graph->type),
                                   bytes_of(graph->nodes, graph->arcs), kind.name));
    CLADE_TRY(fill(graph, params));
    *out = graph;
    return CLADE_OK;

fail:
    clade_graph_destroy(&graph);
    return status;
}

void clade_graph_destroy(clade_graph **graph)
{
    clade_graph *gone = graph ? *graph : NULL;
    if (!gone)
        return;
    *graph = NULL;
    if (!cladei_let_go(&gone->borrowers))
        return;
    cladei_object_close(&gone->object, NULL, NULL, 0);
    free(gone);
}

cl_mem clade_graph_mem(const clade_graph *graph)
{
    return graph ? graph->object.mem : NULL;
}
