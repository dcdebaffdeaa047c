/* SPDX-License-Identifier: Apache-2.0 */
#include "paths/model.h"

static uint32_t draw_weight(struct random *random, uint32_t type, enum weights weights)
{
    float real;
    uint32_t weight = 0;
    switch (weights) {
    case SMALL:
        weight = (uint32_t)random_below(random, 100);
        break;
    case MANY_ZEROS:
        weight = (uint32_t)random_below(random, 2);
        break;
    case LARGE:
        weight = (uint32_t)random_below(random, UINT32_MAX);
        break;
    case SKEWED:
        weight = random_below(random, 8) ? 1 : (uint32_t)random_below(random, 1u << 24);
        break;
    default:
        weight = 7;
    }
    if (type == CLADE_PATHS_U32)
        return weight;
    real = (float)weight * 0.37f;
    memcpy(&weight, &real, sizeof weight);
    return weight;
}

struct drawn draw_graph(struct random *random, uint32_t nodes, uint32_t arcs, uint32_t type,
                        enum weights weights)
{
    struct drawn it = { .nodes = nodes, .arcs = arcs, .type = type };
    it.offsets = test_calloc(nodes + 2, 4);
    it.targets = test_calloc(arcs + 1, 4);
    it.weights = test_calloc(arcs + 1, 4);
    for (uint32_t arc = 0; arc < arcs; arc++)
        it.offsets[random_below(random, nodes) + 1]++;
    for (uint32_t node = 0; node < nodes; node++)
        it.offsets[node + 1] += it.offsets[node];
    for (uint32_t arc = 0; arc < arcs; arc++) {
        it.targets[arc] = (uint32_t)random_below(random, nodes);
        it.weights[arc] = draw_weight(random, type, weights);
    }
    return it;
}

void drawn_free(struct drawn *drawn)
{
    test_free(drawn->offsets);
    test_free(drawn->targets);
    test_free(drawn->weights);
}

uint64_t sum_of(const struct drawn *drawn, bool wide, uint64_t length, uint32_t weight)
{
    float sum, more;
    const uint32_t narrow = (uint32_t)length;
    uint32_t bits;
    if (drawn->type == CLADE_PATHS_U32)
        return !wide && length + weight >= UINT32_MAX ? UINT64_MAX : length + weight;
    memcpy(&sum, &narrow, sizeof sum);
    memcpy(&more, &weight, sizeof more);
    sum += more;
    memcpy(&bits, &sum, sizeof bits);
    return bits >= 0x7f800000u ? UINT64_MAX : bits;
}

/* The node with the least length of those that are not done; UINT32_MAX: none. Bits of floats that
 * are not negative are in the floats' order. */
static uint32_t least_of(const uint64_t *lengths, const bool *done, uint32_t nodes)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t node = 0; node < nodes; node++)
        if (!done[node] && lengths[node] != UINT64_MAX &&
            (least == UINT32_MAX || lengths[node] < lengths[least]))
            least = node;
    return least;
}

void dijkstra(const struct drawn *drawn, const uint32_t *sources, uint64_t count, bool wide,
              uint64_t *lengths, bool *overflow)
{
    bool *done = test_calloc(drawn->nodes, sizeof *done);
    uint32_t node;
    for (uint32_t i = 0; i < drawn->nodes; i++)
        lengths[i] = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++)
        lengths[sources[i]] = 0;
    while ((node = least_of(lengths, done, drawn->nodes)) != UINT32_MAX) {
        done[node] = true;
        for (uint32_t arc = drawn->offsets[node]; arc < drawn->offsets[node + 1]; arc++) {
            const uint64_t sum = sum_of(drawn, wide, lengths[node], drawn->weights[arc]);
            if (sum < lengths[drawn->targets[arc]])
                lengths[drawn->targets[arc]] = sum;
        }
    }
    *overflow = false;
    for (uint32_t from = 0; from < drawn->nodes; from++)
        for (uint32_t arc = drawn->offsets[from]; arc < drawn->offsets[from + 1]; arc++)
            *overflow |= lengths[from] != UINT64_MAX && lengths[drawn->targets[arc]] == UINT64_MAX;
    test_free(done);
}

static bool is_tight(const struct drawn *drawn, bool wide, const uint64_t *lengths, uint32_t from,
                     uint32_t to)
{
    for (uint32_t arc = drawn->offsets[from]; arc < drawn->offsets[from + 1]; arc++)
        if (drawn->targets[arc] == to &&
            sum_of(drawn, wide, lengths[from], drawn->weights[arc]) == lengths[to])
            return true;
    return false;
}

void assert_forest(const struct drawn *drawn, bool wide, const uint64_t *lengths,
                   const uint32_t *predecessors, const uint32_t *sources, uint64_t count)
{
    bool *is_source = test_calloc(drawn->nodes, sizeof *is_source);
    for (uint64_t i = 0; i < count; i++)
        is_source[sources[i]] = true;
    for (uint32_t node = 0; node < drawn->nodes; node++) {
        uint32_t at = node, steps = 0;
        if (is_source[node] || lengths[node] == UINT64_MAX) {
            assert_int_equal(predecessors[node], CLADE_PATHS_NONE);
            continue;
        }
        assert_true(predecessors[node] < drawn->nodes);
        assert_true(is_tight(drawn, wide, lengths, predecessors[node], node));
        while (!is_source[at]) {
            assert_true(++steps < drawn->nodes); /* no circle */
            at = predecessors[at];
            assert_true(at < drawn->nodes);
        }
    }
    test_free(is_source);
}
