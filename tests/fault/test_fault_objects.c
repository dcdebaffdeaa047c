/* SPDX-License-Identifier: Apache-2.0 */
/* Every call of every structure, with the n-th OpenCL or allocation call failing, for every n: the
 * object's content is then what it was, or what the whole call makes of it; nothing in between, and
 * its check passes. So also, of calls that rebuild a tree in place, when all calls fail from the
 * n-th on: while they do the tree is refused, and then it is put back. Leaks are seen when this
 * program runs under AddressSanitizer. */
#include "fault/fault.h"
#include "harness/scratch.h"
#include "harness/subject.h"

struct fault_case {
    struct subject s, twin; /* `twin` is where copies of `s` are drained */
    const struct subject_op *op;
    void *bytes; /* of `s` before the call */
    size_t size;
    uint64_t before, after; /* what is read */
    clade_status status;
    size_t calls, late; /* `late`: failed, but the object had changed by then */
};

static clade_status create_one(void *data)
{
    struct subject *s = data;
    s->object = NULL;
    clade_status status = s->kind->create(s);
    assert_true((status == CLADE_OK) == (s->object != NULL));
    s->kind->destroy(s);
    return status;
}

static clade_status load_one(void *data)
{
    struct subject *s = data;
    s->object = NULL;
    clade_status status = s->kind->load(s);
    assert_true((status == CLADE_OK) == (s->object != NULL));
    s->kind->destroy(s);
    return status;
}

static clade_status run_op(void *data)
{
    struct fault_case *c = data;
    c->status = c->op->run(&c->s);
    if (c->status != CLADE_OK)
        assert_int_equal(clade_error_last()->status, c->status);
    return c->status;
}

/* While all calls fail, an object that a call failed on is refused. */
static clade_status run_op_and_ask(void *data)
{
    struct fault_case *c = data;
    const clade_status status = run_op(c);
    if (status != CLADE_OK) {
        assert_true(c->s.kind->check(&c->s) != CLADE_OK);
        clade_error_set(status, 0, "asked"); /* the last one is the operation's again */
    }
    return status;
}

static void put_back(struct fault_case *c)
{
    if (c->bytes)
        subject_restore(&c->s, c->bytes, c->size);
}

/* What a file written over and over holds is never half of something. */
static void expect_file(struct fault_case *c)
{
    struct subject loaded = c->s;
    assert_ok(c->s.kind->load(&loaded));
    assert_true(subject_content(&loaded, &c->twin) == c->before);
    c->s.kind->destroy(&loaded);
}

static void expect_whole(void *data)
{
    struct fault_case *c = data;
    if (c->s.kind->check) /* what the failed call left is finished first */
        assert_ok(c->s.kind->check(&c->s));
    const uint64_t content = subject_content(&c->s, &c->twin);
    const bool changed = content != c->before;
    c->calls++;
    if (c->status == CLADE_OK ? content != c->after : changed && content != c->after)
        fail_msg("%s, %s: after a fault in %s (%s) the content is neither the old nor the new one",
                 c->s.kind->name, c->op->name, fault_name(), clade_status_name(c->status));
    c->late += c->status != CLADE_OK && changed;
    if (strcmp(c->op->name, "save") == 0)
        expect_file(c);
    put_back(c);
}

static void every_op(struct fault_case *c)
{
    for (size_t i = 0; i < SUBJECT_OPS && c->s.kind->ops[i].name; i++) {
        c->op = &c->s.kind->ops[i];
        c->before = subject_content(&c->s, &c->twin);
        assert_ok(run_op(c));
        c->after = subject_content(&c->s, &c->twin);
        assert_true((c->after != c->before) == ((c->op->effect & SUBJECT_CHANGES) != 0));
        put_back(c);
        assert_true(subject_content(&c->s, &c->twin) == c->before);
        c->calls = c->late = 0;
        assert_true(fault_every(run_op, expect_whole, c) >= 1);
        print_message("%s, %s: %zu faults; %zu failed after the change\n", c->s.kind->name,
                      c->op->name, c->calls - 1, c->late);
        if (c->op->effect & SUBJECT_REBUILDS) {
            c->calls = c->late = 0;
            assert_true(fault_from_every(run_op_and_ask, expect_whole, c) >= 1);
            print_message("... and all that come after: %zu; %zu failed after the change\n",
                          c->calls - 1, c->late);
        }
    }
}

static void kind_survives(void **state, const struct subject_kind *kind)
{
    struct fault_case c = { 0 };
    char *folder = scratch_make(), *path = scratch_path(folder, "object");
    subject_open(&c.s, kind, *state, NULL, path);
    subject_open(&c.twin, kind, *state, NULL, path);
    struct subject made = c.s;
    assert_true(fault_every(create_one, NULL, &made) >= 5);
    c.s.kind->fill(&c.s);
    if (c.s.kind->mem)
        c.bytes = subject_bytes(&c.s, &c.size);
    every_op(&c);
    if (c.s.kind->load)
        assert_true(fault_every(load_one, NULL, &made) >= 5);
    free(c.bytes);
    subject_close(&c.twin);
    subject_close(&c.s);
    free(path);
    scratch_remove(folder);
}

#define SURVIVES(structure)                                    \
    static void structure##_survives_every_fault(void **state) \
    {                                                          \
        for (size_t i = 0; structure##_subjects[i]; i++)       \
            kind_survives(state, structure##_subjects[i]);     \
    }
CLADE_SUBJECT(SURVIVES)

int main(void)
{
#define LINE(structure) cmocka_unit_test(structure##_survives_every_fault),
    const struct CMUnitTest tests[] = { CLADE_SUBJECT(LINE) };
    return fixture_run("fault_objects", tests);
}
