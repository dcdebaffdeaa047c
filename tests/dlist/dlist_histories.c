/* SPDX-License-Identifier: Apache-2.0 */
/* Doubly linked lists that many items change at once: rounds without end, stretches of an item's
 * own, and recorded histories with an order that explains them. */
#include "dlist/dlist_lin.h"
#include "dlist/test_dlist.h"

static clade_program *build_recorder(struct fixture *f, cl_kernel *kernel, const char *name)
{
    clade_program *program;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = "dlist/dlist_history.cl",
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(kernel, program, name));
    return program;
}

/* In kernels: a launch does `turns` rounds, in each of which every item's node goes in and out;
 * then comes a reclaim. */
void a_million_rounds_take_constant_memory(void **state)
{
    struct fixture *f = *state;
    enum { ITEMS = 4, TURNS = 1000 };
    const uint64_t rounds = fixture_scaled(2000, 1000000, 1000000);
    const size_t items = ITEMS, group = 1;
    /* What was erased is walked past until the next reclaim: where a driver ends loops, sooner.
     */
    const cl_uint turns = f->caps->loop_limit ? TURNS / 20 : TURNS;
    uint32_t wrong[ITEMS];
    clade_dlist_stats before, after;
    cl_kernel kernel;
    clade_program *program = build_recorder(f, &kernel, "dlist_rounds");
    clade_dlist *list =
        open_list(f, (clade_dlist_params) { .capacity = ITEMS * TURNS, .value = CLADE_U64 });
    cl_mem mem = clade_dlist_mem(list), out = fixture_buffer(f, sizeof wrong, NULL);
    if (rounds < 1000000)
        print_message("%llu rounds of %d nodes each; CLADE_TEST_SIZE=normal does a million\n",
                      (unsigned long long)rounds, ITEMS);
    assert_ok(clade_dlist_stats_read(list, &before));
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, out);
    fixture_arg(kernel, 2, turns);
    for (uint64_t done = 0; done < rounds; done += turns) {
        fixture_launch(f, kernel, items, group);
        fixture_read(f, out, 0, wrong, sizeof wrong);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(wrong[i], 0);
        assert_ok(clade_dlist_reclaim(list, NULL));
    }
    assert_ok(clade_dlist_stats_read(list, &after));
    assert_int_equal(after.live, 0);
    assert_int_equal(after.free, ITEMS * TURNS);
    assert_true(after.bytes == before.bytes);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    close_list(list);
}

/* A stretch of the list as its item should have made it: values in order. */
struct stretch {
    uint32_t count;
    uint32_t which[256];
};

static void repeat_on_model(struct stretch *s, const struct dlist_lin_record *records, uint32_t ops,
                            uint64_t *known)
{
    *s = (struct stretch) { 1, { 0 } };
    *known = 1;
    for (uint32_t i = 0; i < ops; i++) {
        const struct dlist_lin_record *r = &records[i];
        uint32_t at = 0;
        while (at < s->count && s->which[at] != r->invoked)
            at++;
        assert_int_equal(r->status, at < s->count ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (at == s->count)
            continue;
        if (r->op == CLADE_DLIST_ERASE) {
            s->count--;
            memmove(s->which + at, s->which + at + 1, (s->count - at) * sizeof s->which[0]);
        } else {
            at += r->op == CLADE_DLIST_INSERT_AFTER;
            memmove(s->which + at + 1, s->which + at, (s->count - at) * sizeof s->which[0]);
            s->which[at] = (uint32_t)(*known)++;
            s->count++;
        }
    }
}

/* Every outcome and the whole final list follow from each item's own operations, whatever its
 * neighbours do at the same time. */
void stretches_of_many_items_are_exact(void **state)
{
    struct fixture *f = *state;
    const size_t items = fixture_scaled(64, 2048, 32768), group = 64;
    const cl_uint ops = (cl_uint)fixture_scaled(16, 64, 64), seed = (cl_uint)f->seed;
    cl_kernel kernel;
    clade_program *program = build_recorder(f, &kernel, "dlist_stretches");
    clade_dlist *list =
        open_list(f, (clade_dlist_params) { .capacity = items * (ops + 1), .value = CLADE_U64 });
    const size_t count = items * ops;
    uint64_t *values = calloc(items * (ops + 1), 8), total, known;
    uint32_t *refs = calloc(items * (ops + 1), 4), *first = calloc(items, 4);
    struct dlist_lin_record *records = calloc(count, sizeof *records);
    for (size_t i = 0; i < items; i++)
        values[i] = (uint64_t)i << 32;
    assert_ok(clade_dlist_append(list, clade_host(values), clade_host(first), items,
                                 clade_no_array(), NULL));
    for (size_t i = 0; i < items; i++)
        refs[i * (ops + 1)] = first[i];
    cl_mem mem = clade_dlist_mem(list), refs_mem = fixture_buffer(f, items * (ops + 1) * 4, refs);
    cl_mem out = fixture_buffer(f, count * sizeof *records, records);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, refs_mem);
    fixture_arg(kernel, 2, out);
    fixture_arg(kernel, 3, ops);
    fixture_arg(kernel, 4, seed);
    fixture_launch(f, kernel, items, group);
    fixture_read(f, out, 0, records, count * sizeof *records);
    assert_ok(clade_dlist_check(list));
    assert_ok(clade_dlist_read(list, 0, values, NULL, items * (ops + 1), &total));
    uint64_t at = 0;
    for (size_t item = 0; item < items; item++) {
        struct stretch s;
        repeat_on_model(&s, records + item * ops, ops, &known);
        for (uint32_t i = 0; i < s.count; i++, at++)
            assert_true(at < total && values[at] == ((uint64_t)item << 32) + s.which[i]);
    }
    assert_int_equal(at, total);
    /* Backward the same. */
    uint64_t *back = calloc(total, 8), again;
    assert_ok(clade_dlist_read(list, 1, back, NULL, total, &again));
    assert_int_equal(again, total);
    for (uint64_t i = 0; i < total; i++)
        assert_true(back[i] == values[total - 1 - i]);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(refs_mem);
    clReleaseMemObject(out);
    free(back);
    free(records);
    free(first);
    free(refs);
    free(values);
    close_list(list);
}

