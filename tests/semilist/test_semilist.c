/* SPDX-License-Identifier: Apache-2.0 */
/* clade_semilist: calls against a model, kernels that do everything at once, recorded histories
 * (semilist_histories.c), exhaustion, files. */
#include <inttypes.h>

#include <clade/shared/kma.h>

#include "harness/late.h"
#include "harness/scratch.h"
#include "semilist/semilist.h" /* the library's: the number of an append */
#include "semilist/test_semilist.h"

clade_semilist *open_list(struct fixture *f, uint64_t capacity, clade_kma *kma)
{
    clade_semilist *list = NULL;
    assert_ok(clade_semilist_create(&list, f->context,
                                    &(clade_semilist_params) { .capacity = capacity, .kma = kma }));
    return list;
}

cl_kernel open_kernel(struct fixture *f, const clade_semilist *list, const char *name)
{
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    assert_ok(
        clade_program_build(&program, f->context,
                            &(clade_program_params) { .file = "semilist/semilist_test.cl",
                                                      .include_path = fixture_kernels(TEST_KERNELS),
                                                      .options = clade_semilist_options(list) }));
    assert_ok(clade_program_kernel(&kernel, program, name));
    clade_program_destroy(&program);
    cl_mem list_mem = clade_semilist_mem(list), kma_mem = clade_kma_mem(clade_semilist_kma(list));
    fixture_arg(kernel, 0, list_mem);
    fixture_arg(kernel, 1, kma_mem);
    return kernel;
}

void run_kernel(struct fixture *f, cl_kernel kernel, size_t groups, size_t group)
{
    fixture_launch(f, kernel, groups * group, group);
    assert_ok(clade_finish(f->context));
}

static uint64_t size_of(clade_semilist *list)
{
    uint64_t size;
    assert_ok(clade_semilist_size(list, &size));
    return size;
}

/* --- arguments ------------------------------------------------------------------------------ */

