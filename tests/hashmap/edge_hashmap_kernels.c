/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map's kernels, packed or tagged, by CPU's runs of keys and by an item a key
 * (-DCLADE_CPU=), by groups of -DGROUP= items, on lanes, launched as the host does: calls of all
 * counts around a group's and a run's size, each argument given and left out, the second launch for
 * what others were in the way of, more keys than there is room for; reading, and moving to another
 * map. The keys of a call differ, so a model knows each status, value and entry. Arrays are of
 * exactly the size that is used. */
#define CLADE_HASHMAP_TRIES 200u
#include "host/device.h"

#define CLADE_HASHMAP_KEY_TYPE   KEY
#define CLADE_HASHMAP_VALUE_TYPE VALUE
#undef __kernel
#define __kernel static
#include "kernels/hashmap.cl"

#include "edges/kernels.h"

#define FORM_BYTES (CLADE_TYPE_BYTES(KEY) + CLADE_TYPE_BYTES(VALUE))
#define IS_PACKED  (FORM_BYTES == 8 && CLADE_INT64_ATOMICS)
#define COPIES     (CLADE_TYPE_BYTES(VALUE) == 8 && !CLADE_INT64_ATOMICS ? 2u : 1u)
#define BUCKET_BYTES \
    (IS_PACKED       \
         ? 32u       \
         : CLADE_HASHMAP_TAGGED_BYTES(CLADE_TYPE_BYTES(KEY), CLADE_TYPE_BYTES(VALUE), COPIES))
#define MAP_SHAPE                                                                \
    CLADE_HASHMAP_SHAPE(KEY, CLADE_TYPE_BYTES(VALUE),                            \
                        IS_PACKED ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED, \
                        IS_PACKED ? 1u : COPIES)

enum { KEYS = 190, FIRST = 6, GUARD = 0x5a5a5a5a };
enum { VALUES = CLADE_HASHMAP_GIVEN_VALUES, STATUSES = CLADE_HASHMAP_GIVEN_STATUSES };

static clade_hashmap_head *map, *other;
static uint is_there[KEYS], size; /* the model */
static cladei_hashmap_value value_of[KEYS];
static clade_atomic_u32 *busy;
static struct call {
    uint what, has, again, count;
    cladei_hashmap_key *keys;
    cladei_hashmap_value *values;
    int *statuses;
} call;

#define CHANGE(name)                                                                             \
    AS_KERNEL(name,                                                                              \
              clade_hashmap_##name(map, call.keys, FIRST, call.values, FIRST - 1, call.statuses, \
                                   FIRST - 2, call.count, call.has, call.again, busy))
CHANGE(insert)
CHANGE(put)
CHANGE(erase)
AS_KERNEL(update,
          clade_hashmap_update(map, call.keys, FIRST, call.values, FIRST - 1, call.statuses,
                               FIRST - 2, call.count, call.has, call.again, busy, call.what))
AS_KERNEL(find, clade_hashmap_find(map, call.keys, FIRST, call.values, FIRST - 1, call.statuses,
                                   FIRST - 2, call.count, call.has))
AS_KERNEL(read_all, clade_hashmap_read(map, call.keys, FIRST, call.values, FIRST - 1, call.has,
                                       call.count, busy))
AS_KERNEL(move, clade_hashmap_move(map, other))

/* One that looks like a slot that was never used among them; high words with and without bits. */
static cladei_hashmap_key key_of(uint i)
{
    return sizeof(cladei_hashmap_key) == 8 && i % 3u ? (cladei_hashmap_key)((ulong)i << 34 | i)
                                                     : (cladei_hashmap_key)(i * 7u);
}

static clade_hashmap_head *make(uint buckets)
{
    const size_t homes_at = sizeof(clade_hashmap_head) + (buckets + 2u) * BUCKET_BYTES;
    const size_t bytes = (homes_at + 4u * (buckets + 2u) + 63u) / 64u * 64u;
    clade_hashmap_head *made = aligned_alloc(64, bytes);
    if (!made)
        exit(1);
    memset(made, 0, bytes);
    made->object.shape = MAP_SHAPE;
    made->buckets = buckets;
    made->homes_at = (clade_u32)(homes_at / 32u);
    made->most = 0xffffffffu;
    return made;
}

