/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map over ranks against a model that every rank has: an array over all keys. */
#include <clade/mpi/hashmap.h>
#include <mpi.h>
#include <sys/statvfs.h>

#include "fault/fault.h"
#include "mpi/batch.h"
#include "mpi/caching_driver.h"
#include "mpi/late_driver.h"
#include "mpi/ranks.h"

enum { KEYS = 3000, MOST = 2000, UNTOUCHED = 0x7777 };

/* Keys are 0 .. KEYS - 1, spread over the type. */
static uint64_t key_of(uint32_t number)
{
    return number * (uint64_t)0x9e3779b97f4a7c15u;
}

static clade_mpi_hashmap *open_map(struct fixture *f, uint64_t capacity)
{
    clade_mpi_hashmap *map;
    const clade_hashmap_params params = { .capacity = capacity,
                                          .key = CLADE_U64,
                                          .value = CLADE_U32 };
    assert_ok(clade_mpi_hashmap_create(&map, ranks_all, f->context, &params));
    return map;
}

/* A batch of this rank, and what came of it. Ranks differ in length and in where arrays lie. */
struct batch {
    size_t count;
    uint32_t numbers[MOST], values[MOST];
    uint64_t keys[MOST];
    int32_t statuses[MOST];
    cl_mem mems[3];
    bool on_device;
};

static void draw(struct batch *batch, struct fixture *f, unsigned round, bool on_device)
{
    struct random random = random_from(fixture_seed() + 1000 * round + (uint64_t)ranks_me);
    const size_t all = fixture_scaled(200, MOST, MOST);
    batch->count = ranks_me == 1 ? 0 : all / (size_t)(1 + ranks_me);
    batch->on_device = on_device;
    for (size_t i = 0; i < batch->count; i++) {
        batch->numbers[i] = (uint32_t)random_below(&random, KEYS);
        batch->keys[i] = key_of(batch->numbers[i]);
        batch->values[i] = UNTOUCHED;
        batch->statuses[i] = UNTOUCHED;
    }
    if (on_device) {
        batch->mems[0] = fixture_buffer(f, batch->count * 8 + 8, NULL);
        fixture_write(f, batch->mems[0], 8, batch->keys, batch->count * 8);
        batch->mems[1] = fixture_buffer(f, batch->count * 4 + 4, NULL);
        batch->mems[2] = fixture_buffer(f, batch->count * 4 + 4, NULL);
    }
}

static clade_array keys_of(struct batch *b)
{
    return b->on_device ? clade_device(b->mems[0], 8) : clade_host(b->keys);
}

static clade_array values_of(struct batch *b, struct fixture *f)
{
    if (b->on_device)
        fixture_write(f, b->mems[1], 4, b->values, b->count * 4);
    return b->on_device ? clade_device(b->mems[1], 4) : clade_host(b->values);
}

static clade_array statuses_of(struct batch *b)
{
    return b->on_device ? clade_device(b->mems[2], 0) : clade_host(b->statuses);
}

static void bring(struct batch *b, struct fixture *f)
{
    if (!b->on_device)
        return;
    fixture_read(f, b->mems[1], 4, b->values, b->count * 4);
    fixture_read(f, b->mems[2], 0, b->statuses, b->count * 4);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(b->mems[i]);
}

