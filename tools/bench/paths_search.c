/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench paths`: one search, by clade_paths, by a clade heap as the paper does it, and by one
 * core of the host. Behind every run each distance is compared with Dijkstra's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sssp.h"
#include "bench/paths.h"
#include "command/clade.h"
#include "graph/dijkstra.h"
#include "search/device_graph.h"

struct load {
    struct bench *bench;
    const struct graph *graph;
    uint32_t source;
    uint64_t *wanted;
    uint64_t *got;
    clade_graph *on_device;
    clade_paths *paths;
    struct sssp_params params;
    struct sssp_result result;
    struct sssp_heap *heap;
};

static bool is_right(const struct load *l)
{
    return memcmp(l->wanted, l->got, (size_t)l->graph->nodes * sizeof *l->got) == 0;
}

/* --- clade_paths ------------------------------------------------------------------------------ */

static bool search(void *data)
{
    struct load *l = data;
    const clade_paths_query query = { .sources = clade_host(&l->source), .source_count = 1 };
    return succeeded(clade_paths_run(l->paths, &query, NULL));
}

static bool check(void *data)
{
    struct load *l = data;
    uint32_t *lengths = bench_alloc(l->graph->nodes, sizeof *lengths);
    const bool fine = lengths && succeeded(clade_paths_read(l->paths, clade_host(lengths),
                                                            clade_no_array(), NULL));
    for (uint64_t v = 0; fine && v < l->graph->nodes; v++)
        l->got[v] = lengths[v] == UINT32_MAX ? DISTANCE_NONE : lengths[v];
    free(lengths);
    return fine && is_right(l);
}

static bool measure_paths(struct load *l, struct bench_times *times, clade_paths_stats *stats)
{
    const struct bench_task task = { l, NULL, search, check, false };
    struct sssp_result *r = &l->result;
    bool fine = device_graph_create(&l->on_device, bench_context(l->bench), l->graph, r->error,
                                    sizeof r->error) ||
                bench_fail("%s", r->error);
    fine = fine &&
           succeeded(clade_paths_create(&l->paths, l->on_device, &(clade_paths_params) { 0 })) &&
           bench_measure(l->bench, &task, times) &&
           succeeded(clade_paths_stats_read(l->paths, stats));
    clade_paths_destroy(&l->paths);
    clade_graph_destroy(&l->on_device);
    return fine;
}

/* --- a clade heap ----------------------------------------------------------------------------- */

static bool search_by_heap(void *data)
{
    struct load *l = data;
    return sssp_heap_run(l->heap) || bench_fail("%s", l->result.error);
}

static bool check_heap(void *data)
{
    struct load *l = data;
    return !l->result.too_far && sssp_heap_read(l->heap, l->got) && is_right(l);
}

static bool measure_heap(struct load *l, struct bench_times *times)
{
    const struct bench_task task = { l, NULL, search_by_heap, check_heap, false };
    l->heap = sssp_heap_open(&l->result, bench_context(l->bench), l->graph, &l->params);
    const bool fine =
        l->heap ? bench_measure(l->bench, &task, times) : bench_fail("%s", l->result.error);
    sssp_heap_close(l->heap);
    return fine;
}

/* --- one core --------------------------------------------------------------------------------- */

static bool search_on_host(void *data)
{
    struct load *l = data;
    struct file_error error;
    return dijkstra(l->got, l->graph, l->source, &error) || bench_fail("%s", error.text);
}

static bool check_host(void *data)
{
    return is_right(data);
}

/* --- a row ------------------------------------------------------------------------------------ */

/* What was not measured has no ratio: with --alone it would be 0. */
static double ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : INFINITY;
}

static bool add_cells(struct load *l)
{
    const struct bench_task on_host = { l, NULL, search_on_host, check_host, true };
    struct bench_times paths, heap, host;
    clade_paths_stats stats = { 0 };
    if (!measure_paths(l, &paths, &stats) || !measure_heap(l, &heap) ||
        !bench_measure(l->bench, &on_host, &host))
        return false;
    bench_ms(l->bench, "paths search", &paths);
    bench_ms(l->bench, "heap search", &heap);
    bench_ms(l->bench, "Dijkstra search", &host);
    bench_count(l->bench, "paths expanded", stats.expanded);
    bench_count(l->bench, "heap expanded", l->result.visited);
    bench_count(l->bench, "paths rounds", stats.rounds);
    bench_value(l->bench, "heap / paths", ratio(heap.median, paths.median));
    bench_value(l->bench, "Dijkstra / paths", ratio(host.median, paths.median));
    return true;
}

bool bench_paths_row(struct bench *bench, const char *name, struct graph *graph, uint32_t source)
{
    struct file_error error;
    struct load l = {
        .bench = bench, .graph = graph, .source = source, .params = { .source = source }
    };
    l.wanted = bench_alloc(graph->nodes, sizeof *l.wanted);
    l.got = bench_alloc(graph->nodes, sizeof *l.got);
    bool fine = l.wanted && l.got &&
                (dijkstra(l.wanted, graph, source, &error) || bench_fail("%s", error.text));
    if (fine) {
        if (name)
            bench_text(bench, "graph", name);
        bench_count(bench, "nodes", graph->nodes);
        bench_count(bench, "arcs", graph->arcs);
        bench_count(bench, "reached", distance_summary(l.wanted, graph->nodes).reached);
        fine = add_cells(&l);
    }
    if (fine)
        bench_row_end(bench);
    free(l.wanted);
    free(l.got);
    graph_free(graph);
    return fine;
}
