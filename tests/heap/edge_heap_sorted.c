/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engines' calls over many keys at once, launched as the host does, with few and many
 * tiles: each slot, node and word of the heap afterwards is what a stable sort by a model says, and
 * a call that does not go this way leaves every byte. Keys lie in nodes in order and out of it,
 * with a root that is not full, in the buffer alone, and nowhere. Arrays are of exactly the size
 * that is used. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLADE_HEAP_KEY_TYPE    KEY
#define CLADE_HEAP_VALUE_TYPE  VALUE
#define CLADE_HEAP_ORDER       ORDER
#define CLADE_HEAP_ENGINE      1
#define CLADE_LOCAL_BYTES      32768
#define CLADE_HEAP_BATCH       8
#define CLADE_SORTED_RUN_LEAST 4u
#undef __kernel
#define __kernel static
#include "kernels/heap_sorted.cl"
#undef min
#undef max

#include "edges/edge.h"

enum {
    BATCH = 8,
    NODES = 60,
    MOST = NODES * BATCH,
    FIRST = 3,
    LEAST = 20,
    GUARD = 0x5a5a5a5a,
    HAS_VALUES = VALUE != CLADE_NONE,
    KEY_BYTES = sizeof(cladei_sorted_key),
    VALUE_BYTES = HAS_VALUES ? sizeof(cladei_sorted_value) : 0
};

struct entry {
    cladei_sorted_key image;
    cladei_sorted_value value;
};

static uint *heap, tiles;
static bool is_alone; /* inserts are one launch, */
static uint opens;    /* which opens the call, too */
static struct entry inside[MOST + 1];
static uint size;
static struct job {
    clade_atomic_u32 *plan;
    cladei_sorted_run *runs;
    cladei_sorted_key *keys[2], *array;
    cladei_sorted_value *values[2], *array_values;
    uint pass, is_pop;
    ulong count;
} job;

static clade_heap_head *head(void)
{
    return (clade_heap_head *)heap;
}

static clade_heap_node *nodes(void)
{
    return (clade_heap_node *)((char *)heap + CLADE_HEAP_NODES_AT);
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes + (bytes == 0));
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

/* --- launches --------------------------------------------------------------------------------- */

static void begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_begin(heap, job.plan, job.count, LEAST, job.is_pop);
}

static void bring(void *argument, void *local)
{
    (void)argument;
    (void)local;
    if (job.is_pop)
        clade_heap_sorted_gather(heap, job.plan, job.keys[0], job.values[0]);
    else
        clade_heap_sorted_encode(job.plan, job.array, FIRST, job.array_values, FIRST - 1,
                                 job.keys[0], job.values[0]);
}

static void find_runs(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_find_runs(job.plan, job.keys[0], job.runs);
}

static void sort_runs(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_sort_runs(job.plan, job.keys[0], job.runs, tiles);
}

static void move_runs(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_move_runs(job.plan, job.keys[0], job.values[0], job.keys[1], job.values[1],
                                job.runs);
}

static void count_digits(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_count(job.plan, job.keys[0], job.keys[1], job.pass);
}

static void scan(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_scan(job.plan, tiles);
}

static void move(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_move(job.plan, job.keys[0], job.values[0], job.keys[1], job.values[1],
                           job.pass);
}

static void finish(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_finish(heap, job.plan, job.keys[0], job.values[0], job.keys[1], job.values[1],
                             job.is_pop ? job.array : job.keys[0], job.is_pop ? FIRST : 0,
                             job.is_pop ? job.array_values : job.values[0],
                             job.is_pop ? FIRST - 1 : 0, job.count, job.is_pop);
}

static void insert_alone(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_sorted_alone(heap, job.plan, job.array, FIRST, job.array_values, FIRST - 1,
                            job.keys[0], job.values[0], job.keys[1], job.values[1], job.runs,
                            job.count, opens);
}

