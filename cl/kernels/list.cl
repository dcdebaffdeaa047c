/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_list_*; launched by lib/list/list.c and lib/list/reclaim.c.
 *
 * What the library can ask for (`cladec --check`): both keys, with a value and without.
 * Check: CLADE_LIST_KEY_BITS=32,64 CLADE_LIST_VALUE_BITS=0,32
 */

#ifndef CLADE_LIST_KEY_BITS
#define CLADE_LIST_KEY_BITS 32
#endif
#ifndef CLADE_LIST_VALUE_BITS
#define CLADE_LIST_VALUE_BITS 0
#endif

#define CLADE_LIST       clade_list
#define CLADE_LIST_KEY   CLADE_LIST_KEY_BITS
#define CLADE_LIST_VALUE CLADE_LIST_VALUE_BITS
#define UNUSED           __attribute__((unused))
#ifdef CLADE_LIST_KMA_NODES /* cl/kernels/list_kma.cl */
#define CLADE_LIST_KMA 1
#define SELF           __global clade_list_head *list, __global clade_kma_head *kma UNUSED
#define KERNEL_SELF    SELF
#define IT             list, kma
#else
#define SELF        __global clade_list_head *list
#define KERNEL_SELF SELF, __global uint *kma UNUSED
#define IT          list
#endif
#include "clade/list.clh"
#include "clade/base/object.clh"

#if CLADE_LIST_KEY_BITS == 64
#define KEY       ulong
#define KEY_WORDS 2u
#else
#define KEY       uint
#define KEY_WORDS 1u
#endif
#define HINT CLADE_LIST_HINT_WORDS(KEY_WORDS)

/* Which kernels: 1 that of operations, 2 the others; 0 all. */
#ifndef CLADE_PART
#define CLADE_PART 0
#endif

#if CLADE_PART != 2

/* --- operations ----------------------------------------------------------------------------- */

static inline clade_i32 apply_ordered(SELF, uint op, KEY key, uint *value, uint *collisions)
{
    switch (op) {
    case CLADE_LIST_INSERT:
        return clade_list_insert_counted_wi(IT, key, *value, collisions);
    case CLADE_LIST_PUT:
        return clade_list_put_counted_wi(IT, key, *value, collisions);
    case CLADE_LIST_ERASE:
        return clade_list_erase_counted_wi(IT, key, value, collisions);
    case CLADE_LIST_CONTAINS:
    case CLADE_LIST_FIND:
        return clade_list_find_wi(IT, key, value);
    default:
        return CLADE_E_ARG;
    }
}

static inline clade_i32 apply_unordered(SELF, uint op, KEY key, KEY target, uint *collisions)
{
    switch (op) {
    case CLADE_LIST_INSERT:
        return clade_list_insert_front_counted_wi(IT, key, collisions);
    case CLADE_LIST_INSERT_AFTER:
        return clade_list_insert_after_counted_wi(IT, target, key, collisions);
    case CLADE_LIST_ERASE:
        return clade_list_erase_value_counted_wi(IT, key, collisions);
    case CLADE_LIST_CONTAINS:
        return clade_list_contains_value_wi(IT, key);
    default:
        return CLADE_E_ARG;
    }
}

/* One work-item an operation. The array is done in rounds, each with ROUND_FACTOR times as many
 * operations as the one before: first every `stride`-th; then, of a stride as much shorter, those
 * that are not done yet (`is_rest`): all but every ROUND_FACTOR-th.
 *
 * `op`: of all operations, when `ops` is not given (has bit 0). `operands` (bit 1): values, or
 * targets of INSERT_AFTER. `statuses` (bit 2). `collisions` (bit 3). */
