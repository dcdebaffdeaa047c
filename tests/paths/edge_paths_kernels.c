/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a search by one group, of its tree of predecessors and of tables, by groups of one
 * item and of several (-DGROUP=), on lanes, launched as the host does. A search goes on from launch
 * to launch, with queues that are far too small. Each length is Bellman and Ford's, each
 * predecessor the least that the rule allows, each row of a table that of its source. Arrays are of
 * exactly the size that is used. */
#include "host/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths/vectors.h"

#undef __kernel
#define __kernel static
#include "kernels/paths.cl"
#include "kernels/paths_mend.cl"
#include "kernels/paths_rows.cl"
#include "kernels/paths_tree.cl"

#include "paths/kernels_search.h"

/* --- its tree --------------------------------------------------------------------------------- */

AS_KERNEL(tree_begin, clade_paths_tree_begin(&paths->head, graph))
AS_KERNEL(tree_roots,
          clade_paths_tree_roots(&paths->head, graph, job.sources, FIRST, job.sources_count))
AS_KERNEL(tree_offer, clade_paths_tree_offer(&paths->head, graph, job.level))
AS_KERNEL(tree_close, clade_paths_tree_close(&paths->head, graph, job.level))
AS_KERNEL(tree_read, clade_paths_tree_read(&paths->head, graph, job.found, FIRST))
/* The least node from which an arc adds up: of a smaller length, or of the level before. */
static uint find_level(const uint *length, uint level, const uint *levels, uint *predecessor,
                       uint *next)
{
    uint left = 0;
    memcpy(next, levels, NODES * sizeof *next);
    for (uint to = 0; to < NODES; to++) {
        if (levels[to] != CLADE_PATHS_NONE || length[to] == CLADE_PATHS_NONE)
            continue;
        for (uint node = NODES; node-- > 0;)
            for (uint arc = drawn.offsets[node]; arc < drawn.offsets[node + 1]; arc++)
                if (length[node] != CLADE_PATHS_NONE && drawn.arcs[arc][0] == to &&
                    length[node] + drawn.arcs[arc][1] == length[to] &&
                    (level == 0 ? length[node] < length[to]
                                : length[node] == length[to] && levels[node] == level - 1u))
                    predecessor[to] = node;
        if (predecessor[to] != CLADE_PATHS_NONE)
            next[to] = level;
        else
            left++;
    }
    return left;
}

/* Of the search's memory the tree changes the words that a search is done with, the predecessors,
 * and how many are left; nothing else. */
static void check_beside_tree(struct paths_memory *before, const uint *predecessor)
{
    enum { DONE = 64 + NODES, TREE = DONE + NODES + 2 * ENTRIES };
    before->head.left = paths->head.left;
    memcpy(before->slots[0] + DONE, paths->slots[0] + DONE, NODES * sizeof(uint));
    memcpy(before->slots[0] + TREE, predecessor, NODES * sizeof(uint));
    expect(memcmp(before, paths, sizeof *paths) == 0, "what lies beside the tree", 0, 0);
}

static void check_tree(const uint *length)
{
    struct paths_memory before = *paths;
    uint levels[NODES], next[NODES], predecessor[NODES], left = 1;
    memset(levels, 0xff, sizeof levels);
    memset(predecessor, 0xff, sizeof predecessor);
    for (uint i = 0; i < job.sources_count; i++)
        levels[job.sources[FIRST + i]] = 0;
    launch(tree_begin, NODES);
    launch(tree_roots, job.sources_count);
    for (job.level = 0; left > 0 && job.level < NODES; job.level++) {
        left = find_level(length, job.level, levels, predecessor, next);
        memcpy(levels, next, sizeof levels);
        paths->head.left = 0;
        launch(tree_offer, walks());
        launch(tree_close, NODES);
        expect(paths->head.left == left, "nodes without a predecessor", paths->head.left, left);
    }
    job.found = array(NODES);
    launch(tree_read, NODES);
    for (uint node = 0; node < NODES; node++)
        expect(job.found[FIRST + node] == predecessor[node], "a predecessor", node,
               job.found[FIRST + node]);
    end_array(job.found);
    check_beside_tree(&before, predecessor);
}

