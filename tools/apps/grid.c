/* SPDX-License-Identifier: Apache-2.0 */
/* `clade grid`: write a graph made up from a seed, like a road network or like a social one. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "command/clade.h"
#include "common/options.h"
#include "graph/gridgraph.h"
#include "graph/kronecker.h"

struct arguments {
    struct gridgraph_params roads;
    struct kronecker_params kronecker; /* scale 0: roads */
    const char *out, *co;
};

static bool parse_option(struct arguments *a, int option, const char *text)
{
    uint64_t number;
    switch (option) {
    case 'n':
        if (!option_number(text, 4, GRIDGRAPH_NODES_MAX, &number))
            return false;
        gridgraph_choose_size(&a->roads, number);
        return true;
    case 'k':
        if (!option_number(text, 1, KRONECKER_SCALE_MAX, &number))
            return false;
        a->kronecker.scale = (uint32_t)number;
        return true;
    case 's':
        if (!option_number(text, 1, UINT64_MAX, &a->roads.seed))
            return false;
        a->kronecker.seed = a->roads.seed;
        return true;
    case 'o':
        a->out = text;
        return true;
    case 'c':
        a->co = text;
        return true;
    default:
        return false;
    }
}

static bool parse(struct arguments *a, int argc, char **argv)
{
    static const struct option options[] = {
        { "nodes", required_argument, NULL, 'n' }, { "kronecker", required_argument, NULL, 'k' },
        { "seed", required_argument, NULL, 's' },  { "out", required_argument, NULL, 'o' },
        { "co", required_argument, NULL, 'c' },    { NULL, 0, NULL, 0 }
    };
    *a = (struct arguments) { .out = NULL };
    for (int c; (c = getopt_long(argc, argv, "n:k:s:o:c:", options, NULL)) != -1;)
        if (!parse_option(a, c, optarg))
            return false;
    return optind == argc && a->out && !(a->kronecker.scale && (a->co || a->roads.columns));
}

static bool create(struct graph *graph, struct coordinates *where, const struct arguments *a,
                   struct file_error *error)
{
    if (a->kronecker.scale)
        return kronecker_create(graph, &a->kronecker, error);
    return gridgraph_create(graph, a->co ? where : NULL, &a->roads, error);
}

int command_grid(int argc, char **argv)
{
    static const char comment[] = "made by clade grid";
    struct arguments arguments;
    struct graph graph = { 0 };
    struct coordinates where = { 0 };
    struct file_error error;
    int result = EXIT_DONE;
    if (!parse(&arguments, argc, argv))
        return report_usage("grid", "it takes --out FILE, and --nodes from 4 to 400000000, or "
                                    "--kronecker from 1 to 28 without --co");
    if (create(&graph, &where, &arguments, &error) &&
        graph_write_dimacs(&graph, arguments.out, comment, &error) &&
        (!arguments.co || coordinates_write(&where, arguments.co, comment, &error))) {
        printf("nodes %" PRIu64 "\narcs %" PRIu64 "\n", graph.nodes, graph.arcs);
    } else {
        fprintf(stderr, "clade: %s\n", error.text);
        result = EXIT_FAILED;
    }
    coordinates_free(&where);
    graph_free(&graph);
    return result;
}
