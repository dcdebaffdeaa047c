/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list's host side, shared by the files of lib/dlist. */
#pragma once

#include "clade/dlist.h"
#include "object/call.h"
#include "object/cells.h"

enum dlist_kernel {
    DLIST_APPLY,
    DLIST_APPEND_FILL,
    DLIST_APPEND_LINK,
    DLIST_CLEAR,
    DLIST_SHORTEN,
    DLIST_RELINK,
    DLIST_SWEEP,
    DLIST_KERNELS
};

struct clade_dlist {
    struct cladei_object object;
    clade_dlist_params params;
    clade_dlist_head layout; /* the constant words of the head */
    cl_kernel kernels[DLIST_KERNELS];
    struct cladei_cells_known known;
};

/* Work out from the parameters the defaults, where everything lies, and the object's bytes. */
clade_status cladei_dlist_plan(clade_dlist *list, const clade_context *context);
/* Take the bytes of a planned list, which may come from anywhere. Refuse those that are no list.
 * Make the others a list as after a reclaim, with `live` nodes. */
clade_status cladei_dlist_rebuild(const clade_dlist *list, uint32_t *words, uint64_t *live);
