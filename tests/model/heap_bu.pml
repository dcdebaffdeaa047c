/* SPDX-License-Identifier: MIT */
/* Bottom-up insert, top-down delete. CONFIG picks a small world; see ./run. */
#define BU 1
#include "heap_config.pmlh"
#include "heap.pmlh"
#include "heap_init.pmlh"
