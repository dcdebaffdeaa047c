/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that takes a launch runs behind a gate: a user event that nobody has set yet. Before
 * it opens the object and the call's arrays stay as they are, whatever queue the call is in,
 * whether it waits itself or stands after one that waits, and with device arrays the call returns.
 * Then the gate opens, and the result is that of the same calls without a gate. */
#include <dirent.h>

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "launches/caller.h"

/* --- no function is forgotten ----------------------------------------------------------------- */

static bool has_row(const char *function, size_t length)
{
    for (size_t i = 0; i < row_count; i++)
        if (strlen(rows[i].function) == length && strncmp(rows[i].function, function, length) == 0)
            return true;
    return false;
}

static char *read_text(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, file), 1, (1 << 20) - 2);
    fclose(file);
    return text;
}

/* The declarations of a header that take a launch. */
static size_t look_through(const char *text)
{
    size_t found = 0;
    for (const char *at = strstr(text, "CLADE_API "); at; at = strstr(at + 1, "CLADE_API ")) {
        const char *end = strchr(at, ';'), *open = strchr(at, '(');
        const char *launch = strstr(at, "const clade_launch *");
        if (!end || !open || !launch || launch > end)
            continue;
        const char *name = open;
        while (name[-1] != ' ' && name[-1] != '*' && name[-1] != '\n')
            name--;
        if (!has_row(name, (size_t)(open - name)))
            fail_msg("%.*s takes a launch and has no row in tests/W/launches.c", (int)(open - name),
                     name);
        found++;
    }
    return found;
}

static void every_function_with_a_launch_has_a_row(void **state)
{
    (void)state;
    const char *moved = getenv("CLADE_TEST_INCLUDE");
    const char *folder = moved && *moved ? moved : TEST_HEADERS;
    size_t found = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, ".h"))
            continue;
        char *text = read_text(folder, entry->d_name);
        found += look_through(text);
        free(text);
    }
    closedir(dir);
    assert_in_range(found, 50, row_count);
}

/* --- what is there before the gate opens ------------------------------------------------------ */

struct picture {
    unsigned char *bytes[MEMS + SLOTS];
    size_t size[MEMS + SLOTS];
};

static struct picture look(struct world *w, cl_command_queue queue)
{
    struct picture p = { 0 };
    cl_mem mems[MEMS + SLOTS] = { NULL };
    w->kind->mems(w, mems);
    memcpy(mems + MEMS, w->mem, sizeof w->mem);
    for (size_t i = 0; i < MEMS + SLOTS; i++) {
        if (!mems[i])
            continue;
        assert_int_equal(
            clGetMemObjectInfo(mems[i], CL_MEM_SIZE, sizeof p.size[i], &p.size[i], NULL),
            CL_SUCCESS);
        p.bytes[i] = malloc(p.size[i]);
        assert_non_null(p.bytes[i]);
        assert_int_equal(
            clEnqueueReadBuffer(queue, mems[i], CL_TRUE, 0, p.size[i], p.bytes[i], 0, NULL, NULL),
            CL_SUCCESS);
    }
    return p;
}

/* 0, or 1 more than the index of the first buffer that differs. Frees both. */
static size_t first_difference(struct picture *a, struct picture *b)
{
    size_t found = 0;
    for (size_t i = 0; i < MEMS + SLOTS; i++) {
        if (!found && a->bytes[i] && memcmp(a->bytes[i], b->bytes[i], a->size[i]) != 0)
            found = i + 1;
        free(a->bytes[i]);
        free(b->bytes[i]);
    }
    return found;
}

/* --- gated and free --------------------------------------------------------------------------- */

enum way {
    WAITS,         /* in a queue of the test's, and waits for the gate */
    STANDS_BEHIND, /* in such a queue after another call, which waits */
    OWN_QUEUE,     /* in the context's queue, and waits */
    WAYS
};

struct bench {
    struct fixture *f;
    cl_command_queue queue, eyes, feeder; /* for calls, for looks, for the arrays */
    struct world gated, free;
};

static cl_command_queue make_queue(struct fixture *f)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(clade_context_cl_context(f->context),
                                                  clade_context_cl_device(f->context), 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return queue;
}

/* The arrays' content comes when the gate opens; the event of the last. */
static cl_event feed(struct bench *b, cl_event gate)
{
    cl_event last = NULL;
    struct world *w = &b->gated;
    for (size_t i = 0; i < SLOTS; i++)
        assert_int_equal(clEnqueueWriteBuffer(b->feeder, w->mem[i], CL_FALSE, 0, sizeof w->host[i],
                                              w->host[i], 1, &gate, i + 1 == SLOTS ? &last : NULL),
                         CL_SUCCESS);
    assert_int_equal(clFlush(b->feeder), CL_SUCCESS);
    return last;
}

