/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: paths (tests/launches/rows.h). The graph is a ring of PART nodes. */
#include "launches/rows.h"

#include <clade/paths.h>

static clade_status paths_create(struct world *w)
{
    clade_graph *graph = NULL;
    clade_paths *made = NULL;
    uint32_t offsets[PART + 1], targets[PART];
    clade_status status;
    for (uint32_t i = 0; i < PART; i++) {
        offsets[i + 1] = i + 1;
        targets[i] = (i + 1) % PART;
    }
    offsets[0] = 0;
    status = clade_graph_create(&graph, w->f->context,
                                &(clade_graph_params) { .nodes = PART,
                                                        .arcs = PART,
                                                        .offsets = clade_host(offsets),
                                                        .targets = clade_host(targets) });
    if (status == CLADE_OK)
        status = clade_paths_create(&made, graph, &(clade_paths_params) { .slots = 3 });
    clade_graph_destroy(&graph);
    w->object = made;
    return status;
}
KIND_DESTROY(paths, clade_paths)
KIND_MEM(paths, clade_paths)

/* A search, for what reads its result. */
static void paths_fill(struct world *w)
{
    const uint32_t source = 3;
    assert_ok(clade_paths_run(
        O, &(clade_paths_query) { .sources = clade_host(&source), .source_count = 1 }, NULL));
}

static void paths_drain(struct world *w)
{
    uint32_t lengths[PART];
    if (clade_paths_read(O, clade_host(lengths), NONE, NULL) == CLADE_OK) /* no table came last */
        world_mix(w, lengths, PART);
}
/* A path finder is never empty: the next search replaces the last one. */
static void paths_clear(struct world *w)
{
    (void)w;
}
KIND(paths);

static const clade_paths_query *query_of(struct world *w)
{
    static clade_paths_query query;
    query = (clade_paths_query) { .sources = A(INDEX), .source_count = N };
    return &query;
}

#define ROWS(ROW)                                                                 \
    ROW(paths, run, clade_paths_run, ALWAYS, 0, (O, query_of(w), launch))         \
    ROW(paths, read, clade_paths_read, HOST_ARRAYS, 0, (O, A(OUT), NONE, launch)) \
    ROW(paths, table, clade_paths_table, ALWAYS, 0, (O, A(INDEX), A(ALSO), N, launch))
LAUNCH_ROWS(paths, ROWS)
