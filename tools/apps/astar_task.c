/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/astar_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "graph/coordinates.h"

static bool refuse(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return false;
}

/* Two numbers with `between` between them. */
static bool parse_pair(const char *text, char between, uint64_t *first, uint64_t *second)
{
    char copy[48], *middle;
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    middle = strchr(copy, between);
    if (!middle)
        return false;
    *middle = '\0';
    return option_number(copy, 0, GRIDMAP_CELLS_MAX, first) &&
           option_number(middle + 1, 0, GRIDMAP_CELLS_MAX, second);
}

bool astar_size(const char *text, struct astar_source *source)
{
    return parse_pair(text, 'x', &source->width, &source->height) && source->width > 0 &&
           source->height > 0 && source->width * source->height <= GRIDMAP_CELLS_MAX;
}

/* `text` is "X,Y"; NULL: `otherwise`. */
static bool choose_cell(const struct gridmap *map, const char *what, const char *text,
                        uint32_t otherwise, uint32_t *cell)
{
    uint64_t x, y;
    *cell = otherwise;
    if (text) {
        if (!parse_pair(text, ',', &x, &y) || x >= map->width || y >= map->height) {
            fprintf(stderr,
                    "clade: the %s %s is outside the map of %" PRIu32 " by %" PRIu32 " cells\n",
                    what, text, map->width, map->height);
            return false;
        }
        *cell = (uint32_t)(y * map->width + x);
    }
    if (!map->blocked[*cell])
        return true;
    fprintf(stderr, "clade: the %s %" PRIu32 ",%" PRIu32 " is an obstacle\n", what,
            *cell % map->width, *cell / map->width);
    return false;
}

static bool choose_node(const struct graph *graph, const char *what, const char *text,
                        uint32_t *node)
{
    uint64_t number;
    const uint64_t last = graph->nodes - 1 + graph->first_id;
    if (!option_number(text, graph->first_id, last, &number)) {
        fprintf(stderr, "clade: the %s %s is no node: nodes are %" PRIu32 " to %" PRIu64 "\n", what,
                text, graph->first_id, last);
        return false;
    }
    *node = (uint32_t)(number - graph->first_id);
    return true;
}

static bool make_bounds(struct astar_task *t)
{
    const struct astar_problem *p = &t->problem;
    t->bounds = malloc((size_t)t->graph.nodes * sizeof *t->bounds);
    for (uint64_t node = 0; t->bounds && t->map.blocked && node < t->graph.nodes; node++)
        t->bounds[node] = gridmap_bound(&t->map, (uint32_t)node, p->to);
    return t->bounds != NULL;
}

/* The search by the heap reads the map itself. */
static bool open_map(struct astar_task *t, const struct astar_source *source,
                     struct file_error *error)
{
    struct gridmap *map = &t->map;
    if (source->file) {
        if (!gridmap_read(map, source->file, error))
            return refuse(error->text);
    } else if (!gridmap_generate(map, (uint32_t)source->width, (uint32_t)source->height,
                                 (uint32_t)source->percent, source->seed)) {
        return refuse("host memory is out");
    }
    if (source->write && !gridmap_write(map, source->write, error))
        return refuse(error->text);
    if (!choose_cell(map, "start", source->from, 0, &t->problem.from) ||
        !choose_cell(map, "goal", source->to, map->width * map->height - 1, &t->problem.to))
        return false;
    if (source->has_graph && (!gridmap_graph(&t->graph, map) || !make_bounds(t)))
        return refuse("host memory is out");
    return true;
}

static bool open_graph(struct astar_task *t, const struct astar_source *source,
                       struct file_error *error)
{
    struct astar_problem *p = &t->problem;
    struct coordinates where = { 0 };
    bool fine = graph_read(&t->graph, source->file, error) &&
                coordinates_read(&where, source->co, t->graph.nodes, error);
    if (!fine)
        (void)refuse(error->text);
    fine = fine && choose_node(&t->graph, "start", source->from, &p->from) &&
           choose_node(&t->graph, "goal", source->to, &p->to);
    if (fine &&
        !(make_bounds(t) && coordinates_bounds(t->bounds, &t->graph, &where, p->from, p->to)))
        fine = refuse("host memory is out");
    coordinates_free(&where);
    return fine;
}

bool astar_task_open(struct astar_task *t, const struct astar_source *source)
{
    struct file_error error;
    *t = (struct astar_task) { 0 };
    if (!(source->co ? open_graph(t, source, &error) : open_map(t, source, &error)))
        return false;
    t->problem.graph = &t->graph;
    t->problem.bounds = t->bounds;
    return true;
}

void astar_task_close(struct astar_task *t)
{
    free(t->bounds);
    graph_free(&t->graph);
    gridmap_free(&t->map);
}
