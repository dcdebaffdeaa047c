/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's device functions by one group (-DGROUP=), on lanes: worlds of inserts, pops,
 * help and looks, one call after the other, each compared with a sorted list, and after each the
 * library's own check looks at the heap and all counts are the list's. So what one call leaves
 * wrong is told before the next one hides it. Between calls pools are nearly empty, leaves are
 * locked, the front is owned by nobody who goes on, or somebody still reads what the next front is
 * described in: then calls may be refused, and what they say they took is what is inside. Calls
 * that must be refused leave each byte as it was.
 *
 * A front, entries of the trie and leaves of a chain are looked at when they are shown to others:
 * all of their keys and values are stored by then, whichever item stores them. Who says that a leaf
 * is sorted has sorted all of it. A leaf or directory that is retired is unlinked by then, in all
 * of its entries; what was in the trie is free only after it was retired, and a run of the front's
 * own after its blocks.
 *
 * A front of few pieces, short chains and a narrow window (-DCLADE_FRONT_PIECES= and others) meet
 * their ends all the time. */
#ifndef KEY
#define KEY CLADE_U32
#endif
#ifndef VALUE
#define VALUE CLADE_U32
#endif
#ifndef BATCH_KEYS
#define BATCH_KEYS 40
#endif
#define CLADE_HEAP_BATCH        BATCH_KEYS
#define CLADE_HEAP_LEAF         256
#define CLADE_FRONT_PUSH_LEAST  2u /* batches of one key are pushed, however short */
#define CLADE_FRONT_DENSE_TOTAL 300u
#define CLADE_FRONT_KEEP        50u
#define CLADE_HEAP_KEY_TYPE     KEY
#define CLADE_HEAP_VALUE_TYPE   VALUE
#define CLADE_LOCAL_BYTES       65536
#define CLADE_SPIN_LIMIT        100u /* some turns for each level of the trie */
#include "host/device.h"

#include "clade/atomic.clh"

/* What others may reach from now on must be whole, whichever item has shown it. */
static void look_at_shown(clade_global_word word, clade_u32 value);

static clade_u32 show_by_exchange(clade_global_word word, clade_u32 value)
{
    look_at_shown(word, value);
    return clade_exchange_acq_rel(word, value);
}

static clade_u32 show_by_cas(clade_global_word word, clade_u32 was, clade_u32 value)
{
    if (clade_load_relaxed(word) == was)
        look_at_shown(word, value);
    return clade_cas_acq_rel(word, was, value);
}

static clade_u32 show_front(clade_global_word word, clade_u32 value)
{
    look_at_shown(word, value);
    return clade_exchange_release(word, value);
}
static void look_at_sorted(clade_global_word word, clade_u32 value);
static void look_at_freed(clade_global_word word, clade_u32 value);

static void show_sorted(clade_global_word word, clade_u32 value)
{
    look_at_sorted(word, value);
    clade_store_release(word, value);
}

static clade_u32 show_freed(clade_global_word word, clade_u32 value)
{
    look_at_freed(word, value);
    return clade_or_release(word, value);
}

/* Whoever finds a lock free has taken it then. */
static void look_at_lock(clade_global_word word, clade_u32 was);

static clade_u32 take_lock(clade_global_word word, clade_u32 was, clade_u32 value)
{
    const clade_u32 before = clade_cas_acquire(word, was, value);
    look_at_lock(word, before);
    return before;
}
#define clade_cas_acquire(word, was, value) take_lock(word, was, value)
#define clade_store_release(word, value)    show_sorted(word, value)
#define clade_or_release(word, value)       show_freed(word, value)
#define clade_exchange_acq_rel(word, value) show_by_exchange(word, value)
#define clade_cas_acq_rel(word, was, value) show_by_cas(word, was, value)
#define clade_exchange_release(word, value) show_front(word, value)

/* Items fence behind their last read of a run. Before any of them gives up keys of it, a barrier
 * for both memories has passed: one for local memory alone looks the same on a host. */
#if !CLADE_GROUP_SCALAR
static void pass_barrier(void);
static void fence(void);
static clade_u32 subtract(clade_global_word word, clade_u32 count);
#define clade_barrier()                pass_barrier()
#define clade_fence()                  fence()
#define clade_sub_relaxed(word, count) subtract(word, count)
#endif

#include "harness/end_after.h"
#include "heap/front/edge_front.h"
#include "heap/front/host_units.h"

enum {
    BATCH = BATCH_KEYS,
    LEAF = 256,
    CAPACITY = 12000,
    MOST = 40000, /* inserted in one world */
    STEPS = 260,
    UNITS = 1u << 14, /* of a pool at most */
    HAS_VALUES = VALUE != CLADE_NONE
};
enum what { INSERT, POP, LOOK, HELP, SPILL };
typedef clade_heap_image image;
#define LAST ((image)0 - 1u)

static void *heap;
static uint step_at, world_at;
static uint capacity; /* of a world: CAPACITY, or so little that the heap is often full */

/* --- the model: what is inside, ascending --------------------------------------------------------
 */

static image inside[CAPACITY];
static uint size, next_id;
static unsigned long long popped;
static image key_of_id[MOST];
static unsigned char is_in[MOST];
static uint inserts, pops, refused, fulls; /* fulls: inserts of more than fits, in all worlds */
static uint fronts,
    moved; /* of a world: fronts that were shown; leaves that others took the place of */

static uint rank_of(image key_, int equal)
{
    uint from = 0, n = size;
    while (n > 0) {
        const uint mid = n / 2;
        if (inside[from + mid] < key_ || (equal && inside[from + mid] == key_)) {
            from += mid + 1;
            n -= mid + 1;
        } else {
            n = mid;
        }
    }
    return from;
}

