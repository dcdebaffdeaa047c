/* SPDX-License-Identifier: Apache-2.0 */
/* The list between operations: erased nodes are unlinked, their cells come back, and shortcuts or
 * hash index are made anew. */
#include "base/error.h"
#include "device/context.h"
#include "list/list.h"

/* One launch of a kernel whose arguments after the list are words, in groups of so many. */
static clade_status launch_in(clade_list *list, struct cladei_run *run, enum list_kernel which,
                              uint64_t items, uint32_t group, const cl_uint *words,
                              cl_uint word_count)
{
    clade_status status = CLADE_OK;
    cl_kernel kernel = list->kernels[which];
    cl_mem kma = cladei_list_kma_mem(list);
    CLADE_CL(clSetKernelArg(kernel, 0, sizeof list->object.mem, &list->object.mem));
    CLADE_CL(clSetKernelArg(kernel, 1, sizeof kma, &kma));
    for (cl_uint i = 0; i < word_count; i++)
        CLADE_CL(clSetKernelArg(kernel, i + 2, sizeof words[i], &words[i]));
    CLADE_TRY(cladei_run_items(run, kernel, items, group));
fail:
    return status;
}

static clade_status launch(clade_list *list, struct cladei_run *run, enum list_kernel which,
                           uint64_t items, const cl_uint *words, cl_uint word_count)
{
    return launch_in(list, run, which, items, list->params.group_size, words, word_count);
}

clade_status cladei_list_enqueue_clear(clade_list *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const uint64_t items =
        list->params.capacity > CLADE_CELLS_STRIPES ? list->params.capacity : CLADE_CELLS_STRIPES;
    CLADE_TRY(launch(list, run, LIST_CLEAR, items, NULL, 0));
    cladei_cells_are_clean(&list->known, 0);
fail:
    return status;
}

/* Items of a group that sorts a block of shortcuts. Each compares its share of them with all, which
 * groups of few do in loops that are too long for a driver that leaves such. */
static uint32_t sort_group(const clade_list *list)
{
    const uint32_t group = list->params.group_size;
    return list->object.context->caps.loop_limit > 0 && group < CLADE_LIST_BLOCK / 32u
               ? CLADE_LIST_BLOCK / 32u
               : group;
}

/* Shortcuts are sorted block by block where the sweep left them, then merged back and forth between
 * the two arrays; the number of merges follows from the most shortcuts there can be. */
static clade_status sort_hints(clade_list *list, struct cladei_run *run, uint32_t merges)
{
    clade_status status = CLADE_OK;
    const clade_list_head *layout = &list->layout;
    const uint32_t key_words = CLADE_TYPE_BYTES(list->params.key) / 4;
    const uint32_t other = layout->index_at + layout->index_size * CLADE_LIST_HINT_WORDS(key_words);
    cl_uint words[3] = { layout->index_at, other, CLADE_LIST_BLOCK };
    const uint64_t blocks = (layout->index_size + CLADE_LIST_BLOCK - 1) / CLADE_LIST_BLOCK;
    const uint32_t group = sort_group(list);
    CLADE_TRY(launch_in(list, run, LIST_SORT, blocks * group, group, NULL, 0));
    for (uint32_t i = 0; i < merges; i++) {
        CLADE_TRY(launch(list, run, LIST_MERGE, layout->index_size, words, 3));
        cl_uint from = words[0];
        words[0] = words[1];
        words[1] = from;
        words[2] *= CLADE_LIST_WAYS;
    }
fail:
    return status;
}

uint32_t cladei_list_passes(uint64_t bound, uint64_t factor)
{
    uint32_t passes = 0;
    for (; bound > 1; passes++)
        bound = (bound + factor - 1) / factor;
    return passes;
}

