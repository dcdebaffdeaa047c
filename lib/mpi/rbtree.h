/* SPDX-License-Identifier: Apache-2.0 */
/* The tree over ranks: what its files share. */
#pragma once

#include "clade/mpi/rbtree.h"
#include "mpi/exchange.h"
#include "mpi/map.h"
#include "mpi/pick.h"

/* What stands at a rank's ends: keys and values as the tree has them. */
struct cladei_mpi_ends {
    uint64_t has; /* 1: the rank has keys */
    uint64_t keys[2], values[2];
};

struct clade_mpi_rbtree {
    struct cladei_mpi_map map;
    clade_rbtree *own;
    uint64_t capacity;
    struct cladei_mpi_picker picker;
    struct cladei_mpi_exchange exchange; /* of a balance */
    /* Images: a key belongs to the first rank whose splitter is not below it, or to the last. */
    uint64_t *splitters, *next;
    struct cladei_mpi_ends *ends; /* of all ranks, while a seek goes on */
};
