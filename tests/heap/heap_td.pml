/* SPDX-License-Identifier: Apache-2.0 */
/* Top-down insert, top-down pop. CONFIG picks a small world; see ./run. */
#define BU 0
#include "heap_config.pmlh"
#include "heap.pmlh"
#include "heap_init.pmlh"
