/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's bulk calls by groups of one item and of several (-DGROUP=), on lanes, launched
 * as the host does: keys of many laws are inserted into an empty heap and popped in some calls, and
 * after each the library's own check looks at the heap. Of what an insert builds every word of
 * directories and leaves is known. Every key comes in order, with its value. What the device must
 * refuse it leaves as it was. Arrays are of exactly the host's sizes. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KEY
#define KEY CLADE_I32
#endif
#ifndef TILE /* keys of one; with more than a leaf has a segment may be one tile */
#define TILE 64
#endif
#define CLADE_HEAP_KEY_TYPE   KEY
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_BATCH      16
#define CLADEI_BULK_GROUP     GROUP
#define CLADEI_BULK_TILE      TILE
#define CLADEI_BULK_BINS      64
#define CLADEI_BULK_CROWD     6u
#undef __kernel
#define __kernel static
#include "kernels/heap_front_build.cl"
#include "kernels/heap_front_take.cl"
#undef min
#undef max

#include "edges/edge.h"
#include "heap/front/host_front.h"

#ifndef KINDS /* of keys that are inserted; the first ones */
#define KINDS 10u
#endif
#define IS_LONG (KINDS > 2u) /* whether there is time for large heaps */
enum {
    GROUPS = 3,
    FIRST = 3,
    LEVELS = CLADEI_BULK_KEY_BITS / 8,
    CAPACITY = 6000,
    DEEP = 11,
    FULL = 12,
    ONE = 15,
    LOW = 16,
    GUARD = 0x5a5a5a5a
};

typedef cladei_bulk_key image;

static struct job {
    uint *heap;
    clade_atomic_u32 *plan, *control;
    image *keys, *other; /* of a call */
    uint *values, *other_values;
    image *keys_of[GROUPS]; /* what each group of a pop writes */
    uint *values_of[GROUPS];
    uint rows, tiles, count, level;
    ulong wanted;
} job;

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

/* Of 16 values all have many, but the fourth one has ten. */
static uint one_of(uint i)
{
    return i % 16u == 3u && i >= 160u ? 4u : i % 16u;
}

/* Few and many, crowded, shared bits, copies of one key that fill several leaves. */
static uint word_of(uint kind, uint i)
{
    const uint x = (i + 1u) * 2654435761u ^ (i >> 5) * 0x85ebca6bu;
    return kind == 0   ? x
           : kind == 1 ? 77u
           : kind == 2 ? x >> 20
           : kind == 3 ? 0xffffffffu - i
           : kind == 4 ? i << 8
           : kind == 5 ? (i % 3u == 0 ? 0xffffffffu : x >> 30)
           : kind == 6 ? 0x10000000u + (x >> 28) * 0x01010101u
           : kind == 7 ? (i % 2u ? 0u : x)
           : kind == 9 ? (x & 0xffffffu) | i % 4u << 30 /* four segments of the second level */
           : kind == FULL
               ? 0x10000000u + i % 16u * 0x01010101u /* each entry of a directory has too many */
           : kind == ONE  ? 0x10000000u + one_of(i) * 0x01010101u    /* but for one entry */
           : kind == LOW  ? (i % 50u ? 1u : 0u)                      /* copies of the second key */
           : kind == DEEP ? (i % 85u) * 0x03000000u + i / 85u % 300u /* most leaves are empty */
                          : 0x7fffff00u + i % 256u;
}

/* Of 64 bits: what differs is in the low word, in the high one, or in both. */
static image key_of(uint kind, uint i)
{
    const image word = word_of(kind, i);
#if CLADEI_BULK_KEY_BITS == 64
    return kind % 3u == 0 ? word << 32 | 0x54321u : kind % 3u == 1 ? word : word << 20 | word >> 7;
#else
    return word;
#endif
}

/* --- launches --------------------------------------------------------------------------------- */

static void build_begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_begin(job.heap, job.plan, job.count, job.rows, job.tiles);
}

static void build_count(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_count(job.heap, job.plan, job.level, job.rows, job.tiles, job.count, job.keys,
                           FIRST, job.other);
}

/* Of the first group's items the last to begin finds that another group had too few units. 0: it
 * has not. */
static clade_atomic_u32 others_fail;

static void build_plan(void *argument, void *local)
{
    (void)argument;
    (void)local;
    if (get_group_id(0) == 0 && clade_load_relaxed(&others_fail) > 0 &&
        clade_sub_relaxed(&others_fail, 1u) == 1u)
        clade_store_relaxed(job.plan + CLADE_BULK_STATE, CLADE_BULK_ORDINARY);
    clade_heap_build_plan(job.heap, job.plan, job.level, job.rows, job.tiles, job.count);
}

static void build_move(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_move(job.heap, job.plan, job.level, job.rows, job.tiles, job.count, job.keys,
                          FIRST, job.values, FIRST - 1, job.other, job.other_values);
}

static void build_end(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_end(job.heap, job.plan, job.count);
}

static void take_begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_begin(job.heap, job.control, job.wanted);
}

static void take_count(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_count(job.heap, job.control);
}

static void take_place(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_place(job.heap, job.control, job.wanted);
}

static void take_move(void *argument, void *local)
{
    const size_t group = get_group_id(0);
    (void)argument;
    (void)local;
    clade_heap_take_move(job.heap, job.control, job.wanted, job.keys_of[group], FIRST,
                         job.values_of[group], FIRST - 1);
}

static void take_end(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_end(job.heap, job.control, job.wanted);
}

static void launch(void (*kernel)(void *, void *))
{
    shim_launch(kernel, NULL, GROUPS, CLADEI_BULK_GROUP, 1);
}

/* --- calls ------------------------------------------------------------------------------------ */

static clade_heap_head *head(void)
{
    return (clade_heap_head *)job.heap;
}

static void begin_call(void)
{
    head()->ticket = 0;
    head()->verdict = 0;
    head()->nan = CLADE_HEAP_NO_NAN;
}

