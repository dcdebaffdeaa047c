# SPDX-License-Identifier: Apache-2.0
"""Every object over numpy arrays, against what Python itself computes."""
import heapq

import numpy as np
import pyclade
import pytest
from pyclade import Status


@pytest.mark.parametrize("order", ["min", "max"])
@pytest.mark.parametrize("key", [np.int32, np.uint32, np.float32, np.int64, np.uint64])
def test_heap_pops_in_order(context, rng, key, order):
    keys = rng.integers(0, 1000, 2500).astype(key)
    heap = pyclade.Heap(context, 3000, key, np.uint32, order=order)
    heap.insert(keys, np.arange(keys.size))
    assert len(heap) == keys.size
    first, _ = heap.peek()
    got, places = heap.pop(4000)
    assert first == got[0] and got.dtype == key
    expected = np.sort(keys) if order == "min" else np.sort(keys)[::-1]
    assert (got == expected).all() and (keys[places] == got).all() and len(set(places)) == keys.size
    assert len(heap) == 0 and heap.peek() is None and heap.pop(1)[0].size == 0
    heap.check()


def test_heap_mixed_against_heapq(context, rng):
    heap, model = pyclade.Heap(context, 5000, np.uint32), []
    for _ in range(10):
        keys = rng.integers(0, 2**32, 200)
        heap.insert(keys)
        for k in keys.tolist():
            heapq.heappush(model, k)
        assert heap.pop(90)[0].tolist() == [heapq.heappop(model) for _ in range(90)]
    assert heap.stats()["size"] == len(model) == len(heap)


def test_heaps_side_by_side(context):
    heaps = pyclade.Heap(context, 100, np.int32, heaps=3)
    for i in range(3):
        with heaps.part(i) as part:
            part.insert([i, -i])
    assert [heaps.part(i).pop(1)[0][0] for i in range(3)] == [0, -1, -2]


@pytest.mark.parametrize("kind", [pyclade.HashMap, pyclade.RBTree])
@pytest.mark.parametrize("key", [np.uint32, np.int64])
def test_maps_against_dict(context, rng, kind, key):
    map_, model = kind(context, 4000, key, np.uint32), {}
    for round_ in range(4):
        keys = np.unique(rng.integers(-500 if key == np.int64 else 0, 3000, 900).astype(key))
        values = rng.integers(0, 2**32, keys.size).astype(np.uint32)
        statuses = map_.put(keys, values)
        assert [s == Status.PRESENT for s in statuses] == [k in model for k in keys.tolist()]
        model.update(zip(keys.tolist(), values.tolist()))
        gone = keys[::3]
        taken, statuses = map_.erase(gone)
        assert (statuses == Status.OK).all() and taken.tolist() == [model.pop(k) for k in gone.tolist()]
        kept = map_.insert(keys, np.zeros(keys.size, np.int64))
        assert ((kept == Status.OK) == np.isin(keys, gone)).all()
        model.update((k, 0) for k in gone.tolist())
    assert len(map_) == len(model)
    wanted = np.arange(3100).astype(key)
    values, statuses = map_.find(wanted)
    for k, v, s in zip(wanted.tolist(), values.tolist(), statuses.tolist()):
        assert (s, v) == (Status.OK, model[k]) if k in model else s == Status.NOT_FOUND
    keys, values = map_.read()
    assert dict(zip(keys.tolist(), values.tolist())) == model
    map_.check()
    map_.clear()
    assert len(map_) == 0 and not map_.contains([1, 2]).any()


def test_hashmap_counts_and_grows(context, rng):
    words = rng.integers(0, 50, 5000).astype(np.uint64)
    counts = pyclade.HashMap(context, 60, np.uint64, np.uint32)
    counts.update(words, np.ones(words.size, np.uint32), "plus")
    keys, values = counts.read()
    expected = np.unique(words, return_counts=True)
    order = np.argsort(keys)
    assert (keys[order] == expected[0]).all() and (values[order] == expected[1]).all()
    statuses = counts.insert(np.arange(1000, 2000))
    assert (statuses == Status.FULL).any()
    counts.grow(3000)
    assert (counts.put(np.arange(1000, 2000)) >= 0).all() and counts.stats()["size"] == len(counts)


