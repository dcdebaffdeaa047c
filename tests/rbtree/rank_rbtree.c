/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks beside writers, on host threads. Each key has one thread that inserts and erases it, so it
 * is known when it was there. A rank, and the key of a rank, must then be what rank.clh promises:
 * each insert and erase that ran beside the call is counted or not, each that ended before is.
 *
 *   rank_rbtree [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/rbtree/meson.build). */
#define CLADE_RBTREE_TRIES 20000u
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local uint pause_state;

static uint draw(void)
{
    pause_state = pause_state * 1664525u + 1013904223u;
    return pause_state >> 8;
}

static void pause_here(void)
{
    for (uint i = draw() % 8u; i > 5; i--)
        sched_yield();
}
#define CLADE_SCHEDULE_HOOK(where, word, salt) pause_here()

#include "rbtree/words.h"

#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#define CLADE_RBTREE_RANKED        1
#include "clade/rbtree.clh"
#undef min
#undef max

#include "harness/patience.h"
#include "rbtree/rbtree_memory.h"

enum { THREADS = 4, OPS = 300, KEYS_MAX = 160 };
enum op { INSERT, ERASE, RANK, SELECT };

struct record {
    uint invoked, responded, op, key, rank, value;
    int status;
};

struct job {
    void *memory;
    clade_atomic_u32 clock, busy;
    uint keys, seed, rises;
    struct record records[THREADS][OPS];
    struct record first[KEYS_MAX]; /* what was there before */
    uint first_count;
};

static uint value_of(uint key)
{
    return key * 3u + 1u;
}

static void try_op(clade_rbtree_head *tree, struct record *r)
{
    if (r->op == INSERT)
        r->status = clade_rbtree_insert_wi(tree, r->key, value_of(r->key));
    else if (r->op == ERASE)
        r->status = clade_rbtree_erase_wi(tree, r->key, &r->value);
    else if (r->op == RANK)
        r->status = clade_rbtree_rank_wi(tree, r->key, &r->rank);
    else
        r->status = clade_rbtree_select_wi(tree, r->rank, &r->key, &r->value);
}

static void run_op(struct job *job, struct record *r)
{
    pause_here();
    r->invoked = clade_add_acq_rel(&job->clock, 1u);
    try_op(job->memory, r);
    while (r->status == CLADE_E_BUSY && patience(&job->busy))
        try_op(job->memory, r);
    r->responded = clade_add_acq_rel(&job->clock, 1u);
}

/* A thread's own keys: every THREADS-th. Runs of inserts and of erases, so that leaves split and
 * go; in a rising round each thread goes through its keys in order. */
static uint own_key(const struct job *job, uint item, uint i)
{
    const uint count = job->keys / THREADS;
    return 1u + item + THREADS * (job->rises ? i % count : draw() % count);
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    const uint item = (uint)get_global_id(0);
    bool is_in[KEYS_MAX + THREADS + 1] = { false };
    (void)local;
    pause_state = job->seed * (2u * item + 1u) + item;
    for (uint i = 0; i < job->first_count; i++)
        is_in[job->first[i].key] = true;
    for (uint i = 0; i < OPS; i++) {
        struct record *r = &job->records[item][i];
        const uint what = draw() % 8u, key = own_key(job, item, i);
        *r = (struct record) { .op = what == 0    ? SELECT
                                     : what < 3   ? RANK
                                     : is_in[key] ? ERASE
                                                  : INSERT,
                               .key = key };
        if (r->op == RANK)
            r->key = draw() % (job->keys + 2u);
        if (r->op == SELECT)
            r->rank = draw() % (job->keys / 2u + 2u);
        if (r->op == INSERT || r->op == ERASE)
            is_in[key] = r->op == INSERT;
        run_op(job, r);
    }
}

/* --- judging -----------------------------------------------------------------------------------
 */

/* How many keys below one were there throughout a call, and how many may have been. */
struct bounds {
    uint least, most;
};

static void judge_key(const struct job *job, uint key, const struct record *call, struct bounds *b)
{
    const struct record *of_key = job->records[(key - 1u) % THREADS];
    bool there = false, beside = false;
    for (uint i = 0; i < job->first_count; i++)
        there = there || job->first[i].key == key;
    for (uint i = 0; i < OPS && of_key[i].invoked < call->responded; i++) {
        if (of_key[i].key != key || of_key[i].op > ERASE)
            continue;
        if (of_key[i].responded < call->invoked)
            there = of_key[i].op == INSERT;
        else
            beside = true;
    }
    b->least += there && !beside;
    b->most += there || beside;
}

