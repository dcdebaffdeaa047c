/* SPDX-License-Identifier: Apache-2.0 */
/* K-selection: how each public device function is called alone (tests/alone/alone.h). No object;
 * rows are arrays. */
#include <stdio.h>

#include "alone/alone.h"

static const struct call kselect_calls[] = {
    { "clade_kselect_wg",
      "__local clade_kselect_local s; clade_kselect_out to; to.keys = (__global uint *)(room + "
      "1024u);"
      " to.indices = (__global uint *)(room + 2048u); "
      "clade_kselect_wg(&s, (__global const uint *)room, 64u, 8u, to);",
      NEVER },
};

static clade_status open_kselect(struct world *w, const struct kind *k)
{
    w->items = w->caps->is_cpu ? 1 : 32;
    snprintf(w->options, sizeof w->options,
             "-DCLADE_KSELECT_GROUP=%u -DCLADE_KSELECT_KEY=%u -DCLADE_KSELECT_INDICES=%u",
             (unsigned)w->items, k->key, k->value != CLADE_NONE);
    return CLADE_OK;
}

const struct kind kselect_alone[] = {
    KIND("kselect-32", "#define OBJECT void\n#include \"clade/kselect.clh\"\n", kselect,
         open_kselect, CLADE_U32, CLADE_NONE, 0),
    KIND("kselect-32-32", "#define OBJECT void\n#include \"clade/kselect.clh\"\n", kselect,
         open_kselect, CLADE_F32, CLADE_U32, 0),
    { 0 },
};
