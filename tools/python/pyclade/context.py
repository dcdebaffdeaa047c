# SPDX-License-Identifier: Apache-2.0
"""Contexts: a device, with what it can do, and programs for it."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence

from .arrays import handle
from .library import ArgumentError, Held, Status, brought_kernels, bytes_of, check, ffi, lib, text


def devices() -> List[Dict[str, str]]:
    """All OpenCL devices, usable or not: what names them ("P:D"), their platform, name and driver."""
    found = ffi.new("clade_device_list *")
    check(lib.clade_device_list_create(found))
    try:
        return [
            {
                "id": f"{d.platform_index}:{d.device_index}",
                "platform": text(d.platform),
                "name": text(d.name),
                "version": text(d.device_version),
                "driver": text(d.driver_version),
            }
            for d in (found.devices[i] for i in range(found.device_count))
        ]
    finally:
        lib.clade_device_list_free(found)


class Context(Held):
    """One OpenCL device. Every object lives in a context.

    device: "gpu", "cpu", "P:D" as devices() names them, or a part of a name; None: $CLADE_DEVICE, else the first
            usable GPU, else the first usable CPU
    queue:  or a pyopencl.CommandQueue, in-order: clade then works in its context, on its device, in this queue
    cache_dir, archive, build_options: as clade/context.h says

    Several threads may use a context, each with objects of its own. Objects keep their context alive.
    """

    def __init__(self, device: Optional[str] = None, *, queue: Any = None, cache_dir: Optional[str] = None,
                 archive: Optional[str] = None, build_options: Optional[str] = None,
                 kernel_path: Optional[str] = None) -> None:
        params = ffi.new("clade_context_params *")
        kept = []

        def string(value: Optional[str], name: str) -> Any:
            if value is None:
                return ffi.NULL
            kept.append(ffi.new("char[]", bytes_of(value, name)))
            return kept[-1]

        if queue is not None:
            if device is not None:
                raise ArgumentError(Status.ARG, "give a device or a queue, not both")
            params.cl_context = handle(queue.context, "struct _cl_context *")
            params.cl_device = handle(queue.device, "cl_device_id")
            params.cl_queue = handle(queue, "cl_command_queue")
        params.device = string(device, "device")
        params.kernel_path = string(kernel_path if kernel_path is not None else self._kernels(), "kernel_path")
        params.cache_dir = string(cache_dir, "cache_dir")
        params.archive = string(archive, "archive")
        params.build_options = string(build_options, "build_options")
        out = ffi.new("clade_context **")
        check(lib.clade_context_create(out, params))
        self._hold(out[0])

    @staticmethod
    def _kernels() -> Optional[str]:
        return None if os.environ.get("CLADE_KERNEL_PATH") else brought_kernels()

    def close(self) -> None:
        """Let go of the context. It lives until the last object in it is closed."""
        handle = self._let_go()
        if handle is not None:
            lib.clade_context_destroy(ffi.new("clade_context **", handle))

    def __del__(self) -> None:
        if ffi is not None:
            self.close()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    @property
    def handle(self) -> Any:
        """The clade_context; NULL is refused with a sentence."""
        return self._held("context")

    @property
    def caps(self) -> Dict[str, int]:
        """What the device can do, as clade_caps in clade/context.h names it."""
        caps = lib.clade_context_caps(self.handle)
        return {f: int(getattr(caps, f)) for f, _ in ffi.typeof("clade_caps").fields if f != "reserved"}

    @property
    def cl_context(self) -> Any:
        """The pyopencl.Context, for buffers and programs of your own."""
        import pyopencl

        return pyopencl.Context.from_int_ptr(int(ffi.cast("intptr_t", lib.clade_context_cl_context(self.handle))))

    @property
    def cl_device(self) -> Any:
        """The pyopencl.Device."""
        import pyopencl

        return pyopencl.Device.from_int_ptr(int(ffi.cast("intptr_t", lib.clade_context_cl_device(self.handle))))

    @property
    def cl_queue(self) -> Any:
        """The pyopencl.CommandQueue in which calls without a launch do their work."""
        import pyopencl

        address = int(ffi.cast("intptr_t", lib.clade_context_cl_queue(self.handle)))
        return pyopencl.CommandQueue.from_int_ptr(address)

    @property
    def options(self) -> str:
        """The compiler options with which clade builds programs for this device."""
        return text(lib.clade_context_options(self.handle))

    def finish(self) -> None:
        """Wait until all in the context's queue is done."""
        check(lib.clade_finish(self.handle))

    def source(self, source: str, options: str = "", name: str = "program.cl", include_path: Sequence[str] = ()) -> str:
        """OpenCL C with all of clade's headers in it, which any compiler of OpenCL takes without include paths.

        source:       your kernels, with lines such as #include "clade/heap.clh"
        options:      what the objects say: see build()
        include_path: folders of headers of your own, which are put in as well. A name may have blanks, but no colon
        """
        out = ffi.new("clade_source **")
        params = ffi.new("clade_program_params *")
        folders = [include_path] if isinstance(include_path, str) else [os.fspath(folder) for folder in include_path]
        if any(":" in folder for folder in folders):
            raise ArgumentError(Status.ARG, "a folder of include_path has a colon in its name")
        kept = [ffi.new("char[]", bytes_of(given, what))
                for given, what in ((source, "the source"), (options, "options"), (name, "name"),
                                    (":".join(folders), "include_path"))]
        params.source, params.options, params.name, params.include_path = kept
        check(lib.clade_context_source(out, self.handle, params))
        try:
            return text(lib.clade_source_text(out[0]))
        finally:
            lib.clade_source_destroy(out)

    def build(self, source: str, *objects: Any, options: str = "", include_path: Sequence[str] = ()) -> Any:
        """Build kernels of your own with clade's headers, by PyOpenCL: a pyopencl.Program.

        source:  OpenCL C with lines such as #include "clade/heap.clh"
        objects: the heaps, maps, ... that the kernels use: the program gets their types. Of two objects of one
                 structure but of different types, define the names in the source, as the structure's page says
        options: more options for the compiler, as they are: quotes in them are for the driver
        include_path: folders of headers of your own: see source()

        A kernel takes an object by its `mem`: program.kernel(queue, size, group, heap.mem, ...)
        """
        import pyopencl

        given: List[str] = []
        for o in objects:
            if o.options and o.options not in given:
                given.append(o.options)
        own = " ".join(given + ([options] if options else []))
        program = pyopencl.Program(self.cl_context, self.source(source, own, include_path=include_path))
        # In one piece: PyOpenCL joins a list's strings, and would take quotes away from a text that it splits.
        return program.build(options=[self.options + " " + own])
