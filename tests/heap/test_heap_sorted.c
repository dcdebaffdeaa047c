/* SPDX-License-Identifier: Apache-2.0 */
/* Host calls of the tree engines over many keys at once, by sorting: what comes out is what the
 * model says, whatever is in the heap, and the heap is sound and goes on as before. */
#include "harness/fixture.h"

#include "clade/shared/heap_sorted.h"
#include "device/context.h"
#include "harness/scratch.h"
#include "heap/heap.h"
#include "heap/heap_load.h"

enum { RANDOM, ASCENDING, DESCENDING, EQUAL, FEW, SEAM, CLUSTERED, FALLING, PATTERNS };
enum {
    LEAST = 1 << 15,
    INSERT_LEAST = 1 << 13,
    PART = CLADE_SORTED_PART,
    LITTLE = CLADE_SORTED_PART_LEAST
};

/* Bits of key i of n, all of them numbers in every type: none has the exponent of infinity. */
static uint64_t pattern_bits(struct load *load, int pattern, size_t i, size_t n)
{
    const uint64_t random = random_next(&load->random);
    const bool wide = CLADE_TYPE_BYTES(load->params.key) == 8;
    const size_t tiles = cladei_sorted_tiles(load->heap, n), tile = ((i + 1) * tiles - 1) / n;
    switch (pattern) {
    case ASCENDING:
        return 5 * i;
    case DESCENDING:
        return 5 * (n - i);
    case EQUAL:
        return 77;
    case FEW:
        return random % 7 << (wide ? 40 : 20);
    case SEAM: /* ascends within each tile, not from one to the next */
        return 3 * (i - n * tile / tiles);
    case CLUSTERED: /* rows that ascend, anywhere; some overlap */
        return i / 300 * 40503 % 1009 * 350 + i % 300;
    case FALLING:
        return i / 300 * 40503 % 1009 * 350 + 300 - i % 300;
    default:
        return random & (wide ? 0xbfefffffffffffff : 0xbf7fffff);
    }
}

/* Whether the last call went by sorting: it leaves no ticket for the engine's own kernel. */
static bool was_sorted(struct load *load)
{
    clade_heap_head head;
    assert_ok(cladei_heap_read_head(load->heap, &head));
    return head.ticket >= CLADE_SORTED_NO_MORE;
}

static void build(struct load *load, int pattern, size_t n)
{
    assert_int_equal(load->model.count, 0);
    load_insert_pattern(load, pattern_bits, pattern, n);
    assert_int_equal(was_sorted(load), n >= INSERT_LEAST);
    load_expect_sound(load);
}

/* Into one that is not empty: the engine's own kernel inserts the keys, in order. Each batch is
 * counted, as for any insert, and what comes out later is what the model says. */
static void add(struct load *load, int pattern, size_t n)
{
    clade_heap_stats before, after;
    const size_t k = load->params.batch;
    assert_true(load->model.count > 0);
    assert_ok(clade_heap_stats_read(load->heap, &before));
    load_insert_pattern(load, pattern_bits, pattern, n);
    assert_ok(clade_heap_stats_read(load->heap, &after));
    assert_false(was_sorted(load));
    assert_int_equal(after.inserts - before.inserts, (n + k - 1) / k);
    load_expect_sound(load);
}

/* From a heap whose keys are in order. */
static void take(struct load *load, size_t n)
{
    const size_t inside = load->model.count;
    load_pop(load, n);
    assert_int_equal(was_sorted(load), inside >= LEAST && n >= inside / LITTLE);
    load_expect_sound(load);
}

/* From one whose keys need not be. */
static void take_of_any(struct load *load, size_t n)
{
    const size_t inside = load->model.count;
    load_pop(load, n);
    if (n >= inside / PART || n < inside / LITTLE)
        assert_int_equal(was_sorted(load), inside >= LEAST && n >= inside / PART);
    load_expect_sound(load);
}

/* From one in which a few keys came behind greater ones: sorting pays for larger parts only. */
static void takes_of_a_mix(struct load *load, int pattern)
{
    load_insert_pattern(load, pattern_bits, pattern, load->params.batch + 77);
    assert_false(was_sorted(load));
    load_pop(load, load->model.count / PART - 1);
    if (pattern == DESCENDING)
        assert_false(was_sorted(load));
    load_expect_sound(load);
    take_of_any(load, load->model.count / PART);
}

static struct load *open_load(struct fixture *f, clade_heap_params params, size_t room)
{
    struct load *load = calloc(1, sizeof *load);
    assert_non_null(load);
    load_open(load, f, params, room);
    assert_int_equal(load->heap->sorted.least > 0, f->caps->is_cpu && !f->caps->loop_limit);
    if (load->heap->sorted.least == 0) {
        load_close(load);
        free(load);
        print_message("skipped: this device has no such calls\n");
        skip();
    }
    return load;
}

