/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants H1 to H7 of a map, on a copy of its buffer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "hashmap/hashmap.h"

enum { NEVER_USED, LIVE, ERASED, CLAIMED };

/* A map's copy, and what the walk over it counts. */
struct copy {
    const clade_hashmap *map;
    const unsigned char *bytes;
    const clade_u32 *homes;
    clade_u32 *spilled; /* a home's keys that were met elsewhere */
    uint64_t *keys;     /* all that were met */
    clade_hashmap_stats stats;
};

/* A key as its home bucket and hash see it. */
struct met {
    uint64_t key;
    clade_u32 hash, home;
};

static const unsigned char *bucket_at(const struct copy *copy, uint64_t bucket)
{
    return copy->bytes + sizeof(clade_hashmap_head) + bucket * copy->map->bucket_bytes;
}

static int packed_is(const struct copy *copy, uint64_t word)
{
    const bool pair = copy->map->value_bytes > 0;
    const uint64_t dead = pair                        ? (uint64_t)1 << 32
                          : copy->map->key_bytes == 8 ? UINT64_MAX
                                                      : UINT32_MAX;
    return word == 0 ? NEVER_USED : word == dead ? ERASED : LIVE;
}

/* What a slot is, and its key as it lies there. */
static int slot_is(const struct copy *copy, uint64_t bucket, uint32_t slot, uint64_t *key)
{
    const clade_hashmap *map = copy->map;
    const unsigned char *at = bucket_at(copy, bucket);
    clade_u32 state;
    *key = 0;
    if (map->params.form == CLADE_HASHMAP_PACKED) {
        const uint32_t bytes = map->key_bytes + map->value_bytes;
        memcpy(key, at + slot * bytes, bytes);
        const int is = packed_is(copy, *key);
        if (map->value_bytes > 0)
            *key = (uint32_t)*key;
        return is;
    }
    memcpy(&state, at + 4 * slot, 4);
    memcpy(key, at + CLADE_HASHMAP_KEYS_AT + slot * map->key_bytes, map->key_bytes);
    switch (CLADE_HASHMAP_IS(state)) {
    case CLADE_HASHMAP_EMPTY:
        return state == 0 ? NEVER_USED : CLAIMED;
    case CLADE_HASHMAP_FULL:
        return LIVE;
    case CLADE_HASHMAP_DEAD:
        return ERASED;
    default:
        return CLAIMED;
    }
}

static clade_u32 home_of(const clade_hashmap *map, const struct met *met)
{
    const clade_u32 low = (clade_u32)met->key, high = (clade_u32)(met->key >> 32);
    return map->object.context->caps.is_cpu
               ? clade_hashmap_home_in_row(map->layout.seed, low, high, map->layout.buckets)
               : clade_hashmap_bucket(met->hash, map->layout.buckets);
}

/* From how a key lies in a bucket to the key. Keys that look like marks lie in the bucket after the
 * others, as 1 and 2. */
static clade_status meet(const struct copy *copy, uint64_t bucket, uint64_t image, struct met *met)
{
    clade_status status = CLADE_OK;
    const clade_hashmap *map = copy->map;
    const bool is_extra = bucket >= map->layout.buckets;
    CLADE_REQUIRE(
        !is_extra || (bucket == map->layout.buckets && map->params.form == CLADE_HASHMAP_PACKED &&
                      (image == 1 || (image == 2 && map->value_bytes == 0))),
        CLADE_E_CORRUPT, "H2: bucket %" PRIu64 " cannot have key %" PRIx64, bucket, image);
    met->key = !is_extra ? image : image == 1 ? 0 : map->key_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    met->hash =
        clade_hashmap_hash(map->layout.seed, (clade_u32)met->key, (clade_u32)(met->key >> 32));
    met->home = is_extra ? map->layout.buckets : home_of(map, met);
fail:
    return status;
}

static bool has_unused(const struct copy *copy, uint64_t bucket)
{
    uint64_t key;
    return slot_is(copy, bucket, copy->map->bucket_slots - 1, &key) == NEVER_USED;
}

/* How many steps a home word lets a search take. */
static uint32_t reach_of(const struct copy *copy, clade_u32 word)
{
    const uint32_t reach = CLADE_HASHMAP_REACH(word);
    return reach == CLADE_HASHMAP_REACH_MAX ? CLADE_HASHMAP_LAST(copy->map->layout.buckets) : reach;
}

