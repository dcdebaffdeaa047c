/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_list_* for lists whose nodes are in an allocator.
 *
 * What the library can ask for (`cladec --check`): both keys, with a value and without.
 * Check: CLADE_LIST_KEY_BITS=32,64 CLADE_LIST_VALUE_BITS=0,32
 */
#include "clade/kma.clh"

#define CLADE_LIST_KMA_NODES 1
#include "kernels/list.cl"
