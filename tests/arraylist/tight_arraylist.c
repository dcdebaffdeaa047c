/* SPDX-License-Identifier: Apache-2.0 */
/* An array list whose allocator has its segments and little more: while one item asks for a segment
 * the others may not be refused for want of a block that is on its way. With room for all segments
 * exactly the capacity fits; without the last one's exactly what the others hold. */
#include "host/device.h"

#include "refusals/tight.h"

static uint take_block(void *kma, size_t bytes);
static void give_block(void *kma, uint ref);
#define CLADE_ARRAYLIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_ARRAYLIST_FREE(kma, ref)     give_block((kma), (ref))
#include "clade/arraylist.clh"
#undef min
#undef max

/* Segments of 4, 4, 8, 16 and 32 elements, of 16 bytes each: as many units of the allocator. */
enum { SHIFT = 2, CAPACITY = 64, LAST = 32, THREADS = 6, EACH = 14, UNITS = 8192 };

struct job {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    uint units[UNITS * 4];
    uint sizes[UNITS]; /* of blocks, by their first unit */
    clade_atomic_u32 next, room, blocks, taken;
    clade_arraylist_head list;
    clade_atomic_u32 refused, others;
    uint seed;
};

/* A block where there is room for it; its memory is never used again. */
static uint take_block(void *kma, size_t bytes)
{
    struct job *job = kma;
    const uint count = (uint)(bytes + 15) / 16;
    uint room = clade_load_relaxed(&job->room);
    tight_pause();
    while (room >= count) {
        const uint seen = clade_cas_relaxed(&job->room, room, room - count);
        if (seen == room) {
            const uint at = clade_add_relaxed(&job->next, count);
            clade_add_relaxed(&job->blocks, 1u);
            job->sizes[at] = count;
            return (uint)(offsetof(struct job, units) / 16) + 1u + at;
        }
        room = seen;
    }
    return CLADE_NIL;
}

static void give_block(void *kma, uint ref)
{
    struct job *job = kma;
    clade_sub_relaxed(&job->blocks, 1u);
    clade_add_relaxed(&job->room, job->sizes[ref - 1u - (uint)(offsetof(struct job, units) / 16)]);
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    tight_begin(job->seed);
    for (uint i = 0; i < EACH; i++) {
        uint index = 7;
        const clade_i32 status = clade_arraylist_append_wi(&job->list, &job->kma.head, &index);
        if (status == CLADE_OK)
            *(uint *)clade_arraylist_at_wi(&job->list, &job->kma.head, index) = 1u + index;
        else
            clade_add_relaxed(status == CLADE_E_FULL && index == 0xffffffffu ? &job->refused
                                                                             : &job->others,
                              1u);
    }
}

/* `beyond`: units that the allocator has beyond the segments; of 0, the last segment has no block.
 */
static const char *round_of(uint seed, uint beyond)
{
    static struct job job;
    const uint fits = beyond == 0 ? CAPACITY - LAST : CAPACITY;
    uint segments = 0, index;
    job = (struct job) { .seed = seed, .room = beyond == 0 ? CAPACITY - 1 : CAPACITY + beyond - 1 };
    job.list.object.shape = CLADE_ARRAYLIST_SHAPE;
    job.kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    job.list.capacity = CAPACITY;
    job.list.words = 4;
    job.list.shift = SHIFT;
    shim_launch(run_item, &job, THREADS, 1, 0);
    for (uint i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++) {
        segments += job.list.segments[i] != CLADE_NIL;
        if (job.list.segments[i] == 0xffffffffu)
            return "a segment was left in the making";
    }
    if (job.others != 0)
        return "a status that there is no reason for";
    if (job.list.size != fits || job.refused != THREADS * EACH - fits)
        return "an append was refused although there was room";
    if (job.blocks != segments)
        return "a block was lost";
    for (uint i = 0; i < fits; i++)
        if (*(uint *)clade_arraylist_at_wi(&job.list, &job.kma.head, i) != 1u + i)
            return "an element was lost";
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    if (clade_arraylist_append_wi(&job.list, &job.kma.head, &index) != CLADE_E_FULL)
        return "one element too many fits";
    return NULL;
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 300, "array list", round_of);
}
