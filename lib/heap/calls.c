/* SPDX-License-Identifier: Apache-2.0 */
/* Insert and pop over whole arrays; cl/kernels/heap.cl has the kernels. */
#include <inttypes.h>

#include "base/error.h"
#include "clade/shared/heap_sorted.h"
#include "device/context.h"
#include "heap/heap.h"

static struct cladei_call call_of(const clade_heap *heap, clade_array keys, clade_array values,
                                  uint64_t count, clade_array got, enum cladei_direction direction)
{
    const clade_heap_params *p = &heap->params;
    const char *need_values = p->value == CLADE_NONE ? NULL : "of values";
    return (struct cladei_call) {
        .count = count,
        .rows = { [HEAP_ROW_KEYS] = { "keys", keys, CLADE_TYPE_BYTES(p->key), direction,
                                      .need = "of keys" },
                  [HEAP_ROW_VALUES] = { "values", values, CLADE_TYPE_BYTES(p->value), direction,
                                        .need = need_values },
                  [HEAP_ROW_GOT] = { "got", got, sizeof(uint64_t), CLADEI_OUT, .count = 1 } },
    };
}

/* How many keys there were before the call. It is known when the call blocks. */
struct before {
    bool known;
    uint64_t size;
    clade_heap_head head;
};

/* What earlier calls left undone is done. What they left to tell is told, if this one blocks. */
static clade_status open(struct cladei_call *call, clade_heap *heap, const clade_launch *launch,
                         struct before *before)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(!cladei_is_given(call->rows[HEAP_ROW_VALUES].array) ||
                      heap->params.value != CLADE_NONE,
                  CLADE_E_ARG, "values are given, but the heap has none");
    CLADE_TRY(cladei_call_open(call, &cladei_heap_kind, &heap->object, launch));
    CLADE_TRY(cladei_heap_mend(heap, &call->run));
    before->known = call->run.blocking;
    if (!before->known)
        return CLADE_OK;
    CLADE_TRY(cladei_heap_settle(heap, &call->run, &before->head));
    before->size = cladei_heap_size_of(&before->head, heap->params.batch);
fail:
    return status;
}

/* What the call itself left is told, if it blocks. */
static clade_status finish(struct cladei_call *call, clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    CLADE_TRY(cladei_call_read(call));
    if (call->run.blocking)
        CLADE_TRY(cladei_heap_settle(heap, &call->run, &head));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

/* Whether calls over many keys at once may do this one. The device has the last word: here a call
 * that is known to be none of theirs does not wait for their compiler. */
static bool may_be_bulk(const clade_heap *heap, const struct before *before, bool is_pop,
                        uint64_t count)
{
    const bool sorted = heap->sorted.least > 0;
    const uint64_t least = !sorted  ? heap->bulk.least
                           : is_pop ? heap->sorted.least
                                    : heap->sorted.insert_least;
    if (least == 0 || !before->known)
        return least > 0 && count >= least;
    if (!is_pop)
        return count >= least && (sorted || before->size == 0);
    return before->size >= least &&
           count >= (sorted ? before->size / CLADE_SORTED_PART_LEAST : least);
}

static clade_status bulk_prepare(clade_heap *heap, bool is_pop)
{
    return heap->sorted.least ? cladei_sorted_prepare(heap) : cladei_bulk_prepare(heap, is_pop);
}

static clade_status bulk_call(clade_heap *heap, struct cladei_call *call, bool is_pop,
                              struct cladei_sorted_keys *sorted)
{
    if (heap->sorted.least)
        return cladei_sorted_call(heap, call, is_pop, sorted);
    return (is_pop ? cladei_bulk_pop : cladei_bulk_insert)(heap, call);
}

/* Whether keys may be none: these are looked for before any is taken in. */
static bool needs_scan(const clade_heap *heap, bool is_pop)
{
    return !is_pop && CLADE_TYPE_IS_FLOAT(heap->params.key);
}

static clade_status scan(clade_heap *heap, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    const cl_kernel kernel = heap->kernels[HEAP_SCAN];
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(heap->object.mem), CLADEI_ROW(call, HEAP_ROW_KEYS),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, kernel, cladei_heap_scan_groups(heap, call->count),
                                heap->params.group_size));
fail:
    return status;
}

/* The one kernel of all steps. A buffer that it does not look at is the heap's. */
static clade_status set_step(clade_heap *heap, struct cladei_call *call,
                             const struct cladei_sorted_keys *sorted, cl_uint step)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = heap->object.mem, plan = sorted->plan ? sorted->plan : mem;
    cl_mem keys[2], values[2];
    for (int i = 0; i < 2; i++) {
        keys[i] = sorted->keys[i] ? sorted->keys[i] : mem;
        values[i] = sorted->values[i] ? sorted->values[i] : mem;
    }
    CLADE_TRY(CLADEI_SET_ARGS(heap->kernels[HEAP_STEP], CLADEI_ARG(mem),
                              CLADEI_ROW(call, HEAP_ROW_KEYS), CLADEI_ROW(call, HEAP_ROW_VALUES),
                              CLADEI_ARG(call->count), CLADEI_ROW(call, HEAP_ROW_GOT),
                              CLADEI_ARG(step), CLADEI_ARG(plan), CLADEI_ARG(keys[0]),
                              CLADEI_ARG(values[0]), CLADEI_ARG(keys[1]), CLADEI_ARG(values[1])));
