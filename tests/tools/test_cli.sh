#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The `clade` command: what it prints, and that bad input ends with a sentence and status 1.
#   test_cli.sh CLADE SOURCE_ROOT
set -u
clade=$1
root=$2
. "${0%/*}/../harness/expect.sh"

run 0 'usage: clade' "$clade" --help
# The manual page names the same commands.
sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' "$work/out" | sort >"$work/commands"
sed -n '/^.SH COMMANDS/,/^.SH OPTIONS/s/^\.B \([a-z\\-]*\)$/\1/p' "$root/tools/man/clade.1" | tr -d '\\' | sort >"$work/manual"
grep -v -e '^--' "$work/manual" | cmp -s - "$work/commands" && pass || fail 'tools/man/clade.1 names other commands'
# Each of them explains itself, and each option of its usage line.
while read -r command; do
    run 0 "usage: clade $command" "$clade" "$command" --help
    mv "$work/out" "$work/help"
    run 0 "usage: clade $command" "$clade" "$command" -h
    cmp -s "$work/out" "$work/help" && pass || fail "clade $command -h is not clade $command --help"
    run 0 "usage: clade $command" "$clade" help "$command"
    cmp -s "$work/out" "$work/help" && pass || fail "clade help $command is not clade $command --help"
    run 2 "usage: clade $command" "$clade" "$command" --nonsense
    grep -q '^clade .*--nonsense' "$work/err" && pass || fail "clade $command --nonsense is not told"
    [ -s "$work/out" ] && fail "clade $command --nonsense does something" || pass
    for option in $(sed -n '/^usage/,/^$/p' "$work/out" | grep -o -e '--[a-z-]*' | sort -u); do
        grep -q "^  $option" "$work/out" && pass || fail "clade $command --help: no line on $option"
    done
done <"$work/commands"
run 2 'usage: clade' "$clade"
run 0 'usage: clade COMMAND' "$clade" help
run 2 'no command "nonsense"' "$clade" help nonsense
run 2 'no command "nonsense"' "$clade" nonsense
run 0 '"devices"' "$clade" info --json
run 0 '"devices"' "$clade" info --json -
run 2 'usage: clade info' "$clade" info --nonsense
run 2 'usage: clade info' "$clade" info -

needs_device "$clade"

