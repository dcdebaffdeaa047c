#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/mutate itself: a known mutant is caught, a known equivalent is not run, a tree whose tests fail is told.
# CLADE_TEST_SIZE=small: the known mutant and the draw alone; each of the others begins with all tests of a tree.
#   test_mutate.sh SOURCE_ROOT BUILD_ROOT
set -u
root=$1 build=$2
. "$root/tests/harness/expect.sh"
tree=$work/tree
mkdir -p "$tree/tests"
ln -s "$root"/* "$tree" 2>/dev/null
ln -s "$root"/tests/* "$tree/tests"
rm "$tree/tests/mutation"
cp -r "$root/tests/mutation" "$tree/tests"
rm "$tree/cl" "$tree/tests/mutation/mutants-equivalent.txt"
cp -r "$root/cl" "$tree"
queue=$tree/cl/clade/queue.clh
line='*value_ = word & CLADE_QUEUE_VALUE_MAX;'
turned='*value_ = word | CLADE_QUEUE_VALUE_MAX;'
cat >"$tree/tests/mutation/mutants-equivalent.txt" <<EOF
cl/clade/queue.clh
  - $line
  + *value_ = (word & CLADE_QUEUE_VALUE_MAX);
  equivalent: brackets change nothing, which is what this test wants
EOF
tab=$(printf '\t')
echo "survived${tab}queue cl/clade/queue.clh:1${tab}$line -> $turned" >"$work/mutants"
echo "survived${tab}queue cl/clade/queue.clh:1${tab}$line -> *value_ = (word & CLADE_QUEUE_VALUE_MAX);" >"$work/equivalent"
echo "survived${tab}queue cl/clade/queue.clh:1${tab}no such line -> another" >"$work/gone"
cat >"$work/mutate" <<EOF
#!/bin/sh
exec '$root/tests/mutate' --tree '$tree' --build '$build' --host-only --test 'host_queue_?san' --jobs 1 "\$@"
EOF
chmod +x "$work/mutate"
mutate=$work/mutate

run 0 '1 of 1 caught' "$mutate" --list "$work/mutants" --goal 100 --out "$work/lines"
run 0 "caught${tab}queue cl/clade/queue.clh" cat "$work/lines"
small=$([ "${CLADE_TEST_SIZE:-}" != small ] || echo yes)
if [ -z "$small" ]; then
    run 0 "equivalent${tab}queue cl/clade/queue.clh" "$mutate" --list "$work/equivalent"
    run 0 'not in the tree' "$mutate" --list "$work/gone"
fi
# The same draw twice, and no mutant of a comment or a planted bug.
"$mutate" --seed 3 --count 400 --structure queue --show >"$work/first"
"$mutate" --seed 3 --count 400 --structure queue --show >"$work/second"
run 0 'clade/queue.clh' cat "$work/first"
if ! cmp -s "$work/first" "$work/second" || grep -qE 'CLADE_PLANTED|CLADE_SOUND|#include|SPDX' "$work/first"; then
    fail 'a draw'
fi
# Lines of macros, the last one, too.
printf 'int a;\n#define F(x) /* \\ */ \\\n  (x + 1 + \\\n   2)\nint b;\n#if 1\nint c;\n' >"$work/macro"
run 0 '0111010' python3 -B -c 'import sys; sys.path.insert(0, sys.argv[1]); from changes import in_macro
print("".join(str(int(in_macro(open(sys.argv[2]).read(), line))) for line in range(1, 8)))' \
    "$root/tests/mutation" "$work/macro"
# What was kept in another shape is not believed, and ends nothing.
for shape in '{"key": 1}' '[]' '{"key": 1, "tests": {"a": {}}}'; do
    echo "$shape" >"$work/mutate-kept.json"
    run 0 'kept: {} {}' python3 -B -c 'import sys; sys.path.insert(0, sys.argv[1]); from kept import Kept
kept = Kept(sys.argv[2], sys.argv[3], []); print("kept:", kept.tests, kept.believed)' \
        "$root/tests/mutation" "$work" "$root"
done
rm "$work/mutate-kept.json"
if [ -n "$small" ]; then
    echo "left out, for CLADE_TEST_SIZE is small: what is not run, and trees that fail"
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
    exit
fi
# Nothing compiles what is in a branch for other devices: no change.
sed -i 's|^#pragma once|#pragma once\n#ifdef NOBODY_DEFINES_THIS\nint nobody = 1;\n#endif|' "$queue"
echo "survived${tab}queue cl/clade/queue.clh:1${tab}int nobody = 1; -> int nobody = 2;" >"$work/unseen"
run 0 "no change${tab}queue cl/clade/queue.clh" "$mutate" --list "$work/unseen"
sed -i "s/value_ = word &/value_ = word |/" "$queue"
echo "survived${tab}queue cl/clade/queue.clh:1${tab}p = now; -> ;" >"$work/mutants"
run 2 'the unchanged tree fails host_queue_asan' "$mutate" --list "$work/mutants"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
