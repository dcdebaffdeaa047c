# SPDX-License-Identifier: Apache-2.0
"""The allocator in kernels (clade/kma.h)."""
from __future__ import annotations

import os
from typing import Dict, Optional

import numpy as np

from .arrays import Array, Call, Data, Launch, exact, new
from .base import Counted, Saved
from .context import Context
from .library import ArgumentError, Status, ffi, lib


class Kma(Counted, Saved):
    """An allocator: kernels take blocks from it and give them back. A block is named by a ref; 0 is no block.

    bytes: of device memory in all; most: what grow() may give it; debug: find misuse, which is slower
    """

    _name = "kma"

    def __init__(self, context: Context, bytes: int, *, most: int = 0, debug: bool = False,
                 bare: bool = False) -> None:
        super().__init__(context, ffi.new("clade_kma_params *", {"bytes": bytes, "most": most, "debug": int(debug),
                                                                 "bare": int(bare)}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str") -> "Kma":
        """Make an allocator from a file that save() wrote. Refs stay valid."""
        return cls._load(context, path)

    def malloc(self, sizes: "Data | int", count: Optional[int] = None, *, refs: Optional[Data] = None,
               launch: Optional[Launch] = None) -> Optional[Array]:
        """Allocate blocks: one for each size in bytes, or `count` of one size. Returns refs, 0 where there was no
        room. With buffers: give `count` and `refs`."""
        call = Call(launch)
        if isinstance(sizes, (int, np.integer)):
            if count is None:
                raise ArgumentError(Status.ARG, "of one size, say how many blocks: give count")
            array, each, call.count = call.read(None, None, "sizes"), int(sizes), count
        else:
            array, each = call.read(sizes, np.uint64, "sizes"), 0
        n = call.need(count)
        if refs is None and call.host:
            refs = new(n, np.uint32)
        self._call("malloc", array, each, call.write(refs, np.uint32, "refs"), n, call.launch())
        call.done()
        return refs

    def free(self, refs: Data, *, count: Optional[int] = None, launch: Optional[Launch] = None) -> None:
        """Free blocks. A ref of 0 does nothing."""
        call = Call(launch)
        r = call.read(refs, np.uint32, "refs")
        self._call("free", r, call.need(count), call.launch())
        call.done()

    def clear(self, launch: Optional[Launch] = None) -> None:
        """Free all blocks at once."""
        call = Call(launch)
        self._call("clear", call.launch())
        call.done()

    def grow(self, bytes: int, launch: Optional[Launch] = None) -> None:
        """Give the allocator a larger buffer. Refs stay valid; `mem` is another buffer afterwards."""
        call = Call(launch)
        self._call("grow", bytes, call.launch())
        call.done()

    def check(self, live: Optional[Array] = None) -> None:
        """Verify every invariant; with `live`, that just those blocks are allocated."""
        if live is None:
            self._call("check", ffi.NULL, 0)
            return
        refs = exact(live, np.uint32, "live")
        self._call("check", ffi.cast("uint32_t *", refs.ctypes.data), refs.size)

    def fault(self) -> Dict[str, int]:
        """The first misuse that debug mode met since the last call; its kind is 0 when there was none."""
        made = ffi.new("clade_kma_fault *")
        self._call("fault_read", made)
        return {"kind": int(made.kind), "ref": int(made.ref), "item": int(made.item)}
