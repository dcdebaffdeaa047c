/* SPDX-License-Identifier: Apache-2.0 */
/* Batches sorted by owner (cl/kernels/mpi_batch.cl). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clade/shared/types.h"
#include "mpi/sort.h"

/* --- owners ----------------------------------------------------------------------------------- */

/* A permutation of 64-bit words in which every bit of the key moves the upper ones, which decide
 * (splitmix64's last steps). The maps' own hashes are others: keys of one rank fill its map evenly.
 */
static int owner_by_hash(uint64_t image, uint32_t ranks)
{
    uint64_t z = image + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (int)((z >> 32) * (uint64_t)ranks >> 32);
}

int cladei_mpi_owner(const struct cladei_mpi_owners *owners, uint64_t image)
{
    uint32_t low = 0, high = owners->ranks - 1;
    if (!owners->splitters)
        return owner_by_hash(image, owners->ranks);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (owners->splitters[middle] < image)
            low = middle + 1;
        else
            high = middle;
    }
    return (int)low;
}

/* --- life ------------------------------------------------------------------------------------- */

static const char *const names[SORTER_KERNELS] = {
    [SORTER_COUNT] = "clade_mpi_batch_count",     [SORTER_MOVE] = "clade_mpi_batch_move",
    [SORTER_SCATTER] = "clade_mpi_batch_scatter", [SORTER_PACK] = "clade_mpi_batch_pack",
    [SORTER_UNPACK] = "clade_mpi_batch_unpack",   [SORTER_GATHER] = "clade_mpi_batch_gather",
    [SORTER_BEYOND] = "clade_mpi_batch_beyond",
};

/* Of a launch: groups of 64 items; and operations of a block. */
enum { BLOCKS = 2048, GROUP = 64, BLOCK_LEAST = 512, TABLE_MOST = 1 << 18 };

static void free_buffer(cl_mem *mem)
{
    if (*mem)
        clReleaseMemObject(*mem);
    *mem = NULL;
}

clade_status cladei_mpi_sorter_make(struct cladei_mpi_sorter *sorter, clade_context *context,
                                    uint32_t ranks)
{
    clade_status status = CLADE_OK;
    *sorter = (struct cladei_mpi_sorter) { .context = context, .ranks = ranks };
    /* Many ranks: fewer blocks, so that the table of counts stays small. */
    sorter->blocks_most = ranks > TABLE_MOST / BLOCKS ? TABLE_MOST / ranks + 1 : BLOCKS;
    if (ranks == 1)
        return CLADE_OK;
    const uint64_t table = 4 * (uint64_t)ranks * sorter->blocks_most;
    CLADEM_TRY(cladei_mpi_stage_reserve(&sorter->own_counts, context, table));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->counts, context, table));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->splitters, context, 8 * (uint64_t)ranks));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->found, context, sizeof(struct cladei_mpi_outcome)));
fail:
    return status;
}

static void free_chunk(struct cladei_mpi_sorter *sorter)
{
    for (int kind = 0; kind < SORTER_KINDS; kind++) {
        free_buffer(&sorter->given[kind]);
        free_buffer(&sorter->sorted[kind]);
    }
    free_buffer(&sorter->packed);
    free_buffer(&sorter->statuses);
    sorter->room = 0;
}

static void forget_counts(struct cladei_mpi_sorter *sorter)
{
    if (sorter->counted)
        clReleaseEvent(sorter->counted);
    sorter->counted = NULL;
}

void cladei_mpi_sorter_free(struct cladei_mpi_sorter *sorter)
{
    if (!sorter->context)
        return;
    free_chunk(sorter);
    forget_counts(sorter);
    free_buffer(&sorter->place);
    free_buffer(&sorter->counts);
    free_buffer(&sorter->splitters);
    free_buffer(&sorter->found);
    cladei_mpi_kernels_free(sorter->kernels, SORTER_KERNELS);
    cladei_mpi_stage_free(&sorter->own_counts, sorter->context);
    *sorter = (struct cladei_mpi_sorter) { 0 };
}

