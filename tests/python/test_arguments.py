# SPDX-License-Identifier: Apache-2.0
"""What is wrong is refused with a sentence, before anything is done; objects may die in any order."""
import gc
import os
import shutil
import subprocess
import sys

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


FORKED = """
import os, signal, pyclade
from pyclade import ArgumentError
context = pyclade.Context()
queue, heap = pyclade.Queue(context, 10), pyclade.Heap(context, 10, "u4", heaps=2).part(1)
queue.append([1, 2])
if os.fork() == 0:
    signal.alarm(20)
    for call in (lambda: len(queue), lambda: queue.append([3]), lambda: heap.pop(1), lambda: pyclade.Queue(context, 1)):
        try:
            call()
        except ArgumentError as e:
            assert "was made in another process" in str(e)
        else:
            os._exit(1)
    queue.close()
    del heap, context
    os._exit(0)
assert os.wait()[1] == 0
assert len(queue) == 2 and queue.pop(5).tolist() == [1, 2]
"""


def test_a_fork_does_not_wait_for_threads_that_it_has_not():
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=100)


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


class Foreign:
    """What a call takes for a buffer of PyOpenCL. Whether it is one, nobody asks before sizes are looked at."""

    int_ptr = 0


def test_host_arrays_beside_a_buffer_are_as_long_as_the_call(context):
    map_ = pyclade.HashMap(context, 100, np.uint32, np.uint32)
    with pytest.raises(ArgumentError, match="count is 50, and the arrays have 10 elements"):
        map_.find(Foreign(), values=np.zeros(10, np.uint32), count=50)
    with pytest.raises(ArgumentError, match="count is 50, and the arrays have 10 elements"):
        map_.insert(Foreign(), np.zeros(10, np.uint32), count=50)
    with pytest.raises(ArgumentError, match="refs has 10 elements; the call needs 50|the arrays have 10 elements"):
        pyclade.Kma(context, 1 << 20).malloc(Foreign(), 50, refs=np.zeros(10, np.uint32))


def test_outputs_of_one_element_have_one(context):
    none = np.zeros(0, np.uint64)
    heap, queue = pyclade.Heap(context, 10, np.uint32), pyclade.Queue(context, 10)
    with pytest.raises(ArgumentError, match="got has 0 elements; the call needs 1"):
        heap.pop_into(np.zeros(1, np.uint32), None, none)
    with pytest.raises(ArgumentError, match="got has 0 elements; the call needs 1"):
        queue.pop_into(np.zeros(1, np.uint32), none)


def test_arrays_that_others_index_are_long_enough(context):
    graph = pyclade.Graph(context, [0, 1, 2, 3, 3], [1, 2, 3])
    paths = pyclade.Paths(graph)
    with pytest.raises(ArgumentError, match="bounds has 3 elements; the call needs 4"):
        paths.run(0, targets=3, bounds=np.zeros(3, np.uint32))
    selector = pyclade.KSelect(context, 100, 2, np.uint32)
    with pytest.raises(ArgumentError, match="keys has 3 elements; the call needs 100"):
        selector.run_each([1, 2, 3], [0, 100])
    with pytest.raises(ArgumentError, match="offsets has 0 elements"):
        selector.run_each([1, 2, 3], [])
    assert selector.run_each([3, 1, 2], [0, 3], [1])[0][0, 0] == 1


@pytest.mark.parametrize("keys", [[1e39], [2**24 + 1], np.array([-2**63 + 1]), np.array([2**64 - 1], np.uint64)])
def test_floats_hold_what_goes_in(context, keys):
    heap = pyclade.Heap(context, 10, np.float32)
    with pytest.raises(ArgumentError, match="an element that float32 does not hold"):
        heap.insert(keys)
    assert len(heap) == 0


