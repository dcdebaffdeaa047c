/* SPDX-License-Identifier: Apache-2.0 */
/* Structures with a capacity, at rest after histories: exactly so much fits as the page says, every
 * insert before is taken, the next one is refused as full, and everything comes out again. By
 * items, by groups and by calls of the host; by one group and by many. */
#include <clade/adheap.h>
#include <clade/heap.h>
#include <clade/queue.h>
#include <clade/rbtree.h>

#include "refusals/refusals.h"

const uint32_t refusals_capacities[] = { 1, 2, 3, 31, 32, 33, 64, 100, 257, 1000 };

size_t refusals_capacity_count(void)
{
    return sizeof refusals_capacities / sizeof refusals_capacities[0];
}

/* --- kernels that count ------------------------------------------------------------------------
 */

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

/* --- the queue -------------------------------------------------------------------------------- */

static void fill_queue(struct fixture *f, clade_queue *queue, uint32_t slots, size_t groups,
                       size_t group)
{
    const uint32_t each = (uint32_t)((slots + 5 + groups * group - 1) / (groups * group));
    uint64_t inside, got;
    uint32_t *values = test_calloc(slots + 1, 4);
    assert_ok(clade_queue_size(queue, &inside));
    struct filler append =
        filler_open(f, "refusals/refusals_queue.cl", "", "refusals_append", clade_queue_mem(queue), NULL);
    filler_word(&append, 1);
    filler_word(&append, each);
    const struct tally tally = filler_run(&append, groups, group);
    assert_int_equal(tally.taken, slots - inside);
    assert_int_equal(tally.full, groups * group * each - tally.taken);
    assert_int_equal(tally.other, 0);
    assert_ok(clade_queue_check(queue));
    assert_fails(clade_queue_append(queue, clade_host(values), 1, NONE, NULL), CLADE_E_FULL);
    assert_ok(clade_queue_pop(queue, clade_host(values), slots + 1, clade_host(&got), NULL));
    assert_int_equal(got, slots);
    for (uint32_t i = 0; i < tally.taken; i++) /* each value of this launch once, then none */
        assert_in_range(values[inside + i], 1, groups * group * each);
    filler_close(&append);
    test_free(values);
}

static void queues_take_what_fits(void **state)
{
    struct fixture *f = *state;
    const uint32_t each = (uint32_t)fixture_scaled(60, 500, 5000);
    for (size_t i = 0; i < refusals_capacity_count(); i++) {
        uint32_t slots = 2, capacity = refusals_capacities[i] + 1;
        clade_queue *queue;
        while (slots < capacity)
            slots *= 2;
        assert_ok(
            clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = capacity }));
        struct filler churn =
            filler_open(f, "refusals/refusals_queue.cl", "", "refusals_churn", clade_queue_mem(queue), NULL);
        filler_word(&churn, each);
        for (int turn = 0; turn < 3; turn++) {
            filler_run(&churn, 4, 8);
            fill_queue(f, queue, slots, turn == 1 ? 1 : 7, turn == 2 ? 1 : 32);
        }
        filler_close(&churn);
        clade_queue_destroy(&queue);
    }
}

/* --- heaps ------------------------------------------------------------------------------------ */

/* By calls: all or none. */
static void fill_heap_by_calls(clade_heap *heap, uint32_t capacity)
{
    uint32_t *keys = test_calloc(capacity + 1, 4);
    uint64_t size, got;
    assert_ok(clade_heap_size(heap, &size));
    const uint64_t room = capacity - size;
    assert_fails(clade_heap_insert(heap, clade_host(keys), NONE, room + 1, NULL), CLADE_E_FULL);
    assert_ok(clade_heap_insert(heap, clade_host(keys), NONE, room, NULL));
    assert_fails(clade_heap_insert(heap, clade_host(keys), NONE, 1, NULL), CLADE_E_FULL);
    assert_ok(clade_heap_check(heap));
    assert_ok(clade_heap_pop(heap, clade_host(keys), NONE, capacity + 1, clade_host(&got), NULL));
    assert_int_equal(got, capacity);
    test_free(keys);
}

static void fill_heap(struct filler *insert, clade_heap *heap, uint32_t capacity, size_t groups,
                      size_t group)
{
    uint32_t *keys = test_calloc(capacity + 1, 4);
    uint64_t size, got;
    assert_ok(clade_heap_size(heap, &size));
    struct tally tally = filler_run(insert, groups, group);
    assert_true(tally.full > 0);
    assert_int_equal(tally.other, 0);
    assert_int_equal(tally.taken, capacity - size);
    assert_ok(clade_heap_check(heap));
    assert_fails(clade_heap_insert(heap, clade_host(keys), NONE, 1, NULL), CLADE_E_FULL);
    assert_ok(clade_heap_pop(heap, clade_host(keys), NONE, capacity + 1, clade_host(&got), NULL));
    assert_int_equal(got, capacity);
    for (uint32_t i = 1; i < capacity; i++)
        assert_true(keys[i - 1] <= keys[i]);
    test_free(keys);
}

