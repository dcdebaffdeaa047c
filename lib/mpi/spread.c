/* SPDX-License-Identifier: Apache-2.0 */
/* Which rank has which interval of an ordered map: by samples when it is built, by exact counts
 * when it is balanced. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/image.h"
#include "mpi/rbtree.h"

enum { BUILD = 100 }; /* beside the operations: all ranks make the same call */

/* --- build ------------------------------------------------------------------------------------ */

/* A rank's samples: how many keys it has, how many samples, and their images. */
enum { SAMPLES = 16, COUNT = 0, USED = 1, HEAD = 2 };

struct weighed {
    uint64_t image;
    double weight;
};

static int ascending(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    return x->image < y->image ? -1 : x->image > y->image;
}

/* 16 log p samples of each rank: no interval gets much more than its part. */
static uint32_t samples_for(int ranks)
{
    uint32_t log = 1;
    while (ranks >> log)
        log++;
    return SAMPLES * log;
}

static void take_samples(const clade_mpi_rbtree *tree, const char *keys, uint64_t count,
                         uint64_t *told, uint32_t samples)
{
    uint64_t random = 0x9e3779b97f4a7c15u * (uint64_t)(tree->map.mpi->rank + 1);
    told[COUNT] = count;
    told[USED] = count < samples ? count : samples;
    for (uint64_t i = 0; i < told[USED]; i++) {
        const uint64_t begin = count / told[USED] * i, part = count / told[USED];
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t at = begin + (part > 1 ? (random >> 33) % part : 0);
        told[HEAD + i] = cladei_mpi_image(keys, at, tree->map.batch.key, CLADE_MIN);
    }
}

/* Splitters where the samples' weights reach 1 / p, 2 / p, ... of all. */
static void divide_by_samples(clade_mpi_rbtree *tree, const uint64_t *told, uint32_t samples,
                              struct weighed *all)
{
    const int ranks = tree->map.mpi->ranks;
    size_t count = 0;
    double total = 0, sum = 0;
    for (int r = 0; r < ranks; r++) {
        const uint64_t *his = told + (size_t)r * (HEAD + samples);
        for (uint64_t i = 0; i < his[USED]; i++)
            all[count++] =
                (struct weighed) { his[HEAD + i], (double)his[COUNT] / (double)his[USED] };
        total += (double)his[COUNT];
    }
    qsort(all, count, sizeof *all, ascending);
    int next = 0;
    for (size_t i = 0; i < count; i++) {
        sum += all[i].weight;
        while (next < ranks - 1 && sum * ranks >= total * (next + 1))
            tree->next[next++] = all[i].image;
    }
    while (next < ranks - 1)
        tree->next[next++] = UINT64_MAX;
}

/* What a build needs: the keys in host memory, and room for samples. */
struct sampling {
    char *copy;
    const char *keys;
    uint64_t *own, *told;
    struct weighed *all;
    uint32_t samples;
};

