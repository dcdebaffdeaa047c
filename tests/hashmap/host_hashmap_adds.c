/* SPDX-License-Identifier: Apache-2.0 */
/* hashmap.clh without erase on host threads: all threads add one to few keys of a map of two
 * buckets, half of them by CLADE_HASHMAP_PLUS and half by a function of their own. What each found
 * before it counts the operations on its key: each number comes once.
 *
 *   host_hashmap_adds [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * -DKEY, -DVALUE: the types; -DCLADE_INT64_ATOMICS=1: the device has 64-bit atomics. */
#define CLADE_HASHMAP_TRIES 4000000u /* the holder of a lock may have lost its core */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clade/shared/types.h"
#include "host/pause.h"

#if VALUE == CLADE_U64
typedef ulong map_value;
#else
typedef uint map_value;
#endif

static inline map_value sum_of(map_value value, map_value operand)
{
    return value + operand;
}

#define CLADE_HASHMAP_KEY_TYPE   KEY
#define CLADE_HASHMAP_VALUE_TYPE VALUE
#define CLADE_HASHMAP_NO_ERASE   1
#define CLADE_HASHMAP_FUNCTION   sum_of
#include "clade/hashmap.clh"
#undef min
#undef max

#define VALUE_BYTES CLADE_TYPE_BYTES(VALUE)
#define FORM_BYTES  (CLADE_TYPE_BYTES(KEY) + VALUE_BYTES)
#define IS_PACKED   (FORM_BYTES == 8 && CLADE_INT64_ATOMICS)
#define COPIES      (VALUE_BYTES == 8 && !CLADE_INT64_ATOMICS ? 2u : 1u)
#define BUCKET_BYTES \
    (IS_PACKED ? 32u : CLADE_HASHMAP_TAGGED_BYTES(CLADE_TYPE_BYTES(KEY), VALUE_BYTES, COPIES))
#define MAP_SHAPE                                                                 \
    (CLADE_HASHMAP_SHAPE(KEY, VALUE_BYTES,                                        \
                         IS_PACKED ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED, \
                         IS_PACKED ? 1u : COPIES) |                               \
     CLADE_HASHMAP_SHAPE_NO_ERASE)

enum { THREADS = 5, OPS = 60, ALL = THREADS * OPS, KEYS = 9, BUCKETS = 2 };

struct job {
    clade_hashmap_head *map;
    uint seed;
    clade_atomic_u32 wrong;
    clade_atomic_u32 counted[KEYS][ALL]; /* how often a number was found before */
};

static uint draw(uint *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The operand was inserted as 1, which is what an update of nothing would have made of 0. */
static void add_one(struct job *job, uint key, bool is_plus)
{
    map_value before = 99;
    const clade_i32 status = clade_hashmap_update_wi(
        job->map, key, 1u, is_plus ? CLADE_HASHMAP_PLUS : CLADE_HASHMAP_USER, &before);
    if ((status != CLADE_OK && status != CLADE_HASHMAP_PRESENT) ||
        (status == CLADE_OK) != (before == 0) || before >= ALL)
        clade_add_relaxed(&job->wrong, 1u);
    else
        clade_add_relaxed(&job->counted[key][before], 1u);
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    uint state = (job->seed + (uint)get_global_id(0) * 7919u) * 2654435761u;
    (void)local;
    pause_state = state ^ 0x5555u;
    for (uint i = 0; i < OPS; i++) {
        const uint what = draw(&state);
        map_value value = 0;
        add_one(job, what % KEYS * ((what >> 16) % KEYS) / KEYS, (what >> 8) % 2u);
        if (clade_hashmap_find_wi(job->map, what % KEYS, &value) == CLADE_OK &&
            (value == 0 || value > ALL))
            clade_add_relaxed(&job->wrong, 1u);
    }
    map_value value;
    if (clade_hashmap_erase_wi(job->map, 0, &value) != CLADE_E_UNSUPPORTED)
        clade_add_relaxed(&job->wrong, 1u);
}

/* Each key's numbers from 0 up to its value, once. */
static const char *check(struct job *job)
{
    uint all = 0;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint key = 0; key < KEYS; key++) {
        map_value value = 0;
        if (clade_hashmap_find_wi(job->map, key, &value) == CLADE_E_NOT_FOUND)
            value = 0;
        for (uint i = 0; i < ALL; i++)
            if (job->counted[key][i] != (i < value ? 1u : 0u))
                return "two updates found the same value, or one is lost";
        all += (uint)value;
    }
    return all == ALL ? NULL : "the values do not add up";
}

static int run_round(struct job *job, uint seed)
{
    const size_t homes_at = sizeof(clade_hashmap_head) + (BUCKETS + 2u) * BUCKET_BYTES;
    const size_t bytes = (homes_at + 4u * (BUCKETS + 2u) + 63u) / 64u * 64u;
    *job = (struct job) { .seed = seed, .map = aligned_alloc(64, bytes) };
    if (!job->map)
        abort();
    memset(job->map, 0, bytes);
    job->map->object.shape = MAP_SHAPE;
    job->map->buckets = BUCKETS;
    job->map->homes_at = (clade_u32)(homes_at / 32u);
    job->map->most = 0xffffffffu;
    shim_launch(run_item, job, THREADS, 1, 0);
    const char *why = job->wrong ? "a status or a value that there is no reason for" : check(job);
    free(job->map);
    if (why)
        printf("seed %u: %s\n", seed, why);
    return why != NULL;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed(), rounds = shim_rounds(argc, argv, 150);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 1; i++)
        failed += run_round(job, base + i * 7919u);
    printf("hashmap without erase: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
