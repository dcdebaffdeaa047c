/* SPDX-License-Identifier: Apache-2.0 */
/* The queue's host side, for its tests. */
#pragma once

#include "clade/queue.h"

/* The invariants of docs/inside/queue.md, of a copy of a queue of 2^shift slots that comes from
 * anywhere.
 */
clade_status cladei_queue_verify(const uint32_t *words, uint32_t shift);
