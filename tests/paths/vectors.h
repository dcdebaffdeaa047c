/* SPDX-License-Identifier: Apache-2.0 */
/* What the searches use of OpenCL C that host/device.h has not. */
#pragma once

typedef struct {
    uint x, y;
} uint2;
#define rotate(x, n) ((x) << ((n) % 32u) | (x) >> ((32u - (n) % 32u) % 32u))
