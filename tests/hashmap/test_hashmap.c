/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap: every call gives what a sequential map gives, for all types (hashmap_types.c),
 * keys and loads. */
#include "hashmap/test_hashmap.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "harness/scratch.h"

clade_hashmap *open_map(struct fixture *f, clade_hashmap_params params)
{
    clade_hashmap *map = NULL;
    assert_ok(clade_hashmap_create(&map, f->context, &params));
    return map;
}

uint64_t size_of_map(clade_hashmap *map)
{
    uint64_t size = 0;
    assert_ok(clade_hashmap_size(map, &size));
    return size;
}

clade_hashmap_stats stats_of_map(clade_hashmap *map)
{
    clade_hashmap_stats stats;
    assert_ok(clade_hashmap_stats_read(map, &stats));
    return stats;
}

/* --- any keys fit, up to the capacity --------------------------------------------------------- */

/* Keys of pairs in a packed or tagged map: both have four slots in a bucket. Seed 0. */
static uint32_t buckets_of(uint64_t capacity)
{
    const uint64_t slots = capacity + (capacity + 8) / 9, buckets = (slots + 3) / 4;
    return (uint32_t)(buckets + (buckets & 1));
}

/* Keys of one home, and, where `ways` is 1, of one way from there on. */
static void keys_of_one_home(uint32_t buckets, bool same_way, uint32_t *keys, size_t count)
{
    size_t n = 0;
    for (uint32_t key = 1; n < count; key++) {
        const uint32_t hash = clade_hashmap_hash(0, key, 0);
        if (clade_hashmap_bucket(hash, buckets) == buckets / 3 &&
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
static void reach_is_no_less_than_the_farthest_key(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 900, KEYS = 1000, TRIES = 30 };
    uint32_t keys[KEYS], turned[KEYS];
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = CAPACITY, .value = CLADE_U32 });
    clade_hashmap_stats stats = { 0 };
    assert_int_equal(4 * buckets_of(CAPACITY), KEYS);
    keys_of_one_home(buckets_of(CAPACITY), false, keys, KEYS);
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

static void any_keys_fit_up_to_the_capacity(void **state)
{
    struct fixture *f = *state;
    uint32_t keys[MORE];
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        for (uint32_t i = 0; i < MORE; i++)
            keys[i] = i + 1; /* 0 has a place of its own */
        fill_to_the_end(f, form, keys, MORE);
        keys_of_one_home(buckets_of(FEW), false, keys, MORE);
        fill_to_the_end(f, form, keys, MORE);
        keys_of_one_home(buckets_of(FEW), true, keys, MORE);
        fill_to_the_end(f, form, keys, MORE);
    }
}

static void maps_of_few_keys(void **state)
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
static void maps_of_any_size(void **state)
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

/* --- erased places come back -------------------------------------------------------------------
 */

static void churn_goes_on_for_ever(void **state)
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

/* --- grow, files -------------------------------------------------------------------------------
 */

static void a_map_takes_another_capacity(void **state)
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

static void saved_maps_come_back(void **state)
{
    struct fixture *f = *state;
    enum { N = 100 };
    char *folder = scratch_make(), *path = scratch_path(folder, "map");
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        clade_hashmap *map = open_map(
            f,
            (clade_hashmap_params) { .capacity = N, .value = CLADE_U32, .form = form, .seed = 5 });
        clade_hashmap *back = NULL;
        uint32_t keys[N], values[N];
        int32_t statuses[N];
        for (uint32_t i = 0; i < N; i++)
            keys[i] = i - 3;
        assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), N, NONE, NULL));
        assert_ok(clade_hashmap_save(map, path));
        assert_ok(clade_hashmap_load(&back, f->context, path));
        assert_int_equal(stats_of_map(back).size, N);
        assert_int_equal(stats_of_map(back).capacity, N);
        assert_string_equal(clade_hashmap_options(back), clade_hashmap_options(map));
        assert_ok(clade_hashmap_find(back, clade_host(keys), clade_host(values), N,
                                     clade_host(statuses), NULL));
        for (uint32_t i = 0; i < N; i++) {
            assert_int_equal(statuses[i], CLADE_OK);
            assert_int_equal(values[i], keys[i]);
        }
        clade_hashmap_destroy(&back);
        /* An empty one. */
        assert_ok(clade_hashmap_clear(map, NULL));
        assert_ok(clade_hashmap_save(map, path));
        assert_ok(clade_hashmap_load(&back, f->context, path));
        assert_int_equal(size_of_map(back), 0);
        clade_hashmap_destroy(&back);
        clade_hashmap_destroy(&map);
    }
    assert_int_equal(unlink(path), 0);
    free(path);
    scratch_remove(folder);
}

