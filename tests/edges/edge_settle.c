/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaiming, by the lists' own kernels, an item a group: chains, free cells, counts and shortcuts
 * against a model, over heads that say something else before. A run of erased nodes is shortened by
 * so much and no more, and one that runs in a circle ends. Shortcuts are sorted, and nothing is
 * written behind them. */
#include "host/device.h"

#include "clade/atomic.clh"
#include "harness/end_after.h"

/* Groups of one item, on one thread: local memory is static, so that the sanitizer sees its ends (it
 * does not see those of a thread's own). */
#undef __kernel
#define __kernel static
#undef __local
#define __local               static
#define CLADE_LIST_VALUE_BITS 32
#include "kernels/list.cl"
#define is_erased is_erased_from_dlist
#define free_cell free_cell_of_dlist
#include "kernels/dlist.cl"
#undef min
#undef max

#include "edges/edge.h"

enum { CAPACITY = 700, HINTS = 9000, RUN = 600 };

static struct {
    clade_dlist_head head;
    uint cells[CAPACITY * CLADE_DLIST_CELL];
    uint free[CAPACITY];
} d;
static struct {
    clade_list_head head;
    uint cells[CAPACITY * 4];
    uint free[CAPACITY];
    uint hints[2][2 * HINTS + 2 * 1024];
} l;
static uint is_live[CAPACITY + 1];

#define FOR_ITEMS(count, call)                                                            \
    do {                                                                                  \
        shim_self = (struct shim_item) { .local_size = 1, .groups = (count) };            \
        for (; shim_self.global_id < (count); shim_self.group_id = ++shim_self.global_id) \
            call;                                                                         \
        shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };                  \
    } while (0)

/* What no reclaiming left: it has to begin with. */
static void spoil(clade_cells_stripe *stripes)
{
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        stripes[i].taken = i + 1u;
}

/* The free array holds each cell that is not live, once. */
static void check_free(const uint *cells, uint count, uint live)
{
    uint seen[CAPACITY + 1] = { 0 };
    expect(count == CAPACITY - live, "free cells", count, CAPACITY - live);
    for (uint i = 0; i < count && i < CAPACITY; i++) {
        expect(cells[i] >= 1 && cells[i] <= CAPACITY && !is_live[cells[i]] && !seen[cells[i]],
               "a free cell", i, cells[i]);
        seen[cells[i] <= CAPACITY ? cells[i] : 0] = 1;
    }
}

/* --- doubly linked ---------------------------------------------------------------------------- */

static void check_dlist(const clade_ref *order, uint live);

/* Cleared, whatever was there. */
static void make_dlist(void)
{
    memset(&d, 0x77, sizeof d);
    d.head.object.shape = CLADE_DLIST_SHAPE;
    d.head.capacity = CAPACITY;
    d.head.nodes_at = (uint)((uint *)d.cells - (uint *)&d);
    d.head.free_at = (uint)((uint *)d.free - (uint *)&d);
    FOR_ITEMS(CAPACITY, clade_dlist_clear(&d.head));
    memset(is_live, 0, sizeof is_live);
    check_dlist(NULL, 0);
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(d.head.stripes[i].insert_collisions == 0 && d.head.stripes[i].erase_collisions == 0,
               "collisions", i, d.head.stripes[i].insert_collisions);
}

static uint fill_dlist(uint count, uint live_in_16)
{
    uint live = 0;
    for (uint i = 0; i < count; i++) {
        clade_ref node, after = CLADE_NIL;
        for (uint tries = 0; tries < 4 && !is_live[after]; tries++)
            after = draw(CAPACITY + 1);
        expect(clade_dlist_insert_after_wi(&d.head, is_live[after] ? after : CLADE_NIL, i, &node) ==
                   CLADE_OK,
               "insert", i, node);
        is_live[node] = 1;
    }
    for (clade_ref node = 1; node <= CAPACITY; node++) {
        ulong value;
        if (is_live[node] && draw(16) >= live_in_16) {
            /* Only marked, as by an item that has not come further. */
            if (draw(2))
                clade_or_relaxed(clade_dlist_link(&d.head, node), CLADE_DLIST_ERASED);
            else
                clade_dlist_erase_wi(&d.head, node, &value);
            is_live[node] = 0;
        }
        live += is_live[node];
    }
    return live;
}

