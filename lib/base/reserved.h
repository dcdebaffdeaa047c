/* SPDX-License-Identifier: Apache-2.0 */
/* Words of public structs that later versions may use. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"

/* E_ARG with a sentence when one of `count` words is not zero; `what` is the struct's name. */
clade_status cladei_reserved_check(const void *words, size_t count, const char *what);
#define CLADEI_RESERVED_CHECK(pointer, what) \
    cladei_reserved_check((pointer)->reserved, sizeof(pointer)->reserved / sizeof(uint64_t), (what))