/* --- a heap ----------------------------------------------------------------------------------- */

static size_t heap_bytes(void)
{
    return CLADE_HEAP_VALUES_AT(NODES, BATCH, KEY_BYTES) +
           (HAS_VALUES ? CLADE_HEAP_SLOTS_BYTES(NODES, BATCH, VALUE_BYTES) : 0);
}

/* Rows begin at any place of a block (CLADEI_SORTED_BLOCK). */
enum {
    ROWS_APART = 5,
    ROWS_IN_PAIRS,
    ROWS_ALIKE,
    KINDS,
    ONE_DOWN = KINDS,
    ROW = CLADEI_SORTED_BLOCK + 1
};
static uint step_down; /* of ONE_DOWN: the key that is less than the one before */

/* Rows of keys that come one after another in the heap's order. */
static cladei_sorted_key key_in_row(uint kind, uint i)
{
    const uint row = i / ROW, at = 2u * (ORDER == CLADE_MAX ? ROW - 1u - i % ROW : i % ROW);
    const uint joins = kind == ROWS_IN_PAIRS && row % 4u == 3u ? 1u : 0u;
    const uint first = kind == ROWS_ALIKE ? 0u : (row - joins) * 7u % 31u * 1000u + joins * 8u;
    return (cladei_sorted_key)(100u + first + at);
}

static cladei_sorted_key key_of(uint kind, uint i)
{
    if (kind == ONE_DOWN)
        return clade_heap_decode((cladei_sorted_key)(i + 7u - (i == step_down ? 2u : 0u)));
    if (kind >= ROWS_APART)
        return key_in_row(kind, i);
    const uint x = (i + 1u) * 2654435761u ^ (i >> 3) * 0x85ebca6bu;
    const ulong key = kind == 0   ? (ulong)x << 32 | (x * 77u)
                      : kind == 1 ? 77u
                      : kind == 2 ? (ulong)(x & 3u) << 33 | x % 5u
                      : kind == 3 ? ~(ulong)i
                                  : (ulong)i << 12 | (ulong)i << 44;
    return (cladei_sorted_key)(KEY_BYTES == 8 || kind > 0 ? key : x);
}

static int is_before(uint i, const struct entry *of)
{
    return of[i].image < of[i - 1].image;
}

/* By insertion: stable. */
static void sort(struct entry *of, uint count)
{
    for (uint i = 1; i < count; i++)
        for (uint j = i; j > 0 && is_before(j, of); j--) {
            const struct entry kept = of[j];
            of[j] = of[j - 1];
            of[j - 1] = kept;
        }
}

static uint place_of(uint i, uint count, uint root)
{
    const uint in_nodes = count == 0 ? 0 : (count - 1) * BATCH + root;
    return i < in_nodes ? 2u * BATCH - root + i : i - in_nodes;
}

/* So many nodes, keys in the root and in the buffer; entries in order or not. */
static void make(uint kind, uint count, uint root, uint buffer, bool in_order)
{
    heap = room(heap_bytes());
    memset(heap, 0, CLADE_HEAP_NODES_AT + (NODES + 1) * sizeof(clade_heap_node));
    head()->nodes = NODES;
    head()->object.shape = CLADE_HEAP_SHAPE(KEY, VALUE, ORDER, 1, BATCH, 0);
    head()->count = count;
    head()->root = count > 0 ? root : 0;
    head()->buffer = buffer;
    head()->capacity[0] = MOST + MOST;
    head()->nan = CLADE_HEAP_NO_NAN;
    head()->ticket = 5;
    head()->inserted[0] = head()->popped[0] = 0u - 9u; /* about to wrap */
    head()->inserted[1] = head()->popped[1] = 2;
    head()->inserts[0] = head()->pops[0] = 0u - 2u;
    size = (count > 0 ? (count - 1) * BATCH + root : 0) + buffer;
    for (uint i = 0; i < size; i++)
        inside[i] = (struct entry) { key_of(kind, i), (cladei_sorted_value)(0xabcd00000000u + i) };
    if (in_order)
        sort(inside, size);
    for (uint i = 0; i < size; i++) {
        cladei_sorted_slots(heap)[place_of(i, count, root)] = inside[i].image;
        if (HAS_VALUES)
            cladei_sorted_slot_values(heap)[place_of(i, count, root)] = inside[i].value;
    }
    for (uint v = 1; v <= count; v++)
        nodes()[v].state = CLADE_HEAP_AVAIL;
}

