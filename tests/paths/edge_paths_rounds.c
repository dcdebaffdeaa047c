/* SPDX-License-Identifier: Apache-2.0 */
/* Searches by one group and by many, on lanes, round by round: after each the search's words, its
 * queues and its pieces are compared with what a model allows (rounds_model.h). Launches of several
 * rounds, and those whose waits are given up, must leave a search in which the invariants hold; of
 * one item they must leave, byte for byte, what as many launches of one round leave. At the end
 * each length is Bellman and Ford's. -DGROUP= is how many items a group has. */
#include "host/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths/vectors.h"

static uint wait_looks, hop_count, wanted_entries;
#define CLADE_PATHS_WAIT      wait_looks
#define CLADE_PATHS_HOPS      hop_count
#define CLADE_PATHS_ENOUGH    wanted_entries
#define CLADE_PATHS_PIECE     2u
#define CLADE_PATHS_MANY_ARCS 3u
#define CLADEI_PATHS_CUTS     2u
#define CLADEI_PATHS_HEAVY    2u
#ifndef CLADE_PATHS_OWN
#define CLADE_PATHS_OWN    3u
#define CLADE_PATHS_BUFFER 4u
#endif

#ifdef CLADE_PATHS_PREFETCH
static void note_asked(const void *word);
#define __builtin_prefetch(word) note_asked(word)
#endif
#include "clade/paths.clh"
#include "clade/paths/many.clh"

/* The kernel that folds is one group's: its local memory may be anybody's. */
#undef __local
#undef __kernel
#define __local  static
#define __kernel static
#include "kernels/paths_many.cl"
#undef __local
#define __local
#undef min
#undef max

#include "paths/small_graphs.h"

#include "paths/rounds_model.h"

#ifndef SEARCHES
#define SEARCHES 300
#endif

enum { GROUPS_MOST = 3, LONG = 100000 };

struct local_memory {
    clade_paths_scratch scratch;
    clade_paths_gathered gathered;
};

static struct {
    uint groups, rounds, meets, is_first;
} job;

static cladei_paths_piece open_piece(void)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, &paths.head, &graph.head, 0);
    p.bounds = has_bounds ? bounds : NULL;
    p.cutoff = cutoff;
    return p;
}

static void begin_item(void *argument, void *local)
{
    const cladei_paths_piece p = open_piece();
    (void)argument, (void)local;
    cladei_paths_begin_wg(&p);
    if (get_local_id(0) == 0)
        cladei_paths_source_wi(&p, source);
}

static void fold_item(void *argument, void *local)
{
    (void)argument, (void)local;
    clade_paths_fold(&paths.head, &graph.head, job.is_first);
}

/* As the kernels clade_paths_many and clade_paths_go do. */
static void go_item(void *argument, void *local)
{
    struct local_memory *its = local;
    const cladei_paths_targets to = { targets, target_count };
    cladei_paths_piece p = open_piece();
    cladei_paths_all all = { clade_paths_words(&paths.head), (uint)get_group_id(0),
                             (uint)get_num_groups(0), 0 };
    (void)argument;
    if (get_local_id(0) == 0) /* as the other kind of search may have left it */
        its->scratch.is_shared = !is_shared;
    if (is_shared) {
        p.heavy = (uint2 *)((uint *)all.words + CLADE_PATHS_SHARED_WORDS);
        cladei_paths_go_many(&its->scratch, &its->gathered, &p, &to, &all, job.rounds,
                             job.meets != 0);
    } else {
        const bool is_done = cladei_paths_go_wg(&its->scratch, &p, &to, job.rounds);
        expect(is_done == (p.slot->step == CLADE_PATHS_DONE), "whether it is done", is_done, 0);
    }
}

/* The words that groups share begin anew after each launch. */
static void fold(uint is_first)
{
    const uint *words = paths.shared + CLADE_PATHS_MEETINGS;
    job.is_first = is_first;
    shim_launch(fold_item, NULL, 1, GROUP, 8);
    for (uint i = 0; i < 3 * CLADE_PATHS_MEETING_WORDS; i++)
        expect(words[i] == (i % CLADE_PATHS_MEETING_WORDS < CLADE_PATHS_LEAST_LOST ? 0 : none),
               "a word of a meeting", i, words[i]);
    expect(paths.shared[CLADE_PATHS_PENDING] == 0 && paths.shared[CLADE_PATHS_EXPANDED] == 0 &&
               paths.shared[CLADE_PATHS_OVERFLOW] == 0,
           "a word of a launch", paths.shared[CLADE_PATHS_PENDING], 0);
}

