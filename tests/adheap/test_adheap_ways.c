/* SPDX-License-Identifier: Apache-2.0 */
/* clade_adheap: 64-bit keys, sorted batches, and k-sets fed by every way, against the model. */
#include <clade/adheap.h>

#include "adheap/model.h"
#include "harness/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An object beside its model; keys are 64 bits here and packed for the call. */
struct pair {
    struct fixture *f;
    clade_adheap *heaps;
    clade_adheap_params params;
    struct model_heap *models;
    struct random random;
    bool wide;
};

static uint64_t word_of(const clade_adheap_params *p, uint64_t raw)
{
    const bool wide = p->key >= CLADE_I64;
    const uint64_t all = wide ? UINT64_MAX : UINT32_MAX, top = all / 2 + 1;
    const uint64_t infinity = wide ? (uint64_t)0x7ff << 52 : 0x7f800000u;
    uint64_t word = raw & all;
    if (p->key == CLADE_I32 || p->key == CLADE_I64 || p->key == CLADE_NONE)
        word ^= top;
    if (p->key == CLADE_F32 || p->key == CLADE_F64)
        word = word & top ? ~word & all : word | top;
    if (p->order == CLADE_MAX)
        word = ~word & all;
    if ((p->key == CLADE_F32 || p->key == CLADE_F64) && (raw & all & ~top) > infinity)
        word = all;
    return p->keep ? ~word & all : word;
}

static uint32_t cookie(const struct pair *pair, uint64_t raw)
{
    return (uint32_t)((word_of(&pair->params, raw) * 0x9e3779b97f4a7c15u) >> 32);
}

static struct pair open_pair(struct fixture *f, clade_adheap_params params)
{
    struct pair pair = { .f = f, .params = params, .wide = params.key >= CLADE_I64 };
    pair.random = random_from(f->seed + params.capacity * 977 + params.key + params.feed * 31);
    pair.models = test_calloc(params.heaps, sizeof *pair.models);
    for (uint32_t h = 0; h < params.heaps; h++)
        pair.models[h] = (struct model_heap) { .words = test_calloc(params.capacity, 8),
                                               .capacity = params.capacity };
    assert_ok(clade_adheap_create(&pair.heaps, f->context, &params));
    return pair;
}

static void close_pair(struct pair *pair)
{
    clade_adheap_destroy(&pair->heaps);
    for (uint32_t h = 0; h < pair->params.heaps; h++)
        test_free(pair->models[h].words);
    test_free(pair->models);
}

/* Few bits differ now and then, so that halves of a key and ties matter. */
static uint64_t random_key(struct pair *pair)
{
    const uint64_t any = random_next(&pair->random);
    switch (any % 5) {
    case 0:
        return any >> 32;
    case 1:
        return any & 0xff000000ff;
    case 2:
        return any % 7;
    default:
        return any;
    }
}

struct batch {
    uint64_t *raws;
    void *keys; /* the same, packed */
    uint32_t *values;
    size_t count;
};

static struct batch make_batch(struct pair *pair, uint32_t each)
{
    struct batch b = { .count = (size_t)pair->params.heaps * each };
    b.raws = test_malloc(b.count * 8 + 8);
    b.keys = test_malloc(b.count * 8 + 8);
    b.values = test_malloc(b.count * 4 + 4);
    for (size_t i = 0; i < b.count; i++)
        b.raws[i] = random_key(pair);
    return b;
}

static void pack(const struct pair *pair, struct batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        b->values[i] = cookie(pair, b->raws[i]);
        if (pair->wide)
            ((uint64_t *)b->keys)[i] = b->raws[i];
        else
            ((uint32_t *)b->keys)[i] = (uint32_t)b->raws[i];
    }
}

static void free_batch(struct batch *b)
{
    test_free(b->raws);
    test_free(b->keys);
    test_free(b->values);
}

static clade_array values_of(const struct pair *pair, const struct batch *b)
{
    return pair->params.values ? clade_host(b->values) : clade_no_array();
}

