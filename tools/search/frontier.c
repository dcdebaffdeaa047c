/* SPDX-License-Identifier: Apache-2.0 */
#include "search/frontier.h"

#include "common/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often in a row a wait of the heap may give up in one call. */
enum { ATTEMPTS = 4 };

/* Entries outside the heap, greatest key first. */
struct frontier_run {
    struct frontier_run *next;
    uint64_t at, count; /* entries at .. count - 1 are left */
    void *keys, *values;
};

/* --- failing -------------------------------------------------------------------------------- */

static bool fail(struct frontier *f, const char *sentence)
{
    snprintf(f->error, sizeof f->error, "%s", sentence);
    return false;
}

static bool clade_ok(struct frontier *f, clade_status status)
{
    return failure_none(f->error, sizeof f->error, status);
}

static bool cl_ok(struct frontier *f, const char *call, cl_int code)
{
    return failure_none_cl(f->error, sizeof f->error, call, code);
}

/* --- words of either width ------------------------------------------------------------------ */

static uint64_t word_at(const struct frontier *f, const void *words, uint64_t i)
{
    return f->width == 8 ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
}

static void *words_from(const struct frontier *f, void *words, uint64_t i)
{
    return (unsigned char *)words + (size_t)i * f->width;
}

/* --- runs ----------------------------------------------------------------------------------- */

static void run_free(struct frontier_run *run)
{
    if (!run)
        return;
    free(run->keys);
    free(run->values);
    free(run);
}

static struct frontier_run *run_create(struct frontier *f, uint64_t count)
{
    struct frontier_run *run = calloc(1, sizeof *run);
    if (run) {
        run->keys = malloc((size_t)count * f->width + 1);
        run->values = malloc((size_t)count * f->width + 1);
        run->count = count;
    }
    if (!run || !run->keys || !run->values) {
        run_free(run);
        fail(f, "host memory is out for the nodes that the device's heap has no room for");
        return NULL;
    }
    return run;
}

/* Takes `run`. */
static void keep_run(struct frontier *f, struct frontier_run *run)
{
    if (run->at == run->count) {
        run_free(run);
        return;
    }
    run->next = f->runs;
    f->runs = run;
    f->stored += run->count - run->at;
}

static void run_free_all(struct frontier *f)
{
    while (f->runs) {
        struct frontier_run *next = f->runs->next;
        run_free(f->runs);
        f->runs = next;
    }
    f->stored = 0;
}

static uint64_t head(const struct frontier *f, const struct frontier_run *run)
{
    return word_at(f, run->keys, run->at);
}

/* Where in a run keys below `floor` begin. */
static uint64_t live_end(const struct frontier *f, const struct frontier_run *run, uint64_t floor)
{
    uint64_t low = run->at, high = run->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (word_at(f, run->keys, middle) >= floor)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Forget dead entries; runs without any left go. */
static void trim_runs(struct frontier *f, uint64_t floor)
{
    struct frontier_run **link = &f->runs;
    while (*link) {
        struct frontier_run *run = *link;
        uint64_t end = live_end(f, run, floor);
        f->stored -= run->count - end;
        f->collected += run->count - end;
        run->count = end;
        if (run->at < run->count) {
            link = &run->next;
        } else {
            *link = run->next;
            run_free(run);
        }
    }
}

/* The run with the greatest head, and the next greatest head (0: none). */
static struct frontier_run *best_run(const struct frontier *f, uint64_t *second)
{
    struct frontier_run *best = NULL;
    *second = 0;
    for (struct frontier_run *run = f->runs; run; run = run->next) {
        if (run->at == run->count)
            continue;
        if (!best || head(f, run) > head(f, best)) {
            *second = best ? head(f, best) : 0;
            best = run;
        } else if (head(f, run) > *second) {
            *second = head(f, run);
        }
    }
    return best;
}

struct entry {
    uint64_t key, value;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->key < b->key) - (a->key > b->key);
}

static void set_word(const struct frontier *f, void *words, uint64_t i, uint64_t value)
{
    if (f->width == 8)
        ((uint64_t *)words)[i] = value;
    else
        ((uint32_t *)words)[i] = (uint32_t)value;
}

static bool sort_run(struct frontier *f, struct frontier_run *run)
{
    struct entry *entries = malloc((size_t)run->count * sizeof *entries + 1);
    if (!entries)
        return fail(f, "host memory is out for the nodes that the device's heap has no room for");
    for (uint64_t i = 0; i < run->count; i++)
        entries[i] = (struct entry) { word_at(f, run->keys, i), word_at(f, run->values, i) };
    qsort(entries, (size_t)run->count, sizeof *entries, compare_entries);
    for (uint64_t i = 0; i < run->count; i++) {
        set_word(f, run->keys, i, entries[i].key);
        set_word(f, run->values, i, entries[i].value);
    }
    free(entries);
    return true;
}