static void bad_arguments_are_refused_with_a_sentence(void **state)
{
    struct fixture *f = *state;
    clade_semilist *list = (clade_semilist *)1;
    uint32_t key = 1;
    assert_fails(clade_semilist_create(&list, f->context, &(clade_semilist_params) { 0 }),
                 CLADE_E_ARG);
    assert_message("capacity is 0");
    assert_null(list);
    assert_fails(clade_semilist_create(&list, f->context, NULL), CLADE_E_ARG);
    assert_fails(clade_semilist_create(NULL, f->context, NULL), CLADE_E_ARG);
    assert_fails(
        clade_semilist_create(&list, f->context, &(clade_semilist_params) { .capacity = 1u << 29 }),
        CLADE_E_ARG);
    list = open_list(f, 10, NULL);
    assert_fails(
        clade_semilist_append(list, clade_no_array(), clade_no_array(), clade_no_array(), 1, NULL),
        CLADE_E_ARG);
    assert_fails(clade_semilist_erase_at(list, clade_no_array(), 1, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_fails(clade_semilist_find(NULL, clade_host(&key), clade_no_array(), clade_no_array(), 1,
                                     clade_no_array(), NULL),
                 CLADE_E_ARG);
    key = 77; /* no operation */
    assert_fails(clade_semilist_apply(list, clade_host(&key), clade_host(&key), clade_no_array(),
                                      clade_no_array(), 1, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_ok(
        clade_semilist_append(list, clade_no_array(), clade_no_array(), clade_no_array(), 0, NULL));
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
    clade_semilist_destroy(&list);
    clade_semilist_destroy(NULL);
}

/* --- against a model ------------------------------------------------------------------------- */

struct model {
    uint32_t *keys, *values, *nodes;
    size_t n;
};

static struct model model_make(size_t room)
{
    return (struct model) { test_calloc(room, 4), test_calloc(room, 4), test_calloc(room, 4), 0 };
}

static void model_free(struct model *m)
{
    test_free(m->keys);
    test_free(m->values);
    test_free(m->nodes);
}

static void model_erase(struct model *m, size_t at)
{
    m->n--;
    memmove(m->keys + at, m->keys + at + 1, (m->n - at) * 4);
    memmove(m->values + at, m->values + at + 1, (m->n - at) * 4);
    memmove(m->nodes + at, m->nodes + at + 1, (m->n - at) * 4);
}

static void assert_is_model(clade_semilist *list, const struct model *m)
{
    struct model read = model_make(m->n + 1);
    uint64_t count;
    assert_ok(clade_semilist_check(list));
    assert_ok(clade_semilist_read(list, read.keys, read.values, read.nodes, m->n, &count));
    assert_int_equal(count, m->n);
    assert_int_equal(size_of(list), m->n);
    assert_memory_equal(read.keys, m->keys, m->n * 4);
    assert_memory_equal(read.values, m->values, m->n * 4);
    assert_memory_equal(read.nodes, m->nodes, m->n * 4);
    model_free(&read);
}

/* One operation a call, so that the model decides everything: the last node comes and goes often.
 */
static void single_operations_are_the_models(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 40 };
    clade_semilist *list = open_list(f, CAPACITY, NULL);
    struct model m = model_make(CAPACITY);
    struct random random = random_from(f->seed);
    for (size_t turn = 0, turns = fixture_scaled(60, 600, 6000); turn < turns; turn++) {
        uint32_t key = (uint32_t)random_below(&random, 6), value = (uint32_t)turn, node = 0;
        size_t at = 0;
        int32_t status = 1;
        const uint64_t op = random_below(&random, 5);
        while (at < m.n && m.keys[at] != key)
            at++;
        if (op <= 1 && m.n < CAPACITY) {
            assert_ok(clade_semilist_append(list, clade_host(&key), clade_host(&value),
                                            clade_host(&node), 1, NULL));
            m.keys[m.n] = key, m.values[m.n] = value, m.nodes[m.n++] = node;
        } else if (op == 2) {
            assert_ok(clade_semilist_find(list, clade_host(&key), clade_host(&value),
                                          clade_host(&node), 1, clade_host(&status), NULL));
            assert_int_equal(status, at < m.n ? CLADE_OK : CLADE_E_NOT_FOUND);
            assert_int_equal(value, at < m.n ? m.values[at] : 0);
            assert_int_equal(node, at < m.n ? m.nodes[at] : 0);
        } else if (op == 3) {
            assert_ok(clade_semilist_erase(list, clade_host(&key), clade_host(&value),
                                           clade_no_array(), 1, clade_host(&status), NULL));
            assert_int_equal(status, at < m.n ? CLADE_OK : CLADE_E_NOT_FOUND);
            assert_int_equal(value, at < m.n ? m.values[at] : 0);
            if (at < m.n)
                model_erase(&m, at);
        } else if (m.n > 0) { /* the last one, or any */
            at = random_below(&random, 2) ? m.n - 1 : (size_t)random_below(&random, m.n);
            node = m.nodes[at];
            model_erase(&m, at);
            assert_ok(
                clade_semilist_erase_at(list, clade_host(&node), 1, clade_host(&status), NULL));
            assert_int_equal(status, CLADE_OK);
            if (random_below(&random, 4) == 0) {
                assert_ok(
                    clade_semilist_erase_at(list, clade_host(&node), 1, clade_host(&status), NULL));
                assert_int_equal(status, CLADE_E_NOT_FOUND);
            }
        }
        if (turn % 16 == 0)
            assert_is_model(list, &m);
        if (turn % 97 == 96)
            assert_ok(clade_semilist_reclaim(list, NULL));
    }
    assert_is_model(list, &m);
    assert_ok(clade_semilist_clear(list, NULL));
    m.n = 0;
    assert_is_model(list, &m);
    model_free(&m);
    clade_semilist_destroy(&list);
}

/* Whole arrays at once: appends keep the array's order, each node is erased once. */
static void arrays_are_the_models(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = (uint32_t)fixture_scaled(200, 3000, 100000);
    clade_semilist *list = open_list(f, 3 * count, NULL);
    struct model m = model_make(3 * count);
    uint32_t *victims = test_calloc(2 * count, 4);
    int32_t *statuses = test_calloc(2 * count, 4);
    struct random random = random_from(f->seed + 1);
    for (int turn = 0; turn < 6; turn++) {
        for (uint32_t i = 0; i < count; i++) {
            m.keys[m.n + i] = (uint32_t)random_next(&random);
            m.values[m.n + i] = (uint32_t)random_next(&random);
        }
        assert_ok(clade_semilist_append(list, clade_host(m.keys + m.n), clade_host(m.values + m.n),
                                        clade_host(m.nodes + m.n), count, NULL));
        m.n += count;
        assert_is_model(list, &m);
        size_t gone = 0, kept = 0; /* every second one, the last one surely; each twice */
        for (size_t i = 0; i < m.n; i++) {
            if (i + 1 == m.n || (gone + 1 < count && random_below(&random, 2) == 0)) {
                victims[gone++] = m.nodes[i];
            } else {
                m.keys[kept] = m.keys[i], m.values[kept] = m.values[i];
                m.nodes[kept++] = m.nodes[i];
            }
        }
        m.n = kept;
        memcpy(victims + gone, victims, gone * 4);
        assert_ok(clade_semilist_erase_at(list, clade_host(victims), 2 * gone, clade_host(statuses),
                                          NULL));
        for (size_t i = 0; i < gone; i++)
            assert_true((statuses[i] == CLADE_OK) + (statuses[gone + i] == CLADE_OK) == 1);
        assert_is_model(list, &m);
    }
    model_free(&m);
    test_free(victims);
    test_free(statuses);
    clade_semilist_destroy(&list);
}

/* --- exhaustion ------------------------------------------------------------------------------- */

/* Appends that find no place, or no block, say so; the others took effect; reclaiming brings all
 * back.
 */
static void what_has_no_room_is_told(struct fixture *f, clade_kma *kma, uint32_t capacity,
                                     uint32_t count)
{
    clade_semilist *list = open_list(f, capacity, kma);
    uint32_t *ops = test_calloc(count, 4), *keys = test_calloc(count, 4);
    uint32_t *values = test_calloc(count, 4), *nodes = test_calloc(count, 4);
    int32_t *statuses = test_calloc(count, 4);
    for (size_t turn = 0; turn < fixture_scaled(2, 5, 5); turn++) {
        uint64_t appended = 0;
        for (uint32_t i = 0; i < count; i++)
            values[i] = i, keys[i] = i % 10;
        assert_ok(clade_semilist_apply(list, clade_host(ops), clade_host(keys), clade_host(values),
                                       clade_host(nodes), count, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < count; i++) {
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
            assert_int_equal(nodes[i] != 0, statuses[i] == CLADE_OK);
            appended += statuses[i] == CLADE_OK;
        }
        assert_true(appended > 0 && appended < count);
        if (!kma)
            assert_int_equal(appended, capacity);
        assert_int_equal(size_of(list), appended);
        assert_ok(clade_semilist_check(list));
        /* all or none */
        assert_fails(clade_semilist_append(list, clade_host(keys), clade_host(values),
                                           clade_host(nodes), count, NULL),
                     CLADE_E_FULL);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(nodes[i], 0);
        assert_int_equal(size_of(list), appended);
        assert_ok(clade_semilist_check(list));
        for (uint32_t i = 0; i < count; i++)
            keys[i] = i % 10;
        assert_ok(clade_semilist_erase(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                       count, clade_host(statuses), NULL));
        assert_ok(clade_semilist_check(list));
        assert_ok(clade_semilist_clear(list, NULL));
        assert_int_equal(size_of(list), 0);
    }
    test_free(ops), test_free(keys), test_free(values), test_free(nodes), test_free(statuses);
    clade_semilist_destroy(&list);
}

static void places_run_out(void **state)
{
    const uint32_t count = (uint32_t)fixture_scaled(200, 2000, 20000);
    what_has_no_room_is_told(*state, NULL, count * 3 / 4, count);
}

static void blocks_run_out(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = NULL;
    const uint64_t bytes = (uint64_t)1 << 18;
    uint32_t big[14],
        count = fixture_is_small() ? 14 : 8; /* all but one page, or seven, is taken */
    const uint32_t blocks = (uint32_t)((bytes - (count + 1) * CLADE_KMA_PAGE_BYTES) / 16) + 500;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = bytes }));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), CLADE_KMA_PAGE_BYTES, clade_host(big), count,
                               NULL));
    what_has_no_room_is_told(f, kma, blocks, blocks);
    assert_ok(clade_kma_check(kma, big, count));
    clade_kma_destroy(&kma);
}

