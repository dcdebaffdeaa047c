/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of graphs, of a search by one group, of its tree of predecessors and of tables, by
 * groups of one item and of several (-DGROUP=), on lanes, launched as the host does. A graph is
 * made of three arrays: each word is the arrays', what is wrong with them is told by its least
 * place, and the weights are counted by their size. A search goes on from launch to launch, with
 * queues that are far too small. Each length is Bellman and Ford's, each predecessor the least that
 * the rule allows, each row of a table that of its source. Arrays are of exactly the size that is
 * used. */
#include "host/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths/vectors.h"

#undef __kernel
#define __kernel static
#include "kernels/paths.cl"
#include "kernels/paths_graph.cl"
#include "kernels/paths_rows.cl"
#include "kernels/paths_tree.cl"
#undef min
#undef max

#include "paths/small_graphs.h"

enum { SLOTS = 3, FIRST = 3, GUARD = 0x5a5a5a5a };

struct paths_memory {
    clade_paths_head head;
    uint slots[SLOTS][LINES * 16];
};

static struct graph_memory drawn;
static clade_graph_head *graph;
static struct paths_memory *paths;
static uint wrong, state;
static struct job {
    uint *offsets, *targets, *weights, *sources, *found, *bounds;
    ulong sources_count, targets_count;
    uint given, is_float, rounds, level;
    ulong cutoff;
} job;

static void expect(bool holds, const char *what, uint a, uint b)
{
    if (!holds && wrong++ < 8)
        printf("%s: %u, %u\n", what, a, b);
}

