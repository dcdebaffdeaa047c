/* SPDX-License-Identifier: Apache-2.0 */
/* `clade count` on the device: part by part of the text, into a map that grows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/count.h"
#include "command/clade.h"
#include "common/clock.h"
#include "common/fill.h"
#include "common/progress.h"

enum { SEGMENT = 32, GROUP = 64, SEEDS = 8 }; /* SEGMENT: as in count.cl */
enum { PART_LEAST = 1 << 22, PART_MOST = 1 << 26 };

struct counter {
    const struct count_text *text;
    clade_context *context;
    cl_command_queue queue;
    clade_hashmap *map;
    clade_program *program;
    cl_kernel count, again, gather;
    cl_mem bytes, counts, told, places, left;
    uint64_t seed, capacity;
};

struct argument {
    size_t size;
    const void *value;
};
#define ARG(value)              \
    {                           \
        sizeof(value), &(value) \
    }

static bool done(cl_int code, const char *call)
{
    if (code != CL_SUCCESS)
        fprintf(stderr, "clade: %s failed (%d)\n", call, code);
    return code == CL_SUCCESS;
}

static bool launch(struct counter *c, cl_kernel kernel, const struct argument *arguments,
                   cl_uint count, uint64_t items)
{
    const size_t group = GROUP, all = (size_t)((items + GROUP - 1) / GROUP * GROUP);
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL);
    return done(code, "a launch");
}

static bool make_buffer(struct counter *c, cl_mem *mem, uint64_t bytes)
{
    cl_int code;
    *mem = clCreateBuffer(clade_context_cl_context(c->context), CL_MEM_READ_WRITE, (size_t)bytes,
                          NULL, &code);
    return done(code, "clCreateBuffer");
}

static bool fill(struct counter *c, cl_mem mem, uint64_t bytes)
{
    return done(fill_words(c->queue, mem, 0, (size_t)bytes), "clEnqueueFillBuffer");
}

/* A counter for each place where a token may begin. */
static uint64_t counter_bytes(const struct counter *c)
{
    return 4 * ((c->text->k > 0 ? (uint64_t)c->text->size : c->text->size / 2ull) + 1);
}

/* Tokens that may begin in so many bytes. */
static uint64_t tokens_in(const struct counter *c, uint64_t bytes)
{
    return c->text->k > 0 ? bytes : bytes / 2 + 1;
}

/* --- what is there before the first launch ---------------------------------------------------- */

static bool build(struct counter *c)
{
    char options[64];
    snprintf(options, sizeof options, "-DCOUNT_K=%u -DCOUNT_CANONICAL=%u", c->text->k,
             c->text->is_canonical ? 1u : 0u);
    return succeeded(clade_program_build(
               &c->program, c->context,
               &(clade_program_params) { .file = "tools/count.cl", .options = options })) &&
           succeeded(clade_program_kernel(&c->count, c->program, "clade_count")) &&
           succeeded(clade_program_kernel(&c->again, c->program, "clade_count_again")) &&
           succeeded(clade_program_kernel(&c->gather, c->program, "clade_count_gather"));
}

static bool make_map(struct counter *c)
{
    const uint32_t key = c->text->k > 0 && c->text->k <= 16 ? CLADE_U32 : CLADE_U64;
    return succeeded(clade_hashmap_create(
        &c->map, c->context,
        &(clade_hashmap_params) { .capacity = c->capacity, .key = key, .value = CLADE_U32 }));
}

static bool make_buffers(struct counter *c)
{
    const struct count_text *t = c->text;
    const uint64_t most = 4 * tokens_in(c, t->size < PART_MOST ? t->size + 1u : PART_MOST);
    return make_buffer(c, &c->bytes, t->size + 1ull) &&
           make_buffer(c, &c->counts, counter_bytes(c)) && make_buffer(c, &c->told, 8) &&
           make_buffer(c, &c->places, most) && make_buffer(c, &c->left, most) &&
           done(clEnqueueWriteBuffer(c->queue, c->bytes, CL_FALSE, 0, t->size, t->bytes, 0, NULL,
                                     NULL),
                "clEnqueueWriteBuffer");
}

static void close_counter(struct counter *c)
{
    const cl_mem mems[] = { c->bytes, c->counts, c->told, c->places, c->left };
    const cl_kernel kernels[] = { c->count, c->again, c->gather };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    clade_hashmap_destroy(&c->map);
    clade_program_destroy(&c->program);
}

/* --- counting --------------------------------------------------------------------------------- */

/* What the last launch told: tokens that are to be counted again, and whether two words had the
 * same 64 bits. */
static bool read_told(struct counter *c, cl_uint told[2])
{
    return done(clEnqueueReadBuffer(c->queue, c->told, CL_TRUE, 0, 8, told, 0, NULL, NULL),
                "a kernel") &&
           fill(c, c->told, 8);
}

static bool grow(struct counter *c, uint64_t capacity)
{
    c->capacity = capacity;
    return succeeded(clade_hashmap_grow(c->map, capacity, NULL));
}

/* Those that found the map full, or others in their way. */
static bool count_again(struct counter *c, cl_uint told[2])
{
    while (told[0] > 0 && told[1] == 0) {
        const cl_mem left = c->places, places = c->left;
        c->places = places;
        c->left = left;
        if (!grow(c, 2 * c->capacity))
            return false;
        const cl_mem map = clade_hashmap_mem(c->map);
        const struct argument arguments[] = { ARG(map),       ARG(c->bytes), ARG(c->text->size),
                                              ARG(c->left),   ARG(told[0]),  ARG(c->seed),
                                              ARG(c->counts), ARG(c->told),  ARG(c->places) };
        if (!launch(c, c->again, arguments, 9, told[0]) || !read_told(c, told))
            return false;
    }
    return true;
}

