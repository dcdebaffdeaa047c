/* SPDX-License-Identifier: Apache-2.0 */
/* Debug mode on the host: looking through guarded blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kma/kma.h"
#include "object/object.h"

#define CORRUPT(condition, ...) CLADE_REQUIRE((condition), CLADE_E_CORRUPT, __VA_ARGS__)

/* cladei_kma_guard of cl/clade/kma/debug.clh */
struct guard {
    uint32_t mark, size_low, size_high, item;
};

/* What is found of live blocks: the sum of what was asked for, and their refs. */
struct survey {
    uint64_t requested;
    uint32_t *refs; /* NULL, or `room` of them at most */
    uint64_t room, count;
};

static void note(struct survey *survey, uint32_t ref, uint64_t size)
{
    survey->requested += size;
    if (survey->refs && survey->count < survey->room)
        survey->refs[survey->count] = ref;
    survey->count++;
}

/* One cell, or the first page of a block of pages, copied to the host. */
struct place {
    const char *bytes;
    uint32_t unit, units; /* where it begins, and its length */
    bool live;
};

/* The guard of the block in a cell. It lies at the start, or further on when the block is aligned:
 * the mark tells its ref. NULL: there is none of this kind. */
static const struct guard *find_guard(const struct place *place, uint32_t kind, uint32_t *ref)
{
    /* In a free cell other units may hold what an earlier superblock left there. */
    for (uint32_t u = 0; u + 1 < place->units && (u == 0 || place->live); u++) {
        const struct guard *guard =
            (const struct guard *)(const void *)(place->bytes + u * CLADE_KMA_UNIT_BYTES);
        *ref = place->unit + u + 2;
        if (guard->mark == (kind ^ *ref))
            return guard;
    }
    return NULL;
}

static bool all_are(const char *bytes, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        if ((unsigned char)bytes[i] != value)
            return false;
    return true;
}

/* A live cell: its guard is there, and nothing was written behind the block. A free one: poison,
 * unless it was never used since its superblock was made. */
static clade_status check_place(const struct place *place, struct survey *survey)
{
    clade_status status = CLADE_OK;
    uint32_t ref = 0;
    const struct guard *guard =
        find_guard(place, place->live ? CLADE_KMA_DEBUG_LIVE : CLADE_KMA_DEBUG_FREED, &ref);
    CORRUPT(guard || !place->live, "the block in the cell at unit %" PRIu32 " has lost its guard",
            place->unit);
    if (!guard)
        return CLADE_OK;
    const char *block = (const char *)(guard + 1);
    const size_t room =
        (size_t)(place->bytes + (size_t)place->units * CLADE_KMA_UNIT_BYTES - block);
    const uint64_t size = (uint64_t)guard->size_high << 32 | guard->size_low;
    CORRUPT(size <= room, "ref %" PRIu32 ": its guard was written to", ref);
    if (place->live) {
        note(survey, ref, size);
        CORRUPT(all_are(block + size, room - size, CLADE_KMA_DEBUG_CANARY),
                "ref %" PRIu32 " of work-item %" PRIu32 ": bytes past its end were written", ref,
                guard->item);
    } else {
        CORRUPT(all_are(block, size < 65536 ? size : 65536, CLADE_KMA_DEBUG_POISON),
                "ref %" PRIu32 ", last of work-item %" PRIu32 ": written after it was freed", ref,
                guard->item);
    }
fail:
    return status;
}

static clade_status check_superblock(const struct cladei_kma_image *image, const char *data,
                                     uint32_t page, uint32_t info, struct survey *survey)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    const uint32_t units = clade_kma_class_units(CLADE_KMA_INFO_KIND(info) - 1);
    for (uint32_t cell = 0; cell < CLADE_KMA_INFO_CELLS(info); cell++) {
        uint32_t whole = image->words[head->whole_at + page] >> cell / 32 & 1;
        uint32_t word = image->words[head->cells_at + page * 32 + cell / 32];
        CLADE_TRY(check_place(
            &(struct place) { .bytes = data + (size_t)cell * units * CLADE_KMA_UNIT_BYTES,
                              .unit = page * CLADE_KMA_PAGE_UNITS + cell * units,
                              .units = units,
                              .live = !whole && (word >> cell % 32 & 1) },
            survey));
    }
