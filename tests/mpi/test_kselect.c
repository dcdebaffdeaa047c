/* SPDX-License-Identifier: Apache-2.0 */
/* The k first keys of a row that is spread over ranks are those of the sorted row. */
#include <clade/mpi/kselect.h>
#include <math.h>

#include "fault/fault.h"
#include "mpi/ranks.h"

enum { MOST = 20000 };

/* Keys as words that ascend in the order wanted; what a row needs of NaN and -0 is other tests'
 * task. */
static uint64_t word_of(const void *keys, size_t i, uint32_t type, uint32_t order)
{
    uint32_t raw;
    memcpy(&raw, (const char *)keys + 4 * i, 4);
    if (type == CLADE_F32)
        raw ^= raw & 0x80000000u ? UINT32_MAX : 0x80000000u;
    if (type == CLADE_I32)
        raw ^= 0x80000000u;
    return order == CLADE_MAX ? (uint32_t)~raw : raw;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

struct row {
    clade_kselect_params params;
    uint32_t keys[MOST];
    uint64_t *words, *sorted; /* of all ranks */
    size_t total;
};

static void fill(struct row *row, size_t length, uint32_t below, uint32_t first)
{
    struct random random = random_from(fixture_seed() + 13 * length + (uint64_t)ranks_me);
    uint64_t *words = test_calloc(length + 1, sizeof *words);
    row->params.length = length;
    for (size_t i = 0; i < length; i++) {
        const uint32_t number = first + (uint32_t)random_below(&random, below);
        const float real = (float)number - (float)below / 2;
        row->keys[i] = number;
        if (row->params.key == CLADE_F32)
            memcpy(&row->keys[i], &real, 4);
        words[i] = word_of(row->keys, i, row->params.key, row->params.order);
    }
    row->words = ranks_gather(words, length, NULL, &row->total);
    row->sorted = ranks_gather(words, length, NULL, &row->total);
    qsort(row->sorted, row->total, sizeof *row->sorted, ascending);
    test_free(words);
}

/* Results and their places: the first k of the sorted row, and each where it says. */
static void verify(const struct row *row, const uint32_t *out, const uint64_t *indices, size_t got)
{
    uint64_t *words = test_calloc(got + 1, sizeof *words);
    size_t count;
    for (size_t i = 0; i < got; i++) {
        words[i] = word_of(out, i, row->params.key, row->params.order);
        assert_true(i == 0 || words[i - 1] <= words[i]);
        assert_true(indices[i] < row->total && row->words[indices[i]] == words[i]);
    }
    uint64_t *all = ranks_gather(words, got, NULL, &count);
    qsort(all, count, sizeof *all, ascending);
    assert_int_equal(count, row->params.k);
    assert_memory_equal(all, row->sorted, count * sizeof *all);
    free(all);
    all = ranks_gather(indices, got, NULL, &count);
    qsort(all, count, sizeof *all, ascending);
    for (size_t i = 1; i < count; i++)
        assert_true(all[i - 1] < all[i]); /* none twice */
    free(all);
    test_free(words);
}

/* Without indices, into device memory: the same keys. */
static void select_keys_alone(struct fixture *f, const struct row *row, clade_array keys)
{
    const size_t k = (size_t)row->params.k;
    clade_kselect_params params = row->params;
    clade_mpi_kselect *selector;
    uint32_t *out = test_calloc(k, sizeof *out);
    uint64_t *words = test_calloc(k, sizeof *words), got;
    size_t count;
    cl_mem mem = fixture_buffer(f, k * sizeof *out, NULL);
    params.indices = 0;
    assert_ok(clade_mpi_kselect_create(&selector, ranks_all, f->context, &params));
    assert_ok(
        clade_mpi_kselect_run(selector, keys, clade_device(mem, 0), clade_no_array(), k, &got));
    fixture_read(f, mem, 0, out, k * sizeof *out);
    for (size_t i = 0; i < got; i++)
        words[i] = word_of(out, i, params.key, params.order);
    uint64_t *all = ranks_gather(words, (size_t)got, NULL, &count);
    qsort(all, count, sizeof *all, ascending);
    assert_int_equal(count, k);
    assert_memory_equal(all, row->sorted, count * sizeof *all);
    free(all);
    clade_mpi_kselect_destroy(&selector);
    clReleaseMemObject(mem);
    test_free(words);
    test_free(out);
}

static void select_both_ways(struct fixture *f, struct row *row, uint64_t k)
{
    clade_mpi_kselect *selector;
    uint32_t *out = test_calloc(k, sizeof *out);
    uint64_t *indices = test_calloc(k, sizeof *indices), got;
    const int root = ranks_count - 1;
    const bool here = ranks_me == root;
    row->params.k = k;
    cl_mem mem = fixture_buffer(f, (size_t)row->params.length * 4, NULL);
    fixture_write(f, mem, 0, row->keys, (size_t)row->params.length * 4);
    assert_ok(clade_mpi_kselect_create(&selector, ranks_all, f->context, &row->params));
    const clade_array keys = ranks_me % 2 ? clade_device(mem, 0) : clade_host(row->keys);
    assert_ok(clade_mpi_kselect_run(selector, keys, clade_host(out), clade_host(indices), k, &got));
    verify(row, out, indices, (size_t)got);
    assert_ok(clade_mpi_kselect_run_at(selector, root, keys,
                                       here ? clade_host(out) : clade_no_array(),
                                       here ? clade_host(indices) : clade_no_array()));
    verify(row, out, indices, here ? (size_t)k : 0);
    clade_mpi_kselect_destroy(&selector);
    select_keys_alone(f, row, keys);
    clReleaseMemObject(mem);
    test_free(indices);
    test_free(out);
}

static void try(struct fixture *f, size_t length, uint32_t below, uint32_t first, uint32_t type,
                uint32_t order)
{
    struct row *row = test_calloc(1, sizeof *row);
    row->params = (clade_kselect_params) { .key = type, .order = order, .indices = 1 };
    fill(row, length, below, first);
    select_both_ways(f, row, 1);
    select_both_ways(f, row, row->total / 7 + 1);
    select_both_ways(f, row, row->total);
    free(row->words);
    free(row->sorted);
    test_free(row);
}

static void even_parts(void **state)
{
    const size_t length = fixture_scaled(300, 6000, MOST);
    try(*state, length, 1000000, 0, CLADE_I32, CLADE_MIN);
    try(*state, length, 1000000, 0, CLADE_F32, CLADE_MAX);
}

static void uneven_and_empty_parts(void **state)
{
    try(*state, ranks_me == 1 ? 0 : 500 * (size_t)(1 + ranks_me), 1000, 0, CLADE_U32, CLADE_MIN);
    try(*state, ranks_me == ranks_count - 1 ? 10 : 0, 1000, 0, CLADE_U32, CLADE_MIN);
}

/* All first keys are on one rank, so that its first selection is too short; and all keys equal. */
static void parts_that_lie_apart(void **state)
{
    try(*state, 3000, 1000, 5000 * (uint32_t)ranks_me, CLADE_U32, CLADE_MIN);
    try(*state, 3000, 1, 0, CLADE_U32, CLADE_MIN);
}

static void nan_comes_last(void **state)
{
    struct fixture *f = *state;
    clade_mpi_kselect *selector;
    float keys[4] = { NAN, (float)ranks_me, -INFINITY, NAN }, out[4];
    uint64_t got;
    const clade_kselect_params params = { .length = 4,
                                          .k = 2 * (uint64_t)ranks_count,
                                          .key = CLADE_F32 };
    assert_ok(clade_mpi_kselect_create(&selector, ranks_all, f->context, &params));
    assert_ok(clade_mpi_kselect_run(selector, clade_host(keys), clade_host(out), clade_no_array(),
                                    4, &got));
    assert_int_equal(got, 2);
    assert_true(out[0] == -INFINITY && out[1] == (float)ranks_me);
    clade_mpi_kselect_destroy(&selector);
}

static void refusals(void **state)
{
    struct fixture *f = *state;
    clade_mpi_kselect *selector = NULL;
    const bool bad = ranks_me == ranks_count - 1;
    uint32_t keys[10] = { 0 }, out[10];
    uint64_t got = 7;
    clade_kselect_params params = { .length = 10, .k = 10 * (uint64_t)ranks_count + 1 };
    const clade_array in = clade_host(keys), to = clade_host(out), none = clade_no_array();
    assert_fails(clade_mpi_kselect_create(&selector, ranks_all, f->context, &params), CLADE_E_ARG);
    assert_message("keys of all ranks");
    params.k = bad ? 2 : 3;
    if (ranks_count > 1)
        assert_fails(clade_mpi_kselect_create(&selector, ranks_all, f->context, &params),
                     CLADE_E_ARG);
    params.k = 10 * (uint64_t)ranks_count;
    assert_fails(clade_mpi_kselect_create(bad ? NULL : &selector, ranks_all, f->context, &params),
                 CLADE_E_ARG);
    assert_null(selector);
    assert_ok(clade_mpi_kselect_create(&selector, ranks_all, f->context, &params));
    assert_fails(clade_mpi_kselect_run(selector, in, to, none, bad ? 9 : 10, &got), CLADE_E_FULL);
    assert_fails(clade_mpi_kselect_run(selector, bad ? none : in, to, none, 10, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_kselect_run(selector, in, to, bad ? in : none, 10, &got), CLADE_E_ARG);
    assert_fails(clade_mpi_kselect_run(selector, in, to, none, 10, bad ? NULL : &got), CLADE_E_ARG);
    assert_fails(clade_mpi_kselect_run_at(selector, ranks_count, in, none, none), CLADE_E_ARG);
    assert_int_equal(got, 7);
    assert_fails(clade_mpi_kselect_run(NULL, in, to, none, 10, &got), CLADE_E_ARG);
    clade_mpi_kselect_destroy(&selector);
    clade_mpi_kselect_destroy(NULL);
}

struct faulty {
    struct fixture *f;
    clade_mpi_kselect *selector;
};

static clade_status create_and_run(void *data)
{
    struct faulty *it = data;
    uint32_t keys[300], out[40];
    uint64_t got;
    const clade_kselect_params params = { .length = 300, .k = 40, .key = CLADE_U32 };
    for (uint32_t i = 0; i < 300; i++)
        keys[i] = i + 1000 * (uint32_t)ranks_me;
    clade_status status =
        clade_mpi_kselect_create(&it->selector, ranks_all, it->f->context, &params);
    if (status == CLADE_OK)
        status = clade_mpi_kselect_run(it->selector, clade_host(keys), clade_host(out),
                                       clade_no_array(), 40, &got);
    if (status == CLADE_OK)
        assert_int_equal(got, ranks_me ? 0 : 40);
    return status;
}

static void destroy(void *data)
{
    struct faulty *it = data;
    clade_mpi_kselect_destroy(&it->selector);
}

static void faults_on_one_rank(void **state)
{
    struct faulty it = { .f = *state };
    assert_true(ranks_fault_every(0, create_and_run, destroy, &it) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_parts),
        cmocka_unit_test(uneven_and_empty_parts),
        cmocka_unit_test(parts_that_lie_apart),
        cmocka_unit_test(nan_comes_last),
        cmocka_unit_test(refusals),
        cmocka_unit_test(faults_on_one_rank),
    };
    return ranks_run("mpi_kselect", tests);
}