/* A thousand times the capacity goes through, without a call to reclaim. */
static void memory_comes_back_by_itself(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 256, STEP = 128 };
    clade_semilist *list = open_list(f, CAPACITY, NULL);
    uint32_t keys[STEP], nodes[STEP];
    int32_t statuses[STEP];
    for (uint32_t turn = 0, n = (uint32_t)fixture_scaled(10, 150, 2000); turn < n; turn++) {
        for (uint32_t i = 0; i < STEP; i++)
            keys[i] = turn * STEP + i;
        assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_host(nodes),
                                        STEP, NULL));
        assert_ok(
            clade_semilist_erase_at(list, clade_host(nodes), STEP, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < STEP; i++)
            assert_int_equal(statuses[i], CLADE_OK);
    }
    assert_ok(clade_semilist_check(list));
    assert_int_equal(size_of(list), 0);
    clade_semilist_destroy(&list);
}

/* --- files ------------------------------------------------------------------------------------ */

static void a_saved_list_comes_back(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "semilist");
    clade_semilist *list = open_list(f, 300, NULL), *loaded = NULL;
    uint32_t keys[300], values[300], back_keys[300], back_values[300], nodes[300];
    uint64_t count;
    for (uint32_t i = 0; i < 300; i++)
        keys[i] = i * 7 % 50, values[i] = i;
    assert_ok(clade_semilist_save(list, path)); /* empty */
    assert_ok(clade_semilist_load(&loaded, f->context, path));
    assert_int_equal(size_of(loaded), 0);
    clade_semilist_destroy(&loaded);
    assert_ok(clade_semilist_append(list, clade_host(keys), clade_host(values), clade_host(nodes),
                                    300, NULL));
    assert_ok(clade_semilist_erase_at(list, clade_host(nodes + 100), 200, clade_no_array(), NULL));
    assert_ok(clade_semilist_save(list, path));
    assert_ok(clade_semilist_load(&loaded, f->context, path));
    assert_ok(clade_semilist_check(loaded));
    assert_ok(clade_semilist_read(loaded, back_keys, back_values, NULL, 300, &count));
    assert_int_equal(count, 100);
    assert_memory_equal(back_keys, keys, 400);
    assert_memory_equal(back_values, values, 400);
    clade_semilist_destroy(&loaded);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -9, SEEK_END), 0);
    fputc(0x5a, file);
    fclose(file);
    assert_fails(clade_semilist_load(&loaded, f->context, path), CLADE_E_CORRUPT);
    assert_null(loaded);
    /* A count that a kernel wrote over is told before memory is taken for so many. */
    uint32_t done, tail;
    const uint64_t done_at = offsetof(clade_semilist_head, done);
    fixture_read(f, clade_semilist_mem(list), offsetof(clade_semilist_head, tail), &tail, 4);
    fixture_read(f, clade_semilist_mem(list), done_at, &done, 4);
    tail++;
    fixture_write(f, clade_semilist_mem(list), done_at, &tail, 4);
    assert_fails(clade_semilist_save(list, path), CLADE_E_CORRUPT);
    assert_message("places");
    fixture_write(f, clade_semilist_mem(list), done_at, &done, 4);
    assert_ok(clade_semilist_save(list, path));
    clade_semilist_destroy(&list);
    free(path);
    scratch_remove(folder);
}