/* Device memory to `host`, or the other way. */
static void move_slots(struct world *w, bool out)
{
    for (size_t i = 0; i < SLOTS; i++)
        (out ? fixture_read(w->f, w->mem[i], 0, w->host[i], sizeof w->host[i])
             : fixture_write(w->f, w->mem[i], 0, w->host[i], sizeof w->host[i]));
}

static void compare(struct bench *b, uint32_t loose)
{
    for (size_t i = 0; i < SLOTS; i++) {
        /* Refs that fill() got may differ from object to object. */
        const bool is_loose = i == NODES || loose & 1u << i;
        for (size_t k = 0; k < SLOT_WORDS; k++) {
            const uint32_t got = b->gated.host[i][k], wanted = b->free.host[i][k];
            if (is_loose ? (got != 0) != (wanted != 0) : got != wanted)
                fail_msg("array %zu, word %zu: %u, and %u without a gate", i, k, got, wanted);
        }
    }
    assert_int_equal(b->gated.got, b->free.got);
    b->gated.kind->drain(&b->gated);
    b->free.kind->drain(&b->free);
    assert_int_equal(b->gated.digest, b->free.digest);
}

static void without_gate(struct bench *b, const struct row *before, const struct row *row)
{
    world_reset(&b->free);
    if (!b->free.on_host)
        move_slots(&b->free, false);
    if (before)
        assert_ok(before->call(&b->free, NULL));
    assert_ok(row->call(&b->free, NULL));
    assert_ok(clade_finish(b->f->context));
    if (!b->free.on_host)
        move_slots(&b->free, true);
}

static void open_gate(cl_event gate)
{
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
}

/* The test's threads must not outlive it, so the gate opens before anything is judged. */
static void with_gate(struct bench *b, const struct row *before, const struct row *row,
                      enum way way)
{
    cl_int code;
    struct world *w = &b->gated;
    world_reset(w);
    cl_event gate = clCreateUserEvent(clade_context_cl_context(b->f->context), &code), end = NULL;
    assert_int_equal(code, CL_SUCCESS);
    struct picture first = look(w, b->eyes);
    cl_event ready = feed(b, gate);
    const clade_launch waits = {
        .queue = way == OWN_QUEUE ? NULL : b->queue, .wait = &ready, .wait_count = 1, .event = &end
    };
    const clade_launch stands = { .queue = b->queue, .event = &end };
    const clade_launch first_waits = { .queue = b->queue, .wait = &ready, .wait_count = 1 };
    struct caller one = { .row = before, .world = w, .launch = &first_waits };
    struct caller two = { .row = row,
                          .world = w,
                          .launch = way == STANDS_BEHIND ? &stands : &waits };
    const bool may_return = row->blocks == NEVER || (!w->on_host && row->blocks != ALWAYS);
    const bool must_return = may_return && row->blocks != SOMETIMES;
    if (before)
        call(&one);
    assert_int_equal(pthread_create(&two.thread, NULL, call, &two), 0);
    const bool returned = returns_in(&two, must_return ? PATIENCE_MS : 10);
    struct picture second = look(w, b->eyes);
    const size_t changed = first_difference(&first, &second);
    cl_int state = CL_COMPLETE;
    if (returned && end)
        assert_int_equal(
            clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
            CL_SUCCESS);
    open_gate(gate);
    pthread_join(two.thread, NULL);
    if (one.status != CLADE_OK || two.status != CLADE_OK)
        fail_msg("%s%s", one.message, two.message);
    if (changed)
        fail_msg("buffer %zu was changed before the gate opened", changed - 1);
    if (returned ? !may_return : must_return)
        fail_msg("the call %s before the gate opened", returned ? "returned" : "did not return");
    assert_false(returned && state == CL_COMPLETE);
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    assert_int_equal(clFinish(b->queue), CL_SUCCESS);
    assert_int_equal(clFinish(b->feeder), CL_SUCCESS);
    if (!w->on_host)
        move_slots(w, true);
    clReleaseEvent(gate);
    clReleaseEvent(ready);
    clReleaseEvent(end);
}

static bool bench_open(struct bench *b, struct fixture *f, const struct kind *kind)
{
    *b = (struct bench) { .f = f };
    if (!kind_is_possible(kind, f->caps))
        return false;
    b->queue = make_queue(f);
    b->eyes = make_queue(f);
    b->feeder = make_queue(f);
    world_open(&b->gated, kind, f);
    world_open(&b->free, kind, f);
    return true;
}

static void bench_close(struct bench *b)
{
    world_close(&b->gated);
    world_close(&b->free);
    clReleaseCommandQueue(b->queue);
    clReleaseCommandQueue(b->eyes);
    clReleaseCommandQueue(b->feeder);
}

