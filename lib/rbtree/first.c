/* SPDX-License-Identifier: Apache-2.0 */
/* The first keys: the host makes a tree of them, where it is empty and they are few. So a program
 * whose own kernels do the rest does not wait until a driver has compiled an insert for them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rbtree/rbtree.h"

/* To sort fewer takes the host a thousandth of the time that a driver takes to compile an insert.
 */
enum { FIRST_KEYS = 1024 };

struct entry {
    uint64_t image;
    uint32_t item;
};

/* What is written, as the tree's buffer has it. */
struct first {
    struct entry *entries; /* in order of keys, then of items */
    uint32_t count, fill, leaves;
    unsigned char *nodes; /* leaves, then routers */
    size_t leaf_bytes, router_bytes;
};

static bool is_on_host(const clade_rbtree *tree, const struct cladei_call *call)
{
    const clade_array statuses = call->rows[ROW_STATUSES].array;
    const clade_array values = call->rows[ROW_VALUES].array;
    return call->rows[ROW_KEYS].array.host && !statuses.mem &&
           (tree->value_bytes == 0 || values.host);
}

/* --- keys ------------------------------------------------------------------------------------- */

static uint64_t image_of(const clade_rbtree *tree, const char *keys, uint64_t i)
{
    const uint32_t key = tree->params.key, bits = tree->key_bytes * 8;
    uint64_t image = 0;
    memcpy(&image, keys + i * tree->key_bytes, tree->key_bytes); /* hosts are little-endian */
    return key == CLADE_I32 || key == CLADE_I64 ? image ^ (uint64_t)1 << (bits - 1) : image;
}

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return a->image != b->image ? (a->image > b->image) - (a->image < b->image)
                                : (a->item > b->item) - (a->item < b->item);
}

/* Of equal keys the first item's is inserted; a put of a later one replaces the value. Each item's
 * status is told. */
