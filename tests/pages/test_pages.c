/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that the pages of the structures show (docs/examples/structures) do what they say:
 * each with an object made by the host, 64 work-items, and the outcome looked at. Where the tree
 * was moved, CLADE_KERNEL_PATH names their folder besides. */
#include <clade/clade.h>

#include "harness/fixture.h"

enum { ITEMS = 64, LOCAL_BYTES = (2 * ITEMS + 4) * 4 };

struct example {
    clade_program *program;
    cl_kernel kernel;
};

static struct example example_open(struct fixture *f, const char *file, const char *kernel,
                                   const char *options)
{
    struct example example;
    assert_ok(clade_program_build(
        &example.program, f->context,
        &(clade_program_params) { .file = file, .include_path = EXAMPLES, .options = options }));
    assert_ok(clade_program_kernel(&example.kernel, example.program, kernel));
    return example;
}

static void example_close(struct example *example)
{
    clReleaseKernel(example->kernel);
    clade_program_destroy(&example->program);
}

/* A buffer of ITEMS words: the kernel's argument `at`. */
static cl_mem words(struct fixture *f, const struct example *example, cl_uint at,
                    const uint32_t *content)
{
    cl_mem mem = fixture_buffer(f, ITEMS * sizeof *content, content);
    fixture_arg(example->kernel, at, mem);
    return mem;
}

static void launch(struct fixture *f, const struct example *example, cl_mem object)
{
    fixture_arg(example->kernel, 0, object);
    fixture_launch(f, example->kernel, ITEMS, f->caps->is_cpu ? 1 : 32);
}

static void heap_gives_the_smallest_and_takes_them_back(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap;
    const clade_heap_params params = { .capacity = 1000, .batch = ITEMS };
    int32_t keys[2 * ITEMS];
    uint64_t got = 0;
    for (int i = 0; i < 2 * ITEMS; i++)
        keys[i] = 1000 + 2 * i;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 2 * ITEMS, NULL));
    struct example example = example_open(f, "heap.cl", "halve", clade_heap_options(heap));
    cl_mem mem = words(f, &example, 1, (const uint32_t[ITEMS]) { 0 });
    const cl_mem object = clade_heap_mem(heap);
    const size_t size = f->caps->is_cpu ? 1 : 32; /* one group */
    fixture_arg(example.kernel, 0, object);
    fixture_launch(f, example.kernel, size, size);
    assert_ok(clade_heap_pop(heap, clade_host(keys), clade_no_array(), 2 * ITEMS, clade_host(&got),
                             NULL));
    assert_int_equal(got, 2 * ITEMS);
    for (int i = 0; i < 2 * ITEMS; i++)
        assert_int_equal(keys[i], i < ITEMS ? 500 + i : 1000 + 2 * i);
    clReleaseMemObject(mem);
    example_close(&example);
    clade_heap_destroy(&heap);
}

static void kma_gives_each_item_a_block(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma;
    clade_kma_stats stats;
    uint32_t refs[ITEMS] = { 0 };
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 8 << 20 }));
    struct example example = example_open(f, "kma.cl", "fill", clade_kma_options(kma));
    cl_mem mem = words(f, &example, 1, refs);
    launch(f, &example, clade_kma_mem(kma));
    fixture_read(f, mem, 0, refs, sizeof refs);
    for (int i = 0; i < ITEMS; i++)
        assert_int_not_equal(refs[i], 0);
    assert_ok(clade_kma_check(kma, refs, ITEMS));
    assert_ok(clade_kma_free(kma, clade_host(refs), ITEMS, NULL));
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    assert_int_equal(stats.bad_frees, 0);
    clReleaseMemObject(mem);
    example_close(&example);
    clade_kma_destroy(&kma);
}

static void list_takes_each_key_once(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 10 };
    clade_list *list;
    uint32_t keys[ITEMS], there[KEYS], winner[KEYS];
    int32_t statuses[ITEMS];
    uint64_t count;
    int entered = 0;
    for (uint32_t i = 0; i < ITEMS; i++)
        keys[i] = i % KEYS;
    memset(statuses, 1, sizeof statuses);
    assert_ok(clade_list_create(
        &list, f->context,
        &(clade_list_params) { .capacity = 2 * ITEMS, .key = CLADE_U32, .value = CLADE_U32 }));
    struct example example = example_open(f, "list.cl", "enter", clade_list_options(list));
    cl_mem given = words(f, &example, 1, keys), said = words(f, &example, 2, (uint32_t *)statuses);
    launch(f, &example, clade_list_mem(list));
    fixture_read(f, said, 0, statuses, sizeof statuses);
    assert_ok(clade_list_read(list, there, winner, NULL, KEYS, &count));
    assert_int_equal(count, KEYS);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_LIST_EXISTS);
        entered += statuses[i] == CLADE_OK;
    }
    assert_int_equal(entered, KEYS);
    for (uint32_t k = 0; k < KEYS; k++) {
        assert_int_equal(there[k], k);
        assert_int_equal(keys[winner[k]], k);
        assert_int_equal(statuses[winner[k]], CLADE_OK);
    }
    clReleaseMemObject(given);
    clReleaseMemObject(said);
    example_close(&example);
    clade_list_destroy(&list);
}

