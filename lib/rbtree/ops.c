/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's calls over arrays, one key a work-item. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "clade/shared/busy.h"
#include "device/queue.h"
#include "rbtree/rbtree.h"

/* Items of one launch: their index is 32 bits. */
static const uint64_t launch_max = 1u << 30;

/* --- small things that all calls use --------------------------------------------------------- */

clade_status cladei_rbtree_scratch(clade_rbtree *tree, uint32_t slot, uint64_t bytes, cl_mem *out)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_scratch_reserve(&tree->scratch[slot], tree->object.context, bytes));
    *out = tree->scratch[slot].mem;
fail:
    return status;
}

clade_status cladei_rbtree_run(clade_rbtree *tree, struct cladei_run *run,
                               enum cladei_rbtree_kernel kernel, uint64_t items, uint32_t group)
{
    const uint64_t groups = (items + group - 1) / group;
    return cladei_run_kernel(run, tree->kernels[kernel], groups ? groups : 1, group);
}

clade_status cladei_rbtree_run_runs(clade_rbtree *tree, struct cladei_run *run,
                                    enum cladei_rbtree_kernel kernel, uint64_t keys, uint32_t group)
{
    const bool is_cpu = clade_context_caps(tree->object.context)->is_cpu;
    const uint32_t each = is_cpu ? CLADE_RBTREE_RUN : 1, items = group / each;
    return cladei_rbtree_run(tree, run, kernel, (keys + each - 1) / each, items ? items : 1);
}

clade_status cladei_rbtree_zero(struct cladei_run *run, cl_mem mem, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    const cl_uint zero = 0;
    CLADE_TRY(cladei_run_start(run));
    CLADE_TRY(cladei_queue_fill(run->queue, mem, &zero, sizeof zero, 0, (size_t)(bytes / 4u * 4u)));
fail:
    return status;
}

/* --- the arrays of a call -------------------------------------------------------------------- */

struct cladei_call cladei_rbtree_call(const clade_rbtree *tree, clade_array keys,
                                      clade_array values, enum cladei_direction values_direction,
                                      clade_array statuses, uint64_t count)
{
    return (struct cladei_call) {
        .count = count,
        .rows = {
            [ROW_KEYS] = { "keys", keys, tree ? tree->key_bytes : 0, .need = "of keys" },
            [ROW_VALUES] = { "values", values, tree && tree->value_bytes ? tree->value_bytes : 4,
                             values_direction, .bit = CLADE_RBTREE_GIVEN_VALUES },
            [ROW_STATUSES] = { "statuses", statuses, 4, CLADEI_OUT,
                               .bit = CLADE_RBTREE_GIVEN_STATUSES },
        },
    };
}

clade_status cladei_rbtree_open(clade_rbtree *tree, struct cladei_call *call,
                                const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_REQUIRE(call->count <= launch_max, CLADE_E_ARG, "the count %" PRIu64 " is over %" PRIu64,
                  call->count, launch_max);
    CLADE_REQUIRE(tree->value_bytes > 0 || !cladei_is_given(call->rows[ROW_VALUES].array),
                  CLADE_E_ARG, "the tree has no values, but an array of values is given");
    CLADE_TRY(cladei_call_open(call, &cladei_rbtree_kind, &tree->object, launch));
    CLADE_TRY(cladei_rbtree_mend(tree, &call->run));
fail:
    return status;
}

/* A call that changes the tree, and blocks, tells what it could not do. */
static clade_status finish_and_tell(clade_rbtree *tree, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_call_read(call));
    if (call->run.blocking)
        CLADE_TRY(cladei_kind_told(&cladei_rbtree_kind, &tree->object, &call->run));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

/* --- insert and erase ------------------------------------------------------------------------ */

/* From one item's key to the next one's, where keys lie in rows (clade_rbtree_insert in
 * cl/kernels/rbtree.cl); 1: always neighbours, for few keys run at once anyway, and few items do on
 * a CPU. The golden ratio's multiples lie evenly, however many of them are taken. */
static cl_uint stride_of(const clade_rbtree *tree, cl_uint count)
{
    const clade_caps *caps = clade_context_caps(tree->object.context);
    cl_uint stride = (cl_uint)(count * 0.6180339887498949), a, b;
    if (caps->is_cpu || count < 16384ull * caps->compute_units)
        return 1;
    do {
        stride++;
        for (a = count, b = stride; b > 0;) {
            const cl_uint rest = a % b;
            a = b;
            b = rest;
        }
    } while (a > 1);
    return stride;
}

