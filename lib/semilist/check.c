/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list between operations: reclaiming, what the host reads, the invariants of
 * docs/inside/semilist.md, files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "object/saved.h"
#include "semilist/semilist.h"

/* --- reclaiming ------------------------------------------------------------------------------- */

/* A launch over all places; kernels that sum take the list, the allocator and local memory. */
static clade_status over_places(clade_semilist *list, struct cladei_run *run,
                                enum semilist_kernel which, size_t local_words)
{
    clade_status status = CLADE_OK;
    cl_kernel kernel = list->kernels[which];
    cl_mem list_mem = list->object.mem, kma_mem = clade_kma_mem(list->params.kma);
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(list_mem), CLADEI_ARG(kma_mem)));
    if (local_words > 0)
        CLADE_CL(clSetKernelArg(kernel, 2, local_words * 4, NULL));
    CLADE_TRY(cladei_run_items(run, kernel, list->params.capacity,
                               which == SEMILIST_RECLAIMED ? list->own_group : list->group));
fail:
    return status;
}

/* All launches but the last write words that are reclaiming's alone, so a failure before leaves the
 * list as it was. */
clade_status cladei_semilist_reclaim(clade_semilist *list, struct cladei_run *run, bool all)
{
    clade_status status = CLADE_OK;
    cl_mem list_mem = list->object.mem;
    CLADE_TRY(cladei_semilist_need(list, SEMILIST_RECLAIMED));
    CLADE_TRY(cladei_semilist_need(list, SEMILIST_SCAN));
    const size_t group = list->group;
    const cl_uint groups = all ? 0 : (cl_uint)((list->params.capacity + group - 1) / group);
    if (!all)
        CLADE_TRY(over_places(list, run, SEMILIST_SUM, group));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[SEMILIST_SCAN], CLADEI_ARG(list_mem),
                              CLADEI_ARG(groups), CLADEI_LOCAL(2 * group * 4)));
    CLADE_TRY(cladei_run_kernel(run, list->kernels[SEMILIST_SCAN], 1, group));
    if (!all)
        CLADE_TRY(over_places(list, run, SEMILIST_MOVE, 2 * group));
    CLADE_TRY(over_places(list, run, SEMILIST_RECLAIMED, 0));
    list->erases_most = 0;
fail:
    return status;
}

static clade_status reclaim_or_clear(clade_semilist *list, const clade_launch *launch, bool all)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch));
    CLADE_TRY(cladei_semilist_reclaim(list, &run, all));
    /* Kernels of the user may have appended anything: how much is read when it matters. */
    list->places_most = all ? 0 : list->params.capacity;
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_semilist_reclaim(clade_semilist *list, const clade_launch *launch)
{
    return reclaim_or_clear(list, launch, false);
}

clade_status clade_semilist_clear(clade_semilist *list, const clade_launch *launch)
{
    return reclaim_or_clear(list, launch, true);
}

/* --- reading --------------------------------------------------------------------------------- */

clade_status clade_semilist_size(clade_semilist *list, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_semilist_head head;
    CLADE_REQUIRE(list && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kind_told(&cladei_semilist_kind, &list->object, NULL));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    *size = head.tail - head.done;
fail:
    return status;
}

