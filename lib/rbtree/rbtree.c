/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's object: create, clear, save, load. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "device/queue.h"
#include "object/saved.h"
#include "rbtree/rbtree.h"

/* What the head's places reach, in 32 bits and units of 16 bytes. */
#define BYTES_MOST ((uint64_t)64 << 30)

/* What a file says of its tree. The group's size is the device's matter. */
struct saved_params {
    uint64_t capacity;
    uint32_t key, value, leaf_capacity, path;
    uint32_t ranked;
    uint32_t reserved; /* zero */
};

static const char *const kernel_names[RBT_KERNELS] = {
    [RBT_INSERT] = "clade_rbtree_insert",
    [RBT_INSERT_GROUPS] = "clade_rbtree_insert_groups",
    [RBT_AMEND] = "clade_rbtree_amend",
    [RBT_SIZE] = "clade_rbtree_size",
    [RBT_ERASE] = "clade_rbtree_erase",
    [RBT_FIND] = "clade_rbtree_find",
    [RBT_SEEK] = "clade_rbtree_seek",
    [RBT_RANGE] = "clade_rbtree_range",
    [RBT_RANGE_DOWN] = "clade_rbtree_range_down",
    [RBT_RANK_RANKED] = "clade_rbtree_rank_ranked",
    [RBT_SELECT_RANKED] = "clade_rbtree_select_ranked",
    [RBT_IMAGES] = "clade_rbtree_images",
    [RBT_UNSORTED] = "clade_rbtree_unsorted",
    [RBT_SORT_COUNT] = "clade_rbtree_sort_count",
    [RBT_SORT_MOVE] = "clade_rbtree_sort_move",
    [RBT_SCAN_TILES] = "clade_rbtree_scan_tiles",
    [RBT_SCAN_SUMS] = "clade_rbtree_scan_sums",
    [RBT_SCAN_SPREAD] = "clade_rbtree_scan_spread",
    [RBT_LEAVES_LIVE] = "clade_rbtree_leaves_live",
    [RBT_LEAVES_LIST] = "clade_rbtree_leaves_list",
    [RBT_LEAVES_COUNT] = "clade_rbtree_leaves_count",
    [RBT_LEAVES_COPY] = "clade_rbtree_leaves_copy",
    [RBT_PLACE] = "clade_rbtree_place",
    [RBT_PLACE_NEW] = "clade_rbtree_place_new",
    [RBT_PLACE_ALL] = "clade_rbtree_place_all",
    [RBT_DROP] = "clade_rbtree_drop",
    [RBT_MOVE_OLD] = "clade_rbtree_move_old",
    [RBT_FILL_LEAVES] = "clade_rbtree_fill_leaves",
    [RBT_FILL_ROUTERS] = "clade_rbtree_fill_routers",
    [RBT_FILL_INDEX] = "clade_rbtree_fill_index",
    [RBT_USER_KEYS] = "clade_rbtree_user_keys",
    [RBT_RANK] = "clade_rbtree_rank",
    [RBT_SELECT] = "clade_rbtree_select",
    [RBT_FEW] = "clade_rbtree_few",
};

static const struct cladei_kernels bulk_kernels = { "kernels/rbtree_bulk.cl",
                                                    kernel_names + RBT_OPS, RBT_FEW - RBT_OPS };
static const struct cladei_kernels few_kernels = { "kernels/rbtree_few.cl", kernel_names + RBT_FEW,
                                                   1 };

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    (void)object;
    return error == CLADE_E_FULL
               ? cladei_fail(error, "the tree is full: key %u of the array found no room", item)
               : cladei_fail(error, "key %u of the array met too much contention", item);
}

const struct cladei_kind cladei_rbtree_kind = {
    CLADE_RBTREE_KIND, "the tree", { "kernels/rbtree.cl", kernel_names, RBT_OPS }, refused
};
static const size_t part_ends[] = { RBT_INSERT_GROUPS, RBT_ERASE,       RBT_FIND, RBT_RANGE,
                                    RBT_RANGE_DOWN,    RBT_RANK_RANKED, RBT_OPS };

/* --- parameters and layout ------------------------------------------------------------------ */

