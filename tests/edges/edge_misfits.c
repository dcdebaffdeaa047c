/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions of objects that have another shape than the program was compiled for: each says
 * so, writes nothing into the object, and reads nothing of it but its head. The rest of it is
 * noise.
 */
#define CLADE_SPIN_LIMIT 200u
#include "host/device.h"

#include "rbtree/words.h"

#include "clade/kma.clh"

#include "clade/arraylist.clh"
#include "clade/dlist.clh"
#include "clade/queue.clh"
#include "clade/semilist.clh"

#define CLADE_HEAP            heap
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_REGIONS    5
#include "clade/heap.clh"

#define CLADE_LIST       list
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"

#define CLADE_HASHMAP            map
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U64
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U64
#include "clade/hashmap.clh"

#define CLADE_RBTREE_LEAF_CAPACITY 3
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_RANKED        1
#include "clade/rbtree.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { WORDS = 4096, AS_IT_WAS = 77 };

static union {
    uint words[WORDS];
    clade_object_head object;
    clade_kma_head kma;
    clade_arraylist_head arraylist;
    clade_dlist_head dlist;
    clade_queue_head queue;
    clade_semilist_head semilist;
    clade_list_head list;
    clade_hashmap_head hashmap;
    clade_rbtree_head rbtree;
    clade_heap_head heap;
} it, fitting, before;

/* An object of noise. One of another shape knows that; the kind is the right one. */
static void make(clade_u32 kind, clade_u32 shape)
{
    for (uint i = 0; i < WORDS; i++)
        it.words[i] = draw(1u << 24) << 8 | draw(256);
    it.object.kind = kind;
    it.object.shape = shape ^ (1u << draw(8));
    it.object.first_error = 0;
    before = it;
}

