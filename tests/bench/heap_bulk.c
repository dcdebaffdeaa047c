/* SPDX-License-Identifier: Apache-2.0 */
/* An engine's calls over many keys at once beside its own kernels, in one run: n keys in device
 * arrays inserted by one call, popped by another or by two halves, timed by the host's clock around
 * each call and the wait for it. Every result is checked: order, number, and the sum of the keys.
 * Then come the times of the kernels by the device's clock, with BENCH_KERNELS=1: the least of all
 * repeats.
 *
 *   bench_heap_bulk [MI_KEYS [VALUE_BITS [KEY_BITS [REPEAT [ENGINE]]]]]    CLADE_DEVICE chooses the
 * device
 *
 * ENGINE: the number of a CLADE_HEAP_*, by default the front's. BENCH_KEYS: one pattern by its
 * name, or its first letters. BENCH_GROUP, BENCH_TILE, BENCH_BINS: other sizes than the host
 * chooses. BENCH_ODD: so many keys fewer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap/heap.h"

#include <clade/clade.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void must(clade_status status, const char *what)
{
    if (status != CLADE_OK) {
        fprintf(stderr, "%s: %s\n%s\n", what, clade_error_last()->message, clade_error_last()->log);
        exit(1);
    }
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

struct bench {
    clade_context *context;
    clade_heap *heap;
    cl_mem keys, out, values, out_values, got;
    size_t n, key_bytes, value_bytes;
    char *host;
    uint64_t sum; /* of the keys' bits */
    uint64_t least, sorted_least;
};

static const char *const patterns[] = { "random", "ascending",     "descending",
                                        "equal",  "100 different", "clumps" };
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static uint64_t key_of(int pattern, size_t i, size_t n, uint64_t *state)
{
    switch (pattern) {
    case 1:
        return i;
    case 2:
        return n - i;
    case 3:
        return 12345;
    case 4:
        return next(state) % 100 * 77777;
    case 5:
        return next(state) % 8 ? (next(state) % 64 << 24) + next(state) % 4096 : next(state) >> 33;
    default:
        return next(state);
    }
}

static cl_mem buffer(struct bench *b, size_t bytes)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(clade_context_cl_context(b->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS)
        exit(1);
    return mem;
}

static void fill(struct bench *b, int pattern)
{
    uint64_t state = 7;
    b->sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t key = key_of(pattern, i, b->n, &state);
        uint32_t narrow = (uint32_t)key;
        if (b->key_bytes == 8)
            memcpy(b->host + 8 * i, &key, 8);
        else
            memcpy(b->host + 4 * i, &narrow, 4);
        b->sum += b->key_bytes == 8 ? key : narrow;
    }
    clEnqueueWriteBuffer(clade_context_cl_queue(b->context), b->keys, CL_TRUE, 0,
                         b->n * b->key_bytes, b->host, 0, NULL, NULL);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Launches of one call. */
enum { LAUNCHES = 64, NAME = 64 };
static struct launch {
    char name[NAME];
    cl_event event;
    double least;        /* us, of all repeats */
} launches[2][LAUNCHES]; /* of an insert and of a pop */
static int launch_count[2], is_pop;

static void on_launch(void *data, cl_kernel kernel, cl_event event)
{
    struct launch *l = &launches[is_pop][launch_count[is_pop]];
    (void)data;
    if (launch_count[is_pop] == LAUNCHES)
        return;
    launch_count[is_pop]++;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, NAME, l->name, NULL);
    clRetainEvent(event);
    l->event = event;
}

