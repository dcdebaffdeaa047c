/* SPDX-License-Identifier: Apache-2.0 */
/* What a structure tells about itself, and what is then the same for all: creation's first checks,
 * kernels, and the errors that kernels left. Its calls over arrays: call.h. */
#pragma once

#include <stddef.h>

#include "base/reserved.h"
#include "base/text.h"
#include "object/object.h"

/* Kernels that are built together: one of clade's own files. */
struct cladei_kernels {
    const char *file;         /* below cl/ */
    const char *const *names; /* in the order of the structure's enum */
    size_t count;
};

struct cladei_kind {
    clade_u32 number; /* CLADE_W_KIND */
    const char *name; /* in messages: "the list" */
    struct cladei_kernels kernels;
    /* The structure's own sentence about an error that a kernel left in the head for `item`; it may
     * return CLADE_OK. Then, and where this is NULL, a general sentence is used. The object is the
     * structure's first member.
     */
    clade_status (*refused)(const struct cladei_object *object, clade_status error, clade_u32 item);
};

/* How all that make an object begin. */
#define CLADEI_PLACE(out, what)                                                \
    do {                                                                       \
        CLADE_REQUIRE((out), CLADE_E_ARG, "the place for %s is NULL", (what)); \
        *(out) = NULL;                                                         \
    } while (0)
#define CLADEI_CREATION(out, context, params, type, what)                                     \
    do {                                                                                      \
        CLADEI_PLACE(out, what);                                                              \
        CLADE_REQUIRE((context) && (params), CLADE_E_ARG,                                     \
                      "the context or the parameters are NULL");                              \
        CLADE_TRY(cladei_reserved_check((params)->reserved,                                   \
                                        sizeof(params)->reserved / sizeof(uint64_t), #type)); \
    } while (0)

/* Build all of them into `kernels`, or none; nothing is done when they are there. So a file that
 * few calls need is built by the first of these, before it enqueues a kernel of it. */
clade_status cladei_kernels_build(cl_kernel *kernels, const struct cladei_kernels *which,
                                  clade_context *context, const char *options);
/* The same with options that were written for it, and CLADE_SG_REDUX besides; they are freed. */
clade_status cladei_kernels_build_with(cl_kernel *kernels, const struct cladei_kernels *which,
                                       clade_context *context, struct cladei_text *options);
/* A file in parts, which have nothing large in common: each is a program of its own, the file with
 * -DCLADE_PART=1, 2 and so on, and is built when one of its kernels is first needed. (0, or
 * nothing: all of the file, for compilers that are asked ahead.) `ends`: after which kernels the
 * parts end. Nothing is done when `kernel` is there. */
clade_status cladei_kernels_need(cl_kernel *kernels, const struct cladei_kernels *which,
                                 const size_t *ends, clade_context *context, const char *options,
                                 size_t kernel);
void cladei_kernels_release(cl_kernel *kernels, size_t count);
/* Refuse a group that is larger than one of the kernels takes. With 0 items choose it: the largest
 * group that all take, of at most 256 items, on CPUs of 64. When it fails the kernels are released,
 * so that the next call that needs them asks again, and launches none with a size of 0. */
clade_status cladei_kernels_fit(cl_kernel *kernels, const struct cladei_kernels *which,
                                const clade_context *context, uint32_t *group_size);
/* Take the error that kernels left in the head, and fail with it. It is done in the call's queue,
 * or in the context's if `run` is NULL. */
clade_status cladei_kind_told(const struct cladei_kind *kind, const struct cladei_object *object,
                              struct cladei_run *run);
