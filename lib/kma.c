/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator on the host: its layout, its buffer, launches over arrays. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kma_internal.h"

#define BYTES_LEAST ((uint64_t)128 << 10)
#define BYTES_MOST                                                                 \
    ((uint64_t)64 << 30) /* refs count 16 bytes from 1: the last unit stays unused \
                          */
#define PAGE_WORDS (CLADE_KMA_PAGE_BYTES / 4u)
#define GROUP_SIZE 256

static uint32_t log2_floor(uint64_t x)
{
    uint32_t bits = 0;
    while (x >>= 1)
        bits++;
    return bits;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Levels of a tree over `pages` bits; the words of each. */
static void lay_out_tree(clade_kma_head *head)
{
    uint32_t words = (head->pages + 31u) / 32u;
    head->page_words = words;
    for (;;) {
        head->level_at[head->levels++] = head->tree_words;
        head->tree_words += words;
        if (words == 1)
            break;
        words = (words + 31u) / 32u;
    }
}

/* Slots and part hints: enough that the items which run at once seldom meet, but what they keep
 * from others is bounded. Slots for whole groups show at most 1/16 of the heap for a class, those
 * that part hints are filled from 1/256, and the part hints themselves 1/192. */
static void shape_classes(clade_kma_head *head, uint32_t slot_bits, uint32_t part_bits,
                          uint32_t feed_bits)
{
    uint32_t slots = 0;
    for (uint32_t class_ = 0; class_ < CLADE_KMA_CLASSES; class_++) {
        uint32_t units = clade_kma_class_units(class_), heap_units = head->pages / 192 * 1024;
        /* 32 groups fit `units` pages; above 512 B the word of pages is the limit; cells above
         * 2 KiB have no slots: their superblocks are what one claim needs. */
        uint32_t pages = units <= 32 ? units : units <= 128 ? 32 : 0, each = pages ? pages : 32;
        uint32_t slot = least(slot_bits, log2_floor(head->pages / 16 / each | 1));
        uint32_t feed = least(least(feed_bits, slot), log2_floor(head->pages / 256 / each | 1));
        uint32_t part = least(part_bits, log2_floor(heap_units / (units * 32) | 1));
        head->shape[class_] =
            CLADE_KMA_SHAPE(slot, part, pages, feed, log2_floor(least(32, each * 32 / units) | 1));
        if (pages > 0 && units <= 64)
            slots += 1u << slot;
        head->slot_bits = slot > head->slot_bits ? slot : head->slot_bits;
        head->part_bits = part > head->part_bits ? part : head->part_bits;
    }
    head->run_shift = log2_floor(slots);
    head->low_pages = head->pages / 5;
    head->count_bits = least(log2_floor(head->pages / 4096 | 1), 6);
}

/* Everything constant in the head. `pages` is the whole buffer's. */
static void lay_out(clade_kma_head *head, uint32_t pages, const clade_caps *caps, int debug)
{
    /* A CPU runs one group a core; a GPU's multiprocessor holds at most 64 sub-groups. */
    uint32_t units = caps->compute_units ? caps->compute_units : 1;
    uint32_t slot_bits = least(log2_floor(units * (caps->is_cpu ? 2 : 8)), 12);
    uint32_t part_bits = least(log2_floor((uint64_t)units * (caps->is_cpu ? 16 : 16)), 14);
    uint64_t at = sizeof(clade_kma_head) / 4;
    *head = (clade_kma_head) { .pages = pages, .debug = debug != 0 };
    lay_out_tree(head);
    shape_classes(head, slot_bits, part_bits, least(log2_floor(units), 10));
    head->info_at = (clade_u32)at;
    head->whole_at = head->info_at + pages;
    head->partial_at = head->whole_at + pages;
    head->home_at = head->partial_at + pages;
    head->hinted_at = head->home_at + pages;
    head->cells_at = head->hinted_at + pages;
    at += (uint64_t)pages * 37;
    head->tree_at = (clade_u32)at;
    at += (uint64_t)CLADE_KMA_TREES * head->tree_words;
    head->slot_at = (clade_u32)at; /* part hints follow the slots: sweeping walks both */
    at += CLADE_KMA_CLASSES << head->slot_bits;
    head->part_at = (clade_u32)at;
    at += CLADE_KMA_CLASSES << head->part_bits;
    head->first_page = (clade_u32)((at + PAGE_WORDS - 1) / PAGE_WORDS);
}

/* --- creation ------------------------------------------------------------------------------- */

static clade_status build(clade_kma *kma)
{
    clade_status status = CLADE_OK;
    clade_context *context = kma->object.context;
    snprintf(kma->options, sizeof kma->options, "%s%s%s",
             context->caps.atomics == CLADE_ATOMICS_PTX ? "-cl-nv-maxrregcount=40" : "",
             context->reduces ? " -DCLADE_SG_REDUX=1" : "",
             kma->head.debug ? " -DCLADE_KMA_DEBUG=1" : "");
    CLADE_TRY(cladei_program_build_own(&kma->program, context, "kma.cl", kma->options));
    CLADE_TRY(clade_program_kernel(&kma->init, kma->program, "clade_kma_init"));
    CLADE_TRY(clade_program_kernel(&kma->malloc_, kma->program, "clade_kma_malloc"));
    CLADE_TRY(clade_program_kernel(&kma->free_, kma->program, "clade_kma_free"));
fail:
    return status;
}

/* The head as the device starts with it: in debug mode kernels that do not know of it find every
 * tree empty and everything swept, so that they are refused. */
static clade_status write_head(clade_kma *kma)
{
    clade_status status = CLADE_OK;
    clade_kma_head head = kma->head;
    const size_t skip = sizeof head.object;
    head.pages_used = head.pages_peak = head.first_page;
    for (uint32_t i = 0; i < CLADE_KMA_COUNTERS; i++)
        head.counters[i].pages = CLADE_KMA_COUNT_MIDDLE;
    head.any[CLADE_KMA_PAGE_TREE(head.debug) / 32] = 1u << CLADE_KMA_PAGE_TREE(head.debug) % 32;
    CLADE_TRY(
        cladei_object_write(&kma->object, skip, (const char *)&head + skip, sizeof head - skip));
fail:
    return status;
}

static clade_status make(clade_kma **out, clade_context *context, uint64_t bytes, int debug)
{
    clade_status status = CLADE_OK;
    clade_kma *kma = calloc(1, sizeof *kma);
    CLADE_NO_MEMORY(kma);
    bytes = bytes / CLADE_KMA_PAGE_BYTES * CLADE_KMA_PAGE_BYTES;
    lay_out(&kma->head, (uint32_t)(bytes / CLADE_KMA_PAGE_BYTES), &context->caps, debug);
    CLADE_REQUIRE(kma->head.first_page < kma->head.pages, CLADE_E_ARG,
                  "an allocator of %" PRIu64 " bytes has no room beside its bookkeeping", bytes);
    CLADE_TRY(cladei_object_create(&kma->object, context, CLADE_KMA_KIND, bytes, "an allocator"));
    CLADE_TRY(build(kma));
    *out = kma;
    return CLADE_OK;

fail:
    clade_kma_destroy(&kma);
    return status;
}

clade_status clade_kma_create(clade_kma **out, clade_context *context,
                              const clade_kma_params *params)
{
    clade_status status = CLADE_OK;
    clade_kma *kma = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the allocator is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_REQUIRE(params->bytes >= BYTES_LEAST && params->bytes <= BYTES_MOST, CLADE_E_ARG,
                  "an allocator of %" PRIu64 " bytes: it must be %" PRIu64 " to %" PRIu64,
                  params->bytes, BYTES_LEAST, BYTES_MOST);
    CLADE_TRY(make(&kma, context, params->bytes, params->debug));
    CLADE_TRY(clade_kma_clear(kma, NULL));
    CLADE_TRY(clade_finish(context));
    *out = kma;
    return CLADE_OK;

fail:
    clade_kma_destroy(&kma);
    return status;
}

void clade_kma_destroy(clade_kma **kma)
{
    if (!kma || !*kma)
        return;
    clade_kma *gone = *kma;
    if (gone->object.context)
        clFinish(gone->object.context->queue);
    if (gone->init)
        clReleaseKernel(gone->init);
    if (gone->malloc_)
        clReleaseKernel(gone->malloc_);
    if (gone->free_)
        clReleaseKernel(gone->free_);
    clade_program_destroy(&gone->program);
    cladei_object_destroy(&gone->object);
    free(gone);
    *kma = NULL;
}

cl_mem clade_kma_mem(const clade_kma *kma)
{
    return kma ? kma->object.mem : NULL;
}

const char *clade_kma_options(const clade_kma *kma)
{
    return kma ? kma->options : "";
}

/* --- launches ------------------------------------------------------------------------------- */

clade_status clade_kma_clear(clade_kma *kma, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    const size_t words = (size_t)kma->head.first_page * PAGE_WORDS;
    CLADE_TRY(cladei_run_begin(&run, kma->object.context, launch));
    CLADE_TRY(write_head(kma));
    CLADE_TRY(CLADEI_SET_ARGS(kma->init, CLADEI_ARG(kma->object.mem)));
    CLADE_TRY(
        cladei_run_kernel(&run, kma->init, (words + GROUP_SIZE - 1) / GROUP_SIZE, GROUP_SIZE));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_kma_malloc(clade_kma *kma, clade_array sizes, uint64_t bytes, clade_array refs,
                              uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view from = { 0 }, to = { 0 };
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    CLADE_TRY(cladei_run_begin(&run, kma->object.context, launch));
    CLADE_TRY(cladei_view_open(&from, &run, sizes, (size_t)count, 8, CLADEI_IN, "sizes"));
    CLADE_TRY(cladei_view_open(&to, &run, refs, (size_t)count, 4, CLADEI_OUT, "refs"));
    CLADE_REQUIRE(to.mem || count == 0, CLADE_E_ARG, "there is no array for the refs");
    if (count > 0) {
        const cl_uint fixed = from.mem == NULL;
        const cl_ulong each = bytes, items = count;
        CLADE_TRY(CLADEI_SET_ARGS(kma->malloc_, CLADEI_ARG(kma->object.mem), CLADEI_ARG(from.mem),
                                  CLADEI_ARG(from.first), CLADEI_ARG(each), CLADEI_ARG(fixed),
                                  CLADEI_ARG(to.mem), CLADEI_ARG(to.first), CLADEI_ARG(items)));
        CLADE_TRY(cladei_run_kernel(&run, kma->malloc_, (count + GROUP_SIZE - 1) / GROUP_SIZE,
                                    GROUP_SIZE));
    }
    CLADE_TRY(cladei_view_finish(&to, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&to);
    cladei_view_close(&from);
    return status;
}

clade_status clade_kma_free(clade_kma *kma, clade_array refs, uint64_t count,
                            const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view from = { 0 };
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    CLADE_TRY(cladei_run_begin(&run, kma->object.context, launch));
    CLADE_TRY(cladei_view_open(&from, &run, refs, (size_t)count, 4, CLADEI_IN, "refs"));
    CLADE_REQUIRE(from.mem || count == 0, CLADE_E_ARG, "there is no array of refs");
    if (count > 0) {
        const cl_ulong items = count;
        CLADE_TRY(CLADEI_SET_ARGS(kma->free_, CLADEI_ARG(kma->object.mem), CLADEI_ARG(from.mem),
                                  CLADEI_ARG(from.first), CLADEI_ARG(items)));
        CLADE_TRY(
            cladei_run_kernel(&run, kma->free_, (count + GROUP_SIZE - 1) / GROUP_SIZE, GROUP_SIZE));
    }
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&from);
    return status;
}

/* --- what is inside, and files --------------------------------------------------------------- */

clade_status cladei_kma_image_open(struct cladei_kma_image *image, const clade_kma *kma)
{
    clade_status status = CLADE_OK;
    const size_t bytes = (size_t)kma->head.first_page * CLADE_KMA_PAGE_BYTES;
    *image = (struct cladei_kma_image) { 0 };
    image->words = malloc(bytes);
    CLADE_NO_MEMORY(image->words);
    CLADE_TRY(clade_finish(kma->object.context));
    CLADE_TRY(cladei_object_read(&kma->object, 0, image->words, bytes));
    memcpy(&image->head, image->words, sizeof image->head);
    return CLADE_OK;

fail:
    cladei_kma_image_close(image);
    return status;
}

void cladei_kma_image_close(struct cladei_kma_image *image)
{
    free(image->words);
    *image = (struct cladei_kma_image) { 0 };
}

clade_status clade_kma_fault_take(clade_kma *kma, clade_kma_fault *out)
{
    clade_status status = CLADE_OK, first;
    const clade_kma_fault none = { 0, 0, 0 };
    CLADE_REQUIRE(kma && out, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_finish(kma->object.context));
    CLADE_TRY(cladei_object_read(&kma->object, offsetof(clade_kma_head, fault), out, sizeof *out));
    if (out->kind != CLADE_KMA_FAULT_NONE)
        CLADE_TRY(
            cladei_object_write(&kma->object, offsetof(clade_kma_head, fault), &none, sizeof none));
    CLADE_TRY(cladei_object_take_error(&kma->object, &first, NULL));
fail:
    return status;
}

/* What a saved allocator needs to be made again. The layout depends on the device that it was
 * made on, and stays: only the constants of the head say what it is. */
struct saved_params {
    uint64_t bytes;
    uint64_t debug;
};

clade_status clade_kma_save(clade_kma *kma, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(kma && path, CLADE_E_ARG, "an argument is NULL");
    const struct saved_params params = { kma->object.bytes, kma->head.debug };
    CLADE_TRY(clade_finish(kma->object.context));
    CLADE_TRY(cladei_object_save(&kma->object, path, &params, sizeof params, kma->object.bytes));
fail:
    return status;
}

clade_status clade_kma_load(clade_kma **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    struct saved_params params;
    clade_kma *kma = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the allocator is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_saved_open(&saved, path, CLADE_KMA_KIND, sizeof params));
    memcpy(&params, saved.params, sizeof params);
    CLADE_REQUIRE(params.bytes == saved.payload_bytes && params.bytes >= BYTES_LEAST &&
                      params.bytes <= BYTES_MOST && params.bytes % CLADE_KMA_PAGE_BYTES == 0,
                  CLADE_E_CORRUPT, "%s: the allocator's size is wrong", path);
    CLADE_TRY(make(&kma, context, params.bytes, params.debug != 0));
    CLADE_TRY(cladei_object_write(&kma->object, 0, saved.payload, (size_t)params.bytes));
    memcpy(&kma->head, saved.payload, sizeof kma->head);
    CLADE_REQUIRE(kma->head.pages == params.bytes / CLADE_KMA_PAGE_BYTES &&
                      kma->head.first_page < kma->head.pages,
                  CLADE_E_CORRUPT, "%s: the allocator's head is wrong", path);
    CLADE_TRY(clade_kma_check(kma, NULL, 0));
    *out = kma;
    kma = NULL;
fail:
    clade_kma_destroy(&kma);
    cladei_saved_close(&saved);
    return status;
}
