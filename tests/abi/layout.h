/* SPDX-License-Identifier: Apache-2.0 */
/* Size and fields of every public struct where pointers and long have 64 bits. Programs count on
 * each line, whatever release they were compiled against: never change or remove one, only add. A
 * new field takes reserved words, so it adds a line and leaves the size as it is
 * (docs/packaging.md). */
#pragma once

#include <stddef.h>

#include <clade/archive.h>
#include <clade/clade.h>

#ifdef __LP64__
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has another size")
#define AT(type, field, bytes) \
    _Static_assert(offsetof(type, field) == (bytes), #type "." #field " lies elsewhere")

SIZE(clade_error, 56);
AT(clade_error, status, 0);
AT(clade_error, cl_code, 4);
AT(clade_error, message, 8);
AT(clade_error, log, 16);

SIZE(clade_caps, 128);
AT(clade_caps, atomics, 0);
AT(clade_caps, int64_atomics, 4);
AT(clade_caps, fp64, 8);
AT(clade_caps, is_cpu, 12);
AT(clade_caps, compute_units, 16);
AT(clade_caps, group_size_max, 20);
AT(clade_caps, subgroup_size, 24);
AT(clade_caps, svm_atomics, 28);
AT(clade_caps, loop_limit, 32);
AT(clade_caps, local_bytes, 40);
AT(clade_caps, alloc_bytes_max, 48);
AT(clade_caps, global_bytes, 56);

SIZE(clade_context_params, 152);
AT(clade_context_params, device, 0);
AT(clade_context_params, cl_context, 8);
AT(clade_context_params, cl_device, 16);
AT(clade_context_params, cl_queue, 24);
AT(clade_context_params, kernel_path, 32);
AT(clade_context_params, cache_dir, 40);
AT(clade_context_params, profiling, 48);
AT(clade_context_params, force_rmw_atomics, 52);
AT(clade_context_params, build_options, 56);
AT(clade_context_params, archive, 64);
AT(clade_context_params, on_launch, 72);
AT(clade_context_params, on_launch_data, 80);
AT(clade_context_params, on_compile, 88);
AT(clade_context_params, on_compile_data, 96);

SIZE(clade_device_info, 600);
AT(clade_device_info, platform_index, 0);
AT(clade_device_info, device_index, 4);
AT(clade_device_info, id, 8);
AT(clade_device_info, type, 16);
AT(clade_device_info, platform, 24);
AT(clade_device_info, name, 152);
AT(clade_device_info, device_version, 280);
AT(clade_device_info, driver_version, 408);

SIZE(clade_device_list, 64);
AT(clade_device_list, devices, 0);
AT(clade_device_list, device_count, 8);
AT(clade_device_list, skipped, 16);
AT(clade_device_list, skipped_count, 24);

SIZE(clade_array, 24);
AT(clade_array, host, 0);
AT(clade_array, mem, 8);
AT(clade_array, offset, 16);

SIZE(clade_launch, 64);
AT(clade_launch, queue, 0);
AT(clade_launch, wait, 8);
AT(clade_launch, wait_count, 16);
AT(clade_launch, event, 24);

SIZE(clade_program_params, 104);
AT(clade_program_params, source, 0);
AT(clade_program_params, file, 8);
AT(clade_program_params, name, 16);
AT(clade_program_params, options, 24);
AT(clade_program_params, include_path, 32);

SIZE(clade_archive_entry, 136);
AT(clade_archive_entry, kind, 0);
AT(clade_archive_entry, target, 8);
AT(clade_archive_entry, platform, 16);
AT(clade_archive_entry, device, 24);
AT(clade_archive_entry, device_version, 32);
AT(clade_archive_entry, driver, 40);
AT(clade_archive_entry, options, 48);
AT(clade_archive_entry, version, 56);
AT(clade_archive_entry, file, 64);
AT(clade_archive_entry, source_hash, 72);
AT(clade_archive_entry, bytes, 88);
AT(clade_archive_entry, size, 96);

SIZE(clade_kma_params, 80);
AT(clade_kma_params, bytes, 0);
AT(clade_kma_params, debug, 8);
AT(clade_kma_params, bare, 12);
AT(clade_kma_params, most, 16);

SIZE(clade_kma_class_stats, 64);
AT(clade_kma_class_stats, cell_bytes, 0);
AT(clade_kma_class_stats, superblocks, 8);
AT(clade_kma_class_stats, cells, 16);
AT(clade_kma_class_stats, live, 24);

SIZE(clade_kma_stats, 2488);
AT(clade_kma_stats, bytes, 0);
AT(clade_kma_stats, heap_bytes, 8);
AT(clade_kma_stats, used_bytes, 16);
AT(clade_kma_stats, kept_bytes, 24);
AT(clade_kma_stats, peak_bytes, 32);
AT(clade_kma_stats, live_blocks, 40);
AT(clade_kma_stats, live_bytes, 48);
AT(clade_kma_stats, requested_bytes, 56);
AT(clade_kma_stats, page_blocks, 64);
AT(clade_kma_stats, superblocks, 72);
AT(clade_kma_stats, superblocks_created, 80);
AT(clade_kma_stats, superblocks_returned, 88);
AT(clade_kma_stats, refused, 96);
AT(clade_kma_stats, bad_frees, 104);
AT(clade_kma_stats, longest_free_bytes, 112);
AT(clade_kma_stats, classes, 120);

SIZE(clade_kma_fault, 32);
AT(clade_kma_fault, kind, 0);
AT(clade_kma_fault, ref, 4);
AT(clade_kma_fault, item, 8);

SIZE(clade_heap_params, 112);
AT(clade_heap_params, capacity, 0);
AT(clade_heap_params, key, 8);
AT(clade_heap_params, value, 12);
AT(clade_heap_params, order, 16);
AT(clade_heap_params, batch, 20);
AT(clade_heap_params, engine, 24);
AT(clade_heap_params, atomic_inserts, 28);
AT(clade_heap_params, group_size, 32);
AT(clade_heap_params, groups, 36);
AT(clade_heap_params, heaps, 40);

SIZE(clade_heap_stats, 128);
AT(clade_heap_stats, size, 0);
AT(clade_heap_stats, capacity, 8);
AT(clade_heap_stats, inserts, 16);
AT(clade_heap_stats, pops, 24);
AT(clade_heap_stats, refused, 32);
AT(clade_heap_stats, lock_retries, 40);
AT(clade_heap_stats, cooperations, 48);
AT(clade_heap_stats, bytes, 56);

SIZE(clade_adheap_params, 112);
AT(clade_adheap_params, heaps, 0);
AT(clade_adheap_params, capacity, 4);
AT(clade_adheap_params, arity, 8);
AT(clade_adheap_params, key, 12);
AT(clade_adheap_params, order, 16);
AT(clade_adheap_params, keep, 20);
AT(clade_adheap_params, values, 24);
AT(clade_adheap_params, bridge, 28);
AT(clade_adheap_params, count, 32);
AT(clade_adheap_params, feed, 36);
AT(clade_adheap_params, patience, 40);

SIZE(clade_adheap_stats, 144);
AT(clade_adheap_stats, heaps, 0);
AT(clade_adheap_stats, capacity, 8);
AT(clade_adheap_stats, size, 16);
AT(clade_adheap_stats, bytes, 24);
AT(clade_adheap_stats, walks, 32);
AT(clade_adheap_stats, loads, 40);
AT(clade_adheap_stats, moves, 48);
AT(clade_adheap_stats, plain, 56);
AT(clade_adheap_stats, bridged, 64);
AT(clade_adheap_stats, scattered, 72);

SIZE(clade_adheap_call, 64);
AT(clade_adheap_call, what, 0);
AT(clade_adheap_call, heap, 4);
AT(clade_adheap_call, node, 8);
AT(clade_adheap_call, value, 12);
AT(clade_adheap_call, key, 16);

SIZE(clade_list_params, 72);
AT(clade_list_params, capacity, 0);
AT(clade_list_params, mode, 8);
AT(clade_list_params, key, 12);
AT(clade_list_params, value, 16);
AT(clade_list_params, find, 20);
AT(clade_list_params, group_size, 24);
AT(clade_list_params, kma, 32);

SIZE(clade_list_stats, 88);
AT(clade_list_stats, live, 0);
AT(clade_list_stats, capacity, 8);
AT(clade_list_stats, free, 16);
AT(clade_list_stats, hints, 24);
AT(clade_list_stats, insert_collisions, 32);
AT(clade_list_stats, erase_collisions, 40);
AT(clade_list_stats, bytes, 48);

SIZE(clade_dlist_params, 48);
AT(clade_dlist_params, capacity, 0);
AT(clade_dlist_params, value, 8);
AT(clade_dlist_params, group_size, 12);

SIZE(clade_dlist_stats, 80);
AT(clade_dlist_stats, live, 0);
AT(clade_dlist_stats, capacity, 8);
AT(clade_dlist_stats, free, 16);
AT(clade_dlist_stats, insert_collisions, 24);
AT(clade_dlist_stats, erase_collisions, 32);
AT(clade_dlist_stats, bytes, 40);

SIZE(clade_semilist_params, 56);
AT(clade_semilist_params, capacity, 0);
AT(clade_semilist_params, kma, 8);
AT(clade_semilist_params, group_size, 16);

SIZE(clade_semilist_stats, 64);
AT(clade_semilist_stats, live, 0);
AT(clade_semilist_stats, erased, 8);
AT(clade_semilist_stats, capacity, 16);
AT(clade_semilist_stats, bytes, 24);

SIZE(clade_queue_params, 40);
AT(clade_queue_params, capacity, 0);

SIZE(clade_arraylist_params, 56);
AT(clade_arraylist_params, capacity, 0);
AT(clade_arraylist_params, element_bytes, 8);
AT(clade_arraylist_params, first, 12);
AT(clade_arraylist_params, kma, 16);

SIZE(clade_rbtree_params, 96);
AT(clade_rbtree_params, capacity, 0);
AT(clade_rbtree_params, key, 8);
AT(clade_rbtree_params, value, 12);
AT(clade_rbtree_params, leaf_capacity, 16);
AT(clade_rbtree_params, path, 20);
AT(clade_rbtree_params, group_size, 24);

SIZE(clade_rbtree_stats, 224);
AT(clade_rbtree_stats, size, 0);
AT(clade_rbtree_stats, capacity, 8);
AT(clade_rbtree_stats, leaves, 16);
AT(clade_rbtree_stats, leaves_total, 24);
AT(clade_rbtree_stats, routers, 32);
AT(clade_rbtree_stats, empty_leaves, 40);
AT(clade_rbtree_stats, height, 48);
AT(clade_rbtree_stats, black_height, 52);
AT(clade_rbtree_stats, red, 56);
AT(clade_rbtree_stats, red_red, 64);
AT(clade_rbtree_stats, overweight, 72);
AT(clade_rbtree_stats, unbalanced, 80);
AT(clade_rbtree_stats, leaked, 88);
AT(clade_rbtree_stats, splits, 96);
AT(clade_rbtree_stats, promotions, 104);
AT(clade_rbtree_stats, rotations, 112);
AT(clade_rbtree_stats, merges, 120);
AT(clade_rbtree_stats, retries, 128);
AT(clade_rbtree_stats, busy, 136);
AT(clade_rbtree_stats, full, 144);
AT(clade_rbtree_stats, bytes, 152);

SIZE(clade_kselect_params, 80);
AT(clade_kselect_params, length, 0);
AT(clade_kselect_params, k, 8);
AT(clade_kselect_params, key, 16);
AT(clade_kselect_params, order, 20);
AT(clade_kselect_params, output, 24);
AT(clade_kselect_params, indices, 28);
AT(clade_kselect_params, method, 32);
AT(clade_kselect_params, group_size, 36);
AT(clade_kselect_params, parts, 40);
AT(clade_kselect_params, arity, 44);
AT(clade_kselect_params, ties, 48);

#undef SIZE
#undef AT
#endif
