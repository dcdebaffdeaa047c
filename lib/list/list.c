/* SPDX-License-Identifier: Apache-2.0 */
/* The list's calls over whole arrays; cl/kernels/list.cl has the kernels. */
#include "list/list.h"
#include "base/error.h"
#include "device/context.h"

enum { KEYS, OPS, OPERANDS, STATUSES, COLLISIONS };
enum { INSERT_FRONT = CLADE_LIST_OP_COUNT + 1 }; /* beside the operations of items */

static bool may_change(const struct cladei_call *call, cl_uint op)
{
    return cladei_is_given(call->rows[OPS].array) ||
           (op != CLADE_LIST_CONTAINS && op != CLADE_LIST_FIND);
}

/* One launch over every `stride`-th operation, or over those of them that the round before, of
 * ROUND_FACTOR times the stride, left. */
static clade_status launch_round(clade_list *list, struct cladei_call *call, cl_uint op,
                                 cl_ulong stride, cl_uint is_rest)
{
    clade_status status = CLADE_OK;
    cl_mem kma = cladei_list_kma_mem(list);
    uint64_t items = (call->count + stride - 1) / stride;
    if (is_rest)
        items -= (call->count + stride * CLADE_LIST_ROUND_FACTOR - 1) /
                 (stride * CLADE_LIST_ROUND_FACTOR);
    if (items == 0)
        return CLADE_OK;
    if (may_change(call, op))
        CLADE_TRY(cladei_list_make_room(list, &call->run, items));
    CLADE_TRY(CLADEI_SET_ARGS(
        list->kernels[LIST_APPLY], CLADEI_ARG(list->object.mem), CLADEI_ARG(kma), CLADEI_ARG(op),
        CLADEI_ARG(call->given), CLADEI_ROW(call, OPS), CLADEI_ROW(call, KEYS),
        CLADEI_ROW(call, OPERANDS), CLADEI_ROW(call, STATUSES), CLADEI_ROW(call, COLLISIONS),
        CLADEI_ARG(call->count), CLADEI_ARG(stride), CLADEI_ARG(is_rest)));
    CLADE_TRY(cladei_run_items(&call->run, list->kernels[LIST_APPLY], items, list->apply_group));
fail:
    return status;
}

/* Shortcuts made before a launch do not know what it inserts, and each insert walks past what
 * others inserted in the same place: ascending keys would all walk past each other. So a large
 * call goes in rounds, each ROUND_FACTOR times as large as the one before and spread evenly over
 * the array, with the shortcuts made anew in between: the places of the few divide those of the
 * many. The first, which may all go to one place, is small; smallest where there is no shortcut. */
enum { FIRST_ROUND = 4096, FIRST_ROUND_OF_EMPTY = 512 };

static clade_status launch_rounds(clade_list *list, struct cladei_call *call, cl_uint op)
{
    clade_status status = CLADE_OK;
    cl_ulong stride = 1;
    const uint64_t first = list->known.live_most < FIRST_ROUND ? FIRST_ROUND_OF_EMPTY : FIRST_ROUND;
    if (may_change(call, op) && cladei_list_is_ordered(list) && list->layout.index_size > 0)
        while (call->count / stride > first)
            stride *= CLADE_LIST_ROUND_FACTOR;
    CLADE_TRY(launch_round(list, call, op, stride, 0));
    while (stride > 1) {
        stride /= CLADE_LIST_ROUND_FACTOR;
        CLADE_TRY(cladei_list_reclaim(list, &call->run));
        CLADE_TRY(launch_round(list, call, op, stride, 1));
    }
fail:
    return status;
}

/* One launch after the cells are taken. */
static clade_status launch_front(clade_list *list, struct cladei_call *call, enum list_kernel which)
{
    clade_status status = CLADE_OK;
    cl_mem kma = cladei_list_kma_mem(list);
    cl_kernel kernel = list->kernels[which];
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(list->object.mem), CLADEI_ARG(kma),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_items(&call->run, kernel, call->count, list->params.group_size));
fail:
    return status;
}

