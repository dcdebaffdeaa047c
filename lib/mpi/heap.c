/* SPDX-License-Identifier: Apache-2.0 */
/* A priority queue over all ranks. A pop draws from each heap about as many keys as its share will
 * be, picks the first ones of all (pick.h), and lets ranks that were short draw more until none is.
 * What was not taken goes back. */
#include <inttypes.h>
#include <stdlib.h>

#include "clade/mpi/heap.h"
#include "mpi/gather.h"
#include "mpi/hand.h"
#include "mpi/pick.h"
#include "mpi/root.h"

struct clade_mpi_heap {
    clade_mpi *mpi;
    struct cladei_mpi_hand hand;
    struct cladei_mpi_picker picker;
    struct cladei_mpi_exchange exchange; /* of a pop that is gathered */
    double share;                        /* of a pop, that will come from this rank */
};

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make(clade_mpi_heap **made, clade_mpi_heap **out, clade_mpi *mpi,
                         clade_context *context, const clade_heap_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out && context && params, CLADE_E_ARG, "an argument is NULL");
    CLADEM_REQUIRE(params->heaps < 2, CLADE_E_ARG, "heaps is %" PRIu32 "; over ranks it is 1",
                   params->heaps);
    clade_mpi_heap *heap = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(heap);
    cladei_mpi_hold(mpi);
    heap->mpi = mpi;
    heap->share = 1.0 / mpi->ranks;
    CLADEM_TRY(cladei_mpi_picker_make(&heap->picker, mpi));
    CLADEM_TRY(cladei_mpi_exchange_make(&heap->exchange, mpi));
    CLADEM_TRY(clade_heap_create(&heap->hand.heap, context, params));
    const clade_heap_params *all = clade_heap_params_of(heap->hand.heap);
    heap->hand.context = context;
    heap->hand.key = all->key;
    heap->hand.value = all->value;
    heap->hand.order = all->order;
fail:
    return status;
}

clade_status clade_mpi_heap_create(clade_mpi_heap **out, clade_mpi *mpi, clade_context *context,
                                   const clade_heap_params *params)
{
    clade_status status = CLADE_OK;
    clade_mpi_heap *heap = NULL;
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    const clade_status own = make(&heap, out, mpi, context, params);
    const struct cladei_mpi_alike alike = {
        .words = { heap ? heap->hand.key : 0, heap ? heap->hand.value : 0,
                   heap ? heap->hand.order : 0 },
        .names = { "the type of the keys", "the type of the values", "the order" },
    };
    CLADEM_TRY(cladei_mpi_agree(mpi, own, &alike));
    *out = heap;
    return CLADE_OK;

fail:
    clade_mpi_heap_destroy(&heap);
    return status;
}

void clade_mpi_heap_destroy(clade_mpi_heap **heap)
{
    if (!heap || !*heap)
        return;
    clade_mpi_heap *it = *heap;
    cladei_mpi_hand_free(&it->hand);
    clade_heap_destroy(&it->hand.heap);
    cladei_mpi_exchange_free(&it->exchange);
    cladei_mpi_picker_free(&it->picker);
    cladei_mpi_let_go(it->mpi);
    free(it);
    *heap = NULL;
}

clade_heap *clade_mpi_heap_own(const clade_mpi_heap *heap)
{
    return heap ? heap->hand.heap : NULL;
}

/* --- which keys ------------------------------------------------------------------------------- */

/* A share of `count`, and three times what chance makes of it. */
static uint64_t draw_first(const clade_mpi_heap *heap, uint64_t count)
{
    const double mean = (double)count * heap->share;
    const double wanted = mean + 3 * (double)cladei_mpi_root((uint64_t)mean) + 8;
    return wanted < (double)count ? (uint64_t)wanted : count;
}

/* The next share is expected to be as the last ones were. */
static void learn(clade_mpi_heap *heap, uint64_t take, uint64_t total)
{
    const double least = 1.0 / (8.0 * heap->mpi->ranks);
    if (total > 0)
        heap->share = (heap->share + (double)take / (double)total) / 2;
    if (heap->share < least)
        heap->share = least;
}