/* The tokens that begin in a part of the text. */
static bool count_part(struct counter *c, uint32_t from, uint32_t to, bool *collided)
{
    const cl_mem map = clade_hashmap_mem(c->map);
    const struct argument arguments[] = { ARG(map),       ARG(c->bytes), ARG(c->text->size),
                                          ARG(from),      ARG(to),       ARG(c->seed),
                                          ARG(c->counts), ARG(c->told),  ARG(c->places) };
    /* A k-mer may begin in this part and end in the next one: the kernel reads on. */
    cl_uint told[2];
    if (!launch(c, c->count, arguments, 9, ((uint64_t)to - from + SEGMENT - 1) / SEGMENT) ||
        !read_told(c, told) || !count_again(c, told))
        return false;
    *collided = told[1] != 0;
    return true;
}

/* The next part is as large as what is known already; then the map has room for all of it. So no
 * time goes into looking for room in a full one. */
static bool make_room(struct counter *c, uint64_t left, uint64_t *part)
{
    uint64_t size = 0;
    if (!succeeded(clade_hashmap_size(c->map, &size)))
        return false;
    *part = size > PART_LEAST ? size : PART_LEAST;
    *part = *part < PART_MOST ? *part : PART_MOST;
    *part = *part < left ? *part : left;
    const uint64_t wanted = size + tokens_in(c, *part);
    return wanted <= c->capacity || grow(c, wanted + wanted / 4);
}

static bool count_all(struct counter *c, bool *collided)
{
    *collided = false;
    if (!fill(c, c->counts, counter_bytes(c)) || !fill(c, c->told, 8) ||
        !succeeded(clade_hashmap_clear(c->map, NULL)))
        return false;
    for (uint64_t at = 0; at < c->text->size && !*collided;) {
        uint64_t part;
        if (!make_room(c, c->text->size - at, &part) ||
            !count_part(c, (uint32_t)at, (uint32_t)(at + part), collided))
            return false;
        at += part;
    }
    return true;
}

/* --- what came out ---------------------------------------------------------------------------- */

static bool read_entries(struct counter *c, struct count_result *result, cl_mem places, cl_mem out)
{
    const uint64_t n = result->distinct;
    const cl_uint count = (cl_uint)n;
    uint64_t got = 0;
    uint32_t *words = malloc((size_t)(8 * n));
    const struct argument arguments[] = { ARG(places), ARG(count), ARG(c->counts), ARG(out) };
    bool fine = words != NULL;
    if (!fine)
        fprintf(stderr, "clade: memory for the counts is not to be had\n");
    fine = fine &&
           succeeded(clade_hashmap_read(c->map, clade_no_array(), clade_device(places, 0), n, &got,
                                        NULL)) &&
           launch(c, c->gather, arguments, 4, n) &&
           done(clEnqueueReadBuffer(c->queue, places, CL_FALSE, 0, (size_t)(4 * n), words, 0, NULL,
                                    NULL),
                "clEnqueueReadBuffer") &&
           done(clEnqueueReadBuffer(c->queue, out, CL_TRUE, 0, (size_t)(4 * n), words + n, 0, NULL,
                                    NULL),
                "clEnqueueReadBuffer");
    for (uint64_t i = 0; fine && i < n; i++) {
        result->entries[i] = (struct count_entry) { words[i], words[n + i] };
        result->tokens += words[n + i];
    }
    free(words);
    return fine;
}

static bool take_result(struct counter *c, struct count_result *result)
{
    cl_mem places = NULL, out = NULL;
    if (!succeeded(clade_hashmap_size(c->map, &result->distinct)))
        return false;
    if (result->distinct == 0)
        return true;
    result->entries = malloc((size_t)result->distinct * sizeof *result->entries);
    if (!result->entries)
        fprintf(stderr, "clade: memory for the counts is not to be had\n");
    const bool fine = result->entries && make_buffer(c, &places, 4 * result->distinct) &&
                      make_buffer(c, &out, 4 * result->distinct) &&
                      read_entries(c, result, places, out);
    if (places)
        clReleaseMemObject(places);
    if (out)
        clReleaseMemObject(out);
    return fine;
}

/* Two words of the same 64 bits: all again, with another seed. */
static bool run(struct counter *c, struct count_result *result)
{
    bool collided = true;
    for (c->seed = 1; collided && c->seed <= SEEDS; c->seed++)
        if (!count_all(c, &collided))
            return false;
    if (collided)
        fprintf(stderr, "clade: words cannot be told apart: they were chosen so\n");
    return !collided && take_result(c, result);
}

bool count_on_device(const struct count_text *text, const char *device, struct count_result *result)
{
    struct counter c = { .text = text };
    c.capacity = tokens_in(&c, text->size < PART_LEAST ? text->size + 1u : PART_LEAST);
    bool fine = succeeded(clade_context_create(
        &c.context, &(clade_context_params) { .device = device, .on_compile = progress_compile }));
    if (fine) {
        c.queue = clade_context_cl_queue(c.context);
        clGetDeviceInfo(clade_context_cl_device(c.context), CL_DEVICE_NAME,
                        sizeof result->device - 1, result->device, NULL);
        fine = build(&c) && make_map(&c);
    }
    const double start = now_ms();
    fine = fine && make_buffers(&c) && run(&c, result);
    result->ms = now_ms() - start;
    close_counter(&c);
    clade_context_destroy(&c.context);
    return fine;
}
