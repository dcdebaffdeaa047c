/* SPDX-License-Identifier: Apache-2.0 */
/* Semi-linked list, queue and array list, with the n-th OpenCL or allocation call failing, for
 * every n: the error names what failed, the content is then what it was or what the whole call
 * makes of it, nothing in between, and no block of an allocator is lost. Leaks on the host are seen
 * when this program runs under AddressSanitizer. */
#include "fault.h"
#include "scratch.h"

#include <clade/arraylist.h>
#include <clade/queue.h>
#include <clade/semilist.h>

enum { COUNT = 100, ROOM = 4 * COUNT, STARTED = 60 };

struct grown;

struct grown_op {
    const char *name;
    clade_status (*run)(struct grown *g);
};

/* `content` checks the object and writes what is inside to g->now. */
struct grown_kind {
    const char *name;
    clade_status (*make)(struct grown *g, void **object);
    void (*destroy)(struct grown *g, void **object);
    clade_status (*load)(struct grown *g, void **object); /* NULL: no files */
    void (*refill)(struct grown *g);                      /* to what each operation starts from */
    void (*content)(struct grown *g);
    struct grown_op ops[12];
};

struct content {
    uint64_t count;
    uint32_t keys[ROOM], values[ROOM];
};

struct grown {
    struct fixture *f;
    const struct grown_kind *kind;
    const struct grown_op *op;
    void *object;
    clade_kma *kma; /* the array list's */
    char *path;
    cl_mem device; /* `keys` */
    uint32_t keys[COUNT], values[COUNT], ops[COUNT], out[ROOM], nodes[COUNT];
    int32_t statuses[COUNT];
    struct content before, after, now;
    clade_status status;
    size_t faults, late;
};

#define KEYS(g)   clade_host((g)->keys)
#define VALUES(g) clade_host((g)->values)
#define OUT(g)    clade_host((g)->out)
#define NODES(g)  clade_host((g)->nodes)
#define DEVICE(g) clade_device((g)->device, 0)
#define NONE      clade_no_array()

/* --- for all kinds ---------------------------------------------------------------------------- */

static clade_status make_one(void *data)
{
    struct grown *g = data;
    void *object = NULL;
    g->status = g->kind->make(g, &object);
    assert_true((g->status == CLADE_OK) == (object != NULL));
    g->kind->destroy(g, &object);
    return g->status;
}

static clade_status load_one(void *data)
{
    struct grown *g = data;
    void *object = NULL;
    g->status = g->kind->load(g, &object);
    assert_true((g->status == CLADE_OK) == (object != NULL));
    g->kind->destroy(g, &object);
    return g->status;
}

static clade_status run_op(void *data)
{
    struct grown *g = data;
    g->status = g->op->run(g);
    return g->status;
}

/* An OpenCL call that failed is named. */
static void expect_named(void *data)
{
    struct grown *g = data;
    const clade_error *error = clade_error_last();
    g->faults++;
    if (g->status == CLADE_E_DEVICE && !strstr(error->message, fault_name()))
        fail_msg("%s: %s failed, and the message is \"%s\"", g->kind->name, fault_name(),
                 error->message);
}

static bool equal(const struct content *a, const struct content *b)
{
    return a->count == b->count && memcmp(a->keys, b->keys, a->count * 4) == 0 &&
           memcmp(a->values, b->values, a->count * 4) == 0;
}

static void expect_whole(void *data)
{
    struct grown *g = data;
    expect_named(g);
    g->kind->content(g);
    const bool is_old = equal(&g->now, &g->before), is_new = equal(&g->now, &g->after);
    if (g->status == CLADE_OK ? !is_new : !is_old && !is_new)
        fail_msg("%s, %s: after a fault in %s (%s) there are %llu inside; %llu before, %llu after",
                 g->kind->name, g->op->name, fault_name(), clade_status_name(g->status),
                 (unsigned long long)g->now.count, (unsigned long long)g->before.count,
                 (unsigned long long)g->after.count);
    g->late += g->status != CLADE_OK && !is_old;
    g->kind->refill(g);
}