static void dlist_has_twice_the_value_behind_each(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list;
    uint32_t values[2 * ITEMS], nodes[ITEMS];
    uint64_t count;
    for (uint32_t i = 0; i < ITEMS; i++)
        values[i] = 1000 + i;
    assert_ok(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = 4 * ITEMS }));
    assert_ok(clade_dlist_append(list, clade_host(values), clade_host(nodes), ITEMS,
                                 clade_no_array(), NULL));
    struct example example = example_open(f, "dlist.cl", "double_all", NULL);
    cl_mem given = words(f, &example, 1, nodes), made = words(f, &example, 2, nodes);
    launch(f, &example, clade_dlist_mem(list));
    fixture_read(f, made, 0, nodes, sizeof nodes);
    assert_ok(clade_dlist_read(list, 0, values, NULL, 2 * ITEMS, &count));
    assert_int_equal(count, 2 * ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_not_equal(nodes[i], 0);
        assert_int_equal(values[2 * i], 1000 + i);
        assert_int_equal(values[2 * i + 1], 2000 + 2 * i);
    }
    clReleaseMemObject(given);
    clReleaseMemObject(made);
    example_close(&example);
    clade_dlist_destroy(&list);
}

static void queue_runs_empty_when_all_is_done(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue;
    uint32_t jobs[ITEMS];
    uint64_t size;
    int launches = 0;
    for (int i = 0; i < ITEMS; i++)
        jobs[i] = 2;
    assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = ITEMS }));
    assert_ok(clade_queue_append(queue, clade_host(jobs), ITEMS, clade_no_array(), NULL));
    struct example example = example_open(f, "queue.cl", "work", NULL);
    do {
        launch(f, &example, clade_queue_mem(queue));
        assert_ok(clade_queue_size(queue, &size));
    } while (++launches < 30 && size > 0);
    assert_int_equal(size, 0);
    assert_true(launches >= 3); /* a job takes three steps, and an item does one */
    example_close(&example);
    clade_queue_destroy(&queue);
}

static void arraylist_keeps_the_positive_numbers(void **state)
{
    struct fixture *f = *state;
    clade_arraylist *list;
    float numbers[ITEMS], kept[ITEMS];
    uint64_t size;
    double sum = 0;
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i % 3 == 0 ? (float)i : (float)-i;
    assert_ok(clade_arraylist_create(
        &list, f->context,
        &(clade_arraylist_params) { .capacity = ITEMS, .element_bytes = 4, .first = 8 }));
    struct example example = example_open(f, "arraylist.cl", "keep", clade_arraylist_options(list));
    cl_mem kma = clade_kma_mem(clade_arraylist_kma(list));
    cl_mem given = fixture_buffer(f, sizeof numbers, numbers);
    fixture_arg(example.kernel, 1, kma);
    fixture_arg(example.kernel, 2, given);
    assert_int_equal(clSetKernelArg(example.kernel, 3, LOCAL_BYTES, NULL), CL_SUCCESS);
    launch(f, &example, clade_arraylist_mem(list));
    assert_ok(clade_arraylist_size(list, &size));
    assert_int_equal(size, 21); /* 3, 6, 9 .. 63 */
    assert_ok(clade_arraylist_read(list, 0, clade_host(kept), size, NULL));
    for (uint64_t i = 0; i < size; i++)
        sum += kept[i];
    assert_int_equal((int)sum, 3 * 21 * 22 / 2);
    clReleaseMemObject(given);
    example_close(&example);
    clade_arraylist_destroy(&list);
}

