/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind the tree's calls by groups of one item and of several (-DGROUP=), on lanes,
 * launched as the host does: each argument given and left out, all counts around a group's size,
 * more keys than there is room for, and the second launch for what others were in the way of. The
 * keys of a call differ, so a model knows each status, value and entry. */
#define CLADE_RBTREE_TRIES    500u
#define CLADE_RBTREE_ROW_BITS 0 /* so that keys in any order are sometimes taken for rows */
#include "host/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_KEY_TYPE      CLADE_U32
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_KEYS
#define CLADE_RBTREE_RANKED        RANKED
#undef __kernel
#define __kernel static __attribute__((unused))
#include "kernels/rbtree.cl"

#include "rbtree/edge_model.h"

AS_KERNEL(insert, clade_rbtree_insert(tree, call.keys, FIRST, call.values, FIRST - 1, call.statuses,
                                      FIRST - 2, call.count, call.mode, call.has, call.again, busy,
                                      call.stride))
AS_KERNEL(insert_groups,
          clade_rbtree_insert_groups(tree, call.keys, FIRST, call.values, FIRST - 1, call.statuses,
                                     FIRST - 2, call.count, call.mode, call.has, busy))
AS_KERNEL(erase, clade_rbtree_erase(tree, call.keys, FIRST, call.values, FIRST - 1, call.statuses,
                                    FIRST - 2, call.count, call.has, call.again, busy))
AS_KERNEL(find, clade_rbtree_find(tree, call.keys, FIRST, call.values, FIRST - 1, call.statuses,
                                  FIRST - 2, call.count, call.has))
AS_KERNEL(seek,
          clade_rbtree_seek(tree, call.keys, FIRST, call.found, FIRST - 3, call.values, FIRST - 1,
                            call.statuses, FIRST - 2, call.count, call.mode, call.has))
AS_KERNEL(count_keys, clade_rbtree_size(tree, busy))
AS_KERNEL(range, clade_rbtree_range(tree, call.keys, FIRST, call.highs, FIRST - 4, call.found,
                                    FIRST - 3, call.values, FIRST - 1, call.counts, FIRST - 5,
                                    call.count, call.limit, call.has))
AS_KERNEL(range_down,
          clade_rbtree_range_down(tree, call.keys, FIRST, call.highs, FIRST - 4, call.found,
                                  FIRST - 3, call.values, FIRST - 1, call.counts, FIRST - 5,
                                  call.count, call.limit, call.has))
#if RANKED
AS_KERNEL(rank_ranked,
          clade_rbtree_rank_ranked(tree, call.keys, FIRST, call.count, call.ranks, FIRST - 6))
AS_KERNEL(select_ranked,
          clade_rbtree_select_ranked(tree, call.ranks, FIRST - 6, call.count, call.found, FIRST - 3,
                                     call.values, FIRST - 1, call.statuses, FIRST - 2, call.has))
#endif

static void check(const char *when)
{
    check_content(when);
    clade_store_relaxed(&busy[0], 0xfffffff0u); /* the low word goes over its end */
    clade_store_relaxed(&busy[1], 0u);
    launch(count_keys, GROUP);
    const uint low = clade_load_relaxed(&busy[0]), high = clade_load_relaxed(&busy[1]);
    expect(low == 0xfffffff0u + size && high == (size >= 16u), "the number of keys", low, high);
}

/* --- calls over arrays ------------------------------------------------------------------------ */

/* A stride that comes to each key. */
static void draw_stride(void)
{
    do {
        call.stride = 1u + draw(call.count);
        for (uint n = 1; n < call.count; n++)
            if (n * call.stride % call.count == 0)
                call.stride = 0;
    } while (call.stride == 0);
}

/* The first launch, unless `again`; and the second one, which is always of one item. */
static void change(void (*kernel)(void *, void *), bool again)
{
    call.again = 0;
    if (!again)
        launch(kernel, call.count);
    call.again = call.stride = 1;
    shim_launch(kernel == erase ? erase : insert, NULL, 1, 1, 1);
}

