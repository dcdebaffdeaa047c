/* SPDX-License-Identifier: Apache-2.0 */
/* Times the front engine's rows of the heap table, every result checked.
 *
 *   heap_front [name=value]...   rows=LIST of: sort wide asc desc equal few zipf anywhere inverse ten rows
 * pairs big half small, mixed (no row, but the program that pairs and halves want, for one entry in the cache), n (keys,
 * in Mi), m (pairs, in Mi), groups, items, batch, leaf, width, key, value, repeat */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap/front/front.h"
#include "object/launch.h"
#include "object/object.h"

struct bench {
    clade_context *context;
    cl_command_queue queue;
    struct cladei_front plan;
    struct cladei_object object;
    clade_program *program;
    cl_kernel fill, insert, pop, mixed;
    cl_mem in, out, errors;
    uint32_t groups, items, batch, leaf, width, key, value, repeat, n, m;
    const char *rows;
    uint32_t wrong; /* results */
};

#define OK(call)                                                                \
    do {                                                                        \
        if ((call) != CLADE_OK) {                                               \
            fprintf(stderr, "%s: %s\n%s\n", #call, clade_error_last()->message, \
                    clade_error_last()->log);                                   \
            exit(1);                                                            \
        }                                                                       \
    } while (0)
#define CL(call)                                       \
    do {                                               \
        cl_int code_ = (call);                         \
        if (code_ != CL_SUCCESS) {                     \
            fprintf(stderr, "%s: %d\n", #call, code_); \
            exit(1);                                   \
        }                                              \
    } while (0)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static cl_mem buffer(struct bench *b, uint64_t bytes)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(clade_context_cl_context(b->context), CL_MEM_READ_WRITE,
                                (size_t)bytes, NULL, &code);
    CL(code);
    return mem;
}

static double run(struct bench *b, cl_kernel kernel, size_t groups)
{
    size_t local = b->items, global = groups * local;
    CL(clFinish(b->queue));
    double start = now();
    CL(clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CL(clFinish(b->queue));
    return now() - start;
}

static void fill(struct bench *b, uint32_t count, uint32_t pattern, uint32_t seed)
{
    OK(CLADEI_SET_ARGS(b->fill, CLADEI_ARG(b->in), CLADEI_ARG(count), CLADEI_ARG(pattern),
                       CLADEI_ARG(seed)));
    run(b, b->fill, 256);
}

static double insert(struct bench *b, uint32_t count, size_t groups)
{
    OK(CLADEI_SET_ARGS(b->insert, CLADEI_ARG(b->object.mem), CLADEI_ARG(b->in), CLADEI_ARG(count),
                       CLADEI_ARG(b->batch), CLADEI_ARG(b->errors)));
    return run(b, b->insert, groups);
}

static double pop(struct bench *b, uint32_t count, uint32_t place, size_t groups)
{
    OK(CLADEI_SET_ARGS(b->pop, CLADEI_ARG(b->object.mem), CLADEI_ARG(b->out), CLADEI_ARG(count),
                       CLADEI_ARG(b->batch), CLADEI_ARG(place), CLADEI_ARG(b->errors)));
    return run(b, b->pop, groups);
}

static double mixed(struct bench *b, uint32_t count, uint32_t mode, size_t groups)
{
    OK(CLADEI_SET_ARGS(b->mixed, CLADEI_ARG(b->object.mem), CLADEI_ARG(b->in), CLADEI_ARG(b->out),
                       CLADEI_ARG(count), CLADEI_ARG(b->batch), CLADEI_ARG(mode),
                       CLADEI_ARG(b->errors)));
    return run(b, b->mixed, groups);
}

/* --- checks -------------------------------------------------------------------------------- */

struct digest {
    uint64_t sum, squares, count, descents;
};

static void digest(struct bench *b, cl_mem mem, uint64_t count, struct digest *d)
{
    char *keys = malloc((size_t)count * b->key / 8);
    if (!keys)
        exit(1);
    uint64_t before = 0;
    CL(clEnqueueReadBuffer(b->queue, mem, CL_TRUE, 0, (size_t)count * b->key / 8, keys, 0, NULL,
                           NULL));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t k = b->key == 64 ? ((uint64_t *)keys)[i] : ((uint32_t *)keys)[i];
        d->sum += k;
        d->squares += k * k * 0x9e3779b97f4a7c15u ^ k;
        d->descents += i > 0 && k < before;
        before = k;
    }
    d->count += count;
    free(keys);
}

