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
        ['queue.cl', 'clade/queue.clh', 'clade/peers.clh'],
        ['queue', 'edge-lanes-queue', 'tight_queue', 'weak_queue', DRAW],
        ['queue', 'wrap', 'refusals', ALONE + 'queue']),
    'arraylist': Structure(
        ['arraylist.cl', 'clade/arraylist.clh'],
        ['arraylist', 'edge-lanes-arraylist', 'tight_arraylist'],
        ['arraylist', 'refusals', ALONE + 'arraylist']),
    'list': Structure(
        ['list.cl', 'list_kma.cl', 'clade/list*.clh', 'clade/cells.clh'],
        ['list', 'list-kma', 'edge-list', 'edge-settle', 'wrap_cells', 'tight_lists', 'weak_list', DRAW],
        ['list', 'wrap', 'refusals', 'loads', ALONE + 'ordered-32 unordered-64 unordered-kma-32']),
    'dlist': Structure(
        ['dlist.cl', 'clade/dlist.clh'],
        ['dlist', 'edge-dlist', 'edge-settle', 'tight_lists', 'weak_dlist', DRAW],
        ['dlist', 'wrap', 'refusals', 'loads', ALONE + 'dlist']),
    'semilist': Structure(
        ['semilist.cl', 'clade/semilist*.clh'],
        ['semilist', 'edge-lanes-semilist', 'edge-semilist', 'weak_semilist'],
        ['semilist', 'refusals', ALONE + 'semilist']),
    'kselect': Structure(
        ['kselect*.cl', 'clade/kselect*.clh', 'clade/rowsort.clh', 'clade/sub.clh', 'clade/order.clh'],
        ['adheap', 'edge-kselect-1', 'edge-kselect-1-f32', 'edge-kselect-4', 'edge-kselect-4-once',
         'edge-lanes-kselect', 'edge-lanes-adheap', 'edge-order', 'edge-rowsort'],
        ['kselect', 'adheap_ways', 'wrap', ALONE + 'kselect-*']),
    'adheap': Structure(
        ['adheap*.cl', 'clade/adheap*.clh'],
        ['adheap', 'adheap-host', 'edge-lanes-adheap', 'edge-lanes-adheap-none', 'edge-adheap-1', 'edge-adheap-2',
         'edge-adheap-3', 'edge-adheap-4', 'edge-adheap-5', 'edge-adheap-kernels', 'edge-adheap-stays', 'wrap_adheap-8', 'wrap_adheap-64', DRAW],
        ['adheap', 'adheap_ways', 'adheap_host', 'wrap', 'refusals', ALONE + 'adheap-32']),
    'rbtree': Structure(
        ['rbtree*.cl', 'clade/rbtree*.clh', 'clade/radix.clh'],
        ['rbtree-1', 'rbtree-3', 'edge-lanes-rbtree-1', 'edge-lanes-rbtree-3', 'edge-lanes-rbtree-7',
         'wrap_rbtree-1', 'wrap_rbtree-3', 'tight_rbtree-1', 'tight_rbtree-3', 'weak_rbtree', DRAW],
        ['rbtree', 'rbtree_mix', 'rbtree CLADE_TEST_FILTER=all_types_as_the_model '
         'CLADE_BUILD_OPTIONS=-DCLADE_RBTREE_RANGE_TOGETHER=1', 'wrap', 'refusals', ALONE + 'rbtree-32']),
    'kma': Structure(
        ['kma.cl', 'clade/kma*.clh'],
        ['kma', 'kma-debug', 'kma-full', 'kma-image', 'edge-kma', 'list-kma', 'edge-lanes-kma', 'weak_kma'],
        ['kma', 'kma_use', 'kma_files', 'semilist', 'refusals', ALONE + 'kma']),
    'heap': Structure(
        ['heap.cl', 'clade/heap.clh', 'clade/heap_delete.clh', 'clade/heap_insert.clh', 'clade/heap_keys.clh',
         'clade/heap_merge.clh', 'clade/heap_node.clh', 'clade/heap_tree.clh', 'clade/sort.clh', 'clade/group.clh'],
        ['group', 'heap-td', 'heap-bu', 'heap-td-team', 'heap-bu-team', 'wrap_heap-td', 'wrap_heap-bu', 'tight_heap-td',
         'tight_heap-bu', 'weak_heap-td', 'weak_heap-bu'],
        ['heap', 'heap_many', 'heap_history', 'heap_stress', 'group', 'wrap', 'refusals',
         ALONE + 'heap-td-32 heap-bu-64']),
    'heap_front': Structure(
        ['heap_front*.cl', 'clade/heap_front*.clh'],
        ['front', 'front-team', 'front_pool', 'front_files', 'front_ring', 'front_short', 'weak_heap-front',
         'weak_pool'],
        ['heap_front', 'heap_bulk', 'heap_front_history',
         ALONE + 'heap-front-32:H(_insert_wg) heap-front-32:H(_pop_wg)']),
}
