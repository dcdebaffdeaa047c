/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of few different keys, on CPUs. std::map has a handful of keys in its core's first cache
 * and takes a nanosecond or two for each further equal one, so a sort of them all is too much. Here
 * a look over the batch lists an item for each different key; only those run, and the others'
 * statuses are known before. Keys that are not few are found out after a few hundred. */
#include <stdlib.h>

#include "base/error.h"
#include "clade/shared/busy.h"
#include "device/queue.h"
#include "rbtree/rbtree.h"

enum {
    FEWEST_KEYS = 8192,   /* of a batch; smaller ones go in key by key anyway */
    LEAST_STRETCH = 4096, /* keys that a work-item looks through, */
    STRETCHES_A_UNIT = 2, /* and how many do so on each core, as one may be late */
    KEYS_A_LISTED = 64,   /* keys of a batch for each that is listed: a listed one costs the most */
};

struct look {
    cl_uint stretch, stretches;
    clade_rbtree_head head;
    cl_uint *rows; /* as the kernel wrote them */
    cl_uint *list; /* as a list of busy items: some words, then the items in their order */
    cl_uint listed;
};

static bool may_be_few(const clade_rbtree *tree, uint64_t count)
{
    const uint32_t path = tree->params.path;
    return clade_context_caps(tree->object.context)->is_cpu && count >= FEWEST_KEYS &&
           (path == CLADE_RBTREE_AUTO || path == CLADE_RBTREE_BULK);
}

/* Not more stretches than give each its least length. */
static void part(const clade_rbtree *tree, cl_uint count, struct look *look)
{
    const uint32_t units = clade_context_caps(tree->object.context)->compute_units;
    cl_uint most = STRETCHES_A_UNIT * (units ? units : 1);
    if (most > count / LEAST_STRETCH)
        most = count / LEAST_STRETCH;
    look->stretch = (count + most - 1) / most;
    look->stretches = (count + look->stretch - 1) / look->stretch;
}

/* And the head: one wait for both. */
static clade_status read_rows(clade_rbtree *tree, struct cladei_call *call, cl_uint last,
                              struct look *look)
{
    clade_status status = CLADE_OK;
    const cl_uint count = (cl_uint)call->count;
    const uint64_t bytes = 4ull * look->stretches * (CLADE_RBTREE_FEW + 1);
    cl_mem rows;
    bool is_read = false;
    CLADE_TRY(cladei_rbtree_need_few(tree));
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_FEW, bytes, &rows));
    look->rows = malloc(bytes);
    CLADE_NO_MEMORY(look->rows);
    CLADE_TRY(CLADEI_SET_ARGS(tree->kernels[RBT_FEW], CLADEI_ROW(call, ROW_KEYS), CLADEI_ARG(count),
                              CLADEI_ARG(look->stretch), CLADEI_ARG(last), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_kernel(&call->run, tree->kernels[RBT_FEW], look->stretches, 1));
    CLADE_CL(clEnqueueReadBuffer(call->run.queue, tree->object.mem, CL_FALSE, 0, sizeof look->head,
                                 &look->head, 0, NULL, NULL));
    is_read = true;
    CLADE_CL(clEnqueueReadBuffer(call->run.queue, rows, CL_TRUE, 0, (size_t)bytes, look->rows, 0,
                                 NULL, NULL));
    return CLADE_OK;

fail:
    if (is_read) /* into what the caller forgets */
        cladei_queue_settle(call->run.context, call->run.queue);
    return status;
}

/* Whether the different keys of all stretches are few enough; then they are listed. A key that
 * several stretches have is listed for each of them, and the first one comes first. */
