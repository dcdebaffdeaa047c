/* SPDX-License-Identifier: Apache-2.0 */
/* The queue where a driver leaves loops (left/left.h). One item alone is done in one turn, so
 * others come between its steps, up to seven operations in up to three layers, and all have the
 * same turns: who is refused did nothing; whoever is not, has what the model says in one of their
 * orders. All values that were appended and not popped are there. */
#include "left/left.h"

#define main edge_main
#include "queue/edge_queue_beside.c"
#undef main

enum { WORLDS = 20000, RUNS = 10 };

static uint refused, next_value;

static struct op any_op(void)
{
    return (struct op) { draw(2) ? POP : APPEND, 0, 1 + next_value++ % 1000000u, 0 };
}

static void plan_some(void)
{
    uint left = CALLS - 1;
    plan_none();
    for (uint i = 0; i < LAYERS && left > 0; i++) {
        struct visit *visit = &plan[i][0];
        visit->at = (int)draw(8);
        visit->count = draw(left < OTHERS ? left + 1 : OTHERS + 1);
        left -= visit->count;
        for (uint k = 0; k < visit->count; k++)
            visit->ops[k] = any_op();
    }
}

static void run_left(void)
{
    bool is_busy = false;
    plan_some();
    leave_after(draw(4));
    run(any_op(), 1, slots);
    const bool is_left = end_of_turns();
    for (uint c = 0; c < call_count; c++) {
        const int status = calls[c].got.status;
        is_busy |= status == CLADE_E_BUSY;
        expect(status == CLADE_OK || calls[c].got.value == 0, "a value of who got none",
               calls[c].op.kind, calls[c].got.value);
    }
    expect(is_left || !is_busy, "busy, but no loop was left", call_count, slots);
    refused += is_busy;
}

int main(void)
{
    static const uint begins[] = { 0, 7, 0xfffffffc, 0xffffffff };
    random_state = shim_seed();
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    may_be_busy = true;
    for (uint i = 0; i < WORLDS; i++) {
        const uint shift = 1 + draw(2);
        plan_none();
        fill(shift, begins[draw(4)], draw((1u << shift) + 1u));
        for (uint k = 0; k < RUNS; k++)
            run_left();
    }
    expect(refused > 10000, "loops that were left", refused, 0);
    printf("queue, loops left: %u runs, in %u one was refused, %u wrong\n", runs, refused, wrong);
    return wrong != 0;
}
