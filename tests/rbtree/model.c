/* SPDX-License-Identifier: Apache-2.0 */
#include "rbtree/model.h"

#include <stdlib.h>

void model_open(struct model *model, uint32_t universe)
{
    *model = (struct model) { .universe = universe };
    model->present = calloc(universe, 1);
    model->values = calloc(universe, sizeof *model->values);
    if (!model->present || !model->values)
        abort();
}

void model_close(struct model *model)
{
    free(model->present);
    free(model->values);
}

bool model_insert(struct model *model, uint32_t place, uint64_t value)
{
    if (model->present[place])
        return true;
    model->present[place] = 1;
    model->values[place] = value;
    model->size++;
    return false;
}

bool model_put(struct model *model, uint32_t place, uint64_t value)
{
    bool there = model_insert(model, place, value);
    model->values[place] = value;
    return there;
}

bool model_erase(struct model *model, uint32_t place)
{
    bool there = model->present[place];
    model->present[place] = 0;
    model->size -= there;
    return there;
}

bool model_up(const struct model *model, int64_t place, uint32_t *found)
{
    for (; place < model->universe; place++)
        if (model->present[place]) {
            *found = (uint32_t)place;
            return true;
        }
    return false;
}

bool model_down(const struct model *model, int64_t place, uint32_t *found)
{
    for (; place >= 0; place--)
        if (model->present[place]) {
            *found = (uint32_t)place;
            return true;
        }
    return false;
}
