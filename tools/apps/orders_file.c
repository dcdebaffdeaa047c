/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of orders: reading, making up, writing. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/orders.h"
#include "common/outfile.h"
#include "common/random.h"
#include "graph/parse.h"

struct rooms {
    uint64_t events, symbol;
};

static bool add(struct orders *o, struct rooms *rooms, struct orders_event event, uint64_t symbol)
{
    if (!graph_grow(&o->events, &rooms->events, o->count + 1, sizeof *o->events) ||
        !graph_grow(&o->symbol, &rooms->symbol, o->count + 1, sizeof *o->symbol))
        return false;
    o->events[o->count] = event;
    o->symbol[o->count++] = (uint16_t)symbol;
    return true;
}

/* One line: B or S SYMBOL ID PRICE SIZE, or C SYMBOL ID. */
static bool parse_event(struct textfile *file, struct orders_event *event, uint64_t *symbol,
                        struct file_error *error)
{
    uint64_t id, price = 0, size = 0;
    char word[48];
    textfile_word(file, word, sizeof word);
    if (strlen(word) != 1 || !strchr("BSC", *word))
        return textfile_fail(file, error, "an event is B, S or C, not '%s'", word);
    event->kind = *word == 'B' ? ORDERS_BUY : *word == 'S' ? ORDERS_SELL : ORDERS_CANCEL;
    if (!graph_field(file, "the symbol", 0, ORDERS_SYMBOL_MAX, symbol, error) ||
        !graph_field(file, "the order", 1, ORDERS_ID_MAX, &id, error))
        return false;
    if (event->kind != ORDERS_CANCEL &&
        (!graph_field(file, "the price", 1, ORDERS_PRICE_MAX, &price, error) ||
         !graph_field(file, "the size", 1, ORDERS_SIZE_MAX, &size, error)))
        return false;
    event->id = (uint32_t)id;
    event->price = (uint32_t)price;
    event->size = (uint32_t)size;
    return graph_line_end(file, error);
}

static bool parse(struct orders *o, struct textfile *file, struct file_error *error)
{
    struct rooms rooms = { 0, 0 };
    uint32_t *counts = calloc(ORDERS_SYMBOL_MAX + 1, sizeof *counts);
    bool fine = counts || textfile_fail(file, error, "memory is out");
    while (fine && graph_skip_comments(file, '#') != TEXTFILE_END) {
        struct orders_event event = { 0 };
        uint64_t symbol;
        fine = parse_event(file, &event, &symbol, error);
        if (fine && o->count == ORDERS_TOTAL_MAX)
            fine = textfile_fail(file, error, "there are more than %" PRIu64 " events",
                                 ORDERS_TOTAL_MAX);
        if (fine && counts[symbol]++ == ORDERS_EVENTS_MAX)
            fine = textfile_fail(file, error, "symbol %" PRIu64 " has more than %" PRIu64 " events",
                                 symbol, ORDERS_EVENTS_MAX);
        if (fine && !add(o, &rooms, event, symbol))
            fine = textfile_fail(file, error, "memory is out after %" PRIu64 " events", o->count);
        textfile_next_line(file);
    }
    free(counts);
    if (fine && o->count == 0)
        fine = textfile_fail(file, error, "the file has no events");
    return fine;
}

bool orders_read(struct orders *out, const char *path, struct file_error *error)
{
    struct orders o = { 0 };
    struct textfile *file = textfile_open(path, error);
    if (!file)
        return false;
    bool fine = parse(&o, file, error);
    if (fine && !textfile_intact(file))
        fine = textfile_fail(file, error, "the file is damaged");
    textfile_close(file);
    if (fine)
        *out = o;
    else
        orders_free(&o);
    return fine;
}

/* Six of ten events are orders near a price that wanders, four cancel an order of the same symbol,
 * which may be filled by then. */
bool orders_generate(struct orders *out, uint64_t events, uint64_t symbols, uint64_t seed)
{
    struct orders o = { 0 };
    struct rooms rooms = { 0, 0 };
    uint32_t *last = calloc((size_t)symbols, sizeof *last),
             *middle = calloc((size_t)symbols, sizeof *middle);
    bool fine = last && middle;
    for (uint64_t i = 0; fine && i < symbols; i++)
        middle[i] = 1000 + (uint32_t)(random_next(&seed) % 100000);
    for (uint64_t i = 0; fine && i < events; i++) {
        const uint64_t symbol = random_next(&seed) % symbols, r = random_next(&seed);
        struct orders_event event = { .kind = ORDERS_CANCEL };
        if (r % 10 < 6 || last[symbol] == 0) {
            event.kind = (r >> 8) % 2 ? ORDERS_SELL : ORDERS_BUY;
            event.id = ++last[symbol];
            event.size = 1 + (uint32_t)((r >> 12) % 500);
            event.price =
                middle[symbol] + (uint32_t)((r >> 24) % 40) - (event.kind == ORDERS_BUY ? 30 : 10);
            middle[symbol] += (uint32_t)((r >> 40) % 3) - (middle[symbol] > 500 ? 1 : 0);
        } else {
            const uint32_t back = (uint32_t)((r >> 8) % 64);
            event.id = last[symbol] > back ? last[symbol] - back : 1;
        }
        fine = add(&o, &rooms, event, symbol);
    }
    free(last);
    free(middle);
    if (fine)
        *out = o;
    else
        orders_free(&o);
    return fine;
}

bool orders_write(const struct orders *orders, const char *path, struct file_error *error)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    if (file)
        fprintf(file, "# B or S: SYMBOL ORDER PRICE SIZE; C: SYMBOL ORDER\n");
    for (uint64_t i = 0; file && i < orders->count; i++) {
        const struct orders_event *e = &orders->events[i];
        if (e->kind == ORDERS_CANCEL)
            fprintf(file, "C %u %" PRIu32 "\n", (unsigned)orders->symbol[i], e->id);
        else
            fprintf(file, "%c %u %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
                    e->kind == ORDERS_BUY ? 'B' : 'S', (unsigned)orders->symbol[i], e->id, e->price,
                    e->size);
    }
    return outfile_close(&out) ||
           file_error_set(error, path, "the file cannot be written: %s", strerror(errno));
}

void orders_free(struct orders *orders)
{
    free(orders->events);
    free(orders->symbol);
    *orders = (struct orders) { 0 };
}
