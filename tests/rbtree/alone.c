/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree: how each public device function is called alone (tests/alone/alone.h). */
#include "alone/alone.h"

#define KEY "(cladei_rbtree_key)(item + 1u)"
#define VAL "(cladei_rbtree_value)item"
#define SEEK(name)                                                                              \
    "cladei_rbtree_key k = " KEY "; cladei_rbtree_value v = 0; said = (uint)clade_rbtree_" name \
    "(O, &k, &v);"
#define RANGE(name)                                                                            \
    "said = (uint)clade_rbtree_" name                                                          \
    "(O, (cladei_rbtree_key)0, (cladei_rbtree_key)99, 4u, (__global cladei_rbtree_key *)"      \
    "(room + 1024u + 8u * item), (__global cladei_rbtree_value *)(room + 2048u + 8u * item), " \
    "&got);"
static const struct call rbtree_calls[] = {
    { "CLADE_RB(insert_wi)", "said = (uint)clade_rbtree_insert_wi(O, " KEY ", " VAL ");",
      BY_STATUS },
    { "CLADE_RB(put_wi)", "said = (uint)clade_rbtree_put_wi(O, " KEY ", " VAL ");", BY_STATUS },
    { "CLADE_RB(insert_or_put_wi)",
      "said = (uint)clade_rbtree_insert_or_put_wi(O, " KEY ", " VAL ", CLADE_RBTREE_PUT);",
      BY_STATUS },
    { "CLADE_RB(find_wi)",
      "cladei_rbtree_value v = 0; said = (uint)clade_rbtree_find_wi(O, " KEY ", &v);", BY_STATUS },
    { "CLADE_RB(find_still_wi)",
      "cladei_rbtree_value v = 0; said = (uint)clade_rbtree_find_still_wi(O, " KEY ", &v);",
      BY_STATUS },
    { "CLADE_RB(lower_bound_wi)", SEEK("lower_bound_wi"), BY_STATUS },
    { "CLADE_RB(successor_wi)", SEEK("successor_wi"), BY_STATUS },
    { "CLADE_RB(floor_wi)", SEEK("floor_wi"), BY_STATUS },
    { "CLADE_RB(predecessor_wi)", SEEK("predecessor_wi"), BY_STATUS },
    { "CLADE_RB(min_wi)", SEEK("min_wi"), BY_STATUS },
    { "CLADE_RB(max_wi)", SEEK("max_wi"), BY_STATUS },
    { "CLADE_RB(range_wi)", RANGE("range_wi"), BY_STATUS },
    { "CLADE_RB(range_still_wi)", RANGE("range_still_wi"), BY_STATUS },
    { "CLADE_RB(range_down_wi)", RANGE("range_down_wi"), BY_STATUS },
    { "CLADE_RB(range_down_still_wi)", RANGE("range_down_still_wi"), BY_STATUS },
    { "CLADE_RB(range_still_wg)",
      "__local clade_rbtree_range_scratch s; said = (uint)clade_rbtree_range_still_wg(O, "
      "(cladei_rbtree_key)0,"
      " (cladei_rbtree_key)99, 4u, (__global cladei_rbtree_key *)(room + 1024u), (__global "
      "cladei_rbtree_value *)(room + "
      "2048u),"
      " &got, true, &s);",
      BY_STATUS },
    { "CLADE_RB(insert_wg)",
      "__local clade_rbtree_scratch s; said = (uint)clade_rbtree_insert_wg(O, " KEY ", " VAL
      ", true, &s);",
      BY_STATUS },
    { "CLADE_RB(put_wg)",
      "__local clade_rbtree_scratch s; said = (uint)clade_rbtree_put_wg(O, " KEY ", " VAL
      ", true, &s);",
      BY_STATUS },
    { "CLADE_RB(insert_or_put_wg)",
      "__local clade_rbtree_scratch s; said = (uint)clade_rbtree_insert_or_put_wg(O, " KEY ", " VAL
      ", true, &s, CLADE_RBTREE_PUT);",
      BY_STATUS },
    { "CLADE_RB(erase_wi)",
      "cladei_rbtree_value v = 0; said = (uint)clade_rbtree_erase_wi(O, " KEY ", &v);", BY_STATUS },
};

/* What ranked trees have beside. */
static const struct call ranks_calls[] = {
    { "CLADE_RB(rank_wi)", "said = (uint)clade_rbtree_rank_wi(O, " KEY ", &got);", BY_STATUS },
    { "CLADE_RB(select_wi)",
      "cladei_rbtree_key k = 0; cladei_rbtree_value v = 0; said = (uint)clade_rbtree_select_wi(O, "
      "item, &k, &v);",
      BY_STATUS },
};

static clade_status open_any(struct world *w, const struct kind *k, uint32_t ranked)
{
    static clade_rbtree *tree; /* the process ends with it */
    const clade_rbtree_params params = {
        .capacity = CAPACITY, .key = k->key, .value = k->value, .ranked = ranked
    };
    const uint32_t key = CLADE_TYPE_BYTES(k->key), value = CLADE_TYPE_BYTES(k->value);
    const uint32_t leaf = CLADE_RBTREE_LEAF_CAPACITY_DEFAULT(key, value);
    TRY(clade_rbtree_create(&tree, w->context, &params));
    TRY(clade_rbtree_put(tree, alone_numbers(k->key), alone_numbers(k->value), FILLED,
                         clade_no_array(), NULL));
    w->object = clade_rbtree_mem(tree);
    alone_options(w, clade_rbtree_options(tree));
    w->shape = CLADE_RBTREE_SHAPE(k->key, value, leaf) | (ranked ? CLADE_RBTREE_SHAPE_RANKED : 0);
    for (uint32_t type = CLADE_I32; type <= CLADE_U64; type++)
        if (type != CLADE_F32)
            alone_wrong(w, CLADE_RBTREE_SHAPE(type, value, leaf));
    for (uint32_t bytes = 0; bytes <= 8; bytes += 4)
        alone_wrong(w, CLADE_RBTREE_SHAPE(k->key, bytes, leaf));
    alone_wrong(w, CLADE_RBTREE_SHAPE(k->key, value, leaf - 1));
    alone_wrong(w, CLADE_RBTREE_SHAPE(k->key, value, 4));
    alone_wrong(w, w->shape ^ CLADE_RBTREE_SHAPE_RANKED);
    return CLADE_OK;
}

static clade_status open_rbtree(struct world *w, const struct kind *k)
{
    return open_any(w, k, 0);
}

static clade_status open_ranked(struct world *w, const struct kind *k)
{
    return open_any(w, k, 1);
}

/* Typed values are none where there are none: that function is then no call at all. */
#define TREE                                                                  \
    "#define OBJECT clade_rbtree_head\n#include \"clade/rbtree/types.clh\"\n" \
    "#include \"clade/rbtree.clh\"\n"

const struct kind rbtree_alone[] = {
    KIND("rbtree-32", TREE, rbtree, open_rbtree, CLADE_U32, CLADE_NONE, 0),
    KIND("rbtree-32-32", TREE, rbtree, open_rbtree, CLADE_I32, CLADE_U32, 0),
    KIND("rbtree-64", TREE, rbtree, open_rbtree, CLADE_U64, CLADE_NONE, 0),
    KIND("rbtree-ranked", TREE, rbtree, open_ranked, CLADE_U32, CLADE_U32, 0),
    KIND("rbtree-ranks", TREE, ranks, open_ranked, CLADE_U32, CLADE_U32, 0),
    KIND("rbtree-64-64", TREE, rbtree, open_rbtree, CLADE_I64, CLADE_U64, 0),
    { 0 },
};