/* Every word that the outcome has; `before` nodes were there. */
static void check_heap(uint kind, uint before)
{
    const uint count = size / BATCH, in_nodes = count * BATCH;
    expect(head()->count == count && head()->root == (count > 0 ? BATCH : 0) &&
               head()->buffer == size % BATCH,
           "the heap's words", head()->count, size);
    for (uint i = 0; i < size; i++) {
        const uint at = i < in_nodes ? BATCH + i : i - in_nodes;
        expect(cladei_sorted_slots(heap)[at] == inside[i].image, "a slot's key", kind, i);
        if (HAS_VALUES)
            expect(cladei_sorted_slot_values(heap)[at] == inside[i].value, "a slot's value", kind,
                   i);
    }
    for (uint v = 1; v <= NODES; v++) {
        const ulong last = (ulong)nodes()[v].last[1] << 32 | nodes()[v].last[0];
        expect(nodes()[v].state == (v <= count ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY),
               "a node's state", v, before);
        expect(last == (v <= count ? inside[v * BATCH - 1].image : 0), "a node's last key", v,
               count);
    }
}

/* --- one call --------------------------------------------------------------------------------- */

static void open_job(uint is_pop, uint count, uint most)
{
    job.is_pop = is_pop;
    job.count = count;
    job.plan = room(4ul * CLADE_SORTED_PLAN_WORDS(tiles));
    for (uint side = 0; side < 2; side++) {
        job.keys[side] = room(most * KEY_BYTES);
        job.values[side] = room(most * VALUE_BYTES);
    }
    job.runs = room(is_pop ? 0 : 2u * CLADE_SORTED_RUNS_MOST(most) * sizeof *job.runs);
    job.array = room((FIRST + count) * KEY_BYTES);
    job.array_values = room((FIRST - 1 + count) * sizeof(cladei_sorted_value));
}

static void close_job(void)
{
    expect((uint)job.array[FIRST - 1] == GUARD && (uint)job.array_values[FIRST - 2] == GUARD,
           "before the array", job.is_pop, (uint)job.count);
    free(job.plan);
    free(job.runs);
    for (uint side = 0; side < 2; side++) {
        free(job.keys[side]);
        free(job.values[side]);
    }
    free(job.array);
    free(job.array_values);
}

static bool varies(const struct entry *of, uint count, uint pass)
{
    for (uint i = 1; i < count; i++)
        if (cladei_sorted_digit(of[i].image, pass) != cladei_sorted_digit(of[0].image, pass))
            return true;
    return false;
}

/* Whether the keys are moved by runs. Many keys are, of rows that overlap in pairs at most; and no
 * other ones. (Few keys of any kind may be.) */
static bool launch_runs(uint kind, uint count)
{
    shim_launch(find_runs, NULL, tiles, 1, 1);
    shim_launch(sort_runs, NULL, 1, 1, 1);
    const bool goes = job.plan[CLADE_SORTED_RUNS] != 0;
    if (count == MOST)
        expect(goes == (kind == ROWS_APART || kind == ROWS_IN_PAIRS), "moved by runs", kind, tiles);
    shim_launch(move_runs, NULL, tiles, 1, 1);
    return goes;
}