static clade_status reserve_chunk(struct cladei_mpi_sorter *sorter, uint64_t chunk)
{
    clade_status status = CLADE_OK;
    if (chunk <= sorter->room)
        return CLADE_OK;
    free_chunk(sorter);
    for (int kind = 0; kind < SORTER_KINDS; kind++) {
        CLADEM_TRY(cladei_mpi_array_make(&sorter->given[kind], sorter->context, 8 * chunk));
        CLADEM_TRY(cladei_mpi_array_make(&sorter->sorted[kind], sorter->context, 8 * chunk));
    }
    CLADEM_TRY(cladei_mpi_array_make(&sorter->packed, sorter->context, chunk));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->statuses, sorter->context, 4 * chunk));
    sorter->room = chunk;
fail:
    return status;
}

/* Kernels are built at the first batch: some programs never send one. */
clade_status cladei_mpi_sorter_reserve(struct cladei_mpi_sorter *sorter, uint64_t count,
                                       uint64_t chunk)
{
    clade_status status = CLADE_OK;
    if (!sorter->kernels[0])
        CLADEM_TRY(cladei_mpi_kernels_build(sorter->kernels, names, SORTER_KERNELS, sorter->context,
                                            "kernels/mpi_batch.cl", NULL));
    CLADEM_TRY(reserve_chunk(sorter, chunk));
    if (count > sorter->place_room) {
        free_buffer(&sorter->place);
        sorter->place_room = 0;
        CLADEM_TRY(cladei_mpi_array_make(&sorter->place, sorter->context, 4 * count));
        sorter->place_room = count;
    }
fail:
    return status;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* A chunk of an array of elements of `bytes`. */
static clade_array part_of(clade_array array, uint64_t bytes, struct cladei_mpi_chunk chunk)
{
    if (array.host)
        return clade_host((const char *)array.host + chunk.first * bytes);
    return clade_device(array.mem, array.offset + (size_t)(chunk.first * bytes));
}

/* The array where it lies on the device, or room for the host's. */
static struct cladei_mpi_view view_of(const struct cladei_mpi_sorter *sorter, int kind,
                                      clade_array array, uint64_t bytes,
                                      struct cladei_mpi_chunk chunk)
{
    if (array.mem)
        return (struct cladei_mpi_view) { array.mem, array.offset / bytes + chunk.first };
    return (struct cladei_mpi_view) { sorter->given[kind], 0 };
}

clade_status cladei_mpi_sort_bring(struct cladei_mpi_sorter *sorter, int kind, clade_array array,
                                   uint64_t bytes, struct cladei_mpi_chunk chunk,
                                   struct cladei_mpi_view *view)
{
    clade_status status = CLADE_OK;
    *view = (struct cladei_mpi_view) { NULL, 0 };
    if (!cladei_mpi_is_given(array))
        return CLADE_OK;
    *view = view_of(sorter, kind, array, bytes, chunk);
    if (array.host)
        CLADEM_TRY(cladei_mpi_array_write(sorter->context, clade_device(view->mem, 0),
                                          part_of(array, bytes, chunk).host, chunk.count * bytes));
fail:
    return status;
}

clade_status cladei_mpi_read_results(struct cladei_mpi_sorter *sorter, int kind, clade_array array,
                                     uint64_t bytes, struct cladei_mpi_chunk chunk)
{
    if (!array.host)
        return CLADE_OK;
    return cladei_mpi_array_read(sorter->context, clade_device(sorter->given[kind], 0),
                                 part_of(array, bytes, chunk).host, chunk.count * bytes);
}

clade_status cladei_mpi_read_statuses(struct cladei_mpi_sorter *sorter, clade_array statuses,
                                      struct cladei_mpi_chunk chunk)
{
    if (!statuses.host)
        return CLADE_OK;
    return cladei_mpi_array_read(sorter->context, clade_device(sorter->statuses, 0),
                                 part_of(statuses, 4, chunk).host, chunk.count * 4);
}

/* --- sorting ---------------------------------------------------------------------------------- */

/* Counts become places: all of rank 0, block by block, then all of rank 1 ... */
static void add_up(struct cladei_mpi_sorter *sorter, uint64_t *send)
{
    uint32_t before = 0, *const counts = sorter->own_counts.host;
    for (uint32_t rank = 0; rank < sorter->ranks; rank++) {
        const uint32_t begin = before;
        for (uint32_t block = 0; block < sorter->blocks; block++) {
            uint32_t *const at = &counts[rank * sorter->blocks + block];
            const uint32_t count = *at;
            *at = before;
            before += count;
        }
        send[rank] = before - begin;
    }
}

clade_status cladei_mpi_sort_begin(struct cladei_mpi_sorter *sorter,
                                   const struct cladei_mpi_owners *owners, clade_array keys,
                                   uint32_t type, struct cladei_mpi_chunk chunk)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = CLADE_TYPE_BYTES(type), wanted = chunk.count / BLOCK_LEAST + 1;
    const cl_uint number = (cl_uint)chunk.count, of_type = type, is_wide = bytes == 8;
    const cl_uint ranks = sorter->ranks, by_hash = !owners->splitters;
    forget_counts(sorter);
    sorter->blocks = wanted < sorter->blocks_most ? (cl_uint)wanted : sorter->blocks_most;
    CLADEM_TRY(cladei_mpi_sort_bring(sorter, SORTER_KEYS, keys, bytes, chunk, &sorter->view));
    if (owners->splitters)
        CLADEM_TRY(cladei_mpi_array_write(sorter->context, clade_device(sorter->splitters, 0),
                                          owners->splitters, 8 * (uint64_t)(ranks - 1)));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_COUNT], (uint64_t)sorter->blocks * GROUP,
               CLADEM_ARG(sorter->view.mem), CLADEM_ARG(sorter->view.first), CLADEM_ARG(number),
               CLADEM_ARG(of_type), CLADEM_ARG(is_wide), CLADEM_ARG(sorter->splitters),
               CLADEM_ARG(ranks), CLADEM_ARG(by_hash), CLADEM_ARG(sorter->counts),
               CLADEM_ARG(sorter->blocks));
    CLADEM_CL(clEnqueueReadBuffer(clade_context_cl_queue(sorter->context), sorter->counts, CL_FALSE,
                                  0, (size_t)4 * ranks * sorter->blocks, sorter->own_counts.host, 0,
                                  NULL, &sorter->counted));
    CLADEM_CL(clFlush(clade_context_cl_queue(sorter->context)));