/* What an append of device arrays was refused is told by the next call that tells of refusals. A
 * save does not: it is no failure of its own. */
static void a_refused_append_keeps_no_list_from_its_file(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "semilist");
    clade_semilist *list = open_list(f, 4, NULL), *loaded = NULL;
    const uint32_t keys[5] = { 1, 2, 3, 4, 5 };
    cl_mem mem = fixture_buffer(f, sizeof keys, keys);
    uint64_t size;
    assert_ok(
        clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(), 3, NULL));
    assert_ok(clade_semilist_append(list, clade_device(mem, 0), clade_no_array(), clade_no_array(),
                                    5, NULL));
    assert_ok(clade_semilist_save(list, path));
    assert_fails(clade_semilist_size(list, &size), CLADE_E_FULL);
    assert_ok(clade_semilist_load(&loaded, f->context, path));
    assert_int_equal(size_of(loaded), 3);
    clade_semilist_destroy(&loaded);
    clade_semilist_destroy(&list);
    clReleaseMemObject(mem);
    free(path);
    scratch_remove(folder);
}

/* Kernels may allow smaller groups than the device (llvmpipe's do): then a list of such groups is
 * refused when it is made, and not by each of its calls. */
static void groups_are_tried_when_they_are_asked_for(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys[3] = { 3, 1, 2 };
    for (uint32_t size = f->caps->group_size_max; size > 0; size /= 4) {
        const clade_semilist_params params = { .capacity = 100, .group_size = size };
        clade_semilist *list;
        const clade_status status = clade_semilist_create(&list, f->context, &params);
        if (status == CLADE_OK) {
            assert_non_null(list->kernels[SEMILIST_APPLY]);
            assert_non_null(list->kernels[SEMILIST_SUM]);
            assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(),
                                            clade_no_array(), 3, NULL));
            assert_ok(clade_semilist_clear(list, NULL));
        } else {
            assert_int_equal(status, CLADE_E_ARG);
            assert_true(size > 1);
        }
        clade_semilist_destroy(&list);
    }
}

