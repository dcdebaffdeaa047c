/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of public functions, and the OpenCL version that the headers are written for. */
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define CLADE_API     __attribute__((visibility("default"))) /* the library exports it */
#define CLADE_CHECKED __attribute__((warn_unused_result))    /* ignoring its result is a warning */
#else
#define CLADE_API
#define CLADE_CHECKED
#endif

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* of the headers in CL/, unless the user chose one */
#endif