static void check(clade_hashmap_head *in, const char *when)
{
    expect(cladei_hashmap_size(in) == size, when, cladei_hashmap_size(in), size);
    for (uint i = 0; i < KEYS; i++) {
        cladei_hashmap_value value = 0;
        const int status = clade_hashmap_find_wi(in, key_of(i), &value);
        expect(status == (is_there[i] ? CLADE_OK : CLADE_E_NOT_FOUND) &&
                   (!is_there[i] || value == value_of[i]),
               when, i, (uint)value);
    }
}

static void open_call(uint has, uint count)
{
    call = (struct call) { .has = has, .count = count };
    call.keys = room(sizeof *call.keys * (FIRST + (size_t)count));
    call.values = room(sizeof *call.values * (FIRST - 1 + (has & VALUES ? (size_t)count : 0)));
    call.statuses = room(4ul * (FIRST - 2 + (has & STATUSES ? count : 0)));
    clade_store_relaxed(&busy[CLADE_BUSY_COUNT], 0u);
    clade_store_relaxed(&busy[CLADE_BUSY_EMPTY], 0u);
    for (uint i = 0; i < count && has & VALUES; i++)
        call.values[FIRST - 1 + i] =
            (cladei_hashmap_value)((ulong)draw(1u << 20) << 40 | (1000u + draw(1u << 20)));
}

static void close_call(int error)
{
    expect((int)map->object.first_error == error, "the first error", map->object.first_error,
           (uint)error);
    map->object.first_error = map->object.first_error_item = 0;
    expect((uint)call.keys[FIRST - 1] == GUARD && (uint)call.values[FIRST - 2] == GUARD &&
               call.statuses[FIRST - 3] == GUARD,
           "before an array", call.count, call.has);
    free(call.keys);
    free(call.values);
    free(call.statuses);
}

/* Items of a launch over `count` keys. */
static ulong items_of(uint count)
{
    return CLADE_CPU ? (count + CLADE_HASHMAP_RUN - 1) / CLADE_HASHMAP_RUN : count;
}

/* `again`: the second launch alone, which is always of one item. */
static void launch_keys(void (*kernel)(void *, void *))
{
    const bool is_first = !call.again;
    if (is_first)
        launch(kernel, items_of(call.count));
    call.again = 1;
    if (kernel != find)
        shim_launch(kernel, NULL, 1, 1, 1);
    call.again = !is_first;
}

static void expect_status(uint i, int wanted, const char *what)
{
    if (call.has & STATUSES)
        expect(call.statuses[FIRST - 2 + i] == wanted, what, i, (uint)call.statuses[FIRST - 2 + i]);
}

static cladei_hashmap_value updated(uint what, cladei_hashmap_value was,
                                    cladei_hashmap_value operand)
{
    return what == CLADE_HASHMAP_PLUS                       ? was + operand
           : (what == CLADE_HASHMAP_MIN) == (was < operand) ? was
                                                            : operand;
}

