/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's bulk path: sort, merge, build anew. See cl/kernels/rbtree_bulk.cl. */
#include <inttypes.h>

#include "base/error.h"
#include "device/queue.h"
#include "rbtree/rbtree.h"

/* Set a kernel's arguments and launch it over `items` items. */
#define LAUNCH(tree, run, kernel, items, ...)                                               \
    do {                                                                                    \
        CLADE_TRY(CLADEI_SET_ARGS((tree)->kernels[kernel], __VA_ARGS__));                   \
        CLADE_TRY(cladei_rbtree_run((tree), (run), (kernel), (items), (tree)->bulk_group)); \
    } while (0)

/* The same over the keys of a batch. */
#define LAUNCH_RUNS(tree, run, kernel, keys, ...)                                               \
    do {                                                                                        \
        CLADE_TRY(CLADEI_SET_ARGS((tree)->kernels[kernel], __VA_ARGS__));                       \
        CLADE_TRY(cladei_rbtree_run_runs((tree), (run), (kernel), (keys), (tree)->bulk_group)); \
    } while (0)

static clade_status read_word(struct cladei_run *run, cl_mem mem, uint64_t word, uint32_t *out)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    CLADE_CL(
        clEnqueueReadBuffer(run->queue, mem, CL_TRUE, (size_t)(word * 4u), 4, out, 0, NULL, NULL));
fail:
    return status;
}

/* --- scan and sort --------------------------------------------------------------------------- */

static uint32_t tiles_of(const clade_rbtree *tree, uint64_t count)
{
    return (uint32_t)((count + tree->sort_tile - 1) / tree->sort_tile);
}

/* Scan `count` words in place: exclusive sums or inclusive maxima. Sums of tiles are scanned in
 * turn, level above level, all in one scratch buffer. */
static clade_status scan(clade_rbtree *tree, struct cladei_run *run, cl_mem data, uint64_t count,
                         cl_uint is_max)
{
    clade_status status = CLADE_OK;
    enum { LEVELS = 8 };
    cl_mem sums;
    cl_uint counts[LEVELS + 1] = { (cl_uint)count }, firsts[LEVELS + 1] = { 0 }, zero = 0;
    uint32_t levels = 0, words = 0;
    do {
        counts[levels + 1] = tiles_of(tree, counts[levels]);
        firsts[levels + 1] = words;
        words += counts[levels + 1];
        levels++;
    } while (counts[levels] > 1 && levels < LEVELS);
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_SUMS, 4ull * (words + 1), &sums));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SCAN_TILES], CLADEI_ARG(data),
                              CLADEI_ARG(counts[0]), CLADEI_ARG(sums), CLADEI_ARG(firsts[1]),
                              CLADEI_ARG(is_max)));
    CLADE_TRY(cladei_run_kernel(run, tree->kernels[RBT_SCAN_TILES], counts[1], tree->sort_group));
    for (uint32_t l = 1; l < levels; l++) {
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SCAN_SUMS], CLADEI_ARG(sums),
                                  CLADEI_ARG(firsts[l]), CLADEI_ARG(counts[l]),
                                  CLADEI_ARG(firsts[l + 1]), CLADEI_ARG(is_max)));
        CLADE_TRY(
            cladei_run_kernel(run, tree->kernels[RBT_SCAN_SUMS], counts[l + 1], tree->sort_group));
    }
    for (uint32_t l = levels - 1; l >= 1; l--) {
        cl_mem to = l > 1 ? sums : data;
        cl_uint first = l > 1 ? firsts[l - 1] : zero;
        LAUNCH(tree, run, RBT_SCAN_SPREAD, counts[l - 1], CLADEI_ARG(to), CLADEI_ARG(first),
               CLADEI_ARG(counts[l - 1]), CLADEI_ARG(sums), CLADEI_ARG(firsts[l]),
               CLADEI_ARG(is_max));
    }
fail:
    return status;
}

/* Scratch for `count` keys and items, twice. */
static clade_status sort_room(clade_rbtree *tree, uint64_t count, cl_mem keys[2], cl_mem items[2])
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_KEYS_A, count * tree->key_bytes, &keys[0]));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_KEYS_B, count * tree->key_bytes, &keys[1]));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_ITEMS_A, count * 4u, &items[0]));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_ITEMS_B, count * 4u, &items[1]));
fail:
    return status;
}

