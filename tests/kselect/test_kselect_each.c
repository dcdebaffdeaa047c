/* SPDX-License-Identifier: Apache-2.0 */
/* clade_kselect with keys of every type, with ties by the lowest index, and with rows that differ
 * in length and in k: compared, key by key and index by index, with rows that the C library sorted.
 */
#include <clade/kselect.h>

#include "device/context.h"
#include "harness/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- the reference --------------------------------------------------------------------------- */

struct element {
    uint64_t word; /* ascends in the wanted order */
    uint32_t at;
};

static uint64_t raw_of(const void *keys, uint32_t type, size_t at)
{
    const uint32_t bytes = CLADE_TYPE_BYTES(type);
    return bytes == 8   ? ((const uint64_t *)keys)[at]
           : bytes == 4 ? ((const uint32_t *)keys)[at]
                        : ((const uint16_t *)keys)[at];
}

static bool is_float(uint32_t type)
{
    return CLADE_TYPE_IS_FLOAT(type) || type >= CLADE_F16;
}

/* The bits of an infinity: what comes after them is no number. */
static uint64_t infinity_of(uint32_t type)
{
    return type == CLADE_F64    ? 0x7ff0000000000000u
           : type == CLADE_F32  ? 0x7f800000u
           : type == CLADE_BF16 ? 0x7f80u
                                : 0x7c00u;
}

static uint64_t word_of(uint64_t raw, const clade_kselect_params *p)
{
    const uint32_t bits = 8 * CLADE_TYPE_BYTES(p->key);
    const uint64_t top = 1ull << (bits - 1), all = top | (top - 1);
    uint64_t word = raw;
    if (is_float(p->key) && (raw & ~top) > infinity_of(p->key))
        return UINT64_MAX;
    if (p->key == CLADE_I32 || p->key == CLADE_I64)
        word = raw ^ top;
    if (is_float(p->key))
        word = raw & top ? raw ^ all : raw ^ top;
    return p->order == CLADE_MAX ? word ^ all : word;
}

static int compare_elements(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    return x->word != y->word ? (x->word > y->word) - (x->word < y->word)
                              : (x->at > y->at) - (x->at < y->at);
}

/* --- rows ------------------------------------------------------------------------------------ */

enum kind { ANY, EQUAL, FEW, NARROW, LAST, KINDS };

static uint64_t key_of(enum kind kind, size_t i, uint32_t type, struct random *random)
{
    const uint64_t any = random_next(random), infinity = infinity_of(type);
    switch (kind) {
    case EQUAL:
        return 77;
    case FEW:
        return any % 3;
    case NARROW: /* all but the last bits are shared, and of floats some are no numbers */
        return (is_float(type) ? infinity - 4 : 1000) + any % 9;
    case LAST: /* the greatest word, of which many are not taken */
        return i % 4 ? UINT64_MAX : any;
    default:
        return any;
    }
}

static void set_raw(void *keys, uint32_t type, size_t at, uint64_t raw)
{
    const uint32_t bytes = CLADE_TYPE_BYTES(type);
    if (bytes == 8)
        ((uint64_t *)keys)[at] = raw;
    else if (bytes == 4)
        ((uint32_t *)keys)[at] = (uint32_t)raw;
    else
        ((uint16_t *)keys)[at] = (uint16_t)raw;
}

/* --- a run and what it must give ------------------------------------------------------------- */

enum { PAD = 3, MARK = 0x5a };

/* The rows of one run. Without offsets they are alike; without ks each has k results. */
struct load {
    clade_kselect_params params;
    size_t rows;
    uint64_t *offsets;
    uint32_t *ks;
    bool on_host;
};

struct results {
    unsigned char *out; /* PAD keys in front and behind */
    uint32_t *indices;
};

static size_t begin_of(const struct load *l, size_t row)
{
    return l->offsets ? (size_t)l->offsets[row] : row * l->params.length;
}

