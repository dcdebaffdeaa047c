/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree, ranked: ranks are exact at rest, however the keys came, and within their bounds
 * beside writers. tests/rbtree/rank_rbtree.c looks at the bounds operation by operation. */
#include <clade/program.h>
#include <clade/rbtree.h>

#include "harness/fixture.h"
#include "harness/scratch.h"

static clade_rbtree *make_tree(struct fixture *f, const clade_rbtree_params *params)
{
    clade_rbtree *tree = NULL;
    assert_ok(clade_rbtree_create(&tree, f->context, params));
    return tree;
}

/* As in rbtree_orders.c; RUNS: keys that ascend from random places on. */
enum order { ASCENDING, DESCENDING, RANDOM, RUNS, ORDERS };

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static uint32_t key_in(enum order order, uint32_t i)
{
    return order == ASCENDING    ? 10 * i
           : order == DESCENDING ? UINT32_MAX - 10 * i
           : order == RANDOM     ? mixed(i)
                                 : mixed(i / 64) / 1024 * 1024 + i % 64;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The tree has these keys, which get sorted, with their complements as values. */
static void assert_ranks(clade_rbtree *tree, uint32_t *keys, uint32_t n)
{
    uint32_t *ranks = test_calloc(n + 1, 4), *found = test_calloc(n + 1, 4),
             *values = test_calloc(n + 1, 4);
    int32_t *statuses = test_calloc(n + 1, 4);
    qsort(keys, n, 4, compare);
    assert_ok(clade_rbtree_check(tree));
    if (n > 0)
        assert_ok(clade_rbtree_rank(tree, clade_host(keys), clade_host(ranks), n, NULL));
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(ranks[i], i);
    for (uint32_t i = 0; i <= n; i++)
        ranks[i] = n - i;
    assert_ok(clade_rbtree_select(tree, clade_host(ranks), clade_host(found), clade_host(values),
                                  n + 1, clade_host(statuses), NULL));
    assert_int_equal(statuses[0], CLADE_E_NOT_FOUND);
    for (uint32_t i = 1; i <= n; i++) {
        assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(found[i], keys[n - i]);
        assert_int_equal(values[i], ~keys[n - i]);
    }
    test_free(ranks);
    test_free(found);
    test_free(values);
    test_free(statuses);
}

/* Every second of the sorted keys goes. */
static uint32_t erase_half(clade_rbtree *tree, uint32_t *keys, uint32_t n)
{
    uint32_t *gone = test_calloc(n + 1, 4), left = 0, m = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % 2)
            gone[m++] = keys[i];
        else
            keys[left++] = keys[i];
    }
    assert_ok(
        clade_rbtree_erase(tree, clade_host(gone), clade_no_array(), m, clade_no_array(), NULL));
    test_free(gone);
    return left;
}

static clade_rbtree *reload(struct fixture *f, clade_rbtree *tree)
{
    char *folder = scratch_make(), *path = scratch_path(folder, "rbtree");
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
    assert_ok(clade_rbtree_load(&tree, f->context, path));
    free(path);
    scratch_remove(folder);
    return tree;
}

static void ranks_are_places_in_the_order(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(120, 3000, 100000);
    uint32_t *keys = test_calloc(n, 4), *values = test_calloc(n, 4);
    clade_rbtree_stats stats;
    for (enum order order = 0; order < ORDERS; order++) {
        clade_rbtree *tree = make_tree(f, &(clade_rbtree_params) { .capacity = 3 * n,
                                                                   .value = CLADE_U32,
                                                                   .leaf_capacity = 6,
                                                                   .path = CLADE_RBTREE_CONCURRENT,
                                                                   .ranked = 1 });
        uint32_t left = n;
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = key_in(order, i);
            values[i] = ~keys[i];
        }
        assert_ranks(tree, keys, 0);
        assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(values), n,
                                      clade_no_array(), NULL));
        assert_ranks(tree, keys, n);
        assert_ok(clade_rbtree_stats_read(tree, &stats));
        /* Which leaves split while others do is chance, so a few more may share in a small tree. */
        if (order == RANDOM)
            assert_in_range(stats.shared, 0, stats.leaves / 2 + 8);
        for (int round = 0; round < 3; round++) {
            left = erase_half(tree, keys, left);
            assert_ranks(tree, keys, left);
        }
        tree = reload(f, tree);
        assert_ranks(tree, keys, left);
        clade_rbtree_destroy(&tree);
    }
    test_free(keys);
    test_free(values);
}

static void the_index_is_made_with_the_tree(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(200, 5000, 300000);
    uint32_t *keys = test_calloc(n, 4), *values = test_calloc(n, 4);
    clade_rbtree_stats stats;
    clade_rbtree *tree = make_tree(f, &(clade_rbtree_params) { .capacity = n,
                                                               .value = CLADE_U32,
                                                               .leaf_capacity = 6,
                                                               .path = CLADE_RBTREE_BULK,
                                                               .ranked = 1 });
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = mixed(i);
        values[i] = ~keys[i];
    }
    assert_ok(clade_rbtree_build(tree, clade_host(keys), clade_host(values), 0, n / 2, NULL));
    assert_ranks(tree, keys, n / 2);
    assert_ok(clade_rbtree_insert(tree, clade_host(keys + n / 2), clade_host(values + n / 2),
                                  n - n / 2, clade_no_array(), NULL));
    assert_ranks(tree, keys, n);
    uint32_t left = erase_half(tree, keys, n);
    assert_ranks(tree, keys, left);
    assert_ok(clade_rbtree_reclaim(tree, NULL));
    assert_ranks(tree, keys, left);
    assert_ok(clade_rbtree_stats_read(tree, &stats));
    assert_int_equal(stats.shared, 0);
    assert_ok(clade_rbtree_clear(tree, NULL));
    assert_ranks(tree, keys, 0);
    clade_rbtree_destroy(&tree);
    test_free(keys);
    test_free(values);
}

