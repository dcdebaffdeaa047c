# SPDX-License-Identifier: Apache-2.0
"""What the tests of the unchanged tree said and which lines they run: in the build folder, so that the next draw does
not begin with it again.

Of the same tree on the same machine it is certain. Of another tree or machine it is believed where the program's own
sources are the same: lines of device code are found again by their text, and what fails for a mutant is asked of the
unchanged tree then (Run.confirm()). Hashes of what another compiler made are forgotten."""
import difflib
import hashlib
import json
import os
import platform
import time


def text_of(path):
    with open(path, 'rb') as file:
        return file.read()


def key(tree, devices):
    digest = hashlib.sha256(repr((tree, platform.node(), os.environ.get('CLADE_DEVICE'), devices)).encode())
    for folder in ('cl', 'include', 'lib', 'tests'):
        for at, folders, files in os.walk(os.path.join(tree, folder), followlinks=True):
            folders[:] = sorted(set(folders) - {'__pycache__'})
            for name in sorted(files):
                path = os.path.join(at, name)
                digest.update(path.encode())
                digest.update(text_of(path))
    return digest.hexdigest()


def hash_of(tree, names):
    """Of files beside cl/; None where one has gone."""
    digest = hashlib.sha256()
    for name in sorted(names):
        path = os.path.join(tree, name)
        if not os.path.exists(path):
            return None
        digest.update(text_of(path))
    return digest.hexdigest()


def moved(before, after):
    """Where each line is now, from 1; lines that are no more are left out."""
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {block.a + i + 1: block.b + i + 1 for block in blocks for i in range(block.size)}


def counts_now(counts, lines):
    """What reach.count() found, in a tree whose lines moved; a function whose ends have gone is left out."""
    found = {}
    for name, there in counts.items():
        if name not in lines:
            found[name] = there
        else:
            at = lines[name]
            functions = [[at[first], at[last], run] for first, last, run in there['functions']
                         if first in at and last in at]
            found[name] = {'lines': {str(at[int(line)]): run for line, run in there['lines'].items()
                                     if int(line) in at}, 'functions': functions}
    return found


class Kept:
    """By a test's name: seconds (None: skipped), unsteady, blind; of a program on host threads objects, read, beside,
    sources, counts."""

    def __init__(self, folder, tree, devices):
        self.path, self.key, self.tests = os.path.join(folder, 'mutate-kept.json'), key(tree, devices), {}
        self.believed = {}  # the same, of another tree or machine
        self.tree, self.saved = tree, time.time()
        try:
            with open(self.path) as file:
                kept = json.load(file)
            tests = kept['tests'] if kept['key'] == self.key else {}
            self.believed = self.now(kept.get('files', {}), dict(kept.get('believed', {}), **kept['tests']), tests)
            self.tests = tests
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return  # none, or a file of another shape

    def files(self):
        found = {}
        for at, _, files in os.walk(os.path.join(self.tree, 'cl')):
            for name in files:
                path = os.path.join(at, name)
                found[os.path.relpath(path, self.tree)] = text_of(path).decode()
        return found

    def now(self, files, tests, certain):
        """What is still true of tests that are not known for certain."""
        here, found = self.files(), {}
        lines = {name: moved(text.split('\n'), here.get(name, '').split('\n')) for name, text in files.items()
                 if here.get(name) != text}
        for name, known in tests.items():
            is_same = 'beside' not in known or known.get('sources') == hash_of(self.tree, known['beside'])
            if name not in certain and known['seconds'] is not None and is_same:
                found[name] = {fact: value for fact, value in known.items() if fact != 'objects'}
                if known.get('counts'):
                    found[name]['counts'] = counts_now(known['counts'], lines)
        return found

    def save_at_times(self):
        """So that not all is lost when it is ended before."""
        if time.time() - self.saved > 10:
            self.save()

    def save(self):
        self.saved = time.time()
        part = '%s.%d' % (self.path, os.getpid())
        with open(part, 'w') as file:
            believed = {name: known for name, known in self.believed.items() if name not in self.tests}
            json.dump({'key': self.key, 'files': self.files(), 'tests': self.tests, 'believed': believed}, file)
        os.replace(part, self.path)
