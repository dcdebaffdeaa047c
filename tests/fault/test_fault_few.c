/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of few keys, which go a way of their own, with the n-th OpenCL or allocation call failing,
 * for every n: inserts and pops that the host does to a heap, batches of few different keys in a
 * tree, and its first keys. The object is sound then, and all of the call took effect or nothing of
 * it. */
#include <clade/rbtree.h>

#include "fault/fault.h"
#include "heap/heap.h"
#include "rbtree/rbtree.h"

enum { KEYS = 50, POPPED = 20, BATCH = 8200, DIFFERENT = 5, INSIDE = 100 };

/* --- a heap ----------------------------------------------------------------------------------- */

struct heap_case {
    clade_heap *heap;
    bool is_pop;
    uint32_t keys[KEYS], values[KEYS];
};

static clade_status change_heap(void *data)
{
    struct heap_case *c = data;
    uint64_t got;
    return c->is_pop
               ? clade_heap_pop(c->heap, clade_host(c->keys), clade_host(c->values), POPPED,
                                clade_host(&got), NULL)
               : clade_heap_insert(c->heap, clade_host(c->keys), clade_host(c->values), KEYS, NULL);
}

static uint64_t heap_size(struct heap_case *c)
{
    uint64_t size = UINT64_MAX;
    assert_ok(clade_heap_check(c->heap));
    assert_ok(clade_heap_size(c->heap, &size));
    return size;
}

/* No kernel is there that would do it; and the heap is as before the call again. */
static void expect_heap(void *data)
{
    struct heap_case *c = data;
    uint64_t got, size = heap_size(c), before = c->is_pop ? KEYS : 0;
    for (int kernel = 0; kernel < HEAP_KERNELS; kernel++)
        assert_null(c->heap->kernels[kernel]);
    if (size != before && size != (c->is_pop ? KEYS - POPPED : KEYS))
        fail_msg("after a fault in %s %u keys are inside", fault_name(), (unsigned)size);
    if (size == before)
        return;
    c->heap->host_pops = 0; /* who pops often gets a kernel */
    assert_ok(clade_heap_pop(c->heap, clade_host(c->keys), clade_host(c->values), KEYS,
                             clade_host(&got), NULL));
    assert_int_equal(got, size);
    if (c->is_pop)
        assert_ok(
            clade_heap_insert(c->heap, clade_host(c->keys), clade_host(c->values), KEYS, NULL));
    c->heap->host_pops = 0;
}

static void few_keys_of_a_heap(void **state)
{
    struct fixture *f = *state;
    struct heap_case c = { .heap = NULL };
    const clade_heap_params params = {
        .capacity = 1000, .key = CLADE_U32, .value = CLADE_U32, .engine = CLADE_HEAP_TOP_DOWN
    };
    for (uint32_t i = 0; i < KEYS; i++)
        c.keys[i] = c.values[i] = i * 2654435761u;
    assert_ok(clade_heap_create(&c.heap, f->context, &params));
    assert_true(fault_every(change_heap, expect_heap, &c) >= 5);
    expect_heap(&c);
    assert_ok(clade_heap_insert(c.heap, clade_host(c.keys), clade_host(c.values), KEYS, NULL));
    c.is_pop = true;
    assert_true(fault_every(change_heap, expect_heap, &c) >= 10);
    clade_heap_destroy(&c.heap);
}

/* --- a tree ----------------------------------------------------------------------------------- */

struct tree_case {
    struct fixture *f;
    clade_rbtree *tree;
    bool is_erase;
    uint32_t keys[BATCH], values[BATCH];
    int32_t statuses[BATCH];
};

static clade_status change_tree(void *data)
{
    struct tree_case *c = data;
    const clade_array keys = clade_host(c->keys), values = clade_host(c->values);
    return c->is_erase
               ? clade_rbtree_erase(c->tree, keys, values, BATCH, clade_host(c->statuses), NULL)
               : clade_rbtree_put(c->tree, keys, values, BATCH, clade_host(c->statuses), NULL);
}