/* Sort what groups spilled, and keep it. */
static bool keep_spilled(struct frontier *f, const void *keys, const void *values,
                         const cl_uint *counts, size_t groups, uint64_t total)
{
    struct frontier_run *run = run_create(f, total);
    uint64_t place = 0;
    for (size_t g = 0; run && g < groups; g++) {
        for (uint64_t i = 0; i < counts[g]; i++, place++) {
            set_word(f, run->keys, place, word_at(f, keys, g * f->batch + i));
            set_word(f, run->values, place, word_at(f, values, g * f->batch + i));
        }
    }
    if (!run || !sort_run(f, run)) {
        run_free(run);
        return false;
    }
    keep_run(f, run);
    return true;
}

/* --- between heap and host ------------------------------------------------------------------ */

static bool read_words(struct frontier *f, cl_mem mem, void *to, size_t bytes)
{
    return cl_ok(f, "clEnqueueReadBuffer",
                 clEnqueueReadBuffer(clade_context_cl_queue(f->context), mem, CL_TRUE, 0, bytes, to,
                                     0, NULL, NULL));
}

static bool fetch_spilled(struct frontier *f, size_t groups)
{
    cl_uint *counts = malloc(groups * sizeof *counts);
    const size_t bytes = groups * f->batch * f->width;
    uint64_t total = 0;
    bool fine = counts && read_words(f, f->spill_count, counts, groups * sizeof *counts);
    for (size_t g = 0; fine && g < groups; g++)
        total += counts[g];
    if (fine && total > 0) {
        void *keys = malloc(bytes), *values = malloc(bytes);
        fine = keys && values && read_words(f, f->spill_key, keys, bytes) &&
               read_words(f, f->spill_value, values, bytes) &&
               keep_spilled(f, keys, values, counts, groups, total);
        f->spilled += total;
        free(keys);
        free(values);
    }
    free(counts);
    return fine || *f->error || fail(f, "host memory is out");
}

/* A wait that gave up in mid-operation leaves the heap out of order: that can be mended. */
static bool mended(struct frontier *f, clade_status status)
{
    return status == CLADE_E_BUSY && clade_ok(f, clade_heap_repair(f->heap));
}

/* The first `count` entries of a run. After a wait gave up some may be inside already: they are
 * then searched twice, which costs time alone. */
static bool insert(struct frontier *f, const struct frontier_run *run, uint64_t count)
{
    clade_status status = CLADE_OK;
    for (int attempt = 0; count > 0 && attempt < ATTEMPTS; attempt++) {
        status =
            clade_heap_insert(f->heap, clade_host(run->keys), clade_host(run->values), count, NULL);
        if (!mended(f, status))
            break;
    }
    return clade_ok(f, status);
}

/* Take entries out of the heap in order until it is empty, or only dead ones are left. */
static bool take_out(struct frontier *f, struct frontier_run *run, uint64_t floor)
{
    const uint64_t part = f->capacity / 8 + 1, all = run->count;
    int gave_up = 0; /* after that nothing is known of the order */
    run->count = 0;
    while (run->count < all) {
        uint64_t wanted = all - run->count < part ? all - run->count : part, got = 0;
        clade_status status = clade_heap_pop(
            f->heap, clade_host(words_from(f, run->keys, run->count)),
            clade_host(words_from(f, run->values, run->count)), wanted, clade_host(&got), NULL);
        run->count += got;
        if (status != CLADE_OK && (!mended(f, status) || ++gave_up == ATTEMPTS))
            return clade_ok(f, status);
        if (status == CLADE_OK && got == 0)
            return fail(f, "the heap gave fewer entries than it holds");
        if (gave_up == 0 && word_at(f, run->keys, run->count - 1) < floor)
            break;
    }
    return (gave_up == 0 || sort_run(f, run)) && clade_ok(f, clade_heap_clear(f->heap, NULL));
}

/* The heap is nearly full: forget the dead, leave the more promising half, keep the rest here. */
static bool make_room(struct frontier *f, uint64_t floor)
{
    struct frontier_run *run = run_create(f, f->size);
    const uint64_t dead_from = f->keep_dead ? 0 : floor;
    if (!run)
        return false;
    if (!take_out(f, run, dead_from)) {
        run_free(run);
        return false;
    }
    uint64_t live = live_end(f, run, dead_from), kept = f->capacity / 2;
    if (kept > live)
        kept = live;
    f->collections += !f->keep_dead;
    f->collected += f->size - live;
    f->moved += live - kept;
    run->at = kept;
    run->count = live;
    f->size = kept;
    bool fine = insert(f, run, kept);
    keep_run(f, run);
    return fine;
}