static void insert_each(struct pair *pair, uint32_t each)
{
    struct batch b = make_batch(pair, each);
    pack(pair, &b);
    assert_ok(clade_adheap_insert(pair->heaps, clade_host(b.keys), values_of(pair, &b), each,
                                  clade_no_array(), NULL));
    for (size_t i = 0; i < b.count; i++)
        model_insert(&pair->models[i / each], word_of(&pair->params, b.raws[i]));
    free_batch(&b);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void build_each(struct pair *pair, uint32_t each)
{
    struct batch b = make_batch(pair, each);
    pack(pair, &b);
    assert_ok(clade_adheap_build(pair->heaps, clade_host(b.keys), values_of(pair, &b), each, NULL));
    for (uint32_t h = 0; h < pair->params.heaps; h++)
        pair->models[h].size = 0;
    for (size_t i = 0; i < b.count; i++)
        assert_true(model_insert(&pair->models[i / each], word_of(&pair->params, b.raws[i])));
    free_batch(&b);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void pop_each(struct pair *pair, uint32_t each)
{
    struct batch b = make_batch(pair, each);
    int32_t *statuses = test_malloc(b.count * 4);
    uint64_t word;
    assert_ok(clade_adheap_pop(pair->heaps, clade_host(b.keys), values_of(pair, &b), each,
                               clade_host(statuses), NULL));
    for (size_t i = 0; i < b.count; i++) {
        const bool had = model_pop(&pair->models[i / each], &word);
        const uint64_t raw = pair->wide ? ((uint64_t *)b.keys)[i] : ((uint32_t *)b.keys)[i];
        assert_int_equal(statuses[i], had ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (had)
            assert_int_equal(word_of(&pair->params, raw), word);
        if (had && pair->params.values)
            assert_int_equal(b.values[i], cookie(pair, raw));
    }
    test_free(statuses);
    free_batch(&b);
    assert_ok(clade_adheap_check(pair->heaps));
}

static const struct pair *sorting;

static int compare_raws(const void *a, const void *b)
{
    uint64_t x = word_of(&sorting->params, *(const uint64_t *)a);
    uint64_t y = word_of(&sorting->params, *(const uint64_t *)b);
    return sorting->params.keep ? (x < y) - (x > y) : (x > y) - (x < y);
}

static void merge_each(struct pair *pair, uint32_t each)
{
    struct batch b = make_batch(pair, each);
    int32_t *statuses = test_malloc(b.count * 4 + 4);
    sorting = pair;
    for (uint32_t h = 0; h < pair->params.heaps; h++)
        qsort(b.raws + (size_t)h * each, each, 8, compare_raws);
    pack(pair, &b);
    assert_ok(clade_adheap_merge(pair->heaps, clade_host(b.keys), values_of(pair, &b), each,
                                 pair->params.keep ? clade_no_array() : clade_host(statuses),
                                 NULL));
    for (size_t i = 0; i < b.count; i++) {
        struct model_heap *model = &pair->models[i / each];
        const uint64_t word = word_of(&pair->params, b.raws[i]);
        if (pair->params.keep)
            model_feed(model, word);
        else
            assert_int_equal(statuses[i], model_insert(model, word) ? CLADE_OK : CLADE_E_FULL);
    }
    test_free(statuses);
    free_batch(&b);
    assert_ok(clade_adheap_check(pair->heaps));
}

enum kind { RANDOM, BETTER, WORSE, EQUAL, KINDS };

/* Feed keys that all enter one after the other, that none does, or that are all the same. */
static void feed_each(struct pair *pair, uint32_t each, enum kind kind)
{
    struct batch b = make_batch(pair, each);
    sorting = pair;
    for (uint32_t h = 0; h < pair->params.heaps && kind != RANDOM; h++) {
        uint64_t *row = b.raws + (size_t)h * each;
        qsort(row, each, 8, compare_raws); /* first first: later ones are refused */
        for (uint32_t i = 0; kind == BETTER && i < each / 2; i++) {
            const uint64_t other = row[i];
            row[i] = row[each - 1 - i];
            row[each - 1 - i] = other;
        }
        for (uint32_t i = 0; kind == EQUAL && i < each; i++)
            row[i] = row[0];
    }
    pack(pair, &b);
    assert_ok(
        clade_adheap_feed(pair->heaps, clade_host(b.keys), values_of(pair, &b), 0, each, NULL));
    for (size_t i = 0; i < b.count; i++)
        model_feed(&pair->models[i / each], word_of(&pair->params, b.raws[i]));
    free_batch(&b);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void wide_keys_of_every_type(void **state)
{
    static const clade_adheap_params all[] = {
        { .key = CLADE_F64, .keep = 1, .values = 1, .arity = 8 },
        { .key = CLADE_I64, .arity = 32, .order = CLADE_MAX, .values = 1 },
        { .key = CLADE_U64, .arity = 16, .bridge = CLADE_ADHEAP_BRIDGE_DUMP, .values = 1 },
        { .key = CLADE_I64, .arity = 64, .bridge = CLADE_ADHEAP_BRIDGE_LOCAL },
        { .key = CLADE_F64, .order = CLADE_MAX, .bridge = CLADE_ADHEAP_BRIDGE_NONE, .values = 1 },
    };
    for (size_t i = 0; i < fixture_scaled(3, COUNT(all), 5); i++) {
        clade_adheap_params p = all[i];
        p.heaps = 3;
        p.capacity = 90;
        struct pair pair = open_pair(*state, p);
        insert_each(&pair, 60);
        pop_each(&pair, 20);
        merge_each(&pair, 30);
        feed_each(&pair, 70, RANDOM);
        pop_each(&pair, 40);
        build_each(&pair, 90);
        pop_each(&pair, 91);
        close_pair(&pair);
    }
}

/* Old sizes and batches on both sides of every level boundary. */
static void sorted_batches_merge_at_every_boundary(void **state)
{
    const uint32_t d = 8, two = 1 + d + d * d;
    const uint32_t sizes[] = { 0, 1, d - 1, d, d + 1, two - 1, two, two + 1 };
    const uint32_t batches[] = { 1, two, 2, d, d + 1 };
    struct pair pair = open_pair(
        *state, (clade_adheap_params) { .heaps = 2, .capacity = 2 * two, .arity = d, .values = 1 });
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t j = 0; j < fixture_scaled(2, COUNT(batches), 5); j++) {
            build_each(&pair, sizes[i]);
            merge_each(&pair, batches[j]);
        }
    merge_each(&pair, 2 * two); /* more than there is room for */
    merge_each(&pair, 0);
    pop_each(&pair, 2 * two + 1);
    close_pair(&pair);
}

static void feed_all_kinds(struct pair *pair)
{
    const uint32_t k = pair->params.capacity;
    const uint32_t pieces[] = { 1, k / 2, 3 * k, 2, 200, 7, k };
    for (enum kind kind = RANDOM; kind < KINDS; kind++) {
        for (size_t i = 0; i < COUNT(pieces); i++)
            feed_each(pair, pieces[i], kind);
        pop_each(pair, k / 3 + 1);
    }
    merge_each(pair, 2 * k);
    merge_each(pair, 5);
    pop_each(pair, k + 1);
}

static void every_way_to_feed_gives_the_same(void **state)
{
    for (uint32_t feed = CLADE_ADHEAP_FEED_AUTO; feed <= CLADE_ADHEAP_FEED_SELECT; feed++) {
        struct pair pair = open_pair(*state, (clade_adheap_params) { .heaps = 5,
                                                                     .capacity = 40,
                                                                     .key = CLADE_F32,
                                                                     .keep = 1,
                                                                     .values = 1,
                                                                     .feed = feed });
        feed_all_kinds(&pair);
        close_pair(&pair);
    }
    const uint32_t capacities[] = { 1, 300, 2 };
    for (size_t i = 0; i < fixture_scaled(1, 3, 3); i++) { /* not a k-set; no values */
        struct pair pair = open_pair(
            *state, (clade_adheap_params) {
                        .heaps = 2, .capacity = capacities[i], .key = CLADE_U32, .feed = 2 });
        feed_all_kinds(&pair);
        close_pair(&pair);
    }
}

/* A group has more sub-groups than paths in local memory where these are single items. */
static void a_local_bridge_heapifies_what_was_selected(void **state)
{
    struct pair pair =
        open_pair(*state, (clade_adheap_params) { .heaps = 2,
                                                  .capacity = 1200,
                                                  .arity = 8,
                                                  .key = CLADE_U32,
                                                  .keep = 1,
                                                  .values = 1,
                                                  .bridge = CLADE_ADHEAP_BRIDGE_LOCAL,
                                                  .feed = CLADE_ADHEAP_FEED_SELECT });
    feed_each(&pair, 1000, RANDOM);
    feed_each(&pair, 1000, BETTER);
    pop_each(&pair, 30);
    close_pair(&pair);
}

/* Selection numbers values as feeding key by key does. */
static void selected_values_count_up(void **state)
{
    struct fixture *f = *state;
    enum { LENGTH = 400, K = 20 };
    uint32_t keys[LENGTH], out[K], values[K];
    clade_adheap *heaps = NULL;
    const clade_adheap_params params = {
        .heaps = 1, .capacity = K, .keep = 1, .values = 1, .feed = CLADE_ADHEAP_FEED_SELECT
    };
    for (uint32_t i = 0; i < LENGTH; i++)
        keys[i] = (i * 37 + 11) % LENGTH; /* a permutation */
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    for (uint32_t i = 0; i < LENGTH; i += 100)
        assert_ok(clade_adheap_feed(heaps, clade_host(keys + i), clade_no_array(), i, 100, NULL));
    assert_ok(
        clade_adheap_pop(heaps, clade_host(out), clade_host(values), K, clade_no_array(), NULL));
    for (uint32_t i = 0; i < K; i++) {
        assert_int_equal(out[i], K - 1 - i);
        assert_int_equal(keys[values[i]], out[i]);
    }
    clade_adheap_destroy(&heaps);
}

static void what_cannot_be_had_is_named(void **state)
{
    struct fixture *f = *state;
    clade_adheap *heaps = NULL;
    const uint32_t keys[2] = { 0 };
    int32_t statuses[2];
    assert_fails(clade_adheap_create(&heaps, f->context,
                                     &(clade_adheap_params) {
                                         .heaps = 1, .capacity = 1, .key = CLADE_U64, .feed = 2 }),
                 CLADE_E_UNSUPPORTED);
    assert_message("32 bits");
    assert_ok(clade_adheap_create(&heaps, f->context,
                                  &(clade_adheap_params) { .heaps = 2, .capacity = 1, .keep = 1 }));
    assert_fails(clade_adheap_merge(heaps, clade_host(keys), clade_no_array(), 1,
                                    clade_host(statuses), NULL),
                 CLADE_E_ARG);
    assert_message("statuses");
    assert_fails(clade_adheap_resident_start(heaps), CLADE_E_ARG);
    assert_message("HOST bridge");
    clade_adheap_destroy(&heaps);
}

static const char peek[] =
    "#include \"clade/adheap.clh\"\n"
    "__kernel void peek(__global clade_adheap_head *heaps, __global int *told)\n"
    "{\n"
    "    clade_adheap_word key;\n"
    "    uint value;\n"
    "    const clade_adheap_one h =\n"
    "        clade_adheap_open_wi(heaps, (uint)get_group_id(0), 0);\n"
    "    told[2 * get_group_id(0)] = clade_adheap_peek_sg(&h, &key, &value);\n"
    "    told[2 * get_group_id(0) + 1] = (int)key;\n"
    "}\n";

static void options_make_a_program_fit(void **state)
{
    struct fixture *f = *state;
    const uint64_t keys[2] = { 7, 9 };
    const uint32_t values[2] = { 1, 2 };
    int32_t told[4] = { 0 };
    clade_adheap *heaps;
    clade_program *program;
    cl_kernel kernel;
    const clade_adheap_params params = { .heaps = 2,
                                         .capacity = 4,
                                         .arity = 16,
                                         .key = CLADE_U64,
                                         .order = CLADE_MAX,
                                         .keep = 1,
                                         .values = 1 };
    const size_t group = f->caps->is_cpu ? 1 : 32;
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    assert_ok(clade_adheap_build(heaps, clade_host(keys), clade_host(values), 1, NULL));
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .source = peek, .options = clade_adheap_options(heaps) }));
    assert_ok(clade_program_kernel(&kernel, program, "peek"));
    cl_mem mem = clade_adheap_mem(heaps), out = fixture_buffer(f, sizeof told, told);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, out);
    fixture_launch(f, kernel, 2 * group, group);
    fixture_read(f, out, 0, told, sizeof told);
    for (int h = 0; h < 2; h++) {
        assert_int_equal(told[2 * h], CLADE_OK);
        assert_int_equal(told[2 * h + 1], keys[h]);
    }
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_adheap_destroy(&heaps);
}

