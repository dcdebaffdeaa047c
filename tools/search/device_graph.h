/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of the host's, as a clade_graph on a device. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <clade/graph.h>

#include "graph/graph.h"

/* false: `error` has a sentence. */
bool device_graph_create(clade_graph **out, clade_context *context, const struct graph *graph,
                         char *error, size_t error_size);
