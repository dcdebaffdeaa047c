/* SPDX-License-Identifier: Apache-2.0 */
/* clade_adheap with a HOST bridge: kernels and a host thread call each other, and either may stop.
 */
#include <clade/adheap.h>

#include "adheap/adheap.h" /* the library's: when the host stops */
#include "adheap/model.h"
#include "device/context.h"
#include "harness/fixture.h"
#include "harness/scratch.h"
#include "object/launch.h"

enum { HEAPS = 3, CAPACITY = 80 };

/* Patience: 2^29 polls are a quarter of a second; where the host stops it is waited out. */
static clade_adheap *open_some(struct fixture *f, uint32_t count, uint32_t key, uint32_t patience,
                               uint32_t feed)
{
    clade_adheap *heaps = NULL;
    const clade_adheap_params params = { .heaps = count,
                                         .capacity = CAPACITY,
                                         .arity = 8,
                                         .key = key,
                                         .values = 1,
                                         .bridge = CLADE_ADHEAP_BRIDGE_HOST,
                                         .feed = feed,
                                         .patience = patience };
    if (!f->caps->svm_atomics) {
        print_message("skipped: the device has no fine-grained shared memory with atomics\n");
        assert_fails(clade_adheap_create(&heaps, f->context, &params), CLADE_E_UNSUPPORTED);
        assert_message("fine-grained");
        skip();
    }
    assert_ok(clade_adheap_create(&heaps, f->context, &params));
    return heaps;
}

static clade_adheap *open_heaps(struct fixture *f, uint32_t key, uint32_t patience)
{
    return open_some(f, HEAPS, key, patience, CLADE_ADHEAP_FEED_AUTO);
}

static uint32_t cookie(uint64_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32);
}

struct world {
    clade_adheap *heaps;
    struct model_heap models[HEAPS];
    uint64_t words[HEAPS][CAPACITY];
    struct random random;
    bool wide;
};

static struct world open_world(struct fixture *f, uint32_t key, uint32_t patience)
{
    struct world w = { .heaps = open_heaps(f, key, patience), .wide = key == CLADE_U64 };
    w.random = random_from(f->seed + key);
    return w;
}

static void link_models(struct world *w)
{
    for (uint32_t h = 0; h < HEAPS; h++)
        w->models[h] = (struct model_heap) { w->words[h], 0, CAPACITY };
}

static uint64_t random_key(struct world *w)
{
    return w->wide ? random_next(&w->random) : (uint32_t)random_next(&w->random);
}

static void build_all(struct world *w, uint32_t each)
{
    uint64_t wide[HEAPS * CAPACITY];
    uint32_t narrow[HEAPS * CAPACITY], values[HEAPS * CAPACITY];
    link_models(w);
    for (uint32_t i = 0; i < HEAPS * each; i++) {
        wide[i] = random_key(w);
        narrow[i] = (uint32_t)wide[i];
        values[i] = cookie(wide[i]);
        model_insert(&w->models[i / each], wide[i]);
    }
    assert_ok(clade_adheap_build(w->heaps, w->wide ? clade_host(wide) : clade_host(narrow),
                                 clade_host(values), each, NULL));
    assert_ok(clade_adheap_check(w->heaps));
}

