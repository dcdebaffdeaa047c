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

#include "adheap/adheap.h"
#include "dlist/dlist.h"
#include "rbtree/rbtree_memory.h"
#include "fuzz/kinds.h"
#include "list/list.h"
#include "queue/queue.h"
#include "fuzz/use.h"
#include "device/context.h"
#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PREFILL = 70, STEPS = 60, CAPACITY = 32, SHIFT = 4, HEAPS = 3, LEAVES = 40, LEAF = 3 };

/* A CPU without limits that matter. */
static clade_context *context(void)
{
    static clade_context fake = { .caps = { .is_cpu = 1,
                                            .group_size_max = 256,
                                            .compute_units = 2,
                                            .alloc_bytes_max = (uint64_t)1 << 34 } };
    return &fake;
}

static void put_head(uint32_t *words, const struct cladei_object *object)
{
    const clade_object_head head = cladei_object_head(object);
    memcpy(words, &head, sizeof head);
}

/* --- objects: how large, an empty one, what loading does -------------------------------------- */

static clade_list plan_list(const clade_list_params *params)
{
    clade_list list = { .params = *params };
    if (cladei_list_plan(&list, context()) != CLADE_OK)
        abort();
    return list;
}

/* Map, wide keys, sequence; then without shortcuts or index. */
static clade_list list_of(unsigned variant)
{
    clade_list_params params = { .capacity = CAPACITY, .find = variant / 3 };
    params.key = variant % 3 == 1 ? CLADE_U64 : CLADE_U32;
    params.value = variant % 3 == 0 ? CLADE_U32 : CLADE_NONE;
    params.mode = variant % 3 == 2 ? CLADE_LIST_UNORDERED : CLADE_LIST_ORDERED;
    return plan_list(&params);
}

static size_t list_bytes(unsigned variant)
{
    return (size_t)list_of(variant).object.bytes;
}

static void list_empty(unsigned variant, uint32_t *words)
{
    const clade_list list = list_of(variant);
    const clade_list_head *layout = &list.layout;
    memcpy(words, layout, sizeof *layout);
    put_head(words, &list.object);
    for (size_t i = layout->nodes_at; i < layout->free_at; i++)
        words[i] = CLADE_LIST_CELL_FREE;
}

static clade_status list_load(unsigned variant, uint32_t *words)
{
    const clade_list list = list_of(variant);
    uint64_t live;
    return cladei_list_rebuild(&list, words, &live);
}

static void list_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    static void (*const uses[])(void *, uint32_t, uint32_t) = { use_map, use_map_wide,
                                                                use_sequence };
    uses[variant % 3](object, seed, steps);
    if (variant % 3 == 0)
        use_map_reclaim(object);
}

static clade_dlist dlist_of(void)
{
    clade_dlist list = { .params = { .capacity = CAPACITY, .value = CLADE_U64 } };
    if (cladei_dlist_plan(&list, context()) != CLADE_OK)
        abort();
    return list;
}

static size_t dlist_bytes(unsigned variant)
{
    (void)variant;
    return (size_t)dlist_of().object.bytes;
}

static void dlist_empty(unsigned variant, uint32_t *words)
{
    const clade_dlist list = dlist_of();
    (void)variant;
    memcpy(words, &list.layout, sizeof list.layout);
    put_head(words, &list.object);
    for (size_t i = list.layout.nodes_at; i < list.layout.free_at; i++)
        words[i] = CLADE_DLIST_CELL_FREE;
}

static clade_status dlist_load(unsigned variant, uint32_t *words)
{
    const clade_dlist list = dlist_of();
    uint64_t live;
    (void)variant;
    return cladei_dlist_rebuild(&list, words, &live);
}

static void dlist_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_dlist(object, seed, steps);
    use_dlist_reclaim(object);
}

static size_t queue_bytes(unsigned variant)
{
    (void)variant;
    return sizeof(clade_queue_head) + (4u << SHIFT);
}

static void queue_empty(unsigned variant, uint32_t *words)
{
    clade_queue_head *head = (clade_queue_head *)words;
    (void)variant;
    put_head(words,
             &(struct cladei_object) { .kind = CLADE_QUEUE_KIND, .shape = CLADE_QUEUE_SHAPE });
    head->shift = SHIFT;
    for (uint32_t i = 0; i < 1u << SHIFT; i++)
        words[sizeof *head / 4 + i] = CLADE_QUEUE_EMPTY;
}

static clade_status queue_load(unsigned variant, uint32_t *words)
{
    (void)variant;
    return cladei_queue_verify(words, SHIFT);
}

static void queue_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_queue(object, seed, steps);
}

static size_t tree_bytes(unsigned variant)
{
    (void)variant;
    return rbtree_memory_bytes(LEAVES, LEAF);
}

static void tree_empty(unsigned variant, uint32_t *words)
{
    (void)variant;
    rbtree_memory_make(words, LEAVES, LEAF);
}

static clade_status tree_load(unsigned variant, uint32_t *words)
{
    (void)variant;
    return rbtree_memory_load(words, LEAVES, LEAF);
}

static void tree_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_rbtree(object, seed, steps);
}

static clade_adheap adheap_of(void)
{
    clade_adheap a = { 0 };
    const clade_adheap_params params = {
        .heaps = HEAPS, .capacity = CAPACITY, .arity = 8, .key = CLADE_U32, .values = 1
    };
    if (cladei_adheap_plan(&a, context(), &params) != CLADE_OK)
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
    put_head(words, &a.object);
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

static const struct kind kind_list = { 6, list_bytes, list_empty, list_load, list_use, NULL },
                         kind_dlist = { 1, dlist_bytes, dlist_empty, dlist_load, dlist_use, NULL },
                         kind_queue = { 1, queue_bytes, queue_empty, queue_load, queue_use, NULL },
                         kind_tree = { 1, tree_bytes, tree_empty, tree_load, tree_use, NULL },
                         kind_adheap = { 1,           adheap_bytes, adheap_empty,
                                         adheap_load, adheap_use,   NULL };
static const struct kind *const kinds[] = { &kind_list,   &kind_dlist, &kind_queue, &kind_tree,
                                            &kind_adheap, &kind_heap,  &kind_front, &kind_kma };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* How often each kind was refused and used. */
extern const unsigned fuzz_use_kinds;
extern unsigned long fuzz_use_counts[][2];
const unsigned fuzz_use_kinds = KINDS;
unsigned long fuzz_use_counts[KINDS][2];

/* --- memory ----------------------------------------------------------------------------------- */

/* `bytes` zeroed bytes before pages that nobody may touch: as many as an index of 32 bits reaches,
 * times a leaf of the front engine, with some to spare. Aligned to 16 bytes, so a few bytes may be
 * too many. */
static uint32_t *guarded(size_t bytes)
{
    const size_t room = (size_t)1 << 20, guard = (size_t)1 << 40;
    static char *start;
    if (!start) {
        start =
            mmap(NULL, room + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start == MAP_FAILED || mprotect(start, room, PROT_READ | PROT_WRITE) != 0)
            abort();
    }
    if (bytes > room)
        abort();
    return memset(start + room - (bytes + 15) / 16 * 16, 0, (bytes + 15) / 16 * 16);
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
    const unsigned number = data[0] % KINDS;
    const struct kind *kind = kinds[number];
    const unsigned variant = data[0] / KINDS % kind->variants;
    const size_t bytes = kind->bytes(variant);
    const size_t count = (kind->patched ? kind->patched(variant) : bytes) / 4;
    uint32_t *words = guarded(bytes), seed;
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
    try_input(data, size);
    return 0;
}
