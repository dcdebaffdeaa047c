# SPDX-License-Identifier: Apache-2.0
"""clade from Python: concurrent data structures and an allocator inside OpenCL kernels.

A context opens a device, or takes a PyOpenCL queue. Objects live in a context. Calls take numpy arrays, PyOpenCL
buffers or PyOpenCL arrays. Context.build() builds kernels of your own that use the objects, by PyOpenCL.

    import numpy as np, pyclade
    context = pyclade.Context()
    heap = pyclade.Heap(context, 1000, np.uint32)
    heap.insert([5, 3, 9])
    keys, _ = heap.pop(2)           # array([3, 5], dtype=uint32)

Failures are exceptions with the library's sentence: see pyclade.Error.
"""
from .adheap import AdHeap
from .arrays import Launch
from .context import Context, devices
from .hashmap import HashMap
from .heap import Heap
from .kma import Kma
from .kselect import KSelect
from .library import (ArgumentError, BuildError, BusyError, CorruptError, DeviceError, Error, FileError, FullError,
                      NoMemoryError, NotFoundError, Status, UnsupportedError, version)
from .lists import ArrayList, DList, OrderedList, SemiList, UnorderedList
from .paths import Graph, Paths
from .queue import Queue
from .rbtree import RBTree

__all__ = [
    "AdHeap", "ArgumentError", "ArrayList", "BuildError", "BusyError", "Context", "CorruptError", "DList",
    "DeviceError", "Error", "FileError", "FullError", "Graph", "HashMap", "Heap", "KSelect", "Kma", "Launch",
    "NoMemoryError", "NotFoundError", "OrderedList", "Paths", "Queue", "RBTree", "SemiList", "Status",
    "UnorderedList", "UnsupportedError", "devices", "version",
]
