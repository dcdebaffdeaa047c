/* SPDX-License-Identifier: Apache-2.0 */
/* The k first of one row over all ranks. Each rank selects about as many from its part as its share
 * of the result will be, in order, and all pick the first ones of these (pick.h). If some rank may
 * have more, it selects as many as there can be, and all pick again. */
#include <inttypes.h>
#include <stdlib.h>

#include "clade/mpi/kselect.h"
#include "mpi/gather.h"
#include "mpi/image.h"
#include "mpi/pick.h"
#include "mpi/root.h"

/* A selection from the rank's part. */
struct selection {
    clade_kselect *selector; /* made when it is first needed */
    uint64_t k;
};

struct clade_mpi_kselect {
    clade_mpi *mpi;
    clade_context *context;
    clade_kselect_params params; /* of the rank's part; k of the whole row */
    uint64_t first;              /* the place of the part's first key in the row */
    struct selection few, all;
    struct cladei_mpi_picker picker;
    struct cladei_mpi_exchange exchange;
    /* The part's results: as keys and places there, as images, and places in the row. */
    struct cladei_mpi_stage keys, places;
    uint64_t *images, *indices;
    uint64_t count;
};

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make_selection(clade_mpi_kselect *selector, struct selection *selection)
{
    clade_status status = CLADE_OK;
    clade_kselect_params params = selector->params;
    if (selection->selector || selection->k == 0)
        return CLADE_OK;
    params.k = selection->k;
    params.output = CLADE_KSELECT_SORTED;
    CLADEM_TRY(clade_kselect_create(&selection->selector, selector->context, &params));
fail:
    return status;
}

/* The context must live as long as the selector, and the selection holds it. So a rank without a
 * part has one, too, and does not use it. */
static clade_status hold_context(clade_mpi_kselect *selector)
{
    clade_kselect_params params = selector->params;
    params.length = params.k = 1;
    return clade_kselect_create(&selector->few.selector, selector->context, &params);
}

static clade_status make(clade_mpi_kselect **made, clade_mpi_kselect **out, clade_mpi *mpi,
                         clade_context *context, const clade_kselect_params *params)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out && context && params, CLADE_E_ARG, "an argument is NULL");
    CLADEM_REQUIRE(params->length <= CLADE_KSELECT_LENGTH_MAX, CLADE_E_ARG,
                   "length is %" PRIu64 "; it goes to %" PRIu64, params->length,
                   CLADE_KSELECT_LENGTH_MAX);
    CLADEM_REQUIRE(params->output == 0 && params->arity == 0, CLADE_E_ARG,
                   "output and arity are 0 over ranks: results come in order");
    CLADEM_REQUIRE(params->key <= CLADE_F32 && params->order <= CLADE_MAX && params->indices <= 1,
                   CLADE_E_ARG, "key, order or indices is none that there is");
    clade_mpi_kselect *selector = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(selector);
    cladei_mpi_hold(mpi);
    selector->mpi = mpi;
    selector->context = context;
    selector->params = *params;
    if (params->key == CLADE_NONE)
        selector->params.key = CLADE_I32;
    CLADEM_TRY(cladei_mpi_picker_make(&selector->picker, mpi));
    CLADEM_TRY(cladei_mpi_exchange_make(&selector->exchange, mpi));
fail:
    return status;
}

static uint64_t less_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What follows from the lengths of all parts. */
static clade_status divide(clade_mpi_kselect *selector, uint64_t before, uint64_t total)
{
    clade_status status = CLADE_OK;
    const uint64_t k = selector->params.k, length = selector->params.length;
    CLADEM_REQUIRE(k >= 1 && k <= total, CLADE_E_ARG,
                   "k is %" PRIu64 "; it goes from 1 to the %" PRIu64 " keys of all ranks", k,
                   total);
    const double mean = (double)k * ((double)length / (double)total);
    const uint64_t wanted = (uint64_t)mean + 3 * cladei_mpi_root((uint64_t)mean) + 8;
    selector->first = before;
    selector->all.k = less_of(length, k);
    selector->few.k = less_of(selector->all.k, wanted);
    if (selector->few.k == selector->all.k)
        selector->few.k = 0;
    if (length == 0)
        CLADEM_TRY(hold_context(selector));
    CLADEM_TRY(make_selection(selector, selector->few.k ? &selector->few : &selector->all));
    selector->images = calloc((size_t)selector->all.k + 1, sizeof *selector->images);
    selector->indices = calloc((size_t)selector->all.k + 1, sizeof *selector->indices);
    CLADEM_REQUIRE(selector->images && selector->indices, CLADE_E_NOMEM, "host memory is out");
    CLADEM_TRY(
        cladei_mpi_stage_reserve(&selector->keys, selector->context, selector->all.k * 4 + 4));
    CLADEM_TRY(
        cladei_mpi_stage_reserve(&selector->places, selector->context, selector->all.k * 4 + 4));
fail:
    return status;
}

