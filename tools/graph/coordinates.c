/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/coordinates.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "graph/parse.h"

/* --- reading -------------------------------------------------------------------------------- */

static bool take_integer(struct textfile *file, int32_t *value, struct file_error *error)
{
    char word[32], *end;
    const size_t length = textfile_word(file, word, sizeof word);
    errno = 0;
    const long long number = strtoll(word, &end, 10);
    if (length == 0 || length >= sizeof word || *end || errno || number < INT32_MIN ||
        number > INT32_MAX)
        return textfile_fail(file, error,
                             "a coordinate is '%s'; it must be a whole number of 32 bits", word);
    *value = (int32_t)number;
    return true;
}

/* `p aux sp co NODES`; the `p` has been taken. */
static bool parse_problem(struct textfile *file, uint64_t nodes, struct file_error *error)
{
    static const char *const words[] = { "aux", "sp", "co" };
    char word[32];
    uint64_t count;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        textfile_word(file, word, sizeof word);
        if (strcmp(word, words[i]) != 0)
            return textfile_fail(file, error,
                                 "these are no coordinates: 'p aux sp co' is expected");
    }
    if (!graph_field(file, "the number of nodes", 1, GRAPH_NODES_MAX, &count, error) ||
        !graph_line_end(file, error))
        return false;
    return count == nodes ||
           textfile_fail(file, error, "coordinates of %" PRIu64 " nodes; the graph has %" PRIu64,
                         count, nodes);
}

/* `v ID X Y`; the `v` has been taken. */
static bool parse_node(struct coordinates *c, struct textfile *file, uint8_t *has,
                       struct file_error *error)
{
    uint32_t node;
    if (!graph_node(file, c->nodes, &node, error) || !take_integer(file, &c->x[node], error) ||
        !take_integer(file, &c->y[node], error) || !graph_line_end(file, error))
        return false;
    has[node] = 1;
    return true;
}

static bool parse_lines(struct coordinates *c, struct textfile *file, uint8_t *has,
                        struct file_error *error)
{
    char word[16];
    bool begun = false;
    while (graph_skip_comments(file, 'c') != TEXTFILE_END) {
        textfile_word(file, word, sizeof word);
        if (strcmp(word, "p") == 0 && !begun) {
            if (!parse_problem(file, c->nodes, error))
                return false;
            begun = true;
        } else if (strcmp(word, "v") != 0 || !begun) {
            return textfile_fail(file, error, "the line starts with '%s'; '%s' is expected", word,
                                 begun ? "v" : "p aux sp co");
        } else if (!parse_node(c, file, has, error)) {
            return false;
        }
        textfile_next_line(file);
    }
    for (uint64_t node = 0; node < c->nodes; node++)
        if (!has[node])
            return textfile_fail(file, error, "node %" PRIu64 " has no coordinates", node + 1);
    return true;
}

/* Takes `file`. */
static bool read_and_close(struct coordinates *out, struct textfile *file, uint64_t nodes,
                           struct file_error *error)
{
    struct coordinates c = { .nodes = nodes };
    uint8_t *has = calloc((size_t)nodes, 1);
    c.x = calloc((size_t)nodes, sizeof *c.x);
    c.y = calloc((size_t)nodes, sizeof *c.y);
    bool fine = has && c.x && c.y;
    if (!fine)
        textfile_fail(file, error, "memory is out for %" PRIu64 " nodes", nodes);
    fine = fine && parse_lines(&c, file, has, error);
    if (fine && !textfile_intact(file))
        fine = textfile_fail(file, error, "the file is damaged");
    textfile_close(file);
    free(has);
    if (fine)
        *out = c;
    else
        coordinates_free(&c);
    return fine;
}

bool coordinates_read(struct coordinates *out, const char *path, uint64_t nodes,
                      struct file_error *error)
{
    struct textfile *file = textfile_open(path, error);
    return file && read_and_close(out, file, nodes, error);
}

bool coordinates_read_memory(struct coordinates *out, const char *name, const void *data,
                             size_t bytes, uint64_t nodes, struct file_error *error)
{
    struct textfile *file = textfile_open_memory(name, data, bytes, error);
    return file && read_and_close(out, file, nodes, error);
}

bool coordinates_write(const struct coordinates *coordinates, const char *path, const char *comment,
                       struct file_error *error)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    if (file)
        fprintf(file, "c %s\np aux sp co %" PRIu64 "\n", comment, coordinates->nodes);
    for (uint64_t u = 0; file && u < coordinates->nodes; u++)
        fprintf(file, "v %" PRIu64 " %" PRId32 " %" PRId32 "\n", u + 1, coordinates->x[u],
                coordinates->y[u]);
    return outfile_close(&out) ||
           file_error_set(error, path, "the file cannot be written: %s", strerror(errno));
}

void coordinates_free(struct coordinates *coordinates)
{
    free(coordinates->x);
    free(coordinates->y);
    *coordinates = (struct coordinates) { 0 };
}

/* --- bounds --------------------------------------------------------------------------------- */

/* The crow's distance between two points, through the earth on a sphere: whatever it is a unit of,
 * the scale undoes it. */
struct point {
    double x, y, z;
};

static struct point place(const struct coordinates *c, bool sphere, uint64_t node)
{
    const double unit = 3.14159265358979323846 / 180e6;
    const double x = c->x[node], y = c->y[node];
    if (!sphere)
        return (struct point) { x, y, 0 };
    return (struct point) { cos(y * unit) * cos(x * unit), cos(y * unit) * sin(x * unit),
                            sin(y * unit) };
}

static double distance(struct point a, struct point b)
{
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/* The least weight of an arc for its distance. Two points that are one say nothing. */
static double least_weight(const struct graph *graph, const struct point *at)
{
    double least = INFINITY;
    for (uint64_t u = 0; u < graph->nodes; u++)
        for (uint64_t arc = graph->first[u]; arc < graph->first[u + 1]; arc++) {
            const double crow = distance(at[u], at[graph->target[arc]]);
            if (crow > 0 && graph->weight[arc] / crow < least)
                least = graph->weight[arc] / crow;
        }
    return isinf(least) ? 0 : least;
}

/* What rounding made too high is lowered. The bounds are fine but for that: one pass or two. */
static void mend(uint32_t *bounds, const struct graph *graph)
{
    bool lowered = true;
    while (lowered) {
        lowered = false;
        for (uint64_t u = 0; u < graph->nodes; u++)
            for (uint64_t arc = graph->first[u]; arc < graph->first[u + 1]; arc++) {
                const uint64_t most = (uint64_t)bounds[graph->target[arc]] + graph->weight[arc];
                if (bounds[u] > most) {
                    bounds[u] = (uint32_t)most;
                    lowered = true;
                }
            }
    }
}

bool coordinates_bounds(uint32_t *bounds, const struct graph *graph,
                        const struct coordinates *coordinates, uint32_t from, uint32_t to)
{
    struct point *at = malloc((size_t)graph->nodes * sizeof *at);
    double most = -1;
    for (int sphere = 0; at && sphere < 2; sphere++) {
        for (uint64_t u = 0; u < graph->nodes; u++)
            at[u] = place(coordinates, sphere, u);
        const double scale = least_weight(graph, at);
        if (distance(at[from], at[to]) * scale <= most)
            continue;
        most = distance(at[from], at[to]) * scale;
        for (uint64_t u = 0; u < graph->nodes; u++)
            bounds[u] = (uint32_t)fmin(distance(at[u], at[to]) * scale, UINT32_MAX - 1.0);
    }
    if (at)
        mend(bounds, graph);
    free(at);
    return at != NULL;
}