static void check_dlist(const clade_ref *order, uint live)
{
    clade_ref before = CLADE_NIL;
    for (uint i = 0; i <= live; i++) {
        const clade_ref node = i < live ? order[i] : CLADE_NIL;
        expect(clade_load_relaxed(clade_dlist_link(&d.head, before)) ==
                   node << CLADE_DLIST_REF_SHIFT,
               "next of", before, node);
        expect(clade_load_relaxed(clade_dlist_back(&d.head, node)) == before, "before", node,
               before);
        before = node;
    }
    for (clade_ref node = 1; node <= CAPACITY; node++)
        expect(is_live[node] ||
                   clade_load_relaxed(clade_dlist_link(&d.head, node)) == CLADE_DLIST_CELL_FREE,
               "a cell that is not free", node, 0);
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(d.head.stripes[i].taken == 0, "dealt out", i, d.head.stripes[i].taken);
    expect(d.head.live == live && d.head.planted == CLADE_NIL, "live", d.head.live, live);
    check_free(d.free, d.head.free_count, live);
}

static void reclaim_dlist(void)
{
    clade_ref order[CAPACITY + 1], node = CLADE_NIL;
    make_dlist();
    const uint live = fill_dlist(draw(4) ? draw(CAPACITY) : CAPACITY, draw(17));
    uint n = 0;
    for (uint hops = 0; hops <= CAPACITY; hops++) {
        node = clade_load_relaxed(clade_dlist_link(&d.head, node)) >> CLADE_DLIST_REF_SHIFT;
        if (node == CLADE_NIL)
            break;
        if (is_live[node])
            order[n++] = node;
    }
    expect(n == live, "live nodes in the chain", n, live);
    spoil(d.head.stripes);
    d.head.live = d.head.planted = 77;
    for (uint i = draw(3); i > 0; i--)
        FOR_ITEMS(CAPACITY + 1, clade_dlist_shorten(&d.head));
    FOR_ITEMS(CAPACITY + 9, clade_dlist_relink(&d.head));
    FOR_ITEMS(CAPACITY + 9, clade_dlist_sweep(&d.head, 1u));
    check_dlist(order, live);
    d.head.live = 0;
    FOR_ITEMS(CAPACITY + 9, clade_dlist_sweep(&d.head, 0u));
    check_dlist(order, live);
}

/* Node i leads to i + 1; all but the last are erased. One item leads the first one so far on. */
static void shorten_a_run(void)
{
    make_dlist();
    for (clade_ref i = 1; i <= RUN; i++)
        clade_store_relaxed(clade_dlist_link(&d.head, i),
                            (i < RUN ? (i + 1u) << CLADE_DLIST_REF_SHIFT : 0u) |
                                (i < RUN ? CLADE_DLIST_ERASED : 0u));
    FOR_ITEMS(1, clade_dlist_shorten(&d.head));
    expect(clade_load_relaxed(clade_dlist_link(&d.head, 1)) ==
               ((CLADE_DLIST_SKIP_HOPS + 2u) << CLADE_DLIST_REF_SHIFT | CLADE_DLIST_ERASED),
           "led on to", clade_load_relaxed(clade_dlist_link(&d.head, 1)) >> CLADE_DLIST_REF_SHIFT,
           0);
    for (clade_ref i = 1; i <= 3; i++) /* a circle */
        clade_store_relaxed(clade_dlist_link(&d.head, i),
                            (i % 3u + 1u) << CLADE_DLIST_REF_SHIFT | CLADE_DLIST_ERASED);
    FOR_ITEMS(3, clade_dlist_shorten(&d.head));
    memset(&l, 0, sizeof l);
    l.head.object.shape = CLADE_LIST_SHAPE(0, 1, 1, 0);
    l.head.capacity = CAPACITY;
    l.head.nodes_at = (uint)((uint *)l.cells - (uint *)&l);
    for (clade_ref i = 1; i <= RUN; i++)
        clade_store_relaxed(clade_list_link(&l.head, i),
                            (i < RUN ? (i + 1u) << CLADE_LIST_REF_SHIFT : 0u) |
                                (i < RUN ? CLADE_LIST_ERASED : 0u));
    FOR_ITEMS(1, clade_list_skip(&l.head, NULL));
    expect(clade_load_relaxed(clade_list_link(&l.head, 1)) ==
               ((CLADE_LIST_SKIP_HOPS + 2u) << CLADE_LIST_REF_SHIFT | CLADE_LIST_ERASED),
           "led on to", clade_load_relaxed(clade_list_link(&l.head, 1)) >> CLADE_LIST_REF_SHIFT, 1);
    for (clade_ref i = 1; i <= 3; i++)
        clade_store_relaxed(clade_list_link(&l.head, i),
                            (i % 3u + 1u) << CLADE_LIST_REF_SHIFT | CLADE_LIST_ERASED);
    FOR_ITEMS(3, clade_list_skip(&l.head, NULL));
}

