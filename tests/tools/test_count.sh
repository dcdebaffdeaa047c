#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade count`: small texts counted by hand, made-up ones against the C++ library, and bad input named.
#   test_count.sh CLADE
set -u
clade=$1
. "${0%/*}/../harness/expect.sh"
needs_device "$clade"

# Words: letters of both sizes, digits, bytes beyond ASCII; ends at both ends of the file.
printf 'The cat, the DOG\tand the caf\303\251--42 the\n\ncat.' >"$work/words"
run 0 '0 of 6 counts are wrong' "$clade" count "$work/words" --check
run 0 '10 words, 6 different' "$clade" count "$work/words" --words
run 0 '' "$clade" count "$work/words" --out "$work/all"
printf 'the\t4\ncat\t2\n42\t1\nand\t1\ncaf\303\251\t1\ndog\t1\n' | cmp -s - "$work/all" && pass || fail 'other words were written'
"$clade" count "$work/words" --top 2 >"$work/out" 2>"$work/err"
[ "$(grep -c '^ ' "$work/out")" = 2 ] && grep -q '^ *4 the$' "$work/out" && pass || fail 'the two most frequent words'
run 0 '"distinct": 6' "$clade" count "$work/words" --json
run 0 '"token": "the"' "$clade" count "$work/words" --json --check
printf 'bad\377\376 utf bad\377\376' >"$work/bytes"
run 0 '"count": 2' "$clade" count "$work/bytes" --json
cp "$work/words" "$work/$(printf 'name\377')"
run 0 '"distinct": 6' "$clade" count "$work/$(printf 'name\377')" --json
gzip -kf "$work/words" && run 0 '0 of 6 counts' "$clade" count "$work/words.gz" --check

# k-mers by hand: gaps, lines that belong together, small letters, both strands.
printf '>a\nACGT\nac\n>b\nGGNGG\n' >"$work/a.fa"
run 0 '0 of 4 counts are wrong' "$clade" count "$work/a.fa" --kmer 3 --check
run 0 '' "$clade" count "$work/a.fa" --kmer 3 --out "$work/all"
printf 'ACG\t1\nCGT\t1\nGTA\t1\nTAC\t1\n' | cmp -s - "$work/all" && pass || fail 'other 3-mers were written'
run 0 '' "$clade" count "$work/a.fa" --kmer 3 --canonical --out "$work/all" --check
printf 'ACG\t2\nGTA\t2\n' | cmp -s - "$work/all" && pass || fail 'other canonical 3-mers were written'
printf '@r\nACGTT\n+\nAAAAA\n@s\nACG\r\n+\nGGG\n' >"$work/a.fq"
run 0 '0 of 3 counts are wrong' "$clade" count "$work/a.fq" --kmer 3 --check
run 0 ' 2 ACG' "$clade" count "$work/a.fq" --kmer 3
printf 'ACG\nCGT' >"$work/lines"
run 0 '4 k-mers, 2 different' "$clade" count "$work/lines" --kmer 2 --canonical --check
# What comes before the first sequence, or word, does not change what the file is.
for before in '\n' '\r\n \t\n' '\357\273\277' '\357\273\277\n;written by hand\n'; do
    { printf "$before" && cat "$work/a.fa"; } >"$work/b.fa"
    run 0 '' "$clade" count "$work/b.fa" --kmer 3 --out "$work/all" --check
    printf 'ACG\t1\nCGT\t1\nGTA\t1\nTAC\t1\n' | cmp -s - "$work/all" && pass || fail "$before changed the 3-mers"
    { printf "$before" && cat "$work/a.fq"; } >"$work/b.fq"
    run 0 ' 2 ACG' "$clade" count "$work/b.fq" --kmer 3 --check
done
printf '\357\273\277one two one' >"$work/marked"
run 0 ' 2 one' "$clade" count "$work/marked" --check

# Nothing to count.
printf '' >"$work/empty"
printf ' -- \n' >"$work/blank"
for file in empty blank words; do
    run 0 '0 of 0 counts are wrong' "$clade" count "$work/$file" --kmer 32 --check
done
run 0 '"distinct": 0' "$clade" count "$work/blank" --json --top 0
run 0 '0 words, 0 different' "$clade" count "$work/empty" --top 0

# Larger than the map is at first, with many words that come once; k-mers of 32 and of 64 bits.
awk 'BEGIN { srand(4); for (i = 0; i < 60000; i++) printf "%s%s", int(rand() * 1e6) % (i % 7 * 9000 + 3), i % 9 ? " " : "\n" }' >"$work/many"
run 0 ' counts are wrong' "$clade" count "$work/many" --check
run 0 '0 of ' "$clade" count "$work/many" --check
awk 'BEGIN { srand(5); print ">s"; for (i = 0; i < 400; i++) { s = ""; for (j = 0; j < 70; j++) s = s substr("ACGT", int(rand() * 4) + 1, 1); print s } }' >"$work/s.fa"
# By day at the border of both widths, and at the end.
lengths='1 2 15 16 17 31 32'
[ "${CLADE_TEST_SIZE:-}" != small ] || lengths='16 17 32'
for k in $lengths; do
    run 0 '0 of ' "$clade" count "$work/s.fa" --kmer $k --check
    run 0 '0 of ' "$clade" count "$work/s.fa" --kmer $k --canonical --check
done

# Bad input.
run 2 'usage: clade count' "$clade" count
run 2 'usage: clade count' "$clade" count "$work/words" "$work/words"
for k in 0 33 -1 x; do
    run 2 'usage: clade count' "$clade" count "$work/words" --kmer $k
done
run 2 'both are not counted' "$clade" count "$work/words" --words --kmer 3
run 2 'is for k-mers' "$clade" count "$work/words" --canonical
run 1 'nothing: ' "$clade" count "$work/nothing"
run 1 'cannot write' "$clade" count "$work/words" --out /nowhere/all
head -c 40 "$work/words.gz" >"$work/cut.gz"
run 1 'cut.gz: ' "$clade" count "$work/cut.gz"
awk 'BEGIN { for (i = 0; i < 500; i++) printf "aaaaaaaaaa" }' >"$work/long"
run 1 'longer than 4096 bytes' "$clade" count "$work/long"
run 1 'no OpenCL device fits' "$clade" count "$work/words" --device nonsense

echo "$passed passed, $failed failed"
[ $failed = 0 ]
