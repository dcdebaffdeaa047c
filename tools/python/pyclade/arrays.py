# SPDX-License-Identifier: Apache-2.0
"""Arrays and launches: numpy arrays, PyOpenCL buffers and PyOpenCL arrays as the C library takes them."""
from __future__ import annotations

import operator
from typing import Any, List, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from .library import ArgumentError, Status, ffi, lib

Array = NDArray[Any]
DType = Any  # whatever numpy.dtype() takes
Host = Any  # a numpy array, or a sequence of numbers
Device = Any  # a pyopencl.Buffer, or a pyopencl.array.Array
Data = Union[Host, Device]

_TYPES = {
    np.dtype(np.int32): lib.CLADE_I32,
    np.dtype(np.uint32): lib.CLADE_U32,
    np.dtype(np.float32): lib.CLADE_F32,
    np.dtype(np.int64): lib.CLADE_I64,
    np.dtype(np.uint64): lib.CLADE_U64,
    np.dtype(np.float64): lib.CLADE_F64,
    np.dtype(np.float16): lib.CLADE_F16,
}


ORDERS = {"min": lib.CLADE_MIN, "max": lib.CLADE_MAX}


def type_code(dtype: DType) -> int:
    """CLADE_U32 and so on of a numpy type; None is CLADE_NONE."""
    if dtype is None:
        return int(lib.CLADE_NONE)
    code = _TYPES.get(np.dtype(dtype))
    if code is None:
        raise ArgumentError(Status.ARG, f"{np.dtype(dtype)} is no type of keys or values: "
                            "int32, uint32, float32, int64, uint64 and float64 are, in a k-selection float16, too")
    return int(code)


def is_device(data: Any) -> bool:
    """Whether the data lies in a buffer: of PyOpenCL, or whatever else has an int_ptr."""
    return hasattr(data, "int_ptr") or hasattr(data, "base_data")


def handle(thing: Any, c_type: str) -> Any:
    """An OpenCL handle: of a PyOpenCL object, or a number."""
    return ffi.cast(c_type, thing if isinstance(thing, int) else thing.int_ptr)


class Launch:
    """Where and when a call does its work, as clade/array.h says.

    queue:    a pyopencl.CommandQueue that is in-order; None: the context's own
    wait_for: events that must be complete before the work starts

    `event` is set by the call: a pyopencl.Event of the whole work, or None before. A call over device arrays
    alone returns at once, and the event tells when it is done. A call over numpy arrays blocks. A launch keeps the
    arrays of its last call. It needs PyOpenCL, and says so when it is made.
    """

    def __init__(self, queue: Any = None, wait_for: Sequence[Any] = ()) -> None:
        import pyopencl

        self._event_of = pyopencl.Event.from_int_ptr
        self._kept: List[Any] = []
        self.queue = queue
        self.wait_for = list(wait_for)
        self.event: Any = None

    def _take(self, event: Any, kept: List[Any]) -> None:
        """A call succeeded: its event is the launch's now. Its arrays are borrowed until the work is done."""
        address = int(ffi.cast("intptr_t", event))
        self.event = self._event_of(address, retain=False) if address else None
        self._kept = kept


