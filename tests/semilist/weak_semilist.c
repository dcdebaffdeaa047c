/* SPDX-License-Identifier: Apache-2.0 */
/* semilist.clh and arraylist.clh: nodes and segments from a counter, in memory that is garbage. */
#include "relacy/device.h"

static uint take_block(void *kma, size_t bytes);
static void give_block(void *kma, uint ref);
#define CLADE_SEMILIST_MALLOC(kma)         take_block((kma), CLADE_SEMILIST_NODE_BYTES)
#define CLADE_SEMILIST_FREE(kma, ref)      give_block((kma), (ref))
#define CLADE_ARRAYLIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_ARRAYLIST_FREE(kma, ref)     give_block((kma), (ref))
#include "clade/arraylist.clh"
#include "clade/semilist.clh"

#include <string.h>

enum { CAPACITY = 16, UNITS = 64, KEYS = 8 };

static struct {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    uint units[UNITS * 4]; /* blocks, one behind the other */
    clade_atomic_u32 taken, given;
    clade_semilist_head list;
    clade_atomic_u32 places[CAPACITY];
    clade_arraylist_head array;
    uint payload[KEYS];
} m;

static clade_kma_head *const kma = &m.kma.head;
static int in[4][KEYS], out[4][KEYS];

static uint take_block(void *unused, size_t bytes)
{
    const uint count = (uint)(bytes + 15) / 16, at = clade_add_relaxed(&m.taken, count);
    (void)unused;
    WEAK_CHECK(at + count <= UNITS);
    return (uint)sizeof m.kma / 16 + at + 1u;
}

static void give_block(void *unused, uint ref)
{
    (void)unused, (void)ref;
    clade_add_relaxed(&m.given, 1u);
}

void weak_setup(void)
{
    memset(m.units, 0x5a, sizeof m.units);
    m.kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    m.list.object.shape = CLADE_SEMILIST_SHAPE;
    m.array.object.shape = CLADE_ARRAYLIST_SHAPE;
    m.list.capacity = CAPACITY;
    m.list.places_at = (uint)((char *)m.places - (char *)&m.list) / 4;
    m.array.capacity = CAPACITY;
    m.array.words = 1;
    m.array.shift = 0;
    weak_share(&m, sizeof m, "object");
}

/* --- semi-linked list ------------------------------------------------------------------------- */

static bool ended_well(int status)
{
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    return status == CLADE_OK;
}

static clade_ref append(uint me, uint key)
{
    clade_ref node = CLADE_NIL;
    m.payload[key] = key + 1;
    WEAK_CHECK(clade_semilist_append_wi(&m.list, kma, key, key * 10, &node) == CLADE_OK);
    in[me][key]++;
    return node;
}

static void find(uint key)
{
    uint value = 0;
    clade_ref node = CLADE_NIL;
    if (!ended_well(clade_semilist_find_wi(&m.list, kma, key, &value, &node)))
        return;
    WEAK_CHECK(value == key * 10);
    WEAK_CHECK(m.payload[key] == key + 1);
}

static void erase_(uint me, uint key)
{
    uint value = 0;
    clade_ref node = CLADE_NIL;
    if (!ended_well(clade_semilist_erase_wi(&m.list, kma, key, &value, &node)))
        return;
    WEAK_CHECK(value == key * 10);
    WEAK_CHECK(m.payload[key] == key + 1);
    out[me][key]++;
}

static void count_from_to(uint least, uint most)
{
    uint live;
    if (clade_semilist_count_wi(&m.list, kma, &live) == CLADE_OK)
        WEAK_CHECK(live >= least && live <= most);
}

static void begin(void)
{
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
}

static void begin_with_two(void)
{
    begin();
    append(3, 1);
    append(3, 2);
}

