/* SPDX-License-Identifier: Apache-2.0 */
/* All kinds, and what opening one takes. */
#include <string.h>

#include "alone/alone.h"

#define LINE(structure) structure##_alone,
const struct kind *const kinds[] = { CLADE_ALONE(LINE) };
const size_t kind_count = sizeof kinds / sizeof kinds[0];

/* Numbers from 1 on, of 32 bits or of 64: keys, values. */
static const uint32_t *numbers32(void)
{
    static uint32_t n[FILLED];
    for (uint32_t i = 0; i < FILLED; i++)
        n[i] = i + 1;
    return n;
}

static const uint64_t *numbers64(void)
{
    static uint64_t n[FILLED];
    for (uint32_t i = 0; i < FILLED; i++)
        n[i] = i + 1;
    return n;
}

clade_array alone_numbers(uint32_t type)
{
    if (type == CLADE_NONE)
        return clade_no_array();
    return clade_host(type >= CLADE_I64 ? (void *)numbers64() : (void *)numbers32());
}

void alone_wrong(struct world *w, uint32_t shape)
{
    for (size_t i = 0; i < WRONG_MOST && shape != w->shape; i++)
        if (w->wrong[i] == 0) {
            w->wrong[i] = shape;
            return;
        }
}

/* Options, and the sizes that every kernel has room for. */
void alone_options(struct world *w, const char *options)
{
    w->options[0] = 0;
    if (options)
        strncat(w->options, options, sizeof w->options - 1);
}

clade_status alone_make_kma(struct world *w, int debug)
{
    TRY(clade_kma_create(&w->own_kma, w->context,
                         &(clade_kma_params) { .bytes = 4 << 20, .debug = debug }));
    w->kma = clade_kma_mem(w->own_kma);
    return CLADE_OK;
}

void alone_refs(struct world *w, const uint32_t *refs)
{
    for (int i = 0; i < FILLED; i++)
        w->room[i] = refs[i];
}