/* Of a heap as it begins: its head, the root, the nil leaf, the root's sixteen, and the next one.
 */
enum { ROOT_LEAVES = (2 + CLADE_FRONT_FAN) * CLADE_FRONT_LINE };
static uint kept[CLADE_FRONT_HEAD_WORDS + CLADE_FRONT_FAN + ROOT_LEAVES];

static void read_begin(uint *to)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    memcpy(to, job.heap, CLADE_FRONT_HEAD_WORDS * sizeof *to);
    memcpy(to += CLADE_FRONT_HEAD_WORDS, (uint *)h.entries, CLADE_FRONT_FAN * sizeof *to);
    memcpy(to + CLADE_FRONT_FAN, (uint *)h.leaves, ROOT_LEAVES * sizeof *to);
}

static void keep_empty(void)
{
    read_begin(kept);
}

static bool is_as_kept(void)
{
    static uint now[sizeof kept / sizeof kept[0]];
    read_begin(now);
    return memcmp(kept, now, sizeof kept - CLADE_FRONT_LINE * sizeof *kept) == 0;
}

/* Whether the device went the bulk way. */
static bool insert(uint kind, uint count)
{
    job.count = count;
    job.rows = CLADE_BULK_SEGMENTS_MAX(count, CLADE_HEAP_LEAF);
    job.tiles = CLADE_BULK_TILES_MAX(count, CLADE_HEAP_LEAF, CLADEI_BULK_TILE);
    job.plan =
        room(4u * (CLADE_BULK_PLAN_WORDS + 2u * job.rows * CLADE_BULK_S_WORDS + 2u * job.tiles));
    job.keys = room((FIRST + count) * sizeof(image));
    job.values = room((FIRST - 1 + count) * sizeof(uint));
    job.other = room(count * sizeof(image));
    job.other_values = room(count * sizeof(uint));
    for (uint i = 0; i < count; i++) {
        job.keys[FIRST + i] = CLADEI_BULK_DECODE(key_of(kind, i));
        job.values[FIRST - 1 + i] = i;
    }
    launch(build_begin);
    keep_empty();
    for (job.level = 0; job.level < LEVELS; job.level++) {
        launch(build_count);
        launch(build_plan);
        launch(build_move);
    }
    launch(build_end);
    const bool goes = clade_load_relaxed(job.plan + CLADE_BULK_STATE) == CLADE_BULK_GOES;
    expect((head()->ticket == CLADE_BULK_NO_MORE) == goes, "a ticket", kind, count);
    expect(goes || is_as_kept(), "what began empty is not", kind, count);
    free(job.plan);
    free(job.other);
    free(job.other_values);
    free(job.keys);
    free(job.values);
    return goes;
}

/* How many keys all pops took, beyond 2^32 from the begin on. */
static const ulong popped_before = 0x5ffffff00ul;
static ulong popped;

static clade_front_words epoch(uint at)
{
    const uint tag = job.heap[CLADE_FRONT_W_WORD] >> CLADE_FRONT_TAG_SHIFT;
    return cladei_bulk_epoch(cladei_bulk_open(job.heap), tag + at);
}

static void begin_heap(void)
{
    job.heap = host_front_new(CAPACITY, CLADE_HEAP_BATCH, CLADE_HEAP_LEAF);
    clade_store_relaxed(epoch(0) + CLADE_FRONT_E_RANK, (uint)popped_before);
    clade_store_relaxed(epoch(0) + CLADE_FRONT_E_RANK + 1, (uint)(popped_before >> 32));
    popped = popped_before;
}

static void check_heap(const char *when, uint kind, uint keys)
{
    const uint *e = (const uint *)epoch(0);
    const ulong rank = e[CLADE_FRONT_E_RANK] | (ulong)e[CLADE_FRONT_E_RANK + 1] << 32;
    const uint left = job.heap[CLADE_FRONT_W_WORD] & CLADE_FRONT_LEFT_MASK;
    expect(rank + e[CLADE_FRONT_E_COUNT] - left == popped, "keys that were popped, from",
           (uint)rank, (uint)popped);
    const char *broken = host_front_check(job.heap, CAPACITY, CLADE_HEAP_LEAF, keys);
    expect(job.heap[CLADE_FRONT_W_SIZE] == keys, "the size", job.heap[CLADE_FRONT_W_SIZE], keys);
    if (broken) {
        printf("%s: %s\n", when, broken);
        expect(0, when, kind, keys);
    }
}

/* What an insert finds when it begins: words of the root's leaves, and of the head, that say
 * nothing of an empty heap. */
static void spoil_root(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    for (uint leaf = 1; leaf <= CLADE_FRONT_FAN + 1; leaf++)
        for (uint w = 0; w < CLADE_FRONT_LINE; w++)
            if (w != CLADE_FRONT_L_STAMP)
                ((uint *)cladei_bulk_leaf(h, leaf))[w] = GUARD;
    for (uint e = 0; e < 4; e++)
        job.heap[CLADE_FRONT_W_RETIRED + e] = GUARD;
    job.heap[CLADE_FRONT_W_READY] = job.heap[CLADE_FRONT_W_BOUNDED] = GUARD;
}

