#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `clade warm`: afterwards a program compiles no kernel of clade's; and what it left is believed as
# the cache is, or not at all.
#   test_warm.sh CLADE EXAMPLE
# EXAMPLE is many_keys.c. CLADE_DUMP receives each source that a compiler was given.
set -u
clade=$1
example=$2
. "${0%/*}/../harness/expect.sh"
unset CLADE_ARCHIVE
export CLADE_CACHE_DIR="$work/cache" CLADE_DUMP="$work/dump" POCL_CACHE_DIR="$work/driver"
file=$work/cache/warm.clar

# An installation that is interrupted while kernels are compiled leaves neither that running nor anything behind, also
# while the archive is written.
mkdir -p "$work/prefix/bin" "$work/temporary"
# What is ended takes a moment: the shell waits for it, and says so.
printf '#!/bin/sh\n: >"$3.0123456789abcdef"\ntrap "sleep 0.3; trap - TERM; kill \$\$" TERM\n: >"%s/warms"\nsleep 3\n: >"%s/warmed"\n' \
    "$work" "$work" >"$work/prefix/bin/clade"
chmod +x "$work/prefix/bin/clade"
mkfifo "$work/meson"
: >"$work/out" 2>"$work/err"
sleep 100 <"$work/meson" & # meson reads what is said, and ends with a terminal
reading=$!
MESON_INSTALL_PREFIX="$work/prefix" DESTDIR= TMPDIR="$work/temporary" \
    "${0%/*}/../../tools/warm-install" bin lib >"$work/meson" 2>&1 &
installing=$!
while [ ! -e "$work/warms" ] && kill -0 $installing; do sleep 0.1; done
kill $reading
wait $reading
kill $installing
wait $installing && fail 'it was not interrupted' || pass
[ -z "$(ls "$work/temporary")" ] && [ ! -e "$work/prefix/lib/clade" ] && pass || fail 'an interrupted installation left something'
sleep 3.5
[ ! -e "$work/warmed" ] && pass || fail 'an interrupted installation goes on compiling'

needs_device "$clade"

# compiles YES|NO WHAT: the example is right, and compiles kernels, or compiles none.
compiles() {
    # The drivers' and the library's own caches are not to help.
    rm -rf "$work/dump" "$work/driver" "$work/cache"/*.bin
    run 0 '3 got: -7 0 12' "$example"
    if ls "$work/dump"/*.cl >"$work/list" 2>&1; then compiled=yes; else compiled=no; fi
    [ "$compiled" = "$1" ] && pass || fail "$2: compiled: $compiled"
}

run 2 'no structure "nonsense"' "$clade" warm nonsense
run 2 'usage: clade warm' "$clade" warm --nonsense
run 1 'no device was warmed' "$clade" warm --device nonsense
run 1 'no device was warmed' env CLADE_BUILD_OPTIONS=-D__kernel=nonsense "$clade" warm queue --device "$CLADE_DEVICE"
run 1 'none/queue.clar' "$clade" warm queue --device "$CLADE_DEVICE" --out "$work/none/queue.clar"
run 1 'no folder of the cache' env CLADE_CACHE_DIR= "$clade" warm queue --device "$CLADE_DEVICE"
[ ! -e "$file" ] && pass || fail 'a refused warming left something'

compiles yes 'before'
run 0 'heap       compiled' "$clade" warm heap --device "$CLADE_DEVICE"
[ "$(stat -c %a "$work/cache" "$file" | tr '\n' ' ')" = '700 600 ' ] && pass || fail "rights: $(stat -c '%a %n' "$work/cache" "$file")"
compiles no 'warm'

# A program may say that it wants none.
CLADE_ARCHIVE=
export CLADE_ARCHIVE
compiles yes 'CLADE_ARCHIVE is empty'
unset CLADE_ARCHIVE

# Believed only while nobody else may write to it; and not where a link leads.
chmod 620 "$file"
compiles yes 'its group may write to it'
chmod 600 "$file"
chmod 770 "$work/cache"
compiles yes 'the group may write to its folder'
run 1 'others may write' "$clade" warm queue --device "$CLADE_DEVICE"
chmod 700 "$work/cache"
mv "$file" "$work/elsewhere.clar"
ln -s "$work/elsewhere.clar" "$file"
compiles yes 'a link'
rm "$file"
mv "$work/elsewhere.clar" "$file"
compiles no 'put back'

# Damaged in forty places.
cp "$file" "$work/whole"
size=$(stat -c %s "$file")
at=500
while [ "$at" -lt "$size" ]; do
    printf 'X' | dd of="$file" bs=1 seek="$at" conv=notrunc 2>"$work/err"
    at=$((at + size / 40 + 1))
done
compiles yes 'damaged'
cp "$work/whole" "$file"
compiles no 'whole again'

# To a file of one's own: what is named is used.
run 0 'queue      compiled' "$clade" warm queue --device "$CLADE_DEVICE" --out "$work/queue.clar"
compiles no 'untouched by --out'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
