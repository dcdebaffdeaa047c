/* SPDX-License-Identifier: Apache-2.0 */
/* The list's calls over whole arrays; cl/kernels/list.cl has the kernels. */
#include <inttypes.h>

#include "base/error.h"
#include "list/list.h"
#include "object/launch.h"
#include "object/object.h"

/* --- what earlier calls left ----------------------------------------------------------------- */

clade_status cladei_list_read_head(clade_list *list, clade_list_head *head)
{
    return cladei_object_read(&list->object, 0, head, sizeof *head);
}

clade_status cladei_list_take_error(clade_list *list, struct cladei_run *run_or_null)
{
    clade_status status = CLADE_OK, error;
    clade_u32 item;
    CLADE_TRY(cladei_object_take_error(&list->object, run_or_null, &error, &item));
    CLADE_REQUIRE(error != CLADE_E_FULL, error,
                  "no cell%s was free for item %u: the capacity is %u",
                  cladei_list_is_in_kma(list) ? " or no block" : "", item, list->layout.capacity);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "item %u asks for no operation of this list", item);
    CLADE_REQUIRE(error == CLADE_OK, error, "item %u was refused: %s", item,
                  clade_status_name(error));
fail:
    return status;
}

/* --- calls over arrays ----------------------------------------------------------------------- */

/* Arguments of one call, opened. A view that is not given is stood in for by the list's buffer,
 * which the kernel then does not touch. */
struct call {
    struct cladei_run run;
    struct cladei_view ops, keys, operands, statuses, collisions;
    cl_uint op, given;
    cl_ulong count;
    bool changes; /* some operation may change the list */
};

static void call_close(struct call *call)
{
    cladei_view_close(&call->collisions);
    cladei_view_close(&call->statuses);
    cladei_view_close(&call->operands);
    cladei_view_close(&call->keys);
    cladei_view_close(&call->ops);
}

/* Values of an ordered list go in and come out: a copy of a host array is read back as well. */
static clade_status open_operands(struct call *call, clade_list *list, clade_array operands)
{
    clade_status status = CLADE_OK;
    const bool is_ordered = cladei_list_is_ordered(list);
    const size_t bytes = CLADE_TYPE_BYTES(is_ordered ? list->params.value : list->params.key);
    const bool comes_out = call->op != CLADE_LIST_INSERT && call->op != CLADE_LIST_PUT;
    if (!cladei_is_given(operands))
        return CLADE_OK;
    CLADE_REQUIRE(bytes > 0, CLADE_E_ARG, "values are given, but the list has none");
    CLADE_TRY(cladei_view_open(&call->operands, &call->run, operands, call->count, bytes, CLADEI_IN,
                               is_ordered ? "values" : "targets"));
    if (is_ordered && comes_out)
        call->operands.host = operands.host;
    call->given |= 2u;
fail:
    return status;
}

static clade_status call_open(struct call *call, clade_list *list, clade_array ops,
                              clade_array keys, clade_array operands, clade_array statuses,
                              clade_array collisions, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(cladei_is_given(keys) || call->count == 0, CLADE_E_ARG, "there is no array of %s",
                  cladei_list_is_ordered(list) ? "keys" : "values");
    CLADE_REQUIRE(call->count <= UINT32_MAX, CLADE_E_ARG,
                  "the count is %" PRIu64 "; the most is %u", (uint64_t)call->count, UINT32_MAX);
    CLADE_TRY(cladei_run_begin(&call->run, list->object.context, launch));
    CLADE_TRY(cladei_view_open(&call->keys, &call->run, keys, call->count,
                               CLADE_TYPE_BYTES(list->params.key), CLADEI_IN, "keys"));
    if (cladei_is_given(ops)) {
        CLADE_TRY(cladei_view_open(&call->ops, &call->run, ops, call->count, sizeof(cl_uint),
                                   CLADEI_IN, "ops"));
        call->given |= 1u;
    }
    CLADE_TRY(open_operands(call, list, operands));
    if (cladei_is_given(statuses)) {
        CLADE_TRY(cladei_view_open(&call->statuses, &call->run, statuses, call->count,
                                   sizeof(cl_int), CLADEI_OUT, "statuses"));
        call->given |= 4u;
    }
    if (cladei_is_given(collisions)) {
        CLADE_TRY(cladei_view_open(&call->collisions, &call->run, collisions, call->count,
                                   sizeof(cl_uint), CLADEI_OUT, "collisions"));
        call->given |= 8u;
    }
    /* A blocking call tells its own errors, so those of earlier calls must be told before. */
    if (call->run.blocking)
        CLADE_TRY(cladei_list_take_error(list, &call->run));
fail:
    return status;
}

