/* SPDX-License-Identifier: Apache-2.0 */
/* The array list on the host; cl/kernels/arraylist.cl has the kernels. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/borrow.h"
#include "base/error.h"
#include "clade/arraylist.h"
#include "device/context.h"
#include "device/queue.h"
#include "kma/kma.h"
#include "object/call.h"

enum arraylist_kernel { RESERVE, WRITE, READ, KERNELS };

struct clade_arraylist {
    struct cladei_object object;
    clade_arraylist_params params; /* `kma` is set in any case */
    clade_kma *own;                /* the allocator, if it is the list's; else params.kma is held */
    clade_arraylist_head layout;
    cl_kernel kernels[KERNELS];
    size_t group;
    bool is_filled; /* the words of the buffer are initialised */
};

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    (void)item;
    return cladei_fail(
        error, "an append was refused: the capacity is %u, or there is no block for a segment",
        ((const clade_arraylist *)object)->layout.capacity);
}

static const char *const kernel_names[KERNELS] = { "clade_arraylist_reserve",
                                                   "clade_arraylist_write",
                                                   "clade_arraylist_read" };
static const struct cladei_kind kind = {
    CLADE_ARRAYLIST_KIND, "the list", { "kernels/arraylist.cl", kernel_names, KERNELS }, refused
};
/* What reserves asks the allocator; the others do not. */
static const size_t part_ends[] = { WRITE, KERNELS };

/* --- create and destroy ---------------------------------------------------------------------- */

static clade_status check_params(const clade_arraylist_params *params, const clade_context *context)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(params->capacity >= 1 && params->capacity <= CLADE_ARRAYLIST_CAPACITY_MAX,
                  CLADE_E_ARG, "capacity is %" PRIu64 "; it goes from 1 to %u", params->capacity,
                  CLADE_ARRAYLIST_CAPACITY_MAX);
    CLADE_REQUIRE(params->element_bytes >= 4 && params->element_bytes % 4 == 0 &&
                      params->element_bytes <= CLADE_ARRAYLIST_ELEMENT_MAX,
                  CLADE_E_ARG, "element_bytes is %u; it goes from 4 to %u, a multiple of 4",
                  params->element_bytes, CLADE_ARRAYLIST_ELEMENT_MAX);
    CLADE_REQUIRE(params->first <= CLADE_ARRAYLIST_CAPACITY_MAX, CLADE_E_ARG,
                  "the first segment has %u elements; the most is %u", params->first,
                  CLADE_ARRAYLIST_CAPACITY_MAX);
    CLADE_REQUIRE(!params->kma || params->kma->object.context == context, CLADE_E_ARG,
                  "the allocator is of another context");
fail:
    return status;
}

/* Bytes of all segments that `capacity` elements need, each in whole pages, and of the last once
 * more: the others part the runs of pages. Without it lists of large elements were refused their
 * last segment. */
static uint64_t bytes_of_segments(const clade_arraylist_head *layout)
{
    uint64_t bytes = 0, last = 0;
    for (uint32_t i = 0; clade_arraylist_first(layout->shift, i) < layout->capacity; i++) {
        last = (uint64_t)clade_arraylist_elements(layout->shift, i) * layout->words * 4;
        bytes += last + CLADE_KMA_PAGE_BYTES;
    }
    return bytes + last;
}