/* Sort by key, stably, into keys[0] and items[0]. There the array lies, too, unless `user` has it:
 * then the first pass makes images of keys, and numbers items. An even number of passes. */
static clade_status sort(clade_rbtree *tree, struct cladei_run *run, const struct cladei_view *user,
                         cl_mem keys[2], cl_mem items[2], cl_uint count)
{
    clade_status status = CLADE_OK;
    const uint32_t bits = tree->sort_bits;
    cl_uint tiles = tiles_of(tree, count);
    cl_mem histogram;
    const uint64_t words = (uint64_t)tiles << bits;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_HISTOGRAM, words * 4u, &histogram));
    for (cl_uint shift = 0; shift < tree->key_bytes * 8u; shift += bits) {
        const int from = (int)(shift / bits % 2), to = 1 - from;
        const cl_uint is_first = user && shift == 0;
        const cl_ulong first = is_first ? user->first : 0;
        const cl_mem source = is_first ? user->mem : keys[from];
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SORT_COUNT], CLADEI_ARG(source),
                                  CLADEI_ARG(first), CLADEI_ARG(count), CLADEI_ARG(shift),
                                  CLADEI_ARG(histogram), CLADEI_ARG(tiles), CLADEI_ARG(is_first)));
        CLADE_TRY(cladei_run_kernel(run, tree->kernels[RBT_SORT_COUNT], tiles, tree->sort_group));
        CLADE_TRY(scan(tree, run, histogram, words, 0));
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SORT_MOVE], CLADEI_ARG(source),
                                  CLADEI_ARG(first), CLADEI_ARG(items[from]), CLADEI_ARG(keys[to]),
                                  CLADEI_ARG(items[to]), CLADEI_ARG(count), CLADEI_ARG(shift),
                                  CLADEI_ARG(histogram), CLADEI_ARG(tiles), CLADEI_ARG(is_first)));
        CLADE_TRY(cladei_run_kernel(run, tree->kernels[RBT_SORT_MOVE], tiles, tree->sort_group));
    }
fail:
    return status;
}

/* --- taking the tree apart ------------------------------------------------------------------- */

/* Leaves are listed, sorted by where their range starts, and copied. */
clade_status cladei_rbtree_list(clade_rbtree *tree, struct cladei_run *run,
                                struct cladei_rbtree_entries *old)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem, flags, keys[2], items[2];
    cl_uint used, leaves, capacity = tree->params.leaf_capacity;
    CLADE_TRY(read_word(run, object, offsetof(clade_rbtree_head, leaves_used) / 4u, &used));
    CLADE_REQUIRE(used <= tree->leaf_total, CLADE_E_CORRUPT, "%u leaves are in use, there are %u",
                  used, tree->leaf_total);
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_FRESH, 4ull * (used + 1ull), &flags));
    LAUNCH(tree, run, RBT_LEAVES_LIVE, used + 1ull, CLADEI_ARG(object), CLADEI_ARG(used),
           CLADEI_ARG(flags));
    CLADE_TRY(scan(tree, run, flags, used + 1ull, 0));
    CLADE_TRY(read_word(run, flags, used, &leaves));
    CLADE_TRY(sort_room(tree, leaves, keys, items));
    LAUNCH(tree, run, RBT_LEAVES_LIST, used, CLADEI_ARG(object), CLADEI_ARG(used),
           CLADEI_ARG(flags), CLADEI_ARG(keys[0]), CLADEI_ARG(items[0]));
    if (leaves > 1)
        CLADE_TRY(sort(tree, run, NULL, keys, items, leaves));
    LAUNCH(tree, run, RBT_LEAVES_COUNT, leaves + 1ull, CLADEI_ARG(object), CLADEI_ARG(leaves),
           CLADEI_ARG(items[0]), CLADEI_ARG(flags));
    CLADE_TRY(scan(tree, run, flags, leaves + 1ull, 0));
    CLADE_TRY(read_word(run, flags, leaves, &old->count));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_OLD_KEYS, (uint64_t)old->count * tree->key_bytes,
                                    &old->keys));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_OLD_VALUES,
                                    (uint64_t)old->count * tree->value_bytes, &old->values));
    if (old->count > 0)
        LAUNCH(tree, run, RBT_LEAVES_COPY, (uint64_t)leaves * capacity, CLADEI_ARG(object),
               CLADEI_ARG(leaves), CLADEI_ARG(capacity), CLADEI_ARG(items[0]), CLADEI_ARG(flags),
               CLADEI_ARG(old->keys), CLADEI_ARG(old->values));