static void put(image key_)
{
    const uint at = rank_of(key_, 1);
    memmove(inside + at + 1, inside + at, (size - at) * sizeof *inside);
    inside[at] = key_;
    size++;
}

static void drop(image key_)
{
    const uint at = rank_of(key_, 0);
    expect(at < size && inside[at] == key_, "a key that stays out is none of the batch", at, size);
    if (at < size) {
        memmove(inside + at, inside + at + 1, (size - at - 1) * sizeof *inside);
        size--;
    }
}

/* --- what is shown to others
 * ------------------------------------------------------------------------------------------ */

/* A key that was put into one of the heap's slots, with its value. */
LANES_UNSEEN static void expect_stored(clade_heap_front_heap h, size_t at, image least, image most)
{
    const image key_ = h.keys[at];
    expect(key_ >= least && key_ <= most, "a key that is shown, and is not stored, in step",
           step_at, (uint)key_);
#if VALUE
    const uint id = (uint)h.values[at];
    expect(id < next_id && key_of_id[id] == key_, "a value that is shown, and is not stored",
           step_at, id);
#endif
}

LANES_UNSEEN static uint word_of(clade_front_words word)
{
    return *(const uint *)(const void *)word;
}

/* Where a leaf's slot is among all. */
LANES_UNSEEN static size_t place_of(clade_heap_front_heap h, uint leaf, uint slot)
{
    enum { BLOCK = LEAF / CLADE_FRONT_BLOCKS };
    clade_front_words blocks = clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_BLOCK;
    return (size_t)word_of(blocks + slot / BLOCK) * BLOCK + slot % BLOCK;
}

/* A leaf, all of whose slots were given and stored, or of whose chain it is, with its own count. */
LANES_UNSEEN static void expect_whole(clade_heap_front_heap h, uint leaf)
{
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint slots = word_of(l + CLADE_FRONT_L_COUNT) & CLADE_FRONT_COUNT_MASK;
    const uint limit = word_of(l + CLADE_FRONT_L_LIMIT), n = slots < limit ? slots : limit;
    const uint shift = word_of(l + CLADE_FRONT_L_SHIFT);
    const image low = *(const image *)(const void *)(l + CLADE_FRONT_L_LOW);
    for (uint i = 0; i < n && word_of(l + CLADE_FRONT_L_DONE) == n && wrong == 0; i++)
        expect_stored(h, place_of(h, leaf, i), low, low + (image)(((image)1 << shift) - 1u));
}

/* The keys that are left of a front ascend from piece to piece. */
LANES_UNSEEN static void expect_front(clade_heap_front_heap h, uint front)
{
    clade_front_words e = h.epochs + (front >> CLADE_FRONT_TAG_SHIFT) * CLADE_FRONT_E_WORDS;
    const uint pieces = word_of(e + CLADE_FRONT_E_PIECES), count = word_of(e + CLADE_FRONT_E_COUNT);
    const uint from = count - clade_heap_front_left_of(front);
    image least = 0;
    uint x = 0;
    for (uint p = 0; p < pieces; p++) {
        clade_front_words piece = e + CLADE_FRONT_E_PIECE + 3u * p;
        const uint begin = x, end = word_of(piece + 2), first = word_of(piece + 1);
        for (x = end > from && begin < from ? from : begin; x < end && x >= from && wrong == 0;
             x++) {
            const size_t at = place_of(h, word_of(piece), first + (x - begin));
            expect_stored(h, at, least, LAST);
            least = h.keys[at];
        }
        x = end;
    }
    expect(x == count, "keys of the front's pieces", x, step_at);
}

static uint shown[3]; /* fronts, entries, chains */

/* Leaves: in the trie, or on a chain there; runs of which all keys were given up. Leaves and
 * directories: retired. */
static bool hides; /* units that were hidden come back */
static unsigned char is_linked[UNITS], is_used_up[UNITS], is_retired[2][UNITS];

/* Which word of a leaf it is, and of which leaf; else leaf 0. */
LANES_UNSEEN static uint leaf_of(clade_heap_front_heap h, clade_global_word word, uint which)
{
    const size_t leaves = word_of(h.head + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES);
    const size_t at = (size_t)(word - clade_heap_front_leaf(h, 0));
    return word >= clade_heap_front_leaf(h, 0) && at < leaves * CLADE_FRONT_LINE &&
                   at % CLADE_FRONT_LINE == which
               ? (uint)(at / CLADE_FRONT_LINE)
               : 0;
}

/* No entry refers to it any more; a leaf that was split has its lock given back. */
LANES_UNSEEN static void expect_unlinked(clade_heap_front_heap h, uint tagged)
{
    const uint unit = tagged >> 1;
    clade_front_words l = clade_heap_front_leaf(h, tagged & 1u ? 0 : unit);
    const uint up = word_of(tagged & 1u ? h.dirs + unit * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_UP
                                        : l + CLADE_FRONT_L_UP);
    const uint span = tagged & 1u ? 1u : 1u << word_of(l + CLADE_FRONT_L_SHIFT) % CLADE_FRONT_BITS;
    for (uint e = 0; e < span; e++)
        expect(word_of(h.entries + up + e) != tagged, "what is retired is in the trie", unit,
               step_at);
    expect(word_of(l + CLADE_FRONT_L_LOCK) == 0 ||
               !(word_of(l + CLADE_FRONT_L_COUNT) & CLADE_FRONT_SPLIT),
           "what was split is locked", unit, step_at);
    is_retired[tagged & 1u][unit % UNITS] = 1;
}

