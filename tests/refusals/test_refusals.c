/* SPDX-License-Identifier: Apache-2.0 */
/* Structures with a capacity, at rest after histories: exactly so much fits as the page says, every
 * insert before is taken, the next one is refused as full, and everything comes out again. By
 * items, by groups and by calls of the host; by one group and by many. */

#include "refusals/refusals.h"

const uint32_t refusals_capacities[] = { 1, 2, 3, 31, 32, 33, 64, 100, 257, 1000 };

size_t refusals_capacity_count(void)
{
    return sizeof refusals_capacities / sizeof refusals_capacities[0];
}

/* --- kernels that count ----------------------------------------------------------------------- */

struct filler filler_open(struct fixture *f, const char *file, const char *options,
                          const char *name, cl_mem object, cl_mem kma)
{
    const struct tally none = { 0 };
    struct filler filler = { .f = f };
    clade_program *program = NULL;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) {
            .file = file, .options = options, .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(&filler.kernel, program, name));
    clade_program_destroy(&program);
    filler.tally = fixture_buffer(f, sizeof none, &none);
    fixture_arg(filler.kernel, filler.next, object);
    filler.next++;
    if (kma) {
        fixture_arg(filler.kernel, filler.next, kma);
        filler.next++;
    }
    fixture_arg(filler.kernel, filler.next, filler.tally);
    filler.next++;
    return filler;
}

void filler_word(struct filler *filler, uint32_t word)
{
    fixture_arg(filler->kernel, filler->next, word);
    filler->next++;
}

void filler_local(struct filler *filler, size_t words)
{
    assert_int_equal(clSetKernelArg(filler->kernel, filler->next++, words * 4, NULL), CL_SUCCESS);
}

struct tally filler_run(struct filler *filler, size_t groups, size_t group)
{
    struct tally tally = { 0 };
    fixture_write(filler->f, filler->tally, 0, &tally, sizeof tally);
    fixture_launch(filler->f, filler->kernel, groups * group, group);
    fixture_read(filler->f, filler->tally, 0, &tally, sizeof tally);
    return tally;
}

void filler_close(struct filler *filler)
{
    clReleaseKernel(filler->kernel);
    clReleaseMemObject(filler->tally);
}

/* --- keys ------------------------------------------------------------------------------------- */

struct keys open_keys(uint32_t room)
{
    return (struct keys) { .keys = test_calloc(room, 4),
                           .others = test_calloc(room, 4),
                           .statuses = test_calloc(room, 4),
                           .room = room,
                           .next = 1 };
}

void close_keys(struct keys *k)
{
    test_free(k->keys), test_free(k->others), test_free(k->statuses);
}

void new_keys(struct keys *k, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        k->keys[i] = (k->next + i) * 2654435761u;
    k->next += count;
}

void expect_taken(struct keys *k, uint32_t count, uint64_t wanted)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(k->statuses[i] == CLADE_OK || k->statuses[i] == CLADE_E_FULL);
        if (k->statuses[i] == CLADE_OK)
            k->keys[taken++] = k->keys[i];
    }
    assert_int_equal(taken, wanted);
}

int main(void)
{
#define ARRAY(structure) structure##_full,
    static const struct CMUnitTest *const arrays[] = { CLADE_FULL(ARRAY) };
    enum { MOST = 64 };
    struct CMUnitTest tests[MOST];
    size_t count = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        for (const struct CMUnitTest *test = arrays[i]; test->name && count < MOST; test++)
            tests[count++] = *test;
    return fixture_run_group("refusals", tests, count);
}
