/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a ranked tree on the host: where it lies, when it is empty, whether it is right. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/queue.h"
#include "rbtree/rbtree.h"

/* Two slots for each leaf of the pool. Leaves that split get half of a run each, so leaves of like
 * weight that come one by one do not often share a slot. */
void cladei_rbtree_index_plan(struct cladei_rbtree_index *index, uint64_t at, uint32_t leaf_total)
{
    uint32_t words = 2u * leaf_total;
    *index = (struct cladei_rbtree_index) { .slots = words };
    do {
        index->level_at[index->levels++] = index->nodes;
        words = (words + CLADE_RBTREE_NODE - 1u) / CLADE_RBTREE_NODE;
        index->nodes += words;
    } while (words > 1);
    index->nodes_at = (at + 127u) / 128u * 128u; /* a node is a line of a GPU's cache */
    index->places_at = index->nodes_at + (uint64_t)index->nodes * CLADE_RBTREE_NODE_WORDS * 4u;
    index->firsts_at = (index->places_at + leaf_total * 8ull + 15u) / 16u * 16u;
    index->end = index->firsts_at + index->slots * 4ull;
}

void cladei_rbtree_index_head(const struct cladei_rbtree_index *index, clade_rbtree_head *head)
{
    head->slots = index->slots;
    head->levels = index->levels;
    memcpy(head->level_at, index->level_at, sizeof head->level_at);
    head->nodes_at = (clade_u32)(index->nodes_at / 16u);
    head->places_at = (clade_u32)(index->places_at / 16u);
    head->firsts_at = (clade_u32)(index->firsts_at / 16u);
}

bool cladei_rbtree_index_is(const struct cladei_rbtree_index *index, const clade_rbtree_head *head)
{
    return head->slots == index->slots && head->levels == index->levels &&
           memcmp(head->level_at, index->level_at, sizeof head->level_at) == 0 &&
           head->nodes_at == index->nodes_at / 16u && head->places_at == index->places_at / 16u &&
           head->firsts_at == index->firsts_at / 16u;
}

clade_status cladei_rbtree_index_empty(clade_rbtree *tree, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const struct cladei_rbtree_index *index = &tree->index;
    const cl_uint zero = 0, place[2] = { CLADE_RBTREE_PLACE(0, 1), index->slots }, first = 1;
    if (index->slots == 0)
        return CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    CLADE_TRY(cladei_queue_fill(run->queue, tree->object.mem, &zero, sizeof zero,
                                (size_t)index->nodes_at, (size_t)(index->end - index->nodes_at)));
    CLADE_CL(clEnqueueWriteBuffer(run->queue, tree->object.mem, CL_TRUE, (size_t)index->places_at,
                                  sizeof place, place, 0, NULL, NULL));
    CLADE_CL(clEnqueueWriteBuffer(run->queue, tree->object.mem, CL_TRUE, (size_t)index->firsts_at,
                                  sizeof first, &first, 0, NULL, NULL));
fail:
    return status;
}

/* --- in a copy ------------------------------------------------------------------------------- */

static uint32_t *words_at(unsigned char *copy, uint64_t at)
{
    return (uint32_t *)(void *)(copy + at);
}

static uint32_t keys_of(const clade_rbtree *tree, const unsigned char *copy, uint32_t leaf)
{
    uint32_t link;
    memcpy(&link,
           copy + tree->leaves_at + 4u +
               (uint64_t)leaf * CLADE_RBTREE_LEAF_BYTES(tree->key_bytes, tree->value_bytes,
                                                        tree->params.leaf_capacity),
           sizeof link);
    return CLADE_RBTREE_COUNT(link);
}

/* Count a leaf's keys at a slot, in nodes that begin at `nodes`. */
static void count(const struct cladei_rbtree_index *index, uint32_t *nodes, uint32_t slot,
                  uint32_t keys)
{
    uint32_t at = slot;
    for (uint32_t level = 0; level < index->levels; level++) {
        const uint32_t node = at / CLADE_RBTREE_NODE;
        nodes[(size_t)(index->level_at[level] + node) * CLADE_RBTREE_NODE_WORDS + 1u +
              at % CLADE_RBTREE_NODE] += keys;
        at = node;
    }
}

