/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench adheap`, selection: rows of 8,192 keys, more and more of each (K), beside the C++
 * library on one core. Every row is compared with a sorted one behind every run. */
#include <stdlib.h>
#include <string.h>

#include "baseline/select.h"
#include "bench/adheap.h"
#include "command/clade.h"
#include "common/compare.h"

enum { LENGTH = 8192 };

struct selection {
    struct bench_rows rows;
    uint64_t count;   /* of rows */
    uint32_t *sorted; /* the rows, sorted */
    uint32_t *out;    /* what the device found; the host works in it, too */
    size_t stride;    /* from a row's results in `out` to the next one's */
    cl_mem out_mem;
    clade_kselect *selector;
    bool in_order; /* the results are */
};

static bool check_rows(struct selection *s)
{
    for (uint64_t row = 0; row < s->count; row++) {
        uint32_t *got = s->out + row * s->stride;
        if (!s->in_order)
            qsort(got, s->rows.k, 4, compare_u32);
        if (memcmp(got, s->sorted + row * LENGTH, 4ull * s->rows.k) != 0)
            return false;
    }
    return true;
}

/* --- the device ------------------------------------------------------------------------------- */

static bool select_rows(void *data)
{
    struct selection *s = data;
    return succeeded(clade_kselect_run(s->selector, clade_device(s->rows.keys, 0),
                                       clade_device(s->out_mem, 0), clade_no_array(), s->count,
                                       NULL));
}

static bool check_device(void *data)
{
    struct selection *s = data;
    s->stride = s->rows.k;
    return bench_read(s->rows.bench, s->out_mem, s->out, 4ull * s->count * s->rows.k) &&
           check_rows(s);
}

static bool add_device(struct selection *s, const char *column, uint32_t output)
{
    const struct bench_task task = { s, NULL, select_rows, check_device, false };
    const clade_kselect_params params = {
        .length = LENGTH, .k = s->rows.k, .key = CLADE_U32, .output = output
    };
    struct bench_times times;
    s->in_order = output == CLADE_KSELECT_SORTED;
    if (!succeeded(clade_kselect_create(&s->selector, bench_context(s->rows.bench), &params)))
        return false;
    const bool fine = bench_measure(s->rows.bench, &task, &times);
    clade_kselect_destroy(&s->selector);
    if (fine)
        bench_ms(s->rows.bench, column, &times);
    return fine;
}

/* --- the host --------------------------------------------------------------------------------- */

static bool copy_rows(void *data)
{
    struct selection *s = data;
    memcpy(s->out, s->rows.host, 4ull * s->count * LENGTH);
    return true;
}

static bool select_on_host(void *data)
{
    struct selection *s = data;
    (s->in_order ? baseline_select_sorted : baseline_select_any)(s->out, s->count, LENGTH,
                                                                 s->rows.k);
    return true;
}

static bool check_host(void *data)
{
    struct selection *s = data;
    s->stride = LENGTH;
    return check_rows(s);
}

static bool add_host(struct selection *s, const char *column, bool in_order)
{
    const struct bench_task task = { s, copy_rows, select_on_host, check_host, true };
    struct bench_times times;
    s->in_order = in_order;
    if (!baseline_select_is_there()) {
        bench_none(s->rows.bench, column, "no C++");
        return true;
    }
    if (!bench_measure(s->rows.bench, &task, &times))
        return false;
    bench_ms(s->rows.bench, column, &times);
    return true;
}

/* --- the table -------------------------------------------------------------------------------- */

static bool add_row(struct selection *s, uint32_t k)
{
    s->rows.k = k;
    bench_count(s->rows.bench, "K", k);
    bench_count(s->rows.bench, "rows", s->count);
    const bool fine = add_device(s, "clade, any order", CLADE_KSELECT_ANY) &&
                      add_device(s, "clade, sorted", CLADE_KSELECT_SORTED) &&
                      add_device(s, "clade, as heaps", CLADE_KSELECT_HEAP) &&
                      add_host(s, "std::nth_element", false) &&
                      add_host(s, "std::partial_sort", true);
    if (fine)
        bench_row_end(s->rows.bench);
    return fine;
}

static bool open_selection(struct selection *s, struct bench *bench, uint64_t total)
{
    if (!bench_rows_open(&s->rows, bench, total))
        return false;
    s->count = total / LENGTH;
    s->sorted = bench_alloc(total, 4);
    s->out = bench_alloc(total, 4);
    s->out_mem = bench_buffer(bench, NULL, 4 * total);
    if (!s->sorted || !s->out || !s->out_mem)
        return false;
    memcpy(s->sorted, s->rows.host, 4 * total);
    for (uint64_t row = 0; row < s->count; row++)
        qsort(s->sorted + row * LENGTH, LENGTH, 4, compare_u32);
    return true;
}

bool bench_select(struct bench *bench)
{
    const bool cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t total = 1ull << (bench_is_quick(bench) ? 16 : cpu ? 21 : 24);
    struct selection s = { .sorted = NULL };
    bool fine = open_selection(&s, bench, total);
    bench_table(bench, "selection", "the K smallest of each row of 8,192, ms for all rows");
    for (uint32_t k = 1; fine && k <= LENGTH / 2 && !bench_is_over(bench);
         k *= bench_is_quick(bench) ? 16 : 4)
        fine = add_row(&s, k);
    if (s.out_mem)
        clReleaseMemObject(s.out_mem);
    free(s.sorted);
    free(s.out);
    bench_rows_close(&s.rows);
    return fine;
}
