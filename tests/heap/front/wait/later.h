/* SPDX-License-Identifier: Apache-2.0 */
/* A group on a heap in which somebody else writes one word, after so many looks: what its waits
 * have in common. */
#pragma once

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_noted.h"

enum {
    LIMIT = CLADE_SPIN_LIMIT,
    CAPACITY = 4096,
    BATCH = 16,
    SLOTS = CLADE_FRONT_SLOTS,
    BOUND = 1000,
    NUMBER = 77,
    KEYS = 5,  /* of the group's batch */
    TAG = 3,   /* of the front's epoch */
    LEFT = 40, /* keys that its front has left */

    FREE_WORD = TAG << CLADE_FRONT_TAG_SHIFT | CLADE_FRONT_GUARD | LEFT,
    OWNED_WORD = TAG << CLADE_FRONT_TAG_SHIFT | (1u << 24) | LEFT
};

/* No look, the first ones, and those about the end of a wait and of a second one, give or take a
 * look. */
static const uint few_looks[] = { 0, 1, 2, LIMIT - 1, LIMIT + 1, 2 * LIMIT - 1, 2 * LIMIT + 2 };
enum { FEW = sizeof few_looks / sizeof few_looks[0] };

static uint offered = 9;

static uint slot_at(uint slot)
{
    return CLADE_FRONT_W_SLOT + slot * CLADE_FRONT_LINE;
}

/* Somebody writes `value` when the group looks at `at` for the time after `looks` others. */
static void later(uint at, uint looks, uint word, uint value)
{
    comes.at = h.head + at;
    comes.word = h.head + word;
    comes.value = value;
    comes.looks = looks;
}

/* What somebody else has written is there, and the next wait begins with nobody. */
static void expect_who_came(void)
{
    if (comes.word && !comes.at)
        expected[comes.word - h.head] = comes.value;
    comes.at = comes.word = NULL;
}

/* Where the bound lies: below the batch's first key, at it, above it; or nowhere. Whether leaves
 * are frozen ahead. Gives whether the batch is overtaken. */
static bool place_bound(uint where, uint ahead)
{
    s->keys[0] = where == 3 ? 0 : BOUND + 1 - where;
    set(CLADE_FRONT_W_BOUND, BOUND);
    set(CLADE_FRONT_W_BOUNDED, where != 3);
    set(CLADE_FRONT_W_IS_AHEAD, ahead);
    return !ahead && (where == 0 || where == 3);
}
