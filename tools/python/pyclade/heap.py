# SPDX-License-Identifier: Apache-2.0
"""The priority queue (clade/heap.h)."""
from __future__ import annotations

import os
from typing import Any, Optional, Tuple

import numpy as np

from .arrays import ORDERS, Array, Call, Data, DType, Launch, new, one, type_code
from .base import Container, Counted, Saved
from .context import Context
from .library import NotFoundError, check, choice, ffi, lib

_ENGINES = {"auto": lib.CLADE_HEAP_AUTO, "top-down": lib.CLADE_HEAP_TOP_DOWN,
            "bottom-up": lib.CLADE_HEAP_BOTTOM_UP, "front": lib.CLADE_HEAP_FRONT}
_TYPES = {lib.CLADE_I32: np.int32, lib.CLADE_U32: np.uint32, lib.CLADE_F32: np.float32, lib.CLADE_I64: np.int64,
          lib.CLADE_U64: np.uint64, lib.CLADE_F64: np.float64}


class Heap(Container, Counted, Saved):
    """A priority queue that many work-groups use at once. Keys may repeat; any key but NaN is legal.

    capacity: keys that it can hold
    key:      numpy type of the keys; value: of the value that each key carries, or None
    order:    "min": smallest first, or "max"
    batch:    the most keys of one operation in a kernel; 0: what suits
    engine:   "auto", "top-down", "bottom-up" or "front"
    atomic_inserts: each batch that a kernel inserts is one atomic operation
    heaps:    so many heaps side by side, of `capacity` each; part() names one
    """

    _name = "heap"

    def __init__(self, context: Context, capacity: int, key: DType, value: DType = None, *, order: str = "min",
                 batch: int = 0, engine: str = "auto", atomic_inserts: bool = False, group_size: int = 0,
                 groups: int = 0, heaps: int = 1) -> None:
        self.key = np.dtype(key)
        self.value = None if value is None else np.dtype(value)
        super().__init__(context, ffi.new("clade_heap_params *", {
            "capacity": capacity, "key": type_code(key), "value": type_code(value),
            "order": choice(ORDERS, order, "order"), "batch": batch,
            "engine": choice(_ENGINES, engine, "engine"), "atomic_inserts": int(atomic_inserts),
            "group_size": group_size, "groups": groups, "heaps": heaps}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str") -> "Heap":
        """Make a heap from a file that save() wrote."""
        return cls._load(context, path)._learn()

    def _learn(self) -> "Heap":
        params = lib.clade_heap_params_of(self.handle)
        self.key = np.dtype(_TYPES[params.key])
        self.value = np.dtype(_TYPES[params.value]) if params.value else None
        return self

    def part(self, index: int) -> "Heap":
        """One heap of an object that holds many."""
        out = ffi.new("clade_heap **")
        check(lib.clade_heap_part(out, self.handle, index))
        made = Heap.__new__(Heap)
        made.context = self.context
        made._hold(out[0])
        return made._learn()

    def insert(self, keys: Data, values: Optional[Data] = None, *, count: Optional[int] = None,
               launch: Optional[Launch] = None) -> None:
        """Insert keys: all or none. FullError: there is no room. With buffers: give `count`."""
        call = Call(launch)
        k = call.read(keys, self.key, "keys")
        v = call.read(values, self.value, "values")
        self._call("insert", k, v, call.need(count), call.launch())
        call.done()

    def pop(self, count: int) -> Tuple[Array, Optional[Array]]:
        """Pop the first keys, `count` or fewer, the first one first. Returns them and their values (or None)."""
        count = self._at_most(count)
        keys = new(count, self.key)
        values = None if self.value is None else new(count, self.value)
        got = new(1, np.uint64)
        self.pop_into(keys, values, got, count=count)
        n = int(got[0])
        return keys[:n], None if values is None else values[:n]

    def pop_into(self, keys: Data, values: Optional[Data], got: Data, *, count: Optional[int] = None,
                 launch: Optional[Launch] = None) -> None:
        """Pop into arrays or buffers of yours; `got`, one uint64, receives how many keys there were."""
        call = Call(launch)
        k = call.write(keys, self.key, "keys")
        v = call.write(values, self.value, "values")
        g = one(got, np.uint64, "got")
        self._call("pop", k, v, call.need(count), g, call.launch())
        call.done()

    def peek(self) -> Optional[Tuple[Any, Any]]:
        """The first key and its value, without taking it; None when the heap is empty."""
        key = new(1, self.key)
        value = new(1, self.value if self.value is not None else np.uint64)
        try:
            self._call("peek", ffi.cast("void *", key.ctypes.data), ffi.cast("void *", value.ctypes.data))
        except NotFoundError:
            return None
        return key[0], value[0] if self.value is not None else None

    def repair(self) -> None:
        """Bring the keys back into order after a wait gave up. A sound heap is left alone."""
        self._call("repair")