/* A check that cannot fail is none: spoil a word each, and it must be told. */
static void expect_told(struct fixture *f, clade_semilist *list, const uint32_t *nodes)
{
    clade_semilist_head head;
    cl_mem mem = clade_semilist_mem(list), kma = clade_kma_mem(clade_semilist_kma(list));
    fixture_read(f, mem, 0, &head, sizeof head);
    const struct {
        cl_mem mem;
        size_t offset;
        const char *why;
    } spoilt[] = {
        { mem, offsetof(clade_semilist_head, first), "I1" },
        { mem, offsetof(clade_semilist_head, done), "I7" },
        { mem, head.places_at * 4 + 12, "I6" },
        { kma, (size_t)(nodes[3] - 1) * 16, "I1" },       /* a live node's link */
        { kma, (size_t)(nodes[12] - 1) * 16, "I1" },      /* an erased one's */
        { kma, (size_t)(nodes[39] - 1) * 16, "I1" },      /* the last one's */
        { kma, (size_t)(nodes[20] - 1) * 16 + 12, "I6" }, /* a node's place */
    };
    for (size_t i = 0; i < sizeof spoilt / sizeof spoilt[0]; i++) {
        uint32_t word, changed;
        fixture_read(f, spoilt[i].mem, spoilt[i].offset, &word, 4);
        changed = word + 6;
        fixture_write(f, spoilt[i].mem, spoilt[i].offset, &changed, 4);
        assert_fails(clade_semilist_check(list), CLADE_E_CORRUPT);
        assert_message(spoilt[i].why);
        fixture_write(f, spoilt[i].mem, spoilt[i].offset, &word, 4);
        assert_ok(clade_semilist_check(list));
    }
}

/* From the first unit of nodes to the last one. */
static uint32_t span_of(const uint32_t *nodes, size_t count)
{
    uint32_t first = nodes[0], last = nodes[0];
    for (size_t i = 1; i < count; i++) {
        first = nodes[i] < first ? nodes[i] : first;
        last = nodes[i] > last ? nodes[i] : last;
    }
    return last - first + 1;
}

