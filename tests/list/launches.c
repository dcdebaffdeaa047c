/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the lists (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/list.h>

KIND_CREATE(list, clade_list, .capacity = 300, .value = CLADE_U32)
KIND_DESTROY(list, clade_list)
KIND_CLEAR(list, clade_list_clear(O, NULL))
KIND_MEM(list, clade_list)

static void list_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
    for (uint32_t i = 0; i < COUNT; i++)
        w->host[OPS][i] = CLADE_LIST_FIND;
    assert_ok(clade_list_insert(O, clade_host(keys), clade_host(keys), FILLED, NONE, NULL));
}

static void list_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t n = 0;
    assert_ok(clade_list_check(O));
    assert_ok(clade_list_read(O, keys, values, NULL, SLOT_WORDS, &n));
    world_mix(w, keys, n);
    world_mix(w, values, n);
}
KIND(list);

KIND_CREATE(sequence, clade_list, .capacity = 300, .mode = CLADE_LIST_UNORDERED)
#define sequence_destroy list_destroy
#define sequence_clear   list_clear
#define sequence_mems    list_mems

static void sequence_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
    assert_ok(clade_list_insert_front(O, clade_host(keys), FILLED, NONE, NULL));
}

static void sequence_drain(struct world *w)
{
    uint32_t values[SLOT_WORDS];
    uint64_t n = 0;
    assert_ok(clade_list_check(O));
    assert_ok(clade_list_read(O, values, NULL, NULL, SLOT_WORDS, &n));
    world_mix(w, values, n);
}
KIND(sequence);

#define ROWS(ROW)                                                                              \
    ROW(list, insert, clade_list_insert, HOST_ARRAYS, 0,                                       \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                        \
    ROW(list, insert_told, clade_list_insert, HOST_ARRAYS, 0,                                  \
        (O, A(NEW), A(VALUES), N, NONE, launch))                                               \
    ROW(list, put, clade_list_put, HOST_ARRAYS, 0,                                             \
        (O, A(INSIDE), A(VALUES), N, A(STATUSES), launch))                                     \
    ROW(list, erase, clade_list_erase, HOST_ARRAYS, 0, (O, A(INSIDE), N, A(STATUSES), launch)) \
    ROW(list, contains, clade_list_contains, HOST_ARRAYS, 0,                                   \
        (O, A(INSIDE), N, A(STATUSES), launch))                                                \
    ROW(list, find, clade_list_find, HOST_ARRAYS, 0,                                           \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                        \
    ROW(list, apply, clade_list_apply, HOST_ARRAYS, 0,                                         \
        (O, A(OPS), A(INSIDE), A(OUT), N, A(STATUSES), launch))                                \
    ROW(list, apply_counted, clade_list_apply_counted, HOST_ARRAYS, 0,                         \
        (O, A(OPS), A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))                       \
    ROW(list, reclaim, clade_list_reclaim, NEVER, 0, (O, launch))                              \
    ROW(list, clear, clade_list_clear, NEVER, 0, (O, launch))                                  \
    ROW(sequence, insert_front, clade_list_insert_front, HOST_ARRAYS, 0,                       \
        (O, A(NEW), N, A(STATUSES), launch))                                                   \
    ROW(sequence, insert_after, clade_list_insert_after, HOST_ARRAYS, 0,                       \
        (O, A(INSIDE), A(NEW), N, A(STATUSES), launch))
LAUNCH_ROWS(list, ROWS)
