/* SPDX-License-Identifier: Apache-2.0 */
/* The list where a driver leaves loops: after so many turns in a launch, whoever took them. */
#include "list/test_list.h"

static const char source[] =
    "#define CLADE_LIST late\n"
    "#include \"clade/list.clh\"\n"
    "__kernel void late(__global clade_list_head *list, __global int *out, uint turns)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0), key = 10u * i + 205u, there = 10u * i + 200u, v;\n"
    "    clade_i32 status;\n"
    "    for (uint turn = 0; turn < turns; turn++)\n"
    "        clade_or_relaxed((clade_global_word)out + i, 0u);\n"
    "    status = OPERATION;\n"
    "    out[i] = status;\n"
    "}\n";

enum { ITEMS = 4, KEYS = 40 };

/* What items answer is what they did. */
static void run_late(struct fixture *f, clade_list *list, cl_kernel kernel, uint32_t mode,
                     uint32_t turns, int change)
{
    uint32_t keys[KEYS];
    cl_mem mem = clade_list_mem(list);
    int32_t statuses[ITEMS] = { 0 };
    cl_mem out = fixture_buffer(f, sizeof statuses, statuses);
    uint64_t size = KEYS;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = 10 * i + 10;
    assert_ok(clade_list_clear(list, NULL));
    assert_ok(mode == CLADE_LIST_UNORDERED
                  ? clade_list_insert_front(list, clade_host(keys), KEYS, clade_no_array(), NULL)
                  : clade_list_insert(list, clade_host(keys), clade_no_array(), KEYS,
                                      clade_no_array(), NULL));
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, out);
    fixture_arg(kernel, 2, turns);
    fixture_launch(f, kernel, ITEMS, ITEMS);
    fixture_read(f, out, 0, statuses, sizeof statuses);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_BUSY);
        size += (uint64_t)(statuses[i] == CLADE_OK ? change : 0);
    }
    assert_int_equal(size_of(list), size);
    assert_ok(clade_list_check(list));
    clReleaseMemObject(out);
}

void inserts_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t mode;
        int change;
        const char *options;
    } ways[] = {
        { CLADE_LIST_ORDERED, 1, "-DOPERATION=late_insert_wi(list,key,0u)" },
        { CLADE_LIST_ORDERED, -1, "-DOPERATION=late_erase_wi(list,there,&v)" },
        { CLADE_LIST_ORDERED, 0, "-DOPERATION=late_contains_wi(list,there)" },
        { CLADE_LIST_UNORDERED, 1, "-DOPERATION=late_insert_front_wi(list,key)" },
        { CLADE_LIST_UNORDERED, 1, "-DOPERATION=late_insert_after_wi(list,there,key)" },
        { CLADE_LIST_UNORDERED, -1, "-DOPERATION=late_erase_value_wi(list,there)" },
        { CLADE_LIST_UNORDERED, 0, "-DOPERATION=late_contains_value_wi(list,there)" },
    };
    const uint32_t limit = f->caps->loop_limit, first = limit ? limit - 80 : 0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        clade_list *list =
            open_list(f, (clade_list_params) { .capacity = 1000, .mode = ways[i].mode });
        clade_program *program;
        cl_kernel kernel;
        assert_ok(clade_program_build(
            &program, f->context,
            &(clade_program_params) { .source = source, .options = ways[i].options }));
        assert_ok(clade_program_kernel(&kernel, program, "late"));
        run_late(f, list, kernel, ways[i].mode, 0, ways[i].change);
        for (uint32_t turns = first; turns <= limit; turns += fixture_is_small() ? 3 : 1)
            run_late(f, list, kernel, ways[i].mode, turns, ways[i].change);
        clReleaseKernel(kernel);
        clade_program_destroy(&program);
        close_list(list);
    }
}
