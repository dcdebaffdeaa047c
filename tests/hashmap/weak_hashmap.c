/* SPDX-License-Identifier: Apache-2.0 */
/* hashmap.clh under weak memory: a map of two buckets. The keys that the threads bring have their
 * home in the first one, which other keys fill, or nearly fill. So they lie in the second one, and
 * go through its home word. -DVALUE, -DFORM: a packed set, or tagged slots with two copies of a
 * value. */
#include "relacy/device.h"

#define CLADE_HASHMAP_TRIES 60u

#define CLADE_HASHMAP            map
#define CLADE_HASHMAP_VALUE_TYPE VALUE
#define CLADE_HASHMAP_FORM       FORM
#include "clade/hashmap.clh"

#include <string.h>

#define IS_PACKED    (FORM == CLADE_HASHMAP_PACKED)
#define VALUE_BYTES  CLADE_TYPE_BYTES(VALUE)
#define COPIES       (IS_PACKED ? 1u : 2u)
#define BUCKET_SLOTS (IS_PACKED ? 8u : 4u)
#define BUCKET_BYTES (IS_PACKED ? 32u : CLADE_HASHMAP_TAGGED_BYTES(4u, VALUE_BYTES, COPIES))
#if VALUE == CLADE_NONE
typedef uint map_value;
#else
typedef ulong map_value;
#endif

enum { BUCKETS = 2, ALL = BUCKETS + 2, FILL = BUCKET_SLOTS, KEYS = 4 };

static struct {
    clade_hashmap_head head;
    uint buckets[ALL * BUCKET_BYTES / 4];
    uint homes[ALL];
} m;

/* Keys of the first bucket: some fill it; then two that have one mark, and two of others. */
static uint fill[FILL], keys[KEYS];
static uint payload; /* of the first key, in one world: who brings the key writes it plainly */
static int in[4][KEYS], out[4][KEYS];

static uint hash_of(uint key)
{
    return clade_hashmap_hash(0, key, 0);
}

static void choose_keys(void)
{
    uint filled = 0, chosen = 0;
    for (uint key = 1; filled < FILL || chosen < KEYS; key++) {
        const uint mark = CLADE_HASHMAP_MARK_OF(hash_of(key));
        if (clade_hashmap_bucket(hash_of(key), BUCKETS) != 0)
            continue;
        if (chosen < KEYS && mark == (chosen < 2 ? 1u : 1u << chosen))
            keys[chosen++] = key;
        else if (filled < FILL)
            fill[filled++] = key;
    }
}

static map_value value_of(uint key, uint times)
{
    return VALUE == CLADE_NONE ? 0 : (map_value)(key * 16u + times) * 0x100000001u;
}

static void check_value(uint key, map_value value)
{
    if (VALUE != CLADE_NONE)
        WEAK_CHECK((uint)value / 16u == key && value == value_of(key, (uint)value % 16u));
}

void weak_setup(void)
{
    choose_keys();
    m.head.object.shape = CLADE_HASHMAP_SHAPE(CLADE_U32, VALUE_BYTES, (uint)FORM, COPIES);
    m.head.buckets = BUCKETS;
    m.head.homes_at = (uint)((char *)m.homes - (char *)&m) / 32u;
    m.head.most = 0xffffffffu;
    weak_share(&m, sizeof m, "map");
    weak_share(&payload, sizeof payload, "payload");
}

/* --- operations ------------------------------------------------------------------------------- */

static void insert(uint me, uint nth)
{
    const int status = map_insert_wi(&m.head, keys[nth], value_of(keys[nth], me));
    WEAK_CHECK(status == CLADE_OK || status == CLADE_HASHMAP_PRESENT || status == CLADE_E_BUSY);
    in[me][nth] += status == CLADE_OK;
}

static void put(uint me, uint nth, uint times)
{
    const int status = map_put_wi(&m.head, keys[nth], value_of(keys[nth], times));
    WEAK_CHECK(status == CLADE_OK || status == CLADE_HASHMAP_PRESENT || status == CLADE_E_BUSY);
    in[me][nth] += status == CLADE_OK;
}

static void erase(uint me, uint nth)
{
    map_value value;
    const int status = map_erase_wi(&m.head, keys[nth], &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND || status == CLADE_E_BUSY);
    if (status == CLADE_OK)
        check_value(keys[nth], value);
    out[me][nth] += status == CLADE_OK;
}

static bool find(uint nth)
{
    map_value value;
    const int status = map_find_wi(&m.head, keys[nth], &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND || status == CLADE_E_BUSY);
    if (status == CLADE_OK)
        check_value(keys[nth], value);
    return status == CLADE_OK;
}

static void erase_filler(uint nth)
{
    map_value value;
    const int status = map_erase_wi(&m.head, fill[nth], &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_BUSY);
}

/* --- before and after ------------------------------------------------------------------------- */

static void begin_with(uint fillers)
{
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (uint i = 0; i < fillers; i++)
        WEAK_CHECK(map_insert_wi(&m.head, fill[i], value_of(fill[i], 0)) == CLADE_OK);
}

static void begin_nearly_full(void)
{
    begin_with(FILL - 1);
}

static void begin_full(void)
{
    begin_with(FILL);
}

static void begin_with_one_away(void)
{
    begin_full();
    insert(3, 0);
}