static struct bounds bounds_of(const struct job *job, uint key, const struct record *call)
{
    struct bounds b = { 0, 0 };
    for (uint below = 1; below < key && below <= job->keys; below++)
        judge_key(job, below, call, &b);
    return b;
}

static const char *judge(const struct job *job, const struct record *r)
{
    struct bounds b, own = { 0, 0 };
    if (r->op <= ERASE)
        return r->status == CLADE_OK ? NULL : "an insert or erase of a key of its own was refused";
    if (r->op == SELECT && r->status == CLADE_E_NOT_FOUND)
        return r->rank >= bounds_of(job, UINT32_MAX, r).least ? NULL : "no key of a rank there was";
    if (r->status != CLADE_OK)
        return "a status that there is no reason for";
    if (r->op == SELECT) {
        judge_key(job, r->key, r, &own);
        if (own.most == 0)
            return "select gave a key that was not there";
        if (r->value != value_of(r->key))
            return "select gave another key's value";
    }
    b = bounds_of(job, r->key, r);
    return b.least <= r->rank && r->rank <= b.most ? NULL : "a rank that was never one";
}

static const char *judge_all(const struct job *job)
{
    const char *why = NULL;
    for (uint t = 0; !why && t < THREADS; t++)
        for (uint i = 0; !why && i < OPS; i++) {
            const struct record *r = &job->records[t][i];
            why = judge(job, r);
            if (why)
                printf("thread %u, operation %u: %u, key %u, rank %u, status %d: from %u to %u\n",
                       t, i, r->op, r->key, r->rank, r->status, bounds_of(job, r->key, r).least,
                       bounds_of(job, r->key, r).most);
        }
    return why;
}

/* At rest every rank is exact. */
static const char *judge_rest(const struct job *job, uint64_t size)
{
    uint rank = 0, got = 0, key = 0, value = 0;
    for (uint i = 1; i <= job->keys + 1u; i++) {
        if (clade_rbtree_rank_wi(job->memory, i, &got) != CLADE_OK || got != rank)
            return "at rest: another rank";
        if (clade_rbtree_find_wi(job->memory, i, &value) != CLADE_OK)
            continue;
        if (clade_rbtree_select_wi(job->memory, rank, &key, &value) != CLADE_OK || key != i ||
            value != value_of(i))
            return "at rest: another key of a rank";
        rank++;
    }
    if (clade_rbtree_select_wi(job->memory, rank, &key, &value) != CLADE_E_NOT_FOUND)
        return "at rest: a key beyond the last one";
    return rank == size ? NULL : "at rest: another size";
}

static int run_round(struct job *job, uint keys, uint rises, uint leaves, uint seed)
{
    uint64_t size = 0;
    memset(job, 0, sizeof *job);
    job->keys = keys;
    job->seed = seed;
    job->rises = rises;
    const size_t bytes = (rbtree_memory_bytes(leaves, LEAF_CAPACITY) + 127u) / 128u * 128u;
    job->memory = aligned_alloc(128, bytes);
    if (!job->memory)
        return 1;
    memset(job->memory, 0, bytes);
    rbtree_memory_make(job->memory, leaves, LEAF_CAPACITY);
    pause_state = seed;
    for (uint key = 1; key <= keys; key += 3) {
        job->first[job->first_count] = (struct record) { .op = INSERT, .key = key };
        run_op(job, &job->first[job->first_count++]);
    }
    shim_launch(run_item, job, THREADS, 1, 0);
    const char *why = rbtree_memory_check(job->memory, leaves, LEAF_CAPACITY, &size);
    if (!why)
        why = judge_all(job);
    if (!why)
        why = judge_rest(job, size);
    free(job->memory);
    if (why)
        printf("%u keys, %u leaves, rises %u, seed %u: %s\n", keys, leaves, rises, seed, why);
    return why != NULL;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const char *size = getenv("CLADE_TEST_SIZE");
    const uint rounds = shim_rounds(argc, argv, size && strcmp(size, "small") == 0 ? 10 : 20);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 3; i++) {
        /* Many slots; then few, which leaves share. Few keys; then several nodes of the index. */
        failed += run_round(job, 24 + 4 * (i % 5u), 0, 600, base + i * 7919u);
        failed += run_round(job, KEYS_MAX, i % 2u, KEYS_MAX + 40u, base + i * 104729u);
        failed += run_round(job, 64, 1, 64 + 20u, base + i * 1299709u);
    }
    printf("ranks, leaves of %d: %u rounds from seed %u, %d failed\n", LEAF_CAPACITY, rounds, base,
           failed);
    free(job);
    return failed != 0 || !job;
}