/* A driver that leaves long loops: a merge that reaches the next level looks at all of this one, by
 * one item where there is a dump. */
static void heaps_with_long_loops_are_merged(void **state)
{
    enum { CAPACITY = 40000, INSIDE = 37445, MOST = 700, MERGED = 10 };
    struct fixture *f = *state;
    uint32_t keys[MOST];
    clade_adheap *heap;
    const clade_adheap_params params = { .heaps = 1,
                                         .capacity = CAPACITY,
                                         .arity = 8,
                                         .key = CLADE_U32,
                                         .bridge = CLADE_ADHEAP_BRIDGE_DUMP };
    if (f->caps->loop_limit == 0)
        skip();
    assert_ok(clade_adheap_create(&heap, f->context, &params));
    for (uint32_t n = 0, each = 0; n < INSIDE; n += each) {
        each = INSIDE - n < MOST ? INSIDE - n : MOST;
        for (uint32_t i = 0; i < each; i++)
            keys[i] = 1000 + n + i;
        assert_ok(clade_adheap_insert(heap, clade_host(keys), clade_no_array(), each,
                                      clade_no_array(), NULL));
    }
    for (uint32_t i = 0; i < MERGED; i++)
        keys[i] = i;
    assert_ok(clade_adheap_merge(heap, clade_host(keys), clade_no_array(), MERGED, clade_no_array(),
                                 NULL));
    assert_ok(clade_adheap_check(heap));
    assert_ok(clade_adheap_pop(heap, clade_host(keys), clade_no_array(), MERGED + 1,
                               clade_no_array(), NULL));
    for (uint32_t i = 0; i < MERGED; i++)
        assert_int_equal(keys[i], i);
    assert_int_equal(keys[MERGED], 1000);
    clade_adheap_destroy(&heap);
}

