/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that wrap, on a device: their words are written near their ends through the objects'
 * buffers, and calls go over. Then counts and sizes that 32 bits, or 64, do not hold. */
#include <clade/adheap.h>
#include <clade/arraylist.h>
#include <clade/dlist.h>
#include <clade/heap.h>
#include <clade/kselect.h>
#include <clade/list.h>
#include <clade/queue.h>
#include <clade/rbtree.h>

#include "harness/fixture.h"
#include "harness/scratch.h"
#include "semilist/semilist.h"

static const uint64_t counts_too_large[] = { (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1,
                                             (uint64_t)1 << 60, ((uint64_t)1 << 62) + 1,
                                             (uint64_t)1 << 63, UINT64_MAX };

#define NONE clade_no_array()

/* --- the queue -------------------------------------------------------------------------------- */

static clade_queue *open_queue(struct fixture *f, uint64_t capacity)
{
    clade_queue *queue = NULL;
    assert_ok(
        clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = capacity }));
    return queue;
}

/* An empty queue whose next position is `start`. */
static void begin_at(struct fixture *f, clade_queue *queue, uint32_t slots, uint32_t start)
{
    uint32_t shift = 0, word;
    while (1u << shift < slots)
        shift++;
    cl_mem mem = clade_queue_mem(queue);
    fixture_write(f, mem, offsetof(clade_queue_head, head), &start, 4);
    fixture_write(f, mem, offsetof(clade_queue_head, tail), &start, 4);
    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t p = start + i;
        word = CLADE_QUEUE_EMPTY | p >> shift;
        fixture_write(f, mem, sizeof(clade_queue_head) + (p & (slots - 1)) * 4ull, &word, 4);
    }
    assert_ok(clade_queue_check(queue));
}

static void positions_of_a_queue_wrap(void **state)
{
    struct fixture *f = *state;
    enum { MOST = 16 };
    for (uint32_t slots = 2; slots <= MOST; slots *= 2)
        for (uint32_t before = 0; before <= slots + 1; before += 1 + slots / 4) {
            clade_queue *queue = open_queue(f, slots);
            uint32_t in[MOST + 1], out[MOST + 1], next = 7;
            int32_t statuses[MOST + 1];
            uint64_t got, size;
            begin_at(f, queue, slots, 0u - before);
            for (uint32_t turn = 0; turn < 6; turn++) {
                const uint32_t count = turn % 2 ? slots + 1 : 1 + slots / 2;
                for (uint32_t i = 0; i < count; i++)
                    in[i] = next + i;
                assert_ok(
                    clade_queue_append(queue, clade_host(in), count, clade_host(statuses), NULL));
                const uint32_t fits = count < slots ? count : slots;
                for (uint32_t i = 0; i < count; i++)
                    assert_int_equal(statuses[i], i < fits ? CLADE_OK : CLADE_E_FULL);
                assert_ok(clade_queue_check(queue));
                assert_ok(clade_queue_size(queue, &size));
                assert_int_equal(size, fits);
                assert_ok(
                    clade_queue_pop(queue, clade_host(out), slots + 1, clade_host(&got), NULL));
                assert_int_equal(got, fits);
                assert_memory_equal(out, in, fits * 4ull);
                assert_ok(clade_queue_check(queue));
                next += count;
            }
            clade_queue_destroy(&queue);
        }
}

