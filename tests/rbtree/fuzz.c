/* SPDX-License-Identifier: Apache-2.0 */
/* The tree in fuzz_use.c: how large, an empty one, what loading does (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "rbtree/fuzz.h"
#include "rbtree/rbtree_memory.h"

enum { LEAVES = 40, LEAF = 3 };

/* Variant 1 is ranked. */
static size_t tree_bytes(unsigned variant)
{
    rbtree_memory_ranked = (int)variant;
    return rbtree_memory_bytes(LEAVES, LEAF);
}

static void tree_empty(unsigned variant, uint32_t *words)
{
    rbtree_memory_ranked = (int)variant;
    rbtree_memory_make(words, LEAVES, LEAF);
}

static clade_status tree_load(unsigned variant, uint32_t *words)
{
    rbtree_memory_ranked = (int)variant;
    return rbtree_memory_load(words, LEAVES, LEAF);
}

static void tree_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    if (variant)
        use_ranked(object, seed, steps);
    else
        use_rbtree(object, seed, steps);
}

const struct fuzz_kind rbtree_fuzz[] = {
    { 2, tree_bytes, tree_empty, tree_load, tree_use, NULL },
    { 0 },
};