/* One launch over every `stride`-th operation, or over those of them that the round before, of
 * ROUND_FACTOR times the stride, left. */
static clade_status launch_round(struct call *call, clade_list *list, cl_ulong stride,
                                 cl_uint is_rest)
{
    clade_status status = CLADE_OK;
    cl_mem mem = list->object.mem, keys = call->keys.mem, kma = cladei_list_kma_mem(list);
    cl_mem ops = call->ops.mem ? call->ops.mem : mem;
    cl_mem operands = call->operands.mem ? call->operands.mem : mem;
    cl_mem statuses = call->statuses.mem ? call->statuses.mem : mem;
    cl_mem collisions = call->collisions.mem ? call->collisions.mem : mem;
    const size_t group = list->params.group_size;
    uint64_t items = (call->count + stride - 1) / stride;
    if (is_rest)
        items -= (call->count + stride * CLADE_LIST_ROUND_FACTOR - 1) /
                 (stride * CLADE_LIST_ROUND_FACTOR);
    if (items == 0)
        return CLADE_OK;
    if (call->changes)
        CLADE_TRY(cladei_list_make_room(list, &call->run, items));
    CLADE_TRY(CLADEI_SET_ARGS(
        list->kernels[LIST_APPLY], CLADEI_ARG(mem), CLADEI_ARG(kma), CLADEI_ARG(call->op),
        CLADEI_ARG(call->given), CLADEI_ARG(ops), CLADEI_ARG(call->ops.first), CLADEI_ARG(keys),
        CLADEI_ARG(call->keys.first), CLADEI_ARG(operands), CLADEI_ARG(call->operands.first),
        CLADEI_ARG(statuses), CLADEI_ARG(call->statuses.first), CLADEI_ARG(collisions),
        CLADEI_ARG(call->collisions.first), CLADEI_ARG(call->count), CLADEI_ARG(stride),
        CLADEI_ARG(is_rest)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[LIST_APPLY],
                                (size_t)((items + group - 1) / group), group));
fail:
    return status;
}

/* Shortcuts made before a launch do not know what it inserts, and each insert walks past what
 * others inserted in the same place: ascending keys would all walk past each other. So a large
 * call goes in rounds, each ROUND_FACTOR times as large as the one before and spread evenly over
 * the array, with the shortcuts made anew in between: the places of the few divide those of the
 * many. The first, which may all go to one place, is small; smallest where there is no shortcut. */
enum { FIRST_ROUND = 4096, FIRST_ROUND_OF_EMPTY = 512 };

static clade_status launch_rounds(struct call *call, clade_list *list)
{
    clade_status status = CLADE_OK;
    cl_ulong stride = 1;
    const uint64_t first = list->live_most < FIRST_ROUND ? FIRST_ROUND_OF_EMPTY : FIRST_ROUND;
    if (call->changes && cladei_list_is_ordered(list) && list->layout.index_size > 0)
        while (call->count / stride > first)
            stride *= CLADE_LIST_ROUND_FACTOR;
    CLADE_TRY(launch_round(call, list, stride, 0));
    while (stride > 1) {
        stride /= CLADE_LIST_ROUND_FACTOR;
        CLADE_TRY(cladei_list_reclaim(list, &call->run));
        CLADE_TRY(launch_round(call, list, stride, 1));
    }
fail:
    return status;
}