/* --- searches --------------------------------------------------------------------------------- */

static void all_lengths(uint sources)
{
    uint wanted[NODES];
    draw_search();
    search(sources, 0, wanted);
    paths->head.left = 0;
    launch(lack, walks());
    expect(paths->head.left == 0, "a node lacks its length", paths->head.left, sources);
    read_lengths();
    for (uint node = 0; node < NODES; node++)
        expect(job.found[FIRST + node] == wanted[node], "a length", node, job.found[FIRST + node]);
    end_array(job.found);
    check_tree(wanted);
    end_search();
}

/* Not beyond a length, or not beyond some nodes: what has a length has the right one. With bounds:
 * those of the first target, which is the only one. */
static void some_lengths(uint targets, bool is_cut, bool has_bounds)
{
    uint wanted[NODES], last = 0;
    draw_search();
    if (is_cut)
        job.cutoff = draw(60);
    if (has_bounds)
        job.bounds = array(NODES);
    search(2, targets, wanted);
    for (uint i = 0; i < targets; i++) {
        const uint length = wanted[job.targets[FIRST + i]];
        last = length > last ? length : last;
    }
    launch(forget, NODES);
    read_lengths();
    for (uint node = 0; node < NODES; node++) {
        const uint got = job.found[FIRST + node];
        const bool must = is_cut ? wanted[node] <= job.cutoff : wanted[node] <= last && !has_bounds;
        const uint least = has_bounds ? job.bounds[FIRST + node] : 0;
        expect(got == wanted[node] || (got == CLADE_PATHS_NONE && !must), "a length of some", node,
               got);
        expect(!is_cut || got == CLADE_PATHS_NONE || got <= job.cutoff, "beyond the cutoff", node,
               got);
        expect(got == CLADE_PATHS_NONE ||
                   cladei_length_bucket(got + least, paths->head.scale) < slot()->settled,
               "a bucket that was not reached", node, got);
    }
    if (has_bounds) {
        const uint target = job.targets[FIRST];
        expect(job.found[FIRST + target] == wanted[target], "the target's length", target, 0);
        end_array(job.bounds);
    }
    end_array(job.found);
    end_search();
}

AS_KERNEL(again_all, clade_paths_again_all(&paths->head, graph))
/* All nodes wait again, and nothing else changes. */
static void all_wait(void)
{
    enum { DONE = 64 + NODES };
    uint wanted[NODES];
    draw_search();
    search(1, 0, wanted);
    struct paths_memory before = *paths;
    launch(again_all, NODES);
    memset(before.slots[0] + DONE, 0xff, NODES * sizeof(uint));
    expect(memcmp(&before, paths, sizeof before) == 0, "all nodes wait", 0, 0);
    end_search();
}

/* Sources and targets that are no nodes are told by their place, and the others are taken. */
static void bad_nodes(uint place, uint sources, uint targets)
{
    draw_search();
    job.sources = array(sources);
    job.targets = array(targets);
    job.sources_count = sources;
    job.targets_count = targets;
    for (uint i = 0; i < sources; i++)
        job.sources[FIRST + i] = i == place ? NODES : i % NODES;
    for (uint i = 0; i < targets; i++)
        job.targets[FIRST + i] = sources + i == place ? NODES : 0;
    launch(begin, NODES);
    launch(begin_sources, sources > targets ? sources : targets);
    const bool is_bad = place < sources + targets;
    expect((int)paths->head.object.first_error == (is_bad ? CLADE_E_ARG : 0) &&
               paths->head.object.first_error_item == (is_bad ? place : 0),
           "a bad source or target", paths->head.object.first_error,
           paths->head.object.first_error_item);
    uint wanted[NODES];
    find_all(wanted);
    job.targets_count = 0;
    go_on();
    read_lengths();
    for (uint node = 0; node < NODES; node++)
        expect(job.found[FIRST + node] == wanted[node], "from the other sources", node,
               job.found[FIRST + node]);
    end_array(job.found);
    end_search();
}

