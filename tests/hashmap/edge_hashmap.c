/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map by one item, where something ends: more keys of one home than its word counts, the
 * last version of a slot, a home that stays locked, or changes all the time; how far a free slot is
 * looked for; a key that goes meanwhile; a map that has no homes; and a device that does not
 * compute with 64-bit floats. Tagged slots with two copies of a value. */
#define CLADE_HASHMAP_TRIES 8u
#include "host/device.h"

/* What somebody else does between two steps. */
static void (*intruder)(const char *where);
#define CLADE_SCHEDULE_HOOK(where, word, salt) \
    do {                                       \
        if (intruder)                          \
            intruder(where);                   \
    } while (0)

#undef CLADE_FP64
#define CLADE_FP64 0

#define CLADE_HASHMAP            map
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U64
#define CLADE_HASHMAP_VALUE_TYPE CLADE_F64
#include "clade/hashmap.clh"
#undef min
#undef max

#include "edges/edge.h"

#define CHECK(holds) expect((holds), #holds, __LINE__, 0)

enum { BUCKETS = 128, ALL = BUCKETS + 2, KEYS = 400 };

static struct {
    clade_hashmap_head head;
    char buckets[ALL * CLADE_HASHMAP_TAGGED_BYTES(8u, 8u, 2u)];
    uint homes[ALL];
} m;

static ulong keys[KEYS]; /* of the home 0 */

static void make_empty(void)
{
    memset(&m, 0, sizeof m);
    m.head.object.shape = CLADE_HASHMAP_SHAPE(CLADE_U64, 8u, CLADE_HASHMAP_TAGGED, 2u);
    m.head.buckets = BUCKETS;
    m.head.homes_at = (uint)((char *)m.homes - (char *)&m) / 32u;
    m.head.most = 0xffffffffu;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
}

static void choose_keys(void)
{
    ulong key = 1;
    for (uint n = 0; n < KEYS; key++)
        if (clade_hashmap_home_in_row(0, (uint)key, 0, BUCKETS) == 0)
            keys[n++] = key;
}

/* As the host's calls do it on a CPU, for a run of one key. */
static clade_i32 find_in_run(ulong key, ulong *value)
{
    map_run run;
    if (!map_begin_run(&m.head, &key, 1, &run))
        return CLADE_E_ARG;
    const map_place at = map_place_in(&run, 0, key);
    const clade_i32 status = map_find_near(&m.head, at, value);
    if (status != CLADE_HM_ELSEWHERE)
        return status;
    return map_is_far(at) ? map_find_far(&m.head, at, value) : CLADE_E_NOT_FOUND;
}

static void is_there(ulong key, ulong value)
{
    ulong seen;
    CHECK(map_find_wi(&m.head, key, &seen) == CLADE_OK && seen == value);
    CHECK(find_in_run(key, &seen) == CLADE_OK && seen == value);
}

/* Who gave up, and who found no room, is counted. */
static void gave_up(clade_hashmap_head *map, uint busy, uint full)
{
    uint sums[2] = { 0, 0 };
    for (uint i = 0; i < CLADE_HASHMAP_STRIPES; i++) {
        sums[0] += map->stripes[i].busy;
        sums[1] += map->stripes[i].full;
    }
    CHECK(sums[0] == busy && sums[1] == full);
}

/* Floats are not added as integers, nor does one silently take another's place. */
static void floats_without_the_device(void)
{
    ulong before = 5;
    make_empty();
    CHECK(map_put_wi(&m.head, 1, 77) == CLADE_OK);
    for (uint what = CLADE_HASHMAP_PLUS; what <= CLADE_HASHMAP_MAX; what++) {
        before = 5;
        CHECK(map_update_wi(&m.head, 1, 88, what, &before) == CLADE_E_UNSUPPORTED && before == 0);
        CHECK(map_update_wi(&m.head, 2, 88, what, &before) == CLADE_E_UNSUPPORTED);
    }
    CHECK(map_update_wi(&m.head, 1, 88, CLADE_HASHMAP_USER, &before) == CLADE_E_ARG);
    is_there(1, 77);
    CHECK(map_contains_wi(&m.head, 2) == CLADE_E_NOT_FOUND);
}

