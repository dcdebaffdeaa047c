/* SPDX-License-Identifier: Apache-2.0 */
/* Small graphs whose arrays are in host memory: the host makes them, as cl/kernels/paths_graph.cl
 * makes others. So a program does not wait until a driver has compiled those kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "paths/paths.h"

/* Nodes and arcs. Chosen by hand: so few that the host's time does not matter. */
enum { FEW = 1 << 14 };

static bool is_on_host(clade_array array)
{
    return array.host && !array.mem;
}

bool cladei_graph_is_few(const clade_graph_params *params)
{
    return params->nodes + params->arcs <= FEW && is_on_host(params->offsets) &&
           (params->arcs == 0 || is_on_host(params->targets)) && !params->weights.mem;
}

static void put_offsets(clade_graph_head *head, clade_u32 *to, const clade_u32 *offsets)
{
    memcpy(to, offsets, (head->nodes + (size_t)1) * sizeof *to);
    for (uint32_t node = head->nodes + 1; node-- > 0;)
        if ((node == 0 && to[node] != 0) || (node == head->nodes && to[node] != head->arcs) ||
            (node > 0 && to[node - 1] > to[node]))
            head->bad_offset = node;
}

/* Bins of weights: by the bits they have, or by a float's exponent; zeros are in bin 0. */
static uint32_t bin_of(uint32_t weight, bool is_float)
{
    uint32_t bits = 0;
    if (is_float)
        return weight >> 23;
    while (bits < 32 && weight >> bits > 0)
        bits++;
    return bits;
}

/* A float weight is not negative and not infinite; -0 becomes 0. */
static void put_arcs(clade_graph_head *head, clade_u32 *to, const clade_u32 *targets,
                     const clade_u32 *weights, bool is_float)
{
    for (uint32_t arc = head->arcs; arc-- > 0;) {
        uint32_t weight = weights ? weights[arc] : is_float ? 0x3f800000u : 1;
        if (is_float && weight == 0x80000000u)
            weight = 0;
        if (targets[arc] >= head->nodes)
            head->bad_target = arc;
        if (is_float && weight >= 0x7f800000u)
            head->bad_weight = arc;
        else
            head->bins[bin_of(weight, is_float)]++;
        to[(size_t)2 * arc] = targets[arc];
        to[(size_t)2 * arc + 1] = weight;
    }
}

/* What is wrong with the arrays is in the head then. */
clade_status cladei_graph_fill_few(clade_graph *graph, const clade_graph_params *params,
                                   clade_graph_head *head)
{
    clade_status status = CLADE_OK;
    const size_t bytes =
        sizeof *head + 4 * (size_t)CLADE_GRAPH_ARCS_AT(graph->nodes) + 8 * (size_t)graph->arcs;
    char *image = calloc(1, bytes);
    CLADE_NO_MEMORY(image);
    clade_u32 *words = (clade_u32 *)(void *)(image + sizeof *head);
    put_offsets(head, words, params->offsets.host);
    put_arcs(head, words + CLADE_GRAPH_ARCS_AT(graph->nodes), params->targets.host,
             params->weights.host, graph->type == CLADE_PATHS_F32);
    memcpy(image, head, sizeof *head);
    CLADE_TRY(cladei_object_write_own(&graph->object, image, bytes));
fail:
    free(image);
    return status;
}