static void *room(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

/* An array that begins at its FIRST word; exactly so long. */
static uint *array(uint count)
{
    uint *words = malloc((FIRST + (size_t)count) * sizeof *words);
    if (!words)
        exit(1);
    memset(words, 0x5a, (FIRST + (size_t)count) * sizeof *words);
    return words;
}

static void end_array(uint *words)
{
    expect(words[FIRST - 1] == GUARD, "before an array", words[FIRST - 1], 0);
    free(words);
}

static void launch(void (*kernel)(void *, void *), ulong items)
{
    if (items > 0)
        shim_launch(kernel, NULL, (items + GROUP - 1) / GROUP, GROUP, 1);
}

/* --- a graph ---------------------------------------------------------------------------------- */

static void graph_offsets(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_graph_offsets(graph, job.offsets, FIRST);
}

static void graph_arcs(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_graph_arcs(graph, job.targets, FIRST, job.weights, FIRST, job.given, job.is_float,
                     job.is_float ? 0x3f800000u : 1u);
}

static uint bin_of(uint weight)
{
    uint bits = 0;
    if (job.is_float)
        return weight >> 23;
    for (; weight > 0; weight >>= 1)
        bits++;
    return bits;
}

static void open_graph(uint nodes, uint arcs)
{
    graph = room(sizeof *graph + 4ul * CLADE_GRAPH_ARCS_AT(nodes) + 8ul * arcs);
    memset(graph, 0, sizeof *graph);
    graph->object.shape = CLADE_GRAPH_SHAPE(CLADE_PATHS_U32);
    graph->nodes = nodes;
    graph->arcs = arcs;
    graph->bad_offset = graph->bad_target = graph->bad_weight = CLADE_PATHS_NONE;
    job.offsets = array(nodes + 1);
    job.targets = array(arcs);
    job.weights = array(job.given ? arcs : 0);
}

/* What is wrong, first; then all words, where nothing is. */
static void make_graph(uint bad_offset, uint bad_target, uint bad_weight)
{
    uint bins[CLADE_GRAPH_BINS] = { 0 };
    const uint groups = graph->arcs / GROUP + 1;
    launch(graph_offsets, graph->nodes + 1ul);
    shim_launch(graph_arcs, NULL, groups < 3 ? groups : 3, GROUP, 1); /* items take several */
    expect(graph->bad_offset == bad_offset, "a bad offset", graph->bad_offset, bad_offset);
    expect(graph->bad_target == bad_target, "a bad target", graph->bad_target, bad_target);
    expect(graph->bad_weight == bad_weight, "a bad weight", graph->bad_weight, bad_weight);
    const uint *words = (const uint *)(graph + 1),
               *arcs = words + CLADE_GRAPH_ARCS_AT(graph->nodes);
    for (uint i = 0; i <= graph->nodes; i++)
        expect(words[i] == job.offsets[FIRST + i], "an offset", i, words[i]);
    if (graph->nodes % 2 == 0)
        expect(words[graph->nodes + 1] == GUARD, "between offsets and arcs", graph->nodes, 0);
    for (uint i = 0; i < graph->arcs; i++) {
        uint weight = job.given ? job.weights[FIRST + i] : job.is_float ? 0x3f800000u : 1u;
        weight = job.is_float && weight == 0x80000000u ? 0 : weight;
        expect(arcs[2 * i] == job.targets[FIRST + i] && arcs[2 * i + 1] == weight, "an arc", i,
               arcs[2 * i + 1]);
        if (!job.is_float || weight < 0x7f800000u)
            bins[bin_of(weight)]++;
    }
    for (uint i = 0; i < CLADE_GRAPH_BINS; i++)
        expect(graph->bins[i] == bins[i], "weights of a size", i, graph->bins[i]);
    end_array(job.offsets);
    end_array(job.targets);
    end_array(job.weights);
}

/* Three arcs a node. */
static void fill_graph(void)
{
    for (uint i = 0; i <= graph->nodes; i++)
        job.offsets[FIRST + i] = 3 * i;
    for (uint i = 0; i < graph->arcs; i++) {
        job.targets[FIRST + i] = i * 7 % graph->nodes;
        if (job.given)
            job.weights[FIRST + i] = job.is_float ? i << 22 : 0xffffffffu >> i % 33 % 32;
    }
}

/* `what`: 0 nothing is wrong, else one thing at two places. */
static void graph_of(uint nodes, uint what)
{
    static const uint bad_weights[] = { 0x7f800000u, 0x7fc00001u, 0x80000001u, 0xbf800000u };
    const uint none = CLADE_PATHS_NONE, last = 3 * nodes - 1;
    uint offset = none, target = none, weight = none;
    open_graph(nodes, 3 * nodes);
    fill_graph();
    if (what == 1)
        job.offsets[FIRST] = 1, offset = 0;
    if (what == 2)
        job.offsets[FIRST + (offset = nodes)]--;
    if (what == 3)
        job.offsets[FIRST + nodes - 1] -= 4, offset = nodes - 1;
    if (what == 4)
        job.targets[FIRST + last] = job.targets[FIRST + last - 2] = nodes, target = last - 2;
    if (what == 5)
        job.targets[FIRST] = none, target = 0;
    if (what >= 6 && what < 10)
        job.weights[FIRST + last] = job.weights[FIRST + nodes] = bad_weights[what - 6],
                            weight = nodes;
    if (what == 10)
        job.weights[FIRST + 2] = 0x80000000u; /* -0 is 0 */
    make_graph(offset, target, weight);
    free(graph);
}

static void graphs(void)
{
    static const uint nodes[] = { 2, GROUP - 1, GROUP, GROUP + 1, 4 * GROUP + 1 };
    for (uint i = 0; i < 5; i++)
        for (uint what = 0; what < 11 && nodes[i] > 1; what++)
            for (uint is_float = 0; is_float < 2; is_float++)
                for (uint given = 0; given < 2; given++) {
                    if ((what >= 6 && !(given && is_float)) || (what == 3 && nodes[i] < 3))
                        continue;
                    job.is_float = is_float;
                    job.given = given;
                    graph_of(nodes[i], what);
                }
    job.is_float = 0;
    job.given = 1;
    open_graph(1, 0);
    job.offsets[FIRST] = job.offsets[FIRST + 1] = 0;
    make_graph(CLADE_PATHS_NONE, CLADE_PATHS_NONE, CLADE_PATHS_NONE);
    free(graph);
}

/* --- a search --------------------------------------------------------------------------------- */

static void begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_begin(&paths->head, graph);
}

static void begin_sources(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_sources(&paths->head, graph, job.sources, FIRST, job.sources_count, job.targets,
                        FIRST, job.targets_count);
}

static void go(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_go(&paths->head, graph, job.targets, FIRST, job.targets_count, job.bounds, FIRST,
                   job.bounds != NULL, job.cutoff, job.rounds);
}

static void forget(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_forget(&paths->head, graph, job.bounds, FIRST, job.bounds != NULL);
}

static void lack(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_lack(&paths->head, graph);
}

static void lengths(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_lengths(&paths->head, job.found, FIRST);
}

static void make_paths(void)
{
    paths = room(sizeof *paths);
    memset(&paths->head, 0, sizeof paths->head);
    paths->head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    paths->head.nodes = NODES;
    paths->head.slots = SLOTS;
    paths->head.slot_lines = LINES;
    paths->head.near_room = NODES;
    paths->head.far_room = FAR_ROOM;
    paths->head.ring_room = RING_ROOM;
    paths->head.scale = 1.0f / (float)(1u << draw(&state, 8));
}

