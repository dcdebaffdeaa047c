/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of test_hashmap share. */
#pragma once

#include <clade/hashmap.h>

#include "harness/fixture.h"

#define NONE clade_no_array()

clade_hashmap *open_map(struct fixture *f, clade_hashmap_params params);
uint64_t size_of_map(clade_hashmap *map);
clade_hashmap_stats stats_of_map(clade_hashmap *map);

/* hashmap_histories.c */
void histories_are_linearizable(void **state);

/* hashmap_types.c */
void all_types_and_forms_as_the_model(void **state);
