/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/gridmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "common/random.h"
#include "graph/parse.h"

/* --- reading -------------------------------------------------------------------------------- */

static bool expect_word(struct textfile *file, const char *wanted, struct file_error *error)
{
    char word[32];
    graph_skip_comments(file, '\n');
    textfile_word(file, word, sizeof word);
    return strcmp(word, wanted) == 0 ||
           textfile_fail(file, error, "this is not a grid map: '%s' where '%s' should be", word,
                         wanted);
}

static bool parse_head(struct gridmap *map, struct textfile *file, struct file_error *error)
{
    uint64_t width, height;
    if (!expect_word(file, "type", error) || !expect_word(file, "octile", error) ||
        !graph_line_end(file, error) || !expect_word(file, "height", error) ||
        !graph_field(file, "the height", 1, GRIDMAP_CELLS_MAX, &height, error) ||
        !graph_line_end(file, error) || !expect_word(file, "width", error) ||
        !graph_field(file, "the width", 1, GRIDMAP_CELLS_MAX, &width, error) ||
        !graph_line_end(file, error) || !expect_word(file, "map", error) ||
        !graph_line_end(file, error))
        return false;
    map->width = (uint32_t)width;
    map->height = (uint32_t)height;
    return width * height <= GRIDMAP_CELLS_MAX ||
           textfile_fail(file, error, "%" PRIu64 " by %" PRIu64 " cells; at most %" PRIu64 " fit",
                         width, height, GRIDMAP_CELLS_MAX);
}

/* A row comes in pieces of at most 255 characters. Memory grows with them: what the head claims
 * need not be. */
static bool parse_row(struct gridmap *map, uint64_t row, uint64_t *room, struct textfile *file,
                      struct file_error *error)
{
    char word[256];
    textfile_next_line(file);
    if (graph_skip_comments(file, '\n') == TEXTFILE_END)
        return textfile_fail(file, error,
                             "the file ends after %" PRIu64 " of %" PRIu32 " rows: it is truncated",
                             row, map->height);
    for (uint32_t column = 0; column < map->width;) {
        size_t length = textfile_word(file, word, sizeof word);
        if (length == 0 || column + length > map->width)
            return textfile_fail(file, error, "the row has not %" PRIu32 " cells", map->width);
        if (!graph_grow(&map->blocked, room, row * map->width + column + length, 1))
            return textfile_fail(file, error, "memory is out after %" PRIu64 " rows", row);
        for (size_t i = 0; i < length; i++) {
            if (!memchr(".GS@OTW", word[i], 7)) /* a NUL is none of them */
                return textfile_fail(file, error, "a cell is '%c'; it must be one of .GS@OTW",
                                     word[i] ? word[i] : '?');
            map->blocked[row * map->width + column++] = !memchr(".GS", word[i], 3);
        }
    }
    return graph_line_end(file, error);
}

/* Takes `file`. */
static bool read_and_close(struct gridmap *out, struct textfile *file, struct file_error *error)
{
    struct gridmap map = { 0 };
    uint64_t room = 0;
    bool fine = parse_head(&map, file, error);
    for (uint64_t row = 0; fine && row < map.height; row++)
        fine = parse_row(&map, row, &room, file, error);
    if (fine && textfile_next_line(file) && graph_skip_comments(file, '\n') != TEXTFILE_END)
        fine = textfile_fail(file, error, "there is more text after the last row");
    if (fine && !textfile_intact(file))
        fine = textfile_fail(file, error, "the file is damaged");
    textfile_close(file);
    if (fine)
        *out = map;
    else
        gridmap_free(&map);
    return fine;
}

bool gridmap_read(struct gridmap *out, const char *path, struct file_error *error)
{
    struct textfile *file = textfile_open(path, error);
    return file && read_and_close(out, file, error);
}

bool gridmap_read_memory(struct gridmap *out, const char *name, const void *data, size_t bytes,
                         struct file_error *error)
{
    struct textfile *file = textfile_open_memory(name, data, bytes, error);
    return file && read_and_close(out, file, error);
}

/* --- making up ------------------------------------------------------------------------------ */

bool gridmap_generate(struct gridmap *out, uint32_t width, uint32_t height, uint32_t percent,
                      uint64_t seed)
{
    const size_t cells = (size_t)width * height;
    uint8_t *blocked = malloc(cells);
    if (!blocked)
        return false;
    for (size_t i = 0; i < cells; i++)
        blocked[i] = random_next(&seed) % 100 < percent;
    blocked[0] = blocked[cells - 1] = 0;
    *out = (struct gridmap) { width, height, blocked };
    return true;
}

bool gridmap_write(const struct gridmap *map, const char *path, struct file_error *error)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    const uint8_t *cell = map->blocked;
    if (file)
        fprintf(file, "type octile\nheight %" PRIu32 "\nwidth %" PRIu32 "\nmap\n", map->height,
                map->width);
    for (uint32_t row = 0; file && row < map->height; row++) {
        for (uint32_t column = 0; column < map->width; column++)
            fputc(*cell++ ? '@' : '.', file);
        fputc('\n', file);
    }
    return outfile_close(&out) ||
           file_error_set(error, path, "the file cannot be written: %s", strerror(errno));
}

