/* SPDX-License-Identifier: Apache-2.0 */
/* semilist.clh on host threads: histories of few keys and few nodes, so that the last one comes and
 * goes, with the windows between two steps held open, decided by exact search; ThreadSanitizer sees
 * the orders, as keys, values and places are read and written plainly here.
 *
 *   host_semilist [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/pause.h"

/* Nodes from a counter. What is given back is handed out again at once: a list that frees too early
 * is then seen. */
static uint take_node(void *kma);
static void give_node(void *kma, uint ref);
#define CLADE_SEMILIST_MALLOC(kma)    take_node(kma)
#define CLADE_SEMILIST_FREE(kma, ref) give_node((kma), (ref))

#define CLADE_SEMILIST_COUNT_TRIES 8u
#include "clade/semilist.clh"

#define SEMI_FIRST_VALUE 3u
#include "semilist/semilist_history.clh"
#undef min
#undef max
#include "semilist/semilist_lin.h"

enum { CAPACITY = 64, THREADS = 4, OPS = 8, FIRST = SEMI_FIRST_VALUE };

/* Refs count 16 bytes from the allocator's head on, as the real one's do. */
struct memory {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    clade_semilist_node nodes[2 * CAPACITY];
    clade_atomic_u32 taken, given;
    clade_semilist_head list;
    clade_atomic_u32 places[CAPACITY];
};

static uint take_node(void *kma)
{
    struct memory *m = kma;
    uint again = clade_exchange_acq_rel(&m->given, CLADE_NIL);
    if (again != CLADE_NIL)
        return again;
    uint i = clade_add_relaxed(&m->taken, 1u);
    return i < 2 * CAPACITY ? (uint)(offsetof(struct memory, nodes) / 16) + i + 1u : CLADE_NIL;
}

static void give_node(void *kma, uint ref)
{
    struct memory *m = kma;
    clade_exchange_acq_rel(&m->given, ref);
}

struct job {
    struct memory memory;
    clade_atomic_u32 clock;
    uint keys, appends, seed;
    semi_record records[FIRST + THREADS * OPS];
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    pause_state = job->seed * (uint)(get_global_id(0) * 2 + 1);
    semi_item(&job->memory.list, &job->memory.kma.head, &job->clock, job->records + FIRST,
              job->keys, OPS, job->appends, job->seed);
}

static void do_one(struct job *job, uint at, uint op, uint key)
{
    semi_record r = { .op = op, .key = key, .value = at + 1 };
    clade_ref known = CLADE_NIL;
    uint known_value = 0;
    r.invoked = history_ticket_wi(&job->clock);
    semi_do(&job->memory.list, &job->memory.kma.head, &r, &known, &known_value);
    r.responded = history_ticket_wi(&job->clock);
    job->records[at] = r;
}

/* What erasures that are under way mean to those who count: item 0 erases all, the others look
 * whether a node is there, then count. */
static void run_script(void *argument, void *local)
{
    struct job *job = argument;
    const uint item = (uint)get_global_id(0);
    (void)local;
    pause_state = job->seed * (item * 2 + 1);
    for (uint i = 0; i < OPS; i++) {
        const uint at = FIRST + item * OPS + i;
        if (item == 0)
            do_one(job, at, CLADE_SEMILIST_ERASE, 1 + i % FIRST);
        else
            do_one(job, at, i % 2 ? SEMI_COUNT : CLADE_SEMILIST_FIND, 1 + (i / 2) % FIRST);
    }
}

/* Every node by its place; NULL, or what is wrong with the links. */
static const char *walk(struct memory *m, struct semi_node *nodes)
{
    uint hops = 0, place = 0, live = 0, met = 0;
    for (uint i = 0; i < m->list.tail; i++) {
        const clade_semilist_node *node = (void *)((char *)m + (size_t)(m->places[i] - 1u) * 16u);
        if (m->places[i] == CLADE_NIL || node->place != i)
            return "a node is not at its place";
        nodes[i] =
            (struct semi_node) { node->key_, node->value_, !(node->link & CLADE_SEMILIST_ERASED) };
        live += nodes[i].is_live;
    }
    for (uint ref = m->list.first >> CLADE_SEMILIST_REF_SHIFT; ref != CLADE_NIL; hops++) {
        const clade_semilist_node *node = (void *)((char *)m + (size_t)(ref - 1u) * 16u);
        if (hops > CAPACITY)
            return "the links run in a circle";
        if (hops > 0 && node->place <= place)
            return "places do not rise";
        place = node->place;
        if (place >= m->list.tail || m->places[place] != ref)
            return "a node is not at its place";
        met += nodes[place].is_live;
        ref = node->link >> CLADE_SEMILIST_REF_SHIFT;
        if (ref == CLADE_NIL && m->list.tail != place + 1u)
            return "the tail is not behind the last place";
    }
    if (met != live)
        return "a live node is not linked";
    return m->list.begun == m->list.done ? NULL : "erasures that began did not end";
}

