/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's buffer: its plan and its empty state. docs/inside/heap-front.md explains the
 * words.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "heap/front/front.h"
#include "object/object.h"

/* The scratch's parts, for keys of 32 and of 64 bits. */
typedef uint32_t front32_key;
#define CLADE_FRONT(name)    front32_##name
#define CLADE_FRONT_KEY_BITS 32
#include "clade/shared/heap_front_scratch.h"
#undef CLADE_FRONT
#undef CLADE_FRONT_KEY_BITS
typedef uint64_t front64_key;
#define CLADE_FRONT(name)    front64_##name
#define CLADE_FRONT_KEY_BITS 64
#include "clade/shared/heap_front_scratch.h"
#undef CLADE_FRONT
#undef CLADE_FRONT_KEY_BITS

/* Local memory that a kernel has for itself beside a scratch, where the library chooses how large
 * that is. */
enum { KERNEL_BYTES = 3584 };

/* Bytes of local memory that a kernel with a scratch needs; the compiler of the device compares
 * this with the scratch (cl/clade/heap/front/scratch.clh). */
static uint64_t scratch_bytes(const clade_context *context, uint32_t key, uint32_t value,
                              uint64_t batch, uint64_t leaf)
{
    const uint64_t k = CLADE_TYPE_BYTES(key), v = CLADE_TYPE_BYTES(value);
    const uint64_t fixed = k == 8 ? front64_fixed_bytes : front32_fixed_bytes;
    return CLADE_FRONT_ARRAY_BYTES(k, v, batch, leaf, context->caps.is_cpu) + fixed + KERNEL_BYTES;
}

uint32_t cladei_front_batch(const clade_context *context, uint32_t key, uint32_t value)
{
    uint32_t batch = 1024;
    while (batch > 64 &&
           scratch_bytes(context, key, value, batch, 2 * batch) > context->caps.local_bytes)
        batch /= 2;
    return batch;
}

bool cladei_front_leaf_fits(const clade_context *context, const clade_heap_params *params,
                            uint32_t leaf)
{
    return scratch_bytes(context, params->key, params->value, params->batch, leaf) <=
           context->caps.local_bytes;
}

uint32_t cladei_front_leaf(const clade_context *context, const clade_heap_params *params)
{
    uint32_t leaf = CLADE_FRONT_LEAF_MIN;
    while (leaf < 2 * params->batch)
        leaf *= 2;
    /* Longer leaves as far as local memory goes, but many of them in a small heap. */
    while (leaf < CLADE_FRONT_LEAF_MAX && 64ull * leaf < params->capacity &&
           cladei_front_leaf_fits(context, params, 2 * leaf))
        leaf *= 2;
    return leaf;
}

static uint64_t place(uint64_t *at, uint64_t bytes)
{
    uint64_t here = *at;
    *at = (here + bytes + 127) / 128 * 128;
    return here;
}

clade_status cladei_front_plan(struct cladei_front *front, uint64_t capacity, uint32_t leaf,
                               uint32_t key_bytes, uint32_t value_bytes)
{
    clade_status status = CLADE_OK;
    const uint64_t block = leaf / CLADE_FRONT_BLOCKS;
    const uint64_t dense = (capacity + block - 1) / block;
    uint64_t units[3], at = 0;
    struct cladei_front f = { .leaf = leaf,
                              .key_bytes = key_bytes,
                              .value_bytes = value_bytes,
                              .width = CLADE_FRONT_WIDTH_MAX,
                              .capacity = capacity };
    /* A leaf that was split has at least one key more than its children could fill blocks with, so
     * twice the keys' own blocks do for keys spread evenly; a quarter more and a constant for what
     * is on its way, and for crowded ranges. */
    units[CLADE_FRONT_POOL_BLOCKS] = 2 * dense + dense / 4 + 1536;
    units[CLADE_FRONT_POOL_LEAVES] = 17 * (capacity / leaf + 1) + 1024;
    units[CLADE_FRONT_POOL_DIRS] = units[CLADE_FRONT_POOL_LEAVES] / 8 + 128;
    CLADE_REQUIRE(capacity < (1u << 30), CLADE_E_ARG,
                  "capacity is %" PRIu64 "; the front engine holds fewer than 2^30 keys", capacity);
    place(&at, 4 * CLADE_FRONT_HEAD_WORDS);
    for (int p = 0; p < 3; p++) {
        f.sums[p] = (uint32_t)((units[p] + 1 + 1023) / 1024);
        f.count[p] = (uint32_t)units[p] + 1;
        f.bits_at[p] = place(&at, 128ull * f.sums[p]);
        f.sums_at[p] = place(&at, 4ull * f.sums[p]);
    }
    f.at[FRONT_LEAVES] = place(&at, 128ull * f.count[CLADE_FRONT_POOL_LEAVES]);
    f.at[FRONT_ENTRIES] = place(&at, 64ull * f.count[CLADE_FRONT_POOL_DIRS]);
    f.at[FRONT_DIRS] = place(&at, 16ull * f.count[CLADE_FRONT_POOL_DIRS]);
    f.epochs_at = place(&at, 4ull * CLADE_FRONT_EPOCHS * CLADE_FRONT_E_WORDS);
    f.ring_at = place(&at, 8ull * CLADE_FRONT_RING);
    f.keys_at = place(&at, f.count[0] * block * key_bytes);
    f.values_at = place(&at, f.count[0] * block * value_bytes);
    f.bytes = at;
    *front = f;
fail:
    return status;
}

