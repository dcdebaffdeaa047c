/* SPDX-License-Identifier: Apache-2.0 */
/* `clade-mpi kselect`: select from one random row that is spread over ranks, say how long it took,
 * and look at every key. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/compare.h"
#include "common/options.h"
#include "mpi/ranks.h"

struct job {
    clade_kselect_params params; /* of this rank's part; k of the whole row */
    uint64_t length, seed, first;
    bool check;
    const char *device;
    uint32_t *keys, *out;
    uint64_t *indices;
    double ms;
};

static int parse(struct job *job, int argc, char **argv)
{
    static const struct option options[] = {
        { "length", required_argument, NULL, 'l' },
        { "k", required_argument, NULL, 'k' },
        { "largest", no_argument, NULL, 'g' },
        { "seed", required_argument, NULL, 'e' },
        { "device", required_argument, NULL, 'd' },
        { "check", no_argument, NULL, 'c' },
        { NULL, 0, NULL, 0 },
    };
    bool fine = true;
    for (int c; (c = getopt_long(argc, argv, "d:", options, NULL)) != -1;) {
        fine = fine && c != '?';
        job->params.order = c == 'g' ? CLADE_MAX : job->params.order;
        job->check = job->check || c == 'c';
        job->device = c == 'd' ? optarg : job->device;
        uint64_t *const number = c == 'l'   ? &job->length
                                 : c == 'k' ? &job->params.k
                                 : c == 'e' ? &job->seed
                                            : NULL;
        fine = fine && (!number || option_number(optarg, 0, UINT64_MAX / 64, number));
    }
    if (!fine || optind != argc || job->length == 0 || job->params.k == 0)
        return report_usage("kselect", "length and k are needed, each a number from 1 on");
    return EXIT_DONE;
}

/* Key i of the row, whichever rank has it. */
static uint32_t key_at(uint64_t seed, uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u ^ seed * 0xd1342543de82ef95u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(x >> 32);
}

static clade_status make_part(struct job *job)
{
    const uint64_t ranks = (uint64_t)clade_mpi_ranks(ranks_all),
                   me = (uint64_t)clade_mpi_rank(ranks_all);
    const uint64_t end = job->length / ranks * (me + 1) + job->length % ranks * (me + 1) / ranks;
    job->first = job->length / ranks * me + job->length % ranks * me / ranks;
    job->params.length = end - job->first;
    job->keys = malloc((size_t)job->params.length * sizeof *job->keys + 1);
    job->out = malloc((size_t)job->params.k * sizeof *job->out);
    job->indices = malloc((size_t)job->params.k * sizeof *job->indices);
    if (!job->keys || !job->out || !job->indices)
        return ranks_fail(CLADE_E_NOMEM, "memory for %" PRIu64 " keys is not to be had",
                          job->params.length);
    for (uint64_t i = 0; i < job->params.length; i++)
        job->keys[i] = key_at(job->seed, job->first + i);
    return CLADE_OK;
}

/* From host memory and back to rank 0; then once more, without what the first run sets up, for the
 * time. */
static clade_status select_keys(struct job *job, clade_context *context)
{
    clade_mpi_kselect *selector = NULL;
    clade_status status = clade_mpi_kselect_create(&selector, ranks_all, context, &job->params);
    for (int run = 0; run < 2 && status == CLADE_OK; run++) {
        const double start = now_ms();
        status = clade_mpi_kselect_run_at(selector, 0, clade_host(job->keys), clade_host(job->out),
                                          clade_host(job->indices));
        job->ms = now_ms() - start;
    }
    clade_mpi_kselect_destroy(&selector);
    return status;
}

/* A key as a word that sorts as the selection does. */
static uint32_t word_of(const struct job *job, uint32_t key)
{
    const uint32_t word = key ^ 0x80000000u;
    return job->params.order == CLADE_MAX ? ~word : word;
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Results are in order, each stands where it says, and none comes twice. */
static uint64_t wrong_results(struct job *job)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < job->params.k; i++)
        wrong += job->indices[i] >= job->length ||
                 key_at(job->seed, job->indices[i]) != job->out[i] ||
                 (i > 0 && word_of(job, job->out[i - 1]) > word_of(job, job->out[i]));
    qsort(job->indices, (size_t)job->params.k, sizeof *job->indices, compare_u64);
    for (uint64_t i = 1; i < job->params.k; i++)
        wrong += job->indices[i - 1] == job->indices[i];
    return wrong;
}

/* All keys before the last result are results. */
static int check_row(struct job *job)
{
    const uint64_t k = job->params.k;
    uint64_t sums[2] = { 0, 0 }, wrong = 0; /* keys before it: in the row; of the results */
    uint32_t last = clade_mpi_rank(ranks_all) == 0 ? job->out[k - 1] : 0;
    MPI_Bcast(&last, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    for (uint64_t i = 0; i < job->params.length; i++)
        sums[0] += word_of(job, job->keys[i]) < word_of(job, last);
    if (clade_mpi_rank(ranks_all) == 0) {
        for (uint64_t i = 0; i < k; i++)
            sums[1] += word_of(job, job->out[i]) < word_of(job, last);
        wrong = wrong_results(job);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&wrong, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    wrong += sums[0] > sums[1] ? sums[0] - sums[1] : sums[1] - sums[0];
    printf("%" PRIu64 " of %" PRIu64 " results are wrong\n", wrong, k);
    return wrong ? EXIT_FAILED : EXIT_DONE;
}

int command_mpi_kselect(int argc, char **argv)
{
    struct job job = { .params = { .indices = 1 }, .seed = 1 };
    clade_context *context = NULL;
    int result = parse(&job, argc, argv);
    if (result != EXIT_DONE)
        return result;
    const clade_context_params params = { .device = job.device };
    clade_status status = clade_mpi_agree(ranks_all, make_part(&job));
    if (status == CLADE_OK)
        status = clade_mpi_context_create(&context, ranks_all, &params);
    if (status == CLADE_OK)
        status = select_keys(&job, context);
    if (!succeeded(status))
        result = EXIT_FAILED;
    else
        printf("a row of %" PRIu64 " on %d ranks, k = %" PRIu64 ": %.3f ms with transfers\n",
               job.length, clade_mpi_ranks(ranks_all), job.params.k, job.ms);
    if (result == EXIT_DONE && job.check)
        result = check_row(&job);
    clade_context_destroy(&context);
    free(job.keys);
    free(job.out);
    free(job.indices);
    return result;
}
