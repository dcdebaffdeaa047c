/* SPDX-License-Identifier: Apache-2.0 */
/* Include expansion and the translation of compilers' logs take any text. */
#include <stdlib.h>
#include <string.h>

#include "program/buildlog.h"
#include "program/expand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cladei_expansion expansion;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (cladei_expand(&expansion, text, "fuzz.cl", NULL, NULL, NULL) == CLADE_OK) {
        free(cladei_log_translate(text, expansion.source.data));
        cladei_expansion_free(&expansion);
    }
    free(text);
    return 0;
}
