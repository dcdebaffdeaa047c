/* SPDX-License-Identifier: Apache-2.0 */
/* Reading numbers and names from a command line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A whole decimal number from `low` to `high`, nothing around it. */
bool option_number(const char *text, uint64_t low, uint64_t high, uint64_t *value);

/* The name of a heap's engine: auto, top-down, bottom-up or front. */
bool option_engine(const char *text, uint32_t *engine);
