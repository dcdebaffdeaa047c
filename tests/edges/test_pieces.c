/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of more rows than go to the device at once, and of more than scratch memory is to be
 * had for: the largest buffer is made small, so that few do. */
#include "harness/fixture.h"

#include <clade/adheap.h>
#include <clade/kselect.h>

enum { ROWS = 100, LENGTH = 60, K = 9, SHORT = 20 };

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

struct rows {
    uint32_t keys[ROWS * LENGTH], sorted[ROWS * LENGTH];
    uint32_t out[ROWS * K], indices[ROWS * K];
};

static struct rows *make_rows(const struct fixture *f)
{
    struct rows *r = test_calloc(1, sizeof *r);
    struct random random = random_from(f->seed);
    for (size_t i = 0; i < ROWS * LENGTH; i++)
        r->keys[i] = r->sorted[i] = (uint32_t)random_next(&random);
    for (size_t row = 0; row < ROWS; row++)
        qsort(r->sorted + row * LENGTH, LENGTH, sizeof *r->sorted, compare);
    return r;
}

static void assert_selected(const struct rows *r, bool has_indices)
{
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < K; i++) {
            assert_int_equal(r->out[row * K + i], r->sorted[row * LENGTH + i]);
            if (has_indices)
                assert_int_equal(r->keys[row * LENGTH + r->indices[row * K + i]],
                                 r->out[row * K + i]);
        }
}

/* The caps are the context's own; a selector looks at them when it runs. */
static uint64_t set_largest(struct fixture *f, uint64_t bytes)
{
    clade_caps *caps = (clade_caps *)(uintptr_t)f->caps;
    const uint64_t was = caps->alloc_bytes_max;
    caps->alloc_bytes_max = bytes;
    return was;
}

static clade_kselect *make_selector(struct fixture *f, uint32_t method, uint32_t indices)
{
    clade_kselect *s = NULL;
    const clade_kselect_params params = { .length = LENGTH,
                                          .k = K,
                                          .key = CLADE_U32,
                                          .output = CLADE_KSELECT_SORTED,
                                          .indices = indices,
                                          .method = method };
    assert_ok(clade_kselect_create(&s, f->context, &params));
    return s;
}

/* Seven host rows are a quarter of the largest buffer. Rows that several groups share need scratch
 * memory, which is a buffer, too. */
static void rows_come_in_pieces(void **state)
{
    struct fixture *f = *state;
    static const uint32_t methods[] = { CLADE_KSELECT_ROW, CLADE_KSELECT_SHARED };
    const uint64_t largest[] = { 4 * 7 * LENGTH * 4, 3 * 65536 };
    struct rows *r = make_rows(f);
    cl_mem keys = fixture_buffer(f, sizeof r->keys, r->keys);
    for (size_t m = 0; m < 2; m++)
        for (uint32_t indices = 0; indices < 2; indices++)
            for (int on_host = 0; on_host < 2; on_host++) {
                clade_kselect *s = make_selector(f, methods[m], indices);
                const uint64_t was = set_largest(f, largest[m]);
                memset(r->out, 0, sizeof r->out);
                const clade_status status = clade_kselect_run(
                    s, on_host ? clade_host(r->keys) : clade_device(keys, 0), clade_host(r->out),
                    indices ? clade_host(r->indices) : clade_no_array(), ROWS, NULL);
                set_largest(f, was);
                assert_ok(status);
                assert_selected(r, indices != 0);
                clade_kselect_destroy(&s);
            }
    clReleaseMemObject(keys);
    test_free(r);
}

/* Rows that differ, some of them empty: each may be short, so there may be more of them than a
 * buffer of their spans, or of what several groups tell each other, has room for. By the way that
 * the library takes for rows that may be long, too, which is a GPU's. */