static clade_status fill_params(clade_rbtree *tree, const clade_context *context,
                                const clade_rbtree_params *given)
{
    clade_status status = CLADE_OK;
    clade_rbtree_params *p = &tree->params;
    *p = *given;
    if (p->key == 0)
        p->key = CLADE_U32;
    CLADE_REQUIRE(p->key == CLADE_U32 || p->key == CLADE_I32 || p->key == CLADE_U64 ||
                      p->key == CLADE_I64,
                  CLADE_E_ARG, "the key type %u is not CLADE_U32, _I32, _U64 or _I64", p->key);
    CLADE_REQUIRE(p->value <= CLADE_F64, CLADE_E_ARG, "there is no value type %u", p->value);
    CLADE_REQUIRE(p->path <= CLADE_RBTREE_BULK, CLADE_E_ARG, "there is no path %u", p->path);
    CLADE_REQUIRE(p->ranked <= 1, CLADE_E_ARG, "ranked is %u, not 0 or 1", p->ranked);
    tree->key_bytes = CLADE_TYPE_BYTES(p->key);
    tree->value_bytes = CLADE_TYPE_BYTES(p->value);
    if (p->leaf_capacity == 0)
        p->leaf_capacity = CLADE_RBTREE_LEAF_CAPACITY_DEFAULT(tree->key_bytes, tree->value_bytes);
    CLADE_REQUIRE(p->leaf_capacity <= CLADE_RBTREE_LEAF_CAPACITY_MAX, CLADE_E_ARG,
                  "the leaf capacity %u is over %u", p->leaf_capacity,
                  CLADE_RBTREE_LEAF_CAPACITY_MAX);
    const uint32_t most = context->caps.group_size_max;
    tree->bulk_group = p->group_size ? p->group_size : most < 256 ? most : 256;
    /* Groups that hold nothing together: small ones make room for others sooner. */
    if (p->group_size == 0)
        p->group_size = p->path == CLADE_RBTREE_GROUPS || context->caps.is_cpu ? tree->bulk_group
                        : most < 64                                            ? most
                                                                               : 64;
    tree->range_group = p->group_size < 64 ? p->group_size : 64;
    CLADE_REQUIRE(p->group_size <= most && p->group_size <= 256, CLADE_E_ARG,
                  "the group size %u is over %u, the limit of %s", p->group_size,
                  most < 256 ? most : 256, context->info.name);
    CLADE_REQUIRE(p->capacity > 0, CLADE_E_ARG, "the capacity is 0");
fail:
    return status;
}

/* Leaves for `capacity` keys: random inserts fill them to 70 % on the average, so a pool for 65 %,
 * in small leaves 64 %, has room to spare, and 16 bytes a key hold for 32-bit keys and values. */
static clade_status lay_out(clade_rbtree *tree)
{
    clade_status status = CLADE_OK;
    const clade_rbtree_params *p = &tree->params;
    const uint64_t leaf_bytes =
        CLADE_RBTREE_LEAF_BYTES(tree->key_bytes, tree->value_bytes, p->leaf_capacity);
    const uint64_t keys_a_leaf = p->leaf_capacity < 2 ? 1 : p->leaf_capacity * 9u / 14u;
    CLADE_REQUIRE(p->capacity <= (uint64_t)CLADE_RBTREE_LEAVES_MAX * keys_a_leaf, CLADE_E_ARG,
                  "the capacity %" PRIu64 " needs more than %u leaves", p->capacity,
                  CLADE_RBTREE_LEAVES_MAX);
    const uint64_t twentieths = p->leaf_capacity < 14 ? 20u * keys_a_leaf : 13u * p->leaf_capacity;
    const uint64_t leaves = (20u * p->capacity + twentieths - 1) / twentieths + 16;
    tree->leaf_total =
        (uint32_t)(leaves < CLADE_RBTREE_LEAVES_MAX ? leaves : CLADE_RBTREE_LEAVES_MAX);
    /* A router less than leaves, the sentinel, and copies under way in rotations. */
    tree->router_total = tree->leaf_total + 64u + tree->leaf_total / 64u;
    tree->leaves_at = (sizeof(clade_rbtree_head) + 127u) / 128u * 128u;
    /* Whole routers from the head on: they are filled with a router as the pattern, and a fill
     * starts at a multiple of its pattern (32 bytes with 64-bit keys). */
    tree->routers_at = (tree->leaves_at + tree->leaf_total * leaf_bytes + 31u) / 32u * 32u;
    uint64_t bytes = tree->routers_at +
                     (uint64_t)tree->router_total * CLADE_RBTREE_ROUTER_BYTES(tree->key_bytes);
    if (p->ranked) {
        cladei_rbtree_index_plan(&tree->index, bytes, tree->leaf_total);
        bytes = tree->index.end;
    }
    CLADE_REQUIRE(bytes <= BYTES_MOST, CLADE_E_ARG,
                  "the capacity %" PRIu64 " takes %" PRIu64 " bytes; a tree has 64 GiB at most",
                  p->capacity, bytes);
    tree->object.bytes = (bytes + 15u) / 16u * 16u;
fail:
    return status;
}