/* --- tables ----------------------------------------------------------------------------------- */

AS_KERNEL(rows_begin, clade_paths_rows_begin(&paths->head, job.sources, FIRST, job.sources_count))
AS_KERNEL(rows, clade_paths_rows(&paths->head, graph, job.sources, FIRST, job.sources_count,
                                 job.found, FIRST, job.rounds))
AS_KERNEL(rows_look, clade_paths_rows_look(&paths->head, graph, job.sources, FIRST, job.found,
                                           FIRST, job.sources_count))
/* Where a driver leaves loops the look says which row lacks a length. */
static void end_rows(void)
{
#ifdef CLADE_LOOPS_ARE_LEFT
    expect((int)paths->head.object.first_error != CLADE_E_FULL, "rows were not looked at", 0, 0);
    launch(rows_look, job.sources_count * drawn.head.arcs);
    expect(paths->head.left == 0, "a length of a row is not the least", paths->head.left, 0);
#endif
}

/* More sources than slots, and fewer; one of them may be no node: its row has no length. */
static void table(uint count, uint bad)
{
    uint wanted[NODES], launches = 0;
    draw_search();
    job.sources_count = count;
    job.sources = array(count);
    job.found = array(count * NODES);
    for (uint i = 0; i < count; i++)
        job.sources[FIRST + i] = i == bad ? NODES : draw(NODES);
    const uint groups = (uint)count < SLOTS ? (uint)count : SLOTS;
    paths->head.next_row = 9;
    paths->head.slots = groups;
    launch(rows_begin, count);
    expect(paths->head.left == count && paths->head.next_row == 0, "rows that are left",
           paths->head.left, count);
    while (paths->head.left > 0 && launches++ < 9999) {
        shim_launch(rows, NULL, groups, GROUP, 1);
        for (uint i = 0; i < groups; i++)
            expect(((const clade_paths_slot *)paths->slots[i])->row < count, "a slot without a row",
                   i, launches);
    }
    end_rows();
    for (uint i = 0; i < count; i++) {
        memset(wanted, 0xff, sizeof wanted);
        if (i != bad)
            find_lengths(&drawn, job.sources[FIRST + i], wanted);
        for (uint node = 0; node < NODES; node++)
            expect(job.found[FIRST + i * NODES + node] == wanted[node], "a row", i, node);
    }
    expect((int)paths->head.object.first_error == (bad < count ? CLADE_E_ARG : 0) &&
               paths->head.object.first_error_item == (bad < count ? bad : 0),
           "a table's error", paths->head.object.first_error, paths->head.object.first_error_item);
    end_array(job.found);
    end_array(job.sources);
    free(paths);
}

/* A way from node 0 to node 3 whose sum does not fit: that node lacks its length, which a search
 * says, and a table of the row. A way of the greatest sum there is fits. */
