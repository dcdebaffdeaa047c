/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's calls over arrays, one key a work-item. */
#include <inttypes.h>

#include "base/error.h"
#include "object/launch.h"
#include "object/object.h"
#include "rbtree/rbtree.h"

enum { BUSY_WORDS = 65536 }; /* as in rbtree.cl */
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

clade_status cladei_rbtree_zero(struct cladei_run *run, cl_mem mem, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    const cl_uint zero = 0;
    CLADE_TRY(cladei_run_start(run));
    CLADE_CL(clEnqueueFillBuffer(run->queue, mem, &zero, sizeof zero, 0, (size_t)(bytes / 4u * 4u),
                                 0, NULL, NULL));
fail:
    return status;
}

clade_status cladei_rbtree_told(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK, first = CLADE_OK;
    clade_u32 item = 0;
    if (!run->blocking)
        return CLADE_OK;
    CLADE_TRY(cladei_object_take_error(&tree->object, run, &first, &item));
    CLADE_REQUIRE(first != CLADE_E_FULL, CLADE_E_FULL,
                  "the tree is full: key %u of the array found no room", item);
    CLADE_REQUIRE(first == CLADE_OK, first, "key %u of the array met too much contention", item);
fail:
    return status;
}

/* --- insert and erase ------------------------------------------------------------------------ */

clade_status cladei_rbtree_open_batch(clade_rbtree *tree, struct cladei_run *run,
                                      struct cladei_rbtree_batch *batch, clade_array keys,
                                      clade_array values, enum cladei_direction values_direction,
                                      clade_array statuses, uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(cladei_is_given(keys) || count == 0, CLADE_E_ARG, "there is no array of keys");
    CLADE_REQUIRE(count <= launch_max, CLADE_E_ARG, "the count %" PRIu64 " is over %" PRIu64, count,
                  launch_max);
    CLADE_REQUIRE(tree->value_bytes > 0 || !cladei_is_given(values), CLADE_E_ARG,
                  "the tree has no values, but an array of values is given");
    batch->count = (uint32_t)count;
    CLADE_TRY(cladei_view_open(&batch->keys, run, keys, count, tree->key_bytes, CLADEI_IN,
                               "keys"));
    CLADE_TRY(cladei_view_open(&batch->values, run, values, count,
                               tree->value_bytes ? tree->value_bytes : 4, values_direction,
                               "values"));
    CLADE_TRY(cladei_view_open(&batch->statuses, run, statuses, count, sizeof(cl_int),
                               CLADEI_OUT, "statuses"));
fail:
    return status;
}

void cladei_rbtree_close_batch(struct cladei_rbtree_batch *batch)
{
    cladei_view_close(&batch->keys);
    cladei_view_close(&batch->values);
    cladei_view_close(&batch->statuses);
}

/* Values that go out keep what the caller had where nothing is found: the buffer is filled first.
 */
static clade_status keep_values(struct cladei_run *run, const struct cladei_view *values)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    if (values->host && values->bytes > 0)
        CLADE_CL(clEnqueueWriteBuffer(run->queue, values->mem, CL_TRUE, 0, values->bytes,
                                      values->host, 0, NULL, NULL));
fail:
    return status;
}

static clade_status run_insert(clade_rbtree *tree, struct cladei_run *run,
                               const struct cladei_rbtree_batch *b, cl_mem busy)
{
    clade_status status = CLADE_OK;
    const uint32_t group = tree->params.group_size;
    const bool groups = tree->params.path == CLADE_RBTREE_GROUPS;
    cl_mem object = tree->object.mem;
    cl_uint count = b->count, mode = b->mode, has = cladei_rbtree_given(b), again = 0;
    cl_mem values = b->values.mem ? b->values.mem : object;
    cl_mem statuses = b->statuses.mem ? b->statuses.mem : object;
    if (groups) {
        CLADE_TRY(CLADEI_SET_ARGS(
            tree->kernels[RBT_INSERT_GROUPS], CLADEI_ARG(object), CLADEI_ARG(b->keys.mem),
            CLADEI_ARG(b->keys.first), CLADEI_ARG(values), CLADEI_ARG(b->values.first),
            CLADEI_ARG(statuses), CLADEI_ARG(b->statuses.first), CLADEI_ARG(count),
            CLADEI_ARG(mode), CLADEI_ARG(has), CLADEI_ARG(busy)));
        CLADE_TRY(cladei_rbtree_run(tree, run, RBT_INSERT_GROUPS, count, group));
    }
    for (again = groups; again < 2; again++) {
        CLADE_TRY(CLADEI_SET_ARGS(
            tree->kernels[RBT_INSERT], CLADEI_ARG(object), CLADEI_ARG(b->keys.mem),
            CLADEI_ARG(b->keys.first), CLADEI_ARG(values), CLADEI_ARG(b->values.first),
            CLADEI_ARG(statuses), CLADEI_ARG(b->statuses.first), CLADEI_ARG(count),
            CLADEI_ARG(mode), CLADEI_ARG(has), CLADEI_ARG(again), CLADEI_ARG(busy)));
        CLADE_TRY(cladei_rbtree_run(tree, run, RBT_INSERT, again ? 1 : count, group));
    }
fail:
    return status;
}