static void fill_heaps(struct fixture *f, uint32_t engine)
{
    enum { BATCH = 16 };
    const size_t group = f->caps->is_cpu ? 1 : 32;
    for (size_t i = 0; i < refusals_capacity_count(); i++) {
        const uint32_t capacity = refusals_capacities[i];
        const uint32_t groups = f->caps->loop_limit ? 1 : 6, each = capacity / groups + 3;
        clade_heap *heap;
        assert_ok(clade_heap_create(
            &heap, f->context,
            &(clade_heap_params) {
                .capacity = capacity, .key = CLADE_U32, .batch = BATCH, .engine = engine }));
        const char *options = clade_heap_options(heap);
        cl_mem mem = clade_heap_mem(heap);
        struct filler insert =
            filler_open(f, "refusals/refusals_heap.cl", options, "refusals_insert", mem, NULL);
        struct filler churn =
            filler_open(f, "refusals/refusals_heap.cl", options, "refusals_churn", mem, NULL);
        filler_word(&insert, each);
        filler_word(&insert, capacity < BATCH ? capacity : BATCH);
        filler_word(&churn, (uint32_t)fixture_scaled(20, 200, 2000));
        filler_word(&churn, BATCH);
        for (int turn = 0; turn < 3; turn++) {
            filler_run(&churn, groups, group);
            if (turn == 1)
                fill_heap_by_calls(heap, capacity);
            else
                fill_heap(&insert, heap, capacity, groups, group);
        }
        filler_close(&insert);
        filler_close(&churn);
        clade_heap_destroy(&heap);
    }
}

static void top_down_heaps_take_what_fits(void **state)
{
    fill_heaps(*state, CLADE_HEAP_TOP_DOWN);
}

static void bottom_up_heaps_take_what_fits(void **state)
{
    fill_heaps(*state, CLADE_HEAP_BOTTOM_UP);
}

/* --- the ad-heap ------------------------------------------------------------------------------ */

