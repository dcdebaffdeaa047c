/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree in kernels: all operations at once give what they must, nodes come back inside a
 * launch. */
#include <clade/rbtree.h>

#include "harness/fixture.h"
#include "list/list_lin.h"

/* A tree, the kernels of tests/rbtree/rbtree_mix.cl, and a buffer of two counters: wrong, busy. */
struct mix {
    struct fixture *f;
    clade_rbtree *tree;
    clade_program *program;
    cl_mem wrong;
    size_t group; /* 0: 64 items */
};

static void open_mix(struct mix *m, struct fixture *f, uint32_t capacity, uint32_t leaf_capacity)
{
    const uint32_t zeros[2] = { 0, 0 };
    *m = (struct mix) { .f = f };
    assert_ok(clade_rbtree_create(&m->tree, f->context,
                                  &(clade_rbtree_params) { .capacity = capacity,
                                                           .value = CLADE_U32,
                                                           .leaf_capacity = leaf_capacity,
                                                           .path = CLADE_RBTREE_CONCURRENT }));
    assert_ok(
        clade_program_build(&m->program, f->context,
                            &(clade_program_params) { .file = "rbtree/rbtree_mix.cl",
                                                      .include_path = fixture_kernels(TEST_KERNELS),
                                                      .options = clade_rbtree_options(m->tree) }));
    m->wrong = fixture_buffer(f, sizeof zeros, zeros);
}

static void close_mix(struct mix *m)
{
    clade_rbtree_destroy(&m->tree);
    clade_program_destroy(&m->program);
    clReleaseMemObject(m->wrong);
}

struct value {
    size_t bytes;
    const void *at;
};
#define VALUE(variable)               \
    {                                 \
        sizeof(variable), &(variable) \
    }

static void run(struct mix *m, const char *name, size_t items, const struct value *values,
                size_t count)
{
    cl_kernel kernel = NULL;
    cl_mem object = clade_rbtree_mem(m->tree);
    const size_t most = m->group ? m->group : 64, group = items < most ? items : most;
    assert_ok(clade_program_kernel(&kernel, m->program, name));
    fixture_arg(kernel, 0, object);
    for (cl_uint i = 0; i < count; i++)
        assert_int_equal(clSetKernelArg(kernel, i + 1, values[i].bytes, values[i].at), CL_SUCCESS);
    fixture_launch(m->f, kernel, items, group);
    assert_ok(clade_finish(m->f->context));
    clReleaseKernel(kernel);
}

#define RUN(mix, name, items, ...)                                      \
    run((mix), (name), (items), (const struct value[]) { __VA_ARGS__ }, \
        sizeof((const struct value[]) { __VA_ARGS__ }) / sizeof(struct value))

/* Not an operation went wrong, and some of the `many` did something. */
static void assert_nothing_wrong(struct mix *m, size_t many)
{
    uint32_t counts[2];
    fixture_read(m->f, m->wrong, 0, counts, sizeof counts);
    assert_int_equal(counts[0], 0);
    if (counts[1] > 0)
        printf("%u operations were too busy\n", counts[1]);
    assert_true(counts[1] < many);
    assert_ok(clade_rbtree_check(m->tree));
}

static const uint32_t capacities[] = { 1, 6, 14 };

/* The next one after the c-th: in a short run not the one between the least and the default. */
static size_t next_capacity(size_t c)
{
    return c == 0 && fixture_is_small() ? 2 : c + 1;
}

static void items_with_keys_of_their_own_see_their_own_results(void **state)
{
    struct fixture *f = *state;
    const uint32_t items = (uint32_t)fixture_scaled(8, 256, 8192), keys = 8, n = items * keys;
    const uint32_t steps = (uint32_t)fixture_scaled(15, 200, 2000), seed = (uint32_t)f->seed;
    uint32_t *known = test_calloc(n, 4), *fixed = test_calloc(n, 4), *values = test_calloc(n, 4);
    for (uint32_t i = 0; i < n; i++) {
        fixed[i] = i * 4 + 1;
        values[i] = ~fixed[i];
    }
    for (size_t c = 0; c < 3; c = next_capacity(c)) {
        struct mix m;
        open_mix(&m, f, 3 * n, capacities[c]);
        cl_mem known_mem = fixture_buffer(f, 4 * n, known);
        assert_ok(clade_rbtree_insert(m.tree, clade_host(fixed), clade_host(values), n,
                                      clade_no_array(), NULL));
        RUN(&m, "mix_own", items, VALUE(known_mem), VALUE(keys), VALUE(steps), VALUE(seed),
            VALUE(m.wrong));
        assert_nothing_wrong(&m, (size_t)items * steps);
        uint32_t *after = test_calloc(n, 4);
        uint64_t size, wanted = n;
        fixture_read(f, known_mem, 0, after, 4 * n);
        for (uint32_t i = 0; i < n; i++)
            wanted += after[i] != 0;
        assert_ok(clade_rbtree_size(m.tree, &size));
        assert_int_equal(size, wanted);
        test_free(after);
        clReleaseMemObject(known_mem);
        close_mix(&m);
    }
    test_free(known);
    test_free(fixed);
    test_free(values);
}

