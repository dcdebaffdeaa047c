/* SPDX-License-Identifier: Apache-2.0 */
/* clade_kselect: exactly the k first keys of every row, whatever the rows hold. */
#include <clade/kselect.h>

#include "harness/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- the reference: words whose order is the order wanted, sorted by the C library ----------- */

static uint32_t word_of(uint32_t raw, const clade_kselect_params *p)
{
    uint32_t word = raw;
    if (p->key == CLADE_F32 && (raw & 0x7fffffffu) > 0x7f800000u)
        return UINT32_MAX;
    if (p->key == CLADE_I32 || p->key == CLADE_NONE)
        word = raw + 0x80000000u;
    if (p->key == CLADE_F32)
        word = raw >> 31 ? ~raw : raw | 0x80000000u;
    return p->order == CLADE_MAX ? UINT32_MAX - word : word;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check_row(const uint32_t *keys, const uint32_t *out, const uint32_t *indices,
                      const clade_kselect_params *p, uint32_t *wanted, uint32_t *got, uint8_t *seen)
{
    for (size_t i = 0; i < p->length; i++)
        wanted[i] = word_of(keys[i], p);
    qsort(wanted, p->length, sizeof *wanted, compare_words);
    for (size_t i = 0; i < p->k; i++)
        got[i] = word_of(out[i], p);
    if (p->output != CLADE_KSELECT_SORTED)
        qsort(got, p->k, sizeof *got, compare_words);
    for (size_t i = 1; p->output == CLADE_KSELECT_HEAP && i < p->k; i++) {
        const size_t d = p->arity ? p->arity : 8;
        assert_true(word_of(out[(i - 1) / d], p) >= word_of(out[i], p));
    }
    if (memcmp(got, wanted, p->k * sizeof *got) != 0)
        print_error("length %llu, k %llu, key %u, order %u, method %u, group %u\n",
                    (unsigned long long)p->length, (unsigned long long)p->k, p->key, p->order,
                    p->method, p->group_size);
    assert_memory_equal(got, wanted, p->k * sizeof *got);
    if (!p->indices)
        return;
    memset(seen, 0, p->length);
    for (size_t i = 0; i < p->k; i++) {
        assert_true(indices[i] < p->length);
        assert_int_equal(seen[indices[i]]++, 0);
        assert_int_equal(word_of(keys[indices[i]], p), word_of(out[i], p));
        if (p->output == CLADE_KSELECT_SORTED && i > 0 && got[i] == got[i - 1])
            assert_true(indices[i] > indices[i - 1]);
    }
}

/* --- rows of every kind ---------------------------------------------------------------------- */

enum kind {
    RANDOM,
    ASCENDING,
    DESCENDING,
    EQUAL,
    FEW_VALUES,
    BYTE_VALUES,
    OUTLIER,
    HIGH_BITS,
    FLOATS,
    SKEWED, /* each power of two as often as the next */
    KINDS,
    SAMPLED = KINDS /* what a group's samples see is no other key's */
};

static uint32_t float_bits(struct random *random)
{
    static const uint32_t odd[] = { 0x7fc00000u, 0xffc00001u, 0x7f800001u, 0x7f800000u, 0xff800000u,
                                    0u,          0x80000000u, 1u,          0x80000001u };
    const uint64_t choice = random_below(random, 24);
    return choice < 9 ? odd[choice] : (uint32_t)random_next(random);
}

/* Where the samples of a single item lie: clade/kselect/compare.clh says why. */
static void fill_samples(uint32_t *row, size_t length, size_t count, uint32_t key)
{
    const size_t step = length / count;
    for (uint32_t i = 0; i < count && count <= length; i++) {
        const uint32_t mixed = i * 0x9e3779b1u, any = (mixed ^ mixed >> 15) * 0x85ebca6bu;
        row[i * step + ((uint64_t)any * step >> 32)] = key;
    }
}

static void fill_row(uint32_t *row, size_t length, enum kind kind, struct random *random)
{
    const uint32_t base = (uint32_t)random_next(random);
    for (size_t i = 0; i < length; i++) {
        const uint32_t any = (uint32_t)random_next(random);
        row[i] = kind == RANDOM        ? any
                 : kind == ASCENDING   ? (uint32_t)i
                 : kind == DESCENDING  ? (uint32_t)(length - i) + base
                 : kind == EQUAL       ? base
                 : kind == FEW_VALUES  ? any % 3 * 0x30000001u
                 : kind == BYTE_VALUES ? any % 256
                 : kind == OUTLIER     ? 1000000u
                 : kind == HIGH_BITS   ? any & 0xff000000u
                 : kind == SKEWED      ? (any | 1u << 31) >> any % 31
                 : kind == SAMPLED     ? (i % 100 == 0 ? base : any)
                                       : float_bits(random);
    }
    if (kind == OUTLIER)
        row[random_below(random, length)] = base;
    for (size_t count = 32; kind == SAMPLED && count <= (length < 1 << 16 ? 256 : 1024); count *= 2)
        fill_samples(row, length, count, base);
}

/* Select with device arrays at offsets, between words that must stay as they are. */
static void select_and_check(struct fixture *f, const clade_kselect_params *p, size_t rows,
                             enum kind kind)
{
    enum { PAD = 3 };
    const uint32_t mark = 0xabcd1234u;
    struct random random = random_from(f->seed + kind * 131 + p->length);
    const size_t n = rows * p->length, m = rows * p->k;
    uint32_t *keys = test_malloc(n * 4), *out = test_malloc((m + 2 * PAD) * 4);
    uint32_t *indices = test_malloc((m + 2 * PAD) * 4);
    uint32_t *wanted = test_malloc(p->length * 4), *got = test_malloc(p->k * 4);
    uint8_t *seen = test_malloc(p->length);
    for (size_t r = 0; r < rows; r++)
        fill_row(keys + r * p->length, p->length, kind, &random);
    for (size_t i = 0; i < m + 2 * PAD; i++)
        out[i] = indices[i] = mark;
    cl_mem keys_mem = fixture_buffer(f, n * 4, keys);
    cl_mem out_mem = fixture_buffer(f, (m + 2 * PAD) * 4, out);
    cl_mem indices_mem = fixture_buffer(f, (m + 2 * PAD) * 4, indices);
    clade_kselect *s = NULL;
    assert_ok(clade_kselect_create(&s, f->context, p));
    assert_ok(clade_kselect_run(s, clade_device(keys_mem, 0), clade_device(out_mem, PAD * 4),
                                p->indices ? clade_device(indices_mem, PAD * 4) : clade_no_array(),
                                rows, NULL));
    fixture_read(f, out_mem, 0, out, (m + 2 * PAD) * 4);
    fixture_read(f, indices_mem, 0, indices, (m + 2 * PAD) * 4);
    for (size_t r = 0; r < rows; r++)
        check_row(keys + r * p->length, out + PAD + r * p->k, indices + PAD + r * p->k, p, wanted,
                  got, seen);
    for (size_t i = 0; i < PAD; i++) {
        assert_int_equal(out[i], mark);
        assert_int_equal(out[PAD + m + i], mark);
        assert_int_equal(indices[i], mark);
        assert_int_equal(indices[PAD + m + i], mark);
    }
    clade_kselect_destroy(&s);
    assert_null(s);
    clReleaseMemObject(keys_mem);
    clReleaseMemObject(out_mem);
    clReleaseMemObject(indices_mem);
    test_free(keys);
    test_free(out);
    test_free(indices);
    test_free(wanted);
    test_free(got);
    test_free(seen);
}

static void select_every_kind(struct fixture *f, const clade_kselect_params *p, size_t rows)
{
    const enum kind step = fixture_is_small() ? 3 : 1; /* simulators: random, equal, outlier */
    for (enum kind kind = RANDOM; kind < KINDS; kind += step)
        select_and_check(f, p, rows, kind);
}

/* Around every size at which the code takes another way; k at both ends and between. */
static void select_every_size(struct fixture *f, clade_kselect_params p, const size_t *lengths,
                              size_t count, size_t rows)
{
    for (size_t i = 0; i < count; i++) {
        const size_t ks[] = { (lengths[i] + 9) / 10, lengths[i], 1, lengths[i] / 2 + 1 };
        p.length = lengths[i];
        for (size_t j = 0; j < fixture_scaled(2, COUNT(ks), 4); j++) {
            p.k = ks[j] > p.length ? p.length : ks[j];
            select_every_kind(f, &p, rows);
        }
    }
}

static const size_t short_lengths[] = { 1, 3, 65, 300, 2, 31, 33, 64, 127, 129, 257 };
static const size_t middle_lengths[] = { 700, 1025, 2048, 5000 };

/* --- the tests ------------------------------------------------------------------------------ */

static void short_rows_of_every_kind(void **state)
{
    const clade_kselect_params p = { .indices = 1 };
    select_every_size(*state, p, short_lengths, fixture_scaled(4, COUNT(short_lengths), 11), 5);
}

static void short_rows_sorted(void **state)
{
    const clade_kselect_params p = { .indices = 1, .output = CLADE_KSELECT_SORTED };
    select_every_size(*state, p, short_lengths, fixture_scaled(4, COUNT(short_lengths), 11), 5);
}

static void middle_rows_of_every_kind(void **state)
{
    clade_kselect_params p = { .key = CLADE_U32 };
    select_every_size(*state, p, middle_lengths, fixture_scaled(1, COUNT(middle_lengths), 4), 3);
    p.output = CLADE_KSELECT_SORTED;
    select_every_size(*state, p, middle_lengths, fixture_scaled(1, COUNT(middle_lengths), 4), 3);
}

static void every_type_and_order(void **state)
{
    static const uint32_t keys[] = { CLADE_I32, CLADE_U32, CLADE_F32 };
    for (size_t i = 0; i < COUNT(keys); i++)
        for (uint32_t order = CLADE_MIN; order <= CLADE_MAX; order++) {
            clade_kselect_params p = { .length = 500, .k = 77, .key = keys[i], .order = order };
            if (fixture_is_small() && (i + order) % 2) /* each is two programs */
                continue;
            select_every_kind(*state, &p, 2);
            p.indices = 1;
            p.output = CLADE_KSELECT_SORTED;
            select_every_kind(*state, &p, 2);
        }
}

/* Rows that several groups share. */
static void shared_rows_of_every_kind(void **state)
{
    static const size_t lengths[] = { 100, 1100, 1, 1024, 5000, 20000 };
    clade_kselect_params p = { .indices = 1, .method = CLADE_KSELECT_SHARED, .parts = 4 };
    select_every_size(*state, p, lengths, fixture_scaled(2, COUNT(lengths), 6), 2);
    p.output = CLADE_KSELECT_SORTED;
    p.indices = 0;
    select_every_size(*state, p, lengths + 4, fixture_scaled(0, 2, 2), 2);
}

/* Rows in which one item looks at samples first. Those of the last kind lie in one place, and no
 * other key does. */
static void rows_with_samples(void **state)
{
    static const size_t lengths[] = { 12800 * 3, 1 << 14, (1 << 17) + 77, (1 << 14) - 1 };
    static const uint32_t keys[] = { CLADE_U32, CLADE_F32, CLADE_I32, CLADE_U32 };
    struct fixture *f = *state;
    for (size_t i = 0; i < fixture_scaled(1, COUNT(lengths), 4); i++) {
        const size_t n = lengths[i], ks[] = { n / 2, n / 50, n - 3 };
        for (size_t j = 0; j < fixture_scaled(1, COUNT(ks), 3); j++) {
            const clade_kselect_params p = { .length = n,
                                             .k = ks[j],
                                             .key = keys[i],
                                             .order = j % 2,
                                             .indices = i % 2,
                                             .ties = j == 2 ? CLADE_KSELECT_TIES_LOWEST
                                                            : CLADE_KSELECT_TIES_ANY };
            select_every_kind(f, &p, 1);
            select_and_check(f, &p, 1, SAMPLED);
        }
    }
}

/* Rows in which a single item guesses the range of the k-th key from many samples. */
static void likely_ranges(void **state)
{
    static const size_t lengths[] = { (1 << 16) + 3, 100000, 1 << 18 };
    static const uint32_t keys[] = { CLADE_F32, CLADE_U32, CLADE_I32 };
    struct fixture *f = *state;
    for (size_t i = 0; i < fixture_scaled(1, COUNT(lengths), 3); i++) {
        const size_t n = lengths[i], ks[] = { n / 2, n / 100, n - 700 };
        for (size_t j = 0; j < fixture_scaled(1, COUNT(ks), 3); j++) {
            const clade_kselect_params p = { .length = n,
                                             .k = ks[j],
                                             .key = keys[i],
                                             .order = (i + j) % 2,
                                             .indices = j != 1,
                                             .method = CLADE_KSELECT_ROW,
                                             .output = j == 2 ? CLADE_KSELECT_SORTED
                                                              : CLADE_KSELECT_ANY };
            if (fixture_is_small())
                select_and_check(f, &p, 1, RANDOM);
            else
                select_every_kind(f, &p, 2);
            select_and_check(f, &p, 1, SAMPLED);
        }
    }
}

/* Long rows: one of them is shared on CPUs of two cores and more. An interpreter would take an
 * hour, and has no room for a likely range. */
static void rows_in_parts(void **state)
{
    static const size_t lengths[] = { (3 << 18) + 5, 1 << 20 };
    static const uint32_t keys[] = { CLADE_I32, CLADE_F32 };
    struct fixture *f = *state;
    if (fixture_is_interpreted(f))
        skip();
    for (size_t i = 0; i < fixture_scaled(1, COUNT(lengths), 2); i++) {
        const size_t n = lengths[i], ks[] = { n / 2, n / 100, n - 700 };
        for (size_t j = 0; j < fixture_scaled(1, COUNT(ks), 3); j++) {
            const clade_kselect_params p = {
                .length = n,
                .k = ks[j],
                .key = keys[i],
                .order = (i + j) % 2,
                .indices = j != 1,
                .ties = j == 2 ? CLADE_KSELECT_TIES_LOWEST : CLADE_KSELECT_TIES_ANY,
                .output = j == 0 ? CLADE_KSELECT_SORTED : CLADE_KSELECT_ANY
            };
            if (i == 0)
                select_every_kind(f, &p, 1);
            select_and_check(f, &p, 3, FLOATS);
            select_and_check(f, &p, 1, SAMPLED);
        }
    }
}

/* Few results of long rows: a single item takes them by one look, as a rule. */
static void few_of_long_rows(void **state)
{
    static const size_t lengths[] = { 1 << 14, (1 << 17) + 77, (1 << 15) - 1 };
    static const uint32_t keys[] = { CLADE_F32, CLADE_U32, CLADE_I32 };
    static const size_t ks[] = { 1, 64, 128, 500 };
    struct fixture *f = *state;
    for (size_t i = 0; i < fixture_scaled(1, COUNT(lengths), 3); i++)
        for (size_t j = 0; j < COUNT(ks); j++) {
            const clade_kselect_params p = { .length = lengths[i],
                                             .k = ks[j],
                                             .key = keys[i],
                                             .order = i % 2,
                                             .indices = i != 1,
                                             .method = CLADE_KSELECT_ROW,
                                             .ties = i == 0 ? CLADE_KSELECT_TIES_LOWEST
                                                            : CLADE_KSELECT_TIES_ANY };
            select_every_kind(f, &p, 3);
            select_and_check(f, &p, 1, SAMPLED);
        }
}

/* By one look: rows of one group, and of several. */
static void first_keys(void **state)
{
    static const size_t lengths[] = { 1025, 1 << 14, 1023, (1 << 14) + 1, (1 << 19) + 7 };
    struct fixture *f = *state;
    for (size_t i = 0; i < fixture_scaled(2, COUNT(lengths), 5); i++)
        for (uint32_t order = CLADE_MIN; order <= CLADE_MAX; order++) {
            const clade_kselect_params p = {
                .length = lengths[i], .k = 1, .key = CLADE_U32, .order = order, .indices = i % 2
            };
            select_every_kind(f, &p, i == 4 ? 1 : 37);
        }
}

/* Few of many, by one look; and what no heap in local memory holds is refused. */
static void scanned_rows_of_every_kind(void **state)
{
    struct fixture *f = *state;
    clade_kselect_params p = { .indices = 1, .method = CLADE_KSELECT_SCAN, .key = CLADE_F32 };
    static const size_t lengths[] = { 300, 5000, 1, 40, 1025 };
    clade_kselect *s = NULL;
    if (f->caps->loop_limit != 0) {
        p.length = p.k = 1;
        assert_fails(clade_kselect_create(&s, f->context, &p), CLADE_E_UNSUPPORTED);
        return;
    }
    for (size_t i = 0; i < fixture_scaled(2, COUNT(lengths), 5); i++)
        for (size_t k = 1; k <= lengths[i] && k <= 200; k = (fixture_is_small() ? 13 : 3) * k + i) {
            p.length = lengths[i];
            p.k = k;
            p.output = k % 3; /* any, sorted, heap */
            p.order = k % 2;
            p.arity = p.output == CLADE_KSELECT_HEAP ? 16 : 0;
            select_every_kind(f, &p, 3);
        }
    p = (clade_kselect_params) { .length = 1 << 24, .k = 1 << 23, .method = CLADE_KSELECT_SCAN };
    assert_fails(clade_kselect_create(&s, f->context, &p), CLADE_E_UNSUPPORTED);
    assert_message("local memory");
    p = (clade_kselect_params) { .length = 3000, .k = 3, .key = CLADE_U32 }; /* by default */
    select_every_kind(f, &p, 2);
}

static void results_as_heaps(void **state)
{
    static const uint32_t arities[] = { 8, 32, 64, 16 };
    for (size_t i = 0; i < fixture_scaled(2, 4, 4); i++) {
        const size_t d = arities[i];
        clade_kselect_params p = { .arity = (uint32_t)d,
                                   .output = CLADE_KSELECT_HEAP,
                                   .order = i % 2,
                                   .indices = i < 2,
                                   .key = CLADE_F32 };
        const size_t ks[] = { 1 + d + d * d / 3, d + 2, 1 + d, 1 };
        for (size_t j = 0; j < fixture_scaled(1, COUNT(ks), 4); j++) {
            p.k = ks[j];
            p.length = 3 * ks[j];
            select_every_kind(*state, &p, 2);
        }
    }
}

/* The form of the other kind of device: groups on a CPU, the re-reading form, merged blocks. */
static void groups_of_many_items(void **state)
{
    struct fixture *f = *state;
    const uint32_t least = f->caps->subgroup_size ? f->caps->subgroup_size : 16;
    static const size_t lengths[] = { 15, 1100, 3000 };
    clade_kselect_params p = { .indices = 1, .group_size = least, .output = CLADE_KSELECT_SORTED };
    select_every_size(f, p, lengths, fixture_scaled(1, 2, 3), 3);
    p.method = CLADE_KSELECT_SHARED;
    p.parts = 2;
    p.output = CLADE_KSELECT_ANY;
    select_every_size(f, p, lengths + 1, fixture_scaled(1, 1, 2), 2);
}

/* Of so many items that PoCL 3.1 optimized them wrongly. */
static void groups_that_are_large(void **state)
{
    struct fixture *f = *state;
    const uint32_t most = f->caps->loop_limit ? 64 : 256;
    clade_kselect_params p = { .length = 1499, .k = 34, .group_size = 64 };
    for (; p.group_size <= most; p.group_size *= 4)
        for (p.key = CLADE_U32; p.key <= CLADE_F32; p.key++)
            select_every_kind(f, &p, 4);
}

enum { OWN_ROWS = 40, OWN_LENGTH = 1499, OWN_K = 34, OWN_ROOM = OWN_ROWS * OWN_K + 256 };

/* What a kernel of a user's selected: nothing else, and nothing beyond. */
static void check_own(struct fixture *f, cl_kernel kernel, size_t group)
{
    static uint32_t keys[OWN_ROWS * OWN_LENGTH], out[OWN_ROOM];
    const uint32_t length = OWN_LENGTH, k = OWN_K;
    struct random random = random_from(f->seed + group);
    for (size_t i = 0; i < OWN_ROWS * OWN_LENGTH; i++)
        keys[i] = (uint32_t)random_next(&random);
    memset(out, 0xee, sizeof out);
    cl_mem from = fixture_buffer(f, sizeof keys, keys), to = fixture_buffer(f, sizeof out, out);
    fixture_arg(kernel, 0, from);
    fixture_arg(kernel, 1, length);
    fixture_arg(kernel, 2, k);
    fixture_arg(kernel, 3, to);
    fixture_launch(f, kernel, OWN_ROWS * group, group);
    fixture_read(f, to, 0, out, sizeof out);
    for (size_t row = 0; row < OWN_ROWS; row++) {
        qsort(keys + row * OWN_LENGTH, OWN_LENGTH, sizeof *keys, compare_words);
        qsort(out + row * OWN_K, OWN_K, sizeof *out, compare_words);
        if (memcmp(out + row * OWN_K, keys + row * OWN_LENGTH, OWN_K * sizeof *keys) != 0)
            fail_msg("a group of %zu items selected other keys in row %zu", group, row);
    }
    for (size_t i = OWN_ROWS * OWN_K; i < OWN_ROOM; i++)
        assert_int_equal(out[i], 0xeeeeeeee);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

/* Kernels of a user's, by groups of every size: they select what they should, or do not compile. */
static void groups_of_users_kernels(void **state)
{
    static const char source[] =
        "#include \"clade/kselect.clh\"\n"
        "__kernel CLADE_KSELECT_SIZED void own(__global const uint *keys, uint length, uint k,\n"
        "                                      __global uint *out)\n{\n"
        "    __local clade_kselect_local s;\n"
        "    const uint row = (uint)get_group_id(0);\n"
        "    clade_kselect_out to;\n    to.keys = out + row * k;\n    to.indices = out;\n"
        "    clade_kselect_wg(&s, keys + row * length, length, k, to);\n}\n";
    struct fixture *f = *state;
    const size_t least = f->caps->subgroup_size > 16 ? f->caps->subgroup_size : 16;
    const size_t most = f->caps->group_size_max < 256 ? f->caps->group_size_max : 256;
    for (size_t group = least; group <= most; group *= 4) {
        clade_program *program = NULL;
        cl_kernel kernel;
        char options[128];
        snprintf(options, sizeof options,
                 "-DCLADE_KSELECT_GROUP=%zu -DCLADE_KSELECT_ITEMS=16 -DCLADE_KSELECT_KEY=%u", group,
                 CLADE_U32);
        const clade_program_params params = { .source = source, .options = options };
        if (fixture_is_pocl(f)) {
            assert_fails(clade_program_build(&program, f->context, &params), CLADE_E_BUILD);
            assert_non_null(strstr(clade_error_last()->log, "on PoCL CLADE_KSELECT_GROUP"));
            continue;
        }
        assert_ok(clade_program_build(&program, f->context, &params));
        assert_ok(clade_program_kernel(&kernel, program, "own"));
        check_own(f, kernel, group);
        clReleaseKernel(kernel);
        clade_program_destroy(&program);
    }
}

/* Rows that a group reads several times: its items take a sample of every 100 keys, and guess from
 * them which leading bits are shared. Here they are right, right but for one key, and wrong. */
static void bits_guessed_from_samples(void **state)
{
    static const enum kind kinds[] = { BYTE_VALUES, ASCENDING, EQUAL, OUTLIER, SAMPLED };
    struct fixture *f = *state;
    const uint32_t group = f->caps->subgroup_size ? f->caps->subgroup_size : 16;
    clade_kselect_params p = {
        .length = 100 * group, .indices = 1, .group_size = group, .method = CLADE_KSELECT_ROW
    };
    /* Small: one of both, since each is a program. */
    p.ties = fixture_is_small() ? CLADE_KSELECT_TIES_LOWEST : CLADE_KSELECT_TIES_ANY;
    for (; p.ties <= CLADE_KSELECT_TIES_LOWEST; p.ties++)
        for (p.k = 10 * group; p.k <= p.length; p.k += 45 * group)
            for (size_t i = 0; i < COUNT(kinds); i++)
                select_and_check(f, &p, 2, kinds[i]);
}

static void long_row_by_default(void **state)
{
    const size_t length = fixture_scaled(1 << 11, 300001, 1 << 24);
    const clade_kselect_params p = { .length = length, .k = length / 10, .indices = 1 };
    select_and_check(*state, &p, 1, RANDOM);
    select_and_check(*state, &p, 2, ASCENDING);
    select_and_check(*state, &p, 1, EQUAL);
}

static void host_rows_and_results(void **state)
{
    struct fixture *f = *state;
    enum { ROWS = 9, LENGTH = 200, K = 20 };
    uint32_t *keys = test_malloc(ROWS * LENGTH * 4);
    uint32_t out[ROWS * K], indices[ROWS * K], wanted[LENGTH], got[K];
    uint8_t seen[LENGTH];
    struct random random = random_from(f->seed);
    const clade_kselect_params p = { .length = LENGTH,
                                     .k = K,
                                     .key = CLADE_F32,
                                     .order = CLADE_MAX,
                                     .indices = 1,
                                     .output = CLADE_KSELECT_SORTED };
    clade_kselect *s = NULL;
    for (size_t r = 0; r < ROWS; r++)
        fill_row(keys + r * LENGTH, LENGTH, FLOATS, &random);
    assert_ok(clade_kselect_create(&s, f->context, &p));
    assert_ok(
        clade_kselect_run(s, clade_host(keys), clade_host(out), clade_host(indices), ROWS, NULL));
    for (size_t r = 0; r < ROWS; r++)
        check_row(keys + r * LENGTH, out + r * K, indices + r * K, &p, wanted, got, seen);
    clade_kselect_destroy(&s);
    test_free(keys);
}

static void no_rows_are_no_work(void **state)
{
    struct fixture *f = *state;
    clade_kselect *s = NULL;
    assert_ok(
        clade_kselect_create(&s, f->context, &(clade_kselect_params) { .length = 5, .k = 2 }));
    assert_ok(clade_kselect_run(s, clade_no_array(), clade_no_array(), clade_no_array(), 0, NULL));
    clade_kselect_destroy(&s);
}

static void bad_parameters_are_named(void **state)
{
    struct fixture *f = *state;
    static const struct {
        clade_kselect_params params;
        const char *part;
    } bad[] = {
        { { .k = 1 }, "length 0" },
        { { .length = 1u << 29, .k = 1 }, "length 536870912" },
        { { .length = 10 }, "k = 0" },
        { { .length = 10, .k = 11 }, "k = 11" },
        { { .length = 10, .k = 1, .key = 9 }, "key type 9" },
        { { .length = 10, .k = 1, .order = 2 }, "order 2" },
        { { .length = 10, .k = 1, .output = 9 }, "output 9" },
        { { .length = 10, .k = 1, .indices = 2 }, "indices is 2" },
        { { .length = 10, .k = 1, .method = 7 }, "method 7" },
        { { .length = 10, .k = 1, .arity = 7 }, "arity 7" },
        { { .length = 10, .k = 1, .group_size = 48 }, "group size 48" },
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        clade_kselect *s = (clade_kselect *)1;
        assert_fails(clade_kselect_create(&s, f->context, &bad[i].params), CLADE_E_ARG);
        assert_null(s);
        assert_message(bad[i].part);
    }
    clade_kselect_destroy(NULL);
}

static void missing_and_small_arrays_are_named(void **state)
{
    struct fixture *f = *state;
    clade_kselect *s = NULL;
    uint32_t word = 0;
    cl_mem small = fixture_buffer(f, 4, &word);
    assert_ok(
        clade_kselect_create(&s, f->context, &(clade_kselect_params) { .length = 5, .k = 2 }));
    assert_fails(
        clade_kselect_run(s, clade_no_array(), clade_host(&word), clade_no_array(), 1, NULL),
        CLADE_E_ARG);
    assert_message("keys");
    assert_fails(
        clade_kselect_run(s, clade_device(small, 0), clade_host(&word), clade_no_array(), 1, NULL),
        CLADE_E_ARG);
    assert_message("keys needs 20 bytes");
    assert_fails(
        clade_kselect_run(s, clade_device(small, 0), clade_host(&word), clade_host(&word), 1, NULL),
        CLADE_E_ARG);
    assert_message("indices");
    clade_kselect_destroy(&s);
    clReleaseMemObject(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_rows_of_every_kind),
        cmocka_unit_test(short_rows_sorted),
        cmocka_unit_test(middle_rows_of_every_kind),
        cmocka_unit_test(every_type_and_order),
        cmocka_unit_test(shared_rows_of_every_kind),
        cmocka_unit_test(rows_with_samples),
        cmocka_unit_test(likely_ranges),
        cmocka_unit_test(rows_in_parts),
        cmocka_unit_test(few_of_long_rows),
        cmocka_unit_test(first_keys),
        cmocka_unit_test(scanned_rows_of_every_kind),
        cmocka_unit_test(results_as_heaps),
        cmocka_unit_test(groups_of_many_items),
        cmocka_unit_test(groups_that_are_large),
        cmocka_unit_test(groups_of_users_kernels),
        cmocka_unit_test(bits_guessed_from_samples),
        cmocka_unit_test(long_row_by_default),
        cmocka_unit_test(host_rows_and_results),
        cmocka_unit_test(no_rows_are_no_work),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(missing_and_small_arrays_are_named),
    };
    return fixture_run("kselect", tests);
}
