/* SPDX-License-Identifier: Apache-2.0 */
/* What all structures have: a buffer with a head, kernels, a context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/context.h"
#include "clade/program.h"
#include "clade/shared/object.h"

#include "object/launch.h"

/* What all structures have: one buffer with a clade_object_head. Where `mem` is there, the object
 * holds its context. */
struct cladei_object {
    clade_context *context;
    cl_mem mem;
    uint64_t bytes;
    clade_u32 kind;
    clade_u32 shape; /* CLADE_SHAPE() */
};

/* Allocate the buffer and write its head; E_ARG with the limit when it is too large. */
clade_status cladei_object_create(struct cladei_object *object, clade_context *context,
                                  clade_u32 kind, clade_u32 shape, uint64_t bytes,
                                  const char *what);
/* Such a head, of an object whose kind, shape and size are known. */
clade_object_head cladei_object_head(const struct cladei_object *object);
/* Whether a head, from the buffer or from a file, is this object's. */
bool cladei_object_is_its_head(const struct cladei_object *object, const clade_object_head *head);
void cladei_object_destroy(struct cladei_object *object);
/* Both wait, in the context's queue: for calls that take no launch. */
clade_status cladei_object_read(const struct cladei_object *object, uint64_t offset, void *to,
                                size_t bytes);
clade_status cladei_object_write(const struct cladei_object *object, uint64_t offset,
                                 const void *from, size_t bytes);
/* In a call's own queue: a read and a write that wait; and a write that does not, whose source is
 * copied. */
clade_status cladei_run_read(struct cladei_run *run, const struct cladei_object *object,
                             uint64_t offset, void *to, size_t bytes);
clade_status cladei_run_write_whole(struct cladei_run *run, const struct cladei_object *object,
                                    uint64_t offset, const void *from, size_t bytes);
clade_status cladei_run_write(struct cladei_run *run, const struct cladei_object *object,
                              uint64_t offset, const void *from, size_t bytes);
/* Wait for the context's queue, then release kernels, program and buffer: how an object ends. None
 * of them needs to be there. */
void cladei_object_close(struct cladei_object *object, clade_program **program,
                         const cl_kernel *kernels, size_t count);
/* The structure's own words of its head: what follows the object's in `head` of `bytes` bytes. */
clade_status cladei_object_write_own(const struct cladei_object *object, const void *head,
                                     size_t bytes);
/* Read and clear the error that kernels left in the head, and of which item. *first is CLADE_OK
 * when there is none; `item` may be NULL. It is done in the call's queue, or in the context's if
 * `run` is NULL. */
clade_status cladei_object_take_error(const struct cladei_object *object, struct cladei_run *run,
                                      clade_status *first, clade_u32 *item);
/* The number of a host's call, from 1 on, that kernels leave in the word at `offset` for later
 * kernels of the same call. Before numbers begin anew the word is cleared: it may hold the one of a
 * call 2^32 - 1 calls ago. */
clade_status cladei_object_next_turn(const struct cladei_object *object, struct cladei_run *run,
                                     size_t offset, cl_uint *turn);
