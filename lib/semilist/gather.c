/* SPDX-License-Identifier: Apache-2.0 */
/* What each place of a semi-linked list holds, on the host. */
#include <stdlib.h>

#include "base/error.h"
#include "device/context.h"
#include "kma/kma.h"
#include "semilist/semilist.h"

/* The units of an allocator from `first` on, copied: a node is one. */
struct window {
    clade_semilist_node *nodes;
    clade_ref first; /* a ref is the unit's number and 1 */
    uint64_t count;
};

/* Windows of so many bytes are copied, and looked through here. So a program that reads a short
 * list compiles nothing for it, and nothing is launched. */
#define WINDOW_BYTES_MAX ((uint64_t)256 << 10)

/* Whether a ref leads to a unit of the buffer; a spoiled list's need not. */
static bool reaches(const clade_kma *kma, clade_ref ref)
{
    return ref != CLADE_NIL && ref <= kma->object.bytes / CLADE_KMA_UNIT_BYTES;
}

/* Where the nodes of `refs` lie. */
static struct window around(const clade_kma *kma, const clade_ref *refs, uint32_t count)
{
    clade_ref first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!reaches(kma, refs[i]))
            continue;
        first = refs[i] < first ? refs[i] : first;
        last = refs[i] > last ? refs[i] : last;
    }
    return (struct window) { NULL, first, last < first ? 0 : (uint64_t)last - first + 1 };
}

static const clade_semilist_node *node_at(const struct window *window, clade_ref ref)
{
    return ref >= window->first && ref - window->first < window->count
               ? &window->nodes[ref - window->first]
               : NULL;
}

/* As the kernel does. But a link that leads to no node of a place has no next place here: either is
 * wrong, and told. */
static void look(const struct window *window, const clade_ref *refs, clade_semilist_record *records,
                 uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        clade_semilist_record record = { refs[i], 0, 0, 0, UINT32_MAX, UINT32_MAX };
        const clade_semilist_node *node = node_at(window, refs[i]);
        if (node) {
            record.link = node->link;
            record.key_ = node->key_;
            record.value_ = node->value_;
            record.place = node->place;
            node = node_at(window, record.link >> CLADE_SEMILIST_REF_SHIFT);
            record.next_place = node ? node->place : UINT32_MAX;
        }
        records[i] = record;
    }
}

/* *done: whether it is, for nodes that lie near each other. */
static clade_status gather_here(clade_semilist *list, const clade_semilist_head *head,
                                clade_semilist_record *records, uint32_t count, bool *done)
{
    clade_status status = CLADE_OK;
    const clade_kma *kma = list->params.kma;
    struct window window = { 0 };
    clade_ref *refs = NULL;
    *done = false;
    if (count > WINDOW_BYTES_MAX / CLADE_SEMILIST_NODE_BYTES)
        return CLADE_OK;
    refs = malloc((size_t)count * sizeof *refs);
    CLADE_NO_MEMORY(refs);
    CLADE_TRY(cladei_object_read(&list->object, (uint64_t)head->places_at * 4, refs,
                                 (size_t)count * sizeof *refs));
    window = around(kma, refs, count);
    if (window.count <= WINDOW_BYTES_MAX / CLADE_SEMILIST_NODE_BYTES) {
        const size_t bytes = (size_t)window.count * sizeof *window.nodes;
        window.nodes = malloc(bytes + 1);
        CLADE_NO_MEMORY(window.nodes);
        CLADE_TRY(cladei_object_read(&kma->object,
                                     (uint64_t)(window.first - 1u) * CLADE_KMA_UNIT_BYTES,
                                     window.nodes, bytes));
        look(&window, refs, records, count);
        *done = true;
    }
fail:
    free(window.nodes);
    free(refs);
    return status;
}

static clade_status gather_there(clade_semilist *list, clade_semilist_record *records,
                                 uint32_t count)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cl_mem mem = NULL, list_mem = list->object.mem, kma_mem = clade_kma_mem(list->params.kma);
    struct cladei_run run;
    const cl_uint from = 0;
    const size_t bytes = (size_t)count * sizeof *records;
    CLADE_TRY(cladei_semilist_need(list, SEMILIST_GATHER));
    mem = clCreateBuffer(list->object.context->cl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[SEMILIST_GATHER], CLADEI_ARG(list_mem),
                              CLADEI_ARG(kma_mem), CLADEI_ARG(mem), CLADEI_ARG(from),
                              CLADEI_ARG(count)));
    CLADE_TRY(cladei_run_items(&run, list->kernels[SEMILIST_GATHER], count, list->group));
    CLADE_CL(clEnqueueReadBuffer(run.queue, mem, CL_TRUE, 0, bytes, records, 0, NULL, NULL));
fail:
    if (mem)
        clReleaseMemObject(mem);
    return status;
}

clade_status cladei_semilist_gather(clade_semilist *list, clade_semilist_head *head,
                                    clade_semilist_record **records, uint32_t *count)
{
    clade_status status = CLADE_OK;
    bool done = false;
    *records = NULL;
    CLADE_TRY(cladei_object_read(&list->object, 0, head, sizeof *head));
    CLADE_REQUIRE(head->tail <= list->layout.capacity, CLADE_E_CORRUPT, "%u places are taken of %u",
                  head->tail, list->layout.capacity);
    *count = head->tail;
    *records = calloc((size_t)*count + 1, sizeof **records);
    CLADE_NO_MEMORY(*records);
    if (*count == 0)
        return CLADE_OK;
    CLADE_TRY(gather_here(list, head, *records, *count, &done));
    if (!done)
        CLADE_TRY(gather_there(list, *records, *count));
fail:
    if (status != CLADE_OK) {
        free(*records);
        *records = NULL;
    }
    return status;
}
