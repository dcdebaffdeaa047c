/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of selection by groups of several items, on lanes, launched as the host does: a group
 * a row (-DWAY=1), one look in which groups share a row (2), a digit a launch (3), the order of
 * what was selected (4), and its heap (5). Rows are alike, or each has a length and a k of its own
 * (CLADE_KSELECT_EACH), down to none. Arrays and local memory are of exactly the host's sizes.
 * Compared with a sort. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLADE_KSELECT_EACH
#define CLADE_KSELECT_EACH 0
#endif
#ifndef CLADE_KSELECT_KEY
#define CLADE_KSELECT_KEY CLADE_I32
#endif
#ifndef CLADE_KSELECT_ORDER
#define CLADE_KSELECT_ORDER CLADE_MIN
#endif
#ifndef CLADE_KSELECT_GROUP
#define CLADE_KSELECT_GROUP 8
#endif
#ifndef CLADE_KSELECT_ITEMS
#define CLADE_KSELECT_ITEMS 2
#endif
#define CLADE_KSELECT_DIGIT   (WAY == 3 ? 6 : 3)
#define CLADE_KSELECT_RANKED  (WAY == 3 ? 18 : 6)
#define CLADE_KSELECT_INDICES 1
#ifndef CLADE_ROWSORT_GROUP
#define CLADE_ROWSORT_GROUP 4
#endif
#define upsample(high, low) ((ulong)(high) << 32 | (low))
#undef __kernel
#define __kernel static
#if WAY == 1
#include "kernels/kselect.cl"
#elif WAY == 2
#include "kernels/kselect_first.cl"
#elif WAY == 3
#include "kernels/kselect_shared.cl"
#elif WAY == 4
#include "kernels/kselect_sort.cl"
#else
#include "kernels/kselect_heap.cl"

#include "clade/kselect/word.clh"
#endif
#if CLADE_KSELECT_EACH
#include "kernels/kselect_each.cl"
#endif
#undef min
#undef max

#include "edges/edge.h"

enum { ROWS = 5, FIRST = 3, KINDS = 6, TILE = CLADE_KSELECT_GROUP * CLADE_KSELECT_ITEMS };
enum { MOST = 83, BASE = 1000, WORD_BITS = CLADE_KSELECT_BITS };
typedef clade_kselect_raw raw;
typedef clade_kselect_word word;
#define FREE ((raw)0x5a5a5a5a5a5a5a5au)

static struct job {
    raw *keys, *out; /* of exactly what the rows need, and FIRST before it */
    uint *indices;
    clade_kselect_span spans[ROWS], *given;
    uint length, k, stride, parts_log, kind;
} job;

static void *room(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

static raw key_of(uint kind, uint i)
{
    const uint x = (i + 1u) * 2654435761u ^ (i >> 3) * 0x85ebca6bu;
    const raw top = (raw)1 << (8 * sizeof(raw) - 1), low = (raw)(x >> 20);
    return kind == 0   ? (raw)((ulong)x << 32 ^ x * 0x9e3779b1u)
           : kind == 1 ? 7u             /* all equal */
           : kind == 2 ? (raw)(x >> 30) /* ties */
           : kind == 3 ? (i % 2u ? clade_kselect_decode_wi(CLADE_KSELECT_LAST) : (raw)0)
           : kind == 4 ? (raw)(top | i % 11u) /* neighbours: bits that all share */
                       : (raw)(i % 3u ? low : (raw)(top | low));
}

/* A row's elements in order, equal words by their indices. */
struct element {
    word key;
    uint at;
};

static int compare(const void *a, const void *b)
{
    const struct element *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key)
                            : (p->at > q->at) - (p->at < q->at);
}

static void sort_row(struct element *to, const raw *from, uint length)
{
    for (uint i = 0; i < length; i++)
        to[i] = (struct element) { clade_kselect_encode_wi(from[i]), i };
    qsort(to, length, sizeof *to, compare);
}

