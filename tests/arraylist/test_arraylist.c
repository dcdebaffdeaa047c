/* SPDX-License-Identifier: Apache-2.0 */
/* clade_arraylist: calls against a model, groups and items that append at once, exhaustion. */
#include <clade/arraylist.h>

#include "harness/late.h"
#include "harness/scratch.h"

static clade_arraylist *open_list(struct fixture *f, uint64_t capacity, uint32_t bytes,
                                  uint32_t first, clade_kma *kma)
{
    clade_arraylist *list = NULL;
    assert_ok(clade_arraylist_create(
        &list, f->context,
        &(clade_arraylist_params) {
            .capacity = capacity, .element_bytes = bytes, .first = first, .kma = kma }));
    return list;
}

static uint64_t size_of(clade_arraylist *list)
{
    uint64_t size;
    assert_ok(clade_arraylist_size(list, &size));
    return size;
}

static void bad_arguments_are_refused_with_a_sentence(void **state)
{
    struct fixture *f = *state;
    clade_arraylist *list = (clade_arraylist *)1;
    uint32_t word = 0;
    assert_fails(clade_arraylist_create(&list, f->context, &(clade_arraylist_params) { 0 }),
                 CLADE_E_ARG);
    assert_message("capacity is 0");
    assert_null(list);
    assert_fails(
        clade_arraylist_create(&list, f->context,
                               &(clade_arraylist_params) { .capacity = 5, .element_bytes = 6 }),
        CLADE_E_ARG);
    assert_message("element_bytes is 6");
    list = open_list(f, 10, 4, 0, NULL);
    assert_fails(clade_arraylist_append(list, clade_no_array(), 1, NULL), CLADE_E_ARG);
    assert_fails(clade_arraylist_read(list, 0, clade_host(&word), 1, NULL), CLADE_E_ARG);
    assert_ok(clade_arraylist_append(list, clade_no_array(), 0, NULL));
    assert_ok(clade_arraylist_check(list));
    clade_arraylist_destroy(&list);
    clade_arraylist_destroy(&list);
}

/* Appends of all lengths over many segments; parts are read back across their borders. */
static void calls_are_the_models(void **state)
{
    struct fixture *f = *state;
    const uint32_t capacity = (uint32_t)fixture_scaled(300, 3000, 100000);
    clade_arraylist *list = open_list(f, capacity, 8, 4, NULL);
    uint64_t *model = test_calloc(2 * capacity, 8), *read = test_calloc(capacity, 8);
    struct random random = random_from(f->seed);
    for (int turn = 0; turn < 3; turn++) {
        uint64_t size = 0;
        for (size_t i = 0; i < 2 * capacity; i++)
            model[i] = random_next(&random);
        for (bool full = false; !full;) {
            const uint64_t count = 1 + random_below(&random, capacity / 8);
            const clade_status status =
                clade_arraylist_append(list, clade_host(model + size), count, NULL);
            full = size + count > capacity;
            assert_int_equal(status, full ? CLADE_E_FULL : CLADE_OK);
            size += full ? 0 : count;
            assert_int_equal(size_of(list), size);
        }
        assert_ok(clade_arraylist_check(list));
        for (int i = 0; i < 10; i++) {
            const uint64_t first = random_below(&random, size);
            const uint64_t count = random_below(&random, size - first + 1);
            assert_ok(clade_arraylist_read(list, first, clade_host(read), count, NULL));
            assert_memory_equal(read, model + first, count * 8);
        }
        assert_fails(clade_arraylist_read(list, 1, clade_host(read), size, NULL), CLADE_E_ARG);
        assert_ok(clade_arraylist_clear(list, NULL));
        assert_int_equal(size_of(list), 0);
    }
    test_free(model);
    test_free(read);
    clade_arraylist_destroy(&list);
}

/* --- kernels --------------------------------------------------------------------------------- */

struct element {
    uint32_t item, number, sum;
};

