/* SPDX-License-Identifier: Apache-2.0 */
/* list.clh on host threads: histories of a few hot keys, with the windows between two steps held
 * open, put to the checkers of linearizability; ThreadSanitizer sees the orders.
 *
 *   host_list [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
#define CLADE_SPIN_LIMIT 20000u /* a planted bug may retry for ever */
#include "device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local uint pause_state;

static void pause_here(void)
{
    pause_state = pause_state * 1664525u + 1013904223u + (uint)shim_self.global_id;
    for (uint i = pause_state >> 29; i > 4; i--)
        sched_yield();
}
#define CLADE_LIST_PAUSE() pause_here()

#define CLADE_LIST       history_list
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"

#include "../cl/list_history.clh"
#undef min
#undef max
#include "../list_lin.h"

enum { CAPACITY = 512, HINTS = 32, SLOTS = 1024, THREADS = 4 };

/* The object, laid out by hand: cells of 4 words, as the list has values. */
struct memory {
    clade_list_head head;
    uint cells[CAPACITY * 4];
    uint free[CAPACITY];
    uint index[SLOTS]; /* or shortcuts of two words */
};

struct job {
    struct memory memory;
    clade_atomic_u32 clock;
    uint kind, keys, ops, seed;
    history_record records[CAPACITY];
};

static void make_empty(struct memory *m, uint kind)
{
    *m = (struct memory) { 0 };
    m->head.shape = kind == HISTORY_UNORDERED;
    m->head.capacity = CAPACITY;
    m->head.nodes_at = offsetof(struct memory, cells) / 4;
    m->head.free_at = offsetof(struct memory, free) / 4;
    m->head.index_at = m->head.hints_at = offsetof(struct memory, index) / 4;
    m->head.index_size = SLOTS;
    m->head.free_count = CAPACITY;
    for (uint i = 0; i < CAPACITY; i++) {
        m->cells[i * 4] = CLADE_LIST_CELL_FREE;
        m->free[i] = i + 1;
    }
}

/* Keys that are there at the start, each with a shortcut: so shortcuts lead to nodes that die. */
static uint prefill(struct job *job)
{
    uint count = 0;
    if (job->kind != HISTORY_SET)
        return 0;
    for (uint key = 1; key <= job->keys; key += 2) {
        history_record *r = &job->records[count];
        *r = (history_record) { .op = CLADE_LIST_INSERT, .key = key, .operand = 1000 + key };
        r->invoked = job->clock++;
        history_do(&job->memory.head, job->kind, r);
        r->responded = job->clock++;
        job->memory.index[count * 2] = key;
        job->memory.index[count * 2 + 1] = job->memory.head.first >> CLADE_LIST_REF_SHIFT;
        count++;
    }
    /* The keys were inserted in order, so the refs follow from walking. */
    uint node = job->memory.head.first >> CLADE_LIST_REF_SHIFT;
    for (uint i = 0; i < count; i++) {
        job->memory.index[i * 2 + 1] = node;
        node = job->memory.cells[(node - 1) * 4] >> CLADE_LIST_REF_SHIFT;
    }
    job->memory.head.hint_count = count;
    return count;
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    pause_state = job->seed;
    history_item(&job->memory.head, &job->clock, job->records, job->kind, job->keys, job->ops,
                 job->seed);
}

/* What a pending insert is for: value 1 is there; 2 and 3 are inserted behind it while it is
 * removed and others look. */