#define REFUSED(call, says)                                                             \
    do {                                                                                \
        expect((call) == (says), #call, __LINE__, 0);                                   \
        expect(memcmp(&before, &it, sizeof it) == 0, "written by " #call, __LINE__, 0); \
    } while (0)

static uint a, b, c;
static ulong wide_a, wide_b;

static void refuse_ordered(void)
{
    REFUSED(list_find_wi(&it.list, 5, &a), CLADE_E_ARG);
    REFUSED(list_contains_wi(&it.list, 5), CLADE_E_ARG);
    REFUSED(list_insert_wi(&it.list, 5, 6), CLADE_E_ARG);
    REFUSED(list_put_wi(&it.list, 5, 6), CLADE_E_ARG);
    REFUSED(list_erase_wi(&it.list, 5, &a), CLADE_E_ARG);
}

static void refuse_unordered(void)
{
    REFUSED(list_insert_front_wi(&it.list, 5), CLADE_E_ARG);
    REFUSED(list_insert_after_wi(&it.list, 5, 6), CLADE_E_ARG);
    REFUSED(list_erase_value_wi(&it.list, 5), CLADE_E_ARG);
    REFUSED(list_contains_value_wi(&it.list, 5), CLADE_E_ARG);
}

/* A list of the other order, too. */
static void refuse_lists(void)
{
    make(0, CLADE_LIST_SHAPE(CLADE_LIST_ORDERED, 1u, 1u, 0u));
    refuse_ordered();
    it.object.shape = before.object.shape = CLADE_LIST_SHAPE(CLADE_LIST_ORDERED, 1u, 1u, 0u);
    refuse_unordered();
    make(0, CLADE_LIST_SHAPE(CLADE_LIST_UNORDERED, 1u, 1u, 0u));
    refuse_unordered();
    it.object.shape = before.object.shape = CLADE_LIST_SHAPE(CLADE_LIST_UNORDERED, 1u, 1u, 0u);
    refuse_ordered();
    make(0, CLADE_DLIST_SHAPE);
    REFUSED(clade_dlist_insert_after_wi(&it.dlist, 1, 5, &a), CLADE_E_ARG);
    REFUSED(clade_dlist_insert_before_wi(&it.dlist, 1, 5, &a), CLADE_E_ARG);
    REFUSED(clade_dlist_erase_wi(&it.dlist, 1, &wide_a), CLADE_E_ARG);
    REFUSED(clade_dlist_next_wi(&it.dlist, 1, &a), CLADE_E_ARG);
    REFUSED(clade_dlist_prev_wi(&it.dlist, 1, &a), CLADE_E_ARG);
    REFUSED(clade_dlist_get_wi(&it.dlist, 1, &wide_a), CLADE_E_ARG);
}

/* Of these either object may be another one. */
static void refuse_pair(void *list, void *kma)
{
    a = b = AS_IT_WAS;
    REFUSED(clade_semilist_append_wi(list, kma, 5, 6, &a), CLADE_E_ARG);
    expect(a == CLADE_NIL, "a node of another list", a, 0);
    a = b = AS_IT_WAS;
    REFUSED(clade_semilist_find_wi(list, kma, 5, &a, &b), CLADE_E_ARG);
    expect(a == 0 && b == CLADE_NIL, "what is found in another list", a, b);
    REFUSED(clade_semilist_next_wi(list, kma, 5), CLADE_NIL);
    REFUSED(clade_semilist_erase_at_wi(list, kma, 5), CLADE_E_ARG);
    REFUSED(clade_semilist_has_wi(list, kma, 5), 0u);
    a = b = AS_IT_WAS;
    REFUSED(clade_semilist_erase_wi(list, kma, 5, &a, &b), CLADE_E_ARG);
    expect(a == 0 && b == CLADE_NIL, "what is erased of another list", a, b);
    a = AS_IT_WAS;
    REFUSED(clade_semilist_count_wi(list, kma, &a), CLADE_E_ARG);
    expect(a == 0, "nodes of another list", a, 0);
    REFUSED(clade_arraylist_append_wi(list, kma, &a), CLADE_E_ARG);
    for (uint count = 0; count < 2; count++) {
        uint scratch[CLADE_ARRAYLIST_SCRATCH(1)];
        REFUSED(clade_arraylist_append_wg(list, kma, count, &a, scratch), CLADE_E_ARG);
        expect(a == ~0u, "an index of nothing", count, a);
    }
}

static void refuse_what_allocates(void)
{
    fitting.object.shape = CLADE_KMA_OBJECT_SHAPE(0);
    make(0, CLADE_SEMILIST_SHAPE);
    refuse_pair(&it, &fitting);
    make(0, CLADE_ARRAYLIST_SHAPE);
    refuse_pair(&it, &fitting);
    REFUSED(clade_arraylist_size_wi(&it.arraylist), 0u);
    make(0, CLADE_KMA_OBJECT_SHAPE(0));
    refuse_pair(&fitting, &it);
    fitting.object.shape = CLADE_SEMILIST_SHAPE;
    refuse_pair(&fitting, &it);
    fitting.object.shape = CLADE_ARRAYLIST_SHAPE;
    refuse_pair(&fitting, &it);
}

/* The allocator has no statuses: its first error is noted, if it is one at all. */
static void refuse_blocks(void)
{
    for (uint is_kma = 0; is_kma < 2; is_kma++) {
        make(is_kma ? CLADE_KMA_KIND : 5u, CLADE_KMA_OBJECT_SHAPE(0));
        for (uint way = 0; way < 6; way++) {
            shim_self.global_id = way;
            before.object.first_error = is_kma ? (uint)CLADE_E_ARG : 0;
            before.object.first_error_item = is_kma ? way : before.object.first_error_item;
            it.object.first_error = 0;
            const uint got = way == 0   ? clade_kma_malloc_wi(&it.kma, 100)
                             : way == 1 ? clade_kma_malloc_wi(&it.kma, 1000000)
                             : way == 2 ? clade_kma_malloc_aligned_wi(&it.kma, 100, 64)
                             : way == 3 ? clade_kma_malloc_aligned_wi(&it.kma, 100, 3)
                             : way == 4 ? (clade_kma_free_wi(&it.kma, 1), CLADE_NIL)
                                        : clade_kma_realloc_wi(&it.kma, CLADE_NIL, 100);
            expect(got == CLADE_NIL, "a block of another allocator", way, got);
            expect(memcmp(&before, &it, sizeof it) == 0, "written by the allocator", way, is_kma);
        }
        REFUSED(clade_kma_size_wi(&it.kma, 1), 0u);
        shim_self.global_id = 0;
    }
}

static void refuse_queue(void)
{
    make(0, CLADE_QUEUE_SHAPE);
    REFUSED(clade_queue_append_wi(&it.queue, 5), CLADE_E_ARG);
    REFUSED(clade_queue_pop_wi(&it.queue, &a), CLADE_E_ARG);
    REFUSED(clade_queue_size_wi(&it.queue), 0u);
}

static void refuse_map(void)
{
    make(0, CLADE_HASHMAP_SHAPE(CLADE_U64, 8u, CLADE_HASHMAP_TAGGED, 2u));
    REFUSED(map_insert_wi(&it.hashmap, 5, 6), CLADE_E_ARG);
    REFUSED(map_put_wi(&it.hashmap, 5, 6), CLADE_E_ARG);
    REFUSED(map_update_wi(&it.hashmap, 5, 6, CLADE_HASHMAP_PLUS, &wide_a), CLADE_E_ARG);
    REFUSED(map_cas_wi(&it.hashmap, 5, 6, 7, &wide_a), CLADE_E_ARG);
    REFUSED(map_erase_wi(&it.hashmap, 5, &wide_a), CLADE_E_ARG);
    REFUSED(map_find_wi(&it.hashmap, 5, &wide_a), CLADE_E_ARG);
    REFUSED(map_contains_wi(&it.hashmap, 5), CLADE_E_ARG);
    REFUSED(map_places_wi(&it.hashmap), 0u);
    REFUSED(map_entry_wi(&it.hashmap, 0, &wide_a, &wide_b), CLADE_E_ARG);
}

/* No entries, which the caller may count on whatever the answer is. */
#define REFUSED_RANGE(call)                                                      \
    do {                                                                         \
        c = AS_IT_WAS;                                                           \
        REFUSED(call, CLADE_E_ARG);                                              \
        expect(c == 0, "entries of a range of another tree", c, (uint)__LINE__); \
    } while (0)

static void refuse_tree(void)
{
    static clade_rbtree_scratch scratch;
    static clade_rbtree_range_scratch range;
    make(0, CLADE_RBTREE_SHAPE(CLADE_U32, CLADE_U32, 3u) | CLADE_RBTREE_SHAPE_RANKED);
    a = b = c = AS_IT_WAS;
    REFUSED(clade_rbtree_find_wi(&it.rbtree, 5, &a), CLADE_E_ARG);
    REFUSED(clade_rbtree_find_still_wi(&it.rbtree, 5, &a), CLADE_E_ARG);
    REFUSED(clade_rbtree_insert_wi(&it.rbtree, 5, 6), CLADE_E_ARG);
    REFUSED(clade_rbtree_put_wi(&it.rbtree, 5, 6), CLADE_E_ARG);
    REFUSED(clade_rbtree_insert_wg(&it.rbtree, 5, 6, true, &scratch), CLADE_E_ARG);
    REFUSED(clade_rbtree_put_wg(&it.rbtree, 5, 6, true, &scratch), CLADE_E_ARG);
    REFUSED(clade_rbtree_erase_wi(&it.rbtree, 5, &a), CLADE_E_ARG);
    REFUSED(clade_rbtree_lower_bound_wi(&it.rbtree, &a, &b), CLADE_E_ARG);
    REFUSED(clade_rbtree_successor_wi(&it.rbtree, &a, &b), CLADE_E_ARG);
    REFUSED(clade_rbtree_floor_wi(&it.rbtree, &a, &b), CLADE_E_ARG);
    REFUSED(clade_rbtree_predecessor_wi(&it.rbtree, &a, &b), CLADE_E_ARG);
    REFUSED(clade_rbtree_rank_wi(&it.rbtree, 5, &a), CLADE_E_ARG);
    REFUSED(clade_rbtree_select_wi(&it.rbtree, 5, &a, &b), CLADE_E_ARG);
    REFUSED_RANGE(clade_rbtree_range_wi(&it.rbtree, 0, 9, 1, &a, &b, &c));
    REFUSED_RANGE(clade_rbtree_range_still_wi(&it.rbtree, 0, 9, 1, &a, &b, &c));
    REFUSED_RANGE(clade_rbtree_range_down_wi(&it.rbtree, 0, 9, 1, &a, &b, &c));
    REFUSED_RANGE(clade_rbtree_range_down_still_wi(&it.rbtree, 0, 9, 1, &a, &b, &c));
    expect(a == AS_IT_WAS && b == AS_IT_WAS, "an entry of another tree", a, b);
    REFUSED(clade_rbtree_range_still_wg(&it.rbtree, 0, 9, 1, &a, &b, &c, true, &range),
            CLADE_E_ARG);
    REFUSED(clade_rbtree_min_wi(&it.rbtree, &a, &b), CLADE_E_ARG);
    REFUSED(clade_rbtree_max_wi(&it.rbtree, &a, &b), CLADE_E_ARG);
}

static void refuse_heap(void)
{
    static heap_scratch scratch;
    make(0, CLADE_HEAP_SHAPE(CLADE_U32, CLADE_U32, CLADE_MIN, CLADE_HEAP_TOP_DOWN, 4, 0));
    a = AS_IT_WAS;
    REFUSED(heap_insert_wg(&it, &scratch, 2), CLADE_E_ARG);
    expect(heap_taken_wi(&scratch) == 0, "keys that another heap took", heap_taken_wi(&scratch), 0);
    REFUSED(heap_pop_wg(&it, &scratch, 2, &a), CLADE_E_ARG);
    expect(a == 0, "keys of another heap", a, 0);
    REFUSED(heap_size_hint_wi(&it), 0u);
    REFUSED(heap_popped_wi(&it), 0u);
    expect(heap_at_wi(&it, 3) == (void *)&it, "a heap beside one that is none", 0, 0);
}

int main(void)
{
    random_state = shim_seed();
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 0; i < 50; i++) {
        refuse_lists();
        refuse_what_allocates();
        refuse_blocks();
        refuse_queue();
        refuse_map();
        refuse_tree();
        refuse_heap();
    }
    printf("objects of other shapes: %u wrong\n", wrong);
    return wrong != 0;
}
