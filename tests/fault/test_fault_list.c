/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: whatever call fails, the library says so, keeps nothing and breaks nothing. Leaks are seen
 * when this program runs under AddressSanitizer. */
#include "fault/fault.h"
#include "harness/scratch.h"

#include <clade/arraylist.h>
#include <clade/dlist.h>
#include <clade/kma.h>
#include <clade/list.h>
#include <clade/semilist.h>

enum { KEYS = 100 };

struct list_case {
    struct fixture *f;
    clade_list_params params;
    clade_list *list;
    clade_dlist *dlist;
    clade_semilist *semilist;
    char *path;
    cl_mem memory; /* of one value */
    uint32_t keys[KEYS], ops[KEYS], operands[KEYS];
    uint32_t out[KEYS], collisions[KEYS];
    int32_t statuses[KEYS];
};

/* --- list ------------------------------------------------------------------------------------- */

/* How many blocks of the allocator, if any, are out: none is lost, and none freed twice. */
static void expect_blocks(const struct list_case *c, uint64_t count)
{
    clade_kma_stats stats;
    if (!c->params.kma)
        return;
    assert_ok(clade_kma_check(c->params.kma, NULL, 0));
    assert_ok(clade_kma_stats_read(c->params.kma, &stats));
    assert_int_equal(stats.live_blocks, count);
    assert_int_equal(stats.bad_frees, 0);
}

static clade_status create_list(void *data)
{
    struct list_case *c = data;
    clade_list *list = NULL;
    clade_status status = clade_list_create(&list, c->f->context, &c->params);
    assert_true((status == CLADE_OK) == (list != NULL));
    clade_list_destroy(&list);
    return status;
}

static void list_is_gone(void *data)
{
    expect_blocks(data, 0);
}

static clade_status fill_list(void *data)
{
    struct list_case *c = data;
    if (c->params.value == CLADE_NONE && c->params.mode == CLADE_LIST_ORDERED)
        return clade_list_insert(c->list, clade_host(c->keys), clade_no_array(), KEYS,
                                 clade_no_array(), NULL);
    return c->params.mode == CLADE_LIST_ORDERED
               ? clade_list_insert(c->list, clade_host(c->keys), clade_host(c->operands), KEYS,
                                   clade_no_array(), NULL)
               : clade_list_insert_front(c->list, clade_host(c->keys), KEYS,
                                         clade_host(c->statuses), NULL);
}

static clade_status change_list(void *data)
{
    struct list_case *c = data;
    const bool is_set = c->params.value == CLADE_NONE && c->params.mode == CLADE_LIST_ORDERED;
    return clade_list_apply_counted(c->list, clade_host(c->ops), clade_host(c->keys),
                                    is_set ? clade_no_array() : clade_host(c->operands),
                                    clade_host(c->collisions), KEYS, clade_host(c->statuses), NULL);
}

static clade_status read_list(void *data)
{
    struct list_case *c = data;
    clade_list_stats stats;
    uint64_t count;
    clade_status status = clade_list_check(c->list);
    if (status == CLADE_OK)
        status = clade_list_read(c->list, c->out, NULL, NULL, KEYS, &count);
    return status == CLADE_OK ? clade_list_stats_read(c->list, &stats) : status;
}

static clade_status reclaim_list(void *data)
{
    return clade_list_reclaim(((struct list_case *)data)->list, NULL);
}

static clade_status save_list(void *data)
{
    struct list_case *c = data;
    return clade_list_save(c->list, c->path);
}

static clade_status load_list(void *data)
{
    struct list_case *c = data;
    clade_list *list = NULL;
    clade_status status = clade_list_load(&list, c->f->context, c->path);
    assert_true((status == CLADE_OK) == (list != NULL));
    clade_list_destroy(&list);
    return status;
}

static void list_is_unchanged(void *data)
{
    struct list_case *c = data;
    uint64_t size;
    assert_ok(clade_list_size(c->list, &size));
    assert_int_equal(size, KEYS);
    assert_ok(clade_list_check(c->list));
    expect_blocks(c, KEYS);
}

/* Whatever failed, the list is sound; it is filled anew. */
static void list_is_sound(void *data)
{
    struct list_case *c = data;
    assert_ok(clade_list_check(c->list));
    assert_ok(clade_list_clear(c->list, NULL));
    expect_blocks(c, 0);
    assert_ok(fill_list(c));
}

/* The same after filling, which starts from an empty list. */
static void list_is_sound_and_emptied(void *data)
{
    struct list_case *c = data;
    assert_ok(clade_list_check(c->list));
    assert_ok(clade_list_clear(c->list, NULL));
    expect_blocks(c, 0);
}