static clade_status list(uint64_t count, struct look *look, bool *few)
{
    clade_status status = CLADE_OK;
    uint64_t listed = 0;
    *few = true;
    for (cl_uint s = 0; s < look->stretches && *few; s++) {
        const cl_uint different = look->rows[s * (CLADE_RBTREE_FEW + 1)];
        listed += different;
        *few = different <= CLADE_RBTREE_FEW && listed <= count / KEYS_A_LISTED &&
               listed <= CLADE_BUSY_WORDS - CLADE_BUSY_FIRST;
    }
    if (!*few)
        return CLADE_OK;
    look->list = calloc(CLADE_BUSY_FIRST + listed, sizeof *look->list);
    CLADE_NO_MEMORY(look->list);
    for (cl_uint s = 0; s < look->stretches; s++) {
        const cl_uint *row = look->rows + s * (CLADE_RBTREE_FEW + 1);
        for (cl_uint n = 1; n <= row[0]; n++)
            look->list[CLADE_BUSY_FIRST + look->listed++] = row[n];
    }
    look->list[CLADE_BUSY_COUNT] = look->listed;
fail:
    return status;
}

static clade_status find_few(clade_rbtree *tree, struct cladei_call *call, cl_uint last,
                             struct look *look, bool *few)
{
    clade_status status = CLADE_OK;
    *few = false;
    if (!may_be_few(tree, call->count))
        return CLADE_OK;
    part(tree, (cl_uint)call->count, look);
    CLADE_TRY(read_rows(tree, call, last, look));
    CLADE_TRY(list(call->count, look, few));
fail:
    return status;
}

/* Whether the pools have a leaf for each key that is listed, and three routers, which is what one
 * insert may claim: then none is refused. Else the batch goes the way that packs leaves, for here
 * nobody could tell the items that are not listed that their key was refused. */
static bool has_room(const clade_rbtree *tree, const struct look *look)
{
    return look->head.leaves_used + (uint64_t)look->listed <= tree->leaf_total &&
           look->head.routers_used + 3ull * look->listed <= tree->router_total;
}

/* The list for the device, and the statuses of those that are not listed. */
static clade_status give(clade_rbtree *tree, struct cladei_call *call, const struct look *look,
                         cl_int others, cl_mem *busy)
{
    clade_status status = CLADE_OK;
    const size_t bytes = (CLADE_BUSY_FIRST + look->listed) * sizeof *look->list;
    CLADE_TRY(cladei_rbtree_scratch(tree, SCRATCH_BUSY, 4 * CLADE_BUSY_WORDS, busy));
    CLADE_TRY(cladei_rbtree_expect(call, others));
    CLADE_CL(
        clEnqueueWriteBuffer(call->run.queue, *busy, CL_TRUE, 0, bytes, look->list, 0, NULL, NULL));
fail:
    return status;
}

static void forget(struct look *look)
{
    free(look->rows);
    free(look->list);
}

clade_status cladei_rbtree_insert_few(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                      bool *done)
{
    clade_status status = CLADE_OK;
    const bool last = mode == CLADE_RBTREE_PUT && (call->given & CLADE_RBTREE_GIVEN_VALUES);
    struct look look = { 0 };
    cl_mem busy;
    bool few;
    CLADE_TRY(find_few(tree, call, last, &look, &few));
    few = few && has_room(tree, &look);
    if (few) {
        CLADE_TRY(give(tree, call, &look, CLADE_RBTREE_PRESENT, &busy));
        CLADE_TRY(cladei_rbtree_insert_listed(tree, call, mode, busy));
    }
    *done = few;
fail:
    forget(&look);
    return status;
}

clade_status cladei_rbtree_erase_few(clade_rbtree *tree, struct cladei_call *call, bool *done)
{
    clade_status status = CLADE_OK;
    struct look look = { 0 };
    cl_mem busy;
    bool few;
    CLADE_TRY(find_few(tree, call, 0, &look, &few));
    if (few) {
        CLADE_TRY(give(tree, call, &look, CLADE_E_NOT_FOUND, &busy));
        CLADE_TRY(cladei_rbtree_erase_listed(tree, call, busy));
    }
    *done = few;
fail:
    forget(&look);
    return status;
}
