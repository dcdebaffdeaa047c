/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of each type (-DCLADE_PATHS_LENGTH=): where they end, their sums and buckets; and what
 * users' kernels may do with those of a search: lower one, and read one. Programs on host threads
 * search with 32-bit integers alone. */
#include "host/device.h"

#include <math.h>

#include "paths/vectors.h"

#include "clade/paths.clh"
#undef min
#undef max

#include "edges/edge.h"

#define CHECK(holds) expect((holds), #holds, __LINE__, 0)

enum { NODES = 5, SLOTS = 2, LINES = 8 };

static struct {
    clade_paths_head head;
    uint slots[SLOTS][LINES * 16];
} it, before;

static void make(void)
{
    memset(&it, 0, sizeof it);
    it.head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_LENGTH);
    it.head.nodes = NODES;
    it.head.slots = SLOTS;
    it.head.slot_lines = LINES;
    before = it;
}

static cladei_length *label_of(uint slot, uint node)
{
    return (cladei_length *)(void *)(it.slots[slot] + sizeof(clade_paths_slot) / 4u) + node;
}

static bool is_as_it_was(void)
{
    const bool same = memcmp(&it, &before, sizeof it) == 0;
    before = it;
    return same;
}

#if CLADE_PATHS_LENGTH == CLADE_PATHS_F32
static const cladei_length greatest = 0x7f7fffffu;
static const cladei_length none_of_these[] = { 0x7f800000u, 0x7f800001u, 0x7fc00000u,
                                               0x80000000u, 0xbf800000u, 0xffffffffu };
#elif CLADE_PATHS_LENGTH == CLADE_PATHS_U64
static const cladei_length greatest = 0x7ffffffffffffffful;
static const cladei_length none_of_these[] = { 1ul << 63, (1ul << 63) + 5u, ~0ul };
#else
static const cladei_length greatest = 0xfffffffeu;
static const cladei_length none_of_these[] = { 0xffffffffu };
#endif

static cladei_length a_length(uint units)
{
#if CLADE_PATHS_LENGTH == CLADE_PATHS_F32
    return as_uint((float)units);
#else
    return units;
#endif
}

static void lower(void)
{
    make();
    for (uint slot = 0; slot < SLOTS; slot++)
        for (uint node = 0; node < NODES; node++) {
            cladei_length *label = label_of(slot, node);
            *label = CLADEI_LENGTH_NONE;
            before = it;
            for (uint i = 0; i < sizeof none_of_these / sizeof none_of_these[0]; i++)
                CHECK(!clade_paths_lower_wi(&it.head, slot, node, none_of_these[i]));
            CHECK(is_as_it_was());
            CHECK(clade_paths_lower_wi(&it.head, slot, node, greatest) && *label == greatest);
            CHECK(clade_paths_lower_wi(&it.head, slot, node, a_length(9)) && *label == a_length(9));
            CHECK(!clade_paths_lower_wi(&it.head, slot, node, a_length(9)));
            CHECK(!clade_paths_lower_wi(&it.head, slot, node, a_length(10)));
            CHECK(*label == a_length(9));
            CHECK(clade_paths_lower_wi(&it.head, slot, node, a_length(8)) && *label == a_length(8));
            CHECK(clade_paths_lower_wi(&it.head, slot, node, 0) && *label == 0);
        }
    CHECK(!clade_paths_lower_wi(&it.head, SLOTS, 0, 0));
    CHECK(!clade_paths_lower_wi(&it.head, 0, NODES, 0));
    it.head.object.shape ^= 1u;
    before = it;
    CHECK(!clade_paths_lower_wi(&it.head, 0, 0, 0) && is_as_it_was());
}

