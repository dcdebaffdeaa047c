/* SPDX-License-Identifier: Apache-2.0 */
/* list.clh on host threads: histories of a few hot keys, with the windows between two steps held
 * open, put to the checkers of linearizability; ThreadSanitizer sees the orders. Then come a
 * reclaim and a clear, by its own kernels.
 *
 *   host_list [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * With -DHOST_LIST_KMA=1 nodes are blocks of an allocator, which from round to round is the same;
 * whoever frees a block writes to it (a reader of freed memory is then a race, and reads nonsense),
 * and after each round the allocator's live blocks are the list's nodes.
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
#define CLADE_SPIN_LIMIT 20000u /* a planted bug may retry for ever */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/pause.h"

#ifndef HOST_LIST_KMA
#define HOST_LIST_KMA 0
#endif
#undef __kernel
#define __kernel              static
#define CLADE_LIST_VALUE_BITS 32
#if HOST_LIST_KMA
#include "kma/host_kma.h"
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

static uint take_block(__global clade_kma_head *kma, uint bytes);
static void give_block(__global clade_kma_head *kma, uint ref);
#define CLADE_LIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_LIST_FREE(kma, ref)     give_block((kma), (ref))
#define HISTORY_KMA                   1
#define LIST_OF(job)                  &(job)->memory.head, (job)->kma
#else
#define LIST_OF(job) &(job)->memory.head
#endif

/* The list's own kernels run by groups of one item: local memory is the thread's. */
#include "clade/atomic.clh"
#undef __local
#define __local static _Thread_local
#if HOST_LIST_KMA
#include "kernels/list_kma.cl"
#else
#include "kernels/list.cl"
#endif
#undef __local
#define __local

#define CLADE_LIST       history_list
#define CLADE_LIST_VALUE 32
#define CLADE_LIST_KMA   HOST_LIST_KMA
#include "clade/list.clh"

#include "list/list_history.clh"
#undef min
#undef max
#include "list/list_lin.h"

enum { CAPACITY = 512, HINTS = 32, SLOTS = 1024, THREADS = 4 };

/* The object, laid out by hand: cells of 4 words, as the list has values, or refs of blocks. */
struct memory {
    clade_list_head head;
    uint cells[CAPACITY * 4];
    uint free[CAPACITY];
    uint index[SLOTS]; /* or shortcuts of two words */
};

struct job {
    struct memory memory;
    void *kma; /* or NULL */
    clade_atomic_u32 clock;
    uint kind, keys, ops, seed;
    history_record records[CAPACITY];
};

/* --- nodes: in the pool, or in an allocator --------------------------------------------------- */

static uint *cell(const struct job *job, uint node)
{
#if HOST_LIST_KMA
    return (uint *)((char *)job->kma + (size_t)(job->memory.cells[node - 1] - 1u) * 16u);
#else
    return (uint *)&job->memory.cells[(node - 1) * 4];
#endif
}

#if HOST_LIST_KMA
enum { PAGES = 10, LEFT = 24 }; /* pages of an allocator; blocks that a tight one has left */

/* Written plainly, before the owner uses it and before it is given back: an owner or a reader that
 * nothing orders behind that is a race. */
static uint take_block(__global clade_kma_head *kma, uint bytes)
{
    const uint ref = clade_kma_malloc_wi(kma, bytes);
    if (ref != CLADE_NIL)
        memset(clade_kma_ptr(kma, ref), 0x5a, bytes);
    return ref;
}

static void give_block(__global clade_kma_head *kma, uint ref)
{
    if (ref != CLADE_NIL)
        memset(clade_kma_ptr(kma, ref), 0xa5, 16);
    clade_kma_free_wi(kma, ref);
}

/* An allocator, and what others hold of it for ever: of a tight one nearly all. */
struct blocks {
    void *kma;
    uint held[PAGES * 1024 + CAPACITY];
    uint held_count;
};

static void blocks_open(struct blocks *b, bool is_tight)
{
    const struct shim_item self = shim_self;
    b->kma = host_kma_new(PAGES, 2, 0);
    b->held_count = 0;
    host_kma_clear(b->kma);
    shim_self = self;
    for (uint ref = 1; is_tight && ref != CLADE_NIL && b->held_count < PAGES * 1024;) {
        ref = clade_kma_malloc_wi(b->kma, 16);
        if (ref != CLADE_NIL)
            b->held[b->held_count++] = ref;
    }
    for (uint i = 0; is_tight && i < LEFT; i++)
        clade_kma_free_wi(b->kma, b->held[--b->held_count]);
}

