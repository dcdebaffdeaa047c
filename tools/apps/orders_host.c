/* SPDX-License-Identifier: Apache-2.0 */
/* The replay on the host, in the order of the file, on two std::maps; and whether the device's is
 * the same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/orders.h"
#include "baseline/map.h"
#include "common/clock.h"

struct host {
    struct baseline_map *book, *index;
    bool memory_is_out;
};

uint64_t orders_side_key(uint32_t symbol, uint32_t side)
{
    return (uint64_t)symbol << 48 | (uint64_t)side << 47;
}

uint32_t orders_rank(uint32_t side, uint32_t price)
{
    return side == ORDERS_BUY ? (uint32_t)ORDERS_PRICE_MAX - price : price;
}

uint64_t orders_key(uint32_t symbol, const struct orders_event *event, uint32_t arrival)
{
    return orders_side_key(symbol, event->kind) |
           (uint64_t)orders_rank(event->kind, event->price) << 24 | arrival;
}

static struct orders_outcome cancel(struct host *h, uint32_t symbol, uint32_t id)
{
    uint64_t key;
    if (!baseline_map_find(h->index, (uint64_t)symbol << 32 | id, &key))
        return (struct orders_outcome) { .outcome = ORDERS_MISSED };
    baseline_map_erase(h->book, key);
    baseline_map_erase(h->index, (uint64_t)symbol << 32 | id);
    return (struct orders_outcome) { .outcome = ORDERS_CANCELLED };
}

static struct orders_outcome trade(struct host *h, uint32_t symbol, const struct orders_event *e,
                                   uint32_t arrival)
{
    struct orders_outcome o = { .outcome = ORDERS_RESTS };
    const uint32_t side = 1 - e->kind;
    uint64_t known, key, value;
    uint32_t rest = e->size;
    if (baseline_map_find(h->index, (uint64_t)symbol << 32 | e->id, &known))
        return (struct orders_outcome) { .outcome = ORDERS_REJECTED };
    for (;;) {
        key = orders_side_key(symbol, side);
        if (rest == 0 || !baseline_map_lower_bound(h->book, &key, &value) ||
            key >> 47 != orders_side_key(symbol, side) >> 47)
            break;
        const uint32_t best = orders_rank(side, (uint32_t)(key >> 24) & (uint32_t)ORDERS_PRICE_MAX);
        if (e->kind == ORDERS_BUY ? best > e->price : best < e->price)
            break;
        const uint32_t size = (uint32_t)value, taken = rest < size ? rest : size;
        rest -= taken;
        o.filled += taken;
        o.cost += (uint64_t)taken * best;
        if (taken == size) {
            baseline_map_erase(h->book, key);
            baseline_map_erase(h->index, (uint64_t)symbol << 32 | value >> 32);
        } else {
            h->memory_is_out |= !baseline_map_put(h->book, key, value - taken);
        }
    }
    if (rest > 0) {
        key = orders_key(symbol, e, arrival);
        h->memory_is_out |= !baseline_map_put(h->book, key, (uint64_t)e->id << 32 | rest) ||
                            !baseline_map_put(h->index, (uint64_t)symbol << 32 | e->id, key);
    }
    return o;
}

/* The device's resting orders are the map's. */
static bool same_book(const struct orders_result *result, const struct host *h,
                      const uint64_t *keys, const uint64_t *values, char *why, size_t room)
{
    if (baseline_map_size(h->book) != result->resting ||
        baseline_map_size(h->index) != result->resting) {
        snprintf(why, room, "%" PRIu64 " orders rest, std::map has %zu and %zu", result->resting,
                 baseline_map_size(h->book), baseline_map_size(h->index));
        return false;
    }
    for (uint64_t i = 0; i < result->resting; i++) {
        uint64_t value;
        if (!baseline_map_find(h->book, keys[i], &value) || value != values[i] ||
            (i > 0 && keys[i] <= keys[i - 1])) {
            snprintf(why, room, "resting order %" PRIu64 " is not std::map's", i);
            return false;
        }
    }
    return true;
}

bool orders_check(const struct orders_result *result, const struct orders *orders,
                  const uint64_t *keys, const uint64_t *values, double *time_ms, char *why,
                  size_t room)
{
    struct host h = { baseline_map_create(), baseline_map_create(), false };
    uint32_t *arrivals = calloc(ORDERS_SYMBOL_MAX + 1, sizeof *arrivals);
    bool same = h.book && h.index && arrivals;
    if (!same)
        snprintf(why, room,
                 "there is no std::map to compare with: clade was built without a C++ compiler, or "
                 "memory is out");
    const double begin = now_ms();
    for (uint64_t i = 0; same && i < orders->count; i++) {
        const struct orders_event *e = &orders->events[i];
        const uint32_t symbol = orders->symbol[i], arrival = arrivals[symbol]++;
        const struct orders_outcome want =
            e->kind == ORDERS_CANCEL ? cancel(&h, symbol, e->id) : trade(&h, symbol, e, arrival);
        const struct orders_outcome *got = &result->outcomes[i];
        same = got->outcome == want.outcome && got->filled == want.filled && got->cost == want.cost;
        if (!same)
            snprintf(why, room,
                     "event %" PRIu64 " differs from std::map's: filled %" PRIu32 " for %" PRIu64
                     ", outcome %" PRIu32 ", not %" PRIu32 " for %" PRIu64 ", %" PRIu32,
                     i + 1, got->filled, got->cost, got->outcome, want.filled, want.cost,
                     want.outcome);
    }
    *time_ms = now_ms() - begin;
    if (same && h.memory_is_out)
        same = snprintf(why, room, "memory is out") < 0;
    same = same && same_book(result, &h, keys, values, why, room);
    baseline_map_destroy(h.book);
    baseline_map_destroy(h.index);
    free(arrivals);
    return same;
}
