/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine: every pop is of the smallest keys, nothing is lost, nothing comes
 * twice, memory comes back. */
#include "heap/heap.h"
#include "heap/front/heap_front_load.h"
#include "harness/scratch.h"
#include "device/context.h"

#include <clade/heap.h>

static const char *const pattern_names[] = { "random", "ascending", "descending", "equal",
                                             "few",    "narrow",    "ends" };

/* Insert all, pop all: one group gives the sorted array, several give its slices. */
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
        front_assert(&t, count);
        front_pop(&t, &out, count, shape.batch, groups);
        assert_same_keys(&in, &out, shape.value_bits != 0);
        if (groups == 1)
            for (size_t i = 1; i < out.count; i++)
                assert_true(out.key[i - 1] <= out.key[i]);
        front_assert(&t, 0);
        keys_free(&in);
        keys_free(&out);
    }
    front_close(&t);
}

/* Values or none: a program each, which PoCL compiles for a quarter of a minute. At small size only
 * groups_merge_together is without them. */
static uint32_t value_bits(void)
{
    return fixture_is_small() ? 32 : 0;
}

/* CLADE_TEST_ITEMS=16 CLADE_BUILD_OPTIONS=-DCLADE_GROUP_SCALAR=0: as on a GPU, for simulators. */
static uint32_t items(struct fixture *f)
{
    const char *wanted = getenv("CLADE_TEST_ITEMS");
    return wanted ? (uint32_t)strtoul(wanted, NULL, 10) : f->caps->is_cpu ? 1 : 64;
}

static void one_group_sorts(void **state)
{
    struct fixture *f = *state;
    sorts(f, (struct shape) { 32, value_bits(), 64, 256, items(f), NULL },
          fixture_scaled(1500, 20000, 200000), 1);
}

static void groups_sort(void **state)
{
    struct fixture *f = *state;
    sorts(f, (struct shape) { 32, value_bits(), 64, 256, items(f), NULL },
          fixture_scaled(1500, 60000, 1000000), 8);
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

/* Insert half, pop a quarter, insert the rest, pop all: each pop phase gets exactly the
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
    front_pop(&t, &quarter, count / 4, shape.batch, groups);
    front_assert(&t, low.count - count / 4);
    struct pair *wanted = keys_sorted(&low, false), *got = keys_sorted(&quarter, false);
    assert_int_equal(quarter.count, count / 4);
    for (size_t i = 0; i < quarter.count; i++)
        assert_int_equal(got[i].key, wanted[i].key);
    front_insert(&t, &high, shape.batch / 2 + 1, groups, CLADE_OK);
    front_assert(&t, count - count / 4);
    front_pop(&t, &rest, count, shape.batch, groups);
    memcpy(quarter.key + quarter.count, rest.key, 8 * rest.count);
    memcpy(quarter.value + quarter.count, rest.value, 8 * rest.count);
    quarter.count += rest.count;
    assert_same_keys(&in, &quarter, shape.value_bits != 0);
    front_assert(&t, 0);
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

/* Endless insert and pop at once: nothing is lost, memory stays within the plan. Answers how
 * many batches went into the front with another group's. */
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
        front_assert(&t, all.count - out.count);
    }
    struct keys rest = keys_new(base + 3 * count);
    front_pop(&t, &rest, all.count - out.count, shape.batch, groups);
    memcpy(out.key + out.count, rest.key, 8 * rest.count);
    out.count += rest.count;
    assert_same_keys(&all, &out, false);
    front_assert(&t, 0);
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

static void inserts_and_pops_at_once(void **state)
{
    struct fixture *f = *state;
    const size_t n = fixture_scaled(1024, 64 * 400, 64 * 8000);
    const struct shape shape = { 32, value_bits(), 64, 256, items(f), NULL };
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        print_message("%s\n", pattern_names[pattern]);
        churn(f, shape, 0, n, pattern, BY_TURNS, 6);
        churn(f, shape, n / 2, n, pattern, BY_TURNS, 6);
        churn(f, shape, n / 2, n, pattern, BY_HALVES, 6);
    }
}

/* Groups that wait for the front merge their batches together; every third of their rounds is
 * broken by its owner, and members give up waiting in every fourth: nothing is lost, and no memory.
 */