static void keep_one_of_each(struct first *first, uint32_t all, cl_uint mode, int32_t *statuses)
{
    for (uint32_t i = 0; i < all; i++) {
        const struct entry entry = first->entries[i];
        const bool is_new = i == 0 || entry.image != first->entries[first->count - 1].image;
        if (statuses)
            statuses[entry.item] = is_new ? CLADE_OK : CLADE_RBTREE_PRESENT;
        if (is_new)
            first->entries[first->count++] = entry;
        else if (mode == CLADE_RBTREE_PUT)
            first->entries[first->count - 1].item = entry.item;
    }
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void put_word(unsigned char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

static void write_leaf(const clade_rbtree *tree, const struct first *first, const char *values,
                       uint32_t leaf)
{
    unsigned char *at = first->nodes + leaf * first->leaf_bytes;
    const uint32_t key_bytes = tree->key_bytes, value_bytes = tree->value_bytes;
    const uint32_t begin = leaf * first->fill, rest = first->count - begin;
    const uint32_t count = rest < first->fill ? rest : first->fill;
    const bool is_last = leaf + 1 == first->leaves;
    const uint64_t low = leaf == 0 ? 0 : first->entries[begin].image;
    const uint64_t high = is_last ? UINT64_MAX : first->entries[begin + count].image - 1;
    unsigned char *keys = at + CLADE_RBTREE_LEAF_HEAD_BYTES(key_bytes);
    unsigned char *to =
        at + CLADE_RBTREE_VALUES_AT(key_bytes, value_bytes, tree->params.leaf_capacity);
    put_word(at + 4, CLADE_RBTREE_PACK(is_last ? 0 : leaf + 2, count));
    memcpy(at + 8, &low, key_bytes);
    memcpy(at + 8 + key_bytes, &high, key_bytes);
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *entry = &first->entries[begin + i];
        memcpy(keys + (size_t)i * key_bytes, &entry->image, key_bytes);
        if (value_bytes > 0)
            memcpy(to + (size_t)i * value_bytes, values + (size_t)entry->item * value_bytes,
                   value_bytes);
    }
}

/* What leads to leaves low .. high - 1: their router, which is the middle one's number. */
static uint32_t link_to(uint32_t low, uint32_t high)
{
    return high - low == 1 ? CLADE_RBTREE_LEAF_LINK(low) : (low + high) / 2 << 1;
}

/* A router for leaves low .. high - 1, and those below it. As deep as a key has halvings. */
static void write_routers(const clade_rbtree *tree, const struct first *first, uint32_t low,
                          uint32_t high)
{
    const uint32_t middle = (low + high) / 2;
    uint32_t rank = 0;
    if (high - low == 1)
        return;
    while ((high - low) >> (rank + 1) != 0)
        rank++;
    unsigned char *at =
        first->nodes + first->leaves * first->leaf_bytes + (middle - 1) * first->router_bytes;
    memcpy(at, &first->entries[middle * first->fill].image, tree->key_bytes);
    put_word(at + tree->key_bytes, link_to(low, middle));
    put_word(at + tree->key_bytes + 4, link_to(middle, high));
    put_word(at + tree->key_bytes + 8, rank * CLADE_RBTREE_RANK_ONE);
    write_routers(tree, first, low, middle);
    write_routers(tree, first, middle, high);
}

/* The head first: it says which nodes are in use, should the rest not come. */
static clade_status write_tree(clade_rbtree *tree, struct cladei_run *run,
                               const struct first *first)
{
    clade_status status = CLADE_OK;
    const size_t leaves = first->leaves * first->leaf_bytes;
    CLADE_TRY(cladei_rbtree_write_head(tree, run, first->leaves, link_to(0, first->leaves)));
    CLADE_TRY(cladei_run_write_whole(run, &tree->object, tree->leaves_at, first->nodes, leaves));
    CLADE_TRY(cladei_run_write_whole(run, &tree->object, tree->routers_at + first->router_bytes,
                                     first->nodes + leaves,
                                     (first->leaves - 1) * first->router_bytes));
fail:
    if (status != CLADE_OK) {
        tree->unfinished = CLADEI_RBTREE_TO_EMPTY; /* as it was */
        (void)!cladei_rbtree_mend(tree, run);      /* or else before the next call */
    }
    return status;
}

/* --- the call --------------------------------------------------------------------------------- */

static clade_status make_nodes(const clade_rbtree *tree, struct first *first, const char *values)
{
    clade_status status = CLADE_OK;
    first->fill = cladei_rbtree_fill_for(tree, first->count);
    first->leaves = (first->count + first->fill - 1) / first->fill;
    first->router_bytes = CLADE_RBTREE_ROUTER_BYTES(tree->key_bytes);
    first->leaf_bytes =
        CLADE_RBTREE_LEAF_BYTES(tree->key_bytes, tree->value_bytes, tree->params.leaf_capacity);
    first->nodes = calloc(first->leaves, first->leaf_bytes + first->router_bytes);
    CLADE_NO_MEMORY(first->nodes);
    for (uint32_t leaf = 0; leaf < first->leaves; leaf++)
        write_leaf(tree, first, values, leaf);
    write_routers(tree, first, 0, first->leaves);
fail:
    return status;
}

clade_status cladei_rbtree_insert_first(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                        bool *done)
{
    clade_status status = CLADE_OK;
    struct first first = { 0 };
    struct cladei_view *told = &call->rows[ROW_STATUSES].view;
    const uint32_t all = (uint32_t)call->count;
    bool empty = false;
    *done = false;
    if (call->count == 0 || call->count > FIRST_KEYS || call->count > tree->params.capacity ||
        tree->kernels[RBT_INSERT] || tree->params.path != CLADE_RBTREE_AUTO ||
        tree->params.ranked || !is_on_host(tree, call))
        return CLADE_OK;
    CLADE_TRY(cladei_rbtree_is_empty(tree, &call->run, &empty));
    if (!empty)
        return CLADE_OK;
    first.entries = calloc(all, sizeof *first.entries);
    CLADE_NO_MEMORY(first.entries);
    for (uint32_t i = 0; i < all; i++)
        first.entries[i] = (struct entry) { image_of(tree, call->rows[ROW_KEYS].array.host, i), i };
    qsort(first.entries, all, sizeof *first.entries, compare);
    keep_one_of_each(&first, all, mode, told->host);
    CLADE_TRY(make_nodes(tree, &first, call->rows[ROW_VALUES].array.host));
    CLADE_TRY(write_tree(tree, &call->run, &first));
    told->bytes = 0; /* they are told */
    *done = true;
fail:
    free(first.nodes);
    free(first.entries);
    return status;
}
