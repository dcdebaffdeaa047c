# SPDX-License-Identifier: Apache-2.0
"""Which lines of device code a program on host threads runs, as gcov counts them: what never runs a line notices no
change of it.

A line counts as run where gcov counts it. One that gcov does not list (a declaration, the rest of a statement) counts
as run where its function does. Macros and what else is outside of all functions are in no count: there only the
compiler knows who read the file.
"""
import json
import os
import subprocess

COVERAGE = ['--coverage', '-fprofile-update=atomic', '-fno-early-inlining']


def count(objects, folder):
    """{file: {'lines': {line: run}, 'functions': [[first, last, run]]}} of cl/, from what a run left beside its
    objects; None where it left nothing, as a program does that ends by _exit() or a signal."""
    found = {}
    for name in objects:
        if not os.path.exists(name[:-2] + '.gcda'):
            return None
        try:
            told = subprocess.run(['gcov', '--json-format', '--stdout', name], cwd=folder, capture_output=True)
        except FileNotFoundError:
            return None
        if told.returncode != 0:
            return None
        for line in told.stdout.splitlines():
            for file in json.loads(line)['files']:
                if os.path.normpath(file['file']).startswith('cl/'):
                    add(found.setdefault(os.path.normpath(file['file']), {'lines': {}, 'functions': []}), file)
    return found


def add(counts, file):
    """A function that is compiled for several types is there several times."""
    for line in file['lines']:
        number = str(line['line_number'])  # as in JSON
        counts['lines'][number] = counts['lines'].get(number, False) or line['count'] > 0
    for function in file['functions']:
        counts['functions'].append([function['start_line'], function['end_line'], function['execution_count'] > 0])


class Reach:
    """Of all programs; a pair that differs in its sanitizer is one."""

    def __init__(self, programs):
        self.programs = programs  # name -> what count() found
        self.bounds = {}  # file -> first and last lines of functions that any program compiles
        for counts in programs.values():
            for file, there in (counts or {}).items():
                self.bounds.setdefault(file, set()).update((first, last) for first, last, _ in there['functions'])

    def runs(self, name, file, line):
        """True: it runs the line. False: it does not. None: nobody knows, or by chance it may: it runs the function."""
        counts = self.programs.get(name)
        around = [(first, last) for first, last in self.bounds.get(file, []) if first <= line <= last]
        if counts is None or not around:
            return None
        here = counts.get(file, {'lines': {}, 'functions': []})
        # A function that was expanded in another one is run where its lines are.
        is_entered = any(run for first, last, run in here['functions'] if first <= line <= last) or any(
            run for at, run in here['lines'].items() if any(first <= int(at) <= last for first, last in around))
        is_run = here['lines'].get(str(line), is_entered)
        return is_run if is_run or not is_entered or 'lanes' in name else None
