/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the tree's bulk path by groups of one item and of several (-DGROUP=), on lanes,
 * launched as the host does, with sums and sorts of the test's own between them: the tree taken
 * apart, keys that come several times, more than there is room for, a tree made anew. A model knows
 * each word that a step gives to the next one, each status, value, leaf and router, and the check
 * each word of an index. Groups make so few leaves that several have to make a tree. */
#define CLADE_RBTREE_STAGED 32u
#include "host/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_KEY_TYPE      CLADE_U32
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_KEYS
#define CLADE_RBTREE_RANKED        RANKED
#undef __kernel
#define __kernel static __attribute__((unused))
#include "kernels/rbtree_bulk.cl"
#undef LEAF_CAPACITY

#include "rbtree/edge_model.h"

/* --- the bulk path -----------------------------------------------------------------------------
 */

static struct bulk {
    uint leaves, used, count, fill, room_left, is_erase, old_count, nodes;
    uint *flags, *lows, *indices, *images, *items, *old_keys, *old_values, *places, *fresh, *marks;
} bulk;

AS_KERNEL(leaves_live, clade_rbtree_leaves_live(tree, bulk.used, bulk.flags))
AS_KERNEL(leaves_list,
          clade_rbtree_leaves_list(tree, bulk.used, bulk.flags, bulk.lows, bulk.indices))
AS_KERNEL(leaves_count, clade_rbtree_leaves_count(tree, bulk.leaves, bulk.indices, bulk.flags))
AS_KERNEL(leaves_copy, clade_rbtree_leaves_copy(tree, bulk.leaves, LEAF_KEYS, bulk.indices,
                                                bulk.flags, bulk.old_keys, bulk.old_values))
AS_KERNEL(images, clade_rbtree_images(call.keys, FIRST, call.count, bulk.images, bulk.items))
AS_KERNEL(place, clade_rbtree_place(bulk.images, bulk.items, call.count, bulk.old_keys,
                                    bulk.old_values, bulk.old_count, bulk.places, bulk.fresh,
                                    call.values, FIRST - 1, call.mode, call.has))
AS_KERNEL(place_new,
          clade_rbtree_place_new(tree, bulk.images, bulk.items, call.count, bulk.old_keys,
                                 bulk.old_count, bulk.places, bulk.fresh, bulk.marks, call.values,
                                 FIRST - 1, call.statuses, FIRST - 2, call.mode, call.has,
                                 bulk.room_left, bulk.fill))
AS_KERNEL(place_all, clade_rbtree_place_all(tree, bulk.images, bulk.items, call.count, call.values,
                                            FIRST - 1, call.has, bulk.fill))
AS_KERNEL(drop, clade_rbtree_drop(bulk.images, bulk.items, call.count, bulk.old_keys,
                                  bulk.old_values, bulk.old_count, bulk.marks, call.values,
                                  FIRST - 1, call.statuses, FIRST - 2, call.has))
AS_KERNEL(move_old, clade_rbtree_move_old(tree, bulk.old_keys, bulk.old_values, bulk.old_count,
                                          bulk.marks, bulk.is_erase, bulk.room_left, bulk.fill))
AS_KERNEL(fill_leaves, clade_rbtree_fill_leaves(tree, bulk.leaves, bulk.count, bulk.fill))
AS_KERNEL(fill_routers, clade_rbtree_fill_routers(tree, bulk.leaves))
AS_KERNEL(fill_index, clade_rbtree_fill_index(tree, bulk.nodes, bulk.leaves, bulk.count, bulk.fill))
AS_KERNEL(rank_all, clade_rbtree_rank(call.keys, FIRST, call.count, bulk.old_keys, bulk.old_count,
                                      call.ranks, FIRST - 6))
AS_KERNEL(select_all,
          clade_rbtree_select(call.ranks, FIRST - 6, call.count, bulk.old_keys, bulk.old_values,
                              bulk.old_count, call.found, FIRST - 3, call.values, FIRST - 1,
                              call.statuses, FIRST - 2, call.has))

static uint *words(uint n)
{
    return room(4ul * n);
}

static void sum_before(uint *data, uint count)
{
    uint sum = 0;
    for (uint i = 0; i < count; i++) {
        const uint own = data[i];
        data[i] = sum;
        sum += own;
    }
}

