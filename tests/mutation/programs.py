# SPDX-License-Identifier: Apache-2.0
"""Tests as processes: programs on host threads compiled against a copy of cl/, device programs pointed to it."""
import atexit
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import threading
import time

from kept import hash_of
from reach import COVERAGE, Reach, count

SKIPPED = 77
# As meson's own runner sets them.
SANITIZERS = {'ASAN_OPTIONS': 'halt_on_error=1:abort_on_error=1', 'TSAN_OPTIONS': 'halt_on_error=1:atexit_sleep_ms=0',
              'UBSAN_OPTIONS': 'halt_on_error=1:abort_on_error=1'}
# What beside the device code is in a program on host threads: never compiled against a copy of cl/.
BESIDE = re.compile(r'(^|[_/])(device|lanes|draw|rbtree_memory|host_\w+_layout)\.c\.o$|\.cpp\.o$')
HOST_PROGRAM = r'tests/(?:\w+/)?((?:host|tight|wrap|weak)_[^\s/]+|draw_use)'
live = set()
is_over = threading.Event()  # no more processes


@atexit.register
def end_all():
    is_over.set()
    for group in list(live):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Result:
    """verdict: passed, caught, timeout, skipped, unseen (the program is the same), not compiled."""

    def __init__(self, verdict, how='', seconds=0.0, text=''):
        self.verdict, self.how, self.seconds, self.text = verdict, how, seconds, text
        lines = [line for line in text.split('\n') if line.strip()]
        self.last = lines[-1].strip() if lines else ''

    def __str__(self):
        return '%s %s in %.1f s\n%s' % (self.verdict, self.how, self.seconds, '\n'.join(self.text.split('\n')[-12:]))


def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


def process(command, folder, environment, limit, log):
    """(exit status, seconds, output); None for a status: past its limit."""
    begin = time.time()
    if is_over.is_set():
        raise RuntimeError('no more processes')
    with open(log, 'wb') as output:
        child = subprocess.Popen(command, cwd=folder, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limits)
        live.add(child.pid)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(child.pid, signal.SIGKILL)  # and what it left behind
        except ProcessLookupError:
            pass
        child.wait()
        live.discard(child.pid)
    with open(log, 'rb') as output:
        output.seek(max(0, os.path.getsize(log) - 20000))
        text = output.read().decode(errors='replace')
    return status, time.time() - begin, text


class Slot:
    """A copy of cl/ in which one line at a time is changed."""

    def __init__(self, folder, tree):
        self.folder, self.tree, self.touched, self.changed = folder, tree, set(), None
        shutil.copytree(os.path.join(tree, 'cl'), os.path.join(folder, 'cl'))

    def write(self, name, text):
        self.touched.add(name)
        with open(os.path.join(self.folder, name), 'w') as file:
            file.write(text)

    def original(self, name):
        with open(os.path.join(self.tree, name)) as file:
            return file.read()

    def change(self, change, after):
        lines = self.original(change.file).split('\n')
        assert lines[change.line - 1] == change.before, change
        lines[change.line - 1] = after
        self.changed = change, after
        self.write(change.file, '\n'.join(lines))

    def spoil(self, names):
        for name in names:
            self.write(name, '@\n' + self.original(name))

    def restore(self):
        for name in self.touched:
            shutil.copyfile(os.path.join(self.tree, name), os.path.join(self.folder, name))
        self.touched = set()


