/* SPDX-License-Identifier: Apache-2.0 */
/* The outcomes that host and device share. */
#pragma once

#include "clade/shared/base.h"

/* On the host a clade_status; on the device a clade_i32. */
#define CLADE_OK            0     /* done */
#define CLADE_E_ARG         (-1)  /* the caller's mistake: the argument that is wrong is named */
#define CLADE_E_NOMEM       (-2)  /* host memory is out */
#define CLADE_E_DEVICE      (-3)  /* an OpenCL call failed: clade_error_last()->cl_code has it */
#define CLADE_E_UNSUPPORTED (-4)  /* the device lacks what is needed: it is named */
#define CLADE_E_NOT_FOUND   (-5)  /* no such device, file, key */
#define CLADE_E_BUILD       (-6)  /* a kernel did not compile: clade_error_last()->log */
#define CLADE_E_FULL        (-7)  /* no room: nothing of the refused request took effect */
#define CLADE_E_BUSY        (-8)  /* a bounded wait gave up: nothing took effect, try again */
#define CLADE_E_CORRUPT     (-9)  /* a check failed: the data is not what it must be */
#define CLADE_E_IO          (-10) /* reading or writing a file failed */
#define CLADE_STATUS_COUNT  11    /* of them */
