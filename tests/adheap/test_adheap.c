/* SPDX-License-Identifier: Apache-2.0 */
/* clade_adheap: every heap does what a bag with a least element does, whatever the shape. */
#include <clade/adheap.h>

#include "harness/fixture.h"
#include "adheap/model.h"
#include "harness/scratch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An object beside its model. */
struct pair {
    struct fixture *f;
    clade_adheap *heaps;
    clade_adheap_params params;
    struct model_heap *models;
    struct random random;
    uint32_t range; /* keys are below it: few keys mean many ties */
};

/* The word by which the object orders a key. */
static uint32_t word_of(const clade_adheap_params *p, uint32_t raw)
{
    uint32_t word = raw;
    if (p->key == CLADE_I32 || p->key == CLADE_NONE)
        word = raw + 0x80000000u;
    if (p->key == CLADE_F32)
        word = raw >> 31 ? ~raw : raw | 0x80000000u;
    if (p->order == CLADE_MAX)
        word = ~word;
    if (p->key == CLADE_F32 && (raw & 0x7fffffffu) > 0x7f800000u)
        word = UINT32_MAX;
    return p->keep ? ~word : word;
}

/* The value that goes with a key; so that one that strays is seen. NaNs have one. */
static uint32_t cookie(const clade_adheap_params *p, uint32_t raw)
{
    return word_of(p, raw) * 2654435761u + 12345u;
}

static struct pair open_pair(struct fixture *f, clade_adheap_params params, uint32_t range)
{
    struct pair pair = { .f = f, .params = params, .range = range };
    pair.random = random_from(f->seed + params.capacity * 977 + params.arity + params.bridge * 31);
    pair.models = test_calloc(params.heaps, sizeof *pair.models);
    for (uint32_t h = 0; h < params.heaps; h++)
        pair.models[h] = (struct model_heap) { .words = test_calloc(params.capacity, 8),
                                               .capacity = params.capacity };
    assert_ok(clade_adheap_create(&pair.heaps, f->context, &params));
    return pair;
}

static void close_pair(struct pair *pair)
{
    assert_ok(clade_adheap_check(pair->heaps));
    clade_adheap_destroy(&pair->heaps);
    assert_null(pair->heaps);
    for (uint32_t h = 0; h < pair->params.heaps; h++)
        test_free(pair->models[h].words);
    test_free(pair->models);
}

static uint32_t random_key(struct pair *pair)
{
    if (pair->params.key == CLADE_F32 && random_below(&pair->random, 9) == 0) {
        static const uint32_t odd[] = { 0x7fc00000u, 0xffc00000u, 0x7f800000u,
                                        0xff800000u, 0,           1u << 31 };
        return odd[random_below(&pair->random, COUNT(odd))];
    }
    const uint32_t key = (uint32_t)random_below(&pair->random, pair->range);
    return random_below(&pair->random, 2) ? key : 0u - key;
}

/* `each` random keys a heap, and their values. */
static uint32_t *random_keys(struct pair *pair, uint32_t each, uint32_t **values)
{
    const size_t count = (size_t)pair->params.heaps * each;
    uint32_t *keys = test_malloc(count * 4);
    *values = test_malloc(count * 4);
    for (size_t i = 0; i < count; i++) {
        keys[i] = random_key(pair);
        (*values)[i] = cookie(&pair->params, keys[i]);
    }
    return keys;
}

static clade_array values_of(const struct pair *pair, const uint32_t *values)
{
    return pair->params.values ? clade_host(values) : clade_no_array();
}

