/* SPDX-License-Identifier: Apache-2.0 */
/* The options of kernels that do little but allocate: an object's own and, on NVIDIA, few registers
 * (docs/structures/kma.md), as the library compiles its own. */
#pragma once

#include <stdio.h>

#include <clade/context.h>
#include <clade/kma.h>

struct kma_options {
    char text[256];
};

static inline struct kma_options kma_options(const clade_context *context, const char *own)
{
    struct kma_options options;
    const int on_nvidia = clade_context_caps(context)->atomics == CLADE_ATOMICS_PTX;
    snprintf(options.text, sizeof options.text, "%s%s", own,
             on_nvidia ? " " CLADE_KMA_FEW_REGISTERS : "");
    return options;
}
