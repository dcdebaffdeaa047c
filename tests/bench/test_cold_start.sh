#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fails has not been measured: it is no start that is too long.
#   test_cold_start.sh BENCH_COLD_START
set -u
bench=$1
. "${0%/*}/../harness/expect.sh"
run 77 'no OpenCL device' env OCL_ICD_VENDORS=/nowhere OCL_ICD_FILENAMES= \
    "$bench" --doubled "$work" /bin/true /bin/true /bin/true
run 99 'usage' "$bench" --doubled "$work"
# On PoCL, whatever device the tests are for: elsewhere it is not measured.
CLADE_DEVICE='Portable Computing' "$bench" --doubled "$work" /bin/true /bin/false /bin/true >"$work/out" 2>"$work/err"
case $?:$(cat "$work/err") in
99:*'false fails'* | 77:*'OpenCL device'*) pass ;;
*) fail 'a program that fails was measured' ;;
esac
echo "$passed passed, $failed failed"
[ $failed = 0 ]
