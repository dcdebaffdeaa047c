/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of every structure that the host and the device share, for both halves of
 * tests/base/test_atomic.c: X(type, field) a field. */
#pragma once

#include "clade/shared/adheap.h"
#include "clade/shared/arraylist.h"
#include "clade/shared/cells.h"
#include "clade/shared/dlist.h"
#include "clade/shared/heap.h"
#include "clade/shared/kma.h"
#include "clade/shared/kselect.h"
#include "clade/shared/list.h"
#include "clade/shared/object.h"
#include "clade/shared/queue.h"
#include "clade/shared/rbtree.h"
#include "clade/shared/semilist.h"

#define EVERY_LAYOUT(X)         \
    CLADE_OBJECT_HEAD_LAYOUT(X) \
    CLADE_ADHEAP_LAYOUT(X)      \
    CLADE_ARRAYLIST_LAYOUT(X)   \
    CLADE_CELLS_LAYOUT(X)       \
    CLADE_DLIST_LAYOUT(X)       \
    CLADE_HEAP_LAYOUT(X)        \
    CLADE_KMA_LAYOUT(X)         \
    CLADE_KSELECT_LAYOUT(X)     \
    CLADE_LIST_LAYOUT(X)        \
    CLADE_QUEUE_LAYOUT(X)       \
    CLADE_RBTREE_LAYOUT(X)      \
    CLADE_SEMILIST_LAYOUT(X)

/* Words: room for the fields' places, and where they begin. */
#define LAYOUT_ROOM 512
#define LAYOUT_AT   64
