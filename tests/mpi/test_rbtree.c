/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered map over ranks against a model that every rank has: an array over all keys. */
#include <clade/mpi/rbtree.h>
#include <mpi.h>

#include "fault/fault.h"
#include "mpi/batch.h"
#include "mpi/exchange.h"
#include "mpi/ranks.h"

enum { KEYS = 2000, MOST = 1500, UNTOUCHED = 0x7777 };

struct model {
    bool there[KEYS];
    uint32_t value[KEYS];
};

struct batch {
    size_t count;
    int64_t keys[MOST], found[MOST];
    uint32_t values[MOST];
    int32_t statuses[MOST];
};

/* Keys are signed, on both sides of 0, and close together: evenly divided numbers would put them on
 * one rank or two. */
static int64_t key_of(uint64_t number)
{
    return (int64_t)number * 3 - 3000;
}

static uint64_t number_of(int64_t key)
{
    return (uint64_t)(key + 3000) / 3;
}

static clade_mpi_rbtree *open_tree(struct fixture *f, uint64_t capacity)
{
    clade_mpi_rbtree *tree;
    const clade_rbtree_params params = { .capacity = capacity,
                                         .key = CLADE_I64,
                                         .value = CLADE_U32 };
    assert_ok(clade_mpi_rbtree_create(&tree, ranks_all, f->context, &params));
    return tree;
}

static void draw(struct batch *b, unsigned round)
{
    struct random random = random_from(fixture_seed() + 1000 * round + (uint64_t)ranks_me);
    const size_t all = fixture_scaled(200, MOST, MOST);
    b->count = ranks_me == 1 ? 0 : all / (size_t)(1 + ranks_me);
    for (size_t i = 0; i < b->count; i++) {
        b->keys[i] = key_of(random_below(&random, KEYS));
        b->values[i] = UNTOUCHED;
    }
}