/* P6: a meeting that ended a launch was given up, unless nobody waits; and all groups came. */
static void meetings_end(void)
{
    const uint pending = paths.shared[CLADE_PATHS_PENDING];
    const uint *meetings = paths.shared + CLADE_PATHS_MEETINGS;
    expect(pending <= 3, "which meeting", pending, 0);
    if (pending != 0 && pending <= 3) {
        const uint came = meetings[(pending - 1) * CLADE_PATHS_MEETING_WORDS + CLADE_PATHS_ARRIVED];
        expect(came == (job.meets ? CLADEI_PATHS_GIVEN_UP | job.groups : job.groups),
               "groups that came", came, job.groups);
    }
    expect(job.meets || pending == 1, "a round without a meeting", pending, 0);
}

static void launch(uint rounds, uint meets, uint looks)
{
    job.rounds = rounds;
    job.meets = meets;
    wait_looks = looks;
    shim_launch(go_item, NULL, job.groups, GROUP, sizeof(struct local_memory));
    if (is_shared) {
        meetings_end();
        fold(0);
    }
}

/* How many entries one group wants of a round. */
static uint least_enough(void)
{
    return GROUP / CLADE_PATHS_LANES > 1 ? GROUP / CLADE_PATHS_LANES : 1;
}

static void one_round(struct state *now)
{
    static struct plan plan;
    plan.enough = is_shared ? wanted_entries : least_enough();
    plan.reach = is_shared && hop_count > 1 ? 4 : 0;
    plan_round(&plan, now);
    launch(1, draw(2), LONG);
    look(now);
    check_round(&plan, now, is_shared && hop_count > 1);
}

/* Where nothing is left to chance, rounds are the same in one launch and in many. */
static void as_single_rounds(const struct paths_memory *before, uint rounds)
{
    static struct paths_memory together;
    struct state now;
    memcpy(&together, &paths, sizeof together);
    memcpy(&paths, before, sizeof paths);
    for (uint i = 0; i < rounds; i++)
        launch(1, 1, LONG);
    look(&now);
    expect(memcmp(together.slot, paths.slot, sizeof paths.slot) == 0, "rounds of one launch",
           rounds, now.slot.rounds);
    expect(memcmp(together.heavy, paths.heavy, sizeof paths.heavy) == 0, "their pieces", rounds, 0);
}

static void many_rounds(struct state *now)
{
    static struct paths_memory before;
    const uint rounds = 1 + draw(12), first = now->slot.rounds;
    const bool ends = !is_shared || draw(3) != 0; /* all waits */
    memcpy(&before, &paths, sizeof before);
    launch(rounds, 1, ends ? LONG : draw(30));
    look(now);
    const uint did = now->slot.rounds - first;
    expect(did >= 1 && did <= rounds, "rounds", did, rounds);
    expect(!ends || did == rounds || now->slot.step == CLADE_PATHS_DONE, "rounds before the end",
           did, rounds);
    if (GROUP == 1 && job.groups == 1)
        as_single_rounds(&before, did);
}

static void compare(const struct state *now)
{
    uint wanted[NODES];
    find_lengths(&graph, source, wanted);
    for (uint node = 0; node < NODES; node++) {
        const bool is_final =
            now->slot.settled == none || bucket_of(node, wanted[node]) < now->slot.settled;
        const uint length = wanted[node] > cutoff ? none : wanted[node];
        expect(is_final ? now->label[node] == length : now->label[node] >= length, "a length", node,
               now->label[node]);
    }
    for (uint i = 0; i < target_count; i++)
        expect(now->label[targets[i]] == (wanted[targets[i]] > cutoff ? none : wanted[targets[i]]),
               "a target's length", targets[i], now->label[targets[i]]);
}

static void begin(void)
{
    memset(paths.slot, 0x5a, sizeof paths.slot);
    memset(paths.shared, 0x5a, sizeof paths.shared);
    memset(paths.heavy, 0x5a, sizeof paths.heavy);
    shim_launch(begin_item, NULL, 1, GROUP, 8);
    if (is_shared)
        fold(1);
}

static void search(void)
{
    struct state now;
    begin();
    ((clade_paths_slot *)paths.slot)->rounds = draw(2) ? 0 : 0u - draw(20); /* over the end */
    look(&now);
    for (uint launches = 0; now.slot.step != CLADE_PATHS_DONE && launches < 999; launches++) {
        if (draw(4) != 0)
            one_round(&now);
        else
            many_rounds(&now);
        if (wrong == 0)
            check_state(&now);
        if (wrong != 0)
            return;
    }
    expect(now.slot.step == CLADE_PATHS_DONE, "it does not end", 0, 0);
    compare(&now);
    free(targets);
}