static void check_row(const struct load *l, const void *keys, const struct results *r, size_t row)
{
    const clade_kselect_params *p = &l->params;
    const size_t first = begin_of(l, row), length = begin_of(l, row + 1) - first;
    const size_t wanted = l->ks ? l->ks[row] : p->k, k = wanted < length ? wanted : length;
    const size_t bytes = CLADE_TYPE_BYTES(p->key);
    const unsigned char *out = r->out + (PAD + row * p->k) * bytes;
    const uint32_t *indices = r->indices + PAD + row * p->k;
    struct element *all = test_malloc((length + 1) * sizeof *all);
    struct element *got = test_malloc((k + 1) * sizeof *got);
    for (size_t i = 0; i < length; i++)
        all[i] = (struct element) { word_of(raw_of(keys, p->key, first + i), p), (uint32_t)i };
    for (size_t i = 0; i < k; i++) {
        got[i] = (struct element) { word_of(raw_of(out, p->key, i), p), indices[i] };
        assert_true(indices[i] < length);
        assert_int_equal(got[i].word, all[indices[i]].word);
    }
    qsort(all, length, sizeof *all, compare_elements);
    if (p->output != CLADE_KSELECT_SORTED)
        qsort(got, k, sizeof *got, compare_elements);
    for (size_t i = 0; i < k; i++) {
        assert_int_equal(got[i].word, all[i].word);
        if (p->ties == CLADE_KSELECT_TIES_LOWEST)
            assert_int_equal(got[i].at, all[i].at);
        else if (i > 0) /* none twice */
            assert_int_not_equal(got[i].at, got[i - 1].at);
    }
    for (size_t i = k * bytes; i < p->k * bytes; i++) /* what is not written stays */
        assert_int_equal(out[i], MARK);
    for (size_t i = k; i < p->k; i++)
        assert_int_equal(indices[i], 0x01010101u * MARK);
    test_free(all);
    test_free(got);
}

static clade_status run_load(const struct load *l, clade_kselect *s, clade_array keys,
                             clade_array offsets, clade_array ks, clade_array out,
                             clade_array indices)
{
    if (!l->offsets && !l->ks)
        return clade_kselect_run(s, keys, out, indices, l->rows, NULL);
    return clade_kselect_run_each(s, keys, offsets, ks, out, indices, l->rows, clade_no_array(),
                                  NULL);
}

static clade_array on_device(struct fixture *f, cl_mem *mem, const void *content, size_t bytes,
                             size_t offset)
{
    *mem = content ? fixture_buffer(f, bytes ? bytes : 1, content) : NULL;
    return content ? clade_device(*mem, offset) : clade_no_array();
}