def test_set_has_no_values(context):
    set_ = pyclade.HashMap(context, 100, np.uint32)
    assert set_.insert([1, 2, 2]).tolist().count(Status.PRESENT) == 1
    values, statuses = set_.find([2, 3])
    assert values is None and statuses.tolist() == [Status.OK, Status.NOT_FOUND]


def test_tree_orders(context, rng):
    keys = np.unique(rng.integers(0, 10**6, 800).astype(np.uint32))
    tree = pyclade.RBTree(context, 2000, np.uint32, np.float32)
    tree.build(rng.permutation(keys), np.ones(keys.size, np.float32))
    assert (tree.rank(keys) == np.arange(keys.size)).all()
    picked, values, statuses = tree.select([0, keys.size - 1, keys.size])
    assert picked[:2].tolist() == [keys[0], keys[-1]] and statuses.tolist() == [0, 0, Status.NOT_FOUND]
    assert values[:2].tolist() == [1, 1]
    found, _, statuses = tree.seek([int(keys[5]) + 1], "lower")
    assert found[0] == keys[6] and statuses[0] == Status.OK
    rows, _, counts = tree.range([0, keys[10]], [10**6, keys[12]], 4)
    assert counts.tolist() == [4, 3] and rows[0].tolist() == keys[:4].tolist()
    assert rows[1, :3].tolist() == keys[10:13].tolist()
    rows, _, counts = tree.range([0], [10**6], 3, down=True)
    assert counts.tolist() == [3] and rows[0].tolist() == keys[:-4:-1].tolist()
    tree.erase(keys[:100])
    tree.reclaim()
    assert tree.read()[0].tolist() == keys[100:].tolist()


def test_kma(context, rng):
    kma = pyclade.Kma(context, 1 << 22)
    refs = kma.malloc(rng.integers(1, 500, 700))
    assert refs.all() and len(set(refs.tolist())) == 700
    kma.free(refs[::2])
    kma.check(refs[1::2])
    with pytest.raises(pyclade.CorruptError):
        kma.check(refs)
    assert kma.stats()["live_blocks"] == 350 and kma.fault()["kind"] == 0
    assert not kma.malloc(1 << 30, 2).any() and kma.stats()["refused"] == 2
    grown = pyclade.Kma(context, 1 << 20, most=1 << 22)
    refs = grown.malloc(4096, 100)
    while refs.all():
        refs = grown.malloc(4096, 100)
    grown.grow(1 << 22)
    assert grown.malloc(4096, 100).all()
    grown.check()
    kma.clear()
    assert kma.stats()["live_blocks"] == 0


def test_queue(context):
    queue = pyclade.Queue(context, 64)
    statuses = queue.append(np.arange(100))
    fitted = int((statuses == Status.OK).sum())
    assert fitted >= 64 and (statuses[fitted:] == Status.FULL).all()
    assert queue.pop(10).tolist() == list(range(10)) and len(queue) == fitted - 10
    assert queue.pop(1000).tolist() == list(range(10, fitted))


def test_ordered_list(context):
    list_ = pyclade.OrderedList(context, 100, np.uint32, np.float32)
    assert (list_.insert([5, 1, 3], [.5, .1, .3]) == Status.OK).all()
    assert list_.put([3], [.7]).tolist() == [Status.PRESENT]
    keys, values = list_.read()
    assert keys.tolist() == [1, 3, 5] and values.tolist() == np.array([.1, .7, .5], np.float32).tolist()
    assert list_.erase([1, 9]).tolist() == [Status.OK, Status.NOT_FOUND]
    assert list_.contains([1, 3]).tolist() == [False, True]
    values, statuses = list_.find([5])
    assert values[0] == np.float32(.5) and statuses[0] == Status.OK
    list_.reclaim()
    list_.check()