class Call:
    """The arrays and the launch of one call: what must stay alive until it returns.

    The C library looks at the size of buffers. Of host memory it gets an address, so the size is looked at here.
    """

    def __init__(self, launch: Optional[Launch] = None) -> None:
        self._kept: List[Any] = []
        self._launch = launch
        self.count: Optional[int] = None
        self.host = True  # until an input lies in a buffer
        self._fits: Optional[int] = None  # how many elements arrays in host memory have at least

    def _keep(self, thing: Any) -> Any:
        self._kept.append(thing)
        return thing

    def _of_device(self, data: Any, dtype: DType, name: str, per: int) -> Any:
        offset = 0
        if hasattr(data, "base_data"):  # a pyopencl.array.Array
            if dtype is not None and np.dtype(data.dtype) != np.dtype(dtype):
                raise ArgumentError(Status.ARG, f"{name} has elements of {data.dtype}, not of {np.dtype(dtype)}")
            if not data.flags.c_contiguous:
                raise ArgumentError(Status.ARG, f"{name} is not contiguous")
            self._size(int(data.size), name, per)
            offset, data = data.offset, data.base_data
        return lib.clade_array_of_mem(handle(self._keep(data), "cl_mem"), offset)

    def _size(self, size: int, name: str, per: int) -> None:
        if self.count is None:
            if size % per:
                raise ArgumentError(Status.ARG, f"{name} has {size} elements, which is no multiple of {per}")
            self.count = size // per
        elif size < self.count * per:
            raise ArgumentError(Status.ARG, f"{name} has {size} elements; the call needs {self.count * per}")

    def _size_of_host(self, size: int, name: str, per: int) -> None:
        """Also where nothing else says how many elements there are: nobody but this looks at host memory's end."""
        self._size(size, name, per)
        if per:
            self._fits = size // per if self._fits is None else min(self._fits, size // per)

    def read(self, data: Data, dtype: DType, name: str, per: int = 1) -> Any:
        """An input. The first one with a size says how many elements the call is over, `per` to each."""
        if data is None:
            return lib.clade_array_of_nothing()
        if is_device(data):
            self.host = False
            return self._of_device(data, dtype, name, per)
        array = exact(data, dtype, name)
        self._size_of_host(array.size, name, per)
        return lib.clade_array_of_host(ffi.cast("void *", self._keep(array).ctypes.data))

    def write(self, data: Optional[Data], dtype: DType, name: str, per: int = 1) -> Any:
        """An output that the caller gave."""
        if data is None:
            return lib.clade_array_of_nothing()
        if is_device(data):
            return self._of_device(data, dtype, name, per)
        if not isinstance(data, np.ndarray) or data.dtype != np.dtype(dtype):
            raise ArgumentError(Status.ARG, f"{name} must be a numpy array of {np.dtype(dtype)}, which is written")
        if not data.flags.c_contiguous or not data.flags.writeable:
            raise ArgumentError(Status.ARG, f"{name} must be contiguous and writeable")
        self._size_of_host(data.size, name, per)
        return lib.clade_array_of_host(ffi.cast("void *", self._keep(data).ctypes.data))

    def need(self, count: Optional[int]) -> int:
        """How many elements: what the caller says, else what the first array has."""
        if count is None and self.count is None:
            raise ArgumentError(Status.ARG, "a buffer does not say how many elements it has: give count")
        given = whole(count) if count is not None else None
        if given is not None and self._fits is not None and given > self._fits:
            raise ArgumentError(Status.ARG, f"count is {given}, and the arrays have {self._fits} elements")
        self.count = given if given is not None else self.count
        return whole(self.count)

    def launch(self) -> Any:
        """The clade_launch, or NULL."""
        if self._launch is None:
            return ffi.NULL
        made = self._keep(ffi.new("clade_launch *"))
        if self._launch.queue is not None:
            made.queue = handle(self._launch.queue, "cl_command_queue")
        if self._launch.wait_for:
            events = [handle(e, "cl_event") for e in self._launch.wait_for]
            made.wait = self._keep(ffi.new("cl_event[]", events))
            made.wait_count = len(events)
        self._event = self._keep(ffi.new("cl_event *"))
        made.event = self._event
        return made

    def done(self) -> None:
        """After the call succeeded: hand the event over."""
        if self._launch is not None:
            self._launch._take(self._event[0], self._kept)


def exact(data: Any, dtype: DType, name: str) -> Array:
    """Host data as a contiguous array of a type. What that type does not hold is refused, not cut. Floats are rounded
    to the nearest of a shorter type."""
    given = np.asarray(data)
    kind = given.dtype if dtype is None else np.dtype(dtype)
    if given.dtype != kind and given.size:
        if given.dtype.kind not in {"i": "iu", "u": "iu", "f": "iuf", "c": "iuf"}.get(kind.kind, ""):
            raise ArgumentError(Status.ARG, f"{name} has elements of {given.dtype}, not of {kind}")
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            if int(given.min()) < limits.min or int(given.max()) > limits.max:
                raise ArgumentError(Status.ARG, f"{name} has an element that {kind} does not hold")
        elif not _holds(kind, given):
            raise ArgumentError(Status.ARG, f"{name} has an element that {kind} does not hold")
    return np.ascontiguousarray(given, kind)


def _holds(kind: "np.dtype[Any]", given: Array) -> bool:
    """Whether a type of floats holds whole numbers as they are, and other floats without making them infinite."""
    with np.errstate(over="ignore"):
        made = given.astype(kind)
    if given.dtype.kind == "f":
        return bool((np.isinf(made) == np.isinf(given)).all())
    digits = np.abs(given).astype(np.uint64)
    digits //= np.maximum(digits & (~digits + np.uint64(1)), np.uint64(1))  # without the zeros at the end
    return bool(np.isfinite(made).all() and (digits < np.uint64(2 ** (np.finfo(kind).nmant + 1))).all())


def one(data: Data, dtype: DType, name: str) -> Any:
    """An output of one element."""
    call = Call()
    call.count = 1
    return call.write(data, dtype, name)


def whole(count: Any) -> int:
    """A count: what is none must not become one after something was done."""
    try:
        made = operator.index(count)
    except TypeError:
        raise ArgumentError(Status.ARG, f"count is {count!r}, which is no whole number") from None
    if made < 0:
        raise ArgumentError(Status.ARG, f"count is {made}, which is negative")
    return made


def new(count: int, dtype: DType) -> Array:
    """Host memory for an output."""
    return np.zeros(whole(count), dtype)
