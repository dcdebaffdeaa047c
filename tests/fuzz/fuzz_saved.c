/* SPDX-License-Identifier: Apache-2.0 */
/* A saved object, whatever it holds, is refused or lies inside its file. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cladei_saved saved = { .bytes = malloc(size ? size : 1), .size = size };
    if (!saved.bytes)
        return 0;
    if (size > 0)
        memcpy(saved.bytes, data, size);
    if (cladei_saved_parse(&saved, "input", CLADE_KIND('t', 'e', 's', 't'), 8) == CLADE_OK) {
        const char *payload = saved.payload, *params = saved.params;
        if (params < saved.bytes || payload != params + 8 ||
            payload + saved.payload_bytes != saved.bytes + size)
            abort();
    }
    cladei_saved_close(&saved);
    return 0;
}
