/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses: what became of a call, on the host and on the device. */
#pragma once

#include "clade/shared/base.h"

/* A status is a clade_status on the host and a clade_i32 on the device. */
#define CLADE_OK            0     /* done */
#define CLADE_E_ARG         (-1)  /* an argument is wrong; the message names it */
#define CLADE_E_NOMEM       (-2)  /* there is no host memory left */
#define CLADE_E_DEVICE      (-3)  /* an OpenCL call failed; clade_error_last()->cl_code tells */
#define CLADE_E_UNSUPPORTED (-4)  /* the device lacks something; the message names it */
#define CLADE_E_NOT_FOUND   (-5)  /* there is no such device, file or key */
#define CLADE_E_BUILD       (-6)  /* a kernel did not compile, which clade_error_last()->log explains,
                                   * or a file of the library's own kernels is missing */
#define CLADE_E_FULL        (-7)  /* there is no room; the refused request had no effect */
#define CLADE_E_BUSY        (-8)  /* a bounded wait gave up; nothing took effect: try again */
#define CLADE_E_CORRUPT     (-9)  /* a check failed; the data is not what it must be */
#define CLADE_E_IO          (-10) /* reading or writing a file failed */
#define CLADE_STATUS_COUNT  11    /* how many there are */
