/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that stays and waits for the host's calls; launched by lib/adheap/host.c, one item.
 *
 * The slot's word `door`:
 *
 *   from -> to            by      order     means
 *   GONE -> READY         host    acq_rel   before the launch
 *   READY -> CALLED       host    release   [D1] the call's words are written
 *   CALLED -> RUNNING     kernel  acquire   [D2]
 *   RUNNING -> ANSWERED   kernel  release   [D3] the answer is written over the call
 *   ANSWERED -> READY     host    acq_rel   [D4] the answer was read
 *   CALLED -> READY       host    acq_rel   the host takes a call back that nobody took
 *   READY -> GONE, ANSWERED -> LEFT   kernel, after `patience` polls without a call
 *   READY -> STOP -> GONE host, kernel
 *
 * Each is a compare-and-swap but [D3], whose word nobody else may change. While the call runs the
 * kernel calls the host for the path, by the slot's other word (clade/adheap/bridge.clh). */

#include "clade/adheap.clh"

CLADE_INLINE int clade_adheap_answer_wi(__global clade_adheap_head *object,
                                        __global clade_u32 *slot, __local clade_u32 *path)
{
    const clade_adheap_one h = clade_adheap_open_wi(object, slot[CLADE_ADHEAP_SLOT_WHERE], path);
    const clade_u32 what = slot[CLADE_ADHEAP_SLOT_WHAT];
    clade_u64 both = slot[CLADE_ADHEAP_SLOT_KEY];
    both |= (clade_u64)slot[CLADE_ADHEAP_SLOT_KEY + 1] << 32;
    clade_adheap_word raw = (clade_adheap_word)both;
    clade_u32 value = slot[CLADE_ADHEAP_SLOT_VALUE];
    int status = CLADE_OK;
    if (what == CLADE_ADHEAP_CALL_INSERT)
        status = clade_adheap_insert_sg(&h, raw, value);
    else if (what == CLADE_ADHEAP_CALL_POP)
        status = clade_adheap_pop_sg(&h, &raw, &value);
    else if (what == CLADE_ADHEAP_CALL_PEEK)
        status = clade_adheap_peek_sg(&h, &raw, &value);
    else
        status = clade_adheap_update_sg(&h, slot[CLADE_ADHEAP_SLOT_NODE], raw, value);
    slot[CLADE_ADHEAP_SLOT_KEY] = (clade_u32)raw;
    slot[CLADE_ADHEAP_SLOT_KEY + 1] = (clade_u32)((clade_u64)raw >> 32);
    slot[CLADE_ADHEAP_SLOT_VALUE] = value;
    slot[CLADE_ADHEAP_SLOT_STATUS] = (clade_u32)status;
    return status;
}

__kernel void clade_adheap_resident(__global clade_adheap_head *object)
{
    CLADE_LOCAL uint path[CLADE_ADHEAP_PATH_WORDS];
    __global clade_u32 *slot = (__global clade_u32 *)object +
                               (size_t)object->calls * CLADE_ADHEAP_WIDTH +
                               get_group_id(0) * CLADE_ADHEAP_SLOT_WORDS;
    clade_global_word door = (clade_global_word)(slot + CLADE_ADHEAP_SLOT_DOOR);
    const uint patience = object->patience;
    uint staying = 1, idle = 0;
    while (staying != 0) {
        const uint now = clade_load_relaxed_host(door);
        idle++;
        if (now == CLADE_ADHEAP_CALLED &&
            clade_cas_acquire_host(door, now, CLADE_ADHEAP_RUNNING) == now) { /* [D2] */
            clade_adheap_answer_wi(object, slot, path);
            clade_store_release_host(door, CLADE_ADHEAP_ANSWERED); /* [D3] */
            idle = 0;
        }
        if (now == CLADE_ADHEAP_STOP) {
            clade_store_release_host(door, CLADE_ADHEAP_GONE);
            staying = 0;
        }
        if (idle >= patience) {
            const uint last = now == CLADE_ADHEAP_READY ? CLADE_ADHEAP_GONE : CLADE_ADHEAP_LEFT;
            if (now != CLADE_ADHEAP_CALLED && clade_cas_acq_rel_host(door, now, last) == now)
                staying = 0;
            idle = 0;
        }
    }
}
