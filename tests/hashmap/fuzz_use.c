/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map, as kernels use it (tests/fuzz/use.h). */
#define CLADE_HASHMAP_TRIES 200u
#include "host/device.h"

#define CLADE_HASHMAP set
#include "clade/hashmap.clh"
#define CLADE_HASHMAP            small
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32
#include "clade/hashmap.clh"
#define CLADE_HASHMAP            wide
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U64
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U64
#include "clade/hashmap.clh"
#undef min
#undef max

#include "fuzz/use.h"
#include "hashmap/fuzz.h"

#define KEYS 40u

/* Any operation, also on keys that look like marks; and a look at any place. */
#define USE(name, key_type, value_type)                                          \
    void use_hashmap_##name(void *map, uint32_t state, uint32_t steps)           \
    {                                                                            \
        while (steps-- > 0) {                                                    \
            const uint what = use_begin(&state) % 8u;                            \
            key_type key = (key_type)(use_draw(&state) % KEYS) - (key_type)1;    \
            value_type value = state;                                            \
            if (what < 2u)                                                       \
                NAME(name, insert)(map, key, value);                             \
            else if (what == 2u)                                                 \
                NAME(name, put)(map, key, value);                                \
            else if (what == 3u)                                                 \
                NAME(name, update)(map, key, value, CLADE_HASHMAP_PLUS, &value); \
            else if (what == 4u)                                                 \
                NAME(name, cas)(map, key, value, value + 1u, &value);            \
            else if (what == 5u)                                                 \
                NAME(name, erase)(map, key, &value);                             \
            else if (what == 6u)                                                 \
                NAME(name, find)(map, key, &value);                              \
            else                                                                 \
                NAME(name, entry)(map, use_draw(&state) % 64u, &key, &value);    \
        }                                                                        \
    }
#define NAME(type, verb)  JOIN(KIND_##type, verb)
#define JOIN(type, verb)  JOIN_(type, verb)
#define JOIN_(type, verb) type##_##verb##_wi
#define KIND_set          set
#define KIND_32           small
#define KIND_64           wide

USE(set, uint, uint)
USE(32, uint, uint)
USE(64, ulong, ulong)
