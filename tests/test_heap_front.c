/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine: every delete is of the smallest keys, nothing is lost, nothing comes
 * twice, memory comes back. Its device functions run here without the heap's host API, with small
 * leaves, so that few keys reach every part of it. */
#include "fixture.h"

#include "heap_front.h"
#include "scratch.h"

#include <clade/heap.h>

struct shape {
    uint32_t key_bits, value_bits, batch, leaf, items;
    const char *options;
};

/* One heap with its kernels. */
struct front {
    struct fixture *f;
    struct shape shape;
    struct cladei_front plan;
    struct cladei_object object;
    clade_program *program;
    cl_kernel work;
};

struct record {
    cl_uint kind;
    cl_int status;
    cl_uint taken, at;
};

/* Keys are kept as 64-bit numbers here; values are a function of a key's place in the input. */
struct keys {
    uint64_t *key, *value;
    size_t count;
};

static struct keys keys_new(size_t count)
{
    struct keys k = { calloc(count + 1, 8), calloc(count + 1, 8), count };
    assert_non_null(k.key);
    assert_non_null(k.value);
    return k;
}

static void keys_free(struct keys *k)
{
    free(k->key);
    free(k->value);
}

static const char *plant(void)
{
    const char *options = getenv("CLADE_TEST_PLANT");
    return options ? options : "";
}

static void front_build(struct front *t)
{
    char options[600];
    clade_program_params params = { .file = "heap_front.cl" };
    snprintf(options, sizeof options,
             "-DTEST_KEY_BITS=%u -DTEST_VALUE_BITS=%u -DTEST_BATCH=%u -DTEST_LEAF=%u "
             "%s %s",
             t->shape.key_bits, t->shape.value_bits, t->shape.batch, t->shape.leaf, plant(),
             t->shape.options ? t->shape.options : "");
    params.options = options;
    params.include_path = fixture_kernels(TEST_KERNELS);
    assert_ok(clade_program_build(&t->program, t->f->context, &params));
    assert_ok(clade_program_kernel(&t->work, t->program, "test_work"));
}

static void front_open(struct front *t, struct fixture *f, struct shape shape, uint64_t capacity)
{
    *t = (struct front) { .f = f, .shape = shape };
    assert_ok(cladei_front_plan(&t->plan, capacity, shape.leaf, shape.key_bits / 8,
                                shape.value_bits / 8));
    assert_ok(cladei_object_create(&t->object, f->context, CLADE_KIND('f', 'r', 'o', 'n'),
                                   t->plan.bytes, "the test's heap"));
    t->plan.shape = CLADE_HEAP_SHAPE(shape.key_bits == 64 ? CLADE_U64 : CLADE_U32,
                                     shape.value_bits == 64   ? CLADE_U64
                                     : shape.value_bits == 32 ? CLADE_U32
                                                              : CLADE_NONE,
                                     CLADE_MIN, CLADE_HEAP_FRONT, shape.batch);
    assert_ok(cladei_front_format(&t->plan, &t->object));
    front_build(t);
}

static void front_close(struct front *t)
{
    clReleaseKernel(t->work);
    clade_program_destroy(&t->program);
    cladei_object_destroy(&t->object);
}

/* --- arrays on the device ------------------------------------------------------------------ */

static cl_mem put(struct front *t, const uint64_t *from, size_t count, uint32_t bits)
{
    char *bytes = calloc(count + 1, 8);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        if (bits == 64)
            ((uint64_t *)bytes)[i] = from[i];
        else
            ((uint32_t *)bytes)[i] = (uint32_t)from[i];
    cl_mem mem = fixture_buffer(t->f, (count + 1) * 8, bytes);
    free(bytes);
    return mem;
}

static void get(struct front *t, cl_mem mem, uint64_t *to, size_t count, uint32_t bits)
{
    char *bytes = calloc(count + 1, 8);
    assert_non_null(bytes);
    fixture_read(t->f, mem, 0, bytes, count * bits / 8);
    for (size_t i = 0; i < count && bits; i++)
        to[i] = bits == 64 ? ((uint64_t *)bytes)[i] : ((uint32_t *)bytes)[i];
    free(bytes);
}

