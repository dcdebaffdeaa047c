/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map in fuzz_use.c (tests/fuzz/kinds.h): one in memory that `check` finds sound is sound;
 * and so is one made of a file that loading takes. */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hashmap/fuzz.h"
#include "hashmap/hashmap.h"
#include "object/saved.h"

enum { CAPACITY = 28 };

/* A set, packed; keys and values of 32 bits, tagged; of 64 bits, with two copies of a value. */
static clade_hashmap map_of(unsigned variant)
{
    static const uint32_t types[3][2] = { { CLADE_U32, CLADE_NONE },
                                          { CLADE_U32, CLADE_U32 },
                                          { CLADE_U64, CLADE_U64 } };
    clade_hashmap map = { 0 };
    const clade_hashmap_params params = { .capacity = CAPACITY,
                                          .key = types[variant][0],
                                          .value = types[variant][1] };
    if (cladei_hashmap_plan(&map, fuzz_context(), &params) != CLADE_OK)
        abort();
    map.object.context = fuzz_context();
    return map;
}

static size_t map_bytes(unsigned variant)
{
    return (size_t)map_of(variant).object.bytes;
}

static void map_empty(unsigned variant, uint32_t *words)
{
    const clade_hashmap map = map_of(variant);
    memcpy(words, &map.layout, sizeof map.layout);
    fuzz_put_head(words, &map.object);
}

static clade_status map_load(unsigned variant, uint32_t *words)
{
    const clade_hashmap map = map_of(variant);
    clade_hashmap_stats stats;
    return cladei_hashmap_verify(&map, words, &stats);
}

static void map_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    static void (*const uses[])(void *, uint32_t, uint32_t) = { use_hashmap_32_0, use_hashmap_32_32,
                                                                use_hashmap_64_64 };
    uses[variant](object, seed, steps);
}

/* --- files ------------------------------------------------------------------------------------ */

/* A file's head (tests/saved/test_saved.c), the parameters as lib/hashmap/file.c has them, and some
 * keys with values. The checksum always fits. Loading inserts keys by a kernel; here the same
 * device function does it on this thread. */
enum { HEAD = 40, CHECKSUM_AT = 32, PARAMS = 32, FILE_KEYS = 24, VARIANTS = 7 };

struct types {
    uint32_t key, value, form; /* key: as keys without a sign */
    void (*use)(void *, uint32_t, uint32_t);
    int (*insert)(void *, const void *, const void *);
};

static const struct types all_types[VARIANTS] = {
    { CLADE_U32, CLADE_NONE, 0, use_hashmap_32_0, insert_hashmap_32_0 },
    { CLADE_U32, CLADE_U32, 0, use_hashmap_32_32, insert_hashmap_32_32 },
    { CLADE_U32, CLADE_U64, 0, use_hashmap_32_64, insert_hashmap_32_64 },
    { CLADE_U64, CLADE_NONE, 0, use_hashmap_64_0, insert_hashmap_64_0 },
    { CLADE_U64, CLADE_U32, 0, use_hashmap_64_32, insert_hashmap_64_32 },
    { CLADE_U64, CLADE_U64, 0, use_hashmap_64_64, insert_hashmap_64_64 },
    { CLADE_U32, CLADE_NONE, CLADE_HASHMAP_TAGGED, use_hashmap_32_0_tagged,
      insert_hashmap_32_0_tagged },
};

/* The map that was loaded last. */
static struct {
    clade_hashmap plan;
    const struct types *types;
    uint32_t *words;
    char *room;
} loaded;

static uint32_t bytes_of(uint32_t type)
{
    return CLADE_TYPE_BYTES(type);
}

static size_t file_bytes(unsigned variant)
{
    const struct types *t = &all_types[variant];
    return HEAD + PARAMS + FILE_KEYS * (bytes_of(t->key) + bytes_of(t->value));
}

static void mend_checksum(char *file, size_t bytes)
{
    const uint64_t checksum = XXH3_64bits_withSeed(file + HEAD + PARAMS, bytes - HEAD - PARAMS,
                                                   XXH3_64bits(file + HEAD, PARAMS));
    memcpy(file + CHECKSUM_AT, &checksum, sizeof checksum);
}

