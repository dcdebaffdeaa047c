/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/calls.h"

#include <stdlib.h>

#include "bench/shaped.h"
#include "command/clade.h"

struct calls {
    const struct profile_load *load;
    struct profile_data data;
    size_t step; /* that is measured; those before it prepare */
};

/* The keys as they are, and from their middle on, both below 2^30 as the loads want them. */
static bool write_keys(struct calls *c, const struct bench_shaped *row)
{
    const cl_command_queue queue = clade_context_cl_queue(c->data.context);
    const size_t bytes = row->count * sizeof *row->keys;
    uint32_t *keys = bench_alloc(2ull * row->count, sizeof *keys);
    for (uint32_t i = 0; keys && i < 2 * row->count; i++)
        keys[i] = row->keys[i % row->count] & 0x3fffffffu;
    const bool fine = keys &&
                      clEnqueueWriteBuffer(queue, c->data.keys, CL_TRUE, 0, bytes, keys, 0, NULL,
                                           NULL) == CL_SUCCESS &&
                      clEnqueueWriteBuffer(queue, c->data.more, CL_TRUE, 0, bytes,
                                           keys + row->count / 2, 0, NULL, NULL) == CL_SUCCESS;
    free(keys);
    return fine || bench_fail("the keys cannot be written");
}

static void destroy(struct calls *c)
{
    if (c->data.object || c->data.second)
        c->load->destroy(&c->data);
    c->data.object = c->data.second = NULL;
}

static bool prepare(void *data)
{
    struct calls *c = data;
    destroy(c);
    bool fine = succeeded(c->load->make(&c->data));
    for (size_t i = 0; fine && i < c->step; i++)
        fine = succeeded(c->load->actions[i].work(&c->data));
    return fine;
}

static bool work(void *data)
{
    struct calls *c = data;
    return succeeded(c->load->actions[c->step].work(&c->data));
}

static bool check(void *data)
{
    struct calls *c = data;
    return !c->load->check || succeeded(c->load->check(&c->data));
}

/* All steps once: many drivers compile a kernel when it first runs. */
static bool warm_up(struct calls *c)
{
    size_t steps = 0;
    while (steps < PROFILE_STEPS && c->load->actions[steps].work)
        steps++;
    c->step = steps;
    const bool fine = prepare(c);
    c->step = 0;
    return fine;
}

static bool cells(const struct bench_shaped *row, void *data)
{
    struct calls c = { .load = data };
    const struct bench_task task = { &c, prepare, work, check, false };
    c.data = (struct profile_data) { .context = bench_context(row->bench), .n = row->count };
    bool fine = profile_data_make(&c.data) && write_keys(&c, row) && warm_up(&c);
    for (; fine && c.step < PROFILE_STEPS && c.load->actions[c.step].work; c.step++) {
        struct bench_times times;
        fine = bench_measure(row->bench, &task, &times);
        if (fine)
            bench_ms(row->bench, c.load->actions[c.step].name, &times);
    }
    destroy(&c);
    profile_data_free(&c.data);
    return fine;
}

bool bench_calls(struct bench *bench, const struct profile_load *load, bool by_keys)
{
    enum { MOST = 1 << 20 };
    void *data = (void *)(uintptr_t)load;
    return (!by_keys || bench_distributions(bench, MOST, cells, data)) &&
           bench_sizes(bench, MOST, cells, data);
}
