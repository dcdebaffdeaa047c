#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clade-mpi: the same distances as clade's, whatever the ranks; rows; help; what is refused.
#   test_command.sh RUN_MPI CLADE_MPI CLADE COMPLETION
set -u
# The test has a folder of its own: names begin at the root.
whole() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
run_mpi=$(whole "$1")
clade_mpi=$(whole "$2")
clade=$(whole "$3")
completion=$(whole "$4")
export CLADE_DEVICE="${CLADE_DEVICE:-Portable Computing}"
. "${0%/*}/../harness/expect.sh"
cd "$work" || exit 1

# says TEXT COMMAND...: for each number of ranks there is the line TEXT, and all end well.
says() {
    text=$1
    shift
    "$run_mpi" "$clade_mpi" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status != 77 ] || skip "$(sed 's/^skipped: //' "$work/out")"
    if [ $status = 0 ] && [ "$(grep -c "^$text\$" "$work/out")" = "$(grep -c '^--- ' "$work/out")" ]; then
        pass
    else
        fail "status $status, or not each time \"$text\": $*"
    fi
}
# refuses STATUS TEXT COMMAND...: with two ranks it ends so, and the sentence comes once.
refuses() {
    wanted=$1 text=$2
    shift 2
    MPI_RANKS=2 "$run_mpi" "$clade_mpi" "$@" >"$work/out" 2>"$work/err"
    status=$?
    if [ $status = "$wanted" ] && [ "$(cat "$work/out" "$work/err" | grep -c "$text")" = 1 ]; then
        pass
    else
        fail "status $status, or not once \"$text\": $*"
    fi
}

needs_device "$clade"
"$clade" grid --kronecker 7 --out few.gr >/dev/null || fail 'clade grid failed'
"$clade" grid --nodes 900 --out roads.gr >/dev/null || fail 'clade grid failed'
# Arcs are shared, or nodes; at the small size nodes of one graph.
for graph in few roads; do
    "$clade" sssp $graph.gr --source 3 --out wanted >summary || fail 'clade sssp failed'
    for share in '' --nodes; do
        [ "${CLADE_TEST_SIZE:-}" != small ] || [ "$graph $share" = 'roads --nodes' ] || continue
        says "$(grep sum_distance summary)" sssp $graph.gr --source 3 --check --out got $share
        cmp -s wanted got && pass || fail "other distances of $graph.gr $share"
    done
done
printf 'p sp 4 3\na 1 2 4000000000\na 2 3 4000000000\na 3 4 1\n' >far.gr
says 'max_distance 8000000001' sssp far.gr --source 1 --check
says '0 of 100 results are wrong' kselect --length 5000 --k 100 --check
says '0 of 77 results are wrong' kselect --length 77 --k 77 --largest --check --seed 5
says 'clade-mpi [0-9.]*' --version

# Each rank reads the file: they must read the same.
head -n 3 far.gr >part-0.gr && echo 'a 3 4 2' >>part-0.gr && cp far.gr part-1.gr
printf '#!/bin/sh\nexec "$1" sssp "part-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}.gr" --source 1\n' >by_rank
chmod +x by_rank
MPI_RANKS=2 "$run_mpi" ./by_rank "$clade_mpi" >"$work/out" 2>"$work/err"
if [ $? = 1 ] && grep -q 'the ranks read different graphs' "$work/err"; then pass; else fail 'parts of two graphs'; fi

refuses 1 'nowhere.gr' sssp nowhere.gr --source 1
refuses 1 'source 900000 is out of range' sssp roads.gr --source 900000
refuses 1 'keys of all ranks' kselect --length 5 --k 6
refuses 1 'no OpenCL device fits' kselect --length 5 --k 2 --device no-such-thing
refuses 2 'it takes a graph file' sssp
refuses 2 'length and k are needed' kselect --k 5
refuses 2 'there is no command "nothing"' nothing
# What bash offers, if it is here: commands, and options of one.
offers() {
    wanted=$1
    shift
    got=$(bash -c '. "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _clade_mpi
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completion" "$clade_mpi" "$@" 2>"$work/err" | sort | tr '\n' ' ')
    if [ "${got% }" = "$wanted" ]; then pass; else fail "\"${got% }\", not \"$wanted\": $*"; fi
}
if command -v bash >/dev/null 2>&1; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    offers 'kselect sssp' help ''
    offers '--check --device --help --nodes --out --source' sssp --
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