/* There, too: groups that select take so many heaps in turns. */
static void heaps_with_long_loops_are_fed(void **state)
{
    enum { CAPACITY = 100 };
    struct fixture *f = *state;
    clade_adheap *heaps;
    const clade_adheap_params params = { .heaps = f->caps->compute_units * 1500,
                                         .capacity = CAPACITY,
                                         .key = CLADE_U32,
                                         .keep = 1,
                                         .feed = CLADE_ADHEAP_FEED_SELECT };
    const size_t count = (size_t)params.heaps * CAPACITY;
    if (f->caps->loop_limit == 0)
        skip();
    uint32_t *keys = test_malloc(count * 4);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint32_t)(1000 + i % CAPACITY);
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    assert_ok(clade_adheap_build(heaps, clade_host(keys), clade_no_array(), CAPACITY, NULL));
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint32_t)(CAPACITY - 1 - i % CAPACITY);
    assert_ok(clade_adheap_feed(heaps, clade_host(keys), clade_no_array(), 0, CAPACITY, NULL));
    assert_ok(clade_adheap_check(heaps));
    memset(keys, 0xff, count * 4);
    assert_ok(clade_adheap_pop(heaps, clade_host(keys), clade_no_array(), CAPACITY,
                               clade_no_array(), NULL));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(keys[i], CAPACITY - 1 - i % CAPACITY);
    clade_adheap_destroy(&heaps);
    test_free(keys);
}

