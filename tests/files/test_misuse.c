/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as nobody should make them: counts whose bytes wrap, arrays that are too short, no object,
 * no array. Each is refused with a sentence, and the object is what it was. */
#include <stdio.h>
#include <unistd.h>

#include "clade/arraylist.h"
#include "clade/dlist.h"
#include "clade/hashmap.h"
#include "clade/heap.h"
#include "clade/kma.h"
#include "clade/kselect.h"
#include "clade/list.h"
#include "clade/paths.h"
#include "clade/queue.h"
#include "clade/rbtree.h"
#include "clade/semilist.h"
#include "clade/shared/kma.h"
#include "harness/end_after.h"
#include "harness/fixture.h"

enum { CAPACITY = 64 };

struct objects {
    clade_arraylist *arraylist;
    clade_dlist *dlist;
    clade_hashmap *hashmap;
    clade_heap *heap;
    clade_kma *kma;
    clade_kselect *kselect;
    clade_list *list;
    clade_paths *paths;
    clade_queue *queue;
    clade_rbtree *rbtree;
    clade_semilist *semilist;
};

/* A path finder of a ring of two nodes. */
static clade_paths *make_paths(clade_context *c)
{
    const uint32_t offsets[] = { 0, 1, 2 }, targets[] = { 1, 0 };
    clade_graph *graph = NULL;
    clade_paths *paths = NULL;
    assert_ok(clade_graph_create(&graph, c,
                                 &(clade_graph_params) { .nodes = 2,
                                                         .arcs = 2,
                                                         .offsets = clade_host(offsets),
                                                         .targets = clade_host(targets) }));
    assert_ok(clade_paths_create(&paths, graph, &(clade_paths_params) { 0 }));
    clade_graph_destroy(&graph);
    return paths;
}

static void make(struct objects *o, clade_context *c)
{
    o->paths = make_paths(c);
    assert_ok(clade_hashmap_create(
        &o->hashmap, c, &(clade_hashmap_params) { .capacity = CAPACITY, .value = CLADE_U32 }));
    assert_ok(
        clade_kselect_create(&o->kselect, c, &(clade_kselect_params) { .length = 8, .k = 4 }));
    assert_ok(clade_arraylist_create(
        &o->arraylist, c, &(clade_arraylist_params) { .capacity = CAPACITY, .element_bytes = 4 }));
    assert_ok(clade_dlist_create(&o->dlist, c, &(clade_dlist_params) { .capacity = CAPACITY }));
    assert_ok(clade_heap_create(&o->heap, c,
                                &(clade_heap_params) { .capacity = CAPACITY, .key = CLADE_U32 }));
    assert_ok(clade_kma_create(&o->kma, c, &(clade_kma_params) { .bytes = 1u << 20, .bare = 1 }));
    assert_ok(clade_list_create(&o->list, c, &(clade_list_params) { .capacity = CAPACITY }));
    assert_ok(clade_queue_create(&o->queue, c, &(clade_queue_params) { .capacity = CAPACITY }));
    assert_ok(clade_rbtree_create(&o->rbtree, c, &(clade_rbtree_params) { .capacity = CAPACITY }));
    assert_ok(
        clade_semilist_create(&o->semilist, c, &(clade_semilist_params) { .capacity = CAPACITY }));
}

static void drop(struct objects *o)
{
    clade_arraylist_destroy(&o->arraylist);
    clade_dlist_destroy(&o->dlist);
    clade_hashmap_destroy(&o->hashmap);
    clade_heap_destroy(&o->heap);
    clade_kma_destroy(&o->kma);
    clade_kselect_destroy(&o->kselect);
    clade_list_destroy(&o->list);
    clade_paths_destroy(&o->paths);
    clade_queue_destroy(&o->queue);
    clade_rbtree_destroy(&o->rbtree);
    clade_semilist_destroy(&o->semilist);
}

