#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README's program: it runs, and prints the first keys in order.
#   test_example.sh PROGRAM
set -u
. "${0%/*}/../harness/expect.sh"
"$1" >"$work/out" 2>"$work/err" || ! grep -Eq 'there is no OpenCL device|no OpenCL device fits' "$work/out" ||
    skip "$(cat "$work/out")"
run 0 '3 got: -7 0 12' "$1"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
