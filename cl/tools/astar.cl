/* SPDX-License-Identifier: Apache-2.0 */
/* A* on a grid with obstacles, launched by `clade astar`. docs/guide/knapsack.md has the search,
 * which is the same as that of knapsack.cl but for what is made of a node.
 *
 * dist[c] only ever falls, by atomic minimum; whoever lowers it queues c with what a way through c
 * costs at least. The heap is a max-heap: the key is ASTAR_FAR less that estimate. An entry is
 * stale when dist[] fell after it was made, dead when its estimate is no less than dist[goal].
 *
 * ASTAR_TAKE cells are taken at once; each makes at most 8 new entries. Words that groups share:
 * dist[] (atomic minimum, relaxed: the entry carries the news), the counters (relaxed sums). */

/* The host always says; these are for compiling without one. */
#ifndef ASTAR_TAKE
#define ASTAR_TAKE            32
#define CLADE_FRONTIER_BATCH  256
#define CLADE_FRONTIER_WIDE   0
#define CLADE_HEAP_KEY_TYPE   2 /* CLADE_U32 */
#define CLADE_HEAP_VALUE_TYPE 2
#define CLADE_HEAP_ORDER      1 /* CLADE_MAX */
#define CLADE_HEAP_BATCH      256
#endif

#include "clade/atomic.clh"
#include "clade/heap.clh"
#include "tools/frontier.clh"

/* state[] */
#define ASTAR_EXPLORED 0 /* cells expanded, again after each time they came nearer */
#define ASTAR_DROPPED  1 /* entries taken that were stale or dead */

#define ASTAR_FAR      0xffffffffu
#define ASTAR_STRAIGHT 5u
#define ASTAR_DIAGONAL 7u
#define ASTAR_IDLE     8

typedef struct astar_group {
    clade_frontier batch;
    clade_atomic_u32 explored, dropped;
} astar_group;

/* A way from (x, y) to the goal costs at least this; no step lowers it by more than its cost. */
static inline uint astar_ahead_wi(uint x, uint y, uint width, uint goal)
{
    uint dx = abs_diff(x, goal % width), dy = abs_diff(y, goal / width);
    return ASTAR_STRAIGHT * (max(dx, dy) - min(dx, dy)) + ASTAR_DIAGONAL * min(dx, dy);
}

/* The step number `way` (0 .. 7) from `cell`, whose distance is `distance`. */
static inline void astar_step_wi(__local astar_group *group, __global const uchar *blocked,
                                 __global clade_atomic_u32 *dist, uint width, uint height,
                                 uint goal, uint cell, uint distance, uint way)
{
    uint place = way < 4 ? way : way + 1; /* of 3 by 3, the middle left out */
    uint x = cell % width, y = cell / width;
    uint nx = x + place % 3 - 1, ny = y + place / 3 - 1; /* wraps at the edge */
    if (nx >= width || ny >= height)
        return;
    uint next = ny * width + nx;
    if (blocked[next] || blocked[y * width + nx] || blocked[ny * width + x])
        return;
    distance += nx != x && ny != y ? ASTAR_DIAGONAL : ASTAR_STRAIGHT;
    uint estimate = distance + astar_ahead_wi(nx, ny, width, goal);
    if (estimate < clade_load_relaxed(&dist[goal]) &&
        distance < clade_min_relaxed(&dist[next], distance))
        clade_frontier_add_wi(&group->batch, ASTAR_FAR - estimate, next);
}

static inline void astar_expand_wi(__local astar_group *group, __global const uchar *blocked,
                                   __global clade_atomic_u32 *dist, uint width, uint height,
                                   uint goal, uint key, uint cell, uint way)
{
    uint estimate = ASTAR_FAR - key;
    uint distance = estimate - astar_ahead_wi(cell % width, cell / width, width, goal);
    bool live =
        estimate < clade_load_relaxed(&dist[goal]) && clade_load_relaxed(&dist[cell]) == distance;
    if (way == 0)
        clade_add_local(live ? &group->explored : &group->dropped, 1u);
    if (live)
        astar_step_wi(group, blocked, dist, width, height, goal, cell, distance, way);
}

/* Up to `rounds` batches of the most promising cells. A group ends early when the heap has nothing
 * for it several times in a row, or refuses its entries: the host launches again. */
__kernel void clade_astar_expand(__global void *heap, __global const uchar *blocked,
                                 __global clade_atomic_u32 *dist, __global clade_atomic_u32 *state,
                                 __global uint *spill_key, __global uint *spill_value,
                                 __global uint *spill_count, uint width, uint height, uint goal,
                                 uint rounds)
{
    __local clade_heap_scratch scratch;
    __local astar_group group;
    bool inside = true;
    uint idle = 0, got;
    if (get_local_id(0) == 0)
        spill_count[get_group_id(0)] = 0;
    for (uint round = 0; round < rounds && inside && idle < ASTAR_IDLE; round++) {
        clade_heap_pop_wg(heap, &scratch, ASTAR_TAKE, &got);
        if (get_local_id(0) == 0) {
            clade_store_local(&group.explored, 0u);
            clade_store_local(&group.dropped, 0u);
        }
        clade_frontier_begin_wg(&group.batch);
        for (uint i = (uint)get_local_id(0); i < 8 * got; i += (uint)get_local_size(0))
            astar_expand_wi(&group, blocked, dist, width, height, goal,
                            clade_heap_key_wi(&scratch, i / 8),
                            clade_heap_value_wi(&scratch, i / 8), i % 8);
        clade_barrier();
        if (get_local_id(0) == 0) {
            clade_add_relaxed(&state[ASTAR_EXPLORED], clade_load_local(&group.explored));
            clade_add_relaxed(&state[ASTAR_DROPPED], clade_load_local(&group.dropped));
        }
        inside = clade_frontier_end_wg(heap, &scratch, &group.batch, spill_key, spill_value,
                                       spill_count);
        idle = got > 0 ? 0 : idle + 1;
    }
}
