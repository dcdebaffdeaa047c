/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a program over several devices needs: clade, and clade-mpi. */
#pragma once

#include "clade/clade.h"
#include "clade/mpi/comm.h"
#include "clade/mpi/hashmap.h"
#include "clade/mpi/heap.h"
#include "clade/mpi/kselect.h"
#include "clade/mpi/paths.h"
#include "clade/mpi/rbtree.h"