__kernel void clade_list_apply(KERNEL_SELF, uint op, uint given, __global const uint *ops,
                               ulong ops_first, __global const KEY *keys, ulong keys_first,
                               __global void *operands, ulong operands_first,
                               __global int *statuses, ulong statuses_first,
                               __global uint *collisions, ulong collisions_first, ulong count,
                               ulong stride, uint is_rest)
{
    ulong j = get_global_id(0);
    ulong i = (is_rest ? j + j / (CLADE_LIST_ROUND_FACTOR - 1u) + 1u : j) * stride;
    if (i >= count)
        return;
    uint what = given & 1u ? ops[ops_first + i] : op;
    KEY key = keys[keys_first + i];
    clade_i32 status;
    uint met = 0;
    if (list->object.shape & CLADE_LIST_UNORDERED) {
        KEY target = given & 2u ? ((__global const KEY *)operands)[operands_first + i] : 0;
        status = what == CLADE_LIST_INSERT_AFTER && !(given & 2u)
                     ? CLADE_E_ARG
                     : apply_unordered(IT, what, key, target, &met);
    } else {
        __global uint *values = (__global uint *)operands + operands_first;
        uint value = given & 2u ? values[i] : 0;
        status = apply_ordered(IT, what, key, &value, &met);
        /* CONTAINS gives no value, so what stands in its place stays. */
        if (given & 2u && status == CLADE_OK &&
            (what == CLADE_LIST_ERASE || what == CLADE_LIST_FIND))
            values[i] = value;
    }
    if (given & 8u)
        collisions[collisions_first + i] = met;
    if (given & 4u)
        statuses[statuses_first + i] = status;
    else if (status < 0 && status != CLADE_E_NOT_FOUND)
        cladei_object_note_wi(&list->object, status, i);
}

#endif
#if CLADE_PART != 1

/* --- inserting many at the front: a few launches, nobody else at work ---------------------------
 *
 * Up to the last one the new nodes are marked as erased: should it never be launched, none is in
 * the list, and reclaiming takes them back. */

/* An element has a spare word: its cell. One that got none has nil there; or a jump, with the
 * element from which on to look for the next cell. */
#define JUMP 0x80000000u

static inline clade_global_word spare_word(__global clade_list_head *list, ulong i)
{
    return (clade_global_word)list + (list->spare_at + (uint)i);
}

/* The next element that a look for a cell comes to, from one whose word has none. */
static inline ulong jump_from(ulong i, uint word)
{
    return word & JUMP ? word & ~JUMP : i + 1u;
}

static inline bool has_cell(uint word)
{
    return word != CLADE_NIL && (word & JUMP) == 0u;
}

/* The cell of the first element from `i` to `end` that has one; or nil. */
static inline clade_ref first_cell(__global clade_list_head *list, ulong i, ulong end)
{
    uint word = CLADE_NIL;
    while (i < end && !has_cell(word)) {
        word = clade_load_relaxed(spare_word(list, i));
        i = jump_from(i, word);
    }
    return has_cell(word) ? word : CLADE_NIL;
}

/* A cell an element, kept in the spare words. The first `capacity` elements alone can have one. */
__kernel void clade_list_insert_front_fill(KERNEL_SELF, __global const KEY *keys, ulong keys_first,
                                           __global int *statuses, ulong statuses_first,
                                           uint has_statuses, ulong count)
{
    ulong i = get_global_id(0);
    if (i >= count)
        return;
    clade_i32 made = CLADE_E_FULL;
    if (i < list->capacity) {
        clade_ref node;
        made = clade_list_make_wi(IT, keys[keys_first + i], &node);
        if (node != CLADE_NIL)
            clade_store_relaxed(clade_list_link(IT, node), CLADE_LIST_ERASED);
        clade_store_relaxed(spare_word(list, i), made == CLADE_OK ? node : CLADE_NIL);
    }
    if (has_statuses)
        statuses[statuses_first + i] = made;
    else if (made != CLADE_OK)
        cladei_object_note_wi(&list->object, made, i);
}

/* Where a driver leaves long loops: rows of elements without a cell are passed in jumps. Each such
 * element looks at most at SKIP_HOPS others, whose jumps become longer meanwhile. Whatever mixture
 * of old and new ones an item sees, what it passes has no cell. Each launch makes the looks that
 * are left SKIP_HOPS times as short. */
__kernel void clade_list_insert_front_skip(KERNEL_SELF, ulong count)
{
    const ulong i = get_global_id(0), end = min(count, (ulong)list->capacity);
    if (i >= end || has_cell(clade_load_relaxed(spare_word(list, i))))
        return;
    ulong to = i;
    uint word = CLADE_NIL;
    for (uint hops = 0; hops < CLADE_LIST_SKIP_HOPS && to < end && !has_cell(word); hops++) {
        word = clade_load_relaxed(spare_word(list, to));
        to = has_cell(word) ? to : jump_from(to, word);
    }
    clade_store_relaxed(spare_word(list, i), JUMP | (uint)to);
}

/* The link of each to the next that has a cell, of the last to what was the front. The front
 * itself is moved by the launch after (clade_list_insert_front_done): here it is read. */
