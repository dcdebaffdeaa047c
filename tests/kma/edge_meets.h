/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an item's set has met since something was claimed: the meeting brings the others what the
 * one that claimed has acquired. Include it before what is tested, in programs in which one item
 * asks at a time. */
#pragma once

#include "host/device.h"

#include "clade/atomic.clh"
#include "clade/base/peers.clh"

static uint meets_owed, meets; /* changed by atomics, as some programs run groups, too */

static inline void claim_was_tried(void)
{
    __atomic_store_n(&meets_owed, 1u, __ATOMIC_RELAXED);
}

static inline void set_has_met(void)
{
    __atomic_store_n(&meets_owed, 0u, __ATOMIC_RELAXED);
    __atomic_fetch_add(&meets, 1u, __ATOMIC_RELAXED);
}

#define clade_or_acquire(p, bits)         (claim_was_tried(), clade_or_acquire(p, bits))
#define clade_and_acquire(p, bits)        (claim_was_tried(), clade_and_acquire(p, bits))
#define clade_and_acq_rel(p, bits)        (claim_was_tried(), clade_and_acq_rel(p, bits))
#define clade_cas_acquire(p, seen, value) (claim_was_tried(), clade_cas_acquire(p, seen, value))
#define clade_cas_acq_rel(p, seen, value) (claim_was_tried(), clade_cas_acq_rel(p, seen, value))
#define clade_peers_meet(set)             (set_has_met(), clade_peers_meet(set))