static void inserts_less_erases_of_a_shared_key_are_its_presence(void **state)
{
    struct fixture *f = *state;
    const uint32_t items = (uint32_t)fixture_scaled(16, 512, 16384), keys = 50;
    const uint32_t steps = (uint32_t)fixture_scaled(20, 200, 500), seed = (uint32_t)f->seed + 1;
    for (size_t c = 0; c < 3; c = next_capacity(c)) {
        struct mix m;
        uint32_t balance[50] = { 0 }, all[50];
        int32_t statuses[50];
        open_mix(&m, f, 2 * keys, capacities[c]);
        cl_mem balance_mem = fixture_buffer(f, sizeof balance, balance);
        RUN(&m, "mix_shared", items, VALUE(balance_mem), VALUE(keys), VALUE(steps), VALUE(seed),
            VALUE(m.wrong));
        assert_nothing_wrong(&m, (size_t)items * steps);
        fixture_read(f, balance_mem, 0, balance, sizeof balance);
        for (uint32_t i = 0; i < keys; i++)
            all[i] = i;
        assert_ok(clade_rbtree_find(m.tree, clade_host(all), clade_no_array(), keys,
                                    clade_host(statuses), NULL));
        for (uint32_t i = 0; i < keys; i++)
            assert_int_equal(balance[i], statuses[i] == CLADE_OK ? 1 : 0);
        clReleaseMemObject(balance_mem);
        close_mix(&m);
    }
}

/* Nodes come back inside a launch: the pool holds twice what lives at once, what is inserted needs
 * many times as many leaves and routers, and not one insert finds it full. */
static void endless_insert_and_erase_runs_in_constant_memory(void **state)
{
    struct fixture *f = *state;
    const uint32_t items = (uint32_t)fixture_scaled(8, 64, 1024), live = 20;
    const uint32_t steps = (uint32_t)fixture_scaled(400, 1500, 20000);
    for (size_t c = 0; c < 3; c = next_capacity(c)) {
        struct mix m;
        clade_rbtree_stats stats;
        clade_rbtree_head head;
        open_mix(&m, f, 2 * items * (live + 1), capacities[c]);
        RUN(&m, "mix_window", items, VALUE(live), VALUE(steps), VALUE(m.wrong));
        assert_nothing_wrong(&m, (size_t)items * steps);
        assert_ok(clade_rbtree_stats_read(m.tree, &stats));
        fixture_read(f, clade_rbtree_mem(m.tree), 0, &head, sizeof head);
        print_message("leaves of %u: %llu splits and %llu removals with %u of %u leaves and %u of "
                      "%u routers\n",
                      capacities[c], (unsigned long long)stats.splits,
                      (unsigned long long)stats.merges, head.leaves_used, head.leaf_total,
                      head.routers_used, head.router_total);
        assert_int_equal(stats.size, 0);
        assert_int_equal(stats.full, 0);
        assert_int_equal(stats.leaked, 0);
        assert_true(head.leaves_used <= head.leaf_total && head.routers_used <= head.router_total);
        assert_true(stats.splits >= 3 * stats.leaves_total);
        close_mix(&m);
    }
}

