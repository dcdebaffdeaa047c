/* SPDX-License-Identifier: Apache-2.0 */
/* The words that public structs keep for fields of later releases: clade/error.h has the rule. */
#include "base/error.h"
#include "base/reserved.h"

clade_status cladei_reserved_check(const void *words, size_t count, const char *what)
{
    clade_status status = CLADE_OK;
    const uint64_t *word = words;
    for (size_t i = 0; i < count; i++)
        CLADE_REQUIRE(word[i] == 0, CLADE_E_ARG,
                      "%s has a value in a reserved word: the program was compiled against a newer "
                      "header than the library, or has not zeroed the struct",
                      what);
fail:
    return status;
}
