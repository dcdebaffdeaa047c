/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator on the host: its buffer, launches over arrays, files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "kma/kma.h"
#include "object/saved.h"

#define BYTES_LEAST ((uint64_t)128 << 10)
#define PAGE_WORDS  (CLADE_KMA_PAGE_BYTES / 4u)
#define GROUP_SIZE  256

static const char *const kernel_names[KMA_KERNELS] = { "clade_kma_make_ready", "clade_kma_malloc",
                                                       "clade_kma_free" };
static const struct cladei_kind kind = {
    CLADE_KMA_KIND, "the allocator", { "kernels/kma.cl", kernel_names, KMA_KERNELS }, NULL
};
static const size_t part_ends[] = { KMA_FREE, KMA_KERNELS };

/* --- creation ------------------------------------------------------------------------------- */

void cladei_kma_write_options(clade_kma *kma, const clade_context *context)
{
    snprintf(kma->options, sizeof kma->options, "%s%s%s",
             context->reduces ? "-DCLADE_SG_REDUX=1" : "",
             context->reduces && kma->head.debug ? " " : "",
             kma->head.debug ? "-DCLADE_KMA_DEBUG=1" : "");
    snprintf(kma->own_options, sizeof kma->own_options, "%s%s%s",
             context->caps.atomics == CLADE_ATOMICS_PTX ? CLADE_KMA_FEW_REGISTERS : "",
             context->caps.atomics == CLADE_ATOMICS_PTX && *kma->options ? " " : "", kma->options);
}

/* By the first call that launches one: who allocates in kernels alone needs none of them. */
static clade_status need(clade_kma *kma, enum kma_kernel kernel)
{
    return cladei_kernels_need(kma->kernels, &kind.kernels, part_ends, kma->object.context,
                               kma->own_options, kernel);
}

/* The head but for what all objects begin with; of that, the error. */
static clade_status write_head(clade_kma *kma, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_kma_head head = cladei_kma_first_head(&kma->head);
    const size_t skip = sizeof head.object;
    const clade_u32 no_error[2] = { 0 };
    head.pages_used += cladei_kma_missing(kma);
    head.pages_peak += cladei_kma_missing(kma);
    kma->has_refused = false;
    CLADE_TRY(cladei_run_write(run, &kma->object, offsetof(clade_object_head, first_error),
                               no_error, sizeof no_error));
    CLADE_TRY(
        cladei_run_write(run, &kma->object, skip, (const char *)&head + skip, sizeof head - skip));
fail:
    return status;
}

/* With bookkeeping for `most` bytes, of which the buffer has `bytes`. What lies ready lies at the
 * end, which a heap that is to grow has not yet. */
static clade_status make(clade_kma **out, clade_context *context, uint64_t bytes, uint64_t most,
                         int debug, int bare)
{
    clade_status status = CLADE_OK;
    clade_kma *kma = calloc(1, sizeof *kma);
    CLADE_NO_MEMORY(kma);
    bytes = cladei_kma_usable_bytes(bytes);
    most = cladei_kma_usable_bytes(most);
    cladei_kma_lay_out(&kma->head, (uint32_t)(most / CLADE_KMA_PAGE_BYTES), &context->caps, debug,
                       bare || most > bytes);
    CLADE_REQUIRE(kma->head.first_page < bytes / CLADE_KMA_PAGE_BYTES, CLADE_E_ARG,
                  "an allocator of %" PRIu64 " bytes has no room beside its bookkeeping", bytes);
    CLADE_TRY(cladei_object_create(&kma->object, context, CLADE_KMA_KIND,
                                   CLADE_KMA_OBJECT_SHAPE(kma->head.debug), bytes, "an allocator"));
    cladei_kma_write_options(kma, context);
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
    CLADEI_CREATION(out, context, params, clade_kma_params, kind.name);
    CLADE_REQUIRE(params->bytes >= BYTES_LEAST && params->bytes <= CLADEI_KMA_BYTES_MOST,
                  CLADE_E_ARG,
                  "an allocator of %" PRIu64 " bytes: it must be %" PRIu64 " to %" PRIu64,
                  params->bytes, BYTES_LEAST, CLADEI_KMA_BYTES_MOST);
    CLADE_REQUIRE(params->most == 0 ||
                      (params->most >= params->bytes && params->most <= CLADEI_KMA_BYTES_MOST),
                  CLADE_E_ARG,
                  "an allocator of %" PRIu64 " bytes cannot grow to %" PRIu64
                  ": the most is %" PRIu64,
                  params->bytes, params->most, CLADEI_KMA_BYTES_MOST);
    CLADE_TRY(make(&kma, context, params->bytes, params->most ? params->most : params->bytes,
                   params->debug, params->bare));
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
    *kma = NULL;
    if (!cladei_let_go(&gone->borrowers))
        return;
    cladei_object_close(&gone->object, NULL, gone->kernels, KMA_KERNELS);
    free(gone);
}

