/* SPDX-License-Identifier: Apache-2.0 */
/* The makers of arrays for callers that cannot use inline functions. */
#include "clade/array.h"

clade_array clade_array_of_host(const void *pointer)
{
    return clade_host(pointer);
}

clade_array clade_array_of_mem(cl_mem mem, size_t offset)
{
    return clade_device(mem, offset);
}

clade_array clade_array_of_nothing(void)
{
    return clade_no_array();
}