/* `of`: what is sorted, as it lies. Passes in which nothing differs are left out. */
static void launch_call(uint kind, const struct entry *of, uint count, bool goes)
{
    bool unsorted = false, by_runs = false;
    uint side = 0;
    if (is_alone && !job.is_pop) {
        shim_launch(insert_alone, NULL, 1, 1, 1);
        return;
    }
    for (uint i = 1; i < count; i++)
        unsorted |= is_before(i, of);
    shim_launch(begin, NULL, 1, 1, 1);
    shim_launch(bring, NULL, tiles, 1, 1);
    if (!job.is_pop && goes)
        by_runs = launch_runs(kind, count);
    if (by_runs) {
        expect(unsorted, "runs of keys in order", kind, count);
        unsorted = false;
        side = 1;
    }
    for (job.pass = 0; job.pass < CLADE_SORTED_PASSES(KEY_BYTES); job.pass++) {
        shim_launch(count_digits, NULL, tiles, 1, 1);
        shim_launch(scan, NULL, 1, 1, 1);
        shim_launch(move, NULL, tiles, 1, 1);
        side ^= goes && unsorted && varies(of, count, job.pass);
        expect(job.plan[CLADE_SORTED_TO] == side, "a pass that is left out", job.pass, side);
    }
    expect(!goes || (job.plan[CLADE_SORTED_UNSORTED] != 0) == unsorted, "in order or not", count,
           unsorted);
    shim_launch(finish, NULL, tiles, 1, 1);
}

static void expect_count(const clade_u32 *words, ulong from, ulong more, const char *what)
{
    expect(((ulong)words[1] << 32 | words[0]) == from + more, what, words[0], (uint)more);
}

#define CAME (3ul << 32) - 9ul

static void pop(uint kind, uint wanted, bool goes)
{
    const uint n = wanted < size ? wanted : size, all = size, before = head()->count;
    char *as_was = room(heap_bytes());
    struct entry lay[MOST];
    memcpy(lay, inside, sizeof lay);
    memcpy(as_was, heap, heap_bytes());
    /* Whether they are in order is known when they were brought together. */
    const bool brought = all >= LEAST && wanted >= all / CLADE_SORTED_PART_LEAST &&
                         head()->verdict == 0 && head()->nan == CLADE_HEAP_NO_NAN;
    open_job(1, wanted, brought ? all : 0);
    launch_call(kind, lay, all, goes);
    if (!goes) {
        expect(memcmp(as_was, heap, heap_bytes()) == 0, "a pop that does not go this way", wanted,
               all);
    } else {
        const uint batches = (wanted + BATCH - 1) / BATCH, most = n / BATCH + 1;
        sort(inside, all);
        for (uint i = 0; i < n; i++) {
            expect(job.array[FIRST + i] == clade_heap_decode(inside[i].image), "a key", kind, i);
            if (HAS_VALUES)
                expect(job.array_values[FIRST - 1 + i] == inside[i].value, "a value", kind, i);
        }
        for (uint i = n; i < wanted; i++)
            expect((uint)job.array[FIRST + i] == GUARD, "written behind what it got", i, n);
        size -= n;
        memmove(inside, inside + n, size * sizeof *inside);
        check_heap(kind, before);
        expect(head()->ticket == CLADE_SORTED_NO_MORE, "the ticket", head()->ticket, 0);
        expect_count(head()->popped, CAME, n, "keys that left");
        expect_count((const clade_u32 *)head()->pops, 0xfffffffeul, batches < most ? batches : most,
                     "pops");
        expect_count(head()->inserted, CAME, 0, "keys that came, of a pop");
    }
    free(as_was);
    close_job();
    free(heap);
}