/* Every word of the root's leaves, which have no keys; and of the one behind them nothing. */
static void check_root(const uint *kept_, const uint *stamps)
{
    const uint *line = kept_ + CLADE_FRONT_HEAD_WORDS + CLADE_FRONT_FAN + CLADE_FRONT_LINE;
    for (uint c = 0; c < CLADE_FRONT_FAN; c++, line += CLADE_FRONT_LINE) {
        const image low = (image)c << (CLADEI_BULK_KEY_BITS - CLADE_FRONT_BITS);
        uint words[CLADE_FRONT_LINE] = { 0 };
        words[CLADE_FRONT_L_LIMIT] = CLADE_HEAP_LEAF;
        words[CLADE_FRONT_L_STAMP] = stamps[c + 1] + 1;
        words[CLADE_FRONT_L_UP] = c;
        words[CLADE_FRONT_L_SHIFT] = CLADEI_BULK_KEY_BITS - CLADE_FRONT_BITS;
        memcpy(words + CLADE_FRONT_L_LOW, &low, sizeof low);
        for (uint w = 0; w < CLADE_FRONT_LINE; w++)
            expect(line[w] == words[w], "a word of the root's leaves", w, line[w]);
        expect(kept_[CLADE_FRONT_HEAD_WORDS + c] == (c + 1) << 1, "an entry of the root", c, 0);
    }
    for (uint e = 0; e < 4; e++)
        expect(kept_[CLADE_FRONT_W_RETIRED + e] == 0, "units that are retired", e, 0);
    expect(kept_[CLADE_FRONT_W_READY] == 0 && kept_[CLADE_FRONT_W_BOUNDED] == 0,
           "the bound of an empty heap", 0, 0);
    for (uint w = 0; w < CLADE_FRONT_LINE; w++)
        expect(w == CLADE_FRONT_L_STAMP || line[w] == GUARD, "behind the root's leaves", w,
               line[w]);
}

/* How many leaves a build has made, all in a row from the first one on; 0: not known. */
static uint leaves_made;

/* What a front's descriptor has beyond its pieces is of long ago. */
static void spoil_pieces(void)
{
    uint *e = (uint *)epoch(0);
    for (uint w = 3u * e[CLADE_FRONT_E_PIECES]; w < 3u * CLADE_FRONT_PIECES; w++)
        e[CLADE_FRONT_E_PIECE + w] = GUARD;
}

/* Each group of a pop writes to arrays of its own: each place is one group's. */
static void open_pop(uint n)
{
    for (uint g = 0; g < GROUPS; g++) {
        job.keys_of[g] = job.keys ? room((FIRST + n) * sizeof(image)) : NULL;
        job.values_of[g] = job.keys ? room((FIRST - 1 + n) * sizeof(uint)) : NULL;
    }
}

static void close_pop(uint n)
{
    for (uint i = 0; i < n && job.keys; i++) {
        uint writers = 0;
        for (uint g = 0; g < GROUPS; g++) {
            if (job.values_of[g][FIRST - 1 + i] == GUARD)
                continue;
            job.keys[FIRST + i] = job.keys_of[g][FIRST + i];
            job.values[FIRST - 1 + i] = job.values_of[g][FIRST - 1 + i];
            writers++;
        }
        expect(writers == 1, "groups that write a key", i, writers);
    }
    for (uint g = 0; g < GROUPS; g++) {
        expect(!job.keys || ((uint)job.keys_of[g][FIRST - 1] == GUARD &&
                             job.values_of[g][FIRST - 2] == GUARD),
               "before what goes", g, n);
        free(job.keys_of[g]);
        free(job.values_of[g]);
    }
}

/* The first pop after a build, as if the heap had no leaf but those: each of them is looked at.
 * With none left all the leaves there are become free. */
static bool begin_pop(ulong wanted)
{
    const uint size = job.heap[CLADE_FRONT_W_SIZE];
    uint *leaves = job.heap + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES;
    const uint leaves_before = *leaves;
    if (leaves_made > 0 && wanted < size)
        *leaves = 1 + CLADE_FRONT_FAN + leaves_made;
    leaves_made = 0;
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    job.wanted = wanted;
    job.control = room(4ull * CLADE_BULK_TAKE_WORDS(h.leaf_count, h.dir_count, CLADE_HEAP_LEAF));
    const uint n = wanted < size ? (uint)wanted : size;
    if (job.keys)
        spoil_pieces();
    open_pop(n);
    launch(take_begin);
    launch(take_count);
    launch(take_place);
    launch(take_move);
    launch(take_end);
    *leaves = leaves_before;
    const bool goes = clade_load_relaxed(job.control + CLADE_BULK_STATE) == CLADE_BULK_GOES;
    expect((head()->ticket == CLADE_BULK_NO_MORE) == goes, "a pop's ticket", (uint)wanted, goes);
    popped += goes ? n : 0u;
    close_pop(goes ? n : 0u);
    free(job.control);
    return goes;
}

static int compare(const void *a, const void *b)
{
    const image x = *(const image *)a, y = *(const image *)b;
    return (x > y) - (x < y);
}

static uint front_left(void)
{
    return job.heap[CLADE_FRONT_W_WORD] & CLADE_FRONT_LEFT_MASK;
}

/* The leaf of which a pop left some keys is the front: a leaf of the trie is frozen, one that was
 * chained stays as it was. */
static void check_front(void)
{
    const uint left = front_left(), *e = (const uint *)epoch(0);
    if (left == 0)
        return;
    const uint *piece = e + CLADE_FRONT_E_PIECE;
    const uint *run = (const uint *)cladei_bulk_leaf(cladei_bulk_open(job.heap), piece[0]);
    const uint count = run[CLADE_FRONT_L_COUNT], n = count & CLADE_FRONT_COUNT_MASK;
    expect(e[CLADE_FRONT_E_PIECES] == 1 && piece[1] + left == n, "a front's piece", piece[1], n);
    expect(run[CLADE_FRONT_L_SORTED] == n && run[CLADE_FRONT_L_LEFT] == left, "a front's run",
           run[CLADE_FRONT_L_SORTED], run[CLADE_FRONT_L_LEFT]);
    expect(count == (n | CLADE_FRONT_SPLIT) ||
               (count == (n | CLADE_FRONT_FROZEN) && run[CLADE_FRONT_L_CHAIN] == 0),
           "the leaf that was divided", count, run[CLADE_FRONT_L_CHAIN]);
}

/* Keys of a kind that are popped in some calls. */
static struct {
    const image *sorted;
    unsigned char *seen; /* values */
    uint kind, count, gone;
} popping;