/* Runs the kernel; gives the elements and how many were refused. */
static struct element *run(struct fixture *f, clade_arraylist *list, const char *name,
                           uint32_t group, uint32_t groups, uint32_t rounds, uint64_t *size,
                           uint64_t *refused)
{
    const size_t items = (size_t)group * groups, local = group;
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    int32_t *statuses = test_calloc(items, 4);
    cl_mem told = fixture_buffer(f, items * 4, statuses), mem = clade_arraylist_mem(list);
    cl_mem kma = clade_kma_mem(clade_arraylist_kma(list));
    assert_ok(
        clade_program_build(&program, f->context,
                            &(clade_program_params) { .file = "arraylist/arraylist_test.cl",
                                                      .include_path = fixture_kernels(TEST_KERNELS),
                                                      .options = clade_arraylist_options(list) }));
    assert_ok(clade_program_kernel(&kernel, program, name));
    clade_program_destroy(&program);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, kma);
    fixture_arg(kernel, 2, told);
    fixture_arg(kernel, 3, rounds);
    if (strcmp(name, "arraylist_groups") == 0)
        assert_int_equal(clSetKernelArg(kernel, 4, (2 * group + 2) * 4, NULL), CL_SUCCESS);
    fixture_launch(f, kernel, items, local);
    fixture_read(f, told, 0, statuses, items * 4);
    *refused = 0;
    for (size_t i = 0; i < items; i++)
        *refused += (uint64_t)statuses[i];
    assert_ok(clade_arraylist_check(list));
    *size = size_of(list);
    struct element *elements = test_calloc(*size + 1, sizeof *elements);
    assert_ok(clade_arraylist_read(list, 0, clade_host(elements), *size, NULL));
    clReleaseKernel(kernel);
    clReleaseMemObject(told);
    test_free(statuses);
    return elements;
}

/* Each element is whole and there once. */
static void assert_distinct(const struct element *elements, uint64_t size, uint32_t items,
                            uint32_t numbers)
{
    uint8_t *met = test_calloc((size_t)items * numbers, 1);
    for (uint64_t i = 0; i < size; i++) {
        const struct element *e = &elements[i];
        assert_true(e->item < items && e->number < numbers && e->sum == e->item + e->number);
        assert_int_equal(met[(size_t)e->item * numbers + e->number]++, 0);
    }
    test_free(met);
}

static void groups_append_in_a_row(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    const uint32_t group = 16, groups = (uint32_t)fixture_scaled(4, 32, 1024), rounds = 6;
    const uint32_t all = group * groups * rounds * 6 / 4; /* 0 + 1 + 2 + 3 of four */
    clade_arraylist *list = open_list(f, all, sizeof(struct element), 8, NULL);
    uint64_t size, refused;
    struct element *elements =
        run(f, list, "arraylist_groups", group, groups, rounds, &size, &refused);
    assert_int_equal(size, all);
    assert_int_equal(refused, 0);
    assert_distinct(elements, size, group * groups, rounds * 4);
    for (uint64_t i = 1; i < size; i++) { /* a group's of a round: items ascend */
        const struct element *a = &elements[i - 1], *b = &elements[i];
        if (a->item / group == b->item / group && a->number / 4 == b->number / 4)
            assert_true(a->item < b->item || (a->item == b->item && a->number + 1 == b->number));
        else
            assert_true(a->item % group == group - 1 && b->item % group == 1);
    }
    test_free(elements);
    clade_arraylist_destroy(&list);
}

static void room_runs_out_in_the_middle(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f); /* by day the host's calls append there, by the same function */
    const uint32_t group = 32, groups = (uint32_t)fixture_scaled(4, 32, 512), rounds = 8;
    const uint32_t all = group * groups * rounds;
    uint64_t size, refused;
    clade_arraylist *list = open_list(f, all * 2 / 3, sizeof(struct element), 8, NULL);
    struct element *elements =
        run(f, list, "arraylist_items", group, groups, rounds, &size, &refused);
    assert_int_equal(size, all * 2 / 3);
    assert_int_equal(size + refused, all);
    assert_distinct(elements, size, group * groups, rounds);
    test_free(elements);
    clade_arraylist_destroy(&list);
}

