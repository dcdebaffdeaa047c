/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of test_semilist share. */
#pragma once

#include <clade/semilist.h>

#include "semilist/semilist.h"
#include "harness/fixture.h"

clade_semilist *open_list(struct fixture *f, uint64_t capacity, clade_kma *kma);
/* A kernel of tests/semilist/semilist_test.cl; its first two arguments are set. */
cl_kernel open_kernel(struct fixture *f, const clade_semilist *list, const char *name);
void run_kernel(struct fixture *f, cl_kernel kernel, size_t groups, size_t group);

/* Tests: semilist_histories.c. */
void small_histories_are_linearizable(void **state);
void large_histories_keep_every_node(void **state);
/* semilist_kernels.c */
void groups_append_their_nodes_in_one_piece(void **state);
void groups_of_one_item_append(void **state);
void iterations_meet_what_stays(void **state);
