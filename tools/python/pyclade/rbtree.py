# SPDX-License-Identifier: Apache-2.0
"""The red-black tree (clade/rbtree.h)."""
from __future__ import annotations

import os
from typing import Optional, Tuple

import numpy as np

from .arrays import Array, Call, Data, DType, Launch, new, type_code
from .base import Mapping
from .context import Context
from .library import choice, ffi, lib

_SEEKS = {"lower": lib.CLADE_RBTREE_LOWER, "next": lib.CLADE_RBTREE_NEXT, "floor": lib.CLADE_RBTREE_FLOOR,
          "prev": lib.CLADE_RBTREE_PREV}
_PATHS = {"auto": lib.CLADE_RBTREE_AUTO, "concurrent": lib.CLADE_RBTREE_CONCURRENT,
          "groups": lib.CLADE_RBTREE_GROUPS, "bulk": lib.CLADE_RBTREE_BULK}


class RBTree(Mapping):
    """An ordered map, or a set, that kernels change and search at once.

    capacity:      keys that it can hold
    key:           numpy type of the keys: 32- or 64-bit integers; value: of the values; None makes a set
    leaf_capacity: the most keys of a leaf, 1 .. 30; 0: as many as fill 128 bytes
    path:          how calls over arrays work: "auto", "concurrent", "groups" or "bulk"
    ranked:        kernels can ask for ranks, and rank() and select() take no longer in a larger tree
    """

    _name = "rbtree"

    def __init__(self, context: Context, capacity: int, key: DType, value: DType = None, *, leaf_capacity: int = 0,
                 path: str = "auto", group_size: int = 0, ranked: bool = False) -> None:
        self._kinds(key, value)
        super().__init__(context, ffi.new("clade_rbtree_params *", {
            "capacity": capacity, "key": type_code(key), "value": type_code(value),
            "leaf_capacity": leaf_capacity, "path": choice(_PATHS, path, "path"), "group_size": group_size,
            "ranked": int(ranked)}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str", key: DType, value: DType = None) -> "RBTree":
        """Make a tree from a file that save() wrote, of a tree with these types."""
        return cls._load(context, path)._known(key, value)

    def seek(self, keys: Data, what: str = "lower") -> Tuple[Array, Optional[Array], Array]:
        """The nearest key to each: "lower": the first that is not less, "next": the first that is greater,
        "floor": the last that is not greater, "prev": the last that is less. Returns keys, values, statuses."""
        call = Call()
        k = call.read(keys, self.key, "keys")
        found, f = self._one(None, call, self.key, "found")
        values, v = self._one(None, call, self.value, "values")
        statuses, s = self._one(None, call, np.int32, "statuses")
        self._call("seek", k, choice(_SEEKS, what, "what"), f, v, call.need(None), s, ffi.NULL)
        return found, values, statuses

    def range(self, lows: Data, highs: Data, limit: int, *,
              down: bool = False) -> Tuple[Array, Optional[Array], Array]:
        """Entries from lows[i] to highs[i], both included, ascending or `down`, at most `limit` of each query.

        Returns keys and values with a row of `limit` for each query, and how many entries each row has.
        """
        call = Call()
        low = call.read(lows, self.key, "lows")
        high = call.read(highs, self.key, "highs")
        n = call.need(None)
        keys = new(n * limit, self.key)
        values = None if self.value is None else new(n * limit, self.value)
        counts = new(n, np.uint32)
        self._call("range_down" if down else "range", low, high, limit, Call().write(keys, self.key, "keys"),
                   Call().write(values, self.value, "values"), call.write(counts, np.uint32, "counts"), n, ffi.NULL)
        return keys.reshape(n, limit), None if values is None else values.reshape(n, limit), counts

    def rank(self, keys: Data) -> Array:
        """How many keys of the tree are below each."""
        call = Call()
        k = call.read(keys, self.key, "keys")
        ranks, r = self._one(None, call, np.uint32, "ranks")
        self._call("rank", k, r, call.need(None), ffi.NULL)
        return np.asarray(ranks)

    def select(self, ranks: Data) -> Tuple[Array, Optional[Array], Array]:
        """The keys of such ranks, from 0. Returns keys, values, statuses: OK or NOT_FOUND."""
        call = Call()
        r = call.read(ranks, np.uint32, "ranks")
        keys, k = self._one(None, call, self.key, "keys")
        values, v = self._one(None, call, self.value, "values")
        statuses, s = self._one(None, call, np.int32, "statuses")
        self._call("select", r, k, v, call.need(None), s, ffi.NULL)
        return keys, values, statuses

    def build(self, keys: Data, values: Optional[Data] = None, *, is_sorted: bool = False,
              count: Optional[int] = None, launch: Optional[Launch] = None) -> None:
        """Replace all that is inside by these keys."""
        call = Call(launch)
        k = call.read(keys, self.key, "keys")
        v = call.read(values, self.value, "values")
        self._call("build", k, v, int(is_sorted), call.need(count), call.launch())
        call.done()

    def reclaim(self, launch: Optional[Launch] = None) -> None:
        """Make the places of removed nodes free again. No kernel may use the tree meanwhile."""
        call = Call(launch)
        self._call("reclaim", call.launch())
        call.done()
