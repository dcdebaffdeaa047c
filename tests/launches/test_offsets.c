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
    };
    return fixture_run("offsets", tests);
}
