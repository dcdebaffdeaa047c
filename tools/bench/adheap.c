/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench adheap`: the experiment of Liu and Vinter 2014. Random integers in rows of l; each
 * row is fed key by key to a d-ary heap that keeps the l / 10 smallest, with every bridge and
 * without; beside it selection, and selection whose results are heaps. Three rows are compared with
 * a sorted copy behind every run. */
#include "bench/adheap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/calls.h"
#include "command/clade.h"
#include "common/compare.h"

enum { ROWS_CHECKED = 3 };

bool bench_rows_open(struct bench_rows *rows, struct bench *bench, uint64_t total)
{
    uint64_t state = 1;
    *rows = (struct bench_rows) { .bench = bench, .total = total };
    rows->host = bench_alloc(total, sizeof *rows->host);
    for (uint64_t i = 0; rows->host && i < total; i++)
        rows->host[i] = (uint32_t)(bench_random(&state) >> 32);
    rows->keys = rows->host ? bench_buffer(bench, rows->host, total * sizeof *rows->host) : NULL;
    return rows->keys != NULL;
}

void bench_rows_close(struct bench_rows *rows)
{
    if (rows->keys)
        clReleaseMemObject(rows->keys);
    free(rows->host);
}

size_t bench_set_stride(uint32_t k)
{
    return (CLADE_ADHEAP_ROOT + (size_t)k + 63) / 64 * 64;
}

bool bench_sets_read(struct bench *bench, const clade_adheap *sets, uint32_t k, uint32_t row,
                     uint32_t count, uint32_t *keys)
{
    const size_t stride = bench_set_stride(k), words = (count - 1) * stride + k;
    const size_t first = CLADE_ADHEAP_HEAD_WORDS + row * stride + CLADE_ADHEAP_ROOT;
    const cl_int code =
        clEnqueueReadBuffer(clade_context_cl_queue(bench_context(bench)), clade_adheap_mem(sets),
                            CL_TRUE, first * 4, words * 4, keys, 0, NULL, NULL);
    for (size_t i = 0; i < words; i++)
        keys[i] = ~keys[i]; /* a k-set's words are inverted */
    return code == CL_SUCCESS || bench_fail("the heaps cannot be read (%d)", code);
}

/* --- one row length ------------------------------------------------------------------------- */

struct experiment {
    struct bench_rows rows;
    clade_adheap *heaps;
    clade_kselect *selector;
    cl_mem out;
    uint32_t *wanted; /* ROWS_CHECKED times k keys, sorted */
    uint32_t *got;
    bool lists; /* the table `arities` is asked for */
};

/* The first row, the last, and one between. */
static uint32_t checked_row(const struct experiment *e, uint32_t i)
{
    const uint64_t rows = e->rows.total / e->rows.length;
    return (uint32_t)((rows - 1) * i / (ROWS_CHECKED - 1));
}

static bool set_length(struct experiment *e, uint32_t length)
{
    uint32_t *row = bench_alloc(length, 4);
    e->rows.length = length;
    e->rows.k = (length + 9) / 10;
    free(e->wanted);
    free(e->got);
    e->wanted = bench_alloc((uint64_t)ROWS_CHECKED * e->rows.k, 4);
    e->got = bench_alloc(e->rows.k, 4);
    const bool fine = row && e->wanted && e->got;
    for (uint32_t i = 0; fine && i < ROWS_CHECKED; i++) {
        memcpy(row, e->rows.host + (size_t)checked_row(e, i) * length, (size_t)length * 4);
        qsort(row, length, 4, compare_u32);
        memcpy(e->wanted + (size_t)i * e->rows.k, row, (size_t)e->rows.k * 4);
    }
    free(row);
    return fine;
}

static bool is_wanted(struct experiment *e, uint32_t i)
{
    qsort(e->got, e->rows.k, 4, compare_u32);
    return memcmp(e->got, e->wanted + (size_t)i * e->rows.k, (size_t)e->rows.k * 4) == 0;
}

static bool check_heaps(void *data)
{
    struct experiment *e = data;
    bool right = true;
    for (uint32_t i = 0; right && i < ROWS_CHECKED; i++)
        right = bench_sets_read(e->rows.bench, e->heaps, e->rows.k, checked_row(e, i), 1, e->got) &&
                is_wanted(e, i);
    return right;
}

static bool check_selected(void *data)
{
    struct experiment *e = data;
    bool right = true;
    for (uint32_t i = 0; right && i < ROWS_CHECKED; i++)
        right = clEnqueueReadBuffer(clade_context_cl_queue(bench_context(e->rows.bench)), e->out,
                                    CL_TRUE, (size_t)checked_row(e, i) * e->rows.k * 4,
                                    (size_t)e->rows.k * 4, e->got, 0, NULL, NULL) == CL_SUCCESS &&
                is_wanted(e, i);
    return right;
}

static bool empty_heaps(void *data)
{
    struct experiment *e = data;
    return succeeded(clade_adheap_clear(e->heaps, NULL));
}

static bool feed_heaps(void *data)
{
    struct experiment *e = data;
    return clade_adheap_feed(e->heaps, clade_device(e->rows.keys, 0), clade_no_array(), 0,
                             e->rows.length, NULL) == CLADE_OK ||
           (report_error(), false);
}

static bool select_rows(void *data)
{
    struct experiment *e = data;
    return clade_kselect_run(e->selector, clade_device(e->rows.keys, 0), clade_device(e->out, 0),
                             clade_no_array(), e->rows.total / e->rows.length, NULL) == CLADE_OK ||
           (report_error(), false);
}

static bool measure_heaps(struct experiment *e, uint32_t arity, uint32_t bridge, uint32_t feed,
                          struct bench_times *times)
{
    const struct bench_task task = { e, empty_heaps, feed_heaps, check_heaps, false };
    if (clade_adheap_create(
            &e->heaps, bench_context(e->rows.bench),
            &(clade_adheap_params) { .heaps = (uint32_t)(e->rows.total / e->rows.length),
                                     .capacity = e->rows.k,
                                     .arity = arity,
                                     .key = CLADE_U32,
                                     .keep = 1,
                                     .bridge = bridge,
                                     .feed = feed }) != CLADE_OK)
        return report_error(), false;
    const bool fine = bench_measure(e->rows.bench, &task, times);
    clade_adheap_destroy(&e->heaps);
    return fine;
}

static bool measure_selection(struct experiment *e, uint32_t output, struct bench_times *times)
{
    const struct bench_task task = { e, NULL, select_rows, check_selected, false };
    if (clade_kselect_create(&e->selector, bench_context(e->rows.bench),
                             &(clade_kselect_params) { .length = e->rows.length,
                                                       .k = e->rows.k,
                                                       .key = CLADE_U32,
                                                       .output = output }) != CLADE_OK)
        return report_error(), false;
    const bool fine = bench_measure(e->rows.bench, &task, times);
    clade_kselect_destroy(&e->selector);
    return fine;
}

/* Every arity and bridge, key by key; the best plain and the best bridged heap are kept. When the
 * table `ways` alone is asked for they are measured for that, and no row tells of wrong results. */
static bool measure_arities(struct experiment *e, double *plain, double *bridged)
{
    static const char *const names[] = { "", "plain", "registers", "local", "dump" };
    struct bench *bench = e->rows.bench;
    bool fine = true;
    *plain = *bridged = 1e30;
    for (uint32_t arity = 8; fine && arity <= (bench_is_quick(bench) ? 8 : 64); arity *= 2) {
        struct bench_times times[5];
        double best = 1e30;
        char d[16];
        snprintf(d, sizeof d, "d = %u", arity);
        if (e->lists) {
            bench_text(bench, "children", d);
            bench_count(bench, "l", e->rows.length);
        }
        for (uint32_t bridge = CLADE_ADHEAP_BRIDGE_NONE; fine && bridge <= CLADE_ADHEAP_BRIDGE_DUMP;
             bridge++) {
            fine = measure_heaps(e, arity, bridge, CLADE_ADHEAP_FEED_SIFT, &times[bridge]);
            if (!fine)
                break;
            if (e->lists)
                bench_ms(bench, names[bridge], &times[bridge]);
            else if (!times[bridge].right)
                return bench_fail("heaps of %u children have wrong keys", arity);
            if (bridge > CLADE_ADHEAP_BRIDGE_NONE && times[bridge].median < best)
                best = times[bridge].median;
        }
        if (!fine)
            break;
        if (e->lists) {
            bench_value(bench, "bridge gains", times[CLADE_ADHEAP_BRIDGE_NONE].median / best);
            bench_row_end(bench);
        }
        if (times[CLADE_ADHEAP_BRIDGE_NONE].median < *plain)
            *plain = times[CLADE_ADHEAP_BRIDGE_NONE].median;
        *bridged = best < *bridged ? best : *bridged;
    }
    return fine;
}

/* What the best of both is worth beside selection; the paper's simulator said 1.5 and 3.6. */
struct best {
    uint32_t length, k;
    double plain, bridged;
    struct bench_times select, sorted, heap, fed;
};

static bool measure_length(struct experiment *e, uint32_t length, struct best *best)
{
    if (!set_length(e, length))
        return false;
    best->length = length;
    best->k = e->rows.k;
    return measure_arities(e, &best->plain, &best->bridged) &&
           measure_selection(e, CLADE_KSELECT_ANY, &best->select) &&
           measure_selection(e, CLADE_KSELECT_SORTED, &best->sorted) &&
           measure_selection(e, CLADE_KSELECT_HEAP, &best->heap) &&
           measure_heaps(e, 0, 0, CLADE_ADHEAP_FEED_SELECT, &best->fed);
}

static void print_best(struct bench *bench, const struct best *best, uint64_t total)
{
    bench_count(bench, "l", best->length);
    bench_count(bench, "k", best->k);
    bench_count(bench, "keys", total);
    bench_value(bench, "plain, ms", best->plain);
    bench_value(bench, "bridged, ms", best->bridged);
    bench_value(bench, "bridge gains", best->plain / best->bridged);
    bench_ms(bench, "select", &best->select);
    bench_ms(bench, "sorted", &best->sorted);
    bench_ms(bench, "as heaps", &best->heap);
    bench_ms(bench, "object, fed", &best->fed);
    bench_value(bench, "fed gains", best->plain / best->fed.median);
    bench_text(bench, "the paper", "1.5, 3.6");
    bench_row_end(bench);
}

static void open_ways(struct bench *bench)
{
    bench_table(bench, "ways", "the best d of each, and selection");
}

static bool run_suite(struct bench *bench)
{
    const bool quick = bench_is_quick(bench),
               cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t total = (uint64_t)1 << (quick ? 18 : cpu ? 21 : 28);
    const uint32_t longest = quick ? 1u << 11 : 1u << 21;
    struct experiment e = { .lists = bench_wants(bench, "arities") };
    const bool is_wanted = e.lists || bench_wants(bench, "ways");
    struct best best[8] = { { 0 } };
    uint32_t count = 0;
    bool fine = bench_rows_open(&e.rows, bench, total);
    e.out = fine ? bench_buffer(bench, NULL, total / 9 * 4 + 4096) : NULL;
    fine = fine && e.out;
    if (e.lists)
        bench_table(bench, "arities",
                    "l / 10 smallest of each row of l, key by key, ms for all rows");
    else
        open_ways(bench);
    for (uint32_t length = 1u << 11; fine && is_wanted && length <= longest; length *= 4) {
        fine = measure_length(&e, length, &best[count]);
        if (bench_is_over(bench)) /* this length is not complete */
            break;
        count++;
    }
    if (e.lists)
        open_ways(bench);
    for (uint32_t i = 0; fine && i < count; i++)
        print_best(bench, &best[i], total);
    if (e.out)
        clReleaseMemObject(e.out);
    free(e.wanted);
    free(e.got);
    bench_rows_close(&e.rows);
    return fine && bench_select(bench) && bench_adheap_feed(bench) && bench_adheap_host(bench) &&
           bench_calls(bench, adheap_loads, true);
}

const struct bench_suite adheap_suite = {
    .name = "adheap",
    .summary = "ad-heap and k-selection: the paper's experiment, and feeds",
    .run = run_suite,
    .quick = { 71, 4 },
    .cpu = { 326, 110 },
    .gpu = { 256, 70 },
    .tables = "arities ways feeds host selection shapes few one distributions sizes",
};
