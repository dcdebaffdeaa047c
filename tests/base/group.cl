/* SPDX-License-Identifier: Apache-2.0 */
/* clade/group.clh, one function at a time: one group each, results to `out`. */

#include "clade/group.clh"

#define GROUP_MAX 1024
#define MERGE_MAX 600
#define KEYS_MAX  1030

/* out[0, n): broadcast from item `from`; [n, 2n): sum; [2n, 3n): least; [3n, 4n): greatest;
 * [4n, 5n): sum of those before; [5n, 6n): the scan's total; n = group size. */
__kernel void group_reduce(__global const uint *in, __global uint *out, uint from)
{
    __local uint words[2 * GROUP_MAX];
    uint lid = (uint)get_local_id(0), n = (uint)get_local_size(0), total;
    uint value = in[lid];
    out[lid] = clade_broadcast_wg(value, from, words);
    out[n + lid] = clade_reduce_add_wg(value, words);
    out[2 * n + lid] = clade_reduce_min_wg(value, words);
    out[3 * n + lid] = clade_reduce_max_wg(value, words);
    out[4 * n + lid] = clade_scan_wg(value, words, &total);
    out[5 * n + lid] = total;
}

/* keys[0, n) sorted, by 32 bits with values. */
__kernel void group_sort_pairs(__global uint *keys, __global uint *values, uint n)
{
    __local uint k[KEYS_MAX], v[KEYS_MAX], spare_k[KEYS_MAX], spare_v[KEYS_MAX];
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
        k[i] = keys[i];
        v[i] = values[i];
    }
    clade_u32_u32_sort_wg(k, v, n, spare_k, spare_v);
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
        keys[i] = k[i];
        values[i] = v[i];
    }
}

/* keys[0, na) and keys[na, na + nb) sorted apart, then merged, by 64 bits. */
__kernel void group_merge(__global ulong *keys, uint na, uint nb)
{
    __local ulong a[MERGE_MAX], b[MERGE_MAX], out[2 * MERGE_MAX];
    for (uint i = (uint)get_local_id(0); i < na + nb; i += (uint)get_local_size(0))
        if (i < na)
            a[i] = keys[i];
        else
            b[i - na] = keys[i];
    clade_u64_sort_wg(a, (__local uint *)a, na, out, (__local uint *)out);
    clade_u64_sort_wg(b, (__local uint *)b, nb, out, (__local uint *)out);
    clade_u64_merge_wg(a, (__local uint *)a, na, b, (__local uint *)b, nb, out, (__local uint *)out);
    for (uint i = (uint)get_local_id(0); i < na + nb; i += (uint)get_local_size(0))
        keys[i] = out[i];
}

/* keys[0, n) sorted, by 32 bits alone. */
__kernel void group_sort(__global uint *keys, uint n)
{
    __local uint k[KEYS_MAX], spare[KEYS_MAX];
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
        k[i] = keys[i];
    clade_u32_sort_wg(k, k, n, spare, spare);
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
        keys[i] = k[i];
}
