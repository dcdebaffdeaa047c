/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map with unique keys, or a set.
 *
 * Kernels change and read the map from any work-item (clade/hashmap.clh). The calls below work on
 * arrays of keys. Any key and any value is legal. docs/inside/hashmap.md has the invariants and the
 * proofs.
 *
 * What these calls share:
 *
 * Arrays. Arrays stay the caller's. Device arrays are borrowed until the work is done. `statuses`
 * is one int32_t for each key, or no array. Without it, a call with host arrays returns the first
 * CLADE_E_FULL or CLADE_E_BUSY that a key met. After a call with device arrays alone, the next call
 * with host arrays that changes the map returns it, or clade_hashmap_size() does;
 * clade_hashmap_clear() forgets it. All other keys took effect in any case.
 *
 * Threads. One thread at a time uses a map. Kernels on other queues must not work on it meanwhile:
 * an erasure of many equal keys, for one, could overlook what they insert.
 *
 * Blocking. A call blocks with host arrays; some block always, and say so.
 *
 * Errors. CLADE_E_ARG: an argument is wrong, or a buffer is too small. CLADE_E_DEVICE,
 * CLADE_E_NOMEM, CLADE_E_BUILD: as named. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/hashmap.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A map: opaque. */
typedef struct clade_hashmap clade_hashmap;