clade_status clade_mpi_kselect_create(clade_mpi_kselect **out, clade_mpi *mpi,
                                      clade_context *context, const clade_kselect_params *params)
{
    clade_status status = CLADE_OK, own;
    clade_mpi_kselect *selector = NULL;
    uint64_t upto = 0, total = 0, length;
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    own = make(&selector, out, mpi, context, params);
    const clade_kselect_params none = { 0 };
    const clade_kselect_params *p = selector ? &selector->params : &none;
    const struct cladei_mpi_alike alike = {
        .words = { p->k, p->key, p->order, p->indices },
        .names = { "k", "the type of the keys", "the order", "indices" },
    };
    CLADEM_TRY(cladei_mpi_agree(mpi, own, &alike));
    length = p->length;
    CLADEM_MPI(MPI_Scan(&length, &upto, 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
    CLADEM_MPI(MPI_Allreduce(&length, &total, 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
    CLADEM_TRY(cladei_mpi_agree(mpi, divide(selector, upto - length, total), NULL));
    *out = selector;
    return CLADE_OK;

fail:
    clade_mpi_kselect_destroy(&selector);
    return status;
}

void clade_mpi_kselect_destroy(clade_mpi_kselect **selector)
{
    if (!selector || !*selector)
        return;
    clade_mpi_kselect *it = *selector;
    cladei_mpi_stage_free(&it->keys, it->context);
    cladei_mpi_stage_free(&it->places, it->context);
    clade_kselect_destroy(&it->few.selector);
    clade_kselect_destroy(&it->all.selector);
    free(it->images);
    free(it->indices);
    cladei_mpi_exchange_free(&it->exchange);
    cladei_mpi_picker_free(&it->picker);
    cladei_mpi_let_go(it->mpi);
    free(it);
    *selector = NULL;
}

/* --- selecting -------------------------------------------------------------------------------- */

/* The first ones of the part, in order. */
static clade_status select_own(clade_mpi_kselect *selector, struct selection *selection,
                               clade_array keys)
{
    clade_status status = CLADE_OK;
    const uint32_t *places = selector->places.host;
    const bool has_indices = selector->params.indices;
    selector->count = 0;
    if (selection->k == 0)
        return CLADE_OK;
    CLADEM_TRY(make_selection(selector, selection));
    CLADEM_TRY(clade_kselect_run(selection->selector, keys, clade_host(selector->keys.host),
                                 has_indices ? clade_host(places) : clade_no_array(), 1, NULL));
    for (uint64_t i = 0; i < selection->k; i++) {
        selector->images[i] =
            cladei_mpi_image(selector->keys.host, i, selector->params.key, selector->params.order);
        selector->indices[i] = has_indices ? selector->first + places[i] : 0;
    }
    selector->count = selection->k;
fail:
    return status;
}

static clade_status find_first(clade_mpi_kselect *selector, clade_array keys, uint64_t *take)
{
    clade_status status = CLADE_OK;
    const uint64_t k = selector->params.k;
    struct cladei_mpi_picked picked = { .some_short = true };
    struct selection *selection = selector->few.k ? &selector->few : &selector->all;
    clade_status own = select_own(selector, selection, keys);
    while (picked.some_short) {
        const struct cladei_mpi_row row = { .count = selector->count,
                                            .is_all = selector->count == selector->params.length,
                                            .images = selector->images };
        CLADEM_TRY(cladei_mpi_pick(&selector->picker, own, &row, k, k, &picked));
        own = picked.own;
        if (own == CLADE_OK && picked.is_short)
            own = select_own(selector, &selector->all, keys);
    }
    *take = picked.take;
    CLADEM_TRY(cladei_mpi_agree(selector->mpi, own, NULL));
fail:
    return status;
}

static clade_status check(const clade_mpi_kselect *selector, clade_array keys, clade_array out,
                          clade_array indices, uint64_t room)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(cladei_mpi_array_check(selector->context, keys, selector->params.length, 4, "keys"));
    CLADEM_TRY(cladei_mpi_array_check(selector->context, out, room, 4, "out"));
    if (selector->params.indices)
        CLADEM_TRY(cladei_mpi_array_check(selector->context, indices, room, 8, "indices"));
    CLADEM_REQUIRE(selector->params.indices || !cladei_mpi_is_given(indices), CLADE_E_ARG,
                   "indices are given, but the selector has none");
fail:
    return status;
}

static clade_status show(const clade_mpi_kselect *selector, clade_array out, clade_array indices,
                         uint64_t room, uint64_t take)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(take <= room, CLADE_E_FULL,
                   "%" PRIu64 " keys are this rank's, and there is room for %" PRIu64, take, room);
    CLADEM_TRY(cladei_mpi_array_write(selector->context, out, selector->keys.host, take * 4));
    CLADEM_TRY(cladei_mpi_array_write(selector->context, indices, selector->indices, take * 8));
fail:
    return status;
}

/* Places in the row are wider than those of a device. */
static clade_status widen(clade_mpi_kselect *selector, clade_array indices, uint64_t count)
{
    const uint32_t *places = selector->places.host;
    for (uint64_t i = 0; i < count; i++)
        selector->indices[i] = places[i];
    return cladei_mpi_array_write(selector->context, indices, selector->indices, count * 8);
}

/* One rank alone selects into the caller's arrays. */
static clade_status run_plain(clade_mpi_kselect *selector, clade_array keys, clade_array out,
                              clade_array indices, uint64_t room, uint64_t *got)
{
    clade_status status = CLADE_OK;
    const uint64_t k = selector->all.k;
    const clade_array places =
        selector->params.indices ? clade_host(selector->places.host) : clade_no_array();
    CLADEM_REQUIRE(k <= room, CLADE_E_FULL,
                   "%" PRIu64 " keys are this rank's, and there is room for %" PRIu64, k, room);
    CLADEM_TRY(make_selection(selector, &selector->all));
    CLADEM_TRY(clade_kselect_run(selector->all.selector, keys, out, places, 1, NULL));
    if (selector->params.indices)
        CLADEM_TRY(widen(selector, indices, k));
    CLADEM_TRY(clade_finish(selector->context));
    *got = k;
fail:
    return status;
}

clade_status clade_mpi_kselect_run(clade_mpi_kselect *selector, clade_array keys, clade_array out,
                                   clade_array indices, uint64_t room, uint64_t *got)
{
    clade_status status = CLADE_OK, own;
    uint64_t take = 0;
    CLADEM_REQUIRE(selector, CLADE_E_ARG, "the selector is NULL");
    own = check(selector, keys, out, indices, room);
    if (own == CLADE_OK && !got)
        own = cladei_mpi_fail(CLADE_E_ARG, "there is no place for the number got");
    CLADEM_TRY(cladei_mpi_agree(selector->mpi, own, NULL));
    if (selector->mpi->ranks == 1)
        return cladei_mpi_agree(selector->mpi, run_plain(selector, keys, out, indices, room, got),
                                NULL);
    CLADEM_TRY(find_first(selector, keys, &take));
    CLADEM_TRY(cladei_mpi_agree(selector->mpi, show(selector, out, indices, room, take), NULL));
    *got = take;
fail:
    return status;
}

clade_status clade_mpi_kselect_run_at(clade_mpi_kselect *selector, int root, clade_array keys,
                                      clade_array out, clade_array indices)
{
    clade_status status = CLADE_OK, own;
    uint64_t take = 0;
    CLADEM_REQUIRE(selector, CLADE_E_ARG, "the selector is NULL");
    const bool here = root == selector->mpi->rank, has_indices = selector->params.indices;
    const struct cladei_mpi_alike alike = { .words = { (uint64_t)root }, .names = { "root" } };
    own = check(selector, keys, out, indices, here ? selector->params.k : 0);
    if (own == CLADE_OK && (root < 0 || root >= selector->mpi->ranks))
        own = cladei_mpi_fail(CLADE_E_ARG, "root is %d; the ranks go from 0 to %d", root,
                              selector->mpi->ranks - 1);
    CLADEM_TRY(cladei_mpi_agree(selector->mpi, own, &alike));
    if (selector->mpi->ranks == 1)
        return cladei_mpi_agree(selector->mpi,
                                run_plain(selector, keys, out, indices, selector->params.k, &take),
                                NULL);
    CLADEM_TRY(find_first(selector, keys, &take));
    const struct cladei_mpi_gathering gathering = {
        &selector->exchange,
        selector->context,
        { selector->params.key, has_indices ? CLADE_U64 : CLADE_NONE },
        selector->params.order,
        root,
        selector->params.k,
    };
    CLADEM_TRY(cladei_mpi_gather(&gathering, clade_host(selector->keys.host),
                                 clade_host(selector->indices), take, out, indices));
fail:
    return status;
}
