/* SPDX-License-Identifier: Apache-2.0 */
/* Types of keys and values. They are numbers, so that the preprocessor can compare them. */
#pragma once

#include "clade/shared/base.h"

#define CLADE_NONE 0 /* no value stored beside the key */
#define CLADE_I32  1 /* int32_t */
#define CLADE_U32  2 /* uint32_t */
#define CLADE_F32  3 /* float */
#define CLADE_I64  4 /* int64_t */
#define CLADE_U64  5 /* uint64_t */
#define CLADE_F64  6 /* double, where the device has it */
/* Halves, as 16-bit words in memory. Selection alone takes them (clade/kselect.h); it needs no
 * device that computes with them. */
#define CLADE_F16  7 /* IEEE 754: 5 bits of exponent */
#define CLADE_BF16 8 /* the leading half of a float */

/* The bytes of one element; 0 for CLADE_NONE. */
#define CLADE_TYPE_BYTES(type) \
    ((type) == CLADE_NONE ? 0u : (type) >= CLADE_F16 ? 2u : (type) >= CLADE_I64 ? 8u : 4u)
/* Whether the type is float or double. */
#define CLADE_TYPE_IS_FLOAT(type) ((type) == CLADE_F32 || (type) == CLADE_F64)

/* The order: which key comes first. */
#define CLADE_MIN 0 /* smallest first: the default */
#define CLADE_MAX 1 /* greatest first */
