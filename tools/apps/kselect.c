/* SPDX-License-Identifier: Apache-2.0 */
/* `clade kselect`: select from random rows, say how long it took, and compare every row. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/clade.h"
#include "common/clock.h"
#include "common/compare.h"
#include "common/options.h"
#include "common/progress.h"

struct job {
    clade_kselect_params params;
    uint64_t rows, seed;
    bool check;
    const char *device;
    uint32_t *keys, *out, *indices;
};

static int parse(struct job *job, int argc, char **argv)
{
    static const struct option options[] = {
        { "rows", required_argument, NULL, 'r' },
        { "length", required_argument, NULL, 'l' },
        { "k", required_argument, NULL, 'k' },
        { "largest", no_argument, NULL, 'g' },
        { "sorted", no_argument, NULL, 's' },
        { "seed", required_argument, NULL, 'e' },
        { "device", required_argument, NULL, 'd' },
        { "check", no_argument, NULL, 'c' },
        { NULL, 0, NULL, 0 },
    };
    bool fine = true;
    for (int c; (c = getopt_long(argc, argv, "d:", options, NULL)) != -1;) {
        fine = fine && c != '?';
        job->params.order = c == 'g' ? CLADE_MAX : job->params.order;
        job->params.output = c == 's' ? CLADE_KSELECT_SORTED : job->params.output;
        job->check = job->check || c == 'c';
        job->device = c == 'd' ? optarg : job->device;
        uint64_t *const number = c == 'r'   ? &job->rows
                                 : c == 'l' ? &job->params.length
                                 : c == 'k' ? &job->params.k
                                 : c == 'e' ? &job->seed
                                            : NULL;
        fine = fine && (!number || option_number(optarg, 0, UINT64_MAX, number));
    }
    if (!fine || optind != argc || job->rows == 0 || job->params.length == 0 || job->params.k == 0)
        return report_usage("kselect", "rows, length and k are needed, each a number from 1 on");
    return EXIT_DONE;
}

static bool make_rows(struct job *job)
{
    const clade_kselect_params *p = &job->params;
    const uint64_t longer = p->length > p->k ? p->length : p->k;
    const bool fits = longer <= SIZE_MAX / sizeof *job->keys / job->rows;
    const size_t count = job->rows * p->length, results = job->rows * p->k;
    uint64_t x = job->seed * 2 + 1;
    job->keys = fits ? malloc(count * sizeof *job->keys) : NULL;
    job->out = fits ? malloc(results * sizeof *job->out) : NULL;
    job->indices = fits ? malloc(results * sizeof *job->indices) : NULL;
    if (!job->keys || !job->out || !job->indices) {
        fprintf(stderr, "clade: memory for %" PRIu64 " rows of %" PRIu64 " keys is not to be had\n",
                job->rows, p->length);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        job->keys[i] = (uint32_t)(x >> 16);
    }
    return true;
}

/* A key as a word that sorts as the selection does. */
static uint32_t word_of(const struct job *job, uint32_t key)
{
    const uint32_t word = key ^ 0x80000000u;
    return job->params.order == CLADE_MAX ? ~word : word;
}

static bool row_is_right(const struct job *job, uint64_t row, uint32_t *wanted, uint32_t *got)
{
    const uint64_t length = job->params.length, k = job->params.k;
    const uint32_t *keys = job->keys + row * length, *indices = job->indices + row * k;
    bool right = true;
    for (uint64_t i = 0; i < length; i++)
        wanted[i] = word_of(job, keys[i]);
    qsort(wanted, length, sizeof *wanted, compare_u32);
    for (uint64_t i = 0; right && i < k; i++) {
        right = indices[i] < length && keys[indices[i]] == job->out[row * k + i];
        got[i] = word_of(job, job->out[row * k + i]);
    }
    if (job->params.output != CLADE_KSELECT_SORTED)
        qsort(got, k, sizeof *got, compare_u32);
    return right && memcmp(got, wanted, k * sizeof *got) == 0;
}

static int check_rows(const struct job *job)
{
    uint32_t *wanted = malloc(job->params.length * sizeof *wanted);
    uint32_t *got = malloc(job->params.k * sizeof *got);
    uint64_t wrong = 0;
    if (!wanted || !got) {
        free(wanted);
        free(got);
        fprintf(stderr, "clade: memory is out\n");
        return EXIT_FAILED;
    }
    for (uint64_t row = 0; row < job->rows; row++)
        wrong += !row_is_right(job, row, wanted, got);
    free(wanted);
    free(got);
    printf("%" PRIu64 " of %" PRIu64 " rows are wrong\n", wrong, job->rows);
    return wrong ? EXIT_FAILED : EXIT_DONE;
}

/* From host memory and back; then once more, without what the first run sets up, for the time. */
static int select_rows(struct job *job, clade_context *context)
{
    clade_kselect *s = NULL;
    double ms = 0;
    clade_status status = clade_kselect_create(&s, context, &job->params);
    for (int run = 0; run < 2 && status == CLADE_OK; run++) {
        const double start = now_ms();
        status = clade_kselect_run(s, clade_host(job->keys), clade_host(job->out),
                                   clade_host(job->indices), job->rows, NULL);
        ms = now_ms() - start;
    }
    if (status != CLADE_OK)
        report_error();
    else
        printf("%" PRIu64 " rows of %" PRIu64 ", k = %" PRIu64 ": %.3f ms with transfers\n",
               job->rows, job->params.length, job->params.k, ms);
    clade_kselect_destroy(&s);
    return status == CLADE_OK ? EXIT_DONE : EXIT_FAILED;
}

int command_kselect(int argc, char **argv)
{
    struct job job = { .params = { .indices = 1 }, .seed = 1 };
    clade_context *context = NULL;
    int result = parse(&job, argc, argv);
    if (result != EXIT_DONE)
        return result;
    if (clade_context_create(
            &context, &(clade_context_params) { .device = job.device,
                                                .on_compile = progress_compile }) != CLADE_OK)
        return report_error();
    result = make_rows(&job) ? select_rows(&job, context) : EXIT_FAILED;
    if (result == EXIT_DONE && job.check)
        result = check_rows(&job);
    clade_context_destroy(&context);
    free(job.keys);
    free(job.out);
    free(job.indices);
    return result;
}
