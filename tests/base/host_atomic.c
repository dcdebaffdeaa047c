/* SPDX-License-Identifier: Apache-2.0 */
/* atomic.clh on host threads: the orders that the names promise are there, and a planted weaker
 * one is reported (CLADE_PLANT_RELAXED_FLAG, _ACQUIRE, _LOCK, _FAILURE). */
#include "host/device.h"

#include "clade/atomic.clh"

#include <stdio.h>

enum { ROUNDS = 200, GROUPS = 4, ITEMS = 2 };

struct shared {
    clade_atomic_u32 flag, lock, lost;
    uint message;
    uint counter[ITEMS];
};

static void store_flag(clade_global_word p, uint value)
{
#ifdef CLADE_PLANT_RELAXED_FLAG
    clade_store_relaxed(p, value);
#else
    clade_store_release(p, value);
#endif
}

static uint load_flag(clade_global_word p)
{
#ifdef CLADE_PLANT_RELAXED_ACQUIRE
    return clade_load_relaxed(p);
#else
    return clade_load_acquire(p);
#endif
}

static void release_lock(clade_global_word p)
{
#ifdef CLADE_PLANT_RELAXED_LOCK
    clade_store_relaxed(p, 0);
#else
    clade_store_release(p, 0);
#endif
}

/* Group 0 sends one message; the others look for it a bounded number of times. */
static void pass_message(void *argument, void *local)
{
    struct shared *s = argument;
    (void)local;
    if (get_group_id(0) == 0) {
        if (get_local_id(0) == 0) {
            s->message = 7;
            store_flag(&s->flag, 1);
        }
        return;
    }
    for (uint i = 0; i < 100000 && !clade_load_relaxed(&s->flag); i++)
        continue;
    if (load_flag(&s->flag) && s->message != 7)
        clade_add_relaxed(&s->lost, 1);
}

/* The same by a compare-and-swap that fails, since the message is there: it acquires, too. */
static void pass_by_failure(void *argument, void *local)
{
    struct shared *s = argument;
    uint seen = 0;
    (void)local;
    if (get_group_id(0) == 0) {
        if (get_local_id(0) == 0) {
            s->message = 7;
            clade_cas_release(&s->flag, 0, 1);
        }
        return;
    }
    for (uint i = 0; i < 100000 && !clade_load_relaxed(&s->flag); i++)
        continue;
    if (get_group_id(0) % 2 == 0)
        seen = get_local_id(0) == 0 ? clade_cas_acquire(&s->flag, 2, 3)
                                    : clade_cas_acq_rel(&s->flag, 2, 3);
    else
        seen = get_local_id(0) == 0 ? clade_cas_acquire_host(&s->flag, 2, 3)
                                    : clade_cas_acq_rel_host(&s->flag, 2, 3);
    if (seen == 1 && s->message != 7)
        clade_add_relaxed(&s->lost, 1);
}

/* The group lock of docs/architecture.md: item 0 for all, barriers around. */
static void hand_over_lock(void *argument, void *local)
{
    struct shared *s = argument;
    uint *held = local;
    uint lid = (uint)get_local_id(0);
    for (uint round = 0; round < ROUNDS; round++) {
        if (lid == 0) {
            *held = 0;
            for (uint i = 0; i < CLADE_SPIN_LIMIT && !*held; i++)
                *held = clade_cas_acquire(&s->lock, 0, 1) == 0;
        }
        clade_barrier();
        if (*held)
            s->counter[lid]++;
        else
            clade_add_relaxed(&s->lost, 1);
        clade_barrier();
        if (lid == 0 && *held)
            release_lock(&s->lock);
    }
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < 50; i++) {
        struct shared s = { 0 };
        struct shared other = { 0 };
        shim_launch(pass_message, &s, GROUPS, ITEMS, 0);
        shim_launch(pass_by_failure, &other, GROUPS, ITEMS, 0);
        failed += s.lost != 0 || other.lost != 0;
    }
    struct shared s = { 0 };
    shim_launch(hand_over_lock, &s, GROUPS, ITEMS, sizeof(uint));
    for (int i = 0; i < ITEMS; i++)
        failed += s.counter[i] != GROUPS * ROUNDS;
    failed += s.lost != 0;
    printf("%s\n", failed ? "atomics: wrong results" : "atomics: fine");
    return failed != 0;
}
