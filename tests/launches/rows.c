/* SPDX-License-Identifier: Apache-2.0 */
/* The table of calls, collected from the structures' folders, and the objects that they are made
 * on. */
#include "launches/rows.h"

struct row rows[ROWS_MOST];
size_t row_count;

void rows_collect(void)
{
#define LINE(structure) structure##_rows,
    static const struct row *const all[] = { CLADE_LAUNCHES(LINE) };
    row_count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (const struct row *row = all[i]; row->function; row++) {
            assert_true(row_count < ROWS_MOST);
            rows[row_count++] = *row;
        }
}

bool kind_is_possible(const struct kind *kind, const clade_caps *caps)
{
    const bool is_possible = !kind->is_shared || (caps->svm_atomics && !caps->subgroup_size);
    if (!is_possible)
        print_message("skipped: %s, for the device shares no memory with atomics\n", kind->name);
    return is_possible;
}

bool row_begins_kind(size_t i, const clade_caps *caps)
{
    return (i == 0 || rows[i].kind != rows[i - 1].kind) && kind_is_possible(rows[i].kind, caps);
}

bool row_takes(const struct row *row, int slot)
{
    static const char *const names[SLOTS] = {
        [NEW] = "A(NEW)", [INSIDE] = "A(INSIDE)", [VALUES] = "A(VALUES)",
        [OUT] = "A(OUT)", [ALSO] = "A(ALSO)",     [STATUSES] = "A(STATUSES)",
        [OPS] = "A(OPS)", [NODES] = "A(NODES)",   [INDEX] = "A(INDEX)",
        [GOT] = "A(GOT)",
    };
    return strstr(row->arguments, names[slot]) != NULL;
}

enum counted row_counts(const struct row *row)
{
    if (strstr(row->arguments, "N_EACH("))
        return COUNTED_EACH;
    return strstr(row->arguments, " N,") || strstr(row->arguments, " N_ROWS(") ? COUNTED
                                                                               : UNCOUNTED;
}

/* --- worlds ----------------------------------------------------------------------------------- */

clade_array world_at(struct world *w, int slot)
{
    return w->on_host && !(w->apart >> slot & 1) ? clade_host(w->host[slot])
                                                 : clade_device(w->mem[slot], w->begin[slot]);
}

void world_keys(uint32_t *keys)
{
    for (uint32_t i = 0; i < FILLED; i++)
        keys[i] = 3 * (i + 1);
}

void world_mix(struct world *w, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word; /* whatever the type of `words` */
        memcpy(&word, (const char *)words + 4 * i, sizeof word);
        w->digest = (w->digest ^ word) * 0x9e3779b97f4a7c15u;
        w->digest ^= w->digest >> 29;
    }
}

void world_open(struct world *w, const struct kind *kind, struct fixture *f)
{
    *w = (struct world) { .kind = kind, .f = f, .count = COUNT };
    for (size_t i = 0; i < SLOTS; i++)
        w->mem[i] = fixture_buffer(f, sizeof w->host[i], w->host[i]);
    assert_ok(kind->create(w));
}

void world_close(struct world *w)
{
    w->kind->destroy(w);
    for (size_t i = 0; i < SLOTS; i++)
        clReleaseMemObject(w->mem[i]);
}

void world_reset(struct world *w)
{
    memset(w->host, 0, sizeof w->host);
    w->got = w->digest = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        w->host[NEW][i] = 3 * (i + 1) + 1;
        w->host[INSIDE][i] = 3 * (i + 1);
        w->host[VALUES][i] = (i + 1) * 0x9e3779b9u >> 2;
        w->host[INDEX][i] = i % PART;
    }
    w->kind->clear(w);
    w->kind->fill(w);
    assert_ok(clade_finish(w->f->context));
}
