/* SPDX-License-Identifier: Apache-2.0 */
#include "rbtree.h"
clade_status cladei_rbtree_bulk_insert(clade_rbtree *t, struct cladei_run *r, const struct cladei_rbtree_batch *b){(void)t;(void)r;(void)b;return cladei_fail(CLADE_E_UNSUPPORTED,"not yet");}
clade_status cladei_rbtree_bulk_erase(clade_rbtree *t, struct cladei_run *r, const struct cladei_rbtree_batch *b){(void)t;(void)r;(void)b;return cladei_fail(CLADE_E_UNSUPPORTED,"not yet");}
