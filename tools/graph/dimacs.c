/* SPDX-License-Identifier: Apache-2.0 */
/* The DIMACS family: shortest paths (`p sp`) and PACE tree width (`p tw`); and writing the first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "graph/parse.h"

enum problem { PROBLEM_NONE, PROBLEM_SP, PROBLEM_TW };

struct dimacs {
    enum problem problem;
    uint64_t nodes;
    uint64_t lines_promised; /* arcs, or edges, that the problem line names */
    uint64_t lines;          /* read so far */
    uint64_t problem_line;
    struct arc_list arcs;
};

static const char *line_name(const struct dimacs *dimacs)
{
    return dimacs->problem == PROBLEM_SP ? "arcs" : "edges";
}

/* `p sp NODES ARCS` or `p tw NODES EDGES`; the `p` has been taken. */
static bool parse_problem(struct dimacs *dimacs, struct textfile *file, struct file_error *error)
{
    char word[16];

    if (dimacs->problem != PROBLEM_NONE)
        return textfile_fail(file, error, "a second problem line; the first is line %" PRIu64,
                             dimacs->problem_line);
    textfile_word(file, word, sizeof word);
    if (strcmp(word, "sp") == 0)
        dimacs->problem = PROBLEM_SP;
    else if (strcmp(word, "tw") == 0)
        dimacs->problem = PROBLEM_TW;
    else
        return textfile_fail(file, error,
                             "the problem is '%s'; only 'sp' (shortest paths) and 'tw' (an "
                             "undirected graph) are known",
                             word);
    dimacs->problem_line = textfile_line(file);
    return graph_field(file, "the number of nodes", 1, GRAPH_NODES_MAX, &dimacs->nodes, error) &&
           graph_field(file,
                       dimacs->problem == PROBLEM_SP ? "the number of arcs" : "the number of edges",
                       0, GRAPH_ARCS_MAX / 2, &dimacs->lines_promised, error) &&
           graph_line_end(file, error);
}

/* Count a line that names an arc or edge, before it is read. */
static bool count_line(struct dimacs *dimacs, enum problem problem, struct textfile *file,
                       struct file_error *error)
{
    if (dimacs->problem == PROBLEM_NONE)
        return textfile_fail(file, error, "an arc or edge comes before the line 'p sp NODES ARCS'");
    if (dimacs->problem != problem)
        return textfile_fail(file, error, "%s in the problem of line %" PRIu64,
                             problem == PROBLEM_SP ? "an arc 'a ...' is out of place"
                                                   : "a line of numbers is out of place",
                             dimacs->problem_line);
    if (dimacs->lines == dimacs->lines_promised)
        return textfile_fail(file, error,
                             "more than the %" PRIu64 " %s that line %" PRIu64 " promises",
                             dimacs->lines_promised, line_name(dimacs), dimacs->problem_line);
    dimacs->lines++;
    return true;
}

static bool add_arc(struct dimacs *dimacs, uint32_t from, uint32_t to, uint32_t weight,
                    struct textfile *file, struct file_error *error)
{
    if (!arc_list_add(&dimacs->arcs, from, to, weight))
        return textfile_fail(file, error, "memory is out after %" PRIu64 " arcs",
                             dimacs->arcs.count);
    return true;
}

/* `a FROM TO WEIGHT`; the `a` has been taken. */
static bool parse_arc(struct dimacs *dimacs, struct textfile *file, struct file_error *error)
{
    uint32_t from, to, weight;

    return count_line(dimacs, PROBLEM_SP, file, error) &&
           graph_node(file, dimacs->nodes, &from, error) &&
           graph_node(file, dimacs->nodes, &to, error) && graph_weight(file, &weight, error) &&
           graph_line_end(file, error) && add_arc(dimacs, from, to, weight, file, error);
}

/* An unweighted edge's weight: any fixed spread of 1 .. 1000 would do; this one is documented, so
 * that distances can be compared. `u` and `v` are ids, in the order of the file. */
static uint32_t edge_weight(uint64_t u, uint64_t v)
{
    return 1 + (uint32_t)(u * 2654435761u + v * 40503u) % 1000;
}

/* `U V`. */
static bool parse_edge(struct dimacs *dimacs, struct textfile *file, struct file_error *error)
{
    uint32_t u, v;

    if (!count_line(dimacs, PROBLEM_TW, file, error) ||
        !graph_node(file, dimacs->nodes, &u, error) ||
        !graph_node(file, dimacs->nodes, &v, error) || !graph_line_end(file, error))
        return false;
    uint32_t weight = edge_weight((uint64_t)u + 1, (uint64_t)v + 1);
    return add_arc(dimacs, u, v, weight, file, error) && add_arc(dimacs, v, u, weight, file, error);
}

static bool parse_line(struct dimacs *dimacs, int start, struct textfile *file,
                       struct file_error *error)
{
    char word[48];

    if (start >= '0' && start <= '9')
        return parse_edge(dimacs, file, error);
    textfile_word(file, word, sizeof word);
    if (strcmp(word, "a") == 0)
        return parse_arc(dimacs, file, error);
    if (strcmp(word, "p") == 0)
        return parse_problem(dimacs, file, error);
    return textfile_fail(file, error,
                         "the line starts with '%s'; 'c', 'p', 'a' or a node is expected", word);
}

static bool parse_lines(struct dimacs *dimacs, struct textfile *file, struct file_error *error)
{
    int start;

    while ((start = graph_skip_comments(file, 'c')) != TEXTFILE_END) {
        if (!parse_line(dimacs, start, file, error))
            return false;
        textfile_next_line(file);
    }
    if (dimacs->problem == PROBLEM_NONE)
        return textfile_fail(file, error, "there is no line 'p sp NODES ARCS'");
    if (dimacs->lines < dimacs->lines_promised)
        return textfile_fail(file, error,
                             "the file ends after %" PRIu64 " of the %" PRIu64
                             " %s that line %" PRIu64 " promises: it is truncated",
                             dimacs->lines, dimacs->lines_promised, line_name(dimacs),
                             dimacs->problem_line);
    return true;
}

bool graph_parse_dimacs(struct graph *out, struct textfile *file, struct file_error *error)
{
    struct dimacs dimacs = { 0 };
    bool ok = parse_lines(&dimacs, file, error) &&
              graph_from_arcs(out, dimacs.nodes, &dimacs.arcs, textfile_name(file), error);

    arc_list_free(&dimacs.arcs);
    return ok;
}

/* --- writing -------------------------------------------------------------------------------- */

bool graph_write_dimacs(const struct graph *graph, const char *path, const char *comment,
                        struct file_error *error)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    if (file && comment)
        fprintf(file, "c %s\n", comment);
    if (file)
        fprintf(file, "p sp %" PRIu64 " %" PRIu64 "\n", graph->nodes, graph->arcs);
    for (uint64_t u = 0; file && u < graph->nodes; u++)
        for (uint64_t i = graph->first[u]; i < graph->first[u + 1]; i++)
            fprintf(file, "a %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", u + 1,
                    (uint64_t)graph->target[i] + 1, graph->weight[i]);
    return outfile_close(&out) ||
           file_error_set(error, path, "the file cannot be written: %s", strerror(errno));
}