static void insert_each(struct pair *pair, uint32_t each)
{
    uint32_t *values, *keys = random_keys(pair, each, &values);
    int32_t *statuses = test_malloc((size_t)pair->params.heaps * each * 4);
    assert_ok(clade_adheap_insert(pair->heaps, clade_host(keys), values_of(pair, values), each,
                                  clade_host(statuses), NULL));
    for (size_t i = 0; i < (size_t)pair->params.heaps * each; i++) {
        const bool fits = model_insert(&pair->models[i / each], word_of(&pair->params, keys[i]));
        assert_int_equal(statuses[i], fits ? CLADE_OK : CLADE_E_FULL);
    }
    test_free(keys);
    test_free(values);
    test_free(statuses);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void pop_each(struct pair *pair, uint32_t each)
{
    const size_t count = (size_t)pair->params.heaps * each;
    uint32_t *keys = test_calloc(count, 4), *values = test_calloc(count, 4);
    uint64_t word;
    int32_t *statuses = test_malloc(count * 4);
    assert_ok(clade_adheap_pop(pair->heaps, clade_host(keys), values_of(pair, values), each,
                               clade_host(statuses), NULL));
    for (size_t i = 0; i < count; i++) {
        const bool had = model_pop(&pair->models[i / each], &word);
        assert_int_equal(statuses[i], had ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (had)
            assert_int_equal(word_of(&pair->params, keys[i]), word);
        if (had && pair->params.values)
            assert_int_equal(values[i], cookie(&pair->params, keys[i]));
    }
    test_free(keys);
    test_free(values);
    test_free(statuses);
    assert_ok(clade_adheap_check(pair->heaps));
}

/* One random node of each heap, one past the end sometimes, gets another key. */
static void update_each(struct pair *pair)
{
    const uint32_t heaps = pair->params.heaps, stride = (63 + pair->params.capacity + 63) / 64 * 64;
    uint32_t *values, *keys = random_keys(pair, 1, &values), *nodes = test_malloc(heaps * 4);
    int32_t *statuses = test_malloc(heaps * 4);
    for (uint32_t h = 0; h < heaps; h++) {
        struct model_heap *model = &pair->models[h];
        nodes[h] = (uint32_t)random_below(&pair->random, model->size + 1);
        if (nodes[h] < model->size) {
            uint32_t old;
            fixture_read(
                pair->f, clade_adheap_mem(pair->heaps),
                (CLADE_ADHEAP_HEAD_WORDS + (size_t)h * stride + CLADE_ADHEAP_ROOT + nodes[h]) * 4,
                &old, 4);
            assert_true(model_erase(model, old));
            assert_true(model_insert(model, word_of(&pair->params, keys[h])));
        }
    }
    assert_ok(clade_adheap_update(pair->heaps, clade_host(nodes), clade_host(keys),
                                  values_of(pair, values), 1, clade_host(statuses), NULL));
    for (uint32_t h = 0; h < heaps; h++)
        assert_int_equal(statuses[h],
                         nodes[h] < pair->models[h].size ? CLADE_OK : CLADE_E_NOT_FOUND);
    test_free(keys);
    test_free(values);
    test_free(nodes);
    test_free(statuses);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void build_each(struct pair *pair, uint32_t each)
{
    uint32_t *values, *keys = random_keys(pair, each, &values);
    assert_ok(
        clade_adheap_build(pair->heaps, clade_host(keys), values_of(pair, values), each, NULL));
    for (uint32_t h = 0; h < pair->params.heaps; h++)
        pair->models[h].size = 0;
    for (size_t i = 0; i < (size_t)pair->params.heaps * each; i++)
        assert_true(model_insert(&pair->models[i / each], word_of(&pair->params, keys[i])));
    test_free(keys);
    test_free(values);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void feed_each(struct pair *pair, uint32_t each)
{
    uint32_t *values, *keys = random_keys(pair, each, &values);
    assert_ok(
        clade_adheap_feed(pair->heaps, clade_host(keys), values_of(pair, values), 0, each, NULL));
    for (size_t i = 0; i < (size_t)pair->params.heaps * each; i++)
        model_feed(&pair->models[i / each], word_of(&pair->params, keys[i]));
    test_free(keys);
    test_free(values);
    assert_ok(clade_adheap_check(pair->heaps));
}

static void sizes_agree(struct pair *pair)
{
    uint32_t *sizes = test_malloc(pair->params.heaps * 4);
    clade_adheap_stats stats;
    uint64_t sum = 0;
    assert_ok(clade_adheap_sizes(pair->heaps, clade_host(sizes), NULL));
    for (uint32_t h = 0; h < pair->params.heaps; h++) {
        assert_int_equal(sizes[h], pair->models[h].size);
        sum += sizes[h];
    }
    assert_ok(clade_adheap_stats_read(pair->heaps, &stats));
    assert_int_equal(stats.size, sum);
    test_free(sizes);
}

/* All operations, each seen by the model. */
static void live(struct pair *pair)
{
    const uint32_t capacity = pair->params.capacity;
    insert_each(pair, capacity / 2 + 1);
    insert_each(pair, capacity / 2 + 1); /* past the end */
    pop_each(pair, capacity / 3 + 1);
    for (int i = 0; i < 4; i++)
        update_each(pair);
    feed_each(pair, capacity + 40);
    sizes_agree(pair);
    pop_each(pair, capacity + 1); /* and one more */
    build_each(pair, capacity);
    update_each(pair);
    pop_each(pair, capacity / 2);
    sizes_agree(pair);
}

/* Every arity, around the sizes at which a level begins. */
static void every_arity_at_every_level_boundary(void **state)
{
    static const uint32_t arities[] = { 8, 32, 16, 64 };
    for (size_t i = 0; i < fixture_scaled(2, 4, 4); i++) {
        const uint32_t d = arities[i], two = 1 + d + d * d;
        const uint32_t capacities[] = { 1, d + 2, two + 1, d + 1, d, two };
        for (size_t j = 0; j < fixture_scaled(2, d > 16 ? 3 : 6, 6); j++) {
            struct pair pair =
                open_pair(*state,
                          (clade_adheap_params) {
                              .heaps = 3, .capacity = capacities[j], .arity = d, .values = 1 },
                          capacities[j] + 5);
            live(&pair);
            close_pair(&pair);
        }
    }
}

static void every_type_order_and_direction(void **state)
{
    static const uint32_t keys[] = { CLADE_F32, CLADE_U32, CLADE_I32 };
    for (size_t i = 0; i < fixture_scaled(1, COUNT(keys), 3); i++)
        for (uint32_t way = i > 0; way < (i > 0 || fixture_is_small() ? 2 : 4); way++) {
            struct pair pair = open_pair(*state,
                                         (clade_adheap_params) { .heaps = 5,
                                                                 .capacity = 77,
                                                                 .key = keys[i],
                                                                 .order = way / 2,
                                                                 .keep = way % 2,
                                                                 .values = 1 },
                                         1u << 30);
            live(&pair);
            close_pair(&pair);
        }
}

static void every_bridge_does_the_same(void **state)
{
    for (uint32_t bridge = CLADE_ADHEAP_BRIDGE_NONE; bridge <= CLADE_ADHEAP_BRIDGE_DUMP; bridge++) {
        struct pair pair =
            open_pair(*state,
                      (clade_adheap_params) {
                          .heaps = 6, .capacity = 300, .arity = 8, .bridge = bridge, .values = 1 },
                      1000);
        live(&pair);
        close_pair(&pair);
    }
}

static void ties_and_equal_keys(void **state)
{
    for (uint32_t range = 1; range <= 3; range++) {
        struct pair pair = open_pair(
            *state, (clade_adheap_params) { .heaps = 2, .capacity = 150, .values = 1 }, range);
        live(&pair);
        close_pair(&pair);
    }
}

static void many_heaps(void **state)
{
    const uint32_t heaps = (uint32_t)fixture_scaled(40, 3000, 100000);
    struct pair pair = open_pair(
        *state, (clade_adheap_params) { .heaps = heaps, .capacity = 20, .keep = 1 }, 1000);
    live(&pair);
    close_pair(&pair);
}

/* Rows in pieces: the k-sets are those of the whole rows. */
static void feeding_in_pieces_keeps_the_k_first(void **state)
{
    struct pair pair =
        open_pair(*state,
                  (clade_adheap_params) {
                      .heaps = 4, .capacity = 30, .keep = 1, .key = CLADE_F32, .values = 1 },
                  1u << 20);
    for (uint32_t piece = 1; piece < 200; piece = piece * 2 + 1)
        feed_each(&pair, piece);
    pop_each(&pair, 31);
    close_pair(&pair);
}

static void fed_values_count_up(void **state)
{
    struct fixture *f = *state;
    enum { LENGTH = 70, K = 5 };
    uint32_t keys[LENGTH], out[K], values[K];
    clade_adheap *heaps = NULL;
    const clade_adheap_params params = { .heaps = 1, .capacity = K, .keep = 1, .values = 1 };
    for (uint32_t i = 0; i < LENGTH; i++)
        keys[i] = (i * 37 + 11) % LENGTH; /* a permutation */
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    assert_ok(clade_adheap_feed(heaps, clade_host(keys), clade_no_array(), 0, 40, NULL));
    assert_ok(
        clade_adheap_feed(heaps, clade_host(keys + 40), clade_no_array(), 40, LENGTH - 40, NULL));
    assert_ok(
        clade_adheap_pop(heaps, clade_host(out), clade_host(values), K, clade_no_array(), NULL));
    for (uint32_t i = 0; i < K; i++) {
        assert_int_equal(out[i], K - 1 - i);
        assert_int_equal(keys[values[i]], out[i]);
    }
    clade_adheap_destroy(&heaps);
}

/* The counts are the formula's, and the bridge's are fewer where walks are long. */
static void transactions_equal_the_formula(void **state)
{
    static const uint32_t arities[] = { 8, 64, 32 };
    for (size_t i = 0; i < fixture_scaled(1, 2, 3); i++) {
        const uint32_t d = arities[i], h = 2, lines = (d + 31) / 32;
        struct pair pair = open_pair(
            *state,
            (clade_adheap_params) { .heaps = 2, .capacity = 1 + d + d * d, .arity = d, .count = 1 },
            1000000);
        const uint32_t keys[2] = { 0x7fffffff, 0x7fffffff }, nodes[2] = { 0, 0 };
        clade_adheap_stats before, after;
        build_each(&pair, pair.params.capacity);
        assert_ok(clade_adheap_stats_read(pair.heaps, &before));
        /* The greatest key at the root of a full heap goes all the way down. */
        assert_ok(clade_adheap_update(pair.heaps, clade_host(nodes), clade_host(keys),
                                      clade_no_array(), 1, clade_no_array(), NULL));
        assert_ok(clade_adheap_stats_read(pair.heaps, &after));
        assert_int_equal(after.walks - before.walks, 2);
        assert_int_equal(after.loads - before.loads, 2 * h);
        assert_int_equal(after.moves - before.moves, 2 * h);
        assert_int_equal(after.plain - before.plain, 2 * (h * (lines + 1)));
        assert_int_equal(after.bridged - before.bridged, 2 * (h * lines + (2 * h + 1 + 31) / 32));
        assert_int_equal(after.scattered - before.scattered, 2 * (h + 1));
        close_pair(&pair);
    }
}

static void saved_heaps_come_back(void **state)
{
    char *folder = scratch_make();
    char path[512];
    snprintf(path, sizeof path, "%s/heaps", folder);
    struct pair pair =
        open_pair(*state, (clade_adheap_params) { .heaps = 3, .capacity = 100, .values = 1 }, 500);
    insert_each(&pair, 60);
    assert_ok(clade_adheap_save(pair.heaps, path));
    clade_adheap_destroy(&pair.heaps);
    assert_ok(clade_adheap_load(&pair.heaps, pair.f->context, path));
    insert_each(&pair, 30);
    pop_each(&pair, 95);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 1000, SEEK_SET);
    fputc(99, file);
    fclose(file);
    clade_adheap *damaged = NULL;
    assert_fails(clade_adheap_load(&damaged, pair.f->context, path), CLADE_E_CORRUPT);
    assert_null(damaged);
    close_pair(&pair);
    scratch_remove(folder);
}

static void check_sees_what_is_broken(void **state)
{
    struct fixture *f = *state;
    struct pair pair = open_pair(f, (clade_adheap_params) { .heaps = 2, .capacity = 50 }, 500);
    const uint32_t worst = UINT32_MAX, many = 51, pairs = 3;
    const size_t heap = CLADE_ADHEAP_HEAD_WORDS + 128; /* the second: 63 + 50 words in 64s */
    uint32_t old;
    const struct {
        size_t word;
        uint32_t value;
        const char *part;
    } breaks[] = {
        { CLADE_ADHEAP_ROOT, worst, "comes before its parent" },
        { CLADE_ADHEAP_SIZE, many, "more than its capacity" },
        { CLADE_ADHEAP_BRIDGE, pairs, "log of 3 entries" },
    };
    insert_each(&pair, 20);
    for (size_t i = 0; i < COUNT(breaks); i++) {
        fixture_read(f, clade_adheap_mem(pair.heaps), (heap + breaks[i].word) * 4, &old, 4);
        fixture_write(f, clade_adheap_mem(pair.heaps), (heap + breaks[i].word) * 4,
                      &breaks[i].value, 4);
        assert_fails(clade_adheap_check(pair.heaps), CLADE_E_CORRUPT);
        assert_message(breaks[i].part);
        assert_message("heap 1");
        fixture_write(f, clade_adheap_mem(pair.heaps), (heap + breaks[i].word) * 4, &old, 4);
    }
    close_pair(&pair);
}

static void bad_parameters_are_named(void **state)
{
    struct fixture *f = *state;
    static const struct {
        clade_adheap_params params;
        const char *part;
    } bad[] = {
        { { .capacity = 1 }, "no heaps" },
        { { .heaps = 1 }, "capacity 0" },
        { { .heaps = 1, .capacity = 1, .arity = 7 }, "arity 7" },
        { { .heaps = 1, .capacity = 1, .key = 7 }, "key type 7" },
        { { .heaps = 1, .capacity = 1, .order = 3 }, "order 3" },
        { { .heaps = 1, .capacity = 1, .keep = 2 }, "keep" },
        { { .heaps = 1, .capacity = 1, .bridge = 6 }, "bridge 6" },
        { { .heaps = 1, .capacity = 1, .feed = 3 }, "feed 3" },
        { { .heaps = 1u << 31, .capacity = 1u << 30 }, "limit" },
        /* 2^64 bytes: 0, reckoned in 64 bits */
        { { .heaps = 1u << 31, .capacity = (1u << 30) - 100, .key = CLADE_I64 }, "limit" },
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        clade_adheap *heaps = (clade_adheap *)1;
        assert_fails(clade_adheap_create(&heaps, f->context, &bad[i].params), CLADE_E_ARG);
        assert_null(heaps);
        assert_message(bad[i].part);
    }
    struct pair pair = open_pair(f, (clade_adheap_params) { .heaps = 2, .capacity = 5 }, 500);
    const uint32_t keys[20] = { 0 };
    assert_fails(clade_adheap_build(pair.heaps, clade_host(keys), clade_no_array(), 6, NULL),
                 CLADE_E_ARG);
    assert_fails(clade_adheap_insert(pair.heaps, clade_host(keys), clade_host(keys), 1,
                                     clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_message("values are given");
    assert_fails(clade_adheap_insert(pair.heaps, clade_no_array(), clade_no_array(), 1,
                                     clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_message("keys");
    sizes_agree(&pair);
    close_pair(&pair);
    clade_adheap_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_arity_at_every_level_boundary),
        cmocka_unit_test(every_type_order_and_direction),
        cmocka_unit_test(every_bridge_does_the_same),
        cmocka_unit_test(ties_and_equal_keys),
        cmocka_unit_test(many_heaps),
        cmocka_unit_test(feeding_in_pieces_keeps_the_k_first),
        cmocka_unit_test(fed_values_count_up),
        cmocka_unit_test(transactions_equal_the_formula),
        cmocka_unit_test(saved_heaps_come_back),
        cmocka_unit_test(check_sees_what_is_broken),
        cmocka_unit_test(bad_parameters_are_named),
    };
    return fixture_run("adheap", tests);
}
