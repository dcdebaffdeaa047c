/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench adheap`, selection: rows of 8,192 keys, more and more of each (K), beside the C++
 * library on one core. Every row is compared with a sorted one behind every run. */
#include <stdlib.h>
#include <string.h>

#include "baseline/select.h"
#include "bench/adheap.h"
#include "bench/shapes.h"
#include "command/clade.h"
#include "common/compare.h"

enum { LENGTH = 8192 };

struct selection {
    struct bench_rows rows;
    uint64_t count;   /* of rows */
    uint32_t length;  /* of a row */
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
        if (memcmp(got, s->sorted + row * s->length, 4ull * s->rows.k) != 0)
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
        .length = s->length, .k = s->rows.k, .key = CLADE_U32, .output = output
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
    memcpy(s->out, s->rows.host, 4ull * s->count * s->length);
    return true;
}

static bool select_any_on_host(void *data)
{
    struct selection *s = data;
    baseline_select_any(s->out, s->count, s->length, s->rows.k);
    return true;
}

static bool select_sorted_on_host(void *data)
{
    struct selection *s = data;
    baseline_select_sorted(s->out, s->count, s->length, s->rows.k);
    return true;
}

static bool check_host(void *data)
{
    struct selection *s = data;
    s->stride = s->length;
    return check_rows(s);
}

static bool add_host(struct selection *s, const char *column, bool (*work)(void *data))
{
    const struct bench_task task = { s, copy_rows, work, check_host, true };
    struct bench_times times;
    s->in_order = work == select_sorted_on_host;
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
                      add_host(s, "std::nth_element", select_any_on_host) &&
                      add_host(s, "std::partial_sort", select_sorted_on_host);
    if (fine)
        bench_row_end(s->rows.bench);
    return fine;
}

static bool open_selection(struct selection *s, struct bench *bench, uint64_t total)
{
    if (!bench_rows_open(&s->rows, bench, total))
        return false;
    s->count = total / LENGTH;
    s->length = LENGTH;
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

static void close_selection(struct selection *s)
{
    if (s->out_mem)
        clReleaseMemObject(s->out_mem);
    free(s->sorted);
    free(s->out);
    bench_rows_close(&s->rows);
}

/* --- shapes: other keys, other lengths -------------------------------------------------------- */

static bool set_shape(struct selection *s, uint32_t length, enum bench_shape shape)
{
    const cl_command_queue queue = clade_context_cl_queue(bench_context(s->rows.bench));
    uint64_t state = 1;
    s->length = length;
    s->count = s->rows.total / length;
    for (uint64_t row = 0; row < s->count; row++)
        bench_shape_fill(s->rows.host + row * length, length, shape, &state);
    memcpy(s->sorted, s->rows.host, 4 * s->count * length);
    for (uint64_t row = 0; row < s->count; row++)
        qsort(s->sorted + row * length, length, 4, compare_u32);
    const cl_int code = clEnqueueWriteBuffer(queue, s->rows.keys, CL_TRUE, 0, 4 * s->count * length,
                                             s->rows.host, 0, NULL, NULL);
    return code == CL_SUCCESS || bench_fail("the keys cannot be written (%d)", code);
}

static bool add_shape(struct selection *s, uint32_t length, enum bench_shape shape)
{
    if (!set_shape(s, length, shape))
        return false;
    s->rows.k = length / 10;
    bench_text(s->rows.bench, "keys", bench_shape_names[shape]);
    bench_count(s->rows.bench, "row", length);
    const bool fine = add_device(s, "clade, any order", CLADE_KSELECT_ANY) &&
                      add_device(s, "clade, sorted", CLADE_KSELECT_SORTED) &&
                      add_host(s, "std::nth_element", select_any_on_host);
    if (fine)
        bench_row_end(s->rows.bench);
    return fine;
}

/* A power of two, a prime, an odd length that is none, and one that a group reads again. */
static bool add_shapes(struct selection *s)
{
    static const uint32_t lengths[] = { 8192, 3001, 6075, 65536 };
    const size_t count = bench_is_quick(s->rows.bench) ? 2 : sizeof lengths / sizeof lengths[0];
    bench_table(s->rows.bench, "shapes", "a tenth of each row, by distribution and length, ms");
    for (size_t i = 0; i < count; i++)
        for (int shape = 0; shape < BENCH_SHAPES; shape++)
            if (!bench_is_over(s->rows.bench) && !add_shape(s, lengths[i], (enum bench_shape)shape))
                return false;
    return true;
}

/* --- short rows, few results ------------------------------------------------------------------ */

static bool add_few(struct selection *s, uint32_t k, enum bench_shape shape)
{
    s->rows.k = k;
    bench_text(s->rows.bench, "keys", bench_shape_names[shape]);
    bench_count(s->rows.bench, "row", s->length);
    bench_count(s->rows.bench, "K", k);
    const bool fine = add_device(s, "clade, any order", CLADE_KSELECT_ANY) &&
                      add_host(s, "std::nth_element", select_any_on_host) &&
                      add_host(s, "std::partial_sort", select_sorted_on_host);
    if (fine)
        bench_row_end(s->rows.bench);
    return fine;
}

static bool add_fews(struct selection *s)
{
    static const uint32_t lengths[] = { 257, 1000, 2048, 3001, 8192 }, ks[] = { 4, 16, 64 };
    const size_t last = bench_is_quick(s->rows.bench) ? 1 : sizeof lengths / sizeof lengths[0];
    bool fine = true;
    bench_table(s->rows.bench, "few", "few results of short rows, by distribution, ms");
    for (size_t i = 0; fine && i < last; i++)
        for (int shape = 0; fine && shape < BENCH_SHAPES; shape++) {
            fine = set_shape(s, lengths[i], (enum bench_shape)shape);
            for (size_t j = 0; fine && j < sizeof ks / sizeof ks[0]; j++)
                fine = bench_is_over(s->rows.bench) || add_few(s, ks[j], (enum bench_shape)shape);
        }
    return fine;
}

/* --- one long row ----------------------------------------------------------------------------- */

static bool first_on_host(void *data)
{
    struct selection *s = data;
    baseline_select_first(s->out, s->count, s->length);
    return true;
}

static bool add_one_k(struct selection *s, uint32_t k, enum bench_shape shape)
{
    s->rows.k = k;
    bench_text(s->rows.bench, "keys", bench_shape_names[shape]);
    bench_count(s->rows.bench, "row", s->length);
    bench_count(s->rows.bench, "K", k);
    bool fine = add_device(s, "clade, any order", CLADE_KSELECT_ANY) &&
                add_host(s, "std::nth_element", select_any_on_host);
    if (fine && k == 1)
        fine = add_host(s, "std::min_element", first_on_host);
    else if (fine)
        bench_none(s->rows.bench, "std::min_element", "K > 1");
    fine = fine && bench_nothing(s->rows.bench, "an empty launch", 1);
    if (fine)
        bench_row_end(s->rows.bench);
    return fine;
}

static bool add_one_length(struct selection *s, uint32_t length, enum bench_shape shape)
{
    const uint32_t ks[] = { 1, 16, 1000, length / 2 };
    bool fine = set_shape(s, length, shape);
    for (size_t i = 0; fine && i < sizeof ks / sizeof ks[0] && !bench_is_over(s->rows.bench); i++)
        fine = add_one_k(s, ks[i], shape);
    return fine;
}

/* --keys N: rows of N keys alone. */
static bool add_ones(struct bench *bench)
{
    static const uint32_t usual[] = { 100000, 1 << 17, 1 << 18, 1000000, 1 << 20 };
    const uint64_t asked = bench_keys(bench, bench_is_quick(bench) ? 20000 : 0);
    const size_t count = asked > 0 ? 1 : sizeof usual / sizeof usual[0];
    bool fine = true;
    bench_table(bench, "one", "the K smallest of one row, by distribution and length, ms");
    for (size_t i = 0; fine && i < count; i++) {
        const uint32_t length = asked > 0 ? (uint32_t)asked : usual[i];
        struct selection s = { .sorted = NULL };
        fine = open_selection(&s, bench, length);
        for (int shape = 0; fine && shape < BENCH_SHAPES && !bench_is_over(bench); shape++)
            fine = add_one_length(&s, length, (enum bench_shape)shape);
        close_selection(&s);
    }
    return fine;
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
    fine = fine && (!bench_wants(bench, "shapes") || add_shapes(&s));
    fine = fine && (!bench_wants(bench, "few") || add_fews(&s));
    close_selection(&s);
    return fine && (!bench_wants(bench, "one") || add_ones(bench));
}
