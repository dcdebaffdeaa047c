/* SPDX-License-Identifier: Apache-2.0 */
/* Host calls of the front engine over many keys at once: what comes out is what the model says,
 * whatever is in the heap, and the heap is sound and goes on as before. */
#include "harness/fixture.h"

#include "clade/shared/heap_bulk.h"
#include "device/context.h"
#include "harness/scratch.h"
#include "heap/heap.h"
#include "heap/heap_load.h"
#include "object/object.h"

enum { RANDOM, ASCENDING, EQUAL, FEW, CLUMPS, PATTERNS, DESCENDING, NARROW, DEEP };

/* Bits of key i of n, all of them numbers in every type: none has the exponent of infinity. */
static uint64_t pattern_bits(struct load *load, int pattern, size_t i, size_t n)
{
    const uint64_t random = random_next(&load->random);
    const bool wide = CLADE_TYPE_BYTES(load->params.key) == 8;
    const uint64_t number = wide ? 0xbfefffffffffffff : 0xbf7fffff;
    switch (pattern) {
    case ASCENDING:
        return 5 * i;
    case DESCENDING:
        return 5 * (n - 1 - i);
    case NARROW: /* two bytes are the same */
        return 0x12340000 + random % 0x10000;
    case EQUAL:
        return 77;
    case FEW:
        return random % 7 << (wide ? 40 : 20);
    case CLUMPS: /* many keys in each of a few narrow ranges, and some anywhere */
        return random % 16 == 0 ? random & number
                                : (random >> 8) % 5 * 0x2345678 + (random >> 16) % 999;
    case DEEP: /* one key more than a leaf has, each time somewhere else: directories down to the
                  last bit */
        load->random.state = i / (load->heap->front.leaf + 1);
        return random_next(&load->random) & number;
    default:
        return random & number;
    }
}

/* What the engine's own operations count: refills and splits. */
static uint32_t own_work(struct load *load)
{
    uint32_t words[2];
    assert_ok(cladei_object_read(&load->heap->object, 4 * CLADE_FRONT_S_REFILLS, &words[0], 4));
    assert_ok(cladei_object_read(&load->heap->object, 4 * CLADE_FRONT_S_SPLITS, &words[1], 4));
    return words[0] + words[1];
}

/* A word of what the last bulk call kept beside the heap. */
static uint32_t bulk_word(struct load *load, uint32_t word)
{
    struct fixture f = { .context = load->heap->object.context };
    uint32_t value = 0;
    fixture_read(&f, load->heap->bulk.lists.mem, 4 * word, &value, 4);
    return value;
}

/* Insert n keys into an empty heap, by a bulk call. The engine's own kernel is launched after it
 * anyway, so it is the device's words that tell which of them did the call. */
static void build(struct load *load, int pattern, size_t n)
{
    const uint32_t before = own_work(load);
    assert_true(load->model.count == 0 && n >= load->heap->bulk.least);
    load_insert_pattern(load, pattern_bits, pattern, n);
    assert_int_equal(bulk_word(load, CLADE_BULK_STATE), CLADE_BULK_GOES);
    assert_int_equal(own_work(load), before);
    load_expect_sound(load);
}

/* Pop n keys, by a bulk call. */
static void take(struct load *load, size_t n)
{
    const uint32_t before = own_work(load);
    assert_true(load->heap->bulk.least > 0 && n >= load->heap->bulk.least);
    load_pop(load, n);
    assert_int_equal(own_work(load), before);
    load_expect_sound(load);
}

/* Bulk calls by groups of so many items, of so few keys that short tests have them. */
static void use_groups(struct load *load, uint32_t items)
{
    cladei_bulk_close(load->heap);
    cladei_bulk_open(load->heap, items);
}

static struct load *open_load(struct fixture *f, clade_heap_params params, size_t room)
{
    struct load *load = calloc(1, sizeof *load);
    assert_non_null(load);
    params.engine = CLADE_HEAP_FRONT;
    load_open(load, f, params, room);
    if (!f->caps->is_cpu)
        use_groups(load, 256);
    if (load->heap->bulk.least == 0) {
        load_close(load);
        free(load);
        print_message("skipped: this device has no bulk calls\n");
        skip();
        return NULL;
    }
    return load;
}

static void close_load(struct load *load)
{
    load_close(load);
    free(load);
}

/* One pattern after the other: a part, a part in which the front is, all but one, more than there
 * are. */
static void each_pattern(struct load *load, size_t most)
{
    const size_t least = (size_t)load->heap->bulk.least;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        build(load, pattern, most);
        take(load, least + 1); /* leaves a front */
        load_pop(load, 1);
        take(load, least);
        load_insert_pattern(load, pattern_bits, pattern, 777); /* some of them below the bound */
        load_pop(load, 300);
        take(load, load->model.count - 1);
        load_pop(load, 2); /* drained, not new */
        build(load, (pattern + 1) % PATTERNS, most / 2 + 1);
        take(load, most); /* more than there are */
        assert_int_equal(load->model.count, 0);
        take(load, most); /* none is there */
    }
}

