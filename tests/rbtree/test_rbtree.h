/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of test_rbtree share. */
#pragma once

#include <clade/rbtree.h>

#include "harness/fixture.h"
#include "rbtree/model.h"

/* A tree, or the test fails. */
clade_rbtree *open_tree(struct fixture *f, clade_rbtree_params params);
clade_rbtree_stats stats_of(clade_rbtree *tree);

/* Tests: rbtree_types.c. */
void all_types_as_the_model(void **state);
/* rbtree_orders.c */
void orders_one_by_one(void **state);
void orders_by_groups(void **state);
void orders_in_bulk(void **state);
void a_key_takes_at_most_16_bytes(void **state);
void a_bad_order_fits_as_well(void **state);
/* rbtree_first.c */
void first_keys_of_all_types(void **state);
void first_keys_and_further_ones(void **state);
void ranked_trees_begin_with_kernels(void **state);
/* rbtree_few.c */
void few_keys_in_large_batches(void **state);
void few_keys_beyond_the_room(void **state);