fail:
    return status;
}

clade_status cladei_mpi_sort_end(struct cladei_mpi_sorter *sorter,
                                 const struct cladei_mpi_owners *owners, uint32_t type,
                                 struct cladei_mpi_chunk chunk, uint64_t *send)
{
    clade_status status = CLADE_OK;
    const cl_uint number = (cl_uint)chunk.count, of_type = type;
    const cl_uint is_wide = CLADE_TYPE_BYTES(type) == 8;
    const cl_uint ranks = sorter->ranks, by_hash = !owners->splitters;
    const cl_ulong place_first = chunk.first;
    CLADEM_CL(clWaitForEvents(1, &sorter->counted));
    add_up(sorter, send);
    CLADEM_CL(clEnqueueWriteBuffer(clade_context_cl_queue(sorter->context), sorter->counts,
                                   CL_FALSE, 0, (size_t)4 * ranks * sorter->blocks,
                                   sorter->own_counts.host, 0, NULL, NULL));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_MOVE], (uint64_t)sorter->blocks * GROUP,
               CLADEM_ARG(sorter->view.mem), CLADEM_ARG(sorter->view.first), CLADEM_ARG(number),
               CLADEM_ARG(of_type), CLADEM_ARG(is_wide), CLADEM_ARG(sorter->splitters),
               CLADEM_ARG(ranks), CLADEM_ARG(by_hash), CLADEM_ARG(sorter->counts),
               CLADEM_ARG(sorter->blocks), CLADEM_ARG(sorter->sorted[SORTER_KEYS]),
               CLADEM_ARG(sorter->place), CLADEM_ARG(place_first));
fail:
    return status;
}

clade_status cladei_mpi_sort_values(struct cladei_mpi_sorter *sorter,
                                    const struct cladei_mpi_view *view, uint64_t bytes,
                                    struct cladei_mpi_chunk chunk)
{
    clade_status status = CLADE_OK;
    const cl_uint number = (cl_uint)chunk.count, words = (cl_uint)(bytes / 4), zero = 0;
    const cl_ulong place_first = chunk.first;
    cl_mem sorted = sorter->sorted[SORTER_VALUES];
    if (view->mem)
        CLADEM_RUN(sorter->context, sorter->kernels[SORTER_SCATTER], chunk.count,
                   CLADEM_ARG(view->mem), CLADEM_ARG(view->first), CLADEM_ARG(number),
                   CLADEM_ARG(words), CLADEM_ARG(sorter->place), CLADEM_ARG(place_first),
                   CLADEM_ARG(sorted));
    else
        CLADEM_CL(clEnqueueFillBuffer(clade_context_cl_queue(sorter->context), sorted, &zero,
                                      sizeof zero, 0, (size_t)(chunk.count * bytes), 0, NULL,
                                      NULL));
fail:
    return status;
}