static void ranges_beside_writers_keep_their_promise(void **state)
{
    struct fixture *f = *state;
    const uint32_t items = (uint32_t)fixture_scaled(8, 64, 1024), n = 200, seed = 5;
    const uint32_t steps = (uint32_t)fixture_scaled(20, 500, 5000);
    uint32_t fixed[200];
    for (uint32_t i = 0; i < n; i++)
        fixed[i] = i * 4 + 1;
    for (size_t c = 0; c < 3; c = next_capacity(c)) {
        struct mix m;
        open_mix(&m, f, 3 * n, capacities[c]);
        cl_mem rows = fixture_buffer(f, items * 256, NULL);
        assert_ok(clade_rbtree_insert(m.tree, clade_host(fixed), clade_no_array(), n,
                                      clade_no_array(), NULL));
        RUN(&m, "mix_range", items, VALUE(rows), VALUE(n), VALUE(steps), VALUE(seed),
            VALUE(m.wrong));
        assert_nothing_wrong(&m, (size_t)items * steps);
        clReleaseMemObject(rows);
        close_mix(&m);
    }
}

/* Inserts that rotate, erases that remove leaves, and a look inside: what each planted bug spoils.
 */
static void a_tree_that_turns_and_shrinks_stays_sound(void **state)
{
    enum { MOST = 300 };
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(100, MOST, MOST);
    struct mix m;
    uint32_t keys[MOST], results[2] = { 0, 0 };
    int32_t statuses[MOST];
    struct random random = random_from(1); /* double rotations too, whatever the seed */
    open_mix(&m, f, 2 * n, 1);
    for (int order = 0; order < 2; order++) {
        for (uint32_t i = 0; i < n; i++)
            keys[i] = order ? (uint32_t)random_next(&random) : i & 1u ? n + i : n - i;
        assert_ok(clade_rbtree_insert(m.tree, clade_host(keys), clade_no_array(), n,
                                      clade_no_array(), NULL));
        assert_ok(clade_rbtree_check(m.tree));
        assert_ok(clade_rbtree_find(m.tree, clade_host(keys), clade_no_array(), n,
                                    clade_host(statuses), NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_ok(clade_rbtree_erase(m.tree, clade_host(keys), clade_no_array(), n - 20,
                                     clade_no_array(), NULL));
        assert_ok(clade_rbtree_check(m.tree));
        assert_ok(clade_rbtree_erase(m.tree, clade_host(keys + n - 20), clade_no_array(), 20,
                                     clade_no_array(), NULL));
    }
    cl_mem mem = fixture_buffer(f, sizeof results, results);
    RUN(&m, "look_inside", 1, VALUE(mem));
    fixture_read(f, mem, 0, results, sizeof results);
    clReleaseMemObject(mem);
    assert_true(results[0] == 1 && results[1] == 1);
    close_mix(&m);
}

/* Operations that gave up took no effect, so they are no part of the history. */
static size_t without_busy(struct list_record *records, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].status != CLADE_E_BUSY)
            records[kept++] = records[i];
    return kept;
}

static void record_histories(struct mix *m, enum list_history_kind kind, uint32_t keys, int worlds)
{
    const uint32_t items = (uint32_t)fixture_scaled(16, 512, 2048), ops = 40, zero = 0;
    const size_t count = (size_t)items * ops;
    size_t busy = 0;
    struct list_record *records = calloc(count, sizeof *records);
    cl_mem out = fixture_buffer(m->f, count * sizeof *records, NULL);
    cl_mem clock = fixture_buffer(m->f, sizeof zero, &zero);
    const cl_uint what = kind;
    for (int world = 0; world < worlds; world++) {
        lin_report report = { "", SIZE_MAX, SIZE_MAX };
        const cl_uint seed = (cl_uint)m->f->seed + (cl_uint)world * 77u;
        assert_ok(clade_rbtree_clear(m->tree, NULL));
        RUN(m, "mix_history", items, VALUE(clock), VALUE(out), VALUE(what), VALUE(keys), VALUE(ops),
            VALUE(seed));
        fixture_read(m->f, out, 0, records, count * sizeof *records);
        const size_t kept = without_busy(records, count);
        const lin_verdict verdict = list_lin_check(records, kept, kind, &report);
        busy += count - kept;
        if (verdict != LIN_OK)
            print_error("verdict %d: %s (operations %zu, %zu)\n", verdict, report.why, report.op,
                        report.other);
        assert_int_equal(verdict, LIN_OK);
        assert_ok(clade_rbtree_check(m->tree));
    }
    print_message("%u keys: %zu operations, %zu of them too busy\n", keys, count * (size_t)worlds,
                  busy);
    clReleaseMemObject(clock);
    clReleaseMemObject(out);
    free(records);
}

