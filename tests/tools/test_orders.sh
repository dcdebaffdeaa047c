#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade orders`: books by hand, made-up traces against std::map, and bad input named by its line.
#   test_orders.sh CLADE
set -u
clade=$1
. "${0%/*}/../harness/expect.sh"
# also TEXT: the last command printed this too
also() {
    if grep -qF -- "$1" "$work/out"; then pass; else fail "no \"$1\""; fi
}

run 2 'usage: clade orders' "$clade" orders
run 2 'usage: clade orders' "$clade" orders "$work/a" "$work/b"
run 2 'usage: clade orders' "$clade" orders "$work/a" --generate 0
run 2 'usage: clade orders' "$clade" orders "$work/a" --generate 10:70000
run 1 'cannot be written' "$clade" orders /nowhere/trace --generate 10
run 1 'nothing' "$clade" orders "$work/nothing"

needs_device "$clade"

# By hand: order 3 takes all of 2 at 101 and rests; 4 takes 7 of 1 at 100; 1 is cancelled, 2 is gone, 3 is in use.
# Symbol 0 stands apart, at the ends of all ranges.
cat >"$work/hand" <<END
# a book
B 7 1 100 10
B 7 2 101 5

S 7 3 101 8
S 7 4 100 7
C 7 1
C 7 2
B 7 3 1 1
B 0 4294967295 8388607 2147483647
S 65535 1 1 1
END
run 0 'traded     12' "$clade" orders "$work/hand"
also 'volume     1205'
also 'events     9'
also 'rejected   1'
also 'cancelled  1'
also 'missed     1'
also 'resting    3'

# Against std::map, where clade has one.
check=--check
"$clade" orders "$work/hand" --check >"$work/out" 2>"$work/err" || {
    grep -q 'without a C++ compiler' "$work/err" || fail 'check by hand'
    echo 'clade was built without a C++ compiler: nothing is compared with std::map'
    check=
}
for load in 2000:1 3000:3 4000:200; do
    run 0 "symbols  ${load#*:}" "$clade" orders "$work/made" --generate $load --seed 5
    run 0 'resting' "$clade" orders "$work/made" $check
    [ -z "$check" ] || also "every event and the books are std::map's"
done
gzip "$work/made"
run 0 'events     4000' "$clade" orders "$work/made.gz" $check
head -c 300 "$work/made.gz" >"$work/cut.gz"
run 1 'cut.gz' "$clade" orders "$work/cut.gz"
cp "$work/made.gz" "$work/again.gz"
run 0 'events' "$clade" orders "$work/again" --generate 4000:200 --seed 5
gzip -dc "$work/made.gz" | cmp -s - "$work/again" && pass || fail 'the same seed made another trace'

# bad NAME LINE TEXT: refused, with file and line.
bad() {
    run 1 "$work/$1:$2: " "$clade" orders "$work/$1"
    if grep -qF -- "$3" "$work/err"; then pass; else fail "no \"$3\""; fi
}
printf 'B 1 1 5 5\nX 1 2 3 4\n' >"$work/kind"
bad kind 2 "not 'X'"
printf 'B 1 1 5 5\n\nBUY 1 2 3 4\n' >"$work/word"
bad word 3 "not 'BUY'"
printf 'B 65536 1 5 5\n' >"$work/symbol"
bad symbol 1 'the symbol'
printf '# x\nS 1 0 5 5\n' >"$work/id"
bad id 2 'the order'
printf 'S 1 1 8388608 5\n' >"$work/price"
bad price 1 'the price'
printf 'S 1 1 5 0\n' >"$work/size"
bad size 1 'the size'
printf 'S 1 1 5 -3\n' >"$work/minus"
bad minus 1 'the size'
printf 'S 1 1 5\n' >"$work/short"
bad short 1 'the size'
printf 'C 1 1 5\n' >"$work/long"
bad long 1 'too many'
: >"$work/empty"
run 1 'no events' "$clade" orders "$work/empty"
run 1 'no OpenCL device fits' "$clade" orders "$work/hand" --device nonsense

echo "$passed passed, $failed failed"
[ $failed = 0 ]