def test_unordered_list(context):
    list_ = pyclade.UnorderedList(context, 100)
    list_.insert_front([1, 2, 3])
    assert list_.insert_after([2], [7]).tolist() == [Status.OK]
    assert list_.read().tolist() == [1, 2, 7, 3] and len(list_) == 4


def test_dlist(context):
    list_ = pyclade.DList(context, 100, np.float32)
    refs, statuses = list_.append([1.5, 2.5])
    assert (statuses == Status.OK).all()
    list_.insert_before(refs[:1], [.5])
    list_.insert_after([0], [.25])
    values, nodes = list_.read()
    assert values.tolist() == [.25, .5, 1.5, 2.5]
    assert list_.read(backward=True)[0].tolist() == [2.5, 1.5, .5, .25]
    taken, statuses = list_.erase(nodes[1:3])
    assert taken.tolist() == [.5, 1.5] and (statuses == Status.OK).all()
    list_.check()


def test_semilist(context):
    kma = pyclade.Kma(context, 1 << 20)
    list_ = pyclade.SemiList(context, 100, kma=kma)
    nodes = list_.append([4, 5, 6], [40, 50, 60])
    values, found, statuses = list_.find([5, 7])
    assert values[0] == 50 and found[0] == nodes[1] and statuses.tolist() == [0, Status.NOT_FOUND]
    assert list_.erase_at(nodes[:1]).tolist() == [Status.OK]
    assert list_.erase([6])[0].tolist() == [60]
    assert list_.read()[0].tolist() == [5]
    list_.clear()
    list_.reclaim()


def test_arraylist_of_records(context):
    record = np.dtype([("x", np.float32), ("n", np.uint32)])
    list_ = pyclade.ArrayList(context, 5000, record)
    rows = np.zeros(3000, record)
    rows["n"] = np.arange(3000)
    list_.append(rows)
    assert len(list_) == 3000 and (list_.read(1000, 5)["n"] == np.arange(1000, 1005)).all()
    with pytest.raises(pyclade.FullError):
        list_.append(rows)
    assert len(list_) == 3000


def test_adheap_keeps_the_first(context, rng):
    keys = rng.permutation(4 * 300).reshape(4, 300).astype(np.float32)
    sets = pyclade.AdHeap(context, 4, 10, np.float32, values=True, keep=True)
    sets.feed(keys)
    assert sets.sizes().tolist() == [10] * 4 and len(sets) == 40
    got, values, statuses = sets.pop(10)
    assert (statuses == Status.OK).all()
    assert (np.sort(got, 1) == np.sort(keys, 1)[:, :10]).all()
    assert (np.take_along_axis(keys, values.astype(int), 1) == got).all()


@pytest.mark.parametrize("order", ["min", "max"])
def test_kselect(context, rng, order):
    rows = rng.standard_normal((7, 501)).astype(np.float32)
    selector = pyclade.KSelect(context, 501, 9, order=order, output="sorted", indices=True)
    keys, places = selector.run(rows)
    expected = np.sort(rows, 1)[:, :9] if order == "min" else np.sort(rows, 1)[:, ::-1][:, :9]
    assert (keys == expected).all() and (np.take_along_axis(rows, places.astype(int), 1) == keys).all()


def test_kselect_rows_of_differing_length(context, rng):
    lengths = [5, 0, 300, 2]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    keys = rng.integers(-4, 5, offsets[-1]).astype(np.float16)
    selector = pyclade.KSelect(context, 300, 4, np.float16, output="sorted", indices=True, ties="lowest")
    out, places, counts = selector.run_each(keys, offsets, [4, 4, 3, 4])
    assert counts.tolist() == [4, 0, 3, 2]
    for r, n in enumerate(counts):
        row = keys[offsets[r]:offsets[r + 1]]
        expected = np.argsort(row, kind="stable")[:n]
        assert places[r, :n].tolist() == expected.tolist() and (out[r, :n] == row[expected]).all()


