/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: shortest paths in a ring of n nodes, each with arcs to four that follow it. */
#include "profiler/profile.h"

#include <stdlib.h>

enum { DEGREE = 4, SLOTS = 4 };

struct profiled {
    clade_graph *graph;
    clade_paths *paths;
    uint64_t expanded, rounds; /* of all searches */
};

static clade_status make_graph(struct profiled *made, const struct profile_data *d)
{
    const size_t arcs = (size_t)d->n * DEGREE;
    uint32_t *offsets = malloc(((size_t)d->n + 1) * sizeof *offsets);
    uint32_t *targets = malloc(arcs * sizeof *targets), *weights = malloc(arcs * sizeof *weights);
    clade_status status = CLADE_E_NOMEM;
    if (offsets && targets && weights) {
        for (uint32_t node = 0; node <= d->n; node++)
            offsets[node] = node * DEGREE;
        for (size_t i = 0; i < arcs; i++) { /* near ones, and one that is far */
            const size_t node = i / DEGREE, step = i % DEGREE == 3 ? d->n / 7 + 1 : i % DEGREE + 1;
            targets[i] = (uint32_t)((node + step) % d->n);
            weights[i] = 10 + (uint32_t)(i * 2654435761u >> 16) % 100;
        }
        status = clade_graph_create(&made->graph, d->context,
                                    &(clade_graph_params) { .nodes = d->n,
                                                            .arcs = arcs,
                                                            .offsets = clade_host(offsets),
                                                            .targets = clade_host(targets),
                                                            .weights = clade_host(weights) });
    }
    free(offsets);
    free(targets);
    free(weights);
    return status;
}

static void paths_destroy(struct profile_data *d)
{
    struct profiled *made = d->object;
    if (!made)
        return;
    clade_paths_destroy(&made->paths);
    clade_graph_destroy(&made->graph);
    free(made);
    d->object = NULL;
}

static clade_status paths_make(struct profile_data *d)
{
    struct profiled *made = calloc(1, sizeof *made);
    d->object = made;
    if (!made)
        return CLADE_E_NOMEM;
    const clade_status status = make_graph(made, d);
    return status != CLADE_OK ? status
                              : clade_paths_create(&made->paths, made->graph,
                                                   &(clade_paths_params) { .slots = SLOTS });
}

/* There is nothing to verify but the result, which tests do. */
static clade_status paths_check(struct profile_data *d)
{
    (void)d;
    return CLADE_OK;
}

static clade_status run(struct profile_data *d, uint32_t target)
{
    struct profiled *made = d->object;
    const uint32_t source = 0;
    clade_paths_query query = { .sources = clade_host(&source), .source_count = 1 };
    clade_paths_stats stats;
    if (target != 0) {
        query.targets = clade_host(&target);
        query.target_count = 1;
    }
    clade_status status = clade_paths_run(made->paths, &query, NULL);
    if (status == CLADE_OK)
        status = clade_paths_stats_read(made->paths, &stats);
    if (status == CLADE_OK) {
        made->expanded += stats.expanded;
        made->rounds += stats.rounds;
    }
    return status;
}

static clade_status paths_run(struct profile_data *d)
{
    return run(d, 0);
}

static clade_status paths_run_to(struct profile_data *d)
{
    return run(d, d->n / 16 + 1);
}

static clade_status paths_read(struct profile_data *d)
{
    const struct profiled *made = d->object;
    return clade_paths_read(made->paths, profile_array(d->out), profile_array(d->nodes), NULL);
}

static clade_status paths_count(struct profile_data *d, struct profile_counts *counts)
{
    const struct profiled *made = d->object;
    counts->others[0] = made->expanded;
    counts->others[1] = made->rounds;
    return CLADE_OK;
}

const struct profile_load paths_loads[] = {
    { "paths",
      paths_make,
      paths_destroy,
      paths_check,
      paths_count,
      NULL,
      { "nodes expanded", "rounds" },
      { { "run", paths_run, 1 },
        { "read, with predecessors", paths_read, 1 },
        { "run, to a target", paths_run_to, 1 } } },
    { 0 },
};