/* Stable. */
static void sort_pairs(uint *keys, uint *items, uint count)
{
    for (uint i = 1; i < count; i++)
        for (uint j = i; j > 0 && keys[j - 1] > keys[j]; j--) {
            const uint key = keys[j], item = items[j];
            keys[j] = keys[j - 1];
            items[j] = items[j - 1];
            keys[j - 1] = key;
            items[j - 1] = item;
        }
}

/* The tree's entries, by its leaves. */
static void list_entries(void)
{
    uint numbers[KEYS];
    bulk.used = clade_load_relaxed(&tree->leaves_used);
    bulk.flags = words(bulk.used + 1u);
    launch(leaves_live, bulk.used + 1u);
    expect(bulk.flags[bulk.used] == 0, "a leaf beyond the last", bulk.flags[bulk.used], 0);
    sum_before(bulk.flags, bulk.used + 1u);
    bulk.leaves = bulk.flags[bulk.used];
    expect(bulk.leaves == rbtree_memory_leaves(tree, LEAVES, LEAF_KEYS), "leaves in the tree",
           bulk.leaves, 0);
    bulk.lows = words(bulk.leaves);
    bulk.indices = words(bulk.leaves);
    launch(leaves_list, bulk.used);
    sort_pairs(bulk.lows, bulk.indices, bulk.leaves);
    free(bulk.flags);
    bulk.flags = words(bulk.leaves + 1u);
    launch(leaves_count, bulk.leaves + 1u);
    expect(bulk.flags[bulk.leaves] == 0, "a count beyond the last", bulk.flags[bulk.leaves], 0);
    sum_before(bulk.flags, bulk.leaves + 1u);
    bulk.old_count = bulk.flags[bulk.leaves];
    expect(bulk.old_count == size, "entries", bulk.old_count, size);
    bulk.old_keys = words(bulk.old_count);
    bulk.old_values = words(bulk.old_count);
    launch(leaves_copy, (ulong)bulk.leaves * LEAF_KEYS);
    const uint n = entries(numbers);
    for (uint i = 0; i < n && i < bulk.old_count; i++)
        expect(bulk.old_keys[i] == key_of(numbers[i]) && bulk.old_values[i] == value_of[numbers[i]],
               "an entry", i, bulk.old_keys[i]);
    free(bulk.flags);
    free(bulk.lows);
    free(bulk.indices);
}

static void forget_entries(void)
{
    free(bulk.old_keys);
    free(bulk.old_values);
}

/* As the host fills leaves, and begins a tree of so many keys. */
static void begin_build(uint keys)
{
    const uint error = tree->object.first_error, item = tree->object.first_error_item;
    bulk.fill = LEAF_KEYS * 5u / 7u > 0 ? LEAF_KEYS * 5u / 7u : 1u;
    if ((keys + bulk.fill - 1) / bulk.fill > LEAVES)
        bulk.fill = (keys + LEAVES - 1) / LEAVES;
    bulk.count = keys;
    bulk.leaves = (keys + bulk.fill - 1) / bulk.fill;
    if (keys == 0) /* its index, too */
        memset(tree, 0, rbtree_memory_bytes(LEAVES, LEAF_KEYS));
    rbtree_memory_make(tree, LEAVES, LEAF_KEYS);
    tree->object.first_error = error;
    tree->object.first_error_item = item;
    if (keys == 0)
        return;
    clade_store_relaxed(&tree->leaves_used, bulk.leaves);
    clade_store_relaxed(&tree->routers_used, bulk.leaves);
    clade_rbtree_open(tree).routers[0].left =
        bulk.leaves == 1u ? CLADE_RBTREE_LEAF_LINK(0) : bulk.leaves / 2u << 1;
}

static uint link_of(uint low, uint high)
{
    return high - low == 1u ? CLADE_RBTREE_LEAF_LINK(low) : (low + high) / 2u << 1;
}

static void check_routers(uint low, uint high)
{
    const uint m = (low + high) / 2u;
    uint rank = 0;
    if (high - low < 2u)
        return;
    const router_type *router = &clade_rbtree_open(tree).routers[m];
    while ((high - low) >> (rank + 1u) != 0)
        rank++;
    expect(router->key_ == leaf_at(tree, m)->keys[0] && router->left == link_of(low, m) &&
               router->right == link_of(m, high) && router->meta == rank * CLADE_RBTREE_RANK_ONE,
           "a router", m, router->meta);
    check_routers(low, m);
    check_routers(m, high);
}

