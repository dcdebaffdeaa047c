/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a host program needs of clade. */
#pragma once

#include "clade/adheap.h"
#include "clade/archive.h"
#include "clade/array.h"
#include "clade/arraylist.h"
#include "clade/context.h"
#include "clade/dlist.h"
#include "clade/error.h"
#include "clade/graph.h"
#include "clade/hashmap.h"
#include "clade/heap.h"
#include "clade/kma.h"
#include "clade/kselect.h"
#include "clade/list.h"
#include "clade/paths.h"
#include "clade/program.h"
#include "clade/queue.h"
#include "clade/rbtree.h"
#include "clade/semilist.h"
#include "clade/version.h"
