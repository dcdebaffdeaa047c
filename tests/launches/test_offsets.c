/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in device memory begin where the caller says, each somewhere else: the same calls give the
 * same as with arrays in host memory, and nothing beside an array is written. */
#include "launches/launches.h"

/* Where a slot begins in its buffer, which is so much longer than the array. */
static size_t begin_of(int slot)
{
    return 8 * ((size_t)slot + 1);
}
enum { ROOM = 8 * (SLOTS + 2), GUARD = 0xa5 };

/* The world's buffers again, with room before and behind; and back. */
static void make_room(struct world *w)
{
    uint8_t bytes[sizeof w->host[0] + ROOM];
    memset(bytes, GUARD, sizeof bytes);
    for (int slot = 0; slot < SLOTS; slot++) {
        clReleaseMemObject(w->mem[slot]);
        w->mem[slot] = fixture_buffer(w->f, sizeof bytes, bytes);
        w->begin[slot] = begin_of(slot);
    }
}

static void send(struct world *w)
{
    for (int slot = 0; slot < SLOTS; slot++)
        fixture_write(w->f, w->mem[slot], w->begin[slot], w->host[slot], sizeof w->host[slot]);
}

static void fetch(struct world *w, const char *function)
{
    uint8_t bytes[sizeof w->host[0] + ROOM];
    for (int slot = 0; slot < SLOTS; slot++) {
        const size_t begin = w->begin[slot], end = begin + sizeof w->host[slot];
        fixture_read(w->f, w->mem[slot], 0, bytes, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; i++)
            if ((i < begin || i >= end) && bytes[i] != GUARD)
                fail_msg("%s wrote to byte %zu of array %d, which goes from %zu to %zu", function,
                         i, slot, begin, end);
        memcpy(w->host[slot], bytes + begin, sizeof w->host[slot]);
    }
}

enum { PART_AT = 4096, WHOLE = 3 * PART_AT };

static void copy(const struct fixture *f, cl_mem from, cl_mem to)
{
    assert_int_equal(clEnqueueCopyBuffer(clade_context_cl_queue(f->context), from, to, 0, 0, WHOLE,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    assert_ok(clade_finish(f->context));
}

static void make_parts(struct world *w, cl_mem *whole)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        cl_int code;
        const cl_buffer_region part = { PART_AT, sizeof w->host[0] + ROOM };
        whole[slot] = clCreateBuffer(clade_context_cl_context(w->f->context),
                                     CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, WHOLE, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
        clReleaseMemObject(w->mem[slot]);
        w->mem[slot] =
            clCreateSubBuffer(whole[slot], 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
        assert_int_equal(code, CL_SUCCESS);
        w->begin[slot] = begin_of(slot);
    }
}

static void send_parts(struct world *w, cl_mem *whole)
{
    uint8_t bytes[WHOLE];
    for (int slot = 0; slot < SLOTS; slot++) {
        memset(bytes, GUARD, sizeof bytes);
        memcpy(bytes + PART_AT + w->begin[slot], w->host[slot], sizeof w->host[slot]);
        cl_mem beside = fixture_buffer(w->f, WHOLE, bytes);
        copy(w->f, beside, whole[slot]);
        clReleaseMemObject(beside);
    }
}

static void fetch_parts(struct world *w, cl_mem *whole, const char *function)
{
    uint8_t bytes[WHOLE];
    for (int slot = 0; slot < SLOTS; slot++) {
        const size_t begin = PART_AT + w->begin[slot], end = begin + sizeof w->host[slot];
        memset(bytes, 0, sizeof bytes);
        cl_mem beside = fixture_buffer(w->f, WHOLE, bytes);
        copy(w->f, whole[slot], beside);
        fixture_read(w->f, beside, 0, bytes, sizeof bytes);
        clReleaseMemObject(beside);
        for (size_t i = 0; i < sizeof bytes; i++)
            if ((i < begin || i >= end) && bytes[i] != GUARD)
                fail_msg("%s wrote to byte %zu of array %d, which goes from %zu to %zu", function,
                         i, slot, begin, end);
        memcpy(w->host[slot], bytes + begin, sizeof w->host[slot]);
    }
}

static void compare(struct world *w, struct world *twin, const struct row *row)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        for (size_t k = 0; k < SLOT_WORDS; k++) {
            const uint32_t got = w->host[slot][k], wanted = twin->host[slot][k];
            const bool is_loose = slot == NODES || row->loose & 1u << slot;
            if (is_loose ? (got != 0) != (wanted != 0) : got != wanted)
                fail_msg("%s: array %u, word %zu: %u, and %u in host memory", row->function, slot,
                         k, got, wanted);
        }
    assert_int_equal(w->got, twin->got);
    w->kind->drain(w);
    twin->kind->drain(twin);
    if (w->digest != twin->digest)
        fail_msg("%s leaves another content than with arrays in host memory", row->function);
}

/* The same, where a slot's buffer is a part of a larger one that the host may neither read nor
 * write: what a call does with an array is done by commands on the device. */
static void arrays_may_be_parts(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct world w, twin;
        cl_mem whole[SLOTS];
        if (rows[i].kind->is_shared)
            continue;
        world_open(&w, rows[i].kind, f);
        world_open(&twin, rows[i].kind, f);
        make_parts(&w, whole);
        world_reset(&w);
        world_reset(&twin);
        twin.on_host = true;
        send_parts(&w, whole);
        assert_ok(rows[i].call(&w, NULL));
        assert_ok(rows[i].call(&twin, NULL));
        assert_ok(clade_finish(f->context));
        fetch_parts(&w, whole, rows[i].function);
        compare(&w, &twin, &rows[i]);
        world_close(&w);
        world_close(&twin);
        for (int slot = 0; slot < SLOTS; slot++)
            clReleaseMemObject(whole[slot]);
    }
}

static void arrays_begin_where_they_are_said_to(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct world w, twin;
        if (rows[i].kind->is_shared)
            continue;
        world_open(&w, rows[i].kind, f);
        world_open(&twin, rows[i].kind, f);
        make_room(&w);
        world_reset(&w);
        world_reset(&twin);
        twin.on_host = true;
        send(&w);
        assert_ok(rows[i].call(&w, NULL));
        assert_ok(rows[i].call(&twin, NULL));
        assert_ok(clade_finish(f->context));
        fetch(&w, rows[i].function);
        compare(&w, &twin, &rows[i]);
        world_close(&w);
        world_close(&twin);
    }
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_begin_where_they_are_said_to),
        cmocka_unit_test(arrays_may_be_parts),
    };
    return fixture_run("offsets", tests);
}