/* A list whose second half is appended after many other blocks, or at once, is read, then spoiled.
 * Returns whether its nodes lie near each other. */
static bool spoil_a_list(struct fixture *f, bool is_far)
{
    enum { FAR = 20000 }; /* blocks of a node's size between the first nodes and the others */
    uint32_t keys[40], nodes[40], got_keys[40], got_nodes[40], *between = test_calloc(FAR, 4);
    uint64_t got;
    clade_kma *kma = NULL;
    for (uint32_t i = 0; i < 40; i++)
        keys[i] = 3 * i;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 8 << 20 }));
    clade_semilist *list = open_list(f, 64, kma);
    assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_host(nodes), 20,
                                    NULL));
    if (is_far)
        assert_ok(clade_kma_malloc(kma, clade_no_array(), 16, clade_host(between), FAR, NULL));
    test_free(between);
    assert_ok(clade_semilist_append(list, clade_host(keys + 20), clade_no_array(),
                                    clade_host(nodes + 20), 20, NULL));
    assert_ok(clade_semilist_read(list, got_keys, NULL, got_nodes, 40, &got));
    assert_int_equal(got, 40);
    assert_memory_equal(got_keys, keys, sizeof keys);
    assert_memory_equal(got_nodes, nodes, sizeof nodes);
    const bool are_near = span_of(nodes, 40) <= (256 << 10) / 16;
    assert_int_equal(list->kernels[SEMILIST_GATHER] != NULL, !are_near);
    assert_ok(clade_semilist_erase_at(list, clade_host(nodes + 10), 5, clade_no_array(), NULL));
    assert_ok(clade_semilist_check(list));
    expect_told(f, list, nodes);
    clade_semilist_destroy(&list);
    clade_kma_destroy(&kma);
    return are_near;
}

/* Nodes that lie near each other are copied and looked through on the host; a kernel looks at
 * others. Either way they are read and spoiled words are told. Where nodes lie is the allocator's
 * affair: each of a CPU's cores has a place of its own, and a GPU has many. */
static void a_spoiled_list_is_told(void **state)
{
    struct fixture *f = *state;
    unsigned near = 0, turns = 0;
    do
        near += spoil_a_list(f, turns % 2 == 1);
    while (++turns < 2 || (f->caps->is_cpu && turns < 40 && (near == 0 || near == turns)));
    if (f->caps->is_cpu)
        assert_in_range(near, 1, turns - 1);
}

/* The bookkeeping of an allocator that can grow is for a larger buffer than it has: refs that lead
 * there are followed nowhere. */
static void refs_beyond_a_buffer_are_none(void **state)
{
    struct fixture *f = *state;
    const uint64_t bytes = 8 << 20, more = 16 << 20, most = 512 << 20;
    uint32_t keys[5] = { 0 }, nodes[5], place;
    int32_t statuses[5];
    clade_semilist_head head;
    clade_kma *kma;
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = bytes, .most = most }));
    clade_semilist *list = open_list(f, 64, kma);
    cl_mem mem = clade_semilist_mem(list);
    for (int grown = 0; grown < 2; grown++) {
        const uint64_t now = grown ? more : bytes;
        assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_host(nodes),
                                        5, NULL));
        nodes[0] = UINT32_MAX;
        nodes[1] = (uint32_t)(most / 16);    /* of the allocator that it may become */
        nodes[2] = (uint32_t)(now / 16) + 1; /* the first that is not there */
        nodes[3] = (uint32_t)(most / 32) + 1;
        assert_ok(clade_semilist_erase_at(list, clade_host(nodes), 5, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(statuses[i], i < 4 ? CLADE_E_NOT_FOUND : CLADE_OK);
        assert_ok(clade_semilist_check(list));
        fixture_read(f, mem, 0, &head, sizeof head);
        fixture_read(f, mem, head.places_at * 4, &place, 4);
        fixture_write(f, mem, head.places_at * 4, &nodes[1], 4);
        assert_fails(clade_semilist_check(list), CLADE_E_CORRUPT);
        fixture_write(f, mem, head.places_at * 4, &place, 4);
        assert_ok(clade_kma_grow(kma, more, NULL));
    }
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
    clade_kma_destroy(&kma);
}