fail:
    return status;
}

static clade_status nothing_old(clade_rbtree *tree, struct cladei_rbtree_entries *old)
{
    clade_status status = CLADE_OK;
    old->count = 0;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_OLD_KEYS, 16, &old->keys));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_OLD_VALUES, 16, &old->values));
fail:
    return status;
}

/* How a tree begins. */
struct beginning {
    clade_rbtree_head head;
    clade_u32 leaf[2]; /* the first one's meta word and link */
};

CLADE_STATIC_ASSERT(first_leaf, sizeof(clade_rbtree_head) % 128 == 0);

/* Then there is nothing to list. It takes as long to read one word as to read all of the head. */
clade_status cladei_rbtree_is_empty(clade_rbtree *tree, struct cladei_run *run, bool *empty)
{
    clade_status status = CLADE_OK;
    struct beginning first;
    CLADE_TRY(cladei_run_read(run, &tree->object, 0, &first, sizeof first));
    *empty = CLADE_RBTREE_COUNT(first.leaf[1]) == 0 && first.head.leaves_used == 1;
fail:
    return status;
}

static clade_status list_entries(clade_rbtree *tree, struct cladei_run *run,
                                 struct cladei_rbtree_entries *old)
{
    clade_status status = CLADE_OK;
    bool empty;
    CLADE_TRY(cladei_rbtree_is_empty(tree, run, &empty));
    if (empty)
        return nothing_old(tree, old);
    CLADE_TRY(cladei_rbtree_list(tree, run, old));
fail:
    return status;
}

/* --- building -------------------------------------------------------------------------------- */

/* Five sevenths, more where leaves are few. */
cl_uint cladei_rbtree_fill_for(const clade_rbtree *tree, uint64_t size)
{
    uint64_t fill = tree->params.leaf_capacity * 5u / 7u;
    fill = fill > 0 ? fill : 1;
    if ((size + fill - 1) / fill > tree->leaf_total)
        fill = (size + tree->leaf_total - 1) / tree->leaf_total;
    return (cl_uint)fill;
}

/* The head of a tree of `size` keys; before entries go to their leaves, so that what they tell the
 * head of errors stays. From here to end_build() the tree is no tree: keep() was called before. */
static clade_status begin_build(clade_rbtree *tree, struct cladei_run *run, cl_uint size,
                                cl_uint fill)
{
    const cl_uint leaves = (size + fill - 1) / fill;
    tree->unfinished = CLADEI_RBTREE_TO_RESTORE;
    if (size == 0)
        return cladei_rbtree_make_empty(tree, run);
    return cladei_rbtree_write_head(tree, run, leaves,
                                    leaves == 1 ? CLADE_RBTREE_LEAF_LINK(0) : leaves / 2u << 1);
}

/* Leaf heads and routers, if they are not there, when all entries are in their leaves. */
static clade_status end_build(clade_rbtree *tree, struct cladei_run *run, cl_uint size,
                              cl_uint fill, bool has_nodes)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem;
    cl_uint leaves = (size + fill - 1) / fill;
    if (size == 0) {
        tree->unfinished = CLADEI_RBTREE_WHOLE;
        return CLADE_OK;
    }
    if (!has_nodes)
        LAUNCH(tree, run, RBT_FILL_LEAVES, leaves, CLADEI_ARG(object), CLADEI_ARG(leaves),
               CLADEI_ARG(size), CLADEI_ARG(fill));
    if (!has_nodes && leaves > 1)
        LAUNCH(tree, run, RBT_FILL_ROUTERS, leaves - 1, CLADEI_ARG(object), CLADEI_ARG(leaves));
    if (tree->params.ranked) {
        const uint64_t words = (uint64_t)tree->index.nodes * CLADE_RBTREE_NODE_WORDS;
        const cl_uint nodes =
            tree->index.nodes; /* more words than slots, and more slots than leaves */
        LAUNCH(tree, run, RBT_FILL_INDEX, words, CLADEI_ARG(object), CLADEI_ARG(nodes),
               CLADEI_ARG(leaves), CLADEI_ARG(size), CLADEI_ARG(fill));
    }
    tree->unfinished = CLADEI_RBTREE_WHOLE;
