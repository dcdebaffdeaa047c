/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes given to the readers of knapsack instances and of grid maps: something sound, or one
 * line that says what is wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/gridmap.h"
#include "search/knapsack_core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise was broken: end in a way that every fuzzer notices. */
static void require(int holds, const char *promise)
{
    if (!holds) {
        fprintf(stderr, "fuzz_knapsack: broken promise: %s\n", promise);
        abort();
    }
}

static void check_refusal(const struct file_error *error)
{
    require(strncmp(error->text, "fuzz", 4) == 0, "the message names the file");
    require(strlen(error->text) > 15, "the message is a sentence");
    require(!strchr(error->text, '\n'), "the message is one line");
}

/* What is found, what is bounded and the optimum are in order; only where that is quick. */
static void check_core(const struct knapsack *k)
{
    char why[400];
    uint64_t optimum;
    struct knapsack_core core;
    if (k->items > 100 || k->capacity > 10000)
        return;
    require(knapsack_core_create(&core, k, k->items % 2), "a core is made");
    require(knapsack_prove(k, &optimum, why, sizeof why), "a small instance is provable");
    require(core.found <= optimum && optimum <= core.bound, "found <= optimum <= bound");
    if (core.items < 16)
        require(knapsack_host_solve(&core, 1, NULL).best == optimum, "the optimum is found");
    knapsack_core_free(&core);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct knapsack k = { 0 };
    struct gridmap map = { 0 };
    struct file_error error = { "" };
    if (knapsack_read_memory(&k, "fuzz", data, size, &error)) {
        require(k.items >= 1 && k.profit && k.weight, "an instance that is read has items");
        check_core(&k);
        knapsack_free(&k);
    } else {
        check_refusal(&error);
        require(!k.profit && !k.weight, "a failure leaves the result");
    }
    if (gridmap_read_memory(&map, "fuzz", data, size, &error)) {
        for (size_t i = 0; i < (size_t)map.width * map.height; i++)
            require(map.blocked[i] < 2, "a cell is free or not");
        gridmap_free(&map);
    } else {
        check_refusal(&error);
        require(!map.blocked, "a failure leaves the result");
    }
    return 0;
}
