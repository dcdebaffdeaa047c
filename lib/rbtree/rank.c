/* SPDX-License-Identifier: Apache-2.0 */
/* Rank and select: the entries are listed in order, then every item looks there. */
#include <inttypes.h>

#include "base/error.h"
#include "object/launch.h"
#include "rbtree/rbtree.h"

clade_status clade_rbtree_rank(clade_rbtree *tree, clade_array keys, clade_array ranks,
                               uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_rbtree_batch b = { 0 };
    struct cladei_view to = { 0 };
    struct cladei_rbtree_entries entries;
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_REQUIRE(cladei_is_given(ranks) || count == 0, CLADE_E_ARG,
                  "there is no array for the ranks");
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(cladei_rbtree_open_batch(tree, &run, &b, keys, clade_no_array(), CLADEI_IN,
                                       clade_no_array(), count));
    CLADE_TRY(
        cladei_view_open(&to, &run, ranks, count, sizeof(cl_uint), CLADEI_OUT, "ranks"));
    if (count > 0) {
        CLADE_TRY(cladei_rbtree_list(tree, &run, &entries));
        CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_RANK], CLADEI_ARG(b.keys.mem),
                                  CLADEI_ARG(b.keys.first), CLADEI_ARG(b.count),
                                  CLADEI_ARG(entries.keys), CLADEI_ARG(entries.count),
                                  CLADEI_ARG(to.mem), CLADEI_ARG(to.first)));
        CLADE_TRY(cladei_rbtree_run(tree, &run, RBT_RANK, count, tree->params.group_size));
    }
    CLADE_TRY(cladei_view_finish(&to, &run));
    run.blocking = true;
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&to);
    cladei_rbtree_close_batch(&b);
    return status;
}

/* The arrays of a select, in `b`: b->keys are written. */
static clade_status open_select(const clade_rbtree *tree, struct cladei_run *run,
                                struct cladei_rbtree_batch *b, struct cladei_view *from,
                                clade_array ranks, clade_array keys, clade_array values,
                                clade_array statuses, uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(count == 0 || (cladei_is_given(ranks) && cladei_is_given(keys)), CLADE_E_ARG,
                  "there is no array of ranks, or none for the keys");
    CLADE_REQUIRE(count <= 1u << 30, CLADE_E_ARG, "the count %" PRIu64 " is over 2^30", count);
    CLADE_REQUIRE(tree->value_bytes > 0 || !cladei_is_given(values), CLADE_E_ARG,
                  "the tree has no values, but an array of values is given");
    b->count = (uint32_t)count;
    CLADE_TRY(
        cladei_view_open(from, run, ranks, count, sizeof(cl_uint), CLADEI_IN, "ranks"));
    CLADE_TRY(
        cladei_view_open(&b->keys, run, keys, count, tree->key_bytes, CLADEI_OUT, "keys"));
    CLADE_TRY(cladei_view_open(&b->values, run, values, count,
                               tree->value_bytes ? tree->value_bytes : 4, CLADEI_OUT, "values"));
    CLADE_TRY(cladei_view_open(&b->statuses, run, statuses, count, sizeof(cl_int),
                               CLADEI_OUT, "statuses"));
fail:
    return status;
}

static clade_status run_select(clade_rbtree *tree, struct cladei_run *run,
                               const struct cladei_rbtree_batch *b, const struct cladei_view *from)
{
    clade_status status = CLADE_OK;
    struct cladei_rbtree_entries entries;
    cl_mem object = tree->object.mem;
    cl_mem values = b->values.mem ? b->values.mem : object;
    cl_mem statuses = b->statuses.mem ? b->statuses.mem : object;
    cl_uint has = cladei_rbtree_given(b);
    CLADE_TRY(cladei_rbtree_list(tree, run, &entries));
    CLADE_TRY(
        CLADEI_SET_ARGS(tree->kernels[RBT_SELECT], CLADEI_ARG(from->mem), CLADEI_ARG(from->first),
                        CLADEI_ARG(b->count), CLADEI_ARG(entries.keys), CLADEI_ARG(entries.values),
                        CLADEI_ARG(entries.count), CLADEI_ARG(b->keys.mem),
                        CLADEI_ARG(b->keys.first), CLADEI_ARG(values), CLADEI_ARG(b->values.first),
                        CLADEI_ARG(statuses), CLADEI_ARG(b->statuses.first), CLADEI_ARG(has)));
    CLADE_TRY(cladei_rbtree_run(tree, run, RBT_SELECT, b->count, tree->params.group_size));
fail:
    return status;
}

clade_status clade_rbtree_select(clade_rbtree *tree, clade_array ranks, clade_array keys,
                                 clade_array values, uint64_t count, clade_array statuses,
                                 const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_rbtree_batch b = { 0 };
    struct cladei_view from = { 0 };
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(cladei_rbtree_need_bulk(tree));
    CLADE_TRY(cladei_rbtree_begin(tree, &run, launch));
    CLADE_TRY(open_select(tree, &run, &b, &from, ranks, keys, values, statuses, count));
    if (count > 0)
        CLADE_TRY(run_select(tree, &run, &b, &from));
    CLADE_TRY(cladei_view_finish(&b.keys, &run));
    CLADE_TRY(cladei_view_finish(&b.values, &run));
    CLADE_TRY(cladei_view_finish(&b.statuses, &run));
    run.blocking = true;
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&from);
    cladei_rbtree_close_batch(&b);
    return status;
}