fail:
    return status;
}

/* The kernel of one of these steps, with its arguments. */
static clade_status choose_kernel(clade_heap *heap, struct cladei_call *call,
                                  const struct cladei_sorted_keys *sorted, cl_uint step,
                                  cl_kernel *kernel)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = heap->object.mem;
    const cl_uint is_pop = (step & CLADE_HEAP_STEP_POP) != 0;
    const cl_ulong coming = is_pop ? 0 : call->count;
    if (cladei_heap_steps(heap)) {
        *kernel = heap->kernels[HEAP_STEP];
        CLADE_TRY(set_step(heap, call, sorted, step));
    } else if ((step & CLADE_HEAP_STEP_OPEN) != 0) {
        *kernel = heap->kernels[HEAP_BEGIN];
        CLADE_TRY(CLADEI_SET_ARGS(*kernel, CLADEI_ARG(mem), CLADEI_ARG(coming)));
    } else if ((step & CLADE_HEAP_STEP_CLOSE) != 0) {
        *kernel = heap->kernels[HEAP_END];
        CLADE_TRY(CLADEI_SET_ARGS(*kernel, CLADEI_ARG(mem), CLADEI_ROW(call, HEAP_ROW_GOT),
                                  CLADEI_ARG(is_pop)));
    } else {
        *kernel = heap->kernels[is_pop ? HEAP_POP : HEAP_INSERT];
        CLADE_TRY(CLADEI_SET_ARGS(*kernel, CLADEI_ARG(mem), CLADEI_ROW(call, HEAP_ROW_KEYS),
                                  CLADEI_ROW(call, HEAP_ROW_VALUES), CLADEI_ARG(call->count)));
    }
fail:
    return status;
}

/* One item opens a call, or closes it. HEAP_STEP has the size of its groups; others ignore them. */
static clade_status launch_end(clade_heap *heap, struct cladei_call *call, cl_uint step)
{
    clade_status status = CLADE_OK;
    const struct cladei_sorted_keys none = { 0 };
    cl_kernel kernel;
    CLADE_TRY(choose_kernel(heap, call, &none, step, &kernel));
    CLADE_TRY(cladei_run_kernel(&call->run, kernel, 1,
                                cladei_heap_steps(heap) ? heap->params.group_size : 1));
fail:
    return status;
}

/* Groups that do a call's batches, of `most` at most. */
static size_t groups_of(const clade_heap *heap, const struct cladei_call *call, size_t most)
{
    const uint64_t batches = call->count / heap->params.batch + 1;
    return batches < most ? (size_t)batches : most;
}

/* Whether one group does all of a call's batches in one launch. Then the same launch may open the
 * call before and close it after: each launch takes as long as a thousand keys. */
static bool is_one_launch(const clade_heap *heap, size_t groups)
{
    return groups == 1 && cladei_heap_steps(heap) && !heap->object.context->caps.loop_limit;
}

/* The engine's own kernel over all batches, in as many launches as the driver's loops ask for. */
static clade_status launch_batches(clade_heap *heap, struct cladei_call *call,
                                   const struct cladei_sorted_keys *sorted, size_t groups,
                                   cl_uint step)
{
    clade_status status = CLADE_OK;
    const uint64_t batches = call->count / heap->params.batch + 1;
    const uint32_t loop_limit = heap->object.context->caps.loop_limit;
    cl_kernel kernel;
    CLADE_TRY(choose_kernel(heap, call, sorted, step, &kernel));
    for (uint64_t left = batches, done = 0; left > 0; left -= done) {
        CLADE_TRY(cladei_run_kernel(&call->run, kernel, groups, heap->params.group_size));
        done = loop_limit ? groups * cladei_heap_short_rounds(&heap->params, loop_limit) : left;
        done = done < left ? done : left;
    }
fail:
    return status;
}

/* What is done before a call's batches by other launches than theirs. `sorted` receives keys in
 * order, where there are any. */
static clade_status launch_before(clade_heap *heap, struct cladei_call *call, bool is_pop,
                                  bool bulk, struct cladei_sorted_keys *sorted)
{
    clade_status status = CLADE_OK;
    const bool opens = bulk && !is_pop && cladei_sorted_opens(heap, call->count);
    if (opens)
        CLADE_TRY(bulk_call(heap, call, is_pop, sorted));
    if (sorted->plan)
        return CLADE_OK;
    CLADE_TRY(launch_end(heap, call, CLADE_HEAP_STEP_OPEN | (is_pop ? CLADE_HEAP_STEP_POP : 0)));
    if (call->count > 0 && needs_scan(heap, is_pop))
        CLADE_TRY(scan(heap, call));
    if (bulk && !opens)
        CLADE_TRY(bulk_call(heap, call, is_pop, sorted));
fail:
    return status;
}