/* The count of a home's keys that lie elsewhere stays at its end; everything is found. */
static void more_keys_than_a_home_counts(void)
{
    ulong before;
    make_empty();
    for (uint round = 0; round < 3; round++) {
        for (uint i = 0; i < KEYS; i++)
            CHECK(map_insert_wi(&m.head, keys[i], i + round) == CLADE_OK);
        CHECK(CLADE_HASHMAP_SPILLED(m.homes[0]) == CLADE_HASHMAP_SPILLED_MAX);
        for (uint i = 0; i < KEYS; i++)
            is_there(keys[i], i + round);
        for (uint i = 0; i < KEYS; i++) {
            is_there(keys[KEYS - 1], KEYS - 1 + round);
            CHECK(map_erase_wi(&m.head, keys[i], &before) == CLADE_OK && before == i + round);
            CHECK(map_contains_wi(&m.head, keys[i]) == CLADE_E_NOT_FOUND);
        }
        CHECK(cladei_hashmap_size(&m.head) == 0 && m.homes[0] < CLADE_HASHMAP_LOCK);
    }
}

/* The kind, the copy and the tag stay when the version wraps. */
static void versions_wrap(void)
{
    uint *const state = (uint *)(void *)m.buckets;
    ulong before;
    make_empty();
    CHECK(map_insert_wi(&m.head, keys[0], 1) == CLADE_OK);
    *state |= ~(CLADE_HASHMAP_VERSION - 1u);
    for (ulong value = 2; value < 6; value++) {
        CHECK(map_put_wi(&m.head, keys[0], value) == CLADE_HASHMAP_PRESENT);
        is_there(keys[0], value);
    }
    CHECK(*state < 8u * CLADE_HASHMAP_VERSION);
    *state |= ~(CLADE_HASHMAP_VERSION - 1u);
    CHECK(map_erase_wi(&m.head, keys[0], &before) == CLADE_OK && before == 5);
    CHECK(map_insert_wi(&m.head, keys[1], 9) == CLADE_OK);
    is_there(keys[1], 9);
    CHECK(*state < CLADE_HASHMAP_VERSION && cladei_hashmap_size(&m.head) == 1);
}

static void a_home_stays_locked(void)
{
    ulong before = 5;
    make_empty();
    CHECK(map_insert_wi(&m.head, keys[0], 1) == CLADE_OK);
    m.homes[0] |= CLADE_HASHMAP_LOCK;
    CHECK(map_insert_wi(&m.head, keys[1], 2) == CLADE_E_BUSY);
    CHECK(map_put_wi(&m.head, keys[0], 2) == CLADE_E_BUSY);
    CHECK(map_cas_wi(&m.head, keys[0], 1, 2, &before) == CLADE_E_BUSY && before == 0);
    before = 5;
    CHECK(map_erase_wi(&m.head, keys[0], &before) == CLADE_E_BUSY && before == 0);
    CHECK(map_insert_wi(&m.head, keys[0], 2) == CLADE_HASHMAP_PRESENT);
    is_there(keys[0], 1);
    CHECK(map_contains_wi(&m.head, keys[1]) == CLADE_E_NOT_FOUND);
    CHECK(cladei_hashmap_size(&m.head) == 1);
    gave_up(&m.head, 4, 0);
}

/* The word of a home that changes whenever a key of it is going to be counted there. */
static uint changed;
static void change_home(const char *where)
{
    if (strcmp(where, "cladei_hashmap_spill") == 0)
        m.homes[0] ^= (++changed & 1u) << 15 | CLADE_HASHMAP_MARK_OF(7u);
}