#if CLADE_KSELECT_EACH
/* Rows with offsets and ks, of which some are refused: what each row's span is. */
static struct {
    ulong offsets[FIRST + ROWS + 1];
    uint ks[FIRST + ROWS], given;
    int statuses[FIRST + ROWS + 1];
    ulong room;
    uint rows;
} each;

static void make_spans(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_spans(job.spans, each.offsets, FIRST, each.ks, FIRST, each.statuses, FIRST,
                        each.given, BASE, each.room, job.length, job.k, each.rows);
}

/* The same for an item, in other words. */
static void check_span(uint r)
{
    const bool has_offsets = each.given & CLADE_KSELECT_GIVEN_OFFSETS;
    const uint k = each.given & CLADE_KSELECT_GIVEN_KS ? each.ks[FIRST + r] : job.k;
    const ulong begin = has_offsets ? each.offsets[FIRST + r] : BASE + (ulong)r * job.length;
    const ulong end = has_offsets ? each.offsets[FIRST + r + 1] : begin + job.length;
    bool fits = begin >= BASE && end >= begin && end - BASE <= each.room;
    fits = fits && end - begin <= job.length && k <= job.k;
    const uint length = fits ? (uint)(end - begin) : 0, found = k < length ? k : length;
    const clade_kselect_span span = job.spans[r];
    expect(span.k == (fits ? found : 0), "a span's k", r, span.k);
    expect(span.length == (span.k ? length : 0), "a span's length", r, span.length);
    expect(span.first == (fits ? begin - BASE : 0), "a span's first", r, (uint)span.first);
    expect(each.statuses[FIRST + r] == (!(each.given & CLADE_KSELECT_GIVEN_STATUSES) ? 77
                                        : fits                                       ? CLADE_OK
                                                                                     : CLADE_E_ARG),
           "a row's status", r, (uint)each.statuses[FIRST + r]);
}

static void spans_of(uint given, ulong keys, uint rows, uint groups)
{
    each.given = given;
    each.room = keys;
    each.rows = rows;
    memset(job.spans, 0x5a, sizeof job.spans);
    for (uint i = 0; i < FIRST + ROWS + 1; i++)
        each.statuses[i] = 77;
    shim_launch(make_spans, NULL, groups, 2, 1);
    for (uint r = 0; r < rows; r++)
        check_span(r);
    expect(rows == ROWS || job.spans[rows].k == 0x5a5a5a5a, "a span behind the last", rows, 0);
    expect(each.statuses[FIRST - 1] == 77 && each.statuses[FIRST + rows] == 77, "beside statuses",
           rows, 0);
}

/* Refusals: too long, too many, descending, beyond the keys' end; and each of the three arrays or
 * none. */
static void refusals(void)
{
    static const ulong offsets[][ROWS + 1] = {
        { 0, 4, 4, 9, 9, 20 },    { 0, 10, 20, 31, 40, 50 },   { 9, 4, 12, 13, 20, 19 },
        { 5, 6, 48, 50, 51, 52 }, { -1ul, 3, 50, 50, 51, 51 }, { 0, 50, 51, 51, 50, 50 }
    };
    job.length = 10;
    job.k = 4;
    for (uint i = 0; i < sizeof offsets / sizeof offsets[0]; i++)
        for (uint given = 0; given < 8; given++)
            for (uint rows = 1; rows <= ROWS; rows++) {
                for (uint r = 0; r <= ROWS; r++)
                    each.offsets[FIRST + r] = BASE + offsets[i][r];
                for (uint r = 0; r < ROWS; r++)
                    each.ks[FIRST + r] = (r + i) % 6u;
                spans_of(given, 50, rows, 1 + rows % 3u);
            }
}
#endif

