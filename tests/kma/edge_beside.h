/* SPDX-License-Identifier: Apache-2.0 */
/* What others do between two steps of an item that works alone. Include it after edge_meets.h and
 * before what is tested. */
#pragma once

/* Before the next compare-and-swap of one word, another one takes pages of it. */
static struct {
    clade_global_word at;
    uint pages;
} comes;

/* Before or after the next fetch-and, or compare-and-swap, of one word that acquires and releases,
 * another one acts; or before a compare-and-swap that acquires. */
static struct {
    clade_global_word at;
    void (*acts)(void);
    bool after;
} acts;

/* Whatever is claimed in words from `from` to `end`, another one has taken it by then, and gives it
 * back right after: the next so many times. Time number `whole` nothing of the word is left. */
static struct {
    clade_global_word from, end;
    uint times, most, whole;
} lost;

static inline bool is_lost(clade_global_word word)
{
    const bool now = lost.from <= word && word < lost.end && lost.times < lost.most;
    if (now)
        lost.times++;
    return now;
}

static void act_at(clade_global_word word, bool after);

static clade_u32 overtaken_cas(clade_global_word word, clade_u32 seen, clade_u32 value)
{
    act_at(word, false);
    if (comes.at == word) {
        comes.at = NULL;
        clade_and_relaxed(word, ~comes.pages);
    }
    return is_lost(word) ? ~seen : clade_cas_acquire(word, seen, value);
}
#undef clade_cas_acquire
#define clade_cas_acquire(p, seen, value) overtaken_cas(p, seen, value)

static clade_u32 lost_or(clade_global_word word, clade_u32 bits)
{
    return is_lost(word) ? clade_load_relaxed(word) | bits : clade_or_acquire(word, bits);
}
#undef clade_or_acquire
#define clade_or_acquire(p, bits) lost_or(p, bits)

static clade_u32 lost_and(clade_global_word word, clade_u32 bits)
{
    if (!is_lost(word))
        return clade_and_acquire(word, bits);
    return lost.times == lost.whole ? 0u : clade_load_relaxed(word) & bits;
}
#undef clade_and_acquire
#define clade_and_acquire(p, bits) lost_and(p, bits)

static void act_at(clade_global_word word, bool after)
{
    if (acts.at != word || acts.after != after)
        return;
    acts.at = NULL;
    acts.acts();
}

static clade_u32 and_beside(clade_global_word word, clade_u32 bits)
{
    act_at(word, false);
    const clade_u32 old = clade_and_acq_rel(word, bits);
    act_at(word, true);
    return old;
}
#undef clade_and_acq_rel
#define clade_and_acq_rel(p, bits) and_beside(p, bits)

static clade_u32 cas_beside(clade_global_word word, clade_u32 seen, clade_u32 value)
{
    act_at(word, false);
    const clade_u32 old = clade_cas_acq_rel(word, seen, value);
    act_at(word, true);
    return old;
}
#undef clade_cas_acq_rel
#define clade_cas_acq_rel(p, seen, value) cas_beside(p, seen, value)
