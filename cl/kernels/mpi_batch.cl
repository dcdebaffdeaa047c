/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind the maps of clade-mpi: a batch is sorted by the ranks that own its keys, and
 * answers go back to where the operations stood; launched by lib/mpi/sort.c.
 *
 * The batch is cut into blocks. First each block counts its keys of each rank. The host adds these
 * counts up. Then each block has a place for its keys of each rank, and puts them there. Within a
 * block the order is any.
 */
#include "clade/atomic.clh"
#include "clade/base/order.clh"

/* Who has keys: by hash, or the first rank whose splitter is not below the key's image. */
typedef struct clade_mpi_owners {
    __global const ulong *splitters;
    uint ranks;
    uint by_hash;
} clade_mpi_owners;

/* As cladei_mpi_owner_by_hash() and cladei_mpi_owner_by(). */
static inline uint clade_mpi_owner_of(const clade_mpi_owners *owners, ulong image)
{
    uint low = 0, high = owners->ranks - 1u;
    if (owners->by_hash != 0u) {
        ulong z = image + 0x9e3779b97f4a7c15ul;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
        z ^= z >> 31;
        return (uint)((z >> 32) * owners->ranks >> 32);
    }
    while (low < high) {
        const uint middle = low + (high - low) / 2u;
        if (owners->splitters[middle] < image)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* The image of key i, and the key. */
static inline ulong clade_mpi_image(__global const uint *keys, ulong i, uint type, uint is_wide,
                                    ulong *key)
{
    if (is_wide != 0u) {
        *key = (ulong)keys[2ul * i] | (ulong)keys[2ul * i + 1ul] << 32;
        return clade_order_encode64(*key, type, CLADE_MIN);
    }
    *key = keys[i];
    return clade_order_encode(keys[i], type, CLADE_MIN);
}

/* Where block `block` of `count` operations begins. */
static inline ulong clade_mpi_block(uint count, uint blocks, uint block)
{
    return (ulong)count * block / blocks;
}

/* counts[rank * blocks + block], which are 0 before. */
__kernel void clade_mpi_batch_count(__global const uint *keys, ulong first, uint count, uint type,
                                    uint is_wide, __global const ulong *splitters, uint ranks,
                                    uint by_hash, __global uint *counts, uint blocks)
{
    const clade_mpi_owners owners = { splitters, ranks, by_hash };
    ulong key;
    for (uint block = (uint)get_group_id(0); block < blocks; block += (uint)get_num_groups(0)) {
        const ulong end = clade_mpi_block(count, blocks, block + 1u);
        for (ulong i = clade_mpi_block(count, blocks, block) + get_local_id(0); i < end;
             i += get_local_size(0)) {
            const ulong image = clade_mpi_image(keys, first + i, type, is_wide, &key);
            const uint rank = clade_mpi_owner_of(&owners, image);
            (void)clade_add_relaxed((clade_global_word)&counts[rank * blocks + block], 1u);
        }
    }
}

/* The same with the places that follow from the counts: each key goes to its own. */
__kernel void clade_mpi_batch_move(__global const uint *keys, ulong first, uint count, uint type,
                                   uint is_wide, __global const ulong *splitters, uint ranks,
                                   uint by_hash, __global uint *places, uint blocks,
                                   __global uint *sorted, __global uint *place)
{
    const clade_mpi_owners owners = { splitters, ranks, by_hash };
    ulong key;
    for (uint block = (uint)get_group_id(0); block < blocks; block += (uint)get_num_groups(0)) {
        const ulong end = clade_mpi_block(count, blocks, block + 1u);
        for (ulong i = clade_mpi_block(count, blocks, block) + get_local_id(0); i < end;
             i += get_local_size(0)) {
            const ulong image = clade_mpi_image(keys, first + i, type, is_wide, &key);
            const uint rank = clade_mpi_owner_of(&owners, image);
            const uint at =
                clade_add_relaxed((clade_global_word)&places[rank * blocks + block], 1u);
            place[i] = at;
            if (is_wide != 0u) {
                sorted[2ul * at] = (uint)key;
                sorted[2ul * at + 1ul] = (uint)(key >> 32);
            } else {
                sorted[at] = (uint)key;
            }
        }
    }
}

/* Elements of `words` words to the places of their operations. */
__kernel void clade_mpi_batch_scatter(__global const uint *from, ulong first, uint count,
                                      uint words, __global const uint *place, __global uint *to)
{
    const ulong i = get_global_id(0);
    if (i >= count)
        return;
    for (uint w = 0; w < words; w++)
        to[(ulong)place[i] * words + w] = from[(first + i) * words + w];
}

/* And back from there; with `has_statuses`, only where that of the operation is CLADE_OK. */
__kernel void clade_mpi_batch_gather(__global const uint *from, uint count, uint words,
                                     __global const uint *place, __global const int *statuses,
                                     uint has_statuses, __global uint *to, ulong first)
{
    const ulong i = get_global_id(0);
    if (i >= count || (has_statuses != 0u && statuses[place[i]] != 0))
        return;
    for (uint w = 0; w < words; w++)
        to[(first + i) * words + w] = from[(ulong)place[i] * words + w];
}
