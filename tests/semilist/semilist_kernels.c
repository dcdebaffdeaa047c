/* SPDX-License-Identifier: Apache-2.0 */
/* Semi-linked lists in kernels: what groups append, what iterations meet. */
#include "semilist/test_semilist.h"

/* Each group's nodes of one round lie together, in the order of the items. */
static void groups_append(struct fixture *f, clade_semilist *list, cl_kernel kernel, uint32_t group,
                          uint32_t groups, uint32_t rounds)
{
    const uint32_t skip = 5, all = group * groups * rounds;
    uint32_t *keys = test_calloc(all, 4), *values = test_calloc(all, 4), expected = 0;
    uint32_t *nodes = test_calloc(all, 4), *read = test_calloc(all, 4);
    int32_t *statuses = test_calloc(all, 4);
    cl_mem nodes_mem = fixture_buffer(f, all * 4, nodes);
    cl_mem statuses_mem = fixture_buffer(f, all * 4, nodes);
    uint64_t count;
    fixture_arg(kernel, 2, nodes_mem);
    fixture_arg(kernel, 3, statuses_mem);
    fixture_arg(kernel, 4, skip);
    if (group > 1) {
        fixture_arg(kernel, 5, rounds);
        assert_int_equal(clSetKernelArg(kernel, 6, CLADE_SEMILIST_SCRATCH(group) * 4, NULL),
                         CL_SUCCESS);
    }
    run_kernel(f, kernel, groups, group);
    fixture_read(f, nodes_mem, 0, nodes, all * 4);
    fixture_read(f, statuses_mem, 0, statuses, all * 4);
    assert_ok(clade_semilist_check(list));
    assert_ok(clade_semilist_read(list, keys, values, read, all, &count));
    for (uint32_t i = 0; i < all; i++) {
        expected += i % skip != 0;
        assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(nodes[i] != 0, i % skip != 0);
    }
    assert_int_equal(count, expected);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t next = values[i] + (values[i] % skip == skip - 1 ? 2 : 1);
        assert_int_equal(keys[i], values[i] / 7);
        assert_int_equal(nodes[values[i]], read[i]);
        if (next / group == values[i] / group)
            assert_int_equal(values[i + 1], next);
    }
    clReleaseKernel(kernel);
    clReleaseMemObject(nodes_mem);
    clReleaseMemObject(statuses_mem);
    test_free(keys), test_free(values), test_free(nodes), test_free(read), test_free(statuses);
    clade_semilist_destroy(&list);
}

void groups_append_their_nodes_in_one_piece(void **state)
{
    struct fixture *f = *state;
    const uint32_t group = 32, groups = (uint32_t)fixture_scaled(3, 20, 400), rounds = 4;
    clade_semilist *list = open_list(f, group * groups * rounds, NULL);
    groups_append(f, list, open_kernel(f, list, "semi_append_wg"), group, groups, rounds);
}

/* A program of this call alone, whose scratch is the kernel's own. PoCL 3.1 had put the place of it
 * into a function that was out of line, which then read what nobody had written. */
void groups_of_one_item_append(void **state)
{
    static const char source[] =
        "#include \"clade/semilist/work_group.clh\"\n"
        "__kernel void append(__global clade_semilist_head *list, __global clade_kma_head *kma,\n"
        "                     __global uint *nodes, __global int *statuses, uint skip)\n{\n"
        "    __local uint scratch[CLADE_SEMILIST_SCRATCH(1u)];\n"
        "    uint number = (uint)get_global_id(0), wants = number % skip != 0u ? 1u : 0u, node;\n"
        "    statuses[number] = clade_semilist_append_wg(list, kma, wants, number / 7u, number,\n"
        "                                                &node, scratch);\n"
        "    nodes[number] = node;\n}\n";
    enum { GROUPS = 70 };
    struct fixture *f = *state;
    clade_semilist *list = open_list(f, GROUPS, NULL);
    cl_mem list_mem = clade_semilist_mem(list), kma_mem = clade_kma_mem(clade_semilist_kma(list));
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .source = source, .options = clade_semilist_options(list) }));
    assert_ok(clade_program_kernel(&kernel, program, "append"));
    clade_program_destroy(&program);
    fixture_arg(kernel, 0, list_mem);
    fixture_arg(kernel, 1, kma_mem);
    groups_append(f, list, kernel, 1, GROUPS, 1);
}

/* A node that stays is met once, in order; the rest in order as well. */
void iterations_meet_what_stays(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = (uint32_t)fixture_scaled(150, 2000, 20000), zero = 0;
    const uint32_t group = 16, groups = 4, room = 2 * count, victim_count = count / 2;
    clade_semilist *list = open_list(f, 2 * count, NULL);
    uint32_t *values = test_calloc(count, 4), *nodes = test_calloc(count, 4);
    uint32_t *victims = test_calloc(count, 4), *met = test_calloc((size_t)groups * room, 4);
    uint32_t met_count[4], failed = 9;
    for (uint32_t i = 0; i < count; i++)
        values[i] = i;
    assert_ok(clade_semilist_append(list, clade_host(values), clade_host(values), clade_host(nodes),
                                    count, NULL));
    for (uint32_t i = 0; i < victim_count; i++) /* odd ones; from the end, so the last one too */
        victims[i] = nodes[(count - 2 * i - 1) | 1];
    cl_mem met_mem = fixture_buffer(f, (size_t)groups * room * 4, met);
    cl_mem count_mem = fixture_buffer(f, sizeof met_count, met);
    cl_mem victims_mem = fixture_buffer(f, count * 4, victims);
    cl_mem failed_mem = fixture_buffer(f, 4, &zero);
    cl_kernel kernel = open_kernel(f, list, "semi_iterate");
    fixture_arg(kernel, 2, met_mem);
    fixture_arg(kernel, 3, room);
    fixture_arg(kernel, 4, count_mem);
    fixture_arg(kernel, 5, victims_mem);
    fixture_arg(kernel, 6, victim_count);
    fixture_arg(kernel, 7, failed_mem);
    run_kernel(f, kernel, groups, group);
    fixture_read(f, met_mem, 0, met, (size_t)groups * room * 4);
    fixture_read(f, count_mem, 0, met_count, sizeof met_count);
    fixture_read(f, failed_mem, 0, &failed, 4);
    assert_int_equal(failed, 0);
    assert_ok(clade_semilist_check(list));
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t even = 0;
        for (uint32_t i = 0; i < met_count[g]; i++) {
            const uint32_t value = met[g * room + i];
            if (value < 1000000 && value % 2 == 0)
                assert_int_equal(value, 2 * even++);
            if (i > 0 && value < 1000000)
                assert_true(met[g * room + i - 1] < value);
        }
        assert_int_equal(even, (count + 1) / 2);
    }
    clReleaseKernel(kernel);
    clReleaseMemObject(met_mem), clReleaseMemObject(count_mem);
    clReleaseMemObject(victims_mem), clReleaseMemObject(failed_mem);
    test_free(values), test_free(nodes), test_free(victims), test_free(met);
    clade_semilist_destroy(&list);
}