/* Launches after which no look for the next element with a cell is long. A driver that leaves long
 * loops would end one over a row of refused elements, and lose what comes behind them. */
static uint32_t skips_for(const clade_list *list, uint64_t count)
{
    const uint64_t capacity = list->params.capacity, longest = count < capacity ? count : capacity;
    const uint32_t passes = cladei_list_passes(longest, CLADE_LIST_SKIP_HOPS);
    return list->object.context->caps.loop_limit > 0 && passes > 0 ? passes - 1 : 0;
}

static clade_status launch_insert_front(clade_list *list, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    cl_mem kma = cladei_list_kma_mem(list);
    const cl_uint has_statuses = call->given & 4u;
    cl_kernel fill = list->kernels[LIST_PUSH_FILL];
    CLADE_TRY(cladei_list_make_room(list, &call->run, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(fill, CLADEI_ARG(list->object.mem), CLADEI_ARG(kma),
                              CLADEI_ROW(call, KEYS), CLADEI_ROW(call, STATUSES),
                              CLADEI_ARG(has_statuses), CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_items(&call->run, fill, call->count, list->params.group_size));
    for (uint32_t left = skips_for(list, call->count); left > 0; left--)
        CLADE_TRY(launch_front(list, call, LIST_PUSH_SKIP));
    CLADE_TRY(launch_front(list, call, LIST_PUSH_LINK));
    CLADE_TRY(launch_front(list, call, LIST_PUSH_DONE));
fail:
    return status;
}

static clade_status learn(clade_list *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_list_head head;
    CLADE_TRY(cladei_run_read(run, &list->object, 0, &head, sizeof head));
    cladei_cells_learn(&list->known, head.live);
fail:
    return status;
}

/* Operands are values, which go in or come out, or, of an unordered list, targets. */
static clade_status apply(clade_list *list, cl_uint op, clade_array ops, clade_array keys,
                          clade_array operands, clade_array statuses, clade_array collisions,
                          uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    const bool is_ordered = list && cladei_list_is_ordered(list);
    const bool comes_out = is_ordered && op != CLADE_LIST_INSERT && op != CLADE_LIST_PUT;
    const uint32_t key_bytes = list ? CLADE_TYPE_BYTES(list->params.key) : 0;
    const uint32_t operand_bytes = is_ordered ? CLADE_TYPE_BYTES(list->params.value) : key_bytes;
    struct cladei_call call = {
        .count = count,
        .most = UINT32_MAX,
        .tells = true,
        .rows = {
            [KEYS] = { "keys", keys, key_bytes, .need = is_ordered ? "of keys" : "of values" },
            [OPS] = { "ops", ops, 4, .bit = 1,
                      .need = op == CLADE_LIST_OP_COUNT ? "of operations" : NULL },
            [OPERANDS] = { is_ordered ? "values" : "targets", operands, operand_bytes,
                           comes_out ? CLADEI_INOUT : CLADEI_IN, .bit = 2,
                           .need = op == CLADE_LIST_INSERT_AFTER ? "of targets" : NULL },
            [STATUSES] = { "statuses", statuses, 4, CLADEI_OUT, .bit = 4, .tells = true },
            [COLLISIONS] = { "collisions", collisions, 4, CLADEI_OUT, .bit = 8 },
        },
    };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(operand_bytes > 0 || !cladei_is_given(operands), CLADE_E_ARG,
                  "values are given, but the list has none");
    CLADE_TRY(cladei_call_open(&call, &cladei_list_kind, &list->object, launch));
    CLADE_TRY(cladei_list_mend(list, &call.run));
    if (count > 0 && op != INSERT_FRONT)
        CLADE_TRY(cladei_list_need_apply(list));
    if (count > 0)
        CLADE_TRY(op == INSERT_FRONT ? launch_insert_front(list, &call)
                                     : launch_rounds(list, &call, op));
    CLADE_TRY(cladei_call_read(&call));
    if (call.run.blocking)
        CLADE_TRY(learn(list, &call.run));
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_list_apply(clade_list *list, clade_array ops, clade_array keys,
                              clade_array operands, uint64_t count, clade_array statuses,
                              const clade_launch *launch)
{
    return clade_list_apply_counted(list, ops, keys, operands, clade_no_array(), count, statuses,
                                    launch);
}

clade_status clade_list_apply_counted(clade_list *list, clade_array ops, clade_array keys,
                                      clade_array operands, clade_array collisions, uint64_t count,
                                      clade_array statuses, const clade_launch *launch)
{
    return apply(list, CLADE_LIST_OP_COUNT, ops, keys, operands, statuses, collisions, count,
                 launch);
}

/* A call of one operation, when the list is of the mode that has it. */
static clade_status apply_in(clade_list *list, cl_uint mode, cl_uint op, clade_array keys,
                             clade_array operands, clade_array statuses, uint64_t count,
                             const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(list->params.mode == mode, CLADE_E_ARG, "this operation is for %s lists",
                  mode == CLADE_LIST_ORDERED ? "ordered" : "unordered");
    CLADE_REQUIRE(list->params.value == CLADE_NONE || cladei_is_given(operands) || count == 0 ||
                      op == CLADE_LIST_ERASE,
                  CLADE_E_ARG, "the list has values, but none are given");
    CLADE_TRY(apply(list, op, clade_no_array(), keys, operands, statuses, clade_no_array(), count,
                    launch));
fail:
    return status;
}

clade_status clade_list_insert(clade_list *list, clade_array keys, clade_array values,
                               uint64_t count, clade_array statuses, const clade_launch *launch)
{
    return apply_in(list, CLADE_LIST_ORDERED, CLADE_LIST_INSERT, keys, values, statuses, count,
                    launch);
}

clade_status clade_list_put(clade_list *list, clade_array keys, clade_array values, uint64_t count,
                            clade_array statuses, const clade_launch *launch)
{
    return apply_in(list, CLADE_LIST_ORDERED, CLADE_LIST_PUT, keys, values, statuses, count,
                    launch);
}

clade_status clade_list_find(clade_list *list, clade_array keys, clade_array values, uint64_t count,
                             clade_array statuses, const clade_launch *launch)
{
    return apply_in(list, CLADE_LIST_ORDERED, CLADE_LIST_FIND, keys, values, statuses, count,
                    launch);
}

clade_status clade_list_insert_after(clade_list *list, clade_array targets, clade_array values,
                                     uint64_t count, clade_array statuses,
                                     const clade_launch *launch)
{
    return apply_in(list, CLADE_LIST_UNORDERED, CLADE_LIST_INSERT_AFTER, values, targets, statuses,
                    count, launch);
}

clade_status clade_list_erase(clade_list *list, clade_array keys, uint64_t count,
                              clade_array statuses, const clade_launch *launch)
{
    return apply(list, CLADE_LIST_ERASE, clade_no_array(), keys, clade_no_array(), statuses,
                 clade_no_array(), count, launch);
}

clade_status clade_list_contains(clade_list *list, clade_array keys, uint64_t count,
                                 clade_array statuses, const clade_launch *launch)
{
    return apply(list, CLADE_LIST_CONTAINS, clade_no_array(), keys, clade_no_array(), statuses,
                 clade_no_array(), count, launch);
}

clade_status clade_list_insert_front(clade_list *list, clade_array values, uint64_t count,
                                     clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(!cladei_list_is_ordered(list), CLADE_E_ARG,
                  "inserting at the front is for unordered lists");
    CLADE_TRY(apply(list, INSERT_FRONT, clade_no_array(), values, clade_no_array(), statuses,
                    clade_no_array(), count, launch));
fail:
    return status;
}
