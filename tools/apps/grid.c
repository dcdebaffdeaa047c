/* SPDX-License-Identifier: Apache-2.0 */
/* `clade grid`: write a road-like graph made up from a seed. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "command/clade.h"
#include "common/options.h"
#include "graph/gridgraph.h"

/* About square, with room for the crossings that are cut off and left out. */
static void choose_size(uint64_t nodes, struct gridgraph_params *params)
{
    uint64_t side = 2;
    while (side * side * 99 / 100 < nodes)
        side++;
    params->columns = (uint32_t)side;
    params->rows = (uint32_t)side;
}

int command_grid(int argc, char **argv)
{
    static const struct option options[] = { { "nodes", required_argument, NULL, 'n' },
                                             { "seed", required_argument, NULL, 's' },
                                             { "out", required_argument, NULL, 'o' },
                                             { "co", required_argument, NULL, 'c' },
                                             { NULL, 0, NULL, 0 } };
    struct gridgraph_params params = { 0 };
    const char *out = NULL, *co = NULL;
    uint64_t nodes;
    for (int c; (c = getopt_long(argc, argv, "n:s:o:c:", options, NULL)) != -1;) {
        if (c == 'n') {
            if (!option_number(optarg, 4, 400000000, &nodes))
                return report_usage("grid", "--nodes takes a number from 4 to 400000000");
            choose_size(nodes, &params);
        } else if (c == 's') {
            if (!option_number(optarg, 1, UINT64_MAX, &params.seed))
                return report_usage("grid", "--seed takes a number from 1 on");
        } else if (c == 'o') {
            out = optarg;
        } else if (c == 'c') {
            co = optarg;
        } else {
            return report_usage("grid", "the arguments are not understood");
        }
    }
    if (optind != argc || !out)
        return report_usage("grid", "it takes --out FILE and no other words");
    static const char comment[] = "made by clade grid";
    struct graph graph = { 0 };
    struct coordinates where = { 0 };
    struct file_error error;
    int result = EXIT_DONE;
    if (gridgraph_create(&graph, co ? &where : NULL, &params, &error) &&
        graph_write_dimacs(&graph, out, comment, &error) &&
        (!co || coordinates_write(&where, co, comment, &error))) {
        printf("nodes %" PRIu64 "\narcs %" PRIu64 "\n", graph.nodes, graph.arcs);
    } else {
        fprintf(stderr, "clade: %s\n", error.text);
        result = EXIT_FAILED;
    }
    coordinates_free(&where);
    graph_free(&graph);
    return result;
}
