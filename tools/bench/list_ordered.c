/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench list`, ordered sets: mixed operations at once, beside a sequential skip list. */
#include "bench/list.h"

#include <stdlib.h>

#include "command/clade.h"

enum { LEVELS = 18 };

/* A node of the skip list; one in four is a level higher. */
struct skip {
    uint32_t key;
    uint32_t next[LEVELS];
};

struct load {
    struct bench *bench;
    uint32_t nodes, count, bound; /* keys are below `bound` */
    uint32_t *initial, *ops, *keys, *live;
    int32_t *statuses, *balance;
    cl_mem initial_mem, ops_mem, keys_mem, statuses_mem;
    clade_list *list;
    struct skip *skip;
    uint32_t used;
    uint64_t state;
};

static void close_load(struct load *l)
{
    cl_mem *const mems[] = { &l->initial_mem, &l->ops_mem, &l->keys_mem, &l->statuses_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    clade_list_destroy(&l->list);
    free(l->initial);
    free(l->ops);
    free(l->keys);
    free(l->live);
    free(l->statuses);
    free(l->balance);
    free(l->skip);
}

/* Half of twice as many keys are there, in random order; `contains` of 100 operations look, the
 * others insert and erase half and half. */
static bool open_load(struct load *l, struct bench *bench, uint32_t nodes, uint32_t count,
                      uint32_t contains)
{
    *l = (struct load) { .bench = bench, .nodes = nodes, .count = count, .bound = 2 * nodes };
    l->initial = bench_alloc(nodes, 4);
    l->ops = bench_alloc(count, 4);
    l->keys = bench_alloc(count, 4);
    l->live = bench_alloc(l->bound, 4);
    l->statuses = bench_alloc(count, 4);
    l->balance = bench_alloc(l->bound, 4);
    l->skip = bench_alloc((uint64_t)nodes + count + 1, sizeof *l->skip);
    if (!l->initial || !l->ops || !l->keys || !l->live || !l->statuses || !l->balance || !l->skip)
        return false;
    uint64_t state = 42;
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t at = bench_random_below(&state, i + 1);
        l->initial[i] = l->initial[at];
        l->initial[at] = 2 * i;
    }
    for (uint32_t i = 0; i < count; i++) {
        l->ops[i] = bench_random_below(&state, 100) < contains ? CLADE_LIST_CONTAINS
                    : bench_random_below(&state, 2)            ? CLADE_LIST_INSERT
                                                               : CLADE_LIST_ERASE;
        l->keys[i] = bench_random_below(&state, l->bound);
    }
    l->initial_mem = bench_buffer(bench, l->initial, 4ull * nodes);
    l->ops_mem = bench_buffer(bench, l->ops, 4ull * count);
    l->keys_mem = bench_buffer(bench, l->keys, 4ull * count);
    l->statuses_mem = bench_buffer(bench, NULL, 4ull * count);
    return l->initial_mem && l->ops_mem && l->keys_mem && l->statuses_mem &&
           succeeded(
               clade_list_create(&l->list, bench_context(bench),
                                 &(clade_list_params) { .capacity = (uint64_t)nodes + count }));
}

/* --- on the device --------------------------------------------------------------------------- */

static bool prepare(void *data)
{
    struct load *l = data;
    return succeeded(clade_list_clear(l->list, NULL)) &&
           succeeded(clade_list_insert(l->list, clade_device(l->initial_mem, 0), clade_no_array(),
                                       l->nodes, clade_no_array(), NULL)) &&
           succeeded(clade_list_reclaim(l->list, NULL));
}

static bool work(void *data)
{
    struct load *l = data;
    return succeeded(clade_list_apply(l->list, clade_device(l->ops_mem, 0),
                                      clade_device(l->keys_mem, 0), clade_no_array(), l->count,
                                      clade_device(l->statuses_mem, 0), NULL));
}

static bool work_and_reclaim(void *data)
{
    struct load *l = data;
    return work(data) && succeeded(clade_list_reclaim(l->list, NULL));
}

/* The outcomes of every key add up with what is there at the end, which is in order. */
static bool check(void *data)
{
    struct load *l = data;
    uint64_t left = 0;
    bool right = true;
    if (!bench_read(l->bench, l->statuses_mem, l->statuses, 4ull * l->count) ||
        !succeeded(clade_list_check(l->list)) ||
        !succeeded(clade_list_read(l->list, l->live, NULL, NULL, l->bound, &left)) ||
        left > l->bound)
        return false;
    for (uint32_t key = 0; key < l->bound; key++)
        l->balance[key] = key % 2 == 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const int32_t status = l->statuses[i];
        if (status == CLADE_OK && l->ops[i] != CLADE_LIST_CONTAINS)
            l->balance[l->keys[i]] += l->ops[i] == CLADE_LIST_INSERT ? 1 : -1;
        right &= status == CLADE_OK ||
                 status == (l->ops[i] == CLADE_LIST_INSERT ? CLADE_LIST_PRESENT : CLADE_E_NOT_FOUND);
    }
    for (uint64_t i = 0; i < left; i++)
        right &= l->live[i] < l->bound && --l->balance[l->live[i]] == 0;
    for (uint32_t key = 0; key < l->bound; key++)
        right &= l->balance[key] == 0;
    return right || bench_fail("the outcomes of a key do not add up with the list");
}

/* --- the skip list ---------------------------------------------------------------------------- */

static bool skip_apply(struct load *l, uint32_t op, uint32_t key)
{
    struct skip *s = l->skip;
    uint32_t before[LEVELS], at = 0, height = 1;
    for (int level = LEVELS - 1; level >= 0; level--) {
        while (s[at].next[level] && s[s[at].next[level]].key < key)
            at = s[at].next[level];
        before[level] = at;
    }
    at = s[at].next[0];
    const bool was = at && s[at].key == key;
    if (op == CLADE_LIST_ERASE && was)
        for (int level = 0; level < LEVELS && s[before[level]].next[level] == at; level++)
            s[before[level]].next[level] = s[at].next[level];
    if (op == CLADE_LIST_INSERT && !was) {
        at = ++l->used;
        s[at].key = key;
        while (height < LEVELS && bench_random_below(&l->state, 4) == 0)
            height++;
        for (uint32_t level = 0; level < height; level++) {
            s[at].next[level] = s[before[level]].next[level];
            s[before[level]].next[level] = at;
        }
    }
    return was;
}

static bool prepare_skip(void *data)
{
    struct load *l = data;
    l->skip[0] = (struct skip) { 0 };
    l->used = 0;
    l->state = 7;
    for (uint32_t i = 0; i < l->nodes; i++)
        skip_apply(l, CLADE_LIST_INSERT, l->initial[i]);
    return true;
}

static bool work_skip(void *data)
{
    struct load *l = data;
    for (uint32_t i = 0; i < l->count; i++) {
        const bool was = skip_apply(l, l->ops[i], l->keys[i]);
        l->statuses[i] = l->ops[i] == CLADE_LIST_INSERT ? (was ? CLADE_LIST_PRESENT : CLADE_OK)
                         : was                          ? CLADE_OK
                                                        : CLADE_E_NOT_FOUND;
    }
    return true;
}

/* As a plain table of keys says. */
static bool check_skip(void *data)
{
    struct load *l = data;
    bool right = true;
    for (uint32_t key = 0; key < l->bound; key++)
        l->balance[key] = key % 2 == 0;
    for (uint32_t i = 0; i < l->count; i++) {
        int32_t *is_there = &l->balance[l->keys[i]];
        const bool inserts = l->ops[i] == CLADE_LIST_INSERT;
        right &= l->statuses[i] == (inserts ? (*is_there ? CLADE_LIST_PRESENT : CLADE_OK)
                                            : (*is_there ? CLADE_OK : CLADE_E_NOT_FOUND));
        if (l->ops[i] != CLADE_LIST_CONTAINS)
            *is_there = inserts;
    }
    return right;
}

/* --- the table -------------------------------------------------------------------------------- */

static bool add_row(struct bench *bench, uint32_t nodes, uint32_t count, uint32_t contains)
{
    static const struct {
        const char *name;
        bool (*prepare)(void *data), (*work)(void *data), (*check)(void *data);
        bool on_host;
    } columns[] = {
        { "clade", prepare, work, check, false },
        { "clade, and reclaim", prepare, work_and_reclaim, check, false },
        { "C, skip list", prepare_skip, work_skip, check_skip, true },
    };
    struct load l;
    struct bench_times times;
    bool fine = open_load(&l, bench, nodes, count, contains);
    bench_count(bench, "nodes", nodes);
    bench_count(bench, "operations", count);
    bench_count(bench, "contains, %", contains);
    for (size_t i = 0; fine && i < sizeof columns / sizeof columns[0]; i++) {
        const struct bench_task task = { &l, columns[i].prepare, columns[i].work, columns[i].check,
                                         columns[i].on_host };
        fine = bench_measure(bench, &task, &times);
        if (fine)
            bench_ms(bench, columns[i].name, &times);
    }
    close_load(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

bool bench_list_ordered(struct bench *bench)
{
    static const uint32_t rows[][3] = {
        { 10000, 1000, 0 },      { 10000, 10000, 0 },      { 10000, 100000, 0 },
        { 50000, 100000, 0 },    { 50000, 1000000, 50 },   { 100000, 1000000, 50 },
        { 1000000, 1000000, 0 }, { 1000000, 1000000, 50 },
    };
    const size_t row_count = bench_is_quick(bench) ? 2 : sizeof rows / sizeof rows[0];
    bool fine = true;
    bench_table(bench, "ordered", "an ordered set, half of the keys there");
    for (size_t i = 0; fine && i < row_count; i++)
        fine = add_row(bench, rows[i][0], rows[i][1], rows[i][2]);
    return fine;
}
