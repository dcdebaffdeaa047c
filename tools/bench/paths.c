/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench paths`: shortest paths on made-up graphs of growing size and on those of a folder,
 * from one node and from many, and A* on grids. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/paths.h"
#include "graph/gridgraph.h"
#include "graph/kronecker.h"

static bool is_cpu(const struct bench *bench)
{
    return clade_context_caps(bench_context(bench))->is_cpu;
}

static void wish_plots(struct bench *bench, const char *x)
{
    bench_wish_plot(bench, x, " search", "one search, ms");
    bench_wish_plot(bench, x, " expanded", "nodes expanded");
}

/* --- made-up graphs --------------------------------------------------------------------------- */

static bool make_roads(struct graph *graph, uint64_t nodes)
{
    struct gridgraph_params params = { 0 };
    struct file_error error;
    gridgraph_choose_size(&params, nodes);
    return gridgraph_create(graph, NULL, &params, &error) || bench_fail("%s", error.text);
}

static bool add_roads(struct bench *bench)
{
    const uint64_t most = bench_is_quick(bench) ? 4000 : is_cpu(bench) ? 1024000 : 24000000;
    bool fine = true;
    bench_table(bench, "roads", "made-up road networks, from their first node");
    wish_plots(bench, "nodes");
    for (uint64_t nodes = 1000; fine && !bench_is_over(bench) && bench_wants(bench, "roads");) {
        struct graph graph;
        fine = make_roads(&graph, nodes) && bench_paths_row(bench, NULL, &graph, 0);
        if (nodes == most)
            break;
        nodes = nodes * 4 < most ? nodes * 4 : most;
    }
    return fine;
}

/* The first node that has an arc: many have none. */
static uint32_t first_node(const struct graph *graph)
{
    uint32_t node = 0;
    while (node + 1 < graph->nodes && graph->first[node + 1] == graph->first[node])
        node++;
    return node;
}

static bool add_kronecker(struct bench *bench)
{
    const uint32_t most = bench_is_quick(bench) ? 10 : is_cpu(bench) ? 16 : 20;
    bool fine = true;
    bench_table(bench, "kronecker", "Kronecker graphs, weights 1 to 255");
    wish_plots(bench, "nodes");
    for (uint32_t scale = 10; fine && scale <= most && !bench_is_over(bench); scale += 2) {
        struct graph graph;
        struct file_error error;
        if (!bench_wants(bench, "kronecker"))
            break;
        fine = (kronecker_create(&graph, &(struct kronecker_params) { .scale = scale }, &error) ||
                bench_fail("%s", error.text)) &&
               bench_paths_row(bench, NULL, &graph, first_node(&graph));
    }
    return fine;
}

static bool add_sources(struct bench *bench)
{
    struct graph graph;
    const uint64_t nodes = bench_is_quick(bench) ? 1000 : is_cpu(bench) ? 16000 : 256000;
    bench_table(bench, "sources", "from many nodes of a made-up road network, each by itself");
    bench_wish_plot(bench, "at once", " ms a source", "ms a source");
    if (bench_is_over(bench) || !bench_wants(bench, "sources"))
        return true;
    return make_roads(&graph, nodes) && bench_paths_sources(bench, &graph);
}

static bool add_grids(struct bench *bench)
{
    bench_table(bench, "grids",
                "A* through grids of which a fifth are obstacles, corner to corner");
    wish_plots(bench, "cells");
    return !bench_wants(bench, "grids") || bench_paths_grids(bench);
}

/* --- graphs of a folder ----------------------------------------------------------------------- */

static int is_graph(const struct dirent *entry)
{
    return strstr(entry->d_name, ".gr") != NULL || strstr(entry->d_name, ".mtx") != NULL;
}

static bool add_file(struct bench *bench, const char *folder, const char *name)
{
    char path[4096];
    struct graph graph;
    struct file_error error;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return bench_fail("the name of a graph is too long");
    return (graph_read(&graph, path, &error) || bench_fail("%s", error.text)) &&
           bench_paths_row(bench, name, &graph, 0);
}

static bool add_files(struct bench *bench)
{
    struct dirent **entries = NULL;
    char folder[4000];
    const char *data = getenv("CLADE_DATA");
    bool fine = true;
    if (!data || bench_is_quick(bench) || !bench_wants(bench, "files"))
        return true;
    snprintf(folder, sizeof folder, "%s/graphs", data);
    const int count = scandir(folder, &entries, is_graph, alphasort);
    if (count > 0) {
        bench_table(bench, "files", "graphs of $CLADE_DATA/graphs, from node 1");
        wish_plots(bench, "nodes");
    }
    for (int i = 0; i < count; i++) {
        fine = fine && (bench_is_over(bench) || add_file(bench, folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return fine;
}

static bool run_suite(struct bench *bench)
{
    return add_roads(bench) && add_kronecker(bench) && add_sources(bench) && add_grids(bench) &&
           add_files(bench);
}

const struct bench_suite paths_suite = {
    .name = "paths",
    .summary = "shortest paths: roads, Kronecker graphs, many sources, A* on grids",
    .run = run_suite,
    .quick = { 16, 1 },
    .cpu = { 58, 13 },
    .gpu = { 82, 120 },
    .tables = "roads kronecker sources grids files",
};
