/* SPDX-License-Identifier: Apache-2.0 */
#include "common/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <clade/shared/heap.h>

bool option_number(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || number < low || number > high)
        return false;
    *value = number;
    return true;
}

bool option_engine(const char *text, uint32_t *engine)
{
    static const char *const names[] = { [CLADE_HEAP_AUTO] = "auto",
                                         [CLADE_HEAP_TOP_DOWN] = "top-down",
                                         [CLADE_HEAP_BOTTOM_UP] = "bottom-up",
                                         [CLADE_HEAP_FRONT] = "front" };
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *engine = i;
            return true;
        }
    }
    return false;
}