/* Pop `each` of each heap; `wanted` is what the call shall return. */
static void pop_all(struct world *w, uint32_t each, clade_status wanted)
{
    uint64_t wide[HEAPS * CAPACITY], word;
    uint32_t narrow[HEAPS * CAPACITY], values[HEAPS * CAPACITY];
    int32_t statuses[HEAPS * CAPACITY] = { 0 };
    uint32_t refused = 0;
    assert_fails(clade_adheap_pop(w->heaps, w->wide ? clade_host(wide) : clade_host(narrow),
                                  clade_host(values), each, clade_host(statuses), NULL),
                 wanted);
    for (uint32_t i = 0; i < HEAPS * each; i++) {
        if (statuses[i] == CLADE_E_BUSY) {
            refused++;
            continue;
        }
        const bool had = model_pop(&w->models[i / each], &word);
        assert_int_equal(statuses[i], had ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (had) {
            assert_int_equal(w->wide ? wide[i] : narrow[i], word);
            assert_int_equal(values[i], cookie(word));
        }
    }
    assert_int_equal(refused > 0, wanted == CLADE_E_BUSY);
}

static void the_host_writes_every_path(void **state)
{
    for (uint32_t key = CLADE_U32; key <= CLADE_U64; key += CLADE_U64 - CLADE_U32) {
        struct world w = open_world(*state, key, 0);
        build_all(&w, CAPACITY);
        const uint64_t before = w.heaps->calls;
        pop_all(&w, CAPACITY / 2, CLADE_OK);
        assert_int_equal(w.heaps->calls - before, HEAPS * (CAPACITY / 2));
        assert_ok(clade_adheap_check(w.heaps));
        pop_all(&w, CAPACITY / 2 + 1, CLADE_OK);
        clade_adheap_destroy(&w.heaps);
    }
}

/* The host stops after one entry of a path. What was asked for took effect or was refused; the
 * heap says what it needs; replayed, it is whole, and twice is as once. */
static void a_host_that_stops_in_mid_call_leaves_a_log(void **state)
{
    for (uint64_t at = 1; at <= fixture_scaled(33, 41, 59); at += fixture_is_small() ? 16 : 4) {
        struct world w = open_world(*state, CLADE_U32, 1u << 29);
        uint32_t replayed = 99;
        build_all(&w, CAPACITY);
        w.heaps->dies_at = w.heaps->calls + at;
        pop_all(&w, 20, CLADE_E_BUSY);
        assert_fails(clade_adheap_check(w.heaps), CLADE_E_CORRUPT);
        assert_message("clade_adheap_repair");
        pop_all(&w, 2, CLADE_E_BUSY); /* still refused, the other heaps go on */
        assert_ok(clade_adheap_repair(w.heaps, &replayed));
        assert_int_equal(replayed, 1);
        assert_ok(clade_adheap_repair(w.heaps, &replayed));
        assert_int_equal(replayed, 0);
        assert_ok(clade_adheap_check(w.heaps));
        pop_all(&w, CAPACITY, CLADE_OK);
        clade_adheap_destroy(&w.heaps);
    }
}

/* A file has no logs: with one that waits it would be refused when it is loaded, and what it was to
 * keep is lost. */
static void a_heap_with_a_log_is_not_saved(void **state)
{
    struct world w = open_world(*state, CLADE_U32, 1u << 27);
    struct fixture *f = *state;
    clade_adheap *loaded = NULL;
    char *folder = scratch_make(), *path = scratch_path(folder, "adheap.clade");
    build_all(&w, CAPACITY);
    w.heaps->dies_at = w.heaps->calls + 1;
    pop_all(&w, 2, CLADE_E_BUSY);
    assert_fails(clade_adheap_save(w.heaps, path), CLADE_E_BUSY);
    assert_message("clade_adheap_repair");
    assert_fails(clade_adheap_load(&loaded, f->context, path), CLADE_E_NOT_FOUND);
    assert_ok(clade_adheap_repair(w.heaps, NULL));
    assert_ok(clade_adheap_save(w.heaps, path));
    clade_adheap_destroy(&w.heaps);
    assert_ok(clade_adheap_load(&w.heaps, f->context, path));
    assert_ok(clade_adheap_check(w.heaps));
    pop_all(&w, CAPACITY, CLADE_OK);
    clade_adheap_destroy(&w.heaps);
    free(path);
    scratch_remove(folder);
}

/* A heap whose log waits is not fed either, whichever way heaps are fed; the others are. */
static void a_refused_heap_is_not_fed(void **state)
{
    for (uint32_t feed = CLADE_ADHEAP_FEED_SIFT; feed <= CLADE_ADHEAP_FEED_SELECT; feed++) {
        struct world w = { .heaps = open_some(*state, HEAPS, CLADE_U32, 1u << 27, feed) };
        uint32_t keys[HEAPS * CAPACITY], values[HEAPS * CAPACITY], replayed = 0;
        uint64_t word;
        w.random = random_from(((struct fixture *)*state)->seed + feed);
        build_all(&w, CAPACITY);
        w.heaps->dies_at = w.heaps->calls + 1;
        assert_fails(clade_adheap_pop(w.heaps, clade_host(keys), clade_host(values), 2,
                                      clade_no_array(), NULL),
                     CLADE_E_BUSY);
        for (uint32_t i = 0; i < HEAPS * CAPACITY; i++)
            keys[i] = UINT32_MAX - i, values[i] = cookie(keys[i]); /* more than any other key */
        assert_fails(
            clade_adheap_feed(w.heaps, clade_host(keys), clade_host(values), 0, CAPACITY, NULL),
            CLADE_E_BUSY);
        assert_ok(clade_adheap_repair(w.heaps, &replayed));
        assert_int_equal(replayed, 1);
        assert_ok(clade_adheap_check(w.heaps));
        /* The refused heap lacks its root, which the cut call took: all else is there. */
        uint32_t sizes[HEAPS], kept = 0;
        assert_ok(clade_adheap_sizes(w.heaps, clade_host(sizes), NULL));
        for (uint32_t h = 0; h < HEAPS; h++)
            if (sizes[h] == CAPACITY - 1) {
                assert_true(model_pop(&w.models[h], &word));
                kept++;
            } else {
                assert_int_equal(sizes[h], CAPACITY);
                w.models[h].size = 0;
                for (uint32_t i = h * CAPACITY; i < (h + 1) * CAPACITY; i++)
                    assert_true(model_insert(&w.models[h], UINT32_MAX - i));
            }
        assert_int_equal(kept, 1);
        pop_all(&w, CAPACITY, CLADE_OK);
        clade_adheap_destroy(&w.heaps);
    }
}

/* A host that never comes: the kernel takes its calls back and does the work itself. Here the host
 * sleeps in clFinish() of a launch that nobody serves. */
static void without_a_host_the_kernel_goes_on(void **state)
{
    struct fixture *f = *state;
    struct world w = open_world(f, CLADE_U32, 1u << 22);
    uint32_t keys[HEAPS * 4], values[HEAPS * 4];
    uint64_t word;
    build_all(&w, CAPACITY);
    cl_mem to = fixture_buffer(f, sizeof keys, NULL), with = fixture_buffer(f, sizeof keys, NULL);
    cl_mem none = NULL;
    const cl_ulong first = 0;
    const cl_uint each = 4, peek = 0;
    cl_kernel kernel = w.heaps->kernels[ADHEAP_POP];
    assert_ok(CLADEI_SET_ARGS(kernel, CLADEI_ARG(w.heaps->object.mem), CLADEI_ARG(to),
                              CLADEI_ARG(first), CLADEI_ARG(with), CLADEI_ARG(first),
                              CLADEI_ARG(none), CLADEI_ARG(first), CLADEI_ARG(each),
                              CLADEI_ARG(peek)));
    const uint64_t before = w.heaps->calls;
    fixture_launch(f, kernel, 1, 1);
    fixture_read(f, to, 0, keys, sizeof keys);
    fixture_read(f, with, 0, values, sizeof values);
    assert_int_equal(w.heaps->calls, before);
    for (uint32_t i = 0; i < HEAPS * each; i++) {
        assert_true(model_pop(&w.models[i / each], &word));
        assert_int_equal(keys[i], word);
        assert_int_equal(values[i], cookie(word));
    }
    assert_ok(clade_adheap_check(w.heaps));
    pop_all(&w, CAPACITY, CLADE_OK);
    clReleaseMemObject(to);
    clReleaseMemObject(with);
    clade_adheap_destroy(&w.heaps);
}

/* One call of the resident kernel beside the model. */
static void call_once(struct world *w)
{
    clade_adheap_call call = { .what = (uint32_t)random_below(&w->random, 4),
                               .heap = (uint32_t)random_below(&w->random, HEAPS),
                               .key = random_key(w) };
    struct model_heap *model = &w->models[call.heap];
    const uint64_t key = call.key;
    uint64_t word;
    call.value = cookie(key);
    clade_status wanted = CLADE_OK;
    if (call.what == CLADE_ADHEAP_CALL_UPDATE) { /* the root: the model knows which it is */
        wanted = model_pop(model, &word) ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (wanted == CLADE_OK)
            model_insert(model, key);
    } else if (call.what == CLADE_ADHEAP_CALL_INSERT) {
        wanted = model_insert(model, key) ? CLADE_OK : CLADE_E_FULL;
    } else {
        wanted = model_pop(model, &word) ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (wanted == CLADE_OK && call.what == CLADE_ADHEAP_CALL_PEEK)
            model_insert(model, word);
    }
    assert_fails(clade_adheap_resident_call(w->heaps, &call), wanted);
    if (wanted == CLADE_OK &&
        (call.what == CLADE_ADHEAP_CALL_POP || call.what == CLADE_ADHEAP_CALL_PEEK)) {
        assert_int_equal(call.key, word);
        assert_int_equal(call.value, cookie(word));
    }
}

static void calls_go_both_ways(void **state)
{
    for (uint32_t key = CLADE_U32; key <= CLADE_U64; key += CLADE_U64 - CLADE_U32) {
        struct world w = open_world(*state, key, 0);
        clade_adheap_call bad = { .heap = HEAPS };
        build_all(&w, CAPACITY / 2);
        assert_fails(clade_adheap_resident_call(w.heaps, &bad), CLADE_E_ARG);
        assert_ok(clade_adheap_resident_start(w.heaps));
        assert_fails(clade_adheap_resident_start(w.heaps), CLADE_E_ARG);
        assert_fails(clade_adheap_clear(w.heaps, NULL), CLADE_E_ARG);
        assert_message("a kernel of the ad-heap is resident");
        assert_fails(clade_adheap_check(w.heaps), CLADE_E_ARG);
        assert_fails(clade_adheap_resident_call(w.heaps, &bad), CLADE_E_ARG);
        assert_message("no heap 3");
        for (size_t i = 0; i < fixture_scaled(300, 2000, 20000); i++)
            call_once(&w);
        assert_ok(clade_adheap_resident_stop(w.heaps));
        assert_ok(clade_adheap_check(w.heaps));
        pop_all(&w, CAPACITY, CLADE_OK);
        assert_ok(clade_adheap_resident_start(w.heaps));
        clade_adheap_destroy(&w.heaps); /* ends it */
    }
}

/* The kernel's side stops: it leaves when no call comes, and the next call starts it again. */
static void a_kernel_that_left_is_called_back(void **state)
{
    /* Sixty milliseconds: on a busy machine the host may lose its core in the middle of a call. A
     * kernel of less patience then refuses the heap, as it should. */
    struct world w = open_world(*state, CLADE_U32, 1u << 27);
    build_all(&w, CAPACITY / 2);
    assert_ok(clade_adheap_resident_start(w.heaps));
    for (size_t i = 0; i < fixture_scaled(6, 20, 20); i++) {
        assert_int_equal(clFinish(((struct fixture *)*state)->context->queue), CL_SUCCESS);
        call_once(&w);
    }
    assert_ok(clade_adheap_resident_stop(w.heaps));
    assert_ok(clade_adheap_check(w.heaps));
    pop_all(&w, CAPACITY, CLADE_OK);
    clade_adheap_destroy(&w.heaps);
}

/* The host stops in the middle of the call back for a path; the kernel ends by its patience. */
static void a_host_that_stops_between_both_calls(void **state)
{
    struct world w = open_world(*state, CLADE_U32, 1u << 29);
    clade_adheap_call call = { .what = CLADE_ADHEAP_CALL_POP, .heap = 1 };
    uint32_t replayed;
    uint64_t word;
    build_all(&w, CAPACITY);
    assert_ok(clade_adheap_resident_start(w.heaps));
    w.heaps->dies_at = w.heaps->calls + 1;
    assert_fails(clade_adheap_resident_call(w.heaps, &call), CLADE_E_BUSY);
    assert_true(model_pop(&w.models[1], &word)); /* its log was complete */
    assert_fails(clade_adheap_resident_call(w.heaps, &call), CLADE_E_BUSY);
    assert_message("heap 1 has a log"); /* refused, and not: nobody answered in time */
    call.heap = 2;
    assert_ok(clade_adheap_resident_call(w.heaps, &call)); /* others go on */
    assert_true(model_pop(&w.models[2], &word));
    assert_int_equal(call.key, word);
    assert_ok(clade_adheap_resident_stop(w.heaps));
    assert_ok(clade_adheap_repair(w.heaps, &replayed));
    assert_int_equal(replayed, 1);
    assert_ok(clade_adheap_check(w.heaps));
    pop_all(&w, CAPACITY, CLADE_OK);
    clade_adheap_destroy(&w.heaps);
}

static void count_launch(void *data, cl_kernel kernel, cl_event event)
{
    cl_uint arguments = 0;
    assert_int_equal(
        clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL),
        CL_SUCCESS);
    assert_non_null(event);
    ++*(unsigned *)data;
}