fail:
    return status;
}

static clade_status move_old(clade_rbtree *tree, struct cladei_run *run,
                             const struct cladei_rbtree_entries *old, cl_mem marks,
                             cl_uint is_erase, cl_uint room, cl_uint fill)
{
    clade_status status = CLADE_OK;
    cl_mem object = tree->object.mem;
    if (old->count > 0)
        LAUNCH(tree, run, RBT_MOVE_OLD, old->count, CLADEI_ARG(object), CLADEI_ARG(old->keys),
               CLADEI_ARG(old->values), CLADEI_ARG(old->count), CLADEI_ARG(marks),
               CLADEI_ARG(is_erase), CLADEI_ARG(room), CLADEI_ARG(fill));
fail:
    return status;
}

/* --- failures --------------------------------------------------------------------------------- */

/* Before the tree is made anew: what it becomes again should that fail. `old` was listed; its
 * values are copied when the call may put to them. The marks are wanted then, too. */
static clade_status keep(clade_rbtree *tree, struct cladei_run *run,
                         const struct cladei_rbtree_entries *old, bool may_put)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = (uint64_t)old->count * tree->value_bytes;
    cl_mem marks, copy;
    tree->kept = old->count;
    tree->kept_values = SCRATCH_OLD_VALUES;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_MARKS, 4ull * (old->count + 1ull), &marks));
    if (may_put && bytes > 0) {
        tree->kept_values = SCRATCH_KEPT_VALUES;
        CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_KEPT_VALUES, bytes, &copy));
        CLADE_CL(
            clEnqueueCopyBuffer(run->queue, old->values, copy, 0, 0, (size_t)bytes, 0, NULL, NULL));
    }
fail:
    return status;
}

/* The same for a build, which needs no old entries else. */
static clade_status keep_for_build(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    struct cladei_rbtree_entries old = { 0 };
    CLADE_TRY(list_entries(tree, run, &old));
    CLADE_TRY(keep(tree, run, &old, false));
fail:
    return status;
}

clade_status cladei_rbtree_restore(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const struct cladei_rbtree_entries old = { tree->scratch[SCRATCH_OLD_KEYS].mem,
                                               tree->scratch[tree->kept_values].mem, tree->kept };
    cl_mem marks = tree->scratch[SCRATCH_MARKS].mem;
    const cl_uint fill = cladei_rbtree_fill_for(tree, old.count);
    CLADE_TRY(cladei_rbtree_zero(run, marks, 4ull * (old.count + 1ull)));
    CLADE_TRY(begin_build(tree, run, old.count, fill));
    CLADE_TRY(move_old(tree, run, &old, marks, 0, 0, fill));
    CLADE_TRY(end_build(tree, run, old.count, fill, false));
fail:
    return status;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* What clade_rbtree_unsorted tells of keys. */
enum { DESCENDS = 1, REPEATS = 2 };

static clade_status find_unsorted(clade_rbtree *tree, struct cladei_run *run, cl_mem keys,
                                  cl_uint count, cl_uint *unsorted)
{
    clade_status status = CLADE_OK;
    cl_mem result;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_RESULT, 64, &result));
    CLADE_TRY(cladei_rbtree_zero(run, result, 4));
    LAUNCH(tree, run, RBT_UNSORTED, count, CLADEI_ARG(keys), CLADEI_ARG(count), CLADEI_ARG(result));
    CLADE_TRY(read_word(run, result, 0, unsorted));
fail:
    return status;
}

