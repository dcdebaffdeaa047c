#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade knapsack` and `clade astar`: what they print, that the optimum is proven, and that bad
# input ends with a sentence and status 1.
#   test_apps.sh CLADE
set -u
clade=$1
. "${0%/*}/../harness/expect.sh"

# Without a device: usage, files.
run 2 'usage: clade knapsack' "$clade" knapsack
run 2 'usage: clade knapsack' "$clade" knapsack a b
run 2 'usage: clade knapsack' "$clade" knapsack a --time-limit -1
run 2 'usage: clade knapsack' "$clade" knapsack a --generate 5:odd
run 2 'usage: clade astar' "$clade" astar
run 2 'usage: clade astar' "$clade" astar --size 5
run 2 'usage: clade astar' "$clade" astar map --size 5x5
run 2 'usage: clade astar' "$clade" astar graph --co c --from 1
run 2 'usage: clade astar' "$clade" astar graph --co c --from 1 --to 2 --heap
k="$work/k"
run 1 'the file cannot be opened' "$clade" knapsack "$work/nothing"
run 1 'the file cannot be read' "$clade" knapsack "$work"
: >"$k" && run 1 'the file is empty' "$clade" knapsack "$k"
echo 'Dear reader,' >"$k" && run 1 'this is not a knapsack file' "$clade" knapsack "$k"
printf '3 5\n1 2\n' >"$k" && run 1 'it is truncated' "$clade" knapsack "$k"
printf '1 5\n1 -2\n' >"$k" && run 1 'k:2: the weight is negative' "$clade" knapsack "$k"
printf '1 -5\n1 2\n' >"$k" && run 1 'k:1: the capacity is negative' "$clade" knapsack "$k"
printf '2 9000000000\n1 2\n3 4\n' >"$k" && run 1 'too large for --check' "$clade" knapsack "$k" --check
run 1 'cannot be written' "$clade" knapsack /nowhere/k --generate 5
printf 'type octile\nheight 2\nwidth 2\nmap\n..\n' >"$k" && run 1 'it is truncated' "$clade" astar "$k"
run 1 'the start 9,0 is outside' "$clade" astar --size 3x3 --from 9,0
printf 'type octile\nheight 1\nwidth 3\nmap\n.@.\n' >"$k"
run 1 'the goal 1,0 is an obstacle' "$clade" astar "$k" --to 1,0

run 0 'nodes' "$clade" grid --nodes 500 --out "$work/roads" --co "$work/co"
run 1 'the start 9999 is no node' "$clade" astar "$work/roads" --co "$work/co" --from 9999 --to 2
sed 5d "$work/co" >"$k" && run 1 'node 3 has no coordinates' "$clade" astar "$work/roads" --co "$k" --from 1 --to 2
sed '5s/ [0-9-]*$/ high/' "$work/co" >"$k" &&
    run 1 "k:5: a coordinate is 'high'" "$clade" astar "$work/roads" --co "$k" --from 1 --to 2
printf 'p aux sp co 7\n' >"$k" && run 1 'k:1: coordinates of 7 nodes' "$clade" astar "$work/roads" --co "$k" --from 1 --to 2
printf 'v 1 2 3\n' >"$k" && run 1 "the line starts with 'v'" "$clade" astar "$work/roads" --co "$k" --from 1 --to 2
run 1 'these are no coordinates' "$clade" astar "$work/roads" --co "$work/roads" --from 1 --to 2
printf 'type octile\nheight 1\nwidth 3\nmap\n.@.\n' >"$k"

needs_device "$clade"
run 1 'no such device' "$clade" astar --size 3x3 --device 'no such device'

run 0 'reached 0' "$clade" astar "$k" --check
run 0 'reached 1' "$clade" astar --size 60x40 --seed 3 --check --write "$work/map" --out "$work/way"
run 0 "cells $(wc -l <"$work/way")" "$clade" astar "$work/map" --check
run 0 "length $(sed -n 's/^length //p' "$work/out")" "$clade" astar "$work/map" --heap --check
run 0 'astar_ms' "$clade" astar "$work/roads" --co "$work/co" --from 1 --to 300 --check --out "$work/way"
run 0 "nodes $(wc -l <"$work/way")" "$clade" astar "$work/roads" --co "$work/co" --from 1 --to 300
# Nothing is in doubt: no kernel is needed.
printf '2 0\n5 1\n7 2\n' >"$k" && run 0 'best 0' "$clade" knapsack "$k" --check
printf '2 5\n5 6\n7 8\n' >"$k" && run 0 'best 0' "$clade" knapsack "$k" --check --host
printf '3 50\n5 6\n7 8\n0 1\n' >"$k" && run 0 'best 12' "$clade" knapsack "$k" --check
# Made-up instances, proven.
for kind in weak strong; do
    run 0 'capacity' "$clade" knapsack "$k" --generate 50:$kind --seed 3
    run 0 'is the optimum' "$clade" knapsack "$k" --check --host --stats
    run 0 'is the optimum' "$clade" knapsack "$k" --check --no-gc --plain
    grep -q '^best [0-9]*$' "$work/out" && grep -q '^nodes_explored [0-9]*$' "$work/out" &&
        grep -q '^time_ms [0-9.]*$' "$work/out" && passed=$((passed + 1)) || fail "lines of $kind"
done
# One that takes long: it stops in time, by itself or by Ctrl-C, and says how far it is.
"$clade" knapsack "$k" --generate 400:strong --seed 5 >/dev/null
run 0 'gap' "$clade" knapsack "$k" --plain --time-limit 0.2
grep -q '^bound [0-9]*$' "$work/out" && passed=$((passed + 1)) || fail 'no bound'
# On a slow machine three seconds may end before the search has begun. `--foreground`: without it timeout sends
# two signals, to the command and to its group, and the second one ends it as usual.
for seconds in 3 20; do
    timeout --foreground -s INT $seconds "$clade" knapsack "$k" --plain --time-limit 60 >"$work/out" 2>"$work/err"
    grep -q '^gap [0-9]*$' "$work/out" && break
done
grep -q '^gap [0-9]*$' "$work/out" && passed=$((passed + 1)) || fail 'Ctrl-C'

# Known optima, where the files are there.
data=${CLADE_DATA:-}/knapsack
if [ -n "${CLADE_DATA:-}" ] && [ -d "$data" ]; then
    for case in 200:676559 400:78124 600:92155 800:100144 1000:137878; do
        run 0 "check ${case#*:} is the optimum" "$clade" knapsack "$data/bgpq/${case%:*}.data" --check
    done
    while read -r name optimum; do
        run 0 "check $optimum is the optimum" "$clade" knapsack "$data/pisinger/$name" --check
    done <"$data/pisinger/optima.txt"
else
    echo 'CLADE_DATA is not set: the known instances were left out'
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