/* Draw until it is known which keys are the first ones. */
static clade_status find_first(clade_mpi_heap *heap, uint64_t count, uint64_t most, uint64_t *take)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_hand *hand = &heap->hand;
    struct cladei_mpi_picked picked = { .is_short = true, .some_short = true };
    clade_status own = CLADE_OK;
    uint64_t draw = draw_first(heap, count);
    while (picked.some_short) {
        if (own == CLADE_OK && picked.is_short)
            own = cladei_mpi_hand_draw(hand, draw);
        const struct cladei_mpi_row row = { .count = hand->end,
                                            .is_all = hand->inside == 0,
                                            .read = cladei_mpi_hand_read,
                                            .data = hand };
        CLADEM_TRY(cladei_mpi_pick(&heap->picker, own, &row, count, most, &picked));
        own = picked.own;
        draw = hand->end + 64 < most - hand->end ? hand->end + 64 : most - hand->end;
    }
    *take = picked.take;
    learn(heap, picked.take, picked.total);
    CLADEM_TRY(cladei_mpi_agree(heap->mpi, own, NULL));
fail:
    return status;
}

/* --- distributed ------------------------------------------------------------------------------ */

static clade_status check_arrays(const clade_mpi_heap *heap, clade_array keys, clade_array values,
                                 uint64_t room)
{
    clade_status status = CLADE_OK;
    const uint32_t value = heap->hand.value;
    CLADEM_TRY(cladei_mpi_array_check(heap->hand.context, keys, room,
                                      CLADE_TYPE_BYTES(heap->hand.key), "keys"));
    CLADEM_REQUIRE(value != CLADE_NONE || !cladei_mpi_is_given(values), CLADE_E_ARG,
                   "values are given, but the heap has none");
    if (value != CLADE_NONE)
        CLADEM_TRY(cladei_mpi_array_check(heap->hand.context, values, room, CLADE_TYPE_BYTES(value),
                                          "values"));
fail:
    return status;
}

/* What a rank can say before it draws. */
static clade_status open_pop(clade_mpi_heap *heap, clade_array keys, clade_array values,
                             uint64_t room, uint64_t count, uint64_t most, const uint64_t *got)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(got, CLADE_E_ARG, "there is no place for the number got");
    CLADEM_REQUIRE(most >= count, CLADE_E_ARG,
                   "most is %" PRIu64 ", less than the %" PRIu64 " wanted", most, count);
    CLADEM_TRY(check_arrays(heap, keys, values, room));
    CLADEM_TRY(cladei_mpi_hand_open(&heap->hand));
fail:
    return status;
}

static clade_status show(clade_mpi_heap *heap, clade_array keys, clade_array values, uint64_t room,
                         uint64_t take)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(take <= room, CLADE_E_FULL,
                   "%" PRIu64 " keys are this rank's, and there is room for %" PRIu64, take, room);
    CLADEM_TRY(cladei_mpi_hand_show(&heap->hand, keys, values, take));
fail:
    return status;
}

/* One rank: nothing is to be picked, and with room for all nothing can come back. What was lost is
 * told by the other way. */
static bool is_plain(const clade_mpi_heap *heap, uint64_t room, uint64_t count, const uint64_t *got)
{
    return heap->mpi->ranks == 1 && room >= count && got && heap->hand.end == 0 &&
           heap->hand.doing == CLADEI_MPI_HAND_RESTS && !heap->hand.is_lost;
}

static clade_status pop_plain(clade_mpi_heap *heap, clade_array keys, clade_array values,
                              uint64_t count, uint64_t *got)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(check_arrays(heap, keys, values, count));
    *got = 0;
    if (count > 0)
        CLADEM_TRY(clade_heap_pop(heap->hand.heap, keys, values, count, clade_host(got), NULL));
fail:
    return status;
}

