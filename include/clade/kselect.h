/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: the k smallest (or greatest) keys of each of many rows.
 *
 * A selector is made once, for the length of a row, for k and for the type of the keys. It is then
 * run on any number of rows, alike (clade_kselect_run()) or each with a length and a k of its own
 * (clade_kselect_run_each()). The result is exact for every input. When equal keys compete for the
 * last places, it is unspecified which are taken. With CLADE_KSELECT_TIES_LOWEST those with the
 * lowest indices are. NaN comes last, with CLADE_MIN and with CLADE_MAX. All NaNs are equal keys, and
 * one that is given back may have other bits than the row's. -0 is smaller than +0.
 * Keys are compared as words, so the device needs neither double nor half. docs/inside/kselect.md
 * says how it works, docs/figures/kselect.md how fast. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A selector: opaque. */
typedef struct clade_kselect clade_kselect;

/* In which order a row's results are. */
#define CLADE_KSELECT_ANY    0 /* in no particular one */
#define CLADE_KSELECT_SORTED 1 /* the first key first */
/* A d-ary heap, upside down: element 0 is the last key. The children of element i are the `arity`
 * elements from arity * i + 1 on, and none of them comes after it. */
#define CLADE_KSELECT_HEAP 2

/* Which of equal keys are taken when not all can be. */
#define CLADE_KSELECT_TIES_ANY    0 /* unspecified, and it may differ from run to run */
#define CLADE_KSELECT_TIES_LOWEST 1 /* those with the lowest indices in their row */

/* Which method is used. */
#define CLADE_KSELECT_AUTO   0 /* the fastest for this length and k */
#define CLADE_KSELECT_ROW    1 /* one work-group for each row */
#define CLADE_KSELECT_SHARED 2 /* several work-groups for each row */
/* Small k: a row is read once, and a heap in local memory keeps its k first keys. */
#define CLADE_KSELECT_SCAN 3
/* k = 1: a row is read once, by several work-groups. */
#define CLADE_KSELECT_FIRST 4

/* The keys of the longest row. */
#define CLADE_KSELECT_LENGTH_MAX ((uint64_t)1 << 28)

/* What a selector is to be. A zero field means its default. */
typedef struct clade_kselect_params {
    uint64_t length;      /* keys of a row, or of the longest one; required, at most
                           * CLADE_KSELECT_LENGTH_MAX */
    uint64_t k;           /* results of a row, or the most of one; required, 1 .. length */
    uint32_t key;         /* CLADE_I32 (default), _U32, _F32, _I64, _U64, _F64, _F16 or _BF16 (these
                           * two as 16-bit words) */
    uint32_t order;       /* CLADE_MIN (default): the smallest keys; CLADE_MAX: the greatest */
    uint32_t output;      /* CLADE_KSELECT_ANY (default), _SORTED or _HEAP */
    uint32_t indices;     /* 1: the index that each result has in its row is given as well */
    uint32_t method;      /* CLADE_KSELECT_AUTO (default), _ROW, _SHARED, _SCAN or
                           * _FIRST */
    uint32_t group_size;  /* work-items in a group, a power of two; default: what suits, on a CPU 1.
                           * On PoCL it is 1 */
    uint32_t parts;       /* groups that share a row (_SHARED), rounded down to a power of two;
                           * default: what suits */
    uint32_t arity;       /* children of a heap's node (_HEAP): 8, 16, 32 or 64; default: 8 on CPUs,
                           * else 32 */
    uint32_t ties;        /* CLADE_KSELECT_TIES_ANY (default) or _LOWEST */
    uint32_t reserved0;   /* zero */
    uint64_t reserved[3]; /* zero: see clade/error.h */
} clade_kselect_params;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create a selector.
 *
 * @retval CLADE_OK     `*out` is the selector.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The driver cuts off loops that are as long as such rows need
 *                              (clade_caps.loop_limit; llvmpipe). Or, with CLADE_KSELECT_SCAN, a
 *                              heap of k keys needs more than half of the local memory. Or a heap
 *                              is needed (CLADE_KSELECT_HEAP, _SCAN) of keys that have not 32 bits,
 *                              or a scan that heeds ties.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_kselect_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_kselect_create(clade_kselect **out,
                                                          clade_context *context,
                                                          const clade_kselect_params *params);

/**
 * Free a selector and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the selector.
 * Threads: one, when no other uses it.
 * Blocks:  no.
 */
CLADE_API void clade_kselect_destroy(clade_kselect **selector);

/**
 * Select from `rows` rows.
 *
 * @param selector Which one.
 * @param keys     rows * length keys, row after row; only read. Rows in host memory may be more
 *                 than the device's memory holds: they go there in pieces.
 * @param out      Room for rows * k keys. The results of row r are out[r * k] .. out[r * k + k -
 *                 1].
 * @param indices  Room for rows * k uint32_t when clade_kselect_params.indices is 1, else no array.
 * @param rows     How many rows; 0 does nothing.
 * @param launch   Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK     Done with an array in host memory, else enqueued.
 * @retval CLADE_E_ARG  An argument is missing or too small; the message names it.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per selector.
 * Blocks:  with host arrays; and while kernels are built, when for the first time there are so few
 *          rows that several groups share each or that none is scanned, or so many that no row is
 *          shared.
 */
CLADE_API CLADE_CHECKED clade_status clade_kselect_run(clade_kselect *selector, clade_array keys,
                                                       clade_array out, clade_array indices,
                                                       uint64_t rows, const clade_launch *launch);

/**
 * Select from `rows` rows, each with a length and a k of its own.
 *
 * @param selector Which one. Its length and k are the most that a row may have.
 * @param keys     The keys of all rows; only read. Row r has keys[offsets[r]] .. keys[offsets[r +
 *                 1] - 1]. In host memory they may be more than the device's memory holds; then
 *                 `offsets` must be in host memory, too.
 * @param offsets  rows + 1 uint64_t that do not descend. No array: rows of the selector's length,
 *                 one after the other.
 * @param ks       rows uint32_t, 0 .. k: how many results each row has at most. No array: k each.
 * @param out      Room for rows * k keys, with the selector's k. The results of row r are out[r *
 *                 k] and those that follow: as many as the smaller of ks[r] and the row's length.
 *                 The places after them stay as they were.
 * @param indices  As for clade_kselect_run(). Indices count from the row's first key.
 * @param rows     How many rows; 0 does nothing.
 * @param statuses rows clade_status, or no array. CLADE_E_ARG: the row is longer than the
 *                 selector's length, ends before it begins or beyond the buffer of the keys, or
 *                 asks for more than k results. Nothing is selected from it.
 * @param launch   Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK     Done with an array in host memory, else enqueued.
 * @retval CLADE_E_ARG  An argument is missing or too small; or offsets or ks in host memory refuse
 *                      a row, and then nothing was done. The message names it.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per selector.
 * Blocks:  with host arrays; and while the kernels for such rows are built, when they come for the
 *          first time.
 */
CLADE_API CLADE_CHECKED clade_status clade_kselect_run_each(
    clade_kselect *selector, clade_array keys, clade_array offsets, clade_array ks, clade_array out,
    clade_array indices, uint64_t rows, clade_array statuses, const clade_launch *launch);

#ifdef __cplusplus
}
#endif