/* The allocator's end comes first; its blocks come back. */
static void the_allocator_runs_out_in_the_middle(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f); /* the allocator's own calls */
    const uint32_t group = 32, groups = (uint32_t)fixture_scaled(4, 32, 512);
    uint64_t size, refused;
    clade_kma *kma = NULL;
    clade_kma_stats stats;
    uint32_t others[20];
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 128 << 10 }));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 4096, clade_host(others), 20, NULL));
    clade_arraylist *list = open_list(f, 1 << 20, sizeof(struct element), 8, kma);
    /* A driver that leaves long loops would leave the kernel's own: there more groups, each with
     * fewer rounds, ask for as much. A refused append waits and looks for a block each time. */
    const uint32_t wide = f->caps->loop_limit ? 32 : groups, more = 6144 / (group * wide) + 1;
    struct element *elements = run(f, list, "arraylist_items", group, wide, more, &size, &refused);
    assert_true(size > 0 && refused > 0);
    assert_int_equal(size + refused, (uint64_t)group * wide * more);
    assert_distinct(elements, size, group * wide, more);
    test_free(elements);
    clade_arraylist_destroy(&list);
    assert_ok(clade_kma_free(kma, clade_host(others), 20, NULL));
    assert_ok(clade_kma_check(kma, NULL, 0));
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    assert_int_equal(stats.bad_frees, 0);
    clade_kma_destroy(&kma);
}

/* As a launch leaves it that was cut off while an item asked for a block. */
static void a_segment_left_in_the_making_is_no_block(void **state)
{
    struct fixture *f = *state;
    const uint32_t making = CLADE_ARRAYLIST_MAKING, words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    uint32_t read[8];
    clade_kma *kma = NULL;
    clade_kma_stats stats;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 4 << 20 }));
    clade_arraylist *list = open_list(f, 1000, 4, 4, kma);
    assert_ok(clade_arraylist_append(list, clade_host(words), 8, NULL));
    fixture_write(f, clade_arraylist_mem(list), offsetof(clade_arraylist_head, segments) + 2 * 4,
                  &making, sizeof making);
    assert_fails(clade_arraylist_append(list, clade_host(words), 1, NULL), CLADE_E_FULL);
    assert_fails(clade_arraylist_check(list), CLADE_E_CORRUPT);
    assert_message("segment 2 was left in the making");
    assert_ok(clade_arraylist_read(list, 0, clade_host(read), 8, NULL));
    assert_memory_equal(read, words, sizeof words);
    clade_arraylist_destroy(&list);
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.bad_frees, 0);
    assert_ok(clade_kma_check(kma, NULL, 0));
    clade_kma_destroy(&kma);
}

/* A list's words that a kernel wrote over: nothing beyond the allocator's buffer is copied, and no
 * call of the driver's is tried in vain. */
static void words_that_were_written_over_are_told(void **state)
{
    struct fixture *f = *state;
    const uint32_t words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const size_t segment = offsetof(clade_arraylist_head, segments) + 4, end = (4u << 20) / 16u;
    const uint32_t wrong[] = { 0,        (uint32_t)end + 1, (uint32_t)end + 2,
                               1u << 31, UINT32_MAX - 1,    UINT32_MAX };
    const uint32_t sizes[] = { 1001, 1u << 30, UINT32_MAX };
    uint32_t read[8], ref;
    clade_kma *kma = NULL;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 4 << 20 }));
    clade_arraylist *list = open_list(f, 1000, 4, 4, kma);
    const cl_mem mem = clade_arraylist_mem(list);
    assert_ok(clade_arraylist_append(list, clade_host(words), 8, NULL));
    fixture_read(f, mem, segment, &ref, sizeof ref);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fixture_write(f, mem, segment, &wrong[i], sizeof wrong[i]);
        assert_fails(clade_arraylist_read(list, 0, clade_host(read), 8, NULL), CLADE_E_CORRUPT);
        assert_message("segment 1 of");
    }
    fixture_write(f, mem, segment, &ref, sizeof ref);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fixture_write(f, mem, offsetof(clade_arraylist_head, size), &sizes[i], sizeof sizes[i]);
        assert_fails(clade_arraylist_read(list, sizes[i] - 1, clade_host(read), 1, NULL),
                     CLADE_E_CORRUPT);
    }
    fixture_write(f, mem, offsetof(clade_arraylist_head, size), &(uint32_t) { 8 }, 4);
    assert_ok(clade_arraylist_read(list, 0, clade_host(read), 8, NULL));
    assert_memory_equal(read, words, sizeof words);
    clade_arraylist_destroy(&list);
    clade_kma_destroy(&kma);
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then an append is
 * refused, and nothing was appended. */
