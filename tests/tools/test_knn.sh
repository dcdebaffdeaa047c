#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade knn`: exact neighbours by brute force, known ones by hand, and bad input named.
#   test_knn.sh CLADE
set -u
clade=$1
. "${0%/*}/../harness/expect.sh"
needs_device "$clade"

# COUNT images of 2 x 3 bytes, from a counter: few values, so many ties.
images() {
    printf '\000\000\010\003\000\000'
    printf "\\$(printf %03o $(($1 / 256)))\\$(printf %03o $(($1 % 256)))"
    printf '\000\000\000\002\000\000\000\003'
    awk -v n="$1" -v s="$2" 'BEGIN { srand(s); for (i = 0; i < 6 * n; i++)
        printf "\\%03o", int(rand() * 9) * 28 }' >"$work/octal"
    printf "$(cat "$work/octal")"
}
# COUNT vectors of 2 small whole numbers as floats.
floats() {
    awk -v n="$1" -v s="$2" 'BEGIN { srand(s); split("\\000\\000\\000\\000 \\000\\000\\200\\077 \\000\\000\\000\\100 \\000\\000\\100\\300", f, " ")
        for (i = 0; i < n; i++) printf "\\002\\000\\000\\000%s%s", f[int(rand() * 4) + 1], f[int(rand() * 4) + 1] }' >"$work/octal"
    printf "$(cat "$work/octal")"
}

images 700 1 >"$work/base.idx"
images 20 2 >"$work/query.idx"
floats 300 3 >"$work/base.fvecs"
floats 9 4 >"$work/query.fvecs"

run 0 '20 queries, 700 vectors of 6 bytes' "$clade" knn "$work/base.idx" "$work/query.idx" --k 5 --check
for k in 1 300; do # and all there are
    run 0 '0 of 9 queries are wrong' "$clade" knn "$work/base.fvecs" "$work/query.fvecs" --k $k --check
done
run 0 '0 of 20 queries are wrong' "$clade" knn "$work/base.idx" "$work/query.idx" --k 5 --check --piece 64
gzip -k "$work/base.idx"
run 0 '0 of 20 queries are wrong' "$clade" knn "$work/base.idx.gz" "$work/query.idx" --k 5 --check

# By hand: base (0 0) (1 2) (-3 -3), query (1 1): 2, 1 and 32 away.
zero='\000\000\000\000' one='\000\000\200\077' two='\000\000\000\100' less='\000\000\100\300'
d='\002\000\000\000'
printf "$d$zero$zero$d$one$two$d$less$less" >"$work/three.fvecs"
printf "$d$one$one" >"$work/one.fvecs"
run 0 'k = 3' "$clade" knn "$work/three.fvecs" "$work/one.fvecs" --k 3 --out "$work/result"
printf '1:1 0:2 2:32\n' | cmp -s - "$work/result" && pass || fail 'other neighbours were written'

# Bad input.
run 2 'usage: clade knn' "$clade" knn
run 2 'usage: clade knn' "$clade" knn "$work/base.idx" "$work/query.idx"
run 2 'usage: clade knn' "$clade" knn "$work/base.idx" "$work/query.idx" --k 0
run 2 'usage: clade knn' "$clade" knn "$work/base.idx" "$work/query.idx" --k many
run 1 'more than the base' "$clade" knn "$work/base.idx" "$work/query.idx" --k 701
run 1 'floats' "$clade" knn "$work/base.idx" "$work/query.fvecs" --k 1
run 1 'nothing.idx' "$clade" knn "$work/nothing.idx" "$work/query.idx" --k 1
run 1 'cannot write' "$clade" knn "$work/three.fvecs" "$work/one.fvecs" --k 1 --out /nowhere/result
# bad NAME TEXT: the file is refused, named, and with TEXT.
bad() {
    run 1 "$work/$1: " "$clade" knn "$work/$1" "$work/query.idx" --k 1
    run 1 "$2" "$clade" knn "$work/$1" "$work/query.idx" --k 1
}
printf "$d$zero$zero$d$one\000\000\300\377" >"$work/nan.fvecs"
bad nan.fvecs 'infinite or no number'
printf "$d\000\000\200\177$one" >"$work/infinite.fvecs"
bad infinite.fvecs 'infinite or no number'
printf '' >"$work/empty"
bad empty 'too short'
printf 'Dear reader,\n' >"$work/letter"
bad letter 'neither fvecs nor IDX'
head -c 100 "$work/base.idx" >"$work/cut"
bad cut 'before its last vector'
head -c 6 "$work/base.idx" >"$work/head"
bad head 'ends in its head'
(cat "$work/base.idx" && printf x) >"$work/longer"
bad longer 'follows its last vector'
printf '\000\000\015\003' >"$work/floats.idx"
bad floats.idx 'no bytes'
printf '\000\000\010\001\000\000\000\001x' >"$work/labels"
bad labels 'number of dimensions'
printf '\000\000\010\003\000\000\000\001\000\000\000\000\000\000\000\001' >"$work/flat"
bad flat 'no dimension'
printf '\000\000\010\003\000\000\000\001\377\377\377\377\377\377\377\377' >"$work/wide"
bad wide 'more than 65535'
printf '\000\000\010\002\000\000\000\000\000\000\000\001' >"$work/none"
bad none 'no vectors'
printf '\000\000\010\002\177\377\377\377\000\000\377\377' >"$work/huge"
bad huge 'vector'
printf '\002\000\000\000\000\000' >"$work/half.fvecs"
bad half.fvecs 'middle of a vector'
printf "$d$zero$zero\003\000\000\000$zero$zero$zero" >"$work/mixed.fvecs"
bad mixed.fvecs 'differ'
head -c 60 "$work/base.idx.gz" >"$work/cut.gz"
bad cut.gz 'cut off'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