/* A file is read in parts of 2^20 keys: of one that has more, all keys come, with their values. */
static void large_saved_maps_come_back(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (1u << 20) + 3;
    if (fixture_is_small())
        skip();
    char *folder = scratch_make(), *path = scratch_path(folder, "map");
    uint64_t *keys = test_calloc(n, sizeof *keys), *values = test_calloc(n, sizeof *values);
    int32_t *statuses = test_calloc(n, sizeof *statuses);
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = n, .key = CLADE_U32, .value = CLADE_U64 });
    clade_hashmap *back = NULL;
    uint32_t *const small = (uint32_t *)(void *)keys;
    for (uint32_t i = 0; i < n; i++) {
        small[i] = i * 5;
        values[i] = (uint64_t)i << 20;
    }
    assert_ok(clade_hashmap_insert(map, clade_host(small), clade_host(values), n, NONE, NULL));
    assert_ok(clade_hashmap_save(map, path));
    clade_hashmap_destroy(&map);
    assert_ok(clade_hashmap_load(&back, f->context, path));
    assert_int_equal(size_of_map(back), n);
    memset(values, 0, n * sizeof *values);
    assert_ok(clade_hashmap_find(back, clade_host(small), clade_host(values), n,
                                 clade_host(statuses), NULL));
    for (uint32_t i = 0; i < n; i++)
        if (statuses[i] != CLADE_OK || values[i] != (uint64_t)i << 20)
            fail_msg("key %u: %d, %" PRIu64, i, statuses[i], values[i]);
    clade_hashmap_destroy(&back);
    assert_int_equal(unlink(path), 0);
    test_free(statuses);
    test_free(values);
    test_free(keys);
    free(path);
    scratch_remove(folder);
}

/* --- all at once -------------------------------------------------------------------------------
 */

static const char mix_source[] =
    "#include \"clade/hashmap.clh\"\n"
    "__kernel void mixed(__global clade_hashmap_head *map, __global uint *told, uint keys, uint "
    "rounds,\n"
    "                  uint seed)\n"
    "{\n"
    "    const uint item = (uint)get_global_id(0);\n"
    "    uint x = (item + 1u) * 2654435761u ^ seed, in = 0, out = 0, wrong = 0, value;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        const uint key = (x >> 8) % keys - 2u, what = x >> 28;\n"
    "        int status;\n"
    "        if (what < 5u) {\n"
    "            status = clade_hashmap_insert_wi(map, key, key * 3u);\n"
    "            in += status == CLADE_OK ? 1u : 0u;\n"
    "            wrong |= status < 0 && status != CLADE_E_BUSY ? 1u : 0u;\n"
    "        } else if (what < 7u) {\n"
    "            status = clade_hashmap_put_wi(map, key, key * 3u);\n"
    "            in += status == CLADE_OK ? 1u : 0u;\n"
    "            wrong |= status < 0 && status != CLADE_E_BUSY ? 2u : 0u;\n"
    "        } else if (what < 12u) {\n"
    "            status = clade_hashmap_erase_wi(map, key, &value);\n"
    "            out += status == CLADE_OK ? 1u : 0u;\n"
    "            wrong |= status == CLADE_OK ? (value != key * 3u ? 4u : 0u)\n"
    "                                        : (status != CLADE_E_NOT_FOUND &&\n"
    "                                           status != CLADE_E_BUSY ? 8u : 0u);\n"
    "        } else {\n"
    "            status = clade_hashmap_find_wi(map, key, &value);\n"
    "            wrong |= status == CLADE_OK ? (value != key * 3u ? 16u : 0u)\n"
    "                                        : (status != CLADE_E_NOT_FOUND &&\n"
    "                                           status != CLADE_E_BUSY ? 32u : 0u);\n"
    "        }\n"
    "        wrong |= status == CLADE_E_BUSY ? 64u : 0u;\n"
    "    }\n"
    "    told[3u * item] = in;\n"
    "    told[3u * item + 1u] = out;\n"
    "    told[3u * item + 2u] = wrong;\n"
    "}\n"
    "__kernel void count(__global clade_hashmap_head *map, uint keys, uint rounds)\n"
    "{\n"
    "    uint x = ((uint)get_global_id(0) + 1u) * 2654435761u, before;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        int status = CLADE_E_BUSY;\n"
    "        for (uint tries = 0; tries < 100u && status == CLADE_E_BUSY; tries++)\n"
    "            status = clade_hashmap_update_wi(map, (x >> 8) % keys, 1u, CLADE_HASHMAP_PLUS, "
    "&before);\n"
    "    }\n"
    "}\n"
    "__kernel void swap(__global clade_hashmap_head *map, uint key, uint rounds)\n"
    "{\n"
    "    uint before = 0;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        int status = CLADE_HASHMAP_DIFFERS;\n"
    "        for (uint tries = 0; tries < 100000u &&\n"
    "                (status == CLADE_HASHMAP_DIFFERS || status == CLADE_E_BUSY); tries++) {\n"
    "            uint seen;\n"
    "            status = clade_hashmap_cas_wi(map, key, before, before + 1u, &seen);\n"
    "            before = seen;\n"
    "        }\n"
    "    }\n"
    "}\n";

