/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of test_dlist share. */
#pragma once

#include <clade/dlist.h>

#include "harness/fixture.h"

clade_dlist *open_list(struct fixture *f, clade_dlist_params params);
/* Checks it first. */
void close_list(clade_dlist *list);

/* Tests: dlist_histories.c. */
void a_million_rounds_take_constant_memory(void **state);
void stretches_of_many_items_are_exact(void **state);
void histories_are_linearizable(void **state);
