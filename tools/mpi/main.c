/* SPDX-License-Identifier: Apache-2.0 */
/* The `clade-mpi` command: begins and ends MPI. */
#include <stdarg.h>
#include <stdio.h>

#include "mpi/ranks.h"

clade_mpi *ranks_all;

clade_status ranks_fail(clade_status status, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return clade_error_set(status, 0, sentence);
}

/* All ranks fail alike, with the same sentence: once is enough. */
static bool is_silent(void)
{
    return clade_mpi_rank(ranks_all) == 0 ||
           (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
}

int main(int argc, char **argv)
{
    int result = EXIT_FAILED;
    MPI_Init(&argc, &argv);
    if (clade_mpi_create(&ranks_all, MPI_COMM_WORLD) != CLADE_OK)
        report_error();
    else if (is_silent())
        result = command_main(argc, argv);
    clade_mpi_destroy(&ranks_all);
    MPI_Finalize();
    return result;
}
