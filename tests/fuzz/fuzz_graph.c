/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes given to the readers of graphs and of their coordinates: what is sound, or one line
 * that says what is wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/coordinates.h"
#include "graph/dijkstra.h"
#include "graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise was broken: end in a way that every fuzzer notices. */
static void require(int holds, const char *promise)
{
    if (!holds) {
        fprintf(stderr, "fuzz_graph: broken promise: %s\n", promise);
        abort();
    }
}

/* Distances obey every arc; only for graphs small enough to be quick. */
static void check_distances(const struct graph *graph)
{
    struct file_error error;
    uint64_t *distance;

    if (graph->nodes > 10000)
        return;
    distance = malloc((size_t)graph->nodes * sizeof *distance);
    if (!distance)
        return;
    require(dijkstra(distance, graph, graph->nodes / 2, &error), "a source in range is accepted");
    require(distance[graph->nodes / 2] == 0, "the source has distance 0");
    for (uint64_t u = 0; u < graph->nodes; u++)
        for (uint64_t i = graph->first[u]; i < graph->first[u + 1]; i++)
            require(distance[u] == DISTANCE_NONE ||
                        distance[graph->target[i]] <= distance[u] + graph->weight[i],
                    "no arc shortens a distance");
    free(distance);
}

static void check_message(const struct file_error *error, const char *name)
{
    require(strncmp(error->text, name, strlen(name)) == 0, "the message names the file");
    require(strlen(error->text) > strlen(name) + 10, "the message is a sentence");
    require(!strchr(error->text, '\n'), "the message is one line");
}

static void read_coordinates(const uint8_t *data, size_t size, uint64_t nodes)
{
    struct coordinates where = { 0 };
    struct file_error error = { "" };
    if (coordinates_read_memory(&where, "fuzz", data, size, nodes, &error)) {
        require(where.nodes == nodes && where.x && where.y, "coordinates that are read are there");
        coordinates_free(&where);
    } else {
        check_message(&error, "fuzz");
        require(!where.x && !where.y, "a failure leaves the result");
    }
}

static int read_once(const char *name, const uint8_t *data, size_t size)
{
    struct graph graph = { 0 };
    struct file_error error = { "" };
    int read = graph_read_memory(&graph, name, data, size, &error);

    if (read) {
        require(graph_valid(&graph), "a graph that is read is sound");
        check_distances(&graph);
        graph_free(&graph);
    } else {
        check_message(&error, name);
        require(!graph.first && !graph.target && !graph.weight, "a failure leaves the result");
    }
    return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The name decides only where the content does not. */
    if (!read_once("fuzz", data, size))
        read_once("fuzz.mtx", data, size);
    read_coordinates(data, size, 3);
    return 0;
}
