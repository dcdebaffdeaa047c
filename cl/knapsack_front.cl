/* SPDX-License-Identifier: Apache-2.0 */
/* 0/1 knapsack by branch and bound with the nodes in the front engine of the heap. Launched by
 * `clade knapsack`; clade/knapsack.clh has the kernel. */

/* The host always says; these are for compiling without one. */
#ifndef KNAPSACK_TAKE
#define KNAPSACK_TAKE         128
#define CLADE_FRONTIER_BATCH  256
#define CLADE_FRONTIER_WIDE   0
#define CLADE_HEAP_KEY_TYPE   2 /* CLADE_U32 */
#define CLADE_HEAP_VALUE_TYPE 2
#define CLADE_HEAP_ORDER      1 /* CLADE_MAX */
#define CLADE_HEAP_BATCH      256
#endif

#include "clade/heap_front.clh"
#include "clade/knapsack.clh"
