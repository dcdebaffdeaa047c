/* SPDX-License-Identifier: Apache-2.0 */
/* A group that waits for the front engine's front, a wait at a time, with runs that it has made:
 * for one of the few slots, for the front or for an owner who joins it to a round, for the outcome
 * of a round; and an owner that waits for members. Somebody else writes one word between two looks
 * at it, the first, the last of a wait, or one behind it. Of each wait the test knows the answer,
 * each word of the heap afterwards, and the group's own words. The number of keys that are inside
 * changes so, too, while a batch is counted in. */
#define CLADE_SPIN_LIMIT      400u /* more than it lingers */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "heap/front/wait/watched.h"

#include "heap/front/wait/blocks.h"
#include "heap/front/wait/chain.h"
#include "heap/front/wait/count.h"
#include "heap/front/wait/follow.h"
#include "heap/front/wait/front.h"
#include "heap/front/wait/owner.h"
#include "heap/front/wait/prepare.h"
#include "heap/front/wait/round.h"
#include "heap/front/wait/split.h"

static void wait_for_everything(void *argument, void *local)
{
    (void)argument;
    s = local;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, 16, 256));
    bytes = host_front_head_bytes(CAPACITY, 256);
    expected = malloc(bytes);
    if (!expected)
        exit(1);
    for (uint i = 0; i < 2 * CLADE_FRONT_BLOCKS; i++)
        make_runs(1 + i / 2, i % 2);
    queues();
    awaits();
    for (uint state = CLADE_FRONT_SLOT_READY; state <= CLADE_FRONT_SLOT_OUT; state++)
        for (uint i = 0; i < 4 * FEW; i++)
            own(state, few_looks[i / 4], i % 2 * 3, i / 2 % 2);
    for (uint i = 0; i < 4; i++) {
        grow(CLADE_FRONT_GROWING - 3 + i);
        grow(0xfffd + i);
    }
    count_all();
    rounds();
    gives();
    for (uint i = 0; i < 25; i++)
        catch_up(i / 5, i % 5);
    leave_claimed(false);
    leave_claimed(true);
    follows();
    split_again();
    split_waits();
    push_late(0);
    push_late(1);
    push_again();
    chain_again(0);
    chain_again(CLADE_FRONT_CLOSED);
    free(expected);
    free((void *)h.head);
}

int main(void)
{
    alarm(100);
    shim_launch(wait_for_everything, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u waits, %u wrong\n", seen, wrong);
    return wrong != 0;
}