static void expect_tree(void *data)
{
    struct tree_case *c = data;
    const uint64_t without = INSIDE, with = INSIDE + DIFFERENT;
    uint64_t size = UINT64_MAX;
    assert_ok(clade_rbtree_check(c->tree));
    assert_ok(clade_rbtree_size(c->tree, &size));
    if (size != with && size != without)
        fail_msg("after a fault in %s %u keys are inside", fault_name(), (unsigned)size);
    if (size == (c->is_erase ? with : without))
        return;
    c->is_erase = !c->is_erase; /* the other way round */
    assert_ok(change_tree(c));
    c->is_erase = !c->is_erase;
}

static void few_keys_of_a_tree(void **state)
{
    struct fixture *f = *state;
    struct tree_case *c = calloc(1, sizeof *c);
    const clade_rbtree_params params = { .capacity = 1000, .value = CLADE_U32 };
    assert_non_null(c);
    assert_ok(clade_rbtree_create(&c->tree, f->context, &params));
    for (uint32_t i = 0; i < BATCH; i++)
        c->keys[i] = c->values[i] = 3 * i + 1;
    assert_ok(clade_rbtree_insert(c->tree, clade_host(c->keys), clade_host(c->values), INSIDE,
                                  clade_no_array(), NULL));
    for (uint32_t i = 0; i < BATCH; i++)
        c->keys[i] = 3 * (i % DIFFERENT);
    assert_true(fault_every(change_tree, expect_tree, c) >= 10);
    expect_tree(c);
    assert_ok(change_tree(c));
    c->is_erase = true;
    assert_true(fault_every(change_tree, expect_tree, c) >= 10);
    if (f->caps->is_cpu)
        assert_non_null(c->tree->kernels[RBT_FEW]);
    clade_rbtree_destroy(&c->tree);
    free(c);
}

/* An empty tree is written by the host. What it counted before is told afterwards, too. */
enum { RETRIES = 7 };

static void count_retries(struct tree_case *c)
{
    const uint32_t retries = RETRIES;
    fixture_write(c->f, clade_rbtree_mem(c->tree),
                  offsetof(clade_rbtree_head, counters) + 4 * CLADE_RBTREE_RETRIES, &retries,
                  sizeof retries);
}

static clade_status insert_first(void *data)
{
    struct tree_case *c = data;
    return clade_rbtree_insert(c->tree, clade_host(c->keys), clade_host(c->values), INSIDE,
                               clade_host(c->statuses), NULL);
}

static void expect_first(void *data)
{
    struct tree_case *c = data;
    uint64_t size = UINT64_MAX;
    clade_rbtree_stats stats;
    assert_ok(clade_rbtree_check(c->tree));
    assert_ok(clade_rbtree_stats_read(c->tree, &stats));
    assert_int_equal(stats.retries, RETRIES);
    assert_ok(clade_rbtree_size(c->tree, &size));
    if (size != 0 && size != INSIDE)
        fail_msg("after a fault in %s %u keys are inside", fault_name(), (unsigned)size);
    assert_null(c->tree->kernels[RBT_INSERT]);
    assert_ok(clade_rbtree_clear(c->tree, NULL));
    count_retries(c);
}

static void first_keys_of_a_tree(void **state)
{
    struct fixture *f = *state;
    struct tree_case *c = calloc(1, sizeof *c);
    const clade_rbtree_params params = { .capacity = 1000, .value = CLADE_U32 };
    assert_non_null(c);
    assert_ok(clade_rbtree_create(&c->tree, f->context, &params));
    for (uint32_t i = 0; i < INSIDE; i++)
        c->keys[i] = c->values[i] = i * 2654435761u;
    c->f = f;
    count_retries(c);
    assert_true(fault_every(insert_first, expect_first, c) >= 10);
    assert_true(fault_from_every(insert_first, expect_first, c) >= 10);
    clade_rbtree_destroy(&c->tree);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_keys_of_a_heap),
        cmocka_unit_test(few_keys_of_a_tree),
        cmocka_unit_test(first_keys_of_a_tree),
    };
    return fixture_run("faults, few keys", tests);
}