/* --- and back --------------------------------------------------------------------------------- */

clade_status cladei_mpi_sort_pack(struct cladei_mpi_sorter *sorter, cl_mem statuses, uint64_t count,
                                  cl_mem packed)
{
    clade_status status = CLADE_OK;
    const cl_ulong number = count;
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_PACK], count, CLADEM_ARG(statuses),
               CLADEM_ARG(number), CLADEM_ARG(packed));
fail:
    return status;
}

clade_status cladei_mpi_unsort_statuses(struct cladei_mpi_sorter *sorter, clade_array statuses,
                                        struct cladei_mpi_chunk chunk,
                                        struct cladei_mpi_outcome *outcome)
{
    clade_status status = CLADE_OK;
    const cl_uint number = (cl_uint)chunk.count, has_to = cladei_mpi_is_given(statuses);
    const cl_int full = CLADE_E_FULL, busy = CLADE_E_BUSY;
    const cl_ulong place_first = chunk.first;
    const struct cladei_mpi_view view = statuses.mem
                                            ? view_of(sorter, SORTER_VALUES, statuses, 4, chunk)
                                            : (struct cladei_mpi_view) { sorter->statuses, 0 };
    const clade_array found = clade_device(sorter->found, 0);
    *outcome = (struct cladei_mpi_outcome) { 0, UINT32_MAX };
    CLADEM_TRY(cladei_mpi_array_write(sorter->context, found, outcome, sizeof *outcome));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_UNPACK], chunk.count,
               CLADEM_ARG(sorter->packed), CLADEM_ARG(number), CLADEM_ARG(sorter->place),
               CLADEM_ARG(place_first), CLADEM_ARG(full), CLADEM_ARG(busy), CLADEM_ARG(has_to),
               CLADEM_ARG(view.mem), CLADEM_ARG(view.first), CLADEM_ARG(sorter->found));
    CLADEM_TRY(cladei_mpi_array_read(sorter->context, found, outcome, sizeof *outcome));
fail:
    return status;
}

clade_status cladei_mpi_unsort(struct cladei_mpi_sorter *sorter, int kind, clade_array array,
                               uint64_t bytes, struct cladei_mpi_chunk chunk, bool some_failed)
{
    clade_status status = CLADE_OK;
    const cl_uint number = (cl_uint)chunk.count, words = (cl_uint)(bytes / 4);
    const cl_ulong place_first = chunk.first;
    struct cladei_mpi_view view = view_of(sorter, kind, array, bytes, chunk);
    if (some_failed) /* what stays as it is */
        CLADEM_TRY(cladei_mpi_sort_bring(sorter, kind, array, bytes, chunk, &view));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_GATHER], chunk.count,
               CLADEM_ARG(sorter->sorted[kind]), CLADEM_ARG(number), CLADEM_ARG(words),
               CLADEM_ARG(sorter->place), CLADEM_ARG(place_first), CLADEM_ARG(sorter->packed),
               CLADEM_ARG(view.mem), CLADEM_ARG(view.first));
fail:
    return status;
}

/* --- seeks ------------------------------------------------------------------------------------ */

clade_status cladei_mpi_sort_beyond(struct cladei_mpi_sorter *sorter, cl_mem statuses,
                                    uint64_t count, cl_mem keys, uint64_t key_bytes, uint64_t key,
                                    cl_mem values, uint64_t value_bytes, uint64_t value)
{
    clade_status status = CLADE_OK;
    const cl_ulong number = count, the_key = key, the_value = value;
    const cl_int none = CLADE_E_NOT_FOUND;
    const cl_uint key_words = (cl_uint)(key_bytes / 4), value_words = (cl_uint)(value_bytes / 4);
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_BEYOND], count, CLADEM_ARG(statuses),
               CLADEM_ARG(number), CLADEM_ARG(none), CLADEM_ARG(key_words), CLADEM_ARG(the_key),
               CLADEM_ARG(keys), CLADEM_ARG(value_words), CLADEM_ARG(the_value),
               CLADEM_ARG(values));
fail:
    return status;
}