static void appends_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/arraylist.clh\"\n"
        "__kernel void late(__global uint *out, uint turns, __global clade_arraylist_head *list,\n"
        "                   __global clade_kma_head *kma)\n"
        "{\n"
        "    uint i = (uint)get_global_id(0), index;\n" LATE_TURNS
        "    int status = clade_arraylist_append_wi(list, kma, &index);\n"
        "    out[i] = status == CLADE_OK ? index : 0xffffffffu;\n"
        "}\n";
    enum { ITEMS = 16 };
    uint32_t got[ITEMS], refused = 0;
    clade_arraylist *list = open_list(f, 100, 4, 2, NULL);
    cl_mem mem = clade_arraylist_mem(list), kma = clade_kma_mem(clade_arraylist_kma(list));
    struct late late = late_open(f, source, clade_arraylist_options(list), sizeof got);
    fixture_arg(late.kernel, 2, mem);
    fixture_arg(late.kernel, 3, kma);
    for (uint32_t turns = late_turns(&late, 600); turns <= late.limit; turns += 60) {
        uint32_t met = 0, count = 0;
        assert_ok(clade_arraylist_clear(list, NULL));
        late_run(&late, turns, ITEMS, ITEMS, got);
        for (uint32_t i = 0; i < ITEMS; i++)
            if (got[i] != UINT32_MAX) {
                assert_true(got[i] < ITEMS && !(met >> got[i] & 1u));
                met |= 1u << got[i];
                count++;
            }
        assert_int_equal(size_of(list), count);
        assert_ok(clade_arraylist_check(list));
        refused += ITEMS - count;
    }
    assert_true((refused > 0) == (late.limit > 0));
    late_close(&late);
    clade_arraylist_destroy(&list);
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then a group's
 * append is refused, or its indices are nobody else's. */
static void indices_behind_long_loops_are_ones_own(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/arraylist.clh\"\n"
        "__kernel void late(__global uint *out, uint turns, __global clade_arraylist_head *list,\n"
        "                   __global clade_kma_head *kma, __local uint *scratch)\n"
        "{\n"
        "    uint i = (uint)get_global_id(0), index;\n" LATE_TURNS
        "    out[i] = (uint)clade_arraylist_append_wg(list, kma, 2u, &index, scratch);\n"
        "    out[get_global_size(0) + i] = index;\n"
        "}\n";
    enum { ITEMS = 64, RUNS = 24, CAPACITY = 2 * ITEMS * RUNS };
    uint32_t got[2 * ITEMS];
    uint8_t used[CAPACITY] = { 0 };
    clade_arraylist *list = open_list(f, CAPACITY, 4, CAPACITY, NULL);
    cl_mem mem = clade_arraylist_mem(list), kma = clade_kma_mem(clade_arraylist_kma(list));
    struct late late = late_open(f, source, clade_arraylist_options(list), sizeof got);
    fixture_arg(late.kernel, 2, mem);
    fixture_arg(late.kernel, 3, kma);
    assert_int_equal(clSetKernelArg(late.kernel, 4, sizeof(cl_uint) * 2 * ITEMS, NULL), CL_SUCCESS);
    for (uint32_t run = 0; run < RUNS; run++) {
        late_run(&late, run > 0 ? late_turns(&late, run) : 0, ITEMS, ITEMS, got);
        for (uint32_t i = 0; i < ITEMS; i++)
            if ((int)got[i] == CLADE_OK) {
                const uint32_t index = got[ITEMS + i];
                assert_in_range(index, 0, CAPACITY - 2);
                assert_int_equal(used[index] + used[index + 1], 0);
                used[index] = used[index + 1] = 1;
            } else {
                assert_int_equal((int)got[i], CLADE_E_BUSY);
            }
    }
    late_close(&late);
    clade_arraylist_destroy(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused_with_a_sentence),
        cmocka_unit_test(calls_are_the_models),
        cmocka_unit_test(groups_append_in_a_row),
        cmocka_unit_test(room_runs_out_in_the_middle),
        cmocka_unit_test(the_allocator_runs_out_in_the_middle),
        cmocka_unit_test(a_segment_left_in_the_making_is_no_block),
        cmocka_unit_test(words_that_were_written_over_are_told),
        cmocka_unit_test(appends_behind_long_loops_are_done_or_refused),
        cmocka_unit_test(indices_behind_long_loops_are_ones_own),
    };
    return fixture_run("arraylist", tests);
}