/* What the call begins with, one thing after the other. */
static void pops(uint kind, bool in_order)
{
    static const uint shapes[][3] = {
        { 0, 0, 0 }, { 0, 0, 5 }, { 1, 3, 0 },  { 3, 1, 3 },
        { 3, 8, 4 }, { 8, 5, 7 }, { 17, 8, 0 }, { NODES, 8, 0 },
    };
    for (uint s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint count = shapes[s][0], root = shapes[s][1], buffer = shapes[s][2];
        const uint all = (count > 0 ? (count - 1) * BATCH + root : 0) + buffer;
        const uint wanted[] = {
            all / 16, all / 16 - 1, all / 4, all / 4 - 1, all - 1, all, all + 9
        };
        for (uint i = 0; i < 7; i++) {
            if (wanted[i] > all + 9) /* wrapped */
                continue;
            make(kind, count, root, buffer, in_order);
            bool sorted = true;
            for (uint j = 1; j < all; j++)
                sorted &= !is_before(j, inside);
            pop(kind, wanted[i],
                all >= LEAST && wanted[i] >= all / 16 && (wanted[i] >= all / 4 || sorted));
        }
    }
}

/* The caller's keys are as they were. If these are not in order, or if nobody looked at all of them
 * before the first was written, their images lie in order on the side that the plan says; and
 * nothing of the heap has changed. */
static void check_handed_on(const struct entry *lay, uint count, const char *as_was)
{
    struct entry sorted[MOST];
    const uint side = job.plan[CLADE_SORTED_TO];
    bool in_order = true;
    expect(memcmp(as_was, heap, heap_bytes()) == 0, "a heap whose insert is handed on", count, 0);
    memcpy(sorted, lay, sizeof sorted);
    sort(sorted, count);
    for (uint i = 1; i < count; i++)
        in_order &= !is_before(i, lay);
    expect(side <= CLADE_SORTED_RAW && (side == CLADE_SORTED_RAW) == (is_alone && in_order),
           "the side of sorted keys", side, count);
    for (uint i = 0; i < count; i++) {
        expect(clade_heap_encode(job.array[FIRST + i]) == lay[i].image, "the caller's key", i,
               count);
        if (side >= CLADE_SORTED_RAW)
            continue;
        expect(job.keys[side][i] == sorted[i].image, "a key in order", i, count);
        if (HAS_VALUES)
            expect(job.values[side][i] == sorted[i].value, "its value", i, count);
    }
}

/* What an earlier call left. */
static void spoil_call(void)
{
    head()->verdict = (uint)CLADE_E_ARG;
    head()->nan = 3;
    head()->base[0] = head()->base[1] = 6;
}

/* A call's words as it begins. */
static void open_call(clade_heap_head *of, uint count)
{
    const clade_i32 verdict = of->repair != 0                  ? CLADE_E_BUSY
                              : size + count > of->capacity[0] ? CLADE_E_FULL
                                                               : CLADE_OK;
    of->verdict = (uint)verdict;
    of->nan = CLADE_HEAP_NO_NAN;
    of->ticket = 0;
    of->base[0] = of->popped[0];
    of->base[1] = of->popped[1];
    if (verdict != CLADE_OK) {
        of->object.first_error = (uint)verdict;
        of->object.first_error_item = 0;
        of->refused[0]++;
    }
}

static void insert(uint kind, uint count, bool goes)
{
    char *as_was = room(heap_bytes());
    const uint before = head()->count, hands_on = size > 0;
    if (opens)
        spoil_call();
    memcpy(as_was, heap, heap_bytes());
    if (opens)
        open_call((clade_heap_head *)as_was, count);
    open_job(0, count, goes ? count : 0);
    struct entry lay[MOST];
    for (uint i = 0; i < count; i++) {
        job.array[FIRST + i] = key_of(kind, i);
        job.array_values[FIRST - 1 + i] = (cladei_sorted_value)(0x1234500000000u + i);
        lay[i] = (struct entry) { clade_heap_encode(job.array[FIRST + i]),
                                  job.array_values[FIRST - 1 + i] };
    }
    launch_call(kind, lay, count, goes);
    if (!goes) {
        expect(memcmp(as_was, heap, heap_bytes()) == 0, "an insert that does not go this way",
               count, 0);
    } else if (hands_on) {
        check_handed_on(lay, count, as_was);
    } else if (count > 0) {
        memcpy(inside, lay, sizeof lay);
        sort(inside, size = count);
        check_heap(kind, before);
        expect(head()->ticket == CLADE_SORTED_NO_MORE, "the ticket", head()->ticket, 0);
        expect_count(head()->inserted, CAME, count, "keys that came");
        expect_count((const clade_u32 *)head()->inserts, 0xfffffffeul, (count + BATCH - 1) / BATCH,
                     "inserts");
        expect_count(head()->popped, CAME, 0, "keys that left, of an insert");
    }
    free(as_was);
    close_job();
    free(heap);
}

