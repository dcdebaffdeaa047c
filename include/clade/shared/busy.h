/* SPDX-License-Identifier: Apache-2.0 */
/* The list of items of a call that others were in the way of: cl/clade/base/busy.clh. */
#pragma once

#define CLADE_BUSY_WORDS 65536u
#define CLADE_BUSY_COUNT 0u /* how many; those beyond the list keep CLADE_E_BUSY */
#define CLADE_BUSY_FULL  1u /* of trees: set when some item found no room */
#define CLADE_BUSY_EMPTY 1u /* of hash maps on CPUs: set when an erasure found the map empty */
#define CLADE_BUSY_FIRST 2u /* from here on their indices */