/* Arrays of the host, or of the device at offsets. */
static void run_and_check(struct fixture *f, const struct load *l, enum kind kind)
{
    const clade_kselect_params *p = &l->params;
    const size_t bytes = CLADE_TYPE_BYTES(p->key), n = begin_of(l, l->rows), m = l->rows * p->k;
    struct random random = random_from(f->seed + kind * 131 + p->length + p->key);
    unsigned char *keys = test_malloc((n + 1) * bytes);
    struct results r = { test_malloc((m + 2 * PAD) * bytes), test_malloc((m + 2 * PAD) * 4) };
    clade_kselect *s = NULL;
    cl_mem mems[5] = { NULL };
    for (size_t i = 0; i < n; i++)
        set_raw(keys, p->key, i, key_of(kind, i, p->key, &random));
    memset(r.out, MARK, (m + 2 * PAD) * bytes);
    memset(r.indices, MARK, (m + 2 * PAD) * 4);
    assert_ok(clade_kselect_create(&s, f->context, p));
    if (l->on_host) {
        assert_ok(run_load(l, s, clade_host(keys),
                           l->offsets ? clade_host(l->offsets) : clade_no_array(),
                           l->ks ? clade_host(l->ks) : clade_no_array(),
                           clade_host(r.out + PAD * bytes), clade_host(r.indices + PAD)));
    } else {
        assert_ok(run_load(l, s, on_device(f, &mems[0], keys, n * bytes, 0),
                           on_device(f, &mems[1], l->offsets, (l->rows + 1) * 8, 0),
                           on_device(f, &mems[2], l->ks, l->rows * 4, 0),
                           on_device(f, &mems[3], r.out, (m + 2 * PAD) * bytes, PAD * bytes),
                           on_device(f, &mems[4], r.indices, (m + 2 * PAD) * 4, PAD * 4)));
        fixture_read(f, mems[3], 0, r.out, (m + 2 * PAD) * bytes);
        fixture_read(f, mems[4], 0, r.indices, (m + 2 * PAD) * 4);
    }
    for (size_t row = 0; row < l->rows; row++)
        check_row(l, keys, &r, row);
    for (size_t i = 0; i < PAD * bytes; i++) {
        assert_int_equal(r.out[i], MARK);
        assert_int_equal(r.out[(PAD + m) * bytes + i], MARK);
    }
    clade_kselect_destroy(&s);
    for (size_t i = 0; i < COUNT(mems); i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    test_free(keys);
    test_free(r.out);
    test_free(r.indices);
}

static void run_every_kind(struct fixture *f, const struct load *l)
{
    for (enum kind kind = ANY; kind < KINDS; kind += fixture_is_small() ? 2 : 1)
        run_and_check(f, l, kind);
}

/* --- types and ties -------------------------------------------------------------------------- */

/* Each is programs of its own, which take longer to compile than to run: so no more than these. */
static void every_type(void **state)
{
    static const clade_kselect_params params[] = {
        { .key = CLADE_I64, .method = CLADE_KSELECT_ROW, .output = CLADE_KSELECT_SORTED },
        { .key = CLADE_BF16, .method = CLADE_KSELECT_ROW, .order = CLADE_MAX },
        { .key = CLADE_F64, .method = CLADE_KSELECT_SHARED, .order = CLADE_MAX },
        { .key = CLADE_F16, .method = CLADE_KSELECT_SHARED, .output = CLADE_KSELECT_SORTED },
    };
    for (size_t i = 0; i < fixture_scaled(2, COUNT(params), COUNT(params)); i++) {
        struct load l = { .params = params[i], .rows = 3, .on_host = i % 2 };
        l.params.indices = 1;
        l.params.parts = 2;
        l.params.length = 700;
        l.params.k = 90;
        run_every_kind(*state, &l);
        l.params.length = 3000; /* more members than are compared with each other */
        l.params.k = 1200;
        run_every_kind(*state, &l);
    }
}

/* By a group a row, by groups of many items, and by several groups a row. */
static void ties_by_the_lowest_index(void **state)
{
    struct fixture *f = *state;
    const uint32_t least = f->caps->subgroup_size ? f->caps->subgroup_size : 16;
    const clade_kselect_params params[] = {
        { .method = CLADE_KSELECT_SHARED, .key = CLADE_U64, .parts = 2 },
        { .method = CLADE_KSELECT_ROW, .key = CLADE_I32 },
        { .method = CLADE_KSELECT_ROW,
          .key = CLADE_I32,
          .group_size = least,
          .output = CLADE_KSELECT_SORTED },
    };
    for (size_t i = 0; i < fixture_scaled(1, COUNT(params), COUNT(params)); i++) {
        struct load l = { .params = params[i], .rows = 2 };
        l.params.ties = CLADE_KSELECT_TIES_LOWEST;
        l.params.indices = 1;
        l.params.length = 3000;
        l.params.k = 1001;
        run_every_kind(f, &l);
    }
}

/* The first key of a row: by one look, whatever is equal. */
static void the_first_of_each_row(void **state)
{
    struct fixture *f = *state;
    const uint32_t least = f->caps->subgroup_size ? f->caps->subgroup_size : 16;
    const uint64_t offsets[] = { 0, 3000, 3000, 3001, 5999 }; /* one row has none */
    const clade_kselect_params params[] = {
        { .key = CLADE_F32, .order = CLADE_MAX },
        { .key = CLADE_I64, .group_size = least },
    };
    for (size_t i = 0; i < fixture_scaled(1, 2, 2); i++) {
        struct load l = { .params = params[i], .rows = 4, .on_host = i };
        l.params.method = CLADE_KSELECT_FIRST;
        l.params.ties = CLADE_KSELECT_TIES_LOWEST;
        l.params.indices = 1;
        l.params.parts = 4;
        l.params.length = 3000;
        l.params.k = 1;
        run_every_kind(f, &l);
        l.offsets = i ? NULL : (uint64_t *)(size_t)offsets;
        run_every_kind(f, &l);
    }
}

/* --- rows that differ ------------------------------------------------------------------------ */

/* Lengths from nothing to all, and more results asked for than some rows have. */
static void rows_that_differ(void **state)
{
    enum { ROWS = 40, LENGTH = 1500, K = 300 };
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    uint64_t offsets[ROWS + 1] = { 5 };
    uint32_t ks[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        const uint64_t most = r % 3 == 0 ? LENGTH : r % 3 == 1 ? 20 : 300;
        offsets[r + 1] = offsets[r] + (r == 7 ? 0 : r == 8 ? LENGTH : random_below(&random, most));
        ks[r] = r == 3 ? 0 : r == 4 ? K : (uint32_t)random_below(&random, K + 1);
    }
    const struct load loads[] = {
        { .params = { .key = CLADE_F32, .output = CLADE_KSELECT_SORTED },
          .offsets = offsets,
          .ks = ks },
        { .params = { .key = CLADE_F32, .output = CLADE_KSELECT_SORTED },
          .offsets = offsets,
          .on_host = true },
        { .params = { .key = CLADE_F16,
                      .parts = 2,
                      .method = CLADE_KSELECT_SHARED,
                      .ties = CLADE_KSELECT_TIES_LOWEST },
          .offsets = offsets,
          .ks = ks,
          .on_host = true },
        { .params = { .key = CLADE_F16,
                      .parts = 2,
                      .method = CLADE_KSELECT_SHARED,
                      .ties = CLADE_KSELECT_TIES_LOWEST },
          .ks = ks },
    };
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct load l = loads[i];
        l.rows = ROWS;
        l.params.length = LENGTH;
        l.params.k = K;
        l.params.indices = 1;
        run_and_check(f, &l, ANY);
        run_and_check(f, &l, FEW);
    }
}

