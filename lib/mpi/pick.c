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
enum { SAMPLES_MIN = 16, SAMPLES_MAX = 256, SAMPLES_ALL = 4096, ROUNDS_MAX = 100 };

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
    picker->spare = calloc(ranks * samples, sizeof *picker->spare);
    picker->lower = calloc(2 * ranks, sizeof *picker->lower);
    picker->upper = picker->lower ? picker->lower + ranks : NULL;
    CLADEM_REQUIRE(picker->own && picker->all && picker->order && picker->spare && picker->lower,
                   CLADE_E_NOMEM, "host memory is out");
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
    free(picker->spare);
    free(picker->lower);
    free(picker->block);
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
    return i + 1 < samples ? left / samples * (i + 1) : left;
}

static clade_status read_row(const struct cladei_mpi_row *row, uint64_t first, uint64_t step,
                             uint64_t count, uint64_t *images)
{
    if (count == 0)
        return CLADE_OK;
    if (!row->images)
        return row->read(row->data, first, step, count, images);
    for (uint64_t i = 0; i < count; i++)
        images[i] = row->images[first + i * step];
    return CLADE_OK;
}

static clade_status read_samples(struct cladei_mpi_picker *picker, const struct cladei_mpi_row *row,
                                 uint64_t begin, uint64_t end)
{
    clade_status status = CLADE_OK;
    const uint32_t samples = samples_of(end - begin, picker->samples);
    if (samples == 0)
        return CLADE_OK;
    const uint64_t step = (end - begin) / samples;
    CLADEM_TRY(read_row(row, begin + step - 1, step, samples - 1, picker->own + HEAD));
    CLADEM_TRY(read_row(row, end - 1, 1, 1, picker->own + HEAD + samples - 1));
fail:
    return status;
}

/* What a rank tells of its undecided candidates. The first time, the last of them is its last one.
 */
static clade_status tell(struct cladei_mpi_picker *picker, clade_status own,
                         const struct cladei_mpi_row *row, uint64_t begin, uint64_t end)
{
    clade_status status = CLADE_OK;
    const int words = HEAD + (int)picker->samples;
    uint64_t *told = picker->own;
    if (own == CLADE_OK)
        own = read_samples(picker, row, begin, end);
    told[FAILED] = (uint64_t)-own;
    told[BEGIN] = begin;
    told[END] = end;
    told[COUNT] = row->count;
    told[IS_ALL] = row->is_all;
    if (begin == 0 && end == row->count && end > 0)
        told[LAST] = told[HEAD + samples_of(end, picker->samples) - 1];
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

static void merge_two(const struct cladei_mpi_sample *from, size_t first, size_t second,
                      struct cladei_mpi_sample *to)
{
    const struct cladei_mpi_sample *a = from, *b = from + first;
    const struct cladei_mpi_sample *a_end = b, *b_end = b + second;
    while (a < a_end && b < b_end)
        *to++ = comes_before(b, a) ? *b++ : *a++;
    while (a < a_end)
        *to++ = *a++;
    while (b < b_end)
        *to++ = *b++;
}

/* Neighbouring runs are merged until one is left; `counts` has their lengths. */
static void merge(struct cladei_mpi_picker *picker, uint64_t *counts, int runs)
{
    while (runs > 1) {
        struct cladei_mpi_sample *merged = picker->spare;
        size_t at = 0;
        for (int i = 0; i < runs; i += 2) {
            const size_t first = (size_t)counts[i],
                         second = i + 1 < runs ? (size_t)counts[i + 1] : 0;
            merge_two(picker->order + at, first, second, merged + at);
            at += first + second;
            counts[i / 2] = first + second;
        }
        runs = (runs + 1) / 2;
        picker->spare = picker->order;
        picker->order = merged;
    }
}

/* All samples in order: each rank's are. Returns how many. */
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
        picker->lower[r] = samples; /* free until the walk begins */
    }
    merge(picker, picker->lower, picker->mpi->ranks);
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

/* How many of a row's samples are not after the cut. */
static uint32_t samples_up_to(const struct cladei_mpi_picker *picker, uint64_t begin, uint64_t left,
                              const struct cladei_mpi_sample *cut)
{
    const uint32_t samples = samples_of(left, picker->samples);
    uint32_t first = 0, last = samples;
    while (first < last) {
        const uint32_t i = first + (last - first) / 2;
        const struct cladei_mpi_sample sample = { picker->own[HEAD + i],
                                                  begin + up_to(left, samples, i) - 1,
                                                  (uint32_t)picker->mpi->rank, i };
        if (comes_before(cut, &sample))
            last = i;
        else
            first = i + 1;
    }
    return first;
}

