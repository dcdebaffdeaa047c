# SPDX-License-Identifier: Apache-2.0
"""Which files are a structure's, and which of the tests that CI runs look at them: tests/W/mutation.json.

files: patterns below cl/. host: programs on host threads: host_NAME_asan, host_NAME_tsan, NAME_asan, NAME_tsan,
NAME, as many of these as there are; arguments after a blank ("draw_use 30000": saved objects that are crafted,
used). device: test_NAME, with further environment and arguments after blanks, quoted as in a shell ("alone KIND...": each
function of a kind alone in a kernel).
"""
import glob
import json
import os
from collections import namedtuple

Structure = namedtuple('Structure', 'files host device')
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STRUCTURES = {}
for path in sorted(glob.glob(os.path.join(TESTS, '*', 'mutation.json'))):
    with open(path) as file:
        STRUCTURES.update((name, Structure(**entry)) for name, entry in json.load(file).items())
