/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap: how many keys a map takes: any keys, as many as its capacity, whatever came and
 * went before, and after it got another capacity. */
#include "harness/late.h"
#include "hashmap/test_hashmap.h"

/* Keys of pairs in a packed or tagged map: both have four slots in a bucket. Seed 0. */
static uint32_t buckets_of(uint64_t capacity)
{
    const uint64_t slots = capacity + (capacity + 8) / 9, buckets = (slots + 3) / 4;
    return (uint32_t)(buckets + (buckets & 1));
}

/* Keys of one home, and, where `ways` is 1, of one way from there on. */
static void keys_of_one_home(const struct fixture *f, uint32_t buckets, bool same_way,
                             uint32_t *keys, size_t count)
{
    size_t n = 0;
    for (uint32_t key = 1; n < count; key++) {
        const uint32_t hash = clade_hashmap_hash(0, key, 0);
        const uint32_t home = f->caps->is_cpu ? clade_hashmap_home_in_row(0, key, 0, buckets)
                                              : clade_hashmap_bucket(hash, buckets);
        if (home == buckets / 3 &&
            (!same_way || (clade_hashmap_at(hash, buckets / 3, 2, buckets) == buckets / 2 &&
                           CLADE_HASHMAP_MARK_OF(hash) == 1)))
            keys[n++] = key;
    }
}

enum { FEW = 90, MORE = 200 };

static void fill_to_the_end(struct fixture *f, uint32_t form, const uint32_t *keys, uint32_t count)
{
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = FEW, .value = CLADE_U32, .form = form });
    int32_t statuses[MORE];
    uint32_t values[MORE], in = 0;
    assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), FEW,
                                   clade_host(statuses), NULL));
    for (uint32_t i = 0; i < FEW; i++)
        assert_int_equal(statuses[i], CLADE_OK);
    assert_ok(clade_hashmap_check(map));
    /* More than that fill the last places; others are refused, and did nothing. */
    assert_ok(clade_hashmap_put(map, clade_host(keys), clade_host(keys), count,
                                clade_host(statuses), NULL));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i < FEW ? statuses[i] == CLADE_HASHMAP_PRESENT
                            : statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
        in += statuses[i] != CLADE_E_FULL;
    }
    assert_int_equal(in, 4 * buckets_of(FEW));
    assert_int_equal(size_of_map(map), in);
    assert_fails(clade_hashmap_insert(map, clade_host(keys), NONE, count, NONE, NULL),
                 CLADE_E_FULL);
    assert_message("no room");
    assert_ok(clade_hashmap_find(map, clade_host(keys), clade_host(values), count,
                                 clade_host(statuses), NULL));
    for (uint32_t i = 0; i < count; i++) {
        in -= statuses[i] == CLADE_OK;
        assert_true(statuses[i] != CLADE_OK || values[i] == keys[i]);
    }
    assert_int_equal(in, 0);
    assert_true(stats_of_map(map).full > 0);
    /* What is erased makes room again, for others. */
    assert_ok(clade_hashmap_erase(map, clade_host(keys), NONE, count, clade_host(statuses), NULL));
    assert_int_equal(size_of_map(map), 0);
    assert_ok(clade_hashmap_insert(map, clade_host(keys + MORE - FEW), NONE, FEW,
                                   clade_host(statuses), NULL));
    for (uint32_t i = 0; i < FEW; i++)
        assert_int_equal(statuses[i], CLADE_OK);
    assert_ok(clade_hashmap_check(map));
    clade_hashmap_destroy(&map);
}

/* The last keys of a map that becomes full go far. How far depends on which keys are the last, so
 * it is tried again with another order. */