static void stats(struct bench *b, const char *title)
{
    uint32_t words[CLADE_FRONT_HEAD_WORDS], errors[4] = { 0 };
    OK(cladei_object_read(&b->object, 0, words, sizeof words));
    CL(clEnqueueReadBuffer(b->queue, b->errors, CL_TRUE, 0, sizeof errors, errors, 0, NULL, NULL));
    const uint32_t *s = words + CLADE_FRONT_W_STATS;
    printf("  %s: size %u, inserts %u, pops %u, refused %u, owners %u, front inserts %u, "
           "joined %u, spills %u, splits %u, forced %u; free blocks %u of %u, leaves %u of %u, "
           "dirs %u of %u",
           title, words[CLADE_FRONT_W_SIZE], words[CLADE_FRONT_S_INSERTS],
           words[CLADE_FRONT_S_POPS], words[CLADE_FRONT_S_REFUSED], s[0], s[2], s[10], s[4], s[6],
           s[8], words[CLADE_FRONT_W_FREE], b->plan.count[0], words[CLADE_FRONT_W_FREE + 32],
           b->plan.count[1], words[CLADE_FRONT_W_FREE + 64], b->plan.count[2]);
    if (errors[0] || errors[1] || errors[2] || errors[3])
        printf("; statuses %u, short %u, descents %u, values %u", errors[0], errors[1], errors[2],
               errors[3]);
    printf("\n");
    memset(errors, 0, sizeof errors);
    CL(clEnqueueWriteBuffer(b->queue, b->errors, CL_TRUE, 0, sizeof errors, errors, 0, NULL, NULL));
}

static const char *verdict(struct bench *b, const struct digest *in, const struct digest *out,
                           int ordered)
{
    const bool same = in->sum == out->sum && in->squares == out->squares && in->count == out->count;
    const bool right = same && !(ordered && out->descents);
    b->wrong += !right;
    return right ? "ok" : same ? "WRONG ORDER" : "WRONG KEYS";
}

static void check(struct bench *b, const char *what)
{
    struct cladei_front_sum sum;
    if (b->plan.bytes < (3ull << 30) &&
        cladei_front_check(&b->plan, &b->object, &sum) != CLADE_OK) {
        printf("  %s: CHECK FAILED: %s\n", what, clade_error_last()->message);
        b->wrong++;
    }
}

/* --- rows ---------------------------------------------------------------------------------- */

static void make_empty(struct bench *b)
{
    struct cladei_run run;
    OK(cladei_run_begin(&run, b->context, NULL));
    OK(cladei_front_format(&b->plan, &b->object, &run));
}

static void row_sort(struct bench *b, const char *name, uint32_t pattern, uint32_t n, size_t groups)
{
    make_empty(b);
    for (uint32_t r = 0; r < b->repeat; r++) {
        struct digest in = { 0 }, out = { 0 };
        fill(b, n, pattern, r + 1);
        uint32_t place = r == 0 ? 1 : 0;
        double inserted = insert(b, n, groups);
        if (r == 0) {
            stats(b, "after insert");
            check(b, name);
        }
        place = r * n + 1;
        double popped = pop(b, n, place, groups);
        digest(b, b->in, n, &in);
        digest(b, b->out, n, &out);
        printf("%s n %u groups %zu items %u: insert %.2f ms (%.0f M/s), pop %.2f ms (%.0f "
               "M/s) %s\n",
               name, n, groups, b->items, inserted, n / inserted / 1e3, popped, n / popped / 1e3,
               verdict(b, &in, &out, 1));
        fflush(stdout);
    }
    stats(b, "end");
    check(b, name);
}