/* The status that most keys of a batch get is written in a row, and the others' after that. */
clade_status cladei_rbtree_expect(struct cladei_call *call, cl_int expected)
{
    clade_status status = CLADE_OK;
    const struct cladei_view *view = &call->rows[ROW_STATUSES].view;
    if (call->given & CLADE_RBTREE_GIVEN_STATUSES) {
        CLADE_TRY(cladei_run_start(&call->run));
        CLADE_TRY(cladei_queue_fill(call->run.queue, view->mem, &expected, sizeof expected,
                                    (size_t)view->first * 4u, (size_t)call->count * 4u));
    }
fail:
    return status;
}

static clade_status sorted_batch(clade_rbtree *tree, struct cladei_call *call, bool is_sorted,
                                 cl_mem keys[2], cl_mem items[2])
{
    clade_status status = CLADE_OK;
    struct cladei_run *run = &call->run;
    cl_uint count = (cl_uint)call->count, unsorted = 0;
    CLADE_TRY(sort_room(tree, count, keys, items));
    if (!is_sorted)
        return sort(tree, run, &call->rows[ROW_KEYS].view, keys, items, count);
    LAUNCH(tree, run, RBT_IMAGES, count, CLADEI_ROW(call, ROW_KEYS), CLADEI_ARG(count),
           CLADEI_ARG(keys[0]), CLADEI_ARG(items[0]));
    CLADE_TRY(find_unsorted(tree, run, keys[0], count, &unsorted));
    CLADE_REQUIRE(!(unsorted & DESCENDS), CLADE_E_ARG, "the keys do not ascend");
fail:
    return status;
}

/* Where nothing is old and no two keys are equal, places need not be found. */
static clade_status place_all(clade_rbtree *tree, struct cladei_call *call, cl_mem keys,
                              cl_mem items)
{
    clade_status status = CLADE_OK;
    struct cladei_run *run = &call->run;
    cl_mem object = tree->object.mem;
    cl_uint count = (cl_uint)call->count, fill = cladei_rbtree_fill_for(tree, count);
    const cl_uint entries = CLADE_RBTREE_STAGED / fill * fill;
    CLADE_TRY(begin_build(tree, run, count, fill));
    CLADE_TRY(cladei_rbtree_expect(call, CLADE_OK));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_PLACE_ALL], CLADEI_ARG(object), CLADEI_ARG(keys),
                              CLADEI_ARG(items), CLADEI_ARG(count), CLADEI_ROW(call, ROW_VALUES),
                              CLADEI_ARG(call->given), CLADEI_ARG(fill)));
    CLADE_TRY(cladei_run_kernel(run, tree->kernels[RBT_PLACE_ALL], (count - 1ull) / entries + 1,
                                tree->bulk_group));
    CLADE_TRY(end_build(tree, run, count, fill, true));
fail:
    if (status != CLADE_OK)
        (void)!cladei_rbtree_mend(tree, run); /* or else before the next call */
    return status;
}

