#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade bench --from FILE --svg FILE`: pictures of what was measured before. No device is needed.
#   test_picture.sh CLADE SOURCE_ROOT
set -u
clade=$1 root=$2
. "${0%/*}/../harness/expect.sh"

has() { # FILE TEXT
    if grep -qF -- "$2" "$1"; then pass; else fail "no \"$2\" in $1"; fi
}
has_not() {
    if grep -qF -- "$2" "$1"; then fail "\"$2\" in $1"; else pass; fi
}
well_formed() {
    if python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1" 2>"$work/err"; then
        pass
    else
        fail "$1 is no XML"
    fi
}
# A file as --json writes it: a suite with rows in which marks of XML and a control character stand.
suite() { # ROWS [NAME]
    printf '{"name": "%s", "complete": true, "in_time": true, "tables": [{"name": "operations", ' "${2:-list}"
    printf '"title": "a <b> & \\"c\\"", "rows": [%s]}]}' "$1"
}
file() { # SUITES [DEVICE]
    printf '{"version": "0.1.0", "device": {"name": "%s", "driver": "1"}, "repeats": 3, "suites": [%s]}\n' \
        "${2:-a <device> & more}" "$1"
}
ms() {
    printf '{"median_ms": %s, "least_ms": %s, "most_ms": %s, "runs": 3, "right": true}' "$1" "$1" "$1"
}
row() { # TEXT OPERATIONS MS
    printf '{"kind": "%s", "operations": %s, "clade": %s, "C": {"none": "no time"}}' "$1" "$2" "$(ms "$3")"
}
rows="$(row 'one <&>\u0001' 1000 1.5), $(row 'one <&>\u0001' 10000 0.5), $(row 'one <&>\u0001' 100000 2)"
file "$(suite "$rows")" >"$work/saved.json"

# What was published stands beside it, in bars; it is made anew from the rows.
run 0 'times faster here' "$clade" bench --from "$work/saved.json" --svg "$work/bars.svg"
well_formed "$work/bars.svg"
has "$work/bars.svg" 'list: 100,000 operations on 10,000 nodes'
has "$work/bars.svg" 'xDarkLemon (some results wrong)'
has "$work/bars.svg" '37 times as fast'
has "$work/bars.svg" 'a &lt;device&gt; &amp; more'
has "$work/bars.svg" 'prefers-color-scheme:dark'
# Another table is a plot with its lines; nothing is fetched from elsewhere.
run 0 'a <b>' "$clade" bench list --from "$work/saved.json" --table operations --svg "$work/plot.svg"
well_formed "$work/plot.svg"
has "$work/plot.svg" 'list: a &lt;b&gt; &amp; &quot;c&quot;'
has "$work/plot.svg" '<title>clade, operations 10000: 0.5 ms</title>'
has "$work/plot.svg" 'one &lt;&amp;&gt; '
has_not "$work/plot.svg" 'href'
has_not "$work/plot.svg" '>C</text>'
# Characters that were cut in the middle, and those that XML does not know.
long=y$(printf 'x\303\244%.0s' $(seq 100)) end=$(printf '\357\277\277')
file "$(suite "$rows")" "$long$end" >"$work/long.json"
run 0 '' "$clade" bench --from "$work/long.json" --svg "$work/long.svg" --html "$work/long.html"
well_formed "$work/long.svg"
# What a file says steers no terminal: columns, texts, titles, names that there are not.
file "$(suite "$rows" | sed 's/"kind"/"ki\\u001bnd"/g; s/<b>/\\u001b]0;\\u0007/; s/one/\\u009b/')" >"$work/steers.json"
run 0 '?]0;?' "$clade" bench list --from "$work/steers.json"
has_not "$work/out" "$(printf '\033')"
has_not "$work/out" "$(printf '\302\233')"
has "$work/out" 'ki?nd'
file "$(suite "$rows" 'a\u001b')" >"$work/steers.json"
run 2 'a suite "a?"' "$clade" bench --from "$work/steers.json"
# Rows by a text.
run 0 '' "$clade" bench --from "$work/saved.json" --svg "$work/one.svg" --row '1,000 operations on 10,000 nodes'
has "$work/one.svg" 'list: 1,000 operations'
has_not "$work/one.svg" '100,000 operations'
run 2 'no row with the text "nonsense"' "$clade" bench --from "$work/saved.json" --svg "$work/no.svg" --row nonsense
if [ -e "$work/no.svg" ]; then fail 'a picture of nothing'; else pass; fi
# A page and a file of it; the file says the same once more.
run 0 '' "$clade" bench --from "$work/saved.json" --html "$work/page.html" --json "$work/again.json"
has "$work/page.html" '</html>'
run 0 '' "$clade" bench --from "$work/again.json" --json "$work/third.json"
if cmp -s "$work/again.json" "$work/third.json"; then pass; else fail 'a file that is read and written changes'; fi
# Of several files of one device the first that has a suite counts.
file "$(suite "$(row more 7 7)"), $(suite "$(row more 7 7)" rbtree)" >"$work/other.json"
run 0 'rbtree' "$clade" bench --from "$work/saved.json" --from "$work/other.json" --json -
has "$work/out" '"operations": 1000,'

