/* SPDX-License-Identifier: Apache-2.0 */
/* rbtree.clh on host threads: histories of a few hot keys in small leaves, with the windows between
 * two steps held open, put to the checkers of linearizability; after each the library's own check
 * of all invariants. ThreadSanitizer sees the accesses that are not atomic.
 *
 *   host_rbtree [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
#define CLADE_RBTREE_TRIES 20000u /* a planted bug may retry for ever */
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

#ifndef LEAF_CAPACITY
#define LEAF_CAPACITY 1
#endif
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#ifdef RANKED
#define CLADE_RBTREE_RANKED RANKED
#endif
#include "clade/rbtree.clh"
#undef min
#undef max

#include "harness/patience.h"
#include "lin/lin.h"
#include "rbtree/rbtree_memory.h"

enum { THREADS = 4, KEYS_MAX = 24, OPS_MAX = 120, RECORDS = THREADS * OPS_MAX + 2 * KEYS_MAX };

enum op { INSERT, ASSIGN, ERASE, FIND, LOWER, NEXT, FLOOR, PREV, LEAST, GREATEST };
/* MIXED: all operations, few of them, for the exact checker. FULL: the same, and few leaves. */
enum kind { SET, MAP, MIXED, FULL };

struct record {
    uint invoked, responded, op, key, value, got_key, got_value;
    int status;
};

struct job {
    void *memory;
    clade_atomic_u32 clock, busy;
    uint kind, keys, ops, seed;
    struct record records[RECORDS];
    uint count; /* of records outside the threads */
};

static uint leaves_of(uint kind, uint keys)
{
    return kind == FULL ? keys / 2u / LEAF_CAPACITY + 2u : 4u * KEYS_MAX + THREADS * 8u;
}

static void try_op(clade_rbtree_head *tree, struct record *r)
{
    r->got_key = r->key;
    switch (r->op) {
    case INSERT:
        r->status = clade_rbtree_insert_wi(tree, r->key, r->value);
        break;
    case ASSIGN:
        r->status = clade_rbtree_put_wi(tree, r->key, r->value);
        break;
    case ERASE:
        r->status = clade_rbtree_erase_wi(tree, r->key, &r->got_value);
        break;
    case FIND:
        r->status = clade_rbtree_find_wi(tree, r->key, &r->got_value);
        break;
    case LOWER:
        r->status = clade_rbtree_lower_bound_wi(tree, &r->got_key, &r->got_value);
        break;
    case NEXT:
        r->status = clade_rbtree_successor_wi(tree, &r->got_key, &r->got_value);
        break;
    case FLOOR:
        r->status = clade_rbtree_floor_wi(tree, &r->got_key, &r->got_value);
        break;
    case PREV:
        r->status = clade_rbtree_predecessor_wi(tree, &r->got_key, &r->got_value);
        break;
    case LEAST:
        r->status = clade_rbtree_min_wi(tree, &r->got_key, &r->got_value);
        break;
    default:
        r->status = clade_rbtree_max_wi(tree, &r->got_key, &r->got_value);
        break;
    }
}

/* BUSY: nothing was done, for who holds a lock has lost its core for longer than the tries took. */
static void run_op(struct job *job, struct record *r)
{
    pause_here();
    r->invoked = clade_add_acq_rel(&job->clock, 1u);
    try_op(job->memory, r);
    while (r->status == CLADE_E_BUSY && patience(&job->busy))
        try_op(job->memory, r);
    r->responded = clade_add_acq_rel(&job->clock, 1u);
}

static uint choose_op(uint kind)
{
    static const uint set[] = { INSERT, ERASE, FIND, INSERT, ERASE };
    static const uint mixed[] = { INSERT, ERASE, ASSIGN, FIND,  INSERT, ERASE,   LOWER,
                                  NEXT,   FLOOR, PREV,   LEAST, ERASE,  GREATEST };
    if (kind == SET)
        return set[draw() % 5u];
    if (kind == MAP)
        return draw() % 2u ? ASSIGN : FIND;
    return mixed[draw() % 13u];
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    const uint item = (uint)get_global_id(0);
    (void)local;
    pause_state = job->seed * (2u * item + 1u) + item;
    for (uint i = 0; i < job->ops; i++) {
        struct record *r = &job->records[job->count + item * job->ops + i];
        *r = (struct record) { .op = choose_op(job->kind), .key = 1u + draw() % job->keys };
        r->value = 1000u * (item + 1u) + i;
        run_op(job, r);
    }
}

