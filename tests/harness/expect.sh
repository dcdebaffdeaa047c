# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of commands: a folder of their own in $work, PoCL when no device is named, and run().
work=$(mktemp -d "${TMPDIR:-/tmp}/clade test XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
: "${CLADE_DEVICE:=Portable Computing}"
export CLADE_DEVICE
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
    sed 's/^/    /' "$work/out" "$work/err"
}
# run STATUS TEXT COMMAND...: exits with STATUS and prints TEXT (a fixed string) somewhere.
run() {
    wanted=$1 text=$2
    shift 2
    timeout 200 "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got != "$wanted" ]; then
        fail "status $got, not $wanted: $*"
    elif ! cat "$work/out" "$work/err" | grep -qF -- "$text"; then
        fail "no \"$text\": $*"
    else
        pass
    fi
}
# skip REASON: the test ends here, as skipped; but what failed before is not forgotten.
skip() {
    [ $failed = 0 ] || {
        echo "$passed passed, $failed failed; left out: the rest: $*"
        exit 1
    }
    echo "skipped: $*"
    exit 77
}
# needs_device CLADE: for what follows. A command that is not there is no device that is missing. Of the devices that are
# there CLADE_DEVICE may name none.
needs_device() {
    "$1" info >"$work/out" 2>"$work/err"
    got=$?
    case $got in
    0)
        "$1" count /dev/null >"$work/out" 2>"$work/err" || ! grep -q 'no OpenCL device fits' "$work/err" ||
            skip "$(cat "$work/err")"
        ;;
    126 | 127)
        echo "$1 was not run: $(cat "$work/err")"
        exit 99
        ;;
    *)
        grep -q 'there is no OpenCL device' "$work/out" && skip "no OpenCL device"
        fail "$1 info: status $got"
        exit 1
        ;;
    esac
}
