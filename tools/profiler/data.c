/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of `clade profile`, and of tables of `clade bench` that make the same calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/profile.h"

static bool fail(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return false;
}

/* A bijection of 30 bits: different keys in no order. */
static uint32_t key_of(uint32_t i)
{
    const uint32_t mask = (1u << 30) - 1;
    i = (i ^ i >> 15) * 0x2c1b3c6du & mask;
    i = (i ^ i >> 12) * 0x297a2d39u & mask;
    return i ^ i >> 15;
}

static bool make_buffer(struct profile_data *data, cl_mem *mem, const uint32_t *words)
{
    cl_int code;
    *mem =
        clCreateBuffer(clade_context_cl_context(data->context),
                       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, /* the driver's cache is no part */
                       data->n * sizeof *words, (void *)(uintptr_t)words, &code);
    return code == CL_SUCCESS || fail("the device has no memory for the arrays: a smaller --size");
}

bool profile_data_make(struct profile_data *data)
{
    uint32_t *words = malloc(2ull * data->n * sizeof *words);
    if (!words)
        return fail("memory is out: a smaller --size");
    for (uint32_t i = 0; i < 2 * data->n; i++)
        words[i] = key_of(i);
    bool fine =
        make_buffer(data, &data->keys, words) && make_buffer(data, &data->more, words + data->n);
    memset(words, 0xff, data->n * sizeof *words);
    fine = fine && make_buffer(data, &data->ops, words) && make_buffer(data, &data->out, words) &&
           make_buffer(data, &data->nodes, words) && make_buffer(data, &data->statuses, words);
    free(words);
    return fine;
}

void profile_data_free(struct profile_data *data)
{
    cl_mem *const mems[] = { &data->keys, &data->more,  &data->ops,
                             &data->out,  &data->nodes, &data->statuses };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
}

clade_status profile_fill_ops(struct profile_data *data, const uint32_t kinds[4])
{
    uint32_t *words = malloc(data->n * sizeof *words);
    for (uint32_t i = 0; words && i < data->n; i++)
        words[i] = kinds[i % 4];
    const cl_int code =
        words ? clEnqueueWriteBuffer(clade_context_cl_queue(data->context), data->ops, CL_TRUE, 0,
                                     data->n * sizeof *words, words, 0, NULL, NULL)
              : CL_OUT_OF_HOST_MEMORY;
    free(words);
    return code == CL_SUCCESS ? CLADE_OK : CLADE_E_DEVICE;
}
