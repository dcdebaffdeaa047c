/* SPDX-License-Identifier: Apache-2.0 */
/* What the heap's files share. */
#pragma once

#include "clade/heap.h"
#include "heap/front/front.h"
#include "object/call.h"

/* What calls over arrays launch, and clearing and peeking (kernels.c). */
enum heap_kernel {
    HEAP_STEP, /* a tree engine's on CPUs: it is BEGIN, END, INSERT and POP there */
    HEAP_SCAN,
    HEAP_EMPTY,
    HEAP_BEGIN,
    HEAP_END,
    HEAP_INSERT,
    HEAP_POP,
    HEAP_FIRST, /* the front engine's */
    HEAP_KERNELS
};
/* The rows of such a call. */
enum { HEAP_ROW_KEYS, HEAP_ROW_VALUES, HEAP_ROW_GOT };

/* Calls over many keys at once, for the front engine (bulk.c). */
enum {
    BULK_TAKE_BEGIN,
    BULK_TAKE_COUNT,
    BULK_TAKE_PLACE,
    BULK_TAKE_MOVE,
    BULK_TAKE_END,
    BULK_BUILD_BEGIN,
    BULK_BUILD_COUNT,
    BULK_BUILD_PLAN,
    BULK_BUILD_MOVE,
    BULK_BUILD_END,
    BULK_KERNELS
};
struct cladei_bulk {
    uint64_t least; /* keys of a call from which on it is one of these; 0: never */
    uint32_t group; /* work-items a group */
    uint32_t tile;  /* keys that a group of an insert moves at once */
    uint32_t bins;  /* counters of a group of a pop */
    /* From here on: NULL and 0 until the first call that needs them. */
    cl_kernel kernels[BULK_KERNELS];
    struct cladei_scratch lists;
};

/* The same for the tree engines on CPUs (sorted.c). */
enum {
    SORTED_BEGIN,
    SORTED_ENCODE,
    SORTED_GATHER,
    SORTED_FIND_RUNS,
    SORTED_SORT_RUNS,
    SORTED_MOVE_RUNS,
    SORTED_COUNT,
    SORTED_SCAN,
    SORTED_MOVE,
    SORTED_FINISH,
    SORTED_ALONE,
    SORTED_KERNELS
};
struct cladei_sorted {
    uint64_t least;        /* keys inside from which on a pop may be one of these; 0: never */
    uint64_t insert_least; /* of an insert, likewise */
    uint32_t tiles;        /* the most groups of a launch */
    /* NULL until the first call that needs them. */
    cl_kernel kernels[SORTED_KERNELS];
};

struct clade_heap {
    struct cladei_object object;
    clade_heap_params params; /* defaults filled in */
    uint32_t nodes;
    struct cladei_front front;       /* the plan, when the engine is CLADE_HEAP_FRONT */
    cl_kernel kernels[HEAP_KERNELS]; /* NULL until a call needs them */
    struct cladei_bulk bulk;
    struct cladei_sorted sorted;
    char options[256];
    uint32_t host_pops; /* pops that the host did (few.c) */
    bool is_part;       /* of another heap's object: its kernels are that one's */
    clade_heap *whole;  /* that one, which a part holds */
    uint32_t borrowers; /* parts */
    bool unfinished;    /* a clear failed in mid-work: the next call completes it first; the word of
                         * the whole holds for a part */
};

extern const struct cladei_kind cladei_heap_kind;

/* Fill in what is left open, and refuse what cannot be. */
clade_status cladei_heap_fill_in(clade_heap_params *params, const clade_context *context);
/* clade_heap_create(); the front engine's leaves have `leaf` keys, 0: what suits the device. */
clade_status cladei_heap_create(clade_heap **out, clade_context *context,
                                const clade_heap_params *params, uint32_t leaf);

/* The heap's buffer as arithmetic: see clade/shared/heap.h. */
uint64_t cladei_heap_keys_at(const clade_heap *heap);
uint64_t cladei_heap_values_at(const clade_heap *heap);
uint64_t cladei_heap_bytes(const clade_heap *heap);  /* of the object, from parameters and plan */
uint64_t cladei_heap_stride(const clade_heap *heap); /* from a heap of its object to the next */
uint64_t cladei_heap_size_of(const clade_heap_head *head, uint32_t batch);
/* From its start to the last byte with something in it, of the engines with nodes. Slots are filled
 * from the front: without values, those behind the last node are left out. */
uint64_t cladei_heap_bytes_in_use(const clade_heap *heap, const clade_heap_head *head);

/* Groups of a kernel without waits over `count` elements. */
size_t cladei_heap_scan_groups(const clade_heap *heap, uint64_t count);
/* What the heap's programs are compiled with. */
void cladei_heap_choose(clade_heap *heap);
/* Whether calls launch HEAP_STEP. */
bool cladei_heap_steps(const clade_heap *heap);
/* Make sure that this kernel is there, or that all are. A part uses the kernels of the whole.
 * Nothing is enqueued on the heap. */
clade_status cladei_heap_need(clade_heap *heap, enum heap_kernel kernel);
clade_status cladei_heap_need_all(clade_heap *heap);
/* Batches that a group takes in one launch where the driver leaves loops that are longer than the
 * limit. 0: not even one; no heap is like that. With the front engine a batch may also split or
 * sort some leaves. */
uint32_t cladei_heap_short_rounds(const clade_heap_params *params, uint32_t loop_limit);
/* Complete a clear that failed in mid-work, if one did. */
clade_status cladei_heap_mend(clade_heap *heap, struct cladei_run *run);
/* Wait for the queue and read the head, of a heap that is whole. */
clade_status cladei_heap_read_head(clade_heap *heap, clade_heap_head *head);
/* The same, and fail with the error that earlier calls left in it, which is cleared. */
clade_status cladei_heap_settle(clade_heap *heap, struct cladei_run *run_or_null,
                                clade_heap_head *head);

