/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered map over all ranks: its life, its owners, the calls over batches. */
#include <stdlib.h>
#include <string.h>

#include "mpi/image.h"
#include "mpi/rbtree.h"

/* --- owners ----------------------------------------------------------------------------------- */

int clade_mpi_rbtree_owner(const clade_mpi_rbtree *tree, const void *key)
{
    if (!tree || !key)
        return -1;
    return cladei_mpi_owner(&tree->map.owners,
                            cladei_mpi_image(key, 0, tree->map.batch.key, CLADE_MIN));
}

/* --- the rank's own tree ---------------------------------------------------------------------- */

enum operation { INSERT, PUT, ERASE, FIND, SEEK };

static bool is_upward(uint32_t what)
{
    return what == CLADE_RBTREE_LOWER || what == CLADE_RBTREE_NEXT;
}

/* A key whose nearest one is not on its owner: that of the next rank that has any. */
static clade_status seek_beyond(clade_mpi_rbtree *tree, const struct cladei_mpi_call *call)
{
    const bool up = is_upward(call->what);
    const uint32_t key = CLADE_TYPE_BYTES(tree->map.batch.key),
                   value = CLADE_TYPE_BYTES(tree->map.batch.value);
    const int ranks = tree->map.mpi->ranks;
    int r = tree->map.mpi->rank;
    do
        r += up ? 1 : -1;
    while (r >= 0 && r < ranks && !tree->ends[r].has);
    if (r < 0 || r >= ranks)
        return CLADE_OK;
    return cladei_mpi_sort_beyond(&tree->map.batch.sorter, call->statuses.mem, call->count,
                                  call->found.mem, key, tree->ends[r].keys[!up], call->values.mem,
                                  value, tree->ends[r].values[!up]);
}

static clade_status seek(clade_mpi_rbtree *tree, const struct cladei_mpi_call *c)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(clade_rbtree_seek(tree->own, c->keys, c->what, c->found, c->values, c->count,
                                 c->statuses, NULL));
    if (tree->map.mpi->ranks > 1)
        CLADEM_TRY(seek_beyond(tree, c));
fail:
    return status;
}

static clade_status operate(void *self, const struct cladei_mpi_call *c)
{
    clade_mpi_rbtree *tree = self;
    switch ((enum operation)c->operation) {
    case INSERT:
        return clade_rbtree_insert(tree->own, c->keys, c->values, c->count, c->statuses, NULL);
    case PUT:
        return clade_rbtree_put(tree->own, c->keys, c->values, c->count, c->statuses, NULL);
    case ERASE:
        return clade_rbtree_erase(tree->own, c->keys, c->values, c->count, c->statuses, NULL);
    case FIND:
        return clade_rbtree_find(tree->own, c->keys, c->values, c->count, c->statuses, NULL);
    case SEEK:
        break;
    }
    return seek(tree, c);
}

static clade_status own_size(void *self, uint64_t *size)
{
    return clade_rbtree_size(((clade_mpi_rbtree *)self)->own, size);
}

/* --- life ------------------------------------------------------------------------------------- */

/* The numbers of the type in equal parts. */
static void divide_evenly(clade_mpi_rbtree *tree)
{
    const uint64_t most =
        CLADE_TYPE_BYTES(tree->map.batch.key) == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX;
    const uint64_t part = most / (uint64_t)tree->map.mpi->ranks;
    for (int i = 0; i + 1 < tree->map.mpi->ranks; i++)
        tree->splitters[i] = part * (uint64_t)(i + 1);
}

static clade_status make(clade_mpi_rbtree **made, clade_mpi_rbtree **out, clade_mpi *mpi,
                         clade_context *context, const clade_rbtree_params *params)
{
    clade_status status = CLADE_OK;
    const size_t ranks = (size_t)mpi->ranks;
    CLADEM_REQUIRE(out && context && params, CLADE_E_ARG, "an argument is NULL");
    clade_mpi_rbtree *tree = *made = calloc(1, sizeof **made);
    CLADEM_NO_MEMORY(tree);
    cladei_mpi_hold(mpi);
    tree->map = (struct cladei_mpi_map) { .mpi = mpi, .operate = operate, .size = own_size };
    tree->capacity = params->capacity;
    tree->splitters = calloc(ranks, sizeof *tree->splitters);
    tree->map.owners = (struct cladei_mpi_owners) { tree->splitters, (uint32_t)mpi->ranks };
    tree->next = calloc(ranks, sizeof *tree->next);
    tree->ends = calloc(ranks, sizeof *tree->ends);
    CLADEM_REQUIRE(tree->splitters && tree->next && tree->ends, CLADE_E_NOMEM,
                   "host memory is out");
    CLADEM_TRY(clade_rbtree_create(&tree->own, context, params));
    CLADEM_TRY(cladei_mpi_picker_make(&tree->picker, mpi));
    CLADEM_TRY(cladei_mpi_exchange_make(&tree->exchange, mpi));
    CLADEM_TRY(cladei_mpi_batch_make(&tree->map.batch, mpi, context,
                                     params->key == CLADE_NONE ? CLADE_U32 : params->key,
                                     params->value));
    divide_evenly(tree);
fail:
    return status;
}

