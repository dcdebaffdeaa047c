/* SPDX-License-Identifier: Apache-2.0 */
/* Which symbols the library shows, and the OpenCL version that its headers are written for. */
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define CLADE_API     __attribute__((visibility("default"))) /* the library shows it */
#define CLADE_CHECKED __attribute__((warn_unused_result))    /* its result is not to be ignored */
#else
#define CLADE_API
#define CLADE_CHECKED
#endif

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* of the headers in CL/, where the user has not chosen */
#endif