static void every_op(struct grown *g)
{
    for (g->op = g->kind->ops; g->op->name; g->op++) {
        g->kind->refill(g);
        g->kind->content(g);
        g->before = g->now;
        assert_ok(run_op(g));
        g->kind->content(g);
        g->after = g->now;
        g->kind->refill(g);
        g->kind->content(g);
        assert_true(equal(&g->now, &g->before));
        g->faults = g->late = 0;
        assert_true(fault_every(run_op, expect_whole, g) >= 1);
        print_message("%s, %s: %zu faults; %zu failed after the change\n", g->kind->name,
                      g->op->name, g->faults - 1, g->late);
    }
}

static void survives(void **state, const struct grown_kind *kind)
{
    struct grown *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->f = *state;
    g->kind = kind;
    char *folder = scratch_make();
    g->path = scratch_path(folder, "object");
    for (uint32_t i = 0; i < COUNT; i++) {
        g->keys[i] = 1 + i * 37 % COUNT;
        g->values[i] = 1000 + i;
    }
    g->device = fixture_buffer(g->f, sizeof g->keys, g->keys);
    assert_ok(clade_kma_create(&g->kma, g->f->context, &(clade_kma_params) { .bytes = 1 << 20 }));
    assert_true(fault_every(make_one, expect_named, g) >= 5);
    assert_ok(kind->make(g, &g->object));
    every_op(g);
    if (kind->load)
        assert_true(fault_every(load_one, expect_named, g) >= 5);
    kind->destroy(g, &g->object);
    assert_ok(clade_kma_check(g->kma, NULL, 0)); /* every block came back */
    clade_kma_stats stats;
    assert_ok(clade_kma_stats_read(g->kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    clade_kma_destroy(&g->kma);
    clReleaseMemObject(g->device);
    free(g->path);
    scratch_remove(folder);
    free(g);
}

/* --- the semi-linked list -----------------------------------------------------------------------
 */

static clade_status semilist_make(struct grown *g, void **object)
{
    clade_semilist *list = NULL;
    clade_status status = clade_semilist_create(&list, g->f->context,
                                                &(clade_semilist_params) { .capacity = 2 * COUNT });
    *object = list;
    return status;
}

static void semilist_destroy(struct grown *g, void **object)
{
    (void)g;
    clade_semilist *list = *object;
    clade_semilist_destroy(&list);
    *object = NULL;
}

static clade_status semilist_load(struct grown *g, void **object)
{
    clade_semilist *list = NULL;
    clade_status status = clade_semilist_load(&list, g->f->context, g->path);
    *object = list;
    return status;
}

/* Every third node is deleted and not settled. */
static void semilist_refill(struct grown *g)
{
    uint32_t gone[STARTED / 3];
    assert_ok(clade_semilist_clear(g->object));
    assert_ok(clade_semilist_add(g->object, KEYS(g), VALUES(g), NODES(g), STARTED, NULL));
    for (uint32_t i = 0; i < STARTED / 3; i++)
        gone[i] = g->nodes[3 * i];
    assert_ok(clade_semilist_delete(g->object, clade_host(gone), NONE, STARTED / 3, NULL));
}

/* The check compares the allocator's blocks with the nodes. */
static void semilist_content(struct grown *g)
{
    assert_ok(clade_semilist_check(g->object));
    assert_ok(
        clade_semilist_contents(g->object, g->now.keys, g->now.values, NULL, ROOM, &g->now.count));
}

static clade_status semilist_add(struct grown *g)
{
    return clade_semilist_add(g->object, KEYS(g), NONE, NODES(g), COUNT, NULL);
}

static clade_status semilist_add_device(struct grown *g)
{
    return clade_semilist_add(g->object, DEVICE(g), DEVICE(g), NONE, COUNT, NULL);
}

/* 150 more do not fit beside the deleted ones: the list is settled first. */
static clade_status semilist_add_settles(struct grown *g)
{
    uint32_t many[150] = { 7 };
    return clade_semilist_add(g->object, clade_host(many), NONE, NONE, 150, NULL);
}

static clade_status semilist_remove(struct grown *g)
{
    return clade_semilist_remove(g->object, KEYS(g), OUT(g), NONE, clade_host(g->statuses), COUNT,
                                 NULL);
}

static clade_status semilist_get(struct grown *g)
{
    return clade_semilist_get(g->object, KEYS(g), OUT(g), NONE, clade_host(g->statuses), COUNT,
                              NULL);
}

static clade_status semilist_settle(struct grown *g)
{
    return clade_semilist_settle(g->object, NULL);
}

static clade_status semilist_clear(struct grown *g)
{
    return clade_semilist_clear(g->object);
}

static clade_status semilist_size(struct grown *g)
{
    uint64_t size;
    return clade_semilist_size(g->object, &size);
}

static clade_status semilist_read(struct grown *g)
{
    uint64_t count;
    return clade_semilist_contents(g->object, g->out, NULL, NULL, ROOM, &count);
}

static clade_status semilist_check(struct grown *g)
{
    return clade_semilist_check(g->object);
}

static clade_status semilist_save(struct grown *g)
{
    return clade_semilist_save(g->object, g->path);
}

static const struct grown_kind semilist_kind = {
    "semilist",
    semilist_make,
    semilist_destroy,
    semilist_load,
    semilist_refill,
    semilist_content,
    { { "add", semilist_add },
      { "add (device)", semilist_add_device },
      { "add, settling first", semilist_add_settles },
      { "remove", semilist_remove },
      { "get", semilist_get },
      { "settle", semilist_settle },
      { "clear", semilist_clear },
      { "size", semilist_size },
      { "contents", semilist_read },
      { "check", semilist_check },
      { "save", semilist_save } },
};

static void a_semilist_survives_every_fault(void **state)
{
    survives(state, &semilist_kind);
}

/* --- the queue ----------------------------------------------------------------------------------
 */

static clade_status queue_make(struct grown *g, void **object)
{
    clade_queue *queue = NULL;
    clade_status status =
        clade_queue_create(&queue, g->f->context, &(clade_queue_params) { .capacity = 2 * COUNT });
    *object = queue;
    return status;
}

static void queue_destroy(struct grown *g, void **object)
{
    (void)g;
    clade_queue *queue = *object;
    clade_queue_destroy(&queue);
    *object = NULL;
}

static clade_status queue_load(struct grown *g, void **object)
{
    clade_queue *queue = NULL;
    clade_status status = clade_queue_load(&queue, g->f->context, g->path);
    *object = queue;
    return status;
}

static void queue_refill(struct grown *g)
{
    assert_ok(clade_queue_clear(g->object));
    assert_ok(clade_queue_push(g->object, KEYS(g), NONE, STARTED, NULL));
}

/* All are taken and put back. */
static void queue_content(struct grown *g)
{
    assert_ok(clade_queue_check(g->object));
    assert_ok(
        clade_queue_pop(g->object, clade_host(g->now.keys), clade_host(&g->now.count), ROOM, NULL));
    assert_ok(clade_queue_push(g->object, clade_host(g->now.keys), NONE, g->now.count, NULL));
    assert_ok(clade_queue_check(g->object));
}

static clade_status queue_push(struct grown *g)
{
    return clade_queue_push(g->object, KEYS(g), clade_host(g->statuses), COUNT, NULL);
}

static clade_status queue_push_device(struct grown *g)
{
    return clade_queue_push(g->object, DEVICE(g), NONE, COUNT, NULL);
}

static clade_status queue_pop(struct grown *g)
{
    uint64_t got;
    return clade_queue_pop(g->object, OUT(g), clade_host(&got), STARTED / 2, NULL);
}

static clade_status queue_clear(struct grown *g)
{
    return clade_queue_clear(g->object);
}

static clade_status queue_size(struct grown *g)
{
    uint64_t size;
    return clade_queue_size(g->object, &size);
}

static clade_status queue_check(struct grown *g)
{
    return clade_queue_check(g->object);
}

static clade_status queue_save(struct grown *g)
{
    return clade_queue_save(g->object, g->path);
}

static const struct grown_kind queue_kind = {
    "queue",
    queue_make,
    queue_destroy,
    queue_load,
    queue_refill,
    queue_content,
    { { "push", queue_push },
      { "push (device)", queue_push_device },
      { "pop", queue_pop },
      { "clear", queue_clear },
      { "size", queue_size },
      { "check", queue_check },
      { "save", queue_save } },
};

static void a_queue_survives_every_fault(void **state)
{
    survives(state, &queue_kind);
}

/* --- the array list -----------------------------------------------------------------------------
 */

/* Its blocks are the fixture's allocator's, and all of them must be back at the end. */
static clade_status arraylist_make(struct grown *g, void **object)
{
    clade_arraylist *list = NULL;
    clade_status status = clade_arraylist_create(
        &list, g->f->context,
        &(clade_arraylist_params) {
            .capacity = ROOM, .element_bytes = 4, .first = 32, .kma = g->kma });
    *object = list;
    return status;
}

static void arraylist_destroy(struct grown *g, void **object)
{
    (void)g;
    clade_arraylist *list = *object;
    clade_arraylist_destroy(&list);
    *object = NULL;
}

/* What is above the size is none of what the operations append. */
static void arraylist_refill(struct grown *g)
{
    memset(g->out, 0xee, sizeof g->out);
    assert_ok(clade_arraylist_clear(g->object));
    assert_ok(clade_arraylist_append(g->object, OUT(g), ROOM, NULL));
    assert_ok(clade_arraylist_clear(g->object));
    assert_ok(clade_arraylist_append(g->object, KEYS(g), STARTED, NULL));
}

static void arraylist_content(struct grown *g)
{
    assert_ok(clade_arraylist_check(g->object));
    assert_ok(clade_arraylist_size(g->object, &g->now.count));
    assert_in_range(g->now.count, 0, ROOM);
    assert_ok(clade_arraylist_read(g->object, 0, g->now.count, clade_host(g->now.keys), NULL));
}

static clade_status arraylist_append(struct grown *g)
{
    return clade_arraylist_append(g->object, VALUES(g), COUNT, NULL);
}

static clade_status arraylist_append_device(struct grown *g)
{
    return clade_arraylist_append(g->object, DEVICE(g), COUNT, NULL);
}

static clade_status arraylist_read(struct grown *g)
{
    return clade_arraylist_read(g->object, 5, STARTED - 5, OUT(g), NULL);
}

static clade_status arraylist_clear(struct grown *g)
{
    return clade_arraylist_clear(g->object);
}

static clade_status arraylist_size(struct grown *g)
{
    uint64_t size;
    return clade_arraylist_size(g->object, &size);
}

static clade_status arraylist_check(struct grown *g)
{
    return clade_arraylist_check(g->object);
}

static const struct grown_kind arraylist_kind = {
    "arraylist",
    arraylist_make,
    arraylist_destroy,
    NULL,
    arraylist_refill,
    arraylist_content,
    { { "append", arraylist_append },
      { "append (device)", arraylist_append_device },
      { "read", arraylist_read },
      { "clear", arraylist_clear },
      { "size", arraylist_size },
      { "check", arraylist_check } },
};

static void an_arraylist_survives_every_fault(void **state)
{
    survives(state, &arraylist_kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_semilist_survives_every_fault),
        cmocka_unit_test(a_queue_survives_every_fault),
        cmocka_unit_test(an_arraylist_survives_every_fault),
    };
    return fixture_run("fault_grown", tests);
}
