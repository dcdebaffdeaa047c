/* SPDX-License-Identifier: Apache-2.0 */
/* The array list on the host; cl/kernels/arraylist.cl has the kernels. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/borrow.h"
#include "base/error.h"
#include "clade/arraylist.h"
#include "device/context.h"
#include "kma/kma.h"
#include "object/launch.h"
#include "object/object.h"
#include "program/program.h"
#include "base/reserved.h"

enum arraylist_kernel { RESERVE, WRITE, READ, KERNELS };

struct clade_arraylist {
    struct cladei_object object;
    clade_arraylist_params params; /* `kma` is set in any case */
    clade_kma *own;                /* the allocator, if it is the list's; else params.kma is held */
    clade_arraylist_head layout;
    clade_program *program;
    cl_kernel kernels[KERNELS];
    size_t group;
    bool is_filled; /* the words of the buffer are initialised */
};

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
    static const char *const names[KERNELS] = { "clade_arraylist_reserve", "clade_arraylist_write",
                                                "clade_arraylist_read" };
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
    }
    CLADE_TRY(cladei_object_create(&list->object, context, CLADE_ARRAYLIST_KIND,
                                   CLADE_ARRAYLIST_SHAPE, sizeof *layout, "the array list"));
    CLADE_TRY(cladei_object_write_own(&list->object, layout, sizeof *layout));
    list->is_filled = true;
    list->group = context->caps.group_size_max < 64 ? context->caps.group_size_max : 64;
    CLADE_TRY(cladei_program_build_own(&list->program, context, "kernels/arraylist.cl",
                                       clade_kma_options(list->params.kma)));
    for (size_t i = 0; i < KERNELS; i++)
        CLADE_TRY(clade_program_kernel(&list->kernels[i], list->program, names[i]));
fail:
    return status;
}

clade_status clade_arraylist_create(clade_arraylist **out, clade_context *context,
                                    const clade_arraylist_params *params)
{
    clade_status status = CLADE_OK;
    clade_arraylist *list = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the list is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_arraylist_params"));
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
        clFinish(it->object.context->queue);
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
    cladei_object_close(&it->object, &it->program, it->kernels, KERNELS);
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

static clade_status take_error(clade_arraylist *list, struct cladei_run *run_or_null)
{
    clade_status status = CLADE_OK, error;
    CLADE_TRY(cladei_object_take_error(&list->object, run_or_null, &error, NULL));
    CLADE_REQUIRE(error == CLADE_OK, error,
                  "an append was refused: the capacity is %u, or there is no block for a segment",
                  list->layout.capacity);
fail:
    return status;
}

/* One item a word, between the list and an array. */
static clade_status copy(clade_arraylist *list, struct cladei_run *run, cl_uint from,
                         const struct cladei_view *view, uint64_t count, bool is_read)
{
    clade_status status = CLADE_OK;
    cl_mem mem = list->object.mem, kma = clade_kma_mem(list->params.kma);
    const cl_ulong words = count * list->layout.words;
    const size_t groups = (size_t)((words + list->group - 1) / list->group);
    if (is_read)
        CLADE_TRY(CLADEI_SET_ARGS(list->kernels[READ], CLADEI_ARG(mem), CLADEI_ARG(kma),
                                  CLADEI_ARG(from), CLADEI_ARG(view->mem), CLADEI_ARG(view->first),
                                  CLADEI_ARG(words)));
    else
        CLADE_TRY(CLADEI_SET_ARGS(list->kernels[WRITE], CLADEI_ARG(mem), CLADEI_ARG(kma),
                                  CLADEI_ARG(view->mem), CLADEI_ARG(view->first),
                                  CLADEI_ARG(words)));
    CLADE_TRY(cladei_run_kernel(run, list->kernels[is_read ? READ : WRITE], groups, list->group));
fail:
    return status;
}

clade_status clade_arraylist_append(clade_arraylist *list, clade_array elements, uint64_t count,
                                    const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view from = { 0 };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(count == 0 || cladei_is_given(elements), CLADE_E_ARG,
                  "there is no array of elements");
    CLADE_REQUIRE(count <= CLADE_ARRAYLIST_CAPACITY_MAX, CLADE_E_ARG,
                  "the count is %" PRIu64 "; the most is %u", count, CLADE_ARRAYLIST_CAPACITY_MAX);
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch));
    CLADE_TRY(cladei_view_open(&from, &run, elements, count * list->layout.words, 4,
                               CLADEI_IN, "elements"));
    if (run.blocking)
        CLADE_TRY(take_error(list, &run));
    if (count > 0) {
        cl_mem mem = list->object.mem, kma = clade_kma_mem(list->params.kma);
        const cl_uint items = (cl_uint)count;
        CLADE_TRY(CLADEI_SET_ARGS(list->kernels[RESERVE], CLADEI_ARG(mem), CLADEI_ARG(kma),
                                  CLADEI_ARG(items)));
        CLADE_TRY(cladei_run_kernel(&run, list->kernels[RESERVE], 1, 1));
        CLADE_TRY(copy(list, &run, 0, &from, count, false));
    }
    if (run.blocking)
        CLADE_TRY(take_error(list, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&from);
    return status;
}

clade_status clade_arraylist_size(clade_arraylist *list, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_arraylist_head head;
    CLADE_REQUIRE(list && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(take_error(list, NULL));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    *size = head.size;
fail:
    return status;
}

clade_status clade_arraylist_read(clade_arraylist *list, uint64_t first, clade_array elements,
                                  uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view to = { 0 };
    clade_arraylist_head head;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(count == 0 || cladei_is_given(elements), CLADE_E_ARG,
                  "there is no array for the elements");
    CLADE_REQUIRE(count <= list->params.capacity, CLADE_E_ARG,
                  "%" PRIu64 " elements are more than the capacity of %u", count,
                  list->layout.capacity);
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch));
    if (elements.mem) /* a buffer that is too small is refused before anything waits */
        CLADE_TRY(cladei_view_open(&to, &run, elements, count * list->layout.words, 4,
                                   CLADEI_OUT, "elements"));
    CLADE_TRY(cladei_run_read(&run, &list->object, 0, &head, sizeof head));
    CLADE_REQUIRE(first <= head.size && count <= head.size - first, CLADE_E_ARG,
                  "elements %" PRIu64 " to %" PRIu64 " of %u", first, first + count, head.size);
    if (!elements.mem)
        CLADE_TRY(cladei_view_open(&to, &run, elements, count * list->layout.words, 4,
                                   CLADEI_OUT, "elements"));
    if (count > 0)
        CLADE_TRY(copy(list, &run, (cl_uint)first, &to, count, true));
    CLADE_TRY(cladei_view_finish(&to, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&to);
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
