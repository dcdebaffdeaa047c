/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the selection (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/kselect.h>
#include <clade/shared/kselect.h>

SIZE(clade_kselect_params, 80);
AT(clade_kselect_params, length, 0);
AT(clade_kselect_params, k, 8);
AT(clade_kselect_params, key, 16);
AT(clade_kselect_params, order, 20);
AT(clade_kselect_params, output, 24);
AT(clade_kselect_params, indices, 28);
AT(clade_kselect_params, method, 32);
AT(clade_kselect_params, group_size, 36);
AT(clade_kselect_params, parts, 40);
AT(clade_kselect_params, arity, 44);
AT(clade_kselect_params, ties, 48);
AT(clade_kselect_params, ties, 48);

static void structs(struct fixture *f)
{
    CREATE_REFUSES(kselect, .length = 10, .k = 1);
}

static const uint32_t places[] = { CLADE_KSELECT_LAYOUT(PLACE) };
const struct abi kselect_abi = { "kselect", structs, NULL, LAYOUT(KSELECT) };
