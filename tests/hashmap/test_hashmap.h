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

/* hashmap_room.c */
void reach_is_no_less_than_the_farthest_key(void **state);
void any_keys_fit_up_to_the_capacity(void **state);
void maps_of_few_keys(void **state);
void maps_of_any_size(void **state);
void neighbours_lie_as_evenly_as_any_keys(void **state);
void churn_goes_on_for_ever(void **state);
void a_map_takes_another_capacity(void **state);
void searches_of_many_steps_are_done_or_refused(void **state);
void searches_behind_long_loops_are_done_or_refused(void **state);

/* hashmap_files.c */
void saved_maps_come_back(void **state);
void damaged_maps_are_not_saved(void **state);
void large_saved_maps_come_back(void **state);
void damaged_files_do_no_harm(void **state);

/* hashmap_mixed.c */
void all_operations_at_once(void **state);
void updates_lose_nothing(void **state);

/* hashmap_floats.c */
void floats_are_added_and_compared(void **state);