run 0 'this device can be trusted' "$clade" selftest
run 2 'usage: clade selftest' "$clade" selftest nonsense
# A litmus test that does nothing has shown nothing.
mkdir -p "$work/idle/clade" "$work/idle/tools"
ln -s "$root/cl/kernels" "$work/idle"
ln -s "$root"/cl/clade/* "$root/include/clade/shared" "$work/idle/clade"
echo '__kernel void clade_litmus_message(__global uint *x, __global uint *y, __global uint *z, uint a, uint b, uint c) {}' \
    >"$work/idle/tools/selftest.cl"
run 1 'CANNOT BE TRUSTED' env CLADE_KERNEL_PATH="$work/idle" "$clade" selftest
grep -q 'message passing  *0  .*BROKEN' "$work/out" && pass || fail 'nothing was seen, and it is trusted'
run 0 '"loop_limit"' "$clade" info --json

run 0 'list' "$clade" bench --list
run 2 'no suite "nonsense"' "$clade" bench nonsense
run 2 'repetitions: a number' "$clade" bench list --repeat 0
run 2 'lacks its value' "$clade" bench list --json
run 1 'no OpenCL device fits' "$clade" bench list --device nonsense

# Selections, and sizes that are too large.
run 0 '0 of 9 rows are wrong' "$clade" kselect --rows 9 --length 99 --k 5 --check
for number in 99999999999999999999 0x10 +5 -1 0 ''; do
    run 2 'usage: clade kselect' "$clade" kselect --rows 9 --length 99 --k "$number"
done
run 1 'is not to be had' "$clade" kselect --rows 4611686018427387904 --length 4 --k 1

# Each kernel's time and the share of retries, as a table and as a page with a flame.
run 0 'rbtree' "$clade" profile --list
run 2 'no structure "nonsense"' "$clade" profile nonsense
run 2 'one structure is wanted' "$clade" profile
run 2 'a size of "1"' "$clade" profile queue --size 1
run 1 'cannot be written' "$clade" profile queue --size 256 --html /nowhere/page.html
run 0 'clade_queue_append' "$clade" profile queue --size 256 --passes 1 --html "$work/queue.html"
for text in 'outside kernels' 'clade_queue_pop' '<svg' '</html>'; do
    grep -qF "$text" "$work/queue.html" && pass || fail "the profile's page has no $text"
done
# What a share of retries means stands under the table, and on the page.
run 0 'A share of 50 % is one retry for each operation' "$clade" profile list --size 256 --passes 1
if grep -q -e 'src=' -e 'href=' -e nan "$work/queue.html"; then fail "the profile's page"; else pass; fi

# A graph of its own: 1 -> 2 -> 3, and 4 apart.
graph="$work/small.gr"
printf 'c small\np sp 4 3\na 1 2 5\na 2 3 7\na 1 3 20\n' >"$graph"
for how in '' --heap; do
    run 0 'reached 3' "$clade" sssp "$graph" --source 1 --check $how
    run 0 'max_distance 12' "$clade" sssp "$graph" --source 1 $how
    run 0 'sum_distance 17' "$clade" sssp "$graph" --source 1 $how
    run 0 'nodes_visited' "$clade" sssp "$graph" --source 1 $how
    run 0 'time_ms' "$clade" sssp "$graph" --source 1 $how
    run 0 'reached 1' "$clade" sssp "$graph" --source 4 --check $how
done
run 0 'reached' "$clade" sssp "$graph" --source 2 --out "$work/distances"
printf '2 0\n3 7\n' | cmp -s - "$work/distances" && pass || fail 'the written distances differ'

# Formats and compression.
printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4\n2 3 4\n' >"$work/m.mtx"
run 0 'max_distance 8' "$clade" sssp "$work/m.mtx" --source 1 --check
printf '3 2\n2\n1 3\n2\n' >"$work/m.graph"
run 0 'max_distance 2' "$clade" sssp "$work/m.graph" --source 1 --check
gzip -k "$graph" && run 0 'max_distance 12' "$clade" sssp "$graph.gz" --source 1 --check
if command -v xz >/dev/null 2>&1; then
    xz -k "$graph" && run 0 'max_distance 12' "$clade" sssp "$graph.xz" --source 1 --check
else
    echo 'left out: xz is not installed'
fi
head -c 40 "$graph.gz" >"$work/cut.gr.gz"

# Distances beyond 32 bits: right where the device has 64-bit atomics, a sentence where not.
printf 'p sp 3 2\na 1 2 4000000000\na 2 3 4000000000\n' >"$work/far.gr"
case $("$clade" info --json | tr -d ' \n') in
*'"int64_atomics":true'*) run 0 'max_distance 8000000000' "$clade" sssp "$work/far.gr" --source 1 --check ;;
*) echo 'left out: the device has no 64-bit atomics' ;;
esac

# Bad input.
run 1 'no OpenCL device' env OCL_ICD_VENDORS=/nowhere OCL_ICD_FILENAMES= "$clade" sssp "$graph" --source 1
run 1 'no such device' "$clade" sssp "$graph" --source 1 --device 'no such device'
run 1 '/nowhere/at all' env CLADE_KERNEL_PATH='/nowhere/at all' "$clade" sssp "$graph" --source 1
run 1 'source 5 is out of range' "$clade" sssp "$graph" --source 5
run 1 'source 0 is out of range' "$clade" sssp "$graph" --source 0
run 2 'usage: clade sssp' "$clade" sssp "$graph"
run 2 'usage: clade sssp' "$clade" sssp "$graph" --source -1
run 1 'nothing.gr' "$clade" sssp "$work/nothing.gr" --source 1
: >"$work/empty.gr"
run 1 'empty.gr' "$clade" sssp "$work/empty.gr" --source 1
run 1 'cut.gr.gz' "$clade" sssp "$work/cut.gr.gz" --source 1
printf 'p sp 4 3\na 1 2 5\n' >"$work/short.gr"
run 1 'short.gr' "$clade" sssp "$work/short.gr" --source 1
printf 'p sp 4 1\na 1 9 5\n' >"$work/range.gr"
run 1 'range.gr:2' "$clade" sssp "$work/range.gr" --source 1
printf 'p sp 4 1\na 1 2 -5\n' >"$work/negative.gr"
run 1 'negative.gr:2' "$clade" sssp "$work/negative.gr" --source 1
printf 'Dear reader,\n' >"$work/letter.gr"
run 1 'letter.gr' "$clade" sssp "$work/letter.gr" --source 1
run 1 "$work" "$clade" sssp "$work" --source 1
run 1 'cannot write' "$clade" sssp "$graph" --source 1 --out /nowhere/distances

# A full disk: the command fails, and what was there before is kept.
if [ -c /dev/full ]; then
    mkdir "$work/full"
    kept="$work/full/kept"
    room=0
    keeps() { # COMMAND...: writes to $kept
        echo before >"$kept"
        run 1 'File too large' "$root/tests/harness/full-disk" $room "$clade" "$@"
        echo before | cmp -s - "$kept" && pass || fail "half a file: $*"
        [ "$(ls "$work/full")" = kept ] && pass || fail "left beside it: $*"
    }
    keeps grid --nodes 9 --out "$kept"
    keeps knapsack "$kept" --generate 9
    keeps orders "$kept" --generate 99:2
    keeps list "$kept" "$work/ops" --generate 9:9
    keeps astar --size 9x9 --write "$kept"
    # Drivers write files of their own: 2 MiB are enough for them.
    room=4096
    "$clade" grid --nodes 400000 --out "$work/large.gr" >/dev/null
    keeps sssp "$work/large.gr" --source 1 --out "$kept"
    rm "$work/large.gr"
    # What is no file is written where it is, and stays what it is.
    ln -sf /dev/full "$kept"
    run 1 'No space left' "$clade" grid --nodes 9 --out "$kept"
    run 1 'No space left' "$clade" profile queue --size 256 --passes 1 --html "$kept"
    [ -L "$kept" ] && pass || fail 'grid put a file in the place of a link'
    for arguments in --version --help 'info --json' 'profile --list' 'sssp --help'; do
        run 1 'the output cannot be written: No space left' \
            sh -c '"$@" >/dev/full' sh "$clade" $arguments
    done
    # An earlier write failed: its reason is told, not what another call left.
    run 1 'the output cannot be written: No space left' \
        sh -c '"$@" >/dev/full' sh "$clade" warm queue --device "$CLADE_DEVICE" --out "$work/queue.clar"
else
    echo 'left out: there is no /dev/full here'
fi

# A kernel that does not compile is named, with the compiler's text.
cp -r "$root/cl" "$work/broken cl"
cp -r "$root/include/clade/shared" "$work/broken cl/clade/shared"
echo 'this is no OpenCL C' >>"$work/broken cl/tools/sssp.cl"
run 1 'sssp.cl' env CLADE_KERNEL_PATH="$work/broken cl" "$clade" sssp "$graph" --source 1 --heap

# A damaged cache is rebuilt.
export CLADE_CACHE_DIR="$work/cache"
run 0 'reached 3' "$clade" sssp "$graph" --source 1 --check
for entry in "$work"/cache/*; do echo damaged >"$entry"; done
run 0 'reached 3' "$clade" sssp "$graph" --source 1 --check
export CLADE_CACHE_DIR=

# A generated grid, and the real one when it is there.
run 0 'nodes' "$clade" grid --nodes 3000 --out "$work/grid.gr"
run 0 'reached' "$clade" sssp "$work/grid.gr" --source 1 --check
run 0 'reached' "$clade" sssp "$work/grid.gr" --source 1 --check --heap
york=${CLADE_DATA:-}/graphs/USA-road-d.NY.gr.gz
if [ -n "${CLADE_DATA:-}" ] && [ -f "$york" ]; then
    run 0 'sum_distance 186686642878' "$clade" sssp "$york" --source 1 --check
    run 0 'sum_distance 130800329807' "$clade" sssp "$york" --source 100000 --check --heap
else
    echo 'CLADE_DATA is not set: the New York road network was left out'
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