/* An item for each key; or, with `again`, one item for those that are listed in `busy`. On a CPU
 * one item has as many keys as a group has items, which ran one after the other. PoCL compiles a
 * kernel for each size of groups: so of few keys it does so once. */
static clade_status run_items(clade_rbtree *tree, struct cladei_run *run,
                              enum cladei_rbtree_kernel kernel, cl_uint count, cl_uint again)
{
    const uint32_t group = tree->params.group_size;
    const bool few = clade_context_caps(tree->object.context)->is_cpu && count <= group;
    return again || few ? cladei_rbtree_run(tree, run, kernel, 1, 1)
                        : cladei_rbtree_run(tree, run, kernel, count, group);
}

static clade_status insert_items(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                 cl_mem busy, cl_uint stride, cl_uint again)
{
    clade_status status = CLADE_OK;
    const cl_uint count = (cl_uint)call->count;
    CLADE_TRY(cladei_rbtree_need(tree, RBT_INSERT));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_INSERT], CLADEI_ARG(tree->object.mem),
                              CLADEI_ROW(call, ROW_KEYS), CLADEI_ROW(call, ROW_VALUES),
                              CLADEI_ROW(call, ROW_STATUSES), CLADEI_ARG(count), CLADEI_ARG(mode),
                              CLADEI_ARG(call->given), CLADEI_ARG(again), CLADEI_ARG(busy),
                              CLADEI_ARG(stride)));
    CLADE_TRY(run_items(tree, &call->run, RBT_INSERT, count, again));
fail:
    return status;
}

clade_status cladei_rbtree_insert_listed(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                         cl_mem busy)
{
    return insert_items(tree, call, mode, busy, 1, 1);
}

static clade_status run_insert(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                               cl_mem busy)
{
    clade_status status = CLADE_OK;
    const uint32_t group = tree->params.group_size;
    const bool groups = tree->params.path == CLADE_RBTREE_GROUPS;
    const cl_uint count = (cl_uint)call->count;
    if (groups) {
        CLADE_TRY(cladei_rbtree_need(tree, RBT_INSERT_GROUPS));
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_INSERT_GROUPS], CLADEI_ARG(tree->object.mem),
                                  CLADEI_ROW(call, ROW_KEYS), CLADEI_ROW(call, ROW_VALUES),
                                  CLADEI_ROW(call, ROW_STATUSES), CLADEI_ARG(count),
                                  CLADEI_ARG(mode), CLADEI_ARG(call->given), CLADEI_ARG(busy)));
        CLADE_TRY(cladei_rbtree_run(tree, &call->run, RBT_INSERT_GROUPS, count, group));
    }
    if (!groups)
        CLADE_TRY(insert_items(tree, call, mode, busy, stride_of(tree, count), 0));
    CLADE_TRY(insert_items(tree, call, mode, busy, 1, 1));
fail:
    return status;
}

static clade_status erase_items(clade_rbtree *tree, struct cladei_call *call, cl_mem busy,
                                cl_uint again)
{
    clade_status status = CLADE_OK;
    const cl_uint count = (cl_uint)call->count;
    CLADE_TRY(cladei_rbtree_need(tree, RBT_ERASE));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_ERASE], CLADEI_ARG(tree->object.mem),
                              CLADEI_ROW(call, ROW_KEYS), CLADEI_ROW(call, ROW_VALUES),
                              CLADEI_ROW(call, ROW_STATUSES), CLADEI_ARG(count),
                              CLADEI_ARG(call->given), CLADEI_ARG(again), CLADEI_ARG(busy)));
    CLADE_TRY(run_items(tree, &call->run, RBT_ERASE, count, again));
fail:
    return status;
}

clade_status cladei_rbtree_erase_listed(clade_rbtree *tree, struct cladei_call *call, cl_mem busy)
{
    return erase_items(tree, call, busy, 1);
}

static clade_status run_erase(clade_rbtree *tree, struct cladei_call *call, cl_mem busy)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(erase_items(tree, call, busy, 0));
    CLADE_TRY(erase_items(tree, call, busy, 1));
fail:
    return status;
}

/* The cheaper path, from costs of 1.1 ns an insert one by one, 0.3 ns a key to sort and 0.06 ns a
 * key, old or new, to rebuild, which `clade bench rbtree` measures; on CPUs all are about 200
 * times that. Few keys stay with the concurrent path, whose launch is one. */
static clade_status choose(clade_rbtree *tree, struct cladei_run *run, uint64_t count, bool *bulk)
{
    clade_status status = CLADE_OK;
    uint64_t size = 0;
    *bulk = tree->params.path == CLADE_RBTREE_BULK;
    if (tree->params.path == CLADE_RBTREE_AUTO && count >= 8192) {
        CLADE_TRY(cladei_rbtree_count_keys(tree, run, &size));
        *bulk = count > size / 10u;
    }
fail:
    return status;
}

