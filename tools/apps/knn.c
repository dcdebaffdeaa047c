/* SPDX-License-Identifier: Apache-2.0 */
/* `clade knn`: the exact k nearest base vectors of each query. Distances are computed piece by
 * piece and fed to one k-set a query, so that neither they nor the base have to fit the device. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/vectors.h"
#include "command/clade.h"
#include "common/clock.h"
#include "common/compare.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"

enum { BLOCK = 4, ITEMS = 64 }; /* KNN_QUERIES of cl/tools/knn.cl; items a group */

struct job {
    const char *device, *out;
    uint64_t k, piece;
    bool check;
    struct vectors base, queries;
    uint32_t *distances, *indices; /* of the result: k a query, nearest first */
    double ms;
};

/* What one run holds on the device. */
struct search {
    struct job *job;
    clade_context *context;
    cl_command_queue queue;
    clade_program *program;
    cl_kernel kernel;
    clade_adheap *sets;
    cl_mem base, query, distances;
    void *turned; /* a piece of the base, dimension by dimension */
    uint32_t batch, piece;
};

static bool parse_count(const char *text, uint64_t *out)
{
    return option_number(text, 1, INT32_MAX, out);
}

static int parse(struct job *job, int argc, char **argv)
{
    static const struct option options[] = {
        { "k", required_argument, NULL, 'k' },     { "device", required_argument, NULL, 'd' },
        { "out", required_argument, NULL, 'o' },   { "check", no_argument, NULL, 'c' },
        { "piece", required_argument, NULL, 'p' }, { NULL, 0, NULL, 0 },
    };
    bool fine = true;
    char message[512];
    for (int c; (c = getopt_long(argc, argv, "k:d:o:", options, NULL)) != -1;) {
        fine = fine && c != '?';
        job->device = c == 'd' ? optarg : job->device;
        job->out = c == 'o' ? optarg : job->out;
        job->check = job->check || c == 'c';
        fine = fine && (c != 'k' || parse_count(optarg, &job->k));
        fine = fine && (c != 'p' || parse_count(optarg, &job->piece));
    }
    if (!fine || argc - optind != 2 || job->k == 0)
        return report_usage("knn", "a base, queries and k, a number from 1 on, are needed");
    if (!vectors_read(&job->base, argv[optind], message, sizeof message) ||
        !vectors_read(&job->queries, argv[optind + 1], message, sizeof message)) {
        fprintf(stderr, "clade: %s\n", message);
        return EXIT_FAILED;
    }
    if (job->base.bytes != job->queries.bytes || job->base.dimensions != job->queries.dimensions) {
        fprintf(stderr, "clade: the base holds %u-dimensional %s, the queries %u-dimensional %s\n",
                job->base.dimensions, job->base.bytes ? "bytes" : "floats", job->queries.dimensions,
                job->queries.bytes ? "bytes" : "floats");
        return EXIT_FAILED;
    }
    if (job->k > job->base.count) {
        fprintf(stderr, "clade: k = %" PRIu64 " is more than the base's %u vectors\n", job->k,
                job->base.count);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static int fail_cl(const char *what, cl_int code)
{
    fprintf(stderr, "clade: %s failed with OpenCL's %d\n", what, code);
    return EXIT_FAILED;
}

static size_t element_bytes(const struct job *job)
{
    return job->base.bytes ? 1 : 4;
}

/* At most 2^24 distances at once, and no more queries than their k-sets have room. */
static void choose_sizes(struct search *s)
{
    const struct job *job = s->job;
    const uint64_t most = 1u << 24, k = job->k;
    uint64_t batch = k < most / 64 ? most / 64 / k : 1;
    batch = batch > 4096 ? 4096 : batch;
    s->batch = (uint32_t)(batch < job->queries.count ? batch : job->queries.count);
    uint64_t piece = job->piece ? job->piece : most / s->batch;
    const uint64_t fits = most * 4 / (job->base.dimensions * element_bytes(job)) + 1;
    piece = piece < fits ? piece : fits;
    s->piece = (uint32_t)(piece < job->base.count ? piece : job->base.count);
}

static int open_search(struct search *s)
{
    const struct job *job = s->job;
    const size_t vector = job->base.dimensions * element_bytes(job);
    char options[64];
    cl_int codes[3];
    choose_sizes(s);
    snprintf(options, sizeof options, "-DKNN_BYTES=%d -DKNN_QUERIES=%d", job->base.bytes, BLOCK);
    if (clade_context_create(
            &s->context, &(clade_context_params) { .device = job->device,
                                                   .on_compile = progress_compile }) != CLADE_OK ||
        clade_program_build(
            &s->program, s->context,
            &(clade_program_params) { .file = "tools/knn.cl", .options = options }) != CLADE_OK ||
        clade_program_kernel(&s->kernel, s->program, "knn_distances") != CLADE_OK ||
        clade_adheap_create(&s->sets, s->context,
                            &(clade_adheap_params) { .heaps = s->batch,
                                                     .capacity = (uint32_t)job->k,
                                                     .key = job->base.bytes ? CLADE_U32 : CLADE_F32,
                                                     .keep = 1,
                                                     .values = 1 }) != CLADE_OK)
        return report_error();
    cl_context cl = clade_context_cl_context(s->context);
    s->queue = clade_context_cl_queue(s->context);
    s->turned = malloc(s->piece * vector);
    s->base = clCreateBuffer(cl, CL_MEM_READ_ONLY, s->piece * vector, NULL, &codes[0]);
    s->query = clCreateBuffer(cl, CL_MEM_READ_ONLY, s->batch * vector, NULL, &codes[1]);
    s->distances =
        clCreateBuffer(cl, CL_MEM_READ_WRITE, (size_t)s->batch * s->piece * 4, NULL, &codes[2]);
    for (int i = 0; i < 3; i++)
        if (codes[i] != CL_SUCCESS)
            return fail_cl("clCreateBuffer", codes[i]);
    return s->turned ? EXIT_DONE : fail_cl("malloc", CL_OUT_OF_HOST_MEMORY);
}

static void close_search(struct search *s)
{
    cl_mem buffers[] = { s->base, s->query, s->distances };
    if (s->queue)
        (void)!clade_finish(s->context);
    for (int i = 0; i < 3; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (s->kernel)
        clReleaseKernel(s->kernel);
    clade_adheap_destroy(&s->sets);
    clade_program_destroy(&s->program);
    clade_context_destroy(&s->context);
    free(s->turned);
}

/* A piece of the base to the device, dimension by dimension. */
static cl_int send_piece(struct search *s, uint32_t first, uint32_t count)
{
    const struct vectors *base = &s->job->base;
    const size_t d = base->dimensions;
    for (uint32_t v = 0; v < count; v++)
        for (size_t i = 0; i < d; i++)
            if (base->bytes)
                ((uint8_t *)s->turned)[i * count + v] =
                    ((const uint8_t *)base->elements)[(first + v) * d + i];
            else
                ((float *)s->turned)[i * count + v] =
                    ((const float *)base->elements)[(first + v) * d + i];
    return clEnqueueWriteBuffer(s->queue, s->base, CL_TRUE, 0, count * d * element_bytes(s->job),
                                s->turned, 0, NULL, NULL);
}

/* The distances of `queries` queries to `count` vectors go to the k-sets. With fewer queries than
 * k-sets the last ones are fed what lies there, and nobody looks. */
static int feed_piece(struct search *s, cl_uint queries, uint32_t first, cl_uint count)
{
    const cl_uint dimensions = s->job->base.dimensions;
    const size_t local[2] = { ITEMS, 1 };
    const size_t global[2] = { (count + ITEMS - 1) / ITEMS * ITEMS, (queries + BLOCK - 1) / BLOCK };
    cl_int code = send_piece(s, first, count);
    code = code ? code : clSetKernelArg(s->kernel, 0, sizeof s->base, &s->base);
    code = code ? code : clSetKernelArg(s->kernel, 1, sizeof s->query, &s->query);
    code = code ? code : clSetKernelArg(s->kernel, 2, sizeof s->distances, &s->distances);
    code = code ? code : clSetKernelArg(s->kernel, 3, sizeof count, &count);
    code = code ? code : clSetKernelArg(s->kernel, 4, sizeof queries, &queries);
    code = code ? code : clSetKernelArg(s->kernel, 5, sizeof dimensions, &dimensions);
    code = code
               ? code
               : clEnqueueNDRangeKernel(s->queue, s->kernel, 2, NULL, global, local, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return fail_cl("computing distances", code);
    if (clade_adheap_feed(s->sets, clade_device(s->distances, 0), clade_no_array(), first, count,
                          NULL) != CLADE_OK)
        return report_error();
    return EXIT_DONE;
}

/* Each k-set's root is its farthest vector: taken one by one they come farthest first. */
static int collect(struct search *s, uint32_t first, uint32_t queries)
{
    struct job *job = s->job;
    const size_t k = (size_t)job->k, all = s->batch * k;
    uint32_t *keys = malloc(all * 4), *values = malloc(all * 4);
    int result = EXIT_FAILED;
    if (!keys || !values)
        fprintf(stderr, "clade: memory is out\n");
    else if (clade_adheap_pop(s->sets, clade_host(keys), clade_host(values), (uint32_t)k,
                              clade_no_array(), NULL) != CLADE_OK)
        report_error();
    else
        result = EXIT_DONE;
    for (size_t q = 0; result == EXIT_DONE && q < queries; q++)
        for (size_t i = 0; i < k; i++) {
            job->distances[(first + q) * k + i] = keys[q * k + k - 1 - i];
            job->indices[(first + q) * k + i] = values[q * k + k - 1 - i];
        }
    free(keys);
    free(values);
    return result;
}

static int search_batch(struct search *s, uint32_t first)
{
    const struct vectors *queries = &s->job->queries;
    const size_t vector = queries->dimensions * element_bytes(s->job);
    const uint32_t left = queries->count - first, now = left < s->batch ? left : s->batch;
    if (clade_adheap_clear(s->sets, NULL) != CLADE_OK)
        return report_error();
    const cl_int code =
        clEnqueueWriteBuffer(s->queue, s->query, CL_TRUE, 0, now * vector,
                             (const char *)queries->elements + first * vector, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return fail_cl("clEnqueueWriteBuffer", code);
    int result = EXIT_DONE;
    for (uint32_t at = 0, count; result == EXIT_DONE && at < s->job->base.count; at += count) {
        count = s->job->base.count - at;
        count = count < s->piece ? count : s->piece;
        result = feed_piece(s, now, at, count);
    }
    return result == EXIT_DONE ? collect(s, first, now) : result;
}

static int search(struct job *job)
{
    struct search s = { .job = job };
    int result = open_search(&s);
    const double start = now_ms();
    for (uint32_t q = 0; result == EXIT_DONE && q < job->queries.count; q += s.batch)
        result = search_batch(&s, q);
    job->ms = now_ms() - start;
    close_search(&s);
    return result;
}

/* --- brute force ----------------------------------------------------------------------------- */

static bool is_right(const struct job *job, uint32_t query, uint32_t *all, uint8_t *seen)
{
    const size_t k = (size_t)job->k;
    const uint32_t *distances = job->distances + query * k, *indices = job->indices + query * k;
    for (uint32_t v = 0; v < job->base.count; v++)
        all[v] = vectors_distance(&job->queries, query, &job->base, v);
    bool right = true;
    memset(seen, 0, job->base.count);
    for (size_t i = 0; right && i < k; i++)
        right = indices[i] < job->base.count && seen[indices[i]]++ == 0 &&
                all[indices[i]] == distances[i];
    /* Distances are not negative, so their bits as numbers have their order; NaN comes last. */
    qsort(all, job->base.count, sizeof *all, compare_u32);
    return right && memcmp(all, distances, k * sizeof *all) == 0;
}

static int check(const struct job *job)
{
    uint32_t *all = malloc(job->base.count * sizeof *all), wrong = 0;
    uint8_t *seen = malloc(job->base.count);
    const bool memory = all && seen;
    for (uint32_t q = 0; memory && q < job->queries.count; q++)
        wrong += !is_right(job, q, all, seen);
    free(all);
    free(seen);
    if (!memory)
        fprintf(stderr, "clade: memory is out\n");
    else
        printf("%u of %u queries are wrong\n", wrong, job->queries.count);
    return memory && wrong == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* One line a query: index:distance, nearest first. */
static int write_out(const struct job *job)
{
    struct outfile out;
    FILE *file = outfile_open(&out, job->out);
    for (uint32_t q = 0; file && q < job->queries.count; q++)
        for (size_t i = 0; i < job->k; i++) {
            const size_t at = q * (size_t)job->k + i;
            float real;
            memcpy(&real, &job->distances[at], sizeof real);
            fprintf(file, "%s%u:", i ? " " : "", job->indices[at]);
            if (job->base.bytes)
                fprintf(file, "%u%s", job->distances[at], i + 1 == job->k ? "\n" : "");
            else
                fprintf(file, "%.9g%s", (double)real, i + 1 == job->k ? "\n" : "");
        }
    if (outfile_close(&out))
        return EXIT_DONE;
    fprintf(stderr, "clade: cannot write %s: %s\n", job->out, strerror(errno));
    return EXIT_FAILED;
}

int command_knn(int argc, char **argv)
{
    struct job job = { 0 };
    int result = parse(&job, argc, argv);
    if (result == EXIT_DONE) {
        const size_t results = (size_t)job.queries.count * (size_t)job.k;
        job.distances = malloc(results * sizeof *job.distances);
        job.indices = malloc(results * sizeof *job.indices);
        if (!job.distances || !job.indices) {
            fprintf(stderr, "clade: memory for %zu results is not to be had\n", results);
            result = EXIT_FAILED;
        }
    }
    if (result == EXIT_DONE)
        result = search(&job);
    if (result == EXIT_DONE)
        printf("%u queries, %u vectors of %u %s, k = %" PRIu64 ": %.3f ms\n", job.queries.count,
               job.base.count, job.base.dimensions, job.base.bytes ? "bytes" : "floats", job.k,
               job.ms);
    if (result == EXIT_DONE && job.out)
        result = write_out(&job);
    if (result == EXIT_DONE && job.check)
        result = check(&job);
    vectors_free(&job.base);
    vectors_free(&job.queries);
    free(job.distances);
    free(job.indices);
    return result;
}
