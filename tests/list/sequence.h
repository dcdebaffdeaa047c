/* SPDX-License-Identifier: Apache-2.0 */
/* The model of an unordered list: its values in their order, at most CAPACITY, which comes before
 * the include. */
#pragma once

static uint sequence[CAPACITY], length;

/* The first place that has the value; `length`: none has. */
static uint place_in_sequence(uint value)
{
    uint at = 0;
    while (at < length && sequence[at] != value)
        at++;
    return at;
}

static void put_in(uint at, uint value)
{
    for (uint i = length++; i > at; i--)
        sequence[i] = sequence[i - 1];
    sequence[at] = value;
}

static void take_out(uint at)
{
    length--;
    for (uint i = at; i < length; i++)
        sequence[i] = sequence[i + 1];
}
