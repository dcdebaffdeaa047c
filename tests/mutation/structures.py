# SPDX-License-Identifier: Apache-2.0
"""Which files are a structure's, and which of the tests that CI runs look at them."""
from collections import namedtuple

# files: patterns below cl/. host: programs on host threads: host_NAME_asan, host_NAME_tsan, NAME_asan, NAME_tsan,
# NAME, as many of these as there are; arguments after a blank. device: test_NAME, with further environment
# and arguments after blanks.
Structure = namedtuple('Structure', 'files host device')

DRAW = 'draw_use 100000'  # saved objects that are crafted, used
ALONE = 'alone '  # each function of a kind alone in a kernel

STRUCTURES = {
    'queue': Structure(
        ['kernels/queue.cl', 'clade/queue.clh', 'clade/base/peers.clh'],
        ['queue', 'edge-lanes-queue', 'tight_queue', 'weak_queue', DRAW],
        ['queue', 'wrap', 'refusals', ALONE + 'queue']),
    'arraylist': Structure(
        ['kernels/arraylist.cl', 'clade/arraylist.clh'],
        ['arraylist', 'edge-lanes-arraylist', 'tight_arraylist'],
        ['arraylist', 'refusals', ALONE + 'arraylist']),
    'list': Structure(
        ['kernels/list.cl', 'kernels/list_kma.cl', 'clade/list.clh', 'clade/list/*.clh', 'clade/base/cells.clh'],
        ['list', 'list-kma', 'edge-list', 'edge-settle', 'wrap_cells', 'tight_lists', 'weak_list', DRAW],
        ['list', 'wrap', 'refusals', 'loads', ALONE + 'ordered-32 unordered-64 unordered-kma-32']),
    'dlist': Structure(
        ['kernels/dlist.cl', 'clade/dlist.clh'],
        ['dlist', 'edge-dlist', 'edge-settle', 'tight_lists', 'weak_dlist', DRAW],
        ['dlist', 'wrap', 'refusals', 'loads', ALONE + 'dlist']),
    'semilist': Structure(
        ['kernels/semilist.cl', 'clade/semilist.clh', 'clade/semilist/*.clh'],
        ['semilist', 'edge-lanes-semilist', 'edge-semilist', 'weak_semilist'],
        ['semilist', 'refusals', ALONE + 'semilist']),
    'kselect': Structure(
        ['kernels/kselect*.cl', 'clade/kselect.clh', 'clade/kselect/*.clh', 'clade/base/rowsort.clh', 'clade/base/sub.clh', 'clade/base/order.clh'],
        ['adheap', 'edge-kselect-1', 'edge-kselect-1-f32', 'edge-kselect-4', 'edge-kselect-4-once',
         'edge-lanes-kselect', 'edge-lanes-adheap', 'edge-order', 'edge-rowsort'],
        ['kselect', 'adheap_ways', 'wrap', ALONE + 'kselect-*']),
    'adheap': Structure(
        ['kernels/adheap*.cl', 'clade/adheap.clh', 'clade/adheap/*.clh'],
        ['adheap', 'adheap-host', 'edge-lanes-adheap', 'edge-lanes-adheap-none', 'edge-adheap-1', 'edge-adheap-2',
         'edge-adheap-3', 'edge-adheap-4', 'edge-adheap-5', 'edge-adheap-kernels', 'edge-adheap-stays', 'wrap_adheap-8', 'wrap_adheap-64', DRAW],
        ['adheap', 'adheap_ways', 'adheap_host', 'wrap', 'refusals', ALONE + 'adheap-32']),
    'rbtree': Structure(
        ['kernels/rbtree*.cl', 'clade/rbtree.clh', 'clade/rbtree/*.clh', 'clade/base/radix.clh'],
        ['rbtree-1', 'rbtree-3', 'edge-tries', 'edge-lanes-rbtree-1', 'edge-lanes-rbtree-3', 'edge-lanes-rbtree-7',
         'wrap_rbtree-1', 'wrap_rbtree-3', 'tight_rbtree-1', 'tight_rbtree-3', 'weak_rbtree', DRAW],
        ['rbtree', 'rbtree_mix', 'rbtree CLADE_TEST_FILTER=all_types_as_the_model '
         'CLADE_BUILD_OPTIONS=-DCLADE_RBTREE_RANGE_TOGETHER=1', 'wrap', 'refusals', ALONE + 'rbtree-32']),
    'kma': Structure(
        ['kernels/kma.cl', 'clade/kma.clh', 'clade/kma/*.clh'],
        ['kma', 'kma-debug', 'kma-full', 'kma-image', 'edge-kma', 'list-kma', 'edge-lanes-kma', 'weak_kma'],
        ['kma', 'kma_use', 'kma_files', 'semilist', 'refusals', ALONE + 'kma']),
    'heap': Structure(
        ['kernels/heap.cl', 'clade/heap.clh', 'clade/heap/tree/pop.clh', 'clade/heap/tree/insert.clh', 'clade/heap/keys.clh',
         'clade/heap/tree/merge.clh', 'clade/heap/node.clh', 'clade/heap/tree/tree.clh', 'clade/base/sort.clh', 'clade/group.clh'],
        ['group', 'edge-heap-td', 'edge-heap-bu', 'heap-td', 'heap-bu', 'heap-td-team', 'heap-bu-team', 'wrap_heap-td', 'wrap_heap-bu', 'tight_heap-td',
         'tight_heap-bu', 'weak_heap-td', 'weak_heap-bu'],
        ['heap', 'heap_many', 'heap_history', 'heap_stress', 'group', 'wrap', 'refusals',
         ALONE + 'heap-td-32 heap-bu-64']),
    'heap_front': Structure(
        ['kernels/heap_front*.cl', 'clade/heap/front/*.clh', 'clade/heap/front/round/*.clh', 'clade/heap/bulk/*.clh'],
        ['front-look', 'front', 'front-team', 'front-pool', 'front-files', 'front-ring', 'front-short', 'front-spill', 'front-ahead', 'weak_heap-front',
         'weak_pool'],
        ['heap_front', 'heap_bulk', 'heap_front_history',
         ALONE + 'heap-front-32:CLADE_H(_insert_wg) heap-front-32:CLADE_H(_pop_wg)']),
}
