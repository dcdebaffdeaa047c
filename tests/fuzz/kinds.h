/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of object for fuzz_use.c. A variant is one of its shapes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"

struct kind {
    unsigned variants;
    size_t (*bytes)(unsigned variant);
    void (*empty)(unsigned variant, uint32_t *words); /* into zeroed memory */
    clade_status (*load)(unsigned variant, uint32_t *words);
    void (*use)(unsigned variant, void *object, uint32_t seed, uint32_t steps);
    size_t (*patched)(unsigned variant); /* bytes that inputs change; NULL: all */
};

/* kinds_heaps.c */
extern const struct kind kind_heap, kind_front, kind_kma;
