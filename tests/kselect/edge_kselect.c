/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection where tiles, bins and ties end: every length up to a few tiles, every k, rows of few
 * and of extreme keys, against a sort. Local memory starts with what an earlier row may have left
 * there.
 *
 * Built for one item a group and for four (KSELECT_GROUP), for rows that are read once, for keys of
 * 64 and of 16 bits, for ties by the lowest index (KSELECT_LOWEST), and for rows that are ranked
 * whole (KSELECT_SHORT): of these the order is looked at, too. And for keys alone
 * (KSELECT_INDICES=0). Rows of which few keys are selected by one look may have KSELECT_FEW turns,
 * and some would have more than one; with several turns there are more samples than room for words,
 * if it were not for the most there may be; of more KSELECT_FEW_SAMPLES there would be, if it were
 * not for the room. Where the range of the k-th key is guessed (KSELECT_LIKELY), the guess is often
 * bad: there are few samples, and little room for members, or for less than a tile of them
 * (KSELECT_RANKED). */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KSELECT_ONCE
#define KSELECT_ONCE 0
#endif
#ifndef KSELECT_KEY
#define KSELECT_KEY CLADE_U32
#endif
#ifndef KSELECT_ORDER
#define KSELECT_ORDER CLADE_MIN
#endif
#ifndef KSELECT_LOWEST
#define KSELECT_LOWEST 0
#endif
#ifndef KSELECT_SHORT
#define KSELECT_SHORT 0
#endif
#ifndef KSELECT_INDICES
#define KSELECT_INDICES 1
#endif
#ifndef KSELECT_FEW
#define KSELECT_FEW 0
#endif
#ifndef KSELECT_FEW_SAMPLES
#define KSELECT_FEW_SAMPLES 6u
#endif
#ifndef KSELECT_LIKELY
#define KSELECT_LIKELY 0
#endif
#ifndef KSELECT_RANKED
#define KSELECT_RANKED (KSELECT_SHORT ? 40 : KSELECT_FEW || KSELECT_LIKELY ? 24 : 4)
#endif
#if KSELECT_LIKELY
#define CLADE_KSELECT_LIKELY_SAMPLES \
    (KSELECT_RANKED < 8 ? 16u : 2u) /* no room; 8 from two keys on */
#define CLADE_KSELECT_LIKELY_SHARE  2u
#define CLADE_KSELECT_LIKELY_TIED   (KSELECT_INDICES ? 2u : 4u)
#define CLADE_KSELECT_LIKELY_EQUAL  3u
#define CLADE_KSELECT_LIKELY_SQUARE 1u
#define CLADE_KSELECT_MANY          12u
#endif
#define CLADE_KSELECT_LIKELY      KSELECT_LIKELY
#define CLADE_KSELECT_LOWEST      KSELECT_LOWEST
#define CLADE_KSELECT_SHORT       KSELECT_SHORT
#define CLADE_KSELECT_GROUP       KSELECT_GROUP
#define CLADE_KSELECT_ITEMS       (KSELECT_ONCE ? 40 / KSELECT_GROUP : 8 / KSELECT_GROUP)
#define CLADE_KSELECT_ONCE        KSELECT_ONCE
#define CLADE_KSELECT_KEY         KSELECT_KEY
#define CLADE_KSELECT_ORDER       KSELECT_ORDER
#define CLADE_KSELECT_DIGIT       3
#define CLADE_KSELECT_INDICES     KSELECT_INDICES
#define CLADE_KSELECT_RANKED      KSELECT_RANKED
#define CLADE_KSELECT_SPARSE      3u /* up to two words of a tile of 8 */
#define CLADE_KSELECT_BLOCK       2u
#define CLADE_KSELECT_MISSES      1u
#define CLADE_KSELECT_FEW         (KSELECT_FEW > 0)
#define CLADE_KSELECT_FEW_SAMPLES KSELECT_FEW_SAMPLES
#define CLADE_KSELECT_FEW_SHARE   (KSELECT_FEW > 1 ? 1u : 2u)
#define CLADE_KSELECT_FEW_TURNS   ((uint)KSELECT_FEW)
#include "clade/kselect.clh"

enum { GROUP = KSELECT_GROUP, LONGEST = 40, KINDS = 20, SAMPLED = 11, GUARD = 3 };
enum { SAMPLES = KSELECT_FEW > 0 ? CLADE_KSELECT_FEW_SAMPLES : KSELECT_LIKELY ? 8 : GROUP };

typedef clade_kselect_raw raw;
#define RAW_BITS (8 * CLADE_TYPE_BYTES(KSELECT_KEY))
#define MARK     ((raw)0xa5a5a5a5a5a5a5a5u)

struct job {
    raw *row; /* of exactly `length` keys: a key behind it is a fault */
    uint length, kind;
    raw keys[LONGEST + GUARD];
    uint indices[LONGEST + GUARD];
    uint wrong;
};

static uint random_state;

static uint random_word(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8 ^ random_state << 13;
}