static void begin_popping(uint kind, const image *sorted, uint count)
{
    popping.sorted = sorted;
    popping.seen = room(count);
    memset(popping.seen, 0, count);
    popping.kind = kind;
    popping.count = count;
    popping.gone = 0;
}

static void pop_next(uint wanted)
{
    const uint kind = popping.kind, left = popping.count - popping.gone;
    const uint n = wanted < left ? wanted : left;
    const image *sorted = popping.sorted + popping.gone;
    const uint pops = head()->pops[0];
    uint *ring = job.heap + CLADE_FRONT_W_RING_HEAD;
    const uint *tail = job.heap + CLADE_FRONT_W_RING_TAIL;
    job.keys = room((FIRST + n) * sizeof(image));
    job.values = room((FIRST - 1 + n) * sizeof(uint));
    *ring = *tail - 3u; /* leaves that were looked up ahead */
    begin_call();
    if (!begin_pop(wanted)) {
        expect(0, "a pop does not go the bulk way", kind, popping.gone);
        exit(1);
    }
    for (uint i = 0; i < n; i++) {
        const uint value = job.values[FIRST - 1 + i];
        expect(CLADEI_BULK_ENCODE(job.keys[FIRST + i]) == sorted[i], "a key", kind,
               popping.gone + i);
        expect(value < popping.count && key_of(kind, value) == sorted[i] && !popping.seen[value]++,
               "a value", kind, popping.gone + i);
    }
    expect(*ring == *tail, "leaves that were looked up before a pop", *ring, *tail);
    expect(head()->pops[0] - pops == (n + CLADE_HEAP_BATCH - 1u) / CLADE_HEAP_BATCH,
           "pops that are counted", kind, n);
    free(job.keys);
    free(job.values);
    popping.gone += n;
    check_heap("after a pop", kind, popping.count - popping.gone);
    check_front();
}

/* All in some calls: from a key on, in the middle of leaves and chains, more than there are. */
static void pop_all(uint kind, const image *sorted, uint count, uint step)
{
    begin_popping(kind, sorted, count);
    for (uint turn = 0; popping.gone < count; turn++) {
        const uint usual = turn == 3 ? count - popping.gone + 5u : step + 37u * turn;
        /* Fewer than the front has go the ordinary way. */
        pop_next(usual > front_left() ? usual : front_left());
    }
    free(popping.seen);
}

/* --- what was built --------------------------------------------------------------------------- */

/* Units that a build has made, by what refers to them; each once, and from the first one on. */
static struct {
    const image *sorted; /* the keys */
    const uint *stamps;  /* of each leaf before the build */
    unsigned char *blocks, *leaves, *dirs;
    uint count, block_count, leaf_count, dir_count;
} built;

/* How many keys lie below one, or at it. */
static uint keys_to(image key, bool with_it)
{
    uint from = 0, n = built.count;
    while (n > 0) {
        const uint half = n / 2;
        const image other = built.sorted[from + half];
        const bool below = other < key || (with_it && other == key);
        from += below ? half + 1 : 0;
        n = below ? n - half - 1 : half;
    }
    return from;
}

static uint keys_in(image low, uint shift)
{
    return keys_to((image)(low + ((1ul << shift) - 1u)), true) - keys_to(low, false);
}

/* Every word of a leaf of n keys. */
static void check_leaf(uint leaf, uint up, uint shift, image low, uint flags, uint n, uint chain)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint *line = (const uint *)cladei_bulk_leaf(h, leaf);
    uint words[CLADE_FRONT_LINE] = { 0 };
    words[CLADE_FRONT_L_COUNT] = n | flags;
    words[CLADE_FRONT_L_DONE] = words[CLADE_FRONT_L_FIRST] = n;
    words[CLADE_FRONT_L_LIMIT] = CLADE_HEAP_LEAF;
    words[CLADE_FRONT_L_STAMP] = built.stamps[leaf] + 1;
    words[CLADE_FRONT_L_UP] = up;
    words[CLADE_FRONT_L_SHIFT] = shift;
    memcpy(words + CLADE_FRONT_L_LOW, &low, sizeof low);
    words[CLADE_FRONT_L_CHAIN] = chain;
    words[CLADE_FRONT_L_BORN] = built.count;
    for (uint b = 0; b * (CLADE_HEAP_LEAF / CLADE_FRONT_BLOCKS) < n; b++) {
        const uint block = words[CLADE_FRONT_L_BLOCK + b] = line[CLADE_FRONT_L_BLOCK] + b;
        expect(block > 0 && block < h.block_count && !built.blocks[block]++, "a leaf's block", leaf,
               b);
        built.block_count++;
    }
    for (uint w = 0; w < CLADE_FRONT_LINE; w++)
        expect(line[w] == words[w], "a word of a leaf", w, line[w]);
    expect(leaf < h.leaf_count && !built.leaves[leaf]++, "a leaf twice", leaf, up);
    built.leaf_count++;
}

/* How many entries from e on share a leaf: 1 to 8, as long as it is not full. */
static uint span_of(uint e, image low, uint shift)
{
    uint bits = 0;
    while (bits < 3 && e % (2u << bits) == 0 && keys_in(low, shift + bits + 1) <= CLADEI_BULK_FULL)
        bits++;
    return bits;
}