/* Whether leaf `was` is split, or chained by `now`, which takes its place at this entry. */
LANES_UNSEEN static bool is_moved(clade_heap_front_heap h, uint entry, uint was, uint now)
{
    if (was == CLADE_FRONT_DRAINED || was & 1u || now == CLADE_FRONT_DRAINED)
        return false;
    clade_front_words l = clade_heap_front_leaf(h, was >> 1);
    const uint chain =
        now & 1u ? 0 : word_of(clade_heap_front_leaf(h, now >> 1) + CLADE_FRONT_L_CHAIN);
    return chain == was >> 1 ||
           (word_of(l + CLADE_FRONT_L_COUNT) & CLADE_FRONT_SPLIT &&
            word_of(l + CLADE_FRONT_L_LIMIT) > 0 && word_of(l + CLADE_FRONT_L_UP) == entry);
}

LANES_UNSEEN static void look_at_shown(clade_global_word word, clade_u32 value)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const size_t dirs = word_of(h.head + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_DIRS);
    if (word == h.head + CLADE_FRONT_W_WORD) {
        expect_front(h, value);
        fronts += (value >> CLADE_FRONT_TAG_SHIFT) !=
                  (word_of((clade_front_words)word) >> CLADE_FRONT_TAG_SHIFT);
        shown[0]++;
    } else if (word >= h.head + CLADE_FRONT_W_RETIRED &&
               word < h.head + CLADE_FRONT_W_RETIRED + 4) {
        expect_unlinked(h, value);
    } else if (word >= h.entries && word < h.entries + dirs * CLADE_FRONT_FAN) {
        for (uint e = 0; e < CLADE_FRONT_FAN && value != CLADE_FRONT_DRAINED; e++) {
            const uint ref =
                value & 1u ? word_of(h.entries + (value >> 1) * CLADE_FRONT_FAN + e) : value;
            if (ref != CLADE_FRONT_DRAINED && !(ref & 1u) && (e == 0 || ref != value)) {
                expect_whole(h, ref >> 1);
                is_linked[(ref >> 1) % UNITS] = 1;
            }
        }
        moved += is_moved(h, (uint)(word - h.entries), word_of((clade_front_words)word), value);
        shown[1]++;
    } else if (leaf_of(h, word, CLADE_FRONT_L_CHAIN) != 0 && (value & ~CLADE_FRONT_CLOSED) != 0) {
        expect_whole(h, value & ~CLADE_FRONT_CLOSED);
        is_linked[(value & ~CLADE_FRONT_CLOSED) % UNITS] = 1;
        shown[2]++;
    }
}

/* Who says that a leaf's first slots are sorted has put all of them in order, with their values. */
LANES_UNSEEN static void look_at_sorted(clade_global_word word, clade_u32 value)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = leaf_of(h, word, CLADE_FRONT_L_SORTED);
    image least = 0;
    for (uint i = 0; leaf != 0 && i < value && wrong == 0; i++) {
        const size_t at = place_of(h, leaf, i);
        expect_stored(h, at, least, LAST);
        least = h.keys[at];
    }
}

LANES_UNSEEN static void look_at_lock(clade_global_word word, clade_u32 was)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const bool is_lock = leaf_of(h, word, CLADE_FRONT_L_LOCK) != 0 ||
                         word == h.head + CLADE_FRONT_W_RING_LOCK ||
                         word == h.head + CLADE_FRONT_W_TIDY;
    expect(!is_lock || was != 0 || word_of((clade_front_words)word) != 0,
           "a lock that was free is not taken", (uint)(word - h.head), step_at);
}

LANES_UNSEEN static bool is_free(clade_heap_front_heap h, uint pool, uint unit)
{
    clade_front_words bits =
        h.head + (size_t)word_of(h.head + CLADE_FRONT_C_BITS + pool) * CLADE_FRONT_LINE;
    return word_of(bits + unit / 32u) >> unit % 32u & 1u;
}

/* A unit's bit is about to be set, with which others may take it. */
LANES_UNSEEN static void look_at_freed(clade_global_word word, clade_u32 value)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    for (uint pool = CLADE_FRONT_POOL_LEAVES; pool <= CLADE_FRONT_POOL_DIRS; pool++) {
        clade_front_words bits =
            h.head + (size_t)word_of(h.head + CLADE_FRONT_C_BITS + pool) * CLADE_FRONT_LINE;
        const uint units = word_of(h.head + CLADE_FRONT_C_COUNT + pool);
        if (word < bits || word > bits + units / 32u)
            continue;
        const uint unit = (uint)(word - bits) * 32u + 31u - (uint)__builtin_clz(value);
        unsigned char *retired = &is_retired[pool == CLADE_FRONT_POOL_DIRS][unit % UNITS];
        const bool dir = pool == CLADE_FRONT_POOL_DIRS;
        expect(*retired || hides || !(dir || is_linked[unit % UNITS]),
               "free at once, and was in the trie", unit, step_at);
        clade_front_words blocks = clade_heap_front_leaf(h, dir ? 0 : unit) + CLADE_FRONT_L_BLOCK;
        for (uint b = 0; b < CLADE_FRONT_BLOCKS && is_used_up[unit % UNITS] && !*retired; b++) {
            const uint block = word_of(blocks + b);
            expect(block == 0 || block == CLADE_FRONT_VOID ||
                       is_free(h, CLADE_FRONT_POOL_BLOCKS, block),
                   "a run is free before its blocks", unit, step_at);
        }
        *retired = 0;
        if (!dir)
            is_linked[unit % UNITS] = is_used_up[unit % UNITS] = 0;
    }
}

