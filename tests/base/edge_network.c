/* SPDX-License-Identifier: Apache-2.0 */
/* The compare network: every input of zeros and ones up to 14 places, so every input (Knuth's 0-1
 * principle), then random ones of many places. The pairs of one loop have no place in common, in
 * whatever order the items take them, and no place past the end is touched. */
#include "host/device.h"

#include <stdio.h>
#include <string.h>

#include "clade/base/network.clh"

enum { ZEROS_AND_ONES = 14, MOST = 600, ROOM = 2 * MOST };

static uint keys[ROOM], in_loop[ROOM], loop;
static int wrong, backwards;

static void compare(uint low, uint high, uint n)
{
    if (low >= high || high >= ROOM || in_loop[low] == loop || in_loop[high] == loop)
        wrong++;
    in_loop[low] = in_loop[high] = loop;
    if (high < n && keys[high] < keys[low]) {
        const uint key = keys[low];
        keys[low] = keys[high];
        keys[high] = key;
    }
}

static void sync(void)
{
    loop++;
}

#define EACH(t, count) \
    for (uint i = 0, t; i < (count) && (t = backwards ? (count)-1u - i : i, 1); i++)
#define COMPARE(low, high) compare(low, high, n)

static void sort(uint n)
{
    loop++;
    CLADE_NETWORK(n, EACH, COMPARE, sync);
    for (uint i = 1; i < n; i++)
        wrong += keys[i] < keys[i - 1];
    if (keys[n] != 0xaaaaaaaau) /* what lies there is not the network's */
        wrong++;
}

int main(void)
{
    uint state = 1;
    for (uint n = 0; n <= ZEROS_AND_ONES; n++)
        for (uint bits = 0; bits < 1u << n; bits++, backwards ^= 1) {
            for (uint i = 0; i < n; i++)
                keys[i] = bits >> i & 1u;
            keys[n] = 0xaaaaaaaau;
            sort(n);
        }
    for (uint n = 0; n < MOST; n++, backwards ^= 1) {
        ulong sum = 0;
        for (uint i = 0; i < n; i++)
            sum += keys[i] = (state = state * 1664525u + 1013904223u) >> 8;
        keys[n] = 0xaaaaaaaau;
        sort(n);
        for (uint i = 0; i < n; i++)
            sum -= keys[i];
        wrong += sum != 0;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
