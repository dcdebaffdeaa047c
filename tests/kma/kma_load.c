/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the allocator share. */
#include <inttypes.h>

#include "kma/kma_load.h"

clade_kma *open_kma(struct fixture *f, uint64_t bytes, int debug)
{
    clade_kma *kma = NULL;
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = bytes, .debug = debug }));
    return kma;
}

static cl_kernel open_in(struct fixture *f, const char *file, const char *options, const char *name)
{
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) {
            .file = file, .include_path = fixture_kernels(TEST_KERNELS), .options = options }));
    assert_ok(clade_program_kernel(&kernel, program, name));
    clade_program_destroy(&program);
    return kernel;
}

cl_kernel open_kernel(struct fixture *f, const char *options, const char *name)
{
    return open_in(f, "kma/kma_test.cl", options, name);
}

cl_kernel open_misuse(struct fixture *f, const char *options)
{
    return open_in(f, "kma/kma_misuse.cl", options, "kma_misuse");
}

cl_kernel open_variant(struct fixture *f, const char *options, const char *name)
{
    return open_in(f, "kma/kma_variants.cl", options, name);
}

void run_kernel(struct fixture *f, cl_kernel kernel, size_t items, size_t group)
{
    size_t global = (items + group - 1) / group * group;
    cl_command_queue queue = clade_context_cl_queue(f->context);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
}

void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    assert_int_equal(clSetKernelArg(kernel, index, size, value), CL_SUCCESS);
}

clade_kma_stats stats_of(clade_kma *kma)
{
    clade_kma_stats stats;
    assert_ok(clade_kma_stats_read(kma, &stats));
    return stats;
}

/* The refs that are not nil, moved to the front. */
size_t compact(uint32_t *refs, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (refs[i] != 0)
            refs[kept++] = refs[i];
    return kept;
}

/* --- the oracle of refusals ------------------------------------------------------------------- */

/* Cells of this class and of larger ones, and pages, that are free. */
static uint64_t room_of(clade_kma *kma, uint32_t class_)
{
    const clade_kma_stats stats = stats_of(kma);
    uint64_t room = (stats.heap_bytes - stats.used_bytes - stats.kept_bytes) / CLADE_KMA_PAGE_BYTES;
    for (uint32_t c = class_; c < CLADE_KMA_CLASSES; c++)
        room += stats.classes[c].cells - stats.classes[c].live;
    return room;
}

/* So many ask for `bytes` at once; returns how many are served. */
static size_t ask(clade_kma *kma, uint64_t bytes, uint32_t *refs, size_t count)
{
    assert_ok(clade_kma_malloc(kma, clade_no_array(), bytes, clade_host(refs), count, NULL));
    return compact(refs, count);
}

/* Many at a time, until none is served; then one alone, whom nobody is in the way of. */
static void ask_until_refused(clade_kma *kma, uint64_t bytes, uint32_t *refs, size_t many)
{
    do {
        while (ask(kma, bytes, refs, many) != 0)
            continue;
    } while (ask(kma, bytes, refs, 1) != 0);
}

/* The longest run of pages is to be had, over and over. */
static void ask_for_pages(clade_kma *kma, uint64_t guards, uint32_t *refs)
{
    clade_kma_stats stats = stats_of(kma);
    for (; stats.longest_free_bytes > CLADE_KMA_PAGE_BYTES; stats = stats_of(kma))
        assert_int_equal(ask(kma, stats.longest_free_bytes - guards, refs, 1), 1);
}

void refuses_only_what_does_not_fit(struct fixture *f, clade_kma *kma)
{
    const uint64_t guards = strstr(clade_kma_options(kma), "CLADE_KMA_DEBUG") ? 32 : 0;
    const size_t many = fixture_is_interpreted(f) ? 64 : fixture_scaled(1024, 4096, 16384);
    struct random random = random_from(f->seed + stats_of(kma).live_blocks);
    uint32_t *refs = test_calloc(many, sizeof *refs), first;
    if (f->caps->loop_limit) {
        print_message("skipped: asking until refused: this driver ends the loops that sweep\n");
        test_free(refs);
        return;
    }
    /* Of a large heap the pages go first: filling it by small cells takes too long. */
    const uint64_t large = fixture_is_interpreted(f) ? 1 << 17 : 4 << 20;
    if (stats_of(kma).longest_free_bytes > large || random_below(&random, 2))
        ask_for_pages(kma, guards, refs);
    first = (uint32_t)random_below(&random, CLADE_KMA_CLASSES);
    for (uint32_t i = 0; i < CLADE_KMA_CLASSES; i++) {
        const uint32_t class_ = (first + CLADE_KMA_CLASSES - i) % CLADE_KMA_CLASSES;
        const uint64_t bytes = clade_kma_class_units(class_) * CLADE_KMA_UNIT_BYTES;
        if (bytes <= guards)
            continue;
        ask_until_refused(kma, bytes - guards, refs, many);
        const uint64_t room = room_of(kma, class_);
        if (room != 0)
            printf("  refused %" PRIu64 " bytes, with room for %" PRIu64 "\n", bytes, room);
        assert_int_equal(room, 0);
    }
    assert_ok(clade_kma_check(kma, NULL, 0));
    test_free(refs);
}

void close_kma(struct fixture *f, clade_kma **kma)
{
    refuses_only_what_does_not_fit(f, *kma);
    clade_kma_destroy(kma);
}
