# SPDX-License-Identifier: Apache-2.0
"""The ad-heap: many d-ary heaps, or k-sets, one for each work-group (clade/adheap.h)."""
from __future__ import annotations

import os
from typing import Optional, Tuple

import numpy as np

from .arrays import ORDERS, Array, Call, Data, DType, Launch, new, type_code
from .base import Container, Counted, Saved, require
from .context import Context
from .library import choice, ffi, lib


class AdHeap(Container, Counted, Saved):
    """Many d-ary heaps side by side, after Liu and Vinter. Arrays have a row for each heap.

    heaps, capacity: how many heaps, and keys that each can hold
    key:   numpy type of the keys; values: each key carries a uint32
    order: "min" or "max"; arity: children of a node, 8 to 64; 0: what suits
    keep:  each heap is a k-set, which keeps the first `capacity` keys of all that feed() offers
    """

    _name = "adheap"

    def __init__(self, context: Context, heaps: int, capacity: int, key: DType, *, values: bool = False,
                 order: str = "min", arity: int = 0, keep: bool = False, count: bool = False) -> None:
        self.heaps, self.key, self.values = heaps, np.dtype(key), values
        super().__init__(context, ffi.new("clade_adheap_params *", {
            "heaps": heaps, "capacity": capacity, "key": type_code(key), "values": int(values), "arity": arity,
            "order": choice(ORDERS, order, "order"), "keep": int(keep), "count": int(count)}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str", heaps: int, key: DType,
             values: bool = False) -> "AdHeap":
        """Make an object from a file that save() wrote, of one with these types."""
        made = cls._load(context, path)
        made.heaps, made.key, made.values = heaps, np.dtype(key), values
        has = made.options.split()
        require("ad-heap", "keys of", key, f"-DCLADE_ADHEAP_KEY={type_code(key)}" in has)
        require("ad-heap", "values:", values, f"-DCLADE_ADHEAP_VALUES={int(values)}" in has)
        require("ad-heap", "so many heaps:", heaps, made.stats()["heaps"] == heaps)
        return made

    def __len__(self) -> int:
        return int(self.sizes().sum())

    def sizes(self) -> Array:
        """How many keys each heap has."""
        sizes = new(self.heaps, np.uint32)
        self._call("sizes", Call().write(sizes, np.uint32, "sizes"), ffi.NULL)
        return sizes

    def _put(self, verb: str, keys: Data, values: Optional[Data], with_statuses: bool,
             launch: Optional[Launch], *more: int) -> Optional[Array]:
        call = Call(launch)
        k = call.read(keys, self.key, "keys", self.heaps)
        v = call.read(values, np.uint32, "values", self.heaps)
        each = call.need(None)
        statuses = new(self.heaps * each, np.int32)
        s = (Call().write(statuses, np.int32, "statuses"),) if with_statuses else ()
        self._call(verb, k, v, *more, each, *s, call.launch())
        call.done()
        return statuses.reshape(self.heaps, each) if with_statuses else None

    def insert(self, keys: Data, values: Optional[Data] = None, launch: Optional[Launch] = None) -> Array:
        """Insert a row of keys into each heap. Returns a status for each key: OK or FULL."""
        return np.asarray(self._put("insert", keys, values, True, launch))

    def build(self, keys: Data, values: Optional[Data] = None, launch: Optional[Launch] = None) -> None:
        """Replace what is in each heap by a row of keys."""
        self._put("build", keys, values, False, launch)

    def feed(self, keys: Data, values: Optional[Data] = None, *, first_value: int = 0,
             launch: Optional[Launch] = None) -> None:
        """Offer a row of keys to each heap: a k-set keeps the first ones of all that it was offered."""
        self._put("feed", keys, values, False, launch, first_value)

    def _take(self, verb: str, each: int) -> Tuple[Array, Optional[Array], Array]:
        n = self.heaps * each
        keys, statuses = new(n, self.key), new(n, np.int32)
        values = new(n, np.uint32) if self.values else None
        call = Call()
        arrays = [call.write(keys, self.key, "keys"), call.write(values, np.uint32, "values")]
        s = call.write(statuses, np.int32, "statuses")
        self._call(verb, *arrays, *([each] if verb == "pop" else []), s, ffi.NULL)
        shape = (self.heaps, each)
        return keys.reshape(shape), None if values is None else values.reshape(shape), statuses.reshape(shape)

    def pop(self, each: int = 1) -> Tuple[Array, Optional[Array], Array]:
        """Pop the root of each heap, `each` times. Returns keys, values, statuses: OK or NOT_FOUND."""
        return self._take("pop", each)

    def peek(self) -> Tuple[Array, Optional[Array], Array]:
        """The root of each heap. Returns keys, values, statuses."""
        return self._take("peek", 1)
