/* SPDX-License-Identifier: Apache-2.0 */
/* A road-like grid. Integers only: floating point could differ between machines. */
#include "graph/gridgraph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "graph/parse.h"

enum {
    SIDE_MAX = 30000,
    BLOCK = 1000,         /* between grid points */
    JITTER = 350,         /* a crossing's greatest offset from its grid point, each way */
    MISSING = 25,         /* streets that are missing, in a hundred */
    HIGHWAY_RISING = 64,  /* columns from one highway to the next, those that go north-east */
    HIGHWAY_FALLING = 96, /* and those that go south-east */
    HIGHWAY_PERCENT = 45, /* time on a highway, of the time on a street */
    STREET_PERCENT_MIN = 80,
    STREET_PERCENT_SPAN = 120
};

/* What hash() is asked for. */
enum use { USE_X = 1, USE_Y, USE_EAST, USE_NORTH, USE_EAST_SPEED, USE_NORTH_SPEED };

struct grid {
    uint32_t columns;
    uint32_t rows;
    uint64_t seed;
    uint32_t *parent; /* union-find over the crossings: a root is its own parent */
    struct arc_list edges;
};

/* A number that depends on the seed, the crossing and the use alone, not on the order of asking. */
static uint64_t hash(const struct grid *grid, uint32_t crossing, enum use use)
{
    uint64_t x = grid->seed * 0x9e3779b97f4a7c15u + ((uint64_t)crossing << 8 | (uint64_t)use);

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 29);
}

static uint32_t square_root(uint64_t square)
{
    uint64_t root = 0;

    for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    return (uint32_t)root;
}

static int64_t jitter(const struct grid *grid, uint32_t crossing, enum use use)
{
    return (int64_t)(hash(grid, crossing, use) % (2 * JITTER + 1)) - JITTER;
}

/* The way from one crossing to another in a straight line. */
static uint64_t length(const struct grid *grid, uint32_t a, uint32_t b)
{
    int64_t columns = (int64_t)(b % grid->columns) - (int64_t)(a % grid->columns);
    int64_t rows = (int64_t)(b / grid->columns) - (int64_t)(a / grid->columns);
    int64_t x = columns * BLOCK + jitter(grid, b, USE_X) - jitter(grid, a, USE_X);
    int64_t y = rows * BLOCK + jitter(grid, b, USE_Y) - jitter(grid, a, USE_Y);

    return square_root((uint64_t)(x * x + y * y));
}

static uint32_t find_root(struct grid *grid, uint32_t crossing)
{
    uint32_t *parent = grid->parent;

    while (parent[crossing] != crossing) {
        parent[crossing] = parent[parent[crossing]];
        crossing = parent[crossing];
    }
    return crossing;
}

static bool add_edge(struct grid *grid, uint32_t a, uint32_t b, uint64_t percent)
{
    uint32_t root_a = find_root(grid, a), root_b = find_root(grid, b);
    uint64_t time = length(grid, a, b) * percent / 100;

    /* The smaller root wins: crossings' roots are the first crossings of their parts. */
    if (root_a < root_b)
        grid->parent[root_b] = root_a;
    else
        grid->parent[root_a] = root_b;
    return arc_list_add(&grid->edges, a, b, time > 0 ? (uint32_t)time : 1);
}

static bool add_street(struct grid *grid, uint32_t a, uint32_t b, enum use exists, enum use speed)
{
    if (hash(grid, a, exists) % 100 < MISSING)
        return true;
    return add_edge(grid, a, b, STREET_PERCENT_MIN + hash(grid, a, speed) % STREET_PERCENT_SPAN);
}

/* What leads from a crossing to the east and to the north. */
static bool add_ways(struct grid *grid, uint32_t column, uint32_t row)
{
    uint32_t here = row * grid->columns + column, north = here + grid->columns;
    bool east_end = column + 1 == grid->columns, north_end = row + 1 == grid->rows;

    if (!east_end && !add_street(grid, here, here + 1, USE_EAST, USE_EAST_SPEED))
        return false;
    if (!north_end && !add_street(grid, here, north, USE_NORTH, USE_NORTH_SPEED))
        return false;
    if (!east_end && !north_end &&
        (column + grid->rows - row) % HIGHWAY_RISING == HIGHWAY_RISING / 2 &&
        !add_edge(grid, here, north + 1, HIGHWAY_PERCENT))
        return false;
    if (!east_end && !north_end && (column + row) % HIGHWAY_FALLING == HIGHWAY_FALLING / 2 &&
        !add_edge(grid, here + 1, north, HIGHWAY_PERCENT))
        return false;
    return true;
}

