/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap: maps in files. */
#include "hashmap/test_hashmap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/scratch.h"

void saved_maps_come_back(void **state)
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

/* Counts and constants that a kernel wrote over are told before anything is done by them. */
void damaged_maps_are_not_saved(void **state)
{
    struct fixture *f = *state;
    const size_t offsets[] = { offsetof(clade_hashmap_head, buckets),
                               offsetof(clade_hashmap_head, stripes) +
                                   offsetof(clade_hashmap_stripe, size) };
    const uint32_t keys[4] = { 1, 2, 3, 4 };
    char *folder = scratch_make(), *path = scratch_path(folder, "map");
    clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = 100 });
    assert_ok(clade_hashmap_insert(map, clade_host(keys), NONE, 4, NONE, NULL));
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        uint32_t kept;
        fixture_read(f, clade_hashmap_mem(map), offsets[i], &kept, 4);
        const uint32_t changed = kept + (1u << 30);
        fixture_write(f, clade_hashmap_mem(map), offsets[i], &changed, 4);
        assert_fails(clade_hashmap_save(map, path), CLADE_E_CORRUPT);
        assert_message("head");
        fixture_write(f, clade_hashmap_mem(map), offsets[i], &kept, 4);
    }
    assert_int_equal(access(path, F_OK), -1);
    assert_ok(clade_hashmap_save(map, path));
    assert_int_equal(unlink(path), 0);
    clade_hashmap_destroy(&map);
    free(path);
    scratch_remove(folder);
}

/* A file is read in parts of 2^20 keys: of one that has more, all keys come, with their values. */
void large_saved_maps_come_back(void **state)
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

/* --- damaged files -----------------------------------------------------------------------------
 */

enum { HEAD = 40, PARAMS = 32, CHECKSUM_AT = 32 };

/* One word of a file becomes another; the checksum fits. It is none of the capacity's: a map of
 * that size is made. */
static void damage(char *bytes, size_t size, uint32_t draw)
{
    const size_t words = (size - HEAD) / 4;
    uint32_t word;
    char *at = bytes + HEAD + 4 * (2 + draw / 8 % (words - 2));
    memcpy(&word, at, 4);
    word = draw % 4 == 0 ? draw >> 8 : draw % 4 == 1 ? word + 1 : word ^ 1u << (draw >> 20) % 32;
    memcpy(at, &word, 4);
    const uint64_t checksum = XXH3_64bits_withSeed(bytes + HEAD + PARAMS, size - HEAD - PARAMS,
                                                   XXH3_64bits(bytes + HEAD, PARAMS));
    memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
}

/* A map that came out of such a file is sound, and its kernels stay inside it. */
static void use_map(clade_hashmap *map)
{
    enum { N = 64 };
    uint64_t keys[N];
    int32_t statuses[N];
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i % 2 ? i * 7 : (uint64_t)i << 32 | i;
    assert_ok(clade_hashmap_check(map));
    assert_ok(clade_hashmap_insert(map, clade_host(keys), NONE, N, clade_host(statuses), NULL));
    const clade_status erased =
        clade_hashmap_erase(map, clade_host(keys), NONE, N / 2, clade_host(statuses), NULL);
    assert_true(erased == CLADE_OK ||
                erased == CLADE_E_UNSUPPORTED); /* the file may say no_erase */
    assert_ok(clade_hashmap_find(map, clade_host(keys), NONE, N, clade_host(statuses), NULL));
    assert_ok(clade_hashmap_check(map));
}

/* tests/hashmap/fuzz.c tries many more, on one thread of the host. */
void damaged_files_do_no_harm(void **state)
{
    struct fixture *f = *state;
    enum { N = 40 };
    const uint32_t rounds = (uint32_t)fixture_scaled(12, 60, 600);
    char *folder = scratch_make(), *path = scratch_path(folder, "map");
    uint32_t keys[N], used = 0, refused = 0, draw = 1;
    size_t size;
    clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = N, .value = CLADE_U32 });
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i;
    assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), N, NONE, NULL));
    assert_ok(clade_hashmap_save(map, path));
    clade_hashmap_destroy(&map);
    char *good = scratch_read(path, &size), *bytes = malloc(size);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < rounds; i++) {
        draw = draw * 1664525u + 1013904223u;
        memcpy(bytes, good, size);
        damage(bytes, size, draw >> 3);
        free(scratch_file(folder, "map", bytes, size));
        const clade_status status = clade_hashmap_load(&map, f->context, path);
        used += status == CLADE_OK;
        refused += status != CLADE_OK;
        if (status == CLADE_OK)
            use_map(map);
        clade_hashmap_destroy(&map);
    }
    assert_true(used > 0 && refused > 0);
    free(bytes);
    free(good);
    assert_int_equal(unlink(path), 0);
    free(path);
    scratch_remove(folder);
}
