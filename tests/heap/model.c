/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clade/shared/types.h>

void model_heap_push(struct model_heap *model, uint64_t order)
{
    if (model->count == model->room) {
        model->room = model->room ? model->room * 2 : 64;
        model->orders = realloc(model->orders, model->room * sizeof *model->orders);
        if (!model->orders)
            abort();
    }
    size_t at = model->count++;
    for (; at > 0 && order < model->orders[(at - 1) / 2]; at = (at - 1) / 2)
        model->orders[at] = model->orders[(at - 1) / 2];
    model->orders[at] = order;
}

uint64_t model_heap_pop(struct model_heap *model)
{
    uint64_t least = model->orders[0], moved = model->orders[--model->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < model->count) {
        if (child + 1 < model->count && model->orders[child + 1] < model->orders[child])
            child++;
        if (model->orders[child] >= moved)
            break;
        model->orders[at] = model->orders[child];
        at = child;
    }
    model->orders[at] = moved;
    return least;
}

void model_heap_free(struct model_heap *model)
{
    free(model->orders);
    *model = (struct model_heap) { 0 };
}

static double as_double(uint32_t type, uint64_t bits)
{
    if (type == CLADE_F64) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    float x;
    uint32_t word = (uint32_t)bits;
    memcpy(&x, &word, sizeof x);
    return x;
}

bool model_heap_is_nan(uint32_t type, uint64_t bits)
{
    return CLADE_TYPE_IS_FLOAT(type) && isnan(as_double(type, bits));
}

/* A double's rank among doubles: how far from the least, counting steps of the magnitude. */
static uint64_t double_rank(double x)
{
    uint64_t magnitude;
    double positive = fabs(x);
    memcpy(&magnitude, &positive, sizeof magnitude);
    return signbit(x) ? 0x7fffffffffffffffu - magnitude : 0x8000000000000000u + magnitude;
}

uint64_t model_heap_order(uint32_t type, uint32_t order, uint64_t bits)
{
    uint64_t rank = 0;
    switch (type) {
    case CLADE_I32:
        rank = (uint64_t)((int64_t)(int32_t)(uint32_t)bits + 0x80000000ll);
        break;
    case CLADE_I64:
        rank = bits + 0x8000000000000000u;
        break;
    case CLADE_U32:
    case CLADE_U64:
        rank = bits;
        break;
    default:
        rank = double_rank(as_double(type, bits));
        break;
    }
    return order == CLADE_MAX ? ~rank : rank;
}