/* How often each key is in the batches of all ranks, of all operations or those with a status. */
static void count_keys(const struct batch *b, const int32_t *status, uint32_t *counts)
{
    memset(counts, 0, KEYS * sizeof *counts);
    for (size_t i = 0; i < b->count; i++)
        counts[b->numbers[i]] += !status || b->statuses[i] == *status;
    MPI_Allreduce(MPI_IN_PLACE, counts, KEYS, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
}

struct model {
    bool there[KEYS];
    uint32_t value[KEYS];
};

static void verify_size(clade_mpi_hashmap *map, const struct model *model)
{
    uint64_t size, wanted = 0;
    for (int i = 0; i < KEYS; i++)
        wanted += model->there[i];
    assert_ok(clade_mpi_hashmap_size(map, &size));
    assert_int_equal(size, wanted);
    assert_ok(clade_hashmap_check(clade_mpi_hashmap_own(map)));
}

enum step { INSERT, PUT, PLUS, ERASE, FIND, STEPS };

static void give_values(struct batch *b, enum step step)
{
    for (size_t i = 0; i < b->count; i++)
        if (step <= PLUS)
            b->values[i] = step == PLUS ? 1 : b->numbers[i] * 3 + step;
}

static clade_status call(clade_mpi_hashmap *map, struct fixture *f, struct batch *b, enum step step)
{
    const clade_array keys = keys_of(b), values = values_of(b, f), statuses = statuses_of(b);
    switch (step) {
    case INSERT:
        return clade_mpi_hashmap_insert(map, keys, values, b->count, statuses);
    case PUT:
        return clade_mpi_hashmap_put(map, keys, values, b->count, statuses);
    case PLUS:
        return clade_mpi_hashmap_update(map, keys, values, CLADE_HASHMAP_PLUS, b->count, statuses);
    case ERASE:
        return clade_mpi_hashmap_erase(map, keys, values, b->count, statuses);
    default:
        return clade_mpi_hashmap_find(map, keys, values, b->count, statuses);
    }
}

/* Of the operations on a key, as many were first as there can be. */
static void verify_statuses(const struct batch *b, const struct model *model, enum step step)
{
    static uint32_t all[KEYS], ok[KEYS];
    const int32_t done = CLADE_OK;
    count_keys(b, NULL, all);
    count_keys(b, &done, ok);
    for (int k = 0; k < KEYS; k++) {
        uint32_t wanted = all[k] > 0 && !model->there[k]; /* put in by one of them */
        if (step == ERASE)
            wanted = all[k] > 0 && model->there[k];
        if (step == FIND)
            wanted = model->there[k] ? all[k] : 0;
        assert_int_equal(ok[k], wanted);
    }
}

static void verify_values(const struct batch *b, const struct model *model, enum step step)
{
    for (size_t i = 0; i < b->count && step >= ERASE; i++) {
        const bool has = b->statuses[i] == CLADE_OK;
        assert_int_equal(b->values[i], has ? model->value[b->numbers[i]] : UNTOUCHED);
        assert_true(has || b->statuses[i] == CLADE_E_NOT_FOUND);
    }
}

static void change(struct model *model, const struct batch *b, enum step step)
{
    static uint32_t all[KEYS];
    count_keys(b, NULL, all);
    for (uint32_t k = 0; k < KEYS && step < FIND; k++) {
        if (all[k] == 0)
            continue;
        if (step == PLUS)
            model->value[k] = model->there[k] ? model->value[k] + all[k] : all[k];
        else if (step == PUT || (step == INSERT && !model->there[k]))
            model->value[k] = k * 3 + step;
        model->there[k] = step != ERASE;
    }
}

static void as_the_model(void **state)
{
    struct fixture *f = *state;
    struct model *model = test_calloc(1, sizeof *model);
    struct batch *b = test_calloc(1, sizeof *b);
    clade_mpi_hashmap *map = open_map(f, KEYS);
    static const enum step steps[] = { FIND, INSERT, FIND, PUT,   ERASE, FIND,
                                       PLUS, INSERT, PLUS, ERASE, FIND };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        draw(b, f, i, (ranks_me + (int)i) % 2 == 1);
        give_values(b, steps[i]);
        assert_ok(call(map, f, b, steps[i]));
        bring(b, f);
        verify_statuses(b, model, steps[i]);
        verify_values(b, model, steps[i]);
        change(model, b, steps[i]);
        verify_size(map, model);
    }
    clade_mpi_hashmap_destroy(&map);
    assert_null(map);
    test_free(b);
    test_free(model);
}

/* A batch in many chunks. */
static void in_chunks(void **state)
{
    const uint64_t most = cladei_mpi_batch_most;
    cladei_mpi_batch_most = 13;
    as_the_model(state);
    cladei_mpi_batch_most = most;
}

/* As between hosts. */
static void by_messages(void **state)
{
    cladei_mpi_wire_shares = false;
    as_the_model(state);
    in_chunks(state);
    cladei_mpi_wire_shares = true;
}

