/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the hash map's host side share. */
#pragma once

#include "clade/hashmap.h"

#include "object/call.h"

enum cladei_hashmap_kernel {
    HM_INSERT, /* a program each, but for find and read */
    HM_PUT,
    HM_UPDATE,
    HM_ERASE,
    HM_FIND,
    HM_READ,
    HM_MOVE,
    HM_KERNELS
};

extern const struct cladei_kind cladei_hashmap_kind;

struct clade_hashmap {
    struct cladei_object object;
    clade_hashmap_params params; /* defaults filled in */
    clade_hashmap_head layout;   /* what creation fixes */
    uint32_t key_bytes;
    uint32_t value_bytes;
    uint32_t copies;       /* of a value */
    uint32_t bucket_slots; /* slots of a bucket */
    uint32_t bucket_bytes;
    char *options;
    cl_kernel kernels[HM_KERNELS];
    struct cladei_scratch scratch;
};

/* Work out from the parameters the defaults, where everything lies, and the object's bytes. */
clade_status cladei_hashmap_plan(clade_hashmap *map, const clade_context *context,
                                 const clade_hashmap_params *params);
/* The map that a file tells of, planned, and how many keys the file has. The file was parsed; it is
 * as long as its parameters say. */
struct cladei_saved;
clade_status cladei_hashmap_plan_saved(clade_hashmap *planned, const struct cladei_saved *saved,
                                       const clade_context *context, uint64_t *size,
                                       const char *path);
/* The kernel is there. */
clade_status cladei_hashmap_need(clade_hashmap *map, enum cladei_hashmap_kernel kernel);
/* A kernel over at least `items` items. */
clade_status cladei_hashmap_run(clade_hashmap *map, struct cladei_run *run,
                                enum cladei_hashmap_kernel kernel, uint64_t items);
/* The map's size, read in the call's queue, or in the context's if `run` is NULL. */
clade_status cladei_hashmap_count(clade_hashmap *map, struct cladei_run *run, uint64_t *size);
/* The slots of all buckets. */
uint64_t cladei_hashmap_places(const clade_hashmap *map);
/* The invariants H1 to H7, on a copy of the whole object. */
clade_status cladei_hashmap_verify(const clade_hashmap *map, const void *bytes,
                                   clade_hashmap_stats *stats);
