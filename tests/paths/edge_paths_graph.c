/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that make a graph of three arrays, by groups of one item and of several (-DGROUP=),
 * on lanes, launched as the host does: each word is the arrays', what is wrong with them is told by
 * its least place, and the weights are counted by their size. Arrays are of exactly the size that
 * is used. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths/vectors.h"

#undef __kernel
#define __kernel static
#include "kernels/paths_graph.cl"

#include "paths/kernels_arrays.h"

static clade_graph_head *graph;
static struct job {
    uint *offsets, *targets, *weights;
    uint given, is_float;
} job;

AS_KERNEL(graph_offsets, clade_graph_offsets(graph, job.offsets, FIRST))
AS_KERNEL(graph_arcs, clade_graph_arcs(graph, job.targets, FIRST, job.weights, FIRST, job.given,
                                       job.is_float, job.is_float ? 0x3f800000u : 1u))

static uint bin_of(uint weight)
{
    uint bits = 0;
    if (job.is_float)
        return weight >> 23;
    for (; weight > 0; weight >>= 1)
        bits++;
    return bits;
}

static void open_graph(uint nodes, uint arcs)
{
    graph = lines(sizeof *graph + 4ul * CLADE_GRAPH_ARCS_AT(nodes) + 8ul * arcs);
    memset(graph, 0, sizeof *graph);
    graph->object.shape = CLADE_GRAPH_SHAPE(CLADE_PATHS_U32);
    graph->nodes = nodes;
    graph->arcs = arcs;
    graph->bad_offset = graph->bad_target = graph->bad_weight = CLADE_PATHS_NONE;
    job.offsets = array(nodes + 1);
    job.targets = array(arcs);
    job.weights = array(job.given ? arcs : 0);
}

/* What is wrong, first; then all words, where nothing is. */
static void make_graph(uint bad_offset, uint bad_target, uint bad_weight)
{
    uint bins[CLADE_GRAPH_BINS] = { 0 };
    const uint groups = graph->arcs / GROUP + 1;
    launch(graph_offsets, graph->nodes + 1ul);
    shim_launch(graph_arcs, NULL, groups < 3 ? groups : 3, GROUP, 1); /* items take several */
    expect(graph->bad_offset == bad_offset, "a bad offset", graph->bad_offset, bad_offset);
    expect(graph->bad_target == bad_target, "a bad target", graph->bad_target, bad_target);
    expect(graph->bad_weight == bad_weight, "a bad weight", graph->bad_weight, bad_weight);
    const uint *words = (const uint *)(graph + 1),
               *arcs = words + CLADE_GRAPH_ARCS_AT(graph->nodes);
    for (uint i = 0; i <= graph->nodes; i++)
        expect(words[i] == job.offsets[FIRST + i], "an offset", i, words[i]);
    if (graph->nodes % 2 == 0)
        expect(words[graph->nodes + 1] == GUARD, "between offsets and arcs", graph->nodes, 0);
    for (uint i = 0; i < graph->arcs; i++) {
        uint weight = job.given ? job.weights[FIRST + i] : job.is_float ? 0x3f800000u : 1u;
        weight = job.is_float && weight == 0x80000000u ? 0 : weight;
        expect(arcs[2 * i] == job.targets[FIRST + i] && arcs[2 * i + 1] == weight, "an arc", i,
               arcs[2 * i + 1]);
        if (!job.is_float || weight < 0x7f800000u)
            bins[bin_of(weight)]++;
    }
    for (uint i = 0; i < CLADE_GRAPH_BINS; i++)
        expect(graph->bins[i] == bins[i], "weights of a size", i, graph->bins[i]);
    end_array(job.offsets);
    end_array(job.targets);
    end_array(job.weights);
}

/* Three arcs a node. */
static void fill_graph(void)
{
    for (uint i = 0; i <= graph->nodes; i++)
        job.offsets[FIRST + i] = 3 * i;
    for (uint i = 0; i < graph->arcs; i++) {
        job.targets[FIRST + i] = i * 7 % graph->nodes;
        if (job.given)
            job.weights[FIRST + i] = job.is_float ? i << 22 : 0xffffffffu >> i % 33 % 32;
    }
}

/* `what`: 0 nothing is wrong, else one thing at two places. */
static void graph_of(uint nodes, uint what)
{
    static const uint bad_weights[] = { 0x7f800000u, 0x7fc00001u, 0x80000001u, 0xbf800000u };
    const uint none = CLADE_PATHS_NONE, last = 3 * nodes - 1;
    uint offset = none, target = none, weight = none;
    open_graph(nodes, 3 * nodes);
    fill_graph();
    if (what == 1)
        job.offsets[FIRST] = 1, offset = 0;
    if (what == 2)
        job.offsets[FIRST + (offset = nodes)]--;
    if (what == 3)
        job.offsets[FIRST + nodes - 1] -= 4, offset = nodes - 1;
    if (what == 4)
        job.targets[FIRST + last] = job.targets[FIRST + last - 2] = nodes, target = last - 2;
    if (what == 5)
        job.targets[FIRST] = none, target = 0;
    if (what >= 6 && what < 10)
        job.weights[FIRST + last] = job.weights[FIRST + nodes] = bad_weights[what - 6],
                            weight = nodes;
    if (what == 10)
        job.weights[FIRST + 2] = 0x80000000u; /* -0 is 0 */
    if (what == 11)
        job.weights[FIRST + 2] = 0x7f7fffffu; /* the greatest float */
    make_graph(offset, target, weight);
    free(graph);
}

static void graphs(void)
{
    static const uint nodes[] = { 2, GROUP - 1, GROUP, GROUP + 1, 4 * GROUP + 1 };
    for (uint i = 0; i < 5; i++)
        for (uint what = 0; what < 12 && nodes[i] > 1; what++)
            for (uint is_float = 0; is_float < 2; is_float++)
                for (uint given = 0; given < 2; given++) {
                    if ((what >= 6 && !(given && is_float)) || (what == 3 && nodes[i] < 3))
                        continue;
                    job.is_float = is_float;
                    job.given = given;
                    graph_of(nodes[i], what);
                }
    job.is_float = 0;
    job.given = 1;
    open_graph(1, 0);
    job.offsets[FIRST] = job.offsets[FIRST + 1] = 0;
    make_graph(CLADE_PATHS_NONE, CLADE_PATHS_NONE, CLADE_PATHS_NONE);
    free(graph);
}

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    graphs();
    printf("the kernels of graphs: %u wrong\n", wrong);
    return wrong != 0;
}