/* A launch's rows: how long, how many results, from which key on. */
static void make_rows(void)
{
    uint keys = ROWS * job.length;
    for (uint r = 0; r < ROWS; r++)
        job.spans[r] = (clade_kselect_span) { (ulong)r * job.length, job.length, job.k };
    job.given = NULL;
#if CLADE_KSELECT_EACH
    keys = 0;
    for (uint r = 0; r < ROWS; r++) { /* the longest, none, and what is between */
        each.offsets[FIRST + r] = BASE + keys;
        keys += r == 0 ? job.length : r == 1 ? 0 : (r * 7919u + job.k) % (job.length + 1u);
        each.ks[FIRST + r] = r < 2 ? job.k : r == 2 ? 0 : (r * 31u + job.length) % (job.k + 1u);
    }
    each.offsets[FIRST + ROWS] = BASE + keys;
    spans_of(7, keys, ROWS, 2);
    job.given = room(sizeof job.spans);
    memcpy(job.given, job.spans, sizeof job.spans);
#endif
    job.keys = room((FIRST + keys) * sizeof *job.keys);
    for (uint i = 0; i < FIRST + keys; i++)
        job.keys[i] = key_of(job.kind, i);
    job.out = room((FIRST + (ROWS - 1) * job.stride + job.k) * sizeof *job.out);
    job.indices = room((FIRST - 1 + (ROWS - 1) * job.stride + job.k) * sizeof *job.indices);
}

static void free_rows(void)
{
    free(job.keys);
    free(job.out);
    free(job.indices);
    free(job.given);
}

/* The row's results are its first keys; with WAY 4 in order, with CLADE_KSELECT_LOWEST the first of
 * equal ones. Nothing else is written. */
static void check_row(uint r)
{
    const clade_kselect_span span = job.spans[r];
    const raw *from = job.keys + FIRST + span.first, *out = job.out + FIRST + r * job.stride;
    const uint *indices = job.indices + FIRST - 1 + r * job.stride;
    const uint end = r + 1 < ROWS ? job.stride : job.k;
    struct element sorted[MOST], got[MOST];
    unsigned char seen[MOST] = { 0 };
    sort_row(sorted, from, span.length);
    for (uint i = 0; i < span.k; i++) {
        const uint at = indices[i];
        expect(at < span.length && seen[at]++ == 0 &&
                   clade_kselect_encode_wi(out[i]) == clade_kselect_encode_wi(from[at]),
               "an index", job.kind, i);
        got[i] = (struct element) { clade_kselect_encode_wi(out[i]), at };
    }
#if WAY == 5
    for (uint i = 1; i < span.k; i++) /* the last of all at the root */
        expect(got[i].key <= got[(i - 1) / CLADE_ADHEAP_ARITY].key, "the heap's order", span.k, i);
#endif
    if (WAY != 4)
        qsort(got, span.k, sizeof *got, compare);
    for (uint i = 0; i < span.k; i++) {
        expect(got[i].key == sorted[i].key, "a key", job.length, i);
#if WAY == 2 || WAY == 4 || (defined(CLADE_KSELECT_LOWEST) && CLADE_KSELECT_LOWEST)
        expect(got[i].at == sorted[i].at, "a tie", job.kind, i);
#endif
    }
    for (uint i = span.k; i < end; i++)
        expect(out[i] == FREE && indices[i] == 0x5a5a5a5a, "behind a row", r, i);
}

static void check(void)
{
    for (uint r = 0; r < ROWS; r++)
        check_row(r);
    for (uint i = 0; i + 1 < FIRST; i++)
        expect(job.out[i] == FREE && job.indices[i] == 0x5a5a5a5a, "before the rows", i, job.kind);
    expect(job.out[FIRST - 1] == FREE, "before the first row", job.length, job.k);
}

#if WAY == 1
static void rows(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_rows(job.keys, FIRST, job.out, FIRST, job.indices, FIRST - 1, job.stride,
                       job.given, job.length, job.k, ROWS);
}

static void select_all(void)
{
    shim_launch(rows, NULL, ROWS, CLADE_KSELECT_GROUP, 1);
}

#elif WAY == 2
static ulong *words;
static uint *ats;

static void look(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_look(job.keys, FIRST, words, ats, job.given, job.length, job.parts_log);
}