static void check_dir(uint dir, image low, uint shift)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    for (uint e = 0, bits = 0; e < CLADE_FRONT_FAN; e += 1u << bits) {
        const uint entry = dir * CLADE_FRONT_FAN + e, ref = ((const uint *)h.entries)[entry];
        const image from = low + ((image)e << shift);
        bits = span_of(e, from, shift);
        const uint n = keys_in(from, shift + bits);
        const bool deeper = n > CLADE_HEAP_LEAF && shift > 0;
        expect((ref & 1u) == deeper, "what an entry refers to", entry, ref);
        if (deeper) {
            const uint *words = (const uint *)h.dirs + ref / 2u * CLADE_FRONT_D_WORDS;
            expect(words[CLADE_FRONT_D_UP] == entry && words[CLADE_FRONT_D_DRAINED] == 0,
                   "words of a directory", ref / 2u, entry);
            expect(ref / 2u < h.dir_count && !built.dirs[ref / 2u]++, "a directory twice", ref, 0);
            built.dir_count++;
            check_dir(ref / 2u, from, shift - CLADE_FRONT_BITS);
            continue;
        }
        for (uint i = 1; i < 1u << bits; i++)
            expect(((const uint *)h.entries)[entry + i] == ref, "entries of one leaf", entry, i);
        const uint full = n > 0 ? (n - 1) / CLADE_HEAP_LEAF : 0u, leaf = ref / 2u;
        check_leaf(leaf, entry, shift + bits, from, 0, n - full * CLADE_HEAP_LEAF,
                   full > 0 ? leaf - full : 0u);
        for (uint i = full; i > 0; i--)
            check_leaf(leaf - i, 0, 0, from, CLADE_FRONT_SPLIT, CLADE_HEAP_LEAF,
                       i > 1 ? leaf - i + 1 : 0u);
    }
}

/* The stamps of all leaves. */
static uint *read_stamps(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    uint *stamps = room(h.leaf_count * sizeof *stamps);
    for (uint leaf = 0; leaf < h.leaf_count; leaf++)
        stamps[leaf] = ((const uint *)cladei_bulk_leaf(h, leaf))[CLADE_FRONT_L_STAMP];
    return stamps;
}

/* The trie that so many keys become: its shape, and every word of its directories and leaves. */
static void check_built(const image *sorted, uint count, const uint *stamps)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    built.sorted = sorted;
    built.stamps = stamps;
    built.count = count;
    built.block_count = built.leaf_count = built.dir_count = 0;
    built.blocks = calloc(h.block_count + h.leaf_count + h.dir_count, 1);
    if (!built.blocks)
        exit(1);
    built.leaves = built.blocks + h.block_count;
    built.dirs = built.leaves + h.leaf_count;
    check_dir(0, 0, CLADEI_BULK_KEY_BITS - CLADE_FRONT_BITS);
    for (uint i = 1; i <= built.block_count; i++)
        expect(built.blocks[i], "a block that is left out", i, built.block_count);
    for (uint i = 1; i <= built.leaf_count; i++)
        expect(built.leaves[CLADE_FRONT_FAN + i], "a leaf that is left out", i, built.leaf_count);
    for (uint i = 1; i <= built.dir_count; i++)
        expect(built.dirs[i], "a directory that is left out", i, built.dir_count);
    free(built.blocks);
}

static image *sorted_keys(uint kind, uint count)
{
    image *sorted = room(count * sizeof *sorted);
    for (uint i = 0; i < count; i++)
        sorted[i] = key_of(kind, i);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted;
}

static void run(uint kind, uint count, uint step)
{
    image *sorted = sorted_keys(kind, count);
    for (uint turn = 0; turn < 2; turn++) { /* a heap that was emptied is as new */
        const uint inserts = head()->inserts[0];
        uint *stamps = read_stamps();
        begin_call();
        spoil_root();
        expect(insert(kind, count), "an insert does not go the bulk way", kind, count);
        expect(head()->inserts[0] - inserts == (count + CLADE_HEAP_BATCH - 1u) / CLADE_HEAP_BATCH,
               "inserts that are counted", kind, count);
        check_heap("after an insert", kind, count);
        check_root(kept, stamps);
        check_built(sorted, count, stamps);
        free(stamps);
        leaves_made = built.leaf_count;
        pop_all(kind, sorted, count, step);
    }
    free(sorted);
}

/* --- certain shapes --------------------------------------------------------------------------- */

/* The leaf of the trie's first keys. */
static uint first_leaf(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint *entries = (const uint *)h.entries;
    uint ref = CLADE_FRONT_DRAINED;
    for (uint entry = 0; ref == CLADE_FRONT_DRAINED || (ref & 1u) != 0; entry++) {
        ref = entries[entry];
        if (ref != CLADE_FRONT_DRAINED && (ref & 1u) != 0)
            entry = ref / 2u * CLADE_FRONT_FAN - 1u;
    }
    return ref / 2u;
}

static uint keys_of_first_leaf(void)
{
    return cladei_bulk_count(cladei_bulk_open(job.heap), first_leaf());
}

/* Pops that end where a leaf ends, so that the next one becomes the front as a whole; that leave
 * one key in the front; and of that one. */
static void pop_by_leaves(void)
{
    image *sorted = sorted_keys(0, 900);
    begin_call();
    expect(insert(0, 900), "an insert before pops by leaves", 0, 0);
    begin_popping(0, sorted, 900);
    pop_next(keys_of_first_leaf());
    expect(front_left() > 1, "a leaf that became the front", front_left(), 0);
    pop_next(front_left() + keys_of_first_leaf() - 1u);
    expect(front_left() == 1, "keys of the front", front_left(), 1);
    pop_next(1);
    pop_next(900);
    free(popping.seen);
    free(sorted);
}

static void move_leaf(uint from, uint to)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    memcpy((uint *)cladei_bulk_leaf(h, to), (uint *)cladei_bulk_leaf(h, from),
           CLADE_FRONT_LINE * sizeof(uint));
}

/* The leaf of the trie that chains others. */
static uint chaining_leaf(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    for (uint leaf = 1; leaf < h.leaf_count; leaf++) {
        const uint *line = (const uint *)cladei_bulk_leaf(h, leaf);
        if (line[CLADE_FRONT_L_CHAIN] != 0 && line[CLADE_FRONT_L_COUNT] <= CLADE_HEAP_LEAF)
            return leaf;
    }
    expect(0, "no leaf chains others", 0, 0);
    exit(1);
}