/* Pairs, or half and half, on a heap of `base` keys. */
static void row_mixed(struct bench *b, const char *name, uint32_t base, uint32_t m, uint32_t mode,
                      size_t groups)
{
    struct digest in = { 0 }, out = { 0 };
    make_empty(b);
    if (base) {
        fill(b, base, 0, 99);
        insert(b, base, groups);
        digest(b, b->in, base, &in);
    }
    for (uint32_t r = 0; r < b->repeat; r++) {
        fill(b, m, 0, r + 1);
        double time = mixed(b, m, mode, groups);
        digest(b, b->in, m, &in);
        digest(b, b->out, m, &out);
        printf("%s base %u m %u groups %zu items %u: %.2f ms, %.0f M/s\n", name, base, m, groups,
               b->items, time, m / time / 1e3);
        fflush(stdout);
    }
    stats(b, "mixed");
    check(b, name);
    if (base) {
        pop(b, base, 0, groups);
        digest(b, b->out, base, &out);
    }
    printf("  %s: %s\n", name, verdict(b, &in, &out, 0));
    stats(b, "end");
    check(b, name);
}

static int wants(struct bench *b, const char *row)
{
    const char *at = strstr(b->rows, row);
    return at != NULL;
}

static int wants_mixed(struct bench *b)
{
    return wants(b, "pairs") || wants(b, "big") || wants(b, "half") || wants(b, "mixed");
}

static void build(struct bench *b)
{
    char options[300];
    const char *cl = getenv("CLADE_TEST_CL");
    snprintf(options, sizeof options,
             "-DTEST_KEY_BITS=%u -DTEST_VALUE_BITS=%u -DTEST_BATCH=%u -DTEST_LEAF=%u "
             "-DTEST_ITEMS=%u %s %s",
             b->key, b->value, b->batch, b->leaf, b->items, wants_mixed(b) ? "-DBENCH_MIXED" : "",
             getenv("BENCH_OPTIONS") ? getenv("BENCH_OPTIONS") : "");
    clade_program_params params = { .file = "heap/front/heap_front_bench.cl",
                                    .options = options,
                                    .include_path = cl ? cl : TEST_KERNELS };
    double start = now();
    OK(clade_program_build(&b->program, b->context, &params));
    OK(clade_program_kernel(&b->fill, b->program, "bench_fill"));
    OK(clade_program_kernel(&b->insert, b->program, "bench_insert"));
    OK(clade_program_kernel(&b->pop, b->program, "bench_pop"));
    if (wants_mixed(b)) /* it takes the compiler as long as the others together */
        OK(clade_program_kernel(&b->mixed, b->program, "bench_mixed"));
    printf("built in %.0f ms\n", now() - start);
}

static void open_heap(struct bench *b, uint64_t capacity)
{
    OK(cladei_front_plan(&b->plan, capacity, b->leaf, b->key / 8, b->value / 8));
    if (b->width)
        b->plan.width = b->width;
    b->plan.shape = CLADE_HEAP_SHAPE(b->key == 64 ? CLADE_U64 : CLADE_U32,
                                     b->value == 64   ? CLADE_U64
                                     : b->value == 32 ? CLADE_U32
                                                      : CLADE_NONE,
                                     CLADE_MIN, CLADE_HEAP_FRONT, b->batch, b->leaf);
    OK(cladei_object_create(&b->object, b->context, CLADE_KIND('f', 'r', 'o', 'n'),
                            b->plan.shape, b->plan.bytes, "the heap"));
    printf("%llu keys: %.2f times their bytes\n", (unsigned long long)capacity,
           (double)b->plan.bytes / (double)(capacity * (b->key + b->value) / 8));
}

