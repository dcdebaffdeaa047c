/* SPDX-License-Identifier: Apache-2.0 */
/* Ad-heap: what its files share. */
#pragma once

#include "base/text.h"
#include "clade/adheap.h"
#include "object/call.h"

enum {
    ADHEAP_CLEAR,
    ADHEAP_INSERT,
    ADHEAP_POP,
    ADHEAP_UPDATE,
    ADHEAP_FEED,
    ADHEAP_BUILD,
    ADHEAP_MERGE,
    ADHEAP_SIZES,
    ADHEAP_KERNELS
};

struct clade_adheap {
    struct cladei_object object;
    char options[256];
    clade_adheap_params params;
    clade_adheap_head head; /* constant after creation but for the object's error words */
    uint32_t group, groups, build_groups;
    cl_kernel kernels[ADHEAP_KERNELS];

    /* Feeding by selection (feed.c): 0 groups when it is never chosen. */
    cl_kernel select[2]; /* sift, pick; built when a call first feeds */
    uint32_t pick_group, pick_groups;
    struct cladei_scratch picked;

    /* A HOST bridge (host.c): the object's memory, which device and host share. */
    clade_u32 *shared;
    cl_kernel resident;
    cl_event resident_end; /* of its last launch; NULL: that has ended, or there was none */
    bool stays;       /* from start to stop, though the kernel may have left for want of calls */
    uint64_t calls;   /* that the host answered */
    uint64_t dies_at; /* for tests: the call in whose middle the host stops; 0: never */
};

/* Whether keys have 64 bits; and a key's words of 32. */
static inline bool cladei_adheap_is_wide(const clade_adheap *a)
{
    return a->params.key >= CLADE_I64;
}

static inline size_t cladei_adheap_key_bytes(const clade_adheap *a)
{
    return cladei_adheap_is_wide(a) ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/* The 32-bit words of heap `heap` in a copy of the object, from its head on, and its values. */
static inline clade_u32 *cladei_adheap_heap(const clade_adheap *a, clade_u32 *object, uint32_t heap)
{
    return object + CLADE_ADHEAP_HEAD_WORDS +
           (size_t)heap * a->head.stride * (cladei_adheap_is_wide(a) ? 2 : 1);
}

static inline clade_u32 *cladei_adheap_values(const clade_adheap *a, clade_u32 *object,
                                              uint32_t heap)
{
    return cladei_adheap_heap(a, object, a->head.heaps) + (size_t)heap * a->head.stride +
           CLADE_ADHEAP_ROOT;
}

enum { ROW_KEYS, ROW_VALUES, ROW_STATUSES, ROW_MORE };
struct cladei_adheap_call {
    struct cladei_call arrays; /* `has_nulls` */
    cl_uint each;              /* items a heap */
    bool cut;                  /* some heap was refused: the host had stopped in mid-call */
};
/* The call's rows, except ROW_MORE, which the caller fills in before. */
clade_status cladei_adheap_call_open(struct cladei_adheap_call *call, clade_adheap *a,
                                     clade_array keys, clade_array values, clade_array statuses,
                                     uint32_t each, enum cladei_direction direction,
                                     const clade_launch *launch);
clade_status cladei_adheap_call_finish(struct cladei_adheap_call *call);
void cladei_adheap_call_close(struct cladei_adheap_call *call, clade_status status);
/* Whether the device runs loops that are as long as groups may need, which work on heaps of `keys`
 * keys in turns. */
bool cladei_adheap_group_fits(const clade_adheap *a, uint32_t groups, uint32_t group,
                              uint64_t keys);
/* Run one of the object's kernels, one sub-group for each heap; with a HOST bridge, serve it,
 * too. */
clade_status cladei_adheap_launch(clade_adheap *a, struct cladei_adheap_call *call,
                                  cl_kernel kernel, size_t groups, size_t group);
/* Work out from the parameters the defaults, the head, the groups, and the object's bytes. */
clade_status cladei_adheap_plan(clade_adheap *a, const clade_context *context,
                                const clade_adheap_params *params);
/* The bytes of a file, and the invariants of such bytes, which come from anywhere. */
uint64_t cladei_adheap_saved_bytes(const clade_adheap *a);
clade_status cladei_adheap_verify(const clade_adheap *a, clade_u32 *words);
/* The options that its programs are built with. */
void cladei_adheap_options(struct cladei_text *options, const clade_adheap *a);

/* Whether feeding may select, and with how many groups. */
void cladei_adheap_feed_plan(clade_adheap *a);
clade_status cladei_adheap_host_make(clade_adheap *a, uint64_t bytes);
void cladei_adheap_host_destroy(clade_adheap *a);
/* No kernel stays, nor is one left of a start that failed. */
clade_status cladei_adheap_is_ours(clade_adheap *a);
/* Before a launch: the host is there. */
void cladei_adheap_expect(clade_adheap *a);
/* Write back for the kernel whose event is `end`, until it has ended. */
clade_status cladei_adheap_serve(clade_adheap *a, cl_event end);
/* *cut tells whether the kernels refused a heap since the last such call. */
clade_status cladei_adheap_take_cut(clade_adheap *a, struct cladei_run *run, bool *cut);
