/* SPDX-License-Identifier: Apache-2.0 */
/* The heap over ranks: pops take the first keys of all, whoever has them, and lose none. */
#include <clade/mpi/heap.h>

#include "fault/fault.h"
#include "mpi/ranks.h"

enum { MOST = 6000, RANKS_MOST = 1024 };

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static clade_mpi_heap *open_heap(struct fixture *f, uint32_t value, uint32_t order)
{
    clade_mpi_heap *heap;
    /* Ranks need not be alike. */
    const clade_heap_params params = { .capacity = 4 * MOST + 100u * (unsigned)ranks_me,
                                       .key = CLADE_U32,
                                       .value = value,
                                       .order = order,
                                       .batch = 64 };
    assert_ok(clade_mpi_heap_create(&heap, ranks_all, f->context, &params));
    return heap;
}

/* A value tells its key and its rank. */
static uint32_t value_of(uint32_t key)
{
    return key * RANKS_MOST + (uint32_t)ranks_me;
}

static void insert(clade_mpi_heap *heap, const uint32_t *keys, size_t count)
{
    uint32_t *values = test_calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(keys[i]);
    assert_ok(clade_heap_insert(clade_mpi_heap_own(heap), clade_host(keys), clade_host(values),
                                count, NULL));
    test_free(values);
}

static uint64_t *gathered(const uint32_t *keys, size_t count, size_t *total)
{
    uint64_t *wide = test_calloc(count + 1, sizeof *wide);
    for (size_t i = 0; i < count; i++)
        wide[i] = keys[i];
    uint64_t *all = ranks_gather(wide, count, NULL, total);
    qsort(all, *total, sizeof *all, ascending);
    test_free(wide);
    return all;
}

/* The model: all keys of all ranks, ascending, of which the first `gone` were popped. */
struct model {
    uint64_t *keys;
    size_t count, gone;
};

static struct model model_of(const uint32_t *keys, size_t count)
{
    struct model model = { 0 };
    model.keys = gathered(keys, count, &model.count);
    return model;
}

/* The ranks' shares together are the next keys of the model; each is in order, with its values. */
static void verify_shares(struct model *model, const uint32_t *keys, const uint32_t *values,
                          uint64_t got, uint64_t least, uint64_t most)
{
    size_t total;
    const size_t left = model->count - model->gone;
    for (uint64_t i = 0; i < got; i++) {
        assert_true(i == 0 || keys[i - 1] <= keys[i]);
        assert_int_equal(values[i], value_of(keys[i]));
    }
    uint64_t *all = gathered(keys, got, &total);
    assert_true(total >= (least < left ? least : left) && total <= most);
    assert_memory_equal(all, model->keys + model->gone, total * sizeof *all);
    model->gone += total;
    free(all);
}

static void fill(uint32_t *keys, size_t count, uint32_t below, uint32_t first, uint64_t seed)
{
    struct random random = random_from(fixture_seed() + seed * 31 + (uint64_t)ranks_me);
    for (size_t i = 0; i < count; i++)
        keys[i] = first + (uint32_t)random_below(&random, below);
}

static size_t share_of(int kind)
{
    const size_t all = fixture_scaled(500, MOST, MOST);
    switch (kind) {
    case 0:
        return all;
    case 1:
        return ranks_me == ranks_count - 1 ? all : 0;
    default:
        return all / (size_t)(1 + 3 * ranks_me);
    }
}

/* Pops of many sizes until nothing is left; a pop of nothing, and of an empty heap. */
static void pop_until_empty(struct fixture *f, int kind, uint32_t below, uint32_t apart)
{
    static const uint64_t counts[] = { 1, 7, 0, 100, 1500, 333, 4000, 20000, 20000, 5 };
    clade_mpi_heap *heap = open_heap(f, CLADE_U32, CLADE_MIN);
    const size_t count = share_of(kind);
    uint32_t *keys = test_calloc(4 * MOST, 4), *values = test_calloc(4 * MOST, 4);
    uint64_t got, size;
    fill(keys, count, below, apart * (uint32_t)ranks_me, (uint64_t)kind);
    struct model model = model_of(keys, count);
    insert(heap, keys, count);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint64_t most = i % 2 ? 2 * counts[i] : 0;
        assert_ok(clade_mpi_heap_pop(heap, clade_host(keys), clade_host(values), 4 * MOST,
                                     counts[i], most, &got));
        verify_shares(&model, keys, values, got, counts[i], most ? most : counts[i]);
        assert_ok(clade_mpi_heap_size(heap, &size));
        assert_int_equal(size, model.count - model.gone);
        assert_ok(clade_heap_check(clade_mpi_heap_own(heap)));
    }
    assert_int_equal(model.gone, model.count);
    clade_mpi_heap_destroy(&heap);
    assert_null(heap);
    free(model.keys);
    test_free(values);
    test_free(keys);
}

