/* SPDX-License-Identifier: Apache-2.0 */
/* The sequential model of the ordered map: keys are places in a fixed universe, so that a place is
 * a key's rank among all keys that may occur and every answer is found by looking. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct model {
    uint32_t universe;
    uint8_t *present;
    uint64_t *values;
    uint64_t size;
};

void model_open(struct model *model, uint32_t universe);
void model_close(struct model *model);
/* Whether the key was there before; insert then leaves the value, assign replaces it. */
bool model_insert(struct model *model, uint32_t place, uint64_t value);
bool model_put(struct model *model, uint32_t place, uint64_t value);
bool model_erase(struct model *model, uint32_t place);
/* The nearest place from `place` on, upwards or downwards; false when there is none. */
bool model_up(const struct model *model, int64_t place, uint32_t *found);
bool model_down(const struct model *model, int64_t place, uint32_t *found);
