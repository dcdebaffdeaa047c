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

/* Each group counts its block's keys of some ranks in its own memory, then of the next ones: of all
 * at once where there are few. */
#define CLADE_MPI_BINS 512u

typedef struct clade_mpi_keys {
    __global const uint *keys;
    ulong first; /* the batch's first one there */
    uint count, type, is_wide;
} clade_mpi_keys;

/* The rank that key i of a batch belongs to, and the key. */
static inline uint clade_mpi_rank_of(const clade_mpi_keys *k, const clade_mpi_owners *owners,
                                     ulong i, ulong *key)
{
    const ulong image = clade_mpi_image(k->keys, k->first + i, k->type, k->is_wide, key);
    return clade_mpi_owner_of(owners, image);
}

static inline uint clade_mpi_bins_of(uint ranks, uint begin)
{
    return min(ranks - begin, CLADE_MPI_BINS);
}

/* counts[rank * blocks + block]. */
__kernel void clade_mpi_batch_count(__global const uint *keys, ulong first, uint count, uint type,
                                    uint is_wide, __global const ulong *splitters, uint ranks,
                                    uint by_hash, __global uint *counts, uint blocks)
{
    CLADE_LOCAL uint bins[CLADE_MPI_BINS];
    const clade_mpi_owners owners = { splitters, ranks, by_hash };
    const clade_mpi_keys batch = { keys, first, count, type, is_wide };
    const uint block = (uint)get_group_id(0), item = (uint)get_local_id(0);
    const uint items = (uint)get_local_size(0);
    const ulong end = clade_mpi_block(count, blocks, block + 1u);
    ulong key;
    if (block >= blocks)
        return; /* the whole group */
    for (uint begin = 0; begin < ranks; begin += CLADE_MPI_BINS) {
        const uint these = clade_mpi_bins_of(ranks, begin);
        for (uint r = item; r < these; r += items)
            bins[r] = 0;
        clade_barrier_local();
        for (ulong i = clade_mpi_block(count, blocks, block) + item; i < end; i += items) {
            const uint rank = clade_mpi_rank_of(&batch, &owners, i, &key) - begin;
            if (rank < these)
                (void)clade_add_local((clade_local_word)&bins[rank], 1u);
        }
        clade_barrier_local();
        for (uint r = item; r < these; r += items)
            counts[(begin + r) * blocks + block] = bins[r];
        clade_barrier_local();
    }
}

/* With the places that follow from the counts: each key goes to its own, which `place` remembers.
 */
__kernel void clade_mpi_batch_move(__global const uint *keys, ulong first, uint count, uint type,
                                   uint is_wide, __global const ulong *splitters, uint ranks,
                                   uint by_hash, __global const uint *places, uint blocks,
                                   __global uint *sorted, __global uint *place, ulong place_first)
{
    CLADE_LOCAL uint bins[CLADE_MPI_BINS];
    const clade_mpi_owners owners = { splitters, ranks, by_hash };
    const clade_mpi_keys batch = { keys, first, count, type, is_wide };
    const uint block = (uint)get_group_id(0), item = (uint)get_local_id(0);
    const uint items = (uint)get_local_size(0);
    const ulong end = clade_mpi_block(count, blocks, block + 1u);
    ulong key;
    if (block >= blocks)
        return; /* the whole group */
    for (uint begin = 0; begin < ranks; begin += CLADE_MPI_BINS) {
        const uint these = clade_mpi_bins_of(ranks, begin);
        for (uint r = item; r < these; r += items)
            bins[r] = places[(begin + r) * blocks + block];
        clade_barrier_local();
        for (ulong i = clade_mpi_block(count, blocks, block) + item; i < end; i += items) {
            const uint rank = clade_mpi_rank_of(&batch, &owners, i, &key) - begin;
            if (rank >= these)
                continue;
            const uint at = clade_add_local((clade_local_word)&bins[rank], 1u);
            place[place_first + i] = at;
            if (is_wide != 0u) {
                sorted[2ul * at] = (uint)key;
                sorted[2ul * at + 1ul] = (uint)(key >> 32);
            } else {
                sorted[at] = (uint)key;
            }
        }
        clade_barrier_local();
    }
}

/* Elements of `words` words to the places of their operations. */
__kernel void clade_mpi_batch_scatter(__global const uint *from, ulong first, uint count,
                                      uint words, __global const uint *place, ulong place_first,
                                      __global uint *to)
{
    const ulong i = get_global_id(0);
    if (i >= count)
        return;
    for (uint w = 0; w < words; w++)
        to[(ulong)place[place_first + i] * words + w] = from[(first + i) * words + w];
}

/* --- and back ----------------------------------------------------------------------------------
 */

/* Statuses fit into a byte. */
__kernel void clade_mpi_batch_pack(__global const int *statuses, ulong count, __global char *packed)
{
    const ulong i = get_global_id(0);
    if (i < count)
        packed[i] = (char)statuses[i];
}

/* Statuses in the order of the operations, if `has_to`; and in found[0] whether all are CLADE_OK,
 * in found[1] the first operation that was refused, times two, plus one where it was busy. Before,
 * they are 0 and the greatest number. */
__kernel void clade_mpi_batch_unpack(__global const char *packed, uint count,
                                     __global const uint *place, ulong place_first, int full,
                                     int busy, uint has_to, __global int *to, ulong first,
                                     __global uint *found)
{
    const ulong i = get_global_id(0);
    if (i >= count)
        return;
    const int status = packed[place[place_first + i]];
    if (has_to != 0u)
        to[first + i] = status;
    if (status != 0)
        clade_store_relaxed((clade_global_word)&found[0], 1u);
    if (status == full || status == busy)
        (void)clade_min_relaxed((clade_global_word)&found[1],
                                2u * (uint)i + (status == busy ? 1u : 0u));
}

/* Elements whose operations were done; the rest of `to` stays as it is. */
__kernel void clade_mpi_batch_gather(__global const uint *from, uint count, uint words,
                                     __global const uint *place, ulong place_first,
                                     __global const char *packed, __global uint *to, ulong first)
{
    const ulong i = get_global_id(0);
    if (i >= count || packed[place[place_first + i]] != 0)
        return;
    for (uint w = 0; w < words; w++)
        to[(first + i) * words + w] = from[(ulong)place[place_first + i] * words + w];
}

/* --- seeks -------------------------------------------------------------------------------------
 */

/* Where nothing was found (`none`), it is the key of another rank. */
__kernel void clade_mpi_batch_beyond(__global int *statuses, ulong count, int none, uint key_words,
                                     ulong key, __global uint *keys, uint value_words, ulong value,
                                     __global uint *values)
{
    const ulong i = get_global_id(0);
    if (i >= count || statuses[i] != none)
        return;
    statuses[i] = 0;
    for (uint w = 0; w < key_words; w++)
        keys[i * key_words + w] = (uint)(key >> (32u * w));
    for (uint w = 0; w < value_words; w++)
        values[i * value_words + w] = (uint)(value >> (32u * w));
}