/* The heap runs low: fetch the most promising entries. */
static bool refill(struct frontier *f)
{
    uint64_t wanted = f->capacity / 2 - f->size, second;
    if (wanted > f->stored)
        wanted = f->stored;
    struct frontier_run *chosen = run_create(f, wanted);
    if (!chosen)
        return false;
    for (uint64_t place = 0; place < wanted; place++) {
        struct frontier_run *run = best_run(f, &second);
        for (;;) { /* as long as this run is the best */
            memcpy(words_from(f, chosen->keys, place), words_from(f, run->keys, run->at), f->width);
            memcpy(words_from(f, chosen->values, place), words_from(f, run->values, run->at),
                   f->width);
            run->at++;
            if (place + 1 == wanted || run->at == run->count || head(f, run) < second)
                break;
            place++;
        }
    }
    bool fine = insert(f, chosen, wanted);
    run_free(chosen);
    f->stored -= wanted;
    f->size += wanted;
    return fine;
}

/* --- what callers use ------------------------------------------------------------------------ */

static bool make_buffer(struct frontier *f, cl_mem *mem, size_t bytes)
{
    cl_int code;
    *mem =
        clCreateBuffer(clade_context_cl_context(f->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    return cl_ok(f, "clCreateBuffer", code);
}

bool frontier_create(struct frontier *f, clade_context *context,
                     const struct frontier_params *params)
{
    const uint64_t least = 8 * (uint64_t)params->batch * params->groups;
    *f = (struct frontier) { .context = context,
                             .capacity = params->capacity > least ? params->capacity : least,
                             .batch = params->batch,
                             .groups = params->groups,
                             .width = params->wide ? 8 : 4,
                             .keep_dead = params->keep_dead };
    const uint32_t type = params->wide ? CLADE_U64 : CLADE_U32;
    const uint32_t engine = params->engine ? params->engine : CLADE_HEAP_TOP_DOWN;
    const size_t bytes = f->groups * f->batch * f->width;
    if (!clade_ok(f, clade_heap_create(&f->heap, context,
                                       &(clade_heap_params) { .capacity = f->capacity,
                                                              .key = type,
                                                              .value = type,
                                                              .order = CLADE_MAX,
                                                              .batch = f->batch,
                                                              .engine = engine })) ||
        !make_buffer(f, &f->spill_key, bytes) || !make_buffer(f, &f->spill_value, bytes) ||
        !make_buffer(f, &f->spill_count, f->groups * sizeof(cl_uint)))
        return false;
    snprintf(f->options, sizeof f->options, "%s -DCLADE_FRONTIER_BATCH=%u -DCLADE_FRONTIER_WIDE=%d",
             clade_heap_options(f->heap), (unsigned)f->batch, params->wide);
    return true;
}

void frontier_destroy(struct frontier *f)
{
    cl_mem mems[] = { f->spill_key, f->spill_value, f->spill_count };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    run_free_all(f);
    clade_heap_destroy(&f->heap);
}

bool frontier_put(struct frontier *f, uint64_t key, uint64_t value)
{
    const uint32_t narrow_key = (uint32_t)key, narrow_value = (uint32_t)value;
    if (!clade_ok(f, clade_heap_insert(
                         f->heap, f->width == 8 ? clade_host(&key) : clade_host(&narrow_key),
                         f->width == 8 ? clade_host(&value) : clade_host(&narrow_value), 1, NULL)))
        return false;
    f->size++;
    f->top = key > f->top ? key : f->top;
    return true;
}

bool frontier_clear(struct frontier *f)
{
    run_free_all(f);
    f->size = f->top = 0;
    return clade_ok(f, clade_heap_clear(f->heap, NULL));
}

/* The greatest keys inside and outside. */
static bool look_at_top(struct frontier *f, uint64_t *inside, uint64_t *outside)
{
    uint64_t key = 0, value = 0, second;
    const struct frontier_run *best = best_run(f, &second);
    *outside = best ? head(f, best) : 0;
    *inside = 0;
    if (f->size == 0)
        return true;
    clade_status status = clade_heap_peek(f->heap, &key, &value);
    if (mended(f, status))
        status = clade_heap_peek(f->heap, &key, &value);
    if (!clade_ok(f, status))
        return false;
    *inside = word_at(f, &key, 0);
    return true;
}

bool frontier_settle(struct frontier *f, size_t groups, uint64_t floor)
{
    uint64_t inside, outside;
    clade_status status = clade_heap_size(f->heap, &f->size);
    if (mended(f, status))
        status = clade_heap_size(f->heap, &f->size);
    if (!clade_ok(f, status) || !fetch_spilled(f, groups) || !look_at_top(f, &inside, &outside))
        return false;
    if (f->size > 0 && inside < floor) { /* all inside are dead */
        f->collected += f->size;
        f->size = inside = 0;
        if (!clade_ok(f, clade_heap_clear(f->heap, NULL)))
            return false;
    }
    if (f->size >= f->capacity / 8 * 7 && !make_room(f, floor))
        return false;
    if (f->runs && f->size < f->capacity / 8) {
        trim_runs(f, floor);
        if (f->stored > 0 && !refill(f))
            return false;
        if (f->size == 0)
            outside = 0;
    }
    f->top = inside > outside ? inside : outside;
    return true;
}