/* The live blocks are those of the list's cells, `wanted` many, and what others hold. */
static const char *check_blocks(struct blocks *b, const struct memory *m, uint wanted)
{
    uint count = b->held_count;
    for (uint i = 0; i < CAPACITY; i++)
        if (m->cells[i] != CLADE_NIL)
            b->held[count++] = m->cells[i];
    if (count - b->held_count != wanted)
        return "after a reclaim a list keeps another number of blocks than it has nodes";
    if (host_kma_bad_frees(b->kma) != 0)
        return "a block was freed twice";
    return host_kma_verify(b->kma, b->held, count);
}
#endif

static void make_empty(struct memory *m, uint kind)
{
    *m = (struct memory) { 0 };
    m->head.object.shape = CLADE_LIST_SHAPE(kind == HISTORY_UNORDERED, 1, 1, HOST_LIST_KMA);
    m->head.capacity = CAPACITY;
    m->head.nodes_at = offsetof(struct memory, cells) / 4;
    m->head.free_at = offsetof(struct memory, free) / 4;
    m->head.index_at = m->head.hints_at = offsetof(struct memory, index) / 4;
    m->head.index_size = kind == HISTORY_UNORDERED ? SLOTS : CLADE_LIST_HINTS_MAX(CAPACITY);
    m->head.free_count = CAPACITY;
    for (uint i = 0; i < CAPACITY; i++) {
        m->cells[i * 4] = HOST_LIST_KMA ? CLADE_NIL : CLADE_LIST_CELL_FREE;
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
        history_do(LIST_OF(job), job->kind, r);
        r->responded = job->clock++;
        job->memory.index[count * 2] = key;
        job->memory.index[count * 2 + 1] = job->memory.head.first >> CLADE_LIST_REF_SHIFT;
        count++;
    }
    /* The keys were inserted in order, so the refs follow from walking. */
    uint node = job->memory.head.first >> CLADE_LIST_REF_SHIFT;
    for (uint i = 0; i < count; i++) {
        job->memory.index[i * 2 + 1] = node;
        node = *cell(job, node) >> CLADE_LIST_REF_SHIFT;
    }
    job->memory.head.hint_count = count;
    return count;
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    pause_state = job->seed;
    history_item(LIST_OF(job), &job->clock, job->records, job->kind, job->keys, job->ops,
                 job->seed);
}

/* What a pending insert is for: value 1 is there; 2 and 3 are inserted behind it while it is
 * erased and others look. */
static void run_script(void *argument, void *local)
{
    static const struct {
        uint op, key;
    } script[THREADS][3] = {
        { { CLADE_LIST_INSERT_AFTER, 2 }, { CLADE_LIST_CONTAINS, 2 }, { CLADE_LIST_CONTAINS, 1 } },
        { { CLADE_LIST_ERASE, 1 }, { CLADE_LIST_CONTAINS, 2 }, { CLADE_LIST_CONTAINS, 3 } },
        { { CLADE_LIST_CONTAINS, 1 }, { CLADE_LIST_CONTAINS, 2 }, { CLADE_LIST_ERASE, 2 } },
        { { CLADE_LIST_INSERT_AFTER, 3 }, { CLADE_LIST_ERASE, 1 }, { CLADE_LIST_CONTAINS, 2 } },
    };
    struct job *job = argument;
    const size_t item = get_global_id(0);
    (void)local;
    pause_state = job->seed * (uint)(item * 2 + 1);
    for (uint i = 0; i < job->ops; i++) {
        history_record r = { .op = script[item][i].op, .key = script[item][i].key, .operand = 1 };
        pause_here();
        r.invoked = clade_add_acq_rel(&job->clock, 1u);
        history_do(LIST_OF(job), HISTORY_UNORDERED, &r);
        r.responded = clade_add_acq_rel(&job->clock, 1u);
        job->records[item * job->ops + i] = r;
    }
}

static uint prefill_script(struct job *job)
{
    history_record *r = &job->records[0];
    *r = (history_record) { .op = CLADE_LIST_INSERT, .key = 1, .invoked = job->clock++ };
    history_do(LIST_OF(job), HISTORY_UNORDERED, r);
    r->responded = job->clock++;
    return 1;
}

/* Along the links: keys rise, nobody is pending, and no more nodes than there are cells. *live: how
 * many are not erased. */
static const char *check_links(const struct job *job, uint *live)
{
    uint before = 0, hops = 0;
    *live = 0;
    for (uint node = job->memory.head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL; hops++) {
        const uint link = cell(job, node)[0], key = cell(job, node)[1];
        if (hops > CAPACITY)
            return "the links run in a circle";
        if ((link & CLADE_LIST_MARKS) == CLADE_LIST_PENDING)
            return "a node is still pending";
        if (job->kind != HISTORY_UNORDERED && !(link & CLADE_LIST_ERASED)) {
            if (key <= before)
                return "keys do not rise";
            before = key;
        }
        *live += !(link & CLADE_LIST_ERASED);
        node = link >> CLADE_LIST_REF_SHIFT;
    }
    return NULL;
}