/* Rows so long that a single item guesses the range of the k-th key, and shorter ones among them.
 */
static void long_rows_that_differ(void **state)
{
    enum { ROWS = 4, LENGTH = 70001, K = 30000 };
    const uint64_t offsets[] = { 0, LENGTH, LENGTH + 2000, LENGTH + 2000, LENGTH + 9000 };
    const uint32_t ks[] = { K, 900, 1, 700 };
    const struct load loads[] = {
        { .params = { .key = CLADE_U64, .ties = CLADE_KSELECT_TIES_LOWEST } },
        { .params = { .key = CLADE_F16, .output = CLADE_KSELECT_SORTED, .order = CLADE_MAX } },
    };
    for (size_t i = 0; i < fixture_scaled(1, COUNT(loads), COUNT(loads)); i++) {
        struct load l = loads[i];
        l.rows = ROWS;
        l.offsets = (uint64_t *)(size_t)offsets;
        l.ks = (uint32_t *)(size_t)ks;
        l.params.length = LENGTH;
        l.params.k = K;
        l.params.indices = 1;
        l.params.method = CLADE_KSELECT_ROW;
        if (fixture_is_small())
            run_and_check(*state, &l, ANY);
        else
            run_every_kind(*state, &l);
    }
}

/* By groups of few items, rows without results among them: PoCL's optimizer makes wrong code of
 * them, and a result was missing. */
