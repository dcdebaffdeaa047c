/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder for lists whose nodes are in an allocator. */
#include "clade/kma.clh"

#define HISTORY_KMA 1
#include "list/list_history.cl"