void gridmap_free(struct gridmap *map)
{
    free(map->blocked);
    *map = (struct gridmap) { 0 };
}

/* --- shortest ways -------------------------------------------------------------------------- */

unsigned gridmap_steps(const struct gridmap *map, uint32_t cell, uint32_t to[8], uint32_t cost[8])
{
    const uint32_t x = cell % map->width, y = cell / map->width;
    unsigned count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            const int64_t nx = (int64_t)x + dx, ny = (int64_t)y + dy;
            if ((dx == 0 && dy == 0) || nx < 0 || ny < 0 || nx >= map->width || ny >= map->height)
                continue;
            const uint32_t next = (uint32_t)ny * map->width + (uint32_t)nx;
            if (map->blocked[next] || map->blocked[y * map->width + (uint32_t)nx] ||
                map->blocked[(uint32_t)ny * map->width + x])
                continue;
            to[count] = next;
            cost[count++] = dx && dy ? GRIDMAP_DIAGONAL : GRIDMAP_STRAIGHT;
        }
    }
    return count;
}

uint32_t gridmap_bound(const struct gridmap *map, uint32_t from, uint32_t to)
{
    const uint32_t x = from % map->width, y = from / map->width;
    const uint32_t to_x = to % map->width, to_y = to / map->width;
    const uint32_t dx = x > to_x ? x - to_x : to_x - x, dy = y > to_y ? y - to_y : to_y - y;
    const uint32_t most = dx > dy ? dx : dy, least = dx > dy ? dy : dx;
    return GRIDMAP_STRAIGHT * (most - least) + GRIDMAP_DIAGONAL * least;
}

bool gridmap_graph(struct graph *out, const struct gridmap *map)
{
    const size_t cells = (size_t)map->width * map->height;
    uint64_t rooms[2] = { 0, 0 };
    struct graph graph = { .nodes = cells, .first_id = 0 };
    graph.first = malloc((cells + 1) * sizeof *graph.first);
    bool fine = graph.first != NULL;
    for (size_t cell = 0; fine && cell < cells; cell++) {
        graph.first[cell] = graph.arcs;
        fine = graph_grow(&graph.target, &rooms[0], graph.arcs + 8, sizeof *graph.target) &&
               graph_grow(&graph.weight, &rooms[1], graph.arcs + 8, sizeof *graph.weight);
        if (fine && !map->blocked[cell])
            graph.arcs += gridmap_steps(map, (uint32_t)cell, graph.target + graph.arcs,
                                        graph.weight + graph.arcs);
    }
    if (fine) {
        graph.first[cells] = graph.arcs;
        *out = graph;
    } else {
        graph_free(&graph);
    }
    return fine;
}

/* Cells whose distance is d wait in bucket d mod 8: no step costs more than 7. */
struct bucket {
    uint32_t *cells;
    uint64_t count, room;
};

static bool relax_bucket(const struct gridmap *map, struct bucket *buckets, uint32_t at,
                         uint32_t *distance)
{
    struct bucket *bucket = &buckets[at % 8];
    uint32_t to[8], cost[8];
    for (uint64_t i = 0; i < bucket->count; i++) {
        const uint32_t cell = bucket->cells[i];
        if (distance[cell] != at)
            continue;
        const unsigned steps = gridmap_steps(map, cell, to, cost);
        for (unsigned s = 0; s < steps; s++) {
            if (at + cost[s] >= distance[to[s]])
                continue;
            struct bucket *next = &buckets[(at + cost[s]) % 8];
            if (!graph_grow(&next->cells, &next->room, next->count + 1, sizeof *next->cells))
                return false;
            next->cells[next->count++] = to[s];
            distance[to[s]] = at + cost[s];
        }
    }
    bucket->count = 0;
    return true;
}

bool gridmap_distance(const struct gridmap *map, uint32_t from, uint32_t to, uint32_t *distance)
{
    const size_t cells = (size_t)map->width * map->height;
    struct bucket buckets[8] = { 0 };
    uint32_t *distances = malloc(cells * sizeof *distances);
    unsigned empty = 0;
    bool fine = distances && graph_grow(&buckets[0].cells, &buckets[0].room, 1, sizeof(uint32_t));
    if (fine) {
        memset(distances, 0xff, cells * sizeof *distances);
        distances[from] = 0;
        buckets[0].cells[buckets[0].count++] = from;
    }
    for (uint32_t at = 0; fine && empty < 8 && at <= distances[to]; at++) {
        empty = buckets[at % 8].count > 0 ? 0 : empty + 1;
        fine = relax_bucket(map, buckets, at, distances);
    }
    if (fine)
        *distance = distances[to];
    for (int i = 0; i < 8; i++)
        free(buckets[i].cells);
    free(distances);
    return fine;
}
