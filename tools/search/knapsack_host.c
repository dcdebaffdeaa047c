/* SPDX-License-Identifier: Apache-2.0 */
/* The search on the host, to compare with, and the optimum by dynamic programming, to prove with.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "search/knapsack_core.h"

/* --- a binary heap, greatest key first ------------------------------------------------------- */

struct node {
    uint64_t bound; /* of the whole profit */
    uint64_t room;
    uint32_t level; /* the next item to decide; deeper nodes come first among equals */
};

struct queue {
    struct node *nodes;
    size_t count, room;
};

static bool before(const struct node *a, const struct node *b)
{
    return a->bound != b->bound ? a->bound > b->bound : a->level > b->level;
}

static bool queue_push(struct queue *queue, struct node node)
{
    if (queue->count == queue->room) {
        size_t room = queue->room ? 2 * queue->room : 1024;
        struct node *grown = realloc(queue->nodes, room * sizeof *grown);
        if (!grown)
            return false;
        queue->nodes = grown;
        queue->room = room;
    }
    size_t i = queue->count++;
    for (; i > 0 && before(&node, &queue->nodes[(i - 1) / 2]); i = (i - 1) / 2)
        queue->nodes[i] = queue->nodes[(i - 1) / 2];
    queue->nodes[i] = node;
    return true;
}

static struct node queue_pop(struct queue *queue)
{
    const struct node first = queue->nodes[0], last = queue->nodes[--queue->count];
    size_t i = 0;
    for (size_t child = 1; child < queue->count; child = 2 * i + 1) {
        if (child + 1 < queue->count && before(&queue->nodes[child + 1], &queue->nodes[child]))
            child++;
        if (!before(&queue->nodes[child], &last))
            break;
        queue->nodes[i] = queue->nodes[child];
        i = child;
    }
    queue->nodes[i] = last;
    return first;
}

/* --- the search ------------------------------------------------------------------------------ */

/* Remembers for many (level, room) the best bound seen, in one word each, as the kernel does: an
 * invertible mixing of (level, room) gives a place and a tag. Exact on what it remembers; forgets.
 */
enum { TABLE_BITS = 20 };

struct search {
    const struct knapsack_core *core;
    struct queue queue;
    uint64_t *table; /* NULL: no dominance */
    unsigned room_bits, kind_bits, tag_bits, gain_bits;
    uint64_t best;
};

static unsigned bits_for(uint64_t value)
{
    unsigned bits = 1;
    while (bits < 64 && value >> bits)
        bits++;
    return bits;
}

/* false: memory is out. Without a table where a word cannot name a kind of node and its gain. */
static bool make_table(struct search *s)
{
    const struct knapsack_core *core = s->core;
    s->room_bits = bits_for(core->capacity);
    s->kind_bits = s->room_bits + bits_for(core->items);
    s->tag_bits = s->kind_bits > TABLE_BITS ? s->kind_bits - TABLE_BITS : 0;
    s->gain_bits = bits_for(core->bound - core->found);
    if (s->kind_bits >= 64 || s->tag_bits + s->gain_bits > 64)
        return true;
    s->table = calloc((size_t)1 << (s->kind_bits - s->tag_bits), sizeof *s->table);
    return s->table != NULL;
}

static uint64_t *find_word(const struct search *s, uint32_t level, uint64_t room, uint64_t *tag)
{
    const uint64_t mask = ~UINT64_C(0) >> (64 - s->kind_bits);
    uint64_t x = (uint64_t)level << s->room_bits | room;
    x = x * UINT64_C(0x9e3779b97f4a7c15) & mask;
    x ^= x >> (s->kind_bits / 2 + 1);
    x = x * UINT64_C(0xd6e8feb86659fd93) & mask;
    *tag = x & ((UINT64_C(1) << s->tag_bits) - 1);
    return &s->table[x >> s->tag_bits];
}

/* The bound remembered for (level, room), as a gain; 0: none. */
static uint64_t seen_gain(const struct search *s, uint64_t word, uint64_t tag)
{
    return word >> s->gain_bits == tag ? word & ((UINT64_C(1) << s->gain_bits) - 1) : 0;
}

