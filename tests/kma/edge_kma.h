/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator's functions and kernels for programs in which one item, or one group, works against
 * a model. */
#pragma once

#include "host/device.h"

#include "kma/host_kma.h"

#undef __kernel
#define __kernel static
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

#include "kma/host_kma_start.h"
#undef min
#undef max

#include "edges/edge.h"