static void groups_merge_together(void **state)
{
    struct fixture *f = *state;
    const size_t n = fixture_scaled(64 * 24, 64 * 400, 64 * 4000);
    const struct shape shape = {
        32,
        0,
        64,
        256,
        items(f),
        "-DTEST_TRIES=200 -DCLADE_FRONT_LEAST=2u -DCLADE_FRONT_FEW=1u "
        "-DCLADE_FRONT_LINGER=200000u "
        "-DCLADE_FRONT_OWNER_PATIENCE=(s->now.round.number%3u?CLADE_SPIN_LIMIT:0u) "
        "-DCLADE_FRONT_MEMBER_PATIENCE=(s->now.round.number%4u?CLADE_SPIN_LIMIT:0u)"
    };
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
    churn(f, (struct shape) { 32, value_bits(), 64, 256, items(f), NULL }, 512,
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
    front_assert(&t, taken);
    front_pop(&t, &out, capacity, shape.batch, 4);
    assert_int_equal(out.count, taken);
    front_assert(&t, 0);
    struct keys again = in;
    again.count = capacity / shape.batch * shape.batch;
    front_insert(&t, &again, shape.batch, 4, CLADE_OK);
    front_assert(&t, again.count);
    keys_free(&in);
    keys_free(&out);
    front_close(&t);
}

/* With hardly any blocks in the pool an insert takes some keys and says how many; none are lost,
 * and pops need no memory. */
static void out_of_blocks_loses_nothing(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed + 5);
    const struct shape shape = { 32, value_bits(), 64, 256, items(f), NULL };
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
        front_pop(&t, &half, taken / 2, shape.batch, 3);
        assert_int_equal(half.count, taken / 2);
        size_t more = front_insert(&t, &in, shape.batch, 3, 1);
        front_pop(&t, &out, count, shape.batch, 3);
        assert_int_equal(out.count, taken - half.count + more);
        fixture_read(f, t.object.mem, at, &left, sizeof left);
        left += all - keep;
        fixture_write(f, t.object.mem, at, &left, sizeof left);
        front_assert(&t, 0);
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
    front_assert(&t, count);
    front_pop(&t, &out, count, shape.batch, 8);
    assert_same_keys(&in, &out, true);
    front_assert(&t, 0);
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
    assert_ok(clade_heap_pop(heap, clade_host(out), clade_host(out_values), n / 3, clade_host(&got),
                             NULL));
    assert_int_equal(got, n / 3);
    assert_true(out[0] == top && keys[top_value] == top);
    char *folder = scratch_make(), *path = scratch_path(folder, "front");
    assert_ok(clade_heap_save(heap, path));
    assert_ok(clade_heap_load(&loaded, f->context, path));
    assert_ok(clade_heap_size(loaded, &size));
    assert_int_equal(size, n - n / 3);
    assert_ok(clade_heap_peek(loaded, &top, NULL));
    assert_ok(clade_heap_pop(loaded, clade_host(out + n / 3), clade_host(out_values + n / 3), n,
                             clade_host(&got), NULL));
    assert_int_equal(got, n - n / 3);
    assert_true(out[n / 3] == top);
    for (size_t i = 0; i < n; i++)
        assert_true(keys[out_values[i]] == out[i]);
    qsort(keys, n, sizeof *keys, descending);
    assert_memory_equal(keys, out, n * sizeof *keys);
    assert_ok(clade_heap_stats_read(heap, &stats));
    assert_true(stats.inserts > 0 && stats.pops > 0 && stats.refused > 0);
    assert_ok(clade_heap_check(loaded));
    assert_ok(clade_heap_clear(heap, NULL));
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

/* A device with less local memory wrote the file: the leaves stay as short as that one needed them,
 * though another would make them longer. Where they do not fit, that is told. (The program is the
 * one of the test above.) */
static void a_file_comes_from_another_device(void **state)
{
    struct fixture *f = *state;
    enum { N = 300, LEAF = 256 };
    clade_context *context = f->context;
    const uint64_t local = context->caps.local_bytes;
    const clade_heap_params params = { .capacity = 20000, /* enough for leaves above the shortest */
                                       .key = CLADE_F32,
                                       .value = CLADE_U32,
                                       .order = CLADE_MAX,
                                       .batch = 64,
                                       .group_size = items(f),
                                       .engine = CLADE_HEAP_FRONT };
    char *folder = scratch_make(), *path = scratch_path(folder, "front");
    clade_heap *heap = NULL, *loaded = NULL;
    float keys[N], out[N];
    uint32_t values[N];
    uint64_t got = 0;
    for (int i = 0; i < N; i++) {
        keys[i] = (float)(i * 7919 % N);
        values[i] = (uint32_t)i;
    }
    assert_true(cladei_front_leaf(context, &params) > LEAF);
    assert_ok(cladei_heap_create(&heap, context, &params, LEAF));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_host(values), N, NULL));
    assert_ok(clade_heap_save(heap, path));
    clade_heap_destroy(&heap);

    assert_ok(clade_heap_load(&loaded, context, path));
    assert_int_equal(loaded->front.leaf, LEAF);
    assert_ok(
        clade_heap_pop(loaded, clade_host(out), clade_host(values), N, clade_host(&got), NULL));
    assert_int_equal(got, N);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == (float)(N - 1 - i) && keys[values[i]] == out[i]);
    clade_heap_destroy(&loaded);

    context->caps.local_bytes = 12000;
    const clade_status refused = clade_heap_load(&loaded, context, path);
    context->caps.local_bytes = local;
    assert_int_equal(refused, CLADE_E_ARG);
    assert_null(loaded);
    scratch_remove(folder);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group_sorts),
        cmocka_unit_test(groups_sort),
        cmocka_unit_test(types_sort),
        cmocka_unit_test(phases_are_exact),
        cmocka_unit_test(inserts_and_pops_at_once),
        cmocka_unit_test(groups_merge_together),
        cmocka_unit_test(memory_comes_back),
        cmocka_unit_test(full_is_a_status),
        cmocka_unit_test(out_of_blocks_loses_nothing),
        cmocka_unit_test(a_million_equal_keys),
        cmocka_unit_test(the_heap_object_has_it),
        cmocka_unit_test(a_file_comes_from_another_device),
    };
    return fixture_run("heap_front", tests);
}