/* The number of a host's append. A file carries it on, so it can be set. */
static void numbers_of_appends_begin_anew(void **state)
{
    struct fixture *f = *state;
    const uint32_t last = UINT32_MAX - 1, first = 1, second = 2, value = 5;
    char *folder = scratch_make(), *path = scratch_path(folder, "queue");
    clade_queue *queue = open_queue(f, 8), *later = NULL;
    const size_t at = offsetof(clade_queue_head, too_large);
    uint64_t size;
    fixture_write(f, clade_queue_mem(queue), at, &last, 4);
    assert_ok(clade_queue_save(queue, path));
    assert_ok(clade_queue_load(&later, f->context, path));
    /* As append 1 of long ago left it, which had a value too large: no later one is judged by it.
     */
    fixture_write(f, clade_queue_mem(later), at, &first, 4);
    assert_ok(clade_queue_append(later, clade_host(&value), 1, NONE, NULL)); /* 2^32 - 1 */
    assert_ok(clade_queue_append(later, clade_host(&value), 1, NONE, NULL)); /* 1 */
    fixture_write(f, clade_queue_mem(later), at, &second, 4);
    const uint32_t large = CLADE_QUEUE_VALUE_MAX + 1;
    assert_fails(clade_queue_append(later, clade_host(&large), 1, NONE, NULL), CLADE_E_ARG);
    assert_ok(clade_queue_append(later, clade_host(&value), 1, NONE, NULL));
    assert_ok(clade_queue_size(later, &size));
    assert_int_equal(size, 3);
    clade_queue_destroy(&later);
    clade_queue_destroy(&queue);
    free(path);
    scratch_remove(folder);
}

/* --- the semi-linked list --------------------------------------------------------------------- */