static void histories_are_linearizable(void **state)
{
    struct fixture *f = *state;
    const int worlds = (int)fixture_scaled(2, 10, 50);
    for (size_t c = 0; c < (fixture_is_small() ? 1 : 3); c++) {
        struct mix m;
        open_mix(&m, f, 1000, capacities[c]);
        /* PoCL does a group's items one after the other. */
        m.group = f->caps->is_cpu && f->caps->loop_limit == 0 ? 1 : 8;
        record_histories(&m, LIST_HISTORY_SET, 6, worlds);
        record_histories(&m, LIST_HISTORY_SET, 60, worlds);
        record_histories(&m, LIST_HISTORY_MAP, 6, worlds);
        close_mix(&m);
    }
    if (fixture_is_small())
        print_message("leaves of 6 and 14: at normal size\n");
}

/* The scratch of the _wg functions has room for so many items; a larger group is told so. */
static void groups_larger_than_the_scratch_are_refused(void **state)
{
    static const char source[] =
        "#define CLADE_RBTREE_GROUP_MAX 16\n"
        "#include \"clade/rbtree.clh\"\n"
        "__kernel void put(__global clade_rbtree_head *tree, __global int *statuses)\n"
        "{\n"
        "    __local clade_rbtree_scratch scratch;\n"
        "    const uint i = (uint)get_local_id(0);\n"
        "    statuses[i] = clade_rbtree_put_wg(tree, 1000u + i, i, true, &scratch);\n"
        "}\n"
        "__kernel void list(__global clade_rbtree_head *tree, __global int *statuses,\n"
        "                   __global uint *rows)\n"
        "{\n"
        "    __local clade_rbtree_range_scratch scratch;\n"
        "    const uint i = (uint)get_local_id(0);\n"
        "    uint count = 77;\n"
        "    statuses[i] = clade_rbtree_range_still_wg(tree, 1000u, 1001u, 2u, rows, 0, &count, "
        "true,\n"
        "                                              &scratch);\n"
        "    rows[2u * get_local_size(0) + i] = count;\n"
        "}\n";
    struct fixture *f = *state;
    int32_t statuses[128];
    uint32_t rows[3 * 128] = { 0 };
    struct mix m;
    open_mix(&m, f, 1000, 0);
    clade_program_destroy(&m.program);
    assert_ok(clade_program_build(
        &m.program, f->context,
        &(clade_program_params) { .source = source, .options = clade_rbtree_options(m.tree) }));
    cl_mem told = fixture_buffer(f, sizeof statuses, NULL),
           out = fixture_buffer(f, sizeof rows, rows);
    for (m.group = 16; m.group <= 32; m.group *= 2) {
        uint64_t keys = 0;
        RUN(&m, "put", m.group, VALUE(told));
        fixture_read(f, told, 0, statuses, m.group * sizeof statuses[0]);
        for (size_t i = 0; i < m.group; i++)
            assert_int_equal(statuses[i], m.group == 16 ? CLADE_OK : CLADE_E_ARG);
        assert_ok(clade_rbtree_size(m.tree, &keys));
        assert_int_equal(keys, 16);
    }
    for (m.group = 64; m.group <= 128; m.group *= 2) {
        RUN(&m, "list", m.group, VALUE(told), VALUE(out));
        fixture_read(f, told, 0, statuses, m.group * sizeof statuses[0]);
        fixture_read(f, out, 0, rows, 3 * m.group * sizeof rows[0]);
        for (size_t i = 0; i < m.group; i++) {
            assert_int_equal(statuses[i], m.group == 64 ? CLADE_OK : CLADE_E_ARG);
            assert_int_equal(rows[2 * m.group + i], m.group == 64 ? 2 : 0);
        }
    }
    assert_ok(clade_rbtree_check(m.tree));
    clReleaseMemObject(told);
    clReleaseMemObject(out);
    close_mix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_with_keys_of_their_own_see_their_own_results),
        cmocka_unit_test(inserts_less_erases_of_a_shared_key_are_its_presence),
        cmocka_unit_test(endless_insert_and_erase_runs_in_constant_memory),
        cmocka_unit_test(ranges_beside_writers_keep_their_promise),
        cmocka_unit_test(histories_are_linearizable),
        cmocka_unit_test(groups_larger_than_the_scratch_are_refused),
        cmocka_unit_test(a_tree_that_turns_and_shrinks_stays_sound),
    };
    return fixture_run("rbtree_mix", tests);
}
