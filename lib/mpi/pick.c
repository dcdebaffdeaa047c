/* SPDX-License-Identifier: Apache-2.0 */
/* The first k of many ranks' sorted keys (pick.h).
 *
 * The bound. Let n be a rank's undecided candidates and s its samples. Of a sample t of any rank,
 * the rank knows to n / s how many of its own come before t or are t: between L and U, which are
 * sums over the ranks. `low` is the last sample with U <= k: all up to it are taken. `high` is the
 * first with L >= k: nothing after it is. The sample after `low` has U > k, so its L is above
 * k - N / s; the one before `high` has L < k, so its U is below k + N / s. One sample more on each
 * side is another n / s: at most 4 N / s stay. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/pick.h"

/* A candidate: its image, its place in its row, its rank; and which sample of its rank it is. */
struct cladei_mpi_sample {
    uint64_t image, place;
    uint32_t rank, number;
};

/* What a rank tells comes before its samples. */
enum { FAILED, BEGIN, END, COUNT, LAST, IS_ALL, HEAD };
enum { SAMPLES_MIN = 16, SAMPLES_MAX = 256, SAMPLES_ALL = 1024, ROUNDS_MAX = 100 };

clade_status cladei_mpi_picker_make(struct cladei_mpi_picker *picker, clade_mpi *mpi)
{
    clade_status status = CLADE_OK;
    const size_t ranks = (size_t)mpi->ranks;
    uint32_t samples = SAMPLES_ALL / (uint32_t)mpi->ranks;
    samples = samples < SAMPLES_MIN ? SAMPLES_MIN : samples;
    samples = samples > SAMPLES_MAX ? SAMPLES_MAX : samples;
    *picker = (struct cladei_mpi_picker) { .mpi = mpi, .samples = samples };
    picker->own = calloc(HEAD + samples, sizeof *picker->own);
    picker->all = calloc(ranks * (HEAD + samples), sizeof *picker->all);
    picker->order = calloc(ranks * samples, sizeof *picker->order);
    picker->lower = calloc(2 * ranks, sizeof *picker->lower);
    picker->upper = picker->lower ? picker->lower + ranks : NULL;
    CLADEM_REQUIRE(picker->own && picker->all && picker->order && picker->lower, CLADE_E_NOMEM,
                   "host memory is out");
    return CLADE_OK;

fail:
    cladei_mpi_picker_free(picker);
    return status;
}

void cladei_mpi_picker_free(struct cladei_mpi_picker *picker)
{
    free(picker->own);
    free(picker->all);
    free(picker->order);
    free(picker->lower);
    *picker = (struct cladei_mpi_picker) { 0 };
}

/* --- what ranks tell -------------------------------------------------------------------------- */

static uint64_t told_by(const struct cladei_mpi_picker *picker, uint32_t rank, int word)
{
    return picker->all[rank * (size_t)(HEAD + picker->samples) + (size_t)word];
}

static uint64_t left_at(const struct cladei_mpi_picker *picker, uint32_t rank)
{
    return told_by(picker, rank, END) - told_by(picker, rank, BEGIN);
}

static uint32_t samples_of(uint64_t left, uint32_t most)
{
    return left < most ? (uint32_t)left : most;
}

/* How many of `left` candidates lie up to sample `i` and are it. The last sample is the last one.
 */
static uint64_t up_to(uint64_t left, uint32_t samples, uint32_t i)
{
    return left / samples * (i + 1) + left % samples * (i + 1) / samples;
}

static clade_status tell(struct cladei_mpi_picker *picker, clade_status own,
                         const struct cladei_mpi_row *row, uint64_t begin, uint64_t end)
{
    clade_status status = CLADE_OK;
    const uint32_t samples = samples_of(end - begin, picker->samples);
    const int words = HEAD + (int)picker->samples;
    uint64_t *told = picker->own;
    told[FAILED] = (uint64_t)-own;
    told[BEGIN] = begin;
    told[END] = end;
    told[COUNT] = row->count;
    told[LAST] = row->count > 0 ? row->images[row->count - 1] : 0;
    told[IS_ALL] = row->is_all;
    for (uint32_t i = 0; i < samples; i++)
        told[HEAD + i] = row->images[begin + up_to(end - begin, samples, i) - 1];
    CLADEM_MPI(MPI_Allgather(told, words, MPI_UINT64_T, picker->all, words, MPI_UINT64_T,
                             picker->mpi->comm));
    for (int r = 0; r < picker->mpi->ranks; r++) {
        const uint64_t failed = told_by(picker, (uint32_t)r, FAILED);
        if (failed)
            return cladei_mpi_told(picker->mpi, r, -(int)failed);
    }
fail:
    return status;
}

static bool comes_before(const struct cladei_mpi_sample *a, const struct cladei_mpi_sample *b)
{
    if (a->image != b->image)
        return a->image < b->image;
    return a->place != b->place ? a->place < b->place : a->rank < b->rank;
}

static int compare(const void *a, const void *b)
{
    return comes_before(a, b) ? -1 : comes_before(b, a);
}

/* All samples in order. Returns how many. */
static size_t sort_samples(struct cladei_mpi_picker *picker)
{
    size_t count = 0;
    for (uint32_t r = 0; r < (uint32_t)picker->mpi->ranks; r++) {
        const uint64_t left = left_at(picker, r);
        const uint32_t samples = samples_of(left, picker->samples);
        for (uint32_t i = 0; i < samples; i++)
            picker->order[count++] = (struct cladei_mpi_sample) {
                told_by(picker, r, HEAD + (int)i),
                told_by(picker, r, BEGIN) + up_to(left, samples, i) - 1,
                r,
                i,
            };
    }
    qsort(picker->order, count, sizeof *picker->order, compare);
    return count;
}

