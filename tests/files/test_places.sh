#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where a program that has the library in it takes kernels from: its own installation, and nothing
# that lies in the working folder or that a name given to it leads to.
#   test_places.sh OWN_PLACE OWN_MODULE TEST_FILES ABI
set -u
place=$1 module=$2 files=$3 abi=$4
[ "${place#/}" != "$place" ] || place=$PWD/$place
[ "${module#/}" != "$module" ] || module=$PWD/$module
[ "${files#/}" != "$files" ] || files=$PWD/$files
unset CLADE_KERNEL_PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/clade places XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
wrong() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}
kernels() { # FOLDER: makes one
    mkdir -p "$1/clade" && : >"$1/clade/atomic.clh"
}

# What an attacker lays out, in and beside the folder that others stand in.
kernels "$work/evil"
mkdir -p "$work/trap/in" "$work/trap/lib" "$work/trap/share/clade-$abi"
kernels "$work/trap/share/clade-$abi/cl"
for file in "$work/trap/in/clade-build-tree" "$work/trap/lib/clade-build-tree"; do
    printf '%s\n' "$work/evil" >"$file"
done
mkdir -p "$work/prefix/bin" "$work/prefix/lib"
cp "$place" "$work/prefix/bin/user"
chmod -R go-w "$work"
cd "$work/trap/in" || exit 1

found=$(PATH="$work/prefix/bin:$PATH" user) && wrong "through PATH it takes $found"
if command -v bash >/dev/null 2>&1; then
    found=$(bash -c 'exec -a "$0" "$1"' "$work/trap/in/user" "$work/prefix/bin/user") &&
        wrong "another name leads it to $found"
else
    echo 'not tried: without bash nothing gives a program another name'
fi
printf '%s\n' "$work/evil" >"$work/prefix/lib/clade-build-tree"
printf '%s\n' "$work/evil" >"$work/prefix/bin/clade-build-tree"
found=$("$work/prefix/bin/user") && wrong "in an installation it looks for a build tree: $found"

# An installation that was moved; one that anybody may change is none.
kernels "$work/prefix/share/clade-$abi/cl"
chmod -R go-w "$work/prefix"
found=$(PATH="$work/prefix/bin:$PATH" user) || wrong "its own installation is not found: $found"
[ "$found" -ef "$work/prefix/share/clade-$abi/cl" ] || wrong "not its own installation: $found"
chmod o+w "$work/prefix/share/clade-$abi/cl"
found=$("$work/prefix/bin/user") && wrong "it takes what anybody may write: $found"
chmod o-w "$work/prefix/share/clade-$abi/cl"

# A library that was opened by a relative name: the working folder is another by now.
cp "$module" "$work/prefix/lib/module.so"
cd "$work/prefix/lib" || exit 1
rm "$work/prefix/lib/clade-build-tree"
found=$("$place" ./module.so "$work/trap/in") && wrong "a library takes what lies in the working folder: $found"
found=$("$place" "$work/prefix/lib/module.so" "$work/trap/in") || wrong "a library's installation is not found: $found"
[ "$found" -ef "$work/prefix/share/clade-$abi/cl" ] || wrong "not the library's installation: $found"
cd "$work/trap/in" || exit 1

# Kernels in a folder that another user can put elsewhere.
if [ "$(id -u)" = 0 ]; then
    chown 65533 "$work/prefix/share"
    found=$("$work/prefix/bin/user") && wrong "it takes what lies in another user's folder: $found"
    chown 0 "$work/prefix/share"
    chmod o+w "$work/prefix/share"
    found=$("$work/prefix/bin/user") && wrong "it takes what lies where anybody may write: $found"
    chmod +t "$work/prefix/share"
    found=$("$work/prefix/bin/user") || wrong "nobody can rename it, and it is not taken: $found"
    chmod o-w,-t "$work/prefix/share"
else
    echo 'not tried: only root makes folders of another user'
fi

# A program with the rights of another user does not listen to who started it.
if [ "$(id -u)" = 0 ]; then
    for program in "$place" "$files"; do
        cp "$program" "$work/${program##*/}" && chown 65533 "$work/${program##*/}" &&
            chmod 4755 "$work/${program##*/}"
    done
    chmod 755 "$work"
    seen=$(CLADE_DEVICE=mine "$work/${files##*/}" CLADE_DEVICE)
    case $seen in
    nothing) ;;
    mine)
        if [ -n "$(findmnt -nT "$work" -o OPTIONS 2>/dev/null | grep nosuid)" ]; then
            echo "not tried: $work is on a file system that gives no rights"
        else
            wrong 'the environment is believed with rights of another user'
        fi
        ;;
    *) wrong "the environment test says: $seen" ;;
    esac
    CLADE_KERNEL_PATH="$work/evil" "$work/${place##*/}" >/dev/null && [ "$seen" = nothing ] &&
        wrong 'CLADE_KERNEL_PATH is believed with rights of another user'
else
    echo 'not tried: only root makes a program with the rights of another user'
fi
seen=$(CLADE_DEVICE=mine "$files" CLADE_DEVICE)
[ "$seen" = mine ] || wrong "a plain program sees $seen of its environment"

[ $failed = 0 ] && echo 'kernels come from where they should'
exit $((failed > 0))