static clade_status make(clade_arraylist *list, clade_context *context)
{
    clade_status status = CLADE_OK;
    clade_arraylist_head *layout = &list->layout;
    const uint32_t first = list->params.first ? list->params.first : 1024;
    layout->words = list->params.element_bytes / 4;
    layout->capacity = (uint32_t)list->params.capacity;
    while ((uint64_t)1 << layout->shift < first)
        layout->shift++;
    if (!list->params.kma) {
        const uint64_t bytes = bytes_of_segments(layout);
        CLADE_TRY(clade_kma_create(
            &list->own, context,
            &(clade_kma_params) { .bytes = bytes + bytes / 16 + ((uint64_t)2 << 20),
                                  .bare = 1 })); /* few blocks, and large ones */
        list->params.kma = list->own;
        cladei_hold(&list->own->borrowers);
    }
    CLADE_TRY(cladei_object_create(&list->object, context, CLADE_ARRAYLIST_KIND,
                                   CLADE_ARRAYLIST_SHAPE, sizeof *layout, "the array list"));
    CLADE_TRY(cladei_object_write_own(&list->object, layout, sizeof *layout));
    list->is_filled = true;
    list->group = context->caps.group_size_max < 64 ? context->caps.group_size_max : 64;
fail:
    return status;
}

clade_status clade_arraylist_create(clade_arraylist **out, clade_context *context,
                                    const clade_arraylist_params *params)
{
    clade_status status = CLADE_OK;
    clade_arraylist *list = NULL;
    CLADEI_CREATION(out, context, params, clade_arraylist_params, kind.name);
    CLADE_TRY(check_params(params, context));
    list = calloc(1, sizeof *list);
    CLADE_NO_MEMORY(list);
    list->params = *params;
    if (params->kma)
        cladei_hold(&params->kma->borrowers);
    CLADE_TRY(make(list, context));
    *out = list;
    return CLADE_OK;

fail:
    clade_arraylist_destroy(&list);
    return status;
}

void clade_arraylist_destroy(clade_arraylist **list)
{
    if (!list || !*list)
        return;
    clade_arraylist *it = *list;
    clade_arraylist_head head;
    clade_status freed = CLADE_OK;
    if (it->object.mem) {
        cladei_queue_settle(it->object.context, it->object.context->queue);
        /* A borrowed allocator gets its blocks back; if the device is lost they are lost with it.
         */
        if (!it->own && it->is_filled &&
            cladei_object_read(&it->object, 0, &head, sizeof head) == CLADE_OK) {
            for (uint32_t i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++)
                if (head.segments[i] == CLADE_ARRAYLIST_MAKING)
                    head.segments[i] = CLADE_NIL; /* of a launch that was cut off: no block */
            freed = clade_kma_free(it->params.kma, clade_host(head.segments),
                                   CLADE_ARRAYLIST_SEGMENTS, NULL);
        }
    }
    (void)freed;
    cladei_object_close(&it->object, NULL, it->kernels, KERNELS);
    clade_kma_destroy(&it->own);
    clade_kma_destroy(&it->params.kma);
    free(it);
    *list = NULL;
}

cl_mem clade_arraylist_mem(const clade_arraylist *list)
{
    return list ? list->object.mem : NULL;
}

clade_kma *clade_arraylist_kma(const clade_arraylist *list)
{
    return list ? list->params.kma : NULL;
}

const char *clade_arraylist_options(const clade_arraylist *list)
{
    return list ? clade_kma_options(list->params.kma) : NULL;
}

/* --- calls ------------------------------------------------------------------------------------ */

static clade_status need(clade_arraylist *list, enum arraylist_kernel kernel)
{
    return cladei_kernels_need(list->kernels, &kind.kernels, part_ends, list->object.context,
                               cladei_kma_own_options(list->params.kma), kernel);
}

/* One item a word. */
static clade_status launch_append(clade_arraylist *list, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    cl_mem kma = clade_kma_mem(list->params.kma);
    const cl_uint items = (cl_uint)call->count;
    const cl_ulong words = call->count * list->layout.words;
    CLADE_TRY(need(list, RESERVE));
    CLADE_TRY(need(list, WRITE));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[RESERVE], CLADEI_ARG(list->object.mem), CLADEI_ARG(kma),
                              CLADEI_ARG(items)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[RESERVE], 1, 1));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[WRITE], CLADEI_ARG(list->object.mem), CLADEI_ARG(kma),
                              CLADEI_ROW(call, 0), CLADEI_ARG(words)));
    CLADE_TRY(cladei_run_items(&call->run, list->kernels[WRITE], words, list->group));
