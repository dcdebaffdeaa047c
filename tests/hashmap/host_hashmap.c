/* SPDX-License-Identifier: Apache-2.0 */
/* hashmap.clh on host threads: histories of a map of two or four buckets and a few keys, so that
 * homes are full, keys lie elsewhere and places come back all the time, with the windows between
 * two steps held open. As a set: who inserts, erases and finds. As a map: values that are put and
 * found are the key's own, and, where nothing is erased, registers. At the end the buffer is looked
 * at.
 *
 *   host_hashmap [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * -DKEY, -DVALUE: the types; -DCLADE_INT64_ATOMICS=1: packed slots of 64 bits. -DVERSIONS_LEFT=N:
 * tagged slots were erased, and have N versions before theirs wrap; counters of keys wrap, too.
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/hashmap/meson.build has the
 * names). */
#define CLADE_HASHMAP_TRIES 4000000u /* the holder of a lock may have lost its core */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/pause.h"

#define CLADE_HASHMAP_KEY_TYPE   KEY
#define CLADE_HASHMAP_VALUE_TYPE VALUE
#include "clade/hashmap.clh"
#undef min
#undef max
#include "lin/lin.h"

#define IS_WIDE_KEY  (KEY == CLADE_U64)
#define VALUE_BYTES  CLADE_TYPE_BYTES(VALUE)
#define FORM_BYTES   (CLADE_TYPE_BYTES(KEY) + VALUE_BYTES)
#define IS_PACKED    (FORM_BYTES == 4 || (FORM_BYTES == 8 && CLADE_INT64_ATOMICS))
#define COPIES       (VALUE_BYTES == 8 && !CLADE_INT64_ATOMICS ? 2u : 1u)
#define BUCKET_SLOTS (IS_PACKED ? 32u / FORM_BYTES : 4u)
#define BUCKET_BYTES \
    (IS_PACKED ? 32u : CLADE_HASHMAP_TAGGED_BYTES(CLADE_TYPE_BYTES(KEY), VALUE_BYTES, COPIES))
#define MAP_SHAPE                                                                                  \
    CLADE_HASHMAP_SHAPE(KEY, VALUE_BYTES, IS_PACKED ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED, \
                        IS_PACKED ? 1u : COPIES)

#if IS_WIDE_KEY
typedef ulong map_key;
#else
typedef uint map_key;
#endif
#if VALUE == CLADE_U64
typedef ulong map_value;
#else
typedef uint map_value;
#endif

enum { THREADS = 5, OPS = 40, ALL = THREADS * OPS, KEYS_MOST = 24 };

struct job {
    clade_hashmap_head *map;
    clade_atomic_u32 clock, wrong, inserted, erased;
    uint seed, keys, share; /* operations that insert, of 16 */
    bool erases;
    map_key key[KEYS_MOST];
    lin_op ops[ALL];
    lin_value values[ALL];
};