static raw key_of(uint kind, uint i)
{
    const raw top = (raw)1 << (RAW_BITS - 1), last = (raw) ~(raw)0;
    switch (kind) {
    case 0:
        return 7u; /* all equal */
    case 1:
        return (raw)(i % 3); /* many ties */
    case 2:
        return (raw)(last - random_word() % 3); /* the last bin, and what fills a tile */
    case 3:
        return random_word() % 2 ? last : 0u; /* the first bin and the last */
    case 4:
        return (raw)(0x12345600u | i); /* bits that all share */
    case 5:
        return (raw)((ulong)random_word() << 32 ^ random_word());
    case 6:
        return (raw)(i / 8); /* a tile's keys are all equal */
    case 8:                  /* a lane's bins end with the k-th key; then none */
        return (raw)(i % 4 ? (last & ~(last >> 8)) | i : i);
    case 7:
        return (raw)((i / 8 % 2 ? top / 2 : 0u) | random_word() % 5);
    case 10: /* few to a bin, up to the last word */
        return (raw)(last - i * 5u);
    case 12: /* ascends, with ties */
        return (raw)(3u * (i / 2));
    case 13: /* descends, with ties */
        return (raw)(3u * ((LONGEST - i) / 2));
    case 14: /* ascends up to one key */
        return (raw)(i == LONGEST / 2 ? 1u : 3u * i);
    case 15: /* descends up to one key */
        return (raw)(i == LONGEST / 3 ? 3u * LONGEST : 3u * (LONGEST - i));
    case 16: /* rows of ten neighbours: members that ascend */
        return (raw)((3u - i / 10 * 3u % 4u) * 64u + i % 10 + 8u);
    case 18: /* equal, then they descend */
        return (raw)(i < 20 ? 77u : 97u - i);
    case 17: /* more are equal than there is room for, and a few lesser ones come late */
        return (raw)(i % 4 || i < 12 ? 77u : random_word() % 64u);
    case 19: /* four bits, and equal keys: one bit is left for a digit, or for a ranking */
        return (raw)(0x12345600u | i * 7u % 16u);
    default:
        return (raw)(top >> i % RAW_BITS); /* a bit each */
    }
}

static clade_kselect_word word_of(raw key)
{
    return clade_kselect_encode_wi(key);
}

/* A row's keys in order, equal ones by their indices. */
struct element {
    raw key;
    uint at;
};

static int compare(const void *a, const void *b)
{
    const struct element *p = a, *q = b;
    const clade_kselect_word x = word_of(p->key), y = word_of(q->key);
    return x != y ? (x > y) - (x < y) : (p->at > q->at) - (p->at < q->at);
}

/* All NaNs are one word, and a NaN comes back as some NaN. */
static uint is_same(raw a, raw b)
{
    return a == b || (word_of(a) == word_of(b) && word_of(a) == CLADE_KSELECT_LAST);
}

/* What is wrong with the k keys that came out. */
static uint judge(struct job *job, uint k)
{
    struct element sorted[LONGEST], got[LONGEST];
    uint taken[LONGEST] = { 0 }, wrong = 0;
    for (uint i = 0; i < job->length; i++)
        sorted[i] = (struct element) { job->row[i], i };
    qsort(sorted, job->length, sizeof *sorted, compare);
    for (uint i = 0; i < k; i++) {
        const uint at = job->indices[i];
        if (KSELECT_INDICES)
            wrong += at >= job->length || taken[at]++ > 0 || !is_same(job->row[at], job->keys[i]);
        got[i] = (struct element) { job->keys[i], at };
    }
    if (!KSELECT_SHORT)
        qsort(got, k, sizeof *got, compare);
    for (uint i = 0; i < k; i++)
        wrong +=
            !is_same(sorted[i].key, got[i].key) || (KSELECT_LOWEST && sorted[i].at != got[i].at);
    for (uint i = k; i < LONGEST + GUARD; i++) /* nothing is written behind them */
        wrong += job->keys[i] != MARK || job->indices[i] != 0xa5a5a5a5u;
    for (uint i = 0; i < k && !KSELECT_INDICES; i++)
        wrong += job->indices[i] != 0xa5a5a5a5u;
    return wrong;
}

static void select_all(void *argument, void *local)
{
    struct job *job = argument;
    const clade_kselect_out out = { job->keys, job->indices };
    const uint most = KSELECT_FEW > 0 && job->length > 6 ? 6 : job->length; /* RANKED / 4 */
    for (uint k = 1; k <= most; k++) {
        if (get_local_id(0) == 0) {
            memset(local, k % 2 ? 0 : 0xff, sizeof(clade_kselect_local));
            memset(job->keys, 0xa5, sizeof job->keys);
            memset(job->indices, 0xa5, sizeof job->indices);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        clade_kselect_wg(local, job->row, job->length, k, out);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint wrong = get_local_id(0) == 0 ? judge(job, k) : 0;
        if (wrong && job->wrong++ < 5)
            printf("keys of kind %u, length %u, k %u: %u wrong\n", job->kind, job->length, k,
                   wrong);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Groups of several items leave most lengths out, but not those that fill a tile nearly. */
static bool is_passed_over(uint length)
{
    return GROUP > 1 && length >= 10 && length < LONGEST - 5;
}

static uint sample_at(uint i, uint length)
{
#if KSELECT_FEW > 0 || KSELECT_LIKELY
    return length < SAMPLES ? i % length : clade_kselect_sample_at_wi(i, SAMPLES, length);
#else
    return i * length / SAMPLES;
#endif
}

int main(void)
{
    struct job job = { .wrong = 0 };
    random_state = shim_seed();
    for (job.length = 1; job.length <= LONGEST; job.length += is_passed_over(job.length) ? 5 : 1)
        for (job.kind = 0; job.kind < KINDS; job.kind++) {
            job.row = malloc(job.length * sizeof *job.row);
            for (uint i = 0; i < job.length; i++)
                job.row[i] = key_of(job.kind == SAMPLED ? 5 : job.kind, i);
            for (uint i = 0; job.kind == SAMPLED && i < SAMPLES; i++) /* what samples see */
                job.row[sample_at(i, job.length)] = KSELECT_FEW > 0 || KSELECT_LIKELY ? i : 7u;
            shim_launch(select_all, &job, 1, GROUP, sizeof(clade_kselect_local));
            free(job.row);
        }
    printf("k-selection by %d items: %u wrong\n", GROUP, job.wrong);
    return job.wrong != 0;
}