/* What is known for sure spares the next calls reclaiming: `live` is from at the last reclaim. */
static clade_status learn(clade_list *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_list_head head;
    CLADE_TRY(cladei_run_read(run, &list->object, 0, &head, sizeof head));
    const uint64_t most = head.live + list->changes;
    if (list->live_most > most)
        list->live_most = most;
fail:
    return status;
}

static clade_status call_finish(struct call *call, clade_list *list)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_view_finish(&call->operands, &call->run));
    CLADE_TRY(cladei_view_finish(&call->statuses, &call->run));
    CLADE_TRY(cladei_view_finish(&call->collisions, &call->run));
    if (call->run.blocking && !(call->given & 4u))
        CLADE_TRY(cladei_list_take_error(list, &call->run));
    if (call->run.blocking)
        CLADE_TRY(learn(list, &call->run));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

static clade_status apply(clade_list *list, cl_uint op, clade_array ops, clade_array keys,
                          clade_array operands, clade_array statuses, clade_array collisions,
                          uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct call call = { .op = op, .count = count };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    call.changes = cladei_is_given(ops) || (op != CLADE_LIST_CONTAINS && op != CLADE_LIST_FIND);
    CLADE_TRY(call_open(&call, list, ops, keys, operands, statuses, collisions, launch));
    CLADE_TRY(cladei_list_mend(list, &call.run));
    if (count > 0)
        CLADE_TRY(launch_rounds(&call, list));
    CLADE_TRY(call_finish(&call, list));
fail:
    call_close(&call);
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
    if (!cladei_is_given(ops) && count > 0)
        return cladei_fail(CLADE_E_ARG, "there is no array of operations");
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
    if (!cladei_is_given(targets) && count > 0)
        return cladei_fail(CLADE_E_ARG, "there is no array of targets");
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

/* --- inserting many at the front -------------------------------------------------------------- */

static clade_status launch_insert_front(struct call *call, clade_list *list)
{
    clade_status status = CLADE_OK;
    cl_mem mem = list->object.mem, keys = call->keys.mem, kma = cladei_list_kma_mem(list);
    cl_mem statuses = call->statuses.mem ? call->statuses.mem : mem;
    cl_uint has_statuses = call->given & 4u;
    const size_t group = list->params.group_size;
    const size_t groups = (size_t)((call->count + group - 1) / group);
    CLADE_TRY(cladei_list_make_room(list, &call->run, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[LIST_PUSH_FILL], CLADEI_ARG(mem), CLADEI_ARG(kma),
                              CLADEI_ARG(keys), CLADEI_ARG(call->keys.first), CLADEI_ARG(statuses),
                              CLADEI_ARG(call->statuses.first), CLADEI_ARG(has_statuses),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[LIST_PUSH_FILL], groups, group));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[LIST_PUSH_LINK], CLADEI_ARG(mem), CLADEI_ARG(kma),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[LIST_PUSH_LINK], groups, group));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[LIST_PUSH_DONE], CLADEI_ARG(mem), CLADEI_ARG(kma),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[LIST_PUSH_DONE], groups, group));
fail:
    return status;
}

clade_status clade_list_insert_front(clade_list *list, clade_array values, uint64_t count,
                                     clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct call call = { .op = CLADE_LIST_INSERT, .count = count, .changes = true };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(!cladei_list_is_ordered(list), CLADE_E_ARG,
                  "inserting at the front is for unordered lists");
    CLADE_TRY(call_open(&call, list, clade_no_array(), values, clade_no_array(), statuses,
                        clade_no_array(), launch));
    CLADE_TRY(cladei_list_mend(list, &call.run));
    if (count > 0)
        CLADE_TRY(launch_insert_front(&call, list));
    CLADE_TRY(call_finish(&call, list));
fail:
    call_close(&call);
    return status;
}