/* After a call: each of its launches may have been the fastest. */
static void kernels_end(bool forget)
{
    for (int i = 0; i < launch_count[is_pop]; i++) {
        struct launch *l = &launches[is_pop][i];
        cl_ulong from = 0, to = 0;
        clGetEventProfilingInfo(l->event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
        clGetEventProfilingInfo(l->event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
        clReleaseEvent(l->event);
        const double us = (double)(to - from) / 1e3;
        l->least = forget || us < l->least ? us : l->least;
    }
}

static void kernels_print(void)
{
    for (int pop = 0; pop < 2; pop++) {
        double sum = 0;
        for (int i = 0; i < launch_count[pop]; i++) {
            printf("  %-28s %9.1f us\n", launches[pop][i].name, launches[pop][i].least);
            sum += launches[pop][i].least;
        }
        printf("  %-28s %9.1f us\n", pop ? "kernels of a pop" : "kernels of an insert", sum);
    }
    fflush(stdout);
}

/* --- calls ------------------------------------------------------------------------------------ */

static double insert(struct bench *b)
{
    launch_count[is_pop = 0] = 0;
    const double begin = now_ms();
    must(clade_heap_insert(b->heap, clade_device(b->keys, 0),
                           b->value_bytes ? clade_device(b->values, 0) : clade_no_array(), b->n,
                           NULL),
         "insert");
    must(clade_finish(b->context), "finish");
    return now_ms() - begin;
}

static double pop(struct bench *b, size_t from, size_t count)
{
    launch_count[is_pop = 1] = 0;
    const double begin = now_ms();
    must(clade_heap_pop(b->heap, clade_device(b->out, from * b->key_bytes),
                        b->value_bytes ? clade_device(b->out_values, from * b->value_bytes)
                                       : clade_no_array(),
                        count, clade_device(b->got, 0), NULL),
         "pop");
    must(clade_finish(b->context), "finish");
    return now_ms() - begin;
}

static int64_t key_at(const struct bench *b, size_t i)
{
    int64_t wide;
    int32_t narrow;
    if (b->key_bytes == 8)
        return memcpy(&wide, b->host + 8 * i, 8), wide;
    return memcpy(&narrow, b->host + 4 * i, 4), narrow;
}

static const char *verify(struct bench *b)
{
    uint64_t sum = 0, size = 1;
    must(clade_heap_size(b->heap, &size), "size");
    clEnqueueReadBuffer(clade_context_cl_queue(b->context), b->out, CL_TRUE, 0, b->n * b->key_bytes,
                        b->host, 0, NULL, NULL);
    for (size_t i = 0; i < b->n; i++) {
        sum += b->key_bytes == 8 ? (uint64_t)key_at(b, i) : (uint32_t)key_at(b, i);
        if (i > 0 && key_at(b, i) < key_at(b, i - 1))
            return "NOT IN ORDER";
    }
    return sum != b->sum ? "OTHER KEYS" : size != 0 ? "NOT EMPTY" : "right";
}

static void one(struct bench *b, const char *name, bool bulk, bool halves, int repeat)
{
    b->heap->bulk.least = bulk ? b->least : 0;
    b->heap->sorted.least = bulk ? b->sorted_least : 0;
    const double in = insert(b);
    kernels_end(repeat == 0);
    const double first = pop(b, 0, halves ? b->n / 2 : b->n);
    if (!halves)
        kernels_end(repeat == 0);
    const double second = halves ? pop(b, b->n / 2, b->n - b->n / 2) : 0;
    printf("%-15s %-7s %d  insert %8.2f  pop %8.2f + %6.2f  both %8.2f ms", name,
           bulk ? "bulk" : "groups", repeat, in, first, second, in + first + second);
    fflush(stdout);
    printf("  %s\n", verify(b));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench b = { 0 };
    const size_t value_bits = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const size_t key_bits = argc > 3 ? strtoul(argv[3], NULL, 10) : 32;
    const int repeats = argc > 4 ? atoi(argv[4]) : 2;
    const uint32_t engine = argc > 5 ? (uint32_t)atoi(argv[5]) : CLADE_HEAP_FRONT;
    b.n = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
    b.key_bytes = key_bits / 8;
    b.value_bytes = value_bits / 8;
    const bool kernels = getenv("BENCH_KERNELS") != NULL;
    const char *only = getenv("BENCH_KEYS"), *group = getenv("BENCH_GROUP"),
               *tile = getenv("BENCH_TILE"), *bins = getenv("BENCH_BINS"),
               *odd = getenv("BENCH_ODD");
    b.n -= odd ? strtoul(odd, NULL, 10) : 0;
    clade_heap_params params = { .capacity = b.n,
                                 .key = key_bits == 64 ? CLADE_I64 : CLADE_I32,
                                 .value = value_bits == 64   ? CLADE_U64
                                          : value_bits == 32 ? CLADE_U32
                                                             : CLADE_NONE,
                                 .engine = engine };
    const clade_context_params context = { .profiling = kernels,
                                           .on_launch = kernels ? on_launch : NULL };
    must(clade_context_create(&b.context, &context), "context");
    const double begin = now_ms();
    must(clade_heap_create(&b.heap, b.context, &params), "heap");
    printf("made in %.1f s; leaves of %u\n", (now_ms() - begin) / 1e3, b.heap->front.leaf);
    if (group)
        cladei_bulk_open(b.heap, (uint32_t)atoi(group));
    if (tile)
        b.heap->bulk.tile = (uint32_t)atoi(tile);
    if (bins)
        b.heap->bulk.bins = (uint32_t)atoi(bins);
    b.least = b.heap->bulk.least;
    b.sorted_least = b.heap->sorted.least;
    b.host = malloc(b.n * b.key_bytes);
    b.keys = buffer(&b, b.n * b.key_bytes);
    b.out = buffer(&b, b.n * b.key_bytes);
    b.values = buffer(&b, b.n * (b.value_bytes ? b.value_bytes : 1));
    b.out_values = buffer(&b, b.n * (b.value_bytes ? b.value_bytes : 1));
    b.got = buffer(&b, 8);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        if (only && strncmp(only, patterns[pattern], strlen(only)) != 0)
            continue;
        fill(&b, pattern);
        for (int bulk = 1; bulk >= (pattern == 3 || kernels || only ? 1 : 0); bulk--)
            for (int repeat = 0; repeat < repeats; repeat++)
                one(&b, patterns[pattern], bulk != 0, repeat == repeats - 1 && !kernels, repeat);
        if (kernels)
            kernels_print();
    }
    must(clade_heap_check(b.heap), "check");
    clReleaseMemObject(b.keys);
    clReleaseMemObject(b.out);
    clReleaseMemObject(b.values);
    clReleaseMemObject(b.out_values);
    clReleaseMemObject(b.got);
    free(b.host);
    clade_heap_destroy(&b.heap);
    clade_context_destroy(&b.context);
    return 0;
}