/* How often each key is in the batches of all ranks, of all operations or those that went well. */
static void count_keys(const struct batch *b, bool ok_alone, uint32_t *counts)
{
    memset(counts, 0, KEYS * sizeof *counts);
    for (size_t i = 0; i < b->count; i++)
        counts[number_of(b->keys[i])] += !ok_alone || b->statuses[i] == CLADE_OK;
    MPI_Allreduce(MPI_IN_PLACE, counts, KEYS, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
}

static void verify_all(clade_mpi_rbtree *tree, const struct model *model)
{
    uint64_t size, wanted = 0, got;
    int64_t *keys = test_calloc(KEYS, sizeof *keys);
    uint32_t *values = test_calloc(KEYS, sizeof *values);
    for (int i = 0; i < KEYS; i++)
        wanted += model->there[i];
    assert_ok(clade_mpi_rbtree_size(tree, &size));
    assert_int_equal(size, wanted);
    assert_ok(clade_rbtree_check(clade_mpi_rbtree_own(tree)));
    assert_ok(clade_rbtree_read(clade_mpi_rbtree_own(tree), clade_host(keys), clade_host(values),
                                KEYS, &got, NULL));
    for (uint64_t i = 0; i < got; i++) {
        assert_int_equal(clade_mpi_rbtree_owner(tree, &keys[i]), ranks_me);
        assert_true(model->there[number_of(keys[i])]);
        assert_int_equal(values[i], model->value[number_of(keys[i])]);
    }
    test_free(values);
    test_free(keys);
}

enum step { INSERT, PUT, ERASE, FIND };

static void do_step(clade_mpi_rbtree *tree, struct model *model, struct batch *b, enum step step)
{
    static uint32_t all[KEYS], ok[KEYS];
    const clade_array keys = clade_host(b->keys), values = clade_host(b->values),
                      statuses = clade_host(b->statuses);
    for (size_t i = 0; i < b->count && step <= PUT; i++)
        b->values[i] = (uint32_t)number_of(b->keys[i]) * 3 + step;
    assert_ok(step == INSERT  ? clade_mpi_rbtree_insert(tree, keys, values, b->count, statuses)
              : step == PUT   ? clade_mpi_rbtree_put(tree, keys, values, b->count, statuses)
              : step == ERASE ? clade_mpi_rbtree_erase(tree, keys, values, b->count, statuses)
                              : clade_mpi_rbtree_find(tree, keys, values, b->count, statuses));
    count_keys(b, false, all);
    count_keys(b, true, ok);
    for (size_t i = 0; i < b->count && step >= ERASE; i++)
        assert_int_equal(b->values[i], b->statuses[i] == CLADE_OK
                                           ? model->value[number_of(b->keys[i])]
                                           : UNTOUCHED);
    for (uint32_t k = 0; k < KEYS; k++) {
        const bool was = model->there[k];
        const uint32_t once = all[k] > 0;
        assert_int_equal(ok[k], step == FIND    ? (was ? all[k] : 0)
                                : step == ERASE ? once && was
                                                : once && !was);
        if (!once || step == FIND)
            continue;
        if (step == PUT || (step == INSERT && !was))
            model->value[k] = k * 3 + step;
        model->there[k] = step != ERASE;
    }
    verify_all(tree, model);
}

/* The nearest key, whichever rank has it; -1: there is none. */
static int64_t nearest(const struct model *model, int64_t number, uint32_t what)
{
    const bool up = what == CLADE_RBTREE_LOWER || what == CLADE_RBTREE_NEXT;
    if (what == CLADE_RBTREE_NEXT || what == CLADE_RBTREE_PREV)
        number += up ? 1 : -1;
    while (number >= 0 && number < KEYS && !model->there[number])
        number += up ? 1 : -1;
    return number < KEYS ? number : -1;
}

static void verify_seeks(clade_mpi_rbtree *tree, const struct model *model, struct batch *b)
{
    for (uint32_t what = CLADE_RBTREE_LOWER; what <= CLADE_RBTREE_PREV; what++) {
        draw(b, 500 + what);
        assert_ok(clade_mpi_rbtree_seek(tree, clade_host(b->keys), what, clade_host(b->found),
                                        clade_host(b->values), b->count, clade_host(b->statuses)));
        for (size_t i = 0; i < b->count; i++) {
            const int64_t wanted = nearest(model, (int64_t)number_of(b->keys[i]), what);
            assert_int_equal(b->statuses[i], wanted < 0 ? CLADE_E_NOT_FOUND : CLADE_OK);
            if (wanted >= 0) {
                assert_int_equal(b->found[i], key_of((uint64_t)wanted));
                assert_int_equal(b->values[i], model->value[wanted]);
            }
        }
    }
}

static void as_the_model(void **state)
{
    struct model *model = test_calloc(1, sizeof *model);
    struct batch *b = test_calloc(1, sizeof *b);
    clade_mpi_rbtree *tree = open_tree(*state, 2 * KEYS);
    static const enum step steps[] = { FIND, INSERT, FIND, PUT, ERASE, FIND, INSERT, ERASE };
    verify_seeks(tree, model, b);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        int moved;
        draw(b, i);
        do_step(tree, model, b, steps[i]);
        if (i % 2) {
            assert_ok(clade_mpi_rbtree_balance(tree, &moved));
            verify_all(tree, model);
            verify_seeks(tree, model, b);
        }
    }
    clade_mpi_rbtree_destroy(&tree);
    assert_null(tree);
    test_free(b);
    test_free(model);
}

/* Batches in chunks of 13 operations, balances in messages of 7 keys. */
static void in_pieces(void **state)
{
    const uint64_t most = cladei_mpi_exchange_most, most_of_batch = cladei_mpi_batch_most;
    cladei_mpi_exchange_most = 7;
    cladei_mpi_batch_most = 13;
    as_the_model(state);
    cladei_mpi_exchange_most = most;
    cladei_mpi_batch_most = most_of_batch;
}

static uint64_t own_size(clade_mpi_rbtree *tree)
{
    uint64_t size;
    assert_ok(clade_rbtree_size(clade_mpi_rbtree_own(tree), &size));
    return size;
}

/* All keys on one rank; then every rank has its part, and nothing is moved again. */
static void balance_divides_evenly(void **state)
{
    clade_mpi_rbtree *tree = open_tree(*state, KEYS);
    struct model *model = test_calloc(1, sizeof *model);
    struct batch *b = test_calloc(1, sizeof *b);
    int moved = 7;
    assert_ok(clade_mpi_rbtree_balance(tree, &moved)); /* an empty tree */
    assert_int_equal(moved, 0);
    b->count = ranks_me ? 0 : 1001;
    for (size_t i = 0; i < b->count; i++)
        b->keys[i] = key_of(1000 + i % 1000); /* positive: the upper half's */
    b->count = ranks_me ? 0 : 997;
    do_step(tree, model, b, INSERT);
    assert_ok(clade_mpi_rbtree_balance(tree, &moved));
    assert_int_equal(moved, ranks_count > 1);
    const uint64_t part = 997 / (uint64_t)ranks_count;
    assert_in_range(own_size(tree), part, part + 1);
    verify_all(tree, model);
    verify_seeks(tree, model, b);
    assert_ok(clade_mpi_rbtree_balance(tree, &moved));
    assert_int_equal(moved, 0);
    clade_mpi_rbtree_destroy(&tree);
    test_free(b);
    test_free(model);
}