clade_status cladei_list_reclaim(clade_list *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const clade_list_head *layout = &list->layout;
    const bool has_hints = cladei_list_is_ordered(list) && layout->index_size > 0;
    const uint32_t key_words = CLADE_TYPE_BYTES(list->params.key) / 4;
    const uint64_t blocks = (layout->index_size + CLADE_LIST_BLOCK - 1) / CLADE_LIST_BLOCK;
    const uint32_t merges = has_hints ? cladei_list_passes(blocks, CLADE_LIST_WAYS) : 0;
    const uint64_t longest =
        cladei_cells_longest_run(&list->known, list->object.context->caps.loop_limit);
    const uint32_t skips = cladei_list_passes(longest, CLADE_LIST_SKIP_HOPS + 1);
    const uint64_t cells = layout->capacity;
    cl_uint hints_at = layout->index_at;
    if (merges % 2 == 1)
        hints_at += layout->index_size * CLADE_LIST_HINT_WORDS(key_words);
    list->known.needs_reclaim = true;
    for (uint32_t i = 0; i + 1 < skips; i++)
        CLADE_TRY(launch(list, run, LIST_SKIP, cells, NULL, 0));
    CLADE_TRY(launch(list, run, LIST_RELINK,
                     cells + 1 > CLADE_CELLS_STRIPES ? cells + 1 : CLADE_CELLS_STRIPES, NULL, 0));
    CLADE_TRY(launch(list, run, LIST_SWEEP, cells, &hints_at, 1));
    if (has_hints)
        CLADE_TRY(sort_hints(list, run, merges));
    cladei_cells_are_clean(&list->known, list->known.live_most);
fail:
    return status;
}

/* Reclaiming reads the links alone, so it can be done again from any point at which it ended. */
clade_status cladei_list_mend(clade_list *list, struct cladei_run *run)
{
    return list->known.needs_reclaim ? cladei_list_reclaim(list, run) : CLADE_OK;
}

clade_status cladei_list_mend_now(clade_list *list)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    CLADE_TRY(cladei_list_mend(list, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

/* An index made for few nodes is little use to many: it is renewed when the changes pass an eighth
 * of the nodes; likewise others may need an allocator's blocks. Besides, cells of erased nodes are
 * needed when the free ones run out. */
clade_status cladei_list_make_room(clade_list *list, struct cladei_run *run, uint64_t count)
{
    clade_status status = CLADE_OK;
    const bool has_hints = cladei_list_is_ordered(list) && list->layout.index_size > 0;
    const uint64_t tolerated = list->known.live_most / 8 + 256;
    const bool is_stale =
        (has_hints || cladei_list_is_in_kma(list)) && list->known.changes + count > tolerated;
    if (list->known.changes > 0 && (is_stale || list->known.free_least < count))
        CLADE_TRY(cladei_list_reclaim(list, run));
    cladei_cells_expect(&list->known, count);
fail:
    return status;
}

clade_status clade_list_reclaim(clade_list *list, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch_or_null));
    /* Kernels of the user may have changed anything. */
    cladei_cells_are_unknown(&list->known);
    CLADE_TRY(cladei_list_reclaim(list, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_list_clear(clade_list *list, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch_or_null));
    CLADE_TRY(cladei_list_enqueue_clear(list, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_list_size(clade_list *list, uint64_t *size)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    clade_list_head head;
    const cl_uint zero = 0;
    CLADE_REQUIRE(list && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kind_told(&cladei_list_kind, &list->object, NULL));
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    CLADE_TRY(cladei_list_mend(list, &run));
    /* Should the count not come to its end: later calls rely on it. */
    list->known.needs_reclaim = true;
    CLADE_TRY(
        cladei_object_write(&list->object, offsetof(clade_list_head, live), &zero, sizeof zero));
    CLADE_TRY(launch(list, &run, LIST_COUNT, list->params.capacity, NULL, 0));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    list->known.needs_reclaim = false;
    list->known.live_most = head.live;
    *size = head.live;
fail:
    return status;
}

clade_status clade_list_stats_read(clade_list *list, clade_list_stats *stats)
{
    clade_status status = CLADE_OK;
    clade_list_head head;
    uint64_t live;
    CLADE_REQUIRE(list && stats, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_list_size(list, &live));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    const struct cladei_cells_counts cells = cladei_cells_count(head.stripes, head.free_count);
    *stats = (clade_list_stats) {
        .live = live,
        .capacity = list->params.capacity,
        .free = cells.free,
        .hints = head.hint_count,
        .insert_collisions = cells.insert_collisions,
        .erase_collisions = cells.erase_collisions,
        .bytes = list->object.bytes,
    };
fail:
    return status;
}