class Build:
    """What meson wrote about a build folder, which may have been carried elsewhere."""

    def __init__(self, folder, tree):
        self.folder, self.tree = folder, tree
        self.compile, self.link = {}, {}
        with open(os.path.join(folder, 'compile_commands.json')) as file:
            entries = json.load(file)
            for entry in entries:
                if re.match(HOST_PROGRAM + r'\.p/', entry['output'].replace('/libweak_code_', '/weak_')):
                    self.compile[entry['output']] = shlex.split(entry['command'])
        with open(os.path.join(folder, 'build.ninja')) as file:
            text = file.read()
            found = re.findall('^build ' + HOST_PROGRAM + r': (\w+)_LINKER ([^|\n]*)[^\n]*\n LINK_ARGS = (.*)$',
                               text, re.M)
            self.device_programs = re.findall(r'^build (tests/(?:\w+/)?test_\w+): \w+_LINKER ', text, re.M)
        for name, language, objects, args in found:
            self.link[name] = ('g++' if language == 'cpp' else 'gcc', objects.split(),
                               shlex.split(args.replace('$:', ':')))
        self.objects = {}  # hashes of the unchanged tree's, by program
        self.read = {}  # files of cl/ that its compilation read, by program
        self.texts = {}  # hashes of what its preprocessor makes of it, by program
        self.plain = {}  # hashes of optimized code of the unchanged tree's, by program
        self.reach = Reach({})  # which lines they run
        self.built_in = entries[0]['directory']
        with open(os.path.join(folder, 'lib', 'clade-build-tree')) as file:
            self.built_of = os.path.dirname(file.read().split(':')[0])

    def path(self, name):
        """Of a name in the build's commands: where it is now."""
        path = os.path.normpath(os.path.join(self.built_in, name))
        for was, now in ((self.built_in, self.folder), (self.built_of, self.tree)):
            if path == was or path.startswith(was + '/'):
                return now + path[len(was):]
        return path

    def program(self, name):
        """In the folder of the tests, or of one of its rooms."""
        tests = os.path.join(self.folder, 'tests')
        rooms = [''] + sorted(os.listdir(tests))
        paths = [os.path.join(tests, room, name) for room in rooms]
        return next(filter(os.path.isfile, paths), paths[0])

    def host(self, name):
        """The programs that a name of the table means: under both sanitizers, or as it is."""
        name, *more = name.split(' ')
        names = ['host_%s_asan' % name, 'host_%s_tsan' % name, name + '_asan', name + '_tsan', name]
        return [Host(self, ' '.join([full] + more)) for full in names if full in self.link]

    def environment(self):
        return {'LD_LIBRARY_PATH': ':'.join(filter(None, [os.path.join(self.folder, 'lib'),
                                                          os.environ.get('LD_LIBRARY_PATH')]))}

    def needs(self, structures):
        """What of the build is used: test programs of devices; beside device code, objects and archives."""
        names = set()
        for structure in structures.values():
            programs = {'test_' + name.split()[0] for name in structure.device}
            names.update(path for path in self.device_programs if os.path.basename(path) in programs)
            for name in structure.host:
                for program in self.host(name):
                    names.update(program.others())
                    names.update(part for part in program.link if part.endswith('.a'))
        return names

    def pack(self, to, structures):
        """Copies what runs need elsewhere: programs without symbols, objects, whole archives."""
        shutil.rmtree(to, ignore_errors=True)
        names = {'compile_commands.json', 'build.ninja', 'lib/clade-build-tree'}
        libraries = set()
        for room, _, files in os.walk(self.folder): # headers that the build made
            names.update(os.path.relpath(os.path.join(room, file), self.folder)
                         for file in files if file.endswith('.h') and not room.endswith('.p'))
        names.update(name for name in self.needs(structures) if os.path.exists(os.path.join(self.folder, name)))
        for name in sorted(names):
            self.pack_file(name, os.path.join(to, name), libraries)
        for library in libraries:
            shutil.copy(library, os.path.join(to, 'lib'))
        print('%s: %d files, %.1f MiB' % (to, len(names), sum(
            os.path.getsize(os.path.join(at, file)) for at, _, files in os.walk(to) for file in files) / 2.0**20))
        return 0

    def pack_file(self, name, to, libraries):
        source = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(source, 'rb') as file:
            magic = file.read(7)
        if magic == b'!<thin>':
            members = subprocess.run(['ar', 't', name], cwd=self.folder, check=True, capture_output=True,
                                     text=True).stdout.split()
            subprocess.run(['ar', 'crs', os.path.abspath(to)] + members, cwd=self.folder, check=True)
        elif magic[:4] == b'\x7fELF' and not name.endswith('.o'):
            subprocess.run(['strip', '-o', to, source], check=True)
            linked = subprocess.run(['ldd', source], check=True, capture_output=True, text=True).stdout
            libraries.update(re.findall(r'=> (\S*/lib(?:cmocka|clade)\S*)', linked))
        else:
            shutil.copy(source, to)


