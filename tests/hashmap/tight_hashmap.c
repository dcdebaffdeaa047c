/* SPDX-License-Identifier: Apache-2.0 */
/* A map that the threads can fill: each has one key inside at most, so that its insert finds a
 * slot, as soon as what others took there is erased. At rest as many keys fit as there are slots,
 * whatever happened before. -DVALUE: the type; -DCLADE_INT64_ATOMICS=1: packed slots of 64 bits. */
#define CLADE_HASHMAP_TRIES 4000000u /* the holder of a lock may have lost its core */
#include "host/device.h"

#include "refusals/tight.h"

#define CLADE_HASHMAP_VALUE_TYPE VALUE
#include "clade/hashmap.clh"
#undef min
#undef max

#include <string.h>

#define VALUE_BYTES CLADE_TYPE_BYTES(VALUE)
#define IS_PACKED   (VALUE_BYTES == 0 || CLADE_INT64_ATOMICS)
enum { BUCKETS = 2, ALL = BUCKETS + 2, EACH = 20, TRIES = 100000 };
enum {
    BUCKET_SLOTS = VALUE_BYTES == 0 ? 8 : 4,
    BUCKET_BYTES = IS_PACKED ? 32 : CLADE_HASHMAP_TAGGED_BYTES(4u, VALUE_BYTES, 1u),
    SLOTS = BUCKETS * BUCKET_SLOTS
};

struct job {
    clade_hashmap_head head;
    char buckets[ALL * BUCKET_BYTES];
    clade_atomic_u32 homes[ALL];
    clade_atomic_u32 refused, wrong;
    uint seed;
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    uint value;
    (void)local;
    tight_begin(job->seed);
    for (uint i = 0; i < EACH; i++) {
        const uint key = (uint)get_global_id(0) * EACH + i + 1u;
        uint tries = 0;
        while (clade_hashmap_insert_wi(&job->head, key, key) == CLADE_E_FULL && tries < TRIES)
            tries++;
        if (tries == TRIES) {
            clade_add_relaxed(&job->refused, 1u);
            continue;
        }
        if (clade_hashmap_find_wi(&job->head, key, &value) != CLADE_OK ||
            (VALUE_BYTES != 0 && value != key))
            clade_add_relaxed(&job->wrong, 1u);
        if (clade_hashmap_erase_wi(&job->head, key, &value) != CLADE_OK ||
            clade_hashmap_contains_wi(&job->head, key) != CLADE_E_NOT_FOUND)
            clade_add_relaxed(&job->wrong, 1u);
    }
}

static uint ended(const struct job *job, bool is_full)
{
    uint sum = 0;
    for (uint i = 0; i < CLADE_HASHMAP_STRIPES; i++)
        sum += is_full ? job->head.stripes[i].full : job->head.stripes[i].busy;
    return sum;
}

/* At rest: so many fit, and no more; and all of them are found, and go out. */
static const char *fill(struct job *job, uint first)
{
    const uint full = ended(job, true), busy = ended(job, false);
    uint value;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 0; i < SLOTS; i++)
        if (clade_hashmap_insert_wi(&job->head, first + i, first + i) != CLADE_OK)
            return "an insert was refused at rest";
    if (clade_hashmap_insert_wi(&job->head, first + SLOTS, 0) != CLADE_E_FULL)
        return "one key too many fits";
    if (ended(job, true) != full + 1u || ended(job, false) != busy)
        return "a refusal is not counted as one";
    if (IS_PACKED && clade_hashmap_insert_wi(&job->head, 0, 0) != CLADE_OK)
        return "a key that has a place of its own was refused";
    for (uint i = 0; i < SLOTS; i++)
        if (clade_hashmap_find_wi(&job->head, first + i, &value) != CLADE_OK)
            return "a key is not found";
    for (uint i = 0; i < SLOTS; i++)
        if (clade_hashmap_erase_wi(&job->head, first + i, &value) != CLADE_OK)
            return "a key does not go out";
    if (IS_PACKED && clade_hashmap_erase_wi(&job->head, 0, &value) != CLADE_OK)
        return "a key that has a place of its own does not go out";
    if (cladei_hashmap_size(&job->head) != 0)
        return "an empty map counts keys";
    for (uint i = 0; i < ALL; i++)
        if (CLADE_HASHMAP_SPILLED(job->homes[i]) != 0 || (job->homes[i] & CLADE_HASHMAP_LOCK))
            return "a home counts keys, or is locked";
    return NULL;
}

static const char *round_of(uint seed, uint beyond)
{
    static struct job job;
    const char *why;
    memset(&job, 0, sizeof job);
    job.seed = seed;
    job.head.object.shape = CLADE_HASHMAP_SHAPE(
        CLADE_U32, VALUE_BYTES, IS_PACKED ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED, 1u);
    job.head.buckets = BUCKETS;
    job.head.homes_at = (uint)((char *)job.homes - (char *)&job) / 32u;
    job.head.most = 0xffffffffu;
    shim_launch(run_item, &job, SLOTS - beyond, 1, 0);
    if (job.refused != 0)
        return "an insert was refused for ever";
    if (job.wrong != 0)
        return "a key that was inserted is not there, or stays";
    why = fill(&job, 1000 + seed * 64);
    return why ? why : fill(&job, 7);
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 40, "hashmap", round_of);
}