/* Alone: `op` on every stride-th key. */
static void run_alone(struct job *job, uint at, uint op, uint stride)
{
    for (uint key = 1; key <= job->keys; key += stride) {
        struct record *r = &job->records[at++];
        *r = (struct record) { .op = op, .key = key, .value = 100000u + key };
        run_op(job, r);
    }
}

/* --- the model of MIXED ----------------------------------------------------------------------- */

/* A place a key: its value, or 0. */
static bool model_seek(const uint16_t *values, const lin_op *op)
{
    const uint mode = op->asked, key = (uint)op->values[0].key;
    const bool up = mode == LOWER || mode == NEXT || mode == LEAST;
    int at = mode == LEAST ? 0 : mode == GREATEST ? KEYS_MAX - 1 : (int)key;
    if (mode == NEXT)
        at++;
    if (mode == PREV)
        at--;
    while (at >= 0 && at < KEYS_MAX && values[at] == 0)
        at += up ? 1 : -1;
    if (at < 0 || at >= KEYS_MAX)
        return !op->ok;
    return op->ok && op->values[1].key == (uint)at && (uint16_t)op->values[1].id == values[at];
}

static bool model_apply(void *state, const lin_op *op)
{
    uint16_t *values = state, *place = &values[op->values[0].key];
    const uint16_t given = (uint16_t)op->values[0].id, was = *place;
    switch (op->asked) {
    case INSERT:
        if (op->ok)
            *place = given;
        return op->ok == (was == 0);
    case ASSIGN:
        *place = given;
        return op->ok == (was == 0);
    case ERASE:
        *place = 0;
        return op->ok == (was != 0) && (!op->ok || (uint16_t)op->values[1].id == was);
    case FIND:
        return op->ok == (was != 0) && (!op->ok || (uint16_t)op->values[1].id == was);
    default:
        return model_seek(values, op);
    }
}

/* --- judging ---------------------------------------------------------------------------------- */

static bool is_known(const struct record *r, uint kind)
{
    if (r->status == CLADE_E_FULL)
        return kind == FULL && r->op <= ASSIGN;
    if (r->status == CLADE_RBTREE_PRESENT)
        return r->op <= ASSIGN;
    return r->status == CLADE_OK || (r->status == CLADE_E_NOT_FOUND && r->op > ASSIGN);
}

/* Whether an operation that was told a value was told one that somebody gave to that key. */
static bool is_given(const struct job *job, uint count, const struct record *told)
{
    if (told->status != CLADE_OK || told->op <= ASSIGN)
        return true;
    for (uint i = 0; i < count; i++) {
        const struct record *r = &job->records[i];
        if (r->op <= ASSIGN && r->key == told->got_key && r->value == told->got_value)
            return true;
    }
    return false;
}

static lin_kind lin_kind_of(uint kind, uint op)
{
    if (kind == MAP)
        return op == ASSIGN ? LIN_PUT : LIN_GET;
    return op == INSERT ? LIN_INSERT : op == ERASE ? LIN_DELETE : LIN_CONTAINS;
}