/* --- singly linked ---------------------------------------------------------------------------- */

static void make_list(uint hints)
{
    memset(&l, 0x77, sizeof l);
    memset(l.hints, 0, sizeof l.hints);
    l.head.object.shape = CLADE_LIST_SHAPE(0, 1, 1, 0);
    l.head.capacity = CAPACITY;
    l.head.nodes_at = (uint)((uint *)l.cells - (uint *)&l);
    l.head.free_at = (uint)((uint *)l.free - (uint *)&l);
    l.head.index_at = (uint)((uint *)l.hints[0] - (uint *)&l);
    l.head.index_size = hints;
    FOR_ITEMS(CAPACITY, clade_list_clear(&l.head, NULL));
    memset(is_live, 0, sizeof is_live);
    expect(l.head.first == 0 && l.head.planted == CLADE_NIL && l.head.live == 0, "cleared",
           l.head.first, l.head.live);
    expect(l.head.hint_count == 0 && l.head.hints_at == l.head.index_at, "cleared shortcuts",
           l.head.hint_count, l.head.hints_at);
    check_free(l.free, l.head.free_count, 0);
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(l.head.stripes[i].taken == 0 && l.head.stripes[i].insert_collisions == 0 &&
                   l.head.stripes[i].erase_collisions == 0, "cleared counts", i, l.head.stripes[i].taken);
    for (clade_ref node = 1; node <= CAPACITY; node++)
        expect(clade_load_relaxed(clade_list_link(&l.head, node)) == CLADE_LIST_CELL_FREE,
               "a cell that is not free", node, 0);
}

/* Keys 3 * i + 1, each once, in any order; some are erased, some only marked. */
static uint fill_list(uint count, uint live_in_16)
{
    uint live = 0;
    for (uint i = 0; i < count; i++)
        expect(clade_list_insert_wi(&l.head, (i * 7919u % CAPACITY) * 3u + 1u, i) == CLADE_OK,
               "insert", i, 0);
    for (clade_ref node = 1; node <= CAPACITY; node++) {
        uint value;
        if (clade_load_relaxed(clade_list_link(&l.head, node)) == CLADE_LIST_CELL_FREE)
            continue;
        is_live[node] = draw(16) < live_in_16;
        if (!is_live[node] && draw(2))
            clade_or_relaxed(clade_list_link(&l.head, node), CLADE_LIST_ERASED);
        else if (!is_live[node])
            clade_list_erase_wi(&l.head, clade_list_key(&l.head, node), &value);
        live += is_live[node];
    }
    return live;
}