/* With nodes in an allocator there are no values, so that both modes have the same kernels, and no
 * files. */
static void survive_every_fault(void **state, clade_kma *kma)
{
    for (uint32_t mode = CLADE_LIST_ORDERED; mode <= CLADE_LIST_UNORDERED; mode++) {
        struct list_case c = {
            .f = *state,
            .params = { .capacity = 3 * KEYS,
                        .mode = mode,
                        .value = mode == CLADE_LIST_ORDERED && !kma ? CLADE_U32 : CLADE_NONE,
                        .kma = kma },
        };
        char *folder = scratch_make();
        c.path = scratch_path(folder, "list");
        for (uint32_t i = 0; i < KEYS; i++) {
            c.keys[i] = (i * 37) % KEYS;
            c.ops[i] = i % 2 ? CLADE_LIST_ERASE : CLADE_LIST_CONTAINS;
        }
        assert_true(fault_every(create_list, list_is_gone, &c) >= 5);
        assert_ok(clade_list_create(&c.list, c.f->context, &c.params));
        assert_true(fault_every(fill_list, list_is_sound_and_emptied, &c) >= 3);
        list_is_sound(&c);
        assert_true(fault_every(read_list, list_is_unchanged, &c) >= 5);
        assert_true(fault_every(reclaim_list, list_is_unchanged, &c) >= 2);
        if (!kma) {
            assert_ok(clade_list_save(c.list, c.path)); /* to be overwritten */
            assert_true(fault_every(save_list, list_is_unchanged, &c) >= 2);
            assert_true(fault_every(load_list, list_is_unchanged, &c) >= 5);
        }
        assert_true(fault_every(change_list, list_is_sound, &c) >= 5);
        clade_list_destroy(&c.list);
        expect_blocks(&c, 0);
        free(c.path);
        scratch_remove(folder);
    }
}

static void lists_survive_every_fault(void **state)
{
    survive_every_fault(state, NULL);
}

static void lists_in_an_allocator_survive_every_fault(void **state)
{
    const struct fixture *f = *state;
    clade_kma *kma;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 256 << 10 }));
    survive_every_fault(state, kma);
    clade_kma_destroy(&kma);
}

/* --- dlist ------------------------------------------------------------------------------------ */

static const clade_dlist_params dlist_params = { .capacity = 3 * KEYS };

static clade_status create_dlist(void *data)
{
    struct list_case *c = data;
    clade_dlist *list = NULL;
    clade_status status = clade_dlist_create(&list, c->f->context, &dlist_params);
    assert_true((status == CLADE_OK) == (list != NULL));
    clade_dlist_destroy(&list);
    return status;
}

static clade_status append_to_dlist(void *data)
{
    struct list_case *c = data;
    return clade_dlist_append(c->dlist, clade_host(c->keys), clade_host(c->out), KEYS,
                              clade_host(c->statuses), NULL);
}

/* An event comes with success alone. */
static clade_status append_to_dlist_and_tell(void *data)
{
    struct list_case *c = data;
    cl_event event = NULL;
    clade_status status =
        clade_dlist_append(c->dlist, clade_device(c->memory, 0), clade_no_array(), 1,
                           clade_no_array(), &(clade_launch) { .event = &event });
    assert_true((status == CLADE_OK) == (event != NULL));
    if (event)
        clReleaseEvent(event);
    return status;
}

static clade_status change_dlist(void *data)
{
    struct list_case *c = data;
    return clade_dlist_apply(c->dlist, clade_host(c->ops), clade_host(c->out),
                             clade_host(c->operands), clade_host(c->collisions), KEYS,
                             clade_host(c->statuses), NULL);
}

static clade_status read_dlist(void *data)
{
    struct list_case *c = data;
    clade_dlist_stats stats;
    uint64_t count;
    clade_status status = clade_dlist_check(c->dlist);
    if (status == CLADE_OK)
        status = clade_dlist_read(c->dlist, 1, c->collisions, c->operands, KEYS, &count);
    return status == CLADE_OK ? clade_dlist_stats_read(c->dlist, &stats) : status;
}

static clade_status reclaim_dlist(void *data)
{
    return clade_dlist_reclaim(((struct list_case *)data)->dlist, NULL);
}

static clade_status save_dlist(void *data)
{
    struct list_case *c = data;
    return clade_dlist_save(c->dlist, c->path);
}

static clade_status load_dlist(void *data)
{
    struct list_case *c = data;
    clade_dlist *list = NULL;
    clade_status status = clade_dlist_load(&list, c->f->context, c->path);
    assert_true((status == CLADE_OK) == (list != NULL));
    clade_dlist_destroy(&list);
    return status;
}