static clade_status run_erase(clade_rbtree *tree, struct cladei_run *run,
                              const struct cladei_rbtree_batch *b, cl_mem busy)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem;
    cl_uint count = b->count, has = cladei_rbtree_given(b), again;
    cl_mem values = b->values.mem ? b->values.mem : object;
    cl_mem statuses = b->statuses.mem ? b->statuses.mem : object;
    for (again = 0; again < 2; again++) {
        CLADE_TRY(CLADEI_SET_ARGS(
            tree->kernels[RBT_ERASE], CLADEI_ARG(object), CLADEI_ARG(b->keys.mem),
            CLADEI_ARG(b->keys.first), CLADEI_ARG(values), CLADEI_ARG(b->values.first),
            CLADEI_ARG(statuses), CLADEI_ARG(b->statuses.first), CLADEI_ARG(count), CLADEI_ARG(has),
            CLADEI_ARG(again), CLADEI_ARG(busy)));
        CLADE_TRY(
            cladei_rbtree_run(tree, run, RBT_ERASE, again ? 1 : count, tree->params.group_size));
    }
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
static clade_status pack_when_full(clade_rbtree *tree, struct cladei_run *run,
                                   const struct cladei_rbtree_batch *b, cl_mem busy, cl_mem noted)
{
    clade_status status = CLADE_OK;
    struct cladei_rbtree_batch second = *b;
    uint64_t size = 0;
    cl_uint is_full = 0, count = b->count;
    CLADE_CL(clEnqueueReadBuffer(run->queue, busy, CL_TRUE, 4, 4, &is_full, 0, NULL, NULL));
    if (!is_full)
        return CLADE_OK;
    CLADE_TRY(cladei_rbtree_count_keys(tree, run, &size));
    if (size >= tree->params.capacity)
        return CLADE_OK;
    CLADE_TRY(take_own_error(tree, run, noted));
    if (b->statuses.mem) {
        CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_SECOND, 4ull * count, &second.statuses.mem));
        second.statuses.first = 0;
    }
    CLADE_TRY(cladei_rbtree_bulk_insert(tree, run, &second));
    if (b->statuses.mem) {
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_AMEND], CLADEI_ARG(b->statuses.mem),
                                  CLADEI_ARG(b->statuses.first), CLADEI_ARG(second.statuses.mem),
                                  CLADEI_ARG(count)));
        CLADE_TRY(cladei_rbtree_run(tree, run, RBT_AMEND, count, tree->params.group_size));
    }
fail:
    return status;
}