clade_status clade_semilist_stats_read(clade_semilist *list, clade_semilist_stats *stats)
{
    clade_status status = CLADE_OK;
    clade_semilist_head head;
    CLADE_REQUIRE(list && stats, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    *stats = (clade_semilist_stats) {
        .live = head.tail - head.done,
        .erased = head.done,
        .capacity = list->params.capacity,
        .bytes = list->object.bytes,
    };
fail:
    return status;
}

static bool is_live(const clade_semilist_record *record)
{
    return !(record->link & CLADE_SEMILIST_ERASED);
}

clade_status clade_semilist_read(clade_semilist *list, uint32_t *keys, uint32_t *values,
                                 uint32_t *nodes, uint64_t room, uint64_t *got)
{
    clade_status status = CLADE_OK;
    clade_semilist_head head;
    clade_semilist_record *records = NULL;
    uint32_t places;
    uint64_t found = 0;
    CLADE_REQUIRE(list && got, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_semilist_gather(list, &head, &records, &places));
    for (uint32_t i = 0; i < places; i++) {
        if (!is_live(&records[i]))
            continue;
        if (found < room) {
            if (keys)
                keys[found] = records[i].key_;
            if (values)
                values[found] = records[i].value_;
            if (nodes)
                nodes[found] = records[i].ref;
        }
        found++;
    }
    *got = found;
fail:
    free(records);
    return status;
}

/* --- check ----------------------------------------------------------------------------------- */

/* The link at `place` (-1: the head's) leads ahead and passes over erased nodes only; nil is the
 * last node's alone. `live[i]`: live nodes at places below i. */
static clade_status check_link(const clade_semilist_record *records, const uint32_t *live,
                               uint32_t places, int64_t place, uint32_t ref, uint32_t next_place)
{
    clade_status status = CLADE_OK;
    if (ref == CLADE_NIL) {
        CLADE_REQUIRE(place + 1 == places, CLADE_E_CORRUPT,
                      "I2: the link at place %" PRId64 " is nil, the last place is %" PRId64, place,
                      (int64_t)places - 1);
        return CLADE_OK;
    }
    CLADE_REQUIRE(next_place < places && (int64_t)next_place > place &&
                      records[next_place].ref == ref,
                  CLADE_E_CORRUPT, "I1: the link at place %" PRId64 " leads to ref %u, place %u",
                  place, ref, next_place);
    CLADE_REQUIRE(live[next_place] == live[place + 1], CLADE_E_CORRUPT,
                  "I1: the link at place %" PRId64 " passes over a live node, to place %u", place,
                  next_place);
fail:
    return status;
}

static clade_status check_places(const clade_semilist_head *head,
                                 const clade_semilist_record *records, uint32_t *live,
                                 uint32_t places)
{
    clade_status status = CLADE_OK;
    uint32_t erased, first = 0;
    for (uint32_t i = 0; i < places; i++) {
        const clade_semilist_record *r = &records[i];
        CLADE_REQUIRE(r->ref != CLADE_NIL && r->place == i, CLADE_E_CORRUPT,
                      "I6: place %u has ref %u, whose node says place %u", i, r->ref, r->place);
        live[i + 1] = live[i] + (is_live(r) ? 1u : 0u);
    }
    erased = places - live[places];
    CLADE_REQUIRE(head->begun == erased && head->done == erased, CLADE_E_CORRUPT,
                  "I7: %u erasures began and %u ended; %u nodes are erased", head->begun,
                  head->done, erased);
    CLADE_REQUIRE((head->first & CLADE_SEMILIST_ERASED) == 0, CLADE_E_CORRUPT,
                  "I3: the head's link is marked");
    while (first < places && records[first].ref != head->first >> CLADE_SEMILIST_REF_SHIFT)
        first++;
    CLADE_TRY(
        check_link(records, live, places, -1, head->first >> CLADE_SEMILIST_REF_SHIFT, first));
    for (uint32_t i = 0; i < places; i++)
        CLADE_TRY(check_link(records, live, places, i, records[i].link >> CLADE_SEMILIST_REF_SHIFT,
                             records[i].next_place));
fail:
    return status;
}

clade_status clade_semilist_check(clade_semilist *list)
{
    clade_status status = CLADE_OK;
    clade_semilist_head head;
    clade_semilist_record *records = NULL;
    uint32_t places, *refs = NULL, *live = NULL;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(clade_finish(list->object.context));
    CLADE_TRY(cladei_semilist_gather(list, &head, &records, &places));
    live = calloc((size_t)places + 1, sizeof *live);
    CLADE_NO_MEMORY(live);
    CLADE_TRY(check_places(&head, records, live, places));
    if (list->own) {
        refs = calloc((size_t)places + 1, sizeof *refs);
        CLADE_NO_MEMORY(refs);
        for (uint32_t i = 0; i < places; i++)
            refs[i] = records[i].ref;
        CLADE_TRY(clade_kma_check(list->own, refs, places));
    }
fail:
    free(refs);
    free(live);
    free(records);
    return status;
}

/* --- files ----------------------------------------------------------------------------------- */

/* The payload: so many keys, then so many values. */
struct saved_params {
    uint64_t capacity;
    uint64_t count;
};

clade_status clade_semilist_save(clade_semilist *list, const char *path)
{
    clade_status status = CLADE_OK;
    struct saved_params params = { 0 };
    clade_semilist_stats stats;
    uint32_t *words = NULL;
    CLADE_REQUIRE(list && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_finish(list->object.context));
    CLADE_TRY(clade_semilist_stats_read(list, &stats)); /* tells of no earlier call */
    const uint64_t size = stats.live;
    CLADE_REQUIRE(size <= list->params.capacity, CLADE_E_CORRUPT,
                  "the list's counts say %" PRIu64 " nodes; it has %" PRIu64 " places", size,
                  list->params.capacity);
    const uint64_t count = size * 2 + 1; /* one word more: never empty */
    words = calloc((size_t)count, sizeof *words);
    CLADE_NO_MEMORY(words);
    params.capacity = list->params.capacity;
    CLADE_TRY(clade_semilist_read(list, words, words + size, NULL, size, &params.count));
    CLADE_REQUIRE(params.count == size, CLADE_E_CORRUPT,
                  "the list has %" PRIu64 " nodes, its counts say %" PRIu64, params.count, size);
    CLADE_TRY(cladei_object_save_bytes(&list->object, path, &params, sizeof params,
                                       (const char *)words, count * sizeof *words));
fail:
    free(words);
    return status;
}

clade_status clade_semilist_load(clade_semilist **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    struct saved_params params;
    clade_semilist *list = NULL;
    CLADEI_PLACE(out, "the list");
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_saved_open(&saved, context, path, CLADE_SEMILIST_KIND, sizeof params));
    memcpy(&params, saved.params, sizeof params);
    CLADE_REQUIRE(params.capacity >= 1 && params.capacity <= CLADE_SEMILIST_CAPACITY_MAX &&
                      params.count <= params.capacity &&
                      saved.payload_bytes == (params.count * 2 + 1) * sizeof(uint32_t),
                  CLADE_E_CORRUPT, "%s: the list's size is wrong", path);
    CLADE_TRY(clade_semilist_create(&list, context,
                                    &(clade_semilist_params) { .capacity = params.capacity }));
    const char *words = saved.payload;
    CLADE_TRY(clade_semilist_append(list, clade_host(words),
                                    clade_host(words + params.count * sizeof(uint32_t)),
                                    clade_no_array(), params.count, NULL));
    *out = list;
    list = NULL;
fail:
    clade_semilist_destroy(&list);
    cladei_saved_close(&saved);
    return status;
}
