/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that looks over a batch of few different keys: all lengths about those of its steps
 * and stretches, all numbers of keys about the most that it lists; keys 0 and 1, with which it
 * marks what is free; with -DWIDE=1 keys that differ in one half alone. Beside it a plain search.
 */
#include "host/device.h"

#include "rbtree/words.h"

#ifdef WIDE
#define CLADE_RBTREE_KEY_TYPE CLADE_I64
#else
#define CLADE_RBTREE_KEY_TYPE CLADE_U32
#endif
#undef __kernel
#define __kernel static __attribute__((unused))
#include "kernels/rbtree_few.cl"
#undef min
#undef max

#include "edges/edge.h"

enum { MOST = 3000, FIRST = 3, STRETCHES = 5, ROW = CLADE_RBTREE_FEW + 1, GUARD = 0x5aa5 };

static cladei_rbtree_key memory[FIRST + MOST], *keys; /* nothing is behind the last one */
static uint rows[(STRETCHES + 1) * ROW];

/* As many different ones as numbers. */
static cladei_rbtree_key key_of(uint number, uint kind)
{
#ifdef WIDE
    return (cladei_rbtree_key)(kind == 0   ? number
                               : kind == 1 ? (ulong)number << 32
                                           : (number + 1ul) * 0x9e3779b97f4a7c15ul);
#else
    return kind == 0 ? number : kind == 1 ? number << 16 : number * 0x9e3779b1u;
#endif
}

/* Numbers in an order that repeats: by runs, or each after the other. */
static void fill(uint count, uint different, uint kind, uint run)
{
    keys = memory + MOST - count;
    for (uint i = 0; i < count; i++)
        keys[FIRST + i] = key_of(i / run * 7919u % different, kind);
}

static void look(uint stretch, uint count, uint last)
{
    uint listed[ROW], different = 0;
    for (uint s = 0; s * stretch < count; s++) {
        const uint begin = s * stretch, end = count < begin + stretch ? count : begin + stretch;
        const uint *row = rows + s * ROW;
        different = 0;
        for (uint i = begin; i < end && different < ROW; i++) {
            uint n = 0;
            while (n < different && keys[FIRST + listed[n]] != keys[FIRST + i])
                n++;
            if (n == different || last)
                listed[n] = i;
            different += n == different;
        }
        expect(row[0] == different, "different keys", row[0], different);
        for (uint n = 0; n < different && different <= CLADE_RBTREE_FEW; n++)
            expect(row[1 + n] == listed[n], "a listed item", row[1 + n], listed[n]);
    }
}

static void run(uint count, uint stretch, uint last)
{
    const uint stretches = (count + stretch - 1) / stretch;
    for (uint i = 0; i < (STRETCHES + 1) * ROW; i++)
        rows[i] = GUARD;
    for (uint s = 0; s < stretches; s++) {
        shim_self = (struct shim_item) { .local_size = 1, .global_id = s, .group_id = s };
        clade_rbtree_few(keys, FIRST, count, stretch, last, rows);
    }
    look(stretch, count, last);
    for (uint i = stretches * ROW; i < (STRETCHES + 1) * ROW; i++)
        expect(rows[i] == GUARD, "beyond the rows", i, rows[i]);
}

/* One key again and again: also that which marks where key 0 would be. */
static void run_of_one(uint count, cladei_rbtree_key key)
{
    keys = memory + MOST - count;
    for (uint i = 0; i < count; i++)
        keys[FIRST + i] = key;
    run(count, count, 0);
}

/* More different keys than half of the places, all with a home of even number. */
static void run_of_even_homes(void)
{
    keys = memory;
    for (uint i = 0, number = 0; i < MOST; number++)
        if (home(key_of(number, 0)) % 2u == 0)
            keys[FIRST + i++] = key_of(number, 0);
    run(MOST, MOST, 0);
}

int main(void)
{
    static const uint counts[] = { 1, 15, 16, 17, 33, 160, 1000, 2999, 3000 };
    static const uint many[] = { 1, 2, 17, 100, 510, 511, 512, 513, 700, 3000 };
    for (uint c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (uint m = 0; m < sizeof many / sizeof many[0]; m++)
            for (uint kind = 0; kind < 12; kind++) {
                fill(counts[c], many[m], kind % 3, kind / 3 % 2 ? 24 : 1);
                run(counts[c], counts[c], kind / 6);
                run(counts[c], (counts[c] + 4) / 5, kind / 6);
            }
    for (uint count = 1; count < 40; count += 13)
        for (uint key = 0; key < 3; key++)
            run_of_one(count, (cladei_rbtree_key)key);
    run_of_even_homes();
    printf("the look at few keys: %u wrong\n", wrong);
    return wrong != 0;
}