/* The error of an earlier call, which the head may still have, beside what this one counts. */
enum { EARLIER_AT = 8 };

static clade_status note_earlier(clade_rbtree *tree, struct cladei_run *run, cl_mem *noted)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_RESULT, 64, noted));
    CLADE_CL(clEnqueueCopyBuffer(run->queue, tree->object.mem, *noted,
                                 offsetof(clade_object_head, first_error), EARLIER_AT,
                                 2 * sizeof(cl_uint), 0, NULL, NULL));
fail:
    return status;
}

/* This call's own error is taken, for what it refused is tried again; the earlier one is not. */
static clade_status take_own_error(clade_rbtree *tree, struct cladei_run *run, cl_mem noted)
{
    clade_status status = CLADE_OK, first;
    cl_uint earlier[2];
    CLADE_CL(clEnqueueReadBuffer(run->queue, noted, CL_TRUE, EARLIER_AT, sizeof earlier, earlier, 0,
                                 NULL, NULL));
    if (earlier[0] == 0)
        CLADE_TRY(cladei_object_take_error(&tree->object, run, &first, NULL));
fail:
    return status;
}

/* A key at a time leaves some orders' leaves half full, and keys that split at once hold a leaf
 * each. So nodes may be out before the capacity is reached: then the batch goes in again in bulk,
 * which packs the leaves. What is in is PRESENT to it, so first statuses stay, but for those that
 * say that it did not. */
static clade_status pack_when_full(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                   cl_mem busy, cl_mem noted)
{
    clade_status status = CLADE_OK;
    struct cladei_view *told = &call->rows[ROW_STATUSES].view;
    const struct cladei_view first = *told;
    struct cladei_view second = { 0 };
    uint64_t size = 0;
    cl_uint is_full = 0, count = (cl_uint)call->count;
    CLADE_CL(clEnqueueReadBuffer(call->run.queue, busy, CL_TRUE, 4, 4, &is_full, 0, NULL, NULL));
    if (!is_full)
        return CLADE_OK;
    CLADE_TRY(cladei_rbtree_count_keys(tree, &call->run, &size));
    if (size >= tree->params.capacity)
        return CLADE_OK;
    CLADE_TRY(take_own_error(tree, &call->run, noted));
    if (!(call->given & CLADE_RBTREE_GIVEN_STATUSES))
        return cladei_rbtree_bulk_insert(tree, call, mode);
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_SECOND, 4ull * count, &second.mem));
    *told = second;
    status = cladei_rbtree_bulk_insert(tree, call, mode);
    *told = first;
    CLADE_TRY(status);
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_AMEND], CLADEI_ARG(first.mem),
                              CLADEI_ARG(first.first), CLADEI_ARG(second.mem), CLADEI_ARG(count)));
    CLADE_TRY(cladei_rbtree_run(tree, &call->run, RBT_AMEND, count, tree->params.group_size));
fail:
    return status;
}

