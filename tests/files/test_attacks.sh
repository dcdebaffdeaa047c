#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What others lay where the tools write, and names that try to be more than names.
#   test_attacks.sh CLADE CLADEC
set -u
clade=$1 cladec=$2
[ "${clade#/}" != "$clade" ] || clade=$PWD/$clade
[ "${cladec#/}" != "$cladec" ] || cladec=$PWD/$cladec
export CLADE_CACHE_DIR= CLADE_ARCHIVE=
work=$(mktemp -d "${TMPDIR:-/tmp}/clade attacks XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
umask 022
failed=0
wrong() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}
grid() { # OUT
    timeout 60 "$clade" grid --nodes 9 --out "$1" >/dev/null 2>err
}
newline='
'
escape=$(printf '\033')

# Links that wait for a name that could be guessed.
echo precious >victim
ln -s victim out.gr.part
grid out.gr || wrong "a graph is not written: $(cat err)"
[ "$(cat victim)" = precious ] || wrong 'a link that was laid beside the file was followed'
[ -f out.gr ] && [ ! -L out.gr ] || wrong 'the graph is a link'
# A file that is replaced keeps its rights.
chmod 600 out.gr
grid out.gr
[ "$(stat -c %a out.gr)" = 600 ] || wrong "0600 became $(stat -c %a out.gr)"
# A pipe and standard output are written to, and stay what they are.
mkfifo pipe
timeout 60 cat pipe >from_pipe &
grid pipe
wait $!
[ -p pipe ] && cmp -s from_pipe out.gr || wrong 'a pipe was not written to'
timeout 60 "$clade" grid --nodes 9 --out /dev/stdout 2>err | grep -v '^[0-9]' >from_stdout
grep -q '^p sp' from_stdout || wrong 'standard output was not written to'
ln -s /nowhere/at/all lost
grid lost && wrong 'a link that leads nowhere was written'
[ -L lost ] || wrong 'a link that leads nowhere was replaced'

# Names.
name="x${newline}evil: all$escape.cl"
printf '__kernel void k(__global int *p) { p[0] = 1; }\n' >"$name"
timeout 60 "$cladec" -M "$name" -o x.clar >out 2>err && wrong '-M wrote a rule that make reads otherwise'
grep -q 'end of a line' err || wrong "-M says: $(cat err)"
grep -q '^evil' out && wrong 'a name became a rule'
timeout 60 "$cladec" --dump "$name" >out 2>err || wrong "--dump: $(cat err)"
grep -q '^evil' out && wrong 'a name became source'
# A semicolon would make a command of what follows it.
semicolon='x;touch became-a-command;.cl'
cp "$name" "$semicolon"
timeout 60 "$cladec" -M "$semicolon" -o x.clar >out 2>err && wrong '-M wrote a command for make'
grep -q 'semicolon' err || wrong "-M says: $(cat err)"
# All other names are what make takes for the file: it has nothing to do when the rule is older than it.
if command -v make >/dev/null; then
    for odd in 'a b.cl' 'a\b.cl' 'a\ b.cl' 'a\\#b.cl' 'a:b.cl' 'a$b.cl' 'a|b.cl' 'a(b)%&.cl' 'ä.cl'; do
        cp "$name" "$odd"
        for rule in x.clar "$odd.clar"; do
            timeout 60 "$cladec" -M "$odd" -o "$rule" >deps 2>err || wrong "-M of $odd: $(cat err)"
            printf '\ttrue\n' >>deps
            touch -d '1 hour ago' "$odd"
            touch "$rule"
            make -q -f deps "$rule" >out 2>&1 || wrong "make misreads $odd: $(cat out)"
            touch -d '1 hour' "$odd"
            make -q -f deps "$rule" >out 2>&1 && wrong "make does not see that $odd is newer than $rule"
        done
    done
fi
if timeout 120 "$cladec" -o named.clar "$name" 2>err; then
    timeout 60 "$cladec" --list named.clar >out 2>err || wrong "--list: $(cat err)"
    grep -q "$escape" out && wrong '--list sends control characters to the terminal'
    grep -q '^evil' out && wrong '--list breaks a name into lines'
    grep -q 'x\\x0aevil: all\\x1b.cl' out || wrong "--list does not show the name: $(cat out)"
else
    echo "not tried: --list, for nothing compiles here: $(cat err)"
fi
# A folder for temporary files that looks like an option.
mkdir ./-foo
mv "$name" k.cl
if timeout 120 "$cladec" -t gfx90a -o plain.clar k.cl 2>err; then
    TMPDIR=-foo timeout 120 "$cladec" -t gfx90a -o odd.clar k.cl 2>err || wrong "TMPDIR=-foo: $(cat err)"
    cmp -s plain.clar odd.clar || wrong 'TMPDIR=-foo makes other code'
    [ -z "$(ls ./-foo)" ] || wrong 'something is left in TMPDIR'
else
    echo "not tried: TMPDIR, for there is no offline compiler: $(cat err)"
fi
[ $failed = 0 ] && echo 'the tools stay within their files'
exit $((failed > 0))
