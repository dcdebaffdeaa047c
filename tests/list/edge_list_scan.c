/* SPDX-License-Identifier: Apache-2.0 */
/* What a search of the unordered list's index may see while others insert and erase nodes of its
 * value, in every order of their steps and its own. A node is entered, then live, then erased, or
 * dropped before. `may_be` holds all states of all nodes that fit to what was seen until now. What
 * a load gives is chosen among what these have there, in all ways, one after the other. While some
 * node is live at each moment, a search may not say that there is none; where none ever is, not
 * that there is one. */
#define CLADE_SPIN_LIMIT 40u
#include "host/device.h"

#include "clade/atomic.clh"

static uint observe(const volatile void *word);
#define clade_load_consume(at) observe(at)
#define CLADE_LIST             edge
#include "clade/list.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { NODES = 4, STRANGER = NODES + 1, CELLS = 8, WORDS = 2, SLOTS = 8, STATES = 1 << 2 * NODES };
enum { ABSENT, PENDING, LIVE, ERASED }; /* two bits for each node of a state */

static struct {
    clade_list_head head;
    uint cells[CELLS * WORDS];
    uint index[SLOTS];
} memory;
static uint value, home; /* what is looked for, and its slot */
static bool is_live_always, may_be[STATES];

/* What was chosen of how many, one choice after the other. */
static struct {
    uint taken, of;
} choices[200];
static uint choice_count, depth;

static uint status_in(uint state, uint node)
{
    return state >> 2 * (node - 1) & 3u;
}

/* Slots are taken in their order. */
static bool is_state(uint state)
{
    bool any = false;
    for (uint node = 1; node <= NODES; node++) {
        any |= status_in(state, node) == LIVE;
        if (node > 1 && status_in(state, node) != ABSENT && status_in(state, node - 1) == ABSENT)
            return false;
    }
    return any == is_live_always;
}

static void add(uint state)
{
    may_be[state] |= is_state(state);
}

/* Others go on from each state. A step makes the state's number greater. */
static void go_on(void)
{
    for (uint state = 0; state < STATES; state++)
        for (uint node = 1; node <= NODES && may_be[state]; node++) {
            const uint status = status_in(state, node), one = 1u << 2 * (node - 1);
            if (status != ERASED)
                add(state + one);
            if (status == PENDING)
                add(state + 2 * one); /* dropped */
        }
}

static uint choose(uint of)
{
    if (depth == choice_count)
        choices[choice_count++].taken = 0;
    choices[depth].of = of;
    return choices[depth++].taken;
}

/* One of the statuses that a node may have, of which those that look alike are one. */
static uint see(uint node, bool is_slot)
{
    uint kinds[4], n = 0;
    bool there[4] = { false };
    go_on();
    for (uint state = 0; state < STATES; state++)
        if (may_be[state])
            there[is_slot ? status_in(state, node) != ABSENT : status_in(state, node)] = true;
    for (uint kind = 0; kind < 4; kind++)
        if (there[kind])
            kinds[n++] = kind;
    const uint seen = n > 0 ? kinds[choose(n)] : 0;
    for (uint state = 0; state < STATES; state++)
        if ((is_slot ? status_in(state, node) != ABSENT : status_in(state, node)) != seen)
            may_be[state] = false;
    return seen;
}

/* The stranger's slot is the second one. */
static uint observe(const volatile void *word)
{
    static const uint marks[] = { CLADE_LIST_CELL_FREE, CLADE_LIST_PENDING, 0, CLADE_LIST_ERASED };
    const uint *const at = (const uint *)word;
    if (at >= memory.index && at < memory.index + SLOTS) {
        const uint slot = ((uint)(at - memory.index) - home) & (SLOTS - 1u);
        const uint node = slot == 0 ? 1 : slot;
        if (slot == 1)
            return STRANGER;
        return node <= NODES && see(node, true) ? node : CLADE_NIL;
    }
    const uint node = (uint)(at - memory.cells) / WORDS + 1u;
    expect(at >= memory.cells && node <= NODES, "a word that a search does not look at", node, 0);
    const uint seen = see(node, false);
    expect(seen != ABSENT, "a link of no node", node, seen);
    return marks[seen];
}

static void make(void)
{
    for (value = 1; edge_slot(value) % SLOTS != SLOTS - 2u; value++)
        ;
    home = SLOTS - 2u; /* so that slots come round */
    memory.head.object.shape = CLADE_LIST_SHAPE(1, 1, 0, 0);
    memory.head.capacity = CELLS / 2;
    memory.head.nodes_at = offsetof(__typeof__(memory), cells) / 4;
    memory.head.index_at = offsetof(__typeof__(memory), index) / 4;
    memory.head.index_size = SLOTS;
    for (uint node = 1; node <= CELLS; node++)
        memory.cells[(node - 1) * WORDS + 1] = value + (node == STRANGER);
}

/* The next row of choices, in order. */
static bool is_another(void)
{
    while (choice_count > 0 && choices[choice_count - 1].taken + 1 == choices[choice_count - 1].of)
        choice_count--;
    if (choice_count > 0)
        choices[choice_count - 1].taken++;
    return choice_count > 0;
}

static uint search_all(bool live, int wanted)
{
    uint searches = 0;
    is_live_always = live;
    choice_count = 0;
    do {
        depth = 0;
        for (uint state = 0; state < STATES; state++)
            may_be[state] = is_state(state);
        const int got = edge_contains_value_wi(&memory.head, value);
        expect(got == wanted, "a search", (uint)got, searches);
        searches++;
    } while (is_another());
    return searches;
}

int main(void)
{
    make();
    const uint found = search_all(true, CLADE_OK);
    const uint vain = search_all(false, CLADE_E_NOT_FOUND);
    expect(found > 50 && vain > 100, "searches", found, vain);
    printf("searches of the index beside others: %u and %u, %u wrong\n", found, vain, wrong);
    return wrong != 0;
}
