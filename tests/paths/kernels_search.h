/* SPDX-License-Identifier: Apache-2.0 */
/* Searches on lanes, launched as the host does, for the program of their kernels: small graphs, and
 * queues that are far too small for them. Include the kernels first. */
#pragma once

#include "paths/kernels_arrays.h"
#include "paths/small_graphs.h"

enum { SLOTS = 3 };

struct paths_memory {
    clade_paths_head head;
    uint slots[SLOTS][LINES * 16];
};

static struct graph_memory drawn;
static clade_graph_head *graph;
static struct paths_memory *paths;
static struct job {
    uint *targets, *sources, *found, *bounds;
    ulong sources_count, targets_count;
    uint rounds, level;
    ulong cutoff;
} job;

AS_KERNEL(begin, clade_paths_begin(&paths->head, graph))
AS_KERNEL(begin_sources,
          clade_paths_sources(&paths->head, graph, job.sources, FIRST, job.sources_count,
                              job.targets, FIRST, job.targets_count))
AS_KERNEL(go, clade_paths_go(&paths->head, graph, job.targets, FIRST, job.targets_count, job.bounds,
                             FIRST, job.bounds != NULL, job.cutoff, job.rounds))
AS_KERNEL(forget, clade_paths_forget(&paths->head, graph, job.bounds, FIRST, job.bounds != NULL))
AS_KERNEL(lack, clade_paths_lack(&paths->head, graph))
AS_KERNEL(lengths, clade_paths_lengths(&paths->head, job.found, FIRST))

static void make_paths(void)
{
    paths = lines(sizeof *paths);
    memset(&paths->head, 0, sizeof paths->head);
    paths->head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    paths->head.nodes = NODES;
    paths->head.slots = SLOTS;
    paths->head.slot_lines = LINES;
    paths->head.near_room = NODES;
    paths->head.far_room = FAR_ROOM;
    paths->head.ring_room = RING_ROOM;
    paths->head.scale = 1.0f / (float)(1u << draw(8));
}

/* Items of a kernel that goes through arcs, as the host starts them. */
static ulong walks(void)
{
#ifdef CLADE_LOOPS_ARE_LEFT
    return drawn.head.arcs;
#else
    return NODES;
#endif
}

static const clade_paths_slot *slot(void)
{
    return (const clade_paths_slot *)paths->slots[0];
}

static void draw_search(void)
{
    draw_graph(&drawn, &random_state, 6);
    graph = &drawn.head;
    make_paths();
    job.bounds = NULL;
    job.cutoff = CLADEI_LENGTH_NONE - 1u;
    job.rounds = 1 + draw(4);
}

/* The least of the sources' lengths; of those that are nodes. */
static void find_all(uint *wanted)
{
    uint of_one[NODES];
    memset(wanted, 0xff, NODES * sizeof *wanted);
    for (uint i = 0; i < job.sources_count; i++) {
        if (job.sources[FIRST + i] >= NODES)
            continue;
        find_lengths(&drawn, job.sources[FIRST + i], of_one);
        for (uint node = 0; node < NODES; node++)
            wanted[node] = of_one[node] < wanted[node] ? of_one[node] : wanted[node];
    }
}

static void go_on(void)
{
    uint rounds = 0;
    while (slot()->step != CLADE_PATHS_DONE && rounds < 9999) {
        const uint before = slot()->rounds;
        shim_launch(go, NULL, 1, GROUP, 1);
        expect(slot()->rounds > before && slot()->rounds <= before + job.rounds, "rounds",
               slot()->rounds, before);
        rounds = slot()->rounds;
    }
}

/* Of each node what is at least left of its way to the target. */
static void draw_bounds(uint target)
{
    uint left[NODES];
    for (uint node = 0; node < NODES; node++) {
        find_lengths(&drawn, node, left);
        job.bounds[FIRST + node] = left[target] == CLADE_PATHS_NONE ? 1u << 30 : left[target];
    }
}

/* From these sources to these targets, until it is done. */
static void search(uint sources, uint targets, uint *wanted)
{
    const uint first = draw(NODES);
    job.sources = array(sources);
    job.targets = array(targets);
    job.sources_count = sources;
    job.targets_count = targets;
    for (uint i = 0; i < sources; i++)
        job.sources[FIRST + i] = (first + 11 * i) % NODES;
    find_all(wanted);
    for (uint i = 0; i < targets; i++)
        job.targets[FIRST + i] = draw(NODES);
    if (job.bounds)
        draw_bounds(job.targets[FIRST]);
    launch(begin, draw(NODES) + 1ul); /* items take several nodes */
    launch(begin_sources, sources > targets ? sources : targets);
    go_on();
    expect(paths->head.object.first_error == 0, "a search's error", paths->head.object.first_error,
           0);
}

static void end_search(void)
{
    end_array(job.sources);
    end_array(job.targets);
    free(paths);
}

static void read_lengths(void)
{
    job.found = array(NODES);
    launch(lengths, NODES);
}