clade_status clade_mpi_heap_pop(clade_mpi_heap *heap, clade_array keys, clade_array values,
                                uint64_t room, uint64_t count, uint64_t most, uint64_t *got)
{
    clade_status status = CLADE_OK;
    uint64_t take = 0;
    CLADEM_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    most = most ? most : count;
    if (is_plain(heap, room, count, got) && most >= count)
        return pop_plain(heap, keys, values, count, got);
    const struct cladei_mpi_alike alike = { .words = { count, most },
                                            .names = { "count", "most" } };
    CLADEM_TRY(
        cladei_mpi_agree(heap->mpi, open_pop(heap, keys, values, room, count, most, got), &alike));
    if (count > 0)
        status = find_first(heap, count, most, &take);
    if (status == CLADE_OK)
        status = cladei_mpi_agree(heap->mpi, show(heap, keys, values, room, take), NULL);
    /* What does not go back now stays in the hand, and the next call tries again. */
    (void)!cladei_mpi_hand_close(&heap->hand, status == CLADE_OK ? take : 0);
    CLADEM_TRY(status);
    *got = take;
fail:
    return status;
}

/* --- gathered --------------------------------------------------------------------------------- */

static clade_status open_pop_at(clade_mpi_heap *heap, int root, clade_array keys,
                                clade_array values, uint64_t room, uint64_t count, uint64_t most,
                                const uint64_t *got)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(root >= 0 && root < heap->mpi->ranks, CLADE_E_ARG,
                   "root is %d; the ranks go from 0 to %d", root, heap->mpi->ranks - 1);
    CLADEM_REQUIRE(root == heap->mpi->rank || room == 0, CLADE_E_ARG,
                   "room is %" PRIu64 ", and this rank is not the root", room);
    CLADEM_TRY(open_pop(heap, keys, values, room, count, most, got));
fail:
    return status;
}

clade_status clade_mpi_heap_pop_at(clade_mpi_heap *heap, int root, clade_array keys,
                                   clade_array values, uint64_t room, uint64_t count, uint64_t most,
                                   uint64_t *got)
{
    clade_status status = CLADE_OK;
    uint64_t take = 0, total;
    CLADEM_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    struct cladei_mpi_hand *hand = &heap->hand;
    most = most ? most : count;
    if (is_plain(heap, room, count, got) && most >= count && root == 0)
        return pop_plain(heap, keys, values, count, got);
    const struct cladei_mpi_alike alike = { .words = { count, most, (uint64_t)root },
                                            .names = { "count", "most", "root" } };
    CLADEM_TRY(cladei_mpi_agree(
        heap->mpi, open_pop_at(heap, root, keys, values, room, count, most, got), &alike));
    if (count > 0)
        status = find_first(heap, count, most, &take);
    if (status == CLADE_OK)
        status = cladei_mpi_gather(&(struct cladei_mpi_gathering) { &heap->exchange,
                                                                    hand->context,
                                                                    { hand->key, hand->value },
                                                                    hand->order,
                                                                    root,
                                                                    room },
                                   hand->keys ? clade_device(hand->keys, 0) : clade_no_array(),
                                   hand->values ? clade_device(hand->values, 0) : clade_no_array(),
                                   take, keys, values);
    (void)!cladei_mpi_hand_close(hand, status == CLADE_OK ? take : 0);
    CLADEM_TRY(status);
    total = take;
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, heap->mpi->comm));
    *got = total;
fail:
    return status;
}

clade_status clade_mpi_heap_size(clade_mpi_heap *heap, uint64_t *size)
{
    clade_status status = CLADE_OK;
    uint64_t all = 0;
    CLADEM_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    clade_status own = cladei_mpi_hand_open(&heap->hand);
    if (own == CLADE_OK && !size)
        own = cladei_mpi_fail(CLADE_E_ARG, "the place for the size is NULL");
    CLADEM_TRY(cladei_mpi_agree(heap->mpi, own, NULL));
    CLADEM_MPI(MPI_Allreduce(&heap->hand.inside, &all, 1, MPI_UINT64_T, MPI_SUM, heap->mpi->comm));
    *size = all;
fail:
    return status;
}