static void numbers_of_appends_begin_anew(void **state)
{
    struct fixture *f = *state;
    const uint32_t first = 1, keys[4] = { 1, 2, 3, 4 };
    clade_semilist *list = NULL;
    uint64_t size;
    assert_ok(
        clade_semilist_create(&list, f->context, &(clade_semilist_params) { .capacity = 16 }));
    list->turn = UINT32_MAX - 1;
    /* As add 1 of long ago left it, which was short of a node. */
    fixture_write(f, clade_semilist_mem(list), offsetof(clade_semilist_head, short_of), &first, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                        4, NULL));
    assert_fails(
        clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(), 1, NULL),
        CLADE_E_FULL);
    assert_ok(clade_semilist_size(list, &size));
    assert_int_equal(size, 16);
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then a search says
 * nothing of the key. */
static void finds_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/kma.clh\"\n"
        "#include \"clade/semilist.clh\"\n"
        "__kernel void late(__global int *out, uint turns, __global clade_semilist_head *list,\n"
        "                   __global clade_kma_head *kma, uint key)\n"
        "{\n"
        "    uint value;\n"
        "    clade_ref node;\n" LATE_TURNS
        "    out[0] = clade_semilist_find_wi(list, kma, key, &value, &node);\n"
        "    out[1] = node == CLADE_NIL ? -1 : (int)clade_semilist_key_wi(kma, node);\n"
        "}\n";
    enum { KEYS = 40 };
    const uint32_t key = 30;
    uint32_t keys[KEYS];
    clade_semilist *list = open_list(f, KEYS, NULL);
    int32_t got[2]; /* status, the key of what was found */
    cl_mem mem = clade_semilist_mem(list), kma = clade_kma_mem(clade_semilist_kma(list));
    struct late late = late_open(f, source, clade_semilist_options(list), sizeof got);
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i;
    assert_ok(clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                    KEYS, NULL));
    fixture_arg(late.kernel, 2, mem);
    fixture_arg(late.kernel, 3, kma);
    fixture_arg(late.kernel, 4, key);
    for (uint32_t turns = late_turns(&late, 60); turns <= late.limit; turns += 5) {
        late_run(&late, turns, 1, 1, got);
        assert_true(got[0] == CLADE_OK || (late.limit && got[0] == CLADE_E_BUSY));
        assert_int_equal(got[1], got[0] == CLADE_OK ? (int32_t)key : -1);
    }
    late_close(&late);
    clade_semilist_destroy(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused_with_a_sentence),
        cmocka_unit_test(groups_are_tried_when_they_are_asked_for),
        cmocka_unit_test(single_operations_are_the_models),
        cmocka_unit_test(arrays_are_the_models),
        cmocka_unit_test(groups_append_their_nodes_in_one_piece),
        cmocka_unit_test(groups_of_one_item_append),
        cmocka_unit_test(iterations_meet_what_stays),
        cmocka_unit_test(small_histories_are_linearizable),
        cmocka_unit_test(large_histories_keep_every_node),
        cmocka_unit_test(places_run_out),
        cmocka_unit_test(blocks_run_out),
        cmocka_unit_test(memory_comes_back_by_itself),
        cmocka_unit_test(a_saved_list_comes_back),
        cmocka_unit_test(a_refused_append_keeps_no_list_from_its_file),
        cmocka_unit_test(a_spoiled_list_is_told),
        cmocka_unit_test(refs_beyond_a_buffer_are_none),
        cmocka_unit_test(numbers_of_appends_begin_anew),
        cmocka_unit_test(finds_behind_long_loops_are_done_or_refused),
    };
    return fixture_run("semilist", tests);
}