static void semilist_has_all_but_42(void **state)
{
    struct fixture *f = *state;
    clade_semilist *list;
    uint32_t keys[ITEMS];
    uint64_t count;
    for (uint32_t i = 0; i < ITEMS; i++)
        keys[i] = i;
    assert_ok(clade_semilist_create(&list, f->context,
                                    &(clade_semilist_params) { .capacity = 2 * ITEMS }));
    struct example example = example_open(f, "semilist.cl", "note", clade_semilist_options(list));
    cl_mem kma = clade_kma_mem(clade_semilist_kma(list));
    cl_mem given = words(f, &example, 2, keys);
    fixture_arg(example.kernel, 1, kma);
    launch(f, &example, clade_semilist_mem(list));
    assert_ok(clade_semilist_read(list, keys, NULL, NULL, ITEMS, &count));
    assert_int_equal(count, ITEMS - 1);
    for (int i = 0; i < ITEMS - 1; i++)
        assert_int_not_equal(keys[i], 42);
    assert_ok(clade_semilist_check(list));
    clReleaseMemObject(given);
    example_close(&example);
    clade_semilist_destroy(&list);
}

static void rbtree_sells_each_seat_once(void **state)
{
    struct fixture *f = *state;
    enum { SEATS = ITEMS - 4 };
    clade_rbtree *tree;
    uint32_t seats[SEATS], prices[SEATS], paid[ITEMS] = { 0 };
    uint64_t size;
    int sold[SEATS] = { 0 }, none = 0;
    for (uint32_t i = 0; i < SEATS; i++) {
        seats[i] = 10 * i;
        prices[i] = 100 + i;
    }
    assert_ok(clade_rbtree_create(
        &tree, f->context, &(clade_rbtree_params) { .capacity = SEATS, .value = CLADE_U32 }));
    assert_ok(clade_rbtree_insert(tree, clade_host(seats), clade_host(prices), SEATS,
                                  clade_no_array(), NULL));
    struct example example = example_open(f, "rbtree.cl", "book", NULL);
    cl_mem wishes = words(f, &example, 1, paid), told = words(f, &example, 2, paid);
    launch(f, &example, clade_rbtree_mem(tree));
    fixture_read(f, told, 0, paid, sizeof paid);
    for (int i = 0; i < ITEMS; i++) {
        none += paid[i] == 0;
        if (paid[i] != 0)
            sold[paid[i] - 100]++;
    }
    assert_int_equal(none, ITEMS - SEATS);
    for (int i = 0; i < SEATS; i++)
        assert_int_equal(sold[i], 1);
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, 0);
    clReleaseMemObject(wishes);
    clReleaseMemObject(told);
    example_close(&example);
    clade_rbtree_destroy(&tree);
}

static void adheap_doubles_each_heaps_smallest(void **state)
{
    struct fixture *f = *state;
    enum { HEAPS = 4, KEYS = 5 };
    clade_adheap *heaps;
    uint32_t keys[HEAPS * KEYS];
    const size_t group = f->caps->subgroup_size > 1 ? f->caps->subgroup_size : 1;
    for (uint32_t i = 0; i < HEAPS * KEYS; i++)
        keys[i] = 3 + i;
    assert_ok(clade_adheap_create(
        &heaps, f->context,
        &(clade_adheap_params) { .heaps = HEAPS, .capacity = KEYS, .key = CLADE_U32 }));
    assert_ok(clade_adheap_build(heaps, clade_host(keys), clade_no_array(), KEYS, NULL));
    struct example example = example_open(f, "adheap.cl", "double_the_smallest", NULL);
    cl_mem object = clade_adheap_mem(heaps);
    fixture_arg(example.kernel, 0, object);
    fixture_launch(f, example.kernel, HEAPS * group, group);
    assert_ok(clade_adheap_check(heaps));
    assert_ok(
        clade_adheap_pop(heaps, clade_host(keys), clade_no_array(), KEYS, clade_no_array(), NULL));
    const uint32_t first[KEYS] = { 4, 5, 6, 6, 7 }; /* 3 .. 7, the 3 doubled */
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(keys[i], first[i]);
    for (uint32_t heap = 1; heap < HEAPS; heap++)
        assert_int_equal(keys[heap * KEYS + KEYS - 1], 2 * (3 + heap * KEYS));
    example_close(&example);
    clade_adheap_destroy(&heaps);
}

int main(void)
{
    /* In a short run the compiler's time is most of it. */
    if (fixture_is_small())
        setenv("CLADE_BUILD_OPTIONS", "-cl-opt-disable", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_gives_the_smallest_and_takes_them_back),
        cmocka_unit_test(kma_gives_each_item_a_block),
        cmocka_unit_test(list_takes_each_key_once),
        cmocka_unit_test(dlist_has_twice_the_value_behind_each),
        cmocka_unit_test(queue_runs_empty_when_all_is_done),
        cmocka_unit_test(arraylist_keeps_the_positive_numbers),
        cmocka_unit_test(semilist_has_all_but_42),
        cmocka_unit_test(rbtree_sells_each_seat_once),
        cmocka_unit_test(adheap_doubles_each_heaps_smallest),
    };
    return fixture_run("pages", tests);
}