static const char *end(void)
{
    int found[KEYS] = { 0 };
    uint hops = 0, place = 0;
    for (uint ref = m.list.first >> CLADE_SEMILIST_REF_SHIFT; ref != CLADE_NIL; hops++) {
        const clade_semilist_node *node = clade_kma_ptr(kma, ref);
        if (hops > CAPACITY || node->key_ >= KEYS)
            return "the links lead nowhere";
        if (hops > 0 && node->place <= place)
            return "places do not rise";
        place = node->place;
        if (m.places[place] != ref)
            return "a node is not at its place";
        found[node->key_] += !(node->link & CLADE_SEMILIST_ERASED);
        ref = node->link >> CLADE_SEMILIST_REF_SHIFT;
        if (ref == CLADE_NIL && m.list.tail != place + 1u)
            return "the tail is not behind the last place";
    }
    for (uint key = 0; key < KEYS; key++) {
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][key] - out[t][key];
        if (found[key] != left)
            return found[key] < left ? "a node is lost" : "a node is there that was erased";
    }
    return m.list.begun == m.list.done ? NULL : "erasures that began did not end";
}

static void append_and_find(uint me)
{
    if (me == 0) {
        append(me, 3);
        append(me, 4);
    } else {
        find(4);
        find(3);
    }
}

static void three_append(uint me)
{
    append(me, 3 + me);
    find(3 + (me + 1) % 3);
}

static void last_is_erased(uint me)
{
    if (me == 0)
        append(me, 3);
    else if (me == 1)
        erase_(me, 2);
    else {
        erase_(me, 1);
        find(3);
    }
}

static void erase_same(uint me)
{
    erase_(me, 2);
    append(me, 4 + me);
    find(1);
}

static void count(uint me)
{
    if (me == 0) {
        erase_(me, 1);
        erase_(me, 2);
    } else {
        uint value = 0;
        clade_ref node = CLADE_NIL;
        const int gone =
            clade_semilist_find_wi(&m.list, kma, 1, &value, &node) == CLADE_E_NOT_FOUND;
        count_from_to(0, gone ? 1 : 2);
    }
}

/* --- array list ------------------------------------------------------------------------------- */

static uint appended;

static void begin_array(void)
{
    appended = 0;
}

static uint append_item(uint value)
{
    uint index;
    WEAK_CHECK(clade_arraylist_append_wi(&m.array, kma, &index) == CLADE_OK);
    *(uint *)clade_arraylist_at_wi(&m.array, kma, index) = value;
    appended++;
    return index;
}

static void append_two(uint me)
{
    const uint first = append_item(me * 2 + 1), second = append_item(me * 2 + 2);
    WEAK_CHECK(*(uint *)clade_arraylist_at_wi(&m.array, kma, first) == me * 2 + 1);
    WEAK_CHECK(second > first);
}

static const char *end_array(void)
{
    bool met[8] = { false };
    uint segments = 0;
    if (m.array.size != appended)
        return "the size is not what was appended";
    for (uint i = 0; i < appended; i++) {
        const uint value = *(uint *)clade_arraylist_at_wi(&m.array, kma, i);
        if (value == 0 || value >= 8 || met[value])
            return "an element is lost, or there twice";
        met[value] = true;
    }
    for (uint i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++)
        segments += m.array.segments[i] != CLADE_NIL;
    return segments == 0 ? "no segment" : NULL;
}

const weak_world weak_worlds[] = {
    { "semilist: append, find", 2, begin, append_and_find, end, 6000, 2 },
    { "semilist: three append", 3, begin, three_append, end, 10000, 0 },
    { "semilist: behind one that is erased", 3, begin_with_two, last_is_erased, end, 10000, 0 },
    { "semilist: one is erased twice", 2, begin_with_two, erase_same, end, 6000, 1 },
    { "semilist: count beside erasures", 2, begin_with_two, count, end, 6000, 2 },
    { "array list: two append two", 2, begin_array, append_two, end_array, 6000, 2 },
    { "array list: three append two", 3, begin_array, append_two, end_array, 10000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "cladei_semilist_find_wi", "load_consume" },
    { "cladei_semilist_hint_wi", "load_acquire" },
    { "cladei_semilist_splice_wi", "load_consume" },
    { "cladei_semilist_splice_wi", "cas_release" },
    { "cladei_semilist_tell_wi", "max_release" },
    { "cladei_semilist_mark_wi", "cas_acq_rel" },
    { 0 },
};
