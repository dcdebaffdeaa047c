/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/hashmap_mixed.h"

#include <math.h>
#include <stdlib.h>

#include "command/clade.h"

enum mix { FIND, UPDATE, HALF, MIXES };
static const char *const mix_names[MIXES] = { "find", "update", "half of each" };

struct mixed {
    struct bench *bench;
    cl_uint n, what;
    uint32_t *keys, *drawn, *out;
    cl_mem keys_mem, drawn_mem, out_mem;
    clade_hashmap *map;
    clade_program *program;
    cl_kernel kernel;
};

/* Distinct keys that look random: a bijection of 32 bits. */
static uint32_t scramble(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ i >> 16;
}

/* Which key an item asks for. By Zipf's law the r-th is asked for 1/r as often as the first. */
static uint32_t rank_of(const struct mixed *m, uint32_t item, bool is_zipf)
{
    const double share = (double)scramble(item ^ 0x5a5a5a5au) / 4294967296.0;
    const double rank = is_zipf ? pow(m->n, share) - 1 : share * m->n;
    return rank < m->n ? (uint32_t)rank : m->n - 1;
}

static bool draw(struct mixed *m, bool is_zipf)
{
    for (uint32_t i = 0; i < m->n; i++)
        m->drawn[i] = m->keys[rank_of(m, i, is_zipf)];
    return clEnqueueWriteBuffer(clade_context_cl_queue(bench_context(m->bench)), m->drawn_mem,
                                CL_TRUE, 0, 4ull * m->n, m->drawn, 0, NULL, NULL) == CL_SUCCESS ||
           bench_fail("a buffer cannot be written");
}

static bool open_mixed(struct mixed *m, struct bench *bench, uint32_t n, bool no_erase)
{
    *m = (struct mixed) { .bench = bench, .n = n };
    m->keys = bench_alloc(n, 4);
    m->drawn = bench_alloc(n, 4);
    m->out = bench_alloc(n, 4);
    if (!m->keys || !m->drawn || !m->out)
        return false;
    for (uint32_t i = 0; i < n; i++)
        m->keys[i] = scramble(i);
    m->keys_mem = bench_buffer(bench, m->keys, 4ull * n);
    m->drawn_mem = bench_buffer(bench, m->keys, 4ull * n);
    m->out_mem = bench_buffer(bench, NULL, 4ull * n);
    return m->keys_mem && m->drawn_mem && m->out_mem &&
           succeeded(clade_hashmap_create(&m->map, bench_context(bench),
                                          &(clade_hashmap_params) { .capacity = n * 9ull / 8,
                                                                    .value = CLADE_U32,
                                                                    .no_erase = no_erase })) &&
           succeeded(clade_program_build(
               &m->program, bench_context(bench),
               &(clade_program_params) { .file = "tools/bench_hashmap.cl",
                                         .options =
                                             no_erase ? "-DCLADE_HASHMAP_NO_ERASE=1" : NULL })) &&
           succeeded(clade_program_kernel(&m->kernel, m->program, "clade_bench_hashmap"));
}

static void close_mixed(struct mixed *m)
{
    const cl_mem mems[] = { m->keys_mem, m->drawn_mem, m->out_mem };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (m->kernel)
        clReleaseKernel(m->kernel);
    clade_program_destroy(&m->program);
    clade_hashmap_destroy(&m->map);
    free(m->keys);
    free(m->drawn);
    free(m->out);
}

/* All keys with the value 0. */
static bool prepare(void *data)
{
    struct mixed *m = data;
    return succeeded(clade_hashmap_clear(m->map, NULL)) &&
           succeeded(clade_hashmap_insert(m->map, clade_device(m->keys_mem, 0), clade_no_array(),
                                          m->n, clade_no_array(), NULL));
}

static bool work(void *data)
{
    struct mixed *m = data;
    const cl_mem map = clade_hashmap_mem(m->map);
    const size_t group = 64, items = (m->n + group - 1) / group * group;
    if (clSetKernelArg(m->kernel, 0, sizeof map, &map) ||
        clSetKernelArg(m->kernel, 1, sizeof m->drawn_mem, &m->drawn_mem) ||
        clSetKernelArg(m->kernel, 2, sizeof m->out_mem, &m->out_mem) ||
        clSetKernelArg(m->kernel, 3, sizeof m->n, &m->n) ||
        clSetKernelArg(m->kernel, 4, sizeof m->what, &m->what))
        return bench_fail("an argument is refused");
    return bench_launch(m->bench, m->kernel, items, group);
}

/* Nothing failed, and the values add up to the number of updates. */
static bool check(void *data)
{
    struct mixed *m = data;
    const uint64_t updates = m->what == UPDATE ? m->n : m->what == HALF ? m->n / 2 : 0;
    uint64_t sum = 0, got = 0;
    if (!bench_read(m->bench, m->out_mem, m->out, 4ull * m->n))
        return false;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->out[i] == UINT32_MAX)
            return false;
    if (!succeeded(
            clade_hashmap_read(m->map, clade_no_array(), clade_host(m->out), m->n, &got, NULL)))
        return false;
    for (uint64_t i = 0; i < got; i++)
        sum += m->out[i];
    return got == m->n && sum == updates;
}

static bool add_row(struct mixed *m, const char *keys)
{
    const struct bench_task task = { m, prepare, work, check, false };
    struct bench_times times;
    if (!bench_measure(m->bench, &task, &times))
        return false;
    bench_text(m->bench, "operation", mix_names[m->what]);
    bench_text(m->bench, "how often a key comes", keys);
    bench_count(m->bench, "keys", m->n);
    bench_ms(m->bench, "clade", &times);
    bench_value(m->bench, "M/s", (double)m->n / times.median * 1e-3);
    bench_row_end(m->bench);
    return true;
}

static bool add_rows(struct bench *bench, uint32_t n, bool no_erase)
{
    static const char *const names[2][2] = { { "alike", "by Zipf's law" },
                                             { "alike; no erase", "by Zipf's law; no erase" } };
    struct mixed m;
    bool fine = open_mixed(&m, bench, n, no_erase);
    for (int is_zipf = 0; fine && is_zipf < 2; is_zipf++) {
        fine = draw(&m, is_zipf != 0);
        for (m.what = FIND; fine && m.what < MIXES && !bench_is_over(bench); m.what++)
            fine = add_row(&m, names[no_erase][is_zipf]);
    }
    close_mixed(&m);
    return fine;
}

bool bench_hashmap_mixed(struct bench *bench, uint32_t n)
{
    return add_rows(bench, n, false) && (bench_is_over(bench) || add_rows(bench, n, true));
}
