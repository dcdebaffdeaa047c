# SPDX-License-Identifier: Apache-2.0
"""clade from Python, with nothing but ctypes: a heap is filled and emptied through libclade.so, and
a refused call tells its sentence.

    test_ctypes.py LIBRARY
"""
import ctypes as c
import os
import random
import sys

E_ARG = -1


class Array(c.Structure):
    _fields_ = [("host", c.c_void_p), ("mem", c.c_void_p), ("offset", c.c_size_t)]


class ContextParams(c.Structure):
    _fields_ = [("device", c.c_char_p), ("cl_context", c.c_void_p), ("cl_device", c.c_void_p),
                ("cl_queue", c.c_void_p), ("kernel_path", c.c_char_p), ("cache_dir", c.c_char_p),
                ("profiling", c.c_int), ("force_rmw_atomics", c.c_int),
                ("build_options", c.c_char_p), ("archive", c.c_char_p), ("on_launch", c.c_void_p),
                ("on_launch_data", c.c_void_p), ("on_compile", c.c_void_p),
                ("on_compile_data", c.c_void_p), ("reserved", c.c_uint64 * 6)]


class HeapParams(c.Structure):
    _fields_ = [("capacity", c.c_uint64), ("key", c.c_uint32), ("value", c.c_uint32),
                ("order", c.c_uint32), ("batch", c.c_uint32), ("engine", c.c_uint32),
                ("atomic_inserts", c.c_uint32), ("group_size", c.c_uint32),
                ("groups", c.c_uint32), ("heaps", c.c_uint32), ("reserved", c.c_uint64 * 8)]


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("cl_code", c.c_int), ("message", c.c_char_p),
                ("log", c.c_char_p), ("reserved", c.c_uint64 * 4)]


def declare(library):
    """Result and argument types, as in the headers."""
    pointer = c.c_void_p
    library.clade_array_of_host.restype = Array
    library.clade_array_of_host.argtypes = [pointer]
    library.clade_array_of_nothing.restype = Array
    library.clade_array_of_nothing.argtypes = []
    library.clade_error_last.restype = c.POINTER(Error)
    library.clade_context_create.argtypes = [c.POINTER(pointer), c.POINTER(ContextParams)]
    library.clade_context_destroy.argtypes = [c.POINTER(pointer)]
    library.clade_context_destroy.restype = None
    library.clade_context_options.argtypes = [pointer]
    library.clade_context_options.restype = c.c_char_p
    library.clade_heap_create.argtypes = [c.POINTER(pointer), pointer, c.POINTER(HeapParams)]
    library.clade_heap_destroy.argtypes = [c.POINTER(pointer)]
    library.clade_heap_destroy.restype = None
    library.clade_heap_insert.argtypes = [pointer, Array, Array, c.c_uint64, pointer]
    library.clade_heap_pop.argtypes = [pointer, Array, Array, c.c_uint64, Array, pointer]
    return library


def host(library, memory):
    return library.clade_array_of_host(c.cast(memory, c.c_void_p))


def check(library, status):
    if status != 0:
        raise RuntimeError(library.clade_error_last().contents.message.decode())


def sort_by_heap(library, context, count):
    """Keys go in as they come, and come out in order."""
    heap, got = c.c_void_p(), c.c_uint64()
    keys = [random.randrange(-10**6, 10**6) for _ in range(count)]
    memory = (c.c_int32 * count)(*keys)
    none = library.clade_array_of_nothing()
    check(library, library.clade_heap_create(c.byref(heap), context,
                                             c.byref(HeapParams(capacity=count))))
    check(library, library.clade_heap_insert(heap, host(library, memory), none, count, None))
    c.memset(memory, 0, c.sizeof(memory))
    check(library, library.clade_heap_pop(heap, host(library, memory), none, count,
                                             host(library, c.pointer(got)), None))
    library.clade_heap_destroy(c.byref(heap))
    assert heap.value is None
    assert got.value == count, got.value
    assert list(memory) == sorted(keys)


def newer_program_is_told(library, context):
    heap, params = c.c_void_p(), HeapParams(capacity=10)
    params.reserved[0] = 1
    assert library.clade_heap_create(c.byref(heap), context, c.byref(params)) == E_ARG
    message = library.clade_error_last().contents.message.decode()
    assert "clade_heap_params" in message and "newer header" in message, message


def main():
    library = declare(c.CDLL(sys.argv[1]))
    device = os.environ.get("CLADE_DEVICE") or "Portable Computing"
    context = c.c_void_p()
    random.seed(7)
    params = ContextParams(device=device.encode())
    if os.environ.get("CLADE_TEST_SIZE") == "small":  # the compiler's time is most of it
        params.build_options = b"-cl-opt-disable"
    status = library.clade_context_create(c.byref(context), c.byref(params))
    if status != 0:
        message = library.clade_error_last().contents.message.decode()
        is_missing = "OpenCL device" in message
        print("skipped:" if is_missing else "no context:", message)
        return 77 if is_missing else 1
    assert b"-cl-std=" in library.clade_context_options(context)
    sort_by_heap(library, context, 1000)
    newer_program_is_told(library, context)
    library.clade_context_destroy(c.byref(context))
    assert context.value is None
    print("a heap sorted 1000 keys from Python")
    return 0


if __name__ == "__main__":
    sys.exit(main())