/* The constants and the few words that are not zero. */
void cladei_front_head(const struct cladei_front *f, uint32_t *w)
{
    memset(w, 0, 4 * CLADE_FRONT_HEAD_WORDS);
    w[offsetof(clade_heap_head, object.shape) / 4] = f->shape;
    w[CLADE_FRONT_C_LEAF] = f->leaf;
    w[CLADE_FRONT_C_KEY_BITS] = 8 * f->key_bytes;
    w[CLADE_FRONT_C_VALUE_BITS] = 8 * f->value_bytes;
    w[CLADE_FRONT_C_CAPACITY] = (uint32_t)f->capacity;
    w[CLADE_FRONT_C_ENTRIES] = (uint32_t)(f->at[FRONT_ENTRIES] / 128);
    w[CLADE_FRONT_C_DIRS] = (uint32_t)(f->at[FRONT_DIRS] / 128);
    w[CLADE_FRONT_C_LEAVES] = (uint32_t)(f->at[FRONT_LEAVES] / 128);
    w[CLADE_FRONT_C_EPOCHS] = (uint32_t)(f->epochs_at / 128);
    w[CLADE_FRONT_C_RING] = (uint32_t)(f->ring_at / 128);
    w[CLADE_FRONT_C_KEYS] = (uint32_t)(f->keys_at / 128);
    w[CLADE_FRONT_C_VALUES] = (uint32_t)(f->values_at / 128);
    w[CLADE_FRONT_C_WIDTH] = f->width;
    for (uint32_t p = 0; p < 3; p++) {
        w[CLADE_FRONT_C_BITS + p] = (uint32_t)(f->bits_at[p] / 128);
        w[CLADE_FRONT_C_SUMS + p] = (uint32_t)(f->sums_at[p] / 128);
        w[CLADE_FRONT_C_SUM_COUNT + p] = f->sums[p];
        w[CLADE_FRONT_C_COUNT + p] = f->count[p];
        w[CLADE_FRONT_W_FREE + p * CLADE_FRONT_LINE] = f->count[p] - 1;
    }
    w[CLADE_FRONT_W_FREE + CLADE_FRONT_POOL_LEAVES * CLADE_FRONT_LINE] -= CLADE_FRONT_FAN;
    w[CLADE_FRONT_W_WORD] = CLADE_FRONT_GUARD;
}

/* The root's 16 empty leaves, 1 .. 16. */
static void root_words(const struct cladei_front *f, uint32_t *entries, uint32_t *leaves)
{
    const uint32_t shift = 8 * f->key_bytes - CLADE_FRONT_BITS;
    memset(leaves, 0, 4 * CLADE_FRONT_FAN * CLADE_FRONT_LINE);
    for (uint32_t c = 0; c < CLADE_FRONT_FAN; c++) {
        uint32_t *l = leaves + c * CLADE_FRONT_LINE;
        uint64_t low = (uint64_t)c << shift;
        entries[c] = (c + 1) << 1;
        l[CLADE_FRONT_L_LIMIT] = f->leaf;
        l[CLADE_FRONT_L_UP] = c;
        l[CLADE_FRONT_L_SHIFT] = shift;
        l[CLADE_FRONT_L_LOW] = (uint32_t)low;
        l[CLADE_FRONT_L_LOW + 1] = (uint32_t)(low >> 32);
    }
}

static size_t pool_words(const struct cladei_front *f, uint32_t pool)
{
    return 32u * (size_t)f->sums[pool];
}

