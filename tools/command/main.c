/* SPDX-License-Identifier: Apache-2.0 */
/* The `clade` command. */
#include "command/clade.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv);
}
