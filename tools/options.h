/* SPDX-License-Identifier: Apache-2.0 */
/* Reading numbers from a command line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A whole decimal number from `low` to `high`, nothing around it. */
bool option_number(const char *text, uint64_t low, uint64_t high, uint64_t *value);
