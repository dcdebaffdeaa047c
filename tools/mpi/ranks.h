/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of `clade-mpi` share. Every rank runs the command; rank 0 alone prints. */
#pragma once

#include <clade/mpi/mpi.h>

#include "command/clade.h"

/* All ranks of the job (main.c). */
extern clade_mpi *ranks_all;

int command_mpi_kselect(int argc, char **argv);
int command_mpi_sssp(int argc, char **argv);

/* What went wrong on this rank alone, as all are told: in clade_mpi_agree(), or in a call of
 * clade-mpi. */
clade_status ranks_fail(clade_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