/* From ranks with different numbers of keys, in device memory on some; all get about as many. */
static void build_divides_by_samples(void **state)
{
    struct fixture *f = *state;
    clade_mpi_rbtree *tree = open_tree(f, 2 * KEYS);
    struct model *model = test_calloc(1, sizeof *model);
    struct batch *b = test_calloc(1, sizeof *b);
    static uint32_t all[KEYS];
    for (int again = 0; again < 2; again++) {
        draw(b, 40 + (unsigned)again);
        for (size_t i = 0; i < b->count; i++)
            b->values[i] = (uint32_t)number_of(b->keys[i]) + 5;
        cl_mem mem = fixture_buffer(f, b->count * 8, NULL);
        fixture_write(f, mem, 0, b->keys, b->count * 8);
        assert_ok(clade_mpi_rbtree_build(tree,
                                         ranks_me % 2 ? clade_device(mem, 0) : clade_host(b->keys),
                                         clade_host(b->values), b->count));
        clReleaseMemObject(mem);
        count_keys(b, false, all);
        for (uint32_t k = 0; k < KEYS; k++) {
            model->there[k] = all[k] > 0;
            model->value[k] = k + 5;
        }
        verify_all(tree, model);
        const uint64_t mean = ranks_sum(own_size(tree)) / (uint64_t)ranks_count;
        assert_in_range(own_size(tree), mean / 2, mean * 3 / 2);
    }
    verify_seeks(tree, model, b);
    clade_mpi_rbtree_destroy(&tree);
    test_free(b);
    test_free(model);
}

static void wide_keys(uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = i * 1000 + (uint64_t)ranks_me;
}

/* A rank whose tree is too small refuses: all trees are as before. */
static void no_room_on_one_rank(void **state)
{
    struct fixture *f = *state;
    clade_mpi_rbtree *tree;
    const clade_rbtree_params params = { .capacity = ranks_me == ranks_count - 1 ? 50 : 5000,
                                         .key = CLADE_U64 };
    uint64_t keys[400], size;
    wide_keys(keys, 400);
    assert_ok(clade_mpi_rbtree_create(&tree, ranks_all, f->context, &params));
    assert_fails(clade_mpi_rbtree_build(tree, clade_host(keys), clade_no_array(), 400),
                 CLADE_E_FULL);
    assert_ok(clade_mpi_rbtree_size(tree, &size));
    assert_int_equal(size, 0);
    if (ranks_count > 1) {
        /* All are the first rank's; balanced, the last one would have too many. */
        assert_ok(clade_mpi_rbtree_insert(tree, clade_host(keys), clade_no_array(), 400,
                                          clade_no_array()));
        assert_fails(clade_mpi_rbtree_balance(tree, NULL), CLADE_E_FULL);
        assert_ok(clade_mpi_rbtree_size(tree, &size));
        assert_int_equal(size, 400 * (uint64_t)ranks_count);
        assert_int_equal(own_size(tree), ranks_me ? 0 : size);
    }
    clade_mpi_rbtree_destroy(&tree);
}

/* What a rank's own tree has to tell stays, though no keys come to it. */
static void builds_of_no_keys_forget_nothing(void **state)
{
    struct fixture *f = *state;
    clade_mpi_rbtree *tree;
    const clade_rbtree_params params = { .capacity = 1,
                                         .leaf_capacity = 1,
                                         .path = CLADE_RBTREE_CONCURRENT };
    uint32_t keys[64];
    uint64_t size;
    for (uint32_t i = 0; i < 64; i++)
        keys[i] = i;
    cl_mem mem = fixture_buffer(f, sizeof keys, keys);
    assert_ok(clade_mpi_rbtree_create(&tree, ranks_all, f->context, &params));
    clade_rbtree *own = clade_mpi_rbtree_own(tree);
    assert_ok(clade_rbtree_insert(own, clade_device(mem, 0), clade_no_array(), 64, clade_no_array(),
                                  NULL));
    assert_ok(clade_mpi_rbtree_build(tree, clade_no_array(), clade_no_array(), 0));
    assert_fails(clade_rbtree_size(own, &size), CLADE_E_FULL);
    assert_ok(clade_rbtree_size(own, &size));
    assert_int_equal(size, 0);
    clReleaseMemObject(mem);
    clade_mpi_rbtree_destroy(&tree);
}