static void too_long(uint last, bool is_short_way_there)
{
    const bool lacks = last > 0x0ffffffeu && !is_short_way_there;
    uint launches = 0;
    draw_search();
    drawn.head.arcs = 3;
    for (uint node = 0; node <= NODES; node++)
        drawn.offsets[node] = node < 3 ? node : 3;
    for (uint i = 0; i < 3; i++) {
        drawn.arcs[i][0] = i + 1;
        drawn.arcs[i][1] = i == 0 ? 0x80000000u : i == 1 ? 0x70000000u : last;
    }
    if (is_short_way_there) { /* a fourth arc, of node 0; a sum that does not fit is met, too */
        memmove(drawn.arcs + 1, drawn.arcs, 3 * sizeof drawn.arcs[0]);
        drawn.arcs[0][0] = 3;
        drawn.arcs[0][1] = 0xfffffff0u;
        drawn.head.arcs = 4;
        for (uint node = 1; node <= NODES; node++)
            drawn.offsets[node]++;
    }
    job.sources_count = 3;
    job.sources = array(3);
    job.found = array(3 * NODES);
    job.targets = array(0);
    job.targets_count = 0;
    for (uint i = 0; i < 3; i++)
        job.sources[FIRST + i] = 2 - i;
    launch(rows_begin, SLOTS);
    while (paths->head.left > 0 && launches++ < 9999)
        shim_launch(rows, NULL, SLOTS, GROUP, 1);
    end_rows();
    expect((int)paths->head.object.first_error == (lacks ? CLADE_E_FULL : 0) &&
               paths->head.object.first_error_item == (lacks ? 2 : 0),
           "a row whose sum does not fit", paths->head.object.first_error,
           paths->head.object.first_error_item);
    for (uint i = 0; i < 3; i++)
        for (uint node = 0; node < NODES; node++) {
            const uint from = 2 - i;
            uint length = node >= from && node < 4 ? 0 : CLADE_PATHS_NONE;
            for (uint arc = from; arc < node && node < 4; arc++)
                length += drawn.arcs[arc + is_short_way_there][1];
            if (is_short_way_there && from == 0 && node == 3)
                length = 0xfffffff0u;
            if (lacks && from == 0 && node == 3)
                length = CLADE_PATHS_NONE;
            expect(job.found[FIRST + i * NODES + node] == length, "a long row", i, node);
        }
    for (uint source = 0; source < 2; source++) { /* the search alone */
        job.sources_count = 1;
        job.sources[FIRST] = source;
        launch(begin, NODES);
        launch(begin_sources, 1);
        go_on();
        paths->head.left = 0;
        launch(lack, walks());
        expect((paths->head.left != 0) == (lacks && source == 0), "a node that lacks its length",
               paths->head.left, source);
    }
    end_array(job.found);
    end_array(job.sources);
    end_array(job.targets);
    free(paths);
}

/* The last node's only arc leads to the first one, which has no length, or has one. */
static void lacks_at_the_end(void)
{
    cladei_paths_piece p;
    draw_search();
    drawn.head.arcs = 1;
    for (uint node = 0; node <= NODES; node++)
        drawn.offsets[node] = node < NODES ? 0 : 1;
    drawn.arcs[0][0] = 0;
    cladei_paths_open(&p, &paths->head, graph, 0);
    for (uint node = 0; node < NODES; node++)
        clade_store_relaxed(p.label + node, node + 1u < NODES ? CLADEI_LENGTH_NONE : 5u);
    expect(cladei_paths_lacks_wi(&p, NODES - 1u) && cladei_paths_lacks(&p, NODES - 1u, GROUP) &&
               cladei_paths_lacks(&p, 0, 1),
           "a first node that lacks its length", 0, 0);
    expect(!cladei_paths_lacks(&p, 0, NODES), "a share without such nodes", 0, 0);
    clade_store_relaxed(p.label, 9u);
    expect(!cladei_paths_lacks(&p, 0, 1), "no node lacks its length", 0, 0);
    free(paths);
}

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    random_state = shim_seed();
    for (uint round = 0; round < 25; round++) {
        all_lengths(1 + round % 3);
        some_lengths(1 + round % 4, false, false);
        some_lengths(1, false, true);
        some_lengths(0, true, false);
    }
    all_wait();
    lacks_at_the_end();
    for (uint place = 0; place < 8; place++)
        bad_nodes(place, 4, 3);
    bad_nodes(99, GROUP + 1, 1);
    bad_nodes(99, 1, GROUP + 1);
    too_long(0x0ffffffeu, false);
    too_long(0x0fffffffu, false);
    too_long(0x10000000u, false);
    too_long(0x4fffffffu, false);
    too_long(0x4fffffffu, true);
    for (uint round = 0; round < 8; round++)
        table(1 + round, round == 2 || round == 5 ? round : 99);
    printf("the kernels of paths: %u wrong\n", wrong);
    return wrong != 0;
}