static void run_script(void *argument, void *local)
{
    static const struct {
        uint op, key;
    } script[THREADS][3] = {
        { { CLADE_LIST_INSERT_AFTER, 2 }, { CLADE_LIST_CONTAINS, 2 }, { CLADE_LIST_CONTAINS, 1 } },
        { { CLADE_LIST_REMOVE, 1 }, { CLADE_LIST_CONTAINS, 2 }, { CLADE_LIST_CONTAINS, 3 } },
        { { CLADE_LIST_CONTAINS, 1 }, { CLADE_LIST_CONTAINS, 2 }, { CLADE_LIST_REMOVE, 2 } },
        { { CLADE_LIST_INSERT_AFTER, 3 }, { CLADE_LIST_REMOVE, 1 }, { CLADE_LIST_CONTAINS, 2 } },
    };
    struct job *job = argument;
    const size_t item = get_global_id(0);
    (void)local;
    pause_state = job->seed * (uint)(item * 2 + 1);
    for (uint i = 0; i < job->ops; i++) {
        history_record r = { .op = script[item][i].op, .key = script[item][i].key, .operand = 1 };
        pause_here();
        r.invoked = clade_add_acq_rel(&job->clock, 1u);
        history_do(&job->memory.head, HISTORY_UNORDERED, &r);
        r.responded = clade_add_acq_rel(&job->clock, 1u);
        job->records[item * job->ops + i] = r;
    }
}

static uint prefill_script(struct job *job)
{
    history_record *r = &job->records[0];
    *r = (history_record) { .op = CLADE_LIST_INSERT, .key = 1, .invoked = job->clock++ };
    history_do(&job->memory.head, HISTORY_UNORDERED, r);
    r->responded = job->clock++;
    return 1;
}

/* Along the links: keys rise, nobody is pending, and no more nodes than there are cells. */
static const char *check_links(const struct memory *m, uint kind)
{
    uint before = 0, hops = 0;
    for (uint node = m->head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL; hops++) {
        const uint link = m->cells[(node - 1) * 4], key = m->cells[(node - 1) * 4 + 1];
        if (hops > CAPACITY)
            return "the links run in a circle";
        if ((link & CLADE_LIST_MARKS) == CLADE_LIST_PENDING)
            return "a node is still pending";
        if (kind != HISTORY_UNORDERED && !(link & CLADE_LIST_DELETED)) {
            if (key <= before)
                return "keys do not rise";
            before = key;
        }
        node = link >> CLADE_LIST_REF_SHIFT;
    }
    return NULL;
}

/* keys = 0: the script. */
static int run_round(struct job *job, uint kind, uint keys, uint ops, uint seed)
{
    static struct list_record all[2 * CAPACITY];
    lin_report report = { "", SIZE_MAX, SIZE_MAX };
    *job = (struct job) { .kind = kind, .keys = keys, .ops = ops, .seed = seed };
    make_empty(&job->memory, kind);
    const uint first = keys ? prefill(job) : prefill_script(job);
    memcpy(all, job->records, first * sizeof all[0]);
    shim_launch(keys ? run_item : run_script, job, THREADS, 1, 0);
    memcpy(all + first, job->records, THREADS * ops * sizeof all[0]);
    const char *why = check_links(&job->memory, kind);
    lin_verdict verdict =
        list_lin_check(all, first + THREADS * ops, (enum list_history_kind)kind, &report);
    if (!why && verdict == LIN_OK)
        return 0;
    printf("kind %u, seed %u: %s; verdict %d, %s (operations %zu, %zu)\n", kind, seed,
           why ? why : "links fine", verdict, report.why, report.op, report.other);
    return 1;
}

int main(int argc, char **argv)
{
    const char *text = getenv("CLADE_TEST_SEED");
    const uint base = text && *text ? (uint)strtoul(text, NULL, 0) : 1u;
    const uint rounds = argc > 1 ? (uint)strtoul(argv[1], NULL, 0) : 600u;
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 3; i++) {
        failed += run_round(job, HISTORY_SET, 3 + i % 6, 40, base + i * 7919u);
        failed += run_round(job, HISTORY_MAP, 2 + i % 3, 40, base + i * 104729u);
        failed += run_round(job, HISTORY_UNORDERED, 3, 9, base + i * 1299709u);
        failed += run_round(job, HISTORY_UNORDERED, 0, 3, base + i * 15485863u);
        failed += run_round(job, HISTORY_UNORDERED, 0, 3, base + i * 32452843u);
    }
    printf("list: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