void reach_is_no_less_than_the_farthest_key(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 900, KEYS = 1000, TRIES = 30 };
    uint32_t keys[KEYS], turned[KEYS];
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = CAPACITY, .value = CLADE_U32 });
    clade_hashmap_stats stats = { 0 };
    assert_int_equal(4 * buckets_of(CAPACITY), KEYS);
    keys_of_one_home(f, buckets_of(CAPACITY), false, keys, KEYS);
    for (uint32_t i = 0; i < TRIES && stats.farthest <= CLADE_HASHMAP_REACH_MAX; i++) {
        for (uint32_t j = 0; j < KEYS; j++)
            turned[j] = keys[(j + 31 * i) % KEYS];
        assert_ok(clade_hashmap_clear(map, NULL));
        assert_ok(clade_hashmap_insert(map, clade_host(turned), NONE, KEYS, NONE, NULL));
        stats = stats_of_map(map);
        assert_int_equal(stats.size, KEYS);
        assert_true(stats.reach >= stats.farthest);
    }
    assert_true(stats.farthest > CLADE_HASHMAP_REACH_MAX);
    assert_int_equal(stats.reach, CLADE_HASHMAP_LAST(buckets_of(CAPACITY)));
    clade_hashmap_destroy(&map);
}

void any_keys_fit_up_to_the_capacity(void **state)
{
    struct fixture *f = *state;
    uint32_t keys[MORE];
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        for (uint32_t i = 0; i < MORE; i++)
            keys[i] = i + 1; /* 0 has a place of its own */
        fill_to_the_end(f, form, keys, MORE);
        keys_of_one_home(f, buckets_of(FEW), false, keys, MORE);
        if (!fixture_is_interpreted(f))
            fill_to_the_end(f, form, keys, MORE);
        keys_of_one_home(f, buckets_of(FEW), true, keys, MORE);
        fill_to_the_end(f, form, keys, MORE);
    }
}

void maps_of_few_keys(void **state)
{
    struct fixture *f = *state;
    for (uint64_t capacity = 1; capacity <= (fixture_is_small() ? 3 : 40); capacity++) {
        clade_hashmap *map =
            open_map(f, (clade_hashmap_params) { .capacity = capacity, .value = CLADE_U32 });
        uint32_t keys[40];
        int32_t statuses[40];
        for (uint32_t i = 0; i < capacity; i++)
            keys[i] = i * 77;
        assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), capacity,
                                       clade_host(statuses), NULL));
        for (uint32_t i = 0; i < capacity; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(stats_of_map(map).size, capacity);
        clade_hashmap_destroy(&map);
    }
}

/* Odd and prime capacities, powers of two and their neighbours; keys in a row, and those that
 * differ in high bits alone. Exactly so many fit. */
void maps_of_any_size(void **state)
{
    struct fixture *f = *state;
    static const uint32_t capacities[] = { 97, 1009, 1023, 1024, 1025, 4099 };
    for (size_t i = 0; i < (fixture_is_small() ? 2 : 6); i++)
        for (uint32_t shift = 0; shift <= 19; shift += 19) {
            const uint32_t n = capacities[i];
            uint32_t *keys = test_calloc(n, sizeof *keys);
            int32_t *statuses = test_calloc(n, sizeof *statuses);
            clade_hashmap *map =
                open_map(f, (clade_hashmap_params) { .capacity = n, .value = CLADE_U32 });
            for (uint32_t k = 0; k < n; k++)
                keys[k] = k << shift;
            assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), n,
                                           clade_host(statuses), NULL));
            for (uint32_t k = 0; k < n; k++)
                assert_int_equal(statuses[k], CLADE_OK);
            assert_int_equal(stats_of_map(map).size, n);
            assert_int_equal(stats_of_map(map).capacity, n);
            clade_hashmap_destroy(&map);
            test_free(statuses);
            test_free(keys);
        }
}

/* At a load of 0.8 a hash of each key leaves 15 % of them away from home. */
void neighbours_lie_as_evenly_as_any_keys(void **state)
{
    struct fixture *f = *state;
    enum { N = 20000, LEAST = 700 };
    static const uint32_t steps[] = { 1, 2, 8, 64, 1000, 4096, 1u << 17, 0x9e3779b9u, ~0u };
    const uint32_t n = fixture_is_small() ? LEAST : N;
    uint32_t *keys = test_calloc(n, sizeof *keys);
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = n * 9 / 8, .value = CLADE_U32 });
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (uint32_t k = 0; k < n; k++)
            keys[k] = 1 + k * steps[i];
        assert_ok(clade_hashmap_clear(map, NULL));
        assert_ok(clade_hashmap_insert(map, clade_host(keys), NONE, n, NONE, NULL));
        const clade_hashmap_stats stats = stats_of_map(map);
        assert_int_equal(stats.size, n);
        assert_true(stats.away * 4 < n);
    }
    clade_hashmap_destroy(&map);
    test_free(keys);
}