def test_floats_that_hold_it(context):
    heap = pyclade.Heap(context, 10, np.float32)
    heap.insert([0.1, float("inf")])
    heap.insert(np.array([-2**63, 2**24, 0, 3 * 2**40]))
    assert heap.pop(9)[0].tolist() == [-2.0**63, 0, np.float32(0.1), 2**24, 3 * 2**40, float("inf")]


def test_a_path_is_not_cut_at_a_nul(context, tmp_path):
    queue = pyclade.Queue(context, 10)
    for call in (queue.save, lambda path: pyclade.Queue.load(context, path)):
        with pytest.raises(ArgumentError, match="the path has a NUL"):
            call(str(tmp_path / "whole\0rest"))
    assert not (tmp_path / "whole").exists()
    with pytest.raises(ArgumentError, match="device has a NUL"):
        pyclade.Context("cpu\0gpu")
    with pytest.raises(ArgumentError, match="the source has a NUL"):
        context.source("kernel void a() {}\0kernel void b() {}")


@pytest.mark.parametrize("weights, cutoff", [([1, 1], 0.5), ([1, 1], -0.5), ([1.0, 1.0], 1e-50)])
def test_a_cutoff_is_not_rounded_to_none(context, weights, cutoff):
    paths = pyclade.Paths(pyclade.Graph(context, [0, 1, 2, 2], [1, 2], weights))
    with pytest.raises(ArgumentError, match="cutoff is"):
        paths.run(0, cutoff=cutoff)
    paths.run(0, cutoff=1.0)
    assert paths.lengths()[1] == 1 and paths.lengths()[2] != 2


def test_outputs_of_the_caller_s_are_written_or_refused(context):
    selector = pyclade.KSelect(context, 4, 2, np.uint32, output="sorted", indices=True)
    indices, out = np.zeros(2, np.uint32), np.zeros(2, np.uint32)
    with pytest.raises(ArgumentError, match="indices are given without out"):
        selector.run([4, 3, 2, 1], indices=indices)
    selector.run([4, 3, 2, 1], out=out, indices=indices)
    assert out.tolist() == [1, 2] and indices.tolist() == [3, 2]
    assert selector.run_each([4, 3, 2, 1], [0, 4], [2, 9])[2].tolist() == [2]


@pytest.mark.parametrize("dtype", [object, np.dtype("(3,)f4"), np.dtype([("a", "u4"), ("b", object)])])
def test_objects_of_python_are_not_stored(context, dtype):
    with pytest.raises(ArgumentError, match="cannot be stored"):
        pyclade.ArrayList(context, 10, dtype)


def test_structured_elements_are_given_as_such(context):
    pair = np.dtype([("a", "u4"), ("b", "f4")])
    list_ = pyclade.ArrayList(context, 10, pair)
    with pytest.raises(ArgumentError, match="elements has elements of float64"):
        list_.append([(1, 2.5)])
    list_.append(np.array([(1, 2.5)], pair))
    assert list_.read().tolist() == [(1, 2.5)]


def test_a_list_s_keys_have_its_order(context, tmp_path):
    list_ = pyclade.OrderedList(context, 10)
    list_.insert([2, 2**32 - 1])
    list_.save(tmp_path / "list")
    for lie in (np.int32, np.float32):
        with pytest.raises(ArgumentError, match="the file's list"):
            pyclade.OrderedList.load(context, tmp_path / "list", lie)


def test_refs_that_are_checked_are_not_cut(context):
    kma = pyclade.Kma(context, 1 << 20)
    refs = kma.malloc(64, 2)
    kma.check(refs)
    with pytest.raises(ArgumentError, match="live has an element"):
        kma.check(refs.astype(np.int64) + 2**32)


