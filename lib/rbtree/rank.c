/* SPDX-License-Identifier: Apache-2.0 */
/* Rank and select. In a ranked tree every item asks the index; in another one the entries are
 * listed in order, then every item looks there. */
#include "base/error.h"
#include "rbtree/rbtree.h"

static clade_status need(clade_rbtree *tree, enum cladei_rbtree_kernel ranked)
{
    return tree->params.ranked ? cladei_rbtree_need(tree, ranked) : cladei_rbtree_need_bulk(tree);
}

static clade_status rank_in_list(clade_rbtree *tree, struct cladei_call *call, cl_uint n)
{
    clade_status status = CLADE_OK;
    struct cladei_rbtree_entries entries;
    CLADE_TRY(cladei_rbtree_list(tree, &call->run, &entries));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_RANK], CLADEI_ROW(call, ROW_KEYS), CLADEI_ARG(n),
                              CLADEI_ARG(entries.keys), CLADEI_ARG(entries.count),
                              CLADEI_ROW(call, ROW_MORE)));
    CLADE_TRY(cladei_rbtree_run(tree, &call->run, RBT_RANK, n, tree->params.group_size));
fail:
    return status;
}

static clade_status rank_in_index(clade_rbtree *tree, struct cladei_call *call, cl_uint n)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_RANK_RANKED], CLADEI_ARG(tree->object.mem),
                              CLADEI_ROW(call, ROW_KEYS), CLADEI_ARG(n),
                              CLADEI_ROW(call, ROW_MORE)));
    CLADE_TRY(cladei_rbtree_run(tree, &call->run, RBT_RANK_RANKED, n, tree->params.group_size));
fail:
    return status;
}

clade_status clade_rbtree_rank(clade_rbtree *tree, clade_array keys, clade_array ranks,
                               uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call =
        cladei_rbtree_call(tree, keys, clade_no_array(), CLADEI_IN, clade_no_array(), count);
    const cl_uint n = (cl_uint)count;
    call.rows[ROW_MORE] =
        (struct cladei_row) { "ranks", ranks, 4, CLADEI_OUT, .need = "for the ranks" };
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(need(tree, RBT_RANK_RANKED));
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    if (count > 0)
        CLADE_TRY(tree->params.ranked ? rank_in_index(tree, &call, n)
                                      : rank_in_list(tree, &call, n));
    call.run.blocking = true;
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

static clade_status select_in_list(clade_rbtree *tree, struct cladei_call *call, cl_uint n)
{
    clade_status status = CLADE_OK;
    struct cladei_rbtree_entries entries;
    CLADE_TRY(cladei_rbtree_list(tree, &call->run, &entries));
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SELECT], CLADEI_ROW(call, ROW_MORE), CLADEI_ARG(n),
                              CLADEI_ARG(entries.keys), CLADEI_ARG(entries.values),
                              CLADEI_ARG(entries.count), CLADEI_ROW(call, ROW_KEYS),
                              CLADEI_ROW(call, ROW_VALUES), CLADEI_ROW(call, ROW_STATUSES),
                              CLADEI_ARG(call->given)));
    CLADE_TRY(cladei_rbtree_run(tree, &call->run, RBT_SELECT, n, tree->params.group_size));
fail:
    return status;
}

static clade_status select_in_index(clade_rbtree *tree, struct cladei_call *call, cl_uint n)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_SELECT_RANKED], CLADEI_ARG(tree->object.mem),
                              CLADEI_ROW(call, ROW_MORE), CLADEI_ARG(n), CLADEI_ROW(call, ROW_KEYS),
                              CLADEI_ROW(call, ROW_VALUES), CLADEI_ROW(call, ROW_STATUSES),
                              CLADEI_ARG(call->given)));
    CLADE_TRY(cladei_rbtree_run(tree, &call->run, RBT_SELECT_RANKED, n, tree->params.group_size));
fail:
    return status;
}

clade_status clade_rbtree_select(clade_rbtree *tree, clade_array ranks, clade_array keys,
                                 clade_array values, uint64_t count, clade_array statuses,
                                 const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = cladei_rbtree_call(tree, keys, values, CLADEI_OUT, statuses, count);
    const cl_uint n = (cl_uint)count;
    call.rows[ROW_KEYS].direction = CLADEI_OUT;
    call.rows[ROW_KEYS].need = "of ranks, or none for the keys";
    call.rows[ROW_MORE] =
        (struct cladei_row) { "ranks", ranks, 4, .need = call.rows[ROW_KEYS].need };
    CLADE_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADE_TRY(need(tree, RBT_SELECT_RANKED));
    CLADE_TRY(cladei_rbtree_open(tree, &call, launch));
    if (count > 0)
        CLADE_TRY(tree->params.ranked ? select_in_index(tree, &call, n)
                                      : select_in_list(tree, &call, n));
    call.run.blocking = true;
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}