fail:
    return status;
}

clade_status clade_arraylist_append(clade_arraylist *list, clade_array elements, uint64_t count,
                                    const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = {
        .count = count,
        .most = CLADE_ARRAYLIST_CAPACITY_MAX,
        .tells = true,
        .rows = { { "elements", elements, 4, .need = "of elements",
                    .count = list ? count * list->layout.words : 0 } },
    };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_call_open(&call, &kind, &list->object, launch));
    if (count > 0)
        CLADE_TRY(launch_append(list, &call));
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_arraylist_size(clade_arraylist *list, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_arraylist_head head;
    CLADE_REQUIRE(list && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kind_told(&kind, &list->object, NULL));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    *size = head.size;
fail:
    return status;
}

static uint32_t segment_of(uint32_t shift, uint64_t at)
{
    uint32_t i = 0;
    while (i + 1 < CLADE_ARRAYLIST_SEGMENTS && clade_arraylist_first(shift, i + 1) <= at)
        i++;
    return i;
}

/* Where `bytes` of a segment lie in the allocator, from `at` on. Kernels of users' may have written
 * over the list's words. */
static clade_status find_bytes(const clade_arraylist *list, const clade_arraylist_head *head,
                               uint32_t segment, uint64_t at, uint64_t bytes, size_t *place)
{
    clade_status status = CLADE_OK;
    const clade_ref ref = head->segments[segment];
    const uint64_t end = list->params.kma->object.bytes;
    CLADE_REQUIRE(ref != CLADE_NIL && ref != CLADE_ARRAYLIST_MAKING, CLADE_E_CORRUPT,
                  "segment %u of a list of %u elements is not there", segment, head->size);
    at += (ref - (uint64_t)1) * CLADE_KMA_UNIT_BYTES;
    CLADE_REQUIRE(at <= end && bytes <= end - at, CLADE_E_CORRUPT,
                  "segment %u of a list lies beyond the end of its allocator", segment);
    *place = (size_t)at;
fail:
    return status;
}

/* Elements lie together in each segment. */
static clade_status copy_out(clade_arraylist *list, struct cladei_call *call,
                             const clade_arraylist_head *head, uint64_t first)
{
    clade_status status = CLADE_OK;
    const struct cladei_view *to = &call->rows[0].view;
    const uint32_t shift = list->layout.shift;
    const uint64_t end = first + call->count, bytes = list->layout.words * 4;
    CLADE_TRY(cladei_run_start(&call->run));
    for (uint64_t at = first, here; at < end; at += here) {
        const uint32_t i = segment_of(shift, at);
        const uint64_t begin = clade_arraylist_first(shift, i);
        const uint64_t room = begin + clade_arraylist_elements(shift, i) - at;
        size_t from = 0;
        here = end - at < room ? end - at : room;
        CLADE_TRY(find_bytes(list, head, i, (at - begin) * bytes, here * bytes, &from));
        CLADE_CL(clEnqueueCopyBuffer(call->run.queue, clade_kma_mem(list->params.kma), to->mem,
                                     from, (size_t)(to->first * 4 + (at - first) * bytes),
                                     (size_t)(here * bytes), 0, NULL, NULL));
    }
fail:
    return status;
}

static clade_status segments_are_there(const clade_arraylist *list,
                                       const clade_arraylist_head *head, uint32_t from, uint32_t to)
{
    clade_status status = CLADE_OK;
    size_t place;
    for (uint32_t i = from; i <= to; i++)
        CLADE_TRY(find_bytes(list, head, i, 0,
                             (uint64_t)clade_arraylist_elements(list->layout.shift, i) *
                                 list->layout.words * 4,
                             &place));
fail:
    return status;
}