/* Different keys. `again`: the second launch, of every third element alone. */
static void call_changes(void (*kernel)(void *, void *), uint mode, uint has, uint count,
                         bool again)
{
    uint numbers[KEYS], kept[KEYS];
    shuffle(numbers, KEYS);
    open_call(has, count, count);
    call.mode = mode;
    for (uint i = 0; i < count; i++) {
        call.keys[FIRST + i] = key_of(numbers[i]);
        kept[i] = has & VALUES ? call.values[FIRST - 1 + i] : 0;
        if (again && i % 3u == 1u) {
            const uint n = clade_add_relaxed(&busy[CLADE_BUSY_COUNT], 1u);
            clade_store_relaxed(&busy[CLADE_BUSY_FIRST + n], i);
        }
    }
    draw_stride();
    change(kernel, again);
    for (uint i = 0; i < count; i++) {
        const uint k = numbers[i];
        if (again && i % 3u != 1u) {
            expect_status(i, (int)GUARD, "an element that was done");
            continue;
        }
        if (kernel == erase) {
            expect_status(i, is_there[k] ? CLADE_OK : CLADE_E_NOT_FOUND, "an erasure");
            if (has & VALUES)
                expect(call.values[FIRST - 1 + i] == (is_there[k] ? value_of[k] : kept[i]),
                       "an erased value", k, kept[i]);
            size -= is_there[k];
            is_there[k] = 0;
            continue;
        }
        expect_status(i, is_there[k] ? CLADE_RBTREE_PRESENT : CLADE_OK, "an insert");
        if (!is_there[k] || mode == CLADE_RBTREE_PUT)
            value_of[k] = kept[i];
        size += !is_there[k];
        is_there[k] = 1;
    }
    expect(clade_load_relaxed(&busy[CLADE_BUSY_FULL]) == 0, "said to be full", count, size);
    check("after changes");
    close_call(0);
}

/* More than there is room for: what is refused is not there. By one item after the other. */
static void overfull(uint has)
{
    uint refused = 0, first = KEYS;
    open_call(has, KEYS, KEYS);
    for (uint i = 0; i < KEYS; i++)
        call.keys[FIRST + i] = key_of(i);
    change(insert, false);
    for (uint i = 0; i < KEYS; i++) {
        uint value;
        const bool there = clade_rbtree_find_wi(tree, key_of(i), &value) == CLADE_OK;
        expect(there || !is_there[i], "a key that went", i, 0);
        if (!there)
            expect_status(i, CLADE_E_FULL, "a refusal");
        first = !there && first == KEYS ? i : first;
        refused += !there;
        if (there && !is_there[i])
            value_of[i] = has & VALUES ? call.values[FIRST - 1 + i] : 0;
        size += there && !is_there[i];
        is_there[i] = there;
    }
    expect((int)refused >= KEYS - ROOM && clade_load_relaxed(&busy[CLADE_BUSY_FULL]) == 1,
           "refusals", refused, 0);
    if (GROUP == 1 && !(has & STATUSES))
        expect(tree->object.first_error_item == first, "who was refused first",
               tree->object.first_error_item, first);
    check("a full tree");
    close_call(has & STATUSES ? 0 : CLADE_E_FULL);
}

static clade_rbtree_leaf *leaf_of(uint key)
{
    clade_rbtree_leaf *leaf = NULL;
    for (uint i = 0; i < clade_load_relaxed(&tree->leaves_used); i++) {
        clade_rbtree_leaf *it = clade_rbtree_leaf_at(clade_rbtree_open(tree), i);
        if (!(it->meta & CLADE_RBTREE_DEAD) && it->low <= key && key <= it->high)
            leaf = it;
    }
    expect(leaf != NULL, "the leaf of a key", key, 0);
    return leaf;
}

/* The leaf that a key is in stays locked for the first launch; `stays`: for the second one, too.
 * Its keys are noted, and no others; the second launch does what the first one could not. */