# What is no such file is refused with a sentence, and nothing is written.
refuse() { # SENTENCE FILE...
    sentence=$1
    shift
    for name in "$@"; do set -- "$@" --from "$name"; shift; done
    run 2 "$sentence" "$clade" bench "$@" --svg "$work/no.svg"
    if [ -e "$work/no.svg" ]; then fail "$sentence: written"; else pass; fi
}
bad() { # SENTENCE TEXT
    printf '%s\n' "$2" >"$work/bad.json"
    refuse "$1" "$work/bad.json"
}
refuse 'cannot be read' "$work/nowhere.json"
refuse 'is no JSON' "$work"
bad 'is no JSON: line' ''
bad 'is no JSON: line' '{"version": '
bad 'does not name the device' '[]'
bad 'does not name the device' '{"version": "0.1.0", "device": {"name": 7, "driver": ""}, "suites": []}'
bad 'how often it was measured' '{"device": {"name": "", "driver": ""}, "suites": []}'
bad 'none of these suites' "$(file '')"
bad 'have another form' "$(file '7')"
bad 'have another form' "$(file '{"name": "list", "complete": true, "in_time": true}')"
bad 'have another form' "$(file "$(suite 7)")"
bad 'have another form' "$(file "$(suite '{"a": null}')")"
bad 'have another form' "$(file "$(suite '{"a": {"median_ms": 1}}')")"
bad 'have another form' "$(file "$(suite '{"a": {"median_ms": "1", "least_ms": 1, "most_ms": 1, "runs": 1, "right": true}}')")"
bad 'a suite "nonsense"' "$(file "$(suite "$rows" nonsense)")"
bad 'a table "operations"' "$(file "$(suite "$rows" heap)")"
bad 'nothing that can be drawn' "$(file "$(suite '')")"
file '' 'another' >"$work/another.json"
refuse 'different devices' "$work/saved.json" "$work/another.json"
sed 's/"device"/"processors": true, &/' "$work/saved.json" >"$work/processors.json"
refuse 'times of processors' "$work/saved.json" "$work/processors.json"
run 0 '' "$clade" bench --from "$work/processors.json" --html "$work/processors.html"
has "$work/processors.html" 'times of processors'
if grep -q 'times of processors' "$work/page.html"; then fail 'times of the clock'; else pass; fi
run 2 'options for measuring' "$clade" bench --from "$work/saved.json" --quick
run 2 'chooses what --svg draws' "$clade" bench --from "$work/saved.json" --row x
run 1 'cannot be written' "$clade" bench --from "$work/saved.json" --svg /nowhere/a.svg

# The pictures of docs/figures are what the commands of docs/guide/bench.md make of the files there.
sed -n '/^## The pictures/,/^## /p' "$root/docs/guide/bench.md" | sed -n '/^```sh$/,/^```$/{/^```/!p}' >"$work/commands"
mkdir -p "$work/docs/figures" "$work/bin"
cp "$root"/docs/figures/*.json "$work/docs/figures"
ln -s "$(realpath "$clade")" "$work/bin/clade"
(cd "$work" && PATH=$work/bin:$PATH sh -e ./commands) >"$work/out" 2>"$work/err" || fail 'the commands of bench.md'
for picture in "$root"/docs/figures/*.svg; do
    name=${picture##*/}
    well_formed "$picture"
    if cmp -s "$picture" "$work/docs/figures/$name"; then pass; else fail "docs/figures/$name: the commands make another"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