/* What is refused changes nothing: a NaN among many keys, and more keys than there is room for. */
static void refused(struct load *load, size_t most)
{
    const size_t n = most, least = (size_t)load->heap->bulk.least;
    char *keys = room_for(load->params.key, n), *values = room_for(load->params.value, n);
    memset(keys, 0, n * CLADE_TYPE_BYTES(load->params.key));
    if (values)
        memset(values, 0, n * CLADE_TYPE_BYTES(load->params.value));
    if (load->params.key == CLADE_F32) {
        put_bits(keys, CLADE_F32, n / 2, 0x7fc00001);
        assert_fails(clade_heap_insert(load->heap, clade_host(keys), maybe(values), n, NULL),
                     CLADE_E_ARG);
        load_expect_sound(load);
    }
    build(load, RANDOM, most);
    assert_fails(clade_heap_insert(load->heap, clade_host(keys), maybe(values), least, NULL),
                 CLADE_E_FULL);
    load_expect_sound(load);
    take(load, most);
    free(keys);
    free(values);
}

/* Keys made against the trie: its directories run out before the heap is full. The call then goes
 * the engine's own way, from an empty heap; what that did not refuse is there. */
static void deep(struct load *load, size_t most)
{
    const struct random random = load->random;
    char *keys = room_for(load->params.key, most), *values = room_for(load->params.value, most);
    const uint32_t before = own_work(load);
    uint64_t size = 0, got = 0;
    for (size_t i = 0; i < most; i++)
        put_bits(keys, load->params.key, i, pattern_bits(load, DEEP, i, most));
    if (values)
        memset(values, 0, most * CLADE_TYPE_BYTES(load->params.value));
    const clade_status status =
        clade_heap_insert(load->heap, clade_host(keys), maybe(values), most, NULL);
    assert_true(status == CLADE_OK || status == CLADE_E_FULL);
    assert_ok(clade_heap_check(load->heap));
    assert_ok(clade_heap_size(load->heap, &size));
    assert_true(status == CLADE_OK ? size == most : size < most && own_work(load) > before);
    assert_ok(
        clade_heap_pop(load->heap, clade_host(keys), maybe(values), most, clade_host(&got), NULL));
    assert_int_equal(got, size);
    for (size_t i = 1; i < got; i++)
        assert_true(model_heap_order(load->params.key, load->params.order,
                                     bits_at(keys, load->params.key, i)) >=
                    model_heap_order(load->params.key, load->params.order,
                                     bits_at(keys, load->params.key, i - 1)));
    load_expect_sound(load);
    load->random = random;
    free(keys);
    free(values);
}

/* A heap from a file that was written between bulk calls goes on where it was. */
static void saved(struct load *load, size_t most)
{
    char *folder = scratch_make(), *path = scratch_path(folder, "bulk");
    build(load, CLUMPS, most);
    take(load, (size_t)load->heap->bulk.least);
    assert_ok(clade_heap_save(load->heap, path));
    clade_context *context = load->heap->object.context;
    clade_heap_destroy(&load->heap);
    assert_ok(clade_heap_load(&load->heap, context, path));
    if (!context->caps.is_cpu)
        use_groups(load, 256);
    load_pop(load, 1000);
    take(load, most);
    scratch_remove(folder);
    free(path);
}

/* Key and value types and orders, and both forms of the kernels: one item a group, and many. */
static void parts_and_all_of_it(void **state)
{
    struct fixture *f = *state;
    static const clade_heap_params shapes[] = {
        { .key = CLADE_U64, .value = CLADE_U32, .order = CLADE_MAX },
        { .key = CLADE_F32, .value = CLADE_U64 },
        { .key = CLADE_I32 },
        { .key = CLADE_U32, .value = CLADE_I64, .order = CLADE_MAX },
        { .key = CLADE_F64, .value = CLADE_F32, .batch = 64 },
    };
    const size_t most = fixture_scaled(101000, 150000, 2000000);
    const size_t shape_count = fixture_scaled(1, 2, sizeof shapes / sizeof shapes[0]);
    for (size_t i = 0; i < shape_count; i++) {
        clade_heap_params params = shapes[i];
        params.capacity = most + 1000;
        struct load *load = open_load(f, params, (16 * PATTERNS + 4) * most);
        each_pattern(load, most);
        refused(load, most);
        deep(load, most < 101000 ? most : 101000);
        saved(load, most);
        if (!fixture_is_small()) { /* compiling them is most of the time */
            use_groups(load, f->caps->is_cpu ? 64 : 128);
            each_pattern(load, most);
        }
        close_load(load);
    }
}

/* Groups of a few items, who share what one of them does alone elsewhere: above all what is given
 * back to the pools at a call's end, which each of them must not. */
