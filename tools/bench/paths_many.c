/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench paths`: searches from many sources at once. Behind every run the first rows are
 * compared with Dijkstra's. Of all rows, that the way there is as long as the way back: roads are
 * passable both ways. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/paths.h"
#include "command/clade.h"
#include "graph/dijkstra.h"
#include "search/device_graph.h"

enum { COMPARED = 8 };

struct load {
    struct bench *bench;
    const struct graph *graph;
    uint32_t *sources;
    uint64_t count;
    uint64_t *distance;
    uint32_t *wanted, *got; /* rows */
    cl_mem lengths;
    clade_graph *on_device;
    clade_paths *paths;
};

static bool search_all(void *data)
{
    struct load *l = data;
    return succeeded(clade_paths_table(l->paths, clade_host(l->sources),
                                       clade_device(l->lengths, 0), l->count, NULL));
}

static bool is_right(const struct load *l, const uint32_t *rows)
{
    return memcmp(rows, l->wanted, 4 * COMPARED * (size_t)l->graph->nodes) == 0;
}

static bool check_all(void *data)
{
    struct load *l = data;
    const uint64_t nodes = l->graph->nodes;
    bool right =
        bench_read(l->bench, l->lengths, l->got, 4 * l->count * nodes) && is_right(l, l->got);
    for (uint64_t i = 0; right && i < l->count; i++)
        for (uint64_t j = 0; right && j < i; j++)
            right = l->got[i * nodes + l->sources[j]] == l->got[j * nodes + l->sources[i]];
    return right;
}

static bool search_row(struct load *l, uint64_t row, uint32_t *to)
{
    const uint64_t nodes = l->graph->nodes;
    struct file_error error;
    if (!dijkstra(l->distance, l->graph, l->sources[row], &error))
        return bench_fail("%s", error.text);
    for (uint64_t v = 0; v < nodes; v++)
        to[row * nodes + v] =
            l->distance[v] == DISTANCE_NONE ? UINT32_MAX : (uint32_t)l->distance[v];
    return true;
}

static bool search_on_host(void *data)
{
    struct load *l = data;
    bool fine = true;
    for (uint64_t row = 0; fine && row < COMPARED; row++)
        fine = search_row(l, row, l->got);
    return fine;
}

static bool check_host(void *data)
{
    const struct load *l = data;
    return is_right(l, l->got);
}

/* `slots` searches at the same time: each takes memory of its own. */
static bool add_row(struct load *l, uint32_t slots, const struct bench_times *host)
{
    const struct bench_task task = { l, NULL, search_all, check_all, false };
    const clade_paths_params params = { .slots = slots };
    struct bench_times times;
    const bool fine = succeeded(clade_paths_create(&l->paths, l->on_device, &params)) &&
                      bench_measure(l->bench, &task, &times);
    clade_paths_destroy(&l->paths);
    if (!fine)
        return false;
    bench_count(l->bench, "at once", slots);
    bench_count(l->bench, "sources", l->count);
    bench_count(l->bench, "nodes", l->graph->nodes);
    bench_ms(l->bench, "all", &times);
    bench_value(l->bench, "paths ms a source",
                times.runs > 0 ? times.median / (double)l->count : INFINITY);
    bench_value(l->bench, "Dijkstra ms a source",
                host->runs > 0 ? host->median / COMPARED : INFINITY);
    bench_row_end(l->bench);
    return true;
}

static bool open_load(struct load *l)
{
    const uint64_t cells = l->count * l->graph->nodes;
    char error[1200] = "";
    uint64_t random = 1;
    l->sources = bench_alloc(l->count, sizeof *l->sources);
    l->distance = bench_alloc(l->graph->nodes, sizeof *l->distance);
    l->wanted = bench_alloc(COMPARED * l->graph->nodes, sizeof *l->wanted);
    l->got = bench_alloc(cells, sizeof *l->got);
    l->lengths = bench_buffer(l->bench, NULL, 4 * cells);
    bool fine = l->sources && l->distance && l->wanted && l->got && l->lengths;
    for (uint64_t row = 0; fine && row < l->count; row++) {
        l->sources[row] = bench_random_below(&random, (uint32_t)l->graph->nodes);
        if (row < COMPARED)
            fine = search_row(l, row, l->wanted);
    }
    return fine && (device_graph_create(&l->on_device, bench_context(l->bench), l->graph, error,
                                        sizeof error) ||
                    bench_fail("%s", error));
}

bool bench_paths_sources(struct bench *bench, struct graph *graph)
{
    const clade_caps *caps = clade_context_caps(bench_context(bench));
    const uint32_t most = caps->is_cpu ? 4 * caps->compute_units : 2 * caps->compute_units;
    struct load l = { .bench = bench, .graph = graph, .count = caps->is_cpu ? 32 : 1024 };
    if (bench_is_quick(bench))
        l.count = COMPARED;
    const struct bench_task on_host = { &l, NULL, search_on_host, check_host, true };
    struct bench_times host;
    bool fine = open_load(&l) && bench_measure(bench, &on_host, &host);
    for (uint32_t slots = 1; fine && slots <= most && slots <= l.count; slots *= 2)
        fine = bench_is_over(bench) || add_row(&l, slots, &host);
    if (l.lengths)
        clReleaseMemObject(l.lengths);
    clade_graph_destroy(&l.on_device);
    free(l.sources);
    free(l.distance);
    free(l.wanted);
    free(l.got);
    graph_free(graph);
    return fine;
}