fail:
    return status;
}

/* A block of pages: only its guard, on its first page, is read. */
static clade_status check_block(const char *data, uint32_t page, uint32_t pages,
                                struct survey *survey)
{
    clade_status status = CLADE_OK;
    uint32_t ref = 0;
    const struct place place = { data, page * CLADE_KMA_PAGE_UNITS, CLADE_KMA_PAGE_UNITS + 1,
                                 true };
    const struct guard *guard = NULL;
    for (uint32_t u = 0; u < CLADE_KMA_PAGE_UNITS && !guard; u++) {
        const struct guard *here =
            (const struct guard *)(const void *)(data + u * CLADE_KMA_UNIT_BYTES);
        ref = place.unit + u + 2;
        guard = here->mark == (CLADE_KMA_DEBUG_LIVE ^ ref) ? here : NULL;
    }
    CORRUPT(guard, "the block of pages at page %" PRIu32 " has lost its guard", page);
    const uint64_t size = (uint64_t)guard->size_high << 32 | guard->size_low;
    CORRUPT(size <= (uint64_t)pages * CLADE_KMA_PAGE_BYTES -
                        (uint64_t)((const char *)(guard + 1) - data),
            "the guard of the block of pages at page %" PRIu32 " was written to", page);
    note(survey, ref, size);
fail:
    return status;
}

static clade_status walk(const clade_kma *kma, const struct cladei_kma_image *image,
                         struct survey *survey)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    char *data = malloc(32 * CLADE_KMA_PAGE_BYTES);
    CLADE_NO_MEMORY(data);
    for (uint32_t page = head->first_page; page < head->pages - image->missing; page++) {
        uint32_t info = image->words[head->info_at + page];
        const uint64_t offset = (uint64_t)page * CLADE_KMA_PAGE_BYTES;
        if (info == 0 || (info != CLADE_KMA_BIG && CLADE_KMA_INFO_INDEX(info) != 0))
            continue;
        CORRUPT(cladei_kma_info_is_sound(image, page),
                "page %" PRIu32 ": impossible info %08" PRIx32, page, info);
        uint32_t pages = info == CLADE_KMA_BIG ? 1 : CLADE_KMA_INFO_PAGES(info);
        CLADE_TRY(
            cladei_object_read(&kma->object, offset, data, (size_t)pages * CLADE_KMA_PAGE_BYTES));
        if (info == CLADE_KMA_BIG)
            CLADE_TRY(check_block(data, page, image->words[head->home_at + page], survey));
        else
            CLADE_TRY(check_superblock(image, data, page, info, survey));
    }
fail:
    free(data);
    return status;
}

clade_status cladei_kma_check_guards(const clade_kma *kma, const struct cladei_kma_image *image,
                                     const uint32_t *live, uint64_t count)
{
    clade_status status = CLADE_OK;
    struct survey survey = { .room = live ? count : 0 };
    if (live) {
        survey.refs = calloc(count ? (size_t)count : 1, sizeof *survey.refs);
        CLADE_NO_MEMORY(survey.refs);
    }
    CLADE_TRY(walk(kma, image, &survey));
    if (live)
        CLADE_TRY(cladei_kma_compare_live(survey.refs, survey.count, live, count));
fail:
    free(survey.refs);
    return status;
}

uint64_t cladei_kma_requested(const clade_kma *kma, const struct cladei_kma_image *image)
{
    struct survey survey = { 0 };
    (void)walk(kma, image, &survey); /* what damage there is, clade_kma_check() tells */
    return survey.requested;
}
