# SPDX-License-Identifier: Apache-2.0
"""The first-in first-out queue (clade/queue.h)."""
from __future__ import annotations

import os
from typing import Optional

import numpy as np

from .arrays import Array, Call, Data, Launch, new, one
from .base import Container, Saved
from .context import Context
from .library import ffi


class Queue(Container, Saved):
    """A queue of 32-bit values that kernels append to and pop from at once."""

    _name = "queue"

    def __init__(self, context: Context, capacity: int) -> None:
        super().__init__(context, ffi.new("clade_queue_params *", {"capacity": capacity}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str") -> "Queue":
        """Make a queue from a file that save() wrote."""
        return cls._load(context, path)

    def append(self, values: Data, *, count: Optional[int] = None, statuses: Optional[Data] = None,
               launch: Optional[Launch] = None) -> Optional[Array]:
        """Append values in their order, as many as fit. Returns a status for each: OK or FULL."""
        call = Call(launch)
        v = call.read(values, np.uint32, "values")
        n = call.need(count)
        if statuses is None and call.host:
            statuses = new(n, np.int32)
        self._call("append", v, n, call.write(statuses, np.int32, "statuses"), call.launch())
        call.done()
        return statuses

    def pop(self, count: int) -> Array:
        """Pop the oldest values, `count` or fewer, the oldest first."""
        count = self._at_most(count)
        values, got = new(count, np.uint32), new(1, np.uint64)
        self.pop_into(values, got, count=count)
        return values[:int(got[0])]

    def pop_into(self, values: Data, got: Optional[Data], *, count: Optional[int] = None,
                 launch: Optional[Launch] = None) -> None:
        """Pop into an array or a buffer of yours; `got`, one uint64, receives how many there were."""
        call = Call(launch)
        v = call.write(values, np.uint32, "values")
        self._call("pop", v, call.need(count), one(got, np.uint64, "got"), call.launch())
        call.done()
