/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench hashmap`: 32-bit keys and values at several loads, beside std::unordered_map; other
 * types; and how fast a map is that has seen many keys come and go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/map.h"
#include "bench/bench.h"
#include "bench/hashmap_mixed.h"
#include "bench/hashmap_shaped.h"
#include "command/clade.h"

/* Keys that the host's map is still measured with. */
enum { HOST_MOST = 1 << 22 };

enum operation { INSERT, FIND, ABSENT, PUT, COUNT, ERASE, OPERATIONS };
static const char *const operation_names[OPERATIONS] = { "insert", "find",   "find, absent",
                                                         "put",    "update", "erase" };

/* One map, and keys of 32 bits as they are stored in arrays of the key's type. */
struct load {
    struct bench *bench;
    enum operation op;
    uint32_t n;      /* keys inside; as many that are not */
    uint32_t rounds; /* in which all keys were exchanged before */
    uint32_t key, value;
    uint32_t *keys; /* 2 n different ones */
    unsigned char *out;
    cl_mem keys_mem, out_mem;
    clade_hashmap *map;
    const struct baseline_map32_kind *kind;
    struct baseline_map32 *host;
    uint64_t got;
};

/* Distinct keys that look random: a bijection of 32 bits. */
static uint32_t scramble(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ i >> 16;
}

static uint32_t bytes_of(uint32_t type)
{
    return CLADE_TYPE_BYTES(type) ? CLADE_TYPE_BYTES(type) : 4;
}

static clade_array keys_at(const struct load *l, uint64_t first)
{
    return clade_device(l->keys_mem, first * bytes_of(l->key));
}

/* Keys of 64 bits have the same number in both halves. A value is the key's low bytes; those of 64
 * bits of keys of 32 bits are two neighbours. */
static cl_mem open_keys(struct load *l)
{
    const uint64_t count = 2ull * l->n;
    cl_mem mem = NULL;
    if (bytes_of(l->key) == 4)
        return bench_buffer(l->bench, l->keys, 4 * count);
    uint64_t *wide = bench_alloc(count, 8);
    for (uint64_t i = 0; wide && i < count; i++)
        wide[i] = (uint64_t)l->keys[i] << 32 | l->keys[i];
    if (wide)
        mem = bench_buffer(l->bench, wide, 8 * count);
    free(wide);
    return mem;
}

static void close_load(struct load *l)
{
    clade_hashmap_destroy(&l->map);
    if (l->keys_mem)
        clReleaseMemObject(l->keys_mem);
    if (l->out_mem)
        clReleaseMemObject(l->out_mem);
    free(l->keys);
    free(l->out);
}

/* A map in which n keys are the load, in hundredths. */
static bool open_load(struct load *l, struct bench *bench, uint32_t n, uint32_t percent,
                      uint32_t key, uint32_t value)
{
    clade_hashmap_params params = { .capacity = (uint64_t)n * 90 / percent,
                                    .key = key,
                                    .value = value };
    *l = (struct load) { .bench = bench, .n = n, .key = key, .value = value };
    l->keys = bench_alloc(2ull * n, 4);
    l->out = bench_alloc(n, 8);
    for (uint64_t i = 0; l->keys && i < 2ull * n; i++)
        l->keys[i] = scramble((uint32_t)i);
    if (!l->keys || !l->out)
        return false;
    l->keys_mem = open_keys(l);
    l->out_mem = bench_buffer(bench, NULL, 8ull * n);
    return l->keys_mem && l->out_mem &&
           succeeded(clade_hashmap_create(&l->map, bench_context(bench), &params));
}

/* An array of values that goes in, or none. */
static clade_array values_at(const struct load *l, uint64_t first)
{
    if (l->value == CLADE_NONE)
        return clade_no_array();
    return bytes_of(l->value) <= bytes_of(l->key) && bytes_of(l->key) == 4
               ? clade_device(l->keys_mem, first * 4)
               : clade_device(l->keys_mem, first * bytes_of(l->value));
}

static clade_array out_at(const struct load *l)
{
    return l->value == CLADE_NONE ? clade_no_array() : clade_device(l->out_mem, 0);
}

/* All keys go out and others come in, part by part, so that the map stays nearly full. */
static bool exchange(struct load *l)
{
    enum { PARTS = 16 };
    const uint64_t part = l->n / PARTS;
    for (uint32_t round = 0; round < l->rounds; round++)
        for (uint64_t i = 0; i < PARTS; i++) {
            const uint64_t away = (round % 2 ? l->n : 0) + i * part;
            const uint64_t come = (round % 2 ? 0 : l->n) + i * part;
            if (!succeeded(clade_hashmap_erase(l->map, keys_at(l, away), clade_no_array(), part,
                                               clade_no_array(), NULL)) ||
                !succeeded(clade_hashmap_insert(l->map, keys_at(l, come), values_at(l, come), part,
                                                clade_no_array(), NULL)))
                return false;
        }
    return true;
}

static bool prepare(void *data)
{
    struct load *l = data;
    const cl_uint nothing = 0x55555555;
    cl_int code = clEnqueueFillBuffer(clade_context_cl_queue(bench_context(l->bench)), l->out_mem,
                                      &nothing, 4, 0, 8ull * l->n, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return bench_fail("a buffer cannot be filled (%d)", code);
    if (!succeeded(clade_hashmap_clear(l->map, NULL)))
        return false;
    if (l->rounds == 0 && l->op == INSERT)
        return true;
    if (!succeeded(clade_hashmap_insert(l->map, keys_at(l, 0), values_at(l, 0), l->n,
                                        clade_no_array(), NULL)) ||
        !exchange(l))
        return false;
    return true;
}

static bool work(void *data)
{
    struct load *l = data;
    const clade_array none = clade_no_array(), keys = keys_at(l, 0), values = values_at(l, 0);
    switch (l->op) {
    case INSERT:
        return succeeded(clade_hashmap_insert(l->map, keys, values, l->n, none, NULL));
    case FIND:
        return succeeded(clade_hashmap_find(l->map, keys, out_at(l), l->n, none, NULL));
    case ABSENT:
        return succeeded(clade_hashmap_find(l->map, keys_at(l, l->n), out_at(l), l->n, none, NULL));
    case PUT:
        return succeeded(clade_hashmap_put(l->map, keys, values, l->n, none, NULL));
    case COUNT:
        return succeeded(
            clade_hashmap_update(l->map, keys, values, CLADE_HASHMAP_PLUS, l->n, none, NULL));
    default:
        return succeeded(clade_hashmap_erase(l->map, keys, none, l->n, none, NULL));
    }
}

/* Every key's value, as a find gives it, and the map's size. */
static bool check(void *data)
{
    struct load *l = data;
    const uint32_t bytes = bytes_of(l->value);
    uint64_t size = 0, wrong = 0;
    const uint32_t untouched = 0x55555555;
    const bool is_new = l->op != FIND && l->op != ABSENT;
    if (is_new && !succeeded(clade_hashmap_find(l->map, keys_at(l, 0), out_at(l), l->n,
                                                clade_no_array(), NULL)))
        return false;
    if (!succeeded(clade_hashmap_size(l->map, &size)) || size != (l->op == ERASE ? 0 : l->n))
        return false;
    if (l->value == CLADE_NONE)
        return true;
    if (!bench_read(l->bench, l->out_mem, l->out, (uint64_t)bytes * l->n))
        return false;
    for (uint32_t i = 0; i < l->n && bytes == 4 && l->key == CLADE_U32; i++) {
        uint32_t value;
        memcpy(&value, l->out + 4ull * i, 4);
        wrong += value != (l->op == ABSENT || l->op == ERASE ? untouched
                           : l->op == COUNT                  ? 2 * l->keys[i]
                                                             : l->keys[i]);
    }
    return wrong == 0;
}

/* --- the host's map ----------------------------------------------------------------------------
 */

static bool prepare_host(void *data)
{
    struct load *l = data;
    l->kind->clear(l->host);
    return l->op == INSERT || l->kind->insert(l->host, l->keys, l->n) == l->n ||
           bench_fail("memory is out");
}

static bool work_host(void *data)
{
    struct load *l = data;
    switch (l->op) {
    case INSERT:
        l->got = l->kind->insert(l->host, l->keys, l->n);
        break;
    case FIND:
        l->got = l->kind->find(l->host, l->keys, l->n);
        break;
    case ABSENT:
        l->got = l->n - l->kind->find(l->host, l->keys + l->n, l->n);
        break;
    default:
        l->got = l->kind->erase(l->host, l->keys, l->n);
    }
    return true;
}

static bool check_host(void *data)
{
    const struct load *l = data;
    return l->got == l->n;
}

static bool add_host(struct load *l)
{
    const struct bench_task task = { l, prepare_host, work_host, check_host, true };
    struct bench_times times;
    bool fine;
    l->kind = &baseline_map32_unordered;
    if (l->kind->missing || l->n > HOST_MOST || l->op == PUT || l->op == COUNT) {
        bench_none(l->bench, l->kind->name,
                   l->kind->missing   ? l->kind->missing
                   : l->n > HOST_MOST ? "too long"
                                      : "not measured");
        return true;
    }
    l->host = l->kind->create();
    fine = l->host ? bench_measure(l->bench, &task, &times) : bench_fail("memory is out");
    if (l->host)
        l->kind->destroy(l->host);
    if (fine)
        bench_ms(l->bench, l->kind->name, &times);
    return fine;
}

/* --- rows --------------------------------------------------------------------------------------
 */

static bool add_times(struct load *l)
{
    const struct bench_task task = { l, prepare, work, check, false };
    struct bench_times times;
    if (!bench_measure(l->bench, &task, &times))
        return false;
    bench_ms(l->bench, "clade", &times);
    bench_value(l->bench, "M/s", (double)l->n / times.median * 1e-3);
    bench_value(l->bench, "M/s in kernels",
                times.device > 0 ? (double)l->n / times.device * 1e-3 : 0);
    return true;
}

static bool add_loads(struct bench *bench, uint32_t n, uint32_t percent)
{
    struct load l;
    char share[16];
    bool fine = open_load(&l, bench, n, percent, CLADE_U32, CLADE_U32);
    snprintf(share, sizeof share, "0.%u", percent / 10);
    for (int op = 0; fine && op < OPERATIONS && !bench_is_over(bench); op++) {
        l.op = (enum operation)op;
        bench_text(bench, "operation", operation_names[op]);
        bench_text(bench, "load", share);
        bench_count(bench, "keys", n);
        fine = add_times(&l) && add_host(&l);
        if (fine)
            bench_row_end(bench);
    }
    close_load(&l);
    return fine;
}

static bool add_types(struct bench *bench, uint32_t n)
{
    static const struct {
        const char *name;
        uint32_t key, value;
    } types[] = {
        { "32, none", CLADE_U32, CLADE_NONE },
        { "64, none", CLADE_U64, CLADE_NONE },
        { "64, 32", CLADE_U64, CLADE_U32 },
        { "64, 64", CLADE_U64, CLADE_U64 },
    };
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof types / sizeof types[0]; i++) {
        struct load l;
        fine = open_load(&l, bench, n, 80, types[i].key, types[i].value);
        for (int op = 0; fine && op < OPERATIONS && !bench_is_over(bench); op++) {
            l.op = (enum operation)op;
            if (op == PUT || op == COUNT)
                continue;
            bench_text(bench, "operation", operation_names[op]);
            bench_text(bench, "bits of key and value", types[i].name);
            bench_count(bench, "keys", n);
            fine = add_times(&l);
            if (fine)
                bench_row_end(bench);
        }
        close_load(&l);
    }
    return fine;
}

/* All keys were exchanged so many times: places that were erased do not pile up. */
static bool add_rounds(struct bench *bench, uint32_t n)
{
    static const uint32_t rounds[] = { 0, 2, 8, 32 };
    struct load l;
    bool fine = open_load(&l, bench, n, 90, CLADE_U32, CLADE_U32);
    for (size_t i = 0; fine && i < sizeof rounds / sizeof rounds[0]; i++)
        for (int op = FIND; fine && op < OPERATIONS && !bench_is_over(bench); op++) {
            if (op == PUT || op == COUNT)
                continue;
            l.op = (enum operation)op;
            l.rounds = rounds[i];
            bench_text(bench, "operation", operation_names[op]);
            bench_count(bench, "times that all keys were exchanged", rounds[i]);
            bench_count(bench, "keys", n);
            fine = add_times(&l);
            if (fine)
                bench_row_end(bench);
        }
    close_load(&l);
    return fine;
}

static bool run_suite(struct bench *bench)
{
    static const uint32_t loads[] = { 50, 80, 90 };
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint32_t most = bench_is_quick(bench) ? 1u << 12 : is_cpu ? 1u << 20 : 1u << 26;
    const uint32_t least = bench_is_quick(bench) ? 1u << 12 : is_cpu ? 1u << 16 : 1u << 20;
    bool fine = true;
    if (bench_wants(bench, "loads")) {
        bench_table(bench, "loads", "keys and values of 32 bits, at several loads");
        for (uint64_t n = least; fine && n <= most && !bench_is_over(bench);
             n *= n == 1u << 24 ? 4 : 16)
            for (size_t i = 0; fine && i < 3 && !bench_is_over(bench); i++)
                fine = add_loads(bench, (uint32_t)n, loads[i]);
    }
    if (fine && bench_wants(bench, "types")) {
        bench_table(bench, "types", "other keys and values, at a load of 0.8");
        fine = add_types(bench, most < 1u << 24 ? most : 1u << 24);
    }
    if (fine && bench_wants(bench, "rounds")) {
        bench_table(bench, "rounds", "keys and values of 32 bits, at a load of 0.9, after churn");
        fine = add_rounds(bench, most < 1u << 24 ? most : 1u << 24);
    }
    if (fine && bench_wants(bench, "mixed")) {
        bench_table(bench, "mixed", "finds and updates in one launch, at a load of 0.8");
        fine = bench_hashmap_mixed(bench, most < 1u << 24 ? most : 1u << 24);
    }
    return fine && bench_hashmap_shaped(bench);
}

const struct bench_suite hashmap_suite = {
    .name = "hashmap",
    .summary = "the hash map: every operation, beside std::unordered_map",
    .run = run_suite,
    .quick = { 60, 2 },
    .cpu = { 90, 40 },
    .gpu = { 120, 60 },
    .tables = "loads types rounds mixed distributions sizes",
};
