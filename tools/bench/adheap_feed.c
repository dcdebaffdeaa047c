/* SPDX-License-Identifier: Apache-2.0 */
/* k-sets that are kept and fed in pieces: by the way that the library picks, and by each way that
 * can be forced, beside a selection of l keys anew. Every row is checked behind every run. */
#include "bench/adheap.h"

#include <stdlib.h>

#include "command/clade.h"

enum { FEEDS = 4 };

struct feeding {
    struct bench_rows rows; /* what the k-sets are made of */
    cl_mem pieces, out;
    uint32_t *fed; /* FEEDS pieces: piece after piece, each row after row */
    uint32_t piece, count;
    clade_adheap *sets;
    clade_kselect *selector;
    uint32_t *set; /* of all rows */
};

/* One in `rarity` of these keys is as likely to enter as any of the first ones, the others never.
 */
static bool make_pieces(struct feeding *f, uint32_t rarity)
{
    const uint64_t each = (uint64_t)f->count * f->piece;
    uint64_t state = rarity;
    f->fed = bench_alloc(each * FEEDS, 4);
    for (uint64_t i = 0; f->fed && i < each * FEEDS; i++) {
        const uint64_t any = bench_random(&state);
        f->fed[i] = (uint32_t)any | ((any >> 32) % rarity ? 1u << 31 : 0);
    }
    f->pieces = f->fed ? bench_buffer(f->rows.bench, f->fed, each * FEEDS * 4) : NULL;
    return f->pieces != NULL;
}

static bool make_sets(void *data)
{
    struct feeding *f = data;
    return succeeded(clade_adheap_clear(f->sets, NULL)) &&
           succeeded(clade_adheap_feed(f->sets, clade_device(f->rows.keys, 0), clade_no_array(), 0,
                                       f->rows.length, NULL));
}

static bool feed_pieces(void *data)
{
    struct feeding *f = data;
    bool fine = true;
    for (uint64_t i = 0; fine && i < FEEDS; i++)
        fine = succeeded(clade_adheap_feed(
            f->sets, clade_device(f->pieces, (size_t)(i * f->count * f->piece * 4)),
            clade_no_array(), 0, f->piece, NULL));
    return fine;
}

static bool select_anew(void *data)
{
    struct feeding *f = data;
    return succeeded(clade_kselect_run(f->selector, clade_device(f->rows.keys, 0),
                                       clade_device(f->out, 0), clade_no_array(), f->count, NULL));
}

/* Keys up to and with `last`: how many there are below it, how many equal it, and a sum that tells
 * which. */
struct tally {
    uint64_t below, equal, sum;
};

static void tally(struct tally *t, const uint32_t *keys, uint32_t count, uint32_t last)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t mixed = keys[i] * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 29;
        t->below += keys[i] < last;
        t->equal += keys[i] == last;
        t->sum += keys[i] < last ? mixed * mixed : 0;
    }
}

/* With T the set's last key: it has all keys below T and as many T as make k. */
static bool is_row_right(const struct feeding *f, uint32_t row, const uint32_t *set)
{
    const uint32_t k = f->rows.k, length = f->rows.length;
    struct tally all = { 0 }, got = { 0 };
    uint32_t last = 0;
    for (uint32_t i = 0; i < k; i++)
        last = set[i] > last ? set[i] : last;
    tally(&got, set, k, last);
    tally(&all, f->rows.host + (size_t)row * length, length, last);
    for (size_t i = 0; i < FEEDS; i++)
        tally(&all, f->fed + (i * f->count + row) * f->piece, f->piece, last);
    return got.below == all.below && got.sum == all.sum && got.equal <= all.equal &&
           got.below + got.equal == k;
}

static bool check_sets(void *data)
{
    struct feeding *f = data;
    bool right = bench_sets_read(f->rows.bench, f->sets, f->rows.k, 0, f->count, f->set);
    for (uint32_t row = 0; right && row < f->count; row++)
        right = is_row_right(f, row, f->set + row * bench_set_stride(f->rows.k));
    return right;
}