/* What could not be counted is not brought in: it would be lost. */
static void a_spill_is_never_counted(void)
{
    make_empty();
    for (uint i = 0; i < CLADE_HASHMAP_TAGGED_SIZE; i++)
        CHECK(map_insert_wi(&m.head, keys[i], i) == CLADE_OK);
    changed = 0;
    intruder = change_home;
    CHECK(map_insert_wi(&m.head, keys[4], 4) == CLADE_E_BUSY);
    intruder = NULL;
    CHECK(changed == CLADE_HASHMAP_TRIES * CLADE_HASHMAP_TRIES);
    CHECK(CLADE_HASHMAP_SPILLED(m.homes[0]) == 0 && m.homes[0] < CLADE_HASHMAP_LOCK);
    CHECK(cladei_hashmap_size(&m.head) == 4);
    for (uint place = 4; place <= map_places_wi(&m.head); place++) {
        ulong key = 5, value = 6;
        CHECK(map_entry_wi(&m.head, place, &key, &value) ==
              (place < map_places_wi(&m.head) ? CLADE_E_NOT_FOUND : CLADE_E_ARG));
        CHECK(key == 0 && value == 0);
    }
    CHECK(map_insert_wi(&m.head, keys[4], 4) == CLADE_OK);
    is_there(keys[4], 4);
}

/* The slot of a key that another item changes whenever it is read. */
static uint *changing;
static void change_slot(const char *where)
{
    if (strcmp(where, "map_look_at") == 0)
        *changing += CLADE_HASHMAP_VERSION;
}

/* A key that could not be read is neither there nor absent, wherever it lies and whatever is read
 * after it. Beside it all others are found. */
static void a_slot_changes_all_the_time(void)
{
    enum { FULL = 7 * CLADE_HASHMAP_TAGGED_SIZE };
    ulong key, value, before;
    make_empty();
    for (uint i = 0; i < FULL; i++)
        CHECK(map_insert_wi(&m.head, keys[i], i) == CLADE_OK);
    for (uint place = 0; place < map_places_wi(&m.head); place++) {
        if (map_entry_wi(&m.head, place, &key, &value) != CLADE_OK)
            continue;
        changing = (uint *)(void *)map_state_at(&m.head, place);
        intruder = change_slot;
        CHECK(map_find_wi(&m.head, key, &before) == CLADE_E_BUSY && before == 0);
        CHECK(map_contains_wi(&m.head, key) == CLADE_E_BUSY);
        CHECK(find_in_run(key, &before) == CLADE_E_BUSY);
        CHECK(map_entry_wi(&m.head, place, &key, &before) == CLADE_OK && before == value);
        CHECK(map_erase_wi(&m.head, key, &before) == CLADE_E_BUSY && before == 0);
        CHECK(map_put_wi(&m.head, key, 77) == CLADE_E_BUSY);
        CHECK(map_insert_wi(&m.head, key, 77) == CLADE_E_BUSY);
        intruder = NULL;
        CHECK(cladei_hashmap_size(&m.head) == FULL);
        for (uint i = 0; i < FULL; i++)
            is_there(keys[i], i);
        for (uint i = FULL; i < FULL + 8u; i++) {
            CHECK(map_contains_wi(&m.head, keys[i]) == CLADE_E_NOT_FOUND);
            CHECK(find_in_run(keys[i], &before) == CLADE_E_NOT_FOUND);
        }
    }
}

/* The slot of a key, that another one's is once the home's lock is taken. */
static uint *taken;
static void take_slot(const char *where)
{
    if (strcmp(where, "cladei_hashmap_lock") == 0)
        *taken ^= 1u << CLADE_HASHMAP_TAG_SHIFT;
}

/* A key that goes meanwhile is not there, in a map without a free slot as in any other. */
static void a_key_goes_from_a_full_map(void)
{
    ulong before = 5;
    make_empty();
    CHECK(map_insert_wi(&m.head, keys[0], 1) == CLADE_OK);
    for (uint place = 0; place < BUCKETS * CLADE_HASHMAP_TAGGED_SIZE; place++)
        if (*map_state_at(&m.head, place) == CLADE_HASHMAP_EMPTY)
            *map_state_at(&m.head, place) = CLADE_HASHMAP_FULL;
        else
            taken = (uint *)(void *)map_state_at(&m.head, place);
    intruder = take_slot;
    CHECK(map_erase_wi(&m.head, keys[0], &before) == CLADE_E_NOT_FOUND && before == 0);
    *taken ^= 1u << CLADE_HASHMAP_TAG_SHIFT;
    before = 5;
    CHECK(map_cas_wi(&m.head, keys[0], 1, 2, &before) == CLADE_E_NOT_FOUND && before == 0);
    intruder = NULL;
    *taken ^= 1u << CLADE_HASHMAP_TAG_SHIFT;
    is_there(keys[0], 1);
    gave_up(&m.head, 0, 0);
}