static void end(void *argument, void *local)
{
    (void)argument;
    (void)local;
    /* There is no stride: a row has one result. */
    clade_kselect_end(words, ats, job.out, FIRST, job.indices, FIRST - 1, job.parts_log);
}

#if CLADE_KSELECT_GROUP == 1
static void alone(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_alone(job.keys, FIRST, job.out, FIRST, job.indices, FIRST - 1, job.given,
                        job.length, ROWS);
}
#endif

static void select_all(void)
{
#if CLADE_KSELECT_GROUP == 1
    if (job.parts_log == 0) { /* nobody shares a row */
        shim_launch(alone, NULL, 2, CLADE_KSELECT_GROUP, 1);
        return;
    }
#endif
    words = room(((size_t)ROWS << job.parts_log) * sizeof *words);
    ats = room(((size_t)ROWS << job.parts_log) * sizeof *ats);
    shim_launch(look, NULL, (size_t)ROWS << job.parts_log, CLADE_KSELECT_GROUP, 1);
    shim_launch(end, NULL, ROWS, CLADE_KSELECT_GROUP, 1);
    free(words);
    free(ats);
}

#elif WAY == 3
static clade_kselect_row *state;
static clade_atomic_u32 *bins;
static uint *collected;

static void start(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_start(state, bins, job.given, job.length, job.k);
}

static void count(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_count(job.keys, FIRST, state, bins, job.given, job.length, job.k, job.parts_log);
}

static void scan(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_scan(state, bins);
}

static void place(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_place(job.keys, FIRST, state, collected, job.out, FIRST, job.indices, FIRST - 1,
                        job.stride, job.given, job.length, job.k, job.parts_log);
}

static void finish(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_finish(state, collected, job.out, FIRST, job.indices, FIRST - 1, job.stride,
                         job.given, job.length, job.k);
}

static void select_all(void)
{
    const size_t groups = (size_t)ROWS << job.parts_log, size = CLADE_KSELECT_GROUP;
    uint digits = (WORD_BITS + CLADE_KSELECT_DIGIT - 1) / CLADE_KSELECT_DIGIT;
    digits += CLADE_KSELECT_LOWEST ? (7 + CLADE_KSELECT_DIGIT - 1) / CLADE_KSELECT_DIGIT : 0;
    state = room(ROWS * sizeof *state);
    bins = room((ROWS << CLADE_KSELECT_DIGIT) * sizeof *bins);
    collected = room(ROWS * (1u + WORD_BITS / 32u) * CLADE_KSELECT_RANKED * sizeof *collected);
    shim_launch(start, NULL, ROWS, size, 1);
    for (uint digit = 0; digit < digits; digit++) {
        shim_launch(count, NULL, groups, size, 1);
        shim_launch(scan, NULL, ROWS, size, 1);
    }
    shim_launch(place, NULL, groups, size, 1);
    shim_launch(finish, NULL, ROWS, size, 1);
    free(state);
    free(bins);
    free(collected);
}

#else
static int compare_places(const void *a, const void *b)
{
    const struct element *p = a, *q = b;
    return (p->at > q->at) - (p->at < q->at);
}

/* What a selection leaves: the first words, in an order by chance; by one item, in the row's. */
static void leave_words(void)
{
    for (uint r = 0; r < ROWS; r++) {
        const clade_kselect_span span = job.spans[r];
        struct element sorted[MOST];
        sort_row(sorted, job.keys + FIRST + span.first, span.length);
        if (CLADE_ROWSORT_GROUP == 1)
            qsort(sorted, span.k, sizeof *sorted, compare_places);
        for (uint left = span.k; left > 0; left--) {
            const uint at = CLADE_ROWSORT_GROUP == 1 ? left - 1 : draw(left);
            job.out[FIRST + r * job.stride + left - 1] = clade_kselect_code_wi(sorted[at].key);
            job.indices[FIRST - 1 + r * job.stride + left - 1] = sorted[at].at;
            sorted[at] = sorted[left - 1];
        }
    }
}

