/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench rbtree`, one operation: filling, running, checking. Behind every run: each item's
 * status, the tree's size, and the values or entries that came out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/rbtree.h"
#include "command/clade.h"

const char *const bench_rbtree_names[BENCH_RB_OPS] = {
    "insert, from empty",   "insert, into as many",    "find",
    "find, miss",           "find, as beside writers", "range of 8",
    "range of 32",          "half erase, half find",   "half insert, half find",
    "erase half",           "ascending by _wg",        "random by _wg",
    "by _wg, into as many", "bulk insert, from empty", "bulk insert, into as many",
    "bulk erase half",
};

/* Distinct keys that look random: a bijection of so many bits. */
static uint32_t scramble(uint32_t i, uint32_t bits)
{
    const uint32_t mask = 0xffffffffu >> (32 - bits);
    i ^= i >> bits / 2;
    i = i * 0x7feb352du & mask;
    i ^= i >> (bits - 1) / 2;
    i = i * 0x846ca68bu & mask;
    return i ^ i >> bits / 2;
}

static uint32_t draw(enum bench_rbtree_order order, uint32_t i, uint32_t held)
{
    if (order == BENCH_RB_CLUSTERED)
        return scramble(i / 256, 24) << 8 | i % 256;
    if (order == BENCH_RB_BEYOND)
        return i < held ? scramble(i, 31) : 0x80000000u + (i - held);
    return scramble(i, 32);
}

/* --- what an operation is --------------------------------------------------------------------- */

static bool is_range(enum bench_rbtree_op op)
{
    return op == BENCH_RB_RANGE_8 || op == BENCH_RB_RANGE_32;
}

static bool from_empty(enum bench_rbtree_op op)
{
    return op == BENCH_RB_INSERT || op == BENCH_RB_ASCENDING || op == BENCH_RB_GROUPS ||
           op == BENCH_RB_BULK;
}

static bool is_erase(enum bench_rbtree_op op)
{
    return op == BENCH_RB_ERASE || op == BENCH_RB_BULK_ERASE;
}

static bool is_insert(enum bench_rbtree_op op)
{
    return from_empty(op) || op == BENCH_RB_INSERT_INTO || op == BENCH_RB_GROUPS_INTO ||
           op == BENCH_RB_BULK_INTO;
}

static bool is_mix(enum bench_rbtree_op op)
{
    return op == BENCH_RB_MIX_ERASE || op == BENCH_RB_MIX_INSERT;
}

/* Whether both the first `held` and the next n keys are inside before. */
static bool wants_all(enum bench_rbtree_op op)
{
    return !is_insert(op) && op != BENCH_RB_MIX_INSERT;
}

static uint32_t path_of(enum bench_rbtree_op op)
{
    switch (op) {
    case BENCH_RB_BULK:
    case BENCH_RB_BULK_INTO:
    case BENCH_RB_BULK_ERASE:
        return CLADE_RBTREE_BULK;
    case BENCH_RB_ASCENDING:
    case BENCH_RB_GROUPS:
    case BENCH_RB_GROUPS_INTO:
        return CLADE_RBTREE_GROUPS;
    default:
        return CLADE_RBTREE_CONCURRENT;
    }
}

static uint32_t limit_of(enum bench_rbtree_op op)
{
    return op == BENCH_RB_RANGE_8 ? 8 : 32;
}

static uint64_t size_before(const struct bench_rbtree_load *l)
{
    return from_empty(l->op) ? 0 : wants_all(l->op) ? (uint64_t)l->held + l->n : l->held;
}

static uint64_t size_after(const struct bench_rbtree_load *l)
{
    const uint64_t before = size_before(l);
    return is_insert(l->op)               ? before + l->n
           : is_erase(l->op)              ? before - l->n
           : l->op == BENCH_RB_MIX_ERASE  ? before - (l->n + 1) / 2
           : l->op == BENCH_RB_MIX_INSERT ? before + (l->n + 1) / 2
                                          : before;
}

uint64_t bench_rbtree_operations(const struct bench_rbtree_load *l)
{
    return is_range(l->op) ? (l->n - 1) / limit_of(l->op) + 1 : l->n;
}

/* --- the device ------------------------------------------------------------------------------- */

static clade_array keys_at(const struct bench_rbtree_load *l, uint64_t first)
{
    return clade_device(l->keys_mem, first * 4);
}

/* Where the keys of the operation lie: those that are inserted, erased or found. */
static uint64_t first_of(const struct bench_rbtree_load *l)
{
    return l->op == BENCH_RB_FIND_MISS ? (uint64_t)l->held + l->n : l->held;
}

static bool fill_buffer(struct bench_rbtree_load *l, cl_mem mem, cl_uint word, uint64_t bytes)
{
    cl_int code = clEnqueueFillBuffer(clade_context_cl_queue(bench_context(l->bench)), mem, &word,
                                      4, 0, (size_t)bytes, 0, NULL, NULL);
    return code == CL_SUCCESS || bench_fail("a buffer cannot be filled (%d)", code);
}

/* The tree as the operation wants it: built from random keys, then `held` or all of them. */
static bool prepare(void *data)
{
    struct bench_rbtree_load *l = data;
    const uint64_t size = size_before(l);
    return succeeded(clade_rbtree_clear(l->tree, NULL)) && fill_buffer(l, l->wrong_mem, 0, 4) &&
           fill_buffer(l, l->statuses_mem, 0x7fffffff, 4ull * l->n) &&
           (size == 0 || succeeded(clade_rbtree_insert(l->tree, keys_at(l, 0), keys_at(l, 0), size,
                                                       clade_device(l->values_mem, 0), NULL)));
}

enum { GROUP = 64 };

/* In groups of one size, so that a driver compiles the kernel once. */
static bool launch(struct bench_rbtree_load *l, cl_kernel kernel, uint32_t count)
{
    const size_t items = count > 0 ? (count + GROUP - 1) / GROUP * GROUP : GROUP;
    return bench_launch(l->bench, kernel, items, GROUP);
}

/* Keys that the mixes change are in ordered_mem, keys that stay are the first. */
static bool run_mix(struct bench_rbtree_load *l, uint32_t count)
{
    cl_mem tree = clade_rbtree_mem(l->tree);
    const cl_uint is_erase = l->op == BENCH_RB_MIX_ERASE;
    cl_int code = clSetKernelArg(l->mix, 0, sizeof tree, &tree);
    code |= clSetKernelArg(l->mix, 1, sizeof l->ordered_mem, &l->ordered_mem);
    code |= clSetKernelArg(l->mix, 2, sizeof l->keys_mem, &l->keys_mem);
    code |= clSetKernelArg(l->mix, 3, sizeof is_erase, &is_erase);
    code |= clSetKernelArg(l->mix, 4, sizeof count, &count);
    code |= clSetKernelArg(l->mix, 5, sizeof l->wrong_mem, &l->wrong_mem);
    return (code == CL_SUCCESS || bench_fail("a kernel's arguments are refused")) &&
           launch(l, l->mix, count);
}

static bool run_find(struct bench_rbtree_load *l, uint32_t count)
{
    cl_mem tree = clade_rbtree_mem(l->tree);
    cl_int code = clSetKernelArg(l->find, 0, sizeof tree, &tree);
    code |= clSetKernelArg(l->find, 1, sizeof l->ordered_mem, &l->ordered_mem);
    code |= clSetKernelArg(l->find, 2, sizeof count, &count);
    code |= clSetKernelArg(l->find, 3, sizeof l->wrong_mem, &l->wrong_mem);
    return (code == CL_SUCCESS || bench_fail("a kernel's arguments are refused")) &&
           launch(l, l->find, count);
}

static bool work(void *data)
{
    struct bench_rbtree_load *l = data;
    const clade_array keys = keys_at(l, first_of(l)), statuses = clade_device(l->statuses_mem, 0);
    const clade_array ordered = clade_device(l->ordered_mem, 0);
    if (is_mix(l->op))
        return run_mix(l, l->n);
    if (l->op == BENCH_RB_FIND_BESIDE)
        return run_find(l, l->n);
    if (is_erase(l->op))
        return succeeded(clade_rbtree_erase(l->tree, keys, clade_no_array(), l->n, statuses, NULL));
    if (is_range(l->op))
        return succeeded(clade_rbtree_range(l->tree, keys, clade_device(l->ends_mem, 0),
                                            limit_of(l->op), clade_device(l->range_mem, 0),
                                            clade_device(l->values_mem, 0), statuses,
                                            bench_rbtree_operations(l), NULL));
    if (is_insert(l->op)) {
        const clade_array source = l->op == BENCH_RB_ASCENDING ? ordered : keys;
        return succeeded(clade_rbtree_insert(l->tree, source, source, l->n, statuses, NULL));
    }
    return succeeded(
        clade_rbtree_find(l->tree, keys, clade_device(l->values_mem, 0), l->n, statuses, NULL));
}

static uint64_t entries_from(const struct bench_rbtree_load *l, uint32_t low)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < limit_of(l->op); i++)
        count += l->lasts[i] >= low;
    return count;
}

/* Each query gave as many as there are, in order, from its own key on. */
static bool check_ranges(struct bench_rbtree_load *l)
{
    const uint32_t limit = limit_of(l->op);
    const uint64_t queries = bench_rbtree_operations(l);
    if (!bench_read(l->bench, l->statuses_mem, l->statuses, 4 * queries) ||
        !bench_read(l->bench, l->range_mem, l->out, 4 * queries * limit))
        return false;
    for (uint64_t q = 0; q < queries; q++) {
        const uint32_t *row = l->out + q * limit, low = l->keys[l->held + q];
        const uint64_t count = (uint32_t)l->statuses[q];
        if (count > limit || count != entries_from(l, low) || row[0] != low)
            return false;
        for (uint64_t i = 1; i < count; i++)
            if (row[i] <= row[i - 1])
                return false;
    }
    return true;
}

static bool check_items(struct bench_rbtree_load *l)
{
    const int32_t wanted = l->op == BENCH_RB_FIND_MISS ? CLADE_E_NOT_FOUND : CLADE_OK;
    const uint32_t *keys = l->keys + first_of(l);
    if (!bench_read(l->bench, l->statuses_mem, l->statuses, 4ull * l->n) ||
        (l->op == BENCH_RB_FIND && !bench_read(l->bench, l->values_mem, l->out, 4ull * l->n)))
        return false;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->statuses[i] != wanted || (l->op == BENCH_RB_FIND && l->out[i] != keys[i]))
            return false;
    return true;
}

static bool check(void *data)
{
    struct bench_rbtree_load *l = data;
    uint64_t size = 0;
    uint32_t wrong = 1;
    if (!succeeded(clade_rbtree_size(l->tree, &size)) || size != size_after(l))
        return false;
    if (is_mix(l->op) || l->op == BENCH_RB_FIND_BESIDE)
        return bench_read(l->bench, l->wrong_mem, &wrong, 4) && wrong == 0;
    return is_range(l->op) ? check_ranges(l) : check_items(l);
}

/* --- maps of the host
 * ------------------------------------------------------------------------------------
 */

static bool prepare_map(void *data)
{
    struct bench_rbtree_load *l = data;
    const uint64_t size = size_before(l);
    l->kind->clear(l->map);
    return l->kind->insert(l->map, l->keys, size) == size || bench_fail("memory is out");
}

static bool work_map(void *data)
{
    struct bench_rbtree_load *l = data;
    const uint32_t *keys = l->keys + first_of(l);
    const size_t half = (l->n + 1) / 2;
    size_t got = 0;
    if (l->op == BENCH_RB_ASCENDING)
        got = l->kind->insert(l->map, l->out, l->n);
    else if (is_insert(l->op))
        got = l->kind->insert(l->map, keys, l->n);
    else if (is_erase(l->op))
        got = l->kind->erase(l->map, keys, l->n);
    else if (is_mix(l->op))
        got = (l->op == BENCH_RB_MIX_ERASE ? l->kind->erase(l->map, keys, half)
                                           : l->kind->insert(l->map, keys, half)) +
              l->kind->find(l->map, l->keys, l->n - half);
    else if (is_range(l->op))
        got = l->kind->range(l->map, keys, bench_rbtree_operations(l), limit_of(l->op));
    else
        got = l->kind->find(l->map, keys, l->n);
    l->statuses[0] = (int32_t)got; /* for the check, and so that nothing is optimized away */
    return true;
}

static bool check_map(void *data)
{
    struct bench_rbtree_load *l = data;
    uint64_t wanted = l->op == BENCH_RB_FIND_MISS ? 0 : l->n;
    if (is_range(l->op)) {
        wanted = 0;
        for (uint64_t q = 0; q < bench_rbtree_operations(l); q++)
            wanted += entries_from(l, l->keys[l->held + q]);
    }
    return (uint64_t)(uint32_t)l->statuses[0] == wanted && l->kind->size(l->map) == size_after(l);
}

/* --- opening and measuring -------------------------------------------------------------------- */

/* The greatest keys inside, for the ranges. */
static void find_lasts(struct bench_rbtree_load *l)
{
    memset(l->lasts, 0, 32 * sizeof *l->lasts);
    for (uint64_t i = 0; i < (uint64_t)l->held + l->n; i++)
        for (uint32_t key = l->keys[i], at = 0; at < 32 && key > l->lasts[31]; at++)
            if (key > l->lasts[at]) {
                const uint32_t other = l->lasts[at];
                l->lasts[at] = key;
                key = other;
            }
}

static bool open_buffers(struct bench_rbtree_load *l)
{
    const uint64_t all = (uint64_t)l->held + 2ull * l->n;
    const uint64_t room = all > 1024 ? all : 1024;
    l->keys = bench_alloc(all, 4);
    l->lasts = bench_alloc(32, 4);
    l->statuses = bench_alloc(l->n, 4);
    l->out = bench_alloc((uint64_t)l->n + 1024, 4);
    if (!l->keys || !l->lasts || !l->statuses || !l->out)
        return false;
    for (uint64_t i = 0; i < all; i++)
        l->keys[i] = draw(l->order, (uint32_t)i, l->held);
    find_lasts(l);
    l->keys_mem = bench_buffer(l->bench, l->keys, 4 * all);
    l->values_mem = bench_buffer(l->bench, NULL, 4 * room);
    l->statuses_mem = bench_buffer(l->bench, NULL, 4ull * l->n);
    l->ends_mem = bench_buffer(l->bench, NULL, 4ull * l->n);
    l->range_mem = bench_buffer(l->bench, NULL, 4ull * (l->n + 1024ull));
    l->wrong_mem = bench_buffer(l->bench, NULL, 4);
    return l->keys_mem && l->values_mem && l->statuses_mem && l->ends_mem && l->range_mem &&
           l->wrong_mem && fill_buffer(l, l->ends_mem, 0xffffffff, 4ull * l->n);
}

static bool open_program(struct bench_rbtree_load *l)
{
    return succeeded(clade_program_build(
               &l->program, bench_context(l->bench),
               &(clade_program_params) { .file = "tools/bench_rbtree.cl",
                                         .options = clade_rbtree_options(l->tree) })) &&
           succeeded(clade_program_kernel(&l->mix, l->program, "clade_bench_rbtree_mix")) &&
           succeeded(clade_program_kernel(&l->find, l->program, "clade_bench_rbtree_find"));
}

static bool open_tree(struct bench_rbtree_load *l)
{
    clade_rbtree_destroy(&l->tree);
    return succeeded(clade_rbtree_create(
        &l->tree, bench_context(l->bench),
        &(clade_rbtree_params) { .capacity = (uint64_t)l->held + l->n + (l->held + l->n) / 2 + 1000,
                                 .value = CLADE_U32,
                                 .leaf_capacity = l->leaf_capacity,
                                 .path = path_of(l->op) }));
}

bool bench_rbtree_open(struct bench_rbtree_load *load, struct bench *bench, uint32_t n,
                       uint32_t held, uint32_t leaf_capacity, enum bench_rbtree_order order)
{
    *load = (struct bench_rbtree_load) {
        .bench = bench, .order = order, .n = n, .held = held, .leaf_capacity = leaf_capacity
    };
    return open_buffers(load) && open_tree(load) && open_program(load);
}

void bench_rbtree_close(struct bench_rbtree_load *l)
{
    cl_mem mems[] = { l->keys_mem, l->ordered_mem, l->values_mem, l->statuses_mem,
                      l->ends_mem, l->range_mem,   l->wrong_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (l->mix)
        clReleaseKernel(l->mix);
    if (l->find)
        clReleaseKernel(l->find);
    clade_program_destroy(&l->program);
    clade_rbtree_destroy(&l->tree);
    free(l->keys);
    free(l->lasts);
    free(l->statuses);
    free(l->out);
}

/* ordered_mem: the keys at `held`, or ascending ones, which are in `out` then too. */
static bool open_ordered(struct bench_rbtree_load *l)
{
    if (l->ordered_mem)
        clReleaseMemObject(l->ordered_mem);
    if (l->op == BENCH_RB_ASCENDING)
        for (uint32_t i = 0; i < l->n; i++)
            l->out[i] = i + 1;
    l->ordered_mem = bench_buffer(
        l->bench, l->op == BENCH_RB_ASCENDING ? l->out : l->keys + l->held, 4ull * l->n);
    return l->ordered_mem != NULL;
}

/* Some drivers compile a kernel when it first runs: for nothing. */
static bool warm_up(struct bench_rbtree_load *l)
{
    if (is_mix(l->op))
        return run_mix(l, 0);
    return l->op != BENCH_RB_FIND_BESIDE || run_find(l, 0);
}

bool bench_rbtree_measure(struct bench_rbtree_load *l, struct bench_times *times)
{
    const struct bench_task task = { l, prepare, work, check, false };
    return open_tree(l) && open_ordered(l) && warm_up(l) && bench_measure(l->bench, &task, times);
}

bool bench_rbtree_map_has(const struct bench_rbtree_load *l, const struct baseline_map32_kind *kind)
{
    return !kind->missing && (kind->erase || (!is_erase(l->op) && l->op != BENCH_RB_MIX_ERASE));
}

bool bench_rbtree_measure_map(struct bench_rbtree_load *l, const struct baseline_map32_kind *kind,
                              struct bench_times *times)
{
    const struct bench_task task = { l, prepare_map, work_map, check_map, true };
    l->kind = kind;
    l->map = kind->create();
    const bool fine = l->map ? open_ordered(l) && bench_measure(l->bench, &task, times)
                             : bench_fail("memory is out");
    if (l->map)
        kind->destroy(l->map);
    return fine;
}
