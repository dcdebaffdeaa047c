# SPDX-License-Identifier: Apache-2.0
"""What is wrong is refused with a sentence, before anything is done; objects may die in any order."""
import gc

import numpy as np
import pyclade
import pytest
from pyclade import ArgumentError


def test_sentences_are_the_library_s(context):
    with pytest.raises(ArgumentError, match="capacity") as e:
        pyclade.Heap(context, 0, np.uint32)
    assert e.value.status == pyclade.Status.ARG and isinstance(e.value, ValueError)
    with pytest.raises(pyclade.NotFoundError):
        pyclade.Context("no device has this name")


@pytest.mark.parametrize("keys", [[-1], [2**32], [1.5], np.array([1.5]), np.array([2**40]), np.array(["a"])])
def test_what_does_not_fit_is_not_cut(context, keys):
    heap = pyclade.Heap(context, 10, np.uint32)
    with pytest.raises(ArgumentError, match="keys"):
        heap.insert(keys)
    assert len(heap) == 0


def test_whole_numbers_of_any_type_fit(context):
    heap = pyclade.Heap(context, 10, np.uint32)
    heap.insert(np.array([3, 1], np.int64))
    heap.insert([2**32 - 1])
    heap.insert(np.array([7, 0, 5, 0])[::2])  # not contiguous
    heap.insert([])
    assert heap.pop(9)[0].tolist() == [1, 3, 5, 7, 2**32 - 1]


def test_lengths_must_agree(context):
    heap = pyclade.Heap(context, 10, np.uint32, np.uint32)
    with pytest.raises(ArgumentError, match="values has 1 elements; the call needs 2"):
        heap.insert([1, 2], [1])
    with pytest.raises(ArgumentError, match="count is 3"):
        heap.insert([1, 2], [1, 2], count=3)
    with pytest.raises(ArgumentError):
        heap.insert([1, 2])
    sets = pyclade.AdHeap(context, 4, 10, np.float32)
    with pytest.raises(ArgumentError, match="no multiple of 4"):
        sets.insert(np.zeros(7))
    assert len(heap) == 0


def test_outputs_must_be_writeable(context):
    heap = pyclade.Heap(context, 10, np.uint32)
    heap.insert([4])
    keys, got = np.zeros(1, np.uint32), np.zeros(1, np.uint64)
    with pytest.raises(ArgumentError):
        heap.pop_into(np.zeros(1, np.int32), None, got)
    keys.flags.writeable = False
    with pytest.raises(ArgumentError):
        heap.pop_into(keys, None, got)
    assert len(heap) == 1


def test_types(context):
    with pytest.raises(ArgumentError, match="int16"):
        pyclade.HashMap(context, 10, np.int16)
    with pytest.raises(ArgumentError, match="device or a queue"):
        pyclade.Context("cpu", queue=object())


def test_a_full_heap_refuses_all(context):
    heap = pyclade.Heap(context, 8, np.uint32)
    with pytest.raises(pyclade.FullError):
        heap.insert(np.arange(10000))
    assert len(heap) == 0


def test_closed_objects(context):
    heap = pyclade.Heap(context, 8, np.uint32)
    heap.close()
    heap.close()
    with pytest.raises(ArgumentError, match="closed"):
        len(heap)


def test_objects_outlive_their_context():
    context = pyclade.Context()
    kma = pyclade.Kma(context, 1 << 20)
    list_ = pyclade.SemiList(context, 10, kma=kma)
    paths = pyclade.Paths(pyclade.Graph(context, [0, 1, 1], [1]))
    context.close()
    del kma
    gc.collect()
    list_.append([1, 2])
    assert len(list_) == 2
    paths.run(0)
    assert paths.lengths().tolist() == [0, 1]
    with pytest.raises(ArgumentError, match="context is closed"):
        pyclade.Queue(context, 10)


def test_every_function_of_the_library_is_declared(context):
    assert pyclade.version().count(".") == 2
    assert context.caps["compute_units"] >= 1 and "reserved" not in context.caps
    assert any(d["name"] for d in pyclade.devices())