/* --- reclaiming, by the list's own kernels ---------------------------------------------------- */

/* An item a cell, and one more, each a group. */
#define FOR_EVERY_CELL(call)                                                                \
    do {                                                                                    \
        shim_self = (struct shim_item) { .local_size = 1, .groups = CAPACITY + 1 };         \
        for (; shim_self.global_id <= CAPACITY; shim_self.group_id = ++shim_self.global_id) \
            call;                                                                           \
        shim_self = (struct shim_item) { 0 };                                               \
    } while (0)

static void reclaim(struct job *job)
{
    __global clade_list_head *list = &job->memory.head;
    FOR_EVERY_CELL(clade_list_skip(list, job->kma));
    FOR_EVERY_CELL(clade_list_relink(list, job->kma));
    FOR_EVERY_CELL(clade_list_sweep(list, job->kma, list->index_at));
}

/* Reclaimed, the list holds what it held, erased nodes are out of it, and all their cells are free.
 */
static const char *reclaim_and_check(struct job *job)
{
    uint before, after;
    const char *why = check_links(job, &before);
    if (why)
        return why;
    reclaim(job);
    why = check_links(job, &after);
    if (!why && (after != before || job->memory.head.live != before))
        why = "reclaiming changed how many nodes there are";
    if (!why && job->memory.head.free_count != CAPACITY - before)
        why = "after a reclaim a list lacks free cells";
    return why;
}

static uint refused; /* operations for which there was no block */

/* Operations that had no block took no effect, so they are no part of the history. */
static uint without_full(struct list_record *all, uint count)
{
    uint kept = 0;
    for (uint i = 0; i < count; i++)
        if (!HOST_LIST_KMA || all[i].status != CLADE_E_FULL)
            all[kept++] = all[i];
    return kept;
}

/* keys = 0: the script. */
static const char *run_world(struct job *job, uint kind, uint keys, uint ops)
{
    static struct list_record all[2 * CAPACITY];
    static char text[160];
    lin_report report = { "", SIZE_MAX, SIZE_MAX };
    make_empty(&job->memory, kind);
    const uint first = keys ? prefill(job) : prefill_script(job);
    memcpy(all, job->records, first * sizeof all[0]);
    shim_launch(keys ? run_item : run_script, job, THREADS, 1, 0);
    memcpy(all + first, job->records, THREADS * ops * sizeof all[0]);
    const uint count = without_full(all, first + THREADS * ops);
    refused += first + THREADS * ops - count;
    const char *why = reclaim_and_check(job);
    if (why)
        return why;
    const lin_verdict verdict = list_lin_check(all, count, (enum list_history_kind)kind, &report);
    if (verdict == LIN_OK)
        return NULL;
    snprintf(text, sizeof text, "verdict %d, %s (operations %zu, %zu)", verdict, report.why,
             report.op, report.other);
    return text;
}

static int run_round(struct job *job, uint kind, uint keys, uint ops, uint seed)
{
    const char *why;
#if HOST_LIST_KMA
    static struct blocks room, tight;
    struct blocks *blocks = seed % 3 == 0 && keys > 0 ? &tight : &room;
    if (!room.kma) {
        blocks_open(&room, false);
        blocks_open(&tight, true);
    }
    *job =
        (struct job) { .kma = blocks->kma, .kind = kind, .keys = keys, .ops = ops, .seed = seed };
#else
    *job = (struct job) { .kind = kind, .keys = keys, .ops = ops, .seed = seed };
#endif
    why = run_world(job, kind, keys, ops);
#if HOST_LIST_KMA
    if (!why)
        why = check_blocks(blocks, &job->memory, job->memory.head.live);
    if (!why) {
        FOR_EVERY_CELL(clade_list_clear(&job->memory.head, job->kma));
        why = check_blocks(blocks, &job->memory, 0);
    }
#endif
    if (!why)
        return 0;
    printf("kind %u, seed %u: %s\n", kind, seed, why);
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const uint rounds = shim_rounds(argc, argv, 600);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 3; i++) {
        failed += run_round(job, HISTORY_SET, 3 + i % 6, 40, base + i * 7919u);
        failed += run_round(job, HISTORY_MAP, 2 + i % 3, 40, base + i * 104729u);
        failed += run_round(job, HISTORY_UNORDERED, 3, 9, base + i * 1299709u);
        failed += run_round(job, HISTORY_UNORDERED, 0, 3, base + i * 15485863u);
        failed += run_round(job, HISTORY_UNORDERED, 0, 3, base + i * 32452843u);
    }
    printf("list: %u rounds from seed %u, %u operations without a block, %d failed\n", rounds, base,
           refused, failed);
    free(job);
    return failed != 0 || !job || (HOST_LIST_KMA && rounds >= 10 && refused == 0);
}
