/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices there are, and what queries tell of them. */
#pragma once

#include "clade/context.h"

/* The devices that fit a description, best first. Fails when nothing fits. */
clade_status cladei_device_select(const clade_device_list *list, const char *description,
                                  size_t **order, size_t *count);
clade_status cladei_device_describe(cl_device_id id, clade_device_info *info);

/* What queries tell; `atomics` is left to the probe. */
clade_status cladei_caps_query(cl_device_id device, clade_caps *caps);