/* What a map is to be. A zero field means its default. */
typedef struct clade_hashmap_params {
    uint64_t capacity;   /* keys that are sure to fit, whatever they are: at least 1. The map takes
                          * about a ninth more before it is full */
    uint32_t key;        /* CLADE_U32 (default), CLADE_I32, CLADE_U64 or CLADE_I64 */
    uint32_t value;      /* CLADE_NONE (default: a set), or the type of the value beside each key */
    uint32_t form;       /* CLADE_HASHMAP_AUTO (default), _PACKED or _TAGGED */
    uint32_t seed;       /* of the hash. Somebody who knows it can make keys that all want the same
                          * place. The map then stays right, but slows down */
    uint32_t group_size; /* work-items in a group, at most 256. Default: what fits the device */
    uint32_t no_erase;   /* 1: no key is ever erased, and clade_hashmap_erase() is refused. In turn
                          * values change without a lock, and integers are added in one
                          * instruction, which matters where many items add to one key */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_hashmap_params;

/* What is inside, and what happened since the map was created, grown or cleared. */
typedef struct clade_hashmap_stats {
    uint64_t size;        /* keys */
    uint64_t capacity;    /* keys that are sure to fit */
    uint64_t places;      /* slots */
    uint64_t erased;      /* slots that were erased and not used again yet */
    uint64_t away;        /* keys that do not lie in their home bucket */
    uint64_t farthest;    /* the most steps that a key is away */
    uint64_t reach;       /* the most steps that a search for a key may take */
    uint64_t busy;        /* operations that gave up with CLADE_E_BUSY */
    uint64_t full;        /* that found no room */
    uint64_t bytes;       /* bytes of device memory */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_hashmap_stats;

/**
 * Create an empty map.
 *
 * @retval CLADE_OK     `*out` is the map.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The form is packed, and the device cannot change such a slot at
 *                              once.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_hashmap_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_create(clade_hashmap **out,
                                                          clade_context *context,
                                                          const clade_hashmap_params *params);

/**
 * Free a map and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the map.
 * Threads: one, when no other uses the map.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_hashmap_destroy(clade_hashmap **map);

/**
 * Insert keys. A key that is there keeps its value. Of equal keys in the array one is inserted.
 *
 * @param map       Which one.
 * @param keys      `count` keys in any order; only read.
 * @param values    `count` values; only read. No array: the values are 0.
 * @param count     How many.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_HASHMAP_PRESENT,
 *                  CLADE_E_FULL or CLADE_E_BUSY.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. Each key has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without an array of statuses: the first that a key met.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As clade/hashmap.h says at its
 *                       head.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per map.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_insert(clade_hashmap *map, clade_array keys,
                                                          clade_array values, uint64_t count,
                                                          clade_array statuses,
                                                          const clade_launch *launch);

/**
 * Insert keys, and replace the values of those that are there. When the array has equal keys, the
 * value of one of them stays.
 *
 * Arguments, returns, owner, threads, blocks: as clade_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_put(clade_hashmap *map, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Change the values of keys by a function of them and the operands. A key that is not there is
 * inserted, and the operand is its value. So an update with CLADE_HASHMAP_PLUS and operands of 1
 * counts how often each key comes. All operands of equal keys take effect.
 *
 * @param operands  `count` of the value's type; only read.
 * @param what      CLADE_HASHMAP_PLUS, _MIN or _MAX.
 *
 * Others, returns, owner, threads, blocks: as clade_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_update(clade_hashmap *map, clade_array keys,
                                                          clade_array operands, uint32_t what,
                                                          uint64_t count, clade_array statuses,
                                                          const clade_launch *launch);

/**
 * Erase keys.
 *
 * @param values    Receives the value of each key that was there; or no array.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_NOT_FOUND or
 *                  CLADE_E_BUSY.
 *
 * Others, returns, owner, threads, blocks: as clade_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_erase(clade_hashmap *map, clade_array keys,
                                                         clade_array values, uint64_t count,
                                                         clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Look keys up.
 *
 * @param values    Receives the value of each key that is there; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads, blocks: as clade_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_find(clade_hashmap *map, clade_array keys,
                                                        clade_array values, uint64_t count,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Read all entries, in no order.
 *
 * @param keys    Room for `room` keys; or no array.
 * @param values  Room for `room` values; or no array.
 * @param room    At least the map's size.
 * @param got     Receives how many entries there are.
 *
 * @retval CLADE_OK     Read.
 * @retval CLADE_E_ARG  There are more entries than `room`; `*got` says how many. Nothing else was
 *                      written. Or another argument is wrong.
 *
 * Others, owner, threads: as clade_hashmap_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_read(clade_hashmap *map, clade_array keys,
                                                        clade_array values, uint64_t room,
                                                        uint64_t *got, const clade_launch *launch);

/**
 * Count the keys inside. The call reads the head.
 *
 * Returns, owner, threads: as clade_hashmap_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_size(clade_hashmap *map, uint64_t *size);

/**
 * Empty the map and set its statistics to zero.
 *
 * Returns, owner, threads: as clade_hashmap_insert(). Blocks: no.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_clear(clade_hashmap *map,
                                                         const clade_launch *launch);

/**
 * Give the map another capacity, greater or smaller: all keys go to a new buffer. Erased places are
 * then as if they had never been used. Afterwards clade_hashmap_mem() is the new buffer, and
 * kernels of your own must be given that one.
 *
 * @param capacity  As at creation.
 *
 * @retval CLADE_OK      Done.
 * @retval CLADE_E_FULL  There are more keys than `capacity`. The map is as before.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named. The map is as before.
 *
 * Others, owner, threads: as clade_hashmap_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_grow(clade_hashmap *map, uint64_t capacity,
                                                        const clade_launch *launch);

/**
 * Verify the invariants H1 to H7 of cl/clade/hashmap.clh on a copy of the whole object. The copy
 * takes host memory of the object's size.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  One does not; the message says which, and where.
 *
 * Others, owner, threads: as clade_hashmap_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_check(clade_hashmap *map);

/**
 * Read the statistics. The call walks a copy of the map and verifies it, as clade_hashmap_check()
 * does.
 *
 * Returns, owner, threads, blocks: as clade_hashmap_check().
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_stats_read(clade_hashmap *map,
                                                              clade_hashmap_stats *stats);

/**
 * Write the map's entries to a file. clade_hashmap_load() makes a map with the same parameters from
 * it, on any device, by inserting them. So a loaded map is sound, whoever wrote the file.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_IO       The file cannot be written or read.
 * @retval CLADE_E_CORRUPT  Load: it is no saved map, or damaged. Save: as clade_hashmap_check();
 *                          nothing was written.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller; clade_hashmap_destroy() frees the map.
 * Threads: one at a time per map.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_save(clade_hashmap *map, const char *path);
/** Make one from a file that clade_hashmap_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_hashmap_load(clade_hashmap **out, clade_context *context,
                                                        const char *path);

/**
 * The map's buffer, an argument for kernels of your own: `__global clade_hashmap_head *`.
 *
 * @return Borrowed from the map, until clade_hashmap_grow(); NULL for NULL.
 *
 * Owner:   the map.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_hashmap_mem(const clade_hashmap *map);
/**
 * Compiler options that make a program's `#include "clade/hashmap.clh"` match this map, such as
 * "-DCLADE_HASHMAP_KEY_TYPE=2 ...". A program with several types of map defines the names itself
 * before each include. Operations on a map of another type return CLADE_E_ARG.
 *
 * @return Borrowed from the map; NULL for NULL.
 *
 * Owner:   the map.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_hashmap_options(const clade_hashmap *map);

#ifdef __cplusplus
}
#endif
