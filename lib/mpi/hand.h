/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that a rank took out of its heap to look at. They lie in buffers of the device, first one
 * first; the host has their images. A pop gives the first ones away and puts the rest back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clade/heap.h"
#include "mpi/arrays.h"

/* What was begun on the heap, and may have failed before it was known how far it came. */
enum cladei_mpi_hand_doing { CLADEI_MPI_HAND_RESTS, CLADEI_MPI_HAND_DRAWS, CLADEI_MPI_HAND_PUTS };

struct cladei_mpi_hand {
    clade_context *context; /* the heap holds it */
    clade_heap *heap;
    uint32_t key, value, order;
    cl_mem keys, values;           /* NULL until they are needed */
    uint64_t room;                 /* elements of these */
    uint64_t begin, end;           /* of the keys there */
    uint64_t inside;               /* keys in the heap, from cladei_mpi_hand_open() on */
    struct cladei_mpi_stage stage; /* keys on their way */
    enum cladei_mpi_hand_doing doing;
    bool is_lost; /* some of the keys that were to be put back are in the heap, and it is unknown
                   * which */
};

/* A failure leaves what is in the hand there. */

/* Begin: put back what an earlier call could not, and ask how many keys there are. */
clade_status cladei_mpi_hand_open(struct cladei_mpi_hand *hand);
/* Draw so many more. Fewer come only when the heap is empty. */
clade_status cladei_mpi_hand_draw(struct cladei_mpi_hand *hand, uint64_t count);
/* Images of some (pick.h). */
clade_status cladei_mpi_hand_read(void *self, uint64_t first, uint64_t step, uint64_t count,
                                  uint64_t *images);
/* The first `count` go to the caller's arrays. They stay in the hand, too. */
clade_status cladei_mpi_hand_show(struct cladei_mpi_hand *hand, clade_array keys,
                                  clade_array values, uint64_t count);
/* The first `count` are gone; the others go back into the heap. */
clade_status cladei_mpi_hand_close(struct cladei_mpi_hand *hand, uint64_t count);
void cladei_mpi_hand_free(struct cladei_mpi_hand *hand);