/* H2 and H3 of a key that does not lie at home. */
static clade_status check_way(struct copy *copy, uint64_t bucket, const struct met *met)
{
    clade_status status = CLADE_OK;
    const clade_u32 buckets = copy->map->layout.buckets, word = copy->homes[met->home];
    const uint32_t reach = reach_of(copy, word);
    uint32_t step = 1;
    CLADE_REQUIRE(!has_unused(copy, met->home), CLADE_E_CORRUPT,
                  "H3: key %" PRIx64 " is not at home, where a slot was never used", met->key);
    for (; step <= reach; step++) {
        const clade_u32 at = clade_hashmap_at(met->hash, met->home, step, buckets);
        if (at == bucket)
            break;
        CLADE_REQUIRE(!has_unused(copy, at), CLADE_E_CORRUPT,
                      "H3: key %" PRIx64 " lies beyond a slot that was never used", met->key);
    }
    CLADE_REQUIRE(step <= reach, CLADE_E_CORRUPT,
                  "H2: key %" PRIx64 " lies in bucket %" PRIu64 ", which its reach %u misses",
                  met->key, bucket, reach);
    CLADE_REQUIRE(CLADE_HASHMAP_MARKS(word) & CLADE_HASHMAP_MARK_OF(met->hash), CLADE_E_CORRUPT,
                  "H2: key %" PRIx64 " is not at home, where its mark is missing", met->key);
    copy->spilled[met->home]++;
    copy->stats.away++;
    if (copy->stats.farthest < step)
        copy->stats.farthest = step;
fail:
    return status;
}

/* H7 of a key in a tagged slot: its state has bits of its hash, by which it is found, and names a
 * copy that is there. */
static clade_status check_state(const struct copy *copy, uint64_t bucket, uint32_t slot,
                                const struct met *met)
{
    clade_status status = CLADE_OK;
    clade_u32 state;
    if (copy->map->params.form == CLADE_HASHMAP_PACKED)
        return CLADE_OK;
    memcpy(&state, bucket_at(copy, bucket) + 4 * slot, 4);
    CLADE_REQUIRE((state & CLADE_HASHMAP_TAG_MASK) ==
                          (met->hash << CLADE_HASHMAP_TAG_SHIFT & CLADE_HASHMAP_TAG_MASK) &&
                      (copy->map->copies == 2 || !(state & CLADE_HASHMAP_COPY)),
                  CLADE_E_CORRUPT,
                  "H7: slot %u of bucket %" PRIu64 " has state %08x, not key %" PRIx64 "'s", slot,
                  bucket, state, met->key);
fail:
    return status;
}

static clade_status check_bucket(struct copy *copy, uint64_t bucket)
{
    clade_status status = CLADE_OK;
    bool is_over = false;
    for (uint32_t slot = 0; slot < copy->map->bucket_slots; slot++) {
        uint64_t image;
        struct met met = { 0 };
        const int is = slot_is(copy, bucket, slot, &image);
        CLADE_REQUIRE(is != CLAIMED, CLADE_E_CORRUPT,
                      "H6: slot %u of bucket %" PRIu64 " is claimed", slot, bucket);
        CLADE_REQUIRE(is == NEVER_USED || !is_over, CLADE_E_CORRUPT,
                      "H4: slot %u of bucket %" PRIu64 " follows one that was never used", slot,
                      bucket);
        is_over = is == NEVER_USED;
        copy->stats.erased += is == ERASED;
        if (is != LIVE)
            continue;
        CLADE_TRY(meet(copy, bucket, image, &met));
        CLADE_TRY(check_state(copy, bucket, slot, &met));
        copy->keys[copy->stats.size++] = met.key;
        if (met.home != bucket)
            CLADE_TRY(check_way(copy, bucket, &met));
    }
fail:
    return status;
}

