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