#if RANKED
static uint *index_words(uint at)
{
    return (uint *)((char *)tree + 16ul * at);
}

/* Each leaf's slots, each slot's first leaf, and nothing of a leaf that is not there. */
static void check_index(const uint *places)
{
    const uint slots = tree->slots, *firsts = index_words(tree->firsts_at);
    for (uint leaf = 0; leaf < bulk.leaves; leaf++)
        expect(places[2u * leaf] == CLADE_RBTREE_PLACE((ulong)leaf * slots / bulk.leaves, 1u) &&
                   places[2u * leaf + 1u] == (leaf + 1ul) * slots / bulk.leaves,
               "a leaf's slots", leaf, places[2u * leaf]);
    for (uint slot = 0, leaf = 0; slot < slots; slot++) {
        while (leaf < bulk.leaves && (ulong)leaf * slots / bulk.leaves < slot)
            leaf++;
        const bool is_first = leaf < bulk.leaves && (ulong)leaf * slots / bulk.leaves == slot;
        expect(firsts[slot] == (is_first ? leaf + 1u : 0u), "a slot's first leaf", slot,
               firsts[slot]);
    }
}

/* A leaf's place that is not there stays as it was. */
static void fill_and_check_index(void)
{
    bulk.nodes = tree->level_at[tree->levels - 1u] + 1u;
    uint *const places = index_words(tree->places_at),
                beyond = bulk.leaves < LEAVES ? 2u * bulk.leaves : 0u;
    const uint kept = places[beyond];
    places[beyond] = GUARD;
    launch(fill_index, (ulong)bulk.nodes * CLADE_RBTREE_NODE_WORDS);
    expect(beyond == 0 || places[beyond] == GUARD, "a leaf's place that is not there", bulk.leaves,
           0);
    places[beyond] = beyond ? kept : places[beyond];
    check_index(places);
}
#endif

/* Each leaf is as full as it should be, of the model's entries in order. */
static void end_build(bool has_nodes)
{
    uint numbers[KEYS];
    const uint n = entries(numbers);
    expect(n == bulk.count, "a size", n, bulk.count);
    if (n == 0)
        return;
    if (!has_nodes)
        launch(fill_leaves, bulk.leaves);
    if (!has_nodes && bulk.leaves > 1)
        launch(fill_routers, bulk.leaves - 1);
#if RANKED
    fill_and_check_index();
#endif
    for (uint j = 0; j < bulk.leaves; j++) {
        const leaf_type *leaf = leaf_at(tree, j);
        const uint from = j * bulk.fill, here = n - from < bulk.fill ? n - from : bulk.fill;
        const bool is_last = j + 1u == bulk.leaves;
        expect(leaf->link == CLADE_RBTREE_PACK(is_last ? 0u : j + 2u, here) && leaf->meta == 0 &&
                   leaf->low == (j ? key_of(numbers[from]) : 0u) &&
                   leaf->high == (is_last ? 0xffffffffu : key_of(numbers[from + here]) - 1u),
               "a leaf's head", j, leaf->link);
        for (uint i = 0; i < here; i++)
            expect(leaf->keys[i] == key_of(numbers[from + i]) &&
                       leaf->values[i] == value_of[numbers[from + i]],
                   "a leaf's entry", j, i);
    }
    check_routers(0, bulk.leaves);
}

static uint lower_in(uint key)
{
    uint i = 0;
    while (i < bulk.old_count && bulk.old_keys[i] < key)
        i++;
    return i;
}

/* The batch, sorted; several may have one key. */
static void draw_batch(uint count, bool may_repeat)
{
    uint numbers[KEYS];
    shuffle(numbers, KEYS);
    for (uint i = 0; i < count; i++)
        call.keys[FIRST + i] = key_of(may_repeat ? draw(KEYS) : numbers[i]);
    bulk.images = words(count);
    bulk.items = words(count);
    launch(images, count);
    for (uint i = 0; i < count; i++)
        expect(bulk.images[i] == call.keys[FIRST + i] && bulk.items[i] == i, "an image", i,
               bulk.images[i]);
    sort_pairs(bulk.images, bulk.items, count);
}

/* Items that go through a batch, each through a run of it. */
static uint runs(uint count)
{
    return (count + CLADE_RBTREE_RUN - 1u) / CLADE_RBTREE_RUN;
}

