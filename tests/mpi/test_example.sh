#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of docs/guide/mpi.md say what they are to, once for each number of ranks.
#   test_example.sh RUN_MPI EXAMPLE NAME
set -u
export CLADE_DEVICE="${CLADE_DEVICE:-Portable Computing}"
said=$("$1" "$2" 2>&1)
status=$?
echo "$said"
[ $status = 0 ] || ! echo "$said" | grep -qE 'there is no OpenCL device|no OpenCL device fits' || exit 77
[ $status = 0 ] || exit $status
case $3 in
first) wanted='5 jobs: 0 1 2 3 4' ;;
paths) wanted='node [0-9]*: length [0-9]*, after node [0-9]*' ;;
esac
[ "$(echo "$said" | grep -c "^$wanted\$")" = "$(echo "$said" | grep -c ranks)" ] || exit 1
# Around the ring: the last node's number is N, its way has N arcs of 10, and it comes after N - 1.
[ "$3" != paths ] || echo "$said" | sed -n 's/^node \([0-9]*\): length \([0-9]*\), after node \([0-9]*\)$/\1 \2 \3/p' |
    while read -r node length before; do
        [ "$length" = $((10 * node)) ] && [ "$before" = $((node - 1)) ] || exit 1
    done