static void dlist_is_unchanged(void *data)
{
    struct list_case *c = data;
    clade_dlist_stats stats;
    assert_ok(clade_dlist_stats_read(c->dlist, &stats));
    assert_int_equal(stats.live, KEYS);
    assert_ok(clade_dlist_check(c->dlist));
}

/* The first things that are done after a reclaim failed. */
static void dlist_is_whole_and_saved(void *data)
{
    const struct list_case *c = data;
    assert_ok(clade_dlist_check(c->dlist));
    assert_ok(save_dlist(data));
    assert_ok(load_dlist(data));
}

static void dlist_is_sound_and_emptied(void *data)
{
    struct list_case *c = data;
    assert_ok(clade_dlist_check(c->dlist));
    assert_ok(clade_dlist_clear(c->dlist, NULL));
}

static void dlist_is_sound(void *data)
{
    dlist_is_sound_and_emptied(data);
    assert_ok(append_to_dlist(data));
}

static void doubly_linked_lists_survive_every_fault(void **state)
{
    struct list_case c = { .f = *state };
    char *folder = scratch_make();
    c.path = scratch_path(folder, "dlist");
    for (uint32_t i = 0; i < KEYS; i++)
        c.ops[i] = i % CLADE_DLIST_OP_COUNT;
    assert_true(fault_every(create_dlist, NULL, &c) >= 5);
    assert_ok(clade_dlist_create(&c.dlist, c.f->context, &dlist_params));
    assert_true(fault_every(append_to_dlist, dlist_is_sound_and_emptied, &c) >= 5);
    dlist_is_sound(&c);
    assert_true(fault_every(read_dlist, dlist_is_unchanged, &c) >= 5);
    assert_ok(clade_dlist_save(c.dlist, c.path)); /* to be overwritten */
    assert_true(fault_every(save_dlist, dlist_is_unchanged, &c) >= 2);
    assert_true(fault_every(load_dlist, dlist_is_unchanged, &c) >= 5);
    c.memory = fixture_buffer(c.f, sizeof c.keys[0], c.keys);
    assert_true(fault_every(append_to_dlist_and_tell, dlist_is_whole_and_saved, &c) >= 3);
    clReleaseMemObject(c.memory);
    assert_true(fault_every(reclaim_dlist, dlist_is_whole_and_saved, &c) >= 2);
    assert_true(fault_every(change_dlist, dlist_is_sound, &c) >= 5);
    clade_dlist_destroy(&c.dlist);
    free(c.path);
    scratch_remove(folder);
}

/* --- semilist --------------------------------------------------------------------------------- */

static const clade_semilist_params semilist_params = { .capacity = 3 * KEYS };

static clade_status create_semilist(void *data)
{
    struct list_case *c = data;
    clade_semilist *list = NULL;
    clade_status status = clade_semilist_create(&list, c->f->context, &semilist_params);
    assert_true((status == CLADE_OK) == (list != NULL));
    clade_semilist_destroy(&list);
    return status;
}

static clade_status append_to_semilist(void *data)
{
    struct list_case *c = data;
    return clade_semilist_append(c->semilist, clade_host(c->keys), clade_host(c->operands),
                                 clade_host(c->out), KEYS, NULL);
}

static clade_status change_semilist(void *data)
{
    struct list_case *c = data;
    return clade_semilist_apply(c->semilist, clade_host(c->ops), clade_host(c->keys),
                                clade_host(c->operands), clade_host(c->out), KEYS,
                                clade_host(c->statuses), NULL);
}

static clade_status read_semilist(void *data)
{
    struct list_case *c = data;
    clade_semilist_stats stats;
    uint64_t count;
    clade_status status = clade_semilist_check(c->semilist);
    if (status == CLADE_OK)
        status = clade_semilist_read(c->semilist, c->collisions, NULL, NULL, KEYS, &count);
    return status == CLADE_OK ? clade_semilist_stats_read(c->semilist, &stats) : status;
}

static clade_status reclaim_semilist(void *data)
{
    return clade_semilist_reclaim(((struct list_case *)data)->semilist, NULL);
}

static void semilist_is_unchanged(void *data)
{
    struct list_case *c = data;
    uint64_t size;
    assert_ok(clade_semilist_size(c->semilist, &size));
    assert_int_equal(size, KEYS);
    assert_ok(clade_semilist_check(c->semilist));
}

static void semilist_is_sound_and_emptied(void *data)
{
    struct list_case *c = data;
    assert_ok(clade_semilist_check(c->semilist));
    assert_ok(clade_semilist_clear(c->semilist, NULL));
}

