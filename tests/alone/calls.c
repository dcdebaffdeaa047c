/* SPDX-License-Identifier: Apache-2.0 */
/* How each public function is called. tests/alone/check-functions compares the names with those of
 * the device headers: a new public function that is neither here nor in tests/alone/inside fails
 * it. */
#include "alone/alone.h"

#define COUNT_OF(name) const size_t name##_call_count = sizeof name##_calls / sizeof name##_calls[0]

/* --- heap: every engine; V: ", value" where there are values --------------------------------- */

#define SCRATCH "__local clade_heap_scratch s; "
#define HEAP_CALLS                                                                                 \
    { "CLADE_H(_insert_wg)", SCRATCH "said = (uint)clade_heap_insert_wg(O, &s, 4u);", BY_STATUS }, \
        { "CLADE_H(_pop_wg)", SCRATCH "said = (uint)clade_heap_pop_wg(O, &s, 4u, &got);",          \
          BY_STATUS },                                                                             \
        { "CLADE_H(_taken_wi)", SCRATCH "said = clade_heap_taken_wi(&s);", NEVER },                \
        { "CLADE_H(_rank_wi)", SCRATCH "said = (uint)clade_heap_rank_wi(&s);", NEVER },            \
        { "CLADE_H(_set_wi)", SCRATCH "clade_heap_set_wi(&s, item % 4u, 5 V);", NEVER },           \
        { "CLADE_H(_key_wi)", SCRATCH "said = (uint)clade_heap_key_wi(&s, 0u);", NEVER },          \
        { "CLADE_H(_value_wi)", SCRATCH "said = VALUE(clade_heap_value_wi(&s, 0u));", NEVER },     \
        { "CLADE_H(_set_bits_wi)", SCRATCH "clade_heap_set_bits_wi(&s, item % 4u, 5u, 6u);",       \
          NEVER },                                                                                 \
        { "CLADE_H(_key_bits_wi)", SCRATCH "said = (uint)clade_heap_key_bits_wi(&s, 0u);",         \
          NEVER },                                                                                 \
        { "CLADE_H(_value_bits_wi)", SCRATCH "said = VALUE(clade_heap_value_bits_wi(&s, 0u));",    \
          NEVER },                                                                                 \
        { "CLADE_H(_size_hint_wi)", "said = (uint)clade_heap_size_hint_wi(O);", BY_ZERO },         \
        { "CLADE_H(_popped_wi)", "said = (uint)clade_heap_popped_wi(O);", BY_ZERO },               \
    {                                                                                              \
        "CLADE_H(_at_wi)", "said = clade_heap_at_wi(O, 1u) == (__global void *)O ? 0u : 1u;",      \
            BY_ZERO                                                                                \
    }

const struct call heap_calls[] = { HEAP_CALLS };
COUNT_OF(heap);
const struct call front_calls[] = {
    HEAP_CALLS,
    { "CLADE_H(_first_wg)", SCRATCH "said = clade_heap_first_wg(O, &s) ? 1u : 0u;", BY_ZERO },
};
COUNT_OF(front);

/* --- red-black tree ----------------------------------------------------------------------------
 */

#define KEY "(cladei_rbtree_key)(item + 1u)"
#define VAL "(cladei_rbtree_value)item"
#define SEEK(name)                                                                              \
    "cladei_rbtree_key k = " KEY "; cladei_rbtree_value v = 0; said = (uint)clade_rbtree_" name \
    "(O, &k, &v);"
#define RANGE(name)                                                                            \
    "said = (uint)clade_rbtree_" name                                                          \
    "(O, (cladei_rbtree_key)0, (cladei_rbtree_key)99, 4u, (__global cladei_rbtree_key *)"      \
    "(room + 1024u + 8u * item), (__global cladei_rbtree_value *)(room + 2048u + 8u * item), " \
    "&got);"
