/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, a first solution, and the items that can be decided in advance (Ingargiola and Korsh:
 * an item whose other choice is bounded by what was found already). */
#include "search/knapsack_core.h"

#include <stdlib.h>

struct item {
    uint32_t profit, weight;
};

/* Falling profit a unit of weight; then the heavy first. */
static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    const uint64_t x = (uint64_t)a->profit * b->weight, y = (uint64_t)b->profit * a->weight;
    if (x != y)
        return x > y ? -1 : 1;
    return (a->weight < b->weight) - (a->weight > b->weight);
}

uint64_t knapsack_core_fill(const struct knapsack_core *core, uint32_t first, uint64_t room,
                            uint32_t *next, uint64_t *whole)
{
    uint32_t low = first, high = core->items;
    const uint64_t before = core->weight[first];
    while (low < high) { /* items first .. low - 1 fit */
        uint32_t middle = low + (high - low + 1) / 2;
        if (core->weight[middle] - before <= room)
            low = middle;
        else
            high = middle - 1;
    }
    *next = low;
    *whole = core->profit[low] - core->profit[first];
    if (low == core->items)
        return *whole;
    const uint64_t left = room - (core->weight[low] - before);
    return *whole + left * (core->profit[low + 1] - core->profit[low]) /
                        (core->weight[low + 1] - core->weight[low]);
}

static void sum_up(struct knapsack_core *core, const struct item *items)
{
    core->weight[0] = core->profit[0] = 0;
    for (uint32_t i = 0; i < core->items; i++) {
        core->weight[i + 1] = core->weight[i] + items[i].weight;
        core->profit[i + 1] = core->profit[i] + items[i].profit;
    }
}

/* The next lighter item of each, from the last on: along the lighter ones already known. */
static void link_lighter(struct knapsack_core *core)
{
    for (uint32_t i = core->items; i-- > 0;) {
        uint32_t next = i + 1;
        while (next < core->items &&
               core->weight[next + 1] - core->weight[next] >= core->weight[i + 1] - core->weight[i])
            next = core->lighter[next];
        core->lighter[i] = next;
    }
}

/* Take whatever fits, best first, with one item decided: out, or in. */
static uint64_t take_greedily(const struct knapsack_core *core, const struct item *items,
                              uint32_t decided, bool in)
{
    uint64_t room = core->capacity, profit = 0;
    if (in) {
        room -= items[decided].weight;
        profit = items[decided].profit;
    }
    for (uint32_t i = 0; i < core->items && room > 0; i++) {
        if (i == decided || items[i].weight > room)
            continue;
        room -= items[i].weight;
        profit += items[i].profit;
    }
    return profit;
}

/* A good first solution: greedy ones around the first item that does not fit. */
static void find_first(struct knapsack_core *core, const struct item *items, uint32_t split)
{
    enum { AROUND = 128, WORK = 20000000 };
    uint64_t around = WORK / core->items;
    if (around > AROUND)
        around = AROUND;
    const uint32_t low = split > around ? split - (uint32_t)around : 0;
    const uint32_t high = core->items - split > around ? split + (uint32_t)around : core->items;
    uint64_t best = take_greedily(core, items, UINT32_MAX, false);
    for (uint32_t i = low; i < high; i++) {
        uint64_t other = take_greedily(core, items, i, i >= split);
        if (other > best)
            best = other;
    }
    if (core->known + best > core->found)
        core->found = core->known + best;
}

/* Decide items whose other choice cannot beat `found`; keep the rest, in order. */
static void reduce(struct knapsack_core *core, struct item *items, uint32_t split)
{
    uint32_t kept = 0, next;
    uint64_t whole, known = core->known, taken = 0;
    for (uint32_t i = 0; i < core->items; i++) {
        /* Without item i < split there is room for as much more behind it; with item i >= split
         * there is less room before it: the sums hold for both. */
        const bool in = i < split;
        uint64_t other =
            in ? knapsack_core_fill(core, 0, core->capacity + items[i].weight, &next, &whole) -
                     items[i].profit
               : knapsack_core_fill(core, 0, core->capacity - items[i].weight, &next, &whole) +
                     items[i].profit;
        if (core->known + other > core->found) {
            items[kept++] = items[i];
        } else if (in) {
            known += items[i].profit;
            taken += items[i].weight;
        }
    }
    core->known = known;
    core->items = kept;
    core->capacity -= taken; /* items before the split fit together */
}

/* Items that no longer fit at all. */
static void drop_heavy(struct knapsack_core *core, struct item *items)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < core->items; i++)
        if (items[i].weight <= core->capacity)
            items[kept++] = items[i];
    core->items = kept;
}

static uint32_t collect(struct knapsack_core *core, const struct knapsack *knapsack,
                        struct item *items)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < knapsack->items; i++) {
        if (knapsack->weight[i] == 0)
            core->known += knapsack->profit[i];
        else if (knapsack->profit[i] > 0 && knapsack->weight[i] <= core->capacity)
            items[count++] = (struct item) { knapsack->profit[i], knapsack->weight[i] };
    }
    return count;
}

static void prepare(struct knapsack_core *core, struct item *items, bool plain)
{
    uint32_t split;
    uint64_t whole;
    core->found = core->known;
    qsort(items, core->items, sizeof *items, compare_items);
    sum_up(core, items);
    core->bound = core->known + knapsack_core_fill(core, 0, core->capacity, &split, &whole);
    if (core->items > 0)
        find_first(core, items, split);
    if (!plain && core->bound > core->found) {
        reduce(core, items, split);
        drop_heavy(core, items);
        sum_up(core, items);
        core->bound = core->known + knapsack_core_fill(core, 0, core->capacity, &split, &whole);
    }
    if (core->bound <= core->found) {
        core->bound = core->found;
        core->items = 0;
    }
    link_lighter(core);
}

bool knapsack_core_create(struct knapsack_core *core, const struct knapsack *knapsack, bool plain)
{
    const size_t room = (size_t)knapsack->items + 1;
    struct item *items = malloc(room * sizeof *items);
    *core = (struct knapsack_core) { .capacity = knapsack->capacity };
    core->weight = malloc(room * sizeof *core->weight);
    core->profit = malloc(room * sizeof *core->profit);
    core->lighter = malloc(room * sizeof *core->lighter);
    const bool fine = items && core->weight && core->profit && core->lighter;
    if (fine) {
        core->items = collect(core, knapsack, items);
        prepare(core, items, plain);
    } else {
        knapsack_core_free(core);
    }
    free(items);
    return fine;
}

void knapsack_core_free(struct knapsack_core *core)
{
    free(core->weight);
    free(core->profit);
    free(core->lighter);
    *core = (struct knapsack_core) { 0 };
}
