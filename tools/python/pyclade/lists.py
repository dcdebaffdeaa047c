# SPDX-License-Identifier: Apache-2.0
"""The lists: lock-free (clade/list.h), doubly linked (clade/dlist.h), semi-linked (clade/semilist.h), and the
growing array (clade/arraylist.h)."""
from __future__ import annotations

import os
from typing import Any, Optional, Tuple, TypeVar

import numpy as np

from .arrays import Array, Call, Data, DType, Launch, new, type_code
from .base import Container, Counted, Keyed, Object, Saved, on_host, require
from .context import Context
from .kma import Kma
from .library import ArgumentError, Status, ffi, lib


L = TypeVar("L", bound="_List")


def _kma(kma: Optional[Kma]) -> Any:
    return ffi.NULL if kma is None else kma.handle


class _List(Keyed):
    _name = "list"

    def __init__(self, context: Context, capacity: int, mode: int, key: DType, value: DType, kma: Optional[Kma],
                 walk: bool) -> None:
        self._kinds(key, value)
        super().__init__(context, ffi.new("clade_list_params *", {
            "capacity": capacity, "mode": mode, "key": type_code(key), "value": type_code(value),
            "find": lib.CLADE_LIST_WALK if walk else lib.CLADE_LIST_INDEXED, "kma": _kma(kma)}))

    def _known(self: L, key: DType, value: DType) -> L:
        self._kinds(key, value)
        bits = 0 if self.value is None else 8 * self.value.itemsize
        is_key = type_code(key) in (lib.CLADE_U32, lib.CLADE_U64)  # of another type they would have another order
        require(self._name, "keys of", key, is_key and self._option("KEY_BITS") == 8 * self.key.itemsize)
        require(self._name, "values of", value, self._option("VALUE_BITS") == bits)
        return self

    def erase(self, keys: Data, *, count: Optional[int] = None, statuses: Optional[Data] = None,
              launch: Optional[Launch] = None) -> Optional[Array]:
        """Erase keys. Returns a status for each: OK, NOT_FOUND or BUSY."""
        return self._keys_only("erase", keys, count, statuses, launch)

    def contains(self, keys: Data) -> Array:
        """Tell which keys are there: an array of bool. Keys lie in host memory."""
        return np.asarray(self._keys_only("contains", on_host(keys), None, None, None)) == Status.OK

    def reclaim(self, launch: Optional[Launch] = None) -> None:
        """Make the places of erased nodes free again. No kernel may use the list meanwhile."""
        call = Call(launch)
        self._call("reclaim", call.launch())
        call.done()

    def _keys_only(self, verb: str, keys: Data, count: Optional[int], statuses: Optional[Data],
                   launch: Optional[Launch]) -> Optional[Array]:
        call = Call(launch)
        k = call.read(keys, self.key, "keys")
        statuses, s = self._one(statuses, call, np.int32, "statuses")
        self._call(verb, k, call.need(count), s, call.launch())
        call.done()
        return statuses

    def _read(self) -> Tuple[Array, Array]:
        room = len(self)
        keys, values = new(room, self.key), new(room, np.uint32)
        got = ffi.new("uint64_t *")
        if room:
            self._call("read", ffi.cast("void *", keys.ctypes.data),
                       ffi.cast("uint32_t *", values.ctypes.data) if self.value is not None else ffi.NULL, ffi.NULL,
                       room, got)
        return keys, values


class OrderedList(_List):
    """Harris' lock-free list: an ordered set, or a map with 32-bit values.

    capacity: places for nodes, in the list or erased since the last reclaim
    key:      uint32 or uint64; value: any 32-bit type, or None
    kma:      nodes are blocks of this allocator; None: a pool of the list's own
    walk:     find keys by walking from the head, without shortcuts
    """

    def __init__(self, context: Context, capacity: int, key: DType = np.uint32, value: DType = None, *,
                 kma: Optional[Kma] = None, walk: bool = False) -> None:
        super().__init__(context, capacity, lib.CLADE_LIST_ORDERED, key, value, kma, walk)

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str", key: DType = np.uint32,
             value: DType = None) -> "OrderedList":
        """Make a list from a file that save() wrote, of a list with these types."""
        return cls._load(context, path)._known(key, value)

    def insert(self, keys: Data, values: Optional[Data] = None, *, count: Optional[int] = None,
               statuses: Optional[Data] = None, launch: Optional[Launch] = None) -> Optional[Array]:
        """Insert keys that are not there. Returns a status for each: OK, PRESENT, FULL or BUSY."""
        return self._in("insert", keys, values, count, statuses, launch)

    def put(self, keys: Data, values: Optional[Data] = None, *, count: Optional[int] = None,
            statuses: Optional[Data] = None, launch: Optional[Launch] = None) -> Optional[Array]:
        """Insert keys, and replace the values of those that are there. Else as insert()."""
        return self._in("put", keys, values, count, statuses, launch)

    def find(self, keys: Data, *, values: Optional[Data] = None, count: Optional[int] = None,
             statuses: Optional[Data] = None,
             launch: Optional[Launch] = None) -> Tuple[Optional[Array], Optional[Array]]:
        """Look keys up. Returns their values, and a status for each: OK or NOT_FOUND."""
        return self._out("find", keys, values, count, statuses, launch)

    def read(self) -> Tuple[Array, Optional[Array]]:
        """All keys, ascending, and their values (or None)."""
        keys, values = self._read()
        return keys, None if self.value is None else values.view(self.value)