/* Number the crossings of the largest part from 0, in parent[] itself; UINT32_MAX for the others.
 * `size` has a zero for each crossing. Returns how many there are. */
static uint32_t number_largest_part(struct grid *grid, uint32_t *size)
{
    uint32_t crossings = grid->columns * grid->rows, best = 0, number = 0;

    for (uint32_t i = 0; i < crossings; i++)
        size[find_root(grid, i)]++;
    for (uint32_t i = 1; i < crossings; i++)
        if (size[i] > size[best])
            best = i;
    for (uint32_t i = 0; i < crossings; i++)
        size[i] = find_root(grid, i) == best; /* no root's size is needed any more */
    for (uint32_t i = 0; i < crossings; i++)
        grid->parent[i] = size[i] ? number++ : UINT32_MAX;
    return number;
}

/* Both directions of the edges inside the largest part, under its numbers. */
static bool keep_largest_part(struct grid *grid, struct arc_list *arcs)
{
    for (uint64_t i = 0; i < grid->edges.count; i++) {
        uint32_t a = grid->parent[grid->edges.from[i]], b = grid->parent[grid->edges.to[i]];
        uint32_t weight = grid->edges.weight[i];
        if (a != UINT32_MAX &&
            (!arc_list_add(arcs, a, b, weight) || !arc_list_add(arcs, b, a, weight)))
            return false;
    }
    return true;
}

static bool add_all_ways(struct grid *grid)
{
    for (uint32_t i = 0; i < grid->columns * grid->rows; i++)
        grid->parent[i] = i;
    for (uint32_t row = 0; row < grid->rows; row++)
        for (uint32_t column = 0; column < grid->columns; column++)
            if (!add_ways(grid, column, row))
                return false;
    return true;
}

/* Where the nodes of the numbered part lie. */
static bool locate(struct coordinates *where, const struct grid *grid, uint32_t nodes)
{
    struct coordinates c = { .nodes = nodes };
    c.x = calloc(nodes, sizeof *c.x);
    c.y = calloc(nodes, sizeof *c.y);
    if (!c.x || !c.y) {
        coordinates_free(&c);
        return false;
    }
    for (uint32_t i = 0; i < grid->columns * grid->rows; i++) {
        const uint32_t node = grid->parent[i];
        if (node == UINT32_MAX)
            continue;
        c.x[node] = (int32_t)((int64_t)(i % grid->columns) * BLOCK + jitter(grid, i, USE_X));
        c.y[node] = (int32_t)((int64_t)(i / grid->columns) * BLOCK + jitter(grid, i, USE_Y));
    }
    *where = c;
    return true;
}

void gridgraph_choose_size(struct gridgraph_params *params, uint64_t nodes)
{
    uint64_t side = 2;
    while (side * side * 99 / 100 < nodes)
        side++;
    params->columns = (uint32_t)side;
    params->rows = (uint32_t)side;
}

bool gridgraph_create(struct graph *out, struct coordinates *where,
                      const struct gridgraph_params *params, struct file_error *error)
{
    static const char name[] = "grid";
    static const struct gridgraph_params defaults = { 0, 0, 0 };
    struct arc_list arcs = { 0 };
    struct coordinates located = { 0 };
    uint32_t *size = NULL, nodes;
    bool ok = false;

    if (!params)
        params = &defaults;
    struct grid grid = { .columns = params->columns ? params->columns : 540,
                         .rows = params->rows ? params->rows : 500,
                         .seed = params->seed ? params->seed : 1 };
    if (grid.columns < 2 || grid.columns > SIDE_MAX || grid.rows < 2 || grid.rows > SIDE_MAX)
        return file_error_set(error, name,
                              "%" PRIu32 " by %" PRIu32 " crossings; each side must be 2 to %d",
                              grid.columns, grid.rows, SIDE_MAX);
    size_t crossings = (size_t)grid.columns * grid.rows;
    grid.parent = malloc(crossings * sizeof *grid.parent);
    size = calloc(crossings, sizeof *size);
    if (grid.parent && size && add_all_ways(&grid)) {
        nodes = number_largest_part(&grid, size);
        ok = keep_largest_part(&grid, &arcs) && (!where || locate(&located, &grid, nodes));
    }
    if (ok)
        ok = graph_from_arcs(out, nodes, &arcs, name, error);
    else
        file_error_set(error, name, "memory is out for %zu crossings", crossings);
    if (ok && where)
        *where = located;
    else
        coordinates_free(&located);
    arc_list_free(&arcs);
    arc_list_free(&grid.edges);
    free(grid.parent);
    free(size);
    return ok;
}