struct mix {
    struct fixture *f;
    clade_hashmap *map;
    clade_program *program;
};

static void open_mix(struct mix *m, struct fixture *f, uint32_t capacity, uint32_t form)
{
    *m = (struct mix) { .f = f };
    m->map = open_map(
        f, (clade_hashmap_params) { .capacity = capacity, .value = CLADE_U32, .form = form });
    assert_ok(
        clade_program_build(&m->program, f->context,
                            &(clade_program_params) { .source = mix_source,
                                                      .options = clade_hashmap_options(m->map) }));
}

static void close_mix(struct mix *m)
{
    clade_program_destroy(&m->program);
    clade_hashmap_destroy(&m->map);
}

static cl_kernel kernel_of(struct mix *m, const char *name)
{
    cl_kernel kernel = NULL;
    cl_mem mem = clade_hashmap_mem(m->map);
    assert_ok(clade_program_kernel(&kernel, m->program, name));
    fixture_arg(kernel, 0, mem);
    return kernel;
}

enum { ITEMS = 512 };

/* Inserts and erases of few keys by many items: what came in and did not go out is there, once. */
static void mix_once(struct mix *m, cl_uint keys, cl_uint rounds, cl_uint seed)
{
    static uint32_t told[3 * ITEMS];
    cl_kernel kernel = kernel_of(m, "mixed");
    cl_mem mem = fixture_buffer(m->f, sizeof told, NULL);
    const uint64_t size = size_of_map(m->map);
    int64_t change = 0;
    fixture_arg(kernel, 1, mem);
    fixture_arg(kernel, 2, keys);
    fixture_arg(kernel, 3, rounds);
    fixture_arg(kernel, 4, seed);
    fixture_launch(m->f, kernel, ITEMS, 64);
    fixture_read(m->f, mem, 0, told, sizeof told);
    for (uint32_t i = 0; i < ITEMS; i++) {
        change += (int64_t)told[3 * i] - (int64_t)told[3 * i + 1];
        /* Where loops are cut short, operations give up early: then nothing was done. */
        assert_int_equal(told[3 * i + 2] & (m->f->caps->loop_limit ? 63u : 127u), 0);
    }
    assert_int_equal(size_of_map(m->map), (int64_t)size + change);
    assert_ok(clade_hashmap_check(m->map));
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
}

static void all_operations_at_once(void **state)
{
    struct fixture *f = *state;
    const cl_uint rounds = (cl_uint)fixture_scaled(4, 200, 2000);
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        struct mix m;
        open_mix(&m, f, 40, form);
        for (cl_uint i = 0; i < 4; i++) {
            mix_once(&m, 3, rounds, i);
            mix_once(&m, 40, rounds, i);
        }
        close_mix(&m);
        open_mix(&m, f, 2000, form);
        mix_once(&m, 2000, rounds, 1);
        mix_once(&m, 2000, rounds, 2);
        close_mix(&m);
    }
}

