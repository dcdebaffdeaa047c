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
    [SORTER_COUNT] = "clade_mpi_batch_count",
    [SORTER_MOVE] = "clade_mpi_batch_move",
    [SORTER_SCATTER] = "clade_mpi_batch_scatter",
    [SORTER_GATHER] = "clade_mpi_batch_gather",
};

/* Of a launch: groups of 64 items; and operations of a block. */
enum { BLOCKS = 2048, GROUP = 64, BLOCK_LEAST = 512, TABLE_MOST = 1 << 18 };

clade_status cladei_mpi_sorter_make(struct cladei_mpi_sorter *sorter, clade_context *context,
                                    uint32_t ranks)
{
    clade_status status = CLADE_OK;
    *sorter = (struct cladei_mpi_sorter) { .context = context, .ranks = ranks };
    /* Many ranks: fewer blocks, so that the table of counts stays small. */
    sorter->blocks_most = ranks > TABLE_MOST / BLOCKS ? TABLE_MOST / ranks + 1 : BLOCKS;
    const uint64_t table = 4 * (uint64_t)ranks * sorter->blocks_most;
    sorter->own_counts = malloc((size_t)table);
    CLADEM_NO_MEMORY(sorter->own_counts);
    CLADEM_TRY(cladei_mpi_array_make(&sorter->counts, context, table));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->splitters, context, 8 * (uint64_t)ranks));
fail:
    return status;
}

static void free_buffers(struct cladei_mpi_sorter *sorter)
{
    cl_mem *const mems[] = { &sorter->given, &sorter->sorted, &sorter->answers, &sorter->place };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++) {
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
        *mems[i] = NULL;
    }
    sorter->room = 0;
}

void cladei_mpi_sorter_free(struct cladei_mpi_sorter *sorter)
{
    free_buffers(sorter);
    if (sorter->counts)
        clReleaseMemObject(sorter->counts);
    if (sorter->splitters)
        clReleaseMemObject(sorter->splitters);
    cladei_mpi_kernels_free(sorter->kernels, SORTER_KERNELS);
    free(sorter->own_counts);
    *sorter = (struct cladei_mpi_sorter) { 0 };
}

/* Room for a batch, and at the first one the kernels: one rank alone has seldom anything to sort.
 */
static clade_status reserve(struct cladei_mpi_sorter *sorter, uint64_t count)
{
    clade_status status = CLADE_OK;
    if (!sorter->kernels[0])
        CLADEM_TRY(cladei_mpi_kernels_build(sorter->kernels, names, SORTER_KERNELS, sorter->context,
                                            "kernels/mpi_batch.cl", NULL));
    if (count <= sorter->room)
        return CLADE_OK;
    free_buffers(sorter);
    CLADEM_TRY(cladei_mpi_array_make(&sorter->given, sorter->context, 8 * count));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->sorted, sorter->context, 8 * count));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->answers, sorter->context, 4 * count));
    CLADEM_TRY(cladei_mpi_array_make(&sorter->place, sorter->context, 4 * count));
    sorter->room = count;
    return CLADE_OK;

fail:
    free_buffers(sorter);
    return status;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* An array as kernels see it: a buffer, and its first element there. */
struct view {
    cl_mem mem;
    cl_ulong first;
};

static clade_status upload(struct cladei_mpi_sorter *sorter, cl_mem mem, const void *from,
                           uint64_t bytes)
{
    return cladei_mpi_array_write(sorter->context, clade_device(mem, 0), from, bytes);
}

static clade_status download(struct cladei_mpi_sorter *sorter, cl_mem mem, void *to, uint64_t bytes)
{
    return cladei_mpi_array_read(sorter->context, clade_device(mem, 0), to, bytes);
}

/* The array where it lies on the device, or a copy of the host's if `reads` (else room for it). */
static clade_status open_view(struct cladei_mpi_sorter *sorter, clade_array array, uint64_t bytes,
                              uint64_t count, bool reads, struct view *view)
{
    clade_status status = CLADE_OK;
    *view = (struct view) { sorter->given, 0 };
    if (array.mem)
        *view = (struct view) { array.mem, array.offset / bytes };
    else if (reads)
        CLADEM_TRY(upload(sorter, sorter->given, array.host, count * bytes));
fail:
    return status;
}

/* --- sorting ---------------------------------------------------------------------------------- */

/* Counts become places: all of rank 0, block by block, then all of rank 1 ... */
static void add_up(struct cladei_mpi_sorter *sorter, uint32_t blocks, uint64_t *send)
{
    uint32_t before = 0;
    for (uint32_t rank = 0; rank < sorter->ranks; rank++) {
        const uint32_t begin = before;
        for (uint32_t block = 0; block < blocks; block++) {
            uint32_t *const at = &sorter->own_counts[rank * blocks + block];
            const uint32_t count = *at;
            *at = before;
            before += count;
        }
        send[rank] = before - begin;
    }
}

