#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/figures: what it measures, and the tables of pages. No device is needed.
#   test_figures.sh CLADE SOURCE_ROOT
set -u
clade=$1 root=$2
. "${0%/*}/../harness/expect.sh"

# Folders whose names are patterns, too.
tree=$work/tr[e]e
mkdir -p "$tree/tools" "$tree/docs/figures" "$tree/docs/structures" "$tree/docs/guide" "$work/fol[d]er"
cp "$root/tools/figures" "$tree/tools"
touch "$tree/README.md"
printf '## The pictures\n\n```sh\nclade bench list --from docs/figures/bench-h200.json --table operations \\\n    --svg docs/figures/list.svg\n```\n' \
    >"$tree/docs/guide/bench.md"
has() { # FILE TEXT
    if grep -qF -- "$2" "$1"; then pass; else fail "no \"$2\" in $1"; fi
}

# Each suite is measured on both devices, a program that ignores its time is ended, and the others still come.
cat >"$work/program" <<'P'
#!/bin/sh
echo "$@" >>"${0%/*}/asked"
case "$*" in *'bench kma --device gpu --repeat'*) [ -e "${0%/*}/ends" ] || exec sleep 100 ;; esac
P
chmod +x "$work/program"
run 0 'h200-arraylist' "$tree/tools/figures" measure "$work/program" "$work/none" 14
for device in gpu cpu; do
    for suite in $("$clade" bench --list | cut -d ' ' -f 1); do
        has "$work/asked" "bench $suite --device $device --quick"
        has "$work/asked" "bench $suite --device $device --repeat 3"
    done
done
if grep -q 'h200-kma: .*, status 0' "$work/out"; then fail 'a program that does not end was not ended'; else pass; fi

run 1 'No such file' "$tree/tools/figures" measure "$work/no_program" "$work/none" 1
run 1 'has no files of figures' "$tree/tools/figures" write "$clade" "$work/no_folder"

touch "$work/ends"
rm "$work/asked"
run 0 'pocl-list' "$tree/tools/figures" measure "$work/program" "$work/none" 20 pocl
if grep -q 'device gpu' "$work/asked"; then fail 'one device is asked for'; else pass; fi

# The suites' files become one of each device, and the tables of pages are those of the files.
ms() {
    printf '{"median_ms": %s, "least_ms": 1, "most_ms": 1, "runs": 3, "right": true}' "$1"
}
for device in h200 pocl; do
    printf '{"version": "0.2.0", "device": {"name": "%s", "driver": "1"}, "complete": true, "repeats": 3, "suites":
        [{"name": "list", "complete": true, "in_time": true, "tables": [{"name": "operations", "title": "t", "rows": [
        {"nodes": 10000, "operations": 1000, "clade": %s, "C, hash": {"none": "no time"}},
        {"nodes": 10000, "operations": 10000, "clade": %s, "C, hash": {"none": "no time"}},
        {"nodes": 10000, "operations": 100000, "clade": %s, "C, hash": %s}]}]}]}\n' \
        "$device" "$(ms 0.01234)" "$(ms 0.5)" "$(ms 1.5)" "$(ms 1234.5)" >"$work/fol[d]er/$device-list.json"
done
sed 's/"operations", "title"/"nodes", "title"/' "$work/fol[d]er/h200-list.json" >"$work/fol[d]er/h200-list-more.json"
run 0 'h200.json: 2 files' "$tree/tools/figures" write "$clade" "$work/fol[d]er"
has "$tree/docs/figures/bench-pocl.html" '</html>'
has "$tree/docs/figures/bench-h200.json" '"name": "operations"'
has "$tree/docs/figures/bench-h200.json" '"name": "nodes"'
# A file that is cut off, and one of another version or device, are named and not mixed in.
mkdir "$work/mix[e]d"
for what in 's/0\.2\.0/0.1.9/' 's/"name": "h200"/"name": "h100"/'; do
    cp "$work/fol[d]er/h200-list.json" "$work/mix[e]d"
    sed "$what" "$work/fol[d]er/h200-list.json" >"$work/mix[e]d/h200-queue.json"
    run 1 'the files are of different runs' "$tree/tools/figures" write "$clade" "$work/mix[e]d"
done
for text in '' '[]' '{"suites": 1}' '{"suites": [}'; do
    printf '%s' "$text" >"$work/mix[e]d/h200-queue.json"
    run 1 'h200-queue.json is no file of figures' "$tree/tools/figures" write "$clade" "$work/mix[e]d"
done
# What an earlier run left is not taken for what this one measured.
run 0 'h200-queue' "$tree/tools/figures" measure "$work/program" "$work/mix[e]d" 20 h200
if [ -e "$work/mix[e]d/h200-queue.json" ]; then fail 'figures of an earlier run stayed'; else pass; fi

page=$tree/docs/figures/list.md
cat >"$page" <<'P'
<!-- figures h200 list operations: nodes = 10000; operations = 1000 or 100000
     columns operations | clade | C, hash -->
what stood here
<!-- end of figures -->

<!-- figures pocl list operations:
     columns nodes
     pivot operations: clade -->
<!-- end of figures -->

<!-- figures pocl list nodes: -->
<!-- end of figures -->
P
run 1 'docs/figures/list.md' "$tree/tools/figures" check
run 0 'docs/figures/list.md' "$tree/tools/figures" draw "$clade"
has "$tree/docs/figures/list.svg" '</svg>'
run 0 'are those' "$tree/tools/figures" check
has "$page" '| 1,000 | 0.012 | no time |'
has "$page" '| 100,000 | 1.50 | 1,234 |'
has "$page" '| nodes | 1,000 | 10,000 | 100,000 |'
has "$page" '| 10,000 | 0.012 | 0.500 | 1.50 |'
has "$page" 'no time for this table'
if grep -q 'what stood here' "$page"; then fail 'an old table stayed'; else pass; fi
# The tables of this tree are those of its files.
run 0 'are those' "$root/tools/figures" check

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
