/* SPDX-License-Identifier: Apache-2.0 */
/* Saved objects whose checksum fits, whatever else was changed in them: each is refused, or kernels
 * may use it without a step outside of it, and it is sound afterwards.
 *
 * An input patches a good object's bytes. What the library makes of them when it loads a file (the
 * checks, and what is rebuilt) is used by the device functions on this thread. The object ends
 * where a page begins that nobody may touch; no index of 32 bits leads past those that follow it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PREFILL = 70, STEPS = 60, KINDS_MOST = 32 };

clade_context *fuzz_context(void)
{
    static clade_context fake = { .caps = { .is_cpu = 1,
                                            .group_size_max = 256,
                                            .compute_units = 2,
                                            .alloc_bytes_max = (uint64_t)1 << 34 } };
    return &fake;
}

void fuzz_put_head(uint32_t *words, const struct cladei_object *object)
{
    const clade_object_head head = cladei_object_head(object);
    memcpy(words, &head, sizeof head);
}

static const struct fuzz_kind *kinds[KINDS_MOST];

/* How often each kind was refused and used. */
extern unsigned fuzz_use_kinds;
extern unsigned long fuzz_use_counts[][2];
unsigned fuzz_use_kinds;
unsigned long fuzz_use_counts[KINDS_MOST][2];

static void collect(void)
{
#define ARRAY(structure) structure##_fuzz,
    static const struct fuzz_kind *const all[] = { CLADE_FUZZ(ARRAY) };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (const struct fuzz_kind *kind = all[i]; kind->variants > 0; kind++) {
            if (fuzz_use_kinds == KINDS_MOST)
                abort();
            kinds[fuzz_use_kinds++] = kind;
        }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The guard is as many bytes as an index of 32 bits reaches, times a leaf of the front engine, with
 * some to spare. Aligned to 16 bytes, so a few bytes may be too many. */
uint32_t *fuzz_guarded(char **start, size_t bytes)
{
    const size_t room = FUZZ_ROOM, guard = (size_t)1 << 40;
    if (!*start) {
        *start =
            mmap(NULL, room + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (*start == MAP_FAILED || mprotect(*start, room, PROT_READ | PROT_WRITE) != 0)
            abort();
    }
    if (bytes > room)
        abort();
    return memset(*start + room - (bytes + 15) / 16 * 16, 0, (bytes + 15) / 16 * 16);
}

/* --- inputs ----------------------------------------------------------------------------------- */

/* Of 7 bytes: where, how, and what. */
static void patch(uint32_t *words, size_t count, const uint8_t *data)
{
    uint32_t value;
    uint32_t *word = &words[(data[0] | (size_t)data[1] << 8) % count];
    memcpy(&value, data + 3, sizeof value);
    switch (data[2] % 4) {
    case 0:
        *word = value;
        break;
    case 1:
        *word += value % 16 - 8;
        break;
    case 2:
        *word ^= 1u << value % 32;
        break;
    default: /* what is elsewhere in it */
        *word = words[value % count];
    }
}

static void try_input(const uint8_t *data, size_t size)
{
    /* A kind more gives others other numbers: then the kept inputs' first bytes change, too. */
    const unsigned number = data[0] % fuzz_use_kinds;
    const struct fuzz_kind *kind = kinds[number];
    const unsigned variant = data[0] / fuzz_use_kinds % kind->variants;
    const size_t bytes = kind->bytes(variant);
    const size_t count = (kind->patched ? kind->patched(variant) : bytes) / 4;
    static char *start;
    uint32_t *words = fuzz_guarded(&start, bytes), seed;
    kind->empty(variant, words);
    if (kind->load(variant, words) != CLADE_OK)
        abort();
    kind->use(variant, words, data[1] % 4u, PREFILL);
    memcpy(&seed, data + 2, sizeof seed);
    for (size_t at = 6; at + 7 <= size; at += 7)
        patch(words, count, data + at);
    const clade_status status = kind->load(variant, words);
    if (status == CLADE_OK) {
        fuzz_use_counts[number][1]++;
        kind->use(variant, words, seed, STEPS);
        if (kind->load(variant, words) != CLADE_OK)
            abort();
    } else if (status == CLADE_E_CORRUPT) {
        fuzz_use_counts[number][0]++;
    } else {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 6)
        return 0;
    if (fuzz_use_kinds == 0)
        collect();
    try_input(data, size);
    return 0;
}