static const clade_paths_slot *slot(void)
{
    return (const clade_paths_slot *)paths->slots[0];
}

static void draw_search(void)
{
    draw_graph(&drawn, &state, 6);
    graph = &drawn.head;
    make_paths();
    job.bounds = NULL;
    job.cutoff = CLADEI_LENGTH_NONE - 1u;
    job.rounds = 1 + draw(&state, 4);
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

/* From these sources to these targets, until it is done. */
static void search(uint sources, uint targets, uint *wanted)
{
    const uint first = draw(&state, NODES);
    job.sources = array(sources);
    job.targets = array(targets);
    job.sources_count = sources;
    job.targets_count = targets;
    for (uint i = 0; i < sources; i++)
        job.sources[FIRST + i] = (first + 11 * i) % NODES;
    find_all(wanted);
    for (uint i = 0; i < targets; i++)
        job.targets[FIRST + i] = draw(&state, NODES);
    launch(begin, draw(&state, NODES) + 1ul); /* items take several nodes */
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

/* --- its tree --------------------------------------------------------------------------------- */

static void tree_begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_tree_begin(&paths->head, graph);
}

static void tree_roots(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_tree_roots(&paths->head, graph, job.sources, FIRST, job.sources_count);
}

static void tree_offer(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_tree_offer(&paths->head, graph, job.level);
}

static void tree_close(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_tree_close(&paths->head, graph, job.level);
}

static void tree_read(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_tree_read(&paths->head, graph, job.found, FIRST);
}

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

static void check_tree(const uint *length)
{
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
        launch(tree_offer, NODES);
        launch(tree_close, NODES);
        expect(paths->head.left == left, "nodes without a predecessor", paths->head.left, left);
    }
    job.found = array(NODES);
    launch(tree_read, NODES);
    for (uint node = 0; node < NODES; node++)
        expect(job.found[FIRST + node] == predecessor[node], "a predecessor", node,
               job.found[FIRST + node]);
    end_array(job.found);
}

/* --- searches --------------------------------------------------------------------------------- */

static void all_lengths(uint sources)
{
    uint wanted[NODES];
    draw_search();
    search(sources, 0, wanted);
    paths->head.left = 0;
    launch(lack, NODES);
    expect(paths->head.left == 0, "a node lacks its length", paths->head.left, sources);
    read_lengths();
    for (uint node = 0; node < NODES; node++)
        expect(job.found[FIRST + node] == wanted[node], "a length", node, job.found[FIRST + node]);
    end_array(job.found);
    check_tree(wanted);
    end_search();
}

/* Not beyond a length, or not beyond some nodes: what has a length has the right one. */
static void some_lengths(uint targets, bool is_cut)
{
    uint wanted[NODES], last = 0;
    draw_search();
    if (is_cut)
        job.cutoff = draw(&state, 60);
    search(2, targets, wanted);
    for (uint i = 0; i < targets; i++) {
        const uint length = wanted[job.targets[FIRST + i]];
        last = length > last ? length : last;
    }
    launch(forget, NODES);
    read_lengths();
    for (uint node = 0; node < NODES; node++) {
        const uint got = job.found[FIRST + node];
        const bool must = is_cut ? wanted[node] <= job.cutoff : wanted[node] <= last;
        expect(got == wanted[node] || (got == CLADE_PATHS_NONE && !must), "a length of some", node,
               got);
        expect(!is_cut || got == CLADE_PATHS_NONE || got <= job.cutoff, "beyond the cutoff", node,
               got);
    }
    end_array(job.found);
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

static void rows_begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_rows_begin(&paths->head, job.sources_count);
}

static void rows(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_paths_rows(&paths->head, graph, job.sources, FIRST, job.sources_count, job.found, FIRST,
                     job.rounds);
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
        job.sources[FIRST + i] = i == bad ? NODES : draw(&state, NODES);
    launch(rows_begin, SLOTS);
    expect(paths->head.left == count && paths->head.next_row == 0, "rows that are left",
           paths->head.left, count);
    while (paths->head.left > 0 && launches++ < 9999)
        shim_launch(rows, NULL, count < SLOTS ? count : SLOTS, GROUP, 1);
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
        launch(lack, NODES);
        expect((paths->head.left != 0) == (lacks && source == 0), "a node that lacks its length",
               paths->head.left, source);
    }
    end_array(job.found);
    end_array(job.sources);
    end_array(job.targets);
    free(paths);
}

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    state = shim_seed();
    graphs();
    for (uint round = 0; round < 25; round++) {
        all_lengths(1 + round % 3);
        some_lengths(1 + round % 4, false);
        some_lengths(0, true);
    }
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