static uint number_of(uint key)
{
    uint i = 0;
    while (key_of(i) != key)
        i++;
    return i;
}

static void bulk_insert(uint mode, uint has, uint count)
{
    open_call(has, count, count);
    call.mode = mode;
    list_entries();
    draw_batch(count, true);
    bulk.places = words(count);
    bulk.fresh = words(count + 1u);
    bulk.marks = words(bulk.old_count + 1u);
    memset(bulk.marks, 0, 4ul * (bulk.old_count + 1u));
    launch(place, runs(count + 1u));
    uint found = 0, refused = 0, last_refused = 0;
    for (uint i = 0; i < count; i++) {
        const uint k = number_of(bulk.images[i]);
        const bool is_first = i == 0 || bulk.images[i - 1] != bulk.images[i];
        expect(bulk.places[i] == lower_in(bulk.images[i]) &&
                   bulk.fresh[i] == (is_first && !is_there[k]),
               "a place", i, bulk.fresh[i]);
        found += is_first && !is_there[k];
    }
    expect(bulk.fresh[count] == 0, "a place beyond the last", bulk.fresh[count], 0);
    sum_before(bulk.fresh, count + 1u);
    bulk.room_left = ROOM - bulk.old_count;
    begin_build(bulk.old_count + (found < bulk.room_left ? found : bulk.room_left));
    for (uint i = 0; i < count && has & STATUSES; i++)
        call.statuses[FIRST - 2 + i] = CLADE_OK;
    launch(place_new, count);
    /* The model, in the order of keys: what there is no room for stays out. */
    uint came = 0, was_there[KEYS];
    memcpy(was_there, is_there, sizeof was_there);
    for (uint i = 0; i < count; i++) {
        const uint k = number_of(bulk.images[i]), item = bulk.items[i];
        const bool is_first = i == 0 || bulk.images[i - 1] != bulk.images[i];
        came += is_first && !was_there[k];
        const bool fits = was_there[k] || came <= bulk.room_left;
        const uint value = has & VALUES ? call.values[FIRST - 1 + item] : 0;
        expect_status(item,
                      !fits                       ? CLADE_E_FULL
                      : was_there[k] || !is_first ? CLADE_RBTREE_PRESENT
                                                  : CLADE_OK,
                      "a bulk insert");
        if (fits && (mode == CLADE_RBTREE_PUT || (is_first && !was_there[k])))
            value_of[k] = value;
        size += fits && !is_there[k];
        is_there[k] |= fits;
        refused += !fits;
        last_refused = fits ? last_refused : item;
    }
    for (uint i = 0, most = 0; i <= bulk.old_count; i++) { /* maxima of all before and its own */
        most = bulk.marks[i] > most ? bulk.marks[i] : most;
        bulk.marks[i] = most;
    }
    bulk.is_erase = 0;
    launch(move_old, bulk.old_count);
    end_build(false);
    check_content("after a bulk insert");
    if (refused == 1 && !(has & STATUSES))
        expect(tree->object.first_error_item == last_refused, "who was refused", last_refused, 0);
    close_call(refused && !(has & STATUSES) ? CLADE_E_FULL : 0);
    free(bulk.images);
    free(bulk.items);
    free(bulk.places);
    free(bulk.fresh);
    free(bulk.marks);
    forget_entries();
}

static void bulk_erase(uint has, uint count)
{
    open_call(has, count, count);
    list_entries();
    draw_batch(count, true);
    uint kept[MOST];
    for (uint i = 0; i < count && has & VALUES; i++)
        kept[i] = call.values[FIRST - 1 + i];
    bulk.marks = words(bulk.old_count + 1u);
    memset(bulk.marks, 0, 4ul * (bulk.old_count + 1u));
    for (uint i = 0; i < count && has & STATUSES; i++)
        call.statuses[FIRST - 2 + i] = CLADE_OK;
    launch(drop, runs(count));
    for (uint i = 0; i < count; i++) {
        const uint k = number_of(bulk.images[i]), item = bulk.items[i];
        const bool hit = is_there[k] && (i == 0 || bulk.images[i - 1] != bulk.images[i]);
        expect_status(item, hit ? CLADE_OK : CLADE_E_NOT_FOUND, "a bulk erasure");
        if (has & VALUES)
            expect(call.values[FIRST - 1 + item] == (hit ? value_of[k] : kept[item]),
                   "a value erased", item, k);
        expect(!hit || bulk.marks[lower_in(bulk.images[i])] == 1, "a mark", i, k);
    }
    for (uint i = 0; i < count; i++) {
        const uint k = number_of(bulk.images[i]);
        size -= is_there[k];
        is_there[k] = 0;
    }
    sum_before(bulk.marks, bulk.old_count + 1u);
    expect(bulk.marks[bulk.old_count] == bulk.old_count - size, "how many go",
           bulk.marks[bulk.old_count], size);
    begin_build(size);
    bulk.is_erase = 1;
    bulk.room_left = 0;
    launch(move_old, bulk.old_count);
    end_build(false);
    check_content("after a bulk erasure");
    close_call(0);
    free(bulk.images);
    free(bulk.items);
    free(bulk.marks);
    forget_entries();
}

