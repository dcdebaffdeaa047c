/* SPDX-License-Identifier: Apache-2.0 */
/* In place of bench_std_map.cpp where there is no C++ compiler. */
#include "bench_rbtree.h"

#include <stdio.h>

void bench_std_map(uint32_t count)
{
    (void)count;
    printf("no std::map beside it: there was no C++ compiler\n");
}
