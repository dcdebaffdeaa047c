/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and operations as text: what `clade list` reads, makes up, and proves right.
 *
 * A file of nodes: their count, then a value a line. A file of operations: their count, then a
 * line each: "1 TARGET VALUE", insert VALUE behind TARGET; "0 VALUE", erase VALUE. Values are
 * below 2^32. Plain, gzip or xz. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/textfile.h"

struct listfile {
    uint32_t *nodes;
    size_t node_count;
    uint32_t *ops; /* CLADE_LIST_INSERT_AFTER or CLADE_LIST_ERASE */
    uint32_t *values;
    uint32_t *targets; /* of an erasure: its value */
    size_t op_count;
};

/* Read both files. On failure `error` has the file, the line and the reason. */
bool listfile_read(struct listfile *file, const char *nodes, const char *ops,
                   struct file_error *error);
void listfile_free(struct listfile *file);

/* Make a workload up: nodes 1 .. node_count in random order; half inserts behind, half erasures of
 * initial nodes, inserted values all new. */
bool listfile_generate(struct listfile *file, size_t node_count, size_t op_count, uint64_t seed);
bool listfile_write(const struct listfile *file, const char *nodes, const char *ops,
                    struct file_error *error);

/* Do the operations one after the other on a plain linked list, each walking from the head.
 * `order` says which comes when, or is NULL. Writes statuses and the values left, in list order;
 * returns how many, or SIZE_MAX when memory is out. */
size_t listfile_run(const struct listfile *file, const uint32_t *order, int32_t *statuses,
                    uint32_t *left);

/* Prove that some order of the operations has these outcomes: find one, do the operations in that
 * order one after the other, and compare every status and the list that is left. `raw`: all nodes
 * in list order, erased ones too; `erased`: which they are. On failure `why` says what no order
 * explains. Values must be distinct. */
bool listfile_prove(const struct listfile *file, const int32_t *statuses, const uint32_t *raw,
                    const uint8_t *erased, size_t raw_count, char *why, size_t room);