clade_status cladei_rbtree_plan(clade_rbtree *tree, const clade_context *context,
                                const clade_rbtree_params *params)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(fill_params(tree, context, params));
    CLADE_TRY(lay_out(tree));
    tree->object.kind = CLADE_RBTREE_KIND;
    tree->object.shape =
        CLADE_RBTREE_SHAPE(tree->params.key, tree->value_bytes, tree->params.leaf_capacity) |
        (tree->params.ranked ? CLADE_RBTREE_SHAPE_RANKED : 0u);
fail:
    return status;
}

static clade_status choose_options(clade_rbtree *tree)
{
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    cladei_text_printf(&options,
                       "-DCLADE_RBTREE_KEY_TYPE=%u -DCLADE_RBTREE_VALUE_TYPE=%u "
                       "-DCLADE_RBTREE_LEAF_CAPACITY=%u",
                       tree->params.key, tree->params.value, tree->params.leaf_capacity);
    if (tree->params.ranked)
        cladei_text_printf(&options, " -DCLADE_RBTREE_RANKED=1");
    CLADE_REQUIRE(!options.failed, CLADE_E_NOMEM, "host memory is out");
    tree->options = options.data;
fail:
    return status;
}

clade_status cladei_rbtree_need(clade_rbtree *tree, enum cladei_rbtree_kernel kernel)
{
    return cladei_kernels_need(tree->kernels, &cladei_rbtree_kind.kernels, part_ends,
                               tree->object.context, tree->options, kernel);
}

/* A CPU runs a group's items one after the other: one item with a wide digit is best there, and
 * where groups are so small that a digit of 4 bits has more values than they have items. Items that
 * tell each other their digits sort by wide ones, too. */
static void choose_sort(clade_rbtree *tree, const clade_caps *caps)
{
    const bool alone = caps->is_cpu || caps->group_size_max < 16;
    const bool peers = !alone && caps->subgroup_size == 32 && caps->group_size_max >= 512;
    uint32_t group = alone ? 1 : peers ? 512 : 256;
    while (group > caps->group_size_max)
        group /= 2;
    const uint32_t tile = alone ? 16384 : 8 * group; /* of keys of 32 bits */
    tree->sort_group = group;
    tree->sort_tile = tree->key_bytes == 8 && !alone ? tile / 2 : tile;
    tree->sort_bits = alone || peers ? 8 : 4;
}

clade_status cladei_rbtree_need_bulk(clade_rbtree *tree)
{
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    const clade_caps *caps = &tree->object.context->caps;
    if (tree->kernels[RBT_OPS])
        return CLADE_OK;
    choose_sort(tree, caps);
    const bool peers = tree->sort_group > 1 && tree->sort_bits == 8;
    cladei_text_printf(&options,
                       "%s -DCLADEI_RADIX_GROUP=%u -DCLADEI_RADIX_TILE=%u -DCLADEI_RADIX_BITS=%u",
                       tree->options, tree->sort_group, tree->sort_tile, tree->sort_bits);
    if (peers)
        cladei_text_printf(&options, " -DCLADEI_RADIX_PEERS=1");
    CLADE_REQUIRE(!options.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_kernels_build(tree->kernels + RBT_OPS, &bulk_kernels, tree->object.context,
                                   options.data));
fail:
    cladei_text_free(&options);
    return status;
}