/* A list of a few nodes. */
static void make(struct job *job, uint seed)
{
    *job = (struct job) { .seed = seed };
    job->memory.kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    job->memory.list.object.shape = CLADE_SEMILIST_SHAPE;
    job->memory.list.capacity = CAPACITY;
    job->memory.list.places_at =
        (offsetof(struct memory, places) - offsetof(struct memory, list)) / 4;
    for (uint i = 0; i < FIRST; i++)
        do_one(job, i, CLADE_SEMILIST_APPEND, 1 + i);
}

/* appends = 0: the script. */
static int run_round(struct job *job, uint keys, uint appends, uint seed)
{
    struct semi_node nodes[CAPACITY] = { { 0 } };
    make(job, seed);
    job->keys = keys;
    job->appends = appends;
    shim_launch(appends ? run_item : run_script, job, THREADS, 1, 0);
    const char *why = walk(&job->memory, nodes);
    const lin_verdict verdict =
        why ? LIN_OK
            : semi_lin_exact((const struct semi_rec *)job->records, FIRST + THREADS * OPS, nodes,
                             job->memory.list.tail);
    if (!why && verdict == LIN_OK)
        return 0;
    printf("seed %u: %s, verdict %d\n", seed, why ? why : "links fine", verdict);
    for (uint i = 0; i < FIRST + THREADS * OPS; i++)
        printf("%u [%u,%u] op %u key %u operand %u status %d value %u\n", i,
               job->records[i].invoked, job->records[i].responded, job->records[i].op,
               job->records[i].key, job->records[i].operand, job->records[i].status,
               job->records[i].value);
    return 1;
}

static void append_one(void *argument, void *local)
{
    struct job *job = argument;
    const uint item = (uint)get_global_id(0);
    (void)local;
    pause_state = job->seed * (item * 2 + 1);
    do_one(job, FIRST + item, CLADE_SEMILIST_APPEND, 1);
}

/* Items that append together, where not all have a place: as many come as there are places. */
static int append_the_last(struct job *job, uint items, uint places, uint seed)
{
    struct semi_node nodes[CAPACITY];
    uint came = 0, refused = 0;
    make(job, seed);
    job->memory.list.capacity = FIRST + places;
    shim_launch(append_one, job, items, 1, 0);
    for (uint i = 0; i < items; i++) {
        came += job->records[FIRST + i].status == CLADE_OK;
        refused += job->records[FIRST + i].status == CLADE_E_FULL;
    }
    const char *why = walk(&job->memory, nodes);
    const uint fit = items < places ? items : places;
    if (!why && came == fit && refused == items - fit && job->memory.list.tail == FIRST + fit)
        return 0;
    printf("seed %u: of %u items %u came to %u places, %u were refused: %s\n", seed, items, came,
           places, refused, why ? why : "links fine");
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const uint rounds = shim_rounds(argc, argv, 300);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 1; i++) {
        failed += run_round(job, 1 + i % 2, 40, base + i * 7919u);
        failed += run_round(job, 3, 50 + i % 30, base + i * 104729u);
        failed += run_round(job, 3, 0, base + i * 15485863u);
        failed += run_round(job, 3, 0, base + i * 32452843u);
    }
    for (uint i = 0; job && i < 64 && failed < 1; i++)
        failed += append_the_last(job, 1 + i % 4, i / 4 % 4, base + i * 7919u);
    for (uint i = 0; job && i < 8 && failed < 1; i++) /* each lane of a sub-group, up to the last */
        failed += append_the_last(job, 32, 30 + i % 4, base + i * 7919u);
    printf("semilist: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