cl_mem clade_kma_mem(const clade_kma *kma)
{
    return kma ? kma->object.mem : NULL;
}

const char *clade_kma_options(const clade_kma *kma)
{
    return kma ? kma->options : NULL;
}

const char *cladei_kma_own_options(const clade_kma *kma)
{
    return kma->own_options;
}

/* --- launches ------------------------------------------------------------------------------- */

static clade_status fill(clade_kma *kma, struct cladei_run *run, size_t first, size_t words,
                         cl_uint word)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    CLADE_TRY(
        cladei_queue_fill(run->queue, kma->object.mem, &word, sizeof word, first * 4, words * 4));
fail:
    return status;
}

/* All bookkeeping after the head: no superblock, no hint, and the pages that are free. */
static clade_status write_words(clade_kma *kma, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &kma->head;
    const size_t first = sizeof *head / 4, words = (size_t)head->first_page * PAGE_WORDS;
    const size_t tree_at =
        head->tree_at + (size_t)CLADE_KMA_PAGE_TREE(head->debug) * head->tree_words;
    clade_kma_head there; /* without the pages that are missing */
    uint32_t *tree = malloc((size_t)head->tree_words * 4);
    CLADE_NO_MEMORY(tree);
    there = *head;
    there.pages -= cladei_kma_missing(kma);
    cladei_kma_first_tree(&there, tree);
    CLADE_TRY(fill(kma, run, first, words - first, 0));
    CLADE_TRY(fill(kma, run, head->cells_at, (size_t)head->pages * 32, 0xffffffffu));
    CLADE_TRY(cladei_run_write(run, &kma->object, tree_at * 4, tree, (size_t)head->tree_words * 4));
fail:
    free(tree);
    return status;
}

static clade_status make_ready(clade_kma *kma, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_kernel kernel = kma->kernels[KMA_MAKE_READY];
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(kma->object.mem)));
    CLADE_TRY(cladei_run_items(run, kernel, (size_t)kma->head.ready_classes << kma->head.part_bits,
                               GROUP_SIZE));
fail:
    return status;
}