static bool check_nothing(void *data)
{
    (void)data; /* the suite's other tables check selection */
    return true;
}

static bool measure_way(struct feeding *f, const char *name, uint32_t way)
{
    const struct bench_task task = { f, make_sets, feed_pieces, check_sets, false };
    struct bench_times times;
    const clade_adheap_params params = {
        .heaps = f->count, .capacity = f->rows.k, .key = CLADE_U32, .keep = 1, .feed = way
    };
    if (!succeeded(clade_adheap_create(&f->sets, bench_context(f->rows.bench), &params)))
        return false;
    const bool fine = bench_measure(f->rows.bench, &task, &times);
    clade_adheap_destroy(&f->sets);
    if (fine)
        bench_ms(f->rows.bench, name, &times);
    return fine;
}

static bool measure_anew(struct feeding *f)
{
    const struct bench_task task = { f, NULL, select_anew, check_nothing, false };
    struct bench_times times;
    if (!succeeded(clade_kselect_create(&f->selector, bench_context(f->rows.bench),
                                        &(clade_kselect_params) { .length = f->rows.length,
                                                                  .k = f->rows.k,
                                                                  .key = CLADE_U32 })))
        return false;
    const bool fine = bench_measure(f->rows.bench, &task, &times);
    clade_kselect_destroy(&f->selector);
    if (fine)
        bench_ms(f->rows.bench, "l anew", &times);
    return fine;
}

/* One row of the table. */
static bool measure_feeds(struct bench_rows *rows, uint32_t length, uint32_t piece, uint32_t rarity)
{
    struct bench *bench = rows->bench;
    struct feeding f = { .rows = *rows, .piece = piece };
    f.rows.length = length;
    f.rows.k = length / 10;
    f.count = (uint32_t)(rows->total / length);
    f.set = bench_alloc(f.count * bench_set_stride(f.rows.k), 4);
    f.out = bench_buffer(bench, NULL, (uint64_t)f.count * f.rows.k * 4);
    bool fine = f.set && f.out && make_pieces(&f, rarity);
    bench_text(bench, "enter", rarity == 1 ? "10 % enter" : "1 % enters");
    bench_text(bench, "pieces", piece < 1000 ? "of 256" : "of 4,096");
    bench_count(bench, "k", f.rows.k);
    bench_count(bench, "rows", f.count);
    fine = fine && measure_way(&f, "auto", CLADE_ADHEAP_FEED_AUTO) &&
           measure_way(&f, "sift", CLADE_ADHEAP_FEED_SIFT) &&
           measure_way(&f, "select", CLADE_ADHEAP_FEED_SELECT) && measure_anew(&f);
    if (fine)
        bench_row_end(bench);
    if (f.out)
        clReleaseMemObject(f.out);
    if (f.pieces)
        clReleaseMemObject(f.pieces);
    free(f.fed);
    free(f.set);
    return fine;
}

bool bench_adheap_feed(struct bench *bench)
{
    static const uint32_t pieces[] = { 256, 4096 };
    const bool quick = bench_is_quick(bench),
               cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint32_t longest = quick ? 1u << 11 : 1u << 17;
    struct bench_rows rows;
    bool fine = bench_rows_open(&rows, bench, (uint64_t)1 << (quick ? 17 : cpu ? 22 : 25));
    bench_table(bench, "feeds", "4 pieces a row to k-sets of l / 10, ms for all four and all rows");
    for (uint32_t length = 1u << 11; fine && length <= longest && !bench_is_over(bench);
         length *= 4)
        for (size_t i = 0; fine && i < (quick ? 1 : 2); i++)
            for (uint32_t rarity = 1; fine && rarity <= 10; rarity += 9)
                fine = measure_feeds(&rows, length, pieces[i], rarity);
    bench_rows_close(&rows);
    return fine;
}