static void rows_that_differ_come_in_pieces(void **state)
{
    struct fixture *f = *state;
    clade_caps *caps = (clade_caps *)(uintptr_t)f->caps;
    const struct way {
        uint32_t method, k;
        uint64_t length, largest;
    } ways[] = {
        { CLADE_KSELECT_ROW, 2, LENGTH, 16 * 30 },
        { CLADE_KSELECT_SHARED, 2, LENGTH, 3 * 65536 },
        { CLADE_KSELECT_FIRST, 1, LENGTH, 8 * 30 },
        { CLADE_KSELECT_AUTO, 2, (1 << 20) + 1, 3 * 65536 },
    };
    struct rows *r = make_rows(f);
    uint64_t offsets[ROWS + 1] = { 0 };
    cl_mem keys = fixture_buffer(f, sizeof r->keys, r->keys);
    for (size_t row = 0; row < ROWS; row++)
        offsets[row + 1] = offsets[row] + row % 4;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const struct way *way = &ways[i];
        const clade_kselect_params params = { .length = way->length,
                                              .k = way->k,
                                              .key = CLADE_U32,
                                              .method = way->method,
                                              .group_size = f->caps->is_cpu ? 32 : 0 };
        clade_kselect *s = NULL;
        if (way->length > LENGTH && f->caps->loop_limit > 0)
            continue; /* such rows are refused there */
        const uint32_t is_cpu = caps->is_cpu;
        assert_ok(clade_kselect_create(&s, f->context, &params));
        caps->is_cpu = 0;
        const uint64_t was = set_largest(f, way->largest);
        const clade_status status = clade_kselect_run_each(
            s, clade_device(keys, 0), clade_host(offsets), clade_no_array(), clade_host(r->out),
            clade_no_array(), ROWS, clade_no_array(), NULL);
        set_largest(f, was);
        caps->is_cpu = is_cpu;
        assert_ok(status);
        for (size_t row = 0; row < ROWS; row++) {
            uint32_t wanted[4];
            const size_t length = row % 4, found = length < way->k ? length : way->k;
            memcpy(wanted, r->keys + offsets[row], sizeof wanted);
            qsort(wanted, length, sizeof *wanted, compare);
            uint32_t *out = r->out + row * way->k;
            qsort(out, found, sizeof *out, compare);
            assert_memory_equal(out, wanted, found * sizeof *wanted);
        }
        clade_kselect_destroy(&s);
    }
    clReleaseMemObject(keys);
    test_free(r);
}

/* Sorting takes scratch memory, on CPUs twice a row's results for each group: where that is to be
 * had for few groups alone, few sort. */
static void rows_are_sorted_by_as_many_groups_as_fit(void **state)
{
    struct fixture *f = *state;
    struct rows *r = make_rows(f);
    cl_mem keys = fixture_buffer(f, sizeof r->keys, r->keys);
    for (uint64_t groups = 1; groups <= 3; groups++) {
        clade_kselect *s = make_selector(f, CLADE_KSELECT_ROW, 1);
        const uint64_t was = set_largest(f, groups * 2 * K * 8 + 8);
        const clade_status status = clade_kselect_run(s, clade_device(keys, 0), clade_host(r->out),
                                                      clade_host(r->indices), ROWS, NULL);
        set_largest(f, was);
        assert_ok(status);
        assert_selected(r, true);
        clade_kselect_destroy(&s);
    }
    clReleaseMemObject(keys);
    test_free(r);
}

/* Groups of one item that share a long row have a part of a scratch buffer each, of 128 KiB or of
 * four times as much: where there is room for one of them, a single group has the row. */
static void rows_are_shared_by_as_many_groups_as_fit(void **state)
{
    struct fixture *f = *state;
    enum { LONG = 1 << 20, HALF = LONG / 2 };
    static const uint64_t largest[] = { 3 << 16, 3 << 18 };
    uint32_t *keys = test_calloc(LONG, sizeof *keys), *got = test_calloc(HALF, sizeof *got);
    struct random random = random_from(f->seed);
    if (f->caps->loop_limit > 0 || fixture_is_interpreted(f))
        skip();
    for (size_t i = 0; i < LONG; i++)
        keys[i] = (uint32_t)random_next(&random);
    cl_mem mem = fixture_buffer(f, LONG * sizeof *keys, keys);
    qsort(keys, LONG, sizeof *keys, compare);
    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        clade_kselect *s = NULL;
        const clade_kselect_params params = { .length = LONG, .k = HALF, .key = CLADE_U32 };
        assert_ok(clade_kselect_create(&s, f->context, &params));
        const uint64_t was = set_largest(f, largest[i]);
        const clade_status status =
            clade_kselect_run(s, clade_device(mem, 0), clade_host(got), clade_no_array(), 1, NULL);
        set_largest(f, was);
        assert_ok(status);
        qsort(got, HALF, sizeof *got, compare);
        assert_memory_equal(got, keys, HALF * sizeof *got);
        clade_kselect_destroy(&s);
    }
    clReleaseMemObject(mem);
    test_free(got);
    test_free(keys);
}