/* Chunks whose copies and kernels, and ranks, come late. */
static void late_in_chunks(void **state)
{
    late_driver_on(1000);
    in_chunks(state);
    const unsigned through_slots = late_driver_off();
    cladei_mpi_wire_shares = false;
    late_driver_on(1000);
    in_chunks(state);
    const unsigned by_messages = late_driver_off();
    cladei_mpi_wire_shares = true;
    assert_true(ranks_count == 1 || (through_slots > 100 && by_messages > 100));
}

/* All ranks see the same slots, to the last byte, and each rank's driver knows all of them or,
 * where a call of it failed, some. */
struct sharing {
    struct fixture *f;
    bool has_faults;
};

static void look_at_slots(const struct cladei_mpi_wire *wire, bool has_faults)
{
    for (int r = 0; r < ranks_count; r++) {
        const struct cladei_mpi_stage *locked = &wire->locked[r];
        assert_int_equal(wire->slots[r][0], r);
        assert_int_equal(wire->slots[r][2 * wire->room - 1], r);
        if (has_faults && !locked->mem)
            continue;
        assert_ptr_equal(locked->host, wire->slots[r]);
        assert_true(locked->bytes >= 2 * wire->room);
    }
}

static clade_status share_slots(void *data)
{
    const struct sharing *it = data;
    struct cladei_mpi_wire wire;
    clade_status status = cladei_mpi_wire_make(&wire, ranks_all, it->f->context);
    status = cladei_mpi_agree(ranks_all, status, NULL);
    for (uint64_t room = 5000; status == CLADE_OK && room < 200000; room *= 7) {
        status = cladei_mpi_agree(ranks_all, cladei_mpi_wire_reserve(&wire, room), NULL);
        if (status != CLADE_OK || !wire.is_shared)
            break;
        memset(wire.slots[ranks_me], ranks_me, 2 * room);
        MPI_Barrier(MPI_COMM_WORLD);
        look_at_slots(&wire, it->has_faults);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    cladei_mpi_wire_free(&wire);
    return status;
}

static void drivers_know_the_slots(void **state)
{
    struct sharing it = { .f = *state };
    if (ranks_count == 1)
        return;
    assert_ok(share_slots(&it));
    it.has_faults = true;
    assert_true(ranks_fault_every(ranks_count / 2, share_slots, NULL, &it) > 10);
}

/* Shared memory is short, and one rank is told so: what the others got cannot be freed without it.
 */
static bool is_short, is_refused;
static unsigned windows;

int statvfs(const char *path, struct statvfs *to)
{
    *to = (struct statvfs) { .f_frsize = 4096, .f_bavail = is_short ? 1 : 1u << 30 };
    return path[0] == '/' ? 0 : -1;
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory,
                            MPI_Win *window)
{
    const int code = PMPI_Win_allocate_shared(bytes, unit, info, comm, memory, window);
    windows++;
    return is_refused ? MPI_ERR_NO_MEM : code;
}

static void shared_memory_is_short_on_one_rank(void **state)
{
    is_refused = ranks_me == ranks_count - 1;
    windows = 0;
    as_the_model(state);
    assert_int_equal(windows > 0, ranks_count > 1);
    is_refused = false;
    /* Where nobody could have it, MPI is not asked: ranks that get none would be waited for. */
    is_short = ranks_me == ranks_count - 1;
    windows = 0;
    as_the_model(state);
    assert_int_equal(windows, 0);
    is_short = false;
}

/* The last rank's driver is slow to map, and then brings back what the slots had before. */
static void drivers_may_keep_what_slots_had(void **state)
{
    uint64_t keys[64], size;
    if (ranks_count == 1)
        return;
    clade_mpi_hashmap *map = open_map(*state, KEYS);
    for (uint32_t i = 0; i < 64; i++)
        keys[i] = key_of(i * (uint32_t)ranks_count + (uint32_t)ranks_me);
    caching_driver_on();
    caching_driver_slow(ranks_me == ranks_count - 1 ? 200 : 0);
    assert_ok(
        clade_mpi_hashmap_insert(map, clade_host(keys), clade_no_array(), 64, clade_no_array()));
    assert_true((int)caching_driver_off() >= ranks_count);
    assert_ok(clade_mpi_hashmap_size(map, &size));
    assert_int_equal(size, 64 * (uint64_t)ranks_count);
    clade_mpi_hashmap_destroy(&map);
}

/* All keys of a call are one rank's: it answers more than it asks. Slots grow on the way back. */
static void one_rank_owns_all(void **state)
{
    struct fixture *f = *state;
    const uint64_t most = cladei_mpi_batch_most;
    const int owner = ranks_count - 1;
    cladei_mpi_batch_most = 100;
    clade_mpi_hashmap *map = open_map(f, KEYS);
    uint64_t keys[350];
    uint32_t values[350], count = 0;
    int32_t statuses[350];
    for (uint32_t i = 0; count < 350; i++) {
        keys[count] = key_of(i * (uint32_t)ranks_count + (uint32_t)ranks_me);
        count += clade_mpi_hashmap_owner(map, &keys[count]) == owner;
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = (uint32_t)keys[i];
    assert_ok(clade_mpi_hashmap_insert(map, clade_host(keys), clade_host(values), count,
                                       clade_host(statuses)));
    memset(values, 0, sizeof values);
    keys[349] = key_of(0xffffffffu); /* of nobody */
    assert_ok(clade_mpi_hashmap_find(map, clade_host(keys), clade_host(values), count,
                                     clade_host(statuses)));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(statuses[i], i < 349 ? CLADE_OK : CLADE_E_NOT_FOUND);
        assert_int_equal(values[i], i < 349 ? (uint32_t)keys[i] : 0);
    }
    clade_mpi_hashmap_destroy(&map);
    cladei_mpi_batch_most = most;
}

/* Each key lies where its owner says, and every rank has its part. */
static void keys_lie_with_their_owner(void **state)
{
    struct fixture *f = *state;
    clade_mpi_hashmap *map = open_map(f, KEYS);
    uint64_t *keys = test_calloc(KEYS, sizeof *keys), got;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i; /* neighbours */
    assert_ok(clade_mpi_hashmap_insert(map, clade_host(keys), clade_no_array(), ranks_me ? 0 : KEYS,
                                       clade_no_array()));
    assert_ok(clade_hashmap_read(clade_mpi_hashmap_own(map), clade_host(keys), clade_no_array(),
                                 KEYS, &got, NULL));
    for (uint64_t i = 0; i < got; i++)
        assert_int_equal(clade_mpi_hashmap_owner(map, &keys[i]), ranks_me);
    assert_int_equal(ranks_sum(got), KEYS);
    assert_in_range(got * (uint64_t)ranks_count, KEYS * 3 / 4, KEYS * 5 / 4);
    assert_int_equal(clade_mpi_hashmap_owner(NULL, keys), -1);
    clade_mpi_hashmap_destroy(&map);
    test_free(keys);
}

/* A rank that is full: its keys are refused, and those of others are in. */
static void one_rank_is_full(void **state)
{
    struct fixture *f = *state;
    const bool small = ranks_me == ranks_count - 1;
    clade_mpi_hashmap *map = open_map(f, small ? 50 : KEYS);
    struct batch *b = test_calloc(1, sizeof *b);
    uint64_t size, refused = 0;
    for (uint32_t i = 0; i < 1000; i++)
        b->keys[i] = key_of(i * (uint32_t)ranks_count + (uint32_t)ranks_me);
    assert_ok(clade_mpi_hashmap_insert(map, clade_host(b->keys), clade_host(b->values), 1000,
                                       clade_host(b->statuses)));
    for (int i = 0; i < 1000; i++) {
        assert_true(b->statuses[i] == CLADE_OK ||
                    (b->statuses[i] == CLADE_E_FULL &&
                     clade_mpi_hashmap_owner(map, &b->keys[i]) == ranks_count - 1));
        refused += b->statuses[i] == CLADE_E_FULL;
    }
    assert_ok(clade_mpi_hashmap_size(map, &size));
    refused = ranks_sum(refused);
    assert_true(refused > 0);
    assert_int_equal(size + refused, 1000 * (uint64_t)ranks_count);
    /* The same without statuses on the last rank alone: all are told of it. */
    assert_fails(clade_mpi_hashmap_insert(map, clade_host(b->keys), clade_host(b->values), 1000,
                                          small ? clade_no_array() : clade_host(b->statuses)),
                 CLADE_E_FULL);
    clade_mpi_hashmap_destroy(&map);
    test_free(b);
}

static void wrong_arguments_of_one_rank(void **state)
{
    struct fixture *f = *state;
    clade_mpi_hashmap *map = open_map(f, 100), *other = NULL;
    const bool bad = ranks_me == ranks_count - 1;
    uint64_t keys[10] = { 0 }, size;
    uint32_t values[10] = { 0 };
    const clade_array k = clade_host(keys), v = clade_host(values), none = clade_no_array();
    assert_fails(clade_mpi_hashmap_insert(map, bad ? none : k, v, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_hashmap_update(map, k, v, bad ? 3 : 0, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_hashmap_update(map, k, bad ? none : v, 0, 10, none), CLADE_E_ARG);
    assert_fails(clade_mpi_hashmap_size(map, bad ? NULL : &size), CLADE_E_ARG);
    if (ranks_count > 1) {
        assert_fails(clade_mpi_hashmap_put(map, k, v, bad ? UINT64_MAX / 4 : 10, none),
                     CLADE_E_ARG);
        assert_message("over ranks the most is");
        assert_fails(bad ? clade_mpi_hashmap_find(map, k, v, 10, none)
                         : clade_mpi_hashmap_put(map, k, v, 10, none),
                     CLADE_E_ARG);
        assert_message("the call must be the same on all ranks");
        const clade_hashmap_params types = { .capacity = 10, .key = bad ? CLADE_U32 : CLADE_U64 };
        assert_fails(clade_mpi_hashmap_create(&other, ranks_all, f->context, &types), CLADE_E_ARG);
        const clade_hashmap_params kept = { .capacity = 10, .no_erase = bad };
        assert_fails(clade_mpi_hashmap_create(&other, ranks_all, f->context, &kept), CLADE_E_ARG);
        assert_message("no_erase must be the same on all ranks");
    }
    const clade_hashmap_params params = { .capacity = bad ? 0 : 100 };
    assert_fails(clade_mpi_hashmap_create(&other, ranks_all, f->context, &params), CLADE_E_ARG);
    assert_null(other);
    assert_ok(clade_mpi_hashmap_size(map, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_mpi_hashmap_insert(map, none, none, 0, none)); /* nobody has anything */
    assert_fails(clade_mpi_hashmap_insert(NULL, k, v, 10, none), CLADE_E_ARG);
    clade_mpi_hashmap_destroy(&map);
    clade_mpi_hashmap_destroy(NULL);
}

/* --- faults ----------------------------------------------------------------------------------- */

struct faulty {
    struct fixture *f;
    clade_mpi_hashmap *map;
    uint64_t keys[64];
    uint32_t values[64];
    int32_t statuses[64];
};

static clade_status create_and_use(void *data)
{
    struct faulty *it = data;
    clade_status status;
    const clade_hashmap_params params = { .capacity = 1000, .key = CLADE_U64, .value = CLADE_U32 };
    status = clade_mpi_hashmap_create(&it->map, ranks_all, it->f->context, &params);
    if (status == CLADE_OK)
        status = clade_mpi_hashmap_insert(it->map, clade_host(it->keys), clade_host(it->values), 64,
                                          clade_host(it->statuses));
    if (status == CLADE_OK)
        status = clade_mpi_hashmap_find(it->map, clade_host(it->keys), clade_host(it->values), 64,
                                        clade_host(it->statuses));
    return status;
}

/* Whatever failed, the map is sound and takes the keys. */
static void is_sound(void *data)
{
    struct faulty *it = data;
    const bool is_made = it->map != NULL;
    assert_true(ranks_alike(is_made));
    if (is_made) {
        uint64_t size;
        assert_ok(clade_hashmap_check(clade_mpi_hashmap_own(it->map)));
        assert_ok(clade_mpi_hashmap_put(it->map, clade_host(it->keys), clade_host(it->values), 64,
                                        clade_no_array()));
        assert_ok(clade_mpi_hashmap_size(it->map, &size));
        assert_int_equal(size, 64 * (uint64_t)ranks_count);
    }
    clade_mpi_hashmap_destroy(&it->map);
}

static void faults_on_one_rank(void **state)
{
    if (ranks_count > 1)
        fixture_by_night("late_faults_leave_nothing makes the same calls fail, on one map");
    struct faulty it = { .f = *state };
    for (uint32_t i = 0; i < 64; i++)
        it.keys[i] = key_of(i * (uint32_t)ranks_count + (uint32_t)ranks_me);
    assert_true(ranks_fault_every(ranks_count / 2, create_and_use, is_sound, &it) > 10);
}

/* In several chunks, by messages: what fails in one is told in the next. Each time the map is made
 * anew. */
static void faults_between_chunks(void **state)
{
    const uint64_t most = cladei_mpi_batch_most;
    if (ranks_count == 1)
        return;
    fixture_by_night("late_faults_leave_nothing makes the same calls fail, on one map");
    cladei_mpi_batch_most = 30;
    faults_on_one_rank(state);
    cladei_mpi_wire_shares = false;
    faults_on_one_rank(state);
    cladei_mpi_wire_shares = true;
    cladei_mpi_batch_most = most;
}

/* In the library's queues beside the context's, unless it was the wait that failed: then the next
 * call waits. */
static unsigned commands_left(const struct faulty *it, clade_status status)
{
    const unsigned left = late_driver_left(clade_context_cl_queue(it->f->context));
    const bool waited = strcmp(fault_name(), "clFinish") != 0 &&
                        strcmp(fault_name(), "clEnqueueMarkerWithWaitList") != 0;
    return status == CLADE_OK || waited ? left : 0;
}

/* Shared slots bring the keys that are looked for and what is found; messages, keys and values. */
static clade_status find_or_put(void *data)
{
    struct faulty *it = data;
    const clade_array keys = clade_host(it->keys), values = clade_host(it->values);
    const clade_status status =
        cladei_mpi_wire_shares ? clade_mpi_hashmap_find(it->map, keys, values, 64, clade_no_array())
                               : clade_mpi_hashmap_put(it->map, keys, values, 64, clade_no_array());
    assert_int_equal(commands_left(it, status), 0);
    return status;
}

/* A call that failed has left no copies that may come into the next one's buffers. */
static void late_faults_leave_nothing(void **state)
{
    struct faulty it = { .f = *state };
    const uint64_t most = cladei_mpi_batch_most;
    if (ranks_count == 1)
        return;
    for (uint32_t i = 0; i < 64; i++)
        it.keys[i] = key_of(i * (uint32_t)ranks_count + (uint32_t)ranks_me);
    cladei_mpi_batch_most = 30;
    for (int shares = 1; shares >= 0; shares--) {
        cladei_mpi_wire_shares = shares;
        it.map = open_map(it.f, KEYS);
        assert_ok(find_or_put(&it)); /* what the first call makes */
        late_driver_lazy(true);
        assert_true(ranks_fault_every(ranks_count / 2, find_or_put, NULL, &it) > 50);
        late_driver_lazy(false);
        is_sound(&it);
    }
    cladei_mpi_wire_shares = true;
    cladei_mpi_batch_most = most;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_model),
        cmocka_unit_test(in_chunks),
        cmocka_unit_test(by_messages),
        cmocka_unit_test(late_in_chunks),
        cmocka_unit_test(drivers_know_the_slots),
        cmocka_unit_test(drivers_may_keep_what_slots_had),
        cmocka_unit_test(shared_memory_is_short_on_one_rank),
        cmocka_unit_test(one_rank_owns_all),
        cmocka_unit_test(keys_lie_with_their_owner),
        cmocka_unit_test(one_rank_is_full),
        cmocka_unit_test(wrong_arguments_of_one_rank),
        cmocka_unit_test(faults_on_one_rank),
        cmocka_unit_test(faults_between_chunks),
        cmocka_unit_test(late_faults_leave_nothing),
    };
    return ranks_run("mpi_hashmap", tests);
}