/* A chain's leaves lie in any order, and may be the first leaf or the last one. */
static void pop_a_chain(void)
{
    enum { CHAINED = 5, COUNT = CHAINED * CLADE_HEAP_LEAF + 10 };
    image *sorted = sorted_keys(1, COUNT);
    begin_call();
    expect(insert(1, COUNT), "an insert of a chain", 0, 0);
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint owner = chaining_leaf(), last = h.leaf_count - 1u;
    const uint from = ((const uint *)cladei_bulk_leaf(h, owner))[CLADE_FRONT_L_CHAIN];
    const uint chain[] = { owner, from + 4, 1, from + 2, last, from, 0 };
    move_leaf(from + 3, 1);
    move_leaf(from + 1, last);
    for (uint i = 0; i <= CHAINED; i++)
        clade_store_relaxed(cladei_bulk_leaf(h, chain[i]) + CLADE_FRONT_L_CHAIN, chain[i + 1]);
    begin_popping(1, sorted, COUNT);
    pop_next(COUNT);
    free(popping.seen);
    free(sorted);
}

/* What records of units say that nobody has is of long ago: a leaf of a directory that there never
 * was, and one of two directories that each say that they are the other's. */
static void pop_beside_old_records(void)
{
    image *sorted = sorted_keys(0, 900);
    begin_call();
    expect(insert(0, 900), "an insert beside old records", 0, 0);
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint leaf = h.leaf_count - 1u, dir[] = { h.dir_count - 1u, h.dir_count - 2u };
    clade_store_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_UP, dir[0] * CLADE_FRONT_FAN);
    clade_store_relaxed(h.entries + dir[0] * CLADE_FRONT_FAN, leaf << 1);
    for (uint i = 0; i < 2; i++) {
        const uint up = dir[1 - i] * CLADE_FRONT_FAN + 1u;
        clade_store_relaxed(h.dirs + dir[i] * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_UP, up);
        clade_store_relaxed(h.entries + up, dir[i] << 1 | 1u);
    }
    clade_store_relaxed(cladei_bulk_leaf(h, leaf - 1u) + CLADE_FRONT_L_UP, 0x40000000u);
    begin_popping(0, sorted, 900);
    pop_next(300);
    pop_next(900);
    free(popping.seen);
    free(sorted);
}

/* --- what does not go this way ---------------------------------------------------------------- */

/* Neither call changes a heap, but for these words. */
static void refused(const char *what, bool is_insert)
{
    const size_t bytes = host_front_bytes(CAPACITY, CLADE_HEAP_LEAF);
    void *before = room(bytes);
    memcpy(before, job.heap, bytes);
    job.keys = NULL;
    job.values = NULL;
    expect(!(is_insert ? insert(0, 700) : begin_pop(400)), what, is_insert, 0);
    expect(memcmp(before, job.heap, bytes) == 0, "a heap was changed", is_insert, 0);
    free(before);
}

static void refuse_word(const char *what, uint *word, uint value, bool is_insert)
{
    const uint before = *word;
    *word = value;
    refused(what, is_insert);
    *word = before;
}

static void refusals(void)
{
    static const uint locks[] = { CLADE_FRONT_W_ROUND_LEFT, CLADE_FRONT_W_IS_AHEAD,
                                  CLADE_FRONT_W_RING_LOCK, CLADE_FRONT_W_TIDY };
    for (uint is_insert = 0; is_insert < 2; is_insert++) {
        uint *word = job.heap + CLADE_FRONT_W_WORD;
        begin_call();
        if (!is_insert)
            expect(insert(0, 900), "an insert for refusals", 0, 0);
        begin_call();
        refuse_word("after a verdict", (uint *)&head()->verdict, 1, is_insert);
        for (uint i = 0; i < 4; i++)
            refuse_word("half done", job.heap + locks[i], 1, is_insert);
        refuse_word("while somebody owns the front", word, *word - CLADE_FRONT_GUARD_HIGH,
                    is_insert);
        refuse_word("more left than listed", word, *word + 1u, is_insert);
        const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
        for (uint next = 0; next < 2; next++) {
            clade_front_words e = cladei_bulk_epoch(h, (*word >> CLADE_FRONT_TAG_SHIFT) + next);
            uint *copied = (uint *)e + CLADE_FRONT_E_COPIED;
            refuse_word(next ? "the next front in use" : "keys that are not copied yet", copied,
                        *copied + 1u, is_insert);
        }
        if (!is_insert) {
            uint *leaf = (uint *)cladei_bulk_leaf(h, first_leaf());
            refuse_word("with a leaf that is not as it should be", leaf + CLADE_FRONT_L_COUNT,
                        leaf[CLADE_FRONT_L_COUNT] | CLADE_FRONT_SPLIT, 0);
            refuse_word("with keys that are on their way in", leaf + CLADE_FRONT_L_DONE,
                        leaf[CLADE_FRONT_L_DONE] - 1u, 0);
        }
        if (is_insert) {
            refuse_word("with a NaN", (uint *)&head()->nan, 3, 1);
            refuse_word("in a heap that has keys", job.heap + CLADE_FRONT_W_SIZE, 1, 1);
        }
    }
    /* A pop of fewer keys than the front has; the front is what a divided leaf left. */
    job.keys = room((FIRST + 100) * sizeof(image));
    job.values = room((FIRST - 1 + 100) * sizeof(uint));
    begin_call();
    expect(begin_pop(100), "a pop for refusals", 0, 0);
    free(job.keys);
    free(job.values);
    const uint left = front_left();
    expect(left > 1, "a front", left, 0);
    begin_call();
    job.keys = NULL;
    job.values = NULL;
    expect(!begin_pop(left - 1), "a pop of some of the front", left, 0);
    check_heap("after refusals", 0, 800);
    /* And exactly the front. */
    job.keys = room((FIRST + left) * sizeof(image));
    job.values = room((FIRST - 1 + left) * sizeof(uint));
    begin_call();
    expect(begin_pop(left), "a pop of the front", left, 0);
    check_heap("after a pop of the front", 0, 800 - left);
    free(job.keys);
    free(job.values);
}