/* A free slot is looked for on the whole way. Only in a map of more keys than it was made for a
 * search that found none ends after 1,024 steps. The one slot lies at step 1, 1,024 or 1,025. */
static struct {
    clade_hashmap_head head;
    char buckets[2050 * CLADE_HASHMAP_TAGGED_BYTES(8u, 8u, 2u)];
    uint homes[2050];
} large;

static uint first_step_to(map_place at, uint bucket)
{
    uint step = 0;
    while (map_bucket_at(at, step) != bucket)
        step++;
    return step;
}

static void one_free_slot(uint step, uint size, uint most)
{
    const bool is_full = (int)size >= (int)most && step > CLADE_HASHMAP_STEPS_MANY;
    map_place at;
    ulong key = 0, value = 0;
    make_empty();
    memset(&large, 0, sizeof large);
    large.head.object.shape = m.head.object.shape;
    large.head.buckets = 2048;
    large.head.homes_at = (uint)((char *)large.homes - (char *)&large) / 32u;
    large.head.most = most;
    large.head.stripes[3].size = size;
    do
        CHECK(map_find_place(&large.head, ++key, &at));
    while (first_step_to(at, map_bucket_at(at, step)) != step);
    const uint place = map_bucket_at(at, step) * CLADE_HASHMAP_TAGGED_SIZE + 2u;
    for (uint i = 0; i < 2048u * CLADE_HASHMAP_TAGGED_SIZE; i++)
        *map_state_at(&large.head, i) = i == place ? CLADE_HASHMAP_EMPTY : CLADE_HASHMAP_FULL;
    CHECK(map_insert_wi(&large.head, key, 77) == (is_full ? CLADE_E_FULL : CLADE_OK));
    CHECK(map_find_wi(&large.head, key, &value) == (is_full ? CLADE_E_NOT_FOUND : CLADE_OK));
    CHECK(value == (is_full ? 0u : 77u));
    const uint reach = step < CLADE_HASHMAP_REACH_MAX ? step : CLADE_HASHMAP_REACH_MAX;
    CHECK(*at.word ==
          (is_full ? 0u : CLADE_HASHMAP_HOME(reach, 1u, CLADE_HASHMAP_MARK_OF(at.hash))));
    gave_up(&large.head, 0, is_full);
}

static void how_far_a_free_slot_is_looked_for(void)
{
    static const uint steps[] = { 1, 1024, 1025 };
    for (uint i = 0; i < 3; i++) {
        one_free_slot(steps[i], 9, 10);
        one_free_slot(steps[i], 10, 10);
        one_free_slot(steps[i], 11, 10);
        one_free_slot(steps[i], 0u - 3u, 1); /* half a sum */
    }
}

/* As of another type. Nothing is given. */
static void a_map_without_homes(void)
{
    ulong before[4] = { 5, 5, 5, 5 };
    make_empty();
    m.head.homes_at = 0;
    CHECK(map_insert_wi(&m.head, 1, 2) == CLADE_E_ARG && map_put_wi(&m.head, 1, 2) == CLADE_E_ARG);
    CHECK(map_cas_wi(&m.head, 1, 2, 3, &before[0]) == CLADE_E_ARG);
    CHECK(map_erase_wi(&m.head, 1, &before[1]) == CLADE_E_ARG);
    CHECK(map_find_wi(&m.head, 1, &before[2]) == CLADE_E_ARG);
    CHECK(map_contains_wi(&m.head, 1) == CLADE_E_ARG && find_in_run(1, &before[3]) == CLADE_E_ARG);
    CHECK(before[0] == 0 && before[1] == 0 && before[2] == 0 && before[3] == 5);
}

int main(void)
{
    choose_keys();
    how_far_a_free_slot_is_looked_for();
    a_map_without_homes();
    a_key_goes_from_a_full_map();
    a_slot_changes_all_the_time();
    a_spill_is_never_counted();
    floats_without_the_device();
    more_keys_than_a_home_counts();
    versions_wrap();
    a_home_stays_locked();
    printf("hashmap: %u wrong\n", wrong);
    return wrong != 0;
}
