/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted runs as one: neighbours are merged until one run is left. */
#include <string.h>

#include "mpi/merge.h"

static void merge_two(const struct cladei_mpi_entry *from, uint64_t first, uint64_t second,
                      struct cladei_mpi_entry *to)
{
    const struct cladei_mpi_entry *a = from, *b = from + first;
    const struct cladei_mpi_entry *a_end = b, *b_end = b + second;
    while (a < a_end && b < b_end)
        *to++ = b->image < a->image ? *b++ : *a++;
    while (a < a_end)
        *to++ = *a++;
    while (b < b_end)
        *to++ = *b++;
}

struct cladei_mpi_entry *cladei_mpi_merge(struct cladei_mpi_entry *entries,
                                          struct cladei_mpi_entry *spare, uint64_t *counts,
                                          int runs)
{
    while (runs > 1) {
        uint64_t at = 0;
        for (int i = 0; i < runs; i += 2) {
            const uint64_t second = i + 1 < runs ? counts[i + 1] : 0;
            merge_two(entries + at, counts[i], second, spare + at);
            at += counts[i] + second;
            counts[i / 2] = counts[i] + second;
        }
        runs = (runs + 1) / 2;
        struct cladei_mpi_entry *merged = spare;
        spare = entries;
        entries = merged;
    }
    return entries;
}
