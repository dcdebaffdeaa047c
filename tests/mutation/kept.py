# SPDX-License-Identifier: Apache-2.0
"""What the tests of the unchanged tree said and which lines they run: in the build folder, so that the next draw does
not begin with it again. Whatever changes in the tree, or another device, and all of it is forgotten."""
import hashlib
import json
import os
import platform
import time


def key(tree, devices):
    digest = hashlib.sha256(repr((tree, platform.node(), os.environ.get('CLADE_DEVICE'), devices)).encode())
    for folder in ('cl', 'include', 'lib', 'tests'):
        for at, folders, files in os.walk(os.path.join(tree, folder), followlinks=True):
            folders[:] = sorted(set(folders) - {'__pycache__'})
            for name in sorted(files):
                path = os.path.join(at, name)
                digest.update(path.encode())
                with open(path, 'rb') as file:
                    digest.update(file.read())
    return digest.hexdigest()


class Kept:
    """By a test's name: seconds (None: skipped), unsteady, blind; of a program on host threads objects, read, counts."""

    def __init__(self, folder, tree, devices):
        self.path, self.key, self.tests = os.path.join(folder, 'mutate-kept.json'), key(tree, devices), {}
        self.saved = time.time()
        try:
            with open(self.path) as file:
                kept = json.load(file)
                self.tests = kept['tests'] if kept['key'] == self.key else {}
        except (OSError, ValueError, KeyError):
            pass

    def save_at_times(self):
        """So that not all is lost when it is ended before."""
        if time.time() - self.saved > 10:
            self.save()

    def save(self):
        self.saved = time.time()
        part = '%s.%d' % (self.path, os.getpid())
        with open(part, 'w') as file:
            json.dump({'key': self.key, 'tests': self.tests}, file)
        os.replace(part, self.path)