class UnorderedList(_List):
    """A lock-free list of values in the order of their insertion points. Equal values cannot be told apart.

    capacity: places for nodes, in the list or erased since the last reclaim; value: uint32 or uint64
    """

    def __init__(self, context: Context, capacity: int, value: DType = np.uint32, *, kma: Optional[Kma] = None,
                 walk: bool = False) -> None:
        super().__init__(context, capacity, lib.CLADE_LIST_UNORDERED, value, None, kma, walk)

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str", value: DType = np.uint32) -> "UnorderedList":
        """Make a list from a file that save() wrote, of a list of this type."""
        return cls._load(context, path)._known(value, None)

    def insert_front(self, values: Data, *, count: Optional[int] = None, statuses: Optional[Data] = None,
                     launch: Optional[Launch] = None) -> Optional[Array]:
        """Insert values at the front, in their order: values[0] becomes the first. Returns a status for each."""
        return self._keys_only("insert_front", values, count, statuses, launch)

    def insert_after(self, targets: Data, values: Data, *, count: Optional[int] = None,
                     statuses: Optional[Data] = None, launch: Optional[Launch] = None) -> Optional[Array]:
        """Insert values[i] behind the value targets[i]. Returns a status for each."""
        call = Call(launch)
        t = call.read(targets, self.key, "targets")
        v = call.read(values, self.key, "values")
        statuses, s = self._one(statuses, call, np.int32, "statuses")
        self._call("insert_after", t, v, call.need(count), s, call.launch())
        call.done()
        return statuses

    def read(self) -> Array:
        """All values, from the front."""
        return self._read()[0]


