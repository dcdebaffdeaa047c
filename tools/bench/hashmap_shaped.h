/* SPDX-License-Identifier: Apache-2.0 */
/* Tables `distributions` and `sizes` of `clade bench hashmap`. */
#pragma once

#include "bench/bench.h"

bool bench_hashmap_shaped(struct bench *bench);
