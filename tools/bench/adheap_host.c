/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge that a host thread writes back, beside those that the kernel writes back itself: the
 * least keys of many heaps are popped, one after the other. Every key is compared with a sorted
 * copy. Devices that share no memory with the host have no such bridge. */
#include "bench/adheap.h"

#include <stdlib.h>
#include <string.h>

#include "command/clade.h"
#include "common/compare.h"

enum { KEYS = 819, POPPED = 64 };

struct popping {
    struct bench *bench;
    clade_adheap *heaps;
    cl_mem keys, out;
    uint32_t *host, *got; /* the keys, sorted heap by heap; what came out */
    uint32_t count;
};

static bool build(void *data)
{
    struct popping *d = data;
    return succeeded(
        clade_adheap_build(d->heaps, clade_device(d->keys, 0), clade_no_array(), KEYS, NULL));
}

static bool pop_some(void *data)
{
    struct popping *d = data;
    return succeeded(clade_adheap_pop(d->heaps, clade_device(d->out, 0), clade_no_array(), POPPED,
                                      clade_no_array(), NULL));
}

static bool check(void *data)
{
    struct popping *d = data;
    bool right = bench_read(d->bench, d->out, d->got, (uint64_t)d->count * POPPED * 4);
    for (uint32_t h = 0; right && h < d->count; h++)
        right = memcmp(d->got + (size_t)h * POPPED, d->host + (size_t)h * KEYS, POPPED * 4) == 0;
    return right;
}

static bool measure_bridge(struct popping *d, const char *name, uint32_t bridge)
{
    const struct bench_task task = { d, build, pop_some, check, false };
    struct bench_times times;
    if (!succeeded(clade_adheap_create(&d->heaps, bench_context(d->bench),
                                       &(clade_adheap_params) { .heaps = d->count,
                                                                .capacity = KEYS,
                                                                .arity = 16,
                                                                .key = CLADE_U32,
                                                                .bridge = bridge })))
        return false;
    const bool fine = bench_measure(d->bench, &task, &times);
    clade_adheap_destroy(&d->heaps);
    if (fine)
        bench_ms(d->bench, name, &times);
    return fine;
}

static bool measure_heaps(struct bench *bench, uint32_t count)
{
    struct popping d = { .bench = bench, .count = count };
    const uint64_t keys = (uint64_t)count * KEYS;
    uint64_t state = count;
    d.host = bench_alloc(keys, 4);
    d.got = bench_alloc((uint64_t)count * POPPED, 4);
    for (uint64_t i = 0; d.host && i < keys; i++)
        d.host[i] = (uint32_t)(bench_random(&state) >> 32);
    d.keys = d.host ? bench_buffer(bench, d.host, keys * 4) : NULL;
    d.out = bench_buffer(bench, NULL, (uint64_t)count * POPPED * 4);
    for (uint32_t h = 0; d.host && h < count; h++)
        qsort(d.host + (size_t)h * KEYS, KEYS, 4, compare_u32);
    bench_count(bench, "heaps", count);
    bench_count(bench, "pops", (uint64_t)count * POPPED);
    const bool fine = d.keys && d.got && d.out &&
                      measure_bridge(&d, "plain", CLADE_ADHEAP_BRIDGE_NONE) &&
                      measure_bridge(&d, "registers", CLADE_ADHEAP_BRIDGE_REGISTERS) &&
                      measure_bridge(&d, "dump", CLADE_ADHEAP_BRIDGE_DUMP) &&
                      measure_bridge(&d, "host", CLADE_ADHEAP_BRIDGE_HOST);
    if (fine)
        bench_row_end(bench);
    if (d.keys)
        clReleaseMemObject(d.keys);
    if (d.out)
        clReleaseMemObject(d.out);
    free(d.host);
    free(d.got);
    return fine;
}

bool bench_adheap_host(struct bench *bench)
{
    bool fine = true;
    if (!clade_context_caps(bench_context(bench))->svm_atomics)
        return true;
    bench_table(bench, "host", "64 pops from each heap of 819, d = 16: who writes paths back");
    for (uint32_t heaps = 1; fine && heaps <= (bench_is_quick(bench) ? 1u : 64u); heaps *= 64)
        fine = measure_heaps(bench, heaps);
    return fine;
}