class DList(Container, Counted, Saved):
    """A doubly linked list that kernels change at both sides of any node. A node is named by a ref; 0 is the end.

    capacity: places for nodes, in the list or erased since the last reclaim
    value:    type of the values in arrays of host calls
    """

    _name = "dlist"

    def __init__(self, context: Context, capacity: int, value: DType = np.uint32) -> None:
        self.value = np.dtype(value)
        super().__init__(context, ffi.new("clade_dlist_params *", {"capacity": capacity,
                                                                   "value": type_code(value)}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str", value: DType = np.uint32) -> "DList":
        """Make a list from a file that save() wrote, of a list of this type."""
        made = cls._load(context, path)
        made.value = np.dtype(value)
        require("list", "values of", value, lib.clade_dlist_params_of(made.handle).value == type_code(value))
        return made

    def _insert(self, verb: str, targets: Optional[Data], values: Data,
                launch: Optional[Launch]) -> Tuple[Array, Array]:
        call = Call(launch)
        t = () if targets is None else (call.read(targets, np.uint32, "targets"),)
        v = call.read(values, self.value, "values")
        n = call.need(None)
        nodes, statuses = new(n, np.uint32), new(n, np.int32)
        self._call(verb, *t, v, call.write(nodes, np.uint32, "nodes"), n, call.write(statuses, np.int32, "statuses"),
                   call.launch())
        call.done()
        return nodes, statuses

    def append(self, values: Data, launch: Optional[Launch] = None) -> Tuple[Array, Array]:
        """Append values at the end. Returns the refs of their nodes, and a status for each."""
        return self._insert("append", None, values, launch)

    def insert_after(self, targets: Data, values: Data,
                     launch: Optional[Launch] = None) -> Tuple[Array, Array]:
        """Insert values behind nodes; behind 0: at the front. Returns refs and statuses."""
        return self._insert("insert_after", targets, values, launch)

    def insert_before(self, targets: Data, values: Data,
                      launch: Optional[Launch] = None) -> Tuple[Array, Array]:
        """Insert values before nodes; before 0: at the end. Returns refs and statuses."""
        return self._insert("insert_before", targets, values, launch)

    def erase(self, targets: Data, launch: Optional[Launch] = None) -> Tuple[Array, Array]:
        """Erase nodes. Returns their values, and a status for each."""
        call = Call(launch)
        t = call.read(targets, np.uint32, "targets")
        n = call.need(None)
        values, statuses = new(n, self.value), new(n, np.int32)
        self._call("erase", t, call.write(values, self.value, "values"), n,
                   call.write(statuses, np.int32, "statuses"), call.launch())
        call.done()
        return values, statuses

    def read(self, *, backward: bool = False) -> Tuple[Array, Array]:
        """All values and the refs of their nodes, from the front or from the end."""
        room = len(self)
        values, nodes = new(room, self.value), new(room, np.uint32)
        got = ffi.new("uint64_t *")
        if room:
            self._call("read", int(backward), ffi.cast("void *", values.ctypes.data),
                       ffi.cast("uint32_t *", nodes.ctypes.data), room, got)
        return values, nodes

    def reclaim(self, launch: Optional[Launch] = None) -> None:
        """Make the places of erased nodes free again. No kernel may use the list meanwhile."""
        call = Call(launch)
        self._call("reclaim", call.launch())
        call.done()


class SemiList(Container, Counted, Saved):
    """A semi-linked list: nodes with a 32-bit key and value, appended in order and walked by many items at once.

    capacity: places for nodes, in the list or erased since the last reclaim
    kma:      nodes are blocks of this allocator; None: one of the list's own
    """

    _name = "semilist"

    def __init__(self, context: Context, capacity: int, *, kma: Optional[Kma] = None) -> None:
        super().__init__(context, ffi.new("clade_semilist_params *", {"capacity": capacity, "kma": _kma(kma)}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str") -> "SemiList":
        """Make a list from a file that save() wrote."""
        return cls._load(context, path)

    def append(self, keys: Data, values: Optional[Data] = None, launch: Optional[Launch] = None) -> Array:
        """Append nodes at the end, all or none. Returns their refs. FullError: there is no room."""
        call = Call(launch)
        k = call.read(keys, np.uint32, "keys")
        v = call.read(values, np.uint32, "values")
        nodes = new(call.need(None), np.uint32)
        self._call("append", k, v, call.write(nodes, np.uint32, "nodes"), nodes.size, call.launch())
        call.done()
        return nodes

    def _search(self, verb: str, keys: Data,
                launch: Optional[Launch]) -> Tuple[Array, Array, Array]:
        call = Call(launch)
        k = call.read(keys, np.uint32, "keys")
        n = call.need(None)
        values, nodes, statuses = new(n, np.uint32), new(n, np.uint32), new(n, np.int32)
        self._call(verb, k, call.write(values, np.uint32, "values"), call.write(nodes, np.uint32, "nodes"), n,
                   call.write(statuses, np.int32, "statuses"), call.launch())
        call.done()
        return values, nodes, statuses

    def find(self, keys: Data, launch: Optional[Launch] = None) -> Tuple[Array, Array, Array]:
        """The first node with each key. Returns values, refs, statuses: OK or NOT_FOUND."""
        return self._search("find", keys, launch)

    def erase(self, keys: Data, launch: Optional[Launch] = None) -> Tuple[Array, Array, Array]:
        """Erase a node with each key. Returns values, refs, statuses."""
        return self._search("erase", keys, launch)

    def erase_at(self, nodes: Data, launch: Optional[Launch] = None) -> Array:
        """Erase nodes. Returns a status for each."""
        call = Call(launch)
        r = call.read(nodes, np.uint32, "nodes")
        statuses = new(call.need(None), np.int32)
        self._call("erase_at", r, statuses.size, call.write(statuses, np.int32, "statuses"), call.launch())
        call.done()
        return statuses

    def read(self) -> Tuple[Array, Array, Array]:
        """All keys, values and refs, in the list's order."""
        room = len(self)
        arrays = [new(room, np.uint32) for _ in range(3)]
        got = ffi.new("uint64_t *")
        if room:
            self._call("read", *[ffi.cast("uint32_t *", a.ctypes.data) for a in arrays], room, got)
        return arrays[0], arrays[1], arrays[2]

    def reclaim(self, launch: Optional[Launch] = None) -> None:
        """Free the memory of erased nodes. No kernel may use the list meanwhile."""
        call = Call(launch)
        self._call("reclaim", call.launch())
        call.done()


class ArrayList(Container, Object):
    """An array that grows while kernels append to it; elements never move.

    capacity: the most elements; dtype: of an element, structured types too, in multiples of 4 bytes
    """

    _name = "arraylist"

    def __init__(self, context: Context, capacity: int, dtype: DType = np.uint32, *, first: int = 0,
                 kma: Optional[Kma] = None) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject or self.dtype.subdtype is not None:
            raise ArgumentError(Status.ARG, f"elements of {self.dtype} cannot be stored: they are objects, or arrays")
        super().__init__(context, ffi.new("clade_arraylist_params *", {
            "capacity": capacity, "element_bytes": self.dtype.itemsize, "first": first, "kma": _kma(kma)}))

    def append(self, elements: Data, *, count: Optional[int] = None, launch: Optional[Launch] = None) -> None:
        """Append elements, all or none. FullError: there is no room."""
        call = Call(launch)
        e = call.read(elements, self.dtype, "elements")
        self._call("append", e, call.need(count), call.launch())
        call.done()

    def read(self, first: int = 0, count: Optional[int] = None) -> Array:
        """Elements from `first` on, `count` of them or all."""
        n = len(self) - first if count is None else count
        elements = new(max(n, 0), self.dtype)
        if n > 0:
            self._call("read", first, Call().write(elements, self.dtype, "elements"), n, ffi.NULL)
        return elements