clade_status cladei_rbtree_need_few(clade_rbtree *tree)
{
    return cladei_kernels_build(tree->kernels + RBT_FEW, &few_kernels, tree->object.context,
                                tree->options);
}

/* --- an empty tree -------------------------------------------------------------------------- */

static void fill_head(const clade_rbtree *tree, clade_rbtree_head *head)
{
    *head = (clade_rbtree_head) {
        .object = cladei_object_head(&tree->object),
        .router_total = tree->router_total,
        .leaf_total = tree->leaf_total,
        .routers_at = (clade_u32)(tree->routers_at / 16u),
        .leaves_at = (clade_u32)(tree->leaves_at / 16u),
        .routers_used = 1,
        .leaves_used = 1,
    };
    cladei_rbtree_index_head(&tree->index, head);
}

/* Router 0 with the root link given. */
static void fill_sentinel(const clade_rbtree *tree, clade_u32 root, unsigned char *router)
{
    const clade_u32 meta = CLADE_RBTREE_RANK_TOP * CLADE_RBTREE_RANK_ONE;
    const clade_u32 right = CLADE_RBTREE_NO_LINK;
    memset(router, 0, 32);
    memcpy(router + tree->key_bytes, &root, 4);
    memcpy(router + tree->key_bytes + 4, &right, 4);
    memcpy(router + tree->key_bytes + 8, &meta, 4);
}

/* Mark leaves first_leaf .. leaves - 1 and routers likewise as dead: nodes out of the tree never
 * read as open, so that whatever an operation gets hold of, it takes no such node for one of the
 * tree. [N2] */
static clade_status bury(clade_rbtree *tree, struct cladei_run *run, uint64_t first_leaf,
                         uint64_t leaves, uint64_t first_router, uint64_t routers)
{
    clade_status status = CLADE_OK;
    const uint64_t leaf_bytes =
        CLADE_RBTREE_LEAF_BYTES(tree->key_bytes, tree->value_bytes, tree->params.leaf_capacity);
    const uint64_t router_bytes = CLADE_RBTREE_ROUTER_BYTES(tree->key_bytes);
    const cl_uint dead = CLADE_RBTREE_DEAD;
    cl_uint router[8] = { 0 }; /* its links lead to router 0 */
    router[tree->key_bytes / 4u + 2u] = dead;
    CLADE_TRY(cladei_run_start(run));
    if (first_leaf < leaves)
        CLADE_TRY(cladei_queue_fill(run->queue, tree->object.mem, &dead, sizeof dead,
                                    (size_t)(tree->leaves_at + first_leaf * leaf_bytes),
                                    (size_t)((leaves - first_leaf) * leaf_bytes)));
    if (first_router < routers)
        CLADE_TRY(cladei_queue_fill(run->queue, tree->object.mem, router, (size_t)router_bytes,
                                    (size_t)(tree->routers_at + first_router * router_bytes),
                                    (size_t)((routers - first_router) * router_bytes)));
fail:
    return status;
}

/* Of nodes that were in use before, those that are not any more. */
static clade_status bury_rest(clade_rbtree *tree, struct cladei_run *run,
                              const clade_rbtree_head *old, uint32_t kept)
{
    /* At most all, though the head may be damaged: this makes a tree whole. */
    const clade_u32 leaves =
        old->leaves_used < tree->leaf_total ? old->leaves_used : tree->leaf_total;
    const clade_u32 routers =
        old->routers_used < tree->router_total ? old->routers_used : tree->router_total;
    return bury(tree, run, kept, leaves, kept, routers);
}

/* What earlier calls have not told yet, and what operations met: neither ends when the tree is
 * built anew. (Counts of what made its shape do; the check compares them with the shape.) */