static void semilist_is_sound(void *data)
{
    semilist_is_sound_and_emptied(data);
    assert_ok(append_to_semilist(data));
}

static void semi_linked_lists_survive_every_fault(void **state)
{
    struct list_case c = { .f = *state };
    for (uint32_t i = 0; i < KEYS; i++) {
        c.keys[i] = i;
        c.ops[i] = i % (CLADE_SEMILIST_ERASE + 1u);
    }
    assert_true(fault_every(create_semilist, NULL, &c) >= 5);
    assert_ok(clade_semilist_create(&c.semilist, c.f->context, &semilist_params));
    assert_true(fault_every(append_to_semilist, semilist_is_sound_and_emptied, &c) >= 3);
    semilist_is_sound(&c);
    assert_true(fault_every(read_semilist, semilist_is_unchanged, &c) >= 5);
    assert_true(fault_every(reclaim_semilist, semilist_is_unchanged, &c) >= 2);
    assert_true(fault_every(change_semilist, semilist_is_sound, &c) >= 5);
    clade_semilist_destroy(&c.semilist);
}

/* --- counts --------------------------------------------------------------------------------------
 *
 * Counting writes a word of the head that later calls go by. After a count that failed they must
 * not take the list for emptier than it is: they would not reclaim, and refuse what has room. */

enum { CELLS = 64, FIRST = 40 };

static void expect_all(const int32_t *statuses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(statuses[i], CLADE_OK);
}

/* Keys `from` to `end` - 1 of a list, each of which must succeed. */
static void each_key(clade_list *list, uint32_t op, uint32_t from, uint32_t end)
{
    uint32_t keys[CELLS] = { 0 };
    int32_t statuses[CELLS];
    const uint32_t count = end - from;
    const clade_array in = clade_host(keys), out = clade_host(statuses);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = from + i;
    assert_ok(op == CLADE_LIST_INSERT
                  ? clade_list_insert(list, in, clade_no_array(), count, out, NULL)
              : op == CLADE_LIST_ERASE ? clade_list_erase(list, in, count, out, NULL)
                                       : clade_list_contains(list, in, count, out, NULL));
    expect_all(statuses, count);
}

/* Whether the `nth` call of a count was reached. */
static bool list_fits_after_count(struct fixture *f, uint64_t nth)
{
    const clade_list_params params = { .capacity = CELLS };
    clade_list *list;
    uint64_t size;
    assert_ok(clade_list_create(&list, f->context, &params));
    each_key(list, CLADE_LIST_INSERT, 0, FIRST);
    assert_ok(clade_list_reclaim(list, NULL));
    each_key(list, CLADE_LIST_CONTAINS, 0, FIRST);
    fault_arm(nth);
    const clade_status status = clade_list_size(list, &size);
    const bool failed = fault_disarm();
    assert_true(failed || status == CLADE_OK);
    each_key(list, CLADE_LIST_CONTAINS, 0, FIRST);
    each_key(list, CLADE_LIST_ERASE, 0, 1);
    each_key(list, CLADE_LIST_INSERT, FIRST, CELLS);
    each_key(list, CLADE_LIST_ERASE, 1, 31);
    each_key(list, CLADE_LIST_INSERT, CELLS, CELLS + 9);
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    return failed;
}

static bool dlist_fits_after_count(struct fixture *f, uint64_t nth)
{
    const clade_dlist_params params = { .capacity = CELLS };
    clade_dlist *list;
    uint64_t size;
    const uint32_t ends[CELLS] = { 0 };
    uint32_t nodes[CELLS];
    int32_t statuses[CELLS];
    assert_ok(clade_dlist_create(&list, f->context, &params));
    assert_ok(clade_dlist_append(list, clade_host(ends), clade_host(nodes), FIRST,
                                 clade_host(statuses), NULL));
    assert_ok(clade_dlist_reclaim(list, NULL));
    fault_arm(nth);
    const clade_status status = clade_dlist_size(list, &size);
    const bool failed = fault_disarm();
    assert_true(failed || status == CLADE_OK);
    assert_ok(clade_dlist_erase(list, clade_host(nodes), clade_no_array(), 30, clade_host(statuses),
                                NULL));
    expect_all(statuses, 30);
    assert_ok(clade_dlist_insert_after(list, clade_host(ends), clade_host(ends), clade_no_array(),
                                       30, clade_host(statuses), NULL));
    expect_all(statuses, 30);
    assert_ok(clade_dlist_check(list));
    clade_dlist_destroy(&list);
    return failed;
}