/* The front's first piece was handed out to its last key, and its run is free again: a pop of all
 * that the front has left neither frees it once more nor looks at its blocks, which are anybody's.
 */
static void pop_after_a_piece(void)
{
    enum { GONE = 70, RUN = 200 }; /* a unit that nothing was made of */
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    uint *run = (uint *)cladei_bulk_leaf(h, RUN);
    begin_call();
    expect(insert(0, 900), "an insert before a piece", 0, 0);
    job.keys = room((FIRST + 900) * sizeof(image));
    job.values = room((FIRST - 1 + 900) * sizeof(uint));
    begin_call();
    expect(begin_pop(100), "a pop before a piece", 0, 0);
    uint *e = (uint *)epoch(0), *piece = e + CLADE_FRONT_E_PIECE;
    memset(run, 0, CLADE_FRONT_LINE * sizeof *run);
    memset(run + CLADE_FRONT_L_BLOCK, 0x5a, CLADE_FRONT_BLOCKS * sizeof *run); /* of no heap */
    expect(e[CLADE_FRONT_E_PIECES] == 1, "pieces of a front", e[CLADE_FRONT_E_PIECES], 1);
    const uint first[] = { RUN, 0, GONE, piece[0], piece[1], piece[2] + GONE };
    memcpy(piece, first, sizeof first);
    e[CLADE_FRONT_E_PIECES] = 2;
    e[CLADE_FRONT_E_COUNT] += GONE;
    e[CLADE_FRONT_E_COPIED] += GONE;
    popped += GONE;
    check_heap("before a pop behind a piece", 0, 800);
    begin_call();
    expect(begin_pop(700), "a pop behind a piece", 0, 0);
    check_heap("after a pop behind a piece", 0, 100);
    free(job.keys);
    free(job.values);
}

/* A front of two pieces, of which the first was handed out in part. */
static void pop_pieces(void)
{
    enum { PART = 10, OUT = 4 };
    image *sorted = sorted_keys(0, 900);
    begin_call();
    expect(insert(0, 900), "an insert before pieces", 0, 0);
    begin_popping(0, sorted, 900);
    pop_next(keys_of_first_leaf());
    uint *e = (uint *)epoch(0), *piece = e + CLADE_FRONT_E_PIECE;
    uint *run = (uint *)cladei_bulk_leaf(cladei_bulk_open(job.heap), piece[0]);
    expect(e[CLADE_FRONT_E_PIECES] == 1 && piece[2] > PART, "a front for two pieces", piece[2], 0);
    const uint two[] = { piece[0], piece[1], PART, piece[0], piece[1] + PART, piece[2] };
    memcpy(piece, two, sizeof two);
    e[CLADE_FRONT_E_PIECES] = 2;
    e[CLADE_FRONT_E_COPIED] += OUT;
    run[CLADE_FRONT_L_LEFT] -= OUT;
    job.heap[CLADE_FRONT_W_WORD] -= OUT;
    job.heap[CLADE_FRONT_W_SIZE] -= OUT;
    popped += OUT;
    popping.gone += OUT;
    pop_next(700);
    pop_next(900);
    free(popping.seen);
    free(sorted);
}

/* More keys than the heap has blocks for: it stays empty, and as good as new. */
static void overfull(uint kind, uint count)
{
    begin_call();
    expect(!insert(kind, count), "more than fits", kind, 0);
    check_heap("after more than fits", kind, 0);
}

/* As if there were few leaves: none is made over the nil one. */
static void few_leaves(void)
{
    uint *leaves = job.heap + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES;
    const uint before = *leaves;
    *leaves = 1 + CLADE_FRONT_FAN + 20;
    begin_call();
    expect(!insert(0, 5000), "more leaves than there are", 0, 0);
    *leaves = before;
}

/* As many leaves or directories as an insert needs, and one less. `built` has the last insert's. */
static void just_enough(void)
{
    run(1, 700, 800);
    const uint needed[] = { [CLADE_FRONT_POOL_LEAVES] = 1 + CLADE_FRONT_FAN + built.leaf_count,
                            [CLADE_FRONT_POOL_DIRS] = 1 + built.dir_count };
    for (uint pool = CLADE_FRONT_POOL_LEAVES; pool <= CLADE_FRONT_POOL_DIRS; pool++) {
        uint *units = job.heap + CLADE_FRONT_C_COUNT + pool;
        const uint before = *units;
        *units = needed[pool] - 1u;
        begin_call();
        expect(!insert(1, 700), "a unit too few", pool, needed[pool]);
        *units = needed[pool];
        begin_call();
        expect(insert(1, 700), "as many units as are needed", pool, needed[pool]);
        *units = before;
        job.keys = room((FIRST + 700) * sizeof(image));
        job.values = room((FIRST - 1 + 700) * sizeof(uint));
        begin_call();
        expect(begin_pop(700), "a pop of what has just enough", pool, 0);
        free(job.keys);
        free(job.values);
    }
}

/* Items of a group do the same, whatever a group beside theirs says meanwhile. */
static void a_group_beside_fails(void)
{
    begin_call();
    clade_store_relaxed(&others_fail, GROUP);
    expect(!insert(1, 700), "a group beside has too few units", 0, 0);
    expect(clade_load_relaxed(&others_fail) == 0, "items that have begun", GROUP, 0);
}

/* An insert, what it builds, and a pop of all; false: it does not go the bulk way. */
static bool goes_through(uint kind, uint count)
{
    image *sorted = sorted_keys(kind, count);
    uint *stamps = read_stamps();
    begin_call();
    const bool goes = insert(kind, count);
    if (goes) {
        check_built(sorted, count, stamps);
        job.keys = room((FIRST + count) * sizeof(image));
        job.values = room((FIRST - 1 + count) * sizeof(uint));
        begin_call();
        expect(begin_pop(count), "a pop of all", kind, count);
        for (uint i = 0; i < count; i++)
            expect(CLADEI_BULK_ENCODE(job.keys[FIRST + i]) == sorted[i], "a key of all", kind, i);
        free(job.keys);
        free(job.values);
    }
    free(stamps);
    free(sorted);
    return goes;
}