/* The records of one launch, with the list before and behind it as operations of their own. */
static size_t record_history(struct fixture *f, clade_dlist *list, cl_kernel kernel, size_t items,
                             cl_uint ops, cl_uint seed, struct dlist_lin_record *all)
{
    enum { SLOTS = 4 };
    const size_t count = items * ops, group = 1;
    uint32_t slots[SLOTS] = { 0 }, nodes[LIN_EXACT_OPS];
    const uint32_t zeros[2] = { 0 };
    cl_uint clock_start = 4, slot_count = 1 + seed % SLOTS;
    uint64_t left;
    assert_ok(
        clade_dlist_append(list, clade_host(zeros), clade_host(slots), 2, clade_no_array(), NULL));
    for (uint32_t i = 0; i < 2; i++)
        all[i] =
            (struct dlist_lin_record) { 2 * i,    2 * i + 1, CLADE_DLIST_INSERT_BEFORE, 0, slots[i],
                                        CLADE_OK, 0 };
    cl_mem mem = clade_dlist_mem(list), slots_mem = fixture_buffer(f, sizeof slots, slots);
    cl_mem clock = fixture_buffer(f, sizeof clock_start, &clock_start);
    cl_mem out = fixture_buffer(f, count * sizeof *all, NULL);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, clock);
    fixture_arg(kernel, 2, slots_mem);
    fixture_arg(kernel, 3, slot_count);
    fixture_arg(kernel, 4, out);
    fixture_arg(kernel, 5, ops);
    fixture_arg(kernel, 6, seed);
    fixture_launch(f, kernel, items, group);
    fixture_read(f, out, 0, all + 2, count * sizeof *all);
    assert_ok(clade_dlist_check(list));
    assert_ok(clade_dlist_read(list, 0, NULL, nodes, LIN_EXACT_OPS, &left));
    size_t total = count + 2;
    for (uint64_t i = 0; i <= left && total < LIN_EXACT_OPS; i++, total++)
        all[total] = (struct dlist_lin_record) { (uint32_t)(1u << 30) + 2 * (uint32_t)i,
                                                 (uint32_t)(1u << 30) + 2 * (uint32_t)i + 1,
                                                 CLADE_DLIST_NEXT,
                                                 i > 0 ? nodes[i - 1] : CLADE_NIL,
                                                 i < left ? nodes[i] : CLADE_NIL,
                                                 CLADE_OK,
                                                 0 };
    clReleaseMemObject(slots_mem);
    clReleaseMemObject(clock);
    clReleaseMemObject(out);
    return total;
}

void histories_are_linearizable(void **state)
{
    struct fixture *f = *state;
    const int rounds = (int)fixture_scaled(5, 200, 2000);
    cl_kernel kernel;
    clade_program *program = build_recorder(f, &kernel, "dlist_history");
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 60 });
    struct dlist_lin_record all[LIN_EXACT_OPS];
    for (int round = 0; round < rounds; round++) {
        assert_ok(clade_dlist_clear(list, NULL));
        const size_t count =
            record_history(f, list, kernel, 8, 4, (cl_uint)(f->seed + (uint64_t)round * 7919), all);
        const lin_verdict verdict = dlist_lin_check(all, count);
        if (verdict != LIN_OK)
            print_error("round %d: verdict %d\n", round, verdict);
        assert_int_equal(verdict, LIN_OK);
    }
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    close_list(list);
}
