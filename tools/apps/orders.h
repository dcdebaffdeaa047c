/* SPDX-License-Identifier: Apache-2.0 */
/* Order books replayed from a trace: what the parts of `clade orders` share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <clade/clade.h>

#include "common/textfile.h"

/* Kinds of events and outcomes, as in cl/tools/orders.cl. */
enum { ORDERS_BUY, ORDERS_SELL, ORDERS_CANCEL };
enum { ORDERS_RESTS, ORDERS_REJECTED, ORDERS_CANCELLED, ORDERS_MISSED, ORDERS_OUTCOMES };

#define ORDERS_SYMBOL_MAX UINT64_C(65535)
#define ORDERS_ID_MAX     UINT64_C(0xffffffff)
#define ORDERS_PRICE_MAX  UINT64_C(0x7fffff)
#define ORDERS_SIZE_MAX   UINT64_C(0x7fffffff)
#define ORDERS_EVENTS_MAX (UINT64_C(1) << 24) /* of one symbol; of all 2^28 */
#define ORDERS_TOTAL_MAX  (UINT64_C(1) << 28)

struct orders_event {
    uint32_t kind, id, price, size; /* a cancel has no price and size */
};

/* A trace: event i of the file is about symbol[i]. */
struct orders {
    uint64_t count;
    struct orders_event *events;
    uint16_t *symbol;
};

/* What an event came to. */
struct orders_outcome {
    uint64_t cost; /* sum of size * price of its trades */
    uint32_t filled, outcome;
};

/* What a replay came to; entries are the resting orders, by key. */
struct orders_result {
    struct orders_outcome *outcomes; /* of each event of the file */
    uint64_t resting;
    double time_ms;
    char error[1400];
};

/* Read a trace; false with a sentence in `error`. */
bool orders_read(struct orders *out, const char *path, struct file_error *error);
bool orders_generate(struct orders *out, uint64_t events, uint64_t symbols, uint64_t seed);
bool orders_write(const struct orders *orders, const char *path, struct file_error *error);
void orders_free(struct orders *orders);

/* Keys of both trees. `arrival`: how many events of the symbol came before. */
uint64_t orders_side_key(uint32_t symbol, uint32_t side);
uint64_t orders_key(uint32_t symbol, const struct orders_event *event, uint32_t arrival);
uint32_t orders_rank(uint32_t side, uint32_t price);

/* Replay in kernels. False on failure: result->error says why. `keys` and `values` receive the
 * resting orders, in order; the caller frees both and the outcomes. */
bool orders_solve(struct orders_result *result, clade_context *context, const struct orders *orders,
                  uint64_t **keys, uint64_t **values);
/* The same with std::map on the host, and compare. False: they differ, or it cannot be done; `why`
 * says. */
bool orders_check(const struct orders_result *result, const struct orders *orders,
                  const uint64_t *keys, const uint64_t *values, double *time_ms, char *why,
                  size_t room);
