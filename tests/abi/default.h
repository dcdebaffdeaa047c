/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike: of each structure an object is made with nothing but what
 * is required, and a kernel that is compiled without any define or option of the structure's own
 * works on it. Operations compare the object's shape with what they were compiled for, so a default
 * that differs is CLADE_E_ARG here.
 *
 * What a kernel cannot know by itself is said where it is tried: CLADE_HEAP_AUTO chooses the front
 * engine by the capacity; such a kernel is told with clade_heap_options(). Kernels for an allocator
 * in debug mode need clade_kma_options(). */
#pragma once

#include <clade/clade.h>

#include "harness/fixture.h"
#include "harness/structures.h"

enum { ITEMS = 16, CAPACITY = 100 };

/* A kernel `k` of nothing but its structure's header and itself. */
struct built {
    clade_program *program;
    cl_kernel kernel;
    cl_mem out; /* ITEMS words, its second argument */
};

struct built default_build(struct fixture *f, const char *header, const char *kernel);
/* `items` in one group, on an object; what they wrote is in `out`. */
void default_run(struct fixture *f, struct built *built, cl_mem object, size_t items,
                 uint32_t out[ITEMS]);
void default_end(struct built *built);
/* Items of a group. */
size_t default_group(const struct fixture *f);

/* tests/W/default.c has W_default, one test. */
#define DECLARE_DEFAULT(structure) extern const struct CMUnitTest structure##_default;
CLADE_DEFAULT(DECLARE_DEFAULT)