void churn_goes_on_for_ever(void **state)
{
    struct fixture *f = *state;
    enum { LIVE = 900, PART = 90 };
    const uint32_t rounds = (uint32_t)fixture_scaled(20, 400, 4000);
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = LIVE, .value = CLADE_U32 });
    uint32_t keys[LIVE], next = 0;
    int32_t statuses[LIVE];
    uint64_t reach_early = 0, reach_late = 0;
    for (uint32_t i = 0; i < LIVE; i++)
        keys[i] = next++;
    assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), LIVE, NONE, NULL));
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t *part = keys + round % (LIVE / PART) * PART;
        assert_ok(
            clade_hashmap_erase(map, clade_host(part), NONE, PART, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < PART; i++) {
            assert_int_equal(statuses[i], CLADE_OK);
            part[i] = next++ * 2654435761u;
        }
        assert_ok(clade_hashmap_insert(map, clade_host(part), clade_host(part), PART,
                                       clade_host(statuses), NULL));
        for (uint32_t i = 0; i < PART; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        if (round % 8 == 7) {
            const uint64_t reach = stats_of_map(map).reach;
            if (round < rounds / 2)
                reach_early = reach > reach_early ? reach : reach_early;
            else
                reach_late = reach > reach_late ? reach : reach_late;
        }
    }
    assert_int_equal(size_of_map(map), LIVE);
    /* Ways do not grow with time. */
    assert_in_range(reach_late, 0, 2 * reach_early + 8);
    assert_ok(clade_hashmap_check(map));
    assert_ok(clade_hashmap_clear(map, NULL));
    assert_int_equal(stats_of_map(map).erased, 0);
    assert_int_equal(size_of_map(map), 0);
    clade_hashmap_destroy(&map);
}

void a_map_takes_another_capacity(void **state)
{
    struct fixture *f = *state;
    enum { N = 300 };
    clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = N, .value = CLADE_U32 });
    uint32_t keys[2 * N], values[2 * N];
    int32_t statuses[2 * N];
    for (uint32_t i = 0; i < 2 * N; i++)
        keys[i] = i * i;
    assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), N, NONE, NULL));
    assert_fails(clade_hashmap_grow(map, N - 1, NULL), CLADE_E_FULL);
    assert_fails(clade_hashmap_grow(map, 0, NULL), CLADE_E_ARG);
    assert_int_equal(size_of_map(map), N);
    assert_ok(clade_hashmap_grow(map, 2 * N, NULL));
    assert_int_equal(stats_of_map(map).capacity, 2 * N);
    assert_ok(clade_hashmap_insert(map, clade_host(keys), NONE, 2 * N, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < 2 * N; i++)
        assert_int_equal(statuses[i], i < N ? CLADE_HASHMAP_PRESENT : CLADE_OK);
    assert_ok(clade_hashmap_find(map, clade_host(keys), clade_host(values), 2 * N,
                                 clade_host(statuses), NULL));
    for (uint32_t i = 0; i < 2 * N; i++) {
        assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(values[i], i < N ? keys[i] : 0);
    }
    assert_ok(clade_hashmap_erase(map, clade_host(keys), NONE, 2 * N - 10, NONE, NULL));
    assert_ok(clade_hashmap_grow(map, 10, NULL));
    assert_int_equal(stats_of_map(map).size, 10);
    assert_int_equal(stats_of_map(map).erased, 0);
    clade_hashmap_destroy(&map);
}

/* In a map with more keys than it was made for, a search takes many steps, and a device may leave
 * it. What it had seen then is no answer: the key is refused, and the map is as it was. */
