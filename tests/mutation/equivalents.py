# SPDX-License-Identifier: Apache-2.0
"""tests/mutation/mutants-equivalent.txt: mutants that no test can or need notice, each with its reason.

An entry is a file's name, `- line before`, `+ line after`, and the reason, indented, which begins with
"equivalent:" (nothing that anybody can see is different) or "speed:" (only how long it takes); then an empty line.
Blanks do not matter. Where the line comes more than once in its file, `FILE after LINE BEFORE IT` says which;
all that are alike in both are meant.

A class of them is `~ EXPRESSION` in place of "- before": a regular expression with one group, in lines of the files
that the name matches (`*`), and `+ TOKENS`: a token within the group may become each of these, or `any`. Nothing else
in the line is meant, nor the line as a whole.
"""
import fnmatch
import os
import re
import sys
from collections import namedtuple

from changes import changes, normal, token_change

Class = namedtuple('Class', 'files expression after kind number')


class Equivalents:
    def __init__(self, path, tree):
        self.entries, self.classes, self.path, self.tree = {}, [], path, tree
        if os.path.exists(path):
            for number, block in self.blocks():
                self.add(number, block)
        self.tell_stale()

    def blocks(self):
        block, begin = [], 0
        for number, line in enumerate(open(self.path).read().split('\n') + [''], 1):
            if line.startswith('#'):
                continue
            if line.strip():
                begin = begin if block else number
                block.append(line.strip())
            elif block:
                yield begin, block
                block = []

    def add(self, number, block):
        kind = block[3].split(':')[0] if len(block) > 3 else ''
        if kind not in ('equivalent', 'speed') or block[1][:2] not in ('- ', '~ ') or block[2][:1] != '+' or len(block[3]) < 30:
            sys.exit('%s:%d: an entry is a file, "- before", "+ after", "equivalent: why" or "speed: why"'
                     % (self.path, number))
        if block[1][0] == '~':
            self.classes.append(Class(block[0], re.compile(block[1][2:]), block[2][1:].split(), kind, number))
            return
        name, _, above = block[0].partition(' after ')
        self.entries[name, normal(above), normal(block[1][2:]), normal(block[2][1:])] = kind

    def lines(self, name):
        path = os.path.join(self.tree, name)
        return [''] + [normal(line) for line in open(path)] if os.path.exists(path) else ['']

    def tell_stale(self):
        """An entry whose line has gone says nothing any more, nor does one that may mean several places."""
        for name, above, before, _ in self.entries:
            lines = self.lines(name)
            count = sum(1 for i in range(1, len(lines)) if lines[i] == before and above in ('', lines[i - 1]))
            if count == 0 or count > 1 and not above:
                print('out of date in %s: %s has %d lines "%s"' % (os.path.basename(self.path), name, count, before))

    def is_of(self, change, one):
        token = token_change(change.before, change.after)
        return (token and fnmatch.fnmatch(change.file, one.files) and ('any' in one.after or token[2] in one.after) and
                any(found.start(1) <= token[0] and token[1] <= found.end(1)
                    for found in one.expression.finditer(change.before)))

    def kind(self, change):
        for one in self.classes:
            if self.is_of(change, one):
                return one.kind
        above = self.lines(change.file)[change.line - 1]
        key = normal(change.before), normal(change.after)
        return self.entries.get((change.file, '') + key) or self.entries.get((change.file, above) + key)