static void rows_by_groups_of_few_items(void **state)
{
    struct fixture *f = *state;
    const uint64_t offsets[] = { 0, 65, 65, 70, 135, 136 };
    const uint32_t ks[] = { 3, 3, 3, 0, 1 };
    const uint32_t least = f->caps->subgroup_size > 4 ? f->caps->subgroup_size : 4;
    for (uint32_t group = least; group <= 2 * least; group *= 2) {
        struct load l = {
            .params = { .key = CLADE_I32, .length = 65, .k = 3, .indices = 1, .group_size = group },
            .rows = 5,
            .offsets = (uint64_t *)(size_t)offsets,
        };
        l.params.ties = CLADE_KSELECT_TIES_LOWEST;
        run_and_check(f, &l, EQUAL);
        l.ks = (uint32_t *)(size_t)ks;
        run_and_check(f, &l, FEW);
        l.params.length = 64; /* ranked whole */
        l.offsets = (uint64_t[]) { 0, 64, 64, 69, 133, 134 };
        run_and_check(f, &l, EQUAL);
    }
}

/* A driver that leaves long loops leaves none of these: groups of few items compare fewer keys with
 * each other, and longer rows are refused. */
static void groups_of_few_items_end_their_loops(void **state)
{
    struct fixture *f = *state;
    const uint32_t least = f->caps->subgroup_size > 4 ? f->caps->subgroup_size : 4;
    struct load l = { .params = { .key = CLADE_U64, .length = 1023, .k = 899, .group_size = least },
                      .rows = 2,
                      .on_host = true };
    clade_kselect *s = NULL;
    l.params.ties = CLADE_KSELECT_TIES_LOWEST;
    l.params.indices = 1;
    l.params.output = CLADE_KSELECT_SORTED;
    run_and_check(f, &l, ANY);
    if (f->caps->loop_limit == 0)
        return;
    l.params.length = (uint64_t)least * (f->caps->loop_limit / 4) + 1;
    assert_fails(clade_kselect_create(&s, f->context, &l.params), CLADE_E_UNSUPPORTED);
    assert_message("by groups of 4 items need longer loops");
}

/* A row as a heap has as many nodes as it has results. */
static void heaps_that_differ(void **state)
{
    enum { ROWS = 6, LENGTH = 200, K = 60 };
    struct fixture *f = *state;
    const uint32_t ks[ROWS] = { 60, 0, 1, 9, 10, 33 };
    uint32_t keys[ROWS * LENGTH], out[ROWS * K];
    clade_kselect *s = NULL;
    for (uint32_t i = 0; i < ROWS * LENGTH; i++)
        keys[i] = i * 7919u % LENGTH; /* each row has 0 .. 199, since 7919 is prime */
    assert_ok(clade_kselect_create(&s, f->context,
                                   &(clade_kselect_params) { .length = LENGTH,
                                                             .k = K,
                                                             .key = CLADE_U32,
                                                             .output = CLADE_KSELECT_HEAP,
                                                             .arity = 8 }));
    memset(out, MARK, sizeof out);
    assert_ok(clade_kselect_run_each(s, clade_host(keys), clade_no_array(), clade_host(ks),
                                     clade_host(out), clade_no_array(), ROWS, clade_no_array(),
                                     NULL));
    for (size_t r = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < K; i++) {
            if (i >= ks[r])
                assert_int_equal(out[r * K + i], 0x01010101u * MARK);
            else
                assert_true(out[r * K + i] < ks[r] &&
                            (i == 0 ? out[r * K] == ks[r] - 1
                                    : out[r * K + (i - 1) / 8] >= out[r * K + i]));
        }
    clade_kselect_destroy(&s);
}

/* Groups that take rows in turns would run long loops. As if of a device with one small unit, else
 * there would have to be some ten million rows. */
