#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade bench`: a suite from end to end, results right, and its files.
#   test_bench.sh CLADE
set -u
clade=$1
. "${0%/*}/../harness/expect.sh"

needs_device "$clade"
has() { # FILE TEXT
    if grep -qF -- "$2" "$1"; then pass; else fail "no \"$2\" in $1"; fi
}
quick="--quick --repeat 1 --limit 1"
# By day each option is shown by the suites that compile least; by night every suite comes once.
night=yes shown=3
if [ "${CLADE_TEST_SIZE:-}" = small ]; then
    night= shown=1
    echo 'left out, for CLADE_TEST_SIZE is small: the suites paths, kma, hashmap, rbtree, dlist and arraylist'
fi
run 0 'skip list' "$clade" bench list $quick --json "$work/list.json" --html "$work/list.html"
has "$work/list.json" '"right": true'
has "$work/list.html" '</html>'
has "$work/list.html" 'collisions'
# Four tables have a column that runs; in none is a figure wrong, and nothing is fetched from elsewhere.
if [ "$(grep -c '^<svg' "$work/list.html")" -ge 3 ]; then pass; else fail "too few plots"; fi
if grep -q -e 'WRONG' -e 'src=' -e 'href=' -e 'nan' -e 'inf"' "$work/list.html"; then fail "the page"; else pass; fi
if [ "$(grep -c '"complete": true' "$work/list.json")" = 2 ]; then pass; else fail "complete: file and suite"; fi
if [ -n "$night" ]; then
    run 0 'A* through grids' "$clade" bench paths $quick --json "$work/paths.json" --html "$work/paths.html"
    has "$work/paths.json" '"right": true'
    has "$work/paths.html" 'paths rounds'