static void keep_news(clade_rbtree_head *head, const clade_rbtree_head *old)
{
    head->object.first_error = old->object.first_error;
    head->object.first_error_item = old->object.first_error_item;
    for (uint32_t shard = 0; shard < CLADE_RBTREE_COUNTER_SHARDS; shard++)
        for (uint32_t i = CLADE_RBTREE_RETRIES; i <= CLADE_RBTREE_FULL; i++) {
            const uint32_t at = shard * CLADE_RBTREE_COUNTERS + i;
            head->counters[at] = old->counters[at];
        }
}

clade_status cladei_rbtree_write_head(clade_rbtree *tree, struct cladei_run *run, uint32_t leaves,
                                      uint32_t root)
{
    clade_status status = CLADE_OK;
    clade_rbtree_head old, head;
    unsigned char sentinel[32];
    CLADE_TRY(cladei_run_read(run, &tree->object, 0, &old, sizeof old));
    CLADE_TRY(bury_rest(tree, run, &old, leaves));
    fill_head(tree, &head);
    if (tree->unfinished != CLADEI_RBTREE_TO_CLEAR)
        keep_news(&head, &old);
    fill_sentinel(tree, root, sentinel);
    head.leaves_used = leaves;
    head.routers_used = leaves; /* the sentinel and one less than leaves */
    /* Blocking: head and sentinel lie on this function's stack. */
    CLADE_CL(clEnqueueWriteBuffer(run->queue, tree->object.mem, CL_TRUE, 0, sizeof head, &head, 0,
                                  NULL, NULL));
    CLADE_CL(clEnqueueWriteBuffer(run->queue, tree->object.mem, CL_TRUE, tree->routers_at,
                                  CLADE_RBTREE_ROUTER_BYTES(tree->key_bytes), sentinel, 0, NULL,
                                  NULL));
fail:
    return status;
}

clade_status cladei_rbtree_make_empty(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    unsigned char leaf[32] = { 0 };
    memset(leaf + 8 + (tree->key_bytes == 8 ? 8 : 4), 0xff, tree->key_bytes); /* high */
    CLADE_TRY(cladei_run_start(run));
    CLADE_CL(clEnqueueWriteBuffer(run->queue, tree->object.mem, CL_TRUE, tree->leaves_at,
                                  CLADE_RBTREE_LEAF_HEAD_BYTES(tree->key_bytes), leaf, 0, NULL,
                                  NULL));
    CLADE_TRY(cladei_rbtree_index_empty(tree, run));
    CLADE_TRY(cladei_rbtree_write_head(tree, run, 1, CLADE_RBTREE_LEAF_LINK(0)));
fail:
    return status;
}

/* --- what a failure left -----------------------------------------------------------------------
 */

clade_status cladei_rbtree_mend(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    if (tree->unfinished == CLADEI_RBTREE_TO_RESTORE)
        CLADE_TRY(cladei_rbtree_restore(tree, run));
    if (tree->unfinished >= CLADEI_RBTREE_TO_EMPTY)
        CLADE_TRY(cladei_rbtree_make_empty(tree, run));
    tree->unfinished = CLADEI_RBTREE_WHOLE;
fail:
    return status;
}

clade_status cladei_rbtree_mend_now(clade_rbtree *tree)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    if (tree->unfinished == CLADEI_RBTREE_WHOLE)
        return CLADE_OK;
    CLADE_TRY(cladei_run_begin(&run, tree->object.context, NULL));
    CLADE_TRY(cladei_rbtree_mend(tree, &run));
    CLADE_TRY(cladei_queue_finish(run.context, run.queue));
fail:
    return status;
}

clade_status cladei_rbtree_begin(clade_rbtree *tree, struct cladei_run *run,
                                 const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_begin(run, tree->object.context, launch));
    CLADE_TRY(cladei_rbtree_mend(tree, run));
fail:
    return status;
}

/* --- lifecycle ------------------------------------------------------------------------------ */