/* The most keys for which leaves leave room; and as many as all blocks have, and some more. */
static void as_many_as_fit(uint kind)
{
    const uint slots = cladei_bulk_open(job.heap).block_count * CLADEI_BULK_BLOCK;
    uint low = 700, high = slots;
    while (high - low > 1) {
        const uint middle = low + (high - low) / 2;
        *(goes_through(kind, middle) ? &low : &high) = middle;
    }
    overfull(kind, low + 1);
    overfull(kind, slots);
    overfull(kind, slots + 5);
}

/* --- pools ------------------------------------------------------------------------------------ */

static struct {
    uint *head; /* of a heap that has nothing but this pool */
    uint low, used;
} freed;

static void free_pool(void *argument, void *local)
{
    cladei_bulk_heap h;
    (void)argument;
    (void)local;
    memset(&h, 0, sizeof h);
    h.head = (clade_front_words)freed.head;
    cladei_bulk_free_pool(h, CLADE_FRONT_POOL_LEAVES, freed.low, freed.used);
}

/* Units 1 .. low and those after `used` are free, and no others: each word of a pool. */
static void check_pool(uint sum_count, uint units, uint low, uint used)
{
    const uint words = 32u * sum_count, sum_lines = sum_count / CLADE_FRONT_LINE + 1;
    const uint at_bits = 60, at_sums = at_bits + sum_count + 1, lines = at_sums + sum_lines + 1;
    uint *head_ = freed.head = room((size_t)lines * CLADE_FRONT_LINE * sizeof(uint));
    uint *expected = room((size_t)lines * CLADE_FRONT_LINE * sizeof(uint));
    head_[CLADE_FRONT_C_BITS + CLADE_FRONT_POOL_LEAVES] = at_bits;
    head_[CLADE_FRONT_C_SUMS + CLADE_FRONT_POOL_LEAVES] = at_sums;
    head_[CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES] = units;
    head_[CLADE_FRONT_C_SUM_COUNT + CLADE_FRONT_POOL_LEAVES] = sum_count;
    memcpy(expected, head_, (size_t)lines * CLADE_FRONT_LINE * sizeof(uint));
    uint *bits = expected + at_bits * CLADE_FRONT_LINE,
         *sums = expected + at_sums * CLADE_FRONT_LINE;
    uint *free_ = expected + CLADE_FRONT_W_FREE + CLADE_FRONT_POOL_LEAVES * CLADE_FRONT_LINE;
    memset(bits, 0, words * sizeof *bits);
    memset(sums, 0, sum_count * sizeof *sums);
    *free_ = 0;
    for (uint u = 1; u < units; u++)
        if (u <= low || u > used) {
            bits[u / 32] |= 1u << u % 32;
            sums[u / 1024] |= 1u << u / 32 % 32;
            ++*free_;
        }
    freed.low = low;
    freed.used = used;
    launch(free_pool);
    for (uint w = 0; w < lines * CLADE_FRONT_LINE; w++)
        expect(head_[w] == expected[w], "a word of a pool", units, w);
    free(head_);
    free(expected);
}

static void pools(void)
{
    static const uint units[] = { 33, 63, 64, 65, 1000, 1023, 1024 };
    for (uint i = 0; i < sizeof units / sizeof units[0]; i++) {
        check_pool(1, units[i], 0, 0);
        check_pool(1, units[i], 16, 16);
        check_pool(1, units[i], 0, units[i] - 1u);
        check_pool(1, units[i], 16, units[i] - 1u);
        check_pool(1, units[i], 31, units[i] - 2u);
        check_pool(1, units[i], 3, 31);
        check_pool(1, units[i], 3, 32);
    }
    check_pool(2, 1025, 16, 1000);
    check_pool(2, 2047, 0, 1023);
    check_pool(33, 32 * 1024 + 7, 16, 700);
    check_pool(33, 33 * 1024, 16, 33 * 1024 - 40);
}

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    host_front_key_type = KEY;
    begin_heap();
    for (uint kind = 0; kind < KINDS; kind++) {
        run(kind, 600 + 31 * kind, 260);
        if (IS_LONG)
            run(kind, 2600 + 7 * kind, 300 + 100 * kind);
    }
    for (uint count = 1; count < 300; count += count < 3 ? 1 : 91)
        run(count % 3u, count, 40);
    run(9, 4 * (5 * 64 + 1), 300); /* a tile of one key, or segments of one tile */
    /* Entries that share a leaf until it would be split soon, full leaves, full chains. */
    for (uint full = CLADEI_BULK_FULL, i = 0; i < 3; full = CLADE_HEAP_LEAF << i++)
        for (uint count = full; count < full + 2; count++)
            run(1, count, 40);
    run(9, 4 * (5 * 64 - 1), 300);
    run(5, 520, 100); /* leaves of two keys each */
    run(LOW, 700, 300);
    for (uint kind = 0; kind < 2 && IS_LONG; kind++) {
        overfull(kind, 40000);
        if (GROUP == 1) /* others would take seconds */
            as_many_as_fit(kind);
    }
    if (IS_LONG) {
        overfull(DEEP, 85 * 300);
        run(FULL, 16 * 270, 3000);
        run(ONE, 16 * 270, 3000);
    }
    run(0, 703, 300); /* the last tile lacks one key */
    few_leaves();
    a_group_beside_fails();
    just_enough();
    free(job.heap);
    begin_heap();
    pop_by_leaves();
    pop_a_chain();
    pop_beside_old_records();
    free(job.heap);
    begin_heap();
    refusals();
    free(job.heap);
    begin_heap();
    pop_after_a_piece();
    free(job.heap);
    begin_heap();
    pop_pieces();
    free(job.heap);
    pools();
    printf("bulk calls: %u wrong\n", wrong);
    return wrong != 0;
}