__kernel void clade_list_insert_front_link(KERNEL_SELF, ulong count)
{
    ulong i = get_global_id(0), end = min(count, (ulong)list->capacity);
    if (i >= end)
        return;
    const uint node = clade_load_relaxed(spare_word(list, i));
    if (!has_cell(node))
        return;
    const clade_ref next = first_cell(list, i + 1u, end);
    clade_store_relaxed(
        clade_list_link(IT, node),
        (next == CLADE_NIL ? clade_load_relaxed(&list->first) : next << CLADE_LIST_REF_SHIFT) |
            CLADE_LIST_ERASED);
}

__kernel void clade_list_insert_front_done(KERNEL_SELF, ulong count)
{
    ulong i = get_global_id(0), end = min(count, (ulong)list->capacity);
    const uint node = i < end ? clade_load_relaxed(spare_word(list, i)) : CLADE_NIL;
    if (has_cell(node))
        clade_and_relaxed(clade_list_link(IT, node), ~CLADE_LIST_MARKS);
    if (i != 0)
        return;
    const clade_ref first = first_cell(list, 0, end);
    if (first != CLADE_NIL)
        clade_store_relaxed(&list->first, first << CLADE_LIST_REF_SHIFT);
}

/* --- reclaiming: launches in which nobody else is at work ------------------------------------- */

/* A cell may have no node. */
static inline uint link_of(SELF, clade_ref node)
{
#ifdef CLADE_LIST_KMA_NODES
    if (node != CLADE_NIL && clade_load_relaxed(clade_list_block(list, node)) == CLADE_NIL)
        return CLADE_LIST_CELL_FREE;
#endif
    return clade_load_relaxed(clade_list_link(IT, node));
}

#ifdef CLADE_LIST_KMA_NODES
/* Out of line as clade_list_malloc_wi. */
#if CLADE_CPU
static
    __attribute__((noinline))
#else
static inline
#endif
    void
    free_block(__global clade_kma_head *kma, clade_ref block)
{
    CLADE_LIST_FREE(kma, block);
}
#endif

/* Nobody holds the cell any more. */
static inline void free_cell(SELF, clade_ref node)
{
#ifdef CLADE_LIST_KMA_NODES
#ifndef CLADE_PLANT_LIST_KEEP_BLOCK
    free_block(kma, clade_load_relaxed(clade_list_block(list, node)));
#endif
    clade_store_relaxed(clade_list_block(list, node), CLADE_NIL);
#else
    clade_store_relaxed(clade_list_link(IT, node), CLADE_LIST_CELL_FREE);
#endif
}

static inline uint is_erased(uint link)
{
    return link & CLADE_LIST_ERASED;
}

/* Make a list empty. */
__kernel void clade_list_clear(KERNEL_SELF)
{
    uint i = (uint)get_global_id(0), items = (uint)get_global_size(0);
    if (i < list->capacity) {
        free_cell(IT, i + 1u);
        clade_store_relaxed((clade_global_word)list + (list->free_at + i), i + 1u);
    }
    if (list->object.shape & CLADE_LIST_UNORDERED)
        for (uint slot = i; slot < list->index_size; slot += items)
            clade_store_relaxed((clade_global_word)list + (list->index_at + slot), CLADE_NIL);
    if (i < CLADE_CELLS_STRIPES) {
        clade_store_relaxed(&list->stripes[i].taken, 0u);
        clade_store_relaxed(&list->stripes[i].insert_collisions, 0u);
        clade_store_relaxed(&list->stripes[i].erase_collisions, 0u);
    }
    if (i == 0) {
        clade_store_relaxed(&list->first, 0u);
        clade_store_relaxed(&list->planted, CLADE_NIL);
        clade_store_relaxed(&list->live, 0u);
        clade_store_relaxed(&list->hint_count, 0u);
        clade_store_relaxed(&list->free_count, list->capacity);
        list->hints_at = list->index_at;
    }
}

/* Shorten runs of erased nodes: each erased node is led past the erased nodes behind it, up to
 * SKIP_HOPS links, which others lead further meanwhile. Whatever mixture of old and new links an
 * item sees, what it skips is erased. A launch leaves runs at most 1 / (SKIP_HOPS + 1) as long. */
