/* SPDX-License-Identifier: Apache-2.0 */
/* METIS: a header, then for each node a line of its neighbours. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/parse.h"

struct metis {
    uint64_t nodes;
    uint64_t edges;
    uint64_t header_line;
    bool vertex_sizes;
    bool edge_weights;
    uint64_t vertex_weights; /* how many for each node */

    struct graph graph; /* as far as it is read */
    uint64_t first_room, target_room, weight_room;
};

/* FMT is up to three digits of 0 and 1: vertex sizes, vertex weights, edge weights. */
static bool parse_fmt(struct metis *metis, struct textfile *file, struct file_error *error)
{
    char word[16];
    size_t length = textfile_word(file, word, sizeof word);

    if (length > 3 || strspn(word, "01") != length)
        return textfile_fail(
            file, error, "the format code is '%s'; it must be up to three digits of 0 and 1", word);
    metis->edge_weights = length >= 1 && word[length - 1] == '1';
    metis->vertex_weights = length >= 2 && word[length - 2] == '1';
    metis->vertex_sizes = length >= 3 && word[length - 3] == '1';
    return true;
}

/* `NODES EDGES [FMT [NCON]]`. */
static bool parse_header(struct metis *metis, struct textfile *file, struct file_error *error)
{
    uint64_t weights;

    if (graph_skip_comments(file, '%') == TEXTFILE_END)
        return textfile_fail(file, error, "there is no line 'NODES EDGES'");
    metis->header_line = textfile_line(file);
    if (!graph_field(file, "the number of nodes", 1, GRAPH_NODES_MAX, &metis->nodes, error) ||
        !graph_field(file, "the number of edges", 0, GRAPH_ARCS_MAX / 2, &metis->edges, error) ||
        !parse_fmt(metis, file, error))
        return false;
    int next = textfile_peek(file);
    if (next != '\n' && next != TEXTFILE_END) {
        if (!graph_field(file, "the number of vertex weights", 0, 1024, &weights, error))
            return false;
        if (weights > 0 && metis->vertex_weights == 0)
            return textfile_fail(file, error,
                                 "%" PRIu64 " weights a vertex are named, but the format code "
                                 "says that vertices have none",
                                 weights);
        if (weights > 0)
            metis->vertex_weights = weights;
    }
    return graph_line_end(file, error);
}

/* Room for one more arc; so the arrays exist in a graph without arcs too. */
static bool have_arc_room(struct metis *metis)
{
    struct graph *graph = &metis->graph;

    return graph_grow(&graph->target, &metis->target_room, graph->arcs + 1,
                      sizeof *graph->target) &&
           graph_grow(&graph->weight, &metis->weight_room, graph->arcs + 1, sizeof *graph->weight);
}

static bool add_arc(struct metis *metis, uint32_t target, uint32_t weight)
{
    struct graph *graph = &metis->graph;

    if (!have_arc_room(metis))
        return false;
    graph->target[graph->arcs] = target;
    graph->weight[graph->arcs] = weight;
    graph->arcs++;
    return true;
}

/* The line of one node: [SIZE] [WEIGHT...] (NEIGHBOUR [EDGE_WEIGHT])... */
static bool parse_node(struct metis *metis, struct textfile *file, struct file_error *error)
{
    uint64_t skipped;
    uint32_t target, weight = 1;
    int next;

    if (metis->vertex_sizes &&
        !graph_field(file, "the vertex size", 0, UINT64_MAX, &skipped, error))
        return false;
    for (uint64_t i = 0; i < metis->vertex_weights; i++)
        if (!graph_field(file, "the vertex weight", 0, UINT64_MAX, &skipped, error))
            return false;
    while ((next = textfile_peek(file)) != '\n' && next != TEXTFILE_END) {
        if (!graph_node(file, metis->nodes, &target, error) ||
            (metis->edge_weights && !graph_weight(file, &weight, error)))
            return false;
        if (metis->graph.arcs == 2 * metis->edges)
            return textfile_fail(file, error,
                                 "more neighbours than twice the %" PRIu64
                                 " edges that line %" PRIu64 " promises",
                                 metis->edges, metis->header_line);
        if (!add_arc(metis, target, weight))
            return textfile_fail(file, error, "memory is out after %" PRIu64 " arcs",
                                 metis->graph.arcs);
    }
    return true;
}

/* To the start of the next node's line. false: there is none. The last line may be empty without
 * a newline, which looks as if it were not there. */
static bool find_node_line(struct metis *metis, struct textfile *file)
{
    int next = textfile_peek(file);

    while (next == '%') {
        textfile_next_line(file);
        next = textfile_peek(file);
    }
    return next != TEXTFILE_END || metis->graph.nodes + 1 == metis->nodes;
}

static bool parse_nodes(struct metis *metis, struct textfile *file, struct file_error *error)
{
    struct graph *graph = &metis->graph;

    if (!have_arc_room(metis))
        return textfile_fail(file, error, "memory is out");
    while (graph->nodes < metis->nodes) {
        textfile_next_line(file);
        if (!find_node_line(metis, file))
            return textfile_fail(file, error,
                                 "the file ends after the lines of %" PRIu64 " of the %" PRIu64
                                 " nodes that line %" PRIu64 " promises: it is truncated",
                                 graph->nodes, metis->nodes, metis->header_line);
        if (!graph_grow(&graph->first, &metis->first_room, graph->nodes + 2, sizeof *graph->first))
            return textfile_fail(file, error, "memory is out after %" PRIu64 " nodes",
                                 graph->nodes);
        graph->first[graph->nodes++] = graph->arcs;
        graph->first[graph->nodes] = graph->arcs;
        if (!parse_node(metis, file, error))
            return false;
        graph->first[graph->nodes] = graph->arcs;
    }
    textfile_next_line(file);
    if (graph_skip_comments(file, '%') != TEXTFILE_END)
        return textfile_fail(file, error,
                             "text follows the lines of the %" PRIu64 " nodes that line %" PRIu64
                             " promises",
                             metis->nodes, metis->header_line);
    if (graph->arcs != 2 * metis->edges)
        return textfile_fail(file, error,
                             "%" PRIu64 " neighbours are listed, not twice the %" PRIu64
                             " edges that line %" PRIu64 " promises",
                             graph->arcs, metis->edges, metis->header_line);
    return true;
}

/* Give back what growing took too much; at least one element stays. Failing to shrink is harmless.
 */
static void trim(struct graph *graph)
{
    size_t arcs = graph->arcs > 0 ? (size_t)graph->arcs : 1;
    uint64_t *first = realloc(graph->first, (size_t)(graph->nodes + 1) * sizeof *first);
    uint32_t *target = realloc(graph->target, arcs * sizeof *target);
    uint32_t *weight = realloc(graph->weight, arcs * sizeof *weight);

    if (first)
        graph->first = first;
    if (target)
        graph->target = target;
    if (weight)
        graph->weight = weight;
}

bool graph_parse_metis(struct graph *out, struct textfile *file, struct file_error *error)
{
    struct metis metis = { .graph = { .first_id = 1 } };
    struct graph *graph = &metis.graph;

    if (!parse_header(&metis, file, error) || !parse_nodes(&metis, file, error)) {
        graph_free(graph);
        return false;
    }
    *out = *graph;
    trim(out);
    return true;
}