static clade_status insert_or_put(clade_rbtree *tree, cl_uint mode, clade_array keys,
                                  clade_array values, uint64_t count, clade_array statuses,
                                  const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = cladei_rbtree_call(tree, keys, values, CLADEI_IN, statuses, count);
    cl_mem busy = NULL, noted = NULL;
    bool bulk = false, done = false;
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    CLADE_TRY(cladei_rbtree_insert_first(tree, &call, mode, &done));
    if (!done)
        CLADE_TRY(cladei_rbtree_insert_few(tree, &call, mode, &done));
    if (!done)
        CLADE_TRY(choose(tree, &call.run, count, &bulk));
    if (count > 0 && bulk) {
        CLADE_TRY(cladei_rbtree_bulk_insert(tree, &call, mode));
    } else if (count > 0 && !done) {
        CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_BUSY, 4 * CLADE_BUSY_WORDS, &busy));
        CLADE_TRY(cladei_rbtree_zero(&call.run, busy, 8));
        if (call.run.blocking)
            CLADE_TRY(note_earlier(tree, &call.run, &noted));
        CLADE_TRY(run_insert(tree, &call, mode, busy));
        if (call.run.blocking)
            CLADE_TRY(pack_when_full(tree, &call, mode, busy, noted));
    }
    CLADE_TRY(finish_and_tell(tree, &call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_rbtree_insert(clade_rbtree *tree, clade_array keys, clade_array values,
                                 uint64_t count, clade_array statuses, const clade_launch *launch)
{
    return insert_or_put(tree, CLADE_RBTREE_INSERT, keys, values, count, statuses, launch);
}

clade_status clade_rbtree_put(clade_rbtree *tree, clade_array keys, clade_array values,
                              uint64_t count, clade_array statuses, const clade_launch *launch)
{
    return insert_or_put(tree, CLADE_RBTREE_PUT, keys, values, count, statuses, launch);
}

clade_status clade_rbtree_erase(clade_rbtree *tree, clade_array keys, clade_array values,
                                uint64_t count, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = cladei_rbtree_call(tree, keys, values, CLADEI_INOUT, statuses, count);
    cl_mem busy = NULL;
    bool bulk = false, done = false;
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    CLADE_TRY(cladei_rbtree_erase_few(tree, &call, &done));
    if (!done)
        CLADE_TRY(choose(tree, &call.run, count, &bulk));
    if (count > 0 && bulk) {
        CLADE_TRY(cladei_rbtree_bulk_erase(tree, &call));
    } else if (count > 0 && !done) {
        CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_BUSY, 4 * CLADE_BUSY_WORDS, &busy));
        CLADE_TRY(cladei_rbtree_zero(&call.run, busy, 8));
        CLADE_TRY(run_erase(tree, &call, busy));
    }
    CLADE_TRY(finish_and_tell(tree, &call));
fail:
    cladei_call_close(&call);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Values of keys that are not found stay what they were: they go in, too. */
clade_status clade_rbtree_find(clade_rbtree *tree, clade_array keys, clade_array values,
                               uint64_t count, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = cladei_rbtree_call(tree, keys, values, CLADEI_INOUT, statuses, count);
    const cl_uint n = (cl_uint)count;
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    if (count > 0) {
        CLADE_TRY(cladei_rbtree_need(tree, RBT_FIND));
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_FIND], CLADEI_ARG(tree->object.mem),
                                  CLADEI_ROW(&call, ROW_KEYS), CLADEI_ROW(&call, ROW_VALUES),
                                  CLADEI_ROW(&call, ROW_STATUSES), CLADEI_ARG(n),
                                  CLADEI_ARG(call.given)));
        CLADE_TRY(
            cladei_rbtree_run_runs(tree, &call.run, RBT_FIND, count, tree->params.group_size));
    }
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_rbtree_seek(clade_rbtree *tree, clade_array keys, uint32_t what,
                               clade_array found, clade_array values, uint64_t count,
                               clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = cladei_rbtree_call(tree, keys, values, CLADEI_INOUT, statuses, count);
    const cl_uint n = (cl_uint)count;
    call.rows[ROW_MORE] =
        (struct cladei_row) { "found", found, call.rows[ROW_KEYS].bytes, CLADEI_INOUT,
                              .need = "for the keys that are found" };
    CLADE_REQUIRE(what <= CLADE_RBTREE_PREV, CLADE_E_ARG, "there is no search %u", what);
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    if (count > 0) {
        CLADE_TRY(cladei_rbtree_need(tree, RBT_SEEK));
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SEEK], CLADEI_ARG(tree->object.mem),
                                  CLADEI_ROW(&call, ROW_KEYS), CLADEI_ROW(&call, ROW_MORE),
                                  CLADEI_ROW(&call, ROW_VALUES), CLADEI_ROW(&call, ROW_STATUSES),
                                  CLADEI_ARG(n), CLADEI_ARG(what), CLADEI_ARG(call.given)));
        CLADE_TRY(cladei_rbtree_run(tree, &call.run, RBT_SEEK, count, tree->params.group_size));
    }
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

enum { COUNTS = ROW_STATUSES, LOWS, HIGHS };