#if !CLADE_GROUP_SCALAR
static struct {
    uint barriers, fenced; /* barriers so far; how many there were at its last fence */
    bool gave_up;          /* a run's last key: the fence that follows is about that */
} order_of[GROUP];
static uint given_up;
static uint empty_at; /* before its first item's so-manieth barrier the last key goes; 0: never */

LANES_UNSEEN static void pass_barrier(void)
{
    order_of[get_local_id(0)].barriers++;
    if (get_local_id(0) == 0 && empty_at > 0 && --empty_at == 0)
        clade_store_relaxed((clade_front_words)heap + CLADE_FRONT_W_SIZE, 0u);
    (clade_barrier)();
}

LANES_UNSEEN static void fence(void)
{
    if (!order_of[get_local_id(0)].gave_up)
        order_of[get_local_id(0)].fenced = order_of[get_local_id(0)].barriers;
    order_of[get_local_id(0)].gave_up = false;
    (clade_fence)();
}

LANES_UNSEEN static clade_u32 subtract(clade_global_word word, clade_u32 count)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint before = (clade_sub_relaxed)(word, count);
    if (leaf_of(h, word, CLADE_FRONT_L_LEFT) != 0) {
        expect(count > 0, "no keys are given up: their run may be free by now", (uint)before,
               step_at);
        for (uint i = 0; i < GROUP; i++)
            expect(order_of[i].fenced < order_of[get_local_id(0)].barriers,
                   "no barrier before a run's keys are given up", i, step_at);
        is_used_up[leaf_of(h, word, CLADE_FRONT_L_LEFT) % UNITS] |= before == count;
        order_of[get_local_id(0)].gave_up = before == count;
        given_up++;
    }
    return before;
}
#endif

/* --- one call
 * -------------------------------------------------------------------------------------- */

static struct call {
    enum what what;
    uint n, first_id;
    image keys[BATCH];
    clade_i32 status;
    uint taken, left, ids[BATCH]; /* what came out, or stayed out */
    image out[BATCH];
    ulong rank;
} call;

/* What a call answers. */
LANES_UNSEEN static void note(clade_i32 status, uint taken, uint left)
{
    call.status = status;
    call.taken = taken;
    call.left = left;
}

LANES_UNSEEN static void note_rank(ulong rank)
{
    call.rank = rank;
}

LANES_UNSEEN static void note_key(uint i, image key_, uint id)
{
    call.out[i] = key_;
    call.ids[i] = id;
}

/* As an owner of the front whose insert finds it too long; it keeps call.n keys. */
static void spill_as_owner(__local clade_heap_scratch *s)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const bool first = get_local_id(0) == 0;
    const uint owned = clade_load_relaxed(h.head + CLADE_FRONT_W_WORD);
    const uint left = clade_heap_front_left_of(owned);
    uint epoch = 0;
    clade_fence_acquire();
    barrier(0);
    if (first) {
        epoch = clade_front_enter_wi(h.head);
        clade_store_relaxed(h.head + CLADE_FRONT_W_WORD, owned & ~CLADE_FRONT_GUARD_HIGH);
        clade_heap_front_load_bound_wi(h, s, owned);
        s->spare.run = 0;
    }
    for (uint p = (uint)get_local_id(0); p < CLADE_FRONT_PIECES; p += (uint)get_local_size(0))
        s->gone[p] = 0;
    barrier(0);
    clade_heap_front_load_pieces_wg(h, s, owned, s->front.pieces, s->front.keys - left, left);
    const clade_i32 status = clade_heap_front_spill_wg(h, s, call.n);
    if (first)
        note(status, s->list.total, 0);
    clade_heap_front_keep_wg(s);
    clade_heap_front_publish_wg(h, s, owned, left, 0, 0);
    barrier(0);
    clade_heap_front_give_up_gone_wg(h, s);
    if (first)
        clade_front_leave_wi(h.head, epoch);
}

/* Each item may read what a call has answered, and then begin the next one, which is refused. */
static struct {
    clade_i32 status;
    uint taken;
} each[GROUP];

LANES_UNSEEN static void note_each(clade_i32 status, uint taken)
{
    each[get_local_id(0)].status = status;
    each[get_local_id(0)].taken = taken;
}

LANES_UNSEEN static void expect_same(void)
{
    const uint me = get_local_id(0);
    expect(each[me].status == each[0].status && each[me].taken == each[0].taken,
           "items are told different things", me, step_at);
}

static void call_again(__local clade_heap_scratch *s, clade_i32 status, uint taken, bool is_pop)
{
    uint got;
    note_each(status, taken);
    if (is_pop)
        status = clade_heap_pop_wg(heap, s, BATCH + 1, &got);
    else
        status = clade_heap_insert_wg(heap, s, BATCH + 1);
    expect(status == CLADE_E_ARG, "a call of too many", (uint)-status, step_at);
    barrier(0);
    expect_same();
}