clade_status clade_mpi_rbtree_create(clade_mpi_rbtree **out, clade_mpi *mpi, clade_context *context,
                                     const clade_rbtree_params *params)
{
    clade_status status = CLADE_OK, own;
    clade_mpi_rbtree *tree = NULL;
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    own = make(&tree, out, mpi, context, params);
    const struct cladei_mpi_alike alike = {
        .words = { tree ? tree->map.batch.key : 0, tree ? tree->map.batch.value : 0 },
        .names = { "the type of the keys", "the type of the values" },
    };
    CLADEM_TRY(cladei_mpi_agree(mpi, own, &alike));
    *out = tree;
    return CLADE_OK;

fail:
    clade_mpi_rbtree_destroy(&tree);
    return status;
}

void clade_mpi_rbtree_destroy(clade_mpi_rbtree **tree)
{
    if (!tree || !*tree)
        return;
    clade_mpi_rbtree *it = *tree;
    cladei_mpi_batch_free(&it->map.batch);
    clade_rbtree_destroy(&it->own);
    cladei_mpi_picker_free(&it->picker);
    cladei_mpi_exchange_free(&it->exchange);
    free(it->splitters);
    free(it->next);
    free(it->ends);
    cladei_mpi_let_go(it->map.mpi);
    free(it);
    *tree = NULL;
}

clade_rbtree *clade_mpi_rbtree_own(const clade_mpi_rbtree *tree)
{
    return tree ? tree->own : NULL;
}

/* --- calls ------------------------------------------------------------------------------------ */

static clade_status run(clade_mpi_rbtree *tree, const struct cladei_mpi_call *call)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADEM_TRY(cladei_mpi_map_run(&tree->map, tree, CLADE_OK, call));
fail:
    return status;
}

clade_status clade_mpi_rbtree_insert(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                     uint64_t count, clade_array statuses)
{
    return run(tree, &(struct cladei_mpi_call) { .operation = INSERT,
                                                 .keys = keys,
                                                 .values = values,
                                                 .statuses = statuses,
                                                 .count = count });
}

clade_status clade_mpi_rbtree_put(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                  uint64_t count, clade_array statuses)
{
    return run(tree, &(struct cladei_mpi_call) { .operation = PUT,
                                                 .keys = keys,
                                                 .values = values,
                                                 .statuses = statuses,
                                                 .count = count });
}

clade_status clade_mpi_rbtree_erase(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                    uint64_t count, clade_array statuses)
{
    return run(tree, &(struct cladei_mpi_call) { .operation = ERASE,
                                                 .gives_values = true,
                                                 .keys = keys,
                                                 .values = values,
                                                 .statuses = statuses,
                                                 .count = count });
}

clade_status clade_mpi_rbtree_find(clade_mpi_rbtree *tree, clade_array keys, clade_array values,
                                   uint64_t count, clade_array statuses)
{
    return run(tree, &(struct cladei_mpi_call) { .operation = FIND,
                                                 .gives_values = true,
                                                 .keys = keys,
                                                 .values = values,
                                                 .statuses = statuses,
                                                 .count = count });
}

/* The first and the last key of the rank: the ones nearest to the type's least and greatest. */
static clade_status look_at_ends(clade_mpi_rbtree *tree, struct cladei_mpi_ends *ends)
{
    clade_status status = CLADE_OK;
    const bool is_signed = tree->map.batch.key == CLADE_I32 || tree->map.batch.key == CLADE_I64;
    const bool is_wide = CLADE_TYPE_BYTES(tree->map.batch.key) == 8;
    const uint64_t sign = (uint64_t)1 << (is_wide ? 63 : 31);
    uint64_t limits[2] = { is_signed ? sign : 0, is_signed ? sign - 1 : UINT64_MAX };
    static const uint32_t ways[2] = { CLADE_RBTREE_LOWER, CLADE_RBTREE_FLOOR };
    int32_t found = CLADE_OK;
    for (int i = 0; i < 2 && found == CLADE_OK; i++)
        CLADEM_TRY(clade_rbtree_seek(
            tree->own, clade_host(&limits[i]), ways[i], clade_host(&ends->keys[i]),
            tree->map.batch.value == CLADE_NONE ? clade_no_array() : clade_host(&ends->values[i]),
            1, clade_host(&found), NULL));
    ends->has = found == CLADE_OK;
fail:
    return status;
}

clade_status clade_mpi_rbtree_seek(clade_mpi_rbtree *tree, clade_array keys, uint32_t what,
                                   clade_array found, clade_array values, uint64_t count,
                                   clade_array statuses)
{
    clade_status status = CLADE_OK, own = CLADE_OK;
    struct cladei_mpi_ends ends = { 0 };
    CLADEM_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    if (what > CLADE_RBTREE_PREV)
        own = cladei_mpi_fail(CLADE_E_ARG, "what is %u; it is CLADE_RBTREE_LOWER to _PREV", what);
    if (own == CLADE_OK && tree->map.mpi->ranks > 1)
        own = look_at_ends(tree, &ends);
    CLADEM_MPI(MPI_Allgather(&ends, sizeof ends, MPI_BYTE, tree->ends, sizeof ends, MPI_BYTE,
                             tree->map.mpi->comm));
    CLADEM_TRY(cladei_mpi_map_run(&tree->map, tree, own,
                                  &(struct cladei_mpi_call) { .operation = SEEK,
                                                              .what = what,
                                                              .gives_values = true,
                                                              .gives_keys = true,
                                                              .keys = keys,
                                                              .found = found,
                                                              .values = values,
                                                              .statuses = statuses,
                                                              .count = count }));
fail:
    return status;
}

clade_status clade_mpi_rbtree_size(clade_mpi_rbtree *tree, uint64_t *size)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(tree, CLADE_E_ARG, "the tree is NULL");
    CLADEM_TRY(cladei_mpi_map_size(&tree->map, tree, size));
fail:
    return status;
}