/* Heap 0's keys rise from its last node to the root, heap 1's sink all the way: items of one vector
 * run both loops. 885 such updates were cut off. */
static void heaps_with_long_loops_are_updated(void **state)
{
    enum { CAPACITY = 299593, MOST = 700, MANY = 885, ROOT = 1000000 }; /* 7 whole levels */
    struct fixture *f = *state;
    uint32_t keys[2 * MANY], nodes[2 * MANY];
    clade_adheap *heaps;
    const clade_adheap_params params = {
        .heaps = 2, .capacity = CAPACITY, .arity = 8, .key = CLADE_U32
    };
    if (f->caps->loop_limit == 0)
        skip();
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    for (uint32_t n = 0, each = 0; n < CAPACITY; n += each) {
        each = CAPACITY - n < MOST ? CAPACITY - n : MOST;
        for (uint32_t i = 0; i < 2 * each; i++)
            keys[i] = ROOT + n + i % each;
        assert_ok(clade_adheap_insert(heaps, clade_host(keys), clade_no_array(), each,
                                      clade_no_array(), NULL));
    }
    for (uint32_t each = MANY; each >= MOST; each -= MANY - MOST) {
        for (uint32_t i = 0; i < each; i++) {
            nodes[i] = CAPACITY - 1;
            keys[i] = ROOT - 1 - i;
            nodes[each + i] = 0;
            keys[each + i] = 2 * ROOT + i;
        }
        assert_int_equal(clade_adheap_update(heaps, clade_host(nodes), clade_host(keys),
                                             clade_no_array(), each, clade_no_array(), NULL),
                         each == MANY ? CLADE_E_UNSUPPORTED : CLADE_OK);
        assert_ok(clade_adheap_check(heaps));
    }
    assert_ok(clade_adheap_peek(heaps, clade_host(keys), clade_no_array(), clade_no_array(), NULL));
    assert_int_equal(keys[0], ROOT - MOST);
    assert_int_equal(keys[1], ROOT + MOST);
    clade_adheap_destroy(&heaps);
}