static clade_status tell_owners(struct cladei_mpi_sorter *sorter,
                                const struct cladei_mpi_owners *owners, uint32_t blocks)
{
    clade_status status = CLADE_OK;
    const uint64_t table = 4 * (uint64_t)sorter->ranks * blocks;
    memset(sorter->own_counts, 0, (size_t)table);
    CLADEM_TRY(upload(sorter, sorter->counts, sorter->own_counts, table));
    if (owners->splitters)
        CLADEM_TRY(upload(sorter, sorter->splitters, owners->splitters,
                          8 * (uint64_t)(sorter->ranks - 1)));
fail:
    return status;
}

clade_status cladei_mpi_sort_keys(struct cladei_mpi_sorter *sorter,
                                  const struct cladei_mpi_owners *owners, clade_array keys,
                                  uint32_t type, uint64_t count, void *to, uint64_t *send)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = CLADE_TYPE_BYTES(type), wanted = count / BLOCK_LEAST + 1;
    const cl_uint blocks =
        wanted < sorter->blocks_most ? (cl_uint)wanted : (cl_uint)sorter->blocks_most;
    const cl_uint number = (cl_uint)count, of_type = type, is_wide = bytes == 8;
    const cl_uint ranks = sorter->ranks, by_hash = !owners->splitters;
    const uint64_t table = 4 * (uint64_t)ranks * blocks, items = (uint64_t)blocks * GROUP;
    struct view view;
    CLADEM_TRY(reserve(sorter, count));
    CLADEM_TRY(open_view(sorter, keys, bytes, count, true, &view));
    CLADEM_TRY(tell_owners(sorter, owners, blocks));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_COUNT], items, CLADEM_ARG(view.mem),
               CLADEM_ARG(view.first), CLADEM_ARG(number), CLADEM_ARG(of_type), CLADEM_ARG(is_wide),
               CLADEM_ARG(sorter->splitters), CLADEM_ARG(ranks), CLADEM_ARG(by_hash),
               CLADEM_ARG(sorter->counts), CLADEM_ARG(blocks));
    CLADEM_TRY(download(sorter, sorter->counts, sorter->own_counts, table));
    add_up(sorter, blocks, send);
    CLADEM_TRY(upload(sorter, sorter->counts, sorter->own_counts, table));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_MOVE], items, CLADEM_ARG(view.mem),
               CLADEM_ARG(view.first), CLADEM_ARG(number), CLADEM_ARG(of_type), CLADEM_ARG(is_wide),
               CLADEM_ARG(sorter->splitters), CLADEM_ARG(ranks), CLADEM_ARG(by_hash),
               CLADEM_ARG(sorter->counts), CLADEM_ARG(blocks), CLADEM_ARG(sorter->sorted),
               CLADEM_ARG(sorter->place));
    CLADEM_TRY(download(sorter, sorter->sorted, to, count * bytes));
fail:
    return status;
}

clade_status cladei_mpi_sort_values(struct cladei_mpi_sorter *sorter, clade_array values,
                                    uint64_t bytes, uint64_t count, void *to)
{
    clade_status status = CLADE_OK;
    const cl_uint number = (cl_uint)count, words = (cl_uint)(bytes / 4);
    struct view view;
    CLADEM_TRY(open_view(sorter, values, bytes, count, true, &view));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_SCATTER], count, CLADEM_ARG(view.mem),
               CLADEM_ARG(view.first), CLADEM_ARG(number), CLADEM_ARG(words),
               CLADEM_ARG(sorter->place), CLADEM_ARG(sorter->sorted));
    CLADEM_TRY(download(sorter, sorter->sorted, to, count * bytes));
fail:
    return status;
}

/* --- and back --------------------------------------------------------------------------------- */

clade_status cladei_mpi_sort_statuses(struct cladei_mpi_sorter *sorter, const void *statuses,
                                      uint64_t count)
{
    return upload(sorter, sorter->answers, statuses, 4 * count);
}

clade_status cladei_mpi_unsort(struct cladei_mpi_sorter *sorter, const void *from,
                               clade_array array, uint64_t bytes, uint64_t count, bool only_found)
{
    clade_status status = CLADE_OK;
    const cl_uint number = (cl_uint)count, words = (cl_uint)(bytes / 4), only = only_found;
    struct view view;
    CLADEM_TRY(open_view(sorter, array, bytes, count, only_found, &view));
    CLADEM_TRY(upload(sorter, sorter->sorted, from, count * bytes));
    CLADEM_RUN(sorter->context, sorter->kernels[SORTER_GATHER], count, CLADEM_ARG(sorter->sorted),
               CLADEM_ARG(number), CLADEM_ARG(words), CLADEM_ARG(sorter->place),
               CLADEM_ARG(sorter->answers), CLADEM_ARG(only), CLADEM_ARG(view.mem),
               CLADEM_ARG(view.first));
    if (array.host)
        CLADEM_TRY(download(sorter, sorter->given, array.host, count * bytes));
    CLADEM_TRY(clade_finish(sorter->context));
fail:
    return status;
}

clade_status cladei_mpi_sort_places(struct cladei_mpi_sorter *sorter, uint64_t count,
                                    uint32_t *places)
{
    return download(sorter, sorter->place, places, 4 * count);
}