/* As tests/cl/heap_front.cl has them. */
enum { BY_TURNS, BY_HALVES, INSERT, DELETE };

/* The arrays of one launch. */
struct work {
    cl_mem keys, values, got, got_values, noted;
    size_t batches;
};

static void work_open(struct work *w, struct front *t, const struct keys *in, size_t count,
                      uint32_t step)
{
    static const struct keys none = { 0 };
    in = in ? in : &none;
    w->batches = (count + step - 1) / step;
    w->keys = put(t, in->key, in->count, t->shape.key_bits);
    w->values = put(t, in->value, in->count, t->shape.value_bits ? t->shape.value_bits : 32);
    w->got = fixture_buffer(t->f, (count + 1) * 8, NULL);
    w->got_values = fixture_buffer(t->f, (count + 1) * 8, NULL);
    w->noted = fixture_buffer(t->f, 2 * w->batches * sizeof(struct record), NULL);
}

static void work_close(struct work *w)
{
    clReleaseMemObject(w->keys);
    clReleaseMemObject(w->values);
    clReleaseMemObject(w->got);
    clReleaseMemObject(w->got_values);
    clReleaseMemObject(w->noted);
}

/* Launch it; the records, two for each batch, are the caller's to free. */
static struct record *work_run(struct work *w, struct front *t, size_t count, uint32_t step,
                               cl_uint mode, size_t groups)
{
    size_t local = t->shape.items, global = groups * local;
    cl_command_queue queue = clade_context_cl_queue(t->f->context);
    cl_uint n = (cl_uint)count, s = step;
    assert_ok(CLADEI_SET_ARGS(t->work, CLADEI_ARG(t->object.mem), CLADEI_ARG(w->keys),
                              CLADEI_ARG(w->values), CLADEI_ARG(w->got), CLADEI_ARG(w->got_values),
                              CLADEI_ARG(n), CLADEI_ARG(s), CLADEI_ARG(mode),
                              CLADEI_ARG(w->noted)));
    assert_int_equal(
        clEnqueueNDRangeKernel(queue, t->work, 1, NULL, &global, &local, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    struct record *records = calloc(2 * w->batches + 1, sizeof *records);
    assert_non_null(records);
    fixture_read(t->f, w->noted, 0, records, 2 * w->batches * sizeof *records);
    return records;
}

/* Insert all of `in`; every batch must answer `wanted`, or anything when it is 1. Answers the
 * number of keys taken. */
static size_t front_insert(struct front *t, const struct keys *in, uint32_t step, size_t groups,
                           int wanted)
{
    struct work w;
    size_t taken = 0;
    work_open(&w, t, in, in->count, step);
    struct record *records = work_run(&w, t, in->count, step, INSERT, groups);
    for (size_t b = 0; b < w.batches; b++) {
        if (wanted != 1)
            assert_int_equal(records[2 * b].status, wanted);
        taken += records[2 * b].taken;
    }
    free(records);
    work_close(&w);
    return taken;
}

/* The keys that the launch's deletes got, after those in `out`. */
static void work_collect(struct work *w, struct front *t, const struct record *records,
                         struct keys *out, size_t count)
{
    uint64_t *k = calloc(count + 1, 8), *v = calloc(count + 1, 8);
    size_t n = out->count;
    get(t, w->got, k, count, t->shape.key_bits);
    get(t, w->got_values, v, count, t->shape.value_bits);
    for (size_t b = 0; b < w->batches; b++) {
        const struct record *r = records + 2 * b + 1;
        assert_int_equal(r->status, CLADE_OK);
        for (size_t i = 0; i < r->taken; i++, n++) {
            out->key[n] = k[r->at + i];
            out->value[n] = v[r->at + i];
            if (i > 0) /* each slice ascends */
                assert_true(k[r->at + i] >= k[r->at + i - 1]);
        }
    }
    out->count = n;
    free(k);
    free(v);
}

/* Delete `count` keys; what comes is packed into `out` in the order of the batches. */
static void front_delete(struct front *t, struct keys *out, size_t count, uint32_t step,
                         size_t groups)
{
    struct work w;
    out->count = 0;
    work_open(&w, t, NULL, count, step);
    struct record *records = work_run(&w, t, count, step, DELETE, groups);
    work_collect(&w, t, records, out, count);
    free(records);
    work_close(&w);
}

/* --- comparing ----------------------------------------------------------------------------- */

struct pair {
    uint64_t key, value;
};

static int by_key(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static struct pair *sorted(const struct keys *k, bool values)
{
    struct pair *pairs = calloc(k->count + 1, sizeof *pairs);
    assert_non_null(pairs);
    for (size_t i = 0; i < k->count; i++)
        pairs[i] = (struct pair) { k->key[i], values ? k->value[i] : 0 };
    qsort(pairs, k->count, sizeof *pairs, by_key);
    return pairs;
}

/* The same keys, each with its value, whatever their order. */
static void assert_same(const struct keys *a, const struct keys *b, bool values)
{
    assert_int_equal(a->count, b->count);
    struct pair *x = sorted(a, values), *y = sorted(b, values);
    for (size_t i = 0; i < a->count; i++) {
        if (x[i].key != y[i].key || x[i].value != y[i].value)
            print_error("place %zu of %zu: %llx,%llx and %llx,%llx\n", i, a->count,
                        (unsigned long long)x[i].key, (unsigned long long)x[i].value,
                        (unsigned long long)y[i].key, (unsigned long long)y[i].value);
        assert_true(x[i].key == y[i].key && x[i].value == y[i].value);
    }
    free(x);
    free(y);
}

static void assert_check(struct front *t, size_t keys)
{
    struct cladei_front_sum sum;
    assert_ok(cladei_front_check(&t->plan, &t->object, &sum));
    assert_int_equal(sum.keys, keys);
}

/* --- keys ---------------------------------------------------------------------------------- */

static uint64_t mask_of(struct shape shape)
{
    return shape.key_bits == 64 ? UINT64_MAX : UINT32_MAX;
}

enum { RANDOM, ASCENDING, DESCENDING, EQUAL, FEW, NARROW, ENDS, PATTERNS };

static struct keys keys_of(struct shape shape, size_t count, int pattern, struct random *random)
{
    struct keys k = keys_new(count);
    for (size_t i = 0; i < count; i++) {
        uint64_t r = random_next(random);
        k.key[i] = pattern == RANDOM       ? r
                   : pattern == ASCENDING  ? 1000 + i * 3
                   : pattern == DESCENDING ? 5000000 - i * 3
                   : pattern == EQUAL      ? 0x1234567
                   : pattern == FEW        ? (r % 13) << 20
                   : pattern == NARROW     ? 0x40000000 + r % 5000
                                           : (r & 1 ? UINT64_MAX - r % 3000 : r % 3000);
        k.key[i] &= mask_of(shape);
        k.value[i] = i;
    }
    return k;
}

/* --- tests --------------------------------------------------------------------------------- */

static const char *const pattern_names[] = { "random", "ascending", "descending", "equal",
                                             "few",    "narrow",    "ends" };

/* Insert all, delete all: one group gives the sorted array, several give its slices. */
static void sorts(struct fixture *f, struct shape shape, size_t count, size_t groups)
{
    struct random random = random_from(f->seed);
    struct front t;
    front_open(&t, f, shape, count + 10);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        print_message("%s, %u-bit keys, %u-bit values, %zu keys, %zu groups of %u\n",
                      pattern_names[pattern], shape.key_bits, shape.value_bits, count, groups,
                      shape.items);
        struct keys in = keys_of(shape, count, pattern, &random), out = keys_new(count);
        assert_int_equal(front_insert(&t, &in, shape.batch, groups, CLADE_OK), count);
        assert_check(&t, count);
        front_delete(&t, &out, count, shape.batch, groups);
        assert_same(&in, &out, shape.value_bits != 0);
        if (groups == 1)
            for (size_t i = 1; i < out.count; i++)
                assert_true(out.key[i - 1] <= out.key[i]);
        assert_check(&t, 0);
        keys_free(&in);
        keys_free(&out);
    }
    front_close(&t);
}

/* CLADE_TEST_ITEMS=16 CLADE_TEST_PLANT=-DCLADE_GROUP_SCALAR=0: as on a GPU, for simulators. */
static uint32_t items(struct fixture *f)
{
    const char *wanted = getenv("CLADE_TEST_ITEMS");
    return wanted ? (uint32_t)strtoul(wanted, NULL, 10) : f->caps->is_cpu ? 1 : 64;
}

static void one_group_sorts(void **state)
{
    struct fixture *f = *state;
    sorts(f, (struct shape) { 32, 0, 64, 256, items(f), NULL }, fixture_scaled(1500, 20000, 200000), 1);
}

static void groups_sort(void **state)
{
    struct fixture *f = *state;
    sorts(f, (struct shape) { 32, 0, 64, 256, items(f), NULL }, fixture_scaled(1500, 60000, 1000000), 8);
}

/* All key and value sizes. */
static void types_sort(void **state)
{
    struct fixture *f = *state;
    const size_t n = fixture_scaled(700, 9000, 100000);
    if (fixture_is_small()) { /* the heap object's test has values, too */
        print_message("skipped: each takes a compiler's while; CLADE_TEST_SIZE=normal has them\n");
        skip();
    }
    sorts(f, (struct shape) { 32, 32, 64, 256, items(f), NULL }, n, 4);
    sorts(f, (struct shape) { 64, 64, 64, 256, items(f), NULL }, n, 4);
    if (fixture_scaled(0, 0, 1)) {
        sorts(f, (struct shape) { 64, 0, 64, 256, items(f), NULL }, n, 4);
        sorts(f, (struct shape) { 32, 64, 32, 512, items(f), NULL }, n, 4);
    }
}

/* Insert half, delete a quarter, insert the rest, delete all: each delete phase gets exactly the
 * smallest of what is inside. */
static void phases(struct fixture *f, struct shape shape, size_t count, int pattern, size_t groups)
{
    struct random random = random_from(f->seed + (uint64_t)pattern);
    struct front t;
    front_open(&t, f, shape, count);
    struct keys in = keys_of(shape, count, pattern, &random), quarter = keys_new(count),
                rest = keys_new(count);
    struct keys low = in, high = in;
    low.count = count / 2;
    high.key += count / 2;
    high.value += count / 2;
    high.count = count - count / 2;
    front_insert(&t, &low, shape.batch, groups, CLADE_OK);
    front_delete(&t, &quarter, count / 4, shape.batch, groups);
    assert_check(&t, low.count - count / 4);
    struct pair *wanted = sorted(&low, false), *got = sorted(&quarter, false);
    assert_int_equal(quarter.count, count / 4);
    for (size_t i = 0; i < quarter.count; i++)
        assert_int_equal(got[i].key, wanted[i].key);
    front_insert(&t, &high, shape.batch / 2 + 1, groups, CLADE_OK);
    assert_check(&t, count - count / 4);
    front_delete(&t, &rest, count, shape.batch, groups);
    memcpy(quarter.key + quarter.count, rest.key, 8 * rest.count);
    memcpy(quarter.value + quarter.count, rest.value, 8 * rest.count);
    quarter.count += rest.count;
    assert_same(&in, &quarter, shape.value_bits != 0);
    assert_check(&t, 0);
    free(wanted);
    free(got);
    keys_free(&in);
    keys_free(&quarter);
    keys_free(&rest);
    front_close(&t);
}

static void phases_are_exact(void **state)
{
    struct fixture *f = *state;
    const size_t n = fixture_scaled(1500, 30000, 1000000);
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        phases(f, (struct shape) { 32, 32, 64, 256, items(f), NULL }, n, pattern, 4);
}

/* Endless insert and delete at once: nothing is lost, memory stays within the plan. Answers how many
 * batches went into the front with another group's. */
static cl_uint churn(struct fixture *f, struct shape shape, size_t base, size_t count, int pattern,
                  cl_uint mode, size_t groups)
{
    struct random random = random_from(f->seed + 77);
    struct front t;
    front_open(&t, f, shape, base + (mode ? 3 * count : 0) + 64 * shape.batch);
    struct keys all = keys_new(base + 3 * count), out = keys_new(base + 3 * count);
    struct keys first = keys_of(shape, base, pattern, &random);
    memcpy(all.key, first.key, 8 * base);
    all.count = base;
    out.count = 0;
    if (base)
        front_insert(&t, &first, shape.batch, groups, CLADE_OK);
    for (int round = 0; round < 3; round++) {
        struct keys in = keys_of(shape, count, pattern, &random);
        memcpy(all.key + all.count, in.key, 8 * count);
        all.count += count;
        struct work w;
        count -= count % shape.batch;
        work_open(&w, &t, &in, count, shape.batch);
        struct record *records = work_run(&w, &t, count, shape.batch, mode, groups);
        for (size_t b = 0; b < w.batches; b++) {
            assert_int_equal(records[2 * b].status, CLADE_OK);
            assert_int_equal(records[2 * b].taken, shape.batch);
        }
        work_collect(&w, &t, records, &out, count);
        free(records);
        work_close(&w);
        keys_free(&in);
        assert_check(&t, all.count - out.count);
    }
    struct keys rest = keys_new(base + 3 * count);
    front_delete(&t, &rest, all.count - out.count, shape.batch, groups);
    memcpy(out.key + out.count, rest.key, 8 * rest.count);
    out.count += rest.count;
    assert_same(&all, &out, false);
    assert_check(&t, 0);
    keys_free(&all);
    keys_free(&out);
    keys_free(&rest);
    keys_free(&first);
    cl_uint joined;
    fixture_read(f, t.object.mem, 4 * CLADE_FRONT_S_JOINED, &joined, sizeof joined);
    print_message("%u batches joined others\n", joined);
    front_close(&t);
    return joined;
}

static void inserts_and_deletes_at_once(void **state)
{
    struct fixture *f = *state;
    const size_t n = fixture_scaled(1024, 64 * 400, 64 * 8000);
    const struct shape shape = { 32, 0, 64, 256, items(f), NULL };
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        print_message("%s\n", pattern_names[pattern]);
        churn(f, shape, 0, n, pattern, BY_TURNS, 6);
        churn(f, shape, n / 2, n, pattern, BY_TURNS, 6);
        churn(f, shape, n / 2, n, pattern, BY_HALVES, 6);
    }
}

/* Groups that wait for the front merge their batches together; every third of their rounds is broken
 * by its owner, and members give up waiting in every fourth: nothing is lost, and no memory. */
static void groups_merge_together(void **state)
{
    struct fixture *f = *state;
    const size_t n = fixture_scaled(64 * 24, 64 * 400, 64 * 4000);
    const struct shape shape = { 32, 0, 64, 256, items(f),
                                 "-DTEST_TRIES=200 -DCLADE_FRONT_LEAST=2u -DCLADE_FRONT_FEW=1u "
                                 "-DCLADE_FRONT_LINGER=200000u "
                                 "-DCLADE_FRONT_OWNER_PATIENCE=(s->number%3u?CLADE_SPIN_LIMIT:0u) "
                                 "-DCLADE_FRONT_MEMBER_PATIENCE=(s->number%4u?CLADE_SPIN_LIMIT:0u)" };
    if (f->caps->compute_units < 2) {
        print_message("skipped: one group at a time never meets another\n");
        skip();
    }
    for (int pattern = 0; pattern < PATTERNS; pattern += pattern == RANDOM ? EQUAL : 1) {
        print_message("%s\n", pattern_names[pattern]);
        assert_true(churn(f, shape, 0, n, pattern, BY_TURNS, 4) > 0);
    }
}

/* Many rounds through a small heap: it would run out of blocks at once if any were lost. */
static void memory_comes_back(void **state)
{
    struct fixture *f = *state;
    churn(f, (struct shape) { 32, 0, 64, 256, items(f), NULL }, 512,
          fixture_scaled(2048, 64 * 3000, 64 * 30000), RANDOM, BY_TURNS, 4);
}

/* What does not fit is refused, and what is inside comes out. */
static void full_is_a_status(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const struct shape shape = { 32, 32, 64, 256, items(f), NULL };
    const size_t capacity = 3000;
    struct front t;
    front_open(&t, f, shape, capacity);
    struct keys in = keys_of(shape, capacity + 500, RANDOM, &random), out = keys_new(capacity);
    size_t taken = front_insert(&t, &in, shape.batch, 4, 1);
    assert_in_range(taken, capacity - shape.batch, capacity);
    assert_check(&t, taken);
    front_delete(&t, &out, capacity, shape.batch, 4);
    assert_int_equal(out.count, taken);
    assert_check(&t, 0);
    struct keys again = in;
    again.count = capacity / shape.batch * shape.batch;
    front_insert(&t, &again, shape.batch, 4, CLADE_OK);
    assert_check(&t, again.count);
    keys_free(&in);
    keys_free(&out);
    front_close(&t);
}

/* With hardly any blocks in the pool an insert takes some keys and says how many; none are lost,
 * and deletes need no memory. */
static void out_of_blocks_loses_nothing(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed + 5);
    const struct shape shape = { 32, 0, 64, 256, items(f), NULL };
    const size_t count = 64 * 40;
    for (cl_uint keep = 1; keep < 160; keep += fixture_is_small() ? 60 : 9) {
        struct front t;
        front_open(&t, f, shape, count);
        /* All but a few tokens are gone; they come back at the end. */
        const size_t at = 4 * (CLADE_FRONT_W_FREE + CLADE_FRONT_POOL_BLOCKS * CLADE_FRONT_LINE);
        const cl_uint all = t.plan.count[CLADE_FRONT_POOL_BLOCKS] - 1;
        cl_uint left;
        fixture_write(f, t.object.mem, at, &keep, sizeof keep);
        struct keys in = keys_of(shape, count, keep % 2 ? RANDOM : NARROW, &random),
                    out = keys_new(count), half = keys_new(count);
        size_t taken = front_insert(&t, &in, shape.batch, 3, 1);
        front_delete(&t, &half, taken / 2, shape.batch, 3);
        assert_int_equal(half.count, taken / 2);
        size_t more = front_insert(&t, &in, shape.batch, 3, 1);
        front_delete(&t, &out, count, shape.batch, 3);
        assert_int_equal(out.count, taken - half.count + more);
        fixture_read(f, t.object.mem, at, &left, sizeof left);
        left += all - keep;
        fixture_write(f, t.object.mem, at, &left, sizeof left);
        assert_check(&t, 0);
        keys_free(&in);
        keys_free(&out);
        keys_free(&half);
        front_close(&t);
    }
}

