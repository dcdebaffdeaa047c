/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else writes a word before a look at it or a compare-and-swap, and before the number of
 * keys is changed, too. Include it before what is watched. */
#pragma once

#include "clade/atomic.clh"

#include "heap/front/host_comes.h"

/* The number of keys, which is added to, or changed by compare-and-swap. */
static struct {
    clade_global_word word;
    uint added; /* how often it was added to */
} counted;

static clade_u32 watched_add(clade_global_word word, clade_u32 value)
{
    if (word == counted.word) {
        come_before(word);
        counted.added++;
    }
    return clade_add_relaxed(word, value);
}

static clade_u32 watched_count(clade_global_word word, clade_u32 was, clade_u32 value)
{
    come_before(word);
    return clade_cas_relaxed(word, was, value);
}
#define clade_add_relaxed(word, value)      watched_add(word, value)
#define clade_cas_relaxed(word, was, value) watched_count(word, was, value)