/* Different keys. `again`: the second launch, of every third element alone. */
static void call_changes(void (*kernel)(void *, void *), uint what, uint has, uint count,
                         bool again)
{
    uint numbers[KEYS];
    cladei_hashmap_value kept[KEYS];
    shuffle(numbers, KEYS);
    open_call(kernel == update ? has | VALUES : has, count);
    call.what = what;
    call.again = again;
    for (uint i = 0; i < count; i++) {
        call.keys[FIRST + i] = key_of(numbers[i]);
        kept[i] = call.has & VALUES ? call.values[FIRST - 1 + i] : 0;
        if (again && i % 3u == 1u) {
            const uint n = clade_add_relaxed(&busy[CLADE_BUSY_COUNT], 1u);
            clade_store_relaxed(&busy[CLADE_BUSY_FIRST + n], i);
        }
    }
    launch_keys(kernel);
    for (uint i = 0; i < count; i++) {
        const uint k = numbers[i];
        if (again && i % 3u != 1u) {
            expect_status(i, (int)GUARD, "an element that was done");
            continue;
        }
        if (kernel == erase) {
            expect_status(i, is_there[k] ? CLADE_OK : CLADE_E_NOT_FOUND, "an erasure");
            if (call.has & VALUES)
                expect(call.values[FIRST - 1 + i] == (is_there[k] ? value_of[k] : kept[i]),
                       "an erased value", k, 0);
            size -= is_there[k];
            is_there[k] = 0;
            continue;
        }
        expect_status(i, is_there[k] ? CLADE_HASHMAP_PRESENT : CLADE_OK, "a key that came");
        if (is_there[k] && kernel == update)
            value_of[k] = updated(what, value_of[k], kept[i]);
        else if (!is_there[k] || kernel == put)
            value_of[k] = kept[i];
        size += !is_there[k];
        is_there[k] = 1;
    }
    check(map, "after changes");
    close_call(0);
}

/* One item's run in which keys come again: the first erasure of a key takes it, whichever stripe
 * counts what is there. Where nothing is there, nothing is done. */
static void erase_again(uint has, uint stripe)
{
    const uint a = draw(KEYS), b = (a + 1u + draw(KEYS - 1u)) % KEYS;
    const uint count = 3u + draw(CLADE_HASHMAP_RUN - 2u);
    clade_hashmap_head *const kept = map;
    uint there[KEYS], gone = 0;
    cladei_hashmap_value before[CLADE_HASHMAP_RUN];
    memcpy(there, is_there, sizeof there);
    memset(is_there, 0, sizeof is_there);
    map = make(40);
    if (stripe < CLADE_HASHMAP_STRIPES) {
        clade_hashmap_put_wi(map, key_of(a), value_of[a]);
        for (uint i = 0; i < CLADE_HASHMAP_STRIPES; i++)
            clade_store_relaxed(&map->stripes[i].size, i == stripe);
        is_there[a] = 1;
    }
    const uint size_before = size;
    open_call(has, count);
    for (uint i = 0; i < count; i++) {
        call.keys[FIRST + i] = key_of(i % 3u == 1u || (i > 5u && draw(3) == 0) ? b : a);
        before[i] = has & VALUES ? call.values[FIRST - 1 + i] : 0;
    }
    launch_keys(erase);
    for (uint i = 0; i < count; i++) {
        const bool is_first = is_there[a] && !gone && call.keys[FIRST + i] == key_of(a);
        expect_status(i, is_first ? CLADE_OK : CLADE_E_NOT_FOUND, "a key that comes again");
        if (has & VALUES)
            expect(call.values[FIRST - 1 + i] == (is_first ? value_of[a] : before[i]),
                   "an erased value", i, stripe);
        gone += is_first;
    }
    expect(clade_load_relaxed(&busy[CLADE_BUSY_EMPTY]) == (stripe >= CLADE_HASHMAP_STRIPES),
           "whether others are told that the map is empty", stripe, count);
    is_there[a] = size = 0;
    check(map, "after keys came again");
    close_call(0);
    free(map);
    map = kept;
    size = size_before;
    memcpy(is_there, there, sizeof there);
}

/* What is counted are the stripes and no word behind them, though both be 0 together. */
static void erase_beside_the_counts(void)
{
    clade_hashmap_head *const kept = map;
    uint k = 0;
    map = make(4);
    const uint *behind = (const uint *)(const void *)(map + 1);
    while (*behind == 0 && k < KEYS) /* until the first bucket has a key there */
        clade_hashmap_put_wi(map, key_of(++k), 77);
    for (uint i = 0; i < CLADE_HASHMAP_STRIPES; i++)
        clade_store_relaxed(&map->stripes[i].size, i == 5u ? 0u - *behind : 0u);
    open_call(STATUSES, 3);
    for (uint i = 0; i < 3; i++)
        call.keys[FIRST + i] = key_of(k);
    launch_keys(erase);
    for (uint i = 0; i < 3; i++)
        expect_status(i, i == 0 ? CLADE_OK : CLADE_E_NOT_FOUND, "beside the counts");
    close_call(0);
    free(map);
    map = kept;
}