static void file_empty(unsigned variant, uint32_t *words)
{
    const struct types *t = &all_types[variant];
    const uint32_t payload = (uint32_t)file_bytes(variant) - HEAD - PARAMS;
    const uint32_t head[] = { CLADE_HASHMAP_KIND, CLADE_OBJECT_LAYOUT_VERSION, PARAMS, 0, payload };
    const uint32_t params[] = { CAPACITY, 0, FILE_KEYS, 0, t->key, t->value, t->form, 3 };
    memcpy(words, "CLADEOB1", 8);
    memcpy(words + 2, head, sizeof head);
    memcpy((char *)words + HEAD, params, sizeof params);
    for (uint32_t i = 0; i < FILE_KEYS; i++) {
        const uint64_t key = i * 3ull;
        memcpy((char *)words + HEAD + PARAMS + (size_t)i * bytes_of(t->key), &key,
               bytes_of(t->key));
    }
}

/* The functions for a map that a file tells of. Signs of keys, and what values mean, do not matter
 * to what is done here. */
static const struct types *types_of(clade_hashmap *plan)
{
    const uint32_t key = plan->key_bytes == 8 ? CLADE_U64 : CLADE_U32;
    plan->object.shape =
        CLADE_HASHMAP_SHAPE(key, plan->value_bytes, plan->params.form,
                            plan->params.form == CLADE_HASHMAP_PACKED ? 1 : plan->copies);
    for (size_t i = 0; i < VARIANTS; i++) {
        const struct types *t = &all_types[i];
        const bool is_tagged = t->form == CLADE_HASHMAP_TAGGED;
        const bool is_small = plan->key_bytes + plan->value_bytes == 4;
        if (t->key == key && bytes_of(t->value) == plan->value_bytes &&
            (!is_small || is_tagged == (plan->params.form == CLADE_HASHMAP_TAGGED)))
            return t;
    }
    abort();
}

static clade_status insert_all(const char *keys, uint64_t count)
{
    const uint32_t key = loaded.plan.key_bytes, value = loaded.plan.value_bytes;
    for (uint64_t i = 0; i < count; i++) {
        const char *values = value ? keys + count * key + i * value : NULL;
        const int status = loaded.types->insert(loaded.words, keys + i * key, values);
        if (status == CLADE_HASHMAP_PRESENT)
            return CLADE_E_CORRUPT;
        if (status != CLADE_OK) /* there is room for all */
            abort();
    }
    return CLADE_OK;
}

/* As clade_hashmap_load() does it. A map that is too large for this program is refused. */
static clade_status file_load(unsigned variant, uint32_t *words)
{
    struct cladei_saved saved = { .bytes = (char *)words, .size = file_bytes(variant) };
    clade_hashmap_params params;
    clade_status status;
    uint64_t size;
    mend_checksum(saved.bytes, saved.size);
    status = cladei_saved_parse(&saved, "input", CLADE_HASHMAP_KIND, PARAMS);
    if (status == CLADE_OK)
        status = cladei_hashmap_plan_saved(&loaded.plan, &saved, fuzz_context(), &size, "input");
    if (status != CLADE_OK)
        return status == CLADE_E_UNSUPPORTED ? CLADE_E_CORRUPT : status;
    params = loaded.plan.params;
    params.capacity = params.capacity < size ? size : params.capacity;
    loaded.plan = (clade_hashmap) { 0 };
    status = cladei_hashmap_plan(&loaded.plan, fuzz_context(), &params);
    if (status != CLADE_OK || loaded.plan.object.bytes > FUZZ_ROOM)
        return CLADE_E_CORRUPT;
    loaded.plan.object.context = fuzz_context(); /* whether it is a CPU's says where homes are */
    loaded.types = types_of(&loaded.plan);
    loaded.words = fuzz_guarded(&loaded.room, (size_t)loaded.plan.object.bytes);
    memcpy(loaded.words, &loaded.plan.layout, sizeof loaded.plan.layout);
    fuzz_put_head(loaded.words, &loaded.plan.object);
    return insert_all(saved.payload, size);
}

static void file_use(unsigned variant, void *file, uint32_t seed, uint32_t steps)
{
    clade_hashmap_stats stats;
    (void)variant, (void)file;
    loaded.types->use(loaded.words, seed, steps);
    if (cladei_hashmap_verify(&loaded.plan, loaded.words, &stats) != CLADE_OK)
        abort();
}

const struct fuzz_kind hashmap_fuzz[] = {
    { 3, map_bytes, map_empty, map_load, map_use, NULL },
    { VARIANTS, file_bytes, file_empty, file_load, file_use, NULL },
    { 0 },
};
