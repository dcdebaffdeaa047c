/* SPDX-License-Identifier: Apache-2.0 */
/* The k first keys of each of many rows. docs/inside/kselect.md says how, and
 * docs/figures/kselect.md how fast.
 *
 * A selector is made once for a row's length, k and type, and run on any number of rows. It is
 * exact for every input. Of equal keys that compete for the last places it is unspecified which
 * are taken. NaN comes last, with CLADE_MIN and with CLADE_MAX; -0 is before +0 (CLADE_MIN). */
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

/* The order of a row's results. */
#define CLADE_KSELECT_ANY    0 /* none */
#define CLADE_KSELECT_SORTED 1 /* the first key first */
/* A d-ary heap: the last key is the root, element 0, and the children of element i, from
 * arity * i + 1 on, come before it. */
#define CLADE_KSELECT_HEAP 2

/* How a row is worked on. */
#define CLADE_KSELECT_AUTO   0 /* what is fastest */
#define CLADE_KSELECT_ROW    1 /* one group a row */
#define CLADE_KSELECT_SHARED 2 /* several groups a row */
#define CLADE_KSELECT_SCAN   3 /* one look, with a heap of the k first in local memory: small k */

/* The longest row. */
#define CLADE_KSELECT_LENGTH_MAX ((uint64_t)1 << 28)

/* Zero fields are defaults. */
typedef struct clade_kselect_params {
    uint64_t length;     /* keys a row; required, 1 .. CLADE_KSELECT_LENGTH_MAX */
    uint64_t k;          /* results a row; required, 1 .. length */
    uint32_t key;        /* CLADE_I32 (default), CLADE_U32 or CLADE_F32 */
    uint32_t order;      /* CLADE_MIN (default): the smallest keys; CLADE_MAX: the greatest */
    uint32_t output;     /* CLADE_KSELECT_ANY (default), _SORTED or _HEAP */
    uint32_t indices;    /* 1: each result's index in its row is given too */
    uint32_t method;     /* CLADE_KSELECT_AUTO (default), _ROW, _SHARED or _SCAN */
    uint32_t group_size; /* items a group, a power of two; default: what suits */
    uint32_t parts;      /* groups that share a row; rounded down to a power of two; default: what
                          * suits */
    uint32_t arity;      /* of a heap: 8, 16, 32 or 64; default: 8 on CPUs, else 32 */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_kselect_params;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Make a selector.
 *
 * @retval CLADE_OK     `*out` is the selector.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The device's loops are too short for such rows (llvmpipe); or a
 *                              heap of k keys does not fit half of local memory (_SCAN).
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_kselect_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_kselect_create(clade_kselect **out,
                                                          clade_context *context,
                                                          const clade_kselect_params *params);

/** Free a selector. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the selector.
 * Threads: one, when no other uses it.
 * Blocks:  no.
 */
CLADE_API void clade_kselect_destroy(clade_kselect **selector);

/**
 * Select from `rows` rows.
 *
 * @param keys     rows * length keys, row after row; only read.
 * @param out      Room for rows * k keys: row r's results are out[r * k] .. out[r * k + k - 1].
 * @param indices  Room for as many uint32_t, or no array: exactly as the params said.
 * @param rows     Any number; 0 does nothing.
 *
 * @retval CLADE_OK     Done (some array in host memory) or enqueued (all in device memory).
 * @retval CLADE_E_ARG  An argument is missing or too small; the message names it.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done. Host rows
 *          may be more than device memory holds: they go there in pieces.
 * Threads: one at a time per selector.
 * Blocks:  with host arrays; and while kernels are built, when for the first time there are so few
 *          rows that several groups share each, or that none is scanned.
 */
CLADE_API CLADE_CHECKED clade_status clade_kselect_run(clade_kselect *selector, clade_array keys,
                                                       clade_array out, clade_array indices,
                                                       uint64_t rows, const clade_launch *launch);

#ifdef __cplusplus
}
#endif