static void each_item_does_its_part(void **state)
{
    struct fixture *f = *state;
    const size_t most = 101000;
    const clade_heap_params params = { .key = CLADE_U32, .capacity = most + 1000 };
    struct load *load = open_load(f, params, 8 * most);
    use_groups(load, 8);
    const size_t least = (size_t)load->heap->bulk.least;
    build(load, CLUMPS, most);
    take(load, least + 1);
    load_pop(load, 1); /* of a front, which the next call takes, too */
    take(load, least);
    take(load, most); /* all that is left */
    build(load, EQUAL, most / 2);
    take(load, least);
    close_load(load);
}

/* Each pattern fills a heap that has room for `spare` more keys. */
static void fill(struct load *load, size_t n, size_t spare)
{
    static const int patterns[] = { ASCENDING, DESCENDING, NARROW, RANDOM, CLUMPS, FEW, EQUAL };
    clade_context *context = load->heap->object.context;
    const uint32_t leaf = load->heap->front.leaf;
    const clade_heap_params params = { .key = CLADE_U32,
                                       .capacity = n + spare,
                                       .engine = CLADE_HEAP_FRONT };
    clade_heap_destroy(&load->heap);
    assert_ok(cladei_heap_create(&load->heap, context, &params, leaf));
    use_groups(load, 8);
    const size_t slots =
        load->heap->front.count[CLADE_FRONT_POOL_BLOCKS] * (size_t)(leaf / CLADE_FRONT_BLOCKS);
    assert_true(slots < 3 * n); /* none for leaves if two levels' keys lay there */
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        build(load, patterns[i], n);
        /* Random keys are in leaves after the first level, most others come to the third. */
        if (patterns[i] != RANDOM)
            assert_true(bulk_word(load, CLADE_BULK_LEVEL + 4 * 2 + CLADE_BULK_PLACED) > n / 2);
        take(load, n);
    }
}

/* As many keys as a heap has room for go the bulk way, whatever they are. Those in order have a
 * third level, whose leaves take blocks while the second level's keys are still read. Leaves are
 * short for so many keys here: what blocks a heap has beyond those for its keys are few then. */
static void full_heaps_go_the_bulk_way(void **state)
{
    struct fixture *f = *state;
    /* Of the test before this one, whose programs are there. */
    const clade_heap_params params = { .key = CLADE_U32, .capacity = 102000 };
    if (fixture_is_interpreted(f)) {
        print_message("skipped: so many keys take too long here\n");
        skip();
    }
    struct load *load = open_load(f, params, (size_t)14 * 150 * CLADE_FRONT_LEAF_MAX);
    const size_t n = 150 * (size_t)load->heap->front.leaf;
    fill(load, n, 0);
    fill(load, n, n / 64);
    close_load(load);
}

/* The shortest leaves, as a file may have them, have fewer bins than a large group has items. */
static void short_leaves_are_sorted_by_large_groups(void **state)
{
    struct fixture *f = *state;
    clade_heap_params params = { .key = CLADE_U32, .capacity = 40000 };
    if (f->caps->group_size_max < 256 || fixture_is_interpreted(f)) {
        print_message("skipped: groups are small here, or slow\n");
        skip();
    }
    struct load *load = open_load(f, params, 80000);
    clade_heap_destroy(&load->heap);
    params.engine = CLADE_HEAP_FRONT;
    params.batch = 64;
    load->params.batch = params.batch;
    assert_ok(cladei_heap_create(&load->heap, f->context, &params, CLADE_FRONT_LEAF_MIN));
    use_groups(load, 256);
    assert_in_range(load->heap->bulk.bins, 256, CLADE_FRONT_LEAF_MIN);
    if (!fixture_is_small()) { /* compiling them is most of the time */
        build(load, RANDOM, 40000);
        take(load, (size_t)load->heap->bulk.least);
    }
    close_load(load);
}

/* Who says how many groups do a heap's calls gets these, whatever is faster. */
static void groups_that_are_asked_for_do_it(void **state)
{
    struct fixture *f = *state;
    clade_heap_params params = { .key = CLADE_U64,
                                 .value = CLADE_U32,
                                 .order = CLADE_MAX,
                                 .capacity = 102000,
                                 .engine = CLADE_HEAP_FRONT,
                                 .groups = 2 };
    struct load load;
    load_open(&load, f, params, 50000);
    assert_true(load.heap->bulk.least == 0);
    load_insert_pattern(&load, pattern_bits, RANDOM, 50000);
    assert_true(own_work(&load) > 0);
    load_pop(&load, 50000);
    load_expect_sound(&load);
    load_close(&load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_all_of_it),
        cmocka_unit_test(each_item_does_its_part),
        cmocka_unit_test(full_heaps_go_the_bulk_way),
        cmocka_unit_test(short_leaves_are_sorted_by_large_groups),
        cmocka_unit_test(groups_that_are_asked_for_do_it),
    };
    return fixture_run("heap_bulk", tests);
}