/* An item that hears from another one that the map was empty does not look. The second launch does:
 * what it has to erase was there. */
static void erase_after_hearsay(uint has)
{
    clade_hashmap_head *const kept = map;
    map = make(4);
    clade_hashmap_put_wi(map, key_of(1), 77);
    open_call(has, 3);
    for (uint i = 0; i < 3; i++)
        call.keys[FIRST + i] = key_of(1);
    clade_store_relaxed(&busy[CLADE_BUSY_EMPTY], 1u);
    launch_keys(erase);
    for (uint i = 0; i < 3; i++)
        expect_status(i, CLADE_E_NOT_FOUND, "where others found nothing");
    clade_store_relaxed(&busy[CLADE_BUSY_COUNT], 1u);
    clade_store_relaxed(&busy[CLADE_BUSY_FIRST], 2u);
    call.again = 1;
    launch_keys(erase);
    expect_status(2, CLADE_OK, "what another one was in the way of");
    expect(cladei_hashmap_size(map) == 0u, "the second launch", cladei_hashmap_size(map), has);
    close_call(0);
    free(map);
    map = kept;
}

static uint *home_of(uint k)
{
    clade_hashmap_place at;
    clade_hashmap_begin_way(key_of(k), map->seed, map->buckets, &at);
    return (uint *)(void *)((char *)map + (size_t)map->homes_at * 32u) + at.home;
}

/* The home of a key stays locked for the first launch; `stays`: for the second one, too. In the
 * tagged form its keys are noted, and no others; the second launch does what the first one could
 * not. */
static void locked(void (*kernel)(void *, void *), uint has, bool stays)
{
    uint numbers[KEYS], count = 0, busy_ones = 0, k = draw(KEYS);
    while (!is_there[k])
        k = (k + 1u) % KEYS;
    uint *const home = home_of(k);
    for (uint i = 0; i < KEYS; i++)
        if (is_there[i])
            numbers[count++] = i;
    open_call(kernel == update ? has | VALUES : has, count);
    for (uint i = 0; i < count; i++)
        call.keys[FIRST + i] = key_of(numbers[i]);
    call.what = CLADE_HASHMAP_PLUS;
    *home |= CLADE_HASHMAP_LOCK;
    shim_launch(kernel, NULL, items_of(count), 1, 1); /* nobody else is in the way */
    for (uint i = 0; i < count; i++) {
        const bool is_in = home_of(numbers[i]) == home;
        expect_status(i,
                      is_in             ? CLADE_E_BUSY
                      : kernel == erase ? CLADE_OK
                                        : CLADE_HASHMAP_PRESENT,
                      "beside a locked home");
        busy_ones += is_in;
    }
    expect(clade_load_relaxed(&busy[CLADE_BUSY_COUNT]) == busy_ones && map->object.first_error == 0,
           "who is noted", clade_load_relaxed(&busy[CLADE_BUSY_COUNT]), busy_ones);
    if (!stays)
        *home &= ~CLADE_HASHMAP_LOCK;
    call.again = 1;
    shim_launch(kernel, NULL, 1, 1, 1);
    if (stays)
        *home &= ~CLADE_HASHMAP_LOCK;
    for (uint i = 0; i < count; i++) {
        const uint n = numbers[i];
        const bool is_left = stays && home_of(n) == home;
        const cladei_hashmap_value given = call.has & VALUES ? call.values[FIRST - 1 + i] : 0;
        expect_status(i,
                      is_left           ? CLADE_E_BUSY
                      : kernel == erase ? CLADE_OK
                                        : CLADE_HASHMAP_PRESENT,
                      "what the second launch did");
        if (is_left)
            continue;
        if (kernel != erase)
            value_of[n] = kernel == update ? value_of[n] + given : given;
        else if (call.has & VALUES)
            expect(given == value_of[n], "an erased value", n, 0);
        is_there[n] = kernel != erase;
        size -= kernel == erase;
    }
    check(map, "after a home was locked");
    close_call(stays && !(has & STATUSES) ? CLADE_E_BUSY : 0);
}

