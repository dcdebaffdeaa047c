/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded histories of lists, each with an order that explains it. */
#include "list/list_lin.h"
#include "list/test_list.h"

clade_program *list_recorder(struct fixture *f, clade_list *list, clade_kma *kma, cl_kernel *kernel)
{
    clade_program *program;
    cl_mem mem = clade_list_mem(list), kma_mem = kma ? clade_kma_mem(kma) : mem;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = kma ? "list/list_history_kma.cl" : "list/list_history.cl",
                                  .options = clade_list_options(list),
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(kernel, program, "history"));
    fixture_arg(*kernel, 0, mem);
    fixture_arg(*kernel, 1, kma_mem);
    return program;
}

static void record_histories(struct fixture *f, enum list_history_kind kind, uint32_t find,
                             clade_kma *kma, size_t items, uint32_t keys, uint32_t ops, int rounds)
{
    clade_list_params p = { .capacity = 4 * items * ops,
                            .mode = kind == LIST_HISTORY_UNORDERED,
                            .value = kind == LIST_HISTORY_MAP ? CLADE_U32 : CLADE_NONE,
                            .find = find,
                            .kma = kma };
    clade_list *list = open_list(f, p);
    cl_kernel kernel;
    clade_program *program = list_recorder(f, list, kma, &kernel);
    /* PoCL does a group's items one after the other; elsewhere they go in lock-step. */
    const bool is_serial = f->caps->is_cpu && f->caps->loop_limit == 0;
    const size_t count = items * ops, group = is_serial || items % 8 != 0 ? 1 : 8;
    struct list_record *records = calloc(count, sizeof *records);
    cl_mem out = fixture_buffer(f, count * sizeof *records, NULL);
    cl_uint kind_arg = kind, zero = 0;
    cl_mem clock = fixture_buffer(f, sizeof zero, &zero);
    for (int round = 0; round < rounds; round++) {
        lin_report report = { "", SIZE_MAX, SIZE_MAX };
        cl_uint seed = (cl_uint)(f->seed + (uint64_t)round * 77);
        assert_ok(clade_list_clear(list, NULL));
        fixture_arg(kernel, 2, clock);
        fixture_arg(kernel, 3, out);
        fixture_arg(kernel, 4, kind_arg);
        fixture_arg(kernel, 5, keys);
        fixture_arg(kernel, 6, ops);
        fixture_arg(kernel, 7, seed);
        fixture_launch(f, kernel, items, group);
        fixture_read(f, out, 0, records, count * sizeof *records);
        lin_verdict verdict = list_lin_check(records, count, kind, &report);
        if (verdict != LIN_OK)
            print_error("verdict %d: %s (operations %zu, %zu)\n", verdict, report.why, report.op,
                        report.other);
        assert_int_equal(verdict, LIN_OK);
        assert_ok(clade_list_check(list));
        assert_ok(clade_list_reclaim(list, NULL));
        assert_ok(clade_list_check(list));
    }
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(clock);
    clReleaseMemObject(out);
    free(records);
    close_list(list);
}

void histories_of_sets_are_linearizable(void **state)
{
    struct fixture *f = *state;
    const int rounds = (int)fixture_scaled(1, 10, 50);
    record_histories(f, LIST_HISTORY_SET, CLADE_LIST_INDEXED, NULL, fixture_scaled(16, 512, 2048),
                     6, 40, rounds);
    record_histories(f, LIST_HISTORY_SET, CLADE_LIST_INDEXED, NULL, fixture_scaled(16, 512, 2048),
                     60, 40, rounds);
}

void histories_of_maps_are_linearizable(void **state)
{
    struct fixture *f = *state;
    record_histories(f, LIST_HISTORY_MAP, CLADE_LIST_INDEXED, NULL, fixture_scaled(16, 512, 2048),
                     6, 40, (int)fixture_scaled(1, 10, 50));
}

void histories_of_unordered_lists_are_linearizable(void **state)
{
    struct fixture *f = *state;
    for (uint32_t find = CLADE_LIST_INDEXED; find <= CLADE_LIST_WALK; find++)
        record_histories(f, LIST_HISTORY_UNORDERED, find, NULL, 8, 3, 7,
                         (int)fixture_scaled(3, 200, 1000));
}

/* Erased nodes' blocks are given back between two histories, and taken again in the next. */
void histories_of_lists_in_an_allocator_are_linearizable(void **state)
{
    struct fixture *f = *state;
    const size_t items = fixture_scaled(16, 512, 2048);
    const int rounds = (int)fixture_scaled(2, 10, 50);
    list_in_kma_compiles_long(f);
    clade_kma *kma = open_kma(f, items * 40 * 32 + (1 << 20));
    record_histories(f, LIST_HISTORY_SET, CLADE_LIST_INDEXED, kma, items, 6, 40, rounds);
    record_histories(f, LIST_HISTORY_UNORDERED, CLADE_LIST_INDEXED, kma, 8, 3, 7, 3 * rounds);
    assert_int_equal(live_blocks(kma), 0);
    if (fixture_is_small())
        print_message("a map and a walk: at normal size\n");
    for (int more = fixture_is_small() ? 0 : 1; more > 0; more--) {
        record_histories(f, LIST_HISTORY_MAP, CLADE_LIST_INDEXED, kma, items, 6, 40, rounds);
        record_histories(f, LIST_HISTORY_UNORDERED, CLADE_LIST_WALK, kma, 8, 3, 7, 3 * rounds);
        assert_int_equal(live_blocks(kma), 0);
    }
    clade_kma_destroy(&kma);
}
