/* SPDX-License-Identifier: Apache-2.0 */
/* An ad-heap with a HOST bridge, with the n-th OpenCL or allocation call failing, for every n, and
 * with all that come after it: its calls, and a kernel that stays. Each heap has afterwards what it
 * had, or what the whole call makes of it. A kernel whose start failed does not stay, and one whose
 * call or end failed can be ended. */
#include "adheap/adheap.h"
#include "device/context.h"
#include "fault/fault.h"
#include "harness/scratch.h"

/* Patience: some 30 ms, as long as a kernel waits for a host that failed. */
enum { HEAPS = 2, EACH = 10, MORE = 5, TAKEN = 3, MOST = HEAPS * 2 * EACH, PATIENCE = 1 << 26 };

enum step { APART, STARTS, CALLS, STOPS };

struct heap_case {
    struct fixture *f;
    clade_adheap *heaps;
    char *path;
    const struct heap_op *op;
    enum step step;
    uint32_t keys[MOST], values[MOST];
};

struct heap_op {
    const char *name;
    clade_status (*run)(struct heap_case *c);
    uint32_t sizes[HEAPS]; /* afterwards */
};

#define KEYS(c)   clade_host((c)->keys)
#define VALUES(c) clade_host((c)->values)
#define NONE      clade_no_array()

static clade_status insert(struct heap_case *c)
{
    return clade_adheap_insert(c->heaps, KEYS(c), VALUES(c), MORE, NONE, NULL);
}

static clade_status pop(struct heap_case *c)
{
    return clade_adheap_pop(c->heaps, KEYS(c), VALUES(c), TAKEN, NONE, NULL);
}

static clade_status build(struct heap_case *c)
{
    return clade_adheap_build(c->heaps, KEYS(c), VALUES(c), MORE, NULL);
}

static clade_status clear(struct heap_case *c)
{
    return clade_adheap_clear(c->heaps, NULL);
}

static clade_status save(struct heap_case *c)
{
    return clade_adheap_save(c->heaps, c->path);
}

static clade_status repair(struct heap_case *c)
{
    return clade_adheap_repair(c->heaps, NULL);
}

static clade_status load(struct heap_case *c)
{
    clade_adheap *loaded = NULL;
    const clade_status status = clade_adheap_load(&loaded, c->f->context, c->path);
    assert_int_equal(status == CLADE_OK, loaded != NULL);
    clade_adheap_destroy(&loaded);
    return status;
}

/* A kernel that stays takes a key from the first heap. */
static clade_status stay(struct heap_case *c)
{
    clade_adheap_call call = { .what = CLADE_ADHEAP_CALL_POP };
    c->step = STARTS;
    clade_status status = clade_adheap_resident_start(c->heaps);
    if (status != CLADE_OK)
        return status;
    c->step = CALLS;
    status = clade_adheap_resident_call(c->heaps, &call);
    if (status != CLADE_OK)
        return status;
    c->step = STOPS;
    status = clade_adheap_resident_stop(c->heaps);
    if (status == CLADE_OK)
        c->step = APART;
    return status;
}

/* The same, and the kernel had left by then for want of calls, so that it is started again. */
static clade_status come_back(struct heap_case *c)
{
    clade_adheap_call call = { .what = CLADE_ADHEAP_CALL_POP };
    c->step = CALLS;
    const clade_status status = clade_adheap_resident_call(c->heaps, &call);
    return status;
}

static clade_status run(void *data)
{
    struct heap_case *c = data;
    return c->op->run(c);
}

static void begin(struct heap_case *c)
{
    for (uint32_t i = 0; i < MOST; i++)
        c->keys[i] = c->values[i] = (i + 1) * 2654435761u;
    assert_ok(clade_adheap_build(c->heaps, KEYS(c), VALUES(c), EACH, NULL));
    c->step = APART;
    if (c->op->run != come_back)
        return;
    assert_ok(clade_adheap_resident_start(c->heaps));
    assert_int_equal(clFinish(c->f->context->queue), CL_SUCCESS);
}

static void judge(void *data)
{
    struct heap_case *c = data;
    uint32_t sizes[HEAPS];
    if (c->step > STARTS)
        assert_ok(clade_adheap_resident_stop(c->heaps));
    if (clade_adheap_check(c->heaps) != CLADE_OK)
        fail_msg("%s, after a fault in %s: %s", c->op->name, fault_name(),
                 clade_error_last()->message);
    assert_ok(clade_adheap_sizes(c->heaps, clade_host(sizes), NULL));
    for (uint32_t h = 0; h < HEAPS; h++)
        if (sizes[h] != EACH && sizes[h] != c->op->sizes[h])
            fail_msg("%s, after a fault in %s: heap %u has %u keys", c->op->name, fault_name(), h,
                     sizes[h]);
    begin(c);
}

static void a_host_bridge_survives_every_fault(void **state)
{
    static const struct heap_op ops[] = {
        { "insert", insert, { EACH + MORE, EACH + MORE } },
        { "pop", pop, { EACH - TAKEN, EACH - TAKEN } },
        { "build", build, { MORE, MORE } },
        { "clear", clear, { 0, 0 } },
        { "save", save, { EACH, EACH } },
        { "load", load, { EACH, EACH } },
        { "repair", repair, { EACH, EACH } },
        { "a kernel that stays", stay, { EACH - 1, EACH } },
        { "a kernel that comes back", come_back, { EACH - 1, EACH } },
    };
    struct fixture *f = *state;
    struct heap_case c = { .f = f };
    char *folder;
    const clade_adheap_params params = { .heaps = HEAPS,
                                         .capacity = 2 * EACH,
                                         .arity = 8,
                                         .values = 1,
                                         .bridge = CLADE_ADHEAP_BRIDGE_HOST,
                                         .patience = PATIENCE };
    if (!f->caps->svm_atomics) {
        print_message("skipped: the device has no fine-grained shared memory with atomics\n");
        skip();
    }
    folder = scratch_make();
    c.path = scratch_path(folder, "heaps");
    assert_ok(clade_adheap_create(&c.heaps, f->context, &params));
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        uint64_t faults;
        c.op = &ops[i];
        begin(&c);
        faults = fault_every(run, judge, &c);
        assert_true(faults >= 1);
        if (c.op->run != load) /* which leaves nothing */
            faults += fault_from_every(run, judge, &c);
        print_message("%s: %llu faults\n", c.op->name, (unsigned long long)faults);
        if (c.op->run == come_back)
            assert_ok(clade_adheap_resident_stop(c.heaps));
    }
    clade_adheap_destroy(&c.heaps);
    free(c.path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_host_bridge_survives_every_fault) };
    return fixture_run("faults, an ad-heap's host", tests);
}