/* Items take heaps in turns: what one turn could do, two cannot. */
static void heaps_with_long_loops_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_adheap *heaps;
    const clade_adheap_params params = { .heaps = f->caps->compute_units * 1024 * 32 + 1,
                                         .capacity = 1,
                                         .arity = 64,
                                         .key = CLADE_U32 };
    if (f->caps->loop_limit == 0)
        skip();
    cl_mem few = fixture_buffer(f, 4, NULL); /* for as many there is none */
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    assert_int_equal(clade_adheap_pop(heaps, clade_device(few, 0), clade_no_array(), 900,
                                      clade_no_array(), NULL),
                     CLADE_E_UNSUPPORTED);
    assert_int_equal(clade_adheap_pop(heaps, clade_device(few, 0), clade_no_array(), 400,
                                      clade_no_array(), NULL),
                     CLADE_E_ARG);
    clade_adheap_destroy(&heaps);
    clReleaseMemObject(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_keys_of_every_type),
        cmocka_unit_test(sorted_batches_merge_at_every_boundary),
        cmocka_unit_test(every_way_to_feed_gives_the_same),
        cmocka_unit_test(a_local_bridge_heapifies_what_was_selected),
        cmocka_unit_test(selected_values_count_up),
        cmocka_unit_test(what_cannot_be_had_is_named),
        cmocka_unit_test(options_make_a_program_fit),
        cmocka_unit_test(heaps_with_long_loops_are_merged),
        cmocka_unit_test(heaps_with_long_loops_are_fed),
        cmocka_unit_test(heaps_with_long_loops_are_updated),
        cmocka_unit_test(heaps_with_long_loops_are_refused),
    };
    return fixture_run("adheap_ways", tests);
}
