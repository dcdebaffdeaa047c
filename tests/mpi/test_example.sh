#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of docs/guide/mpi.md finds the first jobs of all ranks, once for each number of ranks.
#   test_example.sh RUN_MPI EXAMPLE
set -u
export CLADE_DEVICE="${CLADE_DEVICE:-Portable Computing}"
said=$("$1" "$2" 2>&1)
status=$?
echo "$said"
[ $status = 0 ] || exit $status
[ "$(echo "$said" | grep -c '^5 jobs: 0 1 2 3 4$')" = "$(echo "$said" | grep -c ranks)" ]