/* `size` keys are in each heap; `each` are offered, in the object's order. */
static void fill_ad_heaps(clade_adheap *a, uint32_t heaps, uint32_t size, uint32_t capacity,
                          bool merges)
{
    const uint32_t each = capacity - size + 3, all = heaps * each;
    uint32_t *keys = test_calloc(all + heaps * capacity, 4), *sizes = test_calloc(heaps, 4);
    int32_t *statuses = test_calloc(all + heaps * capacity, 4);
    for (uint32_t i = 0; i < all; i++)
        keys[i] = 2 * (i % each);
    if (merges)
        assert_ok(clade_adheap_merge(a, clade_host(keys), NONE, each, clade_host(statuses), NULL));
    else
        assert_ok(clade_adheap_insert(a, clade_host(keys), NONE, each, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < all; i++)
        assert_int_equal(statuses[i], i % each < capacity - size ? CLADE_OK : CLADE_E_FULL);
    assert_ok(clade_adheap_check(a));
    assert_ok(clade_adheap_sizes(a, clade_host(sizes), NULL));
    for (uint32_t h = 0; h < heaps; h++)
        assert_int_equal(sizes[h], capacity);
    const uint32_t out = (capacity + 1) / 2; /* the rest stays for the next turn */
    assert_ok(clade_adheap_pop(a, clade_host(keys), NONE, out, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < heaps * out; i++) {
        assert_int_equal(statuses[i], CLADE_OK);
        assert_true(i % out == 0 || keys[i - 1] <= keys[i]);
    }
    test_free(keys), test_free(sizes), test_free(statuses);
}

static void ad_heaps_take_what_fits(void **state)
{
    struct fixture *f = *state;
    enum { HEAPS = 5 };
    const size_t count = f->caps->loop_limit ? 4 : refusals_capacity_count();
    for (size_t i = 0; i < count; i++) {
        const uint32_t capacity = refusals_capacities[i];
        uint32_t size = 0, more = capacity + 1;
        uint32_t *keys = test_calloc((size_t)HEAPS * more, 4);
        clade_adheap *a;
        assert_ok(clade_adheap_create(
            &a, f->context,
            &(clade_adheap_params) {
                .heaps = HEAPS, .capacity = capacity, .key = CLADE_U32, .arity = 8 }));
        for (int turn = 0; turn < 4; turn++) {
            fill_ad_heaps(a, HEAPS, size, capacity, turn % 2);
            size = capacity - (capacity + 1) / 2;
        }
        assert_ok(clade_adheap_build(a, clade_host(keys), NONE, capacity, NULL));
        assert_fails(clade_adheap_build(a, clade_host(keys), NONE, more, NULL), CLADE_E_ARG);
        assert_ok(clade_adheap_check(a));
        test_free(keys);
        clade_adheap_destroy(&a);
    }
}

/* --- the tree --------------------------------------------------------------------------------- */

/* Keys that are all different, in an order of their own: `salt` is odd. */
static void make_keys(uint32_t *keys, uint32_t count, uint32_t salt, bool ascend)
{
    for (uint32_t i = 0; i < count; i++)
        keys[i] = ascend ? salt + i : (i + salt) * 2654435761u;
}

/* Calls that wait take `capacity` keys in any order, after anything. What more they take they have,
 * and what they refuse they have not. */
static void fill_tree(clade_rbtree *tree, uint32_t capacity, uint32_t salt, bool ascend)
{
    const uint32_t most = 4 * capacity + 600;
    uint32_t *keys = test_calloc(most, 4), taken = 0;
    int32_t *statuses = test_calloc(most, 4), *found = test_calloc(most, 4);
    uint64_t size;
    assert_ok(clade_rbtree_clear(tree, NULL));
    make_keys(keys, most, salt, ascend);
    const uint32_t parts[] = { capacity / 2, capacity - capacity / 2 };
    for (uint32_t part = 0, at = 0; part < 2; at += parts[part++])
        assert_ok(clade_rbtree_insert(tree, clade_host(keys + at), NONE, parts[part], NONE, NULL));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys + capacity), NONE, most - capacity,
                                  clade_host(statuses + capacity), NULL));
    assert_ok(clade_rbtree_check(tree));
    assert_ok(clade_rbtree_find(tree, clade_host(keys), NONE, most, clade_host(found), NULL));
    for (uint32_t i = 0; i < most; i++) {
        if (i >= capacity)
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
        const bool is_in = i < capacity || statuses[i] == CLADE_OK;
        assert_int_equal(found[i], is_in ? CLADE_OK : CLADE_E_NOT_FOUND);
        taken += is_in;
    }
    assert_true(taken < most);
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, taken);
    /* Erase every other one, fill up again: what fitted fits. */
    for (uint32_t i = 0; i < capacity / 2; i++)
        keys[i] = keys[2 * i];
    assert_ok(clade_rbtree_erase(tree, clade_host(keys), NONE, capacity / 2, NONE, NULL));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), NONE, capacity / 2, NONE, NULL));
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, taken);
    assert_ok(clade_rbtree_check(tree));
    test_free(keys), test_free(statuses), test_free(found);
}

static void trees_take_what_fits(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    static const uint32_t capacities[] = { 1, 2, 33, 257, 3000 };
    static const uint32_t paths[] = { CLADE_RBTREE_CONCURRENT, CLADE_RBTREE_GROUPS,
                                      CLADE_RBTREE_BULK, CLADE_RBTREE_AUTO };
    for (size_t i = 0; i < 5; i++)
        for (size_t p = 0; p < 4; p++) {
            clade_rbtree *tree;
            assert_ok(clade_rbtree_create(
                &tree, f->context,
                &(clade_rbtree_params) { .capacity = capacities[i], .path = paths[p] }));
            for (uint32_t turn = 0; turn < 3; turn++)
                fill_tree(tree, capacities[i], 1 + 2 * turn, turn == 1);
            clade_rbtree_destroy(&tree);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_take_what_fits),
        cmocka_unit_test(top_down_heaps_take_what_fits),
        cmocka_unit_test(bottom_up_heaps_take_what_fits),
        cmocka_unit_test(ad_heaps_take_what_fits),
        cmocka_unit_test(trees_take_what_fits),
        cmocka_unit_test(lists_take_what_fits),
        cmocka_unit_test(unordered_lists_take_what_fits),
        cmocka_unit_test(lists_in_an_allocator_take_what_fits),
        cmocka_unit_test(dlists_take_what_fits),
        cmocka_unit_test(semilists_take_what_fits),
        cmocka_unit_test(array_lists_take_what_fits),
        cmocka_unit_test(many_groups_fill_an_array_list),
        cmocka_unit_test(large_segments_fit),
    };
    return fixture_run("refusals", tests);
}
