/* SPDX-License-Identifier: Apache-2.0 */
/* The suite `list`, in two files: sequences (bench_list.c) and sets (bench_list_ordered.c). */
#pragma once

#include "bench.h"

bool bench_list_ordered(struct bench *bench);