/* A node: raise the best by what it holds and what fits at once; keep it if it may do better. */
static bool offer(struct search *s, uint32_t level, uint64_t room, uint64_t profit)
{
    const struct knapsack_core *core = s->core;
    uint32_t next;
    uint64_t whole;
    while (level < core->items && core->weight[level + 1] - core->weight[level] > room)
        level = core->lighter[level];
    const uint64_t bound = profit + knapsack_core_fill(core, level, room, &next, &whole);
    if (profit + whole > s->best)
        s->best = profit + whole;
    if (bound <= s->best)
        return true;
    if (s->table) {
        uint64_t tag, *word = find_word(s, level, room, &tag), gain = bound - core->found;
        if (seen_gain(s, *word, tag) >= gain)
            return true;
        *word = tag << s->gain_bits | gain;
    }
    return queue_push(&s->queue, (struct node) { bound, room, level });
}

static bool expand(struct search *s, struct node node)
{
    const struct knapsack_core *core = s->core;
    uint32_t next;
    uint64_t whole;
    const uint64_t profit =
        node.bound - knapsack_core_fill(core, node.level, node.room, &next, &whole);
    const uint64_t weight = core->weight[node.level + 1] - core->weight[node.level];
    const uint64_t gain = core->profit[node.level + 1] - core->profit[node.level];
    return (weight > node.room || offer(s, node.level + 1, node.room - weight, profit + gain)) &&
           offer(s, node.level + 1, node.room, profit);
}

static bool better_seen(struct search *s, const struct node *node)
{
    uint64_t tag;
    if (!s->table)
        return false;
    const uint64_t word = *find_word(s, node->level, node->room, &tag);
    return seen_gain(s, word, tag) > node->bound - s->core->found;
}

struct knapsack_host_result knapsack_host_solve(const struct knapsack_core *core, bool dominance,
                                                const volatile int *stop)
{
    struct knapsack_host_result result = { 0 };
    struct search search = { .core = core, .best = core->found };
    const double begin = now_ms();
    bool fine = true;
    if (dominance && core->items > 0)
        fine = make_table(&search);
    if (fine && core->items > 0)
        fine = offer(&search, 0, core->capacity, core->known);
    while (fine && search.queue.count > 0 && search.queue.nodes[0].bound > search.best) {
        if ((result.stopped = stop && *stop))
            break;
        const struct node node = queue_pop(&search.queue);
        if (better_seen(&search, &node))
            continue;
        result.explored++;
        fine = expand(&search, node);
    }
    result.time_ms = now_ms() - begin;
    result.best = search.best;
    result.memory_out = !fine;
    free(search.queue.nodes);
    free(search.table);
    return result;
}

/* --- the proof ------------------------------------------------------------------------------- */

bool knapsack_provable(const struct knapsack *knapsack, char *why, size_t room)
{
    const uint64_t most = KNAPSACK_PROOF_BYTES / sizeof(uint64_t) - 1;
    const uint64_t capacity = knapsack->capacity;
    if (capacity <= most && capacity <= KNAPSACK_PROOF_STEPS / knapsack->items)
        return true;
    snprintf(why, room,
             "dynamic programming over %" PRIu64 " items and a capacity of %" PRIu64
             " is too large for --check: it takes capacities up to %" PRIu64 " and up to %" PRIu64
             " steps of one item and one unit each",
             knapsack->items, capacity, most, KNAPSACK_PROOF_STEPS);
    return false;
}

bool knapsack_prove(const struct knapsack *knapsack, uint64_t *optimum, char *why, size_t room)
{
    if (!knapsack_provable(knapsack, why, room))
        return false;
    const uint64_t capacity = knapsack->capacity;
    uint64_t *best = calloc((size_t)capacity + 1, sizeof *best);
    if (!best) {
        snprintf(why, room, "host memory is out for the proof");
        return false;
    }
    for (uint64_t i = 0; i < knapsack->items; i++) {
        const uint64_t weight = knapsack->weight[i], profit = knapsack->profit[i];
        for (uint64_t c = capacity + 1; c-- > weight;) /* none when the item is too heavy */
            if (best[c - weight] + profit > best[c])
                best[c] = best[c - weight] + profit;
    }
    *optimum = best[capacity];
    free(best);
    return true;
}