static void a_count_that_failed_keeps_no_room_from_others(void **state)
{
    uint64_t nth;
    for (nth = 1; list_fits_after_count(*state, nth); nth++)
        ;
    assert_true(nth > 3);
    for (nth = 1; dlist_fits_after_count(*state, nth); nth++)
        ;
    assert_true(nth > 3);
}

/* --- first calls ---------------------------------------------------------------------------------
 *
 * The first call that needs the kernels of operations makes them, and chooses the size of their
 * groups. A list is made for each fault: one that does no harm would leave later ones nothing to
 * make. Where that call failed the next one begins anew. */

static bool list_works_after_first_call(struct fixture *f, uint64_t nth)
{
    const clade_list_params params = { .capacity = 2 * CELLS };
    const uint32_t keys[FIRST] = { 0 };
    clade_list *list;
    assert_ok(clade_list_create(&list, f->context, &params));
    fault_arm(nth);
    const clade_status status =
        clade_list_erase(list, clade_host(keys), FIRST, clade_no_array(), NULL);
    const bool failed = fault_disarm();
    assert_true(failed || status == CLADE_OK);
    each_key(list, CLADE_LIST_INSERT, 0, FIRST);
    each_key(list, CLADE_LIST_CONTAINS, 0, FIRST);
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    return failed;
}

static bool semilist_works_after_first_call(struct fixture *f, uint64_t nth)
{
    uint32_t keys[KEYS], nodes[KEYS];
    int32_t statuses[KEYS];
    clade_semilist *list;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i;
    assert_ok(clade_semilist_create(&list, f->context, &semilist_params));
    fault_arm(nth);
    const clade_status status =
        clade_semilist_find(list, clade_host(keys), clade_no_array(), clade_host(nodes), KEYS,
                            clade_host(statuses), NULL);
    const bool failed = fault_disarm();
    assert_true(failed || status == CLADE_OK);
    assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                    KEYS, NULL));
    assert_ok(clade_semilist_erase(list, clade_host(keys), clade_no_array(), clade_no_array(), KEYS,
                                   clade_host(statuses), NULL));
    expect_all(statuses, KEYS);
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
    return failed;
}

static void a_first_call_that_failed_can_be_made_again(void **state)
{
    uint64_t nth;
    for (nth = 1; list_works_after_first_call(*state, nth); nth++)
        ;
    assert_true(nth > 5);
    for (nth = 1; semilist_works_after_first_call(*state, nth); nth++)
        ;
    assert_true(nth > 5);
}

/* --- arraylist -----------------------------------------------------------------------------------
 */

struct arraylist_case {
    struct fixture *f;
    clade_kma *kma;
};

/* In memory that held something before: refs of no block. */
static clade_status create_arraylist(void *data)
{
    const struct arraylist_case *c = data;
    clade_arraylist_head garbage;
    clade_arraylist *list = NULL;
    memset(&garbage, 0x11, sizeof garbage);
    cl_mem memory = clCreateBuffer(clade_context_cl_context(c->f->context), CL_MEM_COPY_HOST_PTR,
                                   sizeof garbage, &garbage, NULL);
    if (memory)
        clReleaseMemObject(memory);
    clade_status status = clade_arraylist_create(
        &list, c->f->context,
        &(clade_arraylist_params) { .capacity = KEYS, .element_bytes = 4, .kma = c->kma });
    assert_true((status == CLADE_OK) == (list != NULL));
    clade_arraylist_destroy(&list);
    return status;
}

static void allocator_is_whole(void *data)
{
    const struct arraylist_case *c = data;
    clade_kma_stats stats;
    assert_ok(clade_kma_check(c->kma, NULL, 0));
    assert_ok(clade_kma_stats_read(c->kma, &stats));
    assert_int_equal(stats.bad_frees, 0);
}

static void array_lists_give_back_what_they_took(void **state)
{
    struct arraylist_case c = { .f = *state };
    assert_ok(clade_kma_create(&c.kma, c.f->context, &(clade_kma_params) { .bytes = 256 << 10 }));
    assert_true(fault_every(create_arraylist, allocator_is_whole, &c) >= 5);
    clade_kma_destroy(&c.kma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_survive_every_fault),
        cmocka_unit_test(lists_in_an_allocator_survive_every_fault),
        cmocka_unit_test(doubly_linked_lists_survive_every_fault),
        cmocka_unit_test(semi_linked_lists_survive_every_fault),
        cmocka_unit_test(a_count_that_failed_keeps_no_room_from_others),
        cmocka_unit_test(a_first_call_that_failed_can_be_made_again),
        cmocka_unit_test(array_lists_give_back_what_they_took),
    };
    return fixture_run("fault_list", tests);
}