void searches_of_many_steps_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 70000, KEYS = 90000 };
    if (f->caps->loop_limit == 0)
        skip(); /* tests of few keys fill such maps to the end */
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = CAPACITY, .value = CLADE_U32 });
    uint32_t *keys = calloc(KEYS, sizeof *keys), *values = calloc(KEYS, sizeof *values), in = 0;
    int32_t *statuses = calloc(KEYS, sizeof *statuses), *found = calloc(KEYS, sizeof *found);
    assert_true(keys && values && statuses && found);
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i;
    assert_ok(clade_hashmap_update(map, clade_host(keys), clade_host(keys), CLADE_HASHMAP_PLUS,
                                   KEYS, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL ||
                    statuses[i] == CLADE_E_BUSY);
        in += statuses[i] == CLADE_OK;
    }
    assert_in_range(in, CAPACITY, KEYS);
    assert_int_equal(size_of_map(map), in);
    assert_ok(clade_hashmap_check(map));
    assert_ok(clade_hashmap_find(map, clade_host(keys), clade_host(values), KEYS, clade_host(found),
                                 NULL));
    for (uint32_t i = 0; i < KEYS; i++) {
        if (found[i] == CLADE_E_BUSY)
            continue;
        assert_int_equal(found[i], statuses[i] == CLADE_OK ? CLADE_OK : CLADE_E_NOT_FOUND);
        assert_true(found[i] != CLADE_OK || values[i] == keys[i]);
    }
    assert_ok(clade_hashmap_erase(map, clade_host(keys), NONE, KEYS, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < KEYS; i++)
        in -= statuses[i] == CLADE_OK;
    assert_int_equal(size_of_map(map), in);
    assert_ok(clade_hashmap_check(map));
    clade_hashmap_destroy(&map);
    free(keys), free(values), free(statuses), free(found);
}

/* As many turns of a loop before as a driver runs in a launch: the search is done or refused, and
 * brings no key in twice. */
static void search_late(struct fixture *f, const char *more)
{
    static const char source[] =
        "#define CLADE_HASHMAP late\n"
        "#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32\n"
        "#define CLADE_HASHMAP_FORM CLADE_HASHMAP_TAGGED\n"
        "#include \"clade/hashmap.clh\"\n"
        "__kernel void late(__global int *out, uint turns, __global clade_hashmap_head *map)\n"
        "{\n"
        "    uint i = (uint)get_global_id(0), value = turns;\n" LATE_TURNS
        "    out[i] = turns % 2u ? late_put_wi(map, i, value) : late_find_wi(map, i, &value);\n"
        "    out[get_global_size(0) + i] = (int)value;\n"
        "}\n";
    enum { KEYS = 32 };
    uint32_t keys[KEYS], held[KEYS], values[KEYS];
    int32_t got[2 * KEYS]; /* statuses, and values that were found */
    char options[512];
    struct late late;
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) {
                        .capacity = KEYS, .value = CLADE_U32, .form = CLADE_HASHMAP_TAGGED });
    cl_mem mem = clade_hashmap_mem(map);
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = held[i] = i;
    assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), KEYS, NONE, NULL));
    (void)snprintf(options, sizeof options, "%s%s", clade_hashmap_options(map), more);
    late = late_open(f, source, options, sizeof got);
    fixture_arg(late.kernel, 2, mem);
    for (uint32_t turns = late_turns(&late, 40); turns <= late.limit + 1; turns++) {
        const int32_t wanted = turns % 2 ? CLADE_HASHMAP_PRESENT : CLADE_OK;
        late_run(&late, turns, KEYS, 1, got);
        for (uint32_t i = 0; i < KEYS; i++) {
            assert_true(got[i] == wanted || (late.limit && got[i] == CLADE_E_BUSY));
            if (got[i] == CLADE_HASHMAP_PRESENT)
                held[i] = turns;
            if (got[i] == CLADE_OK)
                assert_int_equal(got[KEYS + i], held[i]);
        }
        assert_ok(clade_hashmap_find(map, clade_host(keys), clade_host(values), KEYS, NONE, NULL));
        assert_memory_equal(values, held, sizeof held);
        assert_int_equal(size_of_map(map), KEYS);
        assert_ok(clade_hashmap_check(map));
    }
    late_close(&late);
    clade_hashmap_destroy(&map);
}

/* Also where a user lets waits last longer than the driver does. */
void searches_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    search_late(f, "");
    if (f->caps->loop_limit)
        search_late(f, " -DCLADE_SPIN_LIMIT=1000000u");
}