clade_status clade_kma_clear(clade_kma *kma, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    const uint32_t borrowers = __atomic_load_n(&kma->borrowers, __ATOMIC_ACQUIRE);
    CLADE_REQUIRE(borrowers == 0, CLADE_E_ARG,
                  "lists have their nodes in the allocator (%" PRIu32 "): destroy them first",
                  borrowers);
    CLADE_TRY(cladei_run_begin(&run, kma->object.context, launch_or_null));
    if (kma->head.ready_classes > 0)
        CLADE_TRY(need(kma, KMA_MAKE_READY));
    CLADE_TRY(write_head(kma, &run));
    CLADE_TRY(write_words(kma, &run));
    if (kma->head.ready_classes > 0)
        CLADE_TRY(make_ready(kma, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

enum { SIZES, REFS };

clade_status clade_kma_malloc(clade_kma *kma, clade_array sizes, uint64_t bytes, clade_array refs,
                              uint64_t count, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    const cl_uint is_fixed = !cladei_is_given(sizes);
    struct cladei_call call = {
        .count = count,
        .rows = { [SIZES] = { "sizes", sizes, .bytes = 8 },
                  [REFS] = { "refs", refs, 4, CLADEI_OUT, .need = "for the refs" } },
    };
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    CLADE_TRY(cladei_call_open(&call, &kind, &kma->object, launch_or_null));
    if (count > 0) {
        CLADE_TRY(need(kma, KMA_MALLOC));
        CLADE_TRY(CLADEI_SET_ARGS(kma->kernels[KMA_MALLOC], CLADEI_ARG(kma->object.mem),
                                  CLADEI_ROW(&call, SIZES), CLADEI_ARG(bytes), CLADEI_ARG(is_fixed),
                                  CLADEI_ROW(&call, REFS), CLADEI_ARG(count)));
        CLADE_TRY(cladei_run_items(&call.run, kma->kernels[KMA_MALLOC], count, GROUP_SIZE));
    }
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_kma_free(clade_kma *kma, clade_array refs, uint64_t count,
                            const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = {
        .count = count,
        .rows = { [REFS] = { "refs", refs, 4, .need = "of refs" } },
    };
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    CLADE_TRY(cladei_call_open(&call, &kind, &kma->object, launch_or_null));
    if (count > 0) {
        CLADE_TRY(need(kma, KMA_FREE));
        CLADE_TRY(CLADEI_SET_ARGS(kma->kernels[KMA_FREE], CLADEI_ARG(kma->object.mem),
                                  CLADEI_ROW(&call, REFS), CLADEI_ARG(count)));
        CLADE_TRY(cladei_run_items(&call.run, kma->kernels[KMA_FREE], count, GROUP_SIZE));
    }
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
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
    CLADE_REQUIRE(cladei_kma_heads_agree(&image->head, &kma->head), CLADE_E_CORRUPT,
                  "the allocator's head was written to");
    image->missing = cladei_kma_missing(kma);
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

/* What one command has taken from the device waits for the other one. */
clade_status clade_kma_fault_read(clade_kma *kma, clade_kma_fault *out)
{
    clade_status status = CLADE_OK, first;
    clade_kma_fault met;
    clade_u32 words[3] = { 0 }; /* fault, fault_ref, fault_item */
    const clade_u32 none[3] = { 0 };
    const size_t offset = offsetof(clade_kma_head, fault);
    CLADE_REQUIRE(kma && out, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_finish(kma->object.context));
    CLADE_TRY(cladei_object_take_error(&kma->object, NULL, &first, NULL));
    kma->has_refused |= first == CLADE_E_ARG;
    CLADE_TRY(cladei_object_read(&kma->object, offset, words, sizeof words));
    met = (clade_kma_fault) { .kind = words[0], .ref = words[1], .item = words[2] };
    if (met.kind != CLADE_KMA_FAULT_NONE)
        CLADE_TRY(cladei_object_write(&kma->object, offset, none, sizeof none));
    *out = met;
    const bool has_refused = kma->has_refused;
    kma->has_refused = false;
    CLADE_REQUIRE(!has_refused, CLADE_E_ARG,
                  "a program was refused: it was built %s debug mode, in which the allocator is%s",
                  kma->head.debug ? "without" : "with", kma->head.debug ? "" : " not");
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
    CLADE_REQUIRE(cladei_kma_missing(kma) == 0, CLADE_E_UNSUPPORTED,
                  "an allocator that can still grow is not saved: let it grow to its most first");
    const struct saved_params params = { kma->object.bytes, kma->head.debug };
    CLADE_TRY(clade_finish(kma->object.context));
    CLADE_TRY(cladei_object_save(&kma->object, path, &params, sizeof params, kma->object.bytes));
fail:
    return status;
}

/* Verify what a file holds before any of it is followed, and put right what only counts. */
static clade_status adopt(struct cladei_saved *saved, const char *path, uint64_t bytes, bool debug)
{
    clade_status status = CLADE_OK;
    struct cladei_kma_image image = { 0 };
    memcpy(&image.head, saved->payload, sizeof image.head);
    CLADE_REQUIRE(cladei_kma_head_is_sound(&image.head, bytes, debug), CLADE_E_CORRUPT,
                  "%s: the allocator's head is wrong", path);
    const size_t room = (size_t)image.head.first_page * CLADE_KMA_PAGE_BYTES;
    image.words = malloc(room);
    CLADE_NO_MEMORY(image.words);
    memcpy(image.words, saved->payload, room);
    CLADE_TRY(cladei_kma_adopt(&image, bytes, debug));
    memcpy(saved->bytes + (saved->size - saved->payload_bytes), image.words, room);
fail:
    cladei_kma_image_close(&image);
    return status;
}

clade_status clade_kma_load(clade_kma **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    struct saved_params params;
    clade_kma *kma = NULL;
    CLADEI_PLACE(out, kind.name);
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_saved_open(&saved, context, path, CLADE_KMA_KIND, sizeof params));
    memcpy(&params, saved.params, sizeof params);
    CLADE_REQUIRE(params.bytes == saved.payload_bytes && params.bytes >= BYTES_LEAST &&
                      params.bytes == cladei_kma_usable_bytes(params.bytes) && params.debug <= 1,
                  CLADE_E_CORRUPT, "%s: the allocator's size is wrong", path);
    CLADE_TRY(adopt(&saved, path, params.bytes, params.debug != 0));
    CLADE_TRY(make(&kma, context, params.bytes, params.bytes, params.debug != 0,
                   1)); /* what lies ready, the file says */
    CLADE_TRY(cladei_saved_is_of(&saved, &kma->object, path));
    CLADE_TRY(cladei_object_write(&kma->object, 0, saved.payload, (size_t)params.bytes));
    memcpy(&kma->head, saved.payload, sizeof kma->head);
    if (kma->head.debug)
        CLADE_TRY(clade_kma_check(kma, NULL, 0)); /* the blocks' guards, too */
    *out = kma;
    kma = NULL;
fail:
    clade_kma_destroy(&kma);
    cladei_saved_close(&saved);
    return status;
}