static void locked(void (*kernel)(void *, void *), uint has, bool stays)
{
    uint numbers[KEYS], count = 0, busy_ones = 0;
    const uint n = entries(numbers);
    clade_rbtree_leaf *leaf = n > 0 ? leaf_of(key_of(numbers[n / 2])) : NULL;
    if (!leaf)
        return;
    const uint low = leaf->low, high = leaf->high;
    open_call(has, KEYS, KEYS);
    call.mode = CLADE_RBTREE_PUT;
    for (uint i = 0; i < n; i++)
        if (kernel != erase || (low <= key_of(numbers[i]) && key_of(numbers[i]) <= high)) {
            call.keys[FIRST + count] = key_of(numbers[i]);
            numbers[count++] = numbers[i];
        }
    call.count = count;
    leaf->meta |= CLADE_RBTREE_LOCK;
    if (kernel == insert_groups)
        launch(kernel, count);
    else
        shim_launch(kernel, NULL, count, 1, 1); /* nobody else is in the way */
    for (uint i = 0; i < count; i++) {
        const uint key = key_of(numbers[i]);
        const bool is_in = low <= key && key <= high;
        expect_status(i, is_in ? CLADE_E_BUSY : CLADE_RBTREE_PRESENT, "a put beside a locked leaf");
        busy_ones += is_in;
    }
    expect(clade_load_relaxed(&busy[CLADE_BUSY_COUNT]) == busy_ones &&
               tree->object.first_error == 0,
           "who is noted", clade_load_relaxed(&busy[CLADE_BUSY_COUNT]), busy_ones);
    if (!stays)
        leaf->meta &= ~CLADE_RBTREE_LOCK;
    call.again = 1;
    shim_launch(kernel == erase ? erase : insert, NULL, 1, 1, 1);
    if (stays)
        leaf->meta &= ~CLADE_RBTREE_LOCK;
    for (uint i = 0; i < count; i++) {
        const uint k = numbers[i];
        const bool is_in = low <= key_of(k) && key_of(k) <= high;
        expect_status(i,
                      stays && is_in    ? CLADE_E_BUSY
                      : kernel == erase ? CLADE_OK
                                        : CLADE_RBTREE_PRESENT,
                      "what the second launch did");
        if (stays && is_in)
            continue;
        if (kernel == erase) {
            is_there[k] = 0;
            size--;
        } else {
            value_of[k] = has & VALUES ? call.values[FIRST - 1 + i] : 0;
        }
    }
    check("after a leaf was locked");
    close_call(stays && !(has & STATUSES) ? CLADE_E_BUSY : 0);
}

/* In any order, some of them twice in a row. */
static void call_finds(uint has)
{
    uint numbers[KEYS], kept[KEYS];
    open_call(has, KEYS, KEYS);
    for (uint i = 0; i < KEYS; i++) {
        numbers[i] = i % 3u == 2u ? numbers[i - 1u] : draw(KEYS);
        call.keys[FIRST + i] = key_of(numbers[i]);
        kept[i] = has & VALUES ? call.values[FIRST - 1 + i] : 0;
    }
    launch(find, KEYS);
    for (uint i = 0; i < KEYS; i++) {
        const uint k = numbers[i];
        expect_status(i, is_there[k] ? CLADE_OK : CLADE_E_NOT_FOUND, "a find");
        if (has & VALUES)
            expect(call.values[FIRST - 1 + i] == (is_there[k] ? value_of[k] : kept[i]),
                   "a found value", i, k);
    }
    close_call(0);
}

/* The number that is sought from k; KEYS: none. */
static uint sought(uint what, uint k)
{
    const bool up = what == CLADE_RBTREE_LOWER || what == CLADE_RBTREE_NEXT;
    uint i = what == CLADE_RBTREE_NEXT ? k + 1u : what == CLADE_RBTREE_PREV ? k - 1u : k;
    while (i < KEYS && !is_there[i])
        i = up ? i + 1u : i - 1u;
    return i < KEYS ? i : KEYS;
}

static void call_seeks(uint what, uint has)
{
    open_call(has, KEYS, KEYS);
    call.mode = what;
    for (uint i = 0; i < KEYS; i++)
        call.keys[FIRST + i] = key_of(i);
    launch(seek, KEYS);
    for (uint i = 0; i < KEYS; i++) {
        const uint k = sought(what, i);
        expect_status(i, k < KEYS ? CLADE_OK : CLADE_E_NOT_FOUND, "a seek");
        expect(call.found[FIRST - 3 + i] == (k < KEYS ? key_of(k) : GUARD), "a key sought", i, k);
        if (has & VALUES && k < KEYS)
            expect(call.values[FIRST - 1 + i] == value_of[k], "a value sought", i, k);
    }
    close_call(0);
}