static void wrong_arguments_of_one_rank(void **state)
{
    clade_mpi_rbtree *tree = open_tree(*state, 100), *other = NULL;
    struct fixture *f = *state;
    const bool bad = ranks_me == ranks_count - 1;
    int64_t keys[10] = { 0 }, found[10];
    uint64_t size;
    const clade_array k = clade_host(keys), to = clade_host(found), none = clade_no_array();
    assert_fails(clade_mpi_rbtree_insert(tree, bad ? none : k, none, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_rbtree_seek(tree, k, bad ? 4 : 0, to, none, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_rbtree_seek(tree, k, 0, bad ? none : to, none, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_rbtree_build(tree, bad ? none : k, none, 10), CLADE_E_ARG);
    assert_fails(clade_mpi_rbtree_build(tree, k, none, bad ? UINT64_MAX / 4 : 10), CLADE_E_ARG);
    assert_fails(clade_mpi_rbtree_size(tree, bad ? NULL : &size), CLADE_E_ARG);
    const clade_rbtree_params params = { .capacity = bad ? 0 : 100 };
    assert_fails(clade_mpi_rbtree_create(&other, ranks_all, f->context, &params), CLADE_E_ARG);
    assert_null(other);
    assert_fails(clade_mpi_rbtree_find(NULL, k, none, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_rbtree_balance(NULL, NULL), CLADE_E_ARG);
    assert_int_equal(clade_mpi_rbtree_owner(NULL, keys), -1);
    assert_ok(clade_mpi_rbtree_size(tree, &size));
    assert_int_equal(size, 0);
    clade_mpi_rbtree_destroy(&tree);
    clade_mpi_rbtree_destroy(NULL);
}

/* --- faults ----------------------------------------------------------------------------------- */

struct faulty {
    struct fixture *f;
    clade_mpi_rbtree *tree;
    uint64_t keys[60];
    bool by_build;
};

/* Keys lie unevenly before. */
static void fill(struct faulty *it)
{
    const clade_rbtree_params params = { .capacity = 1000, .key = CLADE_U64 };
    assert_ok(clade_mpi_rbtree_create(&it->tree, ranks_all, it->f->context, &params));
    wide_keys(it->keys, 60);
    assert_ok(clade_mpi_rbtree_insert(it->tree, clade_host(it->keys), clade_no_array(), 60,
                                      clade_no_array()));
}

static clade_status spread(void *data)
{
    struct faulty *it = data;
    int moved;
    if (it->by_build)
        return clade_mpi_rbtree_build(it->tree, clade_host(it->keys), clade_no_array(), 60);
    return clade_mpi_rbtree_balance(it->tree, &moved);
}

/* All keys are there, or, where a build failed on a device, none; and they can be put in again. */
static void all_or_none(void *data)
{
    struct faulty *it = data;
    uint64_t size;
    assert_ok(clade_mpi_rbtree_size(it->tree, &size));
    assert_true(size == 60 * (uint64_t)ranks_count || (it->by_build && size == 0));
    assert_ok(clade_rbtree_check(clade_mpi_rbtree_own(it->tree)));
    clade_mpi_rbtree_destroy(&it->tree);
    fill(it);
}

static void faults_on_one_rank(void **state)
{
    fixture_by_night("the hash map's calls fail, through the same batches and slots");
    struct faulty it = { .f = *state };
    for (int by_build = 0; by_build < 2; by_build++) {
        it.by_build = by_build;
        fill(&it);
        const uint64_t faults = ranks_fault_every(ranks_count - 1, spread, all_or_none, &it);
        assert_true(faults > 2);
        clade_mpi_rbtree_destroy(&it.tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_model),
        cmocka_unit_test(in_pieces),
        cmocka_unit_test(balance_divides_evenly),
        cmocka_unit_test(build_divides_by_samples),
        cmocka_unit_test(no_room_on_one_rank),
        cmocka_unit_test(wrong_arguments_of_one_rank),
        cmocka_unit_test(faults_on_one_rank),
        cmocka_unit_test(builds_of_no_keys_forget_nothing),
    };
    return ranks_run("mpi_rbtree", tests);
}
