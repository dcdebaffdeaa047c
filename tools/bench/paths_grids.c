/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench paths`: A* through grids with obstacles, beside A* with a binary heap on one core.
 * Behind every run the way's length is compared. */
#include <math.h>
#include <stdlib.h>

#include "bench/paths.h"
#include "command/clade.h"
#include "search/astar.h"
#include "search/device_graph.h"

struct load {
    struct bench *bench;
    struct astar_problem problem;
    struct gridmap map;
    struct graph graph;
    uint32_t *bounds;
    uint64_t wanted;
    clade_graph *on_device;
    clade_paths *paths;
    cl_mem bounds_mem, lengths;
    struct astar_result on_host;
};

static bool search(void *data)
{
    struct load *l = data;
    const clade_paths_query query = { .sources = clade_host(&l->problem.from),
                                      .source_count = 1,
                                      .targets = clade_host(&l->problem.to),
                                      .target_count = 1,
                                      .bounds = clade_device(l->bounds_mem, 0) };
    return succeeded(clade_paths_run(l->paths, &query, NULL));
}

static bool check(void *data)
{
    struct load *l = data;
    uint32_t length = 0;
    cl_command_queue queue = clade_context_cl_queue(bench_context(l->bench));
    return succeeded(
               clade_paths_read(l->paths, clade_device(l->lengths, 0), clade_no_array(), NULL)) &&
           clEnqueueReadBuffer(queue, l->lengths, CL_TRUE, 4 * (size_t)l->problem.to, sizeof length,
                               &length, 0, NULL, NULL) == CL_SUCCESS &&
           (length == UINT32_MAX ? DISTANCE_NONE : length) == l->wanted;
}

static bool search_on_host(void *data)
{
    struct load *l = data;
    const bool fine = astar_solve_on_host(&l->on_host, &l->problem);
    free(l->on_host.way);
    return fine || bench_fail("%s", l->on_host.error);
}

static bool check_host(void *data)
{
    const struct load *l = data;
    return l->on_host.length == l->wanted;
}

static bool open_load(struct load *l, uint32_t side)
{
    const size_t cells = (size_t)side * side;
    uint32_t expected = 0;
    char error[1200] = "";
    l->problem = (struct astar_problem) { .graph = &l->graph, .to = (uint32_t)cells - 1 };
    l->bounds = bench_alloc(cells, sizeof *l->bounds);
    if (!l->bounds || !gridmap_generate(&l->map, side, side, 20, 3) ||
        !gridmap_graph(&l->graph, &l->map) ||
        !gridmap_distance(&l->map, 0, l->problem.to, &expected))
        return bench_fail("memory is out");
    l->wanted = expected == GRIDMAP_FAR ? DISTANCE_NONE : expected;
    for (size_t cell = 0; cell < cells; cell++)
        l->bounds[cell] = gridmap_bound(&l->map, (uint32_t)cell, l->problem.to);
    l->problem.bounds = l->bounds;
    l->bounds_mem = bench_buffer(l->bench, l->bounds, 4 * cells);
    l->lengths = bench_buffer(l->bench, NULL, 4 * cells);
    return l->bounds_mem && l->lengths &&
           (device_graph_create(&l->on_device, bench_context(l->bench), &l->graph, error,
                                sizeof error) ||
            bench_fail("%s", error)) &&
           succeeded(clade_paths_create(&l->paths, l->on_device, &(clade_paths_params) { 0 }));
}

static bool add_cells(struct load *l)
{
    const struct bench_task on_device = { l, NULL, search, check, false };
    const struct bench_task on_host = { l, NULL, search_on_host, check_host, true };
    struct bench_times paths, host;
    clade_paths_stats stats;
    if (!bench_measure(l->bench, &on_device, &paths) || !bench_measure(l->bench, &on_host, &host) ||
        !succeeded(clade_paths_stats_read(l->paths, &stats)))
        return false;
    bench_count(l->bench, "cells", l->graph.nodes);
    bench_ms(l->bench, "paths search", &paths);
    bench_ms(l->bench, "A* search", &host);
    bench_count(l->bench, "paths expanded", stats.expanded);
    if (host.runs > 0)
        bench_count(l->bench, "A* expanded", l->on_host.explored);
    else
        bench_none(l->bench, "A* expanded", host.left_out ? "left out" : "no time");
    bench_value(l->bench, "A* / paths",
                paths.runs > 0 && host.runs > 0 ? host.median / paths.median : INFINITY);
    return true;
}

static void close_load(struct load *l)
{
    if (l->bounds_mem)
        clReleaseMemObject(l->bounds_mem);
    if (l->lengths)
        clReleaseMemObject(l->lengths);
    clade_paths_destroy(&l->paths);
    clade_graph_destroy(&l->on_device);
    free(l->bounds);
    graph_free(&l->graph);
    gridmap_free(&l->map);
}

bool bench_paths_grids(struct bench *bench)
{
    const bool cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint32_t most = bench_is_quick(bench) ? 125 : cpu ? 1000 : 4000;
    bool fine = true;
    for (uint32_t side = 125; fine && side <= most && !bench_is_over(bench); side *= 2) {
        struct load l = { .bench = bench };
        fine = open_load(&l, side) && add_cells(&l);
        close_load(&l);
        if (fine)
            bench_row_end(bench);
    }
    return fine;
}