static lin_verdict judge(const struct job *job, uint count, lin_report *report)
{
    static lin_op ops[RECORDS];
    static lin_value values[2 * RECORDS];
    static const lin_spec spec = { KEYS_MAX * sizeof(uint16_t) + 16, model_apply };
    uint n = 0;
    for (uint i = 0; i < count; i++) {
        const struct record *r = &job->records[i];
        if (!is_known(r, job->kind)) {
            *report = (lin_report) { "a status that there is no reason for", i, (size_t)r->status };
            return LIN_INPUT;
        }
        if (!is_given(job, count, r)) {
            *report = (lin_report) { "a value that nobody gave this key", i, r->got_value };
            return LIN_BAD;
        }
        if (r->status == CLADE_E_FULL)
            continue; /* nothing happened */
        values[2 * n] =
            (lin_value) { r->key, job->kind == MAP && r->op == FIND ? r->got_value : r->value };
        values[2 * n + 1] = (lin_value) { r->got_key, r->got_value };
        ops[n] = (lin_op) {
            .inv = r->invoked,
            .res = r->responded,
            .kind = lin_kind_of(job->kind, r->op),
            .asked = r->op,
            .count = 1,
            .ok = r->status == CLADE_OK,
            .values = &values[2 * n],
        };
        n++;
    }
    return job->kind == SET   ? lin_set(ops, n, report)
           : job->kind == MAP ? lin_map(ops, n, report)
                              : lin_exact(ops, n, &spec);
}

#ifdef VERSIONS_LEFT
/* All versions begin so many changes before their ends. */
static void age(void *memory, uint leaves)
{
    const clade_rbtree_head *head = memory;
    char *leaf = (char *)memory + (size_t)head->leaves_at * 16u;
    clade_rbtree_router *routers = (void *)((char *)memory + (size_t)head->routers_at * 16u);
    for (uint i = 0; i < leaves; i++)
        *(clade_atomic_u32 *)(void *)(leaf +
                                      (size_t)i * CLADE_RBTREE_LEAF_BYTES(4u, 4u, LEAF_CAPACITY)) -=
            VERSIONS_LEFT * CLADE_RBTREE_LEAF_VERSION;
    for (uint i = 0; i < head->router_total; i++)
        routers[i].meta -= VERSIONS_LEFT * CLADE_RBTREE_ROUTER_VERSION;
}
#else
#define age(memory, leaves) ((void)0)
#endif

static int run_round(struct job *job, uint kind, uint keys, uint ops, uint seed)
{
    lin_report report = { "", SIZE_MAX, SIZE_MAX };
    const uint leaves = leaves_of(kind, keys);
    uint64_t size = 0, found = 0;
    *job = (struct job) { .kind = kind, .keys = keys, .ops = ops, .seed = seed };
    const size_t bytes = (rbtree_memory_bytes(leaves, LEAF_CAPACITY) + 15u) / 16u * 16u;
    job->memory = aligned_alloc(16, bytes);
    if (!job->memory)
        return 1;
    memset(job->memory, 0, bytes);
    rbtree_memory_make(job->memory, leaves, LEAF_CAPACITY);
    age(job->memory, leaves);
    pause_state = seed;
    if (kind != MAP) {
        run_alone(job, 0, INSERT, 3);
        job->count = (keys + 2u) / 3u;
    }
    shim_launch(run_item, job, THREADS, 1, 0);
    uint count = job->count + THREADS * ops;
    run_alone(job, count, FIND, 1); /* what is left must follow as well */
    for (uint i = 0; i < keys; i++)
        found += job->records[count + i].status == CLADE_OK;
    const char *why = rbtree_memory_check(job->memory, leaves, LEAF_CAPACITY, &size);
    if (!why && size != found)
        why = "another number of keys than find finds";
    lin_verdict verdict = judge(job, count + keys, &report);
    free(job->memory);
    if (!why && verdict == LIN_OK)
        return 0;
    printf("kind %u, %u keys, seed %u: %s; verdict %d, %s (operations %zu, %zu)\n", kind, keys,
           seed, why ? why : "the tree is sound", verdict, report.why, report.op, report.other);
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const uint rounds = shim_rounds(argc, argv, 40);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 3; i++) {
        failed += run_round(job, SET, 3 + i % 20, 100, base + i * 7919u);
        failed += run_round(job, MAP, 2 + i % 8, 60, base + i * 104729u);
        failed += run_round(job, MIXED, 3 + i % 10, 10, base + i * 1299709u);
        failed += run_round(job, FULL, 4 + i % 9, 10, base + i * 15485863u);
    }
    printf("rbtree, leaves of %d: %u rounds from seed %u, %d failed\n", LEAF_CAPACITY, rounds, base,
           failed);
    free(job);
    return failed != 0 || !job;
}
