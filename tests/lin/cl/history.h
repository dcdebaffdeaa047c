/* SPDX-License-Identifier: Apache-2.0 */
/* One recorded operation, as device and host see it. The host fills in kind and asked, and the
 * arguments; whoever runs the operation fills in the rest. */
#pragma once

#include "clade/shared/base.h"

#define HISTORY_INSERT 0u
#define HISTORY_DELETE 1u

typedef struct history_op {
    clade_u32 kind;
    clade_u32 asked;  /* values to insert, or most values to pop */
    clade_u32 count;  /* values that went in or came out */
    clade_u32 status; /* a status of clade, as its 32 bits */
    clade_u32 inv;    /* tickets of one counter */
    clade_u32 res;
    clade_u32 group;
    clade_u32 reserved;
} history_op;

CLADE_STATIC_ASSERT(history_op_size, sizeof(history_op) == 32);