static clade_status prepare_sampling(struct sampling *s, clade_mpi_rbtree *tree)
{
    clade_status status = CLADE_OK;
    const size_t ranks = (size_t)tree->map.mpi->ranks;
    s->samples = samples_for(tree->map.mpi->ranks);
    s->own = calloc(HEAD + s->samples, sizeof *s->own);
    s->told = calloc(ranks * (HEAD + s->samples), sizeof *s->told);
    s->all = calloc(ranks * s->samples, sizeof *s->all);
    CLADEM_REQUIRE(s->own && s->told && s->all, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

static clade_status check_arrays(const clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                 uint64_t count)
{
    clade_status status = CLADE_OK;
    const uint64_t key = CLADE_TYPE_BYTES(tree->map.batch.key),
                   value = CLADE_TYPE_BYTES(tree->map.batch.value);
    CLADEM_TRY(cladei_mpi_batch_check(count)); /* before any of them is read */
    CLADEM_TRY(cladei_mpi_array_check(tree->map.batch.context, keys, count, key, "keys"));
    CLADEM_REQUIRE(value > 0 || !cladei_mpi_is_given(values), CLADE_E_ARG,
                   "values are given, but the tree has none");
    if (cladei_mpi_is_given(values))
        CLADEM_TRY(cladei_mpi_array_check(tree->map.batch.context, values, count, value, "values"));
fail:
    return status;
}

static clade_status bring_keys(struct sampling *s, clade_mpi_rbtree *tree, clade_array keys,
                               clade_array values, uint64_t count)
{
    clade_status status = CLADE_OK;
    const uint64_t key = CLADE_TYPE_BYTES(tree->map.batch.key);
    CLADEM_TRY(check_arrays(tree, keys, values, count));
    s->keys = keys.host;
    if (!keys.host && count > 0) {
        s->copy = malloc((size_t)(count * key));
        CLADEM_NO_MEMORY(s->copy);
        CLADEM_TRY(cladei_mpi_array_read(tree->map.batch.context, keys, s->copy, count * key));
        s->keys = s->copy;
    }
    take_samples(tree, s->keys, count, s->own, s->samples);
fail:
    return status;
}

static clade_status check_room(const clade_mpi_rbtree *tree, uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(count <= tree->capacity, CLADE_E_FULL,
                   "%" PRIu64 " keys come to this rank; its capacity is %" PRIu64, count,
                   tree->capacity);
fail:
    return status;
}

static clade_status build_own(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                              uint64_t count, int sorted)
{
    const bool has_values = tree->map.batch.value != CLADE_NONE;
    return clade_rbtree_build(tree->own, keys, has_values ? values : clade_no_array(), sorted,
                              count, NULL);
}

static clade_status build_at_once(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                  uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(build_own(tree, keys, values, count, 0));
    CLADEM_TRY(clade_finish(tree->map.batch.context));
fail:
    return status;
}

/* The trees are of the new keys on all ranks, or empty on all. */
static clade_status replace(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                            uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(cladei_mpi_agree(tree->map.mpi, check_room(tree, count), NULL));
    status = cladei_mpi_agree(tree->map.mpi, build_at_once(tree, keys, values, count), NULL);
    if (status != CLADE_OK)
        (void)!clade_rbtree_clear(tree->own, NULL);
fail:
    return status;
}

/* One rank: no key goes anywhere. */
static clade_status build_alone(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(check_arrays(tree, keys, values, count));
    CLADEM_TRY(replace(tree, keys, values, count));
fail:
    return status;
}

static clade_status build_over_ranks(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                     uint64_t count)
{
    clade_status status = CLADE_OK, own;
    struct sampling s = { 0 };
    const struct cladei_mpi_alike alike = { .words = { BUILD }, .names = { "the call" } };
    const struct cladei_mpi_owners owners = { tree->next, (uint32_t)tree->map.mpi->ranks };
    const bool has_values = tree->map.batch.value != CLADE_NONE;
    CLADEM_TRY(cladei_mpi_agree(tree->map.mpi, prepare_sampling(&s, tree), &alike));
    own = bring_keys(&s, tree, keys, values, count);
    const int words = HEAD + (int)s.samples;
    CLADEM_MPI(MPI_Allgather(s.own, words, MPI_UINT64_T, s.told, words, MPI_UINT64_T,
                             tree->map.mpi->comm));
    divide_by_samples(tree, s.told, s.samples, s.all);
    const struct cladei_mpi_job job = {
        .keys = keys, .values = values, .count = count, .sends_values = has_values
    };
    CLADEM_TRY(cladei_mpi_batch_send(&tree->map.batch, own, &owners, &job, NULL));
    const struct cladei_mpi_batch *batch = &tree->map.batch;
    CLADEM_TRY(replace(tree, clade_device(batch->keys_in, 0), clade_device(batch->values_in, 0),
                       batch->receives));
    memcpy(tree->splitters, tree->next, (size_t)tree->map.mpi->ranks * sizeof *tree->next);
fail:
    free(s.copy);
    free(s.own);
    free(s.told);
    free(s.all);
    return status;
}

clade_status clade_mpi_rbtree_build(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                    uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADEM_TRY(tree->map.mpi->ranks == 1 ? build_alone(tree, keys, values, count)
                                         : build_over_ranks(tree, keys, values, count));
fail:
    return status;
}

/* --- balance ---------------------------------------------------------------------------------- */

/* All entries of a rank, ascending. */
struct entries {
    char *keys, *values;
    uint64_t *images;
    uint64_t count;
};

static void free_entries(struct entries *entries)
{
    free(entries->keys);
    free(entries->values);
    free(entries->images);
}

static clade_status allocate_entries(struct entries *entries, const clade_mpi_rbtree *tree,
                                     uint64_t count)
{
    clade_status status = CLADE_OK;
    entries->count = count;
    entries->keys = malloc((size_t)(count * CLADE_TYPE_BYTES(tree->map.batch.key) + 1));
    entries->values = malloc((size_t)(count * CLADE_TYPE_BYTES(tree->map.batch.value) + 1));
    CLADEM_REQUIRE(entries->keys && entries->values, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

static clade_status read_entries(struct entries *entries, clade_mpi_rbtree *tree, uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(allocate_entries(entries, tree, count));
    entries->images = malloc((size_t)(count + 1) * sizeof *entries->images);
    CLADEM_NO_MEMORY(entries->images);
    if (count > 0)
        CLADEM_TRY(clade_rbtree_read(
            tree->own, clade_host(entries->keys),
            tree->map.batch.value == CLADE_NONE ? clade_no_array() : clade_host(entries->values),
            count, &entries->count, NULL));
    for (uint64_t i = 0; i < entries->count; i++)
        entries->images[i] = cladei_mpi_image(entries->keys, i, tree->map.batch.key, CLADE_MIN);
fail:
    return status;
}

/* Rank r is to have the entries from total r / p to total (r + 1) / p, in the order of all. */
static clade_status divide_exactly(clade_mpi_rbtree *tree, const struct entries *old,
                                   uint64_t total)
{
    clade_status status = CLADE_OK;
    const uint64_t ranks = (uint64_t)tree->map.mpi->ranks;
    uint64_t *send = tree->exchange.send, before = 0;
    clade_status own = CLADE_OK;
    for (uint64_t r = 0; r + 1 < ranks; r++) {
        const uint64_t wanted =
            total / ranks * (r + 1) + (total % ranks * (r + 1) + ranks - 1) / ranks;
        struct cladei_mpi_picked picked = { .take = old->count, .last = UINT64_MAX };
        const struct cladei_mpi_row row = { .count = old->count,
                                            .is_all = true,
                                            .images = old->images };
        if (wanted < total) {
            CLADEM_TRY(cladei_mpi_pick(&tree->picker, own, &row, wanted, wanted, &picked));
            own = picked.own;
        }
        tree->next[r] = picked.last;
        send[r] = picked.take - before;
        before = picked.take;
    }
    send[ranks - 1] = old->count - before;
    CLADEM_TRY(cladei_mpi_agree(tree->map.mpi, own, NULL));
fail:
    return status;
}

static clade_status receive(clade_mpi_rbtree *tree, const struct entries *old, struct entries *new)
{
    clade_status status = CLADE_OK, own;
    struct cladei_mpi_exchange *exchange = &tree->exchange;
    CLADEM_TRY(cladei_mpi_exchange_plan(exchange, CLADE_OK));
    own = check_room(tree, exchange->receives);
    if (own == CLADE_OK)
        own = allocate_entries(new, tree, exchange->receives);
    CLADEM_TRY(cladei_mpi_exchange_agree(exchange, own, NULL));
    CLADEM_TRY(cladei_mpi_exchange_move(exchange, old->keys, new->keys,
                                        CLADE_TYPE_BYTES(tree->map.batch.key)));
    if (tree->map.batch.value != CLADE_NONE)
        CLADEM_TRY(cladei_mpi_exchange_move(exchange, old->values, new->values,
                                            CLADE_TYPE_BYTES(tree->map.batch.value)));
fail:
    return status;
}

/* What came lies in order: the ranks' intervals were. If one rank fails, all take back what was. */
static clade_status exchange_trees(clade_mpi_rbtree *tree, const struct entries *old,
                                   const struct entries *new)
{
    clade_status status = CLADE_OK;
    clade_status built = cladei_mpi_agree(
        tree->map.mpi,
        build_own(tree, clade_host(new->keys), clade_host(new->values), new->count, 1), NULL);
    if (built == CLADE_OK) {
        memcpy(tree->splitters, tree->next, (size_t)tree->map.mpi->ranks * sizeof *tree->next);
        return CLADE_OK;
    }
    clade_status back =
        build_own(tree, clade_host(old->keys), clade_host(old->values), old->count, 1);
    if (back != CLADE_OK)
        back = cladei_mpi_fail(CLADE_E_CORRUPT, "this rank's keys could not be put back");
    CLADEM_TRY(cladei_mpi_agree(tree->map.mpi, back, NULL));
    status = clade_error_set(built, 0, "a device failed while trees were built; all are as before");
fail:
    return status;
}

static clade_status balance(clade_mpi_rbtree *tree, uint64_t count, uint64_t total)
{
    clade_status status = CLADE_OK;
    struct entries old = { 0 }, new = { 0 };
    CLADEM_TRY(cladei_mpi_agree(tree->map.mpi, read_entries(&old, tree, count), NULL));
    CLADEM_TRY(divide_exactly(tree, &old, total));
    CLADEM_TRY(receive(tree, &old, &new));
    CLADEM_TRY(exchange_trees(tree, &old, &new));
fail:
    free_entries(&old);
    free_entries(&new);
    return status;
}

clade_status clade_mpi_rbtree_balance(clade_mpi_rbtree *tree, int *moved)
{
    clade_status status = CLADE_OK, own;
    uint64_t count = 0, most, total = 0;
    CLADEM_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    const uint64_t ranks = (uint64_t)tree->map.mpi->ranks;
    own = clade_rbtree_size(tree->own, &count);
    most = count;
    const struct cladei_mpi_alike alike = { .numbers = { &most } };
    CLADEM_TRY(cladei_mpi_agree(tree->map.mpi, own, &alike));
    CLADEM_MPI(MPI_Allreduce(&count, &total, 1, MPI_UINT64_T, MPI_SUM, tree->map.mpi->comm));
    const uint64_t mean = total / ranks + (total % ranks > 0);
    const bool is_uneven = most > mean + mean / 2;
    if (is_uneven)
        CLADEM_TRY(balance(tree, count, total));
    if (moved)
        *moved = is_uneven;
fail:
    return status;
}
