/* SPDX-License-Identifier: Apache-2.0 */
#include "search/knapsack_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "common/random.h"
#include "graph/parse.h"

/* --- reading -------------------------------------------------------------------------------- */

/* Pass empty lines. Returns what the next line starts with, or TEXTFILE_END. */
static int to_text(struct textfile *file)
{
    return graph_skip_comments(file, '\n');
}

static bool parse_sizes(struct knapsack *k, struct textfile *file, struct file_error *error)
{
    int start = to_text(file);
    char word[48];
    if (start == TEXTFILE_END)
        return textfile_fail(file, error, "the file is empty");
    if ((start < '0' || start > '9') && start != '-') {
        textfile_word(file, word, sizeof word);
        return textfile_fail(file, error,
                             "this is not a knapsack file: it starts with '%s', not with the "
                             "number of items",
                             word);
    }
    if (!graph_field(file, "the number of items", 1, KNAPSACK_ITEMS_MAX, &k->items, error))
        return false;
    to_text(file);
    return graph_field(file, "the capacity", 0, KNAPSACK_CAPACITY_MAX, &k->capacity, error) &&
           graph_line_end(file, error);
}

/* What follows the items: nothing, or a solution. */
static bool parse_rest(const struct knapsack *k, struct textfile *file, struct file_error *error)
{
    uint64_t taken;
    textfile_next_line(file);
    if (to_text(file) == TEXTFILE_END)
        return true;
    for (uint64_t i = 0; i < k->items; i++)
        if (!graph_field(file, "after the items, a 0 or 1 of the solution", 0, 1, &taken, error))
            return false;
    if (!graph_line_end(file, error))
        return false;
    textfile_next_line(file);
    return to_text(file) == TEXTFILE_END ||
           textfile_fail(file, error, "there is more text after the solution");
}

static bool parse_items(struct knapsack *k, struct textfile *file, struct file_error *error)
{
    uint64_t profit_room = 0, weight_room = 0, profit, weight;
    for (uint64_t i = 0; i < k->items; i++) {
        textfile_next_line(file);
        if (to_text(file) == TEXTFILE_END)
            return textfile_fail(file, error,
                                 "the file ends after %" PRIu64 " of its %" PRIu64
                                 " items: it is truncated",
                                 i, k->items);
        if (!graph_field(file, "the profit", 0, KNAPSACK_VALUE_MAX, &profit, error) ||
            !graph_field(file, "the weight", 0, KNAPSACK_VALUE_MAX, &weight, error) ||
            !graph_line_end(file, error))
            return false;
        if (!graph_grow(&k->profit, &profit_room, i + 1, sizeof *k->profit) ||
            !graph_grow(&k->weight, &weight_room, i + 1, sizeof *k->weight))
            return textfile_fail(file, error, "memory is out after %" PRIu64 " items", i);
        k->profit[i] = (uint32_t)profit;
        k->weight[i] = (uint32_t)weight;
    }
    return parse_rest(k, file, error);
}

/* Takes `file`. */
static bool read_and_close(struct knapsack *out, struct textfile *file, struct file_error *error)
{
    struct knapsack k = { 0 };
    bool fine = parse_sizes(&k, file, error) && parse_items(&k, file, error);
    if (fine && !textfile_intact(file))
        fine = textfile_fail(file, error, "the file is damaged");
    textfile_close(file);
    if (fine)
        *out = k;
    else
        knapsack_free(&k);
    return fine;
}

bool knapsack_read(struct knapsack *out, const char *path, struct file_error *error)
{
    struct textfile *file = textfile_open(path, error);
    return file && read_and_close(out, file, error);
}

bool knapsack_read_memory(struct knapsack *out, const char *name, const void *data, size_t bytes,
                          struct file_error *error)
{
    struct textfile *file = textfile_open_memory(name, data, bytes, error);
    return file && read_and_close(out, file, error);
}

/* --- making up ------------------------------------------------------------------------------ */

static uint32_t make_profit(enum knapsack_kind kind, uint32_t weight, uint64_t random)
{
    if (kind == KNAPSACK_UNCORRELATED)
        return 1 + (uint32_t)(random % 1000);
    if (kind == KNAPSACK_STRONG)
        return weight + 100;
    const uint32_t raised = weight + (uint32_t)(random % 201);
    return raised > 101 ? raised - 100 : 1;
}

bool knapsack_generate(struct knapsack *out, uint64_t items, enum knapsack_kind kind, uint64_t seed)
{
    struct knapsack k = { .items = items };
    uint64_t total = 0;
    k.profit = malloc((size_t)items * sizeof *k.profit);
    k.weight = malloc((size_t)items * sizeof *k.weight);
    if (!k.profit || !k.weight) {
        knapsack_free(&k);
        return false;
    }
    for (uint64_t i = 0; i < items; i++) {
        k.weight[i] = 1 + (uint32_t)(random_next(&seed) % 1000);
        k.profit[i] = make_profit(kind, k.weight[i], random_next(&seed));
        total += k.weight[i];
    }
    k.capacity = total / 3;
    *out = k;
    return true;
}

bool knapsack_write(const struct knapsack *knapsack, const char *path, struct file_error *error)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    if (file)
        fprintf(file, "%" PRIu64 " %" PRIu64 "\n", knapsack->items, knapsack->capacity);
    for (uint64_t i = 0; file && i < knapsack->items; i++)
        fprintf(file, "%" PRIu32 " %" PRIu32 "\n", knapsack->profit[i], knapsack->weight[i]);
    return outfile_close(&out) ||
           file_error_set(error, path, "the file cannot be written: %s", strerror(errno));
}

void knapsack_free(struct knapsack *knapsack)
{
    if (!knapsack)
        return;
    free(knapsack->profit);
    free(knapsack->weight);
    *knapsack = (struct knapsack) { 0 };
}