class Host:
    """A program on host threads, compiled against the slot's headers; `NAME ARGUMENT...`."""
    is_short, is_quick = True, False

    def __init__(self, build, name):
        self.name, *self.given = name.split(' ')
        # Both sanitizers run the same: what AddressSanitizer's does not notice the other seldom does.
        self.repeats = 4 if name.endswith('_tsan') else 1
        self.build = build
        self.linker, self.parts, self.link = build.link[self.name]
        self.pair = re.sub('_[at]san$', '', self.name)
        self.can_count = not name.endswith('_tsan') and not name.startswith('weak_')

    def mains(self):
        """The objects that hold device code."""
        return [part for part in self.parts if not BESIDE.search(part)]

    def others(self):
        return [part for part in self.parts if BESIDE.search(part)]

    def is_there(self):
        needed = self.others() + [part for part in self.link if part.endswith('.a')]
        return bool(shutil.which(self.linker)) and all(os.path.exists(self.build.path(name)) for name in needed)

    def compile_command(self, main, to):
        given, command, skip = self.build.compile[main], ['gcc'], False
        at = 2 if 'ccache' in given[0] else 1
        for word in given[at:]:
            if skip:
                skip = False
            elif word in ('-MQ', '-MF', '-o'):
                skip = True
            elif word.startswith('-I'):
                path = self.build.path(word[2:])
                command.append('-Icl' if path == os.path.join(self.build.tree, 'cl') else '-I' + path)
            elif word.endswith('.c'):
                command.append(self.build.path(word))
            elif word not in ('-MD', '-Werror', '-g', '-g1'):
                command.append(word)
        return command + ['-w', '-MMD', '-MF', to + '.d', '-o', to]

    def plain_code(self, slot, tree):
        """What gcc makes of the program's device code in `tree` when it optimizes, without sanitizers."""
        digest, to = hashlib.sha256(), os.path.join(slot.folder, 'plain.s')
        for main in self.mains():
            command = [word for word in self.compile_command(main, to)
                       if not re.match(r'-(fsanitize|O\d|c$|MMD$|MF$)|.*\.d$', word)]
            status, _, _ = process(command + ['-S', '-O2'], tree, {}, 300, os.path.join(slot.folder, 'plain.log'))
            if status != 0:
                return None
            with open(to, 'rb') as file:
                digest.update(file.read())
        return digest.digest()

    def is_same_code(self, slot, limit):
        if self.name not in self.build.plain:
            self.build.plain[self.name] = self.plain_code(slot, self.build.tree)
        before = self.build.plain[self.name]
        return before is not None and before == self.plain_code(slot, slot.folder)

    def sees(self, name):
        """Whether the program, once compiled, had anything of this file of cl/."""
        return name in self.build.read.get(self.name, [name])

    def runs(self, name, line):
        """Whether it runs this line of the file: True, False, or None, which may be."""
        return self.sees(name) and self.build.reach.runs(self.pair, name, line)

    def count_lines(self, slot, limit):
        """Lines of cl/ that a run of the program counts. Of ThreadSanitizer's and Relacy's own nothing: they would
        take the counters for the program's words."""
        mains, program = [], os.path.join(slot.folder, self.name + '-counted')
        for part in self.mains():
            mains.append('%s-%d.o' % (program, len(mains)))
            command = self.compile_command(part, mains[-1]) + COVERAGE
            if process(command, slot.folder, {}, 120, program + '.log')[0] != 0:
                return None
        command = self.link_command(mains, program) + ['--coverage']
        if process(command, self.build.folder, {}, 120, program + '.log')[0] != 0:
            return None
        if process([program] + self.given, slot.folder, SANITIZERS, limit, program + '.log')[0] != 0:
            return None
        return count(mains, slot.folder)

    def know(self, known):
        """What tell() told, in this run of the tool or an earlier one."""
        self.counts = known.get('counts')
        if 'read' in known:
            self.build.read[self.name] = set(known['read'])
        if 'objects' in known:
            self.build.objects[self.name] = known['objects']

    def tell(self, slot, limit):
        """After a run of the unchanged tree: what is known of it."""
        beside = sorted(self.beside)
        return {'objects': self.build.objects[self.name], 'read': sorted(self.build.read[self.name]),
                'beside': beside, 'sources': hash_of(self.build.tree, beside),
                'counts': self.count_lines(slot, limit) if self.can_count else None}

    def note_files(self, objects):
        words = ' '.join(open(name + '.d').read() for name in objects).split()
        self.build.read[self.name] = {os.path.normpath(word) for word in words if word.startswith('cl/')}
        paths = [os.path.normpath(word) for word in words if word.startswith(self.build.tree + '/')]
        self.beside = {os.path.relpath(path, self.build.tree) for path in paths
                       if not path.startswith(self.build.folder + '/')}

    def link_command(self, mains, to):
        command = [self.linker, '-o', to] + mains + [self.build.path(name) for name in self.others()]
        for word in self.link:
            if word.endswith('libOpenCL.so') and not os.path.exists(word):
                folders = os.environ.get('LD_LIBRARY_PATH', '').split(':')
                command += ['-L' + folder for folder in folders if folder] + ['-l:libOpenCL.so.1']
            else:
                command.append(self.build.path(word) if word.endswith('.a') else word)
        return command

    def run(self, slot, limit):
        program = os.path.join(slot.folder, self.name)
        log, begin = program + '.log', time.time()
        if slot.touched and slot.changed and self.is_same_text(slot):
            return Result('unseen', '', time.time() - begin)
        mains, digest, text = self.objects(slot, slot.folder)
        if not digest:
            return Result('not compiled', self.name, time.time() - begin, text)
        if not slot.touched:
            self.note_files(mains)
            self.build.objects[self.name] = digest
        elif self.build.objects.get(self.name) == digest:
            return Result('unseen', '', time.time() - begin)
        status, _, text = process(self.link_command(mains, program), self.build.folder, {}, 120, log)
        if status != 0:
            return Result('not compiled', self.name, time.time() - begin, text)
        status, _, text = process([program] + self.given, slot.folder, SANITIZERS, limit, log)
        result = verdict_of(status, time.time() - begin, text)
        if slot.touched and result.verdict == 'passed' and self.unchanged(slot) == digest:
            return Result('unseen', '', time.time() - begin)
        return result

    def is_same_text(self, slot):
        """Whether the change is in lines that this program's preprocessor leaves out. Asked where gcov does not say that it
        runs the line: to preprocess takes a tenth of what it takes to compile."""
        if self.runs(slot.changed[0].file, slot.changed[0].line):
            return False
        if self.name not in self.build.texts:
            self.build.texts[self.name] = self.preprocessed(slot, self.build.tree)
        before = self.build.texts[self.name]
        return before is not None and before == self.preprocessed(slot, slot.folder)

    def preprocessed(self, slot, tree):
        digest, to = hashlib.sha256(), os.path.join(slot.folder, self.name + '.i')
        for main in self.mains():
            command = [word for word in self.compile_command(main, to) if word != '-c']
            status, _, _ = process(command + ['-E', '-P'], tree, {}, 120, to + '.log')
            if status != 0:
                return None
            with open(to, 'rb') as file:
                digest.update(file.read())
        return digest.digest()

    def objects(self, slot, tree):
        """(names, hash or None, what the compiler said) of what is compiled with the device code of `tree`."""
        program, mains, digest = os.path.join(slot.folder, self.name), [], hashlib.sha256()
        for part in self.mains():
            mains.append('%s-%d.o' % (program, len(mains)))
            status, _, text = process(self.compile_command(part, mains[-1]), tree, {}, 120, program + '.log')
            if status != 0:
                return mains, None, text
            with open(mains[-1], 'rb') as file:
                digest.update(file.read())
        return mains, digest.hexdigest(), ''

    def unchanged(self, slot):
        """The hash of the unchanged tree's objects. They are compiled only when a mutant has passed."""
        if self.name not in self.build.objects:
            self.build.objects[self.name] = self.objects(slot, self.build.tree)[1]
        return self.build.objects[self.name]

    def run_again(self, slot, limit):
        """What run() built."""
        program = os.path.join(slot.folder, self.name)
        return verdict_of(*process([program] + self.given, slot.folder, SANITIZERS, limit, program + '.log'))