static void inserts(uint kind)
{
    static const uint counts[] = { 0, 1, 2, BATCH - 1, BATCH, BATCH + 1, 100, MOST };
    for (uint i = 0; i < sizeof counts / sizeof *counts; i++) {
        make(kind, 0, 0, 0, true);
        insert(kind, counts[i], true);
    }
    for (uint i = 0; i < sizeof counts / sizeof *counts; i++) {
        make(kind, 0, 0, 1, true);
        insert(kind, counts[i], true);
        make(kind, 1, 1, 0, true);
        insert(kind, counts[i], true);
        make(kind, 9, 5, 3, false);
        insert(kind, counts[i], true);
    }
}

/* Keys that ascend but for one step down, at any place around blocks of them. */
static void one_step_down(void)
{
    static const uint counts[] = { 2, 63, 64, 65, 66, 129, 200 };
    for (uint c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint at = 1; at < counts[c]; at++) {
            step_down = at;
            make(0, 3, BATCH, 2, true);
            insert(ONE_DOWN, counts[c], true);
        }
}

/* What the launch that opens the call refuses: more keys than there is room for, by one; and any
 * while a repair is due. */
static void refused_at_once(void)
{
    static const uint nodes_before[] = { 0, 3 };
    for (uint i = 0; i < 2; i++) {
        make(0, nodes_before[i], BATCH, 2, true);
        head()->capacity[0] = size + 50;
        insert(0, 50, true);
        make(0, nodes_before[i], BATCH, 2, true);
        head()->capacity[0] = size + 49;
        insert(0, 50, false);
        make(0, nodes_before[i], BATCH, 2, true);
        head()->repair = CLADE_HEAP_REPAIR_WALK;
        insert(0, 50, false);
    }
}

/* The call was refused before, or has a key that is not a number. */
static void refusals(void)
{
    make(0, 0, 0, 0, true);
    head()->verdict = 1;
    insert(0, 50, false);
    make(0, 0, 0, 0, true);
    head()->nan = 3;
    insert(0, 50, false);
    make(0, 3, 8, 0, true);
    head()->verdict = 1;
    insert(0, 50, false);
    make(0, 9, 8, 0, true);
    head()->verdict = 1;
    pop(0, 50, false);
    make(0, 9, 8, 0, true);
    head()->nan = 0;
    pop(0, 50, false);
    make(0, 2, 8, LEAST - 2 * BATCH - 1, true); /* one key too few */
    pop(0, LEAST, false);
    make(0, 2, 8, LEAST - 2 * BATCH, true);
    pop(0, LEAST, true);
}

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    for (tiles = 1; tiles <= 7; tiles += 3) {
        for (uint kind = 0; kind < KINDS; kind++) {
            inserts(kind);
            pops(kind, true);
            pops(kind, false);
        }
        refusals();
    }
    is_alone = true;
    tiles = 1;
    for (uint kind = 0; kind < KINDS; kind++)
        inserts(kind);
    refusals();
    one_step_down();
    opens = 1;
    for (uint kind = 0; kind < KINDS; kind++)
        inserts(kind);
    refused_at_once();
    printf("sorted calls: %u wrong\n", wrong);
    return wrong != 0;
}