/* Lengths from each node to `to`, halved: what a search for it may count on. */
static void draw_bounds(uint to)
{
    static uint wanted[NODES];
    has_bounds = true;
    for (uint node = 0; node < NODES; node++) {
        find_lengths(&graph, node, wanted);
        bounds[node] = target_count == 0 ? draw(200) : wanted[to] == none ? none : wanted[to] / 2;
    }
}

/* All nodes in a row, with few other arcs: far to go, for one hop after the other. */
static void draw_way(void)
{
    const uint at_least = draw(2) ? 0 : 31;
    uint arcs = 0;
    for (uint node = 0; node < NODES; node++) {
        for (uint i = draw(3); i > 0; i--, arcs++) {
            graph.arcs[arcs][0] = draw(NODES);
            graph.arcs[arcs][1] = draw(100);
        }
        graph.arcs[arcs][0] = (node + 1) % NODES;
        graph.arcs[arcs++][1] = at_least + draw(4);
        graph.offsets[node + 1] = arcs;
    }
    graph.head.arcs = arcs;
}

/* How wide a bucket is: narrow ones fill the ring and the far pile, in wide ones a group hops. */
static uint draw_width(void)
{
    return draw(3) == 0 ? draw(2) : draw(2) ? 2 + draw(6) : 4 + draw(16);
}

static void draw_search(uint seed)
{
    uint state = seed;
    random_state = seed;
    draw_graph(&graph, &state, 4 + draw(6));
    if (draw(3) == 0)
        draw_way();
    const uint shift = draw(4) == 0 ? 25 : 0; /* sums that do not fit */
    for (uint arc = 0; arc < ARCS; arc++)
        graph.arcs[arc][1] <<= graph.arcs[arc][1] < 128 ? shift : 0;
    paths.head = (clade_paths_head) { .nodes = NODES,
                                      .slots = 1,
                                      .slot_lines = LINES,
                                      .near_room = draw(3) ? NODES : 2 + draw(4),
                                      .far_room = FAR_ROOM,
                                      .ring_room = RING_ROOM,
                                      .heavy_room = ARCS,
                                      .scale = 1.0f / (float)(1u << (shift + draw_width()) % 30) };
    paths.head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    paths.head.shared_at = (uint)(offsetof(struct paths_memory, shared) / 64);
    source = draw(NODES);
    target_count = draw(3) ? draw(4) : 0;
    targets = malloc((target_count + (target_count == 0)) * sizeof *targets);
    for (uint i = 0; i < target_count; i++)
        targets[i] = draw(NODES);
    cutoff = draw(4) ? none - 1 : draw(100) << shift;
    has_bounds = false;
    if (target_count + shift < 2 && draw(3) == 0)
        draw_bounds(targets[0]);
    job.groups = is_shared ? 1 + draw(GROUPS_MOST) : 1;
    hop_count = 1 + draw(5);
    wanted_entries = 1 + draw(12);
}

/* --- searches in which nothing is left to chance ------------------------------------------------
 */

/* From node 0 in one bucket, with nothing that ends it early. Node i has arcs to `children` others,
 * which no other node has arcs to. */
static void draw_tree(uint children)
{
    uint arcs = 0;
    draw_search(1);
    free(targets);
    target_count = source = 0;
    for (uint node = 0; node < NODES; node++) {
        for (uint i = 1; i <= children && node * children + i < NODES; i++, arcs++) {
            graph.arcs[arcs][0] = node * children + i;
            graph.arcs[arcs][1] = 1;
        }
        graph.offsets[node + 1] = arcs;
    }
    graph.head.arcs = arcs;
    paths.head.scale = 1e-9f;
    paths.head.near_room = NODES;
    has_bounds = false;
    cutoff = none - 1;
    wanted_entries = 2 * NODES;
}

/* Along a way a round goes as many hops as it may, with one node each. */
static void hops_are_counted(void)
{
    struct state now;
    is_shared = true;
    draw_tree(1);
    for (job.groups = 1; job.groups <= GROUPS_MOST; job.groups++)
        for (hop_count = 1; hop_count < 6; hop_count++) {
            begin();
            launch(1, 1, LONG); /* what waits is made anew */
            launch(1, 1, LONG);
            look(&now);
            expect(now.slot.expanded == hop_count, "hops", now.slot.expanded, hop_count);
        }
}

