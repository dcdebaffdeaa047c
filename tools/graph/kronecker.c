/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Graph 500 benchmark specification, section on the Kronecker generator; D. Chakrabarti,
 * Y. Zhan, C. Faloutsos: R-MAT, a recursive model for graph mining. SDM 2004. */
#include "graph/kronecker.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/random.h"
#include "graph/parse.h"

enum { EDGES_MAX = 1024, WEIGHTS = 255 };
enum { A = 57, A_B = 76, A_B_C = 95 }; /* chances of the parts, added up, in a hundred */

/* Both directions of one edge. */
static bool add_edge(struct arc_list *arcs, const uint32_t *name, uint32_t scale, uint64_t *random)
{
    uint32_t from = 0, to = 0;
    for (uint32_t bit = 0; bit < scale; bit++) {
        const uint64_t part = random_next(random) % 100;
        from = from << 1 | (part >= A_B);
        to = to << 1 | ((part >= A && part < A_B) || part >= A_B_C);
    }
    const uint32_t weight = 1 + (uint32_t)(random_next(random) % WEIGHTS);
    return arc_list_add(arcs, name[from], name[to], weight) &&
           arc_list_add(arcs, name[to], name[from], weight);
}

/* A random order of the nodes. NULL: memory is out. */
static uint32_t *draw_names(uint32_t nodes, uint64_t *random)
{
    uint32_t *name = malloc((size_t)nodes * sizeof *name);
    for (uint32_t i = 0; name && i < nodes; i++) {
        const uint32_t other = (uint32_t)(random_next(random) % (i + 1));
        name[i] = name[other];
        name[other] = i;
    }
    return name;
}

bool kronecker_create(struct graph *out, const struct kronecker_params *params,
                      struct file_error *error)
{
    static const char name[] = "kronecker";
    const uint32_t scale = params->scale ? params->scale : 16;
    const uint32_t edges = params->edges ? params->edges : 16;
    uint64_t random = params->seed ? params->seed : 1;
    struct arc_list arcs = { 0 };
    if (scale > KRONECKER_SCALE_MAX || edges > EDGES_MAX)
        return file_error_set(error, name,
                              "a scale of %" PRIu32 " with %" PRIu32
                              " edges for each node; the most are %d and %d",
                              scale, edges, KRONECKER_SCALE_MAX, EDGES_MAX);
    const uint32_t nodes = (uint32_t)1 << scale;
    uint32_t *names = draw_names(nodes, &random);
    bool ok = names != NULL;
    for (uint64_t i = 0; ok && i < (uint64_t)nodes * edges; i++)
        ok = add_edge(&arcs, names, scale, &random);
    if (ok)
        ok = graph_from_arcs(out, nodes, &arcs, name, error);
    else
        file_error_set(error, name, "memory is out for %" PRIu32 " nodes", nodes);
    arc_list_free(&arcs);
    free(names);
    return ok;
}
