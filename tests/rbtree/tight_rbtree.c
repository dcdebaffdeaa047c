/* SPDX-License-Identifier: Apache-2.0 */
/* A tree whose leaves the threads can use up: each has one key inside at most. Within the launch an
 * insert may be refused while others hold leaves that are on their way; at rest, a refusal means
 * that all leaves are in the tree. -DLEAF_CAPACITY: 1 or 3. */
#define CLADE_RBTREE_TRIES 20000u
#include "host/device.h"

#include <string.h>

#include "harness/patience.h"
#include "refusals/tight.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#include "clade/rbtree.clh"
#undef min
#undef max

#include "rbtree/rbtree_memory.h"

enum { THREADS = 5, EACH = 12, MOST = 200 };

struct job {
    void *memory;
    clade_atomic_u32 inserted, refused, others, lost, busy;
    uint seed;
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    clade_rbtree_head *tree = job->memory;
    (void)local;
    tight_begin(job->seed);
    for (uint i = 0; i < EACH; i++) {
        const uint key = (tight_draw() % 1000u) * THREADS + (uint)get_global_id(0);
        uint value = 0;
        clade_i32 status = CLADE_E_BUSY;
        do
            status = clade_rbtree_insert_wi(tree, key, key + 1u);
        while (status == CLADE_E_BUSY && patience(&job->busy));
        if (status == CLADE_OK) {
            clade_add_relaxed(&job->inserted, 1u);
            do
                status = clade_rbtree_erase_wi(tree, key, &value);
            while (status == CLADE_E_BUSY && patience(&job->busy));
            if (status != CLADE_OK || value != key + 1u)
                clade_add_relaxed(&job->lost, 1u);
        } else {
            clade_add_relaxed(status == CLADE_E_FULL ? &job->refused : &job->others, 1u);
        }
    }
}

/* At rest: keys in no order until one is refused; then all of them are there. */
static const char *fill(struct job *job, uint leaves)
{
    clade_rbtree_head *tree = job->memory;
    uint count = 0, value = 0;
    uint64_t size = 0;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    clade_i32 status = CLADE_OK;
    for (; count < MOST && status == CLADE_OK; count += status == CLADE_OK)
        status = clade_rbtree_insert_wi(tree, (count + job->seed) * 2654435761u, count);
    if (status != CLADE_E_FULL)
        return "an insert at rest was neither taken nor refused as full";
    const char *wrong = rbtree_memory_check(job->memory, leaves, LEAF_CAPACITY, &size);
    if (wrong)
        return wrong;
    if (rbtree_memory_leaves(job->memory, leaves, LEAF_CAPACITY) != leaves)
        return "an insert was refused although a leaf was free";
    for (uint i = 0; i < count; i++)
        if (clade_rbtree_find_wi(tree, (i + job->seed) * 2654435761u, &value) != CLADE_OK ||
            value != i)
            return "a key was lost";
    return size == count ? NULL : "a key is there that nobody put in at last";
}

static const char *round_of(uint seed, uint beyond)
{
    static struct job job;
    const uint leaves = THREADS + 1u + beyond;
    const size_t bytes = (rbtree_memory_bytes(leaves, LEAF_CAPACITY) + 15u) / 16u * 16u;
    uint64_t size = 0;
    job = (struct job) { .seed = seed, .memory = aligned_alloc(16, bytes) };
    if (!job.memory)
        abort();
    memset(job.memory, 0, bytes);
    rbtree_memory_make(job.memory, leaves, LEAF_CAPACITY);
    shim_launch(run_item, &job, THREADS, 1, 0);
    const char *wrong = rbtree_memory_check(job.memory, leaves, LEAF_CAPACITY, &size);
    if (!wrong && (job.others != 0 || job.lost != 0))
        wrong = job.lost ? "a key was lost" : "a status that there is no reason for";
    if (!wrong && (size != 0 || job.inserted == 0))
        wrong = "keys stayed, or none came";
    if (!wrong)
        wrong = fill(&job, leaves);
    free(job.memory);
    return wrong;
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 200, "tree", round_of);
}
