/* SPDX-License-Identifier: Apache-2.0 */
/* An AMD device for OpenCL programs, preloaded before the OpenCL loader: memory, queues and events
 * are PoCL's, programs and kernels are machine code that an emulator runs (tests/amd/emulate.py).
 */
#pragma once

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { ARGUMENTS_MOST = 64, VALUE_MOST = 256, NAME_MOST = 128 };

struct argument {
    char kind;   /* g: buffer, v: value, l: local memory */
    size_t size; /* of a value, or bytes of local memory */
    bool is_set;
    cl_mem mem;
    unsigned char value[VALUE_MOST];
};

/* What a program's handle points to, and a kernel's. */
struct amd_program {
    unsigned references;
    cl_context context;
    char *source, *options, *log;
    char *kernels; /* NULL: not built; a line for each: what emulate.py says of it */
    unsigned number;
};

struct amd_kernel {
    unsigned references;
    struct amd_program *program;
    char name[NAME_MOST];
    size_t group_size_most, local_bytes, private_bytes;
    size_t count;
    struct argument arguments[ARGUMENTS_MOST];
};

/* What the emulator answers; the caller frees it. Without an emulator the process ends. */
char *amd_ask(const char *text, size_t length);
/* The pages that the emulator maps, too: SHARED_BYTES of them. */
unsigned char *amd_memory(void);
#define SHARED_BYTES ((size_t)2 << 30)

/* As OpenCL's queries give a value of `bytes`. */
cl_int amd_give(const void *value, size_t bytes, size_t room, void *out, size_t *out_bytes);
/* The function of this name in the library behind. */
void amd_next(const char *name, void *function_pointer);
/* 32 or 64: items of a wave. */
size_t amd_wave(void);