/* Insert a batch beside `old`. `all`: E_FULL and nothing done when not all of them fit. */
static clade_status insert_batch(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                 const struct cladei_rbtree_entries *old, cl_mem keys, cl_mem items,
                                 bool all)
{
    clade_status status = CLADE_OK;
    struct cladei_run *run = &call->run;
    cl_mem object = tree->object.mem, places, fresh, marks;
    cl_uint count = (cl_uint)call->count, found = 0;
    uint64_t room64 = (uint64_t)tree->leaf_total * tree->params.leaf_capacity - old->count;
    cl_uint room = room64 > UINT32_MAX / 2 ? UINT32_MAX / 2 : (cl_uint)room64;
    if (old->count == 0 && count <= room) {
        cl_uint unsorted;
        CLADE_TRY(find_unsorted(tree, run, keys, count, &unsorted));
        if (!(unsorted & REPEATS))
            return place_all(tree, call, keys, items);
    }
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_PLACES, 4ull * count, &places));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_FRESH, 4ull * (count + 1ull), &fresh));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_MARKS, 4ull * (old->count + 1ull), &marks));
    CLADE_TRY(cladei_rbtree_zero(run, marks, 4ull * (old->count + 1ull)));
    LAUNCH_RUNS(tree, run, RBT_PLACE, count + 1ull, CLADEI_ARG(keys), CLADEI_ARG(items),
                CLADEI_ARG(count), CLADEI_ARG(old->keys), CLADEI_ARG(old->values),
                CLADEI_ARG(old->count), CLADEI_ARG(places), CLADEI_ARG(fresh),
                CLADEI_ROW(call, ROW_VALUES), CLADEI_ARG(mode), CLADEI_ARG(call->given));
    CLADE_TRY(scan(tree, run, fresh, count + 1ull, 0));
    CLADE_TRY(read_word(run, fresh, count, &found));
    CLADE_REQUIRE(!all || found <= room, CLADE_E_FULL,
                  "%u different keys are more than the %u that fit", found, room);
    const cl_uint size = old->count + (found < room ? found : room);
    cl_uint fill = cladei_rbtree_fill_for(tree, size);
    CLADE_TRY(begin_build(tree, run, size, fill));
    CLADE_TRY(cladei_rbtree_expect(call, CLADE_OK));
    LAUNCH(tree, run, RBT_PLACE_NEW, count, CLADEI_ARG(object), CLADEI_ARG(keys), CLADEI_ARG(items),
           CLADEI_ARG(count), CLADEI_ARG(old->keys), CLADEI_ARG(old->count), CLADEI_ARG(places),
           CLADEI_ARG(fresh), CLADEI_ARG(marks), CLADEI_ROW(call, ROW_VALUES),
           CLADEI_ROW(call, ROW_STATUSES), CLADEI_ARG(mode), CLADEI_ARG(call->given),
           CLADEI_ARG(room), CLADEI_ARG(fill));
    CLADE_TRY(scan(tree, run, marks, old->count + 1ull, 1));
    CLADE_TRY(move_old(tree, run, old, marks, 0, room, fill));
    CLADE_TRY(end_build(tree, run, size, fill, false));
fail:
    if (status != CLADE_OK)
        (void)!cladei_rbtree_mend(tree, run); /* or else before the next call */
    return status;
}

/* Unlike a tree that is cleared, one that is built of no keys keeps what it has to tell. */
static clade_status build_none(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(begin_build(tree, run, 0, 1));
    CLADE_TRY(end_build(tree, run, 0, 1, false));
fail:
    if (status != CLADE_OK)
        (void)!cladei_rbtree_mend(tree, run); /* or else before the next call */
    return status;
}

clade_status cladei_rbtree_bulk_insert(clade_rbtree *tree, struct cladei_call *call, cl_uint mode)
{
    clade_status status = CLADE_OK;
    struct cladei_rbtree_entries old;
    cl_mem keys[2], items[2];
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(list_entries(tree, &call->run, &old));
    CLADE_TRY(keep(tree, &call->run, &old, mode == CLADE_RBTREE_PUT));
    CLADE_TRY(sorted_batch(tree, call, false, keys, items));
    CLADE_TRY(insert_batch(tree, call, mode, &old, keys[0], items[0], false));
fail:
    return status;
}

clade_status cladei_rbtree_bulk_erase(clade_rbtree *tree, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    struct cladei_run *run = &call->run;
    struct cladei_rbtree_entries old;
    cl_mem keys[2], items[2], marks;
    cl_uint count = (cl_uint)call->count, gone = 0;
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(cladei_rbtree_list(tree, run, &old));
    CLADE_TRY(keep(tree, run, &old, false));
    CLADE_TRY(sorted_batch(tree, call, false, keys, items));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_MARKS, 4ull * (old.count + 1ull), &marks));
    CLADE_TRY(cladei_rbtree_zero(run, marks, 4ull * (old.count + 1ull)));
    CLADE_TRY(cladei_rbtree_expect(call, CLADE_OK));
    LAUNCH_RUNS(tree, run, RBT_DROP, count, CLADEI_ARG(keys[0]), CLADEI_ARG(items[0]),
                CLADEI_ARG(count), CLADEI_ARG(old.keys), CLADEI_ARG(old.values),
                CLADEI_ARG(old.count), CLADEI_ARG(marks), CLADEI_ROW(call, ROW_VALUES),
                CLADEI_ROW(call, ROW_STATUSES), CLADEI_ARG(call->given));
    CLADE_TRY(scan(tree, run, marks, old.count + 1ull, 0));
    CLADE_TRY(read_word(run, marks, old.count, &gone));
    const cl_uint size = old.count - gone;
    cl_uint fill = cladei_rbtree_fill_for(tree, size);
    CLADE_TRY(begin_build(tree, run, size, fill));
    CLADE_TRY(move_old(tree, run, &old, marks, 1, 0, fill));
    CLADE_TRY(end_build(tree, run, size, fill, false));