__kernel void clade_list_skip(KERNEL_SELF)
{
    uint i = (uint)get_global_id(0);
    if (i >= list->capacity)
        return;
    uint link = link_of(IT, i + 1u), changed = 0;
    if (link == CLADE_LIST_CELL_FREE || !is_erased(link))
        return;
    for (uint hops = 0; hops < CLADE_LIST_SKIP_HOPS && link >> CLADE_LIST_REF_SHIFT != CLADE_NIL;
         hops++) {
        uint next = clade_load_relaxed(clade_list_link(IT, link >> CLADE_LIST_REF_SHIFT));
        if (!is_erased(next))
            break;
        link = next;
        changed = 1;
    }
    if (changed)
        clade_store_relaxed(clade_list_link(IT, i + 1u), link);
}

/* Traverse-delete: every live node, and the head, is linked to the next live one. Then the counts
 * start afresh. */
__kernel void clade_list_relink(KERNEL_SELF)
{
    uint i = (uint)get_global_id(0), items = (uint)get_global_size(0);
    if (i <= list->capacity) { /* i = 0 is the head: the nil ref */
        uint link = link_of(IT, i);
        if (!is_erased(link)) {
            clade_ref node = link >> CLADE_LIST_REF_SHIFT;
            for (uint hops = 0; hops < list->capacity && node != CLADE_NIL; hops++) {
                uint next = clade_load_relaxed(clade_list_link(IT, node));
                if (!is_erased(next))
                    break;
                node = next >> CLADE_LIST_REF_SHIFT;
            }
            if (node != link >> CLADE_LIST_REF_SHIFT)
                clade_store_relaxed(clade_list_link(IT, i), node << CLADE_LIST_REF_SHIFT);
        }
    }
    if (list->object.shape & CLADE_LIST_UNORDERED)
        for (uint slot = i; slot < list->index_size; slot += items)
            clade_store_relaxed((clade_global_word)list + (list->index_at + slot), CLADE_NIL);
    if (i < CLADE_CELLS_STRIPES)
        clade_store_relaxed(&list->stripes[i].taken, 0u);
    if (i == 0) {
        clade_store_relaxed(&list->planted, CLADE_NIL);
        clade_store_relaxed(&list->free_count, 0u);
        clade_store_relaxed(&list->live, 0u);
        clade_store_relaxed(&list->hint_count, 0u);
    }
}

static inline void put_hint(__global clade_list_head *list, uint at, KEY key, clade_ref node)
{
    __global uint *hint = (__global uint *)list + at;
    hint[0] = (uint)key;
#if CLADE_LIST_KEY_BITS == 64
    hint[1] = (uint)(key >> 32);
#endif
    hint[KEY_WORDS] = node;
}

/* Erased and free cells become the free array; a sample of the live ones the shortcuts, not yet
 * in order, at `index_at`; or each live one enters the hash index. `hints_at`: where the sorted
 * shortcuts will be. */
__kernel void clade_list_sweep(KERNEL_SELF, uint hints_at)
{
    CLADE_LOCAL clade_atomic_u32 counts[3]; /* free, live, sampled */
    CLADE_LOCAL uint bases[3];
    uint i = (uint)get_global_id(0), lid = (uint)get_local_id(0), rank = 0, hint_rank = 0;
    uint is_free = 0, is_hint = 0;
    for (uint k = lid; k < 3u; k += (uint)get_local_size(0)) /* groups of one item, too */
        clade_store_local(&counts[k], 0u);
    clade_barrier();
    if (i < list->capacity) {
        is_free = is_erased(link_of(IT, i + 1u)) ? 1u : 0u;
        rank = clade_add_local(&counts[is_free ? 0 : 1], 1u);
        is_hint = !is_free && !(list->object.shape & CLADE_LIST_UNORDERED) &&
                  list->index_size != 0 && clade_list_is_sampled(i + 1u);
        if (is_hint)
            hint_rank = clade_add_local(&counts[2], 1u);
    }
    clade_barrier();
    if (lid == 0) {
        bases[0] = clade_add_relaxed(&list->free_count, clade_load_local(&counts[0]));
        bases[1] = clade_add_relaxed(&list->live, clade_load_local(&counts[1]));
        bases[2] = clade_add_relaxed(&list->hint_count, clade_load_local(&counts[2]));
    }
    clade_barrier();
    if (i == 0)
        list->hints_at = hints_at;
    if (is_free) {
        clade_store_relaxed((clade_global_word)list + (list->free_at + bases[0] + rank), i + 1u);
        free_cell(IT, i + 1u);
    }
    if (is_hint && bases[2] + hint_rank < list->index_size)
        put_hint(list, list->index_at + (bases[2] + hint_rank) * HINT, clade_list_key(IT, i + 1u),
                 i + 1u);
    if (i < list->capacity && !is_free && list->object.shape & CLADE_LIST_UNORDERED &&
        list->index_size != 0 &&
        clade_list_enter_wi(list, i + 1u, clade_list_key(IT, i + 1u)) == 0u)
        cladei_object_note_wi(&list->object, CLADE_E_UNSUPPORTED, i + 1u);
}

