/* SPDX-License-Identifier: Apache-2.0 */
__kernel void squares(__global uint *out, uint count)
{
    uint i = (uint)get_global_id(0); /* which work-item am I? */
    if (i < count)
        out[i] = i * i;
}