/* All of a call; `bulk`: kernels over many keys at once come first. */
static clade_status launch_steps(clade_heap *heap, struct cladei_call *call, bool is_pop, bool bulk)
{
    clade_status status = CLADE_OK;
    const cl_uint pop = is_pop ? CLADE_HEAP_STEP_POP : 0;
    struct cladei_sorted_keys sorted = { 0 };
    size_t groups = groups_of(heap, call, heap->params.groups);
    cl_uint step = CLADE_HEAP_STEP_WORK | pop;
    if (!bulk && !needs_scan(heap, is_pop) && is_one_launch(heap, groups))
        step |= CLADE_HEAP_STEP_OPEN;
    else
        CLADE_TRY(launch_before(heap, call, is_pop, bulk, &sorted));
    if (sorted.plan) {
        /* Batches in order do little but walk, and each walk begins at the root: a second group
         * would wait for the first one's locks all the time. */
        groups = 1;
        step |= CLADE_HEAP_STEP_SORTED;
    }
    if (is_one_launch(heap, groups))
        step |= CLADE_HEAP_STEP_CLOSE;
    if (call->count > 0 || (step & CLADE_HEAP_STEP_CLOSE) != 0)
        CLADE_TRY(launch_batches(heap, call, &sorted, groups, step));
    if ((step & CLADE_HEAP_STEP_CLOSE) == 0)
        CLADE_TRY(launch_end(heap, call, CLADE_HEAP_STEP_CLOSE | pop));
fail:
    cladei_sorted_release(&sorted); /* the driver keeps them until they are inserted */
    return status;
}

static clade_status launch_all(clade_heap *heap, struct cladei_call *call,
                               const struct before *before, bool is_pop)
{
    clade_status status = CLADE_OK;
    const bool bulk = call->count > 0 && may_be_bulk(heap, before, is_pop, call->count);
    if (bulk)
        CLADE_TRY(bulk_prepare(heap, is_pop));
    CLADE_TRY(cladei_heap_need(heap, HEAP_BEGIN));
    if (call->count > 0)
        CLADE_TRY(cladei_heap_need(heap, is_pop ? HEAP_POP : HEAP_INSERT));
    CLADE_TRY(launch_steps(heap, call, is_pop, bulk));
fail:
    return status;
}

clade_status clade_heap_insert(clade_heap *heap, clade_array keys, clade_array values,
                               uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = { 0 };
    struct before before;
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    CLADE_TRY(cladei_heap_require_one(heap));
    CLADE_REQUIRE(count <= heap->params.capacity, CLADE_E_FULL,
                  "%" PRIu64 " keys do not fit: the heap holds at most %" PRIu64, count,
                  heap->params.capacity);
    call = call_of(heap, keys, values, count, (clade_array) { 0 }, CLADEI_IN);
    CLADE_TRY(open(&call, heap, launch, &before));
    if (count > 0 && before.known && cladei_few_suit(heap, &call, &before.head))
        CLADE_TRY(cladei_few_insert(heap, &call, &before.head));
    else if (count > 0)
        CLADE_TRY(launch_all(heap, &call, &before, false));
    CLADE_TRY(finish(&call, heap));
fail:
    cladei_call_close(&call);
    return status;
}

/* Host arrays get the keys that there are, and nothing more. */
static clade_status trim(struct cladei_call *call, const clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    struct cladei_row *keys = &call->rows[HEAP_ROW_KEYS], *values = &call->rows[HEAP_ROW_VALUES];
    if (!keys->view.host && !values->view.host)
        return CLADE_OK;
    CLADE_TRY(cladei_run_read(&call->run, &heap->object, 0, &head, sizeof head));
    const uint64_t got = ((uint64_t)head.popped[1] << 32 | head.popped[0]) -
                         ((uint64_t)head.base[1] << 32 | head.base[0]);
    keys->view.bytes = (size_t)got * keys->bytes;
    values->view.bytes = (size_t)got * values->bytes;
fail:
    return status;
}

clade_status clade_heap_pop(clade_heap *heap, clade_array keys, clade_array values, uint64_t count,
                            clade_array got, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = { 0 };
    struct before before;
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    CLADE_TRY(cladei_heap_require_one(heap));
    CLADE_REQUIRE(cladei_is_given(got), CLADE_E_ARG, "there is no place for the number got");
    /* More than it can hold cannot come; room for more is not asked for. */
    if (count > heap->params.capacity)
        count = heap->params.capacity;
    call = call_of(heap, keys, values, count, got, CLADEI_OUT);
    CLADE_TRY(open(&call, heap, launch, &before));
    if (before.known && cladei_few_suit_pop(heap, &call, &before.head)) {
        CLADE_TRY(cladei_few_pop(heap, &call, &before.head));
    } else {
        CLADE_TRY(launch_all(heap, &call, &before, true));
        CLADE_TRY(trim(&call, heap));
    }
    CLADE_TRY(finish(&call, heap));
fail:
    cladei_call_close(&call);
    return status;
}
