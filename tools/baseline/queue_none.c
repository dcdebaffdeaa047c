/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no C++ compiler: no baseline. */
#include "baseline/queue.h"

const struct baseline_queue_kind baseline_queue_std = { .name = "std::priority_queue",
                                                        .missing = "no C++" };