/* Of keys that are there and not; each found value, and no other. */
static void call_finds(uint has, uint count)
{
    uint numbers[KEYS];
    cladei_hashmap_value kept[KEYS];
    shuffle(numbers, KEYS);
    open_call(has, count);
    for (uint i = 0; i < count; i++) {
        call.keys[FIRST + i] = key_of(numbers[i]);
        kept[i] = has & VALUES ? call.values[FIRST - 1 + i] : 0;
    }
    launch_keys(find);
    for (uint i = 0; i < count; i++) {
        const uint k = numbers[i];
        expect_status(i, is_there[k] ? CLADE_OK : CLADE_E_NOT_FOUND, "a find");
        if (has & VALUES)
            expect(call.values[FIRST - 1 + i] == (is_there[k] ? value_of[k] : kept[i]),
                   "a found value", i, k);
    }
    close_call(0);
}

/* All entries once, as far as there is room. */
static void call_read(uint has, uint count)
{
    uchar seen[KEYS] = { 0 };
    open_call(has & VALUES, count);
    call.has = has;
    clade_store_relaxed(&busy[0], 0u);
    launch(read_all, clade_hashmap_places_wi(map));
    expect(clade_load_relaxed(&busy[0]) == size, "how many entries", clade_load_relaxed(&busy[0]),
           size);
    for (uint i = 0; i < count && i < size && has & CLADE_HASHMAP_GIVEN_KEYS; i++) {
        uint k = 0;
        while (k < KEYS && key_of(k) != call.keys[FIRST + i])
            k++;
        expect(k < KEYS && is_there[k % KEYS] && !seen[k % KEYS], "an entry's key", i, k);
        if (has & VALUES)
            expect(call.values[FIRST - 1 + i] == value_of[k % KEYS], "an entry's value", i, k);
        seen[k % KEYS] = 1;
    }
    for (uint i = has & CLADE_HASHMAP_GIVEN_KEYS ? size : 0u; i < count; i++)
        expect((uint)call.keys[FIRST + i] == GUARD, "no entry's key", i, size);
    close_call(0);
}

/* To a map of more buckets; then to one that has not room for all. */
static void call_move(uint buckets, bool fits)
{
    uint numbers = 0;
    other = make(buckets);
    for (uint tries = 0; tries < 50;
         tries++) { /* again, for those that others were in the way of */
        other->object.first_error = 0;
        launch(move, clade_hashmap_places_wi(map));
        if ((int)other->object.first_error != CLADE_E_BUSY)
            break;
    }
    for (uint i = 0; i < KEYS; i++) {
        cladei_hashmap_value value;
        const bool there = clade_hashmap_find_wi(other, key_of(i), &value) == CLADE_OK;
        expect(!there || (is_there[i] && value == value_of[i]), "a moved entry", i, there);
        numbers += there;
    }
    expect(fits ? numbers == size : numbers < size, "entries that were moved", numbers, size);
    expect((int)other->object.first_error == (fits ? 0 : CLADE_E_FULL), "the other's first error",
           other->object.first_error, fits);
    check(map, "after a move");
    if (fits) {
        free(map);
        map = other;
        check(map, "the new map");
    } else {
        free(other);
    }
}

/* More keys than there is room for. */
static void overfull(uint has)
{
    clade_hashmap_head *const kept = map;
    uint refused = 0;
    map = make(4);
    memset(is_there, 0, sizeof is_there);
    open_call(has, KEYS);
    for (uint i = 0; i < KEYS; i++)
        call.keys[FIRST + i] = key_of(i);
    launch_keys(insert);
    for (size = 0; size + refused < KEYS;) {
        const uint i = size + refused;
        cladei_hashmap_value value;
        is_there[i] = clade_hashmap_find_wi(map, key_of(i), &value) == CLADE_OK;
        expect_status(i, is_there[i] ? CLADE_OK : CLADE_E_FULL, "an insert into a full map");
        value_of[i] = has & VALUES && is_there[i] ? call.values[FIRST - 1 + i] : 0;
        size += is_there[i];
        refused += !is_there[i];
    }
    check(map, "a full map");
    expect(refused > 0 && size >= 16u, "refusals", refused, size);
    close_call(has & STATUSES ? 0 : CLADE_E_FULL);
    free(map);
    map = kept;
}