/* How many shortcuts there are. More than fit are left out: the sample is spread evenly, so there
 * are none in practice. */
static inline uint hint_total(__global clade_list_head *list)
{
    return min(clade_load_relaxed(&list->hint_count), list->index_size);
}

/* Sort each block of shortcuts in place: the place of each is the number of smaller keys. */
__kernel void clade_list_sort(KERNEL_SELF)
{
    CLADE_LOCAL KEY keys[CLADE_LIST_BLOCK];
    CLADE_LOCAL uint refs[CLADE_LIST_BLOCK];
    uint base = (uint)get_group_id(0) * CLADE_LIST_BLOCK, total = hint_total(list);
    uint n = total > base ? min(total - base, CLADE_LIST_BLOCK) : 0;
    uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    __global const uint *hints = (__global const uint *)list + list->index_at;
    for (uint k = lid; k < n; k += size) {
        keys[k] = clade_list_hint_key(hints, base + k);
        refs[k] = hints[(base + k) * HINT + KEY_WORDS];
    }
    clade_barrier();
    for (uint k = lid; k < n; k += size) {
        KEY key = keys[k];
        uint smaller = 0;
        for (uint other = 0; other < n; other++)
            smaller += keys[other] < key;
        put_hint(list, list->index_at + (base + smaller) * HINT, key, refs[k]);
    }
    if (get_global_id(0) == 0)
        clade_store_relaxed(&list->hint_count, total);
}

/* Merge runs of `run` sorted shortcuts, WAYS at a time, from one array to the other: the place of
 * each is the number of smaller keys in all runs of its bundle. */
__kernel void clade_list_merge(KERNEL_SELF, uint from_at, uint to_at, uint run)
{
    uint i = (uint)get_global_id(0), total = hint_total(list);
    if (i >= total)
        return;
    __global const uint *hints = (__global const uint *)list + from_at;
    KEY key = clade_list_hint_key(hints, i);
    uint own = i / run, first = own - own % CLADE_LIST_WAYS, rank = i - own * run;
    for (uint other = first; other < first + CLADE_LIST_WAYS && other * run < total; other++)
        if (other != own)
            rank += clade_list_hints_below(hints + other * run * HINT,
                                           min(run, total - other * run), key);
    put_hint(list, to_at + (first * run + rank) * HINT, key, hints[i * HINT + KEY_WORDS]);
}

/* Count the live nodes; `live` is 0 before. */
__kernel void clade_list_count(KERNEL_SELF)
{
    CLADE_LOCAL clade_atomic_u32 live;
    uint i = (uint)get_global_id(0);
    if (get_local_id(0) == 0)
        clade_store_local(&live, 0u);
    clade_barrier();
    if (i < list->capacity && !is_erased(link_of(IT, i + 1u)))
        clade_add_local(&live, 1u);
    clade_barrier();
    if (get_local_id(0) == 0)
        clade_add_relaxed(&list->live, clade_load_local(&live));
}

#ifdef CLADE_LIST_KMA_NODES
/* The words of every cell, for the host. A ref of a block that the allocator does not have is not
 * followed. */
__kernel void clade_list_gather(KERNEL_SELF, __global uint *cells)
{
    const uint words = CLADE_LIST_WORDS(KEY_WORDS, CLADE_LIST_VALUE_BITS / 32u);
    uint i = (uint)get_global_id(0);
    if (i >= list->capacity)
        return;
    clade_ref block = clade_load_relaxed(clade_list_block(list, i + 1u));
    uint is_there = cladei_kma_reaches(kma, block);
    for (uint w = 0; w < words; w++)
        cells[i * words + w] =
            is_there ? clade_load_relaxed(clade_list_word(IT, i + 1u, w)) : CLADE_LIST_CELL_FREE;
}
#endif

#endif
