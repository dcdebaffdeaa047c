/* SPDX-License-Identifier: Apache-2.0 */
/* What every structure has: an answer for no object, a size, options that fit. (That a clear works
 * in its launch, tests/launches/ asks of each.) */
#include <clade/clade.h>

#include "harness/fixture.h"

#define NONE clade_no_array()

static void no_object_has_no_buffer_and_no_options(void **state)
{
    (void)state;
    assert_null(clade_heap_mem(NULL));
    assert_null(clade_adheap_mem(NULL));
    assert_null(clade_kma_mem(NULL));
    assert_null(clade_list_mem(NULL));
    assert_null(clade_dlist_mem(NULL));
    assert_null(clade_semilist_mem(NULL));
    assert_null(clade_queue_mem(NULL));
    assert_null(clade_arraylist_mem(NULL));
    assert_null(clade_rbtree_mem(NULL));
    assert_null(clade_heap_options(NULL));
    assert_null(clade_adheap_options(NULL));
    assert_null(clade_kma_options(NULL));
    assert_null(clade_list_options(NULL));
    assert_null(clade_semilist_options(NULL));
    assert_null(clade_arraylist_options(NULL));
    assert_null(clade_rbtree_options(NULL));
}

static void a_dlist_knows_its_size(void **state)
{
    struct fixture *f = *state;
    const uint32_t values[5] = { 1, 2, 3, 4, 5 };
    uint32_t nodes[5];
    uint64_t size = 99;
    clade_dlist *list;
    assert_ok(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = sizeof nodes }));
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_dlist_append(list, clade_host(values), clade_host(nodes), 5, NONE, NULL));
    assert_ok(clade_dlist_erase(list, clade_host(nodes), NONE, 2, NONE, NULL));
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, 3);
    assert_fails(clade_dlist_size(list, NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_size(NULL, &size), CLADE_E_ARG);
    assert_ok(clade_dlist_clear(list, NULL));
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, 0);
    clade_dlist_destroy(&list);
}

static const char peek[] =
    "#include \"clade/adheap.clh\"\n"
    "__kernel void peek(__global clade_adheap_head *heaps, __global int *told)\n"
    "{\n"
    "    clade_adheap_word key;\n"
    "    uint value;\n"
    "    const clade_adheap_one h =\n"
    "        clade_adheap_open_wi(heaps, (uint)get_group_id(0), 0);\n"
    "    told[2 * get_group_id(0)] = clade_adheap_peek_sg(&h, &key, &value);\n"
    "    told[2 * get_group_id(0) + 1] = (int)key;\n"
    "}\n";

static void options_make_a_program_fit_its_adheap(void **state)
{
    struct fixture *f = *state;
    const uint64_t keys[2] = { 7, 9 };
    const uint32_t values[2] = { 1, 2 };
    int32_t told[4] = { 0 };
    clade_adheap *heaps;
    clade_program *program;
    cl_kernel kernel;
    const clade_adheap_params params = { .heaps = 2,
                                         .capacity = 4,
                                         .arity = 16,
                                         .key = CLADE_U64,
                                         .order = CLADE_MAX,
                                         .keep = 1,
                                         .values = 1 };
    const size_t group = f->caps->is_cpu ? 1 : 32;
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    assert_ok(clade_adheap_build(heaps, clade_host(keys), clade_host(values), 1, NULL));
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .source = peek, .options = clade_adheap_options(heaps) }));
    assert_ok(clade_program_kernel(&kernel, program, "peek"));
    cl_mem mem = clade_adheap_mem(heaps), out = fixture_buffer(f, sizeof told, told);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, out);
    fixture_launch(f, kernel, 2 * group, group);
    fixture_read(f, out, 0, told, sizeof told);
    for (int h = 0; h < 2; h++) {
        assert_int_equal(told[2 * h], CLADE_OK);
        assert_int_equal(told[2 * h + 1], keys[h]);
    }
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_adheap_destroy(&heaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_object_has_no_buffer_and_no_options),
        cmocka_unit_test(a_dlist_knows_its_size),
        cmocka_unit_test(options_make_a_program_fit_its_adheap),
    };
    return fixture_run("everywhere", tests);
}