static clade_status check_homes(struct copy *copy)
{
    clade_status status = CLADE_OK;
    for (uint32_t i = 0; i < copy->map->layout.buckets + CLADE_HASHMAP_EXTRA; i++) {
        const clade_u32 word = copy->homes[i], spilled = CLADE_HASHMAP_SPILLED(word);
        const uint32_t reach = reach_of(copy, word);
        CLADE_REQUIRE(!(word & CLADE_HASHMAP_LOCK), CLADE_E_CORRUPT, "H6: home %u is locked", i);
        CLADE_REQUIRE(spilled == copy->spilled[i] || (spilled == CLADE_HASHMAP_SPILLED_MAX &&
                                                      copy->spilled[i] <= copy->stats.size),
                      CLADE_E_CORRUPT, "H2: home %u counts %u keys elsewhere, there are %u", i,
                      spilled, copy->spilled[i]);
        if (spilled > 0 && copy->stats.reach < reach)
            copy->stats.reach = reach;
    }
fail:
    return status;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static clade_status check_keys(struct copy *copy)
{
    clade_status status = CLADE_OK;
    qsort(copy->keys, (size_t)copy->stats.size, sizeof *copy->keys, by_number);
    for (uint64_t i = 1; i < copy->stats.size; i++)
        CLADE_REQUIRE(copy->keys[i] != copy->keys[i - 1], CLADE_E_CORRUPT,
                      "H1: key %" PRIx64 " is there twice", copy->keys[i]);
fail:
    return status;
}

static clade_status check_head(struct copy *copy)
{
    clade_status status = CLADE_OK;
    const clade_hashmap *map = copy->map;
    const clade_hashmap_head *head = (const clade_hashmap_head *)(const void *)copy->bytes;
    clade_u32 size = 0;
    CLADE_REQUIRE(cladei_object_is_its_head(&map->object, &head->object) &&
                      head->buckets == map->layout.buckets && head->seed == map->layout.seed &&
                      head->homes_at == map->layout.homes_at && head->most == map->layout.most,
                  CLADE_E_CORRUPT, "the head's constants are not those of creation");
    for (uint32_t i = 0; i < CLADE_HASHMAP_STRIPES; i++) {
        size += head->stripes[i].size;
        copy->stats.busy += head->stripes[i].busy;
        copy->stats.full += head->stripes[i].full;
    }
    CLADE_REQUIRE(size == copy->stats.size, CLADE_E_CORRUPT,
                  "the head counts %u keys, there are %" PRIu64, size, copy->stats.size);
fail:
    return status;
}

static clade_status check_copy(struct copy *copy)
{
    clade_status status = CLADE_OK;
    const uint64_t buckets = (uint64_t)copy->map->layout.buckets + CLADE_HASHMAP_EXTRA;
    copy->homes =
        (const clade_u32 *)(const void *)(copy->bytes + 32ull * copy->map->layout.homes_at);
    for (uint64_t i = 0; i < buckets; i++)
        CLADE_TRY(check_bucket(copy, i));
    CLADE_TRY(check_homes(copy));
    CLADE_TRY(check_keys(copy));
    CLADE_TRY(check_head(copy));
fail:
    return status;
}

clade_status cladei_hashmap_verify(const clade_hashmap *map, const void *bytes,
                                   clade_hashmap_stats *stats)
{
    clade_status status = CLADE_OK;
    struct copy copy = { .map = map, .bytes = bytes };
    copy.spilled = calloc((size_t)map->layout.buckets + CLADE_HASHMAP_EXTRA, sizeof *copy.spilled);
    CLADE_NO_MEMORY(copy.spilled);
    copy.keys = malloc((size_t)cladei_hashmap_places(map) * sizeof *copy.keys);
    CLADE_NO_MEMORY(copy.keys);
    CLADE_TRY(check_copy(&copy));
    *stats = copy.stats;
fail:
    free(copy.keys);
    free(copy.spilled);
    return status;
}

clade_status clade_hashmap_stats_read(clade_hashmap *map, clade_hashmap_stats *stats)
{
    clade_status status = CLADE_OK;
    unsigned char *bytes = NULL;
    CLADE_REQUIRE(map && stats, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_finish(map->object.context));
    bytes = malloc((size_t)map->object.bytes);
    CLADE_NO_MEMORY(bytes);
    CLADE_TRY(cladei_object_read(&map->object, 0, bytes, (size_t)map->object.bytes));
    CLADE_TRY(cladei_hashmap_verify(map, bytes, stats));
    stats->capacity = map->params.capacity;
    stats->places = (uint64_t)map->layout.buckets * map->bucket_slots;
    stats->bytes = map->object.bytes;
fail:
    free(bytes);
    return status;
}

clade_status clade_hashmap_check(clade_hashmap *map)
{
    clade_hashmap_stats stats;
    return clade_hashmap_stats_read(map, &stats);
}