def test_words_and_counts_are_named(context):
    with pytest.raises(ArgumentError, match="engine is 'x'; it is one of 'auto', 'top-down'"):
        pyclade.Heap(context, 10, np.uint32, engine="x")
    with pytest.raises(ArgumentError, match="order is 'least'"):
        pyclade.KSelect(context, 4, 2, order="least")
    heap = pyclade.Heap(context, 10, np.uint32)
    heap.insert([1, 2, 3])
    with pytest.raises(ArgumentError, match="count is 2.7"):
        heap.pop_into(np.zeros(3, np.uint32), None, np.zeros(1, np.uint64), count=2.7)
    with pytest.raises(ArgumentError, match="offsets has 0 elements"):
        pyclade.Graph(context, [], [])
    queue = pyclade.Queue(context, 10)
    queue.append([1, 2, 3])
    for popped in (heap, queue):
        for count in (None, 2.7, "2", -1, np.zeros(0, np.uint32)):
            with pytest.raises(ArgumentError, match="count is"):
                popped.pop(count)
        assert len(popped) == 3


def test_a_pop_of_more_than_there_is_needs_no_more_memory(context):
    heap, queue = pyclade.Heap(context, 10, np.uint32), pyclade.Queue(context, 10)
    heap.insert([2, 1])
    queue.append([2, 1])
    assert heap.pop(2**62)[0].tolist() == [1, 2] and queue.pop(2**62).tolist() == [2, 1]


class Untouched(Foreign):
    """An array on a device: to look at its elements on the host takes a transfer for each."""

    dtype = np.dtype(np.float32)

    def __array__(self, *unused):
        raise AssertionError("the elements were looked at")


def test_weights_on_a_device_stay_there(context):
    with pytest.raises(ArgumentError, match="does not say what type"):
        pyclade.Graph(context, [0, 1, 1], [1], Foreign())
    assert pyclade.Graph(context, [0, 1, 1], [1], Untouched()).weight == np.float32


def saved_kinds(context):
    """Of each structure with types: one to be saved, how to load it, and what may not be said of it."""
    wide = [np.uint64, np.uint64]
    sets = pyclade.AdHeap(context, 3, 8, np.uint32)
    return [
        (pyclade.HashMap(context, 10, *wide), pyclade.HashMap, wide, [(np.uint32, np.uint64), (np.uint64,), (np.int64,) * 2]),
        (pyclade.RBTree(context, 10, *wide), pyclade.RBTree, wide, [(np.uint32, np.uint64), (np.uint64,)]),
        (pyclade.OrderedList(context, 10, np.uint64), pyclade.OrderedList, [np.uint64], [(np.uint32,), (np.uint64, np.uint32)]),
        (pyclade.UnorderedList(context, 10, np.uint64), pyclade.UnorderedList, [np.uint64], [(np.uint32,)]),
        (pyclade.DList(context, 10, np.uint64), pyclade.DList, [np.uint64], [(np.uint32,)]),
        (sets, pyclade.AdHeap, [3, np.uint32], [(2, np.uint32), (3, np.float32), (3, np.uint32, True)]),
    ]


def test_a_file_is_what_is_said_of_it(context, tmp_path):
    for made, kind, truth, lies in saved_kinds(context):
        path = tmp_path / kind.__name__
        made.save(path)
        assert type(kind.load(context, path, *truth)) is kind
        for lie in lies:
            with pytest.raises(ArgumentError, match="the file's"):
                kind.load(context, path, *lie)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_a_library_of_another_version_is_refused(tmp_path):
    for version, works in (("0.1.0", False), ("7.0.0", False), (pyclade.version(), True)):
        (tmp_path / "old.c").write_text(f'const char *clade_version(void) {{ return "{version}"; }}\n')
        subprocess.check_call(["cc", "-shared", "-fPIC", "-o", str(tmp_path / "old.so"), str(tmp_path / "old.c")])
        told = subprocess.run([sys.executable, "-c", "import pyclade.library"], text=True,
                              env=dict(os.environ, PYCLADE_LIBRARY=str(tmp_path / "old.so")), capture_output=True)
        assert (f"is of {version}" in told.stderr) != works, told.stderr
