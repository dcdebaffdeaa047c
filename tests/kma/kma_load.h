/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the allocator share. */
#pragma once

#include <clade/kma.h>
#include <clade/shared/kma.h>

#include "harness/fixture.h"

clade_kma *open_kma(struct fixture *f, uint64_t bytes, int debug);
/* A kernel of kma_test.cl, or of kma_variants.cl. */
cl_kernel open_kernel(struct fixture *f, const char *options, const char *name);
cl_kernel open_variant(struct fixture *f, const char *options, const char *name);
cl_kernel open_misuse(struct fixture *f, const char *options);
/* At least so many items; returns when they are done. */
void run_kernel(struct fixture *f, cl_kernel kernel, size_t items, size_t group);
void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value);
#define SET(kernel, index, value) set_arg((kernel), (index), sizeof(value), &(value))
clade_kma_stats stats_of(clade_kma *kma);
/* The refs that are not nil, moved to the front. */
size_t compact(uint32_t *refs, size_t count);
/* The oracle of refusals, on an allocator at rest: every size is asked for by many items until it is
 * refused, and then nothing may be free that would have served it. Blocks of another size each time,
 * which are not given back. */
void refuses_only_what_does_not_fit(struct fixture *f, clade_kma *kma);
/* That, and it is destroyed. */
void close_kma(struct fixture *f, clade_kma **kma);
