/* SPDX-License-Identifier: Apache-2.0 */
/* A* by clade_paths, the library's own. */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/failure.h"
#include "search/astar.h"
#include "search/device_graph.h"

struct search {
    clade_context *context;
    const struct astar_problem *problem;
    struct astar_result *result;
    clade_graph *graph;
    clade_paths *paths;
    cl_mem bounds;
    bool lacks; /* a length that does not fit */
};

static bool ok(struct search *s, clade_status status)
{
    return failure_none(s->result->error, sizeof s->result->error, status);
}

static bool open_search(struct search *s)
{
    struct astar_result *r = s->result;
    const size_t bytes = (size_t)s->problem->graph->nodes * sizeof *s->problem->bounds;
    cl_int code;
    const double begin = now_ms();
    if (!device_graph_create(&s->graph, s->context, s->problem->graph, r->error, sizeof r->error) ||
        !ok(s, clade_paths_create(&s->paths, s->graph, &(clade_paths_params) { 0 })))
        return false;
    s->bounds =
        clCreateBuffer(clade_context_cl_context(s->context), CL_MEM_READ_ONLY, bytes, NULL, &code);
    if (!failure_none_cl(r->error, sizeof r->error, "clCreateBuffer", code) ||
        !failure_none_cl(r->error, sizeof r->error, "clEnqueueWriteBuffer",
                         clEnqueueWriteBuffer(clade_context_cl_queue(s->context), s->bounds,
                                              CL_TRUE, 0, bytes, s->problem->bounds, 0, NULL,
                                              NULL)))
        return false;
    r->graph_ms = now_ms() - begin;
    return true;
}

static bool run(struct search *s, const uint32_t *to)
{
    const clade_paths_query query = { .sources = clade_host(&s->problem->from),
                                      .source_count = 1,
                                      .targets = clade_host(to),
                                      .target_count = 1,
                                      .bounds = clade_device(s->bounds, 0) };
    const clade_status status = clade_paths_run(s->paths, &query, NULL);
    s->lacks = status == CLADE_E_FULL;
    return s->lacks || ok(s, status);
}

/* Two calls: the first says how many nodes the way has. */
static bool read_way(struct search *s)
{
    struct astar_result *r = s->result;
    const clade_status status = clade_paths_trace(s->paths, s->problem->to, NULL, 0, &r->nodes);
    if (status == CLADE_E_NOT_FOUND)
        return true;
    if (!ok(s, status))
        return false;
    r->way = malloc((size_t)r->nodes * sizeof *r->way);
    if (!r->way)
        snprintf(r->error, sizeof r->error, "host memory is out");
    return r->way &&
           ok(s, clade_paths_trace(s->paths, s->problem->to, r->way, r->nodes, &r->nodes));
}

static bool read_length(struct search *s)
{
    struct astar_result *r = s->result;
    uint32_t *lengths = malloc((size_t)s->problem->graph->nodes * sizeof *lengths);
    bool fine = false;
    if (!lengths)
        snprintf(r->error, sizeof r->error, "host memory is out");
    else
        fine = ok(s, clade_paths_read(s->paths, clade_host(lengths), clade_no_array(), NULL));
    if (fine)
        r->length = lengths[s->problem->to] == UINT32_MAX ? DISTANCE_NONE : lengths[s->problem->to];
    free(lengths);
    if (fine && s->lacks && r->length == DISTANCE_NONE) {
        snprintf(r->error, sizeof r->error, "no way was found whose length fits 32 bits");
        return false;
    }
    return fine;
}

/* Search twice: some drivers compile a kernel when it is first launched. */
static bool search(struct search *s)
{
    struct astar_result *r = s->result;
    clade_paths_stats stats;
    if (!open_search(s) || !run(s, &s->problem->from))
        return false;
    const double begin = now_ms();
    if (!run(s, &s->problem->to))
        return false;
    r->time_ms = now_ms() - begin;
    if (!ok(s, clade_paths_stats_read(s->paths, &stats)))
        return false;
    r->explored = stats.expanded;
    return read_length(s) && read_way(s);
}

bool astar_solve_by_paths(struct astar_result *result, clade_context *context,
                          const struct astar_problem *problem)
{
    struct search s = { .context = context, .problem = problem, .result = result };
    *result = (struct astar_result) { 0 };
    const bool fine = search(&s);
    if (s.bounds)
        clReleaseMemObject(s.bounds);
    clade_paths_destroy(&s.paths);
    clade_graph_destroy(&s.graph);
    if (!fine) {
        free(result->way);
        result->way = NULL;
    }
    return fine;
}