/* Marks say that a key may be elsewhere, and not that it is. */
static void finds_where_all_homes_are_marked(void)
{
    uint *const homes = (uint *)(void *)((char *)map + (size_t)map->homes_at * 32u), kept[70];
    for (uint i = 0; i < map->buckets; i++) {
        const uint word = kept[i] = homes[i], spilled = CLADE_HASHMAP_SPILLED(word);
        homes[i] = spilled > 0 ? word | 0xffffu : CLADE_HASHMAP_HOME(1u, 1u, 0xffffu);
    }
    for (uint count = 60; count < 70; count++)
        call_finds(count % 4u, count);
    memcpy(homes, kept, map->buckets * sizeof *homes);
}

/* A program of another shape; a key that comes again is no other one's. */
static void misfit(uint has)
{
    open_call(has, 70);
    map->object.shape ^= 1u << 3;
    for (uint i = 0; i < 70; i++)
        call.keys[FIRST + i] = key_of(i);
    const cladei_hashmap_value before = call.values[FIRST - 1];
    launch_keys(find);
    for (uint i = 0; i < 70; i++)
        expect_status(i, CLADE_E_ARG, "a find in another map");
    expect(call.values[FIRST - 1] == before, "a value from another map", 0, 0);
    launch_keys(insert);
    for (uint i = 0; i < 70; i++)
        expect_status(i, CLADE_E_ARG, "an insert into another map");
    for (uint i = 0; i < 70; i++) {
        call.keys[FIRST + i] = key_of(i / 3u);
        if (has & STATUSES)
            call.statuses[FIRST - 2 + i] = (int)GUARD;
    }
    launch_keys(erase);
    for (uint i = 0; i < 70; i++)
        expect_status(i, CLADE_E_ARG, "an erasure in another map");
    expect(call.values[FIRST - 1] == before, "an erased value of another map", 0, 0);
    map->object.shape ^= 1u << 3;
    close_call(0);
}

int main(void)
{
    static const uint counts[] = { 1, GROUP + 1, 63, 64, 65, 130, KEYS };
    void (*const kernels[])(void *, void *) = { insert, put, update, erase };
    setbuf(stdout, NULL);
    random_state = shim_seed();
    busy = room(CLADE_BUSY_WORDS * 4ul);
    map = make(70);
    call_read(7, 3);
    for (uint round = 0; round < 28; round++) {
        const uint count = counts[round % 7u];
        call_changes(kernels[round % 4u], round / 4u % 3u, draw(4), count, false);
        call_changes(kernels[draw(4)], draw(3), draw(4), 40, round % 3u == 0);
        call_finds(draw(4), count);
        if (round % 4u == 1u)
            call_read(draw(8), size + draw(3));
        if (round % 7u == 3u)
            call_read(7, size / 2u);
    }
    for (uint i = 0; i < 12 && !IS_PACKED; i++) {
        call_changes(insert, 0, 3, 90, false);
        locked(i % 3u == 0 ? put : i % 3u == 1u ? update : erase, draw(4), i % 2u);
    }
    for (uint i = 0; i < 2 * CLADE_HASHMAP_STRIPES + 4 && CLADE_CPU; i++)
        erase_again(draw(4), i / 2u);
    for (uint has = 0; has < 4 && CLADE_CPU; has++)
        erase_after_hearsay(has);
    if (CLADE_CPU)
        erase_beside_the_counts();
    finds_where_all_homes_are_marked();
    misfit(STATUSES | VALUES);
    misfit(VALUES);
    call_changes(put, 0, 3, KEYS, false);
    call_move(4, false);
    call_move(90, true);
    call_finds(3, KEYS);
    overfull(STATUSES | VALUES);
    overfull(VALUES);
    free(map);
    free(busy);
    printf("the hash map's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
