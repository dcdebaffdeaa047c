/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/W/fuzz.c is written with: the kinds of object that fuzz_use.c damages. A variant is
 * one of a kind's shapes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"
#include "device/context.h"
#include "harness/structures.h"
#include "object/object.h"

struct fuzz_kind {
    unsigned variants;
    size_t (*bytes)(unsigned variant);
    void (*empty)(unsigned variant, uint32_t *words); /* into zeroed memory */
    clade_status (*load)(unsigned variant, uint32_t *words);
    void (*use)(unsigned variant, void *object, uint32_t seed, uint32_t steps);
    size_t (*patched)(unsigned variant); /* bytes that inputs change; NULL: all */
};

/* tests/W/fuzz.c has W_fuzz[], ended by one without variants. */
#define DECLARE_FUZZ(structure) extern const struct fuzz_kind structure##_fuzz[];
CLADE_FUZZ(DECLARE_FUZZ)

/* A CPU without limits that matter. */
clade_context *fuzz_context(void);
void fuzz_put_head(uint32_t *words, const struct cladei_object *object);
/* `bytes` zeroed bytes, FUZZ_ROOM at most, before pages that nobody may touch. `*start` is NULL, or
 * what an earlier call left there; the bytes of that call are used again. */
enum { FUZZ_ROOM = 1 << 20 };
uint32_t *fuzz_guarded(char **start, size_t bytes);