/* Both ways. */
static clade_status run_range(clade_rbtree *tree, enum cladei_rbtree_kernel kernel,
                              clade_array lows, clade_array highs, uint32_t limit, clade_array keys,
                              clade_array values, clade_array counts, uint64_t count,
                              const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = cladei_rbtree_call(tree, keys, values, CLADEI_INOUT, counts, count);
    const uint32_t key_bytes = tree ? tree->key_bytes : 0;
    const cl_uint n = (cl_uint)count;
    call.rows[ROW_KEYS].direction = CLADEI_INOUT;
    call.rows[ROW_KEYS].count = call.rows[ROW_VALUES].count = count * limit;
    call.rows[COUNTS] =
        (struct cladei_row) { "counts", counts, .bytes = 4, .direction = CLADEI_OUT };
    call.rows[LOWS] = (struct cladei_row) { "lows", lows, .bytes = key_bytes };
    call.rows[HIGHS] = (struct cladei_row) { "highs", highs, .bytes = key_bytes };
    CLADE_REQUIRE(limit > 0, CLADE_E_ARG, "the limit is 0");
    CLADE_REQUIRE(count == 0 || (cladei_is_given(lows) && cladei_is_given(highs) &&
                                 cladei_is_given(keys) && cladei_is_given(counts)),
                  CLADE_E_ARG, "one of the arrays of bounds, keys and counts is not given");
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    if (count > 0) {
        CLADE_TRY(cladei_rbtree_need(tree, kernel));
        CLADE_TRY(CLADEI_SET_ARGS(
            tree->kernels[kernel], CLADEI_ARG(tree->object.mem), CLADEI_ROW(&call, LOWS),
            CLADEI_ROW(&call, HIGHS), CLADEI_ROW(&call, ROW_KEYS), CLADEI_ROW(&call, ROW_VALUES),
            CLADEI_ROW(&call, COUNTS), CLADEI_ARG(n), CLADEI_ARG(limit), CLADEI_ARG(call.given)));
        CLADE_TRY(cladei_rbtree_run(tree, &call.run, kernel, count, tree->range_group));
    }
    CLADE_TRY(finish_and_tell(tree, &call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_rbtree_range(clade_rbtree *tree, clade_array lows, clade_array highs,
                                uint32_t limit, clade_array keys, clade_array values,
                                clade_array counts, uint64_t count, const clade_launch *launch)
{
    return run_range(tree, RBT_RANGE, lows, highs, limit, keys, values, counts, count, launch);
}

clade_status clade_rbtree_range_down(clade_rbtree *tree, clade_array lows, clade_array highs,
                                     uint32_t limit, clade_array keys, clade_array values,
                                     clade_array counts, uint64_t count, const clade_launch *launch)
{
    return run_range(tree, RBT_RANGE_DOWN, lows, highs, limit, keys, values, counts, count, launch);
}

/* Of few leaves all are copied, which is quicker than a launch and compiles nothing. */
#define FEW_LEAVES_BYTES ((uint64_t)64 << 10)

/* Leaves out of the tree are dead. [N2] */
static clade_status count_here(clade_rbtree *tree, struct cladei_run *run, size_t leaf_bytes,
                               uint64_t *size)
{
    clade_status status = CLADE_OK;
    const size_t bytes = tree->leaf_total * leaf_bytes;
    char *leaves = malloc(bytes);
    CLADE_NO_MEMORY(leaves);
    CLADE_TRY(cladei_run_read(run, &tree->object, tree->leaves_at, leaves, bytes));
    *size = 0;
    for (size_t i = 0; i < tree->leaf_total; i++) {
        clade_u32 words[2]; /* a leaf's meta word and link */
        memcpy(words, leaves + i * leaf_bytes, sizeof words);
        *size += words[0] & CLADE_RBTREE_DEAD ? 0 : CLADE_RBTREE_COUNT(words[1]);
    }
fail:
    free(leaves);
    return status;
}

clade_status cladei_rbtree_count_keys(clade_rbtree *tree, struct cladei_run *run, uint64_t *size)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem, result;
    const size_t leaf_bytes =
        CLADE_RBTREE_LEAF_BYTES(tree->key_bytes, tree->value_bytes, tree->params.leaf_capacity);
    if (tree->leaf_total * (uint64_t)leaf_bytes <= FEW_LEAVES_BYTES)
        return count_here(tree, run, leaf_bytes, size);
    CLADE_TRY(cladei_rbtree_need(tree, RBT_SIZE));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_RESULT, 64, &result));
    CLADE_TRY(cladei_rbtree_zero(run, result, 8));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SIZE], CLADEI_ARG(object), CLADEI_ARG(result)));
    CLADE_TRY(cladei_rbtree_run(tree, run, RBT_SIZE, 65536, tree->params.group_size));
    CLADE_CL(
        clEnqueueReadBuffer(run->queue, result, CL_TRUE, 0, sizeof *size, size, 0, NULL, NULL));
fail:
    return status;
}

clade_status clade_rbtree_size(clade_rbtree *tree, uint64_t *size)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    uint64_t count;
    CLADE_REQUIRE(tree && size, CLADE_E_ARG, "the tree or the place for its size is NULL");
    CLADE_TRY(cladei_rbtree_begin(tree, &run, NULL));
    CLADE_TRY(cladei_rbtree_count_keys(tree, &run, &count));
    CLADE_TRY(cladei_kind_told(&cladei_rbtree_kind, &tree->object, &run));
    *size = count;
fail:
    return status;
}
