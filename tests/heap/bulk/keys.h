/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that a bulk insert is given, by laws: number i's, and all in order. */
#pragma once

#include "heap/bulk/launch.h"

enum { DEEP = 11, FULL = 12, ONE = 15, LOW = 16 }; /* laws; the others have no name */

/* Of 16 values all have many, but the fourth one has ten. */
static uint one_of(uint i)
{
    return i % 16u == 3u && i >= 160u ? 4u : i % 16u;
}

/* Few and many, crowded, shared bits, copies of one key that fill several leaves. */
static uint word_of(uint kind, uint i)
{
    const uint x = (i + 1u) * 2654435761u ^ (i >> 5) * 0x85ebca6bu;
    return kind == 0   ? x
           : kind == 1 ? 77u
           : kind == 2 ? x >> 20
           : kind == 3 ? 0xffffffffu - i
           : kind == 4 ? i << 8
           : kind == 5 ? (i % 3u == 0 ? 0xffffffffu : x >> 30)
           : kind == 6 ? 0x10000000u + (x >> 28) * 0x01010101u
           : kind == 7 ? (i % 2u ? 0u : x)
           : kind == 9 ? (x & 0xffffffu) | i % 4u << 30 /* four segments of the second level */
           : kind == FULL
               ? 0x10000000u + i % 16u * 0x01010101u /* each entry of a directory has too many */
           : kind == ONE  ? 0x10000000u + one_of(i) * 0x01010101u    /* but for one entry */
           : kind == LOW  ? (i % 50u ? 1u : 0u)                      /* copies of the second key */
           : kind == DEEP ? (i % 85u) * 0x03000000u + i / 85u % 300u /* most leaves are empty */
                          : 0x7fffff00u + i % 256u;
}

/* Of 64 bits: what differs is in the low word, in the high one, or in both. */
static image key_of(uint kind, uint i)
{
    const image word = word_of(kind, i);
#if CLADEI_BULK_KEY_BITS == 64
    return kind % 3u == 0 ? word << 32 | 0x54321u : kind % 3u == 1 ? word : word << 20 | word >> 7;
#else
    return word;
#endif
}

static int compare(const void *a, const void *b)
{
    const image x = *(const image *)a, y = *(const image *)b;
    return (x > y) - (x < y);
}

static image *sorted_keys(uint kind, uint count)
{
    image *sorted = room(count * sizeof *sorted);
    for (uint i = 0; i < count; i++)
        sorted[i] = key_of(kind, i);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted;
}
