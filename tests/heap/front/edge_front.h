/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's device functions, by groups of lanes against a model. What kind of heap it is
 * the program says first: CLADE_HEAP_BATCH, CLADE_HEAP_LEAF and others. */
#pragma once

#include "host/device.h"

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"
#undef min
#undef max

#include "edges/edge.h"
#include "heap/front/host_front.h"
#include "host/lanes/lanes.h"
