/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the tree (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/rbtree.h>

static void save(clade_context *context, const char *path)
{
    clade_rbtree *tree = NULL;
    MARKED(clade_rbtree_params, params);
    params.capacity = 3000;
    params.key = params.value = params.path = params.group_size = 0;
    params.leaf_capacity = 5;
    params.ranked = 1;
    assert_ok(clade_rbtree_create(&tree, context, &params));
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
}
LOADS(rbtree)

static const struct saved_word impossible[] = {
    { "capacity", 0, 0 },       { "capacity", 1, UINT32_MAX },
    { "key", 2, 77 },           { "value", 3, 77 },
    { "leaf capacity", 4, 31 }, { "path", 5, 77 },
    { "ranked", 6, 2 },         { 0 },
};
const struct saved rbtree_saved[] = {
    { "rbtree",
      32,
      CLADE_RBTREE_SHAPE(CLADE_U32, 0, 5) | CLADE_RBTREE_SHAPE_RANKED,
      save,
      load,
      impossible,
      { " bytes", 0, 1u << 24 } },
    { 0 },
};
