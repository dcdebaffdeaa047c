/* SPDX-License-Identifier: Apache-2.0 */
/* The layout and the check are the library's: lib/rbtree/check.c. */
#include "rbtree/rbtree_memory.h"

#include <string.h>

#include "object/object.h"
#include "rbtree/rbtree.h"

#ifndef RANKED
#define RANKED 0
#endif
int rbtree_memory_ranked = RANKED;

#ifndef KEY
#define KEY CLADE_U32
#endif
enum { KEY_BYTES = CLADE_TYPE_BYTES(KEY), VALUE_BYTES = 4, SPARE_ROUTERS = 64 };
enum { HALVES = KEY_BYTES / 4, META_OF_ROUTER = 4 * (HALVES + 2) };

static clade_rbtree shape(uint32_t leaves, uint32_t leaf_capacity)
{
    clade_rbtree tree = {
        .params = { .capacity = leaves,
                    .key = KEY,
                    .value = CLADE_U32,
                    .leaf_capacity = leaf_capacity },
        .key_bytes = KEY_BYTES,
        .value_bytes = VALUE_BYTES,
        .leaf_total = leaves,
        .router_total = leaves + SPARE_ROUTERS,
    };
    tree.leaves_at = (sizeof(clade_rbtree_head) + 127u) / 128u * 128u;
    tree.routers_at =
        tree.leaves_at +
        (uint64_t)leaves * CLADE_RBTREE_LEAF_BYTES(KEY_BYTES, VALUE_BYTES, leaf_capacity);
    tree.object.kind = CLADE_RBTREE_KIND;
    tree.object.shape = CLADE_RBTREE_SHAPE(KEY, VALUE_BYTES, leaf_capacity);
    tree.object.bytes =
        tree.routers_at + (uint64_t)tree.router_total * CLADE_RBTREE_ROUTER_BYTES(KEY_BYTES);
    if (rbtree_memory_ranked) {
        tree.params.ranked = 1;
        tree.object.shape |= CLADE_RBTREE_SHAPE_RANKED;
        cladei_rbtree_index_plan(&tree.index, tree.object.bytes, leaves);
        tree.object.bytes = (tree.index.end + 15u) / 16u * 16u;
    }
    return tree;
}

size_t rbtree_memory_bytes(uint32_t leaves, uint32_t leaf_capacity)
{
    return (size_t)shape(leaves, leaf_capacity).object.bytes;
}

void rbtree_memory_make(void *memory, uint32_t leaves, uint32_t leaf_capacity)
{
    const clade_rbtree tree = shape(leaves, leaf_capacity);
    unsigned char *bytes = memory;
    clade_rbtree_head head = {
        .object = cladei_object_head(&tree.object),
        .router_total = tree.router_total,
        .leaf_total = tree.leaf_total,
        .routers_at = (uint32_t)(tree.routers_at / 16u),
        .leaves_at = (uint32_t)(tree.leaves_at / 16u),
        .routers_used = 1,
        .leaves_used = 1,
    };
    uint32_t sentinel[CLADE_RBTREE_ROUTER_BYTES(KEY_BYTES) / 4] = { 0 };
    uint32_t leaf[CLADE_RBTREE_LEAF_HEAD_BYTES(KEY_BYTES) / 4] = { 0 };
    sentinel[HALVES] = CLADE_RBTREE_LEAF_LINK(0);
    sentinel[HALVES + 1] = CLADE_RBTREE_NO_LINK;
    sentinel[META_OF_ROUTER / 4] = CLADE_RBTREE_RANK_TOP * CLADE_RBTREE_RANK_ONE;
    for (uint32_t i = 0; i < HALVES; i++) /* up to the last key, after two words and the first */
        leaf[2 + HALVES + i] = UINT32_MAX;
    const uint32_t dead = CLADE_RBTREE_DEAD;
    for (uint32_t i = 0; i < leaves; i++)
        memcpy(bytes + tree.leaves_at +
                   (size_t)i * CLADE_RBTREE_LEAF_BYTES(KEY_BYTES, VALUE_BYTES, leaf_capacity),
               &dead, sizeof dead);
    for (uint32_t i = 0; i < tree.router_total; i++)
        memcpy(bytes + tree.routers_at + (size_t)i * sizeof sentinel + META_OF_ROUTER, &dead,
               sizeof dead);
    cladei_rbtree_index_head(&tree.index, &head);
    if (rbtree_memory_ranked) {
        const uint32_t place[2] = { CLADE_RBTREE_PLACE(0, 1), tree.index.slots }, first = 1;
        memcpy(bytes + tree.index.places_at, place, sizeof place);
        memcpy(bytes + tree.index.firsts_at, &first, sizeof first);
    }
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + tree.leaves_at, leaf, sizeof leaf);
    memcpy(bytes + tree.routers_at, sentinel, sizeof sentinel);
}

int rbtree_memory_load(void *memory, uint32_t leaves, uint32_t leaf_capacity)
{
    const clade_rbtree tree = shape(leaves, leaf_capacity);
    bool strained; /* there is no device that would reclaim it */
    return cladei_rbtree_rebuild(&tree, memory, &strained);
}

const char *rbtree_memory_check(void *memory, uint32_t leaves, uint32_t leaf_capacity,
                                uint64_t *size)
{
    const clade_rbtree tree = shape(leaves, leaf_capacity);
    clade_rbtree_stats stats = { 0 };
    if (cladei_rbtree_check_copy(&tree, memory, &stats) != CLADE_OK)
        return clade_error_last()->message;
    *size = stats.size;
    /* Of a tree that began with one leaf, and was not made anew since. */
    return stats.leaves == 1u + stats.splits - stats.merges
               ? NULL
               : "other leaves than splits made and removals left";
}

uint64_t rbtree_memory_leaves(void *memory, uint32_t leaves, uint32_t leaf_capacity)
{
    const clade_rbtree tree = shape(leaves, leaf_capacity);
    clade_rbtree_stats stats = { 0 };
    return cladei_rbtree_check_copy(&tree, memory, &stats) == CLADE_OK ? stats.leaves : 0;
}