static void perform(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    (void)argument;
    if (get_group_id(0) + 1 < get_num_groups(0))
        return; /* the last group alone does it, whichever number it has */
    const uint me = get_local_id(0);
    const uint there = call.n < BATCH ? call.n : BATCH; /* too many are refused */
    uint got = 99;
    if (call.what == INSERT) {
        for (uint i = me; i < there; i += get_local_size(0))
#if VALUE
            clade_heap_set_bits_wi(s, i, call.keys[i], call.first_id + i);
#else
            clade_heap_set_bits_wi(s, i, call.keys[i], 0u);
#endif
        const clade_i32 status = clade_heap_insert_wg(heap, s, call.n);
        const uint taken = clade_heap_taken_wi(s);
        call_again(s, status, taken, true);
        if (me == 0)
            note(status, taken, status == CLADE_OK || status == CLADE_E_ARG ? 0 : there - taken);
    } else if (call.what == POP) {
        const clade_i32 status = clade_heap_pop_wg(heap, s, call.n, &got);
        call_again(s, status, got, false);
        if (me == 0) {
            note(status, got, got);
            note_rank(clade_heap_rank_wi(s));
        }
    } else if (call.what == LOOK) {
        const bool found = clade_heap_first_wg(heap, s);
        if (me == 0)
            note(CLADE_OK, found, found);
    } else if (call.what == SPILL) {
        spill_as_owner(s);
    } else {
        clade_heap_front_heap h = clade_heap_front_open_wi(heap);
        const uint epoch = me == 0 ? clade_front_enter_wi(h.head) : 0;
        for (uint t = 0; t < call.n && clade_heap_front_help_wg(h, s, t); t++)
            continue;
        barrier(0);
        if (me == 0)
            clade_front_leave_wi(h.head, epoch);
    }
    barrier(0);
    for (uint i = 0; me == 0 && i < call.left && i < BATCH; i++)
        note_key(i, clade_heap_key_bits_wi(s, i),
                 HAS_VALUES ? (uint)clade_heap_value_bits_wi(s, i) : 0);
}

static void make(enum what what, uint n)
{
    call.what = what;
    call.n = n;
    call.status = 99;
    call.taken = call.left = 0;
    shim_launch(perform, NULL, 1 + world_at % 3u, GROUP, sizeof(clade_heap_scratch));
}

/* --- judged
 * ------------------------------------------------------------------------------------------ */

static uint word(uint at)
{
    return clade_load_relaxed((clade_front_words)heap + at);
}

static void set(uint at, uint value)
{
    clade_store_relaxed((clade_front_words)heap + at, value);
}

/* `may_fail`: memory is out, or somebody is in the way for ever. */
static void insert(uint n, bool may_fail)
{
    const uint before = size;
    call.first_id = next_id;
    for (uint i = 0; i < n; i++) {
        key_of_id[next_id] = call.keys[i];
        is_in[next_id++] = 1;
    }
    make(INSERT, n);
    if (before + n > capacity) {
        fulls++;
        expect(call.status == CLADE_E_FULL && call.taken == 0, "more than fits is taken", n,
               before);
        expect(call.left == n, "keys that stay out", call.left, n);
    } else if (!may_fail) {
        expect(call.status == CLADE_OK, "an insert is refused", (uint)-call.status, before);
    }
    expect(call.taken <= n && (call.status != CLADE_OK || call.taken == n), "taken", call.taken, n);
    inserts += call.status == CLADE_OK;
    refused += call.status != CLADE_OK;
    if (before + n <= capacity || call.status == CLADE_OK) {
        for (uint i = 0; i < n; i++)
            put(call.keys[i]);
        for (uint i = 0; i < call.left; i++)
            drop(call.out[i]);
    }
    for (uint i = 0; i < call.left; i++) {
        const bool all = before + n > capacity; /* told at once: in the caller's order */
        expect(i == 0 || all || call.out[i] >= call.out[i - 1], "what stays out does not ascend", i,
               n);
        if (HAS_VALUES) {
            const uint id = call.ids[i];
            expect(id >= call.first_id && id < next_id && is_in[id] && key_of_id[id] == call.out[i],
                   "a value that stays out", id, i);
            is_in[id % MOST] = 0;
        }
    }
}

static void pop(uint n, bool may_fail)
{
    const uint all = n < size ? n : size;
    const uint refills = word(CLADE_FRONT_S_REFILLS);
    const bool owns = clade_heap_front_left_of(word(CLADE_FRONT_W_WORD)) < n && size > 0;
    make(POP, n);
    expect(may_fail || word(CLADE_FRONT_S_REFILLS) == refills + owns, "refills", owns, step_at);
    if (CLADE_FRONT_PIECES > BATCH) /* not so many nearly empty leaves */
        expect(call.status == CLADE_OK || call.taken == 0, "a pop that gave up has keys",
               call.taken, step_at);
    expect(call.taken == all || (may_fail && call.status == CLADE_E_BUSY && call.taken < all),
           "as many keys as were popped", call.taken, all);
    expect(call.status == CLADE_OK || (may_fail && call.status == CLADE_E_BUSY), "a pop's status",
           (uint)-call.status, n);
    expect(call.taken == 0 || call.rank == popped, "a rank", (uint)call.rank, (uint)popped);
    for (uint i = 0; i < call.taken && i < all; i++) {
        const uint id = call.ids[i] % MOST;
        expect(call.out[i] == inside[i], "a key that was popped", (uint)call.out[i],
               (uint)inside[i]);
        if (HAS_VALUES) {
            expect(is_in[id] && key_of_id[id] == call.out[i], "a value that was popped", id, i);
            is_in[id] = 0;
        }
    }
    const uint gone = call.taken < all ? call.taken : all;
    memmove(inside, inside + gone, (size - gone) * sizeof *inside);
    size -= gone;
    popped += gone;
    pops++;
}

static image block_0[LEAF / CLADE_FRONT_BLOCKS]; /* its keys: noise that stays */
static uint own_fronts;                          /* of a world: shown by these spills */

/* The front keeps `keep` of its keys at most; with 0 no key at all is its own any more. An insert
 * whose keys lie at or below the bound does that: so there is one, and no leaf is frozen beyond it,
 * for an insert takes those over first. */
static void spill(uint keep, bool may_fail)
{
    if (word(CLADE_FRONT_W_IS_AHEAD) != 0 || word(CLADE_FRONT_W_BOUNDED) == 0)
        return;
    make(SPILL, keep);
    if (!may_fail)
        expect(call.status == CLADE_OK, "a spill is refused", (uint)-call.status, keep);
    own_fronts++;
    if (call.status == CLADE_OK) {
        expect(call.taken <= keep, "keys that a spill leaves", call.taken, keep);
        expect(keep > 0 || word(CLADE_FRONT_W_BOUNDED) == 0, "keys are still the front's", 0, 0);
    }
}

