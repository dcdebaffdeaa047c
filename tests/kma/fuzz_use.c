/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator, as kernels use it (tests/fuzz/use.h). */
#include "host/device.h"

#include "clade/atomic.clh"

#undef __kernel
#define __kernel static
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"
#undef min
#undef max

#include "fuzz/use.h"
#include "kma/fuzz.h"

enum { HELD = 32, PLACES = 4 };

void use_kma_make_ready(void *object)
{
    clade_kma_head *kma = object;
    for (size_t i = 0; i < (size_t)kma->ready_classes << kma->part_bits; i++) {
        shim_self = (struct shim_item) { .global_id = i, .local_size = 1, .groups = 1 };
        clade_kma_make_ready(kma);
    }
    shim_self = (struct shim_item) { 0 };
}

/* A block lies behind the bookkeeping, and all of it may be written. */
static void fill(char *memory, uint32_t bookkeeping, clade_ref ref, clade_u64 bytes)
{
    const clade_u64 from = (clade_u64)(ref - 1u) * CLADE_KMA_UNIT_BYTES;
    if (from < bookkeeping)
        __builtin_trap();
    for (clade_u64 i = 0; i < bytes; i += CLADE_KMA_UNIT_BYTES)
        memory[from + i] = 1;
    memory[from + bytes - 1u] = 1;
}

/* Blocks that are not given back stay live. Refs that nobody was given are refused. */
void use_kma(void *object, uint32_t bookkeeping, uint32_t state, uint32_t steps)
{
    clade_kma_head *kma = object;
    clade_ref held[HELD] = { 0 };
    while (steps-- > 0) {
        const uint at = use_draw(&state) % HELD, what = use_draw(&state);
        const clade_u64 bytes = 1u + use_draw(&state) % (what & 4u ? 2000u : 70000u);
        shim_self = (struct shim_item) { .local_size = 1, .groups = PLACES };
        shim_self.group_id = shim_self.global_id = use_draw(&state) % PLACES;
        if (held[at] != CLADE_NIL) {
            clade_kma_free_wi(kma, held[at]);
            held[at] = CLADE_NIL;
        } else if (what % 16u == 0u) {
            clade_kma_free_wi(kma, state);
        } else {
            held[at] = clade_kma_malloc_wi(kma, bytes);
            if (held[at] != CLADE_NIL)
                fill(object, bookkeeping, held[at], bytes);
        }
    }
    shim_self = (struct shim_item) { 0 };
}