def dijkstra(offsets, targets, weights, source):
    lengths, heap = {source: 0}, [(0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > lengths[u]:
            continue
        for a in range(offsets[u], offsets[u + 1]):
            v, new = int(targets[a]), d + int(weights[a])
            if new < lengths.get(v, 1 << 62):
                lengths[v] = new
                heapq.heappush(heap, (new, v))
    return lengths


def test_paths_against_dijkstra(context, rng):
    nodes = 300
    degrees = rng.integers(0, 5, nodes)
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    targets = rng.integers(0, nodes, offsets[-1])
    weights = rng.integers(0, 100, offsets[-1])
    paths = pyclade.Paths(pyclade.Graph(context, offsets, targets, weights), slots=2)
    paths.run(3)
    expected = dijkstra(offsets, targets, weights, 3)
    lengths, before = paths.lengths(), paths.predecessors()
    assert {i: int(d) for i, d in enumerate(lengths) if d != 0xFFFFFFFF} == expected
    far = max(expected, key=expected.get)
    way = paths.trace(far)
    assert way[0] == 3 and way[-1] == far and before[far] == (way[-2] if way.size > 1 else pyclade.paths.NONE)
    table = paths.table([3, 4])
    assert (table[0] == lengths).all()
    assert {i: int(d) for i, d in enumerate(table[1]) if d != 0xFFFFFFFF} == dijkstra(offsets, targets, weights, 4)
    unreached = [i for i in range(nodes) if i not in expected]
    if unreached:
        paths.run(3)
        assert paths.trace(unreached[0]) is None


def test_paths_of_floats(context):
    paths = pyclade.Paths(pyclade.Graph(context, [0, 2, 3, 3], [1, 2, 2], np.array([.5, 2, .25], np.float32)))
    paths.run([0], cutoff=.6)
    assert paths.lengths()[1] == .5 and np.isnan(paths.lengths()[2])


@pytest.mark.parametrize("make, load", [
    (lambda c: pyclade.Heap(c, 50, np.int64, np.uint32), lambda c, f: pyclade.Heap.load(c, f)),
    (lambda c: pyclade.HashMap(c, 50, np.int64, np.uint32),
     lambda c, f: pyclade.HashMap.load(c, f, np.int64, np.uint32)),
    (lambda c: pyclade.RBTree(c, 50, np.int64, np.uint32),
     lambda c, f: pyclade.RBTree.load(c, f, np.int64, np.uint32)),
])
def test_files(context, tmp_path, make, load):
    file = tmp_path / "saved with a blank"
    made = make(context)
    made.insert([7, -7], [70, 71])
    made.save(file)
    again = load(context, file)
    assert len(again) == 2
    if isinstance(again, pyclade.Heap):
        assert again.pop(1)[0].tolist() == [-7]
    else:
        assert again.find([-7])[0].tolist() == [71]
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(pyclade.CorruptError):
        load(context, file)
    with pytest.raises(pyclade.NotFoundError):
        load(context, tmp_path / "none")


def test_hash_map_without_erase(context):
    map_ = pyclade.HashMap(context, 10, np.uint32, np.uint32, no_erase=True)
    map_.update([3, 3, 5, 3], [1, 1, 1, 1])
    assert map_.find([3, 5])[0].tolist() == [3, 1]
    with pytest.raises(pyclade.UnsupportedError):
        map_.erase([3])


def test_select_first(context):
    selector = pyclade.KSelect(context, 4, 1, np.int32, method="first", indices=True)
    keys, indices = selector.run([[3, 1, 2, 1], [-1, 0, -7, 5]])
    assert keys.ravel().tolist() == [1, -7] and indices.ravel().tolist() == [1, 2]
