#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the module _pyclade: clade's public headers as cffi sees them.

  bindings.py INCLUDE OUTPUT      INCLUDE/clade/*.h  ->  OUTPUT, a Python file

No struct, constant or function is written down a second time: what the headers say is what Python calls. The headers are
plain enough to be read without a C preprocessor: comments, conditions and inline functions are dropped, constants are
kept where they are numbers.
"""
import os
import re
import sys

import cffi

# What CL/cl.h has of the types in clade's headers. Handles are opaque.
OPENCL = '''
typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef uint64_t cl_device_type;
'''
NUMBER = re.compile(r'^\(?(?:\(\w+\))?-?(?:0x[0-9a-fA-F]+|\d+)[uUlL]*\)?$')
SHIFT = re.compile(r'^\((?:\(\w+\))?1[uUlL]* << (\d+)\)$')


def in_order(folder):
    """The headers that <clade/clade.h> includes, each after those that it includes itself."""
    done = {}

    def visit(name):
        if name in done:
            return
        with open(os.path.join(folder, name), encoding='utf-8') as f:
            text = f.read()
        for included in re.findall(r'^#include "(clade/[^"]+)"', text, re.M):
            visit(included)
        done[name] = text

    visit('clade/clade.h')
    return list(done.values())


def value_of(text):
    """The number that a macro stands for, or None."""
    shift = SHIFT.match(text)
    if shift:
        return str(1 << int(shift.group(1)))
    if not NUMBER.match(text):
        return None
    return str(int(re.sub(r'\(\w+\)|[()uUlL]', '', text), 0))


def declarations(text, constants):
    """One header: its typedefs and functions; its constants go to `constants`."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'\\\n', ' ', text)
    for name, value in re.findall(r'^#define (CLADE_\w+)[ \t]+(\S.*?)[ \t]*$', text, re.M):
        number = value_of(value)
        if number is not None:
            constants.setdefault(name, number)
    text = re.sub(r'^[ \t]*#.*$', '', text, flags=re.M)
    text = text.replace('extern "C" {', '')
    for name, value in constants.items():
        text = re.sub(r'\[' + name + r'\]', '[' + value + ']', text)
    kept = []
    for m in re.finditer(r'typedef\s+struct\s+\w+\s+\w+;|typedef\s+\w+\s+clade_status;'
                         r'|typedef\s+struct\s+\w+\s*\{[^{}]*\}\s*\w+;|enum\s*\{[^{}]*\};'
                         r'|CLADE_API[^;{]*;', text):
        kept.append(m.group(0).replace('CLADE_API', '').replace('CLADE_CHECKED', '').strip())
    # Structs that only kernels and the library use name types of the device; Python needs none of them.
    return [k for k in kept if not re.search(r'\bclade_(u|i)(8|16|32|64)\b', k)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    constants, kept = {}, []
    for text in in_order(sys.argv[1]):
        kept += declarations(text, constants)
    lines = ['#define %s %s' % item for item in constants.items()]
    ffi = cffi.FFI()
    ffi.cdef(OPENCL + '\n'.join(lines) + '\n' + '\n'.join(kept))
    ffi.set_source('_pyclade', None)
    ffi.emit_python_code(sys.argv[2])


if __name__ == '__main__':
    main()