static void heaps_of_many_rows_take_no_turns(void **state)
{
    enum { ROWS = 20 * 1024, K = 1000 };
    struct fixture *f = *state;
    clade_caps *caps = &f->context->caps;
    const clade_caps usual = *caps;
    clade_kselect *s = NULL;
    size_t bad = 0;
    if (caps->loop_limit == 0)
        skip();
    uint32_t *keys = test_malloc(sizeof *keys * ROWS * K);
    uint32_t *out = test_malloc(sizeof *out * ROWS * K);
    for (size_t i = 0; i < (size_t)ROWS * K; i++)
        keys[i] = (uint32_t)(i % K);
    assert_ok(clade_kselect_create(&s, f->context,
                                   &(clade_kselect_params) { .length = K,
                                                             .k = K,
                                                             .key = CLADE_U32,
                                                             .output = CLADE_KSELECT_HEAP,
                                                             .arity = 8 }));
    assert_ok(clade_kselect_run(s, clade_host(keys), clade_host(out), clade_no_array(), 1, NULL));
    caps->compute_units = caps->group_size_max = 1;
    const clade_status status =
        clade_kselect_run(s, clade_host(keys), clade_host(out), clade_no_array(), ROWS, NULL);
    *caps = usual;
    assert_ok(status);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 1; i < K; i++)
            bad += out[r * K + (i - 1) / 8] < out[r * K + i];
    assert_int_equal(bad, 0);
    clade_kselect_destroy(&s);
    test_free(out);
    test_free(keys);
}

/* What arrays of the device say is told row by row; the other rows are selected from. */
static void bad_rows_are_told(void **state)
{
    enum { ROWS = 8, LENGTH = 8, K = 3, KEYS = 40 };
    struct fixture *f = *state;
    const uint64_t offsets[ROWS + 1] = { 0, 8, 4, 13, 20, 28, 41, UINT64_MAX - 1, 3 };
    /*                row:    fine, descends, too long, fine, fine, beyond, beyond, over 2^64 */
    const uint32_t ks[ROWS] = { 3, 1, 1, 4, 2, 1, 1, 1 }; /* and row 3 asks for too many */
    static const int32_t wanted[ROWS] = { CLADE_OK, CLADE_E_ARG, CLADE_E_ARG, CLADE_E_ARG,
                                          CLADE_OK, CLADE_E_ARG, CLADE_E_ARG, CLADE_E_ARG };
    uint32_t keys[KEYS], out[ROWS * K], indices[ROWS * K];
    int32_t statuses[ROWS];
    clade_kselect *s = NULL;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = 100 - i; /* small floats, as words */
    memset(out, MARK, sizeof out);
    assert_ok(clade_kselect_create(&s, f->context,
                                   &(clade_kselect_params) { .length = LENGTH,
                                                             .k = K,
                                                             .key = CLADE_F32,
                                                             .output = CLADE_KSELECT_SORTED,
                                                             .indices = 1 }));
    cl_mem keys_mem = fixture_buffer(f, sizeof keys, keys);
    cl_mem offsets_mem = fixture_buffer(f, sizeof offsets, offsets);
    cl_mem ks_mem = fixture_buffer(f, sizeof ks, ks);
    assert_ok(clade_kselect_run_each(s, clade_device(keys_mem, 0), clade_device(offsets_mem, 0),
                                     clade_device(ks_mem, 0), clade_host(out), clade_host(indices),
                                     ROWS, clade_host(statuses), NULL));
    for (size_t r = 0; r < ROWS; r++)
        assert_int_equal(statuses[r], wanted[r]);
    for (size_t i = 0; i < ROWS * K; i++) {
        const size_t r = i / K;
        const bool is_there = statuses[r] == CLADE_OK && i % K < ks[r];
        assert_int_equal(out[i],
                         is_there ? 100 - (offsets[r + 1] - 1) + i % K : 0x01010101u * MARK);
    }
    clReleaseMemObject(keys_mem);
    clReleaseMemObject(offsets_mem);
    clReleaseMemObject(ks_mem);
    clade_kselect_destroy(&s);
}