static void one_case(struct bench *b, const struct row *before, const struct row *row, enum way way,
                     bool on_host)
{
    static const char *const how[] = { "waits", "stands behind ", "waits in the context's queue" };
    print_message("%s: %s %s%s, %s arrays\n", row->kind->name, row->function, how[way],
                  before ? before->function : "", on_host ? "host" : "device");
    b->gated.on_host = b->free.on_host = on_host;
    /* A row before has device arrays in any case, and those are this one's. */
    without_gate(b, before, row);
    with_gate(b, before, row, way);
    compare(b, row->loose | (before ? before->loose : 0));
}

static void each_row(struct fixture *f, bool on_host, enum way way)
{
    for (size_t i = 0; i < row_count; i++) {
        struct bench b;
        if (i > 0 && rows[i].kind == rows[i - 1].kind)
            continue;
        if (!bench_open(&b, f, rows[i].kind))
            continue;
        for (size_t k = i; k < row_count && rows[k].kind == rows[i].kind; k++)
            one_case(&b, NULL, &rows[k], way, on_host);
        bench_close(&b);
    }
}

static void device_arrays_wait(void **state)
{
    each_row(*state, false, WAITS);
}

static void device_arrays_wait_in_the_contexts_queue(void **state)
{
    each_row(*state, false, OWN_QUEUE);
}

static void host_arrays_wait(void **state)
{
    each_row(*state, true, WAITS);
}

static void host_arrays_wait_in_the_contexts_queue(void **state)
{
    each_row(*state, true, OWN_QUEUE);
}

/* Elements 16 and on are not there then. */
static bool is_refused_behind(const struct row *row, const struct row *before)
{
    return strcmp(before->function, "clade_arraylist_clear") == 0 &&
           strcmp(row->function, "clade_arraylist_read") == 0;
}

/* Any call that returns at once, and then any call in the same queue. */
static void calls_stand_behind_calls(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct bench b;
        if (i > 0 && rows[i].kind == rows[i - 1].kind)
            continue;
        if (!bench_open(&b, f, rows[i].kind))
            continue;
        for (size_t j = i; j < row_count && rows[j].kind == rows[i].kind; j++)
            for (size_t k = i; k < row_count && rows[k].kind == rows[i].kind; k++)
                if (rows[j].blocks != ALWAYS && !is_refused_behind(&rows[k], &rows[j]))
                    one_case(&b, &rows[j], &rows[k], STANDS_BEHIND, false);
        bench_close(&b);
    }
}

/* --- nothing of the context's queue is needed ------------------------------------------------- */

/* The context's queue stands still until the call in another queue is done. */
static void with_a_stopped_context(struct bench *b, const struct row *row)
{
    cl_int code;
    struct world *w = &b->gated;
    cl_command_queue stopped = clade_context_cl_queue(b->f->context);
    world_reset(w);
    if (!w->on_host)
        move_slots(w, false);
    cl_event gate = clCreateUserEvent(clade_context_cl_context(b->f->context), &code), end = NULL;
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueBarrierWithWaitList(stopped, 1, &gate, NULL), CL_SUCCESS);
    assert_int_equal(clFlush(stopped), CL_SUCCESS);
    const clade_launch launch = { .queue = b->queue, .event = &end };
    struct caller one = { .row = row, .world = w, .launch = &launch };
    assert_int_equal(pthread_create(&one.thread, NULL, call, &one), 0);
    const bool returned = returns_in(&one, PATIENCE_MS);
    const bool completed = returned && end && completes_in(end, PATIENCE_MS);
    open_gate(gate);
    pthread_join(one.thread, NULL);
    if (one.status != CLADE_OK)
        fail_msg("%s", one.message);
    assert_true(returned);
    assert_true(completed);
    if (!w->on_host)
        move_slots(w, true);
    clReleaseEvent(gate);
    clReleaseEvent(end);
}

static void the_contexts_queue_is_not_needed(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct bench b;
        if (i > 0 && rows[i].kind == rows[i - 1].kind)
            continue;
        if (!bench_open(&b, f, rows[i].kind))
            continue;
        for (size_t k = i; k < row_count && rows[k].kind == rows[i].kind; k++)
            for (int on_host = 1; on_host >= 0; on_host--) { /* first without kernels, if it may */
                print_message("%s: %s, %s arrays\n", rows[k].kind->name, rows[k].function,
                              on_host ? "host" : "device");
                b.gated.on_host = b.free.on_host = on_host;
                without_gate(&b, NULL, &rows[k]);
                with_a_stopped_context(&b, &rows[k]);
                compare(&b, rows[k].loose);
            }
        bench_close(&b);
    }
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_with_a_launch_has_a_row),
        cmocka_unit_test(device_arrays_wait),
        cmocka_unit_test(device_arrays_wait_in_the_contexts_queue),
        cmocka_unit_test(host_arrays_wait),
        cmocka_unit_test(host_arrays_wait_in_the_contexts_queue),
        cmocka_unit_test(calls_stand_behind_calls),
        cmocka_unit_test(the_contexts_queue_is_not_needed),
    };
    return fixture_run("launches", tests);
}