fi
# A suite that has no time ends at once, right, and says so.
run 0 'nodes' "$clade" bench semilist ${night:+kma} $quick --total 1 --json "$work/total.json"
has "$work/total.json" '"measurements"'
# Time in kernels, by the device's clock: that of calls, and that of kernels of the suite's own.
run 0 '' "$clade" bench $([ -n "$night" ] && echo kma || echo list) $quick --events --json "$work/events.json"
has "$work/events.json" '"device_ms"'
# Time of processors, which the first line tells; so many keys. PoCL takes longest for these kernels: by day it does
# not optimize them.
quickly=${0%/*}/../harness/run-quickly
run 0 'times are those of processors' "$quickly" "$clade" bench heap --alone $quick --processors --keys 1024 --table again \
    --json "$work/again.json"
has "$work/again.json" '"processors": true'
has "$work/again.json" '"inside": 1024'
run 2 '"1023" keys' "$clade" bench heap --keys 1023
# Tables by name: those alone; a name that is none is told.
if [ -n "$night" ]; then
    run 0 'M pairs/s' "$clade" bench kma $quick --table fill,pairs --json "$work/table.json"
    if grep -q '"bytes"' "$work/table.json" && ! grep -q '"alloc"' "$work/table.json"; then pass; else fail "--table"; fi
fi
run 1 'nothing was measured' "$clade" bench semilist $quick --table large
# Every structure has its sizes, and those to which keys matter have their distributions: a row each.
run 0 'few values' "$clade" bench ${night:+hashmap kma} list --alone $quick --table distributions --json "$work/shapes.json"
has "$work/shapes.json" '"right": true'
for shape in random Zipf exponential clustered ascending descending equal 'few values'; do
    if [ "$(grep -c "\"$shape\"" "$work/shapes.json")" -ge $shown ]; then pass; else fail "no row of $shape keys"; fi
done
run 0 '4093' "$clade" bench queue ${night:+dlist arraylist} --alone $quick --table sizes --json "$work/sizes.json"
has "$work/sizes.json" '"right": true'
if [ "$(grep -c '"count": 4097' "$work/sizes.json")" = $shown ]; then pass; else fail "an odd size"; fi
# A table that no suite of these has is refused before anything is measured, and the right names are told.
run 2 'no table "nosuch"' "$clade" bench semilist $quick --table nodes,nosuch
has "$work/err" 'semilist: nodes large distributions sizes published'
run 2 'no table "fill"' "$clade" bench semilist $quick --table fill
run 2 'kma: blocks pairs fill init sizes distributions' "$clade" bench --table=
# `-` is the standard output, which then has nothing else.
run 0 '"measurements"' "$clade" bench semilist $quick --json -
if [ "$(head -n 1 "$work/out")" = '{' ] && [ "$(tail -n 1 "$work/out")" = '}' ]; then pass; else fail "--json -"; fi
has "$work/err" ', driver '
if [ -e ./- ]; then fail "a file named -"; else pass; fi
# Alone: what stands beside clade is not measured.
if [ -n "$night" ]; then
    run 0 'left out' "$clade" bench rbtree $quick --alone --json "$work/alone.json"
    has "$work/alone.json" '"right": true'
    # What was left out has no figure: none that is 0.
    run 0 'left out' "$clade" bench paths $quick --alone --json "$work/alone.json"
    has "$work/alone.json" '"Dijkstra ms a source": {'
    if grep -qE '"(Dijkstra / paths|A\* / paths|A\* expanded|Dijkstra ms a source)": [0-9]' "$work/alone.json"; then
        fail "a figure of what was left out"
    else
        pass
    fi
    # On one compute unit, too, half of the groups pop: a run whose groups pop nothing is wrong.
    run 0 'half and half' env POCL_DEVICES=basic "$clade" bench heap --alone $quick --table kernels
    # What a table compares is measured for it, also when the table of that is not asked for.
    run 0 'the best d of each' "$clade" bench adheap $quick --table ways --json "$work/ways.json"
    if grep -qE -e '"(plain|bridged), ms": 0\.0,?$' -e 'no time' -e '"children"' "$work/ways.json"; then fail ways; else pass; fi
fi
run 2 'a total of "0"' "$clade" bench list --total 0
# Published figures stand beside what was measured; on a terminal a line says how long it will take.
has "$work/list.json" '"name": "published"'
has "$work/list.html" 'xDarkLemon'
# Those of heaps name the columns that there are: a suite in which they do not is not complete.
[ -z "$night" ] || run 0 'front pop' "$clade" bench heap --alone $quick --table sizes --json "$work/heap.json"
if command -v script >/dev/null 2>&1; then
    script -qec "'$clade' bench semilist $quick" /dev/null >"$work/terminal" 2>&1 </dev/null
    has "$work/terminal" ' left'
    # A table has the width of the terminal, and all of it where there is none.
    widths='60 100'
    [ "${CLADE_TEST_SIZE:-}" != small ] || widths=60
    for width in $widths; do
        COLUMNS=$width script -qec "'$clade' bench semilist $quick" /dev/null 2>/dev/null </dev/null |
            tr '\r' '\n' | sed -n '/^nodes: Mulder/,$p' | grep 'append' >"$work/narrow"
        has "$work/narrow" 'append, host call: '
        if [ "$(wc -L <"$work/narrow")" -le $width ]; then pass; else fail "wider than $width"; fi
        COLUMNS=$width script -qec "'$clade' profile queue --size 1000 --passes 1" /dev/null </dev/null |
            tr -d '\r' | grep -E '^(call|append|  clade|  outside)' >"$work/narrow"
        has "$work/narrow" '  clade_queue_append'
        if [ "$(wc -L <"$work/narrow")" -le $((width < 68 ? 68 : width)) ]; then pass; else fail "profile: $width"; fi
    done
    COLUMNS=60 run 0 'append, host call, ms' "$clade" bench semilist $quick
else
    echo 'script is not installed: progress on a terminal was left out'
fi
# A signal ends it within two seconds or so, and the files have what there is by then. It is sent
# when the command has told its device, however long that took.
"$clade" bench list semilist --repeat 1000 --limit 3600 --json "$work/cut.json" >"$work/out" 2>"$work/err" &
bench=$!
for _ in $(seq 600); do
    grep -q ', driver ' "$work/out" && break
    sleep 0.1
done
kill -INT $bench
wait $bench
got=$?
if [ $got = 1 ] && grep -q 'interrupted' "$work/err"; then pass; else fail "the signal: status $got"; fi
has "$work/cut.json" '"in_time": false'
has "$work/cut.json" '"complete": false'
if grep -q '"complete": true' "$work/cut.json"; then fail "the signal: complete"; else pass; fi
if grep -q '"name": "semilist"' "$work/cut.json"; then fail "the signal"; else pass; fi
# A file that cannot be written is told of before anything is measured.
for option in --html --json; do
    for path in /nowhere/page.html "$work" "$work/list.html/page"; do
        run 1 'cannot be written' "$clade" bench semilist $quick $option "$path"
        if grep -q ', driver ' "$work/out"; then fail "$option $path: measured before"; else pass; fi
    done
done
# What is there is left as it was when the command ends early.
run 1 'no OpenCL device fits' "$clade" bench semilist $quick --json "$work/list.json" --device nonsense
has "$work/list.json" '"name": "published"'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
