/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as unsigned numbers that ascend in the order wanted, as cl/clade/base/order.clh makes them:
 * ranks with different devices, and any type of key, then compare alike. NaN comes last. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "clade/shared/types.h"

/* The images of keys with 32 bits ascend from 0. */
static inline uint64_t cladei_mpi_image32(uint32_t raw, uint32_t type, uint32_t order)
{
    uint32_t word = raw;
    if (type == CLADE_F32 && (raw & 0x7fffffffu) > 0x7f800000u)
        return UINT32_MAX;
    if (type == CLADE_I32)
        word = raw ^ 0x80000000u;
    if (type == CLADE_F32)
        word = raw ^ (raw & 0x80000000u ? UINT32_MAX : 0x80000000u);
    return order == CLADE_MAX ? ~word : word;
}

static inline uint64_t cladei_mpi_image64(uint64_t raw, uint32_t type, uint32_t order)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t word = raw;
    if (type == CLADE_F64 && (raw & ~sign) > (uint64_t)0x7ff << 52)
        return UINT64_MAX;
    if (type == CLADE_I64)
        word = raw ^ sign;
    if (type == CLADE_F64)
        word = raw ^ (raw & sign ? UINT64_MAX : sign);
    return order == CLADE_MAX ? ~word : word;
}

static inline uint64_t cladei_mpi_image(const void *keys, uint64_t i, uint32_t type, uint32_t order)
{
    uint32_t narrow;
    uint64_t wide;
    if (CLADE_TYPE_BYTES(type) == 8) {
        memcpy(&wide, (const char *)keys + 8 * i, sizeof wide);
        return cladei_mpi_image64(wide, type, order);
    }
    memcpy(&narrow, (const char *)keys + 4 * i, sizeof narrow);
    return cladei_mpi_image32(narrow, type, order);
}