/* Nothing may be another byte afterwards. */
static void *kept;
static void keep(void)
{
    memcpy(kept, heap, host_front_bytes(capacity, LEAF));
}

static void expect_kept(const char *what)
{
    expect(memcmp(kept, heap, host_front_bytes(capacity, LEAF)) == 0, what, step_at, world_at);
}

static void look(void)
{
    keep();
    lanes_order_nothing(0); /* it is for a heap that nobody else works on */
    make(LOOK, 0);
    lanes_order_nothing(1);
    expect((call.taken != 0) == (size > 0), "whether there is a first key", call.taken, size);
    if (size > 0) {
        const uint id = call.ids[0] % MOST;
        expect(call.out[0] == inside[0], "the first key", (uint)call.out[0], (uint)inside[0]);
        expect(!HAS_VALUES || (is_in[id] && key_of_id[id] == call.out[0]), "its value", id, 0);
    }
    expect_kept("a look changed something");
}

/* At rest, with nothing hidden. */
static void check(void)
{
    const char *said = host_front_check(heap, capacity, LEAF, size);
    if (said)
        fprintf(stderr, "%s\n", said);
    expect(!said, "an invariant, after step", step_at, world_at);
    expect(host_front_is_left(heap), "an operation began and did not end, step", step_at, world_at);
    expect(word(CLADE_FRONT_S_INSERTS) == inserts, "inserts", word(CLADE_FRONT_S_INSERTS), inserts);
    expect(word(CLADE_FRONT_S_POPS) == pops, "pops", word(CLADE_FRONT_S_POPS), pops);
    expect(word(CLADE_FRONT_S_REFUSED) == refused, "refused", word(CLADE_FRONT_S_REFUSED), refused);
    expect(word(CLADE_FRONT_S_REFILLS) + word(CLADE_FRONT_S_MERGES) + own_fronts == fronts,
           "fronts", word(CLADE_FRONT_S_MERGES), fronts);
    expect(word(CLADE_FRONT_S_SPLITS) == moved, "splits", word(CLADE_FRONT_S_SPLITS), moved);
    expect(memcmp(block_0, clade_heap_front_open_wi(heap).keys, sizeof block_0) == 0,
           "block 0, which is none, was written to", step_at, world_at);
    expect(clade_heap_size_hint_wi(heap) == size, "size", (uint)clade_heap_size_hint_wi(heap),
           size);
    expect(clade_heap_popped_wi(heap) == popped, "popped", (uint)clade_heap_popped_wi(heap),
           (uint)popped);
}

/* Too many keys, and a heap of another shape. */
static void refusals(void)
{
    keep();
    make(INSERT, BATCH + 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "an insert of too many", call.taken, 0);
    make(POP, BATCH + 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "a pop of too many", call.taken, 0);
    ((clade_heap_head *)heap)->object.shape ^= 1u;
    make(INSERT, 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "an insert, another shape", call.taken,
           0);
    make(POP, 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "a pop, another shape", call.taken, 0);
    make(LOOK, 0);
    expect(call.taken == 0, "a look, another shape", 0, 0);
    expect(clade_heap_size_hint_wi(heap) == 0 && clade_heap_popped_wi(heap) == 0,
           "counts, another shape", 0, 0);
    ((clade_heap_head *)heap)->object.shape ^= 1u;
    expect_kept("a call that is refused changed something");
}

/* --- worlds
 * ------------------------------------------------------------------------------------------- */

enum law { WIDE, NARROW, ONE, FEW, DOWN, UP, ENDS, BELOW, LAWS };
static enum law only; /* of a world; LAWS: each batch has its own */

static image key_by(enum law law, uint at)
{
    const image wide = ((image)draw(1u << 16) << 16 | draw(1u << 16)) * (image)(LAST / 0xffffffffu);
    switch (law) {
    case WIDE:
        return wide + draw(7);
    case NARROW:
        return 0x12345 + draw(700);
    case ONE:
        return 77;
    case FEW:
        return 5000 + 40 * draw(5);
    case DOWN:
        return LAST / 2 - at * 3u;
    case UP:
        return (image)at * 5u;
    case ENDS:
        return draw(2) ? draw(3) : LAST - draw(3);
    default:
        return size > 0 ? inside[draw(size < 60 ? size : 60)] + draw(2) : 9; /* the front */
    }
}

static void fill_call(uint n, uint at)
{
    const enum law law = only < LAWS ? only : (enum law)draw(LAWS);
    const bool all_equal = draw(6) == 0;
    for (uint i = 0; i < n; i++)
        call.keys[i] = all_equal && i > 0 ? call.keys[0] : key_by(law, at * BATCH + i);
}

/* How many: around nothing, one, a block and a batch, or any. Where all keys are one, batches of
 * few make long chains. */
static uint some(void)
{
    static const uint ends[] = { 0, 1, 2, 15, 16, 17, BATCH - 1, BATCH };
    if (only == ONE && draw(4) != 0)
        return draw(4);
    return draw(2) ? BATCH : draw(2) ? ends[draw(8)] : draw(BATCH + 1);
}

/* A key or two that the front may have: one that has as many pieces as it may takes them, too. */
static void insert_few(void)
{
    const uint n = 1 + draw(2);
    for (uint i = 0; i < n; i++)
        call.keys[i] = inside[draw(size < 300 ? size : 300)];
    if (size + n <= capacity && next_id + n <= MOST)
        insert(n, false);
}