static void call_ranges(bool down, uint has, uint count, uint limit)
{
    uint lows[KEYS], highs[KEYS];
    open_call(has, count, count * limit);
    call.limit = limit;
    for (uint i = 0; i < count; i++) {
        lows[i] = draw(KEYS);
        highs[i] = draw(4) ? lows[i] + draw(KEYS - lows[i]) : draw(KEYS);
        call.keys[FIRST + i] = key_of(lows[i]);
        call.highs[FIRST - 4 + i] = key_of(highs[i]);
    }
    for (uint i = 0; i < count * limit && has & VALUES; i++)
        call.values[FIRST - 1 + i] = GUARD;
    launch(down ? range_down : range, count + (GROUP == 1)); /* one who has no range */
    for (uint i = 0; i < count; i++) {
        uint n = 0;
        for (uint step = 0; step < KEYS && lows[i] <= highs[i]; step++) {
            const uint k = down ? highs[i] - step : lows[i] + step;
            if (k < lows[i] || k > highs[i] || n == limit)
                break;
            if (!is_there[k])
                continue;
            expect(call.found[FIRST - 3 + i * limit + n] == key_of(k), "a key of a range", i, n);
            if (has & VALUES)
                expect(call.values[FIRST - 1 + i * limit + n] == value_of[k], "a value of a range",
                       i, n);
            n++;
        }
        expect(call.counts[FIRST - 5 + i] == n, "a range's count", i, n);
        for (; n < limit; n++)
            expect(call.found[FIRST - 3 + i * limit + n] == GUARD, "behind a range", i, n);
    }
    close_call(0);
}

/* Looks that come to a locked leaf tell what lies before it; the first one is noted. */
static void ranges_to_a_locked_leaf(bool down)
{
    uint count = 2u * GROUP + 5u, first = KEYS;
    clade_rbtree_leaf *leaf = leaf_of(key_of(KEYS / 2));
    if (!leaf)
        return;
    open_call(0, count, count * KEYS);
    call.limit = KEYS / 3u;
    leaf->meta |= CLADE_RBTREE_LOCK;
    for (uint i = 0; i < count; i++) {
        call.keys[FIRST + i] = key_of(i == 1u ? KEYS / 2u : draw(KEYS / 2u));
        call.highs[FIRST - 4 + i] = key_of(i == 1u  ? KEYS / 2u
                                           : i % 3u ? KEYS / 2u + draw(KEYS / 2u)
                                                    : draw(KEYS));
    }
    launch(down ? range_down : range, count);
    leaf->meta &= ~CLADE_RBTREE_LOCK;
    for (uint i = 0; i < count; i++) {
        const uint low = call.keys[FIRST + i], high = call.highs[FIRST - 4 + i];
        const bool may_meet = low <= high && low <= leaf->high && leaf->low <= high;
        uint before = 0, all = 0;
        for (uint k = 0; k < KEYS; k++) {
            const bool in = is_there[k] && low <= key_of(k) && key_of(k) <= high;
            all += in;
            before += in && (down ? key_of(k) > leaf->high : key_of(k) < leaf->low);
        }
        const uint told = may_meet ? before : all, limited = told < call.limit ? told : call.limit;
        expect(call.counts[FIRST - 5 + i] == limited, "a count before a locked leaf", i,
               call.counts[FIRST - 5 + i]);
        if (may_meet && before < call.limit && first == KEYS)
            first = i;
    }
    expect(first < KEYS && (GROUP > 1 || tree->object.first_error_item == first),
           "who came to a locked leaf first", tree->object.first_error_item, first);
    close_call(CLADE_E_BUSY);
}

#if RANKED
static uint counted(uint counter)
{
    uint sum = 0;
    for (uint shard = 0; shard < CLADE_RBTREE_COUNTER_SHARDS; shard++)
        sum += clade_load_relaxed(&tree->counters[shard * CLADE_RBTREE_COUNTERS + counter]);
    return sum;
}

/* So many items more gave up, each after all of its tries; nobody else tried twice. */
static void expect_given_up(uint busy_before, uint retries_before, uint least, uint most)
{
    const uint more = counted(CLADE_RBTREE_BUSY) - busy_before;
    expect(least <= more && more <= most, "who gave up", more, least);
    expect(counted(CLADE_RBTREE_RETRIES) - retries_before == more * (CLADE_RBTREE_TRIES - 1u),
           "tries of those who gave up", counted(CLADE_RBTREE_RETRIES) - retries_before, more);
}

