# SPDX-License-Identifier: Apache-2.0
"""Graphs and shortest paths (clade/graph.h, clade/paths.h)."""
from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from .arrays import Array, Call, Data, Launch, is_device, new
from .base import Counted, Object
from .context import Context
from .library import ArgumentError, NotFoundError, Status, check, ffi, lib

NONE = 0xFFFFFFFF  # as a predecessor: there is none


class Graph(Object):
    """A graph on the device, as compressed rows, checked once. Arcs have a direction.

    offsets: nodes + 1 uint32; the arcs of node u are offsets[u] .. offsets[u + 1] - 1
    targets: a uint32 for each arc: where it leads
    weights: a uint32 or float32 for each arc, none negative; None: each is 1
    """

    _name = "graph"

    def __init__(self, context: Context, offsets: Any, targets: Any, weights: Any = None) -> None:
        call, arcs = Call(), Call()
        params = ffi.new("clade_graph_params *")
        params.offsets = call.read(offsets, np.uint32, "offsets")
        if call.need(None) == 0:
            raise ArgumentError(Status.ARG, "offsets has 0 elements; of n nodes there are n + 1")
        params.nodes = call.need(None) - 1
        params.targets = arcs.read(targets, np.uint32, "targets")
        params.arcs = arcs.need(None)
        self.nodes, self.arcs = int(params.nodes), int(params.arcs)
        self.weight: "np.dtype[Any]" = np.dtype(np.uint32)
        if weights is not None:
            if not is_device(weights):
                weights = np.asarray(weights)
            elif not hasattr(weights, "dtype"):
                raise ArgumentError(Status.ARG, "a buffer does not say what type the weights have: give an array")
            if np.dtype(weights.dtype).kind == "f":
                self.weight = np.dtype(np.float32)
            params.weights = arcs.read(weights, self.weight, "weights")
            params.weight_type = lib.CLADE_PATHS_F32 if self.weight == np.float32 else lib.CLADE_PATHS_U32
        super().__init__(context, params)


class Paths(Counted):
    """A path finder: shortest paths on a graph, one search after the other.

    wide:  lengths are uint64, for sums that 32 bits do not hold
    slots: searches at the same time, in table() and in kernels of your own
    """

    _name = "paths"

    def __init__(self, graph: Graph, *, wide: bool = False, slots: int = 0) -> None:
        self.graph = graph
        self.length = np.dtype(np.uint64) if wide else graph.weight
        self.context = graph.context
        out = ffi.new("clade_paths **")
        check(lib.clade_paths_create(out, graph.handle, ffi.new("clade_paths_params *", {
            "wide": int(wide), "slots": slots})))
        self._hold(out[0])

    def run(self, sources: Data, *, targets: Optional[Data] = None, bounds: Optional[Data] = None,
            cutoff: "float | int" = 0, launch: Optional[Launch] = None) -> None:
        """Search from one source or several. The result stays until the next search.

        targets: end when these are reached; None: reach all
        bounds:  A*: a length for each node, what is at least left of the way to any target
        cutoff:  longer paths are not found; 0: none is too long
        FullError: some length does not fit (see `wide`); the others are exact.
        """
        call, other, third = Call(launch), Call(), Call()
        query = ffi.new("clade_paths_query *")
        query.sources = call.read(np.atleast_1d(sources) if np.isscalar(sources) else sources, np.uint32, "sources")
        query.source_count = call.need(None)
        if targets is not None:
            query.targets = other.read(np.atleast_1d(targets) if np.isscalar(targets) else targets, np.uint32,
                                       "targets")
            query.target_count = other.need(None)
        if bounds is not None:
            third.count = self.graph.nodes
            query.bounds = third.read(bounds, self.length, "bounds")
        is_float = self.graph.weight == np.float32
        if cutoff != 0 and (np.float32(cutoff) == 0 if is_float else int(cutoff) != cutoff):
            raise ArgumentError(Status.ARG, f"cutoff is {cutoff!r}, and lengths are of {self.length}")
        if is_float:
            query.cutoff_float = cutoff
        else:
            query.cutoff = int(cutoff)
        self._call("run", query, call.launch())
        call.done()

    def lengths(self) -> Array:
        """A length for each node; where nothing was reached: all bits 1, as a float NaN."""
        made = new(self.graph.nodes, self.length)
        self._call("read", Call().write(made, self.length, "lengths"), lib.clade_array_of_nothing(), ffi.NULL)
        return made

    def predecessors(self) -> Array:
        """The node before each on a shortest path; NONE for sources and where nothing was reached."""
        made = new(self.graph.nodes, np.uint32)
        self._call("read", lib.clade_array_of_nothing(), Call().write(made, np.uint32, "predecessors"), ffi.NULL)
        return made

    def trace(self, node: int) -> Optional[Array]:
        """The nodes of a shortest path from a source to `node`, both included; None: it was not reached."""
        got = ffi.new("uint64_t *")
        try:
            self._call("trace", node, ffi.NULL, 0, got)
        except NotFoundError:
            return None
        nodes = new(int(got[0]), np.uint32)
        self._call("trace", node, ffi.cast("uint32_t *", nodes.ctypes.data), nodes.size, got)
        return nodes

    def table(self, sources: Data, launch: Optional[Launch] = None) -> Array:
        """Search from many sources, each by itself. Returns a row of lengths for each."""
        call = Call(launch)
        s = call.read(sources, np.uint32, "sources")
        n = call.need(None)
        made = new(n * self.graph.nodes, self.length)
        self._call("table", s, call.write(made, self.length, "lengths", self.graph.nodes), n, call.launch())
        call.done()
        return made.reshape(n, self.graph.nodes)

    def stats(self) -> Dict[str, int]:
        """What the last search did."""
        return super().stats()
