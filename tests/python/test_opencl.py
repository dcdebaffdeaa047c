# SPDX-License-Identifier: Apache-2.0
"""Together with PyOpenCL: its queues, buffers, arrays and events, and kernels built by it."""
import numpy as np
import pyclade
import pytest

KERNEL = """
#include "clade/kma.clh"
#include "clade/hashmap.clh"

__kernel void note(__global clade_kma_head *kma, __global clade_hashmap_head *map, __global uint *refs)
{
    const uint i = get_global_id(0);
    refs[i] = clade_kma_malloc_wi(kma, 4 + i % 60);
    clade_hashmap_put_wi(map, i, refs[i]);
}
"""


@pytest.fixture()
def queue(cl, context):
    own = cl.CommandQueue(context.cl_context, context.cl_device)
    yield own
    own.finish()


def test_kernel_of_a_user(cl, context, queue):
    kma = pyclade.Kma(context, 1 << 22)
    map_ = pyclade.HashMap(context, 1000, np.uint32, np.uint32)
    program = context.build(KERNEL, kma, map_)
    refs = cl.Buffer(context.cl_context, cl.mem_flags.READ_WRITE, 4 * 512)
    program.note(queue, (512,), (64,), kma.mem, map_.mem, refs)
    queue.finish()
    got = np.zeros(512, np.uint32)
    cl.enqueue_copy(queue, got, refs)
    kma.check(got)
    assert map_.find(np.arange(512))[0].tolist() == got.tolist()


def test_buffers_are_refused_where_answers_come_back(cl, context, queue):
    """contains() once said False, whatever was inside."""
    import pyopencl.array

    keys = pyopencl.array.to_device(queue, np.array([1, 2], np.uint32))
    for made in (pyclade.HashMap(context, 100, np.uint32), pyclade.RBTree(context, 100, np.uint32),
                 pyclade.OrderedList(context, 100)):
        made.insert([1, 2])
        with pytest.raises(pyclade.ArgumentError, match="keys lie in a buffer"):
            made.contains(keys)
    selector = pyclade.KSelect(context, 100, 2, np.uint32)
    with pytest.raises(pyclade.ArgumentError, match="ks has elements of object"):
        selector.run_each([3, 1, 2], [0, 1, 3], keys)


def test_a_kernel_that_does_not_compile_names_its_line(cl, context):
    with pytest.raises(Exception, match="wrong_name"):
        context.build('#include "clade/kma.clh"\n__kernel void f(__global uint *o) { *o = wrong_name; }')


def test_headers_in_a_folder_with_blanks(cl, context, queue, tmp_path):
    folder = tmp_path / "my  headers"
    folder.mkdir()
    (folder / "three.clh").write_text("#define THREE 3u\n")
    text = '#include "three.clh"\n__kernel void f(__global uint *o) { o[0] = THREE + sizeof(TEXT); }'
    with pytest.raises(pyclade.Error, match="three.clh"):
        context.build(text)
    for path in (str(folder), [str(tmp_path), str(folder)]):
        program = context.build(text, options='-DTEXT="12345"', include_path=path)
        out = cl.Buffer(context.cl_context, cl.mem_flags.READ_WRITE, 4)
        program.f(queue, (1,), (1,), out)
        got = np.zeros(1, np.uint32)
        cl.enqueue_copy(queue, got, out)
        assert got[0] in (3 + 4, 3 + 6)  # an integer, or where the driver hands quotes on a text
    with pytest.raises(pyclade.ArgumentError, match="colon"):
        context.build(text, include_path="a:b")


def test_options_reach_the_driver_as_they_are(cl, context, monkeypatch):
    given = []
    monkeypatch.setattr(cl.Program, "build", lambda self, options: given.extend(options))
    context.build("__kernel void f() {}", options='-DA="b  c"')
    assert " ".join(given).endswith('-DA="b  c"')


def test_buffers_and_events(cl, context, queue):
    keys = np.random.default_rng(1).permutation(2000).astype(np.uint32)
    flags = cl.mem_flags.READ_WRITE
    source = cl.Buffer(context.cl_context, flags, keys.nbytes)
    sorted_, got = cl.Buffer(context.cl_context, flags, keys.nbytes), cl.Buffer(context.cl_context, flags, 8)
    heap = pyclade.Heap(context, 2000, np.uint32)
    gate = cl.UserEvent(context.cl_context)
    written = cl.enqueue_copy(queue, source, keys, is_blocking=False, wait_for=[gate])
    insert = pyclade.Launch(queue, [written])
    heap.insert(source, count=2000, launch=insert)
    pop = pyclade.Launch(queue, [insert.event])
    heap.pop_into(sorted_, None, got, count=2000, launch=pop)
    assert pop.event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    result, n = np.zeros(2000, np.uint32), np.zeros(1, np.uint64)
    cl.enqueue_copy(queue, result, sorted_, wait_for=[pop.event])
    cl.enqueue_copy(queue, n, got)
    assert n[0] == 2000 and (result == np.arange(2000)).all()


def test_arrays_of_pyopencl(cl, context, queue):
    cl_array = pytest.importorskip("pyopencl.array")
    map_ = pyclade.HashMap(context, 500, np.uint32, np.float32)
    keys = cl_array.to_device(queue, np.arange(400, dtype=np.uint32))
    values = cl_array.to_device(queue, np.arange(400, dtype=np.float32) / 2)
    map_.insert(keys, values, launch=pyclade.Launch(queue))
    queue.finish()
    assert map_.find([7, 300])[0].tolist() == [3.5, 150]
    part = keys[100:200]
    out = cl_array.zeros(queue, 100, np.float32)
    map_.find(part, values=out, launch=pyclade.Launch(queue))
    assert (out.get() == np.arange(100, 200) / 2).all()
    with pytest.raises(pyclade.ArgumentError, match="float32"):
        map_.insert(values)
    with pytest.raises(pyclade.ArgumentError, match="contiguous"):
        map_.insert(keys[::2])
    with pytest.raises(pyclade.ArgumentError, match="give count"):
        map_.insert(keys.base_data)


def test_a_queue_of_the_user(cl, context):
    theirs = cl.Context([context.cl_device])
    with pyclade.Context(queue=cl.CommandQueue(theirs)) as wrapped:
        assert wrapped.cl_context == theirs
        queue = pyclade.Queue(wrapped, 10)
        queue.append([1, 2])
        assert queue.pop(5).tolist() == [1, 2]
    unordered = cl.CommandQueue(theirs, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    with pytest.raises(pyclade.ArgumentError, match="order"):
        pyclade.Context(queue=unordered)


def test_a_buffer_of_another_context_is_refused(cl, context):
    theirs = cl.Context([context.cl_device])
    buffer = cl.Buffer(theirs, cl.mem_flags.READ_WRITE, 400)
    with pytest.raises(pyclade.ArgumentError):
        pyclade.Queue(context, 10).append(buffer, count=10)
