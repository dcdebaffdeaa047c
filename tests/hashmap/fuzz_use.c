/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map, as kernels use it (tests/fuzz/use.h). */
#define CLADE_HASHMAP_TRIES 200u
#include "host/device.h"

#define CLADE_HASHMAP map_32_0
#include "clade/hashmap.clh"
#define CLADE_HASHMAP      map_32_0_tagged
#define CLADE_HASHMAP_FORM CLADE_HASHMAP_TAGGED
#include "clade/hashmap.clh"
#define CLADE_HASHMAP            map_32_32
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32
#include "clade/hashmap.clh"
#define CLADE_HASHMAP            map_32_64
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U64
#include "clade/hashmap.clh"
#define CLADE_HASHMAP          map_64_0
#define CLADE_HASHMAP_KEY_TYPE CLADE_U64
#include "clade/hashmap.clh"
#define CLADE_HASHMAP            map_64_32
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U64
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32
#include "clade/hashmap.clh"
#define CLADE_HASHMAP            map_64_64
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U64
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U64
#include "clade/hashmap.clh"
#undef min
#undef max

#include <string.h>

#include "fuzz/use.h"
#include "hashmap/fuzz.h"

#define KEYS 40u

/* Any operation, also on keys that look like marks; and a look at any place. */
#define USE(name, key_type, value_type)                                              \
    void use_hashmap_##name(void *map, uint32_t state, uint32_t steps)               \
    {                                                                                \
        while (steps-- > 0) {                                                        \
            const uint what = use_begin(&state) % 8u;                                \
            key_type key = (key_type)(use_draw(&state) % KEYS) - (key_type)1;        \
            value_type value = state;                                                \
            if (what < 2u)                                                           \
                map_##name##_insert_wi(map, key, value);                             \
            else if (what == 2u)                                                     \
                map_##name##_put_wi(map, key, value);                                \
            else if (what == 3u)                                                     \
                map_##name##_update_wi(map, key, value, CLADE_HASHMAP_PLUS, &value); \
            else if (what == 4u)                                                     \
                map_##name##_cas_wi(map, key, value, value + 1u, &value);            \
            else if (what == 5u)                                                     \
                map_##name##_erase_wi(map, key, &value);                             \
            else if (what == 6u)                                                     \
                map_##name##_find_wi(map, key, &value);                              \
            else                                                                     \
                map_##name##_entry_wi(map, use_draw(&state) % 64u, &key, &value);    \
        }                                                                            \
    }                                                                                \
    int insert_hashmap_##name(void *map, const void *key, const void *value)         \
    {                                                                                \
        key_type k;                                                                  \
        value_type v = 0;                                                            \
        memcpy(&k, key, sizeof k);                                                   \
        if (value)                                                                   \
            memcpy(&v, value, sizeof v);                                             \
        shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };             \
        return map_##name##_insert_wi(map, k, v);                                    \
    }
HASHMAP_TYPES(USE)