static void check(struct objects *o)
{
    uint64_t size;
    assert_ok(clade_dlist_check(o->dlist));
    assert_ok(clade_hashmap_check(o->hashmap));
    assert_ok(clade_hashmap_size(o->hashmap, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_heap_check(o->heap));
    assert_ok(clade_kma_check(o->kma, NULL, 0));
    assert_ok(clade_list_check(o->list));
    assert_ok(clade_queue_check(o->queue));
    assert_ok(clade_rbtree_check(o->rbtree));
    assert_ok(clade_semilist_check(o->semilist));
    assert_ok(clade_list_size(o->list, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_queue_size(o->queue, &size));
    assert_int_equal(size, 0);
}

static void is_refused(clade_status status, const char *call, uint64_t count)
{
    if (status == CLADE_OK)
        fail_msg("%s of %llu elements was done", call, (unsigned long long)count);
    assert_true(clade_error_last()->message[0] != '\0');
}
#define assert_refused(call) is_refused((call), #call, count)

/* Every call that takes arrays, with `a` for each of them. */
static void refuse_all(struct objects *o, clade_array a, uint64_t count)
{
    const clade_array none = clade_no_array();
    uint64_t got = 0;
    assert_refused(clade_hashmap_insert(o->hashmap, a, a, count, a, NULL));
    assert_refused(clade_hashmap_put(o->hashmap, a, none, count, none, NULL));
    assert_refused(clade_hashmap_update(o->hashmap, a, a, CLADE_HASHMAP_PLUS, count, none, NULL));
    assert_refused(clade_hashmap_erase(o->hashmap, a, none, count, a, NULL));
    assert_refused(clade_hashmap_find(o->hashmap, a, a, count, none, NULL));
    assert_refused(clade_hashmap_read(o->hashmap, a, none, count, &got, NULL));
    assert_refused(clade_kselect_run(o->kselect, a, a, none, count, NULL));
    assert_refused(clade_paths_run(
        o->paths, &(clade_paths_query) { .sources = a, .source_count = count }, NULL));
    assert_refused(clade_paths_run(
        o->paths, &(clade_paths_query) { .targets = a, .target_count = count }, NULL));
    assert_refused(clade_paths_table(o->paths, a, a, count, NULL));
    assert_refused(clade_arraylist_append(o->arraylist, a, count, NULL));
    assert_refused(clade_arraylist_read(o->arraylist, 0, a, count, NULL));
    assert_refused(clade_arraylist_read(o->arraylist, UINT64_MAX, a, count, NULL));
    assert_refused(clade_dlist_append(o->dlist, a, none, count, none, NULL));
    assert_refused(clade_dlist_insert_after(o->dlist, a, a, none, count, a, NULL));
    assert_refused(clade_dlist_erase(o->dlist, a, none, count, a, NULL));
    assert_refused(clade_heap_insert(o->heap, a, none, count, NULL));
    assert_refused(clade_kma_malloc(o->kma, none, 16, a, count, NULL));
    assert_refused(clade_kma_free(o->kma, a, count, NULL));
    assert_refused(clade_list_insert(o->list, a, none, count, a, NULL));
    assert_refused(clade_list_contains(o->list, a, count, a, NULL));
    assert_refused(clade_list_erase(o->list, a, count, a, NULL));
    assert_refused(clade_queue_append(o->queue, a, count, a, NULL));
    assert_refused(clade_queue_pop(o->queue, a, count, none, NULL));
    assert_refused(clade_rbtree_insert(o->rbtree, a, none, count, a, NULL));
    assert_refused(clade_rbtree_erase(o->rbtree, a, none, count, a, NULL));
    assert_refused(clade_rbtree_find(o->rbtree, a, none, count, a, NULL));
    assert_refused(clade_rbtree_range(o->rbtree, a, a, 4, a, none, a, count, NULL));
    assert_refused(clade_semilist_append(o->semilist, a, a, none, count, NULL));
    assert_refused(clade_semilist_find(o->semilist, a, none, none, count, a, NULL));
}

static void counts_that_wrap_are_refused(void **state)
{
    struct fixture *f = *state;
    struct objects o;
    static uint32_t words[CAPACITY];
    cl_mem mem = fixture_buffer(f, sizeof words, words);
    const uint64_t counts[] = {
        UINT64_MAX,        UINT64_MAX / 4 + 1,      UINT64_MAX / 8 + 1,     (uint64_t)1 << 62,
        (uint64_t)1 << 60, ((uint64_t)1 << 62) + 8, ((uint64_t)1 << 33) + 8
    };
    make(&o, f->context);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        refuse_all(&o, clade_device(mem, 0), counts[i]);
        /* Within what an array of the host could be, its bytes are read: that is the caller's. */
        if (counts[i] > (uint64_t)1 << 40)
            refuse_all(&o, clade_host(words), counts[i]);
    }
    refuse_all(&o, clade_device(mem, 0), CAPACITY + 1);
    refuse_all(&o, clade_device(mem, sizeof words), 1);
    refuse_all(&o, clade_device(mem, SIZE_MAX - 3), 8);
    refuse_all(&o, clade_device(mem, 2), 8);
    check(&o);
    drop(&o);
    clReleaseMemObject(mem);
}

static void nothing_is_no_object(void **state)
{
    const uint64_t count = 1;
    struct objects o = { 0 };
    static uint32_t words[CAPACITY];
    (void)state;
    refuse_all(&o, clade_host(words), count);
    assert_refused(clade_dlist_check(NULL));
    assert_refused(clade_hashmap_check(NULL));
    assert_refused(clade_hashmap_grow(NULL, 10, NULL));
    assert_refused(clade_hashmap_clear(NULL, NULL));
    assert_refused(clade_paths_run(NULL, NULL, NULL));
    assert_refused(clade_paths_read(NULL, clade_host(words), clade_no_array(), NULL));
    assert_refused(clade_paths_trace(NULL, 0, words, 1, NULL));
    assert_refused(clade_paths_stats_read(NULL, NULL));
    assert_refused(clade_heap_check(NULL));
    assert_refused(clade_list_check(NULL));
    assert_refused(clade_queue_check(NULL));
    assert_refused(clade_rbtree_check(NULL));
    assert_refused(clade_semilist_check(NULL));
    assert_refused(clade_dlist_save(NULL, "/nowhere/x"));
    assert_refused(clade_hashmap_save(NULL, "/nowhere/x"));
    assert_refused(clade_heap_save(NULL, "/nowhere/x"));
    assert_refused(clade_kma_save(NULL, "/nowhere/x"));
    assert_refused(clade_list_save(NULL, "/nowhere/x"));
    assert_refused(clade_queue_save(NULL, "/nowhere/x"));
    assert_refused(clade_rbtree_save(NULL, "/nowhere/x"));
    assert_refused(clade_semilist_save(NULL, "/nowhere/x"));
    drop(&o);
}

/* "On failure the results are untouched": clade/error.h. */
static void failed_calls_leave_results_alone(void **state)
{
    struct fixture *f = *state;
    enum { MANY = 1000 };
    uint32_t keys[MANY];
    uint64_t size = 77;
    clade_kma_stats stats, before;
    struct objects o = { 0 };
    make(&o, f->context);
    for (uint32_t i = 0; i < MANY; i++)
        keys[i] = i;
    cl_mem in = fixture_buffer(f, sizeof keys, keys);
    assert_ok(clade_rbtree_insert(o.rbtree, clade_device(in, 0), clade_no_array(), MANY,
                                  clade_no_array(), NULL));
    assert_fails(clade_rbtree_size(o.rbtree, &size), CLADE_E_FULL);
    assert_int_equal(size, 77);

    clade_kma_head head;
    const uint32_t wrong = 0x7fffffff;
    memset(&before, 0x77, sizeof before);
    stats = before;
    fixture_read(f, clade_kma_mem(o.kma), 0, &head, sizeof head);
    const size_t info = 4 * ((size_t)head.info_at + head.first_page);
    fixture_write(f, clade_kma_mem(o.kma), info, &wrong, sizeof wrong);
    assert_fails(clade_kma_stats_read(o.kma, &stats), CLADE_E_CORRUPT);
    assert_memory_equal(&stats, &before, sizeof stats);
    drop(&o);
    clReleaseMemObject(in);
}

/* As many groups as the number holds are no more than there is work for. Where they were all
 * launched the heap took minutes to make, and the program ends. */
static void groups_without_work_are_not_launched(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap = NULL;
    const float keys[] = { 3, 1, 2 };
    float key = 0;
    end_after(100);
    assert_ok(clade_heap_create(&heap, f->context,
                                &(clade_heap_params) { .capacity = 100,
                                                       .batch = 16,
                                                       .key = CLADE_F32,
                                                       .engine = CLADE_HEAP_TOP_DOWN,
                                                       .groups = UINT32_MAX }));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 3, NULL));
    assert_ok(clade_heap_peek(heap, &key, NULL));
    assert_true(key == 1);
    assert_ok(clade_heap_clear(heap, NULL));
    assert_ok(clade_heap_check(heap));
    end_after(0);
    clade_heap_destroy(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_wrap_are_refused),
        cmocka_unit_test(nothing_is_no_object),
        cmocka_unit_test(failed_calls_leave_results_alone),
        cmocka_unit_test(groups_without_work_are_not_launched),
    };
    return fixture_run("misuse", tests);
}
