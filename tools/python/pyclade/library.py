# SPDX-License-Identifier: Apache-2.0
"""The C library: where it is found, and how its failures become exceptions."""
from __future__ import annotations

import enum
import os
from typing import Any, Dict, Optional

from _pyclade import ffi  # written by bindings.py from clade's headers

__all__ = [
    "ArgumentError", "BuildError", "BusyError", "CorruptError", "DeviceError", "Error", "FileError", "FullError",
    "Held", "NoMemoryError", "NotFoundError", "Status", "UnsupportedError", "brought_kernels", "bytes_of", "check",
    "choice", "ffi", "lib", "text", "version",
]

_HERE = os.path.dirname(os.path.abspath(__file__))


class Status(enum.IntEnum):
    """What became of one operation, as arrays of statuses say it (clade/shared/status.h)."""

    OK = 0
    ARG = -1
    NOMEM = -2
    DEVICE = -3
    UNSUPPORTED = -4
    NOT_FOUND = -5
    BUILD = -6
    FULL = -7
    BUSY = -8
    CORRUPT = -9
    IO = -10
    PRESENT = 1  # of insert and put: the key was there


class Error(Exception):
    """A call failed. The text is the library's sentence, which names the value at fault.

    status:  why, a Status
    cl_code: OpenCL's code where an OpenCL call failed, else 0
    log:     the compiler's text where a kernel did not compile, else ""
    """

    status: Status
    cl_code: int
    log: str

    def __init__(self, status: Status, sentence: str, cl_code: int = 0, log: str = "") -> None:
        super().__init__(sentence)
        self.status, self.cl_code, self.log = status, cl_code, log


class ArgumentError(Error, ValueError):
    """An argument is wrong; the sentence names it."""


class NoMemoryError(Error, MemoryError):
    """Host memory is out."""


class DeviceError(Error, RuntimeError):
    """An OpenCL call failed; cl_code tells."""


class UnsupportedError(Error, NotImplementedError):
    """The device lacks something; the sentence names it."""


class NotFoundError(Error, LookupError):
    """There is no such device, file, key or node."""


class BuildError(Error, RuntimeError):
    """A kernel did not compile; log has the compiler's text."""


class FullError(Error, RuntimeError):
    """There is no room. The refused request had no effect."""


class BusyError(Error, RuntimeError):
    """A bounded wait gave up. Nothing took effect: try again."""


class CorruptError(Error, RuntimeError):
    """Data is not what it must be."""


class FileError(Error, OSError):
    """A file could not be read or written."""


_CLASSES = {
    Status.ARG: ArgumentError,
    Status.NOMEM: NoMemoryError,
    Status.DEVICE: DeviceError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.NOT_FOUND: NotFoundError,
    Status.BUILD: BuildError,
    Status.FULL: FullError,
    Status.BUSY: BusyError,
    Status.CORRUPT: CorruptError,
    Status.IO: FileError,
}


def _abi(version: str) -> str:
    """The number of the library's ABI, as the end of its file's name has it: docs/guide/packaging.md."""
    major, minor = version.split(".")[:2]
    return major if int(major) > 0 else f"0.{minor}"


_HEADERS = ".".join(str(ffi.integer_const("CLADE_VERSION_" + part)) for part in ("MAJOR", "MINOR", "PATCH"))


def _load() -> Any:
    """$PYCLADE_LIBRARY, else the library that the wheel brought, else the installed one."""
    named = os.environ.get("PYCLADE_LIBRARY")
    brought = os.path.join(_HERE, "lib", "libclade.so")
    for path in [named] if named else [brought, "libclade.so." + _abi(_HEADERS)]:
        if os.sep in path and not named and not os.path.exists(path):
            continue
        try:
            found = ffi.dlopen(path)
        except OSError as e:
            reason = str(e)
            continue
        there = ffi.string(found.clade_version()).decode()
        if _abi(there) != _abi(_HEADERS):
            raise ImportError(f"pyclade is of clade {_HEADERS}, and the library {path} is of {there}")
        return found
    raise ImportError(
        f"pyclade: libclade cannot be loaded ({reason}); install clade, or name the file in PYCLADE_LIBRARY"
    )


lib = _load()


def brought_kernels() -> Optional[str]:
    """The kernel folders of the wheel; None where the C library finds its own."""
    folder = os.path.join(_HERE, "kernels")
    return folder if os.path.isdir(folder) else None


def text(pointer: Any) -> str:
    """A C string that is borrowed."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def bytes_of(given: "os.PathLike[str] | str", name: str) -> bytes:
    """A path or a text for the C library, which ends at the first NUL: one that has a NUL would be cut there."""
    made = os.fsencode(given)
    if b"\0" in made:
        raise ArgumentError(Status.ARG, f"{name} has a NUL character")
    return made


def choice(table: Dict[str, int], given: str, name: str) -> int:
    """The number of a word."""
    if given not in table:
        raise ArgumentError(Status.ARG, f"{name} is {given!r}; it is one of " + ", ".join(map(repr, table)))
    return table[given]


def check(status: int) -> None:
    """Raise what a call of the C library returned, unless it succeeded."""
    if status >= 0:
        return
    last = lib.clade_error_last()
    kind = Status(status)
    raise _CLASSES[kind](kind, text(last.message), last.cl_code, text(last.log))


class Held:
    """What holds an object of the C library, in the process that made it. A process that is forked has a copy, and none
    of the threads by which a driver works: a call would wait without end."""

    _handle: Any = ffi.NULL
    _process = 0

    def _hold(self, handle: Any) -> None:
        self._handle, self._process = handle, os.getpid()

    def _held(self, what: str) -> Any:
        """The C object; what is closed or another process' is refused with a sentence."""
        if self._handle == ffi.NULL:
            raise ArgumentError(Status.ARG, f"the {what} is closed")
        if self._process != os.getpid():
            raise ArgumentError(Status.ARG, f"the {what} was made in another process, of which this one is a fork: "
                                "make it here, or start processes by multiprocessing's spawn")
        return self._handle

    def _let_go(self) -> Any:
        """The C object for the last time; None where there is nothing to free."""
        handle, self._handle = self._handle, ffi.NULL
        return handle if handle != ffi.NULL and self._process == os.getpid() else None


def version() -> str:
    """The version of the C library."""
    return text(lib.clade_version())