static clade_status launch_read(clade_arraylist *list, struct cladei_call *call, uint64_t first)
{
    clade_status status = CLADE_OK;
    cl_mem kma = clade_kma_mem(list->params.kma);
    const cl_uint from = (cl_uint)first;
    const cl_ulong words = call->count * list->layout.words;
    CLADE_TRY(need(list, READ));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[READ], CLADEI_ARG(list->object.mem), CLADEI_ARG(kma),
                              CLADEI_ARG(from), CLADEI_ROW(call, 0), CLADEI_ARG(words)));
    CLADE_TRY(cladei_run_items(&call->run, list->kernels[READ], words, list->group));
fail:
    return status;
}

/* What lies in few segments is copied, and no kernel is compiled for it. Each copy is a command: on
 * an H200 those of 2^20 elements took .14 ms, and the kernel takes .045. */
static clade_status read_out(clade_arraylist *list, struct cladei_call *call,
                             const clade_arraylist_head *head, uint64_t first)
{
    enum { COPIES_MOST = 4 };
    clade_status status = CLADE_OK;
    if (call->count == 0)
        return CLADE_OK;
    const uint32_t from = segment_of(list->layout.shift, first);
    const uint32_t to = segment_of(list->layout.shift, first + call->count - 1);
    if (to - from < COPIES_MOST)
        return copy_out(list, call, head, first);
    CLADE_TRY(segments_are_there(list, head, from, to));
    CLADE_TRY(launch_read(list, call, first));
fail:
    return status;
}

clade_status clade_arraylist_read(clade_arraylist *list, uint64_t first, clade_array elements,
                                  uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    clade_arraylist_head head;
    const cl_ulong words = list ? count * list->layout.words : 0;
    struct cladei_call call = {
        .count = count,
        .rows = { { "elements", elements, 4, CLADEI_OUT, .need = "for the elements",
                    .count = words } },
    };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(count <= list->params.capacity, CLADE_E_ARG,
                  "%" PRIu64 " elements are more than the capacity of %u", count,
                  list->layout.capacity);
    CLADE_TRY(cladei_call_open(&call, &kind, &list->object, launch));
    CLADE_TRY(cladei_run_read(&call.run, &list->object, 0, &head, sizeof head));
    CLADE_REQUIRE(head.size <= list->layout.capacity, CLADE_E_CORRUPT, "I1: %u elements of %u",
                  head.size, list->layout.capacity);
    CLADE_REQUIRE(first <= head.size && count <= head.size - first, CLADE_E_ARG,
                  "elements %" PRIu64 " to %" PRIu64 " of %u", first, first + count, head.size);
    CLADE_TRY(read_out(list, &call, &head, first));
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_arraylist_clear(clade_arraylist *list, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    const cl_uint zero = 0;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch));
    run.blocking = !launch;
    CLADE_TRY(cladei_run_write(&run, &list->object, offsetof(clade_arraylist_head, size), &zero,
                               sizeof zero));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_arraylist_check(clade_arraylist *list)
{
    clade_status status = CLADE_OK;
    clade_arraylist_head head;
    uint32_t refs[CLADE_ARRAYLIST_SEGMENTS], there = 0;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(clade_finish(list->object.context));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    CLADE_REQUIRE(head.size <= head.capacity && head.capacity == list->layout.capacity &&
                      head.shift == list->layout.shift && head.words == list->layout.words,
                  CLADE_E_CORRUPT, "I1: %u elements of %u", head.size, head.capacity);
    for (uint32_t i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++) {
        const bool needed =
            i + head.shift <= 32 && clade_arraylist_first(head.shift, i) < head.size;
        CLADE_REQUIRE(!needed || head.segments[i] != 0, CLADE_E_CORRUPT,
                      "I1: segment %u of a list of %u elements is not there", i, head.size);
        CLADE_REQUIRE(head.segments[i] != CLADE_ARRAYLIST_MAKING, CLADE_E_CORRUPT,
                      "I1: segment %u was left in the making", i);
        if (head.segments[i] != 0)
            refs[there++] = head.segments[i];
    }
    if (list->own)
        CLADE_TRY(clade_kma_check(list->own, refs, there));
fail:
    return status;
}
