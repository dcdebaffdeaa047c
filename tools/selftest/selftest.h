/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade selftest`. Each structure brings one function: a quick run with a check of
 * its results, that prints why when it fails. */
#pragma once

#include <stdbool.h>

#include <clade/clade.h>

#include "structures.h"

/* False after printing the call's name when `code` is an error. */
bool selftest_cl(cl_int code, const char *call);
/* False after printing what the library says of the structure `name`. */
bool selftest_fine(const char *name, clade_status status);
/* NULL after printing why. */
cl_mem selftest_buffer(clade_context *context, size_t bytes);

/* Whether it is `from`, `from` + 1, ... in steps of `step`. */
bool selftest_counts_up(const uint32_t *got, uint64_t count, uint32_t from, uint32_t step);
/* Each of 0 .. count - 1 once, in another order; `count` is a power of two. */
void selftest_shuffle(uint32_t *keys, uint32_t count);

/* tools/selftest/W.c has selftest_W(). */
#define DECLARE_SELFTEST(structure) bool selftest_##structure(clade_context *context);
CLADE_SELFTEST(DECLARE_SELFTEST)
