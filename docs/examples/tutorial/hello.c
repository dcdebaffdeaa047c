/* SPDX-License-Identifier: Apache-2.0 */
#include <clade/clade.h>
#include <stdio.h>

int main(void)
{
    clade_context *context;
    if (clade_context_create(&context, NULL) != CLADE_OK) {
        printf("%s\n", clade_error_last()->message);
        return 1;
    }
    printf("a device is open\n");
    clade_context_destroy(&context);
    return 0;
}
