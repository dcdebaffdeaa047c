/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else writes one word before a group looks at one for the so-manieth time. After
 * clade/atomic.clh, and before what is looked at. */
#pragma once

static struct {
    clade_global_word at, word;
    uint value, looks;
} comes;

static void come_before(clade_global_word word)
{
    if (word != comes.at || comes.looks-- != 0)
        return;
    comes.at = NULL;
    clade_store_relaxed(comes.word, comes.value);
}

static clade_u32 watched(clade_global_word word)
{
    come_before(word);
    return clade_load_relaxed(word);
}

static clade_u32 watched_cas(clade_global_word word, clade_u32 was, clade_u32 value)
{
    come_before(word);
    return clade_cas_acq_rel(word, was, value);
}
#define clade_cas_acq_rel(word, was, value) watched_cas(word, was, value)
#define clade_load_relaxed(word)            watched(word)