const struct call rbtree_calls[] = {
    { "CLADE_RB(insert_wi)", "said = (uint)clade_rbtree_insert_wi(O, " KEY ", " VAL ");",
      BY_STATUS },
    { "CLADE_RB(put_wi)", "said = (uint)clade_rbtree_put_wi(O, " KEY ", " VAL ");", BY_STATUS },
    { "CLADE_RB(insert_or_put_wi)",
      "said = (uint)clade_rbtree_insert_or_put_wi(O, " KEY ", " VAL ", CLADE_RBTREE_PUT);",
      BY_STATUS },
    { "CLADE_RB(find_wi)",
      "cladei_rbtree_value v = 0; said = (uint)clade_rbtree_find_wi(O, " KEY ", &v);", BY_STATUS },
    { "CLADE_RB(find_still_wi)",
      "cladei_rbtree_value v = 0; said = (uint)clade_rbtree_find_still_wi(O, " KEY ", &v);",
      BY_STATUS },
    { "CLADE_RB(lower_bound_wi)", SEEK("lower_bound_wi"), BY_STATUS },
    { "CLADE_RB(successor_wi)", SEEK("successor_wi"), BY_STATUS },
    { "CLADE_RB(floor_wi)", SEEK("floor_wi"), BY_STATUS },
    { "CLADE_RB(predecessor_wi)", SEEK("predecessor_wi"), BY_STATUS },
    { "CLADE_RB(min_wi)", SEEK("min_wi"), BY_STATUS },
    { "CLADE_RB(max_wi)", SEEK("max_wi"), BY_STATUS },
    { "CLADE_RB(range_wi)", RANGE("range_wi"), BY_STATUS },
    { "CLADE_RB(range_still_wi)", RANGE("range_still_wi"), BY_STATUS },
    { "CLADE_RB(range_still_wg)",
      "__local clade_rbtree_range_scratch s; said = (uint)clade_rbtree_range_still_wg(O, "
      "(cladei_rbtree_key)0,"
      " (cladei_rbtree_key)99, 4u, (__global cladei_rbtree_key *)(room + 1024u), (__global "
      "cladei_rbtree_value *)(room + "
      "2048u),"
      " &got, true, &s);",
      BY_STATUS },
    { "CLADE_RB(insert_wg)",
      "__local clade_rbtree_scratch s; said = (uint)clade_rbtree_insert_wg(O, " KEY ", " VAL
      ", true, &s);",
      BY_STATUS },
    { "CLADE_RB(put_wg)",
      "__local clade_rbtree_scratch s; said = (uint)clade_rbtree_put_wg(O, " KEY ", " VAL
      ", true, &s);",
      BY_STATUS },
    { "CLADE_RB(insert_or_put_wg)",
      "__local clade_rbtree_scratch s; said = (uint)clade_rbtree_insert_or_put_wg(O, " KEY ", " VAL
      ", true, &s, CLADE_RBTREE_PUT);",
      BY_STATUS },
    { "CLADE_RB(erase_wi)",
      "cladei_rbtree_value v = 0; said = (uint)clade_rbtree_erase_wi(O, " KEY ", &v);", BY_STATUS },
};
COUNT_OF(rbtree);

/* --- lists; SELF: the list, and its allocator behind it ----------------------------------------
 */

