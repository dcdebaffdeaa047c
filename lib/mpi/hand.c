/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that a rank took out of its heap to look at. */
#include <inttypes.h>
#include <stdlib.h>

#include "mpi/hand.h"
#include "mpi/image.h"

static clade_array part_of(cl_mem mem, uint64_t first, uint32_t type)
{
    return mem ? clade_device(mem, (size_t)(first * CLADE_TYPE_BYTES(type))) : clade_no_array();
}

/* --- room ------------------------------------------------------------------------------------- */

static clade_status grow(struct cladei_mpi_hand *hand, cl_mem *mem, uint64_t room, uint32_t type)
{
    clade_status status = CLADE_OK;
    cl_int code;
    const size_t bytes = CLADE_TYPE_BYTES(type);
    cl_mem grown = clCreateBuffer(clade_context_cl_context(hand->context), CL_MEM_READ_WRITE,
                                  (size_t)room * bytes, NULL, &code);
    CLADEM_CL(code);
    if (hand->end > 0)
        CLADEM_TRY(cladei_mpi_array_fill(hand->context, clade_device(grown, 0), *mem, 0,
                                         hand->end * bytes));
    if (*mem)
        clReleaseMemObject(*mem);
    *mem = grown;
    return CLADE_OK;

fail:
    if (grown)
        clReleaseMemObject(grown);
    return status;
}

static clade_status reserve(struct cladei_mpi_hand *hand, uint64_t count)
{
    clade_status status = CLADE_OK;
    const uint64_t needed = hand->end + count;
    if (needed > hand->room) {
        const uint64_t room = needed + needed / 2;
        CLADEM_TRY(grow(hand, &hand->keys, room, hand->key));
        if (hand->value != CLADE_NONE)
            CLADEM_TRY(grow(hand, &hand->values, room, hand->value));
        hand->room = room;
    }
    if (needed > hand->images_room) {
        uint64_t *grown = realloc(hand->images, (size_t)hand->room * sizeof *grown);
        CLADEM_NO_MEMORY(grown);
        hand->images = grown;
        hand->images_room = hand->room;
    }
    CLADEM_TRY(cladei_mpi_stage_reserve(&hand->stage, hand->context,
                                        hand->room * CLADE_TYPE_BYTES(hand->key)));
fail:
    return status;
}

/* --- out and back ----------------------------------------------------------------------------- */

/* The heap's size tells what a draw or an insert that failed has moved. The first time it may tell
 * an error that the call left, in place of the size. */
static clade_status settle(struct cladei_mpi_hand *hand)
{
    clade_status status = CLADE_OK, told = CLADE_OK;
    uint64_t size = 0;
    if (hand->doing != CLADEI_MPI_HAND_RESTS)
        told = clade_heap_size(hand->heap, &size);
    if (told != CLADE_OK)
        CLADEM_TRY(clade_heap_size(hand->heap, &size));
    if (hand->doing == CLADEI_MPI_HAND_DRAWS)
        hand->end += hand->inside - size;
    if (hand->doing == CLADEI_MPI_HAND_PUTS && size != hand->inside) {
        hand->is_lost = size != hand->inside + (hand->end - hand->begin);
        hand->begin = hand->end = 0;
    }
    if (hand->doing != CLADEI_MPI_HAND_RESTS)
        hand->inside = size;
    hand->doing = CLADEI_MPI_HAND_RESTS;
    return told;

fail:
    return status;
}

/* An insert takes all or none, but for a device that fails in the middle. */
static clade_status put_back(struct cladei_mpi_hand *hand)
{
    clade_status status = CLADE_OK, put, told;
    const uint64_t count = hand->end - hand->begin;
    CLADEM_REQUIRE(!hand->is_lost, CLADE_E_CORRUPT,
                   "a device failed while keys were put back: some are missing, or there twice");
    if (count == 0) {
        hand->begin = hand->end = 0;
        return CLADE_OK;
    }
    hand->doing = CLADEI_MPI_HAND_PUTS;
    put = clade_heap_insert(hand->heap, part_of(hand->keys, hand->begin, hand->key),
                            part_of(hand->values, hand->begin, hand->value), count, NULL);
    told = settle(hand);
    if (hand->end > 0) /* still here */
        CLADEM_TRY(put != CLADE_OK ? put : told);
fail:
    return status;
}

clade_status cladei_mpi_hand_open(struct cladei_mpi_hand *hand)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(settle(hand));
    CLADEM_TRY(clade_heap_size(hand->heap, &hand->inside));
    CLADEM_TRY(put_back(hand));
fail:
    return status;
}

static clade_status look(struct cladei_mpi_hand *hand, uint64_t first)
{
    clade_status status = CLADE_OK;
    const uint64_t count = hand->end - first;
    CLADEM_TRY(cladei_mpi_array_read(hand->context, part_of(hand->keys, first, hand->key),
                                     hand->stage.host, count * CLADE_TYPE_BYTES(hand->key)));
    for (uint64_t i = 0; i < count; i++)
        hand->images[first + i] = cladei_mpi_image(hand->stage.host, i, hand->key, hand->order);
fail:
    return status;
}

clade_status cladei_mpi_hand_draw(struct cladei_mpi_hand *hand, uint64_t count)
{
    clade_status status = CLADE_OK, popped, told;
    const uint64_t first = hand->end;
    uint64_t got = 0;
    count = count < hand->inside ? count : hand->inside;
    if (count == 0)
        return CLADE_OK;
    CLADEM_TRY(reserve(hand, count));
    hand->doing = CLADEI_MPI_HAND_DRAWS;
    popped =
        clade_heap_pop(hand->heap, part_of(hand->keys, first, hand->key),
                       part_of(hand->values, first, hand->value), count, clade_host(&got), NULL);
    told = settle(hand);
    CLADEM_TRY(popped);
    CLADEM_TRY(told);
    CLADEM_TRY(look(hand, first));
fail:
    return status;
}

clade_status cladei_mpi_hand_show(struct cladei_mpi_hand *hand, clade_array keys,
                                  clade_array values, uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(cladei_mpi_array_fill(hand->context, keys, hand->keys, 0,
                                     count * CLADE_TYPE_BYTES(hand->key)));
    CLADEM_TRY(cladei_mpi_array_fill(hand->context, values, hand->values, 0,
                                     count * CLADE_TYPE_BYTES(hand->value)));
fail:
    return status;
}

clade_status cladei_mpi_hand_close(struct cladei_mpi_hand *hand, uint64_t count)
{
    hand->begin = count;
    return put_back(hand);
}

void cladei_mpi_hand_free(struct cladei_mpi_hand *hand)
{
    cladei_mpi_stage_free(&hand->stage, hand->context);
    if (hand->keys)
        clReleaseMemObject(hand->keys);
    if (hand->values)
        clReleaseMemObject(hand->values);
    free(hand->images);
}