static void parse(struct bench *b, int argc, char **argv)
{
    const struct {
        const char *name;
        uint32_t *number;
    } known[] = { { "groups", &b->groups }, { "items", &b->items }, { "batch", &b->batch },
                  { "leaf", &b->leaf },     { "width", &b->width }, { "key", &b->key },
                  { "value", &b->value },   { "n", &b->n },         { "m", &b->m },
                  { "repeat", &b->repeat } };
    const size_t count = sizeof known / sizeof known[0];
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        const size_t length = equals ? (size_t)(equals - argv[i]) : 0;
        size_t at = 0;
        char *end = NULL;
        if (strncmp(argv[i], "rows=", 5) == 0) {
            b->rows = equals + 1;
            continue;
        }
        while (at < count &&
               (strncmp(argv[i], known[at].name, length) != 0 || known[at].name[length] != '\0'))
            at++;
        if (at < count)
            *known[at].number = (uint32_t)strtoul(equals + 1, &end, 0);
        if (!end || end == equals + 1 || *end != '\0') {
            fprintf(stderr, "heap_front: \"%s\" is not NAME=NUMBER or rows=LIST\n", argv[i]);
            exit(2);
        }
    }
}

static void run_rows(struct bench *b, uint32_t n, uint32_t m)
{
    if (wants(b, "sort"))
        row_sort(b, "random", 0, n, b->groups);
    if (wants(b, "wide"))
        row_sort(b, "random, 32 bits", 5, n, b->groups);
    if (wants(b, "asc"))
        row_sort(b, "ascending", 1, n, b->groups);
    if (wants(b, "desc"))
        row_sort(b, "descending", 2, n, b->groups);
    if (wants(b, "equal"))
        row_sort(b, "equal", 3, n, b->groups);
    if (wants(b, "few"))
        row_sort(b, "22 bits", 4, n, b->groups);
    if (wants(b, "zipf"))
        row_sort(b, "Zipf", 6, n, b->groups);
    if (wants(b, "anywhere"))
        row_sort(b, "Zipf, anywhere", 7, n, b->groups);
    if (wants(b, "inverse"))
        row_sort(b, "inverse", 10, n, b->groups);
    if (wants(b, "ten"))
        row_sort(b, "ten values", 8, n, b->groups);
    if (wants(b, "rows"))
        row_sort(b, "rows of 256", 9, n, b->groups);
    if (wants(b, "pairs"))
        row_mixed(b, "pairs", 0, m, 0, b->groups);
    if (wants(b, "big"))
        row_mixed(b, "pairs", n, m, 0, b->groups);
    if (wants(b, "half"))
        row_mixed(b, "half and half", n, m, 1, b->groups);
    if (wants(b, "small"))
        for (size_t groups = 4; groups <= 128; groups *= 2)
            row_sort(b, "8M", 0, n < 8u << 20 ? n : 8u << 20, groups);
}

int main(int argc, char **argv)
{
    struct bench b = { .groups = 264,
                       .items = 512,
                       .batch = 1024,
                       .leaf = 4096,
                       .key = 32,
                       .repeat = 3,
                       .n = 64,
                       .m = 16,
                       .rows = "sort" };
    parse(&b, argc, argv);
    clade_context_params params = { .device = getenv("CLADE_DEVICE") };
    OK(clade_context_create(&b.context, &params));
    b.queue = clade_context_cl_queue(b.context);
    build(&b);
    const uint32_t n = b.n << 20, m = b.m << 20, most = n > m ? n : m;
    b.in = buffer(&b, (uint64_t)most * b.key / 8);
    b.out = buffer(&b, (uint64_t)most * b.key / 8);
    uint32_t errors[4] = { 0 };
    b.errors = buffer(&b, sizeof errors);
    CL(clEnqueueWriteBuffer(b.queue, b.errors, CL_TRUE, 0, sizeof errors, errors, 0, NULL, NULL));
    open_heap(&b, (uint64_t)n + (wants(&b, "half") ? m * b.repeat : 0) + 1024u * b.batch);
    run_rows(&b, n, m);
    return b.wrong != 0;
}