/* Of a key in a locked leaf no rank is known, and none of an entry there is selected. */
static void ranks_of_a_locked_leaf(void)
{
    uint numbers[KEYS];
    const uint n = entries(numbers);
    clade_rbtree_leaf *leaf = n > 0 ? leaf_of(key_of(numbers[n / 2])) : NULL;
    if (!leaf)
        return;
    open_call(STATUSES, KEYS, KEYS);
    for (uint i = 0; i < KEYS; i++)
        call.keys[FIRST + i] = key_of(i);
    leaf->meta |= CLADE_RBTREE_LOCK;
    uint gave_up = counted(CLADE_RBTREE_BUSY), tried = counted(CLADE_RBTREE_RETRIES);
    uint least = 0, most = 0;
    launch(rank_ranked, KEYS);
    for (uint i = 0; i < KEYS; i++) {
        const bool is_in = leaf->low <= key_of(i) && key_of(i) <= leaf->high;
        const uint rank = call.ranks[FIRST - 6 + i];
        least += rank == 0 && rank_in(i) != 0;
        most += rank == 0;
        expect(rank == 0 || (!is_in && rank == rank_in(i)), "a rank beside a locked leaf", i, rank);
        call.ranks[FIRST - 6 + i] = i;
    }
    expect_given_up(gave_up, tried, least, most);
    gave_up = counted(CLADE_RBTREE_BUSY);
    tried = counted(CLADE_RBTREE_RETRIES);
    launch(select_ranked, KEYS);
    leaf->meta &= ~CLADE_RBTREE_LOCK;
    least = 0;
    for (uint i = 0; i < KEYS; i++)
        least += call.statuses[FIRST - 2 + i] == CLADE_E_BUSY;
    expect_given_up(gave_up, tried, least, least);
    for (uint i = 0; i < n; i++) {
        const uint key = key_of(numbers[i]);
        const int status = call.statuses[FIRST - 2 + i];
        const bool is_in = leaf->low <= key && key <= leaf->high;
        expect(status == CLADE_E_BUSY || (!is_in && status == CLADE_OK),
               "a select beside a locked leaf", i, (uint)status);
        expect(call.found[FIRST - 3 + i] == (status == CLADE_OK ? key : 0),
               "what is selected there", i, key);
    }
    close_call(CLADE_E_BUSY);
}

/* While counts move, and where the way to the leaves is lost, nobody tells a rank. */
static void ranks_that_cannot_be_had(void)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint *const top = clade_rbtree_node_at(t, tree->levels - 1u, 0), root = t.routers[0].left;
    uint rank = GUARD, key = GUARD, value = 0;
    top[0] += 1u;
    expect(clade_rbtree_rank_wi(tree, key_of(KEYS / 2), &rank) == CLADE_E_BUSY &&
               clade_rbtree_select_wi(tree, 0, &key, &value) == CLADE_E_BUSY,
           "beside a move", rank, key);
    top[0] -= 1u;
    t.routers[0].left = 0;
    expect(clade_rbtree_rank_wi(tree, key_of(KEYS / 2), &rank) == CLADE_E_BUSY, "without a root",
           rank, key);
    t.routers[0].left = root;
    expect(rank == GUARD && key == GUARD, "what was not had was written", rank, key);
}

/* A node that has fewer keys than the level above says, as beside one who erases: the missing ones
 * are passed in the leaves. One that has none at all: a change is under way. */
static void nodes_with_fewer_keys(void)
{
    uint numbers[KEYS], kept[CLADE_RBTREE_NODE_WORDS], keys = 0, last = 0, key = 0, value = 0;
    uint *const node = clade_rbtree_node_at(clade_rbtree_open(tree), 0, 0);
    const uint n = entries(numbers);
    for (uint i = 1; i < CLADE_RBTREE_NODE_WORDS; i++) {
        keys += node[i];
        last = node[i] ? i : last;
    }
    if (keys == 0 || tree->levels < 2u)
        return;
    node[last]--;
    expect(clade_rbtree_select_wi(tree, keys - 1u, &key, &value) == CLADE_OK && keys <= n &&
               key == key_of(numbers[keys - 1u]),
           "a key that is counted above", key, keys);
    node[last]++;
    memcpy(kept, node, sizeof kept);
    memset(node + 1, 0, sizeof kept - sizeof kept[0]);
    expect(clade_rbtree_select_wi(tree, 0, &key, &value) == CLADE_E_BUSY, "keys that are nowhere",
           key, keys);
    memcpy(node, kept, sizeof kept);
}