#if WAY == 5
static void heapify(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_heap(job.out, FIRST, job.indices, FIRST - 1, job.stride, job.given, job.k, ROWS);
}

/* Fewer groups than rows, and more. */
static void select_all(void)
{
    leave_words();
    shim_launch(heapify, NULL, 2 + job.length % 5u, CLADE_KSELECT_GROUP, 1);
}
#else
static clade_rowsort_element *scratch[2];
#if CLADE_ROWSORT_GROUP == 1
static void sort(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_sort(job.out, FIRST, job.indices, FIRST - 1, job.stride, job.given, job.k, ROWS,
                       scratch[0]);
}

/* Groups run at the same time, so each group's part of the memory is its own. */
static void check_scratch(uint groups)
{
    clade_rowsort_element unused;
    memset(&unused, 0x5a, sizeof unused);
    for (uint row = 0; row < ROWS; row++) {
        const size_t part = (size_t)(row % groups) * 2 * job.k;
        expect(job.spans[row].k == 0 || memcmp(&scratch[0][part], &unused, sizeof unused) != 0,
               "a group's memory", row, groups);
    }
}

/* Fewer groups than rows, and more. */
static void select_all(void)
{
    const uint groups = 2 + job.length % 5u;
    leave_words();
    scratch[0] = room((size_t)groups * 2 * job.k * sizeof *scratch[0]);
    shim_launch(sort, NULL, groups, 1, 1);
    check_scratch(groups);
    free(scratch[0]);
}
#else
static struct {
    uint run, last, from;
} merge;

static uint blocks(void)
{
    return (job.k + CLADE_ROWSORT_BLOCK - 1) / CLADE_ROWSORT_BLOCK;
}

static void sort(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_sort(job.out, FIRST, job.indices, FIRST - 1, job.stride, job.given, job.k,
                       blocks(), scratch[0]);
}

static void merge_runs(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_merge(scratch[merge.from], scratch[!merge.from], job.out, FIRST, job.indices,
                        FIRST - 1, job.stride, job.given, job.k, blocks(), merge.run, merge.last);
}

static void select_all(void)
{
    const size_t groups = (size_t)ROWS * blocks(), all = blocks() > 1 ? ROWS * job.k : 1;
    leave_words();
    for (uint i = 0; i < 2; i++)
        scratch[i] = room(all * sizeof *scratch[i]);
    shim_launch(sort, NULL, groups, CLADE_ROWSORT_GROUP, 1);
    merge.from = 0;
    for (merge.run = CLADE_ROWSORT_BLOCK; merge.run < job.k; merge.run *= 2) {
        merge.last = 2 * merge.run >= job.k;
        shim_launch(merge_runs, NULL, groups, CLADE_ROWSORT_GROUP, 1);
        merge.from = !merge.from;
    }
    free(scratch[0]);
    free(scratch[1]);
}
#endif
#endif
#endif

static void run(uint length, uint k, uint kind, uint parts_log)
{
    job.length = length;
    job.k = k;
    job.kind = kind;
    job.parts_log = parts_log;
    job.stride = WAY == 2 ? 1 : k + length % 2u;
    make_rows();
    select_all();
    check();
    free_rows();
}

int main(void)
{
    random_state = shim_seed();
#if CLADE_KSELECT_EACH
    refusals();
#endif
    for (uint length = 1; length <= MOST; length += length < 9 ? 4 : 11 + 13 * (WAY == 3))
        for (uint k = 1; k <= (WAY == 2 ? 1 : length); k += k < 3 ? 1 : k < length / 2 ? 15 : 20)
            for (uint kind = 0; kind < KINDS; kind++)
                run(length, k, kind, (length + k) % 3u);
    if (WAY != 2)
        for (uint kind = 0; kind < KINDS; kind++)
            run(MOST, MOST, kind, 1);
    printf("the kernels of selection, way %d: %u wrong\n", WAY, wrong);
    return wrong != 0;
}
