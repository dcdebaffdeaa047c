/* SPDX-License-Identifier: Apache-2.0 */
/* An entry of the program cache, whatever it holds, gives a binary inside its bounds or none. */
#include <stdlib.h>
#include <string.h>

#include "program/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char key[] = "key";
    size_t bytes = 0;
    const char *file = (const char *)data;
    const char *binary = cladei_cache_binary(file, size, key, &bytes);
    if (binary && (bytes == 0 || binary < file || bytes > size - (size_t)(binary - file)))
        abort();
    return 0;
}
