/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no oneTBB: none of its containers. */
#include "baseline/map.h"
#include "baseline/queue.h"

const struct baseline_queue_kind baseline_queue_tbb = { .name = "oneTBB queue",
                                                        .missing = "no oneTBB" };
const struct baseline_map32_kind baseline_map32_tbb = { .name = "oneTBB map",
                                                        .missing = "no oneTBB" };