/* Pops that take over many leaves, and then keys all over the front. It is shortened for them where
 * it becomes too long: so some are the front's, and the others are not any more. */
static void crowd(void)
{
    uint left = 0;
    for (uint i = 0; i < 8 && left <= LEAF && size > 0; i++) {
        set(CLADE_FRONT_W_RECENT, 0); /* a hint */
        make(HELP, 60);
        pop(1 + draw(BATCH), false);
        left = clade_heap_front_left_of(word(CLADE_FRONT_W_WORD));
    }
    for (uint i = 0; i < BATCH && left > 0; i++)
        call.keys[i] = inside[draw(left < size ? left : size)];
    if (left > 0 && size + BATCH <= capacity && next_id + BATCH <= MOST)
        insert(BATCH, false);
}

/* How many keys a front is shortened to. */
static uint keep_some(void)
{
    return draw(3) == 0 ? 0u : draw(2) ? draw(40) : draw(1000);
}

/* Inserts of nothing give back what was retired before them, some units each. */
static void tidy(void)
{
    enum { ENOUGH = 60 };
    clade_front_words retired = (clade_front_words)heap + CLADE_FRONT_W_RETIRED;
    for (uint i = 0; i < ENOUGH; i++)
        insert(0, false);
    for (uint e = 0; e < 4; e++)
        expect(clade_load_relaxed(retired + e) == 0, "units are still retired, epoch", e, step_at);
    expect(word(CLADE_FRONT_W_READY) == 0, "units are still ready to be free", step_at, world_at);
}

/* Three keys in each of the first leaves: a pop takes over more of them than a short list has room
 * for. */
static void scatter(void)
{
    enum { KEYS = 3 * CLADE_FRONT_FAN, CALLS = 2 };
    for (uint c = 0; c < CALLS; c++) {
        for (uint i = 0; i < KEYS / CALLS; i++)
            call.keys[i] = (image)(LAST / KEYS) * (i * CALLS + c);
        insert(KEYS / CALLS, false);
    }
    pop(BATCH, false);
    check();
}

/* For some calls the heap lacks units, or somebody who does not go on is in the way. */
static void in_trouble(uint at)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint kind = draw(6), owned = word(CLADE_FRONT_W_WORD), calls = 1 + draw(6);
    const uint pool = kind < 3 ? kind : CLADE_FRONT_POOL_LEAVES,
               keep_units = draw(4) ? draw(30) : 0;
    host_units hidden = { NULL, 0 };
    uint leaf = 0;
    if (kind < 3)
        hidden = host_units_hide(heap, pool, keep_units);
    if (kind == 3)
        set(CLADE_FRONT_W_WORD, owned & ~CLADE_FRONT_GUARD_HIGH);
    if (kind == 4) { /* the leaf after the bound */
        const image bound = word(CLADE_FRONT_W_BOUNDED)
                                ? clade_heap_front_load_key(h.head + CLADE_FRONT_W_BOUND) + 1
                                : 0;
        const uint ref = clade_heap_front_walk_wi(h, bound).ref;
        leaf = ref == CLADE_FRONT_DRAINED ? 0 : ref >> 1;
        if (leaf != 0)
            clade_store_relaxed(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_LOCK, 1u);
    }
    const uint stamp_at = (uint)(clade_heap_front_leaf(h, leaf) - h.head) + CLADE_FRONT_L_STAMP;
    const uint stamp = word(stamp_at);
    clade_front_words next = h.epochs + clade_heap_front_next_tag(owned) * CLADE_FRONT_E_WORDS;
    static uint described[CLADE_FRONT_E_WORDS];
    if (kind == 5) {
        clade_sub_relaxed(next + CLADE_FRONT_E_COPIED, 1u);
        memcpy(described, (const void *)next, sizeof described);
    }
    for (uint i = 0; i < calls; i++) {
        if (kind < 3 && draw(6) == 0) {
            spill(keep_some(), true);
        } else if (draw(2)) {
            const uint n = some();
            fill_call(n, at);
            if (size + n <= capacity && next_id + n <= MOST)
                insert(n, true);
        } else {
            pop(some(), true);
        }
    }
    if (kind == 5) {
        expect(memcmp(described, (const void *)next, sizeof described) == 0,
               "a front is described anew while somebody reads it", step_at, world_at);
        clade_add_relaxed(next + CLADE_FRONT_E_COPIED, 1u);
    }
    if (leaf != 0 && word(stamp_at) == stamp) {
        expect(clade_load_relaxed(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_LOCK) != 0,
               "somebody else's lock was given back", leaf, step_at);
        clade_store_relaxed(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_LOCK, 0u);
    }
    if (kind == 3)
        set(CLADE_FRONT_W_WORD, word(CLADE_FRONT_W_WORD) | CLADE_FRONT_GUARD_HIGH);
    if (kind < 3) {
        hides = true;
        host_units_show(heap, pool, hidden);
        hides = false;
    }
}

/* Of an empty heap, while somebody owns its front and has one more key, which is gone when this pop
 * looks again. A unit is ready to be free then: the pop's end takes it while other items may be at
 * what the look saw. */