static void first_keys_of_all_ranks(void **state)
{
    for (int kind = 0; kind < 3; kind++)
        pop_until_empty(*state, kind, 1000000, 0);
}

static void many_equal_keys(void **state)
{
    pop_until_empty(*state, 0, 1, 0);
    pop_until_empty(*state, 2, 10, 0);
}

/* All small keys lie on one rank: shares are nothing like what was expected. */
static void ranks_that_lie_apart(void **state)
{
    pop_until_empty(*state, 0, 1000, 5000);
}

/* Inserts between pops, smaller ones too. */
static void inserts_between_pops(void **state)
{
    struct fixture *f = *state;
    clade_mpi_heap *heap = open_heap(f, CLADE_U32, CLADE_MIN);
    uint32_t *keys = test_calloc(4 * MOST, 4), *values = test_calloc(4 * MOST, 4);
    struct model model = { 0 };
    uint64_t got;
    for (unsigned round = 0; round < 6; round++) {
        const size_t count = 200 + 100 * (size_t)ranks_me;
        fill(keys, count, 100000 >> round, 0, 100 + round);
        insert(heap, keys, count);
        size_t more;
        uint64_t *all = gathered(keys, count, &more);
        const size_t left = model.count - model.gone;
        uint64_t *both = malloc((left + more) * sizeof *both);
        assert_non_null(both);
        if (left)
            memcpy(both, model.keys + model.gone, left * sizeof *both);
        memcpy(both + left, all, more * sizeof *both);
        qsort(both, left + more, sizeof *both, ascending);
        free(all);
        free(model.keys);
        model = (struct model) { both, left + more, 0 };
        assert_ok(
            clade_mpi_heap_pop(heap, clade_host(keys), clade_host(values), 4 * MOST, 250, 0, &got));
        verify_shares(&model, keys, values, got, 250, 250);
    }
    free(model.keys);
    clade_mpi_heap_destroy(&heap);
    test_free(values);
    test_free(keys);
}

/* Every root in turn receives all, in order, with their values; into host and device memory. */
static void gathered_at_each_rank(void **state)
{
    struct fixture *f = *state;
    clade_mpi_heap *heap = open_heap(f, CLADE_U32, CLADE_MIN);
    const size_t count = share_of(2);
    uint32_t *keys = test_calloc(4 * MOST, 4), *values = test_calloc(4 * MOST, 4);
    cl_mem mems[2] = { fixture_buffer(f, 4 * MOST * 4, NULL),
                       fixture_buffer(f, 4 * MOST * 4, NULL) };
    uint64_t got;
    fill(keys, count, 100000, 0, 9);
    struct model model = model_of(keys, count);
    insert(heap, keys, count);
    for (int root = 0; root < ranks_count; root++) {
        const bool here = root == ranks_me, on_device = root % 2;
        const uint64_t wanted = root == ranks_count - 1 ? 4 * MOST : 300;
        assert_ok(clade_mpi_heap_pop_at(heap, root,
                                        !here       ? clade_no_array()
                                        : on_device ? clade_device(mems[0], 0)
                                                    : clade_host(keys),
                                        !here       ? clade_no_array()
                                        : on_device ? clade_device(mems[1], 0)
                                                    : clade_host(values),
                                        here ? 4 * MOST : 0, wanted, 0, &got));
        const size_t left = model.count - model.gone;
        assert_int_equal(got, wanted < left ? wanted : left);
        if (here && on_device) {
            fixture_read(f, mems[0], 0, keys, (size_t)got * 4);
            fixture_read(f, mems[1], 0, values, (size_t)got * 4);
        }
        for (uint64_t i = 0; i < got && here; i++) {
            assert_int_equal(keys[i], model.keys[model.gone + i]);
            assert_int_equal(values[i] / RANKS_MOST, keys[i]);
        }
        model.gone += (size_t)got;
    }
    clReleaseMemObject(mems[0]);
    clReleaseMemObject(mems[1]);
    clade_mpi_heap_destroy(&heap);
    free(model.keys);
    test_free(values);
    test_free(keys);
}

