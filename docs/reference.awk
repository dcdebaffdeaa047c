# SPDX-License-Identifier: Apache-2.0
# What Doxygen reads of a header: plain comments right above or behind a declaration become
# documentation, and the one at the top that of the file. Comments that stand alone stay plain.
# Lines keep their numbers.
function flush(open, i) { # the lines kept back: a plain comment of its own
    for (i = 1; i <= kept; i++) {
        if (i == 1 && open)
            sub(/\/\* /, "/** ", line[i])
        print line[i]
    }
    kept = 0
}
{ gsub(/ \.\. /, " \\&hellip; ") } # "1 .. 9": the dots would end the first sentence
NR == 1 { print "/** @file"; next }
NR == 2 { sub(/^\/\* /, " * ") }
kept && closed { flush($0 !~ /^ *$/); closed = 0 }
!kept && NR > 2 && /^ *\/\* / { line[++kept] = $0; closed = /\*\//; next }
kept { line[++kept] = $0; closed = /\*\//; next }
/[;,] *\/\* / || /^#define [A-Za-z_0-9]+ .*[^ ] *\/\* / { sub(/ *\/\* /, " /**< ") }
{ print }
END { flush(0) }
