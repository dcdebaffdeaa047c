# SPDX-License-Identifier: Apache-2.0
"""What all structures share: life, files, statistics, and how a call is made."""
from __future__ import annotations

import os
import re
from typing import Any, Dict, Optional, Tuple, Type, TypeVar

import numpy as np

from .arrays import Array, Call, Data, DType, Launch, is_device, new, type_code, whole
from .context import Context
from .library import ArgumentError, Held, Status, bytes_of, check, ffi, lib, text

T = TypeVar("T", bound="Object")
K = TypeVar("K", bound="Keyed")


class Object(Held):
    """An object on a device. One thread uses it at a time.

    It is freed when Python forgets it, by close(), or at the end of a `with`. It keeps what it needs alive, so the
    order does not matter.
    """

    _name = ""  # clade_NAME_...

    def __init__(self, context: Context, params: Any) -> None:
        self.context = context
        out = ffi.new(f"clade_{self._name} **")
        check(self._function("create")(out, context.handle, params))
        self._hold(out[0])

    @classmethod
    def _function(cls, verb: str) -> Any:
        return getattr(lib, f"clade_{cls._name}_{verb}")

    def _call(self, verb: str, *arguments: Any) -> None:
        check(self._function(verb)(self.handle, *arguments))

    @property
    def handle(self) -> Any:
        """The C object; a closed one is refused with a sentence."""
        return self._held(self._name)

    def close(self) -> None:
        """Free the object."""
        handle = self._let_go()
        if handle is not None:
            self._function("destroy")(ffi.new(f"clade_{self._name} **", handle))

    def __del__(self) -> None:
        if ffi is not None:
            self.close()

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    @property
    def mem(self) -> Any:
        """The object's buffer as a pyopencl.Buffer: an argument for kernels of your own."""
        import pyopencl

        return pyopencl.Buffer.from_int_ptr(int(ffi.cast("intptr_t", self._function("mem")(self.handle))))

    @property
    def options(self) -> str:
        """Compiler options that make a program's include of the structure match this object."""
        name = f"clade_{self._name}_options"
        return text(getattr(lib, name)(self.handle)) if hasattr(lib, name) else ""


class Container(Object):
    """A structure with a size, which can be emptied and checked."""

    def __len__(self) -> int:
        size = ffi.new("uint64_t *")
        self._call("size", size)
        return int(size[0])

    def _at_most(self, count: int) -> int:
        """How many a pop can give: a great number means all there are, and memory is only asked for these."""
        few = 1 << 16  # less costs less than to ask
        return count if whole(count) <= few else min(whole(count), max(len(self), few))

    def clear(self, launch: Optional[Launch] = None) -> None:
        """Empty it."""
        call = Call(launch)
        self._call("clear", call.launch())
        call.done()

    def check(self) -> None:
        """Verify every invariant; CorruptError says which does not hold, and where."""
        self._call("check")


class Counted(Object):
    """A structure that keeps statistics."""

    def stats(self) -> Dict[str, int]:
        """The statistics, with the names of the C header."""
        made = ffi.new(f"clade_{self._name}_stats *")
        self._call("stats_read", made)
        fields = ffi.typeof(f"clade_{self._name}_stats").fields
        return {f: int(getattr(made, f)) for f, kind in fields if kind.type.kind == "primitive"}


class Saved(Object):
    """A structure that can be written to a file and read again, on any device."""

    def save(self, path: "os.PathLike[str] | str") -> None:
        """Write the object to a file, which appears whole or not at all."""
        self._call("save", bytes_of(path, "the path"))

    @classmethod
    def _load(cls: Type[T], context: Context, path: "os.PathLike[str] | str") -> T:
        out = ffi.new(f"clade_{cls._name} **")
        check(cls._function("load")(out, context.handle, bytes_of(path, "the path")))
        made = cls.__new__(cls)
        made.context = context
        made._hold(out[0])
        return made


def require(name: str, what: str, wanted: Any, is_so: bool) -> None:
    """What a file turned out to hold, against what the caller says of it: arrays are made by what the caller says."""
    if not is_so:
        raise ArgumentError(Status.ARG, f"the file's {name} is no {name} with {what} {wanted}")


def on_host(keys: Data) -> Data:
    """Keys whose answers come back as an array: where they lie in a buffer no answers would be asked for."""
    if is_device(keys):
        raise ArgumentError(Status.ARG, "keys lie in a buffer: this call takes arrays in host memory")
    return keys