/* Counts that move: the words of both slots up to where they meet, and the versions of the nodes
 * that these are in. */
static void moves_are_told(void)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint *const words = clade_rbtree_node_at(t, 0, 0);
    const uint all = (tree->level_at[tree->levels - 1u] + 1u) * CLADE_RBTREE_NODE_WORDS;
    uint *const wanted = room(4ul * all);
    for (uint i = 0; i < 40; i++) {
        const uint from = draw(tree->slots), to = draw(tree->slots), keys = draw(5);
        memcpy(wanted, words, 4ul * all);
        for (uint level = 0, a = from, b = to; a != b; level++) {
            uint *const first = wanted + tree->level_at[level] * CLADE_RBTREE_NODE_WORDS;
            uint *const node_a = first + a / CLADE_RBTREE_NODE * CLADE_RBTREE_NODE_WORDS;
            uint *const node_b = first + b / CLADE_RBTREE_NODE * CLADE_RBTREE_NODE_WORDS;
            node_a[0] += CLADE_RBTREE_MOVE_BEGIN - CLADE_RBTREE_MOVE_END;
            if (node_a != node_b)
                node_b[0] += CLADE_RBTREE_MOVE_BEGIN - CLADE_RBTREE_MOVE_END;
            node_a[1u + a % CLADE_RBTREE_NODE] -= keys;
            node_b[1u + b % CLADE_RBTREE_NODE] += keys;
            a /= CLADE_RBTREE_NODE;
            b /= CLADE_RBTREE_NODE;
        }
        clade_rbtree_move_counts(t, from, to, keys);
        expect(!memcmp(wanted, words, 4ul * all), "counts that moved", from, to);
        clade_rbtree_move_counts(t, to, from, keys);
    }
    free(wanted);
}

/* Which leaf a slot begins with is a hint: without it leaves are found by their keys. */
static void forget_firsts(void)
{
    memset((char *)tree + 16ul * tree->firsts_at, 0, tree->slots * sizeof(uint));
}
#endif

static void look_everywhere(void)
{
    const uint has = draw(4);
    call_finds(has);
    call_seeks(draw(4), 3u - has);
    call_ranges(draw(2), draw(2), 2u * GROUP + draw(3), 1u + draw(12));
#if RANKED
    call_ranks(rank_ranked, select_ranked, draw(4));
    forget_firsts();
    call_ranks(rank_ranked, select_ranked, draw(4));
#endif
}

int main(void)
{
    static const uint counts[] = { 1, GROUP, GROUP + 1, 2 * GROUP + 3, 30, 61 };
    setbuf(stdout, NULL);
    random_state = shim_seed();
    make();
    look_everywhere();
    for (uint round = 0; round < 18; round++) {
        const uint count = counts[round % 6u], mode = round / 2u % 2u;
        if (size + count < ROOM / 2)
            call_changes(round % 3u == 2u ? insert_groups : insert, mode, draw(4), count, false);
        look_everywhere();
        if (size < ROOM / 2)
            call_changes(insert, mode, draw(4), 9, true);
        call_changes(erase, 0, draw(4), count, round % 5u == 4u);
    }
    for (uint i = 0; i < 8; i++) {
        call_changes(size > 30u ? erase : insert, CLADE_RBTREE_PUT, 3, size > 30u ? 61 : 20, false);
        locked(i % 2u ? insert_groups : insert, draw(4), i / 2u % 2u);
        locked(erase, draw(4), i % 4u == 0);
        ranges_to_a_locked_leaf(i % 2u);
#if RANKED
        ranks_of_a_locked_leaf();
        ranks_that_cannot_be_had();
        nodes_with_fewer_keys();
        moves_are_told();
#endif
    }
    for (uint what = CLADE_RBTREE_LOWER; what <= CLADE_RBTREE_PREV; what++)
        call_seeks(what, 3);
    overfull(STATUSES);
    look_everywhere();
    while (size > 20)
        call_changes(erase, 0, 3, 61, false);
    overfull(VALUES);
    look_everywhere();
    free(tree);
    free(busy);
    printf("the kernels of the tree's calls: %u wrong\n", wrong);
    return wrong != 0;
}