/* I9, and what the index must then say. */
static clade_status count_all(const clade_rbtree *tree, const unsigned char *copy,
                              const uint32_t *order, uint64_t leaves, uint32_t *nodes,
                              uint64_t *shared)
{
    clade_status status = CLADE_OK;
    const struct cladei_rbtree_index *index = &tree->index;
    uint32_t end = 0, before = UINT32_MAX;
    *shared = 0;
    for (uint64_t i = 0; i < leaves; i++) {
        uint32_t place[2];
        memcpy(place, copy + index->places_at + order[i] * 8ull, sizeof place);
        const uint32_t slot = place[0] >> 1;
        CLADE_REQUIRE(
            slot == end && slot < index->slots && place[1] >= slot && place[1] <= index->slots,
            CLADE_E_CORRUPT, "I9: leaf %u has the slots from %u to %u, those before it end at %u",
            order[i], slot, place[1], end);
        CLADE_REQUIRE(!(place[0] & 1u) || slot != before, CLADE_E_CORRUPT,
                      "I9: leaf %u is not the first one at slot %u", order[i], slot);
        count(index, nodes, slot, keys_of(tree, copy, order[i]));
        *shared += slot == before;
        end = place[1];
        before = slot;
    }
    CLADE_REQUIRE(end == index->slots, CLADE_E_CORRUPT, "I9: the last leaf's slots end at %u of %u",
                  end, index->slots);
fail:
    return status;
}

clade_status cladei_rbtree_index_check(const clade_rbtree *tree, const unsigned char *copy,
                                       const uint32_t *order, clade_rbtree_stats *stats)
{
    clade_status status = CLADE_OK;
    const struct cladei_rbtree_index *index = &tree->index;
    const size_t words = (size_t)index->nodes * CLADE_RBTREE_NODE_WORDS;
    uint32_t *nodes = calloc(words, sizeof *nodes);
    CLADE_NO_MEMORY(nodes);
    CLADE_TRY(count_all(tree, copy, order, stats->leaves, nodes, &stats->shared));
    for (size_t i = 0; i < words; i++) {
        uint32_t word;
        memcpy(&word, copy + index->nodes_at + i * sizeof word, sizeof word);
        if (i % CLADE_RBTREE_NODE_WORDS == 0)
            CLADE_REQUIRE(!(word & CLADE_RBTREE_MOVING), CLADE_E_CORRUPT,
                          "I10: in node %zu of the index a move is under way",
                          i / CLADE_RBTREE_NODE_WORDS);
        else
            CLADE_REQUIRE(word == nodes[i], CLADE_E_CORRUPT,
                          "I10: word %zu of the index counts %u keys, there are %u", i, word,
                          nodes[i]);
    }
fail:
    free(nodes);
    return status;
}

clade_status cladei_rbtree_index_rebuild(const clade_rbtree *tree, unsigned char *copy,
                                         const uint32_t *order, uint64_t leaves)
{
    const struct cladei_rbtree_index *index = &tree->index;
    uint64_t shared;
    uint32_t *places = words_at(copy, index->places_at), *firsts = words_at(copy, index->firsts_at);
    memset(copy + index->nodes_at, 0, (size_t)(index->end - index->nodes_at));
    for (uint64_t i = 0; i < leaves; i++) {
        const uint32_t slot = (uint32_t)(i * index->slots / leaves);
        places[2u * (size_t)order[i]] = CLADE_RBTREE_PLACE(slot, 1);
        places[2u * (size_t)order[i] + 1u] = (uint32_t)((i + 1) * index->slots / leaves);
        firsts[slot] = order[i] + 1;
    }
    return count_all(tree, copy, order, leaves, words_at(copy, index->nodes_at), &shared);
}
