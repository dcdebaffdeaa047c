/* SPDX-License-Identifier: Apache-2.0 */
/* A full tree that nobody changes: whoever comes with a key that has no room is told so at the
 * first look, however many come together to one leaf. Nobody takes a lock for it, so nobody is in
 * another's way and runs out of tries: two are allowed here. -DLEAF_CAPACITY: 1 or 3. */
#define CLADE_RBTREE_TRIES         2u
#define CLADE_RBTREE_BALANCE_TRIES 1000u
#include "host/device.h"

#include <string.h>

#include "refusals/tight.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#include "clade/rbtree.clh"
#undef min
#undef max

#include "rbtree/rbtree_memory.h"

enum { THREADS = 5, MOST = 100, REFUSED = 20 };

struct job {
    void *memory;
    uint keys[REFUSED];
    clade_atomic_u32 refused, others;
    uint seed;
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    tight_begin(job->seed);
    for (uint i = 0; i < REFUSED; i++) {
        const clade_i32 status = i % 2u ? clade_rbtree_insert_wi(job->memory, job->keys[i], i)
                                        : clade_rbtree_put_wi(job->memory, job->keys[i], i);
        clade_add_relaxed(status == CLADE_E_FULL ? &job->refused : &job->others, 1u);
    }
}

/* Fills the tree; the keys that found no room. */
static bool fill(struct job *job)
{
    uint refused = 0;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 0; i < MOST && refused < REFUSED; i++) {
        const uint key = (i + job->seed) * 2654435761u;
        const clade_i32 status = clade_rbtree_insert_wi(job->memory, key, i);
        if (status != CLADE_OK && status != CLADE_E_FULL)
            return false;
        if (status == CLADE_E_FULL)
            job->keys[refused++] = key;
    }
    return refused == REFUSED;
}

static const char *round_of(uint seed, uint beyond)
{
    static struct job job;
    const uint leaves = 1u + beyond;
    const size_t bytes = (rbtree_memory_bytes(leaves, LEAF_CAPACITY) + 15u) / 16u * 16u;
    uint64_t before = 0, size = 0;
    job = (struct job) { .seed = seed, .memory = aligned_alloc(16, bytes) };
    if (!job.memory)
        abort();
    memset(job.memory, 0, bytes);
    rbtree_memory_make(job.memory, leaves, LEAF_CAPACITY);
    const char *wrong = fill(&job) ? NULL : "the tree did not fill up";
    if (!wrong)
        wrong = rbtree_memory_check(job.memory, leaves, LEAF_CAPACITY, &before);
    if (!wrong) {
        shim_launch(run_item, &job, THREADS, 1, 0);
        wrong = rbtree_memory_check(job.memory, leaves, LEAF_CAPACITY, &size);
    }
    if (!wrong && (job.others != 0 || job.refused != THREADS * REFUSED))
        wrong = "who had no room was not told so";
    if (!wrong && size != before)
        wrong = "keys came or went";
    free(job.memory);
    return wrong;
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 100, "full tree", round_of);
}