static uint draw(uint *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A value tells its key, in both halves where it has two. */
static map_value value_of(uint key, uint id)
{
    const map_value value = (map_value)(id * KEYS_MOST + key);
#if VALUE == CLADE_U64
    return value | (ulong)(uint)value << 32;
#else
    return value;
#endif
}

static bool is_value_of(uint key, map_value value)
{
    return VALUE == CLADE_NONE || value_of(key, (uint)value / KEYS_MOST) == value;
}

/* As the host's calls do it on a CPU, for a run of one key (clade/hashmap/run.clh). */
static clade_i32 find_in_run(clade_hashmap_head *map, map_key key, map_value *value)
{
    clade_hashmap_run run;
    *value = 0;
    if (!clade_hashmap_begin_run(map, &key, 1, &run))
        return CLADE_E_ARG;
    const clade_hashmap_place at = clade_hashmap_place_in(&run, 0, key);
    const clade_i32 status = clade_hashmap_find_near(map, at, value);
    if (status != CLADE_HM_ELSEWHERE)
        return status;
    return clade_hashmap_is_far(at) ? clade_hashmap_find_far(map, at, value) : CLADE_E_NOT_FOUND;
}

/* Either way of looking up. */
static clade_i32 find_either(clade_hashmap_head *map, map_key key, map_value *value, uint in_run)
{
    return in_run != 0 ? find_in_run(map, key, value) : clade_hashmap_find_wi(map, key, value);
}

/* A change in a run is counted by who has the run. */
static clade_i32 erase_in_run(clade_hashmap_head *map, map_key key, map_value *value)
{
    clade_hashmap_change change = { .what = CLADE_HM_ERASE };
    clade_hashmap_run run;
    *value = 0;
    if (!clade_hashmap_begin_run(map, &key, 1, &run))
        return CLADE_E_ARG;
    const clade_hashmap_place at = clade_hashmap_place_in(&run, 0, key);
    clade_i32 status = clade_hashmap_change_near(map, at, &change);
    if (clade_hashmap_is_later(status))
        status = clade_hashmap_change_at(map, at, &change);
    *value = change.before;
    if (status == CLADE_OK)
        cladei_hashmap_count(map, 0u - 1u);
    return status;
}

static void do_one(struct job *job, uint id, uint *state)
{
    lin_op *op = &job->ops[id];
    const uint key = draw(state) % job->keys, what = draw(state) % 16u;
    map_value value = 0;
    clade_i32 status;
    *op = (lin_op) { .thread = (uint)get_global_id(0), .count = 1, .values = &job->values[id] };
    op->inv = clade_add_acq_rel(&job->clock, 1u);
    if (what < job->share && (VALUE == CLADE_NONE || job->erases)) {
        status = what % 2u ? clade_hashmap_insert_wi(job->map, job->key[key], value_of(key, id))
                           : clade_hashmap_put_wi(job->map, job->key[key], value_of(key, id));
        op->kind = LIN_INSERT;
        op->ok = status == CLADE_OK;
        if (status == CLADE_OK)
            clade_add_relaxed(&job->inserted, 1u);
        if (status < 0)
            clade_add_relaxed(&job->wrong, 1u);
    } else if (what < job->share) {
        status = clade_hashmap_put_wi(job->map, job->key[key], value_of(key, id));
        op->kind = LIN_PUT;
        op->ok = true;
        if (status == CLADE_OK)
            clade_add_relaxed(&job->inserted, 1u);
        if (status < 0)
            clade_add_relaxed(&job->wrong, 1u);
    } else if (what < 12u && (VALUE == CLADE_NONE || job->erases)) {
        status = draw(state) % 2u ? erase_in_run(job->map, job->key[key], &value)
                                  : clade_hashmap_erase_wi(job->map, job->key[key], &value);
        op->kind = LIN_DELETE;
        op->ok = status == CLADE_OK;
        if (status == CLADE_OK)
            clade_add_relaxed(&job->erased, 1u);
    } else {
        status = find_either(job->map, job->key[key], &value, draw(state) % 2u);
        op->kind = VALUE == CLADE_NONE || job->erases ? LIN_CONTAINS : LIN_GET;
        op->ok = status == CLADE_OK;
    }
    op->res = clade_add_acq_rel(&job->clock, 1u);
    if (op->kind != LIN_INSERT && op->kind != LIN_PUT) {
        if (status == CLADE_OK && !is_value_of(key, value))
            clade_add_relaxed(&job->wrong, 1u);
        if (status != CLADE_OK && status != CLADE_E_NOT_FOUND)
            clade_add_relaxed(&job->wrong, 1u);
    }
    job->values[id] = (lin_value) { .key = key,
                                    .id = op->kind == LIN_PUT             ? id
                                          : op->kind == LIN_GET && op->ok ? (uint)value / KEYS_MOST
                                                                          : 0 };
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    uint state = (job->seed + (uint)get_global_id(0) * 7919u) * 2654435761u;
    (void)local;
    pause_state = state ^ 0x5555u;
    for (uint i = 0; i < OPS; i++)
        do_one(job, (uint)get_global_id(0) * OPS + i, &state);
}

/* Keys of few homes, so that these are full; the first of them look like marks. */
static void choose_keys(struct job *job, uint buckets)
{
    uint n = 0;
    job->key[n++] = 0;
    job->key[n++] = (map_key) ~(map_key)0;
    job->key[n++] = 1;
    job->key[n++] = 2;
    for (map_key key = 100 + job->seed % 100000u; n < job->keys; key++)
        if (clade_hashmap_bucket(clade_hashmap_hash(0, (uint)key, 0), buckets) <= 1u || n % 4u == 0)
            job->key[n++] = key;
}

/* At rest: each key that is there is there once, and home words are exact. */
static const char *check_map(struct job *job, uint buckets)
{
    clade_hashmap_head *map = job->map;
    const clade_u32 *homes =
        (const clade_u32 *)(const void *)((const char *)map + (size_t)map->homes_at * 32u);
    uint seen[KEYS_MOST] = { 0 }, size = 0, away = 0, spilled = 0;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint place = 0; place < clade_hashmap_places_wi(map); place++) {
        map_key key;
        map_value value, found;
        if (clade_hashmap_entry_wi(map, place, &key, &value) != CLADE_OK)
            continue;
        for (uint i = 0; i < job->keys; i++)
            if (job->key[i] == key) {
                size++;
                if (seen[i]++)
                    return "a key is there twice";
                if (!is_value_of(i, value))
                    return "a value is another key's";
                if (clade_hashmap_contains_wi(map, key) != CLADE_OK ||
                    find_in_run(map, key, &found) != CLADE_OK || !is_value_of(i, found))
                    return "a key that is there is not found";
                away +=
                    place / BUCKET_SLOTS < buckets &&
                    place / BUCKET_SLOTS !=
                        clade_hashmap_bucket(
                            clade_hashmap_hash(0, (uint)key, (uint)((ulong)key >> 32)), buckets);
            }
    }
    for (uint i = 0; i < buckets + CLADE_HASHMAP_EXTRA; i++) {
        if (homes[i] & CLADE_HASHMAP_LOCK)
            return "a home stayed locked";
        spilled += CLADE_HASHMAP_SPILLED(homes[i]);
    }
    if (spilled != away)
        return "the home words count other keys than lie elsewhere";
    if (cladei_hashmap_size(map) != size || job->inserted - job->erased != size)
        return "what came in and did not go out is not there";
    return NULL;
}