fail:
    if (status != CLADE_OK)
        (void)!cladei_rbtree_mend(tree, run);
    return status;
}

/* --- the public calls ------------------------------------------------------------------------ */

clade_status clade_rbtree_reclaim(clade_rbtree *tree, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_rbtree_entries old;
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(cladei_rbtree_list(tree, &run, &old));
    CLADE_TRY(keep(tree, &run, &old, false));
    status = cladei_rbtree_restore(tree, &run);
    if (status != CLADE_OK) {
        (void)!cladei_rbtree_mend(tree, &run);
        return status;
    }
    run.blocking = true;
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_rbtree_build(clade_rbtree *tree, clade_array keys, clade_array values,
                                int sorted, uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call =
        cladei_rbtree_call(tree, keys, values, CLADEI_IN, clade_no_array(), count);
    struct cladei_rbtree_entries old;
    cl_mem images[2], items[2];
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    CLADE_TRY(keep_for_build(tree, &call.run));
    if (count > 0) {
        CLADE_TRY(nothing_old(tree, &old));
        CLADE_TRY(sorted_batch(tree, &call, sorted != 0, images, items));
        CLADE_TRY(insert_batch(tree, &call, CLADE_RBTREE_INSERT, &old, images[0], items[0], true));
    } else {
        CLADE_TRY(build_none(tree, &call.run));
    }
    call.run.blocking = true;
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_rbtree_read(clade_rbtree *tree, clade_array keys, clade_array values,
                               uint64_t room, uint64_t *got, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view to_keys = { 0 }, to_values = { 0 };
    struct cladei_rbtree_entries old;
    CLADE_REQUIRE(tree && got, CLADE_E_ARG, "the tree or the place for the count is NULL");
    CLADE_REQUIRE(tree->value_bytes > 0 || (!values.host && !values.mem), CLADE_E_ARG,
                  "the tree has no values, but an array of values is given");
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    if (keys.mem) /* a buffer that is too small is refused before anything waits */
        CLADE_TRY(cladei_array_check(&run, keys, room, tree->key_bytes, "keys"));
    if (values.mem)
        CLADE_TRY(cladei_array_check(&run, values, room, tree->value_bytes, "values"));
    CLADE_TRY(cladei_rbtree_list(tree, &run, &old));
    *got = old.count;
    CLADE_REQUIRE(old.count <= room, CLADE_E_ARG,
                  "the tree has %u keys, the arrays have room for %" PRIu64, old.count, room);
    CLADE_TRY(
        cladei_view_open(&to_keys, &run, keys, old.count, tree->key_bytes, CLADEI_OUT, "keys"));
    CLADE_TRY(cladei_view_open(&to_values, &run, values, old.count,
                               tree->value_bytes ? tree->value_bytes : 4, CLADEI_OUT, "values"));
    if (to_keys.mem && old.count > 0)
        LAUNCH(tree, &run, RBT_USER_KEYS, old.count, CLADEI_ARG(old.keys), CLADEI_ARG(old.count),
               CLADEI_ARG(to_keys.mem), CLADEI_ARG(to_keys.first));
    if (to_values.mem && old.count > 0)
        CLADE_CL(clEnqueueCopyBuffer(run.queue, old.values, to_values.mem, 0,
                                     (size_t)to_values.first * tree->value_bytes, to_values.bytes,
                                     0, NULL, NULL));
    CLADE_TRY(cladei_view_finish(&to_keys, &run));
    CLADE_TRY(cladei_view_finish(&to_values, &run));
    run.blocking = true;
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&to_keys);
    cladei_view_close(&to_values);
    return status;
}
