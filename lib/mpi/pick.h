/* SPDX-License-Identifier: Apache-2.0 */
/* The first k of many ranks' sorted keys.
 *
 * Every rank has keys in order, its candidates. All candidates have one order: by key, then by
 * place, then by rank. So no two are equal, equal keys are taken evenly from the ranks, and a cut
 * in this order takes an exact number. In each round every rank tells up to `samples` of its
 * candidates that are still undecided, evenly spaced, by one all-gather. All ranks see the same
 * numbers and conclude the same: everything up to one place is taken, and nothing from another
 * place on. What is left is at most 4 / samples of what there was. When a rank has no more than
 * `samples` left it tells all of them. */
#pragma once

#include "mpi/comm.h"

struct cladei_mpi_picker {
    clade_mpi *mpi;
    uint32_t samples;
    uint64_t *own, *all; /* what a rank tells; what all tell */
    struct cladei_mpi_sample *order, *spare;
    uint64_t *lower, *upper; /* a number for each rank, while its samples are walked */
    uint64_t *block;         /* candidates between two samples */
    uint64_t block_room;
};

clade_status cladei_mpi_picker_make(struct cladei_mpi_picker *picker, clade_mpi *mpi);
void cladei_mpi_picker_free(struct cladei_mpi_picker *picker);

/* One rank's candidates, as images that ascend: in an array, or to be read one by one where they
 * lie. Of n candidates, some hundred and a few times n / samples are looked at. */
struct cladei_mpi_row {
    uint64_t count;
    bool is_all; /* the rank has no others */
    const uint64_t *images;
    /* Else: `count` images from `first` on, each `step` after the one before. */
    clade_status (*read)(void *data, uint64_t first, uint64_t step, uint64_t count,
                         uint64_t *images);
    void *data;
};

struct cladei_mpi_picked {
    uint64_t take;    /* the rank's first so many candidates are among the first of all */
    uint64_t total;   /* at least so many in all ranks; exact if least == most */
    uint64_t last;    /* the image of the last one taken; 0 when all are taken */
    bool is_short;    /* this rank has others that may come before the last one taken: it must bring
                       * more candidates, and all pick again */
    bool some_short;  /* some rank is */
    clade_status own; /* how it went on this rank at last; all ranks have to be told of it next */
};

/* Take at least `least` and at most `most` of all candidates, or all if there are fewer. `own` is
 * how it went on this rank until here: if any rank has failed all return that. */
clade_status cladei_mpi_pick(struct cladei_mpi_picker *picker, clade_status own,
                             const struct cladei_mpi_row *row, uint64_t least, uint64_t most,
                             struct cladei_mpi_picked *picked);