/* Where each key lies: at most once, and its home word counts those that lie elsewhere. */
static const char *end(void)
{
    uint away = 0;
    int found[KEYS] = { 0 };
    for (uint place = 0; place < map_places_wi(&m.head); place++) {
        uint key;
        map_value value;
        if (map_entry_wi(&m.head, place, &key, &value) != CLADE_OK)
            continue;
        away += place / BUCKET_SLOTS != 0;
        for (uint i = 0; i < KEYS; i++)
            found[i] += keys[i] == key;
    }
    if ((m.homes[0] & CLADE_HASHMAP_LOCK) != 0)
        return "the home is locked";
    if (CLADE_HASHMAP_SPILLED(m.homes[0]) != away)
        return "the home word counts other keys than lie elsewhere";
    for (uint i = 0; i < KEYS; i++) {
        int left = 0;
        map_value value;
        for (uint t = 0; t < 4; t++)
            left += in[t][i] - out[t][i];
        if (found[i] > 1)
            return "a key is there twice";
        if (found[i] != left)
            return found[i] < left ? "a key is lost" : "a key is there that was erased";
        if ((map_find_wi(&m.head, keys[i], &value) == CLADE_OK) != (found[i] == 1))
            return "a key is there, and is not found";
    }
    return NULL;
}

/* --- worlds ----------------------------------------------------------------------------------- */

static void all_insert_one(uint me)
{
    insert(me, 0);
}

static void insert_beside_a_free_place(uint me)
{
    if (me == 0)
        erase_filler(1);
    else
        insert(me, 0);
}

static void insert_two(uint me)
{
    insert(me, me);
    insert(me, 1 - me);
}

/* Nobody erases the first key: once seen, it stays. The word of its home changes all the time. */
static void find_again(uint me)
{
    if (me == 0) {
        insert(me, 2);
        erase(me, 2);
        insert(me, 0);
    } else if (me == 1) {
        insert(me, 1);
        erase(me, 1);
    } else if (find(0)) {
        WEAK_CHECK(find(0));
    }
}

/* Nobody brings the first key: once it is not seen, it stays away. Another key has its mark. */
static void stay_away(uint me)
{
    if (me == 0)
        erase(me, 0);
    else if (me == 1)
        insert(me, 1);
    else if (!find(0))
        WEAK_CHECK(!find(0));
}

/* The slot of the first key gets another one. */
static void change_slot(uint me)
{
    if (me == 0) {
        erase(me, 0);
        insert(me, 2);
    } else {
        find(0);
    }
}

static void erase_and_bring(uint me)
{
    if (me == 2) {
        insert(me, 0);
        find(0);
    } else {
        erase(me, 0);
        insert(me, me + 1);
    }
}

static void put_find_erase(uint me)
{
    if (me == 0) {
        put(me, 0, 1);
        put(me, 0, 2);
    } else if (me == 1) {
        find(0);
        find(0);
    } else {
        erase(me, 0);
        put(me, 2, 3);
    }
}

/* As the host's calls look on a CPU, for a run of one key. */
static bool find_in_run(uint nth)
{
    map_run run = { 0 };
    map_value value;
    WEAK_CHECK(map_begin_run(&m.head, &keys[nth], 1, &run));
    const map_place at = map_place_in(&run, 0, keys[nth]);
    int status = map_find_near(&m.head, at, &value);
    if (status == CLADE_HM_ELSEWHERE)
        status = map_is_far(at) ? map_find_far(&m.head, at, &value) : CLADE_E_NOT_FOUND;
    if (status == CLADE_OK)
        check_value(keys[nth], value);
    return status == CLADE_OK;
}

static void stay_away_from_runs(uint me)
{
    if (me == 0)
        erase(me, 0);
    else if (me == 1)
        insert(me, 1);
    else if (!find_in_run(0))
        WEAK_CHECK(!find_in_run(0));
}

static void find_what_was_written_before(uint me)
{
    if (me == 0) {
        payload = 1;
        insert(me, 0);
    } else if (me == 1 ? find(0) : find_in_run(0)) {
        WEAK_CHECK(payload == 1);
    }
}

const weak_world weak_worlds[] = {
    { "insert: one free place at home", 3, begin_nearly_full, all_insert_one, end, 4000, 0 },
    { "insert: home is full", 3, begin_full, all_insert_one, end, 4000, 0 },
    { "insert: a place at home comes free", 3, begin_full, insert_beside_a_free_place, end, 6000,
      0 },
    { "insert: two keys of one mark", 2, begin_nearly_full, insert_two, end, 4000, 1 },
    { "find: what was found is found again", 3, begin_full, find_again, end, 30000, 0 },
    { "find: what was erased stays away", 3, begin_with_one_away, stay_away, end, 100000, 0 },
    { "find: ... from runs, too", 3, begin_with_one_away, stay_away_from_runs, end, 20000, 0 },
    { "find: a slot that changes its key", 2, begin_with_one_away, change_slot, end, 20000, 0 },
    { "erase: a key that comes back", 3, begin_with_one_away, erase_and_bring, end, 10000, 0 },
    { "find: what was written before its key", 3, begin_full, find_what_was_written_before, end,
      10000, 0 },
    { "put: beside find and erase", 3, begin_with_one_away, put_find_erase, end, 10000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "cladei_hashmap_lock", "or_acquire" },
    { "cladei_hashmap_unlock", "and_release" },
#if FORM == CLADE_HASHMAP_PACKED
    { "cladei_hashmap_unspill", "cas_release" },
    { "map_seek_far", "load_acquire" },
    { "map_bring_near", "cas_acquire" },
    { "map_fill", "cas_release" },
    { "map_seek_far", "fence_acquire" },
    { "map_find_far", "fence_acquire" },
#else
    { "map_fill", "fence_release" },
    { "map_set_value", "fence_release" },
    { "map_set_value", "store_release" },
    { "map_look_at", "load_acquire" },
    { "map_is_still", "fence_acquire" },
    { "map_fill", "store_release" },
#endif
    { 0 },
};