/* Greatest first, floats, 64 bits, no values, results in device memory. */
static void other_types(void **state)
{
    struct fixture *f = *state;
    static const uint32_t types[] = { CLADE_F32, CLADE_I32, CLADE_I64, CLADE_U64 };
    /* A short run takes one narrow type and a wide one. */
    for (size_t t = 0; t < sizeof types / sizeof *types; t += fixture_scaled(3, 1, 1)) {
        clade_mpi_heap *heap;
        const uint32_t order = t % 2 ? CLADE_MAX : CLADE_MIN;
        const size_t bytes = CLADE_TYPE_BYTES(types[t]);
        const clade_heap_params params = {
            .capacity = 1000, .key = types[t], .order = order, .batch = 64
        };
        int64_t wide[101];
        int32_t narrow[101];
        float floats[101];
        assert_ok(clade_mpi_heap_create(&heap, ranks_all, f->context, &params));
        for (int i = 0; i < 101; i++) {
            wide[i] = narrow[i] = (i - (types[t] == CLADE_U64 ? 0 : 50)) * ranks_count + ranks_me;
            floats[i] = (float)narrow[i];
        }
        const void *keys = types[t] == CLADE_F32   ? (void *)floats
                           : types[t] == CLADE_I32 ? (void *)narrow
                                                   : (void *)wide;
        assert_ok(clade_heap_insert(clade_mpi_heap_own(heap), clade_host(keys), clade_no_array(),
                                    101, NULL));
        cl_mem mem = fixture_buffer(f, 101 * 8, NULL);
        uint64_t got, wanted = 40 * (uint64_t)ranks_count;
        assert_ok(clade_mpi_heap_pop(heap, clade_device(mem, bytes), clade_no_array(), 100, wanted,
                                     0, &got));
        assert_int_equal(got, 40); /* they lie in turn */
        char popped[40 * 8];
        fixture_read(f, mem, bytes, popped, (size_t)got * bytes);
        for (size_t i = 0; i < got; i++)
            assert_memory_equal(popped + i * bytes,
                                (const char *)keys + (order == CLADE_MAX ? 100 - i : i) * bytes,
                                bytes);
        clReleaseMemObject(mem);
        clade_mpi_heap_destroy(&heap);
    }
}