void cladei_front_pool_bits(const struct cladei_front *f, uint32_t pool, const uint8_t *seen,
                            uint8_t retired, uint32_t *bits, uint32_t *sums)
{
    for (uint32_t unit = 1; unit < f->count[pool]; unit++)
        if (seen[unit] == 0 || seen[unit] == retired)
            bits[unit / 32] |= 1u << unit % 32;
    for (size_t word = 0; word < pool_words(f, pool); word++)
        if (bits[word] != 0)
            sums[word / 32] |= 1u << word % 32;
}

/* All units of a pool free but number 0 and, of the leaves, the root's; into zeroed words. */
static void pool_bits(const struct cladei_front *f, uint32_t pool, uint32_t *bits, uint32_t *sums)
{
    const uint32_t used = pool == CLADE_FRONT_POOL_LEAVES ? CLADE_FRONT_FAN : 0;
    for (uint32_t unit = used + 1; unit < f->count[pool]; unit++)
        bits[unit / 32] |= 1u << unit % 32;
    for (size_t word = 0; word < pool_words(f, pool); word++)
        if (bits[word] != 0)
            sums[word / 32] |= 1u << word % 32;
}

void cladei_front_image(const struct cladei_front *f, char *bytes)
{
    memset(bytes, 0, (size_t)f->keys_at);
    cladei_front_head(f, (uint32_t *)bytes);
    root_words(f, (uint32_t *)(bytes + f->at[FRONT_ENTRIES]),
               (uint32_t *)(bytes + f->at[FRONT_LEAVES] + 128));
    for (uint32_t pool = 0; pool < 3; pool++)
        pool_bits(f, pool, (uint32_t *)(bytes + f->bits_at[pool]),
                  (uint32_t *)(bytes + f->sums_at[pool]));
}

static clade_status write_pool(const struct cladei_front *f, const struct cladei_object *object,
                               struct cladei_run *run, uint32_t pool)
{
    clade_status status = CLADE_OK;
    const size_t words = pool_words(f, pool);
    uint32_t *bits = calloc(words + f->sums[pool], 4);
    CLADE_NO_MEMORY(bits);
    pool_bits(f, pool, bits, bits + words);
    CLADE_TRY(cladei_run_write(run, object, f->bits_at[pool], bits, 4 * words));
    CLADE_TRY(
        cladei_run_write(run, object, f->sums_at[pool], bits + words, 4u * (size_t)f->sums[pool]));
fail:
    free(bits);
    return status;
}

/* A small heap is written at once, which is also what simulators know to be initialised. */
static clade_status write_image(const struct cladei_front *f, const struct cladei_object *object,
                                struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const size_t head = sizeof(clade_object_head);
    char *bytes = malloc((size_t)f->keys_at);
    CLADE_NO_MEMORY(bytes);
    cladei_front_image(f, bytes);
    CLADE_TRY(cladei_run_write(run, object, head, bytes + head, (size_t)f->keys_at - head));
fail:
    free(bytes);
    return status;
}

static clade_status write_parts(const struct cladei_front *f, const struct cladei_object *object,
                                struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_uint zero = 0;
    const size_t head = sizeof(clade_object_head);
    uint32_t words[CLADE_FRONT_HEAD_WORDS];
    uint32_t entries[CLADE_FRONT_FAN], leaves[CLADE_FRONT_FAN * CLADE_FRONT_LINE];
    cladei_front_head(f, words);
    root_words(f, entries, leaves);
    CLADE_TRY(cladei_run_start(run));
    CLADE_TRY(cladei_queue_fill(run->queue, object->mem, &zero, sizeof zero, head,
                                (size_t)f->keys_at - head));
    CLADE_TRY(cladei_run_write(run, object, head, (char *)words + head, sizeof words - head));
    CLADE_TRY(cladei_run_write(run, object, f->at[FRONT_ENTRIES], entries, sizeof entries));
    CLADE_TRY(cladei_run_write(run, object, f->at[FRONT_LEAVES] + 128, leaves, sizeof leaves));
    for (uint32_t pool = 0; pool < 3; pool++)
        CLADE_TRY(write_pool(f, object, run, pool));
fail:
    return status;
}

clade_status cladei_front_format(const struct cladei_front *front,
                                 const struct cladei_object *object, struct cladei_run *run)
{
    return front->keys_at < 1u << 20 ? write_image(front, object, run)
                                     : write_parts(front, object, run);
}
