/* SPDX-License-Identifier: Apache-2.0 */
#define CLADE_HASHMAP            words /* a prefix: a kernel may use several maps */
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U32
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32
#include "clade/hashmap.clh"

/* Counts how often each word comes. Who meets a word first lists it. */
__kernel void count(__global clade_hashmap_head *map, __global const uint *text, __global uint *first)
{
    uint item = (uint)get_global_id(0), before;
    int status = words_update_wi(map, text[item], 1, CLADE_HASHMAP_PLUS, &before);
    first[item] = status == CLADE_OK; /* it was not there; CLADE_HASHMAP_PRESENT: it was */
}