static void close_load(struct load *load)
{
    load_close(load);
    free(load);
}

/* One pattern after the other: parts, with the engine's own operations between them, all but one,
 * more than there are. */
static void each_pattern(struct load *load, size_t most)
{
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        build(load, pattern, most);
        take(load, 3);
        take(load, load->model.count / LITTLE); /* of a root that is not full */
        take(load, load->model.count / LITTLE - 1);
        takes_of_a_mix(load, pattern);
        take_of_any(load, load->model.count - 1);
        take(load, 2);
        build(load, (pattern + 1) % PATTERNS, most / 2 + 1);
        take(load, most); /* more than there are */
        assert_int_equal(load->model.count, 0);
        take(load, most); /* none is there */
    }
}

/* Many keys, behind one key, a few and many; sizes around the one from which on they are sorted. */
static void adds(struct load *load, size_t most)
{
    const size_t inside[] = { 1, 1000, most / 3 },
                 counts[] = { INSERT_LEAST - 1, INSERT_LEAST, LEAST + 1, LEAST };
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            load_insert_pattern(load, pattern_bits, (pattern + (int)i) % PATTERNS, inside[i]);
            add(load, pattern, counts[pattern % 4]);
            load_pop(load, 3 * load->params.batch + 1);
            load_expect_sound(load);
            load_pop(load, load->model.count);
            assert_int_equal(load->model.count, 0);
        }
    }
}

/* Where ways, batches and tiles end. */
static void each_size(struct load *load, size_t most)
{
    const size_t k = load->params.batch, whole = (LEAST / k + 1) * k;
    const size_t sizes[] = { INSERT_LEAST - 1, INSERT_LEAST, LEAST - 1, LEAST,
                             whole - 1,        whole,        whole + 1, most };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        build(load, RANDOM, sizes[i]);
        take(load, k);
        take_of_any(load, sizes[i] - k - (i % 2 ? k : k - 1)); /* a root alone; a buffer alone */
        take(load, sizes[i]);
    }
}

/* What is refused changes nothing: a NaN among many keys, and more keys than there is room for. */
static void refused(struct load *load, size_t most)
{
    char *keys = room_for(load->params.key, most), *values = room_for(load->params.value, most);
    memset(keys, 0, most * CLADE_TYPE_BYTES(load->params.key));
    if (values)
        memset(values, 0, most * CLADE_TYPE_BYTES(load->params.value));
    if (load->params.key == CLADE_F32) {
        put_bits(keys, CLADE_F32, most / 2, 0x7fc00001);
        assert_fails(clade_heap_insert(load->heap, clade_host(keys), maybe(values), most, NULL),
                     CLADE_E_ARG);
        load_expect_sound(load);
    }
    build(load, RANDOM, most);
    const size_t room = (size_t)load->params.capacity - most;
    assert_fails(clade_heap_insert(load->heap, clade_host(keys), maybe(values), room + 1, NULL),
                 CLADE_E_FULL);
    load_expect_sound(load);
    take(load, most);
    free(keys);
    free(values);
}

/* A heap from a file that was written between such calls goes on where it was. */
static void saved(struct load *load, size_t most)
{
    char *folder = scratch_make(), *path = scratch_path(folder, "sorted");
    clade_context *context = load->heap->object.context;
    build(load, FEW, most);
    take(load, most / 3);
    assert_ok(clade_heap_save(load->heap, path));
    clade_heap_destroy(&load->heap);
    assert_ok(clade_heap_load(&load->heap, context, path));
    load_pop(load, 1000);
    take_of_any(load, most / 3);
    take(load, most);
    scratch_remove(folder);
    free(path);
}

/* Counts of the engine's own batches. */
static void counted(struct load *load, size_t most)
{
    clade_heap_stats before, after;
    const size_t k = load->params.batch;
    assert_ok(clade_heap_stats_read(load->heap, &before));
    build(load, RANDOM, most);
    take(load, most / 2);
    take(load, most);
    assert_ok(clade_heap_stats_read(load->heap, &after));
    assert_int_equal(after.inserts - before.inserts, (most + k - 1) / k);
    assert_int_equal(after.pops - before.pops, (most / 2 + k - 1) / k + (most - most / 2) / k + 1);
}