/* A kernel of rbtree_rank.cl over a tree of the fixed keys. */
struct job {
    clade_rbtree *tree;
    clade_program *program;
    cl_mem wrong;
    cl_uint fixed;
};

static void open_job(struct job *j, struct fixture *f, uint32_t fixed, uint32_t capacity,
                     uint32_t leaf_capacity)
{
    const uint32_t zeros[2] = { 0, 0 };
    uint32_t *keys = test_calloc(fixed, 4), *values = test_calloc(fixed, 4);
    j->fixed = fixed;
    j->tree = make_tree(f, &(clade_rbtree_params) { .capacity = capacity,
                                                    .value = CLADE_U32,
                                                    .leaf_capacity = leaf_capacity,
                                                    .path = CLADE_RBTREE_CONCURRENT,
                                                    .ranked = 1 });
    for (uint32_t i = 0; i < fixed; i++) {
        keys[i] = 64 * i;
        values[i] = ~keys[i];
    }
    assert_ok(clade_rbtree_insert(j->tree, clade_host(keys), clade_host(values), fixed,
                                  clade_no_array(), NULL));
    assert_ok(
        clade_program_build(&j->program, f->context,
                            &(clade_program_params) { .file = "rbtree/rbtree_rank.cl",
                                                      .include_path = fixture_kernels(TEST_KERNELS),
                                                      .options = clade_rbtree_options(j->tree) }));
    j->wrong = fixture_buffer(f, sizeof zeros, zeros);
    test_free(keys);
    test_free(values);
}

/* The launch is over: nothing was wrong, and the fixed keys and their ranks are what they were. */
static void close_job(struct job *j, struct fixture *f, uint64_t many)
{
    uint32_t counts[2], *keys = test_calloc(j->fixed, 4);
    fixture_read(f, j->wrong, 0, counts, sizeof counts);
    assert_int_equal(counts[0], 0);
    assert_true(counts[1] <= many);
    for (uint32_t i = 0; i < j->fixed; i++)
        keys[i] = 64 * i;
    assert_ok(clade_rbtree_check(j->tree));
    if (counts[1] == 0)
        assert_ranks(j->tree, keys, j->fixed);
    clade_rbtree_destroy(&j->tree);
    clade_program_destroy(&j->program);
    clReleaseMemObject(j->wrong);
    test_free(keys);
}

static void ranks_beside_writers_are_within_their_bounds(void **state)
{
    struct fixture *f = *state;
    const uint32_t leaf_capacities[] = { 1, 5, 14 };
    const cl_uint items = (cl_uint)fixture_scaled(8, 512, 16384), keys = 12;
    const cl_uint rounds = (cl_uint)fixture_scaled(1, 8, 40), steps = 2 * keys * rounds;
    const cl_uint seed = (cl_uint)f->seed, moving = items / 2 * keys, fixed = moving / 16 + 2;
    for (size_t c = fixture_is_small() ? 1 : 0; c < (fixture_is_small() ? 2 : 3); c++) {
        struct job j;
        cl_kernel kernel;
        open_job(&j, f, fixed, 3 * (fixed + moving), leaf_capacities[c]);
        cl_mem object = clade_rbtree_mem(j.tree);
        assert_ok(clade_program_kernel(&kernel, j.program, "rank_beside"));
        fixture_arg(kernel, 0, object);
        fixture_arg(kernel, 1, j.fixed);
        fixture_arg(kernel, 2, keys);
        fixture_arg(kernel, 3, steps);
        fixture_arg(kernel, 4, seed);
        fixture_arg(kernel, 5, j.wrong);
        fixture_launch(f, kernel, items, items < 64 ? items : 64);
        assert_ok(clade_finish(f->context));
        clReleaseKernel(kernel);
        close_job(&j, f, (uint64_t)items * steps / 100);
    }
}

static void an_item_alone_sees_each_change(void **state)
{
    struct fixture *f = *state;
    const cl_uint keys = fixture_is_small() ? 31 : 301, seed = (cl_uint)f->seed;
    struct job j;
    cl_kernel kernel;
    open_job(&j, f, 10, 3 * keys, 5);
    cl_mem object = clade_rbtree_mem(j.tree);
    assert_ok(clade_program_kernel(&kernel, j.program, "rank_alone"));
    fixture_arg(kernel, 0, object);
    fixture_arg(kernel, 1, j.fixed);
    fixture_arg(kernel, 2, keys);
    fixture_arg(kernel, 3, seed);
    fixture_arg(kernel, 4, j.wrong);
    fixture_launch(f, kernel, 1, 1);
    assert_ok(clade_finish(f->context));
    clReleaseKernel(kernel);
    close_job(&j, f, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_places_in_the_order),
        cmocka_unit_test(the_index_is_made_with_the_tree),
        cmocka_unit_test(an_item_alone_sees_each_change),
        cmocka_unit_test(ranks_beside_writers_are_within_their_bounds),
    };
    return fixture_run("rbtree_rank", tests);
}
