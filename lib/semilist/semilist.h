/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list's host side, shared by the files of lib/semilist. */
#pragma once

#include "clade/semilist.h"
#include "object/call.h"

enum semilist_kernel {
    SEMILIST_APPLY, /* these ask the allocator */
    SEMILIST_APPEND_FILL,
    SEMILIST_APPEND_LINK,
    SEMILIST_RECLAIMED,
    SEMILIST_SUM, /* these do not */
    SEMILIST_SCAN,
    SEMILIST_MOVE,
    SEMILIST_GATHER,
    SEMILIST_KERNELS
};

struct clade_semilist {
    struct cladei_object object;
    clade_semilist_params params; /* `kma` is set in any case */
    clade_kma *own;               /* the allocator, if it is the list's; else `kma` is held */
    clade_semilist_head layout;   /* the head of an empty list */
    cl_kernel kernels[SEMILIST_KERNELS];
    uint32_t own_group;   /* of the kernels that ask the allocator: theirs, or as params says */
    uint32_t group;       /* of the others, likewise; both 0 until the kernels are there */
    uint64_t places_most; /* places that are taken now, at most, if only host calls append */
    uint64_t erases_most; /* erasures by host calls since the last reclaim, at most */
    cl_uint turn;         /* number of the last append of many, from 1 */
};

extern const struct cladei_kind cladei_semilist_kind;

/* The part that has this kernel is there, and its group is chosen. */
clade_status cladei_semilist_need(clade_semilist *list, enum semilist_kernel kernel);

/* Reclaim; with `all`, after erasing every node. */
clade_status cladei_semilist_reclaim(clade_semilist *list, struct cladei_run *run, bool all);
/* What each place holds; *count places. */
clade_status cladei_semilist_gather(clade_semilist *list, clade_semilist_head *head,
                                    clade_semilist_record **records, uint32_t *count);