static void numbers_of_adds_begin_anew(void **state)
{
    struct fixture *f = *state;
    const uint32_t first = 1, keys[4] = { 1, 2, 3, 4 };
    clade_semilist *list = NULL;
    uint64_t size;
    assert_ok(
        clade_semilist_create(&list, f->context, &(clade_semilist_params) { .capacity = 16 }));
    list->turn = UINT32_MAX - 1;
    /* As add 1 of long ago left it, which was short of a node. */
    fixture_write(f, clade_semilist_mem(list), offsetof(clade_semilist_head, short_of), &first, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_ok(clade_semilist_append(list, clade_host(keys), NONE, NONE, 4, NULL));
    assert_fails(clade_semilist_append(list, clade_host(keys), NONE, NONE, 1, NULL), CLADE_E_FULL);
    assert_ok(clade_semilist_size(list, &size));
    assert_int_equal(size, 16);
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
}

/* --- counts that no call takes ---------------------------------------------------------------- */

/* A device buffer of 64 bytes; and whether a call refused and said so. */
struct small {
    cl_mem mem;
    clade_array array;
};

static struct small open_small(struct fixture *f)
{
    const uint32_t words[16] = { 0 };
    struct small s = { .mem = fixture_buffer(f, sizeof words, words) };
    s.array = clade_device(s.mem, 0);
    return s;
}

static void counts_beyond_a_queue(void **state)
{
    struct fixture *f = *state;
    struct small s = open_small(f);
    clade_queue *queue = open_queue(f, 8);
    uint64_t size;
    for (size_t i = 0; i < sizeof counts_too_large / sizeof counts_too_large[0]; i++) {
        const uint64_t count = counts_too_large[i];
        assert_fails(clade_queue_append(queue, s.array, count, NONE, NULL), CLADE_E_ARG);
        assert_fails(clade_queue_pop(queue, s.array, count, NONE, NULL), CLADE_E_ARG);
    }
    assert_ok(clade_queue_size(queue, &size));
    assert_int_equal(size, 0);
    clade_queue_destroy(&queue);
    clReleaseMemObject(s.mem);
}

static void counts_beyond_lists(void **state)
{
    struct fixture *f = *state;
    struct small s = open_small(f);
    clade_list *list = NULL;
    clade_dlist *dlist = NULL;
    uint64_t size;
    assert_ok(clade_list_create(&list, f->context, &(clade_list_params) { .capacity = 8 }));
    assert_ok(clade_dlist_create(&dlist, f->context, &(clade_dlist_params) { .capacity = 8 }));
    for (size_t i = 0; i < sizeof counts_too_large / sizeof counts_too_large[0]; i++) {
        const uint64_t count = counts_too_large[i];
        assert_fails(clade_list_insert(list, s.array, NONE, count, NONE, NULL), CLADE_E_ARG);
        assert_fails(clade_list_erase(list, s.array, count, NONE, NULL), CLADE_E_ARG);
        assert_fails(clade_dlist_append(dlist, s.array, NONE, count, NONE, NULL), CLADE_E_ARG);
        assert_fails(clade_dlist_erase(dlist, s.array, s.array, count, NONE, NULL), CLADE_E_ARG);
    }
    assert_ok(clade_list_size(list, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_dlist_check(dlist));
    clade_list_destroy(&list);
    clade_dlist_destroy(&dlist);
    clReleaseMemObject(s.mem);
}

static void counts_beyond_lists_in_allocators(void **state)
{
    struct fixture *f = *state;
    struct small s = open_small(f);
    clade_semilist *semi = NULL;
    clade_arraylist *array = NULL;
    uint64_t size;
    assert_ok(clade_semilist_create(&semi, f->context, &(clade_semilist_params) { .capacity = 8 }));
    assert_ok(clade_arraylist_create(
        &array, f->context, &(clade_arraylist_params) { .capacity = 8, .element_bytes = 1024 }));
    for (size_t i = 0; i < sizeof counts_too_large / sizeof counts_too_large[0]; i++) {
        const uint64_t count = counts_too_large[i];
        assert_fails(clade_semilist_append(semi, s.array, NONE, NONE, count, NULL), CLADE_E_ARG);
        assert_fails(clade_semilist_erase(semi, s.array, NONE, NONE, count, NONE, NULL),
                     CLADE_E_ARG);
        assert_fails(clade_arraylist_append(array, s.array, count, NULL), CLADE_E_ARG);
        assert_fails(clade_arraylist_read(array, 0, s.array, count, NULL), CLADE_E_ARG);
        assert_fails(clade_arraylist_read(array, count, s.array, count, NULL), CLADE_E_ARG);
    }
    assert_ok(clade_semilist_size(semi, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_arraylist_size(array, &size));
    assert_int_equal(size, 0);
    clade_semilist_destroy(&semi);
    clade_arraylist_destroy(&array);
    clReleaseMemObject(s.mem);
}

static void counts_beyond_a_tree(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    struct small s = open_small(f);
    clade_rbtree *tree = NULL;
    uint64_t size;
    assert_ok(clade_rbtree_create(&tree, f->context, &(clade_rbtree_params) { .capacity = 8 }));
    for (size_t i = 0; i < sizeof counts_too_large / sizeof counts_too_large[0]; i++) {
        const uint64_t count = counts_too_large[i];
        assert_fails(clade_rbtree_insert(tree, s.array, NONE, count, NONE, NULL), CLADE_E_ARG);
        assert_fails(
            clade_rbtree_range(tree, s.array, s.array, 1, s.array, NONE, s.array, count, NULL),
            CLADE_E_ARG);
    }
    assert_fails(clade_rbtree_range(tree, s.array, s.array, UINT32_MAX, s.array, NONE, s.array,
                                    1u << 30, NULL),
                 CLADE_E_ARG);
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, 0);
    clade_rbtree_destroy(&tree);
    clReleaseMemObject(s.mem);
}

static void counts_beyond_heaps(void **state)
{
    struct fixture *f = *state;
    struct small s = open_small(f);
    clade_heap *heap = NULL;
    uint64_t size;
    assert_ok(clade_heap_create(
        &heap, f->context,
        &(clade_heap_params) { .capacity = 100, .batch = 4, .engine = CLADE_HEAP_TOP_DOWN }));
    for (size_t i = 0; i < sizeof counts_too_large / sizeof counts_too_large[0]; i++) {
        const uint64_t count = counts_too_large[i];
        assert_fails(clade_heap_insert(heap, s.array, NONE, count, NULL), CLADE_E_FULL);
        /* More than the capacity cannot come; there is not even room for so much. */
        assert_fails(clade_heap_pop(heap, s.array, NONE, count, s.array, NULL), CLADE_E_ARG);
    }
    assert_ok(clade_heap_size(heap, &size));
    assert_int_equal(size, 0);
    clade_heap_destroy(&heap);
    clReleaseMemObject(s.mem);
}

/* --- the ad-heap and the selection ------------------------------------------------------------ */

static void counts_beyond_an_ad_heap(void **state)
{
    struct fixture *f = *state;
    struct small s = open_small(f);
    clade_adheap *a = NULL;
    assert_ok(clade_adheap_create(
        &a, f->context,
        &(clade_adheap_params) { .heaps = 3, .capacity = 8, .feed = CLADE_ADHEAP_FEED_SIFT }));
    for (uint64_t each = ((uint64_t)1 << 31) + 1; each <= UINT32_MAX; each += (1u << 31) - 2) {
        const uint32_t n = (uint32_t)each;
        assert_fails(clade_adheap_insert(a, s.array, NONE, n, NONE, NULL), CLADE_E_ARG);
        assert_fails(clade_adheap_merge(a, s.array, NONE, n, s.array, NULL), CLADE_E_ARG);
        assert_message("are too many");
        assert_fails(clade_adheap_feed(a, s.array, NONE, 0, n, NULL), CLADE_E_ARG);
        assert_message("are too many");
    }
    assert_ok(clade_adheap_check(a));
    clade_adheap_destroy(&a);
    clReleaseMemObject(s.mem);
}

/* 2^20 heaps of 2^20 words: 2^35 lines and two, in 32 bits two. */
static void lines_of_a_host_bridge(void **state)
{
    struct fixture *f = *state;
    clade_adheap *a = (clade_adheap *)1;
    clade_adheap_params params = { .heaps = 1u << 20,
                                   .capacity = (1u << 20) - 63,
                                   .bridge = CLADE_ADHEAP_BRIDGE_HOST };
    assert_fails(clade_adheap_create(&a, f->context, &params), CLADE_E_ARG);
    assert_message("above the limit of a HOST bridge");
    assert_null(a);
    params.bridge = CLADE_ADHEAP_BRIDGE_AUTO;
    assert_fails(clade_adheap_create(&a, f->context, &params), CLADE_E_ARG);
    params.heaps = UINT32_MAX;
    params.capacity = 1u << 30;
    params.key = CLADE_U64;
    params.values = 1;
    assert_fails(clade_adheap_create(&a, f->context, &params), CLADE_E_ARG);
}

static void rows_beyond_a_selection(void **state)
{
    struct fixture *f = *state;
    struct small s = open_small(f);
    clade_kselect *selector = NULL;
    assert_ok(clade_kselect_create(&selector, f->context,
                                   &(clade_kselect_params) { .length = 1000, .k = 1 }));
    for (size_t i = 0; i < sizeof counts_too_large / sizeof counts_too_large[0]; i++)
        assert_fails(clade_kselect_run(selector, s.array, s.array, NONE, counts_too_large[i], NULL),
                     CLADE_E_ARG);
    clade_kselect_destroy(&selector);
    clReleaseMemObject(s.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_of_a_queue_wrap),
        cmocka_unit_test(numbers_of_appends_begin_anew),
        cmocka_unit_test(numbers_of_adds_begin_anew),
        cmocka_unit_test(counts_beyond_a_queue),
        cmocka_unit_test(counts_beyond_lists),
        cmocka_unit_test(counts_beyond_lists_in_allocators),
        cmocka_unit_test(counts_beyond_a_tree),
        cmocka_unit_test(counts_beyond_heaps),
        cmocka_unit_test(counts_beyond_an_ad_heap),
        cmocka_unit_test(lines_of_a_host_bridge),
        cmocka_unit_test(rows_beyond_a_selection),
    };
    return fixture_run("wrap", tests);
}
