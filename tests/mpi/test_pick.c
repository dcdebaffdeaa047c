/* SPDX-License-Identifier: Apache-2.0 */
/* The first k of many ranks' sorted keys: exact for every share, also empty ones and equal keys. */
#include "mpi/pick.h"
#include "mpi/ranks.h"

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What is taken are the first so many of all keys together. */
static void verify(const struct cladei_mpi_row *row, uint64_t least, uint64_t most,
                   const struct cladei_mpi_picked *picked)
{
    size_t total, taken;
    uint64_t *all = ranks_gather(row->images, row->count, NULL, &total);
    uint64_t *first = ranks_gather(row->images, picked->take, NULL, &taken);
    qsort(all, total, sizeof *all, ascending);
    qsort(first, taken, sizeof *first, ascending);
    assert_true(taken >= smaller(least, total) && taken <= most);
    assert_memory_equal(all, first, taken * sizeof *all);
    free(first);
    free(all);
}

/* The last one taken is told, unless all are taken. */
static void verify_last(const struct cladei_mpi_row *row, uint64_t total,
                        const struct cladei_mpi_picked *picked)
{
    uint64_t last = picked->take ? row->images[picked->take - 1] : 0;
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (ranks_sum(picked->take) < total)
        assert_true(picked->last == last);
    else
        assert_true(picked->last == last || picked->last == 0);
}

/* `share` of this rank: uneven, with empty ones. */
static size_t share_of(int kind, size_t count)
{
    switch (kind) {
    case 0:
        return count;
    case 1:
        return ranks_me == 0 ? count : 0;
    case 2:
        return ranks_me == ranks_count - 1 ? 0 : count / (size_t)(1 + ranks_me);
    default:
        return (size_t)(ranks_me * ranks_me) * count / 4;
    }
}

static void pick_all_ways(struct cladei_mpi_picker *picker, uint64_t *keys, int kind, size_t count,
                          uint64_t keys_below)
{
    struct random random = random_from(fixture_seed() + (uint64_t)ranks_me * 977 + count);
    const struct cladei_mpi_row row = { keys, share_of(kind, count), true };
    for (size_t i = 0; i < row.count; i++)
        keys[i] = keys_below ? random_below(&random, keys_below) : random_next(&random);
    qsort(keys, row.count, sizeof *keys, ascending);
    const uint64_t total = ranks_sum(row.count);
    const uint64_t wanted[] = { 1, total / 3 + 1, total, total + 7, 17 };
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        for (uint64_t factor = 1; factor <= 2; factor++) {
            struct cladei_mpi_picked picked;
            assert_ok(
                cladei_mpi_pick(picker, CLADE_OK, &row, wanted[w], wanted[w] * factor, &picked));
            verify(&row, wanted[w], wanted[w] * factor, &picked);
            verify_last(&row, total, &picked);
            assert_false(picked.some_short);
        }
}

static void first_of_all_shares(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 5, 300, 20000 };
    static const uint64_t below[] = { 0, 1, 3, 1000 };
    struct cladei_mpi_picker picker;
    uint64_t *keys = test_calloc(20000 * 4, sizeof *keys);
    assert_ok(cladei_mpi_picker_make(&picker, ranks_all));
    for (int kind = 0; kind < 4; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t b = 0; b < sizeof below / sizeof *below; b++)
                pick_all_ways(&picker, keys, kind, counts[c], below[b]);
    cladei_mpi_picker_free(&picker);
    test_free(keys);
}

/* A rank that brought few of its own is told when others may be missing, and not when none can. */
static void who_is_short_is_told(void **state)
{
    (void)state;
    struct cladei_mpi_picker picker;
    struct cladei_mpi_picked picked;
    uint64_t keys[10];
    assert_ok(cladei_mpi_picker_make(&picker, ranks_all));
    for (uint64_t i = 0; i < 10; i++)
        keys[i] = 100 * i + (ranks_me == 0 ? 0 : 50);
    const bool hides = ranks_me == 0; /* it has more, from its third key on */
    const struct cladei_mpi_row row = { keys, hides ? 3 : 10, !hides };
    assert_ok(cladei_mpi_pick(&picker, CLADE_OK, &row, 2, 2, &picked));
    assert_false(picked.some_short);
    assert_ok(cladei_mpi_pick(&picker, CLADE_OK, &row, 5 * (uint64_t)ranks_count,
                              5 * (uint64_t)ranks_count, &picked));
    assert_true(picked.some_short);
    assert_int_equal(picked.is_short, hides);
    cladei_mpi_picker_free(&picker);
}

static void a_rank_that_failed_before(void **state)
{
    (void)state;
    struct cladei_mpi_picker picker;
    struct cladei_mpi_picked picked;
    const uint64_t key = 7;
    assert_ok(cladei_mpi_picker_make(&picker, ranks_all));
    for (int bad = 0; bad < ranks_count; bad++) {
        const struct cladei_mpi_row row = { &key, ranks_me != bad, true };
        const clade_status own =
            ranks_me == bad ? clade_error_set(CLADE_E_BUSY, 0, "waits gave up") : CLADE_OK;
        assert_fails(cladei_mpi_pick(&picker, own, &row, 1, 1, &picked), CLADE_E_BUSY);
        assert_message("waits gave up");
    }
    cladei_mpi_picker_free(&picker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_all_shares),
        cmocka_unit_test(who_is_short_is_told),
        cmocka_unit_test(a_rank_that_failed_before),
    };
    return ranks_run("mpi_pick", tests);
}
