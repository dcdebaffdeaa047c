/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the red-black tree. */
#include "profiler/profile.h"

/* Queries of a range, and entries of each. */
enum { RANGE_SHARE = 32, RANGE_LIMIT = 8 };

static clade_status tree_make_by(struct profile_data *d, uint32_t path)
{
    const clade_rbtree_params params = { .capacity = 2ull * d->n,
                                         .value = CLADE_U32,
                                         .path = path };
    clade_rbtree *made = NULL;
    const clade_status status = clade_rbtree_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static clade_status tree_make(struct profile_data *d)
{
    return tree_make_by(d, CLADE_RBTREE_CONCURRENT);
}

static clade_status tree_make_bulk(struct profile_data *d)
{
    return tree_make_by(d, CLADE_RBTREE_BULK);
}

static void tree_destroy(struct profile_data *d)
{
    clade_rbtree *made = d->object;
    clade_rbtree_destroy(&made);
}

static clade_status tree_check(struct profile_data *d)
{
    return clade_rbtree_check(d->object);
}

static clade_status tree_insert_of(struct profile_data *d, cl_mem keys)
{
    return clade_rbtree_insert(d->object, profile_array(keys), profile_array(keys), d->n,
                               profile_array(d->statuses), NULL);
}

static clade_status tree_insert(struct profile_data *d)
{
    return tree_insert_of(d, d->keys);
}

static clade_status tree_insert_more(struct profile_data *d)
{
    return tree_insert_of(d, d->more);
}

static clade_status tree_find(struct profile_data *d)
{
    return clade_rbtree_find(d->object, profile_array(d->keys), profile_array(d->out), d->n,
                             profile_array(d->statuses), NULL);
}

static clade_status tree_range(struct profile_data *d)
{
    return clade_rbtree_range(d->object, profile_array(d->keys), profile_array(d->ops), RANGE_LIMIT,
                              profile_array(d->out), profile_array(d->nodes),
                              profile_array(d->statuses), d->n / RANGE_SHARE, NULL);
}

static clade_status tree_erase(struct profile_data *d)
{
    return clade_rbtree_erase(d->object, profile_array(d->keys), clade_no_array(), d->n,
                              profile_array(d->statuses), NULL);
}

static clade_status tree_reclaim(struct profile_data *d)
{
    return clade_rbtree_reclaim(d->object, NULL);
}

static clade_status tree_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_rbtree_stats s;
    const clade_status status = clade_rbtree_stats_read(d->object, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .retries = s.retries,
                                            .others = { s.splits, s.rotations, s.merges, s.busy } };
    return status;
}

const struct profile_load rbtree_loads[] = {
    { "rbtree",
      tree_make,
      tree_destroy,
      tree_check,
      tree_count,
      "tries of an operation beyond its first",
      { "leaves split", "rotations", "leaves merged", "gave up" },
      { { "insert", tree_insert, 1 },
        { "insert into as many", tree_insert_more, 1 },
        { "find", tree_find, 1 },
        { "range of 8", tree_range, RANGE_SHARE },
        { "erase half", tree_erase, 1 },
        { "reclaim", tree_reclaim, 1 } } },
    { "rbtree-bulk",
      tree_make_bulk,
      tree_destroy,
      tree_check,
      tree_count,
      "tries of an operation beyond its first",
      { "leaves split", "rotations", "leaves merged", "gave up" },
      { { "insert", tree_insert, 1 },
        { "insert into as many", tree_insert_more, 1 },
        { "erase half", tree_erase, 1 } } },
    { 0 },
};
