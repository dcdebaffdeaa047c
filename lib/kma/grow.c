/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator: a larger buffer. All is copied to the same place, so refs stay what they are; then
 * the pages that are new are free. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "kma/kma.h"

#define PAGE CLADE_KMA_PAGE_BYTES

/* The words of the head that follow one another from `any` on. */
struct counts {
    clade_u32 any[2], used, peak;
};

/* The pages from `first` to `end` become free: their bits, and those above. */
static clade_status free_pages(const clade_kma *kma, struct cladei_run *run,
                               const struct cladei_object *to, uint32_t first, uint32_t end)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &kma->head;
    const uint32_t tree = CLADE_KMA_PAGE_TREE(head->debug);
    const uint64_t at = ((uint64_t)head->tree_at + (uint64_t)tree * head->tree_words) * 4;
    const size_t bytes = (size_t)head->tree_words * 4;
    struct counts counts;
    uint32_t *words = malloc(bytes);
    CLADE_NO_MEMORY(words);
    CLADE_TRY(cladei_run_read(run, to, at, words, bytes));
    for (uint32_t page = first; page < end; page++)
        for (uint32_t level = 0, bit = page; level < head->levels; level++, bit /= 32)
            words[head->level_at[level] + bit / 32] |= 1u << bit % 32;
    CLADE_TRY(cladei_run_write(run, to, at, words, bytes));
    CLADE_TRY(cladei_run_read(run, to, offsetof(clade_kma_head, any), &counts, sizeof counts));
    counts.any[tree / 32] |= 1u << tree % 32;
    counts.used -= end - first;
    counts.peak -= end - first;
    CLADE_TRY(cladei_run_write(run, to, offsetof(clade_kma_head, any), &counts, sizeof counts));
fail:
    free(words);
    return status;
}

/* A buffer of so many bytes with all that the old one has; made in the call's own queue. */
static clade_status make_buffer(const clade_kma *kma, struct cladei_run *run, uint64_t bytes,
                                struct cladei_object *to)
{
    clade_status status = CLADE_OK;
    clade_context *context = run->context;
    const cl_uint zero = 0;
    const size_t old = (size_t)kma->object.bytes;
    const size_t size_at = offsetof(clade_object_head, bytes_low);
    clade_object_head head;
    cl_int code;
    to->bytes = bytes;
    head = cladei_object_head(to);
    CLADE_REQUIRE(bytes <= context->caps.alloc_bytes_max, CLADE_E_ARG,
                  "the allocator needs %" PRIu64
                  " bytes in one buffer; the limit of %s is %" PRIu64,
                  bytes, context->info.name, context->caps.alloc_bytes_max);
    to->mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_TRY(cladei_run_start(run));
    CLADE_CL(clEnqueueCopyBuffer(run->queue, kma->object.mem, to->mem, 0, 0, old, 0, NULL, NULL));
    CLADE_TRY(cladei_queue_fill(run->queue, to->mem, &zero, sizeof zero, old, (size_t)bytes - old));
    CLADE_TRY(cladei_run_write(run, to, size_at, &head.bytes_low, 2 * sizeof(clade_u32)));
fail:
    return status;
}

clade_status clade_kma_grow(clade_kma *kma, uint64_t bytes, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_object to = { 0 };
    struct cladei_run run;
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    const uint64_t most = (uint64_t)kma->head.pages * PAGE, usable = cladei_kma_usable_bytes(bytes);
    CLADE_REQUIRE(bytes >= kma->object.bytes && bytes <= CLADEI_KMA_BYTES_MOST && usable <= most,
                  CLADE_E_ARG,
                  "an allocator of %" PRIu64 " bytes cannot have %" PRIu64
                  ": it was made for %" PRIu64 " at most",
                  kma->object.bytes, bytes, most);
    CLADE_TRY(cladei_run_begin(&run, kma->object.context, launch_or_null));
    bytes = usable;
    run.blocking = true;
    if (bytes == kma->object.bytes)
        return cladei_run_end(&run);
    to = kma->object;
    to.mem = NULL;
    CLADE_TRY(make_buffer(kma, &run, bytes, &to));
    CLADE_TRY(
        free_pages(kma, &run, &to, (uint32_t)(kma->object.bytes / PAGE), (uint32_t)(bytes / PAGE)));
    CLADE_TRY(cladei_run_end(&run));
    cl_mem old = kma->object.mem;
    kma->object = to;
    to.mem = old;
fail:
    if (to.mem)
        clReleaseMemObject(to.mem);
    return status;
}
