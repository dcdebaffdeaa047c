/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered maps on the host: what `clade bench rbtree` stands beside, and what `clade orders
 * --check` compares with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- 64-bit keys and values, one by one ------------------------------------------------------- */

struct baseline_map;

/* An empty std::map; NULL when memory is out, or without C++. */
struct baseline_map *baseline_map_create(void);
void baseline_map_destroy(struct baseline_map *map);
/* Insert or assign. False when memory is out. */
bool baseline_map_put(struct baseline_map *map, uint64_t key, uint64_t value);
bool baseline_map_find(const struct baseline_map *map, uint64_t key, uint64_t *value);
bool baseline_map_erase(struct baseline_map *map, uint64_t key);
/* The smallest key that is not less; false: none. */
bool baseline_map_lower_bound(const struct baseline_map *map, uint64_t *key, uint64_t *value);
size_t baseline_map_size(const struct baseline_map *map);

/* --- 32-bit keys and values, whole arrays ----------------------------------------------------- */

struct baseline_map32;

struct baseline_map32_kind {
    const char *name;
    const char *missing; /* why this build has none, and no functions; or NULL */
    /* An empty map; NULL when memory is out. */
    struct baseline_map32 *(*create)(void);
    void (*destroy)(struct baseline_map32 *map);
    void (*clear)(struct baseline_map32 *map);
    size_t (*size)(const struct baseline_map32 *map);
    /* Each returns how many keys were inserted, found with their value, erased; insert gives each
     * key itself as value, and stops when memory is out. erase: NULL where a map has none. */
    size_t (*insert)(struct baseline_map32 *map, const uint32_t *keys, size_t n);
    size_t (*find)(const struct baseline_map32 *map, const uint32_t *keys, size_t n);
    size_t (*erase)(struct baseline_map32 *map, const uint32_t *keys, size_t n);
    /* The first `limit` entries from each key on; their sum of counts. */
    size_t (*range)(const struct baseline_map32 *map, const uint32_t *lows, size_t n, size_t limit);
};

extern const struct baseline_map32_kind baseline_map32_std;       /* on one core */
extern const struct baseline_map32_kind baseline_map32_unordered; /* likewise; no ranges */
extern const struct baseline_map32_kind baseline_map32_tbb; /* oneTBB's, on all cores at once */

#ifdef __cplusplus
}
#endif