/* Each node of a tree is expanded once. */
static void no_node_is_done_twice(void)
{
    struct state now;
    for (uint children = 1; children < 6; children++)
        for (uint i = 0; i <= GROUPS_MOST; i++) {
            draw_tree(children);
            is_shared = i > 0;
            job.groups = is_shared ? i : 1;
            hop_count = children;
            begin();
            launch(4 * NODES, 1, LONG);
            look(&now);
            expect(now.slot.step == CLADE_PATHS_DONE && now.slot.expanded == NODES,
                   "nodes of a tree", now.slot.expanded, children);
        }
}

/* --- how a round is dealt -----------------------------------------------------------------------
 */

/* Each unit of a pass is dealt once, to all lanes of one team: blocks of up to eight neighbours to
 * the groups in turns. Fewer teams than a block has are left without. */
static void units_are_dealt(uint members, uint size, uint wish)
{
    static uint dealt[GROUPS_MOST * 64];
    const uint lanes = wish <= size ? wish : 1, all = size / lanes, block = all < 8 ? all : 8;
    const uint pass = members * (all - all % block);
    memset(dealt, 0, sizeof dealt);
    for (uint member = 0; member < members; member++)
        for (uint id = 0; id < size; id++) {
            const cladei_paths_all its = { NULL, member, members, 0 };
            shim_self = (struct shim_item) { .local_id = id, .local_size = size };
            const cladei_paths_deal deal = cladei_paths_deal_of(&its, wish);
            expect(deal.lanes == lanes && deal.pass == pass, "a deal", deal.lanes, (uint)deal.pass);
            if (deal.team >= deal.teams)
                continue;
            expect(deal.first < pass && deal.first / block % members == member, "whose unit",
                   deal.first, member);
            expect(deal.lane < lanes && id == deal.team * lanes + deal.lane, "a lane", id, lanes);
            if (deal.first < pass)
                dealt[deal.first]++;
        }
    for (uint unit = 0; unit < pass; unit++)
        expect(dealt[unit] == lanes, "items of a unit", unit, dealt[unit]);
}

static void all_units_are_dealt(void)
{
    for (uint members = 1; members <= GROUPS_MOST; members++)
        for (uint size = 1; size <= 64; size++)
            for (uint wish = 1; wish <= 32; wish *= 2)
                units_are_dealt(members, size, wish);
}

#ifdef CLADE_PATHS_PREFETCH
/* Words that were asked for ahead: the first ones, and how many. */
static const void *asked[4];
static uint asks;
static void note_asked(const void *word)
{
    asked[asks++ % 4u] = word;
}

/* An item asks for words of the entries four and eight further on, where the round has such. */
static void entries_are_asked_for_ahead(void)
{
    enum { MOST = 20 };
    static struct local_memory local;
    uint entries[MOST], offsets[MOST];
    cladei_length_word label[MOST];
    uint2 arcs[MOST];
    cladei_paths_piece piece = {
        .label = label, .entries = entries, .offsets = offsets, .arcs = arcs
    };
    for (uint i = 0; i < MOST; i++) {
        entries[i] = i * 7u % MOST;
        offsets[i] = i * 3u % MOST;
    }
    for (uint total = 0; total <= MOST; total++)
        for (uint i = 0; i < total; i++) {
            local.scratch.row_end[0] = total;
            asks = 0;
            cladei_paths_prefetch_wi(&local.scratch, &piece, i, total);
            const bool near_ = i + 4u < total, far_ = i + 8u < total;
            expect(asks == near_ + 2u * far_, "how many words are asked for", asks, total - i);
            if (far_)
                expect(asked[0] == &offsets[entries[i + 8u]] && asked[1] == &label[entries[i + 8u]],
                       "words of a node", i, total);
            if (near_)
                expect(asked[2u * far_] == &arcs[offsets[entries[i + 4u]]], "a node's arcs", i,
                       total);
        }
}
#endif

int main(int argc, char **argv)
{
    const uint base = shim_seed(), rounds = shim_rounds(argc, argv, SEARCHES);
    uint i = 0;
    setbuf(stdout, NULL); /* what was wrong before a fault */
#ifdef CLADE_PATHS_PREFETCH
    entries_are_asked_for_ahead();
#endif
    all_units_are_dealt();
    hops_are_counted();
    no_node_is_done_twice();
    for (; i < rounds && wrong == 0; i++) {
        is_shared = i % 3 != 0;
        draw_search(base + i * 7919u);
        search();
    }
    if (wrong != 0)
        printf("in the search of seed %u\n", base + (i - 1) * 7919u);
    printf("rounds of paths: %u searches from seed %u, %u wrong\n", i, base, wrong);
    return wrong != 0;
}