/* One rank has no room for its share: nobody loses a key, and all are told. */
static void no_room_on_one_rank(void **state)
{
    struct fixture *f = *state;
    clade_mpi_heap *heap = open_heap(f, CLADE_U32, CLADE_MIN);
    uint32_t keys[200], values[200];
    uint64_t got = 99, size;
    const int bad = ranks_count - 1;
    for (uint32_t i = 0; i < 200; i++)
        keys[i] = i * (uint32_t)ranks_count + (uint32_t)ranks_me;
    insert(heap, keys, 200);
    const uint64_t count = 100 * (uint64_t)ranks_count;
    assert_fails(clade_mpi_heap_pop(heap, clade_host(keys), clade_host(values),
                                    ranks_me == bad ? 99 : 100, count, 0, &got),
                 CLADE_E_FULL);
    assert_message("there is room for 99");
    assert_int_equal(got, 99);
    assert_fails(clade_mpi_heap_pop_at(heap, bad,
                                       ranks_me == bad ? clade_host(keys) : clade_no_array(),
                                       ranks_me == bad ? clade_host(values) : clade_no_array(),
                                       ranks_me == bad ? 99 : 0, count, 0, &got),
                 CLADE_E_FULL);
    assert_ok(clade_mpi_heap_size(heap, &size));
    assert_int_equal(size, 200 * (uint64_t)ranks_count);
    assert_ok(clade_mpi_heap_pop(heap, clade_host(keys), clade_host(values), 100, count, 0, &got));
    assert_int_equal(got, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(keys[i], i * (uint32_t)ranks_count + (uint32_t)ranks_me);
    clade_mpi_heap_destroy(&heap);
}

static void wrong_arguments_of_one_rank(void **state)
{
    struct fixture *f = *state;
    clade_mpi_heap *heap = open_heap(f, CLADE_NONE, CLADE_MIN), *other = NULL;
    const bool bad = ranks_me == ranks_count - 1;
    uint32_t keys[10] = { 0 };
    uint64_t got, size;
    clade_array in = clade_host(keys), none = clade_no_array();
    cl_mem small = fixture_buffer(f, 36, NULL);
    assert_fails(clade_mpi_heap_pop(heap, bad ? none : in, none, 10, 10, 0, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_pop(heap, bad ? clade_device(small, 0) : in, none, 10, 10, 0, &got),
                 CLADE_E_ARG);
    assert_message("too small");
    assert_fails(clade_mpi_heap_pop(heap, in, bad ? in : none, 10, 10, 0, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_pop(heap, in, none, 10, 10, bad ? 9 : 0, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_pop(heap, in, none, 10, 10, 0, bad ? NULL : &got), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_pop_at(heap, -1, in, none, 10, 10, 0, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_size(heap, bad ? NULL : &size), CLADE_E_ARG);
    if (ranks_count > 1) {
        assert_fails(clade_mpi_heap_pop(heap, in, none, 10, bad ? 9 : 10, 0, &got), CLADE_E_ARG);
        assert_message("count must be the same on all ranks, and goes from 9 to 10");
        assert_fails(clade_mpi_heap_pop_at(heap, 0, in, none, ranks_me ? 1 : 10, 10, 0, &got),
                     CLADE_E_ARG);
    }
    const clade_heap_params params = { .capacity = bad ? 0 : 100 };
    assert_fails(clade_mpi_heap_create(&other, ranks_all, f->context, &params), CLADE_E_ARG);
    assert_null(other);
    const clade_heap_params types = { .capacity = 10, .key = bad ? CLADE_U32 : CLADE_I32 };
    if (ranks_count > 1)
        assert_fails(clade_mpi_heap_create(&other, ranks_all, f->context, &types), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_pop(NULL, in, none, 10, 10, 0, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_heap_create(&other, NULL, f->context, &types), CLADE_E_ARG);
    assert_null(clade_mpi_heap_own(NULL));
    clade_mpi_heap_destroy(NULL);
    clReleaseMemObject(small);
    clade_mpi_heap_destroy(&heap);
}

/* --- faults ----------------------------------------------------------------------------------- */

struct faulty {
    struct fixture *f;
    clade_mpi_heap *heap;
    bool at_root;
    uint64_t got, left; /* of this rank's keys; on the root all that came */
    uint32_t keys[600];
};

static clade_status pop_some(void *data)
{
    struct faulty *it = data;
    it->got = 0;
    if (!it->at_root)
        return clade_mpi_heap_pop(it->heap, clade_host(it->keys), clade_no_array(), 600,
                                  20 * (uint64_t)ranks_count, 0, &it->got);
    return clade_mpi_heap_pop_at(it->heap, 0, ranks_me ? clade_no_array() : clade_host(it->keys),
                                 clade_no_array(), ranks_me ? 0 : 600, 20 * (uint64_t)ranks_count,
                                 0, &it->got);
}

/* Keys go in again: whatever failed, all of them are there. */
static void nothing_is_lost(void *data)
{
    struct faulty *it = data;
    uint64_t size;
    const uint64_t came = it->at_root && ranks_me ? 0 : it->got;
    assert_ok(clade_mpi_heap_size(it->heap, &size));
    assert_int_equal(size + ranks_sum(came), 100 * (uint64_t)ranks_count);
    assert_ok(clade_heap_insert(clade_mpi_heap_own(it->heap), clade_host(it->keys),
                                clade_no_array(), came, NULL));
    assert_ok(clade_heap_check(clade_mpi_heap_own(it->heap)));
}

static void faults_lose_nothing(void **state)
{
    struct faulty it = { .f = *state };
    const clade_heap_params params = { .capacity = 1000, .key = CLADE_U32, .batch = 64 };
    if (ranks_count == 1)
        skip(); /* it is clade_heap_pop() then */
    for (int bad = 0; bad<ranks_count; bad += ranks_count> 2 ? 2 : 1)
        for (int at_root = 0; at_root < 2; at_root++) {
            it.at_root = at_root;
            assert_ok(clade_mpi_heap_create(&it.heap, ranks_all, it.f->context, &params));
            fill(it.keys, 100, 1000, 0, 77);
            assert_ok(clade_heap_insert(clade_mpi_heap_own(it.heap), clade_host(it.keys),
                                        clade_no_array(), 100, NULL));
            assert_true(ranks_fault_every(bad, pop_some, nothing_is_lost, &it) > 5);
            clade_mpi_heap_destroy(&it.heap);
        }
}

static clade_status create_heap(void *data)
{
    struct faulty *it = data;
    const clade_heap_params params = { .capacity = 1000, .key = CLADE_U32, .batch = 64 };
    return clade_mpi_heap_create(&it->heap, ranks_all, it->f->context, &params);
}

static void destroy_heap(void *data)
{
    struct faulty *it = data;
    const bool is_made = it->heap != NULL;
    assert_true(ranks_alike(is_made));
    clade_mpi_heap_destroy(&it->heap);
}

static void faults_at_creation(void **state)
{
    struct faulty it = { .f = *state };
    assert_true(ranks_fault_every(ranks_count - 1, create_heap, destroy_heap, &it) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_keys_of_all_ranks), cmocka_unit_test(many_equal_keys),
        cmocka_unit_test(ranks_that_lie_apart),    cmocka_unit_test(inserts_between_pops),
        cmocka_unit_test(gathered_at_each_rank),   cmocka_unit_test(other_types),
        cmocka_unit_test(no_room_on_one_rank),     cmocka_unit_test(wrong_arguments_of_one_rank),
        cmocka_unit_test(faults_lose_nothing),     cmocka_unit_test(faults_at_creation),
    };
    return ranks_run("mpi_heap", tests);
}