/* A leaf that was made whole has zeros where it has no entry. */
static void check_free_places(void)
{
    for (uint j = 0; j < bulk.leaves; j++) {
        const leaf_type *leaf = leaf_at(tree, j);
        for (uint i = CLADE_RBTREE_COUNT(leaf->link); i < LEAF_KEYS; i++)
            expect(leaf->keys[i] == 0 && leaf->values[i] == 0, "a free place", j, i);
    }
}

/* Into an empty tree, different keys: leaves are made whole by groups. */
static void build_all(uint has, uint count)
{
    open_call(has, count, count);
    draw_batch(count, false);
    memset(is_there, 0, sizeof is_there);
    size = count;
    for (uint i = 0; i < count; i++) {
        const uint k = number_of(bulk.images[i]);
        is_there[k] = 1;
        value_of[k] = has & VALUES ? call.values[FIRST - 1 + bulk.items[i]] : 0;
    }
    begin_build(count);
    const uint each = CLADE_RBTREE_STAGED / bulk.fill * bulk.fill;
    launch(place_all, (ulong)((count - 1u) / each + 1u) * GROUP);
    end_build(true);
    check_free_places();
    check_content("a tree that was built");
    close_call(0);
    free(bulk.images);
    free(bulk.items);
}

static void look_at_ranks(uint has)
{
    list_entries();
    call_ranks(rank_all, select_all, has);
    forget_entries();
}

/* By one item after the other, so that leaves are of all sizes and some are gone. */
static void change_some(uint count)
{
    for (; count > 0; count--) {
        const uint k = draw(KEYS), value = draw(1u << 20);
        uint old = 0;
        if (draw(2) && size < ROOM / 2) {
            const int status = clade_rbtree_put_wi(tree, key_of(k), value);
            expect(status == (is_there[k] ? CLADE_RBTREE_PRESENT : CLADE_OK), "a put", k,
                   (uint)status);
            size += !is_there[k];
            is_there[k] = 1;
            value_of[k] = value;
        } else {
            clade_rbtree_erase_wi(tree, key_of(k), &old);
            size -= is_there[k];
            is_there[k] = 0;
        }
    }
    check_content("after changes");
}

int main(void)
{
    static const uint counts[] = { 1, GROUP, GROUP + 1, 2 * GROUP + 3, 30, 61 };
    setbuf(stdout, NULL);
    random_state = shim_seed();
    make();
    look_at_ranks(3);
    for (uint round = 0; round < (GROUP == 1 ? 10 : 18); round++) {
        const uint count = counts[round % 6u];
        change_some(round * 7u);
        bulk_insert(round / 2u % 2u, draw(4), count);
        look_at_ranks(draw(4));
        change_some(round * 5u);
        if (round % 3u == 1u)
            bulk_erase(draw(4), count);
        if (round % 4u == 0)
            build_all(draw(2), count);
        else if (round % 4u == 1u) /* more than a group makes */
            build_all(draw(2), round > 6u ? (ROOM < KEYS ? ROOM : KEYS) - draw(3) : 1u + round);
    }
    bulk_insert(CLADE_RBTREE_INSERT, 0, MOST);
    bulk_insert(CLADE_RBTREE_PUT, 3, MOST);
    while (size > 0)
        bulk_erase(draw(4), MOST);
    bulk_insert(CLADE_RBTREE_PUT, 3, MOST);
    bulk_erase(3, 40);
    bulk_insert(CLADE_RBTREE_INSERT, STATUSES, 60);
    free(tree);
    free(busy);
    printf("the kernels of the tree's bulk path: %u wrong\n", wrong);
    return wrong != 0;
}
