/* SPDX-License-Identifier: Apache-2.0 */
/* dlist.clh on host threads: histories around a few hot nodes, with the windows between two steps
 * held open, each put to an exact search; the final list, both ways, is part of each.
 * ThreadSanitizer sees the orders.
 *
 *   host_dlist [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_DLIST_NAME must make it fail (tests/meson.build has the
 * names). */
#define CLADE_SPIN_LIMIT 20000u /* a planted bug may retry for ever */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/pause.h"

#include "clade/dlist.clh"

#include "dlist/dlist_history.clh"
#undef min
#undef max
#include "dlist/dlist_lin.h"

enum { CAPACITY = 64, SLOTS = 8, THREADS = 4, OPS = 7, PREFILL = 3 };

/* The object, laid out by hand. */
struct memory {
    clade_dlist_head head;
    uint cells[CAPACITY * CLADE_DLIST_CELL];
    uint free[CAPACITY];
};

struct job {
    struct memory memory;
    clade_atomic_u32 clock, slots[SLOTS];
    uint slot_count, seed;
    dlist_record records[LIN_EXACT_OPS];
};

static void make_empty(struct memory *m)
{
    *m = (struct memory) { 0 };
    m->head.object.shape = CLADE_DLIST_SHAPE;
    m->head.capacity = CAPACITY;
    m->head.nodes_at = offsetof(struct memory, cells) / 4;
    m->head.free_at = offsetof(struct memory, free) / 4;
    m->head.free_count = CAPACITY;
    for (uint i = 0; i < CAPACITY; i++) {
        m->cells[i * CLADE_DLIST_CELL] = CLADE_DLIST_CELL_FREE;
        m->free[i] = i + 1;
    }
}

static clade_ref record(struct job *job, dlist_record *r, uint op, clade_ref target)
{
    *r = (dlist_record) { .op = op, .target = target };
    r->invoked = job->clock++;
    dlist_do(&job->memory.head, r);
    r->responded = job->clock++;
    return r->node;
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    pause_state = job->seed;
    dlist_history_item(&job->memory.head, &job->clock, job->slots, job->slot_count,
                       job->records + PREFILL, OPS, job->seed);
}

/* The list that is left, as operations behind all others; then the same backward. Returns how many
 * records there are, or 0 when the two ways differ. */
static uint walk_both_ways(struct job *job, uint count)
{
    clade_ref there[CAPACITY + 1], node = CLADE_NIL;
    uint length = 0;
    do {
        if (count == LIN_EXACT_OPS || length > CAPACITY)
            return 0;
        node = record(job, &job->records[count++], CLADE_DLIST_NEXT, node);
        there[length++] = node;
    } while (node != CLADE_NIL);
    for (uint i = length - 1; i-- > 0;) {
        dlist_record r;
        if (record(job, &r, CLADE_DLIST_PREV, i + 1 < length ? there[i + 1] : CLADE_NIL) !=
            there[i])
            return 0;
    }
    return count;
}

static int run_round(struct job *job, uint slot_count, uint seed)
{
    struct dlist_lin_record all[LIN_EXACT_OPS];
    *job = (struct job) { .slot_count = slot_count, .seed = seed };
    make_empty(&job->memory);
    for (uint i = 0; i < PREFILL; i++)
        job->slots[i % slot_count] =
            record(job, &job->records[i], CLADE_DLIST_INSERT_BEFORE, CLADE_NIL);
    shim_launch(run_item, job, THREADS, 1, 0);
    const uint count = walk_both_ways(job, PREFILL + THREADS * OPS);
    memcpy(all, job->records, count * sizeof all[0]);
    const lin_verdict verdict = count ? dlist_lin_check(all, count) : LIN_BAD;
    if (verdict == LIN_OK)
        return 0;
    printf("%u slots, seed %u: %s\n", slot_count, seed,
           !count               ? "forward and backward differ, or the links run in a circle"
           : verdict == LIN_BAD ? "no order explains the outcomes"
                                : "a status that there is no reason for");
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const uint rounds = shim_rounds(argc, argv, 1500);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 3; i++)
        failed += run_round(job, 1 + i % SLOTS, base + i * 7919u);
    printf("dlist: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