static void updates_lose_nothing(void **state)
{
    struct fixture *f = *state;
    const cl_uint rounds = (cl_uint)fixture_scaled(4, 100, 1000), keys = 37, key = 1000;
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        struct mix m;
        uint32_t names[64], counts[64], value = 0;
        uint64_t got = 0, sum = 0;
        open_mix(&m, f, 64, form);
        cl_kernel kernel = kernel_of(&m, "count");
        fixture_arg(kernel, 1, keys);
        fixture_arg(kernel, 2, rounds);
        fixture_launch(f, kernel, ITEMS, 64);
        assert_ok(clade_hashmap_read(m.map, clade_host(names), clade_host(counts), 64, &got, NULL));
        assert_int_equal(got, keys);
        for (uint32_t i = 0; i < got; i++)
            sum += counts[i];
        assert_int_equal(sum, (uint64_t)ITEMS * rounds);
        clReleaseKernel(kernel);
        assert_ok(clade_hashmap_insert(m.map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
        kernel = kernel_of(&m, "swap");
        const cl_uint few = rounds / 4 ? rounds / 4 : 1;
        fixture_arg(kernel, 1, key);
        fixture_arg(kernel, 2, few);
        fixture_launch(f, kernel, 64, 16);
        assert_ok(clade_hashmap_find(m.map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
        assert_int_equal(value, 64 * few);
        clReleaseKernel(kernel);
        close_mix(&m);
    }
}

/* --- arguments ---------------------------------------------------------------------------------
 */

static void wrong_arguments_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_hashmap *map = NULL;
    uint32_t one = 1;
    uint64_t got = 0;
    const clade_hashmap_params wrong[] = {
        { .capacity = 0 },
        { .capacity = 10, .key = CLADE_F32 },
        { .capacity = 10, .value = 7 },
        { .capacity = 10, .form = 3 },
        { .capacity = 10, .key = CLADE_U64, .value = CLADE_U32, .form = CLADE_HASHMAP_PACKED },
        { .capacity = 10, .group_size = 100000 },
        { .capacity = 10, .no_erase = 2 },
        { .capacity = 1ull << 40 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(clade_hashmap_create(&map, f->context, &wrong[i]), CLADE_E_ARG);
        assert_null(map);
    }
    assert_fails(clade_hashmap_create(NULL, f->context, &wrong[0]), CLADE_E_ARG);
    assert_fails(clade_hashmap_insert(NULL, clade_host(&one), NONE, 1, NONE, NULL), CLADE_E_ARG);
    map = open_map(f, (clade_hashmap_params) { .capacity = 10 });
    assert_fails(clade_hashmap_insert(map, clade_host(&one), clade_host(&one), 1, NONE, NULL),
                 CLADE_E_ARG);
    assert_message("no values");
    assert_fails(clade_hashmap_insert(map, NONE, NONE, 1, NONE, NULL), CLADE_E_ARG);
    assert_fails(clade_hashmap_update(map, clade_host(&one), clade_host(&one), CLADE_HASHMAP_PLUS,
                                      1, NONE, NULL),
                 CLADE_E_ARG);
    assert_fails(
        clade_hashmap_update(map, clade_host(&one), NONE, CLADE_HASHMAP_USER, 1, NONE, NULL),
        CLADE_E_ARG);
    assert_ok(clade_hashmap_insert(map, clade_host(&one), NONE, 1, NONE, NULL));
    assert_fails(clade_hashmap_read(map, clade_host(&one), NONE, 0, &got, NULL), CLADE_E_ARG);
    assert_int_equal(got, 1);
    assert_ok(clade_hashmap_read(map, NONE, NONE, 0, &got, NULL));
    clade_hashmap_destroy(&map);
    clade_hashmap_destroy(&map);
    clade_hashmap_destroy(NULL);
}

static void device_arrays_from_an_offset(void **state)
{
    struct fixture *f = *state;
    enum { N = 100 };
    clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = N });
    uint32_t keys[N + 7];
    int32_t statuses[N + 3];
    for (uint32_t i = 0; i < N + 7; i++)
        keys[i] = i * 3;
    cl_mem mem = fixture_buffer(f, sizeof keys, keys),
           out = fixture_buffer(f, sizeof statuses, NULL);
    assert_ok(clade_hashmap_insert(map, clade_device(mem, 28), NONE, N, NONE, NULL));
    assert_ok(clade_hashmap_find(map, clade_device(mem, 16), NONE, N, clade_device(out, 12), NULL));
    fixture_read(f, out, 0, statuses, sizeof statuses);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(statuses[i + 3], i < 3 ? CLADE_E_NOT_FOUND : CLADE_OK);
    assert_fails(clade_hashmap_find(map, clade_device(mem, 32), NONE, N, NONE, NULL), CLADE_E_ARG);
    assert_int_equal(size_of_map(map), N);
    clade_hashmap_destroy(&map);
    clReleaseMemObject(mem);
    clReleaseMemObject(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(maps_of_few_keys),
        cmocka_unit_test(maps_of_any_size),
        cmocka_unit_test(all_types_and_forms_as_the_model),
        cmocka_unit_test(reach_is_no_less_than_the_farthest_key),
        cmocka_unit_test(any_keys_fit_up_to_the_capacity),
        cmocka_unit_test(churn_goes_on_for_ever),
        cmocka_unit_test(a_map_takes_another_capacity),
        cmocka_unit_test(saved_maps_come_back),
        cmocka_unit_test(large_saved_maps_come_back),
        cmocka_unit_test(all_operations_at_once),
        cmocka_unit_test(histories_are_linearizable),
        cmocka_unit_test(updates_lose_nothing),
        cmocka_unit_test(device_arrays_from_an_offset),
    };
    return fixture_run("hashmap", tests);
}