class Keyed(Container, Counted, Saved):
    """Calls that the hash map, the tree and the ordered list share: keys, values, and a status for each."""

    key: "np.dtype[Any]"
    value: "Optional[np.dtype[Any]]"

    def _one(self, data: Optional[Data], call: Call, dtype: DType, name: str) -> Tuple[Any, Any]:
        """An output, and the array for it: what the caller gave, or new host memory in a call over host arrays."""
        if data is None and call.host and call.count is not None and dtype is not None:
            data = new(call.count, dtype)
        return data, call.write(data, dtype, name)

    def _in(self, verb: str, keys: Data, values: Optional[Data], count: Optional[int], statuses: Optional[Data],
            launch: Optional[Launch], *more: Any) -> Optional[Array]:
        """insert, put, update: keys and values go in, statuses come out."""
        call = Call(launch)
        k = call.read(keys, self.key, "keys")
        v = call.read(values, self.value, "values")
        statuses, s = self._one(statuses, call, np.int32, "statuses")
        self._call(verb, k, v, *more, call.need(count), s, call.launch())
        call.done()
        return statuses

    def _out(self, verb: str, keys: Data, values: Optional[Data], count: Optional[int], statuses: Optional[Data],
             launch: Optional[Launch]) -> Tuple[Optional[Array], Optional[Array]]:
        """find, erase: keys go in, values and statuses come out."""
        call = Call(launch)
        k = call.read(keys, self.key, "keys")
        values, v = self._one(values, call, self.value, "values")
        statuses, s = self._one(statuses, call, np.int32, "statuses")
        self._call(verb, k, v, call.need(count), s, call.launch())
        call.done()
        return values, statuses

    def _kinds(self, key: DType, value: DType) -> None:
        self.key = np.dtype(key)
        self.value = None if value is None else np.dtype(value)

    def _option(self, name: str) -> int:
        """What the object's options define as CLADE_..._`name`."""
        found = re.search(rf"-DCLADE_[A-Z]+_{name}=(\d+)", self.options)
        return int(found.group(1)) if found else -1

    def _known(self: K, key: DType, value: DType) -> K:
        """Of an object from a file: these are its types."""
        self._kinds(key, value)
        require(self._name, "keys of", key, self._option("KEY_TYPE") == type_code(key))
        require(self._name, "values of", value, self._option("VALUE_TYPE") == type_code(value))
        return self


class Mapping(Keyed):
    """What the hash map and the tree share."""

    def insert(self, keys: Data, values: Optional[Data] = None, *, count: Optional[int] = None,
               statuses: Optional[Data] = None, launch: Optional[Launch] = None) -> Optional[Array]:
        """Insert keys that are not there. Returns a status for each: OK, PRESENT, FULL or BUSY.

        With buffers: give `count`; statuses go to the buffer `statuses`, if there is one.
        """
        return self._in("insert", keys, values, count, statuses, launch)

    def put(self, keys: Data, values: Optional[Data] = None, *, count: Optional[int] = None,
            statuses: Optional[Data] = None, launch: Optional[Launch] = None) -> Optional[Array]:
        """Insert keys, and replace the values of those that are there. Else as insert()."""
        return self._in("put", keys, values, count, statuses, launch)

    def erase(self, keys: Data, *, values: Optional[Data] = None, count: Optional[int] = None,
              statuses: Optional[Data] = None,
              launch: Optional[Launch] = None) -> Tuple[Optional[Array], Optional[Array]]:
        """Erase keys. Returns their values (None in a set), and a status for each: OK, NOT_FOUND or BUSY."""
        return self._out("erase", keys, values, count, statuses, launch)

    def find(self, keys: Data, *, values: Optional[Data] = None, count: Optional[int] = None,
             statuses: Optional[Data] = None,
             launch: Optional[Launch] = None) -> Tuple[Optional[Array], Optional[Array]]:
        """Look keys up. Returns their values (None in a set), and a status for each: OK or NOT_FOUND."""
        return self._out("find", keys, values, count, statuses, launch)

    def contains(self, keys: Data) -> Array:
        """Tell which keys are there: an array of bool. Keys lie in host memory."""
        _, statuses = self.find(on_host(keys))
        return np.asarray(statuses) == Status.OK

    def read(self) -> Tuple[Array, Optional[Array]]:
        """All keys and values: of a tree in ascending order, of a hash map in none."""
        room = len(self)
        keys = new(room, self.key)
        values = None if self.value is None else new(room, self.value)
        call = Call()
        got = ffi.new("uint64_t *")
        if room:
            self._call("read", call.write(keys, self.key, "keys"), call.write(values, self.value, "values"), room,
                       got, ffi.NULL)
        return keys, values
