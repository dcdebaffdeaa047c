/* SPDX-License-Identifier: Apache-2.0 */
/* A batch sorted by owner, on the device, and elements to and from that order. */
#pragma once

#include <stdbool.h>

#include "mpi/arrays.h"
#include "mpi/kernels.h"

/* Who has a key: the first rank whose splitter is not below its image, or the last; without
 * splitters it goes by hash. */
struct cladei_mpi_owners {
    const uint64_t *splitters; /* ranks - 1 of them, or NULL */
    uint32_t ranks;
};
int cladei_mpi_owner(const struct cladei_mpi_owners *owners, uint64_t image);

enum cladei_mpi_sorter_kernel {
    SORTER_COUNT,
    SORTER_MOVE,
    SORTER_SCATTER,
    SORTER_PACK,
    SORTER_UNPACK,
    SORTER_GATHER,
    SORTER_BEYOND,
    SORTER_KERNELS
};

/* An array as kernels see it: a buffer, and its first element there. */
struct cladei_mpi_view {
    cl_mem mem;
    cl_ulong first;
};

/* Elements of a batch have one of two kinds: keys, or values. */
enum { SORTER_KEYS, SORTER_VALUES, SORTER_KINDS };

/* A chunk of a batch: where it begins there, and how many operations it has. */
struct cladei_mpi_chunk {
    uint64_t first, count;
};

struct cladei_mpi_sorter {
    clade_context *context;
    uint32_t ranks;
    uint32_t blocks_most;
    cl_kernel kernels[SORTER_KERNELS];
    uint64_t room;               /* of the following, in operations: a chunk's */
    cl_mem given[SORTER_KINDS];  /* what the caller has on the host, or will */
    cl_mem sorted[SORTER_KINDS]; /* what is sent, or came back */
    cl_mem packed;               /* statuses that came back, as bytes */
    cl_mem statuses;             /* in the order of the operations */
    uint64_t place_room;
    cl_mem place; /* of each operation of the batch in what its chunk sends */
    cl_mem counts, splitters, found;
    struct cladei_mpi_stage own_counts; /* `counts` on the host */
    cl_event counted;                   /* while they are on their way */
    struct cladei_mpi_view view;        /* of the keys that are counted */
    cl_uint blocks;
};

clade_status cladei_mpi_sorter_make(struct cladei_mpi_sorter *sorter, clade_context *context,
                                    uint32_t ranks);
void cladei_mpi_sorter_free(struct cladei_mpi_sorter *sorter);
/* Room for a batch of `count` operations, in chunks of `chunk`. */
clade_status cladei_mpi_sorter_reserve(struct cladei_mpi_sorter *sorter, uint64_t count,
                                       uint64_t chunk);

/* Sort a chunk's keys of `type` in two steps: begin to count, and, when the counts have come, move
 * them by rank to `sorted`; `send` receives how many each rank has. What the caller does between
 * the two goes on beside the counting. */
clade_status cladei_mpi_sort_begin(struct cladei_mpi_sorter *sorter,
                                   const struct cladei_mpi_owners *owners, clade_array keys,
                                   uint32_t type, struct cladei_mpi_chunk chunk);
clade_status cladei_mpi_sort_end(struct cladei_mpi_sorter *sorter,
                                 const struct cladei_mpi_owners *owners, uint32_t type,
                                 struct cladei_mpi_chunk chunk, uint64_t *send);
/* A chunk's elements where kernels see them. */
clade_status cladei_mpi_sort_bring(struct cladei_mpi_sorter *sorter, int kind, clade_array array,
                                   uint64_t bytes, struct cladei_mpi_chunk chunk,
                                   struct cladei_mpi_view *view);
/* Values in the order of the sorted keys; 0 where there is no array. */
clade_status cladei_mpi_sort_values(struct cladei_mpi_sorter *sorter,
                                    const struct cladei_mpi_view *view, uint64_t bytes,
                                    struct cladei_mpi_chunk chunk);

/* Statuses of operations become bytes. */
clade_status cladei_mpi_sort_pack(struct cladei_mpi_sorter *sorter, cl_mem statuses, uint64_t count,
                                  cl_mem packed);
/* What was found out of a chunk's answers. */
struct cladei_mpi_outcome {
    cl_uint some_failed;
    cl_uint refused; /* UINT32_MAX: none; else twice the first one's place, plus 1: it was busy */
};
/* The answers in `packed` become statuses in the order of the operations; read_results() then
 * brings them to the host. */
clade_status cladei_mpi_unsort_statuses(struct cladei_mpi_sorter *sorter, clade_array statuses,
                                        struct cladei_mpi_chunk chunk,
                                        struct cladei_mpi_outcome *outcome);
/* The answers in `sorted` where they were asked for; the array stays as it is where the status is
 * not CLADE_OK. */
clade_status cladei_mpi_unsort(struct cladei_mpi_sorter *sorter, int kind, clade_array array,
                               uint64_t bytes, struct cladei_mpi_chunk chunk, bool some_failed);
/* Bring a chunk's results to the array if that lies on the host: of unsort_statuses(), or of
 * unsort(). */
clade_status cladei_mpi_read_statuses(struct cladei_mpi_sorter *sorter, clade_array statuses,
                                      struct cladei_mpi_chunk chunk);
clade_status cladei_mpi_read_results(struct cladei_mpi_sorter *sorter, int kind, clade_array array,
                                     uint64_t bytes, struct cladei_mpi_chunk chunk);

/* Operations that found nothing (CLADE_E_NOT_FOUND) found this key and this value. */
clade_status cladei_mpi_sort_beyond(struct cladei_mpi_sorter *sorter, cl_mem statuses,
                                    uint64_t count, cl_mem keys, uint64_t key_bytes, uint64_t key,
                                    cl_mem values, uint64_t value_bytes, uint64_t value);