clade_status clade_rbtree_create(clade_rbtree **out, clade_context *context,
                                 const clade_rbtree_params *params)
{
    clade_status status = CLADE_OK;
    clade_rbtree *tree = NULL;
    struct cladei_run run;
    CLADEI_CREATION(out, context, params, clade_rbtree_params, "the tree");
    tree = calloc(1, sizeof *tree);
    CLADE_NO_MEMORY(tree);
    CLADE_TRY(cladei_rbtree_plan(tree, context, params));
    CLADE_TRY(cladei_object_create(&tree->object, context, CLADE_RBTREE_KIND, tree->object.shape,
                                   tree->object.bytes, "the red-black tree"));
    CLADE_TRY(choose_options(tree));
    CLADE_TRY(cladei_run_begin(&run, context, NULL));
    /* Zeros, so that a link that is read before it was published still leads to a node. */
    CLADE_TRY(cladei_rbtree_zero(&run, tree->object.mem, tree->object.bytes));
    CLADE_TRY(bury(tree, &run, 0, tree->leaf_total, 0, tree->router_total));
    CLADE_TRY(cladei_rbtree_make_empty(tree, &run));
    *out = tree;
    return CLADE_OK;

fail:
    clade_rbtree_destroy(&tree);
    return status;
}

void clade_rbtree_destroy(clade_rbtree **tree_pointer)
{
    if (!tree_pointer || !*tree_pointer)
        return;
    clade_rbtree *tree = *tree_pointer;
    cladei_object_close(&tree->object, NULL, tree->kernels, RBT_KERNELS);
    for (int i = 0; i < SCRATCH_COUNT; i++)
        cladei_scratch_drop(&tree->scratch[i]);
    free(tree->options);
    free(tree);
    *tree_pointer = NULL;
}

clade_status clade_rbtree_clear(clade_rbtree *tree, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    /* Nothing is worth mending first. */
    CLADE_TRY(cladei_run_begin(&run, tree->object.context, launch));
    tree->unfinished = CLADEI_RBTREE_TO_CLEAR;
    if (cladei_rbtree_mend(tree, &run) != CLADE_OK)
        CLADE_TRY(cladei_rbtree_mend(tree, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

cl_mem clade_rbtree_mem(const clade_rbtree *tree)
{
    return tree ? tree->object.mem : NULL;
}

const char *clade_rbtree_options(const clade_rbtree *tree)
{
    return tree ? tree->options : NULL;
}

/* --- files ---------------------------------------------------------------------------------- */

clade_status clade_rbtree_save(clade_rbtree *tree, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(tree && path, CLADE_E_ARG, "the tree or the path is NULL");
    CLADE_TRY(cladei_rbtree_mend_now(tree));
    CLADE_TRY(cladei_queue_finish(tree->object.context, tree->object.context->queue));
    const struct saved_params params = { .capacity = tree->params.capacity,
                                         .key = tree->params.key,
                                         .value = tree->params.value,
                                         .leaf_capacity = tree->params.leaf_capacity,
                                         .path = tree->params.path,
                                         .ranked = tree->params.ranked };
    CLADE_TRY(cladei_object_save(&tree->object, path, &params, sizeof params, tree->object.bytes));
fail:
    return status;
}

clade_status clade_rbtree_load(clade_rbtree **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    struct saved_params from;
    clade_rbtree_params params;
    clade_rbtree planned = { 0 }, *tree = NULL;
    bool strained;
    CLADEI_PLACE(out, "the tree");
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "the context or the path is NULL");
    CLADE_TRY(cladei_saved_open(&saved, context, path, CLADE_RBTREE_KIND, sizeof from));
    memcpy(&from, saved.params, sizeof from);
    params = (clade_rbtree_params) { .capacity = from.capacity,
                                     .key = from.key,
                                     .value = from.value,
                                     .leaf_capacity = from.leaf_capacity,
                                     .path = from.path,
                                     .ranked = from.ranked };
    CLADE_TRY(cladei_saved_answer(cladei_rbtree_plan(&planned, context, &params), path));
    CLADE_TRY(cladei_saved_fits(&saved, planned.object.bytes, path));
    CLADE_TRY(cladei_rbtree_rebuild(&planned, saved.payload, &strained));
    CLADE_TRY(clade_rbtree_create(&tree, context, &params));
    CLADE_TRY(cladei_saved_restore(&saved, &tree->object, path));
    if (strained)
        CLADE_TRY(clade_rbtree_reclaim(tree, NULL));
    *out = tree;
    tree = NULL;
fail:
    clade_rbtree_destroy(&tree);
    cladei_saved_close(&saved);
    return status;
}
