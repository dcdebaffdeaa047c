/* SPDX-License-Identifier: Apache-2.0 */
/* What keys a batch has, by laws, and how many. */
#pragma once

#include "heap/front/steps/call.h"

enum law { WIDE, NARROW, ONE, FEW, DOWN, UP, ENDS, BELOW, LAWS };
static enum law only; /* of a world; LAWS: each batch has its own */

static image key_by(enum law law, uint at)
{
    const image wide = ((image)draw(1u << 16) << 16 | draw(1u << 16)) * (image)(LAST / 0xffffffffu);
    switch (law) {
    case WIDE:
        return wide + draw(7);
    case NARROW:
        return 0x12345 + draw(700);
    case ONE:
        return 77;
    case FEW:
        return 5000 + 40 * draw(5);
    case DOWN:
        return LAST / 2 - at * 3u;
    case UP:
        return (image)at * 5u;
    case ENDS:
        return draw(2) ? draw(3) : LAST - draw(3);
    default:
        return size > 0 ? inside[draw(size < 60 ? size : 60)] + draw(2) : 9; /* the front */
    }
}

static void fill_call(uint n, uint at)
{
    const enum law law = only < LAWS ? only : (enum law)draw(LAWS);
    const bool all_equal = draw(6) == 0;
    for (uint i = 0; i < n; i++)
        call.keys[i] = all_equal && i > 0 ? call.keys[0] : key_by(law, at * BATCH + i);
}

/* How many: around nothing, one, a block and a batch, or any. Where all keys are one, batches of
 * few make long chains. */
static uint some(void)
{
    static const uint ends[] = { 0, 1, 2, 15, 16, 17, BATCH - 1, BATCH };
    if (only == ONE && draw(4) != 0)
        return draw(4);
    return draw(2) ? BATCH : draw(2) ? ends[draw(8)] : draw(BATCH + 1);
}