static void pop_late(void)
{
#if !CLADE_GROUP_SCALAR
    clade_front_words head = heap;
    const uint front = word(CLADE_FRONT_W_WORD);
    expect(clade_front_claim_wi(head, CLADE_FRONT_POOL_LEAVES, 1u), "a unit to be free", 0, 0);
    const uint unit = clade_front_take_wi(head, CLADE_FRONT_POOL_LEAVES, 1u) << 1;
    clade_store_relaxed(clade_front_next_of(head, unit), word(CLADE_FRONT_W_READY));
    set(CLADE_FRONT_W_READY, unit);
    set(CLADE_FRONT_W_WORD, front & ~CLADE_FRONT_GUARD_HIGH);
    set(CLADE_FRONT_W_SIZE, 1u);
    empty_at = 20; /* in one of its rounds of help */
    pop(BATCH, false);
    expect(empty_at == 0, "the last key has not gone", empty_at, world_at);
    expect(word(CLADE_FRONT_W_READY) != unit, "a unit is still ready", unit, world_at);
    set(CLADE_FRONT_W_WORD, front);
    check();
#endif
}

/* As if so many keys had been popped before. */
static void set_rank(unsigned long long rank)
{
    clade_front_words e =
        clade_heap_front_epoch_of(clade_heap_front_open_wi(heap), word(CLADE_FRONT_W_WORD));
    clade_store_relaxed(e + CLADE_FRONT_E_RANK, (uint)rank);
    clade_store_relaxed(e + CLADE_FRONT_E_RANK + 1, (uint)(rank >> 32));
}

/* The leaves of a fresh heap are in the trie. */
static void begin_units(void)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaves = word(CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES);
    memset(is_retired, 0, sizeof is_retired);
    memset(is_used_up, 0, sizeof is_used_up);
    expect(leaves <= UNITS, "leaves of a heap", leaves, UNITS);
    for (uint leaf = 1; leaf < leaves && leaf < UNITS; leaf++)
        is_linked[leaf] = !is_free(h, CLADE_FRONT_POOL_LEAVES, leaf);
}

/* Leaves are sorted ahead, or not: slots that nobody has reserved stay as they are. */
static void help(uint times)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const size_t keys_at = (size_t)((char *)h.keys - (char *)heap);
    keep();
    make(HELP, times);
    for (uint leaf = 1; leaf < word(CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES); leaf++) {
        clade_front_words l = clade_heap_front_leaf(h, leaf);
        for (uint i = word_of(l + CLADE_FRONT_L_COUNT); is_linked[leaf] && i < LEAF; i++) {
            const uint block = word_of(l + CLADE_FRONT_L_BLOCK + i * CLADE_FRONT_BLOCKS / LEAF);
            expect(block == 0 || block == CLADE_FRONT_VOID ||
                       memcmp((char *)kept + keys_at + place_of(h, leaf, i) * sizeof(image),
                              h.keys + place_of(h, leaf, i), sizeof(image)) == 0,
                   "a slot that nobody has reserved", i, step_at);
        }
    }
}

static uint splits, spills, forced, refills, merges;

static void world(uint seed)
{
    world_at = seed;
    random_state = seed;
    size = next_id = inserts = pops = refused = fronts = moved = own_fronts = 0;
    memset(is_in, 0, sizeof is_in);
    const bool is_small = seed % 5u == 2u;
    capacity = is_small ? 400 + draw(500) : CAPACITY;
    heap = host_front_new(capacity, BATCH, LEAF);
    kept = malloc(host_front_bytes(capacity, LEAF));
    begin_units();
    memcpy(block_0, clade_heap_front_open_wi(heap).keys, sizeof block_0);
    popped = 0x4ffffff00u; /* ranks of more than 32 bits, whose lower half wraps */
    set_rank(popped);
    const uint wanted = draw(is_small ? 2 : 4); /* how full: pops in four calls */
    only = draw(4) == 0 ? (draw(2) ? ONE : (enum law)draw(LAWS)) : LAWS;
    step_at = 0;
    scatter();
    for (; step_at < STEPS && wrong == 0; step_at++) {
        const uint turn = draw(16);
        if (turn == 0)
            look();
        else if (turn == 1)
            help(draw(60));
        else if (turn == 2)
            in_trouble(step_at);
        else if (turn == 3)
            spill(keep_some(), false);
        else if (turn == 4 && draw(4) == 0)
            tidy();
        else if (turn == 5 && size > 0)
            insert_few();
        else if (turn == 6 && size > LEAF)
            crowd();
        else if (draw(4) < (step_at % 60 < 40 ? wanted : 3))
            pop(some(), false);
        else if (next_id + BATCH <= MOST) {
            const uint n = some();
            fill_call(n, step_at);
            insert(n, false);
        }
        check();
    }
    refusals();
    while (size > 0 && wrong == 0) {
        pop(BATCH, false);
        check();
    }
    pop(BATCH, false);
    pop_late();
    look();
    splits += word(CLADE_FRONT_S_SPLITS);
    spills += word(CLADE_FRONT_S_SPILLS);
    forced += word(CLADE_FRONT_S_FORCED);
    refills += word(CLADE_FRONT_S_REFILLS);
    merges += word(CLADE_FRONT_S_MERGES);
    free(heap);
    free(kept);
}

int main(void)
{
    end_after(100);
    lanes_order_nothing(1);
    host_front_key_type = KEY;
    host_front_value_type = VALUE;
    for (uint seed = 1; seed <= WORLDS && wrong == 0; seed++)
        world(seed);
    expect(splits > 0 && spills > 0 && forced > 0 && refills > 0 && merges > 0,
           "a part of the engine was not met", splits, spills);
    expect(fulls > 0, "no heap was full", WORLDS, 0);
    expect(shown[0] > 0 && shown[1] > 0 && shown[2] > 0, "nothing was looked at as it was shown",
           shown[1], shown[2]);
#if !CLADE_GROUP_SCALAR
    expect(given_up > 0, "no run's keys were given up", 0, 0);
#endif
    printf("%u splits, %u spills, %u leaves by force, %u refills, %u merges; %u wrong\n", splits,
           spills, forced, refills, merges, wrong);
    return wrong != 0;
}