static clade_status insert_or_put(clade_rbtree *tree, uint32_t mode, clade_array keys,
                                  clade_array values, uint64_t count, clade_array statuses,
                                  const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_rbtree_batch batch = { .mode = mode };
    cl_mem busy = NULL, noted = NULL;
    bool bulk = false;
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(
        cladei_rbtree_open_batch(tree, &run, &batch, keys, values, CLADEI_IN, statuses, count));
    CLADE_TRY(choose(tree, &run, count, &bulk));
    if (count > 0 && bulk) {
        CLADE_TRY(cladei_rbtree_bulk_insert(tree, &run, &batch));
    } else if (count > 0) {
        CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_BUSY, 4 * BUSY_WORDS, &busy));
        CLADE_TRY(cladei_rbtree_zero(&run, busy, 8));
        if (run.blocking)
            CLADE_TRY(note_earlier(tree, &run, &noted));
        CLADE_TRY(run_insert(tree, &run, &batch, busy));
        if (run.blocking)
            CLADE_TRY(pack_when_full(tree, &run, &batch, busy, noted));
    }
    CLADE_TRY(cladei_view_finish(&batch.statuses, &run));
    CLADE_TRY(cladei_rbtree_told(tree, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_rbtree_close_batch(&batch);
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
    struct cladei_run run;
    struct cladei_rbtree_batch batch = { 0 };
    cl_mem busy = NULL;
    bool bulk = false;
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(
        cladei_rbtree_open_batch(tree, &run, &batch, keys, values, CLADEI_OUT, statuses, count));
    CLADE_TRY(keep_values(&run, &batch.values));
    CLADE_TRY(choose(tree, &run, count, &bulk));
    if (count > 0 && bulk) {
        CLADE_TRY(cladei_rbtree_bulk_erase(tree, &run, &batch));
    } else if (count > 0) {
        CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_BUSY, 4 * BUSY_WORDS, &busy));
        CLADE_TRY(cladei_rbtree_zero(&run, busy, 8));
        CLADE_TRY(run_erase(tree, &run, &batch, busy));
    }
    CLADE_TRY(cladei_view_finish(&batch.values, &run));
    CLADE_TRY(cladei_view_finish(&batch.statuses, &run));
    CLADE_TRY(cladei_rbtree_told(tree, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_rbtree_close_batch(&batch);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

clade_status clade_rbtree_find(clade_rbtree *tree, clade_array keys, clade_array values,
                               uint64_t count, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_rbtree_batch b = { 0 };
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(cladei_rbtree_open_batch(tree, &run, &b, keys, values, CLADEI_OUT, statuses, count));
    CLADE_TRY(keep_values(&run, &b.values));
    cl_mem object = tree->object.mem;
    cl_mem out = b.values.mem ? b.values.mem : object;
    cl_mem told = b.statuses.mem ? b.statuses.mem : object;
    cl_uint has = cladei_rbtree_given(&b);
    if (count > 0) {
        CLADE_TRY(CLADEI_SET_ARGS(
            tree->kernels[RBT_FIND], CLADEI_ARG(object), CLADEI_ARG(b.keys.mem),
            CLADEI_ARG(b.keys.first), CLADEI_ARG(out), CLADEI_ARG(b.values.first), CLADEI_ARG(told),
            CLADEI_ARG(b.statuses.first), CLADEI_ARG(b.count), CLADEI_ARG(has)));
        CLADE_TRY(cladei_rbtree_run(tree, &run, RBT_FIND, count, tree->params.group_size));
    }
    CLADE_TRY(cladei_view_finish(&b.values, &run));
    CLADE_TRY(cladei_view_finish(&b.statuses, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_rbtree_close_batch(&b);
    return status;
}

clade_status clade_rbtree_seek(clade_rbtree *tree, clade_array keys, uint32_t what,
                               clade_array found, clade_array values, uint64_t count,
                               clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_rbtree_batch b = { 0 };
    struct cladei_view to = { 0 };
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_REQUIRE(what <= CLADE_RBTREE_PREV, CLADE_E_ARG, "there is no search %u", what);
    CLADE_REQUIRE(cladei_is_given(found) || count == 0, CLADE_E_ARG,
                  "there is no array for the keys that are found");
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(cladei_rbtree_open_batch(tree, &run, &b, keys, values, CLADEI_OUT, statuses, count));
    CLADE_TRY(
        cladei_view_open(&to, &run, found, count, tree->key_bytes, CLADEI_OUT, "found"));
    CLADE_TRY(keep_values(&run, &b.values));
    CLADE_TRY(keep_values(&run, &to));
    cl_mem object = tree->object.mem;
    cl_mem out = b.values.mem ? b.values.mem : object;
    cl_mem told = b.statuses.mem ? b.statuses.mem : object;
    cl_uint has = cladei_rbtree_given(&b), kind = what;
    if (count > 0) {
        CLADE_TRY(CLADEI_SET_ARGS(
            tree->kernels[RBT_SEEK], CLADEI_ARG(object), CLADEI_ARG(b.keys.mem),
            CLADEI_ARG(b.keys.first), CLADEI_ARG(to.mem), CLADEI_ARG(to.first), CLADEI_ARG(out),
            CLADEI_ARG(b.values.first), CLADEI_ARG(told), CLADEI_ARG(b.statuses.first),
            CLADEI_ARG(b.count), CLADEI_ARG(kind), CLADEI_ARG(has)));
        CLADE_TRY(cladei_rbtree_run(tree, &run, RBT_SEEK, count, tree->params.group_size));
    }
    CLADE_TRY(cladei_view_finish(&to, &run));
    CLADE_TRY(cladei_view_finish(&b.values, &run));
    CLADE_TRY(cladei_view_finish(&b.statuses, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&to);
    cladei_rbtree_close_batch(&b);
    return status;
}

static clade_status run_range(clade_rbtree *tree, struct cladei_run *run, struct cladei_view *views,
                              uint32_t count, uint32_t limit)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem;
    cl_mem values = views[3].mem ? views[3].mem : object;
    cl_uint has = views[3].mem ? CLADE_RBTREE_GIVEN_VALUES : 0u, n = count, most = limit;
    CLADE_TRY(CLADEI_SET_ARGS(
        tree->kernels[RBT_RANGE], CLADEI_ARG(object), CLADEI_ARG(views[0].mem),
        CLADEI_ARG(views[0].first), CLADEI_ARG(views[1].mem), CLADEI_ARG(views[1].first),
        CLADEI_ARG(views[2].mem), CLADEI_ARG(views[2].first), CLADEI_ARG(values),
        CLADEI_ARG(views[3].first), CLADEI_ARG(views[4].mem), CLADEI_ARG(views[4].first),
        CLADEI_ARG(n), CLADEI_ARG(most), CLADEI_ARG(has)));
    CLADE_TRY(cladei_rbtree_run(tree, run, RBT_RANGE, count, tree->range_group));
fail:
    return status;
}

clade_status clade_rbtree_range(clade_rbtree *tree, clade_array lows, clade_array highs,
                                uint32_t limit, clade_array keys, clade_array values,
                                clade_array counts, uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view v[5] = { 0 }; /* lows, highs, keys, values, counts */
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_REQUIRE(limit > 0, CLADE_E_ARG, "the limit is 0");
    CLADE_REQUIRE(count <= launch_max, CLADE_E_ARG, "the count %" PRIu64 " is over %" PRIu64, count,
                  launch_max);
    CLADE_REQUIRE(tree->value_bytes > 0 || !cladei_is_given(values), CLADE_E_ARG,
                  "the tree has no values, but an array of values is given");
    const uint64_t n = count, room = n * limit;
    const size_t key = tree->key_bytes;
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(cladei_view_open(&v[0], &run, lows, n, key, CLADEI_IN, "lows"));
    CLADE_TRY(cladei_view_open(&v[1], &run, highs, n, key, CLADEI_IN, "highs"));
    CLADE_TRY(cladei_view_open(&v[2], &run, keys, room, key, CLADEI_OUT, "keys"));
    CLADE_TRY(cladei_view_open(&v[3], &run, values, room, tree->value_bytes ? tree->value_bytes : 4,
                               CLADEI_OUT, "values"));
    CLADE_TRY(cladei_view_open(&v[4], &run, counts, n, sizeof(cl_uint), CLADEI_OUT, "counts"));
    CLADE_REQUIRE(count == 0 || (v[0].mem && v[1].mem && v[2].mem && v[4].mem), CLADE_E_ARG,
                  "one of the arrays of bounds, keys and counts is not given");
    if (count > 0) {
        CLADE_TRY(keep_values(&run, &v[2]));
        CLADE_TRY(keep_values(&run, &v[3]));
        CLADE_TRY(run_range(tree, &run, v, (uint32_t)count, limit));
    }
    for (int i = 2; i < 5; i++)
        CLADE_TRY(cladei_view_finish(&v[i], &run));
    CLADE_TRY(cladei_rbtree_told(tree, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    for (int i = 0; i < 5; i++)
        cladei_view_close(&v[i]);
    return status;
}

clade_status cladei_rbtree_count_keys(clade_rbtree *tree, struct cladei_run *run, uint64_t *size)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem, result;
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
    run.blocking = true;
    CLADE_TRY(cladei_rbtree_told(tree, &run));
    *size = count;
fail:
    return status;
}
