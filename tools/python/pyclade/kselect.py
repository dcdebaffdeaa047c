# SPDX-License-Identifier: Apache-2.0
"""k-selection: the first k keys of each row (clade/kselect.h)."""
from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from .arrays import ORDERS, Array, Call, Data, DType, Launch, exact, new, type_code
from .base import Object
from .context import Context
from .library import ArgumentError, Status, choice, ffi, lib

_OUTPUTS = {"any": lib.CLADE_KSELECT_ANY, "sorted": lib.CLADE_KSELECT_SORTED, "heap": lib.CLADE_KSELECT_HEAP}
_METHODS = {"auto": lib.CLADE_KSELECT_AUTO, "row": lib.CLADE_KSELECT_ROW, "shared": lib.CLADE_KSELECT_SHARED,
            "scan": lib.CLADE_KSELECT_SCAN, "first": lib.CLADE_KSELECT_FIRST}
_TIES = {"any": lib.CLADE_KSELECT_TIES_ANY, "lowest": lib.CLADE_KSELECT_TIES_LOWEST}


class KSelect(Object):
    """A selector for rows of one length.

    length, k: keys of a row, and how many of them are wanted
    key:       numpy type of the keys: 32 or 64 bits, or float16
    order:     "min": the smallest, or "max"
    output:    "any" order, "sorted", or a d-ary "heap"
    indices:   tell also where in its row each key was
    ties:      of equal keys "any" are taken, or those with the "lowest" indices
    """

    _name = "kselect"

    def __init__(self, context: Context, length: int, k: int, key: DType = np.float32, *, order: str = "min",
                 output: str = "any", indices: bool = False, ties: str = "any", method: str = "auto") -> None:
        self.length, self.k, self.key, self.indices = length, k, np.dtype(key), indices
        super().__init__(context, ffi.new("clade_kselect_params *", {
            "length": length, "k": k, "key": type_code(key), "output": choice(_OUTPUTS, output, "output"),
            "order": choice(ORDERS, order, "order"), "indices": int(indices),
            "method": choice(_METHODS, method, "method"),
            "ties": choice(_TIES, ties, "ties")}))

    def run(self, keys: Data, *, out: Optional[Data] = None, indices: Optional[Data] = None,
            rows: Optional[int] = None,
            launch: Optional[Launch] = None) -> Tuple[Optional[Data], Optional[Data]]:
        """Select from rows of keys. Returns the keys, k a row, and their indices (or None).

        With buffers: give `rows`, `out`, and `indices` if they are asked for.
        """
        call = Call(launch)
        array = call.read(keys, self.key, "keys", self.length)
        n = call.need(rows)
        if not call.host and out is None:
            raise ArgumentError(Status.ARG, "keys lie in a buffer: give one for the results, too")
        fresh = out is None
        if fresh and indices is not None:
            raise ArgumentError(Status.ARG, "indices are given without out: both are, or both are made")
        if fresh:
            out = new(n * self.k, self.key)
            indices = new(n * self.k, np.uint32) if self.indices else None
        self._call("run", array, call.write(out, self.key, "out", self.k),
                   call.write(indices, np.uint32, "indices", self.k), n, call.launch())
        call.done()
        if fresh:
            out = np.asarray(out).reshape(n, self.k)
            indices = None if indices is None else np.asarray(indices).reshape(n, self.k)
        return out, indices

    def run_each(self, keys: Data, offsets: Data,
                 ks: Optional[Data] = None) -> Tuple[Array, Optional[Array], Array]:
        """Select from rows of differing length: row r has keys[offsets[r]] .. keys[offsets[r + 1] - 1].

        ks: how many results each row has at most; None: k each. Both lie in host memory. Returns a row of k keys for
        each, their indices (or None), and how many results each row has.
        """
        call, all_keys = Call(), Call()
        starts = exact(offsets, np.uint64, "offsets")
        if starts.size == 0:
            raise ArgumentError(Status.ARG, "offsets has 0 elements; of n rows there are n + 1")
        wanted = None if ks is None else exact(ks, np.uint32, "ks")
        o = call.read(starts, np.uint64, "offsets")
        n = call.need(None) - 1
        call.count = n
        k = call.read(wanted, np.uint32, "ks")
        all_keys.count = int(starts[-1])  # they do not descend, or the library refuses them
        out = new(n * self.k, self.key)
        indices = new(n * self.k, np.uint32) if self.indices else None
        self._call("run_each", all_keys.read(keys, self.key, "keys"), o, k, Call().write(out, self.key, "out"),
                   Call().write(indices, np.uint32, "indices"), n, lib.clade_array_of_nothing(), ffi.NULL)
        lengths = np.diff(starts.astype(np.int64))
        counts = np.minimum(lengths, self.k if wanted is None else wanted.astype(np.int64).ravel()[:n])
        shape = (n, self.k)
        return out.reshape(shape), None if indices is None else indices.reshape(shape), counts