static void reclaim_list(void)
{
    clade_ref node = CLADE_NIL;
    const uint hints = draw(3) ? CAPACITY : draw(40);
    make_list(hints);
    const uint live = fill_list(draw(4) ? draw(CAPACITY) : CAPACITY, draw(17));
    uint n = 0, sampled = 0, last = 0;
    spoil(l.head.stripes);
    l.head.live = l.head.planted = l.head.hint_count = 77;
    for (uint i = draw(3); i > 0; i--)
        FOR_ITEMS(CAPACITY + 1, clade_list_skip(&l.head, NULL));
    FOR_ITEMS(CAPACITY + 9, clade_list_relink(&l.head, NULL));
    FOR_ITEMS(CAPACITY + 9, clade_list_sweep(&l.head, NULL, l.head.index_at));
    for (uint hops = 0; hops <= CAPACITY; hops++) {
        const uint link = clade_load_relaxed(clade_list_link(&l.head, node));
        expect(!(link & CLADE_LIST_MARKS), "a mark in the chain", node, link);
        node = link >> CLADE_LIST_REF_SHIFT;
        if (node == CLADE_NIL)
            break;
        expect(is_live[node] && clade_list_key(&l.head, node) > last, "the chain", node, last);
        last = clade_list_key(&l.head, node);
        n++;
    }
    expect(n == live && l.head.live == live && l.head.planted == CLADE_NIL, "live", n, live);
    check_free(l.free, l.head.free_count, live);
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(l.head.stripes[i].taken == 0, "dealt out", i, l.head.stripes[i].taken);
    for (uint i = 0; i < l.head.hint_count && i < hints; i++) {
        const clade_ref hinted = l.hints[0][2 * i + 1];
        expect(hinted >= 1 && hinted <= CAPACITY && is_live[hinted] &&
                   l.hints[0][2 * i] == clade_list_key(&l.head, hinted),
               "a shortcut", i, hinted);
        sampled++;
    }
    expect(hints == 0 || live < 200 || sampled > 0, "no shortcuts", live, sampled);
    for (uint i = 2 * hints; i < 2 * HINTS; i++)
        expect(l.hints[0][i] == 0, "written behind the shortcuts", i, l.hints[0][i]);
}

/* Shortcuts with keys in any order, 0 and the largest among them: sorted by blocks, then merged. */
static void sort_hints(uint total)
{
    uint from = 0, guards = 0;
    make_list(HINTS);
    l.head.hint_count = total;
    for (uint i = 0; i < total; i++) {
        l.hints[0][2 * i] =
            i == total / 2 ? 0xffffffffu : (i * 40503u + 7u) % 65537u; /* all differ */
        l.hints[0][2 * i + 1] = l.hints[0][2 * i] ^ 0x5aa5u;
    }
    FOR_ITEMS((total + CLADE_LIST_BLOCK - 1u) / CLADE_LIST_BLOCK + 1u,
              clade_list_sort(&l.head, NULL));
    for (uint run = CLADE_LIST_BLOCK; run < total; run *= CLADE_LIST_WAYS, from = 1u - from) {
        memset(l.hints[1u - from], 0, sizeof l.hints[0]);
        memset(l.hints[from] + 2 * total, 0, sizeof l.hints[0] - 8u * total);
        FOR_ITEMS((total + 511u) / 256u * 256u,
                  clade_list_merge(&l.head, NULL, (uint)(l.hints[from] - (uint *)&l),
                                   (uint)(l.hints[1u - from] - (uint *)&l), run));
    }
    for (uint i = 0; i < total; i++) {
        const uint key = l.hints[from][2 * i];
        expect(i == 0 || l.hints[from][2 * i - 2] < key, "a shortcut's place", total, i);
        expect(l.hints[from][2 * i + 1] == (key ^ 0x5aa5u), "a shortcut's node", total, i);
    }
    for (uint i = 2 * total; i < 2 * total + 1024; i++)
        guards += l.hints[from][i] != 0;
    expect(guards == 0, "written behind the last shortcut", total, guards);
    expect(l.head.hint_count == total, "shortcuts", l.head.hint_count, total);
}

int main(void)
{
    static const uint totals[] = { 0, 1, 2, 511, 512, 513, 700, 1024, 1300, 8192, 8300, 9000 };
    random_state = shim_seed();
    end_after(60);
    for (uint round = 0; round < 30; round++) {
        reclaim_dlist();
        reclaim_list();
    }
    shorten_a_run();
    for (uint i = 0; i < sizeof totals / sizeof *totals; i++)
        sort_hints(totals[i]);
    printf("reclaiming: %u wrong\n", wrong);
    return wrong != 0;
}
