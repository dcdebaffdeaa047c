/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of test_list.c: they are one program, for they ask for the same kernels. */
#pragma once

#include "harness/fixture.h"

#include <clade/kma.h>
#include <clade/list.h>

clade_list *open_list(struct fixture *f, clade_list_params params);
/* Checks it first. */
void close_list(clade_list *list);
uint64_t size_of(clade_list *list);
/* Batches of mixed operations on `keys` keys, at most `batch` each, against a model; the list is
 * checked after each. */
void mixed_batches(struct fixture *f, clade_list_params p, uint32_t keys, uint32_t batch,
                   uint32_t batches);

/* list_ordered.c: a set or a map */
void an_ordered_list_is_a_set(void **state);
void an_ordered_list_with_values_is_a_map(void **state);
void walking_from_the_head_does_the_same(void **state);
void ascending_keys_and_erasing_all_are_no_cliff(void **state);
void equal_keys_in_one_batch_take_effect_once(void **state);

/* list_unordered.c: a sequence */
void an_unordered_list_keeps_its_sequence(void **state);
void duplicates_are_erased_one_by_one(void **state);
void a_search_that_gives_up_says_so(void **state);
void inserts_behind_erased_nodes_are_never_lost(void **state);
void runs_that_the_host_does_not_know_of_are_passed(void **state);
void inserts_behind_long_rows_of_slots_are_done_or_refused(void **state);

/* list_late.c */
void inserts_behind_long_loops_are_done_or_refused(void **state);

/* list_histories.c: the list's arguments of the kernel are set. `kma` may be NULL. */
clade_program *list_recorder(struct fixture *f, clade_list *list, clade_kma *kma,
                             cl_kernel *kernel);
void histories_of_sets_are_linearizable(void **state);
void histories_of_maps_are_linearizable(void **state);
void histories_of_unordered_lists_are_linearizable(void **state);
void histories_of_lists_in_an_allocator_are_linearizable(void **state);

/* list_rounds.c */
void a_million_rounds_in_a_pool(void **state);
void a_million_rounds_of_a_sequence(void **state);
void a_million_rounds_in_an_allocator(void **state);

/* list_in_kma.c: nodes from an allocator */
void nodes_in_an_allocator_are_as_good(void **state);
void an_allocator_gets_its_blocks_back(void **state);
void an_allocator_that_is_full_refuses_item_by_item(void **state);
void a_block_beyond_the_buffer_is_told(void **state);
void kernels_take_nodes_from_an_allocator(void **state);
clade_kma *open_kma(struct fixture *f, uint64_t bytes);
/* Checks it, too. */
uint64_t live_blocks(clade_kma *kma);
/* Skips a short run where compilers are slow, and says so. */
void list_in_kma_compiles_long(const struct fixture *f);