static int run_round(struct job *job, uint buckets, uint keys, bool erases, uint seed)
{
    const size_t homes_at = sizeof(clade_hashmap_head) + (buckets + 2u) * BUCKET_BYTES;
    const size_t bytes = (homes_at + 4u * (buckets + 2u) + 63u) / 64u * 64u;
    lin_report report = { "", SIZE_MAX, SIZE_MAX };
    *job = (struct job) { .seed = seed,
                          .keys = keys,
                          .erases = erases,
                          .share = 5 + seed % 4u,
                          .map = aligned_alloc(64, bytes) };
    if (!job->map)
        abort();
    memset(job->map, 0, bytes);
    job->map->object.shape = MAP_SHAPE;
    job->map->buckets = buckets;
    job->map->homes_at = (clade_u32)(homes_at / 32u);
    job->map->most = 0xffffffffu;
#ifdef VERSIONS_LEFT
    for (uint i = 0; i < buckets * BUCKET_SLOTS; i++) {
        uint *const bucket = (uint *)(void *)((char *)(job->map + 1) + i / 4u * BUCKET_BYTES);
        bucket[i % 4u] = 0u - (VERSIONS_LEFT + i % 2u) * CLADE_HASHMAP_VERSION + CLADE_HASHMAP_DEAD;
    }
    for (uint i = 0; i < CLADE_HASHMAP_STRIPES; i++)
        job->map->stripes[i].size = i % 2u ? 2u : 0u - 2u;
#endif
    choose_keys(job, buckets);
    shim_launch(run_item, job, THREADS, 1, 0);
    const char *why =
        job->wrong ? "a status or a value that there is no reason for" : check_map(job, buckets);
    const lin_verdict verdict = VALUE == CLADE_NONE || erases ? lin_set(job->ops, ALL, &report)
                                                              : lin_map(job->ops, ALL, &report);
    free(job->map);
    if (!why && verdict == LIN_OK)
        return 0;
    printf("seed %u: %s; verdict %d, %s (operations %zu, %zu)\n", seed, why ? why : "map fine",
           verdict, report.why, report.op, report.other);
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed(), rounds = shim_rounds(argc, argv, 150);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 1; i++) {
        failed += run_round(job, 2, 5, true, base + i * 7919u);
        failed += run_round(job, 4, 14, true, base + i * 104729u);
        failed += run_round(job, 4, 14, false, base + i * 1299709u);
    }
    printf("hashmap: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