/* The resident kernel, too. */
static void launches_are_told(void **state)
{
    struct fixture *f = *state;
    unsigned launches = 0;
    const clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                          .cl_device = clade_context_cl_device(f->context),
                                          .on_launch = count_launch,
                                          .on_launch_data = &launches };
    struct fixture told = *f;
    clade_adheap_call call = { .what = CLADE_ADHEAP_CALL_INSERT, .key = 5 };
    told.context = NULL;
    assert_ok(clade_context_create(&told.context, &params));
    told.caps = clade_context_caps(told.context);
    clade_adheap *heaps = open_some(&told, 1, CLADE_U32, 0, CLADE_ADHEAP_FEED_AUTO);
    launches = 0;
    assert_ok(clade_adheap_resident_start(heaps));
    assert_int_equal(launches, 1);
    assert_ok(clade_adheap_resident_call(heaps, &call));
    assert_ok(clade_adheap_resident_stop(heaps));
    assert_true(launches >= 1);
    clade_adheap_destroy(&heaps);
    clade_context_destroy(&told.context);
}

/* 2^20 heaps of 2^20 words: 2^35 lines and two, in 32 bits two. */
static void lines_of_a_host_bridge(void **state)
{
    struct fixture *f = *state;
    clade_adheap *a = (clade_adheap *)1;
    clade_adheap_params params = { .heaps = 1u << 20,
                                   .capacity = (1u << 20) - 63,
                                   .bridge = CLADE_ADHEAP_BRIDGE_HOST };
    assert_fails(clade_adheap_create(&a, f->context, &params), CLADE_E_ARG);
    assert_message("above the limit of a HOST bridge");
    assert_null(a);
    params.bridge = CLADE_ADHEAP_BRIDGE_AUTO;
    assert_fails(clade_adheap_create(&a, f->context, &params), CLADE_E_ARG);
    params.heaps = UINT32_MAX;
    params.capacity = 1u << 30;
    params.key = CLADE_U64;
    params.values = 1;
    assert_fails(clade_adheap_create(&a, f->context, &params), CLADE_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_writes_every_path),
        cmocka_unit_test(a_host_that_stops_in_mid_call_leaves_a_log),
        cmocka_unit_test(a_refused_heap_is_not_fed),
        cmocka_unit_test(a_heap_with_a_log_is_not_saved),
        cmocka_unit_test(without_a_host_the_kernel_goes_on),
        cmocka_unit_test(calls_go_both_ways),
        cmocka_unit_test(a_kernel_that_left_is_called_back),
        cmocka_unit_test(a_host_that_stops_between_both_calls),
        cmocka_unit_test(launches_are_told),
        cmocka_unit_test(lines_of_a_host_bridge),
    };
    return fixture_run("adheap_host", tests);
}