/* That there is no room for the last rows is known before the first are done. */
static void short_results_are_refused_before_the_first_piece(void **state)
{
    struct fixture *f = *state;
    struct rows *r = make_rows(f);
    uint32_t before[SHORT * K], after[SHORT * K];
    clade_kselect *s = make_selector(f, CLADE_KSELECT_ROW, 1);
    memset(before, 0x77, sizeof before);
    cl_mem few = fixture_buffer(f, sizeof before, before);
    for (int is_indices = 0; is_indices < 2; is_indices++) {
        const uint64_t was = set_largest(f, 4 * 7 * LENGTH * 4);
        const clade_status status = clade_kselect_run(
            s, clade_host(r->keys), is_indices ? clade_host(r->out) : clade_device(few, 0),
            is_indices ? clade_device(few, 0) : clade_host(r->indices), ROWS, NULL);
        set_largest(f, was);
        assert_int_equal(status, CLADE_E_ARG);
        fixture_read(f, few, 0, after, sizeof after);
        assert_memory_equal(after, before, sizeof before);
    }
    clReleaseMemObject(few);
    clade_kselect_destroy(&s);
    test_free(r);
}

/* k-sets as large as the largest buffer: feeding them needs scratch memory where it selects, twice
 * a heap's for each group. Where that is not to be had fewer groups do it, or it sifts. */
static void sets_as_large_as_a_buffer_are_fed(void **state)
{
    struct fixture *f = *state;
    enum { HEAPS = 4, CAPACITY = 4096, EACH = 3 * CAPACITY };
    static const uint64_t largest[] = { 70000, 20000 };
    uint32_t *keys = test_calloc(HEAPS * EACH, sizeof *keys);
    uint32_t *sorted = test_calloc(HEAPS * EACH, sizeof *sorted);
    uint32_t *got = test_calloc(HEAPS * CAPACITY, sizeof *got);
    struct random random = random_from(f->seed);
    for (size_t i = 0; i < HEAPS * EACH; i++)
        keys[i] = sorted[i] = (uint32_t)random_next(&random);
    for (size_t h = 0; h < HEAPS; h++)
        qsort(sorted + h * EACH, EACH, sizeof *sorted, compare);
    for (size_t i = 0; i < 2; i++) {
        clade_adheap *sets = NULL;
        const uint32_t heaps = i == 0 ? HEAPS : 1;
        const clade_adheap_params params = {
            .heaps = heaps, .capacity = CAPACITY, .key = CLADE_U32, .keep = 1
        };
        const uint64_t was = set_largest(f, largest[i]);
        clade_status status = clade_adheap_create(&sets, f->context, &params);
        if (status == CLADE_OK)
            status = clade_adheap_feed(sets, clade_host(keys), clade_no_array(), 0, EACH, NULL);
        set_largest(f, was);
        assert_ok(status);
        assert_ok(clade_adheap_check(sets));
        assert_ok(clade_adheap_pop(sets, clade_host(got), clade_no_array(), CAPACITY,
                                   clade_no_array(), NULL));
        for (size_t h = 0; h < heaps; h++)
            for (size_t k = 0; k < CAPACITY; k++) /* the last comes first */
                assert_int_equal(got[h * CAPACITY + k], sorted[h * EACH + CAPACITY - 1 - k]);
        clade_adheap_destroy(&sets);
    }
    test_free(got);
    test_free(sorted);
    test_free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_pieces),
        cmocka_unit_test(rows_that_differ_come_in_pieces),
        cmocka_unit_test(rows_are_sorted_by_as_many_groups_as_fit),
        cmocka_unit_test(rows_are_shared_by_as_many_groups_as_fit),
        cmocka_unit_test(short_results_are_refused_before_the_first_piece),
        cmocka_unit_test(sets_as_large_as_a_buffer_are_fed),
    };
    return fixture_run("pieces", tests);
}