/* Key and value types, orders and both engines. */
static void parts_and_all_of_it(void **state)
{
    struct fixture *f = *state;
    static const clade_heap_params shapes[] = {
        { .key = CLADE_U64, .value = CLADE_U32, .order = CLADE_MAX },
        { .key = CLADE_F32, .value = CLADE_U64, .engine = CLADE_HEAP_BOTTOM_UP },
        { .key = CLADE_I32, .engine = CLADE_HEAP_TOP_DOWN },
        { .key = CLADE_U32, .value = CLADE_I64, .order = CLADE_MAX, .batch = 1000 },
        { .key = CLADE_F64, .value = CLADE_F32, .batch = 64 },
        { .key = CLADE_I64, .order = CLADE_MAX, .engine = CLADE_HEAP_BOTTOM_UP, .batch = 7 },
    };
    const size_t most = fixture_scaled(2 * LEAST + 99, 150000, 2000000);
    const size_t shape_count = fixture_scaled(3, 4, sizeof shapes / sizeof shapes[0]);
    for (size_t i = 0; i < shape_count; i++) {
        clade_heap_params params = shapes[i];
        params.capacity = most + 1000;
        if (params.engine == CLADE_HEAP_AUTO && !f->caps->is_cpu)
            params.engine = CLADE_HEAP_TOP_DOWN;
        struct load *load = open_load(f, params, (14 * PATTERNS + 8) * most);
        each_size(load, most);
        each_pattern(load, most);
        adds(load, most);
        refused(load, most);
        counted(load, most);
        saved(load, most);
        close_load(load);
    }
}

static int by_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Device arrays: nothing waits, and the device alone knows what is inside. */
static void one_behind_the_other(void **state)
{
    struct fixture *f = *state;
    enum { N = 3 * LEAST };
    const clade_heap_params params = { .key = CLADE_U32,
                                       .capacity = N,
                                       .engine = CLADE_HEAP_TOP_DOWN };
    const size_t first = LEAST / 2, rest = N - first;
    struct load *load = open_load(f, params, 1);
    uint32_t *keys = malloc(N * sizeof *keys), *out = calloc(N, sizeof *out);
    uint64_t got[4] = { 0 };
    assert_true(keys && out);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i * 2654435761u;
    cl_mem mem = fixture_buffer(f, N * sizeof *keys, keys), to = fixture_buffer(f, N * 4, NULL);
    cl_mem got_mem = fixture_buffer(f, sizeof got, NULL);
    const clade_array none = clade_no_array();
    const size_t at[] = { 0, LEAST, 2 * LEAST, 2 * LEAST + LEAST / 2 };
    assert_ok(clade_heap_insert(load->heap, clade_device(mem, 0), none, first, NULL));
    assert_ok(clade_heap_insert(load->heap, clade_device(mem, 4 * first), none, rest - 5, NULL));
    assert_ok(clade_heap_insert(load->heap, clade_device(mem, 4 * (N - 5)), none, 5, NULL));
    for (size_t i = 0; i < 4; i++)
        assert_ok(clade_heap_pop(load->heap, clade_device(to, 4 * at[i]), none,
                                 i < 2 ? LEAST : LEAST / 2, clade_device(got_mem, 8 * i), NULL));
    assert_ok(clade_heap_pop(load->heap, clade_device(mem, 0), none, LEAST,
                             clade_device(got_mem, 0), NULL)); /* none is left */
    assert_ok(clade_finish(f->context));
    assert_ok(clade_heap_check(load->heap));
    fixture_read(f, got_mem, 0, got, sizeof got);
    fixture_read(f, to, 0, out, N * sizeof *out);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1] + got[2] + got[3], 2 * LEAST);
    qsort(keys, N, sizeof *keys, by_u32);
    assert_memory_equal(out, keys, N * sizeof *keys);
    clReleaseMemObject(mem);
    clReleaseMemObject(to);
    clReleaseMemObject(got_mem);
    free(keys);
    free(out);
    close_load(load);
}

/* Who says how many groups do a heap's calls gets these; so do many heaps. */
static void others_go_their_own_way(void **state)
{
    struct fixture *f = *state;
    const clade_heap_params asked[] = {
        { .capacity = 2 * LEAST, .engine = CLADE_HEAP_TOP_DOWN, .groups = 2 },
        { .capacity = 2 * LEAST, .heaps = 2 },
        { .capacity = LEAST - 1, .engine = CLADE_HEAP_TOP_DOWN },
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        clade_heap *heap;
        assert_ok(clade_heap_create(&heap, f->context, &asked[i]));
        assert_true(heap->sorted.least == 0);
        clade_heap_destroy(&heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_all_of_it),
        cmocka_unit_test(one_behind_the_other),
        cmocka_unit_test(others_go_their_own_way),
    };
    return fixture_run("heap_sorted", tests);
}
