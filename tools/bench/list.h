/* SPDX-License-Identifier: Apache-2.0 */
/* The suite `list`, in two files: sequences (list.c) and sets (list_ordered.c). */
#pragma once

#include "bench/bench.h"

bool bench_list_ordered(struct bench *bench);
