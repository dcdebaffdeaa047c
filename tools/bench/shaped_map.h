/* SPDX-License-Identifier: Apache-2.0 */
/* A map's part of a row of bench/shaped.h: all keys inserted into an empty map, found, erased. */
#pragma once

#include "baseline/map.h"
#include "bench/shaped.h"

/* A map of 32-bit keys and values on the device. Each function is a host call over device arrays.
 */
struct bench_map {
    const char *name; /* of its columns */
    bool (*create)(struct bench_map *map, clade_context *context, uint32_t capacity);
    void (*destroy)(struct bench_map *map);
    bool (*clear)(struct bench_map *map);
    bool (*size)(struct bench_map *map, uint64_t *size);
    bool (*insert)(struct bench_map *map, cl_mem keys, cl_mem values, uint32_t count);
    bool (*find)(struct bench_map *map, cl_mem keys, cl_mem values, uint32_t count);
    bool (*erase)(struct bench_map *map, cl_mem keys, uint32_t count);
    void *object;
};

/* Each map's three columns, then those of the host's map. Behind every insert the size is as many
 * as there are different keys, behind every find each value is its key, behind every erase nothing
 * is left. */
bool bench_shaped_maps(const struct bench_shaped *row, struct bench_map *maps, size_t count,
                       const struct baseline_map32_kind *kind);
