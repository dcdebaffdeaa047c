/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the red-black tree (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/rbtree.h>

KIND_CREATE(rbtree, clade_rbtree, .capacity = 300, .value = CLADE_U32, .leaf_capacity = 4,
            .path = CLADE_RBTREE_CONCURRENT)
KIND_CREATE(rbtree_bulk, clade_rbtree, .capacity = 300, .value = CLADE_U32, .leaf_capacity = 4,
            .path = CLADE_RBTREE_BULK)
KIND_CREATE(rbtree_ranked, clade_rbtree, .capacity = 300, .value = CLADE_U32, .leaf_capacity = 4,
            .path = CLADE_RBTREE_CONCURRENT, .ranked = 1)
KIND_DESTROY(rbtree, clade_rbtree)
KIND_CLEAR(rbtree, clade_rbtree_clear(O, NULL))
KIND_MEM(rbtree, clade_rbtree)

static void rbtree_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
    assert_ok(clade_rbtree_insert(O, clade_host(keys), clade_host(keys), FILLED, NONE, NULL));
}

static void rbtree_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t got = 0;
    assert_ok(clade_rbtree_check(O));
    assert_ok(clade_rbtree_read(O, clade_host(keys), clade_host(values), SLOT_WORDS, &got, NULL));
    world_mix(w, keys, got);
    world_mix(w, values, got);
}
#define rbtree_bulk_destroy   rbtree_destroy
#define rbtree_bulk_clear     rbtree_clear
#define rbtree_bulk_mems      rbtree_mems
#define rbtree_bulk_fill      rbtree_fill
#define rbtree_bulk_drain     rbtree_drain
#define rbtree_ranked_destroy rbtree_destroy
#define rbtree_ranked_clear   rbtree_clear
#define rbtree_ranked_mems    rbtree_mems
#define rbtree_ranked_fill    rbtree_fill
#define rbtree_ranked_drain   rbtree_drain
KIND(rbtree);
KIND(rbtree_ranked);
KIND(rbtree_bulk);

#define ROWS(ROW)                                                                           \
    ROW(rbtree, insert, clade_rbtree_insert, HOST_ARRAYS, 0,                                \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                     \
    ROW(rbtree, put, clade_rbtree_put, HOST_ARRAYS, 0,                                      \
        (O, A(INSIDE), A(VALUES), N, A(STATUSES), launch))                                  \
    ROW(rbtree, erase, clade_rbtree_erase, HOST_ARRAYS, 0,                                  \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                     \
    ROW(rbtree, find, clade_rbtree_find, HOST_ARRAYS, 0,                                    \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                     \
    ROW(rbtree, seek, clade_rbtree_seek, HOST_ARRAYS, 0,                                    \
        (O, A(NEW), CLADE_RBTREE_FLOOR, A(OUT), A(ALSO), N, A(STATUSES), launch))           \
    ROW(rbtree, range, clade_rbtree_range, HOST_ARRAYS, 0,                                  \
        (O, A(INSIDE), A(NEW), 4, A(OUT), A(ALSO), A(STATUSES), N, launch))                 \
    ROW(rbtree, range_down, clade_rbtree_range_down, HOST_ARRAYS, 0,                        \
        (O, A(INSIDE), A(NEW), 4, A(OUT), A(ALSO), A(STATUSES), N, launch))                 \
    ROW(rbtree, rank, clade_rbtree_rank, ALWAYS, 0, (O, A(NEW), A(OUT), N, launch))         \
    ROW(rbtree, select, clade_rbtree_select, ALWAYS, 0,                                     \
        (O, A(INDEX), A(OUT), A(ALSO), N, A(STATUSES), launch))                             \
    ROW(rbtree, build, clade_rbtree_build, ALWAYS, 0, (O, A(NEW), A(VALUES), 0, N, launch)) \
    ROW(rbtree, read, clade_rbtree_read, ALWAYS, 0,                                         \
        (O, A(OUT), A(ALSO), SLOT_WORDS, &w->got, launch))                                  \
    ROW(rbtree, clear, clade_rbtree_clear, ALWAYS, 0, (O, launch))                          \
    ROW(rbtree, reclaim, clade_rbtree_reclaim, ALWAYS, 0, (O, launch))                      \
    ROW(rbtree_ranked, rank, clade_rbtree_rank, ALWAYS, 0, (O, A(NEW), A(OUT), N, launch))  \
    ROW(rbtree_ranked, select, clade_rbtree_select, ALWAYS, 0,                              \
        (O, A(INDEX), A(OUT), A(ALSO), N, A(STATUSES), launch))                             \
    ROW(rbtree_bulk, insert, clade_rbtree_insert, ALWAYS, 0,                                \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                     \
    ROW(rbtree_bulk, put, clade_rbtree_put, ALWAYS, 0,                                      \
        (O, A(INSIDE), A(VALUES), N, A(STATUSES), launch))                                  \
    ROW(rbtree_bulk, erase, clade_rbtree_erase, ALWAYS, 0,                                  \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))
LAUNCH_ROWS(rbtree, ROWS)
