/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade selftest`. Each structure brings one function: a quick run with a check of
 * its results, that prints why when it fails. */
#pragma once

#include <stdbool.h>

#include <clade/clade.h>

/* False after printing the call's name when `code` is an error. */
bool selftest_cl(cl_int code, const char *call);
/* False after printing what the library says of the structure `name`. */
bool selftest_fine(const char *name, clade_status status);
/* NULL after printing why. */
cl_mem selftest_buffer(clade_context *context, size_t bytes);

bool selftest_heap(clade_context *context);
bool selftest_dlist(clade_context *context);
bool selftest_list(clade_context *context);
bool selftest_kma(clade_context *context);
bool selftest_semilist(clade_context *context);
bool selftest_queue(clade_context *context);
bool selftest_arraylist(clade_context *context);
bool selftest_rbtree(clade_context *context);
bool selftest_adheap(clade_context *context);
bool selftest_kselect(clade_context *context);