/* --- conclusions ------------------------------------------------------------------------------ */

/* Cuts: everything up to `low` is taken (if there is one), nothing after `high` is. A single cut is
 * both. */
struct bounds {
    bool has_low, is_cut;
    struct cladei_mpi_sample low, high;
};

/* The walk over the samples: between `least` and `most` of what is undecided are to be taken. */
static struct bounds conclude(struct cladei_mpi_picker *picker, uint64_t least, uint64_t most)
{
    struct bounds bounds = { 0 };
    const size_t count = sort_samples(picker);
    uint64_t lower = 0, upper = 0;
    for (uint32_t r = 0; r < (uint32_t)picker->mpi->ranks; r++) {
        const uint64_t left = left_at(picker, r);
        picker->lower[r] = 0;
        picker->upper[r] = left ? up_to(left, samples_of(left, picker->samples), 0) - 1 : 0;
        upper += picker->upper[r];
    }
    for (size_t i = 0; i < count; i++) {
        const struct cladei_mpi_sample *sample = &picker->order[i];
        const uint32_t r = sample->rank;
        const uint64_t left = left_at(picker, r), before = lower;
        const uint32_t samples = samples_of(left, picker->samples);
        const uint64_t here = up_to(left, samples, sample->number);
        const uint64_t next =
            sample->number + 1 < samples ? up_to(left, samples, sample->number + 1) - 1 : left;
        lower += here - picker->lower[r];
        upper += next - picker->upper[r];
        picker->lower[r] = here;
        picker->upper[r] = next;
        if (lower >= least && upper <= most)
            return (struct bounds) { true, true, *sample, *sample };
        if (upper <= least) {
            bounds.low = *sample;
            bounds.has_low = true;
        }
        if (before < least && lower >= least)
            bounds.high = *sample;
    }
    return bounds;
}

static uint64_t first_from(const uint64_t *images, uint64_t begin, uint64_t end, uint64_t image)
{
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (images[middle] < image)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The place after the last of this row's candidates up to the cut. */
static uint64_t place_of(const struct cladei_mpi_row *row, uint32_t rank, uint64_t begin,
                         uint64_t end, const struct cladei_mpi_sample *cut)
{
    const uint64_t first = first_from(row->images, begin, end, cut->image);
    const uint64_t last =
        cut->image == UINT64_MAX ? end : first_from(row->images, first, end, cut->image + 1);
    const uint64_t place = cut->place + (rank <= cut->rank);
    return place < first ? first : place > last ? last : place;
}

/* Whether what a rank has not brought may come before the cut: the next one is at its row's end,
 * and its key is the row's last one at least. Who brought as many as may be taken in all has
 * nothing to add. */
static bool is_short(const struct cladei_mpi_picker *picker, uint32_t rank, uint64_t most,
                     const struct cladei_mpi_sample *cut_or_null)
{
    const struct cladei_mpi_sample next = { told_by(picker, rank, LAST),
                                            told_by(picker, rank, COUNT), rank, 0 };
    if (told_by(picker, rank, IS_ALL) || next.place >= most)
        return false;
    return !cut_or_null || next.place == 0 || comes_before(&next, cut_or_null);
}

static void finish(const struct cladei_mpi_picker *picker, struct cladei_mpi_picked *picked,
                   uint64_t most, const struct cladei_mpi_sample *cut_or_null)
{
    for (uint32_t r = 0; r < (uint32_t)picker->mpi->ranks; r++)
        picked->some_short |= is_short(picker, r, most, cut_or_null);
    picked->is_short = is_short(picker, (uint32_t)picker->mpi->rank, most, cut_or_null);
    picked->last = cut_or_null ? cut_or_null->image : 0;
}

clade_status cladei_mpi_pick(struct cladei_mpi_picker *picker, clade_status own,
                             const struct cladei_mpi_row *row, uint64_t least, uint64_t most,
                             struct cladei_mpi_picked *picked)
{
    clade_status status = CLADE_OK;
    const uint32_t rank = (uint32_t)picker->mpi->rank;
    uint64_t begin = 0, end = own == CLADE_OK ? row->count : 0;
    struct cladei_mpi_sample low = { 0 }, high = { 0 };
    *picked = (struct cladei_mpi_picked) { 0 };
    for (int round = 0; round < ROUNDS_MAX; round++) {
        uint64_t taken = 0, left = 0;
        CLADEM_TRY(tell(picker, own, row, begin, end));
        for (uint32_t r = 0; r < (uint32_t)picker->mpi->ranks; r++) {
            taken += told_by(picker, r, BEGIN);
            left += left_at(picker, r);
        }
        if (left + taken <= least) { /* all there are, or all up to `high`, of an earlier round */
            picked->take = end;
            picked->total = left + taken;
            finish(picker, picked, most, round > 0 ? &high : NULL);
            return CLADE_OK;
        }
        if (taken == least) { /* all up to `low`, of an earlier round */
            picked->take = begin;
            picked->total = taken;
            finish(picker, picked, most, &low);
            return CLADE_OK;
        }
        const struct bounds bounds = conclude(picker, least - taken, most - taken);
        const uint64_t from = begin;
        high = bounds.high;
        end = place_of(row, rank, from, end, &bounds.high);
        if (bounds.has_low) {
            low = bounds.low;
            begin = place_of(row, rank, from, end, &low);
        }
        if (bounds.is_cut) {
            picked->take = end;
            picked->total = least;
            finish(picker, picked, most, &bounds.high);
            return CLADE_OK;
        }
    }
    CLADEM_REQUIRE(false, CLADE_E_CORRUPT, "the keys of some rank are not in order");
fail:
    return status;
}