static clade_status read_block(struct cladei_mpi_picker *picker, const struct cladei_mpi_row *row,
                               uint64_t first, uint64_t count)
{
    clade_status status = CLADE_OK;
    if (count > picker->block_room) {
        uint64_t *grown = realloc(picker->block, (size_t)count * sizeof *grown);
        CLADEM_NO_MEMORY(grown);
        picker->block = grown;
        picker->block_room = count;
    }
    CLADEM_TRY(read_row(row, first, 1, count, picker->block));
fail:
    return status;
}

/* The place after the last of this row's undecided candidates up to the cut: it is in a block
 * between two samples. */
static clade_status find_place(struct cladei_mpi_picker *picker, const struct cladei_mpi_row *row,
                               uint64_t begin, uint64_t end, const struct cladei_mpi_sample *cut,
                               uint64_t *place)
{
    clade_status status = CLADE_OK;
    const uint64_t left = end - begin;
    const uint32_t samples = samples_of(left, picker->samples);
    const uint32_t upto = samples_up_to(picker, begin, left, cut);
    *place = end;
    if (upto == samples)
        return CLADE_OK;
    const uint64_t from = upto > 0 ? begin + up_to(left, samples, upto - 1) : begin;
    const uint64_t count = begin + up_to(left, samples, upto) - 1 - from;
    CLADEM_TRY(read_block(picker, row, from, count));
    const uint64_t first = from + first_from(picker->block, 0, count, cut->image);
    const uint64_t last = cut->image == UINT64_MAX ? from + count
                                                   : from + first_from(picker->block, first - from,
                                                                       count, cut->image + 1);
    const uint64_t next = cut->place + ((uint32_t)picker->mpi->rank <= cut->rank);
    *place = next < first ? first : next > last ? last : next;
fail:
    return status;
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

/* Up to `low` all are taken, after `high` none: what is left of the rank's own. */
static clade_status narrow(struct cladei_mpi_picker *picker, const struct cladei_mpi_row *row,
                           const struct bounds *bounds, uint64_t *begin, uint64_t *end)
{
    clade_status status = CLADE_OK;
    uint64_t low = *begin, high = *end;
    CLADEM_TRY(find_place(picker, row, *begin, *end, &bounds->high, &high));
    if (bounds->is_cut)
        low = high;
    else if (bounds->has_low)
        CLADEM_TRY(find_place(picker, row, *begin, *end, &bounds->low, &low));
    *begin = low;
    *end = high;
fail:
    return status;
}

clade_status cladei_mpi_pick(struct cladei_mpi_picker *picker, clade_status own,
                             const struct cladei_mpi_row *row, uint64_t least, uint64_t most,
                             struct cladei_mpi_picked *picked)
{
    clade_status status = CLADE_OK;
    uint64_t begin = 0, end = own == CLADE_OK ? row->count : 0;
    struct cladei_mpi_sample low = { 0 }, high = { 0 };
    *picked = (struct cladei_mpi_picked) { 0 };
    for (int round = 0; round < ROUNDS_MAX; round++) {
        const struct cladei_mpi_sample *cut = NULL;
        uint64_t taken = 0, left = 0;
        CLADEM_TRY(tell(picker, own, row, begin, end));
        for (uint32_t r = 0; r < (uint32_t)picker->mpi->ranks; r++) {
            taken += told_by(picker, r, BEGIN);
            left += left_at(picker, r);
        }
        picked->total = least;
        if (left + taken <= least) { /* all there are, or all up to `high`, of an earlier round */
            picked->take = end;
            picked->total = left + taken;
            cut = round > 0 ? &high : NULL;
        } else if (taken == least) { /* all up to `low`, of an earlier round */
            picked->take = begin;
            cut = &low;
        } else {
            const struct bounds bounds = conclude(picker, least - taken, most - taken);
            own = narrow(picker, row, &bounds, &begin, &end);
            high = bounds.high;
            low = bounds.has_low ? bounds.low : low;
            if (!bounds.is_cut)
                continue;
            picked->take = end;
            picked->own = own;
            cut = &high;
        }
        finish(picker, picked, most, cut);
        return CLADE_OK;
    }
    CLADEM_REQUIRE(false, CLADE_E_CORRUPT, "the keys of some rank are not in order");
fail:
    return status;
}