class Device:
    """A program that uses a device; `NAME VARIABLE=VALUE... ARGUMENT...` with further environment."""
    is_short, repeats = False, 1

    def __init__(self, build, work, name, device, jobs):
        self.given_name = name  # in the table
        name, *more = shlex.split(name)
        self.build, self.program = build, build.program('test_' + name)
        self.name = ' '.join(['test_' + name] + more[:1] + ['on ' + device] * bool(device))
        self.environment = {
            'CLADE_TEST_CL': os.path.join(build.tree, 'tests'), 'CLADE_TEST_SIZE': 'small', 'CLADE_CACHE_DIR': '',
            'POCL_CACHE_DIR': os.path.join(work, 'pocl'),
            'POCL_MAX_PTHREAD_COUNT': str(max(2, (os.cpu_count() or 2) // jobs)), **build.environment()}
        self.environment.update(word.split('=', 1) for word in more if '=' in word)
        self.given = [word for word in more if '=' not in word]
        if device:
            self.environment['CLADE_DEVICE'] = device
        # By day kernels are not optimized (tests/harness/run-quickly).
        self.is_quick = not device and os.environ.get('CLADE_DEVICE', 'cpu') == 'cpu'

    def is_there(self):
        return os.path.exists(self.program)

    def sees(self, name):
        return True

    def runs(self, name, line):
        return True  # as far as anybody knows

    def know(self, known):
        pass

    def run(self, slot, limit, cl=None, **more):
        path = (cl or os.path.join(slot.folder, 'cl')) + ':' + os.path.join(self.build.tree, 'include')
        environment = dict(self.environment, CLADE_KERNEL_PATH=path, **more)
        log = os.path.join(slot.folder, os.path.basename(self.program) + '.log')
        for _ in range(3):
            if self.is_quick and not more:
                environment['CLADE_BUILD_OPTIONS'] = self.environment.get('CLADE_BUILD_OPTIONS', '') + ' -cl-opt-disable'
            else:
                environment.update(CLADE_BUILD_OPTIONS=self.environment.get('CLADE_BUILD_OPTIONS', ''))
            status, seconds, text = process([self.program] + self.given, slot.folder, environment, limit, log)
            if status != 0 and self.is_quick and 'pocl::isAutomaticLocal' in text:
                self.is_quick = False
            elif status == 0 or 'pocl_release_dlhandle_cache: Assertion' not in text:  # as tests/harness/run-again
                break
        return verdict_of(status, seconds, text)

    run_again = run

    def kernels(self, slot, limit, cl=None):
        """Hashes of the machine code of all kernels that it launches on PoCL, which keeps each as a library."""
        cache, found = os.path.join(slot.folder, 'kernels'), set()
        os.makedirs(cache)
        self.run(slot, limit, cl, POCL_CACHE_DIR=cache)
        for room, _, files in os.walk(cache):
            for name in files:
                if name.endswith('.so'):
                    with open(os.path.join(room, name), 'rb') as file:
                        found.add(hashlib.sha256(file.read()).digest())
        shutil.rmtree(cache)
        return found

    def is_same_code(self, slot, limit):
        if self.name not in self.build.plain:
            self.build.plain[self.name] = self.kernels(slot, limit, os.path.join(self.build.tree, 'cl'))
        after = self.kernels(slot, limit)
        return bool(after) and after <= self.build.plain[self.name]


def verdict_of(status, seconds, text):
    if status is None:
        return Result('timeout', 'after %.0f s' % seconds, seconds, text)
    if status == SKIPPED or 'ThreadSanitizer: unexpected memory mapping' in text:
        return Result('skipped', '', seconds, text)
    if status != 0 and 'CLADE_E_BUILD' in text:
        return Result('not compiled', '', seconds, text)
    return Result('caught' if status else 'passed', 'exit %d' % status if status else '', seconds, text)