/* What arrays of the host say is told before anything is done. */
static void bad_arrays_are_named(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint64_t offsets[3];
        uint32_t ks[2];
        const char *part;
    } bad[] = {
        { { 0, 4, 3 }, { 1, 1 }, "offsets descend from 4 to 3 at row 1" },
        { { 0, 9, 10 }, { 1, 1 }, "row 0 has 9 keys" },
        { { 0, 4, 8 }, { 1, 4 }, "row 1 asks for 4 results" },
        { { 0, 4, 11 }, { 1, 1 }, "keys needs 44 bytes" },
    };
    clade_kselect *s = NULL;
    uint32_t keys[10] = { 0 }, out[6];
    cl_mem mem = fixture_buffer(f, sizeof keys, keys);
    const uint64_t words[3] = { 0 };
    cl_mem offsets = fixture_buffer(f, sizeof words, words);
    assert_ok(
        clade_kselect_create(&s, f->context, &(clade_kselect_params) { .length = 8, .k = 3 }));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_fails(clade_kselect_run_each(s, clade_device(mem, 0), clade_host(bad[i].offsets),
                                            clade_host(bad[i].ks), clade_host(out),
                                            clade_no_array(), 2, clade_no_array(), NULL),
                     CLADE_E_ARG);
        assert_message(bad[i].part);
    }
    assert_fails(clade_kselect_run_each(s, clade_host(keys), clade_device(offsets, 0),
                                        clade_no_array(), clade_host(out), clade_no_array(), 2,
                                        clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_message("offsets must be");
    assert_ok(clade_kselect_run_each(s, clade_no_array(), clade_no_array(), clade_no_array(),
                                     clade_no_array(), clade_no_array(), 0, clade_no_array(),
                                     NULL));
    clade_kselect_destroy(&s);
    clReleaseMemObject(mem);
    clReleaseMemObject(offsets);
}

static void what_heaps_cannot_is_refused(void **state)
{
    struct fixture *f = *state;
    static const clade_kselect_params bad[] = {
        { .length = 9, .k = 2, .key = CLADE_U64, .output = CLADE_KSELECT_HEAP },
        { .length = 9, .k = 2, .key = CLADE_F16, .method = CLADE_KSELECT_SCAN },
        { .length = 9, .k = 2, .ties = CLADE_KSELECT_TIES_LOWEST, .method = CLADE_KSELECT_SCAN },
    };
    static const char *const parts[] = { "type 5", "type 7", "equal keys" };
    clade_kselect *s = NULL;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_fails(clade_kselect_create(&s, f->context, &bad[i]), CLADE_E_UNSUPPORTED);
        assert_message(parts[i]);
    }
    assert_fails(clade_kselect_create(&s, f->context,
                                      &(clade_kselect_params) { .length = 9, .k = 2, .ties = 2 }),
                 CLADE_E_ARG);
    assert_message("ties 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: after other tests oclgrind 21.10 takes words for uninitialised that a kernel
           wrote. */
        cmocka_unit_test(groups_of_few_items_end_their_loops),
        cmocka_unit_test(every_type),
        cmocka_unit_test(ties_by_the_lowest_index),
        cmocka_unit_test(the_first_of_each_row),
        cmocka_unit_test(rows_that_differ),
        cmocka_unit_test(long_rows_that_differ),
        cmocka_unit_test(rows_by_groups_of_few_items),
        cmocka_unit_test(heaps_that_differ),
        cmocka_unit_test(heaps_of_many_rows_take_no_turns),
        cmocka_unit_test(bad_rows_are_told),
        cmocka_unit_test(bad_arrays_are_named),
        cmocka_unit_test(what_heaps_cannot_is_refused),
    };
    return fixture_run("kselect_each", tests);
}