/* E_ARG for an object of many heaps. */
clade_status cladei_heap_require_one(const clade_heap *heap);
/* Call `each` for every heap of an object, as a part where it has many, until one fails. */
clade_status cladei_heap_for_parts(clade_heap *heap,
                                   clade_status (*each)(clade_heap *part, void *data), void *data);

/* Calls on all heaps of an object of many (part.c). */
clade_status cladei_heap_size_of_all(clade_heap *heap, uint64_t *size);
clade_status cladei_heap_stats_of_all(clade_heap *heap, clade_heap_stats *stats);
clade_status cladei_heap_check_all(clade_heap *heap);
clade_status cladei_heap_repair_all(clade_heap *heap);

/* A copy of what is filled, on the host: taken, and written back, in a run's queue. */
struct cladei_heap_copy {
    clade_heap_head head;
    clade_heap_node *nodes; /* 0 .. heap->nodes */
    char *keys;             /* slots 0 .. count */
    char *values;           /* as many, or NULL */
};
clade_status cladei_heap_copy_open(struct cladei_heap_copy *copy, clade_heap *heap,
                                   struct cladei_run *run, const clade_heap_head *head);
void cladei_heap_copy_close(struct cladei_heap_copy *copy);
/* Take the head at `from`, which comes from a file. Words of which only one value is right become
 * as in `fresh`, the head of an empty heap. */
clade_status cladei_heap_adopt_head(char *from, const clade_heap_head *fresh, const char *path);
/* A key's image and its value's bits. */
struct cladei_heap_entry {
    uint64_t image, value;
};
/* What it holds, in order. The caller frees it; on failure there is nothing, or it is NULL. */
clade_status cladei_heap_copy_entries(const struct cladei_heap_copy *copy, const clade_heap *heap,
                                      struct cladei_heap_entry **entries, uint64_t *count);
/* The heap has these in place of what it had, with the copy's head: at most as many, in order. It
 * happens by one command, or it does not. */
clade_status cladei_heap_copy_write(struct cladei_heap_copy *copy, clade_heap *heap,
                                    struct cladei_run *run, const struct cladei_heap_entry *entries,
                                    uint64_t count);
/* Verify it; and, of the engines with nodes, its head alone. */
clade_status cladei_heap_copy_check(const struct cladei_heap_copy *copy, const clade_heap *heap);
clade_status cladei_heap_check_head(const clade_heap_head *head, const clade_heap *heap);

/* The image of key i of a slot, widened, and back; of key i of a user's array, and whether that is
 * a NaN. */
uint64_t cladei_heap_image(const clade_heap *heap, const char *keys, uint64_t index);
uint64_t cladei_heap_encode(const clade_heap *heap, const void *keys, uint64_t index);
bool cladei_heap_is_nan(const clade_heap *heap, const void *keys, uint64_t index);
void cladei_heap_decode(const clade_heap *heap, uint64_t image, void *key);

/* Plan bulk calls of this heap, where there can be any. `group`: work-items a group, a power of
 * two; 0: what suits. */
void cladei_bulk_open(clade_heap *heap, uint32_t group);
void cladei_bulk_close(clade_heap *heap);
/* Compile what a bulk call needs, if none did before: to be called before it enqueues anything. */
clade_status cladei_bulk_prepare(clade_heap *heap, bool is_pop);
/* Enqueue a pop or an insert of a call's keys, between the kernels that open and close the call.
 * Afterwards no keys are left to the engine's own kernel, or all of them. */
clade_status cladei_bulk_pop(clade_heap *heap, struct cladei_call *call);
clade_status cladei_bulk_insert(clade_heap *heap, struct cladei_call *call);

/* Where an insert's sorted keys are, for the engine's kernel to take them in place of the caller's
 * arrays: the sort's plan, which says it, and two sides of images and of values. NULL: nothing was
 * launched. The caller of cladei_sorted_call() gives them back. */
struct cladei_sorted_keys {
    cl_mem plan, keys[2], values[2];
};

/* Likewise, of the tree engines on CPUs. An insert into a heap that is not empty leaves its keys to
 * the engine's own kernel, in order. */
void cladei_sorted_open(clade_heap *heap);
/* Groups of a launch over so many keys. */
uint32_t cladei_sorted_tiles(const clade_heap *heap, uint64_t count);
void cladei_sorted_close(clade_heap *heap);
clade_status cladei_sorted_prepare(clade_heap *heap);
/* Whether an insert of so many keys is opened by the launch that sorts them. Otherwise it has to be
 * open before: of keys that may be no numbers, these are looked for between the two. */
bool cladei_sorted_opens(const clade_heap *heap, uint64_t count);
clade_status cladei_sorted_call(clade_heap *heap, struct cladei_call *call, bool is_pop,
                                struct cladei_sorted_keys *sorted);
void cladei_sorted_release(struct cladei_sorted_keys *sorted);

/* Whether the host can do this insert of few keys, which are the heap's first, while no kernel is
 * compiled for it; and then it does. `head`: as it is before the call. */
bool cladei_few_suit(const clade_heap *heap, const struct cladei_call *call,
                     const clade_heap_head *head);
clade_status cladei_few_insert(clade_heap *heap, struct cladei_call *call,
                               const clade_heap_head *before);
/* The same for a pop from a heap of few keys. The arrays receive their keys. */
bool cladei_few_suit_pop(const clade_heap *heap, const struct cladei_call *call,
                         const clade_heap_head *head);
clade_status cladei_few_pop(clade_heap *heap, struct cladei_call *call,
                            const clade_heap_head *before);
