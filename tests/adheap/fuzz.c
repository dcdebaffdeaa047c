/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap in fuzz_use.c: how large, an empty one, what loading does (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "adheap/adheap.h"
#include "adheap/fuzz.h"

enum { HEAPS = 3, CAPACITY = 32 };

static clade_adheap adheap_of(void)
{
    clade_adheap a = { 0 };
    const clade_adheap_params params = {
        .heaps = HEAPS, .capacity = CAPACITY, .arity = 8, .key = CLADE_U32, .values = 1
    };
    if (cladei_adheap_plan(&a, fuzz_context(), &params) != CLADE_OK)
        abort();
    return a;
}

static size_t adheap_bytes(unsigned variant)
{
    (void)variant;
    return (size_t)adheap_of().object.bytes;
}

static void adheap_empty(unsigned variant, uint32_t *words)
{
    const clade_adheap a = adheap_of();
    (void)variant;
    memcpy(words, &a.head, sizeof a.head);
    fuzz_put_head(words, &a.object);
}

static clade_status adheap_load(unsigned variant, uint32_t *words)
{
    const clade_adheap a = adheap_of();
    (void)variant;
    return cladei_adheap_verify(&a, words);
}

static void adheap_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_adheap(object, seed, steps);
}

const struct fuzz_kind adheap_fuzz[] = {
    { 1, adheap_bytes, adheap_empty, adheap_load, adheap_use, NULL },
    { 0 },
};