/* More equal keys than any leaf holds, in a heap that was planned for them. */
static void a_million_equal_keys(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const struct shape shape = { 32, 32, 64, 256, items(f), NULL };
    const size_t count = fixture_scaled(5000, 1000000, 1000000);
    struct front t;
    front_open(&t, f, shape, count);
    struct keys in = keys_of(shape, count, EQUAL, &random), out = keys_new(count);
    front_insert(&t, &in, shape.batch, 8, CLADE_OK);
    assert_check(&t, count);
    front_delete(&t, &out, count, shape.batch, 8);
    assert_same(&in, &out, true);
    assert_check(&t, 0);
    keys_free(&in);
    keys_free(&out);
    front_close(&t);
}

/* --- behind the heap object ------------------------------------------------------------------ */

static int descending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x > y ? -1 : x < y;
}

/* Floats, greatest first, with values: through the host API, a file in between. */
static void the_heap_object_has_it(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const size_t n = fixture_scaled(700, 20000, 200000);
    clade_heap_params params = { .capacity = n,
                                 .key = CLADE_F32,
                                 .value = CLADE_U32,
                                 .order = CLADE_MAX,
                                 .batch = 64,
                                 .group_size = items(f),
                                 .engine = CLADE_HEAP_FRONT };
    clade_heap *heap = NULL, *loaded = NULL;
    clade_heap_stats stats;
    float *keys = calloc(n, sizeof *keys), *out = calloc(n, sizeof *out), top;
    uint32_t *values = calloc(n, 4), *out_values = calloc(n, 4), top_value;
    uint64_t got = 0, size;
    for (size_t i = 0; i < n; i++) {
        keys[i] = (float)(int32_t)random_next(&random) / 1000.0f;
        values[i] = (uint32_t)i;
    }
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_fails(clade_heap_peek(heap, &top, NULL), CLADE_E_NOT_FOUND);
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_host(values), n, NULL));
    assert_fails(clade_heap_insert(heap, clade_host(keys), clade_host(values), 1, NULL),
                 CLADE_E_FULL);
    assert_ok(clade_heap_check(heap));
    assert_ok(clade_heap_peek(heap, &top, &top_value));
    assert_ok(clade_heap_delete(heap, clade_host(out), clade_host(out_values), n / 3,
                                clade_host(&got), NULL));
    assert_int_equal(got, n / 3);
    assert_true(out[0] == top && keys[top_value] == top);
    char *folder = scratch_make(), *path = scratch_path(folder, "front");
    assert_ok(clade_heap_save(heap, path));
    assert_ok(clade_heap_load(&loaded, f->context, path));
    assert_ok(clade_heap_size(loaded, &size));
    assert_int_equal(size, n - n / 3);
    assert_ok(clade_heap_peek(loaded, &top, NULL));
    assert_ok(clade_heap_delete(loaded, clade_host(out + n / 3), clade_host(out_values + n / 3), n,
                                clade_host(&got), NULL));
    assert_int_equal(got, n - n / 3);
    assert_true(out[n / 3] == top);
    for (size_t i = 0; i < n; i++)
        assert_true(keys[out_values[i]] == out[i]);
    qsort(keys, n, sizeof *keys, descending);
    assert_memory_equal(keys, out, n * sizeof *keys);
    assert_ok(clade_heap_stats_read(heap, &stats));
    assert_true(stats.inserts > 0 && stats.deletes > 0 && stats.refused > 0);
    assert_ok(clade_heap_check(loaded));
    assert_ok(clade_heap_clear(heap));
    assert_ok(clade_heap_check(heap));
    assert_ok(clade_heap_size(heap, &size));
    assert_int_equal(size, 0);
    clade_heap_destroy(&heap);
    clade_heap_destroy(&loaded);
    scratch_remove(folder);
    free(path);
    free(keys);
    free(values);
    free(out);
    free(out_values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group_sorts),
        cmocka_unit_test(groups_sort),
        cmocka_unit_test(types_sort),
        cmocka_unit_test(phases_are_exact),
        cmocka_unit_test(inserts_and_deletes_at_once),
        cmocka_unit_test(groups_merge_together),
        cmocka_unit_test(memory_comes_back),
        cmocka_unit_test(full_is_a_status),
        cmocka_unit_test(out_of_blocks_loses_nothing),
        cmocka_unit_test(a_million_equal_keys),
        cmocka_unit_test(the_heap_object_has_it),
    };
    return fixture_run("heap_front", tests);
}
