/* SPDX-License-Identifier: Apache-2.0 */
/* All bytes of a quiescent front engine on the host, and what a check found in them. */
#pragma once

#include "heap/front/front.h"

/* What refers to a unit: FRONT_IN_USE also blocks and directories. */
enum { FRONT_UNSEEN, FRONT_IN_USE, FRONT_CHAINED, FRONT_RUN, FRONT_RETIRED };

struct front_copy {
    const struct cladei_front *f;
    char *bytes;
    uint32_t *head, *entries, *dirs, *leaves;
    uint8_t *seen[3];    /* by pool: units that something refers to, FRONT_... */
    uint32_t *remaining; /* by leaf: keys that the front still has in it */
    uint8_t *live;       /* a bit for each slot of each block that holds a key; NULL: not wanted */
    bool frozen;         /* leaves of the trie are, up to this key */
    uint64_t frozen_to;
    struct cladei_front_sum *sum;
};

/* Look at all of it; `bytes` are the caller's. After a failure, too, comes close. */
clade_status cladei_front_copy_open(struct front_copy *c, const struct cladei_front *front,
                                    char *bytes, struct cladei_front_sum *sum, bool marks);
void cladei_front_copy_close(struct front_copy *c);
