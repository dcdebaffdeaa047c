#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion for bash: every command, option and name that the tools have, and what is typed so far.
#   test_completion.sh CLADE CLADEC SOURCE_ROOT
set -u
clade=$1
cladec=$2
root=$3
command -v bash >/dev/null 2>&1 || {
    echo "skipped: bash is not installed"
    exit 77
}
. "${0%/*}/../harness/expect.sh"

# offers WANTED TOOL WORD...: WANTED is what is offered, sorted, with blanks between.
offers() {
    wanted=$1 tool=$2
    shift 2
    bash -c '. "$1"
        tool=$2
        shift 2
        COMP_WORDS=("$tool" "$@")
        COMP_CWORD=$#
        "_${tool##*/}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$script" "$tool" "$@" >"$work/out" 2>"$work/err"
    got=$(sort -u "$work/out" | tr '\n' ' ')
    if [ "${got% }" = "$wanted" ] && [ ! -s "$work/err" ]; then
        pass
    else
        fail "\"${got% }\", not \"$wanted\": $*"
    fi
}
sorted() { tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//'; }

script=$root/tools/command/clade.bash
commands=$("$clade" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 13 ] && pass || fail 'clade --help names too few commands'
offers "$(echo $commands help --help --version | sorted)" "$clade" ''
offers "$(echo $commands | sorted)" "$clade" help ''
offers 'knapsack knn kselect' "$clade" k
for command in $commands; do
    options=$("$clade" "$command" --help | grep -o '^  --[a-z-]*' | tr -d ' ')
    offers "$(echo $options --help | sorted)" "$clade" "$command" -
done
offers '--passes' "$clade" profile --p
offers 'list' "$clade" bench heap l
offers "$("$clade" profile --list | tr '\n' ' ' | sorted)" "$clade" profile ''
offers 'auto bottom-up front top-down' "$clade" sssp x.gr --engine ''
offers 'cpu gpu' "$clade" selftest --device ''
: >"$work/graph.gr"
offers "$work/graph.gr" "$clade" sssp "$work/gr"
offers "$work/graph.gr" "$clade" bench --json "$work/gr"

# cladec's own list of options is what `cladec --help` names.
script=$root/tools/cladec/cladec.bash
options=$("$cladec" --help | sed '/^exit status/,$d' | sed -n '/^  -/p' | grep -oE -- '(^  |, )--?[A-Za-z]+' | tr -d ' ,')
offers "$(echo $options | sorted)" "$cladec" -

echo "$passed passed, $failed failed"
[ $failed = 0 ]