#define TWO(name) "said = (uint)alone_" name "(SELF, item + 1u, item);"
#define ONE(name) "said = (uint)alone_" name "(SELF, item + 1u);"
const struct call ordered_calls[] = {
    { "CLADE_LIST_FN(_insert_wi)", TWO("insert_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_insert_counted_wi)",
      "said = (uint)alone_insert_counted_wi(SELF, item + 1u, item, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_put_wi)", TWO("put_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_put_counted_wi)",
      "said = (uint)alone_put_counted_wi(SELF, item + 1u, item, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_contains_wi)", ONE("contains_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_find_wi)", "said = (uint)alone_find_wi(SELF, item + 1u, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_erase_wi)", "said = (uint)alone_erase_wi(SELF, item + 1u, &got);",
      BY_STATUS },
    { "CLADE_LIST_FN(_erase_counted_wi)",
      "uint met; said = (uint)alone_erase_counted_wi(SELF, item + 1u, &got, &met);", BY_STATUS },
};
COUNT_OF(ordered);
const struct call unordered_calls[] = {
    { "CLADE_LIST_FN(_insert_front_wi)", ONE("insert_front_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_insert_front_counted_wi)",
      "said = (uint)alone_insert_front_counted_wi(SELF, item + 1u, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_insert_after_wi)", TWO("insert_after_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_insert_after_counted_wi)",
      "said = (uint)alone_insert_after_counted_wi(SELF, item + 1u, item, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_contains_value_wi)", ONE("contains_value_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_erase_value_wi)", ONE("erase_value_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_erase_value_counted_wi)",
      "said = (uint)alone_erase_value_counted_wi(SELF, item + 1u, &got);", BY_STATUS },
};
COUNT_OF(unordered);

/* --- allocator; room: blocks, 64 for each call that ends one ------------------------------------
 */

const struct call kma_calls[] = {
    { "clade_kma_malloc_wi", "said = clade_kma_malloc_wi(O, 24u + item);", BY_ZERO },
    { "clade_kma_malloc_aligned_wi", "said = clade_kma_malloc_aligned_wi(O, 24u, 64u);", BY_ZERO },
    { "clade_kma_calloc_wi", "said = clade_kma_calloc_wi(O, 3u, 8u);", BY_ZERO },
    { "clade_kma_malloc_sg", "said = clade_kma_malloc_sg(O, 24u);", BY_ZERO },
    { "clade_kma_malloc_wg",
      "__local uint local_[CLADE_KMA_WG_WORDS(64u)]; said = clade_kma_malloc_wg(O, 24u, local_);",
      BY_ZERO },
    { "clade_kma_size_wi", "said = (uint)clade_kma_size_wi(O, (uint)room[item]);", BY_ZERO },
    { "clade_kma_realloc_wi", "said = clade_kma_realloc_wi(O, (uint)room[64u + item], 400u);",
      BY_ZERO },
    { "clade_kma_free_wi", "clade_kma_free_wi(O, (uint)room[128u + item]);", BY_ZERO },
    { "clade_kma_free_sg", "clade_kma_free_sg(O, (uint)room[192u + item]);", BY_ZERO },
    { "clade_kma_free_wg",
      "__local uint local_[CLADE_KMA_WG_WORDS(64u)]; "
      "clade_kma_free_wg(O, (uint)room[256u + item], local_);",
      BY_ZERO },
};
COUNT_OF(kma);

/* --- queue, doubly linked list ------------------------------------------------------------------
 */

const struct call queue_calls[] = {
    { "clade_queue_append_wi", "said = (uint)clade_queue_append_wi(O, item);", BY_STATUS },
    { "clade_queue_pop_wi", "said = (uint)clade_queue_pop_wi(O, &got);", BY_STATUS },
    { "clade_queue_size_wi", "said = clade_queue_size_wi(O);", BY_ZERO },
};
COUNT_OF(queue);

#define REF  "(uint)room[item]"
#define LONG "ulong value = 0; "
const struct call dlist_calls[] = {
    { "clade_dlist_insert_after_wi", "said = (uint)clade_dlist_insert_after_wi(O, 0u, 7ul, &got);",
      BY_STATUS },
    { "clade_dlist_insert_before_wi",
      "said = (uint)clade_dlist_insert_before_wi(O, 0u, 7ul, &got);", BY_STATUS },
    { "clade_dlist_next_wi", "said = (uint)clade_dlist_next_wi(O, " REF ", &got);", BY_STATUS },
    { "clade_dlist_prev_wi", "said = (uint)clade_dlist_prev_wi(O, " REF ", &got);", BY_STATUS },
    { "clade_dlist_get_wi", LONG "said = (uint)clade_dlist_get_wi(O, " REF ", &value);",
      BY_STATUS },
    { "clade_dlist_erase_wi", LONG "said = (uint)clade_dlist_erase_wi(O, " REF ", &value);",
      BY_STATUS },
};
COUNT_OF(dlist);

/* --- structures in an allocator ------------------------------------------------------------------
 */

#define VALUE_GOT "uint value = 0; "
const struct call semilist_calls[] = {
    { "clade_semilist_append_wi", "said = (uint)clade_semilist_append_wi(O, kma, item, 7u, &got);",
      BY_STATUS },
    { "clade_semilist_append_wg",
      "__local uint s[CLADE_SEMILIST_SCRATCH(64u)]; "
      "said = (uint)clade_semilist_append_wg(O, kma, 1u, item, 7u, &got, s);",
      BY_STATUS },
    { "clade_semilist_find_wi",
      VALUE_GOT "said = (uint)clade_semilist_find_wi(O, kma, item, &value, &got);", BY_STATUS },
    { "clade_semilist_next_wi", "said = clade_semilist_next_wi(O, kma, 0u);", BY_ZERO },
    { "clade_semilist_has_wi", "said = clade_semilist_has_wi(O, kma, " REF ");", BY_ZERO },
    { "clade_semilist_key_wi", "said = clade_semilist_key_wi(kma, " REF ");", NEVER },
    { "clade_semilist_value_wi", "said = clade_semilist_value_wi(kma, " REF ");", NEVER },
    { "clade_semilist_count_wi", "said = (uint)clade_semilist_count_wi(O, kma, &got);", BY_STATUS },
    { "clade_semilist_erase_at_wi", "said = (uint)clade_semilist_erase_at_wi(O, kma, " REF ");",
      BY_STATUS },
    { "clade_semilist_erase_wi",
      VALUE_GOT "said = (uint)clade_semilist_erase_wi(O, kma, item, &value, &got);", BY_STATUS },
};
COUNT_OF(semilist);

const struct call arraylist_calls[] = {
    { "clade_arraylist_append_wi", "said = (uint)clade_arraylist_append_wi(O, kma, &got);",
      BY_STATUS },
    { "clade_arraylist_append_wg",
      "__local uint s[130]; said = (uint)clade_arraylist_append_wg(O, kma, 2u, &got, s);",
      BY_STATUS },
    { "clade_arraylist_append_wg", /* nothing */
      "__local uint s[130]; said = (uint)clade_arraylist_append_wg(O, kma, 0u, &got, s);",
      BY_STATUS },
    { "clade_arraylist_size_wi", "said = clade_arraylist_size_wi(O);", BY_ZERO },
    { "clade_arraylist_at_wi", "said = *(__global uint *)clade_arraylist_at_wi(O, kma, item);",
      NEVER },
};
COUNT_OF(arraylist);

/* --- k-selection: no object; rows are arrays
 * ------------------------------------------------------ */

const struct call kselect_calls[] = {
    { "clade_kselect_wg",
      "__local clade_kselect_local s; clade_kselect_out to; to.keys = (__global uint *)(room + "
      "1024u);"
      " to.indices = (__global uint *)(room + 2048u); "
      "clade_kselect_wg(&s, (__global const uint *)room, 64u, 8u, to);",
      NEVER },
};
COUNT_OF(kselect);

/* --- ad-heap: none of its functions is without the one that opens a heap ---------- */

#define OPEN(heap)                                 \
    "__local uint path[CLADE_ADHEAP_PATH_WORDS]; " \
    "const clade_adheap_one h = clade_adheap_open_wi(O, " heap ", path); "
#define SG OPEN("clade_sg_index()") "clade_adheap_word word = 0; "
#define WG OPEN("0u")
const struct call adheap_calls[] = {
    { "clade_adheap_open_wi", SG "said = h.capacity;", BY_ZERO },
    { "clade_adheap_insert_sg", SG "said = (uint)clade_adheap_insert_sg(&h, word, 7u);",
      BY_STATUS },
    { "clade_adheap_peek_sg", SG "said = (uint)clade_adheap_peek_sg(&h, &word, &got);", BY_STATUS },
    { "clade_adheap_update_sg", SG "said = (uint)clade_adheap_update_sg(&h, 0u, word, 7u);",
      BY_STATUS },
    { "clade_adheap_pop_sg", SG "said = (uint)clade_adheap_pop_sg(&h, &word, &got);", BY_STATUS },
    { "clade_adheap_size_wi", SG "said = clade_adheap_size_wi(&h);", BY_ZERO },
    { "clade_adheap_candidates_sg",
      SG "said = clade_adheap_candidates_sg(&h, (__global clade_adheap_word *)(room + 1024u), 8u, "
         "4u);",
      BY_ZERO },
    { "clade_adheap_feed_sg",
      SG "said = (uint)clade_adheap_feed_sg(&h, (__global clade_adheap_word *)(room + 1024u), 8u,"
         " (__global uint *)room, 0u, 0, 0);",
      BY_STATUS },
    { "clade_adheap_replace_sg",
      SG "said = clade_adheap_replace_sg(&h, (__global clade_adheap_word *)(room + 1024u), 0u, 8u,"
         " (__global uint *)room, 0u, 0, 0);",
      BY_ZERO },
    { "clade_adheap_merge_wg",
      WG "said = clade_adheap_merge_wg(&h, (__global clade_adheap_word *)(room + 1024u),"
         " (__global uint *)room, 4u);",
      BY_ZERO },
    { "clade_adheap_heapify_wg", WG "clade_adheap_heapify_wg(&h, 4u);", BY_ZERO },
    { "clade_adheap_repair_wg", WG "clade_adheap_repair_wg(&h, 2u, 4u);", BY_ZERO },
};
COUNT_OF(adheap);