/* Of a search that is done, and of no other. */
static void read_lengths(void)
{
    make();
    for (uint slot = 0; slot < SLOTS; slot++) {
        clade_paths_slot *its = (clade_paths_slot *)(void *)it.slots[slot];
        for (uint node = 0; node < NODES; node++)
            *label_of(slot, node) = a_length(10u * slot + node);
        for (uint node = 0; node <= NODES; node++) {
            const cladei_length is =
                node < NODES ? a_length(10u * slot + node) : CLADEI_LENGTH_NONE;
            its->step = CLADE_PATHS_EXPAND;
            CHECK(clade_paths_length_wi(&it.head, slot, node) == CLADEI_LENGTH_NONE);
            its->step = CLADE_PATHS_DONE;
            CHECK(clade_paths_length_wi(&it.head, slot, node) == is);
        }
    }
    CHECK(clade_paths_length_wi(&it.head, SLOTS, 0) == CLADEI_LENGTH_NONE);
    it.head.object.shape ^= 1u;
    CHECK(clade_paths_length_wi(&it.head, 0, 0) == CLADEI_LENGTH_NONE);
}

static struct {
    clade_graph_head head;
    uint offsets[NODES + 2];
} graph;
static clade_paths_scratch scratch;

/* A search that is refused changes nothing. */
static void refuse(uint slot, uint source, int line)
{
    before = it;
    expect(clade_paths_run_wg(&it.head, &graph.head, slot, source, 1, &scratch) == CLADE_E_ARG,
           "a search is refused", (uint)line, 0);
    expect(is_as_it_was(), "changed by what is refused", (uint)line, 0);
}

/* Another slot or node than there are; objects of which one is not of the program's shape, or of
 * other numbers of nodes. */
static void search_what_does_not_fit(void)
{
    make();
    graph.head.nodes = NODES;
    graph.head.object.shape = CLADE_GRAPH_SHAPE(
        CLADE_PATHS_LENGTH == CLADE_PATHS_F32 ? CLADE_PATHS_F32 : CLADE_PATHS_U32);
    refuse(SLOTS, 0, __LINE__);
    refuse(0, NODES, __LINE__);
    it.head.object.shape ^= 1u;
    refuse(0, 0, __LINE__);
    it.head.object.shape ^= 1u;
    graph.head.object.shape ^= 1u;
    refuse(0, 0, __LINE__);
    graph.head.object.shape ^= 1u;
    graph.head.nodes--;
    refuse(0, 0, __LINE__);
}

/* Sums that do not fit are told by what no length is; buckets never fall. */
static void add(void)
{
    const uint weight = (uint)a_length(3);
    CHECK(cladei_length_sum(a_length(4), weight) == a_length(7));
    CHECK(cladei_length_sum(0, weight) == a_length(3) &&
          cladei_length_sum(a_length(4), 0) == a_length(4));
    CHECK(cladei_length_add(a_length(4), a_length(3)) == a_length(7));
#if CLADE_PATHS_LENGTH == CLADE_PATHS_F32
    CHECK(cladei_length_sum(greatest, as_uint(3e38f)) == CLADEI_LENGTH_NONE);
    CHECK(cladei_length_sum(greatest, 0) == greatest);
    CHECK(cladei_length_add(greatest, greatest) == 0x7f800000u); /* for the order alone */
#elif CLADE_PATHS_LENGTH == CLADE_PATHS_U64
    CHECK(cladei_length_sum(0xfffffffful, 0xffffffffu) == 0x1fffffffeul);
    CHECK(cladei_length_add(greatest, greatest) == 2u * greatest);
    CHECK(cladei_length_add(~0ul - 1u, 5) == CLADEI_LENGTH_NONE);
#else
    CHECK(cladei_length_sum(greatest, 1) == CLADEI_LENGTH_NONE);
    CHECK(cladei_length_sum(greatest, 2) == CLADEI_LENGTH_NONE);
    CHECK(cladei_length_sum(greatest - 1u, 1) == greatest);
    CHECK(cladei_length_add(greatest, 2) == CLADEI_LENGTH_NONE);
#endif
    for (uint units = 0; units < 1000; units += 7u) {
        CHECK(cladei_length_bucket(a_length(units), 1.0f) == units);
        CHECK(cladei_length_bucket(a_length(2u * units), 0.5f) == units);
    }
    CHECK(cladei_length_bucket(greatest, 1e9f) == 4000000000u);
    CHECK(cladei_length_bucket(a_length(5), -1.0f) == 0);
}

int main(void)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    lower();
    read_lengths();
    search_what_does_not_fit();
    add();
    printf("lengths of paths: %u wrong\n", wrong);
    return wrong != 0;
}
