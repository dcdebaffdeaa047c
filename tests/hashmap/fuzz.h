/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with a map: whatever is drawn from `seed` (tests/fuzz/use.h), and inserts. A name
 * has the bits of a key and a value; keys of 32 bits without values in both forms. */
#pragma once

#include <stdint.h>

#define HASHMAP_TYPES(X)               \
    X(32_0, uint32_t, uint32_t)        \
    X(32_0_tagged, uint32_t, uint32_t) \
    X(32_32, uint32_t, uint32_t)       \
    X(32_64, uint32_t, uint64_t)       \
    X(64_0, uint64_t, uint32_t) X(64_32, uint64_t, uint32_t) X(64_64, uint64_t, uint64_t)

#define DECLARE_TYPE(name, key_type, value_type)                       \
    void use_hashmap_##name(void *map, uint32_t seed, uint32_t steps); \
    int insert_hashmap_##name(void *map, const void *key, const void *value);
HASHMAP_TYPES(DECLARE_TYPE)
#undef DECLARE_TYPE
