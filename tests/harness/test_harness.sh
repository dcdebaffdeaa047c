#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What runs the tests: where nothing ran, or not what was asked for, that is an error, not a pass.
#   test_harness.sh SOURCE_ROOT BUILD_ROOT DEVICE_PROGRAM [HOST_PROGRAM]
set -u
root=$1 build=$2 program=$3 host=${4:-}
. "${0%/*}/expect.sh"
expect=$root/tests/harness/expect-failure

run 99 'no test' env CLADE_TEST_FILTER=no_such_test "$program"
run 0 'caught in run 1 (exit 3)' "$expect" sh -c 'exit 3'
run 0 'caught in run 2 (exit 3)' "$expect" sh -c 'exit $((${CLADE_TEST_SEED:-1} > 1 ? 3 : 0))'
run 1 'not caught in 12 runs' "$expect" true
run 1 'no verdict' env CLADE_PLANT_SECONDS=1 "$expect" sleep 5
run 77 'skipped' "$expect" sh -c 'exit 77'
run 1 'do not compile' "$expect" sh -c 'echo "a call returned CLADE_E_BUILD, not CLADE_OK"; exit 3'
run 99 'was not run' "$expect" sh -c 'echo "no device: the kernels are not in /nowhere"; exit 1'
run 99 'was not run' "$expect" sh -c 'echo "FATAL: ThreadSanitizer: unexpected memory mapping 0x5c0000000000"; exit 66'
# A library without its kernels is no device that is missing, and catches no bug.
CLADE_KERNEL_PATH=/nowhere "$program" >"$work/out" 2>"$work/err"
case $?:$(cat "$work/out") in
1:*'kernels are not in /nowhere'* | 77:*'OpenCL device'*) pass ;;
*) fail 'without kernels a test was skipped' ;;
esac
"$expect" CLADE_KERNEL_PATH=/nowhere "$program" >"$work/out" 2>"$work/err"
case $? in
77 | 99) pass ;;
*) fail 'without kernels a bug was caught' ;;
esac
# What needs a device: skipped without one, but not where something failed, or where there is no command.
script() { # TEXT: a test whose first command is as it should be
    printf '. "%s/tests/harness/expect.sh"\nrun 0 here echo here\n%s\n' "$root" "$1" >"$work/script"
}
printf '#!/bin/sh\necho "there is no OpenCL device"\nexit 1\n' >"$work/none"
chmod +x "$work/none"
script "needs_device '$work/none'" && run 77 'skipped: no OpenCL device' sh "$work/script"
script "run 0 here false; needs_device '$work/none'" && run 1 '1 passed, 1 failed' sh "$work/script"
printf '#!/bin/sh\n[ "$1" = info ] || { echo "no OpenCL device fits it" >&2; exit 1; }\n' >"$work/other"
chmod +x "$work/other"
script "needs_device '$work/other'" && run 77 'skipped: no OpenCL device fits' sh "$work/script"
script 'needs_device false' && run 1 'info: status 1' sh "$work/script"
script 'needs_device "$work/no_such_program"' && run 99 'was not run' sh "$work/script"
script 'needs_device true; echo here' && run 0 'here' sh "$work/script"
# A tool's own fault: once more. What a test found counts at once.
again=$root/tests/harness/run-again
at_first() { # MESSAGE: fails with it, but only the first time
    printf '%s\n' '#!/bin/sh' '[ -e "$0.ran" ] && exit 0' ': >"$0.ran"' "printf '$1\\n'" 'exit 3' >"$work/at_first"
    chmod +x "$work/at_first"
    rm -f "$work/at_first.ran"
}
at_first 'Tracer caught signal 11'
run 0 'once more' "$again" "$work/at_first"
at_first '[  FAILED  ] a_test\nTracer caught signal 11'
run 3 'a_test' "$again" "$work/at_first"
at_first 'another fault'
run 3 'another fault' "$again" "$work/at_first"
run 77 'skipped' "$again" sh -c 'echo skipped; exit 77'
# By day PoCL does not optimize. Other devices do, and other sizes; what else a compiler is told stays.
quickly=$root/tests/harness/run-quickly
told='echo "told:$CLADE_BUILD_OPTIONS."; exit 4'
run 4 'told:-DA=1 -DB -cl-opt-disable.' env CLADE_TEST_SIZE=small CLADE_DEVICE= "$quickly" --options '-DA=1 -DB' sh -c "$told"
run 4 'told:-DA=1.' env CLADE_TEST_SIZE=small CLADE_DEVICE=nvidia "$quickly" --options -DA=1 sh -c "$told"
run 4 'told:-DA=1.' env CLADE_TEST_SIZE=normal CLADE_DEVICE= CLADE_BUILD_OPTIONS=-DA=1 "$quickly" sh -c "$told"
run 77 'skipped' env CLADE_TEST_SIZE=small CLADE_DEVICE= "$quickly" sh -c 'echo skipped; exit 77'
# PoCL 5.0 stops by itself at kernels that are not optimized.
stops='echo "told:$CLADE_BUILD_OPTIONS."; case $CLADE_BUILD_OPTIONS in *disable) echo "pocl::isAutomaticLocal(x): Assertion"; exit 3 ;; esac'
run 0 'told:-DA.' env CLADE_TEST_SIZE=small CLADE_DEVICE= "$quickly" --options -DA sh -c "$stops"
# A test that failed before it stopped is not forgotten.
stops="echo '[  ERROR   ] --- a_test' >&2; $stops"
run 3 'a_test' env CLADE_TEST_SIZE=small CLADE_DEVICE= "$quickly" sh -c "$stops"
run 3 'a_test' "$root/tests/harness/run-noopt" sh -c "{ $stops; } >&2"
# Built by day is what its tests run, and not what the suite `long` alone runs.
run 0 'tests/test_queue' "$root/tests/harness/built-by-day" "$build"
grep -q 'tests/refusals/test_refusals' "$work/out" && fail 'what the suite long runs is built by day' || pass
run 2 'no program "no_such_program"' "$root/tools/soak" 1 "$build" no_such_program
run 2 'SECONDS is a number' "$root/tools/soak" soon "$build"
# A program that is asked for runs, also one that draws nothing from the seed.
mkdir -p "$work/built/tests"
printf '#!/bin/sh\nsleep 1\n' >"$work/built/tests/test_error"
chmod +x "$work/built/tests/test_error"
run 0 'exit 0: test_error-normal' "$root/tools/soak" 2 "$work/built" test_error
run 2 'build first' "$root/tools/soak" 1 "$work"
run 2 'SECONDS is a number' "$root/tests/fuzz/run-fuzz" "$root" soon
printf '#!/bin/sh\necho "with LLVM 15"\n' >"$work/genmc"
chmod +x "$work/genmc"
touch "$work/genmc.h"
run 1 'no world is named so' env GENMC="$work/genmc" GENMC_INCLUDE="$work" CLANG=true OPT=true \
    "$root/tests/genmc/run" --only no_such_world queue
if [ -n "$host" ]; then
    run 0 '1 rounds' "$host" 1
    run 2 'not a number of rounds' "$host" 0
    run 2 'not a number of rounds' "$host" many
else
    echo 'left out: the programs on host threads are built with sanitizers of their own'
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
