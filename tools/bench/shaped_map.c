/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/shaped_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/clade.h"

enum step { INSERT, FIND, ERASE, STEPS };
static const char *const step_names[STEPS] = { "insert", "find", "erase" };

struct work {
    const struct bench_shaped *row;
    struct bench_map *map;
    enum step step;
    cl_mem keys, values, out;
    uint32_t *found;
    const struct baseline_map32_kind *kind;
    struct baseline_map32 *host;
    size_t got;
};

/* --- on the device ---------------------------------------------------------------------------- */

static bool prepare(void *data)
{
    struct work *w = data;
    return w->map->clear(w->map) &&
           (w->step == INSERT || w->map->insert(w->map, w->keys, w->values, w->row->count));
}

static bool work(void *data)
{
    struct work *w = data;
    const uint32_t count = w->row->count;
    return w->step == INSERT ? w->map->insert(w->map, w->keys, w->values, count)
           : w->step == FIND ? w->map->find(w->map, w->keys, w->out, count)
                             : w->map->erase(w->map, w->keys, count);
}

static bool check(void *data)
{
    struct work *w = data;
    const size_t bytes = w->row->count * sizeof *w->found;
    uint64_t size = 0;
    if (!w->map->size(w->map, &size) || size != (w->step == ERASE ? 0 : w->row->different))
        return false;
    return w->step != FIND || (bench_read(w->row->bench, w->out, w->found, bytes) &&
                               memcmp(w->found, w->row->keys, bytes) == 0);
}

/* All steps once: many drivers compile a kernel when it first runs. */
static bool warm_up(struct work *w)
{
    const uint32_t count = w->row->count;
    return w->map->clear(w->map) && w->map->insert(w->map, w->keys, w->values, count) &&
           w->map->find(w->map, w->keys, w->out, count) && w->map->erase(w->map, w->keys, count) &&
           succeeded(clade_finish(bench_context(w->row->bench)));
}

static bool add_map(struct work *w)
{
    const struct bench_task task = { w, prepare, work, check, false };
    bool fine = w->map->create(w->map, bench_context(w->row->bench), w->row->count) && warm_up(w);
    for (int step = 0; fine && step < STEPS; step++) {
        struct bench_times times;
        char column[64];
        w->step = (enum step)step;
        snprintf(column, sizeof column, "%s %s", w->map->name, step_names[step]);
        fine = bench_measure(w->row->bench, &task, &times);
        if (fine)
            bench_ms(w->row->bench, column, &times);
    }
    w->map->destroy(w->map);
    return fine;
}

/* --- on the host ------------------------------------------------------------------------------ */

static bool prepare_host(void *data)
{
    struct work *w = data;
    w->kind->clear(w->host);
    return w->step == INSERT ||
           w->kind->insert(w->host, w->row->keys, w->row->count) == w->row->different ||
           bench_fail("memory is out");
}

static bool work_host(void *data)
{
    struct work *w = data;
    const uint32_t *keys = w->row->keys, count = w->row->count;
    w->got = w->step == INSERT ? w->kind->insert(w->host, keys, count)
             : w->step == FIND ? w->kind->find(w->host, keys, count)
                               : w->kind->erase(w->host, keys, count);
    return true;
}

static bool check_host(void *data)
{
    const struct work *w = data;
    return w->got == (w->step == FIND ? w->row->count : w->row->different);
}

static bool add_host(struct work *w)
{
    const struct bench_task task = { w, prepare_host, work_host, check_host, true };
    bool fine = true;
    w->host = w->kind->missing ? NULL : w->kind->create();
    if (!w->kind->missing && !w->host)
        return bench_fail("memory is out");
    for (int step = 0; fine && step < STEPS; step++) {
        struct bench_times times;
        char column[64];
        w->step = (enum step)step;
        snprintf(column, sizeof column, "%s %s", w->kind->name, step_names[step]);
        if (w->kind->missing || w->row->count > 1u << 20) {
            bench_none(w->row->bench, column, w->kind->missing ? w->kind->missing : "too long");
            continue;
        }
        fine = bench_measure(w->row->bench, &task, &times);
        if (fine)
            bench_ms(w->row->bench, column, &times);
    }
    if (w->host)
        w->kind->destroy(w->host);
    return fine;
}

bool bench_shaped_maps(const struct bench_shaped *row, struct bench_map *maps, size_t count,
                       const struct baseline_map32_kind *kind)
{
    const uint64_t bytes = row->count * sizeof *row->keys;
    struct work w = { .row = row, .kind = kind };
    w.found = bench_alloc(row->count, sizeof *w.found);
    w.keys = bench_buffer(row->bench, row->keys, bytes);
    w.values = bench_buffer(row->bench, row->keys, bytes);
    w.out = bench_buffer(row->bench, NULL, bytes);
    bool fine = w.found && w.keys && w.values && w.out;
    for (size_t i = 0; fine && i < count; i++) {
        w.map = &maps[i];
        fine = add_map(&w);
    }
    fine = fine && add_host(&w);
    const cl_mem mems[] = { w.keys, w.values, w.out };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    free(w.found);
    return fine;
}
