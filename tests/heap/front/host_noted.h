/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of the front engine's, of which each word is known after a step. After clade/heap.clh. */
#pragma once

#include <stdio.h>
#include <string.h>

static clade_heap_front_heap h;
static clade_heap_scratch *s;
static uint *expected, wrong, seen;
static size_t bytes;

static void expect(bool good, const char *what, uint at)
{
    if (!good && wrong++ < 8)
        fprintf(stderr, "%s %u\n", what, at);
}

static void set(uint at, uint value)
{
    clade_store_relaxed(h.head + at, value);
}

/* The heap is now as it is to be afterwards, but for what is changed in `expected` by then. */
static void note(void)
{
    memcpy(expected, (void *)h.head, bytes);
}

static void expect_heap(const char *what, uint at)
{
    const uint *now = (const uint *)(void *)h.head;
    const bool same = memcmp(now, expected, bytes) == 0;
    for (size_t i = 0; i < bytes / 4 && !same; i++)
        if (now[i] != expected[i]) {
            expect(false, what, at);
            if (wrong < 9)
                fprintf(stderr, "  word %zu is %x, not %x\n", i, now[i], expected[i]);
            return;
        }
    seen++;
}
